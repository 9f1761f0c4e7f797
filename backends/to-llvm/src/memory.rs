//! Static allocations of kernels: shared and local memory.
use cube_dialect::in_memory;
use cube_ir::ops::{arith, memref};
use cube_ir::{Block, Builder, Cx, MemRef, MemorySpace, Op, Type, Val};
use std::ops::Range;

/// The owner of a memref's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationScope {
    /// Memory of an argument.
    Global,
    /// One allocation per cube.
    Cube,
    /// One allocation per unit.
    Unit,
}

/// The owner of the memory of `memref`.
pub fn allocation_scope(memref: Val<'_>) -> AllocationScope {
    match memref.def_of(memref::ALLOCA) {
        None => AllocationScope::Global,
        Some(alloca) if is_shared(alloca.result(0).ty()) => AllocationScope::Cube,
        Some(_) => AllocationScope::Unit,
    }
}

fn is_shared(ty: Type<'_>) -> bool {
    MemRef::of(ty).is_some_and(|memref| memref.space == MemorySpace::Workgroup)
}

/// The type of an allocation with `lines` lines. If `shared` is set, the units of a cube share the
/// allocation.
pub fn type_of<'p>(cx: Cx<'p>, lines: u64, line: Type<'p>, shared: bool) -> Type<'p> {
    let space = if shared { MemorySpace::Workgroup } else { MemorySpace::Default };
    MemRef { length: Some(lines), line, space }.ty(cx)
}

/// Number of lines and line type of a static memref with one dimension.
pub fn shape_of(memref: Type<'_>) -> Option<(u64, Type<'_>)> {
    let memref = MemRef::of(memref)?;
    Some((memref.length?, memref.line))
}

/// A new allocation of the cube, at the start of the kernel's block.
pub fn shared<'p>(kernel: Block<'p>, lines: u64, value: Type<'p>) -> Val<'p> {
    let first = kernel.first().expect("kernels end in a return");
    let b = Builder::before(first);
    let ty = type_of(b.cx(), lines, in_memory(b.cx(), value), true);
    alloca(b, ty)
}

/// A `memref.alloca` of a type.
pub fn alloca<'p>(b: Builder<'p>, ty: Type<'p>) -> Val<'p> {
    b.op(memref::ALLOCA).attr("operandSegmentSizes", b.cx().i32_array(&[0, 0])).result(ty).value()
}

/// Stores a value in an allocation.
pub fn store<'p>(b: Builder<'p>, value: Val<'p>, memref: Val<'p>, index: Val<'p>) -> Op<'p> {
    let ty = in_memory(b.cx(), value.ty());
    let value = if ty == value.ty() { value } else { b.cast(arith::EXTUI, value, ty) };
    b.op(memref::STORE).operands(&[value, memref, index]).build()
}

/// Loads a value of type `ty` from an allocation.
pub fn load<'p>(b: Builder<'p>, ty: Type<'p>, memref: Val<'p>, index: Val<'p>) -> Val<'p> {
    let memory = in_memory(b.cx(), ty);
    let value = b.op(memref::LOAD).operands(&[memref, index]).result(memory).value();
    if memory == ty { value } else { b.cast(arith::TRUNCI, value, ty) }
}

/// Ranges of bytes of shared memory, in order, for planned allocations with these offsets and sizes. Overlapping
/// allocations are in one range. Ranges are disjoint, so that LLVM can prove that their accesses do not alias.
pub fn shared_ranges(planned: impl Iterator<Item = (u64, u64)>) -> Vec<Range<u64>> {
    let mut all: Vec<(u64, u64)> = planned.collect();
    all.sort_unstable();
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for (start, size) in all {
        match ranges.last_mut().filter(|range| start < range.end) {
            Some(range) => range.end = range.end.max(start + size),
            None => ranges.push(start..start + size),
        }
    }
    ranges
}

/// Moves all allocations of a kernel to its start, so that each allocation runs once, even if its operation is in a
/// loop.
pub fn gather_at_start(kernel: Op<'_>) {
    let Some(first) = kernel.body().and_then(|b| b.first()) else { return };
    for op in kernel.walk() {
        if op.is(memref::ALLOCA) && op != first {
            op.move_before(first);
        }
    }
}
