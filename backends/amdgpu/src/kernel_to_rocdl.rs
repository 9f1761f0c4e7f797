//! A kernel becomes a function with the attribute `rocdl.kernel`. The function reads the unit's position from registers
//! of the wave.
//!
//! ```mlir
//! cube.kernel @k(%x: memref<?xf32>)    llvm.func @k(%x: !llvm.ptr<1>, %x_len: i64) attributes {rocdl.kernel}
//!   %i = cube.topology unit_pos_x        %i = rocdl.workitem.id.x
//! ```
//!
//! The cube counts are hidden arguments. Every launcher of AMD's code objects sets the hidden arguments (LLVM, "User
//! Guide for AMDGPU Backend", code object v5). `cube_simt::kernel_to_device` has the invariant and the cost.
use crate::intrinsics::intrinsic;
use cube_dialect::attributes::{self, ARGUMENTS};
use cube_dialect::{KernelArg, KernelFacts};
use cube_ir::ops::{llvm, rocdl};
use cube_ir::{Attribute, Builder, Cx, Dialect, PassResult, Run, Val, pass};
use cube_simt::{Registers, kernel_to_device};
use cube_to_llvm::fast_math;

pass! {
    name: "kernel-to-rocdl",
    summary: "turns a kernel into a device function (AMD GPUs)",
    on: builtin::MODULE,
    level: Legal | Mixed => Device,
    dialects: ["llvm", "rocdl", "arith", "memref"],
    run: run,
}

const REGISTERS: Registers = Registers {
    backend: "amdgpu",
    dialect: Dialect::Rocdl,
    kernel: attributes::ROCDL_KERNEL,
    unit: [rocdl::WORKITEM_ID_X, rocdl::WORKITEM_ID_Y, rocdl::WORKITEM_ID_Z],
    cube: [rocdl::WORKGROUP_ID_X, rocdl::WORKGROUP_ID_Y, rocdl::WORKGROUP_ID_Z],
    count,
    attributes,
};

/// Address space of the hidden arguments: constant memory.
const CONSTANT: u32 = 4;

// `hidden_block_count_x`, `_y` and `_z` are the first three words.
fn count<'p>(b: Builder<'p>) -> [Val<'p>; 3] {
    let (cx, ptr) = (b.cx(), b.cx().llvm_ptr(CONSTANT));
    let hidden = intrinsic(b, "llvm.amdgcn.implicitarg.ptr", &[], ptr);
    [0, 4, 8].map(|offset| {
        let spec = b.op(llvm::GETELEMENTPTR).operands(&[hidden]).attr("rawConstantIndices", cx.i32_array(&[offset]));
        let word = spec.attr("elem_type", cx.type_attr(cx.int(8))).result(ptr).value();
        let spec = b.op(llvm::LOAD).operands(&[word]).attr("alignment", cx.int_attr(cx.int(64), 4));
        spec.result(cx.int(32)).value()
    })
}

fn attributes<'p>(cx: Cx<'p>, facts: &KernelFacts<'p>) -> Vec<(&'static str, Attribute<'p>)> {
    let dim = facts.cube_dim.map(|units| units as i32);
    let units: i32 = dim.iter().product();
    let mut names = Vec::new();
    for arg in &facts.args {
        match arg {
            KernelArg::Buffer(buffer) => names.extend([buffer.name.clone(), format!("{}_len", buffer.name)]),
            KernelArg::Scalar(scalar) if cube_to_llvm::kernel_parts::is_buffer(scalar.value) => {
                names.extend([scalar.name.clone(), format!("{}_len", scalar.name)]);
            }
            KernelArg::Scalar(scalar) => names.push(scalar.name.clone()),
        }
    }
    let names: Vec<Attribute<'p>> = names.iter().map(|name| cx.str_attr(name)).collect();
    vec![
        (attributes::ROCDL_CUBE_DIM, cx.i32_array(&dim)),
        (attributes::ROCDL_UNITS, cx.str_attr(&format!("{units},{units}"))),
        (ARGUMENTS, cx.array_attr(&names)),
    ]
}

fn run(run: &mut Run<'_>) -> PassResult {
    fast_math::forbid_estimates(run.root());
    kernel_to_device(run, "kernel-to-rocdl", &REGISTERS)
}
