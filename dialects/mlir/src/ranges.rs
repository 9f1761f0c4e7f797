//! MLIR's analysis of integer ranges, as a function.
use crate::{counters::count_edit, op::Op};
use cube_bridge::cubeFoldRanges;

/// Replaces values inside of `op` that have one possible value by constants, and decides comparisons, as MLIR's pass
/// `int-range-optimizations` does. The results of an operation that the analysis visits more than `visits` times get
/// the full range of their types, so that the analysis always ends. Returns the number of these operations.
pub fn fold_ranges(op: Op<'_>, visits: i64) -> u64 {
    let mut changed = false;
    // SAFETY: a live operation, whose nested operations no caller holds; `changed` outlives the call.
    let widened = unsafe { cubeFoldRanges(op.to_raw(), visits, &raw mut changed) };
    if changed {
        count_edit();
    }
    widened.unsigned_abs()
}
