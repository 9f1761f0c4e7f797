//! Replaces accesses through layouts by plain accesses, and coordinates by index arithmetic.
//!
//! ```mlir
//! layout.load %v at <(_,?,?)>(%unit, %cube) {layout.width = 8, ...} %i = (%unit % 32) * 8 + (%unit / 32) * 8192 + ...
//!                                                                   cube.load %x[%i + 2048] inbounds -> vector<8xf16>
//! ```
//!
//! The pass emits a predicate only if a coordinate can exceed its mode, or if a tile or a wide access can extend beyond
//! the tensor or buffer. A checked access of one element gets the index 2^32 - 1 if the element is out of bounds; this
//! index is outside of every buffer. A wide access that is partly out of bounds is executed element by element.
//! Invariant: no operation of the layout dialect remains. The cost is linear in the number of accessed elements.
use super::offsets::{Maker, Sum, Width};
use super::proof::{ViewFacts, facts, leaves_axis};
use cube_dialect::attributes::{LAYOUT_ALIGN, LAYOUT_WIDTH};
use cube_dialect::{ALIGNMENT, Bounds, Proof, ops as cube_ops, set_proof};
use cube_ir::ops::{arith, cube, vector};
use cube_ir::{
    AttrExt, Attribute, Builder, Cx, Failed, Message, Op, PassResult, Run, Type, TypeExt, Val, pass, upstream::IntCmp,
};
use cube_layout_dialect::{
    Index, Layouts, Refusal, Shape, Value, View, ViewAccess, access_of, digits, known, leaves, ops,
};

