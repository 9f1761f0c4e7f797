//! A kernel becomes a function with the attribute `rocdl.kernel`, which reads its position from registers of the wave.
//!
//! ```mlir
//! cube.kernel @k(%x: memref<?xf32>)    llvm.func @k(%x: !llvm.ptr<1>, %x_len: i64, %count_x: i32, ...) attributes {rocdl.kernel}
//!   %i = cube.topology unit_pos_x        %i = rocdl.workitem.id.x
//! ```
//!
//! The cube counts are parameters: the hardware keeps them in memory. `cube_simt::kernel_to_device` has the invariant and the
//! cost.
use cube_ir::ops::rocdl;
use cube_ir::{PassResult, Run, pass};
use cube_simt::{Registers, kernel_to_device};

pass! {
    name: "kernel-to-rocdl",
    summary: "turns a kernel into a device function (AMD GPUs)",
    on: builtin::MODULE,
    level: Legal => Device,
    dialects: ["llvm", "rocdl", "arith", "memref"],
    run: run,
}

const REGISTERS: Registers = Registers {
    backend: "amdgpu",
    kernel: "rocdl.kernel",
    unit: [rocdl::WORKITEM_ID_X, rocdl::WORKITEM_ID_Y, rocdl::WORKITEM_ID_Z],
    cube: [rocdl::WORKGROUP_ID_X, rocdl::WORKGROUP_ID_Y, rocdl::WORKGROUP_ID_Z],
    count: None,
    dim: "rocdl.reqd_work_group_size",
};

fn run(run: &mut Run<'_>) -> PassResult {
    kernel_to_device(run, "kernel-to-rocdl", &REGISTERS)
}
