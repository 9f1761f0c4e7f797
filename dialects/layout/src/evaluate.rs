//! Evaluates the layouts and views of a kernel from their defining operations.
use crate::model::{self, Axis, Divide, Failure, Fixed, Index, Leaf, Num, Shape, Value, View, known, shape_of, size};
use crate::{coord_of, layout_text_of, ops, text};
use cube_algebra::{Error, Layout, Nest};
use cube_dialect::{Bounds, BufferType, bounds_of};
use cube_ir::ops::{arith, layout};
use cube_ir::{AttrExt, Dialect, Message, Op, OpKind, Type, TypeExt, Val, access};
use std::collections::{HashMap, HashSet};

/// The reason why a layout or view is invalid: the operation, the rule, the fix, the code, and the witness
/// (indices that prove the error).
#[derive(Clone, Debug)]
pub struct Refusal<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The violated rule, a proposed fix, and the error code.
    pub message: Message,
    /// The witness: indices that prove the error.
    pub witness: Option<String>,
}

impl<'p> Refusal<'p> {
    /// Creates the refusal of operation `op`, with `message`.
    pub fn new(op: Op<'p>, message: impl Into<Message>) -> Self {
        Refusal { op, message: message.into().at_op(op.name()), witness: None }
    }

    pub fn report(&self) {
        let notes: Vec<_> = self.witness.iter().map(|witness| (self.op.location(), witness.clone())).collect();
        self.op.error_with_notes(self.message.clone(), &notes);
    }
}

fn refused<'p, F: Into<Failure>>(op: Op<'p>) -> impl Fn(F) -> Refusal<'p> {
    move |failure| match failure.into() {
        Failure::Rule(message) => Refusal::new(op, *message),
        Failure::Algebra(error) => {
            let witness = error.note();
            let location = error.at.map(|at| format!(" (at byte {at} of the text)")).unwrap_or_default();
            Refusal {
                witness,
                ..Refusal::new(op, cube_ir::diagnostic!(CUBE0333.algebra { why: error.message, location }))
            }
        }
    }
}

/// Whether a value is a layout or a view.
pub fn is_layout(ty: Type<'_>) -> bool {
    ty.is_layout() || ty.view_line().is_some()
}

/// The type of a line of the buffer behind a view.
pub fn line_of_view<'p>(view: Val<'p>) -> Option<Type<'p>> {
    view.ty().view_line()
}

/// A load or store of the dialect.
#[derive(Clone, Copy, Debug)]
pub struct ViewAccess<'p> {
    /// The operation.
    pub op: Op<'p>,
    pub view: Val<'p>,
    /// The value that a store writes.
    pub value: Option<Val<'p>>,
    /// The type of the loaded or stored value.
    pub ty: Type<'p>,
    /// Position of the coordinate's first operand in the operand list.
    pub first: usize,
    /// Whether the access is checked. If the access has no bounds attribute, an attribute of the kernel
    /// determines whether the access is checked.
    pub bounds: Option<Bounds>,
}

/// The access of `op`, if `op` is an access.
pub fn access_of(op: Op<'_>) -> Option<ViewAccess<'_>> {
    let found = access::access_of(op).filter(|_| op.is_of(Dialect::Layout))?;
    let (view, value, first) = (found.buffer, found.value, found.first_index());
    Some(ViewAccess { op, view, value, ty: found.ty()?, first, bounds: bounds_of(op) })
}

/// The position of a coordinate's first operand in the operand list of an operation.
fn first_index(op: Op<'_>) -> usize {
    if op.is(ops::Store::KIND) { 2 } else { 1 }
}

/// Layouts and views by their SSA values. Each layout or view is computed once. Create one cache for each function and
/// pass run. A pass that replaces values calls [`Layouts::forget`].
#[derive(Default)]
pub struct Layouts<'p> {
    layouts: HashMap<Val<'p>, Result<Value<'p>, Refusal<'p>>>,
    views: HashMap<Val<'p>, Result<View<'p>, Refusal<'p>>>,
    /// For each value of the kernel, the layouts and views that contain the value.
    holders: HashMap<Val<'p>, Vec<Val<'p>>>,
    /// Values of function arguments, for evaluation through a call.
    bindings: HashMap<Val<'p>, Val<'p>>,
}

impl<'p> Layouts<'p> {
    /// Binds an argument to a value.
    pub fn bind(&mut self, argument: Val<'p>, value: Val<'p>) {
        // Results that were computed with another value are stale.
        (self.layouts, self.views, self.holders) = Default::default();
        self.bindings.insert(argument, value);
    }

