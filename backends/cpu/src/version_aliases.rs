//! Loop versioning for aliases: decides whether a kernel gets a second body for launches whose buffers do not overlap,
//! and emits the overlap test. `emit-unit-loops` uses this module.
//!
//! LLVM vectorises a loop with loads and stores of several arguments only if they do not overlap, and tests this before the
//! loop. For a gather such as `x[i / n]`, LLVM does not know the bounds of the accesses, and the loop stays
//! scalar. The bounds are the ends of the buffer, so the entry function can test the buffers.
use cube_dialect::{TopologyKind, ops};
use cube_ir::access::{access_of, all_accesses};
use cube_ir::ops::{arith, llvm, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, MemRef, Op, TypeExt, Val};
use std::collections::HashMap;

/// Maximum number of operations of a kernel that gets two bodies.
const MAX_OPS: usize = 256;

/// Maximum number of pairs of buffers that the entry function compares.
const MAX_PAIRS: usize = 8;

/// How a value changes from one unit to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Growth {
    /// The value is equal in all units.
    Uniform,
    /// The value grows by a number that is equal in all units, so LLVM knows the bounds of the accesses.
    Linear,
    /// Any other value.
    Other,
}

/// The pairs of parameters of a kernel that must not overlap, so that LLVM can vectorise the loop over its units. The
/// list is empty if a second body has no use.
pub fn pairs(kernel: Op<'_>, params: &[Val<'_>]) -> Vec<[usize; 2]> {
    let inside = kernel.walk();
    let ends = |op: Op<'_>| op == kernel || op.is(ops::Return::KIND);
    // An operation without a list of accesses can access any argument.
    let listed: Option<Vec<_>> = inside.iter().filter(|op| !ends(**op)).map(|op| all_accesses(*op)).collect();
    let accesses = listed.unwrap_or_default().concat();
    let is_loop = |op: &Op<'_>| op.is(scf::FOR) || op.is(scf::WHILE);
    let is_vector = |op: &Op<'_>| op.results().any(|result| !result.ty().is_scalar() && result.ty().lanes().is_some());
    // LLVM vectorises only innermost loops without calls, atomics and vector values.
    if inside.len() > MAX_OPS
        || inside.iter().any(|op| is_loop(op) || is_vector(op))
        || accesses.iter().any(|access| access.kind.is_atomic())
    {
        return vec![];
    }
    let mut known = HashMap::new();
    let gathers =
        accesses.iter().any(|access| access.indices().any(|index| growth(index, &mut known) == Growth::Other));
    if !gathers {
        return vec![];
    }
    let number = |buffer: Val<'_>| params.iter().position(|param| *param == buffer);
    // Memory of a cube or a unit is not an argument.
    let (mut used, mut written) = (Vec::new(), Vec::new());
    for access in &accesses {
        let Some(buffer) = number(access.buffer) else { return vec![] };
        used.push(buffer);
        if access.kind.writes() {
            written.push(buffer);
        }
    }
    let mut pairs: Vec<[usize; 2]> = written
        .iter()
        .flat_map(|one| {
            used.iter().filter(move |other| *other != one).map(move |other| [*one.min(other), *one.max(other)])
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.len() > MAX_PAIRS { vec![] } else { pairs }
}

fn growth<'p>(value: Val<'p>, known: &mut HashMap<Val<'p>, Growth>) -> Growth {
    if let Some(growth) = known.get(&value) {
        return *growth;
    }
    let found = match value.def() {
        None => Growth::Uniform,
        Some(op) if ops::Topology::of(op).is_some_and(|topology| topology.kind() == TopologyKind::AbsolutePos) => {
            Growth::Linear
        }
        Some(op) if ops::Topology::of(op).is_some() => Growth::Uniform,
        Some(op) if op.regions().next().is_some() || access_of(op).is_some() => Growth::Other,
        Some(op) => {
            let most = op.operands().map(|operand| growth(operand, known)).max().unwrap_or(Growth::Uniform);
            if most == Growth::Linear && !is_linear(op) { Growth::Other } else { most }
        }
    };
    known.insert(value, found);
    found
}

// Whether the result of an operation grows linearly with its operands.
fn is_linear(op: Op<'_>) -> bool {
    let kinds = [
        arith::ADDI,
        arith::SUBI,
        arith::MULI,
        arith::SHLI,
        arith::EXTUI,
        arith::EXTSI,
        arith::TRUNCI,
        arith::INDEX_CAST,
        arith::INDEX_CASTUI,
    ];
    kinds.into_iter().any(|kind| op.is(kind))
}

/// A buffer of the launch: address, number of elements, bytes of an element.
#[derive(Clone, Copy)]
pub struct Extent<'p> {
    /// The address of the first byte.
    pub pointer: Val<'p>,
    /// The number of elements.
    pub length: Val<'p>,
    /// The bytes of an element.
    pub bytes: u64,
}

/// The bytes of an element of a buffer.
pub fn element_bytes(buffer: Val<'_>) -> u64 {
    let line = MemRef::of(buffer.ty()).map(|memory| memory.line);
    line.and_then(|line| Some(line.element_count() * cube_dialect::element_bytes(line)?)).unwrap_or(1)
}

/// Emits the test that the buffers of each pair do not overlap: one buffer ends before the other begins.
pub fn are_apart<'p>(b: Builder<'p>, pairs: &[[Extent<'p>; 2]]) -> Option<Val<'p>> {
    let i64t = b.cx().int(64);
    let range = |buffer: Extent<'p>| {
        let start = b.op(llvm::PTRTOINT).operands(&[buffer.pointer]).result(i64t).value();
        let bytes = b.muli(buffer.length, b.int(i64t, buffer.bytes as i64));
        [start, b.addi(start, bytes)]
    };
    let of_pair = |[one, other]: &[Extent<'p>; 2]| {
        let ([start, end], [other_start, other_end]) = (range(*one), range(*other));
        b.ori(b.cmpi(IntCmp::Ule, end, other_start), b.cmpi(IntCmp::Ule, other_end, start))
    };
    pairs.iter().map(of_pair).reduce(|x, y| b.andi(x, y))
}
