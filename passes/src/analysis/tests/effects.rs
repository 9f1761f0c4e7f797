//! Tests of effects: buffers that overlap, writes of a region of code, and speculation.
use super::uniformity::computing;
use super::{inspect, operation, value};
use crate::analysis::effects::{Writes, is_total, may_share};
use cube_dialect::ops;
use cube_ir::ops::cube;
use cube_ir::{Op, OpKind, Val};

const BUFFERS: &str = "%x: !cube.array<i32>, %y: !cube.array<i32>, %z: !cube.array<i32> {cube.noalias}, %n: i32, %p: i1, %t: !cube.tensor<i32>";

/// A kernel with three arguments and two allocations. The tested operations are inside the branch `at`.
pub(super) fn kernel(inside: &str) -> String {
    format!(
        "cube.kernel @k({BUFFERS}) {{\n%s = cube.alloc : !cube.shared<4 x i32>\n%l = cube.alloc : !cube.local<4 x i32>\n\
         scf.if %p {{\n{inside}\n}} loc(\"at\")\ncube.return\n}}"
    )
}

fn buffers<'p>(kernel: Op<'p>) -> [Val<'p>; 5] {
    let args = kernel.body().expect("a body");
    [args.arg(0), args.arg(1), args.arg(2), value(kernel, "s"), value(kernel, "l")]
}

/// For each of the five memories x, y, z (noalias), shared and local: whether the operations can write the
/// memory.
fn written(inside: &str) -> [bool; 5] {
    let mut found = [false; 5];
    inspect(&kernel(inside), |k| {
        let writes = Writes::of(operation(k, "at"));
        found = buffers(k).map(|buffer| writes.to(buffer).is_some());
    });
    found
}

#[test]
fn arguments_share_bytes_unless_one_is_alone() {
    inspect(&kernel(""), |k| {
        let all = buffers(k);
        let shares = |i: usize| all.map(|other| may_share(all[i], other));
        assert_eq!(shares(0), [true, true, false, false, false]);
        assert_eq!(shares(2), [false, false, true, false, false]);
        assert_eq!(shares(3), [false, false, false, true, false]);
        assert_eq!(shares(4), [false, false, false, false, true]);
    });
}

#[test]
fn store_writes_every_possible_alias() {
    assert_eq!(written(""), [false; 5]);
    assert_eq!(written("%v = cube.load %x[%n] : !cube.array<i32> -> i32"), [false; 5]);
    assert_eq!(written("cube.store %n, %x[%n] : i32, !cube.array<i32>"), [true, true, false, false, false]);
    assert_eq!(written("cube.store %n, %z[%n] : i32, !cube.array<i32>"), [false, false, true, false, false]);
    assert_eq!(written("cube.store %n, %s[%n] : i32, !cube.shared<4 x i32>"), [false, false, false, true, false]);
    assert_eq!(written("cube.store %n, %l[%n] : i32, !cube.local<4 x i32>"), [false, false, false, false, true]);
}

/// A slice can overlap every buffer, including an allocation.
#[test]
fn store_to_a_slice_writes_every_buffer() {
    let store = "%part = cube.slice %s[%n to %n] : !cube.shared<4 x i32> -> !cube.slice<i32>\n\
        cube.store %n, %part[%n] : i32, !cube.slice<i32>";
    assert_eq!(written(store), [true; 5]);
    let load = "%part = cube.slice %s[%n to %n] : !cube.shared<4 x i32> -> !cube.slice<i32>\n\
        %v = cube.load %part[%n] : !cube.slice<i32> -> i32";
    assert_eq!(written(load), [false; 5]);
}

/// MLIR declares `index.constant` and `complex.constant` without effects, but the compiler does not know the dialects.
#[test]
fn operation_of_an_unknown_dialect_can_write_and_synchronise() {
    assert_eq!(written("%i = index.constant 3"), [true; 5]);
    inspect(&kernel("%i = index.constant 3"), |k| assert!(!Writes::of(operation(k, "at")).is_empty()));
}

#[test]
fn atomics_write_and_nested_operations_count() {
    let rmw = "%old = cube.atomic_rmw addi %n, %y[%n] : i32, !cube.array<i32>";
    assert_eq!(written(rmw), [true, true, false, false, false]);
    assert_eq!(written("%v = cube.atomic_load %y[%n] : !cube.array<i32> -> i32"), [false; 5]);
    let nested =
        "scf.for %i = %n to %n step %n : i32 {\nscf.if %p {\ncube.store %n, %s[%n] : i32, !cube.shared<4 x i32>\n}\n}";
    assert_eq!(written(nested), [false, false, false, true, false]);
}

