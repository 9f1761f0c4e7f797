//! Division: splits a layout into a tile and the positions of the tiles.
//!
//! `logical_divide(A, T) = A ∘ (T, T*)`, where `T*` is the complement of `T` in the size of `A`. The complement `T*`
//! must reach every offset below the size of `A`. The four variants of division have the same offsets and differ in
//! the grouping of the modes. Source: CuTe's algebra document, section on division.

use crate::complement::{complement, tiling_complement};
use crate::compose::compose;
use crate::error::{Error, Result};
use crate::layout::{Mode, regroup};
use crate::nest::Nest;
use crate::{Layout, Tiler};

/// `((tile, rest), (tile, rest), ...)`: each mode is split in its position.
///
/// # Errors
/// The tiler has no complement, the shape is not a multiple of the tile, or no layout computes the division.
/// [`round_up`] rounds the shape up to a multiple. The error contains a counterexample.
pub fn logical_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Keep => Ok(layout.clone()),
        Tiler::Layout(tile) => divide_whole(layout, tile),
        Tiler::ByMode(items) => by_mode(layout, items, logical_divide),
    }
}

/// `((tile, tile, ...), (rest, rest, ...))`: the modes of all tiles precede the modes that count tiles.
///
/// # Errors
/// Fails like [`logical_divide`], and for a tiler with `_`, for which this variant is not defined.
pub fn zipped_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let [tile, rest] = unzipped(layout, tiler)?;
    regroup(vec![tile, rest])
}

/// `((tile, tile, ...), rest, rest, ...)`.
///
/// # Errors
/// Fails like [`zipped_divide`].
pub fn tiled_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let [tile, rest] = unzipped(layout, tiler)?;
    let mut modes = vec![tile];
    modes.extend(into_children(rest));
    regroup(modes)
}

/// `(tile, tile, ..., rest, rest, ...)`.
///
/// # Errors
/// Fails like [`zipped_divide`].
pub fn flat_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let [tile, rest] = unzipped(layout, tiler)?;
    let mut modes = into_children(tile);
    modes.extend(into_children(rest));
    regroup(modes)
}

/// The layout with the extents of its modes rounded up to complete tiles, as a ragged division requires. Inside the
/// original extents, the result has the same offsets as `layout`. Accesses at the added indices must be predicated
/// (see [`crate::access::cover`]).
///
/// A mode whose size is not a multiple of the tiler's size must not be nested. A nested mode has several
/// extents, so the function could not decide which extent to round up.
///
/// # Errors
/// A mode to be rounded is nested, the tiler has more modes than the layout, or the result overflows. A mode
/// with the tiler `_` is unchanged.
pub fn round_up(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Keep => Ok(layout.clone()),
        Tiler::ByMode(items) => by_mode(layout, items, round_up),
        Tiler::Layout(tile) => {
            let (size, tile_size) = (layout.size(), tile.cosize().max(tile.size()));
            if size % tile_size == 0 {
                return Ok(layout.clone());
            }
            match layout.nest() {
                Nest::Leaf(mode) => Layout::leaf(size.div_ceil(tile_size).saturating_mul(tile_size), mode.stride),
                Nest::Tuple(_) => Err(Error::operand(format!(
                    "{layout} has {size} indices, not a multiple of {tile_size}, and only a bare mode can be \
                     rounded up; use one tiler for each mode"
                ))),
            }
        }
    }
}

/// Applies one tiler to each mode. Modes without a tiler are unchanged.
pub(crate) fn by_mode(
    layout: &Layout,
    items: &[Tiler],
    apply: impl Fn(&Layout, &Tiler) -> Result<Layout>,
) -> Result<Layout> {
    check_rank(layout, items)?;
    let mut modes = Vec::with_capacity(layout.rank());
    for (k, mode) in layout.modes().iter().enumerate() {
        match items.get(k) {
            Some(item) => modes.push(apply(mode, item).map_err(|error| error.in_mode(k))?),
            None => modes.push(mode.clone()),
        }
    }
    Layout::tuple(modes)
}

fn check_rank(layout: &Layout, items: &[Tiler]) -> Result<()> {
    match items.len() <= layout.rank() {
        true => Ok(()),
        false => Err(Error::operand(format!(
            "a tiler of {} modes for {layout}, which has {}; drop the last ones",
            items.len(),
            layout.rank()
        ))),
    }
}

fn divide_whole(layout: &Layout, tile: &Layout) -> Result<Layout> {
    let blame = |error: Error| Error { message: format!("the tiler {}", error.message), ..error };
    let rest = complement(tile, layout.size()).map_err(blame)?;
    let whole = Layout::tuple(vec![tile.clone(), rest])?;
    // A tile that exceeds the layout is refused below, with an index. With any other tile, every offset must be
    // reached.
    if whole.cosize() <= layout.size() {
        tiling_complement(tile, layout.size()).map_err(blame)?;
    }
    compose(layout, &whole)
}

