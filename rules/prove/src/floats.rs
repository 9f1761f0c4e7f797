//! Proofs for rules of floats. A proof checks a rule on all values of f16, and on a structured subset of the
//! values of larger types. The proof checks flags with the special values that they exclude, and rounding
//! differences with a bound that the condition of the pattern determines.
use crate::condition::{self, tolerance};
use crate::integers::counterexample;
use crate::smt::Answer;
use crate::values::{all, edges, middle, moderate, product, some, special};
use crate::{Effort, Proof, smt_floats, structure};
use cube_rules::parse::Variable;
use cube_rules::{Flags, Instance, Op, Rule, Term};
use cube_semantics::Number;

/// The special values that occurred when one side of a rule was evaluated.
#[derive(Default)]
struct Trace {
    nan: bool,
    infinite: bool,
}

impl Trace {
    fn see(&mut self, ty: Number, bits: u64) {
        let value = ty.to_double(bits);
        self.nan |= value.is_nan();
        self.infinite |= value.is_infinite();
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
        if op.has_fast_math_flags() {
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
        // The flags for special values are tried first, because they can suffice.
        let mut sets: Vec<Flags> = (0..8).map(|bits| Flags(bits << 1)).filter(|set| set.has(values_only)).collect();
        sets.sort_by_key(|set| set.0.count_ones());
        let quick = |set: &Flags| instances.iter().all(|instance| exact(instance, *set, Effort::Quick).is_ok());
        let about = if functions { None } else { sets.into_iter().find(quick) };
        let missing = about.map_or(needed.without(own), |set| set.without(values_only));
        return Err(format!("the flags {missing} are missing: {why}"));
    }
    if own.without(needed) != Flags::NONE {
        return Err(format!("the flags {} are not needed", own.without(needed)));
    }
    let mut proof = Proof::default();
    if own == Flags::NONE {
        proof.methods.push(method(&instances[0], effort));
    } else {
        proof.methods.push("special values, moderate values and the middle range of each format".into());
    }
    let holds =
        |flags: Flags| if own == Flags::NONE { by_values(flags) } else { approximate(&instances, flags, effort) };
    holds(flags)?;
    if own == Flags::NONE && !functions && effort == Effort::Full {
        let mut proven = Vec::new();
        for instance in &instances {
            if let Answer::Proven = smt_floats::check(instance, flags)? {
                proven.push(names(instance));
            }
        }
        if !proven.is_empty() {
            proof.methods.push(format!("z3 at {}", proven.join(", ")));
        }
    }
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
        let invalid = beyond(rule);
        if !invalid.is_empty() {
            proof.methods.push(format!("beyond the middle range, a result can become {}", invalid.join(" or ")));
        }
    }
    Ok(proof)
}

// The float types of an instance.
fn names(instance: &Instance) -> String {
    let floats = instance.types.iter().filter(|ty| ty.is_float());
    floats
        .map(|ty| format!("{ty:?}").replace("Float(", "").replace(')', "").to_lowercase())
        .collect::<Vec<_>>()
        .join(" from ")
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
    product(&lists, &mut |values| compare(instance, flags, values)).map(|_| ())
}

/// Compares both sides of a rule for one tuple of values exactly, except for the differences that the flags permit.
pub(crate) fn compare(instance: &Instance, flags: Flags, values: &[u64]) -> Result<(), String> {
    let Some(sides) = Sides::of(instance, flags, values)? else { return Ok(()) };
    if sides.are_equal(flags) { Ok(()) } else { sides.fail(instance, values) }
}

/// Both sides of a rule for one tuple of values.
struct Sides {
    left: u64,
    right: u64,
    ty: Number,
}

impl Sides {
    // `None` if the guard does not hold, or if the flags make the pattern poison.
    fn of(instance: &Instance, flags: Flags, values: &[u64]) -> Result<Option<Sides>, String> {
        if instance.guard.as_ref().is_some_and(|guard| guard.value(values) != Some(1)) {
            return Ok(None);
        }
        let (mut before, mut after) = (Trace::default(), Trace::default());
        let left = before.value(&instance.pattern, values);
        let right = after.value(&instance.replacement, values);
        let fail = || Err(counterexample(instance, values, left, right));
        let (Some(l), Some(r)) = (left, right) else { return fail() };
        if before.excluded(flags) {
            return Ok(None);
        }
        if after.excluded(flags) {
            return fail();
        }
        Ok(Some(Sides { left: l, right: r, ty: result_type(instance) }))
    }

    fn numbers(&self) -> [f64; 2] {
        [self.left, self.right].map(|bits| self.ty.to_double(bits))
    }

    fn are_equal(&self, flags: Flags) -> bool {
        if self.left == self.right || !self.ty.is_float() {
            return self.left == self.right;
        }
        let [x, y] = self.numbers();
        x.is_nan() && y.is_nan() || flags.has(Flags::NSZ) && x == 0.0 && y == 0.0
    }

