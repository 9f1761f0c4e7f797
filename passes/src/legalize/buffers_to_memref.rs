//! Replaces buffers by memrefs, and accesses of buffers by plain loads and stores. All accesses in the input of the
//! pass are in bounds.
//!
//! ```mlir
//! cube.kernel @k(%x: !cube.array<f32, 4>)        cube.kernel @k(%x: memref<?xvector<4xf32>>)
//!   %n = cube.len %x                               %n = index_castui (memref.dim %x, 0)
//!   %v = cube.load %x[%i] inbounds                 %v = memref.load %x[index_castui %i]
//! ```
//!
//! Shared and local memory become `memref.alloca` of a static size, with shared memory in the workgroup address space.
//! Atomic operations remain, with memrefs as operands. A bool is one bit in a register and one byte in memory. Every
//! nonzero byte in memory counts as true.
use cube_dialect::attributes::SHARED_OFFSET;
use cube_dialect::{Bounds, BufferKind, BufferType, KernelArg, access_of, alignment_of, bounds_of, in_memory, ops};
use cube_ir::ops::{arith, memref, vector};
use cube_ir::{Builder, Failed, MemRef, MemorySpace, Op, PassResult, Run, Val, pass, upstream::IntCmp};

pass! {
    name: "buffers-to-memref",
    summary: "turns buffers into memrefs and cube accesses into plain accesses",
    on: cube::KERNEL,
    level: Flat => Legal,
    dialects: ["arith", "memref", "gpu", "vector"],
    statistics: ["accesses lowered"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let facts = kernel.facts();
    for op in kernel.op().walk() {
        let access = access_of(op);
        let missing = match bounds_of(op).filter(|_| access.is_some()) {
            Some(Bounds::Checked) => Some(("a checked access", "expand-checks")),
            None if access.is_some() => {
                Some(("an access that is neither checked nor inbounds", "specialize and expand-checks"))
            }
            _ => None,
        };
        if let Some((what, passes)) = missing {
            op.error(cube_ir::diagnostic!(CUBE0310.reached { what, passes }));
            return Err(Failed);
        }
        if let Some(access) = access.filter(|access| access.kind.is_atomic()) {
            // The memref replaces the buffer operand when the type of the buffer changes.
            let at = index(run.before(op), access.index);
            op.set_operand(access.buffer_operand + 1, at);
            op.remove_attr("bounds");
            run.count("accesses lowered", 1);
        } else if let Some(value) = lowered(run, op) {
            run.replace(op, value.as_slice());
            run.count("accesses lowered", 1);
        }
    }
    for op in kernel.op().walk() {
        if let Some(memory) = ops::Alloc::of(op).and_then(|_| memory(run, op)) {
            run.replace(op, &[memory]);
        }
    }
    for arg in &facts.args {
        if let KernelArg::Buffer(buffer) = arg {
            let line = in_memory(run.cx(), buffer.ty.line_type(run.cx()));
            buffer.value.set_type(MemRef { length: None, line, space: MemorySpace::Default }.ty(run.cx()));
        }
    }
    let types: Vec<_> = kernel.block().map(|b| b.args().map(|a| a.ty()).collect()).unwrap_or_default();
    kernel.op().set_attr("function_type", run.cx().type_attr(run.cx().function(&types, &[])));
    Ok(())
}

fn index<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    b.cast(arith::INDEX_CASTUI, value, b.cx().index())
}

// Emits the `memref.alloca` of shared or local memory.
fn memory<'p>(run: &Run<'p>, alloc: Op<'p>) -> Option<Val<'p>> {
    let buffer = BufferType::of(alloc.result(0).ty())?;
    let b = run.before(alloc);
    let line = in_memory(b.cx(), buffer.line_type(b.cx()));
    let space = if buffer.kind == BufferKind::Shared { MemorySpace::Workgroup } else { MemorySpace::Default };
    let ty = MemRef { length: Some(buffer.lines()?), line, space }.ty(b.cx());
    let segments = b.cx().i32_array(&[0, 0]);
    let spec = b.op(memref::ALLOCA).attr("operandSegmentSizes", segments);
    let planned = alloc.attr(SHARED_OFFSET);
    Some(planned.into_iter().fold(spec, |spec, offset| spec.attr(SHARED_OFFSET, offset)).result(ty).value())
}

// The values that replace the results of an access; `Some([])` for a store.
fn lowered<'p>(run: &Run<'p>, op: Op<'p>) -> Option<Vec<Val<'p>>> {
    let b = run.before(op);
    // An access of several neighbouring elements.
    if let Some(align) = alignment_of(op) {
        let access = access_of(op)?;
        let at = index(b, access.index);
        let align = b.cx().int_attr(b.cx().int(64), align as i64);
        return Some(match access.value {
            None => {
                let load = b.op(vector::LOAD).operands(&[access.buffer, at]).attr("alignment", align);
                vec![load.result(op.result(0).ty()).value()]
            }
            Some(value) => {
                b.op(vector::STORE).operands(&[value, access.buffer, at]).attr("alignment", align).build();
                vec![]
            }
        });
    }
    if let Some(load) = ops::Load::of(op) {
        let ty = BufferType::of(load.buffer().ty())?.line_type(b.cx());
        let at = index(b, load.index());
        let memory = in_memory(b.cx(), ty);
        let value = b.op(memref::LOAD).operands(&[load.buffer(), at]).result(memory).value();
        return Some(vec![if memory == ty { value } else { b.cmpi(IntCmp::Ne, value, b.int(memory, 0)) }]);
    }
    if let Some(store) = ops::Store::of(op) {
        let at = index(b, store.index());
        let memory = in_memory(b.cx(), store.value().ty());
        let same = memory == store.value().ty();
        let value = if same { store.value() } else { b.cast(arith::EXTUI, store.value(), memory) };
        b.op(memref::STORE).operands(&[value, store.buffer(), at]).build();
        return Some(vec![]);
    }
    if !op.is(ops::Len::KIND) && !op.is(ops::BufferLen::KIND) {
        return None;
    }
    // The length of shared and local memory is part of the type.
    if let Some(lines) = BufferType::of(op.operand(0).ty()).and_then(BufferType::lines) {
        return Some(vec![b.int(b.cx().int(32), lines as i64)]);
    }
    let zero = b.int(b.cx().index(), 0);
    let dim = b.op(memref::DIM).operands(&[op.operand(0), zero]).result(b.cx().index()).value();
    Some(vec![b.cast(arith::INDEX_CASTUI, dim, b.cx().int(32))])
}
