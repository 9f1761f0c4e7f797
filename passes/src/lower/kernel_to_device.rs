//! GPUs: a kernel becomes a device function whose topology values come from hardware registers.
//!
//! ```mlir
//! cube.kernel @k(%x: memref<?xf32>, %a: f32)    llvm.func @k(%x: !llvm.ptr<1>, %x_len: i64, %a: f32) {nvvm.kernel}
//!   %i = cube.topology unit_pos_x                 %i = nvvm.read.ptx.sreg.tid.x
//! ```
//!
//! Parameters are, in order: pointer and length of each buffer, each scalar by value, and on AMD GPUs the three cube
//! counts, which that hardware keeps in memory only. Memory of a cube becomes globals, memory of a unit its stack
//! (`device_memory.rs`). Cost: linear.
use super::{
    device_memory::{self, Spaces},
    place::{Function, Place, memref, replace_topology},
    units_to_loops::is_buffer,
};
use crate::{levels, specialize::attach_target};
use cube_dialect::{KernelFacts, TopologyKind, ops};
use cube_ir::{Builder, Failed, Level, Op, PassResult, Run, Type, Val, pass};
use cube_target::{Planes, Target};

pass! {
    name: "kernel-to-device",
    summary: "turns a kernel into a device function (GPUs)",
    on: "builtin.module",
    level: Legal => Lowered,
    dialects: ["llvm", "nvvm", "rocdl", "arith", "memref"],
    options: { target: Text("nvptx") = "nvptx or amdgpu" },
    run: run,
}

/// What differs between the two families.
struct Family {
    kernel: &'static str,
    unit: [&'static str; 3],
    cube: [&'static str; 3],
    /// Registers with the cube counts; `None` where they are parameters.
    count: Option<[&'static str; 3]>,
    /// Attribute that fixes the cube dim.
    dim: &'static str,
}

const NVPTX: Family = Family {
    kernel: "nvvm.kernel",
    unit: ["nvvm.read.ptx.sreg.tid.x", "nvvm.read.ptx.sreg.tid.y", "nvvm.read.ptx.sreg.tid.z"],
    cube: ["nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.ctaid.y", "nvvm.read.ptx.sreg.ctaid.z"],
    count: Some(["nvvm.read.ptx.sreg.nctaid.x", "nvvm.read.ptx.sreg.nctaid.y", "nvvm.read.ptx.sreg.nctaid.z"]),
    dim: "nvvm.reqntid",
};

const AMDGPU: Family = Family {
    kernel: "rocdl.kernel",
    unit: ["rocdl.workitem.id.x", "rocdl.workitem.id.y", "rocdl.workitem.id.z"],
    cube: ["rocdl.workgroup.id.x", "rocdl.workgroup.id.y", "rocdl.workgroup.id.z"],
    count: None,
    dim: "rocdl.reqd_work_group_size",
};

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let target = run.text("target");
    let family = match target.as_str() {
        "nvptx" => &NVPTX,
        "amdgpu" => &AMDGPU,
        other => {
            run.root().error(format!("kernel-to-device knows the targets nvptx and amdgpu, not '{other}' [CUBE0320]"));
            return Err(Failed);
        }
    };
    let target = attach_target::required(run)?;
    for kernel in cube_dialect::kernels_of(run.root()) {
        lower(run, kernel, family, &target)?;
    }
    Ok(())
}

fn lower<'p>(run: &mut Run<'p>, kernel: ops::Kernel<'p>, family: &Family, target: &Target) -> PassResult {
    levels::require_with(kernel.op(), Level::Legal, &["llvm.*", "nvvm.*", "rocdl.*", "builtin.*"])?;
    device_memory::lower(run, kernel, Spaces::of(target))?;
    let facts = kernel.facts();
    let block = kernel.block().ok_or(Failed)?;
    let params: Vec<Val<'p>> = block.args().collect();
    let mut placed = None;
    let function = declaration(run, &facts, &params, family).build(kernel.op(), |b, values| {
        placed = Some(prologue(b, &facts, &params, values, family, target.planes.width));
    });
    let end = function.body().and_then(|b| b.terminator()).ok_or(Failed)?;
    block.splice_before(end);
    let place = placed.ok_or(Failed)?;
    replace_planes(run, function, &place, &target.planes)?;
    replace_topology(run, function, |_| place);
    run.erase(kernel.op());
    Ok(())
}

/// Positions in planes and clusters; a cube is a cluster of its own.
fn replace_planes<'p>(run: &mut Run<'p>, root: Op<'p>, place: &Place<'p>, planes: &Planes) -> PassResult {
    for topology in root.walk().into_iter().filter_map(ops::Topology::of) {
        let (op, kind) = (topology.op(), topology.kind());
        let b = run.before(op);
        let constant = |n: u32| b.int(b.cx().int(32), n.into());
        let value = match kind as usize {
            20..=23 => constant(1),
            24..=27 => constant(0),
            28..=30 => {
                // Where a plane has several widths, or no operation, the positions in it have no code either.
                let ([lanes], false) = (planes.widths.as_slice(), planes.operations.is_empty()) else {
                    op.error(
                        "positions in planes have no code on this target yet: use positions in the cube [CUBE0321]",
                    );
                    return Err(Failed);
                };
                let unit = || place.value(b, TopologyKind::UnitPos);
                match kind as usize {
                    28 => constant(*lanes),
                    29 => b.divui(unit(), constant(*lanes)),
                    _ => b.remui(unit(), constant(*lanes)),
                }
            }
            _ => continue,
        };
        run.replace(op, &[value]);
    }
    Ok(())
}

fn declaration<'p>(run: &Run<'p>, facts: &KernelFacts<'p>, params: &[Val<'p>], family: &Family) -> Function<'p> {
    let cx = run.cx();
    let mut args: Vec<(Type<'p>, &'static str)> = Vec::new();
    for param in params {
        match is_buffer(*param) {
            true => args.extend([(cx.llvm_ptr(1), ""), (cx.int(64), "")]),
            false => args.push((param.ty(), "")),
        }
    }
    if family.count.is_none() {
        args.extend([(cx.int(32), ""); 3]);
    }
    let [x, y, z] = facts.cube_dim;
    let attrs = vec![(family.kernel, "unit".to_string()), (family.dim, format!("array<i32: {x}, {y}, {z}>"))];
    Function { name: facts.name.to_string(), args, linkage: "external", attrs }
}

fn prologue<'p>(
    b: Builder<'p>,
    facts: &KernelFacts<'p>,
    params: &[Val<'p>],
    values: &[Val<'p>],
    family: &Family,
    lanes: u32,
) -> Place<'p> {
    let (i32t, generic) = (b.cx().int(32), b.cx().llvm_ptr(0));
    let mut next = values.iter();
    let mut take = || *next.next().expect("one value or two an argument");
    for param in params {
        let value = if is_buffer(*param) {
            let (pointer, length) = (b.cast("llvm.addrspacecast", take(), generic), take());
            memref(b, param.ty(), pointer, length)
        } else {
            take()
        };
        param.replace_all_uses(value);
    }
    let read = |names: [&str; 3]| names.map(|name| b.op(name).result(i32t).value());
    let count = match family.count {
        Some(names) => read(names),
        None => [take(), take(), take()],
    };
    Place { unit: read(family.unit), cube: read(family.cube), count, dim: facts.cube_dim, absolute: None, lanes }
}
