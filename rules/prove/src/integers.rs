//! Proofs for rules of integers. A proof first tries all values of small types, and a subset of the values of large
//! types. The proof for every type of the rule is then an identity of polynomials, a theorem about integers, linear
//! equations, or an answer of z3 about bit-vectors.
use crate::values::{product, some};
use crate::{Effort, Proof, linear, polynomial, smt, theorem};
use cube_rules::parse::small_types;
use cube_rules::{Instance, Op, Rule, Term};
use cube_semantics::{IntOp, IntPredicate, Number};

// Maximum number of value tuples that are tried for one instance.
const FULL: usize = 1 << 20;
const QUICK: usize = 1 << 12;

/// Checks all instances of a rule of integers.
///
/// # Errors
/// A counterexample, or an instance that no method can decide.
pub fn check(rule: &Rule, effort: Effort) -> Result<Proof, String> {
    let mut proof = Proof::default();
    let limit = if effort == Effort::Full { FULL } else { QUICK };
    let small = small_types(&rule.types);
    let small = small.into_iter().filter_map(|types| rule.instance(types).ok());
    let own = rule.instances();
    let mut exhausted = Vec::new();
    for instance in small.chain(own.iter().cloned()) {
        if try_values(&instance, limit)? {
            exhausted.push(instance.types[0].bits());
        }
    }
    exhausted.sort_unstable();
    exhausted.dedup();
    proof.methods.push(format!("all values at {} bits", list(&exhausted)));
    if effort == Effort::Quick {
        return Ok(proof);
    }
    if own.iter().all(polynomial::is_identity) {
        proof.methods.push("an identity of polynomials, which holds modulo every power of 2".into());
        return Ok(proof);
    }
    let (mut by_smt, mut by_equations, mut theorems) = (Vec::new(), Vec::new(), false);
    let mut theorem_of: Option<(String, bool)> = None;
    for instance in &own {
        let width = instance.types[0].bits();
        // A theorem holds for every width. It is checked once for all instances that differ only in width.
        let same = theorem_of.as_ref().is_some_and(|(known, _)| *known == theorem::text(instance));
        if has_products(&instance.pattern) && !same {
            let holds = matches!(theorem::check(instance), smt::Answer::Proven);
            theorem_of = Some((theorem::text(instance), holds));
        }
        if theorem_of.as_ref().is_some_and(|(_, holds)| *holds) {
            theorems = true;
            continue;
        }
        if linear::applies(instance)
            && let smt::Answer::Proven = linear::check(instance)?
        {
            by_equations.push(width);
            continue;
        }
        match smt::check(instance)? {
            smt::Answer::Proven => by_smt.push(width),
            // z3 has no answer, but all values of the instance were tried.
            smt::Answer::Unknown(_) if width <= 8 && exhausted.contains(&width) => {}
            smt::Answer::Unknown(_) if by_powers(instance)? => by_smt.push(width),
            smt::Answer::Unknown(why) => return Err(format!("no proof for {}: {why}", types(instance))),
        }
    }
    if theorems {
        proof.methods.push("a theorem about integers modulo every B, by z3".into());
    }
    if !by_equations.is_empty() {
        proof.methods.push(format!("linear equations, by z3 at {} bits", list(&by_equations)));
    }
    if !by_smt.is_empty() {
        by_smt.dedup();
        proof.methods.push(format!("z3 at {} bits", list(&by_smt)));
    }
    Ok(proof)
}

// Bit-vector queries are slow for products and quotients, and theorems are fast.
fn has_products(term: &Term) -> bool {
    let mut found = false;
    term.each_op(&mut |op| {
        found |= matches!(op, Op::Int(IntOp::Mul | IntOp::TotalDivU | IntOp::TotalRemU | IntOp::MulHighU));
    });
    found
}

// Whether a part of the guard restricts a constant to powers of two, and z3 proves the instance for each of them.
fn by_powers(instance: &Instance) -> Result<bool, String> {
    let Some(variable) = instance.guard.as_ref().and_then(power_of_two) else { return Ok(false) };
    let ty = instance.variables[variable].ty;
    for power in 0..ty.bits() {
        let with = |term: &Term| term.with(variable, &Term::Constant(1 << power, ty));
        let (pattern, replacement) = (with(&instance.pattern), with(&instance.replacement));
        let one = Instance { pattern, replacement, guard: instance.guard.as_ref().map(with), ..instance.clone() };
        if !matches!(smt::check(&one)?, smt::Answer::Proven) {
            return Ok(false);
        }
    }
    Ok(true)
}

// The variable for which a guard, or a part of its conjunction, requires that exactly one bit is set.
fn power_of_two(guard: &Term) -> Option<usize> {
    let Term::Apply { op, args, .. } = guard else { return None };
    match (op, args.as_slice()) {
        (Op::Int(IntOp::And), parts) => parts.iter().find_map(power_of_two),
        (Op::CompareInts(IntPredicate::Eq), [Term::Computed(ones), Term::Constant(1, _)]) => match ones.as_ref() {
            Term::Apply { op: Op::Int(IntOp::CountOnes), args, .. } => match args.as_slice() {
                [Term::Variable(variable)] => Some(*variable),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn list(bits: &[u32]) -> String {
    bits.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn types(instance: &Instance) -> String {
    format!("types {:?}", instance.types)
}

/// Evaluates both sides of an instance on values of its variables. Returns whether all values of the
/// variables were tried.
///
/// # Errors
/// A counterexample.
pub fn try_values(instance: &Instance, limit: usize) -> Result<bool, String> {
    let tuples: f64 = instance.variables.iter().map(|v| 2f64.powi(v.ty.bits() as i32)).product();
    let all = tuples <= limit as f64;
    let each = if all { usize::MAX } else { (limit as f64).powf(1.0 / instance.variables.len() as f64) as usize };
    let lists: Vec<Vec<u64>> = instance.variables.iter().map(|v| some(v.ty, each)).collect();
    product(&lists, &mut |values| try_one(instance, values))?;
    Ok(all)
}

pub(crate) fn try_one(instance: &Instance, values: &[u64]) -> Result<(), String> {
    if let Some(guard) = &instance.guard
        && guard.value(values) != Some(1)
    {
        return Ok(());
    }
    let (left, right) = (instance.pattern.value(values), instance.replacement.value(values));
    if left.is_some() && left == right {
        return Ok(());
    }
    Err(counterexample(instance, values, left, right))
}

/// The values of the variables and of both sides of an instance, as text.
pub fn counterexample(instance: &Instance, values: &[u64], left: Option<u64>, right: Option<u64>) -> String {
    let show = |ty: Number, bits: u64| match ty {
        Number::Int(_) => bits.to_string(),
        Number::Float(_) => format!("{:?} (0x{bits:x})", ty.to_double(bits)),
    };
    let variables = instance.variables.iter().zip(values);
    let names: Vec<String> =
        variables.map(|(v, value)| format!("{} = {}: {:?}", v.name, show(v.ty, *value), v.ty)).collect();
    let ty = match &instance.pattern {
        cube_rules::Term::Apply { to, .. } => *to,
        _ => instance.types[0],
    };
    let side = |value: Option<u64>| value.map_or("nothing".into(), |value| show(ty, value));
    format!("for {} the pattern is {}, and the replacement {}", names.join(", "), side(left), side(right))
}
