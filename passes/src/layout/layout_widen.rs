//! Combines accesses to adjacent elements into vector accesses, if the elements are provably contiguous and
//! aligned.
//!
//! ```mlir
//! layout.load %v at <(_,?)>(%i) ... -> vector<32xf16>      the same {layout.width = 8 : i64, layout.align = 16 : i64}
//!
//! %a = layout.load %v at <(?,0)>(%i)                       %g = layout.load %w at <(_,?)>(%i) {layout.width = 2, ...}
//! %b = layout.load %v at <(?,1)>(%i)                       %a, %b = vector.to_elements %g
//! ```
//!
//! The pass sets the proven width as an attribute of an access of several elements. Accesses of single elements are
//! combined if they are in one block and differ only in constant offsets. Invariant: no operation between combined
//! accesses accesses the same memory. The cost is linear, because the groups are formed block by block.
use super::fold_layouts::{constant, coord_of_leaves};
use super::proof::{base_alignment, prove};
use crate::analysis::effects::may_share;
use cube_algebra::{Layout, coalesce};
use cube_dialect::attributes::{LAYOUT_ALIGN, LAYOUT_WIDTH};
use cube_dialect::{BufferKind, BufferType};
use cube_ir::access::all_accesses;
use cube_ir::ops::vector;
use cube_ir::{
    Block, Builder, Op, PassResult, Run, TypeExt, Val, pass,
    properties::{EffectKind, is_convergent, is_terminator, own_effects},
};
use cube_layout_dialect::{
    Index, Layouts, View, ViewAccess, access_of, coord_attr, known, ops,
    text::{CoordLeaf, Written},
};
use std::collections::HashMap;

pass! {
    name: "layout-widen",
    summary: "combines accesses of neighbouring elements into vector accesses",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["layout", "vector"],
    statistics: ["accesses widened", "groups made"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let blocks: Vec<Block<'p>> =
        run.root().walk().into_iter().flat_map(|op| op.regions()).flat_map(|r| r.blocks()).collect();
    let mut layouts = Layouts::default();
    for block in blocks {
        group(run, &mut layouts, block);
    }
    for op in run.root().walk() {
        let Some(access) = access_of(op) else { continue };
        let Ok(view) = layouts.accessed(op) else { continue };
        if view.count().is_none_or(|n| n < 2) {
            continue;
        }
        let proof = prove(&view, run.root());
        let of = access.ty.element();
        match proof.width {
            0 | 1 => run.missed(op, "widen", format_args!("elements of {of} are moved one by one"), why(&view)),
            width => {
                let number = |n: u64| run.cx().int_attr(run.cx().int(64), n as i64);
                op.set_attr(LAYOUT_WIDTH, number(width));
                op.set_attr(LAYOUT_ALIGN, number(proof.alignment));
                run.passed(op, "widen", format_args!("{width} elements of {of} are moved at once"));
                run.count("accesses widened", 1);
            }
        }
    }
    Ok(())
}

// The reason why an access is not widened.
fn why(view: &View<'_>) -> &'static str {
    let first = known(&view.shape).and_then(|l| coalesce(&l).leaves().first().copied());
    match first {
        None => "the strides are known only at run time; make the strides comptime parameters",
        Some(mode) if mode.stride != 1 => {
            "the first mode of the elements does not have stride 1; order the values so that its stride is 1"
        }
        _ if base_alignment(view) == view.buffer_type().map_or(1, |b| b.line_bytes()) => {
            "the first line's address is not known to be aligned; set cube.align = 16 on the argument"
        }
        _ => "a stride or the offset is not a multiple of the width; pad the pitch",
    }
}

/// A scalar access whose offset is the sum of a constant and run-time coordinates.
struct Single<'p> {
    access: ViewAccess<'p>,
    view: View<'p>,
}

/// The common properties of the accesses of a group: buffer, modes, coordinates, and kind of access.
#[derive(PartialEq, Eq)]
struct Key<'p> {
    buffer: Val<'p>,
    store: bool,
    checked: Option<bool>,
    fixed: Vec<(String, Val<'p>)>,
}

fn single<'p>(layouts: &mut Layouts<'p>, op: Op<'p>) -> Option<(Key<'p>, Single<'p>)> {
    let access = access_of(op)?;
    let view = layouts.accessed(op).ok()?;
    let buffer = view.buffer_type()?;
    let plain = view.axes.is_empty() && view.is_plain() && view.count() == Some(1) && access.ty.is_scalar();
    if !plain || buffer.line != 1 || buffer.element.bits() == Some(1) || buffer.kind == BufferKind::Local {
        return None;
    }
    let fixed = view.fixed.iter().map(|f| match f.at {
        Index::Value(at) => Some((coalesce(&known(&f.shape)?).to_string(), at)),
        Index::Known(_) => None,
    });
    let fixed = fixed.collect::<Option<Vec<_>>>()?;
    let checked = access.bounds.map(|b| b == cube_dialect::Bounds::Checked);
    Some((Key { buffer: view.buffer, store: access.value.is_some(), checked, fixed }, Single { access, view }))
}

