//! Proves rewrite rules: [`prove`] returns the methods by which a rule was proved, or a counterexample.
//!
//! `docs/why/rewrite-rules.md` describes the methods and their limits. The module [`record`] stores each successful
//! proof under a hash of the rule's content.
#![forbid(unsafe_code)]
pub mod condition;
pub mod division;
pub mod floats;
pub mod integers;
pub mod linear;
mod polynomial;
pub mod record;
pub mod report;
pub mod smt;
pub mod smt_floats;
mod structure;
pub mod theorem;
pub mod values;

use cube_rules::Rule;
use std::fmt;

/// A counterexample, or another reason to refuse a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    pub rule: String,
    /// The reason for the refusal, with the values of the counterexample.
    pub why: String,
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} is not proven: {}", self.rule, self.why)
    }
}

/// The methods by which a rule was proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The descriptions of the methods.
    pub methods: Vec<String>,
    /// The largest measured difference between both sides of the rule in f32. The unit of the difference is the last
    /// place of the result, multiplied by the condition of the pattern. Only rules that permit a rounding difference
    /// have this value.
    pub difference: Option<u32>,
    /// The processor time of the proof with that of z3, in units of 10 ms; `None` if it was not measured.
    pub time: Option<u32>,
}

/// The amount of work for a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All checks, including z3 if `PATH` contains a program of this name.
    Full,
    /// Only checks on concrete values, with fewer values than [`Effort::Full`].
    Quick,
}

/// Proves a rule for all types that it supports.
///
/// # Errors
/// The first counterexample, or a flag that the rule does not require.
pub fn prove(rule: &Rule, effort: Effort) -> Result<Proof, Refuted> {
    let refuted = |why: String| Refuted { rule: rule.name.clone(), why };
    if is_float(rule) {
        floats::check(rule, effort).map_err(refuted)
    } else {
        integers::check(rule, effort).map_err(refuted)
    }
}

/// Whether a rule has operations on floats.
pub fn is_float(rule: &Rule) -> bool {
    rule.instances().iter().any(|instance| instance.types.iter().any(|ty| ty.is_float()))
}

/// Tests a rule that does not permit different rounding: for `count` random values of each instance, both sides must
/// have equal bits.
///
/// # Errors
/// A counterexample.
pub fn sample(rule: &Rule, count: usize, random: &mut values::Random) -> Result<(), String> {
    for instance in rule.instances() {
        for _ in 0..count {
            let values: Vec<u64> = instance.variables.iter().map(|v| values::random(v.ty, random)).collect();
            if is_float(rule) {
                floats::compare(&instance, rule.flags, &values)?;
            } else {
                integers::try_one(&instance, &values)?;
            }
        }
    }
    Ok(())
}
