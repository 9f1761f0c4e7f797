//! Folders of the layout algebra, for layouts with constant numbers. An invalid operation does not fold; the pass
//! `fold-layouts` reports the error.
use crate::{coord_of, layout_attr, layout_text_of, ops, text};
use cube_algebra::{Coord, Layout, Nest, Swizzle};
use cube_ir::{AttrExt, Attribute, Fold, Op, ops::layout};

pub(crate) fn fold<'p>(op: Op<'p>, constants: &[Option<Attribute<'p>>]) -> Option<Fold<'p>> {
    if op.is(ops::Constant::KIND) {
        return op.attr("value").map(Fold::Attr);
    }
    if op.is(ops::Make::KIND) {
        return make(op, constants);
    }
    let layout = |i: usize| -> Option<Layout> {
        let form = layout_text_of(constants.get(i).copied().flatten()).ok()?;
        let plain = form.swizzle.bits() == 0 && form.base == 0;
        if plain { text::layout_of(&form).ok() } else { None }
    };
    let number =
        |n: u64| u32::try_from(n).ok().map(|n| Fold::Attr(op.cx().int_attr(op.result(0).ty(), n as i32 as i64)));
    if op.is(ops::Crd2idx::KIND) {
        let (coord, _) = coord_of(op.attr("coord")).ok()?;
        let indices: Option<Vec<u64>> =
            constants.iter().skip(1).map(|c| c.and_then(|c| c.as_int()).map(|n| u64::from(n as u32))).collect();
        let indices = indices?;
        let coord = coord.map(&mut |leaf| match leaf {
            text::CoordLeaf::All => None,
            text::CoordLeaf::At(text::Written::Known(n)) => Some(*n),
            text::CoordLeaf::At(text::Written::Operand(i)) => indices.get(*i).copied(),
        });
        return number(cube_algebra::crd2idx(&Coord(coord), &layout(0)?).ok()?);
    }
    if op.is(ops::Size::KIND) {
        let of = layout(0)?;
        let part = match op.attr("mode").and_then(|a| a.as_int()) {
            Some(mode) => of.mode(usize::try_from(mode).ok()?).ok()?,
            None => of,
        };
        return number(part.size());
    }
    let result = match op.kind() {
        layout::COALESCE => Ok(cube_algebra::coalesce(&layout(0)?)),
        layout::FILTER => Ok(cube_algebra::filter(&layout(0)?)),
        layout::RIGHT_INVERSE => Ok(cube_algebra::right_inverse(&layout(0)?)),
        layout::LEFT_INVERSE => cube_algebra::left_inverse(&layout(0)?),
        layout::COMPLEMENT => cube_algebra::complement(&layout(0)?, u64::try_from(op.attr("to")?.as_int()?).ok()?),
        layout::LOGICAL_PRODUCT => cube_algebra::logical_product(&layout(0)?, &layout(1)?.into()),
        layout::BLOCKED_PRODUCT => cube_algebra::blocked_product(&layout(0)?, &layout(1)?),
        layout::RAKED_PRODUCT => cube_algebra::raked_product(&layout(0)?, &layout(1)?),
        layout::COMPOSE => cube_algebra::compose(&layout(0)?, &layout(1)?),
        _ => divided(op, &layout(0)?, &layout(1)?)?,
    };
    Some(Fold::Attr(layout_attr(op.cx(), Swizzle::identity(), 0, &result.ok()?)))
}

fn divided(op: Op<'_>, layout: &Layout, tile: &Layout) -> Option<cube_algebra::Result<Layout>> {
    let tiler = crate::model::tiler(tile, op.attr("modes").is_some());
    let layout =
        if op.attr("ragged").is_some() { cube_algebra::round_up(layout, &tiler).ok()? } else { layout.clone() };
    Some(match op.kind() {
        layout::LOGICAL_DIVIDE => cube_algebra::logical_divide(&layout, &tiler),
        layout::ZIPPED_DIVIDE => cube_algebra::zipped_divide(&layout, &tiler),
        layout::TILED_DIVIDE => cube_algebra::tiled_divide(&layout, &tiler),
        layout::FLAT_DIVIDE => cube_algebra::flat_divide(&layout, &tiler),
        _ => return None,
    })
}

// Folds a `layout.make` whose operands are all constants.
fn make<'p>(op: Op<'p>, constants: &[Option<Attribute<'p>>]) -> Option<Fold<'p>> {
    let form = layout_text_of(op.attr("form")).ok()?;
    let leaves: Option<Vec<u64>> =
        constants.iter().map(|c| c.and_then(|c| c.as_int()).map(|n| u64::from(n as u32))).collect();
    let leaves = leaves?;
    let known = |nest: &Nest<text::Written>| {
        nest.map(&mut |w| match w {
            text::Written::Known(n) => *n,
            text::Written::Operand(i) => leaves.get(*i).copied().unwrap_or(0),
        })
    };
    let layout = Layout::new(&known(&form.shape), &known(&form.stride)).ok()?;
    Some(Fold::Attr(layout_attr(op.cx(), form.swizzle, form.base, &layout)))
}
