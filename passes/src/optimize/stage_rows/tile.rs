//! Emits a loop over tiles before the original loop.
use super::plan::{Guard, Plane, RowLoad, Rows, operations};
use crate::analysis::loops::is_outside;
use crate::write::topology;
use cube_dialect::ALIGNMENT;
use cube_dialect::attributes::UNROLL;
use cube_dialect::{Bounds, BufferKind, BufferType, Combine, Scope, Shuffle, TopologyKind, Vote, ops};
use cube_dialect::{access_of, bounds_of, set_bounds};
use cube_ir::ops::scf;
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Failed, Op, PassResult, Run, Type, TypeExt, Val};
use std::collections::HashMap;

/// Values for the tiles of one load, which are computed before the loop. A lane loads `count` parts. The indices of the parts are
/// in local arrays, and all code for the parts is in loops, which the code generator unrolls completely. Each pass before it
/// then visits one part.
struct Staged<'p> {
    tile: Val<'p>,
    count: u64,
    /// For each part: its index in the buffer (for the first tile), its index in the tile, and its value if the parts of the
    /// next tile are loaded ahead.
    indices: Val<'p>,
    lines: Val<'p>,
    values: Option<Val<'p>>,
    /// The index of the unit's own row in the tile.
    own: Val<'p>,
}

/// Stages the rows of a loop; `aligned` is 0 at run time if a buffer's address is not sufficiently aligned.
pub(super) fn stage<'p>(
    run: &mut Run<'p>,
    kernel: ops::Kernel<'p>,
    plane: &Plane,
    rows: &Rows<'p>,
    aligned: Option<Val<'p>>,
) -> PassResult {
    let loop_op = rows.loop_op;
    let anchor = rows.guard.as_ref().map_or(loop_op, |guard| guard.branch);
    if let Some(guard) = &rows.guard {
        guard.total.iter().for_each(|op| op.move_before(anchor));
        split(run, guard, loop_op);
    }
    let start = kernel.block().and_then(|block| block.first()).ok_or(Failed)?;
    let b = run.before(anchor).with_location(loop_op.location());
    let active = rows.guard.as_ref().map(|guard| {
        let taken = guard.branch.operand(0);
        if guard.truth { taken } else { b.xori(taken, b.int(taken.ty(), 1)) }
    });
    let mut writer = Writer { b, rows, lanes: plane.lanes, active, units: kernel.facts().cube_dim[0].into() };
    let (full, staged) = writer.staged_iterations(run.before(start), aligned, run.flag("ahead"))?;
    let results = writer.tiles(full, &staged);
    loop_op.set_operand(0, b.addi(loop_op.operand(0), full));
    for (n, result) in results.into_iter().enumerate() {
        loop_op.set_operand(3 + n, result);
    }
    Ok(())
}

// Moves the operations that must run before the loop into a separate branch. The values that later operations use
// become the results of this branch.
fn split<'p>(run: &Run<'p>, guard: &Guard<'p>, loop_op: Op<'p>) {
    if guard.others.is_empty() {
        return;
    }
    let inside =
        |user: Op<'p>| guard.others.contains(&user) || user.ancestors().any(|outer| guard.others.contains(&outer));
    let is_read = |v: &Val<'p>| v.uses().into_iter().any(|(user, _)| !inside(user));
    let values: Vec<Val<'p>> = guard.others.iter().flat_map(|op| op.results()).filter(is_read).collect();
    let types: Vec<Type<'p>> = values.iter().map(|v| v.ty()).collect();
    let b = run.before(guard.branch).with_location(loop_op.location());
    let own = |b: Builder<'p>| {
        let end = b.op(scf::YIELD).operands(&values).build();
        guard.others.iter().for_each(|op| op.move_inside(end));
    };
    let others = |b: Builder<'p>| {
        let zeros: Vec<Val<'p>> = types.iter().map(|ty| b.zero(*ty)).collect();
        b.op(scf::YIELD).operands(&zeros).build();
    };
    let spec = b.op(scf::IF).operands(&[guard.branch.operand(0)]).results(&types);
    let first = match guard.truth {
        true => spec.body(&[], |b, _| own(b)).body(&[], |b, _| others(b)).build(),
        false => spec.body(&[], |b, _| others(b)).body(&[], |b, _| own(b)).build(),
    };
    for (old, new) in values.iter().zip(first.results()) {
        for (user, n) in old.uses() {
            if !inside(user) && user.parent() != Some(first) {
                user.set_equal_operand(n, new);
            }
        }
    }
}

