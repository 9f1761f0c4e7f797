//! Proofs that accesses stay inside a tensor, and the modes that need predicates.

use crate::compose::compose;
use crate::error::{Error, Result};
use crate::nest::Nest;
use crate::{Layout, Mode};
use std::ops::Range;

/// One mode of a tensor in an access: the coordinate is `origin + coordinate(thread, value)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The map from `(thread, value)` to the coordinate inside the tile: one layout of [`tile_coordinates`].
    pub coordinate: Layout,
    /// The largest origin of a tile along this mode.
    pub origin: u64,
    /// The tensor's extent along this mode.
    pub extent: u64,
}

/// The result of the proof for the coordinate along one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Every coordinate is below the extent.
    Inside,
    /// Some coordinate is not below the extent, so this mode needs a predicate.
    Partial {
        /// The largest coordinate of an access.
        largest: u64,
        /// Tiles whose origin is below `whole_below` need no predicate.
        whole_below: u64,
    },
}

/// For each mode, whether the accesses of the given threads and values stay inside the tensor. The result is exact. A
/// mode is partial only if a thread and a value in the ranges have a coordinate that is not below the extent, in the
/// tile with the largest origin.
///
/// # Errors
/// The rank of a coordinate layout is not 2, or a range is empty or exceeds the layout.
pub fn bounds(axes: &[Axis], threads: Range<u64>, values: Range<u64>) -> Result<Vec<Bound>> {
    axes.iter().map(|axis| bound(axis, &threads, &values)).collect()
}

fn bound(axis: &Axis, threads: &Range<u64>, values: &Range<u64>) -> Result<Bound> {
    let Axis { coordinate, origin, extent } = axis;
    if coordinate.rank() != 2 || coordinate.depth() == 0 {
        return Err(Error::operand(format!("{coordinate} maps no threads and values: its rank is not 2")));
    }
    // The two modes are independent, so the largest sum is the sum of the two largest offsets.
    let reach = largest_offset(&coordinate.mode(0)?, threads)? + largest_offset(&coordinate.mode(1)?, values)?;
    let largest = reach.saturating_add(*origin);
    Ok(match largest < *extent {
        true => Bound::Inside,
        false => Bound::Partial { largest, whole_below: extent.saturating_sub(reach) },
    })
}

/// For each mode of a tile, the layout from `(thread, value)` to the coordinate along this mode.
///
/// # Errors
/// The thread-value layout exceeds the tile, or a coordinate is not a layout of thread and value.
pub fn tile_coordinates(tile: &[u64], tv: &Layout) -> Result<Vec<Layout>> {
    (0..tile.len())
        .map(|k| {
            let digit =
                tile.iter().enumerate().map(|(m, &extent)| Nest::Leaf(Mode { extent, stride: u64::from(m == k) }));
            compose(&Layout::from_nest(Nest::Tuple(digit.collect()))?, tv)
        })
        .collect()
}

/// The largest offset over a range of indices.
///
/// # Errors
/// The range is empty or exceeds the layout.
pub fn largest_offset(layout: &Layout, indices: &Range<u64>) -> Result<u64> {
    if indices.is_empty() || indices.end > layout.size() {
        return Err(Error::operand(format!(
            "the range {}..{} of {layout}, which has {} indices, is empty or exceeds the layout",
            indices.start,
            indices.end,
            layout.size()
        )));
    }
    let mut below = 1;
    let mut steps: Vec<(u64, Mode)> = Vec::with_capacity(8);
    layout.nest().each_leaf(&mut |&mode| {
        steps.push((below, mode));
        below *= mode.extent;
    });
    Ok(largest(&steps, indices.start, indices.end - 1))
}

