//! The rounding error of a term before a rewrite, and the range of values in which a rule with flags must satisfy its
//! error bound.
//!
//! The error of a term is computed to first order, with an error of one unit for each operand and each operation. For
//! example, the error of `x - y` is `|x| + |y| + |x - y|` units. A rule with flags can round differently. Its
//! replacement can differ from the pattern by at most a multiple of these errors ([`tolerance`]).
//!
//! The middle range of a format contains 0 and the numbers from 16 times the smallest normal number to 1/16 of the
//! largest number. If all values of the pattern are in this range, the replacement must be finite. A constant of the
//! pattern can have any finite value, because the compiler knows the value.
use cube_rules::{Function, Instance, Op, Term, parse::Variable};
use cube_semantics::{FloatOp, Number};

/// The condition of a term for given values of its variables.
#[derive(Clone, Copy, Debug)]
pub struct RoundingCondition {
    /// The first-order error of the term, divided by the unit roundoff of its format.
    pub error: f64,
    /// Whether all floats of the term are in the middle range.
    pub in_middle: bool,
}

/// The largest permitted difference between both sides of a rule, relative to the error of the pattern. A replacement
/// keeps at least half of the digits of f32, f16 and bf16.
pub fn tolerance(ty: Number) -> f64 {
    match ty {
        Number::F64 => 2f64.powi(-40),
        Number::F32 => 2f64.powi(-12),
        Number::F16 => 2f64.powi(-5),
        _ => 2f64.powi(-4),
    }
}

/// The smallest normal and the largest number of a format.
pub fn limits(ty: Number) -> [f64; 2] {
    let infinity = cube_semantics::convert::of_double(f64::INFINITY, ty);
    [infinity & infinity.wrapping_neg(), infinity - 1].map(|bits| ty.to_double(bits))
}

/// Whether a value is a zero, an infinity, or NaN.
pub fn is_special(ty: Number, bits: u64) -> bool {
    let value = ty.to_double(bits);
    ty.is_float() && (value == 0.0 || !value.is_finite())
}

/// Whether a number is a normal number of a format.
pub fn is_normal(ty: Number, value: f64) -> bool {
    let [low, high] = limits(ty);
    ty.is_float() && (low..=high).contains(&value.abs())
}

fn is_middle(ty: Number, value: f64) -> bool {
    let [low, high] = limits(ty);
    // A NaN does not affect the range, because both sides must be NaN.
    value == 0.0 || value.is_nan() || (low * 16.0..=high / 16.0).contains(&value.abs())
}

/// The condition of an instance's pattern for values of its variables. Constants can have any value.
pub fn of(instance: &Instance, values: &[u64]) -> RoundingCondition {
    of_term(&instance.pattern, &instance.variables, values)
}

/// The condition of a term with the given variables.
pub fn of_term(term: &Term, variables: &[Variable], values: &[u64]) -> RoundingCondition {
    let mut walk = Walk { values, variables, in_middle: true };
    let error = walk.visit(term).map_or(f64::NAN, |value| value.error);
    RoundingCondition { error, in_middle: walk.in_middle }
}

/// Whether large values in a pattern cancel, so that the result is smaller than the rounding error.
pub fn cancels(instance: &Instance, values: &[u64]) -> bool {
    let mut walk = Walk { values, variables: &instance.variables, in_middle: true };
    walk.visit(&instance.pattern).is_none_or(|value| {
        let Some(ty) = value.ty.filter(|ty| ty.is_float()) else { return true };
        ty.to_double(value.bits).abs() <= value.error * tolerance(ty)
    })
}

struct Value {
    bits: u64,
    ty: Option<Number>,
    error: f64,
}

struct Walk<'v> {
    values: &'v [u64],
    variables: &'v [Variable],
    in_middle: bool,
}

/// To measure the effect of an operand's error, the evaluation changes the operand. This constant is the
/// largest size of the change, relative to the error.
const STEP: f64 = 1.0 / (1 << 20) as f64;

impl Walk<'_> {
    // A leaf has an error of one unit. The type of a leaf is known from the operation that uses it.
    fn leaf(&mut self, term: &Term, bits: u64, ty: Number) -> Value {
        let is_known = match term {
            Term::Variable(index) => self.variables.get(*index).is_some_and(|variable| variable.constant),
            _ => true,
        };
        let error = if ty.is_float() {
            self.in_middle &= is_known || is_middle(ty, ty.to_double(bits));
            ty.to_double(bits).abs()
        } else {
            0.0
        };
        Value { bits, ty: Some(ty), error }
    }

    fn operand(&mut self, term: &Term, ty: Number) -> Option<Value> {
        match term {
            Term::Apply { .. } => self.visit(term),
            other => Some(self.leaf(other, other.value(self.values)?, ty)),
        }
    }

    fn visit(&mut self, term: &Term) -> Option<Value> {
        let Term::Apply { op, from, to, args } = term else {
            return Some(Value { bits: term.value(self.values)?, ty: None, error: 0.0 });
        };
        if let (Op::Select, [condition, yes, no]) = (op, args.as_slice()) {
            let chosen = self.operand(condition, Number::Int(1))?.bits == 1;
            return self.operand(if chosen { yes } else { no }, *to);
        }
        let mut operands = Vec::with_capacity(3);
        for arg in args {
            operands.push(self.operand(arg, *from)?);
        }
        let bits: Vec<u64> = operands.iter().map(|operand| operand.bits).collect();
        let result = op.value(*from, *to, &bits)?;
        if !to.is_float() {
            return Some(Value { bits: result, ty: Some(*to), error: 0.0 });
        }
        let value = to.to_double(result);
        self.in_middle &= is_middle(*to, value);
        let numbers: Vec<f64> = bits.iter().map(|bits| from.to_double(*bits)).collect();
        let scales = matches!(op, Op::Float(FloatOp::Mul | FloatOp::Div))
            || matches!(op, Op::Function(Function::Exp | Function::Exp2 | Function::Powf));
        // A product, quotient or power is 0 only if an operand is 0 or the result underflows.
        self.in_middle &= value != 0.0 || !scales || numbers.contains(&0.0) && !matches!(op, Op::Function(_));
        let mut error = value.abs();
        for (place, operand) in operands.iter().enumerate() {
            error += match op {
                Op::Float(_) | Op::Function(_) => effect(*op, &numbers, place, operand.error),
                _ => operand.error,
            };
        }
        Some(Value { bits: result, ty: Some(*to), error })
    }
}

// The change of an operation's exact result that an error of one operand causes.
fn effect(op: Op, numbers: &[f64], place: usize, error: f64) -> f64 {
    let at = |step: f64| -> Option<f64> {
        let mut bits: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
        bits[place] = (numbers[place] + step).to_bits();
        Some(f64::from_bits(op.value(Number::F64, Number::F64, &bits)?))
    };
    let Some(middle) = at(0.0) else { return 0.0 };
    let change = |step: f64| at(step).map_or(0.0, |value| (value - middle).abs());
    // The effect on a periodic function is limited, so a large step would hide it.
    let rates = [STEP, -STEP, STEP * STEP, -STEP * STEP].map(|step| change(error * step) / step.abs());
    rates.into_iter().filter(|rate| rate.is_finite()).fold(0.0, f64::max)
}
