//! The memory that the barriers of a cube order.
use crate::{Arguments, accesses_to};
use cube_dialect::{Memory, Scope, memory_of, ops};
use cube_ir::access::accesses_of;
use cube_ir::ops::scf;
use cube_ir::{Op, Val};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The kinds of memory whose accesses the barriers of a kernel must order, if no two arguments share a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordered {
    /// Whether the kernel has memory of a cube.
    pub shared: bool,
    /// Whether an access to a buffer can precede a barrier, and another access to the buffer can follow, and one of the two
    /// writes.
    pub buffers: bool,
}

/// The first and the last access to a buffer, and the first and the last write, as positions in the kernel.
#[derive(Clone, Copy)]
struct Span {
    all: [usize; 2],
    writes: Option<[usize; 2]>,
}

impl Ordered {
    /// Reads the kernel at level `legal`. Cost: linear in the kernel, plus barriers times buffers.
    pub fn of(kernel: ops::Kernel<'_>) -> Ordered {
        let all = kernel.op().walk();
        // The walk lists an operation after the operations in its regions.
        let positions: HashMap<Op<'_>, usize> = all.iter().enumerate().map(|(number, op)| (*op, number)).collect();
        let is_barrier = |op: &Op<'_>| ops::Sync::of(*op).and_then(|sync| sync.scope()) == Some(Scope::Cube);
        let barriers: Vec<RangeInclusive<usize>> =
            all.iter().filter(|op| is_barrier(op)).map(|op| repeated_with(*op, &positions)).collect();
        let shared = all.iter().flat_map(|op| op.results()).any(|result| memory_of(result) == Memory::Shared);
        let buffers = Arguments::of(kernel).buffers;
        let is_ordered = |buffer: Val<'_>| match span(buffer, &positions) {
            Some(span) => barriers.iter().any(|barrier| span.is_ordered_by(barrier)),
            None => !barriers.is_empty() && buffer.uses().into_iter().next().is_some(),
        };
        Ordered { shared, buffers: buffers.iter().any(|buffer| is_ordered(buffer.value)) }
    }
}

// The positions of the outermost loop around a barrier, or of the barrier. An access at one of these positions can run before
// and after the barrier.
fn repeated_with(barrier: Op<'_>, positions: &HashMap<Op<'_>, usize>) -> RangeInclusive<usize> {
    let outermost = barrier.ancestors().filter(|op| op.is(scf::FOR) || op.is(scf::WHILE)).last().unwrap_or(barrier);
    let last = positions.get(&outermost).copied().unwrap_or_default();
    (last + 1).saturating_sub(outermost.walk().len())..=last
}

// `None` if the buffer has uses that are not accesses.
fn span(buffer: Val<'_>, positions: &HashMap<Op<'_>, usize>) -> Option<Span> {
    let all = accesses_to(buffer);
    let is_access = |op: Op<'_>| accesses_of(op).any(|access| access.buffer == buffer);
    if !buffer.uses().into_iter().all(|(op, _)| op.is(cube_ir::ops::memref::DIM) || is_access(op)) {
        return None;
    }
    let at = |op: &Op<'_>| positions.get(op).copied();
    let ends = |places: Vec<usize>| Some([*places.iter().min()?, *places.iter().max()?]);
    let writes = all.iter().filter(|access| access.kind.writes()).filter_map(|access| at(&access.op)).collect();
    let all = all.iter().filter_map(|access| at(&access.op)).collect();
    Some(Span { all: ends(all).unwrap_or_default(), writes: ends(writes) })
}

impl Span {
    fn is_ordered_by(self, barrier: &RangeInclusive<usize>) -> bool {
        let Some([first_write, last_write]) = self.writes else { return false };
        let [first, last] = self.all;
        let precedes = |place: usize| place <= *barrier.end();
        let follows = |place: usize| place >= *barrier.start();
        precedes(first_write) && follows(last) || precedes(first) && follows(last_write)
    }
}
