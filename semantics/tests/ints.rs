//! Compares the integer operations with 128-bit arithmetic. The operands are every bit pattern of up to 8 bits,
//! edge values, and a sample of wider bit patterns.
//!
//! `expected` defines each operation again, without the crate's functions. The `match` in `expected` has an arm for
//! every variant. If the `match` in `expected` has no arm for a new operation, this test does not compile.
use cube_semantics::{IntOp, IntPredicate, Meaning, Outcome, Promise, meaning, meanings, trip_count};

/// The expected result: a number modulo 2^width, poison, or undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Number(i128),
    Poison,
    Undefined,
}

use Expected::{Number, Poison, Undefined};

/// An operand, both as a signed and as an unsigned number.
#[derive(Clone, Copy)]
struct Both {
    u: i128,
    s: i128,
}

fn both(pattern: u64, w: u32) -> Both {
    let u = i128::from(pattern);
    let s = if u >= 1 << (w - 1) { u - (1 << w) } else { u };
    Both { u, s }
}

// The largest integer that is at most a / b.
fn floor(a: i128, b: i128) -> i128 {
    let q = a / b;
    if q * b != a && (a < 0) != (b < 0) { q - 1 } else { q }
}

fn divided(a: i128, b: i128, least: i128, of: fn(i128, i128) -> i128) -> Expected {
    if b == 0 || a == least && b == -1 { Undefined } else { Number(of(a, b)) }
}

fn total(b: i128, by_zero: i128, of: impl Fn() -> i128) -> Expected {
    Number(if b == 0 { by_zero } else { of() })
}

fn shifted(amount: i128, w: i128, of: impl Fn(i128) -> i128) -> Expected {
    if amount >= w { Poison } else { Number(of(1 << amount)) }
}

// Multiplies one factor after the other, which is feasible only for small exponents.
fn power(base: i128, exponent: i128, w: u32) -> i128 {
    if exponent < 0 {
        let size = (0..-exponent).try_fold(1i128, |all, _| all.checked_mul(base).filter(|all| all.abs() < 1 << 64));
        return size.filter(|size| *size != 0).map_or(0, |size| 1 / size);
    }
    (0..exponent).fold(1, |all: i128, _| all.wrapping_mul(base).rem_euclid(1 << w))
}

