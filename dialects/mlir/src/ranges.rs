//! MLIR's analysis of integer ranges, as a function.
use crate::{counters::count_edit, op::Op};
use cube_bridge::cubeFoldRanges;

/// Replaces values inside of `op` that have one possible value by constants, and decides comparisons, as MLIR's pass
/// `int-range-optimizations` does. The results of an operation that the analysis visits more than `visits` times get
/// the full range of their types, so that the analysis always ends. Returns the number of these operations.
pub fn fold_ranges(op: Op<'_>, visits: i64) -> u64 {
    let mut changed = false;
    // SAFETY: a live operation, whose nested operations no caller holds; `changed` outlives the call.
    let widened = unsafe { cubeFoldRanges(op.to_raw(), visits, 0, &raw mut changed) };
    if changed {
        count_edit();
    }
    widened.unsigned_abs()
}

/// Computes the operations inside of `op` whose operands and results fit in `bits` bits with that width, by the same
/// analysis as [`fold_ranges`]. Returns whether an operation changed.
pub fn narrow_to_ranges(op: Op<'_>, visits: i64, bits: u32) -> bool {
    let mut changed = false;
    // SAFETY: as above.
    unsafe { cubeFoldRanges(op.to_raw(), visits, bits, &raw mut changed) };
    if changed {
        count_edit();
    }
    changed
}
