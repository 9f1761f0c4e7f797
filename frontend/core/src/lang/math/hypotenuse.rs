//! The length of a hypotenuse.
use super::{choose, unary};
use crate::ir::{Lit, Raw};
use crate::lang::ops;

/// The legs of the triangle, the longer leg first. A NaN is in at least one of the results.
fn sorted(a: Raw, b: Raw) -> (Raw, Raw) {
    let (a, b) = ops::same_line_size(unary("math.absf", a), unary("math.absf", b));
    let first = ops::compare("gt", a, b, position());
    (choose(first, a, b), choose(first, b, a))
}

fn position() -> u32 {
    crate::ir::position()
}

fn constant(like: Raw, value: f64) -> Raw {
    let (_, ty) = crate::ir::current(like);
    Raw::Const(Lit::Float(value), ty)
}

/// The factor of the longer leg: `sqrt(1 + (shorter / longer)^2)`.
fn factor(long: Raw, short: Raw) -> Raw {
    let at = position();
    let one = constant(long, 1.0);
    let is_zero = ops::compare("eq", long, constant(long, 0.0), at);
    let ratio = ops::binary("div", short, choose(is_zero, one, long), at);
    unary("math.sqrt", ops::binary("add", ops::binary("mul", ratio, ratio, at), one, at))
}

/// `sqrt(a^2 + b^2)`, without overflow of the squares. The result is infinite if an operand is infinite.
pub fn hypot(a: Raw, b: Raw) -> Raw {
    let at = position();
    let (long, short) = sorted(a, b);
    let infinite = |x| ops::compare("eq", x, constant(x, f64::INFINITY), at);
    let infinity = ops::binary("bitor", infinite(long), infinite(short), at);
    let length = ops::binary("mul", long, factor(long, short), at);
    choose(infinity, constant(long, f64::INFINITY), length)
}

/// The reciprocal of [`hypot`].
pub fn rhypot(a: Raw, b: Raw) -> Raw {
    let length = hypot(a, b);
    ops::binary("div", constant(length, 1.0), length, position())
}
