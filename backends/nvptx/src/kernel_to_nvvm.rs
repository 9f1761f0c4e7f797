//! A kernel becomes a function with the attribute `nvvm.kernel`. The function reads the position of a unit from special
//! registers.
//!
//! ```mlir
//! cube.kernel @k(%x: memref<?xf32>)    llvm.func @k(%x: !llvm.ptr<1>, %x_len: i64) attributes {nvvm.kernel}
//!   %i = cube.topology unit_pos_x        %i = nvvm.read.ptx.sreg.tid.x
//! ```
//!
//! `cube_simt::kernel_to_device` has the invariant and the cost.
use cube_dialect::{KernelFacts, attributes};
use cube_ir::ops::nvvm;
use cube_ir::{Attribute, Builder, Cx, Dialect, PassResult, Run, Val, pass};
use cube_simt::{Registers, kernel_to_device};

pass! {
    name: "kernel-to-nvvm",
    summary: "turns a kernel into a device function (NVIDIA GPUs)",
    on: builtin::MODULE,
    level: Legal | Mixed => Device,
    dialects: ["llvm", "nvvm", "arith", "memref"],
    run: run,
}

/// Special registers (PTX ISA 9.0, section 10).
const REGISTERS: Registers = Registers {
    backend: "nvptx",
    dialect: Dialect::Nvvm,
    kernel: attributes::NVVM_KERNEL,
    unit: [nvvm::READ_PTX_SREG_TID_X, nvvm::READ_PTX_SREG_TID_Y, nvvm::READ_PTX_SREG_TID_Z],
    cube: [nvvm::READ_PTX_SREG_CTAID_X, nvvm::READ_PTX_SREG_CTAID_Y, nvvm::READ_PTX_SREG_CTAID_Z],
    count,
    attributes,
};

fn count<'p>(b: Builder<'p>) -> [Val<'p>; 3] {
    let read_register = |what| b.op(what).result(b.cx().int(32)).value();
    [nvvm::READ_PTX_SREG_NCTAID_X, nvvm::READ_PTX_SREG_NCTAID_Y, nvvm::READ_PTX_SREG_NCTAID_Z].map(read_register)
}

fn attributes<'p>(cx: Cx<'p>, facts: &KernelFacts<'p>) -> Vec<(&'static str, Attribute<'p>)> {
    vec![(attributes::NVVM_CUBE_DIM, cx.i32_array(&facts.cube_dim.map(|units| units as i32)))]
}

fn run(run: &mut Run<'_>) -> PassResult {
    kernel_to_device(run, "kernel-to-nvvm", &REGISTERS)
}