// Whether accesses of this group must not move across `op`. A convergent or unknown operation blocks every group.
// Another operation blocks the group if it can access the same memory and one of the accesses writes.
fn blocks_motion<'p>(layouts: &mut Layouts<'p>, op: Op<'p>, group: &Key<'p>) -> bool {
    if is_terminator(op) || is_convergent(op) || op.regions().len() > 0 {
        return true;
    }
    match all_accesses(op) {
        Some(all) if !all.is_empty() => all.iter().any(|other| {
            let buffer = match other.buffer.ty().view_line() {
                Some(_) => layouts.accessed(op).ok().map(|view| view.buffer),
                None => Some(other.buffer).filter(|buffer| BufferType::of(buffer.ty()).is_some()),
            };
            (other.kind.writes() || group.store) && buffer.is_none_or(|buffer| may_share(buffer, group.buffer))
        }),
        _ => {
            let effects = own_effects(op);
            let frees = effects.may(EffectKind::Free);
            frees || effects.may(EffectKind::Write) || group.store && effects.may(EffectKind::Read)
        }
    }
}

fn group<'p>(run: &mut Run<'p>, layouts: &mut Layouts<'p>, block: Block<'p>) {
    let mut open: Vec<(Key<'p>, Vec<Single<'p>>)> = Vec::new();
    let mut done: Vec<Vec<Single<'p>>> = Vec::new();
    for op in block.ops() {
        let found = single(layouts, op);
        let mut still = Vec::new();
        for (key, singles) in open {
            let own = found.as_ref().is_some_and(|(own, _)| *own == key);
            if !own && blocks_motion(layouts, op, &key) { done.push(singles) } else { still.push((key, singles)) }
        }
        open = still;
        if let Some((key, one)) = found {
            match open.iter_mut().find(|(own, _)| *own == key) {
                Some((_, singles)) => singles.push(one),
                None => open.push((key, vec![one])),
            }
        }
    }
    done.extend(open.into_iter().map(|(_, singles)| singles));
    let mut renamed = HashMap::new();
    for singles in done {
        widen(run, singles, &mut renamed);
    }
    layouts.forget(renamed.into_keys());
}

// Finds runs of neighbouring offsets and combines each run into one access.
fn widen<'p>(run: &mut Run<'p>, mut singles: Vec<Single<'p>>, renamed: &mut HashMap<Val<'p>, Val<'p>>) {
    let store = singles.first().is_some_and(|s| s.access.value.is_some());
    singles.sort_by_key(|s| s.view.base);
    let repeated = singles.windows(2).any(|w| w[0].view.base == w[1].view.base);
    // Two writes to one address must keep their order.
    if repeated && store {
        return;
    }
    singles.dedup_by_key(|s| s.view.base);
    let mut at = 0;
    while at < singles.len() {
        let taken = [16usize, 8, 4, 2].into_iter().find(|width| fits(run, &singles[at..], *width)).unwrap_or(1);
        if taken > 1 {
            merge(run, &singles[at..at + taken], renamed);
        }
        at += taken;
    }
}

fn fits<'p>(run: &Run<'p>, singles: &[Single<'p>], width: usize) -> bool {
    let Some(group) = singles.get(..width) else { return false };
    let first = &group[0].view;
    let near = group.iter().enumerate().all(|(k, s)| s.view.base == first.base + k as u64);
    near && merged(first, width as u64).is_some_and(|view| prove(&view, run.root()).width >= width as u64)
}

