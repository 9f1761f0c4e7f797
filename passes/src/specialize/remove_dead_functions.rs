//! Removes all functions after their inlining into the kernels.
//!
//! ```mlir
//! cube.kernel @k(...) { ... }        cube.kernel @k(...) { ... }
//! cube.func @f(...) { ... }
//! ```
//!
//! If a kernel still calls a function, the pass keeps all functions. `specialize` then reports why the call could not
//! be inlined. Cost: linear.
use cube_dialect::kernels_of;
use cube_ir::ops::cube;
use cube_ir::{PassResult, Run, pass};

pass! {
    name: "remove-dead-functions",
    summary: "removes functions that no kernel calls",
    on: builtin::MODULE,
    level: Source => Source,
    statistics: ["functions removed"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let calls = kernels_of(run.root()).iter().any(|k| k.op().walk().iter().any(|op| op.is(cube::CALL)));
    if calls {
        return Ok(());
    }
    for op in run.root().body().map(|b| b.ops()).unwrap_or_default() {
        if op.is(cube::FUNC) {
            run.erase(op);
            run.count("functions removed", 1);
        }
    }
    Ok(())
}