struct Writer<'a, 'p> {
    b: Builder<'p>,
    rows: &'a Rows<'p>,
    lanes: u64,
    /// Whether the unit runs the loop; `None` if all units of the plane run it.
    active: Option<Val<'p>>,
    units: u64,
}

impl<'p> Writer<'_, 'p> {
    fn word(&self, number: u64) -> Val<'p> {
        self.b.int(self.b.cx().int(32), number as i64)
    }

    // Computes the number of iterations that run from tiles, which is uniform in the plane, and the values of the
    // tiles.
    fn staged_iterations(
        &mut self,
        start: Builder<'p>,
        aligned: Option<Val<'p>>,
        ahead: bool,
    ) -> Result<(Val<'p>, Vec<Staged<'p>>), Failed> {
        let (b, loop_op) = (self.b, self.rows.loop_op);
        let (from, to) = (loop_op.operand(0), loop_op.operand(1));
        let below = if loop_op.attr("unsignedCmp").is_some() { IntCmp::Ult } else { IntCmp::Slt };
        let trip = b.select(b.cmpi(below, from, to), b.subi(to, from), self.word(0));
        let (unit, lane) = (topology(b, TopologyKind::UnitPos), topology(b, TopologyKind::UnitPosPlane));
        let plane_first = b.subi(unit, lane);
        let yes = b.int(b.cx().int(1), 1);
        let mut fits = aligned.map_or(yes, |aligned| b.cmpi(IntCmp::Ne, aligned, self.word(0)));
        let mut all = vec![];
        for load in &self.rows.loads {
            let first = self.index_at(load, from)?;
            let part = load.part_lines();
            if part > 1 {
                let rest = b.andi(first, self.word(part - 1));
                fits = b.andi(fits, b.cmpi(IntCmp::Eq, rest, self.word(0)));
            }
            if load.checked {
                let name =
                    if ops::Kernel::len_is_buffer_len(load.buffer) { ops::Len::KIND } else { ops::BufferLen::KIND };
                let length = b.op(name).operands(&[load.buffer]).result(trip.ty()).value();
                // If the row ends inside the buffer, no index of the row wraps.
                let last = b.cmpi(IntCmp::Ule, first, b.subi(length, trip));
                fits = b.andi(fits, b.andi(b.cmpi(IntCmp::Ule, trip, length), last));
            }
            all.push(self.staged(start, load, first, [unit, lane, plane_first], ahead));
        }
        let fits = match self.active {
            None => self.vote(Vote::All, fits),
            Some(active) => {
                let absent = b.xori(active, yes);
                let fits = self.vote(Vote::All, b.ori(absent, fits));
                b.andi(fits, self.vote(Vote::Any, active))
            }
        };
        let whole = b.andi(trip, b.int(trip.ty(), -(self.rows.tile as i64)));
        Ok((b.select(fits, whole, self.word(0)), all))
    }

    fn vote(&self, vote: Vote, value: Val<'p>) -> Val<'p> {
        let b = self.b;
        b.op(ops::PlaneVote::KIND).operands(&[value]).attr("vote", vote.attr(b.cx())).result(value.ty()).value()
    }

    // The index of a load for one value of the counter, computed before the loop.
    fn index_at(&self, load: &RowLoad<'p>, counter: Val<'p>) -> Result<Val<'p>, Failed> {
        let own = self.rows.loop_op.body().ok_or(Failed)?.arg(0);
        let mut known = HashMap::from([(own, counter)]);
        Ok(self.copied(load.index, &mut known))
    }

    fn copied(&self, value: Val<'p>, known: &mut HashMap<Val<'p>, Val<'p>>) -> Val<'p> {
        if let Some(copy) = known.get(&value) {
            return *copy;
        }
        let Some(op) = value.def().filter(|_| !is_outside(value, self.rows.loop_op)) else { return value };
        let operands: Vec<Val<'p>> = op.operands().map(|v| self.copied(v, known)).collect();
        let copy = self.b.insert_copy(op);
        operands.into_iter().enumerate().for_each(|(n, v)| copy.set_operand(n, v));
        op.results().zip(copy.results()).for_each(|(old, new)| _ = known.insert(old, new));
        known.get(&value).copied().unwrap_or(value)
    }

    fn staged(
        &self,
        start: Builder<'p>,
        load: &RowLoad<'p>,
        first: Val<'p>,
        positions: [Val<'p>; 3],
        ahead: bool,
    ) -> Staged<'p> {
        let (b, [unit, lane, plane_first]) = (self.b, positions);
        // Padding of one part follows each row of a tile. Lanes that read the same column of their rows therefore
        // access different banks.
        let row_stride = self.rows.tile + load.part_lines();
        let alloc = |kind, lines: u64, element, line| {
            let size = Some(b.cx().int_attr(b.cx().int(32), lines as i64));
            start.op(ops::Alloc::KIND).result(BufferType { kind, size, element, line }.get()).value()
        };
        let tile = alloc(BufferKind::Shared, self.units * row_stride, load.ty.element, load.ty.line);
        // An inactive unit has no row, so another row fills its part of the tile.
        let row = match self.active {
            None => first,
            Some(active) => {
                let own = b.select(active, first, self.word(0));
                let most = b.op(ops::PlaneReduce::KIND).operands(&[own]).attr("kind", Combine::MaxUI.attr(b.cx()));
                b.select(active, first, most.result(first.ty()).value())
            }
        };
        let count = self.rows.tile / load.part_lines();
        let column = b.muli(b.andi(lane, self.word(count - 1)), self.word(load.part_lines()));
        let above = b.shrui(lane, self.word(count.trailing_zeros().into()));
        let word = b.cx().int(32);
        let (indices, lines) = (alloc(BufferKind::Local, count, word, 1), alloc(BufferKind::Local, count, word, 1));
        let part = part_type(b, load);
        let values = ahead
            .then(|| alloc(BufferKind::Local, count, part.element(), part.lanes().map_or(1, |lanes| lanes as u32)));
        each_part(b, count, |b, n| {
            let from = b.addi(above, b.muli(n, b.int(word, (self.lanes / count) as i64)));
            let spec = b.op(ops::PlaneShuffle::KIND).operands(&[row, from]);
            let theirs = spec.attr("shuffle", Shuffle::Idx.attr(b.cx())).result(row.ty()).value();
            let line = b.muli(b.addi(plane_first, from), b.int(word, row_stride as i64));
            write_part(b, b.addi(theirs, column), indices, n);
            write_part(b, b.addi(line, column), lines, n);
        });
        Staged { tile, count, indices, lines, values, own: b.muli(unit, self.word(row_stride)) }
    }

    // Emits the loop over tiles and returns the carried values. If parts are loaded ahead, the parts of the next tile are
    // loaded before the iterations of the current tile run.
    fn tiles(&mut self, full: Val<'p>, staged: &[Staged<'p>]) -> Vec<Val<'p>> {
        let (b, rows) = (self.b, self.rows);
        let carried: Vec<Val<'p>> = rows.loop_op.operands().skip(3).collect();
        let types: Vec<Type<'p>> = carried.iter().map(|v| v.ty()).collect();
        let bounds = [self.word(0), full, self.word(rows.tile)];
        let (step, ahead) = (bounds[2], staged.iter().any(|staged| staged.values.is_some()));
        if ahead {
            self.load_first(full, staged);
        }
        let all = for_loop(b, bounds, &carried, |b, at, carried| {
            sync(b);
            for (load, staged) in rows.loads.iter().zip(staged) {
                each_part(b, staged.count, |b, n| {
                    let value = match staged.values {
                        Some(values) => read_part(b, values, n),
                        None => read(b, load, load.buffer, b.addi(read_part(b, staged.indices, n), at)),
                    };
                    write(b, load, value, staged.tile, read_part(b, staged.lines, n));
                });
            }
            sync(b);
            if ahead {
                // In the last iteration, the last tile is loaded again, because a branch around the loads would cost
                // more.
                let after = b.addi(at, step);
                self.load_ahead(b, staged, b.select(b.cmpi(IntCmp::Ult, after, full), after, at));
            }
            match self.active {
                None => self.iterations(b, at, carried, staged),
                Some(active) => {
                    let own = |b: Builder<'p>| self.iterations(b, at, carried, staged);
                    b.if_else(active, &types, own, |_| carried.to_vec()).results().collect()
                }
            }
        });
        all.results().collect()
    }

    // Loads the parts of the first tile, if a tile exists.
    fn load_first(&self, full: Val<'p>, staged: &[Staged<'p>]) {
        // The barrier makes stores of a unit before the loop visible to the lane that loads its row.
        sync(self.b);
        let some = self.b.cmpi(IntCmp::Ne, full, self.word(0));
        let at = self.word(0);
        let load = |b: Builder<'p>| {
            self.load_ahead(b, staged, at);
            vec![]
        };
        self.b.if_else(some, &[], load, |_| vec![]);
    }

    // Loads the parts of the tile that starts at iteration `at`.
    fn load_ahead(&self, b: Builder<'p>, staged: &[Staged<'p>], at: Val<'p>) {
        for (load, staged) in self.rows.loads.iter().zip(staged) {
            let Some(values) = staged.values else { continue };
            each_part(b, staged.count, |b, n| {
                let index = b.addi(read_part(b, staged.indices, n), at);
                write_part(b, read(b, load, load.buffer, index), values, n);
            });
        }
    }

    // Emits the iterations of the tile that starts at iteration `at`.
    fn iterations(&self, b: Builder<'p>, at: Val<'p>, carried: &[Val<'p>], staged: &[Staged<'p>]) -> Vec<Val<'p>> {
        let rows = self.rows;
        let word = |n: u64| b.int(at.ty(), n as i64);
        let counter = b.addi(rows.loop_op.operand(0), at);
        let loop_op = for_loop(b, [word(0), word(rows.tile), word(rows.copies)], carried, |b, within, carried| {
            let mut lines: HashMap<Op<'p>, Vec<Val<'p>>> = HashMap::new();
            for (load, staged) in rows.loads.iter().zip(staged) {
                let row = b.addi(staged.own, within);
                for n in 0..rows.copies / load.part_lines() {
                    let part = read(b, load, staged.tile, b.addi(row, b.int(row.ty(), (n * load.part_lines()) as i64)));
                    let own = if load.part_lines() > 1 { b.lanes(part) } else { vec![part] };
                    lines.entry(load.op).or_default().extend(own);
                }
            }
            let counter = b.addi(counter, within);
            (0..rows.copies as usize).fold(carried.to_vec(), |carried, n| {
                let counter = b.addi(counter, b.int(counter.ty(), n as i64));
                iteration(b, rows.loop_op, counter, &carried, |load| lines.get(&load).map(|all| all[n]))
            })
        });
        loop_op.results().collect()
    }
}