/// The largest offset of the indices `low..=high`. The recursion starts at the last mode, whose coordinate varies
/// slowest. After the first split, one end of each part coincides with the end of a complete block. The recursion
/// therefore consists of two chains and has linear cost.
fn largest(steps: &[(u64, Mode)], low: u64, high: u64) -> u64 {
    let Some(((below, mode), lower)) = steps.split_last() else {
        return 0;
    };
    let (first, last) = (low / below, high / below);
    if low.is_multiple_of(*below) && high % below == below - 1 {
        return last * mode.stride + lower.iter().map(|(_, mode)| (mode.extent - 1) * mode.stride).sum::<u64>();
    }
    if first == last {
        return last * mode.stride + largest(lower, low % below, high % below);
    }
    let mut most = last * mode.stride + largest(lower, 0, high % below);
    most =
        most.max((last - 1) * mode.stride + largest(lower, if last - 1 == first { low % below } else { 0 }, below - 1));
    most
}

/// The tiling of one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Number of tiles.
    pub tiles: u64,
    /// Number of indices of the last tile that are inside the tensor; equal to the tile's extent if all tiles
    /// are complete.
    pub last: u64,
}

/// The tiling of a tensor with extents `shape` by tiles with extents `tile`, for each mode.
///
/// # Errors
/// `shape` and `tile` have different lengths, or an extent is 0.
pub fn cover(shape: &[u64], tile: &[u64]) -> Result<Vec<Cover>> {
    if shape.len() != tile.len() || shape.iter().chain(tile).any(|&extent| extent == 0) {
        return Err(Error::operand(format!(
            "the tiles {tile:?} do not match the extents {shape:?}; pass one tile of at least 1 for each extent of at least 1"
        )));
    }
    Ok(shape.iter().zip(tile).map(|(n, t)| Cover { tiles: n.div_ceil(*t), last: (n - 1) % t + 1 }).collect())
}

#[cfg(test)]
mod tests {
    use super::{Axis, Bound, Cover, bounds, cover, largest_offset, tile_coordinates};
    use crate::Layout;

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn only_the_ragged_mode_is_partial() {
        let tv = layout("((32,4),(8,4)):((128,4),(16,1))");
        let coordinates = tile_coordinates(&[16, 256], &tv).unwrap();
        assert_eq!(coordinates[0].cosize(), 16);
        let axes: Vec<Axis> = coordinates
            .into_iter()
            .zip([(32, 48), (768, 1000)])
            .map(|(coordinate, (origin, extent))| Axis { coordinate, origin, extent })
            .collect();
        let all = bounds(&axes, 0..128, 0..32).unwrap();
        assert_eq!(all, [Bound::Inside, Bound::Partial { largest: 1023, whole_below: 745 }]);
        // Threads 0..29 of a plane hold columns 0 to 231 only.
        assert_eq!(bounds(&axes, 0..29, 0..32).unwrap()[1], Bound::Inside);
        let message = bounds(&axes, 0..0, 0..32).unwrap_err().message;
        assert!(message.contains("is empty or exceeds the layout"), "{message}");
    }

    #[test]
    fn ranges_agree_with_looking_at_every_index() {
        for text in ["(4,3,2):(1,10,3)", "((2,3),4):((7,0),1)", "24:5", "(3,2,4):(9,1,2)"] {
            let layout = layout(text);
            for low in 0..24 {
                for high in low..24 {
                    let expected = (low..=high).filter_map(|i| layout.offset(i)).max();
                    assert_eq!(largest_offset(&layout, &(low..high + 1)).ok(), expected, "{text} {low}..={high}");
                }
            }
        }
    }

    #[test]
    fn covers_count_the_last_tile() {
        assert_eq!(cover(&[7, 8], &[2, 4]).unwrap(), [Cover { tiles: 4, last: 1 }, Cover { tiles: 2, last: 4 }]);
        assert!(cover(&[7], &[0]).unwrap_err().message.contains("one tile of at least 1"));
        let axis = Axis { coordinate: layout("8:1"), origin: 0, extent: 8 };
        assert!(bounds(&[axis], 0..1, 0..1).unwrap_err().message.contains("maps no threads and values"));
    }
}
