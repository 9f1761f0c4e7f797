//! Floats as elements of the field of integers modulo 2^61 - 1.
//!
//! A finite float is an integer times a power of two, and both map into the field. Constants and inputs are therefore
//! exact: 0.5 + 0.5 is one. Sums, products, differences and quotients obey every law of a field, in any order of
//! evaluation. Negation, absolute value, comparison, minimum, maximum and rounding use the signed number nearest to
//! zero that an element represents. An arbitrary but fixed function replaces every other operation, so equal
//! operands give equal results.
use crate::program::{Fn1, Fn2, Fn3};
use cube_ir::OpKind;
use cube_ir::ops::{arith, math, vector};
use cube_semantics::convert::{Parts, parts};
use cube_semantics::ints::{mask, signed};
use cube_semantics::{FloatPredicate, Number};

/// The prime.
pub const P: u64 = (1 << 61) - 1;

fn reduce(x: u128) -> u64 {
    let folded = (x & u128::from(P)) as u64 + (x >> 61 & u128::from(P)) as u64 + (x >> 122) as u64;
    let folded = (folded & P) + (folded >> 61);
    if folded >= P { folded - P } else { folded }
}

fn add(a: u64, b: u64, _: u32) -> u64 {
    let sum = a + b;
    if sum >= P { sum - P } else { sum }
}

fn neg(a: u64, _: u32) -> u64 {
    if a == 0 { 0 } else { P - a }
}

fn sub(a: u64, b: u64, _: u32) -> u64 {
    add(a, neg(b, 0), 0)
}

fn mul(a: u64, b: u64, _: u32) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

fn fma(a: u64, b: u64, c: u64, _: u32) -> u64 {
    add(mul(a, b, 0), c, 0)
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, base, 0);
        }
        (base, exponent) = (mul(base, base, 0), exponent >> 1);
    }
    result
}

fn div(a: u64, b: u64, _: u32) -> u64 {
    // The inverse follows from Fermat's little theorem. A quotient by zero is an arbitrary fixed number.
    if b == 0 { hash2(a, b, name("division by zero")) } else { mul(a, power(b, P - 2), 0) }
}

