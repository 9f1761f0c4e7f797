//! Trip counts of counted loops.
use crate::ints::{mask, signed};

/// The number of iterations of `for i = from to to step step` on patterns of `width` bits. The compiler's passes emit
/// the same formula: `from < to ? (to - from - 1) / step + 1 : 0`. A step of zero counts as a step of one. The
/// distance between the bounds is unsigned even for signed bounds, so that no subtraction overflows.
pub fn trip_count(from: u64, to: u64, step: u64, width: u32, unsigned: bool) -> u64 {
    let before = if unsigned { from < to } else { signed(from, width) < signed(to, width) };
    let distance = to.wrapping_sub(from).wrapping_sub(1) & mask(width);
    if before { distance / step.max(1) + 1 } else { 0 }
}