    fn fail<T>(&self, instance: &Instance, values: &[u64]) -> Result<T, String> {
        Err(counterexample(instance, values, Some(self.left), Some(self.right)))
    }
}

/// Compares both sides of a rule that rounds differently. Special values must agree exactly. If the pattern stays in
/// the middle range, the replacement must be finite and within the tolerance of the format, see `condition.rs`.
fn compare_rounded(instance: &Instance, flags: Flags, values: &[u64]) -> Result<(), String> {
    let Some(sides) = Sides::of(instance, flags, values)? else { return Ok(()) };
    if sides.are_equal(flags) {
        return Ok(());
    }
    let [x, y] = sides.numbers();
    let whole = condition::of(instance, values);
    let is_special = values.iter().zip(&instance.variables).any(|(value, v)| condition::is_special(v.ty, *value));
    if !whole.in_middle {
        return if is_special { sides.fail(instance, values) } else { Ok(()) };
    }
    let is_close = sides.ty.is_float() && y.is_finite() && (x - y).abs() <= tolerance(sides.ty) * whole.error;
    if is_close && (x != 0.0 || y != 0.0) { Ok(()) } else { sides.fail(instance, values) }
}

/// Compares both sides of a rule in every format: for special values, for moderate values, and for values of the
/// whole middle range.
///
/// # Errors
/// A counterexample.
fn approximate(instances: &[Instance], flags: Flags, effort: Effort) -> Result<(), String> {
    for instance in instances {
        let check = |values: &dyn Fn(&Variable) -> Vec<u64>| {
            let lists: Vec<Vec<u64>> = instance.variables.iter().map(values).collect();
            product(&lists, &mut |values| compare_rounded(instance, flags, values)).map(|_| ())
        };
        let place = instance.variables.len().clamp(1, 5) - 1;
        let count = match effort {
            Effort::Full => [2000, 120, 24, 12, 6][place],
            Effort::Quick => [200, 24, 12, 7, 5][place],
        };
        // Five variables have 59,049 tuples of special values, which give the same results in all formats.
        if place < 4 || instance.types[0] == Number::F32 {
            check(&|v| special(v.ty))?;
        }
        check(&|v| moderate(v.ty, count))?;
        check(&|v| if v.constant { edges(v.ty, count) } else { middle(v.ty, count) })?;
    }
    Ok(())
}

/// The wrong results that a rule can have for values beyond the middle range, to which its error bound does not
/// apply. The function returns the names of the values to which a normal result changes in f32.
fn beyond(rule: &Rule) -> Vec<&'static str> {
    let instances = rule.instances();
    let Some(instance) = instances.iter().find(|instance| instance.types[0] == Number::F32) else { return Vec::new() };
    let count = [400, 40, 16, 9, 7][instance.variables.len().clamp(1, 5) - 1];
    let numbers: Vec<Vec<u64>> = instance.variables.iter().map(|v| edges(v.ty, count)).collect();
    let mut found = [false; 3];
    let _ = product(&numbers, &mut |values| {
        if let Ok(Some(sides)) = Sides::of(instance, Flags::NONE, values) {
            let [x, y] = sides.numbers();
            if condition::is_normal(sides.ty, x) {
                let invalid = [y.is_infinite(), y == 0.0 && !condition::cancels(instance, values), y.is_nan()];
                found.iter_mut().zip(invalid).for_each(|(found, invalid)| *found |= invalid);
            }
        }
        Ok::<(), ()>(())
    });
    ["inf", "0", "NaN"].into_iter().zip(found).filter(|(_, found)| *found).map(|(name, _)| name).collect()
}

/// The largest difference between both sides of a rule in f32 over the middle range. The unit of the difference is the
/// last place of the result, multiplied by the condition of the pattern. The difference is rounded up.
fn difference(rule: &Rule) -> Option<u32> {
    let instances = rule.instances();
    let instance = instances.iter().find(|instance| instance.types[0] == Number::F32)?;
    let count = [400, 400, 40, 16, 9][instance.variables.len().clamp(1, 5) - 1];
    let mut largest = 0f64;
    for values in [moderate, middle] {
        let numbers: Vec<Vec<u64>> = instance.variables.iter().map(|v| values(v.ty, count)).collect();
        let _ = product(&numbers, &mut |values| {
            let whole = condition::of(instance, values);
            if let Ok(Some(sides)) = Sides::of(instance, Flags::NONE, values)
                && whole.in_middle
            {
                let [x, y] = sides.numbers();
                if whole.error > 0.0 && y.is_finite() {
                    largest = largest.max((x - y).abs() / (whole.error * 2f64.powi(-23)));
                }
            }
            Ok::<(), ()>(())
        });
    }
    Some(largest.ceil().min(f64::from(u32::MAX)) as u32)
}