// Emits one iteration, in which `loaded` replaces the loads. Returns the carried values.
fn iteration<'p>(
    b: Builder<'p>,
    loop_op: Op<'p>,
    counter: Val<'p>,
    carried: &[Val<'p>],
    loaded: impl Fn(Op<'p>) -> Option<Val<'p>>,
) -> Vec<Val<'p>> {
    let Some(body) = loop_op.body() else { return vec![] };
    let mut known: HashMap<Val<'p>, Val<'p>> = body.args().zip([&[counter], carried].concat()).collect();
    for op in operations(loop_op) {
        if let Some(value) = loaded(op) {
            known.insert(op.result(0), value);
            continue;
        }
        let copy = b.insert_copy(op);
        for (old, new) in op.walk().into_iter().zip(copy.walk()) {
            for n in 0..new.operands().len() {
                if let Some(value) = known.get(&new.operand(n)) {
                    new.set_equal_operand(n, *value);
                }
            }
            // The iteration accesses the same address as before, so `inbounds` attributes and proofs remain valid.
            if access_of(old).is_some() && bounds_of(old) == Some(Bounds::Inbounds) {
                set_bounds(new, Bounds::Inbounds);
            }
        }
        op.results().zip(copy.results()).for_each(|(old, new)| _ = known.insert(old, new));
    }
    let end = body.terminator().map(|end| end.operands().collect::<Vec<_>>()).unwrap_or_default();
    end.into_iter().map(|v| known.get(&v).copied().unwrap_or(v)).collect()
}