pass! {
    name: "resolve-layouts",
    summary: "turns accesses through layouts into plain accesses, and coordinates into index arithmetic",
    on: cube::KERNEL,
    level: Source => Source,
    dialects: ["arith", "cube", "scf", "vector"],
    statistics: ["accesses resolved", "predicates"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let all = super::operations(run.root());
    if all.is_empty() {
        run.unchanged();
        return Ok(());
    }
    let checked = cube_ops::Kernel::of(run.root()).is_none_or(|kernel| kernel.unchecked().is_none());
    let mut layouts = Layouts::default();
    for op in &all {
        let op = *op;
        let plan = match plan(&mut layouts, op) {
            Ok(Some(plan)) => plan,
            Ok(None) => continue,
            Err(refusal) => {
                refusal.report();
                return Err(Failed);
            }
        };
        match plan {
            Plan::Access(access, view) => {
                let kernel_checks = access.bounds.map_or(checked, |b| b == cube_dialect::Bounds::Checked);
                AccessResolver { run, facts: facts(&view), view, access, checked: kernel_checks }.resolve();
                run.count("accesses resolved", 1);
            }
            Plan::Offset(value, parts) => {
                let creator = Maker { b: run.before(op), width: Width::Plain };
                let sum = creator.sum(&parts, value.base);
                let offset = creator.swizzled(value.swizzle, creator.value(sum, 0));
                run.replace(op, &[offset]);
            }
            Plan::Coordinate(shape) => coordinate(run, op, &shape),
            Plan::Size(shape) => {
                let creator = Maker { b: run.before(op), width: Width::Plain };
                let factors = leaves(&shape).into_iter().map(|leaf| creator.num(leaf.extent));
                let product = factors.reduce(|x, y| creator.mul(x, y)).unwrap_or_else(|| creator.number(1));
                run.replace(op, &[product]);
            }
        }
        // Later operations use the replacements of these results.
        layouts.forget(op.results());
    }
    erase(run, all)
}

enum Plan<'p> {
    Access(ViewAccess<'p>, View<'p>),
    Offset(Value<'p>, Vec<(Shape<'p>, Index<'p>)>),
    Coordinate(Shape<'p>),
    Size(Shape<'p>),
}

fn plan<'p>(layouts: &mut Layouts<'p>, op: Op<'p>) -> Result<Option<Plan<'p>>, Refusal<'p>> {
    if let Some(access) = access_of(op) {
        let view = layouts.accessed(op)?;
        limits(op, &view)?;
        return Ok(Some(Plan::Access(access, view)));
    }
    Ok(match op.kind() {
        ops::Crd2idx::KIND => {
            let (value, fixed) = layouts.coordinate(op)?;
            Some(Plan::Offset(value, fixed.into_iter().map(|f| (f.shape, f.at)).collect()))
        }
        ops::Idx2crd::KIND => Some(Plan::Coordinate(layouts.layout(op.operand(1), op)?.shape)),
        ops::Size::KIND => {
            let view = op.operand(0).ty().view_line().is_some();
            let shape =
                if view { layouts.view(op.operand(0), op)?.shape } else { layouts.layout(op.operand(0), op)?.shape };
            let mode = op.attr("mode").and_then(|a| a.as_int()).and_then(|m| usize::try_from(m).ok());
            Some(Plan::Size(mode.and_then(|m| shape.children().get(m).cloned()).unwrap_or(shape)))
        }
        _ => None,
    })
}

// Elements and offsets must fit in 32 bits, like indices of buffers.
fn limits<'p>(op: Op<'p>, view: &View<'p>) -> Result<(), Refusal<'p>> {
    let refuse = |message: Message| Err(Refusal::new(op, message));
    if let Some(whole) = view.whole() {
        let top = whole.cosize().saturating_add(view.base);
        if top > u64::from(u32::MAX) {
            return refuse(cube_ir::diagnostic!(CUBE0337.lines { lines: top }));
        }
    }
    match view.count() {
        Some(1..=1024) => Ok(()),
        Some(n) => refuse(cube_ir::diagnostic!(CUBE0335.most { n })),
        None => refuse(cube_ir::diagnostic!(CUBE0335.unknown)),
    }
}

fn coordinate<'p>(run: &mut Run<'p>, op: Op<'p>, shape: &Shape<'p>) {
    let creator = Maker { b: run.before(op), width: Width::Plain };
    let mut digits = creator.digits(&leaves(shape), Index::Value(op.operand(0)));
    let last = digits.len().saturating_sub(1);
    // The index can be outside the shape. The last digit is then too large, as in CuTe.
    if let Some(none) = digits.get_mut(last).filter(|d| d.is_none()) {
        *none = Some(creator.number(0));
    }
    let values: Vec<Val<'p>> = digits.into_iter().map(|d| d.unwrap_or_else(|| creator.number(0))).collect();
    run.replace(op, &values);
}

// Erases layouts and views, users before definitions. An erased operation still counts as a user until it is destroyed,
// so `erased` lists it.
fn erase<'p>(run: &mut Run<'p>, all: Vec<Op<'p>>) -> PassResult {
    let (mut erased, mut remaining): (Vec<Op<'p>>, Vec<Op<'p>>) = all.into_iter().partition(|op| is_done(*op));
    loop {
        let is_free = |op: &Op<'p>| op.results().flat_map(|r| r.uses()).all(|(user, _)| erased.contains(&user));
        let (free, used): (Vec<Op<'p>>, Vec<Op<'p>>) = remaining.into_iter().partition(is_free);
        for op in &free {
            run.erase(*op);
        }
        if used.is_empty() {
            return Ok(());
        }
        if free.is_empty() {
            used[0].error(cube_ir::diagnostic!(CUBE0334.taken));
            return Err(Failed);
        }
        erased.extend(free);
        remaining = used;
    }
}

// Whether the operation has been replaced already.
fn is_done(op: Op<'_>) -> bool {
    access_of(op).is_some() || [ops::Crd2idx::KIND, ops::Idx2crd::KIND, ops::Size::KIND].contains(&op.kind())
}

struct AccessResolver<'r, 'p> {
    run: &'r mut Run<'p>,
    view: View<'p>,
    facts: ViewFacts,
    access: ViewAccess<'p>,
    checked: bool,
}

