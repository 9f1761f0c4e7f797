//! The values that an e-graph class can have: an interval, a common divisor of all values, and known bits. The
//! e-graph computes a domain for each class, and guards are evaluated on domains.
use crate::{Interval, KnownBits, Op};
use cube_semantics::{Conversion, IntOp, IntPredicate, Number, ints::mask};

/// A set of unsigned values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The smallest and the largest value of the set.
    pub range: Interval,
    /// A common divisor of all values; 0 if the only value is 0.
    pub multiple: u64,
    /// The bits that are known to be equal in all values.
    pub bits: KnownBits,
}

impl From<Interval> for Domain {
    fn from(range: Interval) -> Domain {
        Domain { range, multiple: range.constant().unwrap_or(1), bits: KnownBits::of_range(range.low, range.high) }
    }
}

impl Domain {
    /// The domain that contains only one value.
    pub fn of(value: u64) -> Domain {
        Interval::of(value).into()
    }

    /// All bit patterns of a type.
    pub fn of_type(ty: Number) -> Domain {
        Interval::of_type(ty).into()
    }

    /// The multiples of `multiple` in an interval; `None` if the interval contains no multiple.
    pub fn new(range: Interval, multiple: u64) -> Option<Domain> {
        Domain::with_bits(range, multiple, KnownBits::NONE)
    }

    /// The multiples of `multiple` in an interval that agree with the known bits. `None` if the set is proved to be
    /// empty.
    pub fn with_bits(range: Interval, multiple: u64, bits: KnownBits) -> Option<Domain> {
        let bits = bits.meet(KnownBits::of_range(range.low, range.high))?;
        let (low, high) = (range.low.max(bits.ones), range.high.min(!bits.zeros));
        let power = 1u64.checked_shl(bits.zeros.trailing_ones()).unwrap_or(0);
        let multiple = common(multiple, power);
        if multiple == 0 {
            return (low == 0 && bits.ones == 0).then_some(Domain::of(0));
        }
        let low = low.div_ceil(multiple).checked_mul(multiple)?;
        let high = high / multiple * multiple;
        if low > high {
            return None;
        }
        let least = KnownBits { zeros: (multiple & multiple.wrapping_neg()) - 1, ones: 0 };
        let bits = bits.meet(KnownBits::of_range(low, high))?.meet(least)?;
        Some(if low == high { Domain::of(low) } else { Domain { range: Interval { low, high }, multiple, bits } })
    }

    /// The only value of the domain; `None` if the domain has several values.
    pub fn constant(self) -> Option<u64> {
        self.range.constant()
    }

    /// The intersection of both domains; `None` if it is empty.
    pub fn meet(self, other: Domain) -> Option<Domain> {
        let bits = self.bits.meet(other.bits)?;
        Domain::with_bits(self.range.meet(other.range)?, common(self.multiple, other.multiple), bits)
    }

    /// A domain that contains all results of an operation whose operands are in the given domains.
    pub fn of_op(op: Op, from: Number, to: Number, args: &[Domain]) -> Domain {
        let ranges: Vec<Interval> = args.iter().map(|arg| arg.range).collect();
        let range = Interval::of_op(op, from, to, &ranges);
        if to.is_float() || from.is_float() || range.constant().is_some() {
            return range.into();
        }
        if let (Op::CompareInts(IntPredicate::Eq | IntPredicate::Ne), [x, y]) = (op, args)
            && x.bits.excludes(y.bits)
        {
            return Domain::of((op == Op::CompareInts(IntPredicate::Ne)).into());
        }
        let multiple = match (op, args) {
            (Op::Int(op), [x, y]) => of_int(op, from.bits(), *x, *y),
            (Op::Convert(Conversion::ZeroExtend) | Op::Splat, [x]) => x.multiple,
            (Op::Convert(Conversion::Truncate), [x]) if x.range.high <= mask(to.bits()) => x.multiple,
            (Op::Convert(Conversion::Truncate | Conversion::SignExtend), [x]) => power(x.multiple, to.bits()),
            (Op::Select, [_, x, y]) => gcd(x.multiple, y.multiple),
            _ => 1,
        };
        // The set is empty only for a wrapping operation in unreachable code.
        Domain::with_bits(range, multiple, bits_of_op(op, from, to, args)).unwrap_or(range.into())
    }
}