    /// Drops the layouts and views that refer to a value in `replaced`, after a pass has replaced these
    /// values.
    pub fn forget(&mut self, replaced: impl IntoIterator<Item = Val<'p>>) {
        for value in replaced {
            for holder in self.holders.remove(&value).unwrap_or_default() {
                self.layouts.remove(&holder);
                self.views.remove(&holder);
            }
        }
    }

    fn record_uses(&mut self, holder: Val<'p>, values: impl IntoIterator<Item = Val<'p>>) {
        for value in values {
            self.holders.entry(value).or_default().push(holder);
        }
    }

    fn definition(&self, value: Val<'p>, user: Op<'p>) -> Result<(Op<'p>, usize), Refusal<'p>> {
        let mut value = value;
        while let Some(other) = self.bindings.get(&value) {
            value = *other;
        }
        let number = |def: Op<'p>| def.results().position(|r| r == value).unwrap_or(0);
        value
            .def()
            .filter(|def| def.is_of(Dialect::Layout))
            .map(|def| (def, number(def)))
            .ok_or_else(|| Refusal::new(user, cube_ir::diagnostic!(CUBE0334.chosen)))
    }

    /// The layout of `value`, an operand of `user`.
    ///
    /// # Errors
    /// The algebra refuses the layout, or the layout is only known at run time.
    pub fn layout(&mut self, value: Val<'p>, user: Op<'p>) -> Result<Value<'p>, Refusal<'p>> {
        let (op, result) = self.definition(value, user)?;
        let key = op.result(result);
        if let Some(known) = self.layouts.get(&key) {
            return known.clone();
        }
        let found = self.compute(op, result);
        if let Ok(layout) = &found {
            self.record_uses(key, model::values_of(&layout.shape));
        }
        self.layouts.insert(key, found.clone());
        found
    }

    fn plain(&mut self, op: Op<'p>, operand: usize) -> Result<Layout, Refusal<'p>> {
        let value = self.layout(op.operand(operand), op)?;
        value.plain_layout(&format!("operand {operand} of '{}'", op.name())).map_err(refused(op))
    }

    fn compute(&mut self, op: Op<'p>, result: usize) -> Result<Value<'p>, Refusal<'p>> {
        let no = refused(op);
        let plain = |found: Result<Layout, Error>| found.map(|l| Value::plain(&l)).map_err(refused(op));
        match op.kind() {
            layout::CONSTANT => {
                let form = layout_text_of(op.attr("value")).map_err(&no)?;
                Value::of_form(&form, &[]).map_err(refused(op))
            }
            layout::MAKE => {
                let form = layout_text_of(op.attr("form")).map_err(&no)?;
                let operands: Vec<Index<'p>> = op.operands().map(index_of).collect();
                if operands.len() < form.operands {
                    return Err(Refusal::new(op, cube_ir::diagnostic!(CUBE0171.fewer)));
                }
                Value::of_form(&form, &operands).map_err(refused(op))
            }
            layout::COALESCE => plain(Ok(cube_algebra::coalesce(&self.plain(op, 0)?))),
            layout::FILTER => plain(Ok(cube_algebra::filter(&self.plain(op, 0)?))),
            layout::RIGHT_INVERSE => plain(Ok(cube_algebra::right_inverse(&self.plain(op, 0)?))),
            layout::LEFT_INVERSE => plain(cube_algebra::left_inverse(&self.plain(op, 0)?)),
            layout::COMPLEMENT => {
                let to = op.attr("to").and_then(|a| a.as_int()).unwrap_or(0).max(0) as u64;
                plain(cube_algebra::complement(&self.plain(op, 0)?, to))
            }
            layout::LOGICAL_PRODUCT => {
                plain(cube_algebra::logical_product(&self.plain(op, 0)?, &self.plain(op, 1)?.into()))
            }
            layout::BLOCKED_PRODUCT => plain(cube_algebra::blocked_product(&self.plain(op, 0)?, &self.plain(op, 1)?)),
            layout::RAKED_PRODUCT => plain(cube_algebra::raked_product(&self.plain(op, 0)?, &self.plain(op, 1)?)),
            layout::MAKE_TV => {
                let tv = cube_algebra::make_layout_tv(&self.plain(op, 0)?, &self.plain(op, 1)?).map_err(&no)?;
                let tile = Nest::Tuple(tv.tile.iter().map(|n| Nest::Leaf(*n)).collect());
                let ones = tile.map(&mut |_| 1);
                plain(if result == 0 { Ok(tv.layout) } else { Layout::new(&tile, &ones) })
            }
            layout::COMPOSE => {
                let inner = self.plain(op, 1)?;
                let outer = self.layout(op.operand(0), op)?;
                let shape = model::compose(&outer.shape, &inner).map_err(refused(op))?;
                Ok(Value { shape, ..outer })
            }
            layout::SLICE => {
                let outer = self.layout(op.operand(0), op)?;
                let (shape, _) = kept_and_fixed(op, &outer.shape)?;
                Ok(Value { shape, ..outer })
            }
            _ => match division(op.kind()) {
                Some(form) => {
                    let tile = self.plain(op, 1)?;
                    let outer = self.layout(op.operand(0), op)?;
                    let (modes, ragged) = divide_flags(op);
                    let shape = model::divide(&outer.shape, &tile, modes, ragged, form).map_err(refused(op))?;
                    Ok(Value { shape, ..outer })
                }
                None => Err(Refusal::new(op, cube_ir::diagnostic!(CUBE0333.no_layout))),
            },
        }
    }

    /// The view of `value`, an operand of `user`.
    ///
    /// # Errors
    /// Returns the errors of [`Layouts::layout`].
    pub fn view(&mut self, value: Val<'p>, user: Op<'p>) -> Result<View<'p>, Refusal<'p>> {
        let (op, _) = self.definition(value, user)?;
        let key = op.result(0);
        if let Some(known) = self.views.get(&key) {
            return known.clone();
        }
        let found = self.compute_view(op);
        if let Ok(view) = &found {
            self.record_uses(key, view.values());
        }
        self.views.insert(key, found.clone());
        found
    }

    fn compute_view(&mut self, op: Op<'p>) -> Result<View<'p>, Refusal<'p>> {
        let no = refused(op);
        if op.is(ops::View::KIND) {
            let Value { swizzle, base, shape } = self.layout(op.operand(1), op)?;
            return Ok(View { buffer: op.operand(0), swizzle, base, shape, fixed: vec![], axes: vec![] });
        }
        let mut view = self.view(op.operand(0), op)?;
        match op.kind() {
            layout::COMPOSE => {
                let inner = self.plain(op, 1)?;
                for axis in &mut view.axes {
                    match_nesting(axis, &view.shape).map_err(&no)?;
                    axis.shape = model::compose(&axis.shape, &inner).map_err(&no)?;
                }
                view.shape = model::compose(&view.shape, &inner).map_err(no)?;
            }
            layout::SLICE => self.slice(op, &mut view)?,
            _ => {
                let form =
                    division(op.kind()).ok_or_else(|| Refusal::new(op, cube_ir::diagnostic!(CUBE0333.no_view)))?;
                let tile = self.plain(op, 1)?;
                let (modes, ragged) = divide_flags(op);
                for axis in &mut view.axes {
                    match_nesting(axis, &view.shape).map_err(&no)?;
                }
                if ragged {
                    add_axes(&mut view, &tile, modes);
                }
                for axis in &mut view.axes {
                    axis.shape = model::divide(&axis.shape, &tile, modes, ragged, form).map_err(&no)?;
                }
                view.shape = model::divide(&view.shape, &tile, modes, ragged, form).map_err(no)?;
            }
        }
        Ok(view)
    }

    /// The part of a view that an access or a slice covers: the modes to which its coordinate assigns no
    /// index.
    ///
    /// # Errors
    /// Returns the errors of [`Layouts::layout`].
    pub fn accessed(&mut self, op: Op<'p>) -> Result<View<'p>, Refusal<'p>> {
        let view = if op.is(ops::Store::KIND) { op.operand(1) } else { op.operand(0) };
        let mut view = self.view(view, op)?;
        self.slice(op, &mut view)?;
        Ok(view)
    }

    /// The terms of `layout.crd2idx`: the layout before its swizzle, and the modes with their coordinates.
    ///
    /// # Errors
    /// Returns the errors of [`Layouts::layout`].
    pub fn coordinate(&mut self, op: Op<'p>) -> Result<(Value<'p>, Vec<Fixed<'p>>), Refusal<'p>> {
        let value = self.layout(op.operand(0), op)?;
        let (_, fixed) = kept_and_fixed(op, &value.shape)?;
        Ok((value, fixed.into_iter().map(|(shape, at)| Fixed { shape, at }).collect()))
    }

    fn slice(&mut self, op: Op<'p>, view: &mut View<'p>) -> Result<(), Refusal<'p>> {
        let mut axes = Vec::new();
        for axis in &mut view.axes {
            match_nesting(axis, &view.shape).map_err(refused(op))?;
            axes.push(kept_and_fixed(op, &axis.shape)?);
        }
        let (shape, fixed) = kept_and_fixed(op, &view.shape)?;
        view.shape = shape;
        for (axis, (shape, _)) in view.axes.iter_mut().zip(&axes) {
            axis.shape = shape.clone();
        }
        for (number, (shape, at)) in fixed.into_iter().enumerate() {
            // A constant coordinate inside its mode becomes a part of the constant offset.
            let known = match at {
                Index::Known(n) => model::offset(&shape, n).map(|offset| (n, offset)),
                Index::Value(_) => None,
            };
            let parts: Vec<&Shape<'p>> = axes.iter().map(|(_, fixed)| &fixed[number].0).collect();
            let in_axes: Option<Vec<u64>> =
                known.and_then(|(n, _)| parts.iter().map(|part| model::offset(part, n)).collect());
            match (known, in_axes) {
                (Some((_, offset)), Some(coordinates)) => {
                    view.base = view.base.saturating_add(offset);
                    view.axes.iter_mut().zip(coordinates).for_each(|(axis, c)| axis.base += c);
                }
                _ => {
                    view.axes.iter_mut().zip(parts).for_each(|(axis, part)| axis.fixed.push(part.clone()));
                    view.fixed.push(Fixed { shape, at });
                }
            }
        }
        Ok(())
    }
}

/// An operand of a coordinate; constants become numbers.
fn index_of(value: Val<'_>) -> Index<'_> {
    let constant = value.def_of(arith::CONSTANT).and_then(|c| c.attr("value")).and_then(|a| a.as_int());
    constant.map_or(Index::Value(value), |n| Index::Known(u64::from(n as u32)))
}

fn division(kind: OpKind) -> Option<Divide> {
    Some(match kind {
        layout::LOGICAL_DIVIDE => Divide::Logical,
        layout::ZIPPED_DIVIDE => Divide::Zipped,
        layout::TILED_DIVIDE => Divide::Tiled,
        layout::FLAT_DIVIDE => Divide::Flat,
        _ => return None,
    })
}

fn divide_flags(op: Op<'_>) -> (bool, bool) {
    (op.attr("modes").is_some(), op.attr("ragged").is_some())
}

type Parts<'p> = (Shape<'p>, Vec<(Shape<'p>, Index<'p>)>);

// A layout without modes is 1:0.
fn kept_and_fixed<'p>(op: Op<'p>, shape: &Shape<'p>) -> Result<Parts<'p>, Refusal<'p>> {
    let no = refused(op);
    let (coord, count) = coord_of(op.attr("coord")).map_err(&no)?;
    let operands: Vec<Index<'p>> = op.operands().skip(first_index(op)).map(index_of).collect();
    if operands.len() != count {
        return Err(Refusal::new(op, cube_ir::diagnostic!(CUBE0172.operands { given: operands.len(), places: count })));
    }
    let split = model::split(&coord, shape, &operands).map_err(refused(op))?;
    let whole = matches!(coord, Nest::Leaf(text::CoordLeaf::All));
    let kept = match split.kept {
        kept if kept.is_empty() => Nest::Leaf(Leaf { extent: Num::Known(1), stride: Num::Known(0) }),
        mut kept if whole => kept.remove(0),
        kept => Nest::Tuple(kept),
    };
    Ok((kept, split.fixed))
}

// Changes the nesting of the axis to the nesting of the view, so that a coordinate of the view is also a coordinate of
// the axis.
fn match_nesting<'p>(axis: &mut Axis<'p>, shape: &Shape<'p>) -> Result<(), Failure> {
    fn alike<'p>(a: &Shape<'p>, b: &Shape<'p>) -> bool {
        match (a, b) {
            (Nest::Leaf(_), Nest::Leaf(_)) => true,
            (Nest::Tuple(a), Nest::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
            _ => false,
        }
    }
    if !alike(&axis.shape, shape) {
        let extents = shape.map(&mut |leaf| leaf.extent.known().unwrap_or(1));
        axis.shape = model::compose(&axis.shape, &Layout::column_major(&extents)?)?;
    }
    Ok(())
}

