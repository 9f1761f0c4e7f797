//! CPU: prefetches the elements that the next iteration of a loop around barriers loads.
//!
//! ```mlir
//! scf.for %k = ... {                                 scf.for %k = ... {
//!   scf.forall (%u) { load %a[f(%u, %k)] }             scf.forall (%u) { load %a[f(%u, %k)] }
//!   scf.forall (%u) { scf.for ... { compute } }        scf.forall (%u) { if large { prefetch %a[f(%u, %k + step)] }
//! }                                                                      scf.for ... { compute } }
//! ```
//!
//! A kernel that computes with tiles in shared memory loads a tile, waits, and computes. A GPU runs other cubes during
//! the loads. A thread of a CPU runs one cube, and the processor does not foresee the loads, because they are in
//! many rows. Each iteration of the computing loop over units prefetches what the same unit will load, so the requests
//! are spread over the computation. A processor has few places for pending requests, and requests that follow each other directly
//! would stop it.
//!
//! Invariant: a prefetch has no effect on results, and a prefetch of an address outside of all memory has no effect
//! either. So the index needs no check, and can wrap around. An index is copied only if all operations that compute it from the loop's counter and from the
//! position of the unit are free of effects. Cost: the loads of each loop times the operations of their indices, which
//! are bounded.
use crate::split::is_pure;
use crate::spmd::is_safe_without_active_lanes;
use cube_dialect::{UnitLoop, unit_loop_count};
use cube_ir::access::{AccessKind, access_of};
use cube_ir::ops::{memref, scf};
use cube_ir::{Builder, MemRef, Op, PassResult, Run, Type, TypeExt, Val, pass, upstream::IntCmp};
use cube_passes::analysis::loops::is_outside;
use cube_passes::write::remove_promises;
use cube_to_llvm::memory::{AllocationScope, allocation_scope};
use std::collections::HashMap;

pass! {
    name: "prefetch-tiles",
    summary: "prefetches what the next iteration of a loop with barriers loads (CPU)",
    on: cube::KERNEL,
    level: Legal | Mixed => Mixed,
    dialects: ["arith", "memref"],
    statistics: ["loads prefetched", "loads without a prefetch"],
    run: run,
}

/// Bytes of a cache line.
const LINE: u64 = 64;

/// Bytes of buffers that fit the cache of the second level of a core: 1 to 2 MiB on servers of 2020 and later.
const CACHE: i64 = 1 << 20;

/// Maximum number of prefetches in one iteration of a loop over units. The processor has between 10 and 48 places for
/// pending requests of a core.
const MAX_PREFETCHES: usize = 32;

/// Maximum number of operations that compute an index.
const MAX_OPS: usize = 48;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for loop_op in run.root().walk().into_iter().filter(|op| op.is(scf::FOR)) {
        let Some(body) = loop_op.body() else { continue };
        let units: Vec<Op<'p>> = body.ops().into_iter().filter(|op| UnitLoop::of(*op).is_some()).collect();
        for (number, from) in units.iter().enumerate() {
            // The next loop over units that computes for a longer time.
            let later = units[number + 1..].iter().find(|op| same_units(**op, *from) && first_loop(**op).is_some());
            if let Some(to) = later {
                between(run, loop_op, *from, *to);
            }
        }
    }
    Ok(())
}

fn same_units(one: Op<'_>, other: Op<'_>) -> bool {
    UnitLoop::of(one) == UnitLoop::of(other) && unit_loop_count(one) == unit_loop_count(other)
}

fn is_loop(op: Op<'_>) -> bool {
    op.is(scf::FOR) || op.is(scf::WHILE)
}

// The first loop of the units, at the top of their code.
fn first_loop(units: Op<'_>) -> Option<Op<'_>> {
    units.body()?.ops().into_iter().find(|op| is_loop(*op))
}

// Prefetches in `to` what `from` loads in the next iteration of `loop_op`.
fn between<'p>(run: &mut Run<'p>, loop_op: Op<'p>, from: Op<'p>, to: Op<'p>) {
    let Some(before) = first_loop(to) else { return };
    let mut loads: Vec<Load<'p>> = Vec::new();
    let mut copy = Copy { loop_op, from, known: HashMap::new(), changes: HashMap::new() };
    for op in from.walk() {
        let Some(load) = Load::of(op, loop_op) else { continue };
        let is_known = loads.iter().any(|known| (known.buffer, known.index) == (load.buffer, load.index));
        if is_known || !copy.changes(load.index) {
            continue;
        }
        let count: usize = loads.iter().map(|load| load.lines.len()).sum();
        let refusal = match copy.operations(load.index, &mut MAX_OPS.clone()) {
            None => Some((
                "its index in the next iteration depends on a load, a carried value or a loop",
                "compute the index from the counter of the loop",
            )),
            Some(()) if count + load.lines.len() > MAX_PREFETCHES => {
                Some(("the loop has many prefetches", "load fewer elements in each iteration"))
            }
            Some(()) => None,
        };
        match refusal {
            Some((why, way)) => {
                run.missed(op, "prefetch", format_args!("the load is not prefetched, because {why}"), way);
                run.count("loads without a prefetch", 1);
            }
            None => {
                run.passed(op, "prefetch", "the next iteration's elements are prefetched during the computation");
                run.count("loads prefetched", 1);
                loads.push(load);
            }
        }
    }
    let (Some(old), Some(new), false) = (unit_of(from), unit_of(to), loads.is_empty()) else { return };
    copy.known.insert(old, new);
    let is_large = exceeds_cache(Builder::before(loop_op), &loads);
    let emit = |b: Builder<'p>| {
        for load in &loads {
            let next = copy.value(b, load.index);
            for line in &load.lines {
                let at = if *line == 0 { next } else { b.addi(next, b.int(next.ty(), *line)) };
                prefetch(b.with_location(load.op.location()), load.buffer, at);
            }
        }
        vec![]
    };
    Builder::before(before).if_else(is_large, &[], emit, |_| vec![]);
}