// The view of `width` neighbouring elements, starting at `first`.
fn merged<'p>(first: &View<'p>, width: u64) -> Option<View<'p>> {
    let shape = cube_layout_dialect::shape_of(&Layout::leaf(width, 1).ok()?);
    Some(View { shape, ..first.clone() })
}

fn merge<'p>(run: &mut Run<'p>, group: &[Single<'p>], renamed: &mut HashMap<Val<'p>, Val<'p>>) {
    let (first, width) = (&group[0].view, group.len() as u64);
    let last = |pick: fn(&[Op<'p>]) -> Option<Op<'p>>| pick(&in_order(group));
    let store = group[0].access.value.is_some();
    // The combined load is inserted at the first load, and the combined store at the last store.
    let Some(place) = (if store { last(|ops| ops.last().copied()) } else { last(|ops| ops.first().copied()) }) else {
        return;
    };
    let b = run.before(place);
    let mut modes: Vec<Layout> = Layout::leaf(width, 1).into_iter().collect();
    modes.extend(first.fixed.iter().filter_map(|f| known(&f.shape).map(|l| coalesce(&l))));
    let operands = modes.len() - 1;
    let leaves = (0..operands).map(|operand| CoordLeaf::At(Written::Operand(operand)));
    let coord = coord_of_leaves(std::iter::once(CoordLeaf::All).chain(leaves).collect());
    let layout = if modes.len() == 1 { Ok(modes.remove(0)) } else { Layout::tuple(modes) };
    let Ok(layout) = layout else { return };
    let coord = coord_attr(b.cx(), &coord);
    let layout = constant(b, first.swizzle, first.base, &layout);
    let access = group[0].access;
    let view = b.op(ops::View::KIND).operands(&[first.buffer, layout]).result(access.view.ty()).value();
    let ty = b.cx().vector(width, access.ty);
    // The index can be a loaded element that the combination of an earlier group has replaced.
    let now = |at: Val<'p>| renamed.get(&at).copied().unwrap_or(at);
    let indices = first.fixed.iter().filter_map(|f| if let Index::Value(at) = f.at { Some(now(at)) } else { None });
    let mut operands: Vec<Val<'p>> = Vec::new();
    if store {
        let values: Vec<Val<'p>> = group.iter().map(|s| s.access.op.operand(0)).collect();
        operands.push(b.op(vector::FROM_ELEMENTS).operands(&values).result(ty).value());
    }
    operands.push(view);
    operands.extend(indices);
    build(run, b, group, &operands, coord, ty, renamed);
    run.count("groups made", 1);
}

fn in_order<'p>(group: &[Single<'p>]) -> Vec<Op<'p>> {
    let accesses: Vec<Op<'p>> = group.iter().map(|s| s.access.op).collect();
    let all = accesses.first().and_then(|op| op.block()).map(|block| block.ops()).unwrap_or_default();
    all.into_iter().filter(|op| accesses.contains(op)).collect()
}

fn build<'p>(
    run: &mut Run<'p>,
    b: Builder<'p>,
    group: &[Single<'p>],
    operands: &[Val<'p>],
    coord: cube_ir::Attribute<'p>,
    ty: cube_ir::Type<'p>,
    renamed: &mut HashMap<Val<'p>, Val<'p>>,
) {
    let access = group[0].access;
    let mut spec = b.op(access.op.name()).operands(operands).attr("coord", coord);
    if let Some(bounds) = cube_dialect::bounds_of(access.op) {
        spec = spec.attr("bounds", bounds.attr(b.cx()));
    }
    if access.value.is_some() {
        spec.build();
        group.iter().for_each(|s| run.erase(s.access.op));
        return;
    }
    let wide = spec.result(ty).value();
    // All lanes are created before the first access is removed, because the access is their insertion point.
    let lanes: Vec<Val<'p>> = (0..group.len() as u64).map(|lane| b.lane(wide, lane)).collect();
    for (one, lane) in group.iter().zip(lanes) {
        renamed.insert(one.access.op.result(0), lane);
        run.replace(one.access.op, &[lane]);
    }
}