fn bits_of_op(op: Op, from: Number, to: Number, args: &[Domain]) -> KnownBits {
    let bits = match (op, args) {
        (Op::Int(op), [x, y]) => {
            let amount = y.constant().map(|amount| (amount % u64::from(from.bits())) as u32);
            match (op, amount) {
                (IntOp::And, _) => x.bits.and(y.bits),
                (IntOp::Or, _) => x.bits.or(y.bits),
                (IntOp::Xor, _) => x.bits.xor(y.bits),
                (IntOp::Add, _) => x.bits.plus(y.bits),
                (IntOp::Sub, _) => x.bits.minus(y.bits),
                (IntOp::TotalShl, Some(amount)) => x.bits.shifted_left(amount),
                (IntOp::TotalShrU, Some(amount)) => x.bits.shifted_right(amount, from.bits(), false),
                (IntOp::TotalShrS, Some(amount)) => x.bits.shifted_right(amount, from.bits(), true),
                (IntOp::MinU | IntOp::MaxU | IntOp::MinS | IntOp::MaxS, _) => x.bits.join(y.bits),
                _ => KnownBits::NONE,
            }
        }
        (Op::Convert(Conversion::ZeroExtend | Conversion::Truncate) | Op::Splat, [x]) => x.bits,
        (Op::Convert(Conversion::SignExtend), [x]) => x.bits.sign_extended(from.bits()),
        (Op::Select, [_, x, y]) => x.bits.join(y.bits),
        _ => return KnownBits::NONE,
    };
    bits.cut(to.bits())
}

/// The least common multiple; the larger number if the least common multiple overflows, and 0 if an operand
/// is 0.
fn common(a: u64, b: u64) -> u64 {
    match gcd(a, b) {
        0 => 0,
        divisor => (a / divisor).checked_mul(b).unwrap_or(a.max(b)),
    }
}

/// The greatest common divisor; the divisor of 0 and n is n.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The largest power of two that divides `multiple`, but at most 2^(bits - 1). The result also divides every
/// multiple of `multiple` modulo 2^bits.
fn power(multiple: u64, bits: u32) -> u64 {
    let top = 1 << (bits - 1);
    if multiple == 0 { top } else { (multiple & multiple.wrapping_neg()).min(top) }
}

