//! Shared and local memory on GPUs: shared memory becomes globals, and local memory is on the stack.
use cube_dialect::{ops, shared_offset, target_of};
use cube_ir::ops::{llvm, memref};
use cube_ir::{Builder, Cx, Failed, Linkage, MemRef, MemorySpace, Op, PassResult, Run, Type, TypeExt, Val};
use cube_target::{SHARED_ALIGNMENT, SpaceKind, Target};
use cube_to_llvm::{kernel_parts::memref, memory::shared_ranges};
use std::ops::Range;

/// Memory spaces of a target.
#[derive(Clone, Copy)]
pub(super) struct Spaces {
    /// Address space of buffers.
    pub global: u32,
    /// Address space of memory that the units of a cube share.
    pub shared: u32,
    /// Address space of a unit's stack.
    pub local: u32,
    /// Maximum bytes of shared memory that code can reserve statically. If a kernel requires more than this
    /// maximum, the launch reserves all shared memory of the kernel.
    pub max_static: u64,
    /// Maximum bytes of shared memory of a cube for a target whose code, not the launch, reserves the memory.
    pub max_shared: Option<u64>,
    /// Maximum bytes of local memory of a unit, if the description has a limit.
    pub max_local: Option<u64>,
}

impl Spaces {
    /// Memory spaces of a chip, for planes of `lanes` units.
    pub fn of(target: &Target, lanes: u32) -> Self {
        let space = |kind| target.space(kind).copied().expect("a description has all spaces");
        let (shared, local) = (space(SpaceKind::Shared), space(SpaceKind::Local));
        Spaces {
            global: space(SpaceKind::Global).llvm,
            shared: shared.llvm,
            local: local.llvm,
            max_static: shared.static_bytes.unwrap_or(u64::MAX),
            max_shared: shared.bytes.filter(|_| shared.static_bytes.is_none()),
            // The description states the limit for the chip's default plane width. The units of a plane share the
            // memory of the plane.
            max_local: local.bytes.map(|limit| limit * u64::from(target.planes.width) / u64::from(lanes)),
        }
    }
}

/// One `memref.alloca`.
struct Allocation<'p> {
    op: Op<'p>,
    lines: u64,
    line: Type<'p>,
    shared: bool,
    /// The offset in shared memory, if a pass assigned one.
    planned: Option<u64>,
}

/// Replaces every `memref.alloca` of a kernel by shared memory or stack.
pub(super) fn lower<'p>(run: &mut Run<'p>, kernel: ops::Kernel<'p>, spaces: Spaces) -> PassResult {
    let allocas = kernel.op().walk().into_iter().filter(|op| op.is(memref::ALLOCA));
    let allocations = allocas.map(allocation).collect::<Result<Vec<_>, _>>()?;
    // The allocations with offsets are at the start of shared memory.
    let end = |p: &Allocation<'p>| Some(p.planned?.saturating_add(p.bytes()));
    let planned = allocations.iter().filter_map(end).max().unwrap_or(0);
    let others: u64 = allocations.iter().filter(|p| p.shared && p.planned.is_none()).map(Allocation::bytes).sum();
    let total = planned.saturating_add(others);
    let ranges = shared_ranges(allocations.iter().filter_map(|p| Some((p.planned?, p.size().max(1)))));
    let mut arrays: Vec<Option<String>> = vec![None; ranges.len()];
    let chip = || target_of(run.root()).name();
    let own: u64 = allocations.iter().filter(|p| !p.shared).map(Allocation::size).sum();
    if let Some(limit) = spaces.max_local.filter(|limit| own > *limit) {
        let largest = allocations.iter().filter(|p| !p.shared).max_by_key(|p| p.bytes()).map_or(kernel.op(), |p| p.op);
        largest.error(cube_ir::diagnostic!(CUBE0321.local { bytes: own, chip: chip(), limit }));
        return Err(Failed);
    }
    if let Some(limit) = spaces.max_shared.filter(|limit| total > *limit) {
        let chip = chip();
        kernel.op().error(cube_ir::diagnostic!(CUBE0321.shared { bytes: total, chip, limit }));
        return Err(Failed);
    }
    let dynamic = total > spaces.max_static;
    if dynamic {
        // This array has no static length, because the launch sets its length.
        let cx = kernel.op().cx();
        global(
            Builder::before(kernel.op()),
            &shared_name(kernel, None),
            cx.llvm_array(0, cx.int(8)),
            Linkage::External,
            spaces.shared,
        );
    }
    // The first operation that is not an allocation.
    let is_allocation = |op: &Op<'p>| op.is(memref::ALLOCA);
    let ops = kernel.block().map(|block| block.ops()).unwrap_or_default();
    let start = ops.into_iter().find(|op| !is_allocation(op)).ok_or(Failed)?;
    let (mut number, mut offset) = (0, planned);
    for allocation in allocations {
        let b = run.before(allocation.op);
        let pointer = if !allocation.shared {
            // LLVM treats an allocation after the first block as a dynamic allocation. In the generic address space,
            // LLVM's code generator moves the allocation.
            let b = if spaces.local == 0 { b } else { run.before(start) };
            allocation.on_stack(b, spaces.local)?
        } else if dynamic {
            let start = address(b, &shared_name(kernel, None), spaces.shared);
            let at = allocation.planned.unwrap_or(offset);
            offset += if allocation.planned.is_some() { 0 } else { allocation.bytes() };
            at_offset(b, start, at)?
        } else if let Some(planned) = allocation.planned {
            let holds = |range: &Range<u64>| range.contains(&planned);
            let n = ranges.iter().position(holds).ok_or(Failed)?;
            let bytes = u32::try_from(ranges[n].end - ranges[n].start).map_err(|_| Failed)?;
            let name = arrays[n].get_or_insert_with(|| {
                number += 1;
                let name = shared_name(kernel, Some(number - 1));
                let array = b.cx().llvm_array(bytes, b.cx().int(8));
                global(Builder::before(kernel.op()), &name, array, Linkage::Internal, spaces.shared);
                name
            });
            at_offset(b, address(b, name, spaces.shared), planned - ranges[n].start)?
        } else {
            let name = shared_name(kernel, Some(number));
            number += 1;
            global(Builder::before(kernel.op()), &name, allocation.array(b.cx())?, Linkage::Internal, spaces.shared);
            address(b, &name, spaces.shared)
        };
        let length = b.int(b.cx().int(64), allocation.lines as i64);
        // Accesses keep the space of their memory until code generation.
        let space = MemorySpace::Llvm(if allocation.shared { spaces.shared } else { spaces.local });
        let ty = MemRef { length: Some(allocation.lines), line: allocation.line, space }.ty(b.cx());
        let value = memref(b, ty, pointer, length);
        run.replace(allocation.op, &[value]);
    }
    Ok(())
}