#[test]
fn computations_write_no_memory_and_unknown_operations_write_all() {
    let computes = "%a = arith.addi %n, %n : i32\n%u = cube.topology unit_pos\n%d = cube.divui %n, %u : i32\n\
        %w = vector.broadcast %n : i32 to vector<4xi32>\n%len = cube.len %x : !cube.array<i32>";
    assert_eq!(written(computes), [false; 5]);
    assert_eq!(written("llvm.fence seq_cst"), [true; 5]);
}

#[test]
fn convergent_operation_writes_according_to_its_effects() {
    assert_eq!(written("llvm.inline_asm has_side_effects \"trap;\", \"\" : () -> ()"), [true; 5]);
    assert_eq!(written("nvvm.cp.async.wait.group 0"), [true; 5]);
    assert_eq!(written("cube.sync cube"), [false; 5]);
    assert_eq!(written("%r = cube.plane_reduce addi %n : i32"), [false; 5]);
}

#[test]
fn memref_store_aliases_every_buffer_and_memref_load_writes_none() {
    let with = |op: &str| {
        let head = "%m = memref.alloca() : memref<16xi32>\n%c0 = arith.constant 0 : index\n\
            %w = vector.broadcast %n : i32 to vector<4xi32>\n%k = vector.broadcast %p : i1 to vector<4xi1>\n";
        written(&format!("{head}{op}"))
    };
    for op in [
        "memref.store %n, %m[%c0] : memref<16xi32>",
        "vector.store %w, %m[%c0] : memref<16xi32>, vector<4xi32>",
        "vector.maskedstore %m[%c0], %k, %w : memref<16xi32>, vector<4xi1>, vector<4xi32>",
        "vector.scatter %m[%c0] [%w], %k, %w : memref<16xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>",
        "%old = memref.atomic_rmw addi %n, %m[%c0] : (i32, memref<16xi32>) -> i32",
        "memref.copy %m, %m : memref<16xi32> to memref<16xi32>",
    ] {
        assert_eq!(with(op), [true; 5], "{op}");
    }
    for op in [
        "%v = memref.load %m[%c0] : memref<16xi32>",
        "%v = vector.load %m[%c0] : memref<16xi32>, vector<4xi32>",
        "%v = vector.gather %m[%c0] [%w], %k, %w : memref<16xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>",
    ] {
        assert_eq!(with(op), [false; 5], "{op}");
    }
}

#[test]
fn barriers_and_plane_operations_are_convergent() {
    let has_convergent_op = |inside: &str| {
        let mut found = false;
        inspect(&kernel(inside), |k| found = Writes::of(operation(k, "at")).convergent_op().is_some());
        found
    };
    assert!(has_convergent_op("cube.sync cube") && has_convergent_op("%r = cube.plane_reduce addi %n : i32"));
    assert!(
        !has_convergent_op("%r = arith.addi %n, %n : i32")
            && !has_convergent_op("cube.store %n, %x[%n] : i32, !cube.array<i32>")
    );
}

#[test]
fn only_operations_that_are_defined_everywhere_are_total() {
    let ops = "%sum = arith.addi %n, %n : i32\n%bare = arith.divui %n, %n : i32\n%rem = arith.remsi %n, %n : i32\n\
        %safe = cube.divui %n, %n : i32\n%v = cube.load %x[%n] : !cube.array<i32> -> i32\n\
        %r = cube.plane_reduce addi %n : i32\n%other = nvvm.shfl.sync bfly %n, %n, %n, %n : i32 -> i32";
    inspect(&kernel(ops), |k| {
        let total = |name: &str| is_total(operation(k, name));
        assert!(total("sum") && total("safe"));
        for name in ["bare", "rem", "v", "r", "other", "at"] {
            assert!(!total(name), "{name}");
        }
    });
}

/// The effects of an operation that matter for passes that move code.
#[derive(Debug, PartialEq)]
pub(super) struct Does {
    /// For each of the five memories x, y, z (noalias), shared and local: whether the operation can write the
    /// memory.
    writes: [bool; 5],
    /// Whether units exchange values or synchronise at the operation.
    pub convergent: bool,
    /// Whether a pass can execute the operation speculatively.
    total: bool,
}

const NOTHING: [bool; 5] = [false; 5];
const ARGUMENTS: [bool; 5] = [true, true, false, false, false];