/// The modes inside a tile, and the modes that count the tiles.
fn unzipped(layout: &Layout, tiler: &Tiler) -> Result<[Nest<Mode>; 2]> {
    match tiler {
        Tiler::Keep => {
            Err(Error::operand("a tiler with `_` has no zipped, tiled or flat form; use the mode's extent instead"))
        }
        Tiler::Layout(tile) => {
            let mut halves = into_children(divide_whole(layout, tile)?.into_nest()).into_iter();
            match (halves.next(), halves.next()) {
                (Some(tile), Some(rest)) => Ok([tile, rest]),
                _ => Err(Error::operand("a division without two modes")),
            }
        }
        Tiler::ByMode(items) => {
            check_rank(layout, items)?;
            let (mut tiles, mut rests) = (Vec::with_capacity(items.len()), Vec::with_capacity(layout.rank()));
            for (k, mode) in layout.modes().into_iter().enumerate() {
                match items.get(k) {
                    Some(item) => {
                        let [tile, rest] = unzipped(&mode, item).map_err(|error| error.in_mode(k))?;
                        tiles.push(tile);
                        rests.push(rest);
                    }
                    None => rests.push(mode.into_nest()),
                }
            }
            Ok([Nest::Tuple(tiles), Nest::Tuple(rests)])
        }
    }
}

pub(crate) fn into_children(nest: Nest<Mode>) -> Vec<Nest<Mode>> {
    match nest {
        Nest::Leaf(_) => vec![nest],
        Nest::Tuple(items) => items,
    }
}

#[cfg(test)]
mod tests {
    use super::{flat_divide, logical_divide, round_up, tiled_divide, zipped_divide};
    use crate::{Layout, Point, Tiler};

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    fn tiler(text: &str) -> Tiler {
        text.parse().unwrap()
    }

    #[test]
    fn the_four_forms_group_the_same_modes() {
        let (a, t) = (layout("(8,6):(6,1)"), tiler("<4;3>"));
        assert_eq!(logical_divide(&a, &t).unwrap(), layout("((4,2),(3,2)):((6,24),(1,3))"));
        assert_eq!(zipped_divide(&a, &t).unwrap(), layout("((4,3),(2,2)):((6,1),(24,3))"));
        assert_eq!(tiled_divide(&a, &t).unwrap(), layout("((4,3),2,2):((6,1),24,3)"));
        assert_eq!(flat_divide(&a, &t).unwrap(), layout("(4,3,2,2):(6,1,24,3)"));
    }

    #[test]
    fn the_article_s_divisions() {
        let a = layout("(2048,2048):(2048,1)");
        let by_four = zipped_divide(&a, &tiler("<1;4>")).unwrap();
        assert_eq!(by_four, layout("((1,4),(2048,512)):((0,1),(2048,4))"));
        let blocks = zipped_divide(&a, &tiler("<16;256>")).unwrap();
        assert_eq!(blocks, layout("((16,256),(128,8)):((2048,1),(32768,256))"));
    }

    #[test]
    fn a_ragged_tile_is_refused_and_rounding_up_helps() {
        let (a, t) = (layout("(7,9):(9,1)"), tiler("<2;4>"));
        let error = zipped_divide(&a, &t).unwrap_err();
        let witness = error.witness.unwrap();
        assert_eq!((witness.mode, witness.inside_mode), (vec![0], true));
        assert_eq!(witness.point, Some(Point::Value { index: 7, expected: None, candidate: None }));
        assert!(error.message.starts_with("mode 0: composition 7:9 o (2,4):(1,2)"), "{}", error.message);
        assert_eq!(round_up(&a, &t).unwrap(), layout("(8,12):(9,1)"));
        assert!(zipped_divide(&round_up(&a, &t).unwrap(), &t).is_ok());
        let error = round_up(&layout("((7,3)):((3,1))"), &tiler("<4>")).unwrap_err();
        assert!(error.message.contains("only a bare mode can be rounded up"), "{}", error.message);
    }

    #[test]
    fn a_tiler_that_loses_elements_is_refused() {
        let error = logical_divide(&layout("12:1"), &tiler("(2,2):(1,3)")).unwrap_err();
        assert_eq!(error.witness.unwrap().point, Some(Point::Unreached { offset: 2 }));
        assert!(
            error.message.starts_with("the tiler (2,2):(1,3) and copies of it do not fill 12 offsets"),
            "{}",
            error.message
        );
    }

    #[test]
    fn ranks_and_wildcards_are_checked() {
        let error = logical_divide(&layout("4:1"), &tiler("<2;2>")).unwrap_err();
        assert!(error.message.contains("a tiler of 2 modes for 4:1"), "{}", error.message);
        let error = flat_divide(&layout("(4,4):(1,4)"), &tiler("<2;_>")).unwrap_err();
        assert!(error.message.contains("a tiler with `_` has no zipped"), "{}", error.message);
        let kept = logical_divide(&layout("(4,4):(1,4)"), &tiler("<2;_>")).unwrap();
        assert_eq!(kept, layout("((2,2),4):((1,2),4)"));
    }
}