fn expected(op: IntOp, a: Both, b: Both, w: u32) -> Expected {
    let wide = i128::from(w);
    let (least, most, all) = (-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1, (1i128 << w) - 1);
    let pattern = a.u as u128;
    let amount = b.u % wide;
    match op {
        IntOp::Add => Number(a.u + b.u),
        IntOp::Sub => Number(a.u - b.u),
        IntOp::Mul => Number(a.s * b.s),
        IntOp::And => Number((0..w).map(|i| ((a.u >> i & 1) * (b.u >> i & 1)) << i).sum()),
        IntOp::Or => Number((0..w).map(|i| (a.u >> i & 1).max(b.u >> i & 1) << i).sum()),
        IntOp::Xor => Number((0..w).map(|i| i128::from(a.u >> i & 1 != b.u >> i & 1) << i).sum()),
        IntOp::DivU => divided(a.u, b.u, -1, |a, b| a / b),
        IntOp::DivS => divided(a.s, b.s, least, |a, b| a / b),
        IntOp::RemU => divided(a.u, b.u, -1, |a, b| a - a / b * b),
        IntOp::RemS => divided(a.s, b.s, least, |a, b| a - a / b * b),
        IntOp::CeilDivU => divided(a.u, b.u, -1, |a, b| -floor(-a, b)),
        IntOp::CeilDivS => divided(a.s, b.s, least, |a, b| -floor(-a, b)),
        IntOp::FloorDivS => divided(a.s, b.s, least, floor),
        IntOp::Shl => shifted(b.u, wide, |factor| a.u * factor),
        IntOp::ShrU => shifted(b.u, wide, |factor| a.u / factor),
        IntOp::ShrS => shifted(b.u, wide, |factor| floor(a.s, factor)),
        IntOp::TotalDivU => total(b.u, a.u, || a.u / b.u),
        IntOp::TotalDivS => total(b.u, a.u, || a.s / b.s),
        IntOp::TotalRemU => total(b.u, 0, || a.u - a.u / b.u * b.u),
        IntOp::TotalRemS => total(b.u, 0, || a.s - a.s / b.s * b.s),
        IntOp::TotalShl => Number(a.u * (1 << amount)),
        IntOp::TotalShrU => Number(a.u / (1 << amount)),
        IntOp::TotalShrS => Number(floor(a.s, 1 << amount)),
        IntOp::AddSatU => Number((a.u + b.u).min(all)),
        IntOp::AddSatS => Number((a.s + b.s).clamp(least, most)),
        IntOp::SubSatU => Number((a.u - b.u).max(0)),
        IntOp::SubSatS => Number((a.s - b.s).clamp(least, most)),
        IntOp::MinU => Number(a.u.min(b.u)),
        IntOp::MinS => Number(a.s.min(b.s)),
        IntOp::MaxU => Number(a.u.max(b.u)),
        IntOp::MaxS => Number(a.s.max(b.s)),
        IntOp::Carry => Number(i128::from(a.u + b.u > all)),
        // The product of two patterns of 64 bits exceeds i128, but fits u128.
        IntOp::MulHighU => Number(((a.u as u128 * b.u as u128) >> w) as i128),
        IntOp::MulHighS => Number(floor(a.s * b.s, 1 << w)),
        IntOp::Power => Number(power(a.s, b.s, w)),
        IntOp::Abs => Number(a.s.abs()),
        IntOp::LeadingZeros => Number((0..w).rev().take_while(|i| pattern >> i & 1 == 0).count() as i128),
        IntOp::TrailingZeros => Number((0..w).take_while(|i| pattern >> i & 1 == 0).count() as i128),
        IntOp::CountOnes => Number((0..w).filter(|i| pattern >> i & 1 == 1).count() as i128),
        IntOp::Dot => {
            Number((0..w / 8).map(|i| i128::from((a.u >> (8 * i)) as i8) * i128::from((b.u >> (8 * i)) as i8)).sum())
        }
        IntOp::ReverseBits => Number((0..w).map(|i| (a.u >> i & 1) << (w - 1 - i)).sum()),
    }
}

fn check(op: IntOp, a: u64, b: u64, w: u32) {
    let operands = [a, b];
    let actual = op.evaluate(w, &operands[..op.operands()]);
    if !op.widths().contains(&w) {
        assert!(matches!(actual, Outcome::Unsupported(_)), "{op:?} in {w} bits: {actual:?}");
        return;
    }
    let right = match (expected(op, both(a, w), both(b, w), w), actual) {
        (Number(n), Outcome::Value(value)) => n.rem_euclid(1 << w) == i128::from(value),
        (Poison, Outcome::Poison(_)) | (Undefined, Outcome::Undefined(_)) => true,
        _ => false,
    };
    let expected = expected(op, both(a, w), both(b, w), w);
    assert!(right, "{op:?} of {a:#x} and {b:#x} in {w} bits: {actual:?} instead of {expected:?}");
}

fn is_small(op: IntOp, b: u64, w: u32) -> bool {
    op != IntOp::Power || both(b, w).s.abs() <= 300
}

#[test]
fn eight_bit_operations_match_128_bit_arithmetic() {
    for op in IntOp::ALL {
        for a in 0..=0xff {
            (0..=0xff).for_each(|b| check(*op, a, b, 8));
        }
    }
}

