//! Products: a layout repeated at the offsets of another layout.
//!
//! `logical_product(A, B) = (A, A* ∘ B)`, where `A*` is the complement of `A` in `size(A) * cosize(B)` offsets. Blocked
//! and raked products combine each mode of one layout with the corresponding mode of the other layout. Source: CuTe's
//! algebra document, section on products.

use crate::coalesce::coalesce_by_mode;
use crate::complement::complement;
use crate::compose::compose;
use crate::divide::into_children;
use crate::error::{Error, Point, Result};
use crate::layout::{LIMIT, regroup};
use crate::nest::Nest;
use crate::{Layout, Tiler};

/// `(A, copies)`, or this product for each mode if `tiler` is by mode.
///
/// # Errors
/// Copies of `layout` would overlap, or no layout maps to the positions of the copies. The error contains a
/// counterexample.
pub fn logical_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    match tiler {
        Tiler::Keep => Ok(layout.clone()),
        Tiler::Layout(copies) => Layout::tuple(vec![layout.clone(), places(layout, copies)?]),
        Tiler::ByMode(items) => crate::divide::by_mode(layout, items, logical_product),
    }
}

/// `((A, A, ...), (copies, copies, ...))`; for a layout as tiler the same as [`logical_product`].
///
/// # Errors
/// Fails like [`logical_product`], and for a tiler that contains `_` or that is nested by mode, for which
/// this variant is not defined.
pub fn zipped_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let items = match tiler {
        Tiler::Layout(_) => return logical_product(layout, tiler),
        Tiler::Keep => return Err(Error::operand("a tiler with `_` has no zipped or tiled product")),
        Tiler::ByMode(items) => items,
    };
    let product = logical_product(layout, tiler)?;
    let (mut blocks, mut copies) = (Vec::new(), Vec::new());
    for (k, mode) in product.modes().into_iter().enumerate() {
        match items.get(k) {
            Some(Tiler::Keep) => return Err(Error::operand("a tiler with `_` has no zipped or tiled product")),
            Some(Tiler::ByMode(_)) => {
                return Err(Error::operand("a tiler nested by mode has no zipped or tiled product; use layouts"));
            }
            Some(Tiler::Layout(_)) => {
                let mut pair = into_children(mode.into_nest()).into_iter();
                blocks.extend(pair.next());
                copies.extend(pair);
            }
            None => copies.push(mode.into_nest()),
        }
    }
    regroup(vec![Nest::Tuple(blocks), Nest::Tuple(copies)])
}

/// `(A, copies, copies, ...)`: the modes of the copies side by side.
///
/// # Errors
/// Fails like [`zipped_product`].
pub fn tiled_product(layout: &Layout, tiler: &Tiler) -> Result<Layout> {
    let mut halves = into_children(zipped_product(layout, tiler)?.into_nest()).into_iter();
    let mut modes: Vec<_> = halves.next().into_iter().collect();
    modes.extend(halves.flat_map(into_children));
    regroup(modes)
}

/// The product with the modes `(A_k, copies_k)`, in which each block remains contiguous.
///
/// # Errors
/// Fails like [`logical_product`].
pub fn blocked_product(block: &Layout, copies: &Layout) -> Result<Layout> {
    let (block, places) = paired(block, copies)?;
    zip_modes(block, places)
}

/// The product with the modes `(copies_k, A_k)`, in which the blocks are interleaved.
///
/// # Errors
/// Fails like [`logical_product`].
pub fn raked_product(block: &Layout, copies: &Layout) -> Result<Layout> {
    let (block, places) = paired(block, copies)?;
    zip_modes(places, block)
}

fn places(block: &Layout, copies: &Layout) -> Result<Layout> {
    let room = block.size().checked_mul(copies.cosize()).filter(|&room| room <= LIMIT);
    let room =
        room.ok_or_else(|| Error::overflow(format!("the product of {block} and {copies} exceeds 2^63-1 offsets")))?;
    let gaps =
        complement(block, room).map_err(|error| Error { message: format!("the block {}", error.message), ..error })?;
    compose(&gaps, copies).map_err(|error| seen_from_product(error, block))
}