impl<'p> AccessResolver<'_, 'p> {
    fn resolve(mut self) {
        let op = self.access.op;
        let b = self.run.before(op);
        let shapes = self.view.fixed.iter().map(|f| &f.shape).chain([&self.view.shape]);
        let unknown = shapes.into_iter().any(|shape| known(shape).is_none());
        let width = match (self.checked, unknown) {
            (true, true) => Width::of_unknown(op),
            (true, false) => Width::Plain,
            (false, _) => Width::Promised,
        };
        let creator = Maker { b, width };
        let parts: Vec<(Shape<'p>, Index<'p>)> = self.view.fixed.iter().map(|f| (f.shape.clone(), f.at)).collect();
        let sum = creator.sum(&parts, self.view.base);
        let coordinates_in_range = self.coordinates_in_range(creator);
        let count = self.view.count().unwrap_or(1);
        let wide = op.attr(LAYOUT_WIDTH).and_then(|a| a.as_int()).and_then(|n| u64::try_from(n).ok()).unwrap_or(1);
        // The attribute only requests a width. The proof of the view must show that the lines are contiguous and
        // aligned.
        let proven = wide <= self.facts.width;
        let wide = if proven && wide.is_power_of_two() && count.is_multiple_of(wide) { wide } else { 1 };
        let mut pieces = Vec::new();
        for first in (0..count).step_by(wide as usize) {
            pieces.extend(self.part(creator, sum, coordinates_in_range, first, wide));
        }
        let replacement: Vec<Val<'p>> = match self.access.value {
            Some(_) => vec![],
            None => vec![joined(b, self.access.ty, &pieces)],
        };
        self.run.replace(op, &replacement);
    }

    // Whether all coordinates are in their modes; `None` if the access is declared or proven to be in bounds.
    fn coordinates_in_range(&mut self, creator: Maker<'p>) -> Option<Val<'p>> {
        if !self.checked {
            return None;
        }
        let conditions: Vec<Val<'p>> = self.view.fixed.iter().filter_map(|f| creator.inside(&f.shape, f.at)).collect();
        self.all(creator.b, conditions)
    }

    fn all(&mut self, b: Builder<'p>, conditions: Vec<Val<'p>>) -> Option<Val<'p>> {
        self.run.count("predicates", conditions.len() as u64);
        conditions.into_iter().reduce(|x, y| b.andi(x, y))
    }

    // Whether the elements up to `last` are below the end of every axis that they can exceed.
    fn axes(&mut self, creator: Maker<'p>, first: u64, last: u64) -> Option<Val<'p>> {
        let mut conditions = Vec::new();
        for number in 0..self.view.axes.len() {
            if !leaves_axis(&self.view, number, first..last + 1) {
                continue;
            }
            let axis = &self.view.axes[number];
            let unknown = axis.extent.known().is_none() || creator.width.is_of_unknown();
            let width = if unknown { Width::of_unknown(self.access.op) } else { Width::Plain };
            let creator = Maker { width, ..creator };
            let parts: Vec<(Shape<'p>, Index<'p>)> =
                self.view.fixed.iter().zip(&axis.fixed).map(|(f, shape)| (shape.clone(), f.at)).collect();
            let own =
                known(&axis.shape).map(|layout| (first..=last).filter_map(|i| layout.offset(i)).max().unwrap_or(0));
            let sum = creator.sum(&parts, axis.base.saturating_add(own.unwrap_or(0)));
            let (coordinate, extent) = (creator.value(sum, 0), creator.num(axis.extent));
            conditions.push(creator.b.cmpi(IntCmp::Ult, coordinate, extent));
        }
        self.all(creator.b, conditions)
    }

    // Accesses the elements from `first` to `first + width`. Returns the loaded values: one vector, or one value per
    // element.
    fn part(
        &mut self,
        creator: Maker<'p>,
        sum: Sum<'p>,
        coordinates_in_range: Option<Val<'p>>,
        first: u64,
        width: u64,
    ) -> Vec<Val<'p>> {
        let b = creator.b;
        if width == 1 {
            return self.single(creator, sum, coordinates_in_range, first).into_iter().collect();
        }
        let start = self.offset(creator, sum, first);
        let mut conditions: Vec<Val<'p>> = coordinates_in_range.into_iter().collect();
        conditions.extend(self.axes(creator, first, first + width - 1));
        if self.checked {
            conditions.extend(self.in_buffer(creator, start, width));
        }
        let start = narrow(b, start);
        let Some(condition) = conditions.into_iter().reduce(|x, y| b.andi(x, y)) else {
            return self.wide(b, start, first, width).into_iter().collect();
        };
        let element = self.access.ty.element();
        let result = self.access.value.is_none().then(|| b.cx().vector(width, element));
        let results: Vec<Type<'p>> = result.into_iter().collect();
        // Only one of the two branches runs, so each branch computes its own values.
        let guarded = b.if_else(condition, &results, |_| vec![], |_| vec![]);
        let mut bodies = guarded.regions().filter_map(|r| r.first_block());
        let (Some(yes), Some(no)) = (bodies.next(), bodies.next()) else { return vec![] };
        self.fill(yes, |resolver, b| resolver.wide(b, start, first, width).into_iter().collect());
        self.fill(no, |resolver, b| {
            let creator = Maker { b, ..creator };
            let singles: Vec<Val<'p>> =
                (first..first + width).filter_map(|k| resolver.single(creator, sum, coordinates_in_range, k)).collect();
            match result {
                Some(ty) => vec![b.op(vector::FROM_ELEMENTS).operands(&singles).result(ty).value()],
                None => vec![],
            }
        });
        guarded.results().collect()
    }

    // Emits operations before the terminator of a block, and sets their results as the operands of the terminator.
    fn fill(&mut self, block: cube_ir::Block<'p>, body: impl FnOnce(&mut Self, Builder<'p>) -> Vec<Val<'p>>) {
        let Some(end) = block.terminator() else { return };
        let values = body(self, Builder::before(end).with_location(self.access.op.location()));
        end.set_operands(&values);
    }

    fn offset(&self, creator: Maker<'p>, sum: Sum<'p>, element: u64) -> Val<'p> {
        let (mut sum, mut own) = (sum, 0u64);
        for (digit, stride) in digits(&self.view.shape, element).unwrap_or_default() {
            match stride.known() {
                Some(stride) => own = own.saturating_add(digit.saturating_mul(stride)),
                None if digit > 0 => sum = creator.with(sum, creator.mul(creator.num(stride), creator.number(digit))),
                None => {}
            }
        }
        creator.swizzled(self.view.swizzle, creator.value(sum, own))
    }

    // Whether a wide access that starts at `start` ends inside the buffer; `None` if the buffer's size proves it.
    fn in_buffer(&mut self, creator: Maker<'p>, start: Val<'p>, width: u64) -> Option<Val<'p>> {
        if self.is_inside() {
            return None;
        }
        let b = creator.b;
        let buffer = self.view.buffer;
        let name = if cube_ops::Kernel::len_is_buffer_len(buffer) { cube::LEN } else { cube::BUFFER_LEN };
        let length = b.op(name).operands(&[buffer]).result(b.cx().int(32)).value();
        let starts =
            b.op(cube::SUBUI_SAT).operands(&[length, b.int(length.ty(), width as i64 - 1)]).result(length.ty());
        let starts = starts.value();
        let starts = if creator.width == Width::Wide { b.cast(arith::EXTUI, starts, start.ty()) } else { starts };
        self.run.count("predicates", 1);
        Some(b.cmpi(IntCmp::Ult, start, starts))
    }

    fn wide(&mut self, b: Builder<'p>, start: Val<'p>, first: u64, width: u64) -> Option<Val<'p>> {
        let element = self.access.ty.element();
        let ty = b.cx().vector(width, element);
        let bytes = self.view.buffer_type().map_or(1, |buffer| buffer.line_bytes()) * width;
        let requested = self.access.op.attr(LAYOUT_ALIGN).and_then(|a| a.as_int()).and_then(|n| u64::try_from(n).ok());
        let align = requested.unwrap_or(1).min(self.facts.alignment).min(bytes);
        let align = b.cx().int_attr(b.cx().int(32), align as i64);
        let bounds = Bounds::Inbounds.attr(b.cx());
        match self.access.value {
            None => {
                let load = b.op(cube::LOAD).operands(&[self.view.buffer, start]).attr("bounds", bounds);
                Some(load.attr(ALIGNMENT, align).result(ty).value())
            }
            Some(value) => {
                let part = slice_of(b, value, first, width);
                let store = b.op(cube::STORE).operands(&[part, self.view.buffer, start]).attr("bounds", bounds);
                store.attr(ALIGNMENT, align).build();
                None
            }
        }
    }

    fn single(
        &mut self,
        creator: Maker<'p>,
        sum: Sum<'p>,
        coordinates_in_range: Option<Val<'p>>,
        element: u64,
    ) -> Option<Val<'p>> {
        let b = creator.b;
        let axes = self.axes(creator, element, element);
        let offset = self.offset(creator, sum, element);
        let beyond = (creator.width == Width::Wide).then(|| b.cmpi(IntCmp::Ult, offset, creator.number(1 << 32)));
        let mut index = narrow(b, offset);
        let conditions = [coordinates_in_range, axes, beyond].into_iter().flatten();
        let condition = conditions.reduce(|x, y| b.andi(x, y));
        if !self.checked {
            // An `inbounds` access is in the buffer, but can be outside of the tensor.
            let Some(condition) = condition else { return self.access_at(b, index, element, false) };
            let line = self.line();
            let results: Vec<Type<'p>> = self.access.value.is_none().then_some(line).into_iter().collect();
            let zero = results.clone();
            let guarded =
                b.if_else(condition, &results, |_| vec![], move |b| zero.iter().map(|ty| b.zero(*ty)).collect());
            if let Some(block) = guarded.body() {
                self.fill(block, |resolver, b| resolver.access_at(b, index, element, false).into_iter().collect());
            }
            return guarded.results().next();
        }
        if let Some(condition) = condition {
            index = b.select(condition, index, b.int(index.ty(), -1));
        }
        let made = self.created_at(b, index, element, true)?;
        // With a predicate, the index can exceed the proven bound of the offsets. Therefore only an access without a
        // predicate gets the proof.
        if condition.is_none() && self.is_inside() {
            set_proof(made, Proof::Range);
        }
        made.results().next()
    }

    // Whether all offsets are below the static size of the buffer.
    fn is_inside(&self) -> bool {
        let lines = self.view.buffer_type().and_then(|buffer| buffer.lines());
        self.facts.below.zip(lines).is_some_and(|(below, lines)| below <= lines)
    }

    fn line(&self) -> Type<'p> {
        let cx = self.access.op.cx();
        self.view.buffer_type().map_or(self.access.ty, |buffer| buffer.line_type(cx))
    }

    fn access_at(&mut self, b: Builder<'p>, index: Val<'p>, element: u64, checked: bool) -> Option<Val<'p>> {
        self.created_at(b, index, element, checked)?.results().next()
    }

    fn created_at(&mut self, b: Builder<'p>, index: Val<'p>, element: u64, checked: bool) -> Option<Op<'p>> {
        let bounds = if checked { Bounds::Checked } else { Bounds::Inbounds }.attr(b.cx());
        let line = self.line();
        Some(match self.access.value {
            None => b.op(cube::LOAD).operands(&[self.view.buffer, index]).attr("bounds", bounds).result(line).build(),
            Some(value) => {
                let lanes = line.element_count();
                let part = if value.ty() == line { value } else { slice_of(b, value, element * lanes, lanes) };
                b.op(cube::STORE).operands(&[part, self.view.buffer, index]).attr("bounds", bounds).build()
            }
        })
    }
}