#[test]
fn few_bit_operations_match_128_bit_arithmetic() {
    for w in 1..=5 {
        for op in IntOp::ALL {
            for a in 0..1 << w {
                (0..1 << w).for_each(|b| check(*op, a, b, w));
            }
        }
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

// Ends of the type, powers of two and their neighbours, and random numbers of all sizes.
fn operands(w: u32) -> Vec<u64> {
    let mut state = 18 + u64::from(w);
    let mut all: Vec<u64> = (0..w).step_by(5).chain([w - 1]).flat_map(|i| [1u64 << i, (1u64 << i) - 1]).collect();
    all.extend([w, w + 1, 3, 7, 10].map(u64::from));
    all.extend((0..24).map(|i| random(&mut state) >> (i * w / 24)));
    let negative: Vec<u64> = all.iter().map(|n| n.wrapping_neg()).collect();
    all.extend(negative);
    all.iter_mut().for_each(|n| *n &= u64::MAX >> (64 - w));
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn wide_operations_match_128_bit_arithmetic() {
    for w in [7, 12, 16, 31, 32, 48, 63, 64] {
        let all = operands(w);
        for op in IntOp::ALL {
            for a in &all {
                all.iter().filter(|b| is_small(*op, **b, w)).for_each(|b| check(*op, *a, *b, w));
            }
        }
    }
}

#[test]
fn undefined_poison_and_unsupported_are_distinguished() {
    assert!(matches!(IntOp::DivS.evaluate(32, &[7, 0]), Outcome::Undefined("division by zero")));
    assert!(matches!(IntOp::DivS.evaluate(8, &[0x80, 0xff]), Outcome::Undefined(why) if why.contains("-1")));
    assert!(matches!(IntOp::Shl.evaluate(32, &[1, 32]), Outcome::Poison(_)));
    assert!(matches!(IntOp::Add.evaluate(65, &[1, 2]), Outcome::Unsupported(_)));
    assert!(matches!(IntOp::Add.evaluate(0, &[1, 2]), Outcome::Unsupported(_)));
    assert!(matches!(IntOp::Add.evaluate(8, &[1]), Outcome::Unsupported(_)));
    assert_eq!(IntOp::TotalDivS.evaluate(32, &[7, 0]), Outcome::Value(7));
    assert_eq!(IntOp::DivS.evaluate(32, &[7, 0]).value(), None);
}

#[test]
fn signed_constants_are_those_of_the_patterns() {
    assert_eq!(IntOp::TotalDivS.of_signed(8, &[-128, -1]), Some(-128));
    assert_eq!(IntOp::Add.of_signed(8, &[127, 1]), Some(-128));
    assert_eq!(IntOp::TotalShrU.of_signed(32, &[-1, 28]), Some(15));
    assert_eq!(IntOp::Carry.of_signed(32, &[-1, 1]), Some(-1));
    assert_eq!(IntOp::DivU.of_signed(32, &[1, 0]), None);
    assert_eq!(IntOp::Add.of_signed(128, &[1, 0]), None);
    assert_eq!(IntOp::Add.of_signed(8, &[1, 2, 3]), None);
}

fn compared(predicate: IntPredicate, a: Both, b: Both) -> bool {
    match predicate {
        IntPredicate::Eq => a.u == b.u,
        IntPredicate::Ne => a.u != b.u,
        IntPredicate::Slt => a.s < b.s,
        IntPredicate::Sle => a.s <= b.s,
        IntPredicate::Sgt => a.s > b.s,
        IntPredicate::Sge => a.s >= b.s,
        IntPredicate::Ult => a.u < b.u,
        IntPredicate::Ule => a.u <= b.u,
        IntPredicate::Ugt => a.u > b.u,
        IntPredicate::Uge => a.u >= b.u,
    }
}

#[test]
fn comparisons_are_those_of_the_numbers() {
    for (number, predicate) in IntPredicate::ALL.into_iter().enumerate() {
        assert_eq!(IntPredicate::of_number(number as i64), Some(predicate));
        for (w, a, b) in
            (0..=0xff).flat_map(|a| (0..=0xff).map(move |b| (8, a, b))).chain([(1, 0, 1), (64, 1, u64::MAX)])
        {
            let (x, y) = (both(a, w), both(b, w));
            let holds = compared(predicate, x, y);
            assert_eq!(predicate.function()(a, b, w), u64::from(holds), "{predicate:?} {a} {b}");
            assert_eq!(predicate.holds(x.s as i64, y.s as i64, w), holds);
            assert_eq!(predicate.negated().holds(x.s as i64, y.s as i64, w), !holds);
            assert_eq!(predicate.swapped().holds(y.s as i64, x.s as i64, w), holds);
        }
    }
    assert_eq!((IntPredicate::of_number(10), IntPredicate::of_number(-1)), (None, None));
}

// Whether the exact result fits the type, or no bits are lost.
fn keeps(op: IntOp, promise: Promise, a: Both, b: Both, w: u32) -> Option<bool> {
    let signed = |n: i128| n >= -(1 << (w - 1)) && n < 1 << (w - 1);
    let unsigned = |n: i128| n >= 0 && n < 1 << w;
    Some(match (op, promise) {
        (IntOp::Add, Promise::NoSignedWrap) => signed(a.s + b.s),
        (IntOp::Sub, Promise::NoSignedWrap) => signed(a.s - b.s),
        (IntOp::Mul, Promise::NoSignedWrap) => signed(a.s * b.s),
        (IntOp::Shl, Promise::NoSignedWrap) => signed(a.s << b.u),
        (IntOp::Add, Promise::NoUnsignedWrap) => unsigned(a.u + b.u),
        (IntOp::Sub, Promise::NoUnsignedWrap) => unsigned(a.u - b.u),
        (IntOp::Mul, Promise::NoUnsignedWrap) => unsigned(a.u * b.u),
        (IntOp::Shl, Promise::NoUnsignedWrap) => unsigned(a.u << b.u),
        (IntOp::DivU, Promise::Exact) => b.u == 0 || a.u % b.u == 0,
        (IntOp::DivS, Promise::Exact) => b.s == 0 || a.s % b.s == 0,
        (IntOp::ShrU | IntOp::ShrS, Promise::Exact) => a.u % (1 << b.u) == 0,
        _ => return None,
    })
}

#[test]
fn overflow_flags_are_violated_if_the_result_is_inexact() {
    for op in IntOp::ALL {
        for promise in Promise::ALL {
            let flaw = op.violation_of(promise);
            for (a, b) in (0..=0xff).flat_map(|a| (0..8).chain([9, 100, 0x80, 0xff]).map(move |b| (a, b))) {
                if matches!(op, IntOp::Shl | IntOp::ShrU | IntOp::ShrS) && b >= 8 {
                    continue;
                }
                let kept = keeps(*op, promise, both(a, 8), both(b, 8), 8);
                let actual = flaw.map(|flaw| !(flaw.test)(a, b, 8 | 8 << 8));
                assert_eq!(actual, kept, "{op:?} {promise:?} {a} {b}");
                assert!(flaw.is_none_or(|flaw| !flaw.immediate));
            }
        }
    }
}

#[test]
fn trip_count_matches_the_number_of_iterations() {
    for unsigned in [false, true] {
        for (from, to) in (0..32u64).flat_map(|from| (0..32u64).map(move |to| (from, to))) {
            for step in 0..32u64 {
                let read = |n: u64| if unsigned { both(n, 5).u } else { both(n, 5).s };
                let iterations = (0..).map(|n| read(from) + n * i128::from(step.max(1))).take_while(|n| *n < read(to));
                let actual = trip_count(from, to, step, 5, unsigned);
                assert_eq!(actual, iterations.count() as u64, "{from} to {to} step {step}, unsigned: {unsigned}");
            }
        }
    }
}

#[test]
fn each_operation_of_mlir_has_one_meaning() {
    let mut names: Vec<&str> = meanings().map(|(name, _)| name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two rows have the same name");
    assert!(meanings().all(|(name, means)| meaning(name) == Some(means)));
    assert_eq!(meaning("arith.addi"), Some(Meaning::Int(IntOp::Add)));
    assert_eq!(meaning("arith.nothing"), None);
}
