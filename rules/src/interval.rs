//! Unsigned intervals, for the analysis of the e-graph and the evaluation of guards.
use crate::Op;
use cube_semantics::{IntOp, IntPredicate, Number, ints};

/// The smallest and the largest unsigned value of a bit pattern, both included. The interval of a float contains all
/// bit patterns, unless the float is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The smallest value.
    pub low: u64,
    /// The largest value.
    pub high: u64,
}

impl Interval {
    /// The interval of all 64-bit patterns.
    pub const ALL: Interval = Interval { low: 0, high: u64::MAX };

    pub fn of(value: u64) -> Interval {
        Interval { low: value, high: value }
    }

    /// All bit patterns of a type.
    pub fn of_type(ty: Number) -> Interval {
        Interval { low: 0, high: ints::mask(ty.bits().clamp(1, 64)) }
    }

    /// The only value of the interval; `None` if the interval has several values.
    pub fn constant(self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The intersection of both intervals; `None` if it is empty.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let both = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// The smallest interval that contains both intervals.
    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// An interval that contains all results of an operation whose operands are in the given intervals. The result
    /// of a math function has the complete interval of its type, even for constant operands.
    pub fn of_op(op: Op, from: Number, to: Number, args: &[Interval]) -> Interval {
        let all = Interval::of_type(to);
        if matches!(op, Op::Function(_)) {
            return all;
        }
        let constants: Option<Vec<u64>> = args.iter().map(|arg| arg.constant()).collect();
        if let Some(value) = constants.and_then(|values| op.value(from, to, &values)) {
            return Interval::of(value);
        }
        let found = match (op, args) {
            (Op::Int(op), [x, y]) => of_int(op, from.bits(), *x, *y),
            (Op::CompareInts(predicate), [x, y]) => compared(predicate, *x, *y),
            (Op::Convert(conversion), [x]) => {
                use cube_semantics::Conversion as C;
                match conversion {
                    C::ZeroExtend => Some(*x),
                    C::Truncate => (x.high <= all.high).then_some(*x),
                    C::SignExtend => (x.high >> (from.bits() - 1) == 0).then_some(*x),
                    _ => None,
                }
            }
            (Op::Splat, [x]) => Some(*x),
            (Op::Select, [c, x, y]) => Some(match c.constant() {
                Some(1) => *x,
                Some(_) => *y,
                None => x.join(*y),
            }),
            _ => None,
        };
        found.unwrap_or(all)
    }
}

fn of_int(op: IntOp, bits: u32, x: Interval, y: Interval) -> Option<Interval> {
    let most = ints::mask(bits);
    let ends = |f: fn(u64, u64, u32) -> u64| Interval { low: f(x.low, y.low, bits), high: f(x.high, y.high, bits) };
    Some(match op {
        IntOp::Add => {
            Interval { low: x.low.checked_add(y.low)?, high: x.high.checked_add(y.high).filter(|high| *high <= most)? }
        }
        IntOp::Sub => Interval { low: x.low.checked_sub(y.high)?, high: x.high - y.low },
        IntOp::Mul => {
            Interval { low: x.low.checked_mul(y.low)?, high: x.high.checked_mul(y.high).filter(|high| *high <= most)? }
        }
        IntOp::MulHighU => ends(ints::mulu_high),
        IntOp::Carry => ends(ints::carry),
        IntOp::AddSatU => ends(ints::addu_sat),
        IntOp::SubSatU => Interval { low: x.low.saturating_sub(y.high), high: x.high.saturating_sub(y.low) },
        IntOp::MinU => ends(ints::minu),
        IntOp::MaxU => ends(ints::maxu),
        IntOp::And => Interval { low: 0, high: x.high.min(y.high) },
        IntOp::Or => Interval { low: x.low.max(y.low), high: ones(x.high) | ones(y.high) },
        IntOp::Xor => Interval { low: 0, high: ones(x.high) | ones(y.high) },
        // x / 0 = x.
        IntOp::TotalDivU => Interval { low: x.low / y.high.max(1), high: x.high / y.low.max(1) },
        // x % 0 = 0.
        IntOp::TotalRemU => Interval { low: 0, high: x.high.min(y.high.saturating_sub(1)) },
        IntOp::TotalShrU if y.high < u64::from(bits) => Interval { low: x.low >> y.high, high: x.high >> y.low },
        IntOp::TotalShrU => Interval { low: 0, high: x.high },
        IntOp::TotalShl => {
            let amount = y.constant().filter(|amount| *amount < u64::from(bits))?;
            let high = u128::from(x.high) << amount;
            (high <= u128::from(most)).then(|| Interval { low: x.low << amount, high: high as u64 })?
        }
        _ => return None,
    })
}

// The smallest number of the form 2^n - 1 that is at least `value`.
fn ones(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

fn compared(predicate: IntPredicate, x: Interval, y: Interval) -> Option<Interval> {
    use IntPredicate as P;
    let (below, at_most) = (x.high < y.low, x.high <= y.low);
    let (above, at_least) = (x.low > y.high, x.low >= y.high);
    let (yes, no) = match predicate {
        P::Eq => (false, below || above),
        P::Ne => (below || above, false),
        P::Ult => (below, at_least),
        P::Ule => (at_most, above),
        P::Ugt => (above, at_most),
        P::Uge => (at_least, below),
        P::Slt | P::Sle | P::Sgt | P::Sge => return None,
    };
    match (yes, no) {
        (true, _) => Some(Interval::of(1)),
        (_, true) => Some(Interval::of(0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // All intervals of 3 bits, all operations: the interval of the result contains every result.
    #[test]
    fn intervals_hold_all_results() {
        let ty = Number::Int(3);
        let all: Vec<Interval> = (0..8).flat_map(|low| (low..8).map(move |high| Interval { low, high })).collect();
        let mut narrow = 0;
        for op in Op::all().filter(|op| op.is_of_two_integers(ty)) {
            let to = op.result(ty).expect("not a conversion");
            for x in &all {
                for y in &all {
                    let found = Interval::of_op(op, ty, to, &[*x, *y]);
                    narrow += u32::from(found != Interval::of_type(to));
                    for a in x.low..=x.high {
                        for b in y.low..=y.high {
                            let value = op.value(ty, to, &[a, b]).expect("total");
                            let held = (found.low..=found.high).contains(&value);
                            assert!(held, "{} of {a} and {b} is {value}, outside of {found:?}", op.name());
                        }
                    }
                }
            }
        }
        assert!(narrow > 5000, "{narrow} intervals say something");
    }
}
