//! Compares the float operations with LLVM's soft floats (rustc_apfloat), for special values and for random values
//! near each other.
//!
//! `expected` has an arm for every variant. If the `match` in `expected` has no arm for a new operation, this
//! test does not compile.
use cube_semantics::{FloatFunctions, FloatOp, FloatPredicate, Number, Outcome};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};
use std::cmp::Ordering;

/// The result of an operation: a number or a truth value.
enum Expected<A> {
    Number(A),
    Holds(bool),
}

use Expected::{Holds, Number as N};

fn nearest<A: Float>(a: A, round: Round) -> Expected<A> {
    N(a.round_to_integral(round).value)
}

// The square root by integer arithmetic. It has enough digits to decide the rounding, and a last bit that represents
// all lower digits.
fn root<A: Float + Copy>(a: A) -> A {
    if a.is_nan() || a.is_negative() && !a.is_zero() {
        return A::NAN;
    }
    if a.is_zero() || a.is_infinite() {
        return a;
    }
    // `a` is `square * 2^(power - 63)`: the bits of a number of [1, 2), one after the other.
    let (power, mut exact) = (a.ilogb(), false);
    let mut places = a.scalbn(-power);
    let mut square = 0u128;
    for _ in 0..64 {
        let bit = places.to_u128_r(8, Round::TowardZero, &mut exact).value;
        square = square << 1 | bit;
        places = (places - A::from_u128(bit).value).value.scalbn(1);
    }
    // With an even power: `a` is `square / 2^even`.
    let (square, even) = if power % 2 != 0 { (square << 62, 125 - power) } else { (square << 63, 126 - power) };
    let (mut low, mut high) = (0u128, 1u128 << 64);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if middle * middle <= square { low = middle } else { high = middle }
    }
    let cut = 61 - A::PRECISION as u32;
    let below = low * low != square || low & ((1 << cut) - 1) != 0;
    A::from_u128(low >> cut << 1 | u128::from(below)).value.scalbn(cut as i32 - 1 - even / 2)
}

fn expected<A: Float + Copy>(op: FloatOp, a: A, b: A, c: A) -> Expected<A> {
    match op {
        FloatOp::Add => N((a + b).value),
        FloatOp::Sub => N((a - b).value),
        FloatOp::Mul => N((a * b).value),
        FloatOp::Div => N((a / b).value),
        FloatOp::Rem => N(a.c_fmod(b).value),
        FloatOp::Maximum => N(a.maximum(b)),
        FloatOp::Minimum => N(a.minimum(b)),
        // Zeros are ordered here too. minNum of IEEE 754-2008 leaves their order open.
        FloatOp::MaxNum => N(if a.is_nan() || b.is_nan() { a.max(b) } else { a.maximum(b) }),
        FloatOp::MinNum => N(if a.is_nan() || b.is_nan() { a.min(b) } else { a.minimum(b) }),
        FloatOp::CopySign => N(a.copy_sign(b)),
        FloatOp::Neg => N(-a),
        FloatOp::Abs => N(a.abs()),
        FloatOp::Sqrt => N(root(a)),
        FloatOp::Floor => nearest(a, Round::TowardNegative),
        FloatOp::Ceil => nearest(a, Round::TowardPositive),
        FloatOp::Trunc => nearest(a, Round::TowardZero),
        FloatOp::Round => nearest(a, Round::NearestTiesToAway),
        FloatOp::RoundEven => nearest(a, Round::NearestTiesToEven),
        FloatOp::IsFinite => Holds(a.is_finite()),
        FloatOp::IsInf => Holds(a.is_infinite()),
        FloatOp::IsNan => Holds(a.is_nan()),
        FloatOp::IsNormal => Holds(a.is_normal()),
        FloatOp::Fma => N(a.mul_add(b, c).value),
        FloatOp::Clamp => N(a.maximum(b).minimum(c)),
    }
}

