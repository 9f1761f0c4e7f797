//! Coalesce and filter: compute the layout with the fewest modes.

use crate::Layout;
use crate::error::Result;
use crate::layout::{Mode, nest_of};
use crate::nest::Nest;

/// The layout with the fewest modes for the same function of the one-dimensional index.
///
/// Two adjacent modes `(a, b):(d, e)` combine to one mode `a*b:d` if and only if `e = a*d`, and a mode of extent 1 is
/// redundant. Source: CuTe's algebra document (`02_layout_algebra.md`), section on coalesce.
pub fn coalesce(layout: &Layout) -> Layout {
    Layout::from_modes(&flat(layout))
}

/// Coalesces each top-level mode separately, which keeps the function of the multi-dimensional coordinate.
///
/// # Errors
/// The function never fails, but returns a `Result` like the related functions.
pub fn coalesce_by_mode(layout: &Layout) -> Result<Layout> {
    match layout.nest() {
        Nest::Leaf(_) => Ok(coalesce(layout)),
        Nest::Tuple(modes) => {
            let modes = modes.iter().map(|mode| nest_of(&flat_of(mode))).collect();
            crate::layout::regroup(modes)
        }
    }
}

/// The layout with the same offsets, but without the repetitions that modes of stride 0 cause. Every mode of
/// stride 0 becomes `1:0`, and the other modes are coalesced. If modes of stride 0 repeated offsets, the result
/// has a smaller size than `layout`.
pub fn filter(layout: &Layout) -> Layout {
    coalesce(&filter_zeros(layout))
}

/// Sets the extent of every mode of stride 0 to 1 and keeps the profile.
pub fn filter_zeros(layout: &Layout) -> Layout {
    let nest = layout.nest().map(&mut |mode| match mode.stride {
        0 => Mode { extent: 1, stride: 0 },
        _ => *mode,
    });
    Layout::trusted(nest)
}

/// The coalesced modes, or an empty list for a layout of size 1.
pub(crate) fn flat(layout: &Layout) -> Vec<Mode> {
    flat_of(layout.nest())
}

pub(crate) fn flat_of(nest: &Nest<Mode>) -> Vec<Mode> {
    let mut modes: Vec<Mode> = Vec::with_capacity(4);
    nest.each_leaf(&mut |&mode| {
        if mode.extent == 1 {
            return;
        }
        match modes.last_mut() {
            // If the product exceeds 64 bits, it differs from every stride, because strides fit 64 bits.
            Some(last) if last.extent.checked_mul(last.stride) == Some(mode.stride) => last.extent *= mode.extent,
            _ => modes.push(mode),
        }
    });
    modes
}