fn of_int(op: IntOp, bits: u32, x: Domain, y: Domain) -> u64 {
    let (m, n) = (x.multiple, y.multiple);
    let powers = [power(m, bits), power(n, bits)];
    let most = u128::from(mask(bits));
    let (high_x, high_y) = (u128::from(x.range.high), u128::from(y.range.high));
    match op {
        IntOp::Add if high_x + high_y <= most => gcd(m, n),
        IntOp::Sub if x.range.low >= y.range.high => gcd(m, n),
        IntOp::Add | IntOp::Sub | IntOp::Or | IntOp::Xor => powers[0].min(powers[1]),
        IntOp::And => powers[0].max(powers[1]),
        IntOp::Mul if high_x * high_y <= most => m.checked_mul(n).unwrap_or(1),
        IntOp::Mul => power(powers[0].checked_mul(powers[1]).unwrap_or(0), bits),
        IntOp::MinU | IntOp::MaxU | IntOp::MinS | IntOp::MaxS => gcd(m, n),
        IntOp::TotalShl => match y.constant() {
            Some(amount) => power(powers[0].checked_shl((amount % u64::from(bits)) as u32).unwrap_or(0), bits),
            None => powers[0],
        },
        IntOp::TotalShrU | IntOp::TotalDivU => {
            let divisor = match (op, y.constant()) {
                (IntOp::TotalDivU, Some(divisor)) => divisor.max(1),
                (_, Some(amount)) => 1 << (amount % u64::from(bits)),
                (_, None) => return 1,
            };
            if m.is_multiple_of(divisor) { m / divisor } else { 1 }
        }
        IntOp::TotalRemU => match y.constant() {
            Some(0) => 0,
            Some(divisor) => gcd(m, divisor),
            None => 1,
        },
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // All domains of 4 bits with a few multiples, all operations: the domain of the result contains every result.
    #[test]
    fn domains_hold_all_results() {
        let ty = Number::Int(4);
        let multiples = [1, 2, 3, 4, 6];
        let ranges = (0..16).step_by(3).flat_map(|low| (low..16).step_by(4).map(move |high| Interval { low, high }));
        let all: Vec<Domain> =
            ranges.flat_map(|range| multiples.into_iter().filter_map(move |m| Domain::new(range, m))).collect();
        let some = [[1, 4], [2, 1], [0, 5], [6, 0]].map(|[zeros, ones]| KnownBits { zeros, ones });
        let known = some.into_iter().filter_map(|bits| Domain::with_bits(Interval { low: 1, high: 14 }, 1, bits));
        let all: Vec<Domain> = all.into_iter().chain(known).collect();
        let values = |d: &Domain| -> Vec<u64> {
            let inside = |v: &u64| *v == 0 || d.multiple != 0 && v.is_multiple_of(d.multiple);
            let has_bits = |v: &u64| v & d.bits.zeros == 0 && v & d.bits.ones == d.bits.ones;
            (d.range.low..=d.range.high).filter(inside).filter(has_bits).collect()
        };
        let mut precise = 0;
        for op in Op::all().filter(|op| op.is_of_two_integers(ty)) {
            let to = op.result(ty).expect("not a conversion");
            for x in &all {
                for y in &all {
                    let found = Domain::of_op(op, ty, to, &[*x, *y]);
                    precise += u32::from(found.multiple != 1);
                    for a in values(x) {
                        for b in values(y) {
                            let value = op.value(ty, to, &[a, b]).expect("total");
                            let held = values(&found).contains(&value);
                            assert!(
                                held,
                                "{} of {a} in {x:?} and {b} in {y:?} is {value}, outside of {found:?}",
                                op.name()
                            );
                        }
                    }
                }
            }
        }
        assert!(precise > 5_000, "{precise} results have a divisor");
    }

    // All sets of known bits of 4 bits and all operations: every result has the known bits of the domain.
    #[test]
    fn known_bits_hold_for_all_results() {
        let (ty, all) = (Number::Int(4), Interval { low: 0, high: 15 });
        let sets = (0..16).flat_map(|zeros| (0..16).map(move |ones| KnownBits { zeros, ones }));
        let sets: Vec<Domain> = sets.filter_map(|bits| Domain::with_bits(all, 1, bits)).collect();
        assert_eq!(sets.len(), 81);
        let values = |d: &Domain| -> Vec<u64> {
            let bits = d.bits;
            (0..16).filter(|v| v & bits.zeros == 0 && v & bits.ones == bits.ones).collect()
        };
        let mut known = 0;
        let ops = Op::all().filter(|op| op.is_of_two_integers(ty));
        for op in ops {
            let to = op.result(ty).expect("not a conversion");
            for (x, y) in sets.iter().flat_map(|x| sets.iter().map(move |y| (x, y))) {
                let found = Domain::of_op(op, ty, to, &[*x, *y]);
                known += ((found.bits.zeros | found.bits.ones) & mask(to.bits())).count_ones();
                for a in values(x) {
                    for b in values(y) {
                        let value = op.value(ty, to, &[a, b]).expect("total");
                        let held =
                            values(&found).contains(&value) && (found.range.low..=found.range.high).contains(&value);
                        assert!(
                            held,
                            "{} of {a} in {x:?} and {b} in {y:?} is {value}, outside of {found:?}",
                            op.name()
                        );
                    }
                }
            }
        }
        // All bits of a sum below the first unknown bit are known, so many bits are known.
        assert!(known > 200_000, "{known} bits are known");
    }

    #[test]
    fn known_bits_of_conversions_hold() {
        let (narrow, wide) = (Number::Int(4), Number::Int(8));
        for (zeros, ones) in (0..16u64).flat_map(|zeros| (0..16).map(move |ones| (zeros, ones))) {
            let all = Interval { low: 0, high: 15 };
            let Some(x) = Domain::with_bits(all, 1, KnownBits { zeros, ones }) else { continue };
            for conversion in [Conversion::SignExtend, Conversion::ZeroExtend] {
                let op = Op::Convert(conversion);
                let found = Domain::of_op(op, narrow, wide, &[x]);
                for value in (0..16).filter(|v| v & zeros == 0 && v & ones == ones) {
                    let value = op.value(narrow, wide, &[value]).expect("an integer");
                    let held = value & found.bits.zeros == 0 && value & found.bits.ones == found.bits.ones;
                    assert!(held, "{value} of {x:?} is not in {found:?}");
                }
            }
        }
    }

    #[test]
    fn truncated_domain_contains_every_result() {
        let (narrow, wide) = (Number::Int(4), Number::Int(8));
        for multiple in [1, 2, 3, 4, 6, 8, 12] {
            for high in [9, 15, 100, 255] {
                let Some(x) = Domain::new(Interval { low: 0, high }, multiple) else { continue };
                let values = (x.range.low..=x.range.high).filter(|v| v.is_multiple_of(x.multiple.max(1)));
                let cut = Domain::of_op(Op::Convert(Conversion::Truncate), wide, narrow, &[x]);
                for value in values {
                    let value = value & 15;
                    assert!((cut.range.low..=cut.range.high).contains(&value), "{x:?} {cut:?}");
                    assert!(value == 0 || value.is_multiple_of(cut.multiple), "{x:?} {cut:?}");
                }
            }
        }
    }
}
