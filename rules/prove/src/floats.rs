//! Proofs for rules of floats. A proof checks a rule on all values of f16, and on a structured subset of the
//! values of larger types. The proof checks fast-math flags on the special values that the flags exclude, and
//! checks rounding differences in f64.
use crate::integers::counterexample;
use crate::values::{all, moderate, product, some, special};
use crate::{Effort, Proof, structure};
use cube_rules::{Flags, Instance, Op, Rule, Term};
use cube_semantics::{Number, convert::of_double};

/// The special values that occurred when one side of a rule was evaluated.
#[derive(Default)]
struct Trace {
    nan: bool,
    infinite: bool,
    /// The largest finite magnitude that occurred.
    scale: f64,
}

impl Trace {
    fn see(&mut self, ty: Number, bits: u64) {
        let value = ty.to_double(bits);
        self.nan |= value.is_nan();
        self.infinite |= value.is_infinite();
        if value.is_finite() {
            self.scale = self.scale.max(value.abs());
        }
    }

    fn value(&mut self, term: &Term, values: &[u64]) -> Option<u64> {
        let Term::Apply { op, from, to, args } = term else { return term.value(values) };
        if let (Op::Select, [condition, yes, no]) = (op, args.as_slice()) {
            // A select is poison only if its condition or the selected value is poison. The other value is ignored.
            let chosen = if self.value(condition, values)? == 1 { yes } else { no };
            return self.value(chosen, values);
        }
        let mut operands = [0; 3];
        for (operand, arg) in operands.iter_mut().zip(args) {
            *operand = self.value(arg, values)?;
        }
        let result = op.value(*from, *to, &operands[..args.len()])?;
        if op.takes_flags() {
            operands[..args.len()].iter().for_each(|bits| self.see(*from, *bits));
            self.see(*to, result);
        }
        Some(result)
    }

    // Whether the flags make the result poison.
    fn excluded(&self, flags: Flags) -> bool {
        flags.has(Flags::NNAN) && self.nan || flags.has(Flags::NINF) && self.infinite
    }
}

fn result_type(instance: &Instance) -> Number {
    match &instance.pattern {
        Term::Apply { to, .. } => *to,
        _ => instance.types[0],
    }
}

/// Checks all instances of a rule of floats. The function also checks that the rule requires each of its
/// flags.
///
/// # Errors
/// A counterexample, or a flag that the rule does not require.
pub fn check(rule: &Rule, effort: Effort) -> Result<Proof, String> {
    let flags = rule.flags;
    let instances = rule.instances();
    let by_values = |flags: Flags| instances.iter().try_for_each(|instance| exact(instance, flags, effort));
    let values_only = flags.without(Flags::APPROXIMATE);
    let functions =
        instances.iter().any(|instance| has_function(&instance.pattern) || has_function(&instance.replacement));
    let strict = if functions { Err("functions are approximations".into()) } else { by_values(values_only) };
    let needed = structure::needed(&instances[0], strict.is_ok());
    let own = Flags(flags.0 & Flags::APPROXIMATE.0);
    if needed.without(own) != Flags::NONE {
        let why = strict.err().unwrap_or_default();
        return Err(format!("the flags {} are missing: {why}", needed.without(own)));
    }
    if own.without(needed) != Flags::NONE {
        return Err(format!("the flags {} are not needed", own.without(needed)));
    }
    let mut proof = Proof::default();
    if own == Flags::NONE {
        proof.methods.push(method(&instances[0], effort));
    } else {
        proof.methods.push("special values, and real numbers within 2^-40 in f64".into());
    }
    let holds = |flags: Flags| if own == Flags::NONE { by_values(flags) } else { approximate(&instances, flags) };
    holds(flags)?;
    for flag in values_only.each() {
        if holds(flags.without(flag)).is_ok() {
            return Err(format!("the flag {flag} is not needed"));
        }
    }
    if flags != Flags::NONE {
        proof.methods.push("each flag is needed".into());
    }
    if own != Flags::NONE {
        proof.difference = difference(rule);
    }
    Ok(proof)
}

fn has_function(term: &Term) -> bool {
    let mut found = false;
    term.each_op(&mut |op| found |= matches!(op, Op::Function(_)));
    found
}

fn method(instance: &Instance, effort: Effort) -> String {
    match (instance.variables.len(), effort) {
        (0 | 1, _) => "all values of f16, a structured set of the other formats".into(),
        (_, Effort::Full) => "a structured set of values of each format".into(),
        (_, Effort::Quick) => "a small structured set of values of each format".into(),
    }
}