/// Converts a refusal of the composition `gaps ∘ copies` to a refusal of the product. The index in the refusal of
/// `gaps ∘ copies` counts blocks, so the function multiplies the index by the size of the block. The function adds
/// the block to the candidate layout.
fn seen_from_product(mut error: Error, block: &Layout) -> Error {
    if let Some(witness) = &mut error.witness {
        witness.mode.insert(0, 1);
        if let Some(Point::Value { index, .. }) = &mut witness.point {
            *index = index.saturating_mul(block.size());
        }
        let candidate = witness.candidate.take();
        witness.candidate = candidate.and_then(|places| Layout::tuple(vec![block.clone(), places]).ok());
    }
    Error { message: format!("the copies cannot be placed: {}", error.message), ..error }
}

/// The two operands, whose top-level modes are padded to equal rank with `1:0`.
fn paired(block: &Layout, copies: &Layout) -> Result<(Vec<Layout>, Vec<Layout>)> {
    let places = places(block, copies)?;
    // The positions have the profile of the copies. If a bare leaf was split, its parts must remain one mode.
    let mut places = match copies.nest() {
        Nest::Leaf(_) => vec![places],
        Nest::Tuple(_) => places.modes(),
    };
    let mut block = block.modes();
    let rank = block.len().max(places.len());
    block.resize_with(rank, Layout::unit);
    places.resize_with(rank, Layout::unit);
    Ok((block, places))
}

fn zip_modes(first: Vec<Layout>, second: Vec<Layout>) -> Result<Layout> {
    let pairs = first.into_iter().zip(second).map(|(a, b)| Layout::tuple(vec![a, b])).collect::<Result<Vec<_>>>()?;
    coalesce_by_mode(&Layout::tuple(pairs)?)
}

#[cfg(test)]
mod tests {
    use super::{blocked_product, logical_product, raked_product, tiled_product, zipped_product};
    use crate::{Layout, Point, Tiler};

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    fn tiler(text: &str) -> Tiler {
        text.parse().unwrap()
    }

    #[test]
    fn products_place_copies_in_the_gaps() {
        let (a, b) = (layout("(2,2):(4,1)"), tiler("6:1"));
        assert_eq!(logical_product(&a, &b).unwrap(), layout("((2,2),(2,3)):((4,1),(2,8))"));
        assert_eq!(tiled_product(&a, &b).unwrap(), layout("((2,2),2,3):((4,1),2,8)"));
        // Ranks 1 and 2 are padded with 1:0.
        assert_eq!(blocked_product(&layout("2:1"), &layout("(3,2):(1,3)")).unwrap(), layout("(6,2):(1,6)"));
    }

    #[test]
    fn by_mode_products_can_be_zipped() {
        let (a, b) = (layout("(2,3):(1,2)"), tiler("<4;2>"));
        assert_eq!(logical_product(&a, &b).unwrap(), layout("((2,4),(3,2)):((1,2),(2,1))"));
        assert_eq!(zipped_product(&a, &b).unwrap(), layout("((2,3),(4,2)):((1,2),(2,1))"));
        let error = zipped_product(&a, &tiler("<_;2>")).unwrap_err();
        assert!(error.message.contains("`_` has no zipped or tiled product"), "{}", error.message);
        let error = zipped_product(&a, &tiler("<<4>;2>")).unwrap_err();
        assert!(error.message.contains("nested by mode has no zipped"), "{}", error.message);
    }

    #[test]
    fn blocked_product_keeps_blocks_and_raked_product_interleaves_them() {
        let (a, b) = (layout("(2,5):(5,1)"), layout("(3,4):(1,3)"));
        assert_eq!(blocked_product(&a, &b).unwrap(), layout("(6,(5,4)):(5,(1,30))"));
        assert_eq!(raked_product(&a, &b).unwrap(), layout("((3,2),(4,5)):((10,5),(30,1))"));
    }

    #[test]
    fn impossible_product_is_rejected_at_the_first_wrong_index() {
        let error = logical_product(&layout("2:2"), &tiler("3:1")).unwrap_err();
        let witness = error.witness.unwrap();
        assert_eq!(witness.point, Some(Point::Value { index: 4, expected: Some(4), candidate: Some(2) }));
        assert!(error.message.starts_with("the copies cannot be placed"), "{}", error.message);
        let error = logical_product(&layout("(4,2):(1,2)"), &tiler("2")).unwrap_err();
        assert!(error.message.starts_with("the block (4,2):(1,2) has no complement"), "{}", error.message);
        let big = layout("4611686018427387904:1");
        assert!(logical_product(&big, &tiler("4")).unwrap_err().message.contains("exceeds 2^63-1 offsets"));
    }
}