// Adds one axis for each mode whose end a tile can exceed.
fn add_axes<'p>(view: &mut View<'p>, tile: &Layout, modes: bool) {
    let fits =
        |mode: &Shape<'p>, tile: &Layout| size(mode).is_some_and(|n| n.is_multiple_of(tile.cosize().max(tile.size())));
    let fixed = |n: usize| vec![shape_of(&Layout::unit()); n];
    if !modes {
        if !fits(&view.shape, tile) {
            let (extent, at) = (size(&view.shape), view.fixed.len());
            let shape = column(&view.shape);
            let extent = extent.map_or(Num::Known(u64::MAX), Num::Known);
            view.axes.push(Axis { shape, fixed: fixed(at), base: 0, extent });
        }
        return;
    }
    for (number, tile) in tile.modes().iter().enumerate() {
        let Some(mode) = view.shape.children().get(number).filter(|mode| !fits(mode, tile)) else { continue };
        let extent = match (size(mode), mode) {
            (Some(n), _) => Num::Known(n),
            (None, Nest::Leaf(leaf)) => leaf.extent,
            (None, _) => continue,
        };
        let parts = view.shape.children().iter().enumerate().map(|(k, mode)| match k == number {
            true => column(mode),
            false => mode.map(&mut |leaf| Leaf { stride: Num::Known(0), ..*leaf }),
        });
        let parts: Vec<Shape<'p>> = parts.collect();
        let shape = if matches!(view.shape, Nest::Leaf(_)) { parts[0].clone() } else { Nest::Tuple(parts) };
        let at = view.fixed.len();
        view.axes.push(Axis { shape, fixed: fixed(at), base: 0, extent });
    }
}