/// A load of global memory.
struct Load<'p> {
    op: Op<'p>,
    buffer: Val<'p>,
    index: Val<'p>,
    /// The first element of each loaded cache line, counted from the index.
    lines: Vec<i64>,
}

impl<'p> Load<'p> {
    fn of(op: Op<'p>, loop_op: Op<'p>) -> Option<Self> {
        let access = access_of(op).filter(|access| access.kind == AccessKind::Load && access.offsets.is_none())?;
        let mut indices = access.indices();
        let index = indices.next().filter(|_| indices.len() == 0)?;
        let buffer = access.buffer;
        let is_global = allocation_scope(buffer) == AllocationScope::Global && is_outside(buffer, loop_op);
        let (width, count) = (bytes_of(op.result(0).ty()), op.result(0).ty().element_count());
        let lines = (0..(count * width).div_ceil(LINE)).map(|line| (line * LINE / width) as i64).collect();
        is_global.then_some(Load { op, buffer, index, lines })
    }
}

/// Bytes of an element.
fn bytes_of(ty: Type<'_>) -> u64 {
    u64::from(ty.bits().unwrap_or(8)).div_ceil(8)
}

// Whether the loaded buffers together are larger than the cache of a core. The elements of small buffers are in the cache
// after their first use.
fn exceeds_cache<'p>(b: Builder<'p>, loads: &[Load<'p>]) -> Val<'p> {
    let mut buffers: Vec<Val<'p>> = Vec::new();
    for load in loads {
        if !buffers.contains(&load.buffer) {
            buffers.push(load.buffer);
        }
    }
    let index = b.cx().index();
    let bytes = buffers.into_iter().map(|buffer| {
        let line = MemRef::of(buffer.ty()).map_or(1, |memref| bytes_of(memref.line) * memref.line.element_count());
        let lines = b.op(memref::DIM).operands(&[buffer, b.int(index, 0)]).result(index).value();
        b.muli(lines, b.int(index, line as i64))
    });
    // At least one load exists, and lengths are below 2^32 lines, so that nothing wraps.
    let total = bytes.reduce(|x, y| b.addi(x, y)).unwrap_or_else(|| b.int(index, 0));
    b.cmpi(IntCmp::Ugt, total, b.int(index, CACHE))
}

// The position that a loop over units counts.
fn unit_of(units: Op<'_>) -> Option<Val<'_>> {
    Some(units.body()?.arg(0))
}

fn prefetch<'p>(b: Builder<'p>, buffer: Val<'p>, index: Val<'p>) {
    let (bit, word) = (b.cx().int(1), b.cx().int(32));
    // Locality 2: into the cache of the second level, because the tile in shared memory needs the first level.
    b.op(memref::PREFETCH)
        .operands(&[buffer, index])
        .attr("isWrite", b.cx().int_attr(bit, 0))
        .attr("localityHint", b.cx().int_attr(word, 2))
        .attr("isDataCache", b.cx().int_attr(bit, 1))
        .build();
}

/// Copies the operations that compute an index, for the next iteration and for another loop over the same units.
struct Copy<'p> {
    loop_op: Op<'p>,
    from: Op<'p>,
    /// The copies of values.
    known: HashMap<Val<'p>, Val<'p>>,
    /// Whether values change with the counter of the loop.
    changes: HashMap<Val<'p>, bool>,
}

impl<'p> Copy<'p> {
    fn is_counter(&self, value: Val<'p>) -> bool {
        self.loop_op.body().is_some_and(|body| body.arg(0) == value)
    }

    // Whether a value depends on the counter of the loop.
    fn changes(&mut self, value: Val<'p>) -> bool {
        if let Some(known) = self.changes.get(&value) {
            return *known;
        }
        let inside = value.def().filter(|_| !is_outside(value, self.loop_op));
        let changes =
            self.is_counter(value) || inside.is_some_and(|def| def.operands().any(|operand| self.changes(operand)));
        self.changes.insert(value, changes);
        changes
    }

    // Whether the value is computed before the loops over units, and is the same in the next iteration.
    fn is_shared(&mut self, value: Val<'p>) -> bool {
        is_outside(value, self.from) && !self.changes(value)
    }

    // Subtracts the number of operations that compute the value from `left`; `None` if they are too many or cannot be
    // copied.
    fn operations(&mut self, value: Val<'p>, left: &mut usize) -> Option<()> {
        if self.is_counter(value) || unit_of(self.from) == Some(value) || self.is_shared(value) {
            return Some(());
        }
        let def = value.def().filter(|def| is_pure(*def) && is_safe_without_active_lanes(*def))?;
        *left = left.checked_sub(1)?;
        def.operands().try_for_each(|operand| self.operations(operand, left))
    }

    // The value in the next iteration. `operations` has accepted the value.
    fn value(&mut self, b: Builder<'p>, value: Val<'p>) -> Val<'p> {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let copy = match value.def() {
            None if self.is_counter(value) => b.addi(value, self.loop_op.operand(2)),
            Some(def) if !self.is_shared(value) => {
                let operands: Vec<Val<'p>> = def.operands().map(|operand| self.value(b, operand)).collect();
                let copy = b.insert_copy(def);
                copy.set_operands(&operands);
                // The counter of the iteration after the last one can be any number.
                remove_promises(copy);
                copy.result(def.results().position(|result| result == value).unwrap_or(0))
            }
            _ => value,
        };
        self.known.insert(value, copy);
        copy
    }
}
