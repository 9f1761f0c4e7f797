//! Loop invariance of values, and trip counts of loops with a counter.
use cube_ir::{Builder, Op, Val, upstream::IntCmp};

/// Whether a value is defined outside a loop.
pub fn is_outside<'p>(value: Val<'p>, loop_op: Op<'p>) -> bool {
    let holder = match value.block_arg() {
        Some((block, _)) => block.parent(),
        None => value.def().and_then(|d| d.parent()),
    };
    holder.is_some_and(|op| op != loop_op && !op.ancestors().any(|a| a == loop_op))
}

/// First value, step and trip count of an `scf.for`, as values that are defined before the loop.
pub struct TripCount<'p> {
    /// The first value of the counter.
    pub from: Val<'p>,
    /// The step. A step of 0 is replaced by 1, so that the loop always makes progress.
    pub step: Val<'p>,
    /// The bounds and the step of an equivalent loop that counts iterations: 0, `count` and 1.
    pub bounds: [Val<'p>; 3],
    /// The number of iterations, an unsigned number of the counter's type. The emitted operations compute
    /// `cube_semantics::trip_count`.
    pub count: Val<'p>,
}

impl<'p> TripCount<'p> {
    /// Emits the trip count of a loop whose first operands are its bounds and step. The attribute `unsignedCmp` makes
    /// the bounds unsigned. `divide` emits an unsigned division whose divisor is not 0.
    pub fn of(loop_op: Op<'p>, b: Builder<'p>, divide: fn(Builder<'p>, Val<'p>, Val<'p>) -> Val<'p>) -> TripCount<'p> {
        let [from, to, step] = [0, 1, 2].map(|i| loop_op.operand(i));
        let (zero, one) = (b.int(from.ty(), 0), b.int(from.ty(), 1));
        let step = b.select(b.cmpi(IntCmp::Eq, step, zero), one, step);
        let less = if loop_op.attr("unsignedCmp").is_some() { IntCmp::Ult } else { IntCmp::Slt };
        // The distance, read as an unsigned number, is also correct for signed bounds.
        let last = divide(b, b.subi(b.subi(to, from), one), step);
        let count = b.select(b.cmpi(less, from, to), b.addi(last, one), zero);
        TripCount { from, step, bounds: [zero, count, one], count }
    }
}