fn narrow<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    if value.ty().bits() == Some(64) { b.cast(arith::TRUNCI, value, b.cx().int(32)) } else { value }
}

// `width` elements of a vector, starting at `first`. A single element is a scalar.
fn slice_of<'p>(b: Builder<'p>, value: Val<'p>, first: u64, width: u64) -> Val<'p> {
    let element = value.ty().element();
    if value.ty().lanes() == Some(width) || value.ty().is_scalar() {
        return value;
    }
    if width == 1 {
        return b.lane(value, first);
    }
    let list = |n: u64| list_of_one(b.cx(), n);
    b.op(vector::EXTRACT_STRIDED_SLICE)
        .operands(&[value])
        .attr("offsets", list(first))
        .attr("sizes", list(width))
        .attr("strides", list(1))
        .result(b.cx().vector(width, element))
        .value()
}

// `[n]`, a list of one number of 64 bits.
fn list_of_one(cx: Cx<'_>, n: u64) -> Attribute<'_> {
    cx.array_attr(&[cx.int_attr(cx.int(64), n as i64)])
}

// Combines values side by side into one value of type `ty`.
fn joined<'p>(b: Builder<'p>, ty: Type<'p>, pieces: &[Val<'p>]) -> Val<'p> {
    if pieces.len() == 1 && pieces[0].ty() == ty {
        return pieces[0];
    }
    if pieces.iter().all(|part| part.ty().is_scalar()) {
        return b.op(vector::FROM_ELEMENTS).operands(pieces).result(ty).value();
    }
    let list = |n: u64| list_of_one(b.cx(), n);
    let (mut all, mut at) = (b.zero(ty), 0);
    for part in pieces {
        let insert = b.op(vector::INSERT_STRIDED_SLICE).operands(&[*part, all]);
        all = insert.attr("offsets", list(at)).attr("strides", list(1)).result(ty).value();
        at += part.ty().element_count();
    }
    all
}
