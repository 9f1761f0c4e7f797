//! Static allocation of shared and local memory on the CPU.
//!
//! Cubes of one call run in sequence, and units run in sequence between two barriers. One block of memory therefore
//! serves all cubes and units. Small allocations are on the stack, where LLVM can prove that they do not alias.
//! Overlapping allocations are in one block of memory. Allocations beyond the stack budget are in scratch memory, which
//! the runtime passes to each call. The attribute `cube.scratch_bytes` of the entry function holds the size of the
//! scratch memory.
use cube_dialect::{attributes::SCRATCH_BYTES, shared_offset};
use cube_ir::ops::{llvm, memref};
use cube_ir::{Builder, Failed, Op, Run, Type, TypeExt, Val};
use cube_to_llvm::{kernel_parts, memory};

/// Stack budget of a kernel's allocations. Threads of a host program can have as little as 256 KiB of stack.
const STACK_BYTES: u64 = 64 << 10;

/// Alignment of every allocation in bytes: the size of a cache line, and of the largest `Line`.
const ALIGNMENT: u64 = 128;
const _: () = assert!(ALIGNMENT.is_multiple_of(cube_target::SHARED_ALIGNMENT));

struct Allocation<'p> {
    alloca: Op<'p>,
    lines: u64,
    line: Type<'p>,
    /// The number of the block that contains the allocation, and the offset in the block.
    at: (usize, u64),
}

/// A block of memory for one allocation, or for all allocations with planned offsets, which can overlap.
struct MemoryBlock {
    bytes: u64,
    /// Offset in the scratch memory; `None` for a block on the stack.
    scratch: Option<u64>,
}

/// The allocations of a kernel.
pub(super) struct Allocations<'p> {
    all: Vec<Allocation<'p>>,
    blocks: Vec<MemoryBlock>,
    /// Bytes of scratch memory.
    pub scratch_bytes: u64,
}

impl<'p> Allocations<'p> {
    /// Finds the allocations and assigns an address to each.
    pub fn of(kernel: Op<'p>) -> Result<Self, Failed> {
        let (mut all, mut blocks, mut planned) = (Vec::new(), Vec::new(), Vec::new());
        let padded = |bytes: u64| bytes.next_multiple_of(ALIGNMENT).max(ALIGNMENT);
        for alloca in kernel.walk().into_iter().filter(|op| op.is(memref::ALLOCA)) {
            let shape = memory::shape_of(alloca.result(0).ty());
            let Some((lines, line, width)) = shape.and_then(|(n, line)| Some((n, line, bytes_of(line)?))) else {
                alloca.error(cube_ir::diagnostic!(CUBE0343.size));
                return Err(Failed);
            };
            match shared_offset(alloca) {
                Some(offset) => planned.push((all.len(), offset, (lines * width).max(1))),
                None => blocks.push(MemoryBlock { bytes: padded(lines * width), scratch: None }),
            }
            all.push(Allocation { alloca, lines, line, at: (blocks.len().saturating_sub(1), 0) });
        }
        let ranges = memory::shared_ranges(planned.iter().map(|(_, offset, bytes)| (*offset, *bytes)));
        for (number, offset, _) in planned {
            let range = ranges.iter().position(|range| range.contains(&offset)).ok_or(Failed)?;
            all[number].at = (blocks.len() + range, offset - ranges[range].start);
        }
        blocks.extend(ranges.iter().map(|range| MemoryBlock { bytes: padded(range.end - range.start), scratch: None }));
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by_key(|i| blocks[*i].bytes);
        let (mut stack, mut scratch_bytes) = (0, 0);
        for i in order {
            stack += blocks[i].bytes;
            if stack > STACK_BYTES {
                blocks[i].scratch = Some(scratch_bytes);
                scratch_bytes += blocks[i].bytes;
            }
        }
        Ok(Allocations { all, blocks, scratch_bytes })
    }

    /// Creates the allocations at `b`, the start of a function; `scratch` is the scratch memory of the call.
    pub fn emit(&self, b: Builder<'p>, scratch: Option<Val<'p>>) {
        let (ptr, i64t) = (b.cx().llvm_ptr(0), b.cx().int(64));
        let constant =
            |n: u64| b.op(llvm::MLIR_CONSTANT).attr("value", b.cx().int_attr(i64t, n as i64)).result(i64t).value();
        let byte = b.cx().type_attr(b.cx().int(8));
        let after = |base: Val<'p>, offset: u64| {
            let at = b.cx().i32_array(&[offset as i32]);
            let spec = b.op(llvm::GETELEMENTPTR).operands(&[base]).attr("rawConstantIndices", at);
            spec.attr("elem_type", byte).result(ptr).value()
        };
        let mut pointers: Vec<Option<Val<'p>>> = vec![None; self.blocks.len()];
        for allocation in &self.all {
            let (number, offset) = allocation.at;
            let block = &self.blocks[number];
            let start = *pointers[number].get_or_insert_with(|| match (block.scratch, scratch) {
                (Some(offset), Some(base)) => after(base, offset),
                _ => b
                    .op(llvm::ALLOCA)
                    .operands(&[constant(block.bytes)])
                    .attr("elem_type", byte)
                    .attr("alignment", b.cx().int_attr(i64t, ALIGNMENT as i64))
                    .result(ptr)
                    .value(),
            });
            let pointer = if offset == 0 { start } else { after(start, offset) };
            let ty = memory::type_of(b.cx(), allocation.lines, allocation.line, false);
            let memref = kernel_parts::memref(b, ty, pointer, constant(allocation.lines));
            allocation.alloca.result(0).replace_all_uses(memref);
        }
    }

    /// Removes the original allocation operations.
    pub fn erase(&self, run: &mut Run<'p>) {
        self.all.iter().for_each(|allocation| run.erase(allocation.alloca));
    }

    /// Records the required bytes of scratch memory in an attribute of the entry function. Every entry function
    /// has this attribute.
    pub fn set_scratch_bytes(&self, entry: Op<'p>) {
        let cx = entry.cx();
        entry.set_attr(SCRATCH_BYTES, cx.int_attr(cx.int(64), self.scratch_bytes as i64));
    }
}

// Bytes of a line in memory; a line occupies a power of two of bytes.
fn bytes_of(line: Type<'_>) -> Option<u64> {
    Some((cube_dialect::element_bytes(line)? * line.element_count()).next_power_of_two())
}
