//! CPU: fixes the number of lanes of a plane. A CPU does not determine the number of lanes of a plane.
//!
//! ```mlir
//! cube.kernel @k(...)                    cube.kernel @k(...) attributes {cube.plane_dim = 8 : i32}
//!   %n = cube.topology plane_dim           %n = arith.constant 8 : i32
//! ```
//!
//! A kernel that already has the attribute `cube.plane_dim` keeps its number of lanes. All CPU passes that depend on
//! the plane size read the attribute `cube.plane_dim`. Cost: linear.
use cube_dialect::attributes::PLANE_DIM;
use cube_dialect::{TopologyKind, ops};
use cube_ir::{AttrExt, Failed, Op, PassResult, Run, pass};

pass! {
    name: "fix-plane-dim",
    summary: "fixes the number of lanes of a plane (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith"],
    options: { lanes: Int(32) = "lanes of a plane: 8, 16, 32 or 64" },
    run: run,
}

/// Default number of lanes of a plane.
pub const DEFAULT: u32 = 32;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let own = kernel.attr(PLANE_DIM).map(|asked| asked.as_int().unwrap_or(0));
    let lanes = own.unwrap_or_else(|| run.int("lanes"));
    if ![8, 16, 32, 64].contains(&lanes) {
        kernel.error(cube_ir::diagnostic!(CUBE0342.lanes { lanes }));
        return Err(Failed);
    }
    let i32t = run.cx().int(32);
    kernel.set_attr(PLANE_DIM, run.cx().int_attr(i32t, lanes));
    for op in kernel.walk() {
        if ops::Topology::of(op).is_some_and(|t| t.kind() == TopologyKind::PlaneDim) {
            let value = run.before(op).int(i32t, lanes);
            run.replace(op, &[value]);
        }
    }
    Ok(())
}

/// Lanes of a plane of `kernel` on the CPU.
pub fn lanes_of(kernel: Op<'_>) -> u32 {
    kernel.attr(PLANE_DIM).and_then(|a| a.as_int()).and_then(|n| u32::try_from(n).ok()).unwrap_or(DEFAULT)
}