// The layout with the extents of `shape` that maps every index to itself. Only the last extent can be
// unknown.
fn column<'p>(shape: &Shape<'p>) -> Shape<'p> {
    let mut filled = 1u64;
    shape.map(&mut |leaf| {
        let stride = filled;
        filled = filled.saturating_mul(leaf.extent.known().unwrap_or(1));
        Leaf { extent: leaf.extent, stride: Num::Known(stride) }
    })
}

impl<'p> View<'p> {
    /// The SSA values from which the view is computed.
    pub(crate) fn values(&self) -> Vec<Val<'p>> {
        let at = |index: &Index<'p>| if let Index::Value(value) = index { Some(*value) } else { None };
        let mut values = vec![self.buffer];
        values.extend(self.fixed.iter().filter_map(|fixed| at(&fixed.at)));
        values.extend(self.axes.iter().filter_map(|axis| axis.extent.value()));
        let axes = self.axes.iter().flat_map(|axis| std::iter::once(&axis.shape).chain(&axis.fixed));
        let shapes = std::iter::once(&self.shape).chain(self.fixed.iter().map(|fixed| &fixed.shape)).chain(axes);
        values.extend(shapes.flat_map(model::values_of));
        let mut seen = HashSet::new();
        values.retain(|value| seen.insert(*value));
        values
    }

    /// The layout with two modes, thread and value, if it is known. The fixed modes together form the thread
    /// mode, and the remaining modes form the value mode.
    pub fn whole(&self) -> Option<Layout> {
        let fixed: Option<Vec<Layout>> = self.fixed.iter().map(|f| known(&f.shape)).collect();
        let fixed = fixed.filter(|f| !f.is_empty()).unwrap_or_else(|| vec![Layout::unit()]);
        if self.fixed.iter().any(|f| known(&f.shape).is_none()) {
            return None;
        }
        Layout::tuple(vec![Layout::tuple(fixed).ok()?, known(&self.shape)?]).ok()
    }

    /// Whether the offset is a plain sum, without a swizzle.
    pub fn is_plain(&self) -> bool {
        self.swizzle.bits() == 0
    }

    /// The parts of the buffer type.
    pub fn buffer_type(&self) -> Option<BufferType<'p>> {
        BufferType::of(self.buffer.ty())
    }

    /// The number of elements of an access that covers all remaining modes, if the number is known.
    pub fn count(&self) -> Option<u64> {
        size(&self.shape)
    }
}

/// The view that an operation of the dialect creates; `None` for other operations.
pub fn view_of(op: Op<'_>) -> Option<Val<'_>> {
    let result = op.results().next()?;
    (op.is_of(Dialect::Layout) && result.ty().view_line().is_some()).then_some(result)
}

/// Elements of a line: 1 for a scalar. The result is 0, which is not a line size, for types that are not lines.
pub(crate) fn lanes_of(ty: Type<'_>) -> u64 {
    ty.line_size().unwrap_or(0)
}