fn allocation(op: Op<'_>) -> Result<Allocation<'_>, Failed> {
    let ty = op.result(0).ty();
    let Some((memref, lines)) = MemRef::of(ty).and_then(|memref| Some((memref, memref.length?))) else {
        op.error(cube_ir::diagnostic!(CUBE0322.length { ty }));
        return Err(Failed);
    };
    let shared = memref.space == MemorySpace::Workgroup;
    Ok(Allocation { op, lines, line: memref.line, shared, planned: shared_offset(op).filter(|_| shared) })
}

impl<'p> Allocation<'p> {
    fn bytes(&self) -> u64 {
        self.size().next_multiple_of(SHARED_ALIGNMENT)
    }

    /// The bytes of all elements.
    fn size(&self) -> u64 {
        self.lines * self.line.element_count() * cube_dialect::element_bytes(self.line).unwrap_or(1)
    }

    /// The array of all lines, in LLVM's types.
    fn array(&self, cx: Cx<'p>) -> Result<Type<'p>, Failed> {
        Ok(cx.llvm_array(u32::try_from(self.lines).map_err(|_| Failed)?, self.line))
    }

    fn on_stack(&self, b: Builder<'p>, space: u32) -> Result<Val<'p>, Failed> {
        let cx = b.cx();
        let array = self.array(cx)?;
        let one = b.op(llvm::MLIR_CONSTANT).attr("value", cx.int_attr(cx.int(32), 1)).result(cx.int(32)).value();
        let spec = b.op(llvm::ALLOCA).operands(&[one]).attr("elem_type", cx.type_attr(array));
        let alignment = cx.int_attr(cx.int(64), SHARED_ALIGNMENT as i64);
        Ok(spec.attr("alignment", alignment).result(cx.llvm_ptr(space)).value())
    }
}

// The address that is `bytes` after `start`.
fn at_offset<'p>(b: Builder<'p>, start: Val<'p>, bytes: u64) -> Result<Val<'p>, Failed> {
    let at = b.cx().i32_array(&[i32::try_from(bytes).map_err(|_| Failed)?]);
    let byte = b.cx().type_attr(b.cx().int(8));
    let spec = b.op(llvm::GETELEMENTPTR).operands(&[start]).attr("rawConstantIndices", at);
    Ok(spec.attr("elem_type", byte).result(start.ty()).value())
}

fn shared_name(kernel: ops::Kernel<'_>, number: Option<usize>) -> String {
    match number {
        Some(number) => format!("{}_shared_{number}", kernel.name()),
        None => format!("{}_shared", kernel.name()),
    }
}

fn global<'p>(b: Builder<'p>, name: &str, ty: Type<'p>, linkage: Linkage, space: u32) {
    let cx = b.cx();
    b.op(llvm::MLIR_GLOBAL)
        .attr("sym_name", cx.str_attr(name))
        .attr("global_type", cx.type_attr(ty))
        .attr("linkage", cx.linkage_attr(linkage))
        .attr("addr_space", cx.int_attr(cx.int(32), space.into()))
        .attr("alignment", cx.int_attr(cx.int(64), SHARED_ALIGNMENT as i64))
        .empty_region()
        .build();
}

fn address<'p>(b: Builder<'p>, name: &str, space: u32) -> Val<'p> {
    let symbol = b.cx().symbol_attr(name);
    b.op(llvm::MLIR_ADDRESSOF).attr("global_name", symbol).result(b.cx().llvm_ptr(space)).value()
}
