//! Complement: the layout of the offsets at which copies of a layout do not overlap.
//!
//! CuTe's algorithm sorts the modes by stride and fills the gap below each mode. Each step divides the stride of a mode
//! by the stride below it. If this division has a remainder, the rounded quotient leaves some offsets unreached. The
//! algorithm fails for interleaved modes. [`complement`] keeps CuTe's contract: the result is ascending and disjoint,
//! which suffices for a product. The division of layouts also requires that the complement reaches every offset: see
//! [`tiling_complement`]. Source: CuTe's algebra document, section on complement.

use crate::Layout;
use crate::coalesce::flat_of;
use crate::collide::collision_beside_zeros;
use crate::error::{Error, Point, Result, Witness};
use crate::layout::{LIMIT, Mode};
use crate::nest::Nest;

/// The layout `C` with ascending strides such that `(layout, C)` reaches no offset twice. The layout `C` reaches as
/// many offsets below `cotarget` as the gaps between the modes allow. A mode of stride zero in `layout` counts as
/// one index.
///
/// If a stride is not a multiple of the number of offsets that modes with smaller strides fill, some offsets
/// below `cotarget` stay unreached. [`tiling_complement`] refuses such a layout.
///
/// # Errors
/// Two indices of the layout have the same offset, or its modes are interleaved. The error contains a
/// counterexample.
pub fn complement(layout: &Layout, cotarget: u64) -> Result<Layout> {
    Ok(fill(layout, cotarget)?.layout)
}

/// The complement for which `(layout, C)` reaches every offset below `cotarget` exactly once.
///
/// # Errors
/// Fails like [`complement`], and for a gap whose size is not a multiple of the extent of a copy. If a gap
/// causes the refusal, the error contains an offset that no index reaches. If the size of a gap is not a
/// multiple of the copy's extent, no layout reaches every offset. The proof is the classic theorem on tilings
/// of an interval by arithmetic progressions (de Bruijn 1956).
pub fn tiling_complement(layout: &Layout, cotarget: u64) -> Result<Layout> {
    let complement = fill(layout, cotarget)?;
    let Some(gap) = complement.first_gap.filter(|gap| gap.offset < cotarget) else {
        return Ok(complement.layout);
    };
    let Gap { stride, below, offset } = gap;
    let witness = Witness {
        condition: format!("stride {stride} is not a multiple of {below}, the offsets filled below it"),
        point: Some(Point::Unreached { offset }),
        candidate: Some(complement.layout),
        ..Witness::default()
    };
    Err(Error::refused(
        format!(
            "{layout} and copies of it do not fill {cotarget} offsets: offset {offset} is unreached, because stride {stride} \
             is not a multiple of {below}; choose a stride that {below} divides"
        ),
        witness,
    ))
}

struct ComplementWithGap {
    layout: Layout,
    first_gap: Option<Gap>,
}

/// The first offset that no index reaches, the stride above this gap, and the number of offsets that modes
/// with smaller strides fill.
struct Gap {
    stride: u64,
    below: u64,
    offset: u64,
}

fn fill(layout: &Layout, cotarget: u64) -> Result<ComplementWithGap> {
    if cotarget == 0 || cotarget > LIMIT {
        return Err(Error::operand(format!("a complement in {cotarget} offsets; the number must be 1 to 2^63-1")));
    }
    let mut modes = layout.leaves();
    modes.retain(|mode| mode.extent > 1 && mode.stride > 0);
    modes.sort_by_key(|mode| mode.stride);
    let (mut found, mut first_gap) = (Vec::with_capacity(modes.len() + 1), None);
    let mut filled = 1u64;
    for mode in &modes {
        if mode.stride < filled {
            return Err(interleaved(layout, *mode, filled)?);
        }
        let gap_extent = mode.stride / filled;
        if mode.stride % filled != 0 && first_gap.is_none() {
            first_gap = Some(Gap { stride: mode.stride, below: filled, offset: gap_extent * filled });
        }
        found.push(Nest::Leaf(Mode { extent: gap_extent, stride: filled }));
        // The value is at most the cosize plus one stride, which fits in 64 bits.
        filled = mode.stride * mode.extent;
    }
    found.push(Nest::Leaf(Mode { extent: cotarget.div_ceil(filled), stride: filled }));
    let layout = Layout::from_modes(&flat_of(&Nest::Tuple(found)));
    Ok(ComplementWithGap { layout, first_gap })
}

fn interleaved(layout: &Layout, mode: Mode, filled: u64) -> Result<Error> {
    let Mode { extent, stride } = mode;
    let condition = format!("mode {extent}:{stride} begins below {filled}, where smaller strides end");
    let point = collision_beside_zeros(layout)?;
    let reason = match point {
        Some(Point::Collision { index, other, offset }) => {
            format!("indices {index} and {other} share offset {offset}; use a layout with distinct offsets")
        }
        _ => format!("{condition}; choose a stride of at least {filled}"),
    };
    let witness = Witness { condition, point, ..Witness::default() };
    Ok(Error::refused(format!("{layout} has no complement: {reason}"), witness))
}

#[cfg(test)]
mod tests {
    use super::{complement, tiling_complement};
    use crate::{Layout, Point};

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn gaps_are_filled_in_ascending_order() {
        assert_eq!(complement(&layout("(2,2):(1,6)"), 24).unwrap(), layout("(3,2):(2,12)"));
        assert_eq!(complement(&layout("4:0"), 100).unwrap(), layout("100:1"));
        assert_eq!(complement(&layout("4:1"), 1).unwrap(), layout("1:0"));
    }

    #[test]
    fn tiling_complement_rejects_indivisible_strides() {
        let error = tiling_complement(&layout("(4,10):(1,10)"), 100).unwrap_err();
        assert_eq!(error.witness.unwrap().point, Some(Point::Unreached { offset: 8 }));
        assert!(error.message.contains("stride 10 is not a multiple of 4"), "{}", error.message);
        assert_eq!(tiling_complement(&layout("(4,10):(1,10)"), 8).unwrap(), layout("2:4"));
        assert_eq!(complement(&layout("(4,10):(1,10)"), 100).unwrap(), layout("2:4"));
    }

    #[test]
    fn collisions_are_shown_and_interleaving_is_named() {
        let error = complement(&layout("(4,4,2):(6,1,1)"), 24).unwrap_err();
        assert!(matches!(error.witness.unwrap().point, Some(Point::Collision { .. })));
        assert!(error.message.contains("share offset"), "{}", error.message);
        let error = complement(&layout("(3,2):(4,5)"), 14).unwrap_err();
        assert!(error.message.contains("mode 2:5 begins below 12"), "{}", error.message);
        assert!(complement(&layout("4:1"), 0).unwrap_err().message.contains("in 0 offsets"));
    }
}