fn for_loop<'p, 'f>(
    b: Builder<'p>,
    bounds: [Val<'p>; 3],
    carried: &[Val<'p>],
    body: impl FnOnce(Builder<'p>, Val<'p>, &[Val<'p>]) -> Vec<Val<'p>> + 'f,
) -> Op<'p> {
    let types: Vec<Type<'p>> = carried.iter().map(|v| v.ty()).collect();
    let args: Vec<Type<'p>> = std::iter::once(bounds[0].ty()).chain(types.iter().copied()).collect();
    let spec = b.op(scf::FOR).operands(&bounds).operands(carried).results(&types);
    spec.attr("unsignedCmp", b.cx().unit_attr())
        .body(&args, move |b, args| {
            let next = body(b, args[0], &args[1..]);
            b.op(scf::YIELD).operands(&next).build();
        })
        .build()
}

// Emits a loop over the parts of a lane, which the code generator unrolls completely.
fn each_part<'p, 'f>(b: Builder<'p>, count: u64, body: impl FnOnce(Builder<'p>, Val<'p>) + 'f) {
    let bound = |n: u64| b.int(b.cx().int(32), n as i64);
    b.for_range(bound(0), bound(count), bound(1), body).set_attr(UNROLL, b.cx().unit_attr());
}

fn read_part<'p>(b: Builder<'p>, array: Val<'p>, n: Val<'p>) -> Val<'p> {
    let line = BufferType::of(array.ty()).map_or(n.ty(), |ty| ty.line_type(b.cx()));
    b.op(ops::Load::KIND).operands(&[array, n]).attr("bounds", Bounds::Inbounds.attr(b.cx())).result(line).value()
}

fn write_part<'p>(b: Builder<'p>, value: Val<'p>, array: Val<'p>, n: Val<'p>) {
    b.op(ops::Store::KIND).operands(&[value, array, n]).attr("bounds", Bounds::Inbounds.attr(b.cx())).build();
}