/// The operations of the dialect that have effects, each with a text and its effects. Kernels and their terminators are
/// in `AROUND`.
pub(super) const DOING: &[(OpKind, &str, Does)] = &[
    (cube::ALLOC, "%a = cube.alloc : !cube.local<4 x i32>", Does { writes: NOTHING, convergent: false, total: false }),
    (
        cube::ATOMIC_CAS,
        "%a = cube.atomic_cas %n, %n, %x[%n] : i32, !cube.array<i32>",
        Does { writes: ARGUMENTS, convergent: false, total: false },
    ),
    (
        cube::ATOMIC_LOAD,
        "%a = cube.atomic_load %x[%n] : !cube.array<i32> -> i32",
        Does { writes: NOTHING, convergent: false, total: false },
    ),
    (
        cube::ATOMIC_RMW,
        "%a = cube.atomic_rmw addi %n, %x[%n] : i32, !cube.array<i32>",
        Does { writes: ARGUMENTS, convergent: false, total: false },
    ),
    (
        cube::ATOMIC_STORE,
        "cube.atomic_store %n, %x[%n] : i32, !cube.array<i32>",
        Does { writes: ARGUMENTS, convergent: false, total: false },
    ),
    (
        cube::LOAD,
        "%a = cube.load %x[%n] : !cube.array<i32> -> i32",
        Does { writes: NOTHING, convergent: false, total: false },
    ),
    (
        cube::STORE,
        "cube.store %n, %x[%n] : i32, !cube.array<i32>",
        Does { writes: ARGUMENTS, convergent: false, total: false },
    ),
    (
        cube::PLANE_BALLOT,
        "%a = cube.plane_ballot %p : vector<4xi32>",
        Does { writes: NOTHING, convergent: true, total: false },
    ),
    (
        cube::PLANE_BROADCAST,
        "%a = cube.plane_broadcast %n, %n : i32",
        Does { writes: NOTHING, convergent: true, total: false },
    ),
    (cube::PLANE_ELECT, "%a = cube.plane_elect", Does { writes: NOTHING, convergent: true, total: false }),
    (
        cube::PLANE_REDUCE,
        "%a = cube.plane_reduce addi %n : i32",
        Does { writes: NOTHING, convergent: true, total: false },
    ),
    (
        cube::PLANE_SCAN,
        "%a = cube.plane_scan inclusive addi %n : i32",
        Does { writes: NOTHING, convergent: true, total: false },
    ),
    (
        cube::PLANE_SHUFFLE,
        "%a = cube.plane_shuffle xor %n, %n : i32",
        Does { writes: NOTHING, convergent: true, total: false },
    ),
    (cube::PLANE_VOTE, "%a = cube.plane_vote any %p", Does { writes: NOTHING, convergent: true, total: false }),
    (cube::PRINT, "cube.print \"{}\"(%n) : i32", Does { writes: NOTHING, convergent: false, total: false }),
    (cube::SYNC, "cube.sync cube", Does { writes: NOTHING, convergent: true, total: false }),
    (cube::TOPOLOGY, "%a = cube.topology unit_pos", Does { writes: NOTHING, convergent: false, total: true }),
    (cube::MAY_NOT_TERMINATE, "cube.may_not_terminate {}", Does { writes: NOTHING, convergent: false, total: false }),
];

/// The kernel operation and its terminator. No other operation contains a kernel or its terminator.
const AROUND: [OpKind; 2] = [cube::KERNEL, cube::RETURN];

fn does(text: &str) -> Does {
    let mut found = Does { writes: NOTHING, convergent: false, total: true };
    inspect(&kernel(&format!("%line = vector.broadcast %n : i32 to vector<4xi32>\n{text}")), |k| {
        let at = operation(k, "at");
        let writes = Writes::of(at);
        found.writes = buffers(k).map(|buffer| writes.to(buffer).is_some());
        found.convergent = writes.convergent_op().is_some();
        let inside = at.walk().into_iter().filter(|op| *op != at && !cube_ir::properties::is_terminator(*op));
        found.total = inside.last().is_some_and(is_total);
    });
    found
}

#[test]
fn every_dialect_operation_has_the_effects_of_its_row() {
    for (op, text) in computing() {
        let does = does(&format!("%v = {op} {}", text.replace('V', "%n")));
        assert_eq!(does, Does { writes: NOTHING, convergent: false, total: true }, "{op}");
    }
    for (op, text, expected) in DOING {
        assert_eq!(&does(text), expected, "{op}");
    }
    let cases: Vec<OpKind> =
        computing().iter().map(|row| row.0).chain(DOING.iter().map(|row| row.0)).chain(AROUND).collect();
    let kinds = [ops::UNTIL_FLAT, ops::UNTIL_LEGAL].concat();
    for kind in &kinds {
        assert_eq!(cases.iter().filter(|case| *case == kind).count(), 1, "{kind} has no row, or several");
    }
    assert_eq!(cases.len(), kinds.len(), "a row is of no operation that kernels keep until level legal");
}