/// Compares both sides of a rule bit by bit, and accepts only differences that the flags permit.
///
/// # Errors
/// A counterexample.
fn exact(instance: &Instance, flags: Flags, effort: Effort) -> Result<(), String> {
    let count = match (instance.variables.len(), effort) {
        (0 | 1, Effort::Full) => 65536,
        (0 | 1, Effort::Quick) => 4096,
        (2, Effort::Full) => 640,
        (2, Effort::Quick) => 96,
        (_, Effort::Full) => 80,
        (_, Effort::Quick) => 32,
    };
    let lists: Vec<Vec<u64>> = instance
        .variables
        .iter()
        .map(|v| if v.ty.bits() <= 16 && count == 65536 { all(v.ty) } else { some(v.ty, count.min(16384)) })
        .collect();
    product(&lists, &mut |values| compare(instance, flags, values, None)).map(|_| ())
}

/// Compares both sides of a rule for one tuple of values: exactly, or with an error of at most `tolerance` times
/// the largest magnitude.
pub(crate) fn compare(instance: &Instance, flags: Flags, values: &[u64], tolerance: Option<f64>) -> Result<(), String> {
    if instance.guard.as_ref().is_some_and(|guard| guard.value(values) != Some(1)) {
        return Ok(());
    }
    let (mut before, mut after) = (Trace::default(), Trace::default());
    let left = before.value(&instance.pattern, values);
    let right = after.value(&instance.replacement, values);
    let fail = || Err(counterexample(instance, values, left, right));
    let (Some(l), Some(r)) = (left, right) else { return fail() };
    if before.excluded(flags) {
        return Ok(());
    }
    if after.excluded(flags) {
        return fail();
    }
    let ty = result_type(instance);
    if !ty.is_float() {
        return if l == r { Ok(()) } else { fail() };
    }
    let (x, y) = (ty.to_double(l), ty.to_double(r));
    let equal = l == r || x.is_nan() && y.is_nan() || flags.has(Flags::NSZ) && x == 0.0 && y == 0.0;
    if equal {
        return Ok(());
    }
    match tolerance {
        Some(part) if x.is_finite() && y.is_finite() && (x != 0.0 || y != 0.0) => {
            let scale = before.scale.max(after.scale);
            if (x - y).abs() <= part * scale { Ok(()) } else { fail() }
        }
        _ => fail(),
    }
}

/// Compares both sides of a rule in f64: approximately for values of moderate magnitude, and exactly if special
/// values determine the result.
///
/// # Errors
/// A counterexample.
fn approximate(instances: &[Instance], flags: Flags) -> Result<(), String> {
    let Some(instance) = instances.iter().find(|instance| structure::in_f64(instance.types)) else {
        return Err("a rule that rounds differently has an instance of f64".into());
    };
    let part = 2f64.powi(-40);
    let specials: Vec<Vec<u64>> = instance.variables.iter().map(|v| special(v.ty)).collect();
    product(&specials, &mut |values| compare(instance, flags, values, Some(part)))?;
    let count = [120, 24, 12, 7][instance.variables.len().clamp(2, 5) - 2];
    let numbers: Vec<Vec<u64>> = instance.variables.iter().map(|v| moderate(v.ty, count)).collect();
    product(&numbers, &mut |values| compare(instance, flags, values, Some(part)))?;
    Ok(())
}

/// The largest difference between both sides of a rule in f32, over values of moderate magnitude. The unit of the
/// difference is the last place of the largest intermediate value; the difference is rounded up.
fn difference(rule: &Rule) -> Option<u32> {
    let instances = rule.instances();
    let instance = instances.iter().find(|instance| instance.types[0] == Number::F32)?;
    let count = [400, 40, 16, 9][instance.variables.len().clamp(2, 5) - 2];
    let numbers: Vec<Vec<u64>> = instance.variables.iter().map(|v| moderate(v.ty, count)).collect();
    let mut largest = 0f64;
    let _ = product(&numbers, &mut |values| {
        let (mut before, mut after) = (Trace::default(), Trace::default());
        let left = before.value(&instance.pattern, values);
        let right = after.value(&instance.replacement, values);
        if let (Some(l), Some(r)) = (left, right) {
            let (x, y) = (Number::F32.to_double(l), Number::F32.to_double(r));
            let scale = before.scale.max(after.scale);
            if x.is_finite() && y.is_finite() && scale > 0.0 {
                largest = largest.max((x - y).abs() / place(scale));
            }
        }
        Ok::<(), ()>(())
    });
    Some(largest.ceil().min(f64::from(u32::MAX)) as u32)
}

// The unit in the last place of a magnitude in f32.
fn place(magnitude: f64) -> f64 {
    let bits = of_double(magnitude, Number::F32);
    Number::F32.to_double(bits + 1) - Number::F32.to_double(bits)
}