fn sync(b: Builder<'_>) {
    b.op(ops::Sync::KIND).attr("scope", Scope::Plane.attr(b.cx())).build();
}

fn part_type<'p>(b: Builder<'p>, load: &RowLoad<'p>) -> Type<'p> {
    match load.part_lines() {
        1 => load.ty.line_type(b.cx()),
        lines => b.cx().vector(lines, load.ty.element),
    }
}

fn read<'p>(b: Builder<'p>, load: &RowLoad<'p>, buffer: Val<'p>, index: Val<'p>) -> Val<'p> {
    let (cx, inside) = (b.cx(), Bounds::Inbounds.attr(b.cx()));
    let spec = b.op(ops::Load::KIND).operands(&[buffer, index]).attr("bounds", inside);
    match load.part_lines() {
        1 => spec.result(part_type(b, load)).value(),
        _ => {
            let align = cx.int_attr(cx.int(32), load.part_bytes() as i64);
            spec.attr(ALIGNMENT, align).result(part_type(b, load)).value()
        }
    }
}

fn write<'p>(b: Builder<'p>, load: &RowLoad<'p>, value: Val<'p>, tile: Val<'p>, index: Val<'p>) {
    let (cx, inside) = (b.cx(), Bounds::Inbounds.attr(b.cx()));
    let spec = b.op(ops::Store::KIND).operands(&[value, tile, index]).attr("bounds", inside);
    match load.part_lines() {
        1 => spec.build(),
        _ => spec.attr(ALIGNMENT, cx.int_attr(cx.int(32), load.part_bytes() as i64)).build(),
    };
}