/// A hash of an operation's name, which identifies the operation.
pub fn name(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

fn mix(x: u64) -> u64 {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

fn hash1(a: u64, what: u32) -> u64 {
    mix(a ^ mix(u64::from(what))) % P
}

fn hash2(a: u64, b: u64, what: u32) -> u64 {
    mix(b ^ mix(a ^ mix(u64::from(what)))) % P
}

fn hash3(a: u64, b: u64, c: u64, what: u32) -> u64 {
    mix(c ^ hash2(a, b, what)) % P
}

/// The signed number nearest to zero that an element represents.
fn nearest(a: u64) -> i64 {
    if a > P / 2 { a as i64 - P as i64 } else { a as i64 }
}

fn of_i128(v: i128) -> u64 {
    v.rem_euclid(i128::from(P)) as u64
}

fn abs(a: u64, _: u32) -> u64 {
    nearest(a).unsigned_abs()
}

fn copysign(a: u64, b: u64, _: u32) -> u64 {
    let magnitude = abs(a, 0);
    if nearest(b) < 0 { neg(magnitude, 0) } else { magnitude }
}

fn larger(a: u64, b: u64, _: u32) -> u64 {
    if nearest(a) >= nearest(b) { a } else { b }
}

fn smaller(a: u64, b: u64, _: u32) -> u64 {
    if nearest(a) <= nearest(b) { a } else { b }
}

fn clamp(x: u64, low: u64, high: u64, _: u32) -> u64 {
    smaller(larger(x, low, 0), high, 0)
}

// Sufficiently small whole numbers are unchanged.
fn whole(a: u64, what: u32) -> u64 {
    if nearest(a).unsigned_abs() < 1 << 53 { a } else { hash1(a, what) }
}

/// The function on field elements that replaces an operation with one operand. The last operand of the
/// function is the [`name`] of the operation.
pub fn unary(op: OpKind) -> Fn1 {
    match op {
        arith::NEGF => neg,
        math::ABSF => abs,
        math::FLOOR | math::CEIL | math::TRUNC | math::ROUND | math::ROUNDEVEN => whole,
        math::ISFINITE => |_, _| 1,
        math::ISINF | math::ISNAN => |_, _| 0,
        math::ISNORMAL => |a, _| u64::from(a != 0),
        _ => hash1,
    }
}

/// See [`unary`].
pub fn binary(op: OpKind) -> Fn2 {
    match op {
        arith::ADDF => add,
        arith::SUBF => sub,
        arith::MULF => mul,
        arith::DIVF => div,
        arith::MAXIMUMF | arith::MAXNUMF => larger,
        arith::MINIMUMF | arith::MINNUMF => smaller,
        math::COPYSIGN => copysign,
        _ => hash2,
    }
}

/// See [`unary`].
pub fn ternary(op: OpKind) -> Fn3 {
    match op {
        math::FMA | vector::FMA => fma,
        math::CLAMPF => clamp,
        _ => hash3,
    }
}

/// A comparison of floats. The function compares the signed numbers nearest to zero that the elements represent. NaN
/// does not occur, so ordered and unordered predicates are equal.
pub fn compare(predicate: FloatPredicate) -> Fn2 {
    use FloatPredicate as P;
    match predicate {
        P::Oeq | P::Ueq => |a, b, _| u64::from(a == b),
        P::Ogt | P::Ugt => |a, b, _| u64::from(nearest(a) > nearest(b)),
        P::Oge | P::Uge => |a, b, _| u64::from(nearest(a) >= nearest(b)),
        P::Olt | P::Ult => |a, b, _| u64::from(nearest(a) < nearest(b)),
        P::Ole | P::Ule => |a, b, _| u64::from(nearest(a) <= nearest(b)),
        P::One | P::Une => |a, b, _| u64::from(a != b),
        P::Ord | P::True => |_, _, _| 1,
        P::False | P::Uno => |_, _, _| 0,
    }
}

/// The field element of a float's bits.
pub fn of_bits(bits: u64, number: Number) -> u64 {
    match parts(bits, number) {
        None | Some(Parts::Nan) => hash1(0, name("NaN")),
        Some(Parts::Infinite { negative }) => {
            let infinity = hash1(0, name("infinity"));
            if negative { neg(infinity, 0) } else { infinity }
        }
        Some(Parts::Finite { negative, magnitude, power }) => {
            // In the field, 2^61 is 1.
            let value = mul(magnitude % P, 1 << power.rem_euclid(61), 0);
            if negative { neg(value, 0) } else { value }
        }
    }
}

/// Converts a signed integer, given with its width, to a float. The last operand is the width.
pub fn of_signed(a: u64, bits: u32) -> u64 {
    of_i128(signed(a, bits).into())
}

/// Converts an unsigned integer, given with its width, to a float. The last operand is the width.
pub fn of_unsigned(a: u64, _: u32) -> u64 {
    a % P
}

/// Converts a float to a signed integer, clamped to its range. The last operand is the width.
pub fn to_signed(a: u64, bits: u32) -> u64 {
    if bits == 1 {
        return u64::from(a != 0);
    }
    let limit = 1i128 << (bits - 1);
    i128::from(nearest(a)).clamp(-limit, limit - 1) as u64 & mask(bits)
}

/// Converts a float to an unsigned integer, clamped to its range. The last operand is the width.
pub fn to_unsigned(a: u64, bits: u32) -> u64 {
    if bits == 1 {
        return u64::from(a != 0);
    }
    i128::from(nearest(a)).clamp(0, i128::from(mask(bits))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_laws_of_a_field_hold_and_floats_are_mapped_exactly() {
        let f = |x: f32| of_bits(x.to_bits().into(), Number::F32);
        assert_eq!(add(f(0.5), f(0.5), 0), 1);
        assert_eq!(add(f(0.75), f(-3.5), 0), f(-2.75));
        assert_eq!(mul(f(1.5e-20), f(2e10), 0), mul(f(2e10), f(1.5e-20), 0));
        assert_eq!(div(f(7.0), f(2.0), 0), f(3.5));
        let (a, b, c) = (f(0.1), f(-1e30), f(3.4e-38));
        assert_eq!(add(add(a, b, 0), c, 0), add(a, add(b, c, 0), 0));
        assert_eq!(mul(a, add(b, c, 0), 0), add(mul(a, b, 0), mul(a, c, 0), 0));
        assert_eq!(mul(div(a, b, 0), b, 0), a);
        assert_eq!(of_bits(2f64.powi(61).to_bits(), Number::F64), 1);
        assert_eq!(of_bits(0x3800, Number::F16), f(0.5));
        assert_eq!(nearest(f(-5.0)), -5);
        assert_ne!(hash1(a, name("math.exp")), hash1(a, name("math.exp2")));
    }
}
