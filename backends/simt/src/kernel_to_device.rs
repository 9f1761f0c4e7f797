//! Lowers a kernel to a device function whose topology values are read from hardware registers.
//!
//! ```mlir
//! cube.kernel @k(%x: memref<?xf32>, %a: f32)    llvm.func @k(%x: !llvm.ptr<1>, %x_len: i64, %a: f32) {nvvm.kernel}
//!   %i = cube.topology unit_pos_x                 %i = nvvm.read.ptx.sreg.tid.x
//! ```
//!
//! The parameters of the device function are, in order, the pointer and length of each buffer, and each scalar by
//! value. Shared memory becomes globals, and local memory is on the stack (`device_memory.rs`). A backend declares the
//! pass and supplies its [`Registers`]. Cost: linear.
use crate::device_memory::{self, Spaces};
use crate::planes::lanes_of;
use cube_dialect::attributes::{UNROLL, has_one_body};
use cube_dialect::{KernelFacts, PLANE_DIM, ops};
use cube_ir::ops::scf;
use cube_ir::{
    Attribute, Builder, Cx, Dialect, Failed, Level, Linkage, MemRef, MemorySpace, Op, OpKind, PassResult, Run, Type,
    Val,
};
use cube_passes::{levels, limits, specialize::attach_target};
use cube_target::Target;
use cube_to_llvm::kernel_parts::{Function, UnitPosition, is_buffer, memref, replace_topology};
use cube_to_llvm::saturating_sums;

/// The operations with which a family of GPUs reads the positions and sizes of a launch.
pub struct Registers {
    /// The name of the backend in chip descriptions.
    pub backend: &'static str,
    /// The dialect of the target's operations.
    pub dialect: Dialect,
    /// Attribute that marks a function as a kernel.
    pub kernel: &'static str,
    /// Operations that read the position of a unit in its cube, along x, y, z.
    pub unit: [OpKind; 3],
    /// Operations that read the position of a cube in the launch, along x, y, z.
    pub cube: [OpKind; 3],
    /// Reads the cube counts along x, y, z, as `i32`.
    pub count: for<'p> fn(Builder<'p>) -> [Val<'p>; 3],
    /// Attributes of the function of a kernel.
    pub attributes: for<'p> fn(Cx<'p>, &KernelFacts<'p>) -> Vec<(&'static str, Attribute<'p>)>,
}

/// Lowers all kernels of a module to device functions, for the pass `pass`.
///
/// # Errors
/// The module has no description of a chip of [`Registers::backend`] (CUBE0352, CUBE0320), or the kernel contains an
/// unsupported operation, which the error locates.
pub fn run<'p>(run: &mut Run<'p>, pass: &str, registers: &Registers) -> PassResult {
    let target = attach_target::required(run)?;
    if target.backend != registers.backend {
        let (own, other) = (registers.backend, target.name());
        run.root().error(cube_ir::diagnostic!(CUBE0320.other { pass, own, other }));
        return Err(Failed);
    }
    for kernel in cube_dialect::kernels_of(run.root()) {
        lower(run, kernel, registers, &target)?;
    }
    Ok(())
}

fn lower<'p>(run: &mut Run<'p>, kernel: ops::Kernel<'p>, registers: &Registers, target: &Target) -> PassResult {
    levels::require_with(kernel.op(), Level::Legal, &[Dialect::Llvm, registers.dialect, Dialect::Builtin])?;
    fits(&kernel.facts(), target)?;
    let lanes = lanes_of(kernel.op(), target)?;
    let spaces = Spaces::of(target, lanes);
    device_memory::lower(run, kernel, spaces)?;
    let facts = kernel.facts();
    let block = kernel.block().ok_or(Failed)?;
    let params: Vec<Val<'p>> = block.args().collect();
    let mut placed = None;
    let function = declaration(run, &facts, &params, registers, spaces.global).build(kernel.op(), |b, values| {
        placed = Some(prologue(b, &facts, &params, values, registers, (lanes, spaces.global)));
    });
    let end = function.body().and_then(|b| b.terminator()).ok_or(Failed)?;
    block.splice_before(end);
    let position = placed.ok_or(Failed)?;
    if target.planes.widths.len() > 1 {
        // The code generator must use the same plane width.
        function.set_attr(PLANE_DIM, run.cx().int_attr(run.cx().int(32), lanes.into()));
    }
    replace_topology(run, function, |_| position);
    annotate_loops(function);
    saturating_sums::lower(run, function);
    run.erase(kernel.op());
    Ok(())
}

// Passes the requested unrolling of loops to LLVM: the factor 1, or the complete loop.
fn annotate_loops(function: Op<'_>) {
    for annotated in function.walk().into_iter().filter(|op| op.is(scf::FOR) && op.attr(UNROLL).is_some()) {
        let unroll = if has_one_body(annotated) { "disable" } else { "full" };
        if let Some(annotation) =
            annotated.cx().parse_attr(&format!("#llvm.loop_annotation<unroll = <{unroll} = true>>"))
        {
            // The conversion of loops to branches passes this attribute on.
            annotated.set_attr("loop_annotation", annotation);
        }
        annotated.remove_attr(UNROLL);
    }
}

/// Refuses a cube with more units than the chip supports. `device_memory` compares the shared memory, which also
/// contains the memory that passes add.
fn fits(facts: &KernelFacts<'_>, target: &Target) -> PassResult {
    match limits::exceeded(facts, 0, target).into_iter().next() {
        Some(message) if !target.limits.guaranteed => {
            facts.op.error(message);
            Err(Failed)
        }
        _ => Ok(()),
    }
}

fn declaration<'p>(
    run: &Run<'p>,
    facts: &KernelFacts<'p>,
    params: &[Val<'p>],
    registers: &Registers,
    global: u32,
) -> Function<'p> {
    let cx = run.cx();
    let mut args: Vec<(Type<'p>, &'static [&'static str])> = Vec::new();
    for param in params {
        match is_buffer(*param) {
            true => args.extend([(cx.llvm_ptr(global), &[][..]), (cx.int(64), &[])]),
            false => args.push((param.ty(), &[])),
        }
    }
    let attrs = [(registers.kernel, cx.unit_attr())].into_iter().chain((registers.attributes)(cx, facts)).collect();
    Function { name: facts.name.to_string(), args, linkage: Linkage::External, attrs }
}

fn prologue<'p>(
    b: Builder<'p>,
    facts: &KernelFacts<'p>,
    params: &[Val<'p>],
    values: &[Val<'p>],
    registers: &Registers,
    (lanes, global): (u32, u32),
) -> UnitPosition<'p> {
    let (i32t, space) = (b.cx().int(32), MemorySpace::Llvm(global));
    let mut next = values.iter();
    let mut take = || *next.next().expect("one value or two an argument");
    for param in params {
        let value = match MemRef::of(param.ty()) {
            Some(buffer) => {
                let (pointer, length) = (take(), take());
                memref(b, MemRef { space, ..buffer }.ty(b.cx()), pointer, length)
            }
            None => take(),
        };
        param.replace_all_uses(value);
    }
    let read = |names: [OpKind; 3]| names.map(|name| b.op(name).result(i32t).value());
    let count = (registers.count)(b);
    UnitPosition {
        unit: read(registers.unit),
        cube: read(registers.cube),
        count,
        dim: facts.cube_dim,
        absolute: None,
        lanes,
    }
}