fn compared<A: Float>(predicate: FloatPredicate, a: A, b: A) -> bool {
    use FloatPredicate as P;
    let order = a.partial_cmp(&b);
    match predicate {
        P::False => false,
        P::Oeq => order == Some(Ordering::Equal),
        P::Ogt => order == Some(Ordering::Greater),
        P::Oge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        P::Olt => order == Some(Ordering::Less),
        P::Ole => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        P::One => matches!(order, Some(Ordering::Less | Ordering::Greater)),
        P::Ord => order.is_some(),
        P::Ueq => matches!(order, None | Some(Ordering::Equal)),
        P::Ugt => matches!(order, None | Some(Ordering::Greater)),
        P::Uge => !matches!(order, Some(Ordering::Less)),
        P::Ult => matches!(order, None | Some(Ordering::Less)),
        P::Ule => !matches!(order, Some(Ordering::Greater)),
        P::Une => order != Some(Ordering::Equal),
        P::Uno => order.is_none(),
        P::True => true,
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Zeros, subnormal numbers, one and its neighbours, halves, limits, infinities and NaN, of both signs.
fn specials(bits: u32, fraction: u32) -> Vec<u64> {
    let sign = 1u64 << (bits - 1);
    let infinity = sign - (1 << fraction);
    let one = (infinity >> 1) & !((1 << fraction) - 1);
    let (step, half) = (1u64 << fraction, 1u64 << (fraction - 1));
    let positive = [
        0,
        1,
        2,
        step - 1,
        step,
        step + 1,
        one - step,
        one - 1,
        one,
        one + 1,
        one + half,
        one + step,
        one + step + half / 2,
        one + 2 * step + half / 4 * 3,
        one + u64::from(fraction) * step,
        one + u64::from(fraction) * step + 1,
        infinity - step,
        infinity - 1,
        infinity,
        infinity | half,
        infinity | 1,
    ];
    positive.into_iter().chain(positive.map(|v| v | sign)).collect()
}

// Tuples of special values, of random ones, and of random ones of nearly the same size.
fn tuples(bits: u32, fraction: u32) -> Vec<[u64; 3]> {
    let all = specials(bits, fraction);
    let mut state = u64::from(bits + fraction);
    let mut tuples = Vec::new();
    for a in &all {
        for b in &all {
            tuples.push([*a, *b, all[random(&mut state) as usize % all.len()]]);
        }
    }
    let small = u64::MAX >> (64 - fraction);
    for step in 0..4000 {
        let mut next = || random(&mut state) >> (64 - bits);
        let (a, b, c) = (next(), next(), next());
        match step % 4 {
            0 => tuples.push([a, b, c]),
            1 => tuples.push([a, a ^ b & small >> 1, c]),
            // Magnitudes for which the fraction ends near the binary point.
            2 => {
                let one = (1u64 << (bits - 2)) - (1 << fraction);
                let near = |v: u64| {
                    (one + (v & small) + (v >> fraction) % u64::from(fraction + 2) * (1 << fraction))
                        | v & 1 << (bits - 1)
                };
                tuples.push([near(a), near(b), near(c)]);
            }
            _ => tuples.push([a, all[b as usize % all.len()], c ^ a & small]),
        }
    }
    tuples
}

fn check<A: Float + Copy + PartialOrd>(ty: Number, fraction: u32) {
    let tuples = tuples(ty.bits(), fraction);
    for op in FloatOp::ALL {
        let count = match op.functions() {
            FloatFunctions::One(_) => 1,
            FloatFunctions::Two(_) => 2,
            FloatFunctions::Three(_) => 3,
        };
        for tuple in &tuples {
            let [a, b, c] = tuple.map(|v| A::from_bits(v.into()));
            let Outcome::Value(actual) = op.evaluate(ty, &tuple[..count]) else {
                panic!("{op:?} of {ty:?} has no value")
            };
            let expected = match expected(*op, a, b, c) {
                N(number) if number.is_nan() => {
                    // The bits of a NaN are not specified, except for the operations on signs.
                    let signs = matches!(op, FloatOp::Neg | FloatOp::Abs | FloatOp::CopySign);
                    if !signs && A::from_bits(actual.into()).is_nan() { actual } else { number.to_bits() as u64 }
                }
                N(number) => number.to_bits() as u64,
                Holds(holds) => holds.into(),
            };
            assert_eq!(
                actual,
                expected,
                "{op:?} of {:x?} in {ty:?}: {actual:#x} instead of {expected:#x}",
                &tuple[..count]
            );
        }
    }
    for (number, predicate) in FloatPredicate::ALL.into_iter().enumerate() {
        assert_eq!(FloatPredicate::of_number(number as i64), Some(predicate));
        for [x, y, _] in &tuples {
            let (a, b) = (A::from_bits((*x).into()), A::from_bits((*y).into()));
            let expected = Outcome::Value(compared(predicate, a, b).into());
            assert_eq!(predicate.evaluate(ty, *x, *y), expected, "{predicate:?} of {x:#x} and {y:#x} in {ty:?}");
        }
    }
}

#[test]
fn every_operation_of_halves() {
    check::<Half>(Number::F16, 10);
}

#[test]
fn every_operation_of_brain_floats() {
    check::<BFloat>(Number::BF16, 7);
}

#[test]
fn every_operation_of_singles() {
    check::<Single>(Number::F32, 23);
}

#[test]
fn every_operation_of_doubles() {
    check::<Double>(Number::F64, 52);
}

#[test]
fn the_order_of_zeros_and_nan_is_the_documented_one() {
    let (zero, minus, nan, one) = (0u64, 1u64 << 31, 0x7fc0_0000u64, 0x3f80_0000u64);
    let of = |op: FloatOp, a, b| op.evaluate(Number::F32, &[a, b]).value().expect("floats");
    for (a, b) in [(zero, minus), (minus, zero)] {
        assert_eq!((of(FloatOp::Maximum, a, b), of(FloatOp::MaxNum, a, b)), (zero, zero));
        assert_eq!((of(FloatOp::Minimum, a, b), of(FloatOp::MinNum, a, b)), (minus, minus));
    }
    for (a, b) in [(nan, one), (one, nan)] {
        assert_eq!((of(FloatOp::Maximum, a, b), of(FloatOp::Minimum, a, b)), (nan, nan));
        assert_eq!((of(FloatOp::MaxNum, a, b), of(FloatOp::MinNum, a, b)), (one, one));
    }
}

#[test]
fn formats_that_are_only_stored_are_not_computed_in() {
    for ty in [Number::F8E4M3, Number::F8E5M2, Number::TF32, Number::Int(32)] {
        assert!(matches!(FloatOp::Add.evaluate(ty, &[0, 0]), Outcome::Unsupported(_)));
        assert!(matches!(FloatPredicate::Oeq.evaluate(ty, 0, 0), Outcome::Unsupported(_)));
    }
    assert!(matches!(FloatOp::Add.evaluate(Number::F32, &[0]), Outcome::Unsupported(_)));
}
