//! Stages rows in shared memory: if each unit reads its own row one element at a time, the lanes of a plane load tiles
//! of the rows together.
//!
//! ```mlir
//! scf.if %inside {                     %r = scf.for %t = 0 to %full step 32 iter_args(%s = %zero) {
//!   %start = %row * %cols                cube.sync plane
//!   %sum = scf.for %i = 0 to %cols       %v = cube.load %x[%first + %t] {align = 16} -> vector<4xf32>
//!       iter_args(%s = %zero) {          cube.store %v, %tile[...]         // 8 parts per lane
//!     %v = cube.load %x[%start + %i]     cube.sync plane
//!     %n = arith.addf %s, %v             scf.if %inside { 32 iterations, which load from %tile }
//!     scf.yield %n                     }
//!   }                                  scf.if %inside {
//!   cube.store %sum, %y[%row]            %sum = scf.for %i = %full to %cols iter_args(%s = %r) { original body }
//! }                                      cube.store %sum, %y[%row]
//!                                      }
//! ```
//!
//! Before the pass, neighbouring units read addresses that are a row apart. Each load of a plane therefore accesses a
//! separate memory line for each lane. After the pass, neighbouring lanes load neighbouring parts of one row, and
//! each unit reads its own row from shared memory. Invariant: each unit computes the same iterations in the same
//! order, with the same values (docs/why/optimizer.md). `%full` is 0 if a row is not aligned or ends outside its
//! buffer. If `%full` is 0, the original loop runs all iterations. Cost: linear. The loop body is copied once
//! for each element that one load moves.
mod plan;
mod tile;

use cube_dialect::{KernelArg, ops};
use cube_ir::ops::scf;
use cube_ir::{Failed, Op, PassResult, Run, Val, pass};
use plan::{Plane, Rows};

pass! {
    name: "stage-rows",
    summary: "loads rows, which units read element by element, into shared memory tile by tile",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf", "vector"],
    options: {
        lanes: Int(0) = "lanes of a plane, one of the widths of the target; with 0, the pass runs only on a target with the required operations",
        bytes: Int(256) = "bytes of a row in a tile",
        ahead: Bool(true) = "loads the next tile before the iterations of this one",
    },
    statistics: ["loops staged", "loads staged", "loops kept"],
    run: run,
}

/// Maximum number of loops of a kernel that are staged. Each staged loop adds code and requires shared
/// memory.
const MAX_LOOPS: usize = 8;

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let Some(plane) = Plane::of(run, kernel) else {
        run.unchanged();
        return Ok(());
    };
    let loops: Vec<Op<'p>> = kernel.op().walk().into_iter().filter(|op| op.is(scf::FOR)).collect();
    let mut staged = 0;
    for loop_op in loops {
        // Each staged loop adds values, so the plan of the next loop uses new analyses.
        let rows = match plan::rows(kernel, &plane, loop_op) {
            Ok(None) => continue,
            Ok(Some(_)) if staged == MAX_LOOPS => Err(plan::TOO_MANY.at(loop_op)),
            Ok(Some(rows)) => Ok(rows),
            Err(kept) => Err(kept),
        };
        match rows {
            Ok(rows) => {
                let aligned = aligned(kernel, &rows)?;
                tile::stage(run, kernel, &plane, &rows, aligned)?;
                staged += 1;
                run.count("loops staged", 1);
                run.count("loads staged", rows.loads.len() as u64);
                explain(run, loop_op, &rows);
            }
            Err(kept) => {
                run.count("loops kept", 1);
                run.missed(kept.at, kept.rule, format_args!("the rows are not staged, because {}", kept.why), kept.way);
            }
        }
    }
    if staged == 0 {
        run.unchanged();
    }
    Ok(())
}

fn explain<'p>(run: &Run<'p>, loop_op: Op<'p>, rows: &Rows<'p>) {
    let (loads, tile) = (rows.loads.len(), rows.tile);
    run.passed(
        loop_op,
        "stage",
        format_args!(
            "a plane loads tiles of {tile} iterations; the loop reads {loads} rows per unit, in the original order"
        ),
    );
    if let Some(sum) = plan::ordered_sum(loop_op) {
        run.missed(
            sum,
            "order",
            "each unit computes a whole row, because the pass keeps the order of float operations",
            "sum with plane_sum over the lanes of a plane if the order of additions may change",
        );
    }
}

// An argument that is 1 if the address of each buffer is a multiple of the size of its loads. `None` if the alignment
// of all buffers is sufficient at compile time.
fn aligned<'p>(kernel: ops::Kernel<'p>, rows: &Rows<'p>) -> Result<Option<Val<'p>>, Failed> {
    let mut all: Option<String> = None;
    for arg in &kernel.facts().args {
        let KernelArg::Buffer(buffer) = arg else { continue };
        let bytes = rows.loads.iter().filter(|load| load.buffer == buffer.value).map(|load| load.part_bytes()).max();
        let Some(bytes) = bytes.filter(|bytes| !u64::from(buffer.align).is_multiple_of(*bytes)) else { continue };
        let guard = format!("eq(rem(offset({}), {bytes}), 0)", buffer.name);
        all = Some(all.map_or(guard.clone(), |all| format!("min({all}, {guard})")));
    }
    let Some(all) = all else { return Ok(None) };
    kernel.add_derived("rows_aligned", &all, kernel.op().cx().int(32)).map(Some).ok_or(Failed)
}
