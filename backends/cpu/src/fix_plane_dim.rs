//! CPU: chooses the number of lanes of a plane, which the hardware of a CPU does not determine.
//!
//! ```mlir
//! cube.kernel @k(...)                    cube.kernel @k(...) attributes {cube.plane_dim = 8 : i32}
//!   %n = cube.topology plane_dim           %n = arith.constant 8 : i32
//! ```
//!
//! A kernel that already has the attribute `cube.plane_dim` keeps its number of lanes. All CPU passes that depend on
//! the plane size read the attribute `cube.plane_dim`. Cost: linear.
use cube_dialect::attributes::PLANE_DIM;
use cube_dialect::{TopologyKind, attached_target, ops};
use cube_ir::{AttrExt, Failed, Op, PassResult, Run, pass};
use cube_target::{Planes, Target};

pass! {
    name: "fix-plane-dim",
    summary: "fixes the number of lanes of a plane (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith"],
    options: { lanes: Int(0) = "lanes of a plane; 0 is the default of the chip" },
    run: run,
}

/// The name of the backend in descriptions.
pub(crate) const BACKEND: &str = "cpu";

// A module without the description of a CPU uses the description of the default chip of this backend.
fn planes_of(kernel: Op<'_>) -> Planes {
    let described = attached_target(kernel).map(|target| target.planes.clone());
    described.unwrap_or_else(|| Target::promised(BACKEND, None).planes)
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let own = kernel.attr(PLANE_DIM).map(|requested| requested.as_int().unwrap_or(0));
    let planes = planes_of(kernel);
    let requested = match run.int("lanes") {
        0 => planes.width.into(),
        lanes => lanes,
    };
    let lanes = own.unwrap_or(requested);
    if !planes.widths.iter().any(|width| i64::from(*width) == lanes) {
        let widths = format!("{:?}", planes.widths);
        kernel.error(cube_ir::diagnostic!(CUBE0342.lanes { lanes, widths }));
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

/// Number of lanes in each plane of `kernel` on the CPU.
pub fn lanes_of(kernel: Op<'_>) -> u32 {
    kernel
        .attr(PLANE_DIM)
        .and_then(|a| a.as_int())
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or_else(|| planes_of(kernel).width)
}
