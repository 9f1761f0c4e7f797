//! Tests of the uniformity of unknown operations, and of code that a pass adds after the analysis.
use super::{inspect_in, operation, value};
use crate::analysis::uniformity::Uniform::{Cube, Plane, Unit};
use crate::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_ir::ops::{arith, scf};
use cube_ir::{Builder, Op, Session};

const GEOMETRY: CubeGeometry = CubeGeometry { dim: [64, 1, 1], plane: 32 };

/// A kernel with the uniform values %n and %p, an index, and local memory with uniform contents.
fn kernel(ops: &str, ask: impl for<'p> FnOnce(Op<'p>)) {
    let head = "cube.kernel @k(%m: memref<?xi32>, %n: i32, %p: i1) cube_dim(64) {\n%c0 = arith.constant 0 : index\n\
        %plane = cube.topology plane_pos\n%l = memref.alloca() : memref<4xi32>\nmemref.store %n, %l[%c0] : memref<4xi32>\nscf.if %p {\n}\n";
    let session = Session::new();
    session.context().set_allow_unregistered_dialects(true);
    inspect_in(&session, &format!("{head}{ops}\ncube.return\n}}"), ask);
}

/// Unknown operations with regions and uniform operands. Each operation defines %r, and one of its regions defines
/// %inside.
const UNKNOWN: &[&str] = &[
    // Each unit reads a different number, as an atomic operation without a region does.
    "%r = memref.generic_atomic_rmw %m[%c0] : memref<?xi32> {\n^bb0(%old: i32):\n%inside = arith.addi %old, %n : i32\n\
     memref.atomic_yield %inside : i32\n} loc(\"r\")",
    "%r = scf.execute_region -> i32 {\n%inside = arith.addi %n, %n : i32\nscf.yield %inside : i32\n} loc(\"r\")",
    "%r = scf.execute_region -> i32 {\ncf.br ^next(%n : i32)\n^next(%arg: i32):\n%inside = arith.addi %arg, %n : i32\n\
     scf.yield %inside : i32\n} loc(\"r\")",
    "%r = memref.alloca_scope -> (i32) {\n%inside = arith.addi %n, %n : i32\nmemref.alloca_scope.return %inside : i32\n} loc(\"r\")",
    "%r = \"unknown.region\"(%n) ({\n^bb0(%arg: i32):\n%inside = arith.addi %arg, %n : i32\n\
     \"unknown.end\"(%inside) : (i32) -> ()\n}) : (i32) -> i32 loc(\"r\")",
];

#[test]
fn unknown_operation_with_regions_has_varying_results() {
    for ops in UNKNOWN {
        kernel(ops, |kernel| {
            let found = Uniformity::with_geometry(kernel, GEOMETRY);
            assert_eq!(found.level_of(value(kernel, "r")), Unit, "{ops}");
            assert_eq!(found.among_all(value(kernel, "inside")), Unit, "{ops}");
            assert_eq!(found.reached_by(operation(kernel, "inside")), Unit, "{ops}");
            assert_eq!(found.decided_by(operation(kernel, "r")), Unit, "{ops}");
            let args =
                operation(kernel, "r").regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
            args.for_each(|arg| assert_eq!(found.level_of(arg), Unit, "{ops}"));
        });
    }
}

#[test]
fn an_unknown_operation_with_regions_can_write_any_memory() {
    let load = "%v = memref.load %l[%c0] : memref<4xi32>";
    kernel(load, |kernel| assert_eq!(Uniformity::of(kernel).level_of(value(kernel, "v")), Cube));
    for ops in UNKNOWN {
        kernel(&format!("{ops}\n{load}"), |kernel| {
            assert_eq!(Uniformity::of(kernel).level_of(value(kernel, "v")), Unit, "{ops}");
        });
    }
}

#[test]
fn forall_over_units_keeps_uniformity_and_other_forall_does_not() {
    let text = "scf.forall (%u) in (64) {\n%v = memref.load %l[%c0] : memref<4xi32>\n\
                %own = arith.index_castui %u : index to i32\n}";
    for (mapping, level) in [(" {mapping = [#gpu.thread<x>]}", Cube), ("", Unit)] {
        kernel(&format!("{text}{mapping}"), |kernel| {
            let found = Uniformity::with_geometry(kernel, GEOMETRY);
            assert_eq!(found.level_of(value(kernel, "v")), level, "{mapping}");
            assert_eq!(found.reached_by(operation(kernel, "v")), level, "{mapping}");
            assert_eq!(found.level_of(value(kernel, "own")), Unit, "{mapping}");
        });
    }
}

#[test]
fn values_and_blocks_that_the_analysis_did_not_see_can_differ_between_units() {
    kernel("%last = arith.addi %n, %n : i32", |kernel| {
        let found = Uniformity::with_geometry(kernel, GEOMETRY);
        let (n, last) = (value(kernel, "last").def().expect("an addition").operand(0), operation(kernel, "last"));
        assert_eq!((found.level_of(n), found.level_of(last.result(0))), (Cube, Cube));
        let b = Builder::before(last);
        let new = b.addi(n, n);
        assert_eq!((found.level_of(new), found.among_all(new)), (Unit, Unit));
        let condition = b.int(b.cx().int(1), 1);
        let branch = b.op(scf::IF).operands(&[condition]).body(&[], |b, _| {
            b.addi(n, n);
            b.op(scf::YIELD).build();
        });
        let branch = branch.body(&[], |_, _| {}).build();
        let inside = branch.walk().into_iter().find(|op| op.is(arith::ADDI)).expect("just made");
        assert_eq!((found.reached_by(inside), found.decided_by(branch)), (Unit, Unit));
        assert_eq!(Uniformity::with_geometry(kernel, GEOMETRY).among_all(inside.result(0)), Cube);
    });
}

#[test]
fn a_value_keeps_its_level_when_it_is_moved_into_a_new_block() {
    let ops = "%there = arith.addi %plane, %n : i32\n%last = arith.addi %n, %n : i32";
    kernel(ops, |kernel| {
        let found = Uniformity::with_geometry(kernel, GEOMETRY);
        let b = Builder::before(operation(kernel, "last"));
        let loop_op =
            b.for_range(b.int(b.cx().int(64), 0), b.int(b.cx().int(64), 4), b.int(b.cx().int(64), 1), |_, _| {});
        let moved = operation(kernel, "there");
        moved.move_before(loop_op.body().and_then(|body| body.terminator()).expect("a loop ends in a yield"));
        assert_eq!(found.among_all(moved.result(0)), Plane);
        assert_eq!(found.reached_by(moved), Unit);
    });
}
