//! A kernel becomes a function with the attribute `nvvm.kernel`, which reads its position from special registers.
//!
//! ```mlir
//! cube.kernel @k(%x: memref<?xf32>)    llvm.func @k(%x: !llvm.ptr<1>, %x_len: i64) attributes {nvvm.kernel}
//!   %i = cube.topology unit_pos_x        %i = nvvm.read.ptx.sreg.tid.x
//! ```
//!
//! `cube_simt::kernel_to_device` has the invariant and the cost.
use cube_ir::{PassResult, Run, pass};
use cube_simt::{Registers, kernel_to_device};

pass! {
    name: "kernel-to-nvvm",
    summary: "turns a kernel into a device function (NVIDIA GPUs)",
    on: "builtin.module",
    level: Legal => Lowered,
    dialects: ["llvm", "nvvm", "arith", "memref"],
    run: run,
}

/// Special registers (PTX ISA 9.0, section 10).
const REGISTERS: Registers = Registers {
    backend: "nvptx",
    kernel: "nvvm.kernel",
    unit: ["nvvm.read.ptx.sreg.tid.x", "nvvm.read.ptx.sreg.tid.y", "nvvm.read.ptx.sreg.tid.z"],
    cube: ["nvvm.read.ptx.sreg.ctaid.x", "nvvm.read.ptx.sreg.ctaid.y", "nvvm.read.ptx.sreg.ctaid.z"],
    count: Some(["nvvm.read.ptx.sreg.nctaid.x", "nvvm.read.ptx.sreg.nctaid.y", "nvvm.read.ptx.sreg.nctaid.z"]),
    dim: "nvvm.reqntid",
};

fn run(run: &mut Run<'_>) -> PassResult {
    kernel_to_device(run, "kernel-to-nvvm", &REGISTERS)
}
