//! Folds layouts with the layout algebra, and folds each chain of views into one layout and one coordinate.
//!
//! ```mlir
//! %t = layout.zipped_divide %a by modes %tile             %l = layout.constant #layout.layout<((8,4),(32,4),1024):...>
//! %b = layout.slice %t at <((_,_),?)>(%cube)              %v = layout.view %x, %l
//! %c = layout.compose %b, %tv                             layout.load %v at <(_,?,?)>(%unit, %cube)
//! layout.load %c at <(?,_)>(%unit)
//! ```
//!
//! If a layout is invalid, the pass reports an error with the algebra's counterexample as a note. Views with ragged
//! tiles, or with unknown extents or strides, keep their chain of operations. In such a chain, only the layouts become
//! constants. The cost is the number of operations times the cost of the layout algebra for one layout.
use cube_algebra::{Layout, Nest, Swizzle, coalesce};
use cube_ir::{AttrExt, Builder, Failed, Op, PassResult, Run, TypeExt, Val, pass};
use cube_layout_dialect::{
    Index, Layouts, Refusal, View, access_of, coord_attr, coord_of, is_layout, known, layout_attr, leaves, ops,
    text::{self, CoordLeaf, Written},
    view_of,
};

pass! {
    name: "fold-layouts",
    summary: "folds layouts into constants, and each chain of views into one layout",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["arith", "layout"],
    statistics: ["layouts folded", "views folded"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let all = super::operations(run.root());
    if all.is_empty() {
        run.unchanged();
        return Ok(());
    }
    let mut layouts = Layouts::default();
    // The pass checks all layouts before it changes an operation. A refused layout is reported once, at the operation
    // that creates the layout.
    let mut reported: Vec<Op<'p>> = Vec::new();
    for op in &all {
        if let Err(refusal) = judge(&mut layouts, *op)
            && !reported.contains(&refusal.op)
        {
            refusal.report();
            reported.push(refusal.op);
        }
    }
    if !reported.is_empty() {
        return Err(Failed);
    }
    for op in &all {
        if access_of(*op).is_some() {
            access(run, &mut layouts, *op);
        }
    }
    for op in all {
        layout(run, &mut layouts, op);
    }
    Ok(())
}

fn judge<'p>(layouts: &mut Layouts<'p>, op: Op<'p>) -> Result<(), Refusal<'p>> {
    for result in op.results() {
        if view_of(op).is_some() {
            layouts.view(result, op)?;
        } else if is_layout(result.ty()) {
            layouts.layout(result, op)?;
        }
    }
    if access_of(op).is_some() {
        let view = layouts.accessed(op)?;
        return counts(op, &view);
    }
    match op.kind() {
        ops::Crd2idx::KIND => layouts.coordinate(op).map(|_| ()),
        ops::Idx2crd::KIND => {
            let count = leaves(&layouts.layout(op.operand(1), op)?.shape).len();
            match op.results().len() == count {
                true => Ok(()),
                false => Err(Refusal::new(
                    op,
                    cube_ir::diagnostic!(CUBE0176.results { given: op.results().len(), leaves: count }),
                )),
            }
        }
        ops::Size::KIND => {
            let shape = if view_of_operand(op) {
                layouts.view(op.operand(0), op)?.shape
            } else {
                layouts.layout(op.operand(0), op)?.shape
            };
            let mode = op.attr("mode").and_then(|a| a.as_int());
            match mode {
                Some(mode) if mode < 0 || mode as usize >= shape.rank() => {
                    Err(Refusal::new(op, cube_ir::diagnostic!(CUBE0333.mode { mode, rank: shape.rank() })))
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn view_of_operand(op: Op<'_>) -> bool {
    op.operand(0).ty().view_line().is_some()
}

// Checks that the coordinate selects as many elements as the vector has.
fn counts<'p>(op: Op<'p>, view: &View<'p>) -> Result<(), Refusal<'p>> {
    let Some(access) = access_of(op) else { return Ok(()) };
    let line = cube_layout_dialect::line_of_view(access.view).map_or(1, |ty| ty.element_count());
    let lanes = access.ty.element_count();
    match view.count() {
        None => Err(Refusal::new(op, cube_ir::diagnostic!(CUBE0335.open))),
        Some(count) if count.checked_mul(line) == Some(lanes) => Ok(()),
        Some(count) => Err(Refusal::new(
            op,
            cube_ir::diagnostic!(CUBE0335.lanes { lanes, ty: access.ty, count, line, expected: count.saturating_mul(line) }),
        )),
    }
}

// Replaces a layout of known numbers by a constant.
fn layout<'p>(run: &mut Run<'p>, layouts: &mut Layouts<'p>, op: Op<'p>) {
    if op.is(ops::Constant::KIND) {
        return;
    }
    let results: Vec<Val<'p>> = op.results().collect();
    if results.is_empty() || view_of(op).is_some() || !results.iter().all(|r| is_layout(r.ty())) {
        return;
    }
    let values: Option<Vec<Val<'p>>> = results
        .iter()
        .map(|result| {
            let value = layouts.layout(*result, op).ok()?;
            let layout = known(&value.shape)?;
            Some(constant(run.before(op), value.swizzle, value.base, &layout))
        })
        .collect();
    if let Some(values) = values {
        run.replace(op, &values);
        run.count("layouts folded", 1);
    }
}

/// A `layout.constant` with the given offset, swizzle and layout.
pub(super) fn constant<'p>(b: Builder<'p>, swizzle: Swizzle, base: u64, layout: &Layout) -> Val<'p> {
    let value = layout_attr(b.cx(), swizzle, base, layout);
    b.op(ops::Constant::KIND).attr("value", value).result(b.cx().layout_type()).value()
}

/// A coordinate that consists of the given numbers. A single number has no parentheses.
pub(super) fn coord_of_leaves(mut leaves: Vec<CoordLeaf>) -> Nest<CoordLeaf> {
    match leaves.len() {
        1 => Nest::Leaf(leaves.remove(0)),
        _ => Nest::Tuple(leaves.into_iter().map(Nest::Leaf).collect()),
    }
}

// Folds the view of an access into one layout: first the remaining elements, then each mode with a coordinate.
fn access<'p>(run: &mut Run<'p>, layouts: &mut Layouts<'p>, op: Op<'p>) {
    let (Some(access), Ok(view)) = (access_of(op), layouts.accessed(op)) else { return };
    let fixed: Option<Vec<(Layout, Val<'p>)>> = view
        .fixed
        .iter()
        .map(|f| match f.at {
            Index::Value(at) => Some((coalesce(&known(&f.shape)?), at)),
            Index::Known(_) => None,
        })
        .collect();
    let (Some(fixed), Some(kept), true) = (fixed, known(&view.shape), view.axes.is_empty()) else { return };
    let Ok((written, _)) = coord_of(op.attr("coord")) else { return };
    let mut keeps = false;
    written.each_leaf(&mut |leaf| keeps |= *leaf == CoordLeaf::All);
    let mut modes = Vec::new();
    let mut coord = Vec::new();
    if keeps || fixed.is_empty() {
        modes.push(coalesce(&kept));
        coord.push(if keeps { CoordLeaf::All } else { CoordLeaf::At(Written::Known(0)) });
    }
    modes.extend(fixed.iter().map(|(layout, _)| layout.clone()));
    coord.extend((0..fixed.len()).map(|operand| CoordLeaf::At(Written::Operand(operand))));
    let coord = coord_of_leaves(coord);
    let layout = if modes.len() == 1 { Ok(modes.remove(0)) } else { Layout::tuple(modes) };
    let Ok(layout) = layout else { return };
    let b = run.before(op);
    let value = constant(b, view.swizzle, view.base, &layout);
    let new = b.op(ops::View::KIND).operands(&[view.buffer, value]).result(access.view.ty()).value();
    let mut operands: Vec<Val<'p>> = access.value.into_iter().collect();
    operands.push(new);
    operands.extend(fixed.iter().map(|(_, at)| *at));
    op.set_operands(&operands);
    op.set_attr("coord", coord_attr(b.cx(), &coord));
    run.passed(
        op,
        "one-layout",
        format_args!("the view is {} at {coord}", text::write(view.swizzle, view.base, &layout)),
    );
    run.count("views folded", 1);
}
