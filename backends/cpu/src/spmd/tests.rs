//! Tests of values for which the emitter has no representation.
use super::*;
use crate::split_barrier_regions::shape_of;
use cube_dialect::kernels_of;
use cube_ir::ops::arith;
use cube_ir::{Session, pass};

pass! {
    name: "test-spmd-forms",
    summary: "asks for forms of values before they are written",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith", "cube", "memref"],
    run: ask,
}

fn ask(run: &mut Run<'_>) -> PassResult {
    run.unchanged();
    let kernel = run.root();
    let shape = shape_of(kernel);
    let uniformity = Uniformity::with_geometry(kernel, shape);
    let group = Group { lanes: 32, plane: 32, shape };
    let mut emitter = SpmdEmitter::new(run, group, &uniformity, kernel);
    let block = kernel.body().expect("a kernel has a body");
    let mut ops = block.ops();
    let outside = ops.remove(0);
    emitter.ops = ops.iter().copied().filter(|op| !op.is(memref::ALLOCA)).collect();
    let memory = ops.iter().find(|op| op.is(memref::ALLOCA)).expect("memory").result(0);
    for value in [block.arg(0), outside.result(0), memory] {
        assert!(emitter.form(value, 0) == ValueForm::Uniform(value));
    }
    assert!(!emitter.failed.get());
    let sum = kernel.walk().into_iter().find(|op| op.is(arith::ADDI)).expect("an addition").result(0);
    let loop_op = ops.iter().find(|op| op.is(scf::FOR)).expect("a loop");
    for value in [sum, loop_op.body().expect("loops have a body").arg(0)] {
        emitter.form(value, 0);
        assert!(emitter.failed.replace(false), "a value of the vectorised operations counted as uniform");
    }
    emitter.failed.set(true);
    Ok(())
}

#[test]
fn form_of_an_unwritten_vector_value_is_reported() {
    cube_passes::register();
    cube_ir::register_pass(&PASS);
    let session = Session::new();
    let text = "cube.kernel @k(%n: i32) cube_dim(32) {\n%one = arith.constant 1 : i32\n%l = memref.alloca() : memref<4xi32>\n\
        scf.for %i = %one to %n step %one : i32 {\n%sum = arith.addi %n, %i : i32\n}\ncube.return\n}";
    let mut module = session.parse(text.as_bytes(), "k.mlir").expect("a kernel");
    assert_eq!(kernels_of(module.op()).len(), 1);
    let Err(error) = module.run("builtin.module(cube.kernel(test-spmd-forms))") else { return };
    // The pass reports two errors and does not panic.
    assert!(error.diagnostics.iter().all(|d| d.to_string().contains("CUBE0398")), "{error:?}");
}
