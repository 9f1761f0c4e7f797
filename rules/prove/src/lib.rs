//! Proves rewrite rules: [`prove`] returns the methods that a rule passed, or a counterexample as values.
//!
//! The methods, and their limits, are in `docs/why/rewrite-rules.md`. [`record`] stores passed proofs by the content of the rule.
#![forbid(unsafe_code)]
pub mod floats;
pub mod integers;
mod polynomial;
pub mod record;
pub mod report;
pub mod smt;
mod structure;
pub mod theorem;
pub mod values;

use cube_rules::Rule;
use std::fmt;

/// Values for which a rule is wrong, or another reason to refuse it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    pub rule: String,
    /// The reason, with the values.
    pub why: String,
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} is not proven: {}", self.rule, self.why)
    }
}

/// The methods that a rule passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The methods, as text.
    pub methods: Vec<String>,
    /// The largest difference of both sides in f32 that was measured, in units of the last place of the largest intermediate
    /// value, for rules that permit one.
    pub difference: Option<u32>,
}

/// The amount of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// All checks; z3 if a program of this name is in `PATH`.
    Full,
    /// The checks by values alone, with fewer values.
    Quick,
}

/// Proves a rule for all its types.
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

/// Tries a rule that rounds as written on random values, `count` for each of its instances: both sides have the same bits.
///
/// # Errors
/// A counterexample.
pub fn sample(rule: &Rule, count: usize, random: &mut values::Random) -> Result<(), String> {
    for instance in rule.instances() {
        for _ in 0..count {
            let values: Vec<u64> = instance.variables.iter().map(|v| values::random(v.ty, random)).collect();
            if is_float(rule) {
                floats::compare(&instance, rule.flags, &values, None)?;
            } else {
                integers::try_one(&instance, &values)?;
            }
        }
    }
    Ok(())
}
