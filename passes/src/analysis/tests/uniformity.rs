//! Tests of uniformity: exact levels in small kernels, and soundness for topology values in all units of a cube.
use super::{inspect, operation, value};
use crate::analysis::uniformity::Uniform::{self, Cube, Plane, Unit};
use crate::analysis::uniformity::{CubeGeometry, Uniformity};
use cube_dialect::ops;
use cube_ir::{OpKind, ops::cube};
use cube_semantics::{Meaning, meaning};

/// Constants, positions and arguments that the test kernels use by name. The cube has 64 units in planes of 32.
const HEAD: &str = "cube.kernel @k(%x: !cube.array<i32>, %m: memref<?xi32>, %n: i32, %p: i1) cube_dim(64) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %u = cube.topology unit_pos
    %ui = arith.index_castui %u : i32 to index
    %at = arith.index_castui %n : i32 to index
    %plane = cube.topology plane_pos
    %cube = cube.topology cube_pos
    %odd = arith.cmpi ult, %u, %n : i32
    %second = arith.cmpi eq, %plane, %one : i32
    %all = arith.cmpi eq, %cube, %n : i32
";

/// Asserts the level of each named value in a kernel with the operations `ops`.
fn levels(ops: &str, expected: &[(&str, Uniform)]) {
    inspect(&format!("{HEAD}{ops}\ncube.return\n}}"), |kernel| {
        let found = Uniformity::with_geometry(kernel, CubeGeometry { dim: [64, 1, 1], plane: 32 });
        for (name, level) in expected {
            assert_eq!(found.level_of(value(kernel, name)), *level, "%{name}\n{ops}");
        }
    });
}

const AXES: [&str; 3] = ["unit_pos_x", "unit_pos_y", "unit_pos_z"];

/// The uniformity levels of the positions: three axes, plane, lane and unit number.
fn positions(dim: [u32; 3], plane: Option<u32>) -> Vec<Uniform> {
    let names = [AXES[0], AXES[1], AXES[2], "plane_pos", "unit_pos_plane", "unit_pos"];
    let ops: String = names.iter().map(|name| format!("%{name} = cube.topology {name}\n")).collect();
    let [x, y, z] = dim;
    let mut levels = Vec::new();
    inspect(&format!("cube.kernel @k() cube_dim({x}, {y}, {z}) {{\n{ops}cube.return\n}}"), |kernel| {
        let found = match plane {
            Some(plane) => Uniformity::with_geometry(kernel, CubeGeometry { dim, plane }),
            None => Uniformity::of(kernel),
        };
        levels = names.iter().map(|name| found.level_of(value(kernel, name))).collect();
    });
    levels
}

#[test]
fn position_uniformity_follows_the_cube_shape() {
    for (dim, plane, expected) in [
        ([64, 1, 1], None, [Unit, Cube, Cube, Plane, Unit, Unit]),
        ([1, 64, 1], None, [Cube, Unit, Cube, Plane, Unit, Unit]),
        ([32, 4, 2], Some(32), [Unit, Plane, Plane, Plane, Unit, Unit]),
        ([16, 4, 2], Some(32), [Unit, Unit, Plane, Plane, Unit, Unit]),
        ([24, 4, 1], Some(32), [Unit, Unit, Cube, Plane, Unit, Unit]),
        ([8, 2, 1], Some(32), [Unit, Unit, Cube, Cube, Unit, Unit]),
        ([1, 1, 1], Some(32), [Cube; 6]),
        ([1, 1, 1], None, [Cube; 6]),
        ([33, 1, 1], Some(32), [Unit, Cube, Cube, Plane, Unit, Unit]),
    ] {
        assert_eq!(positions(dim, plane), expected, "{dim:?} {plane:?}");
    }
}

/// The exact level of a value, computed from its values in all units of a cube.
fn truth(values: &[u32], plane: u32) -> Uniform {
    let same = |units: &[u32]| units.iter().all(|v| *v == units[0]);
    if same(values) {
        return Cube;
    }
    if values.chunks(plane as usize).all(same) { Plane } else { Unit }
}

#[test]
fn position_uniformity_is_never_overestimated() {
    for dim in [[1, 1, 1], [3, 1, 1], [8, 4, 2], [31, 2, 1], [16, 2, 3], [1, 8, 8], [32, 3, 1], [33, 1, 2], [4, 1, 16]]
    {
        for plane in [1, 8, 16, 32, 64] {
            let units = dim.iter().product::<u32>();
            let of = |what: &dyn Fn(u32) -> u32| truth(&(0..units).map(what).collect::<Vec<_>>(), plane);
            let [x, y, _] = dim;
            let exact = [
                of(&|u| u % x),
                of(&|u| u / x % y),
                of(&|u| u / x / y),
                of(&|u| u / plane),
                of(&|u| u % plane),
                of(&|u| u),
            ];
            for (number, (found, exact)) in positions(dim, Some(plane)).into_iter().zip(exact).enumerate() {
                assert!(
                    found >= exact,
                    "position {number} of {dim:?} in planes of {plane}: {found:?}, truly {exact:?}"
                );
            }
        }
    }
}

#[test]
fn values_of_the_launch_are_the_same_for_a_cube() {
    for name in ["cube_pos", "cube_pos_x", "cube_dim", "cube_dim_z", "cube_count", "cube_count_y", "plane_dim"] {
        levels(&format!("%v = cube.topology {name}"), &[("v", Cube)]);
    }
    for name in ["absolute_pos", "absolute_pos_x"] {
        levels(&format!("%v = cube.topology {name}"), &[("v", Unit)]);
    }
}

#[test]
fn comparison_uniformity_matches_enumeration() {
    for predicate in ["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "eq", "ne"] {
        for limit in [1, 31, 32, 33, 63, 64] {
            let holds = |u: i64| match predicate {
                "slt" | "ult" => u < limit,
                "sle" | "ule" => u <= limit,
                "sgt" | "ugt" => u > limit,
                "sge" | "uge" => u >= limit,
                "eq" => u == limit,
                _ => u != limit,
            };
            let exact = truth(&(0..64).map(|u| u32::from(holds(u))).collect::<Vec<_>>(), 32);
            let ops = format!(
                "%limit = arith.constant {limit} : i32\n%v = arith.cmpi {predicate}, %u, %limit : i32\n\
                 %x0 = cube.topology unit_pos_x\n%w = arith.cmpi {predicate}, %x0, %limit : i32"
            );
            inspect(&format!("{HEAD}{ops}\ncube.return\n}}"), |kernel| {
                let found = Uniformity::with_geometry(kernel, CubeGeometry { dim: [64, 1, 1], plane: 32 });
                for name in ["v", "w"] {
                    let found = found.level_of(value(kernel, name));
                    assert!(found >= exact, "{predicate} {limit}: {found:?}, truly {exact:?}");
                    // The analysis is exact if the limit is a plane boundary.
                    assert!(exact != Plane || found == Plane, "{predicate} {limit}: {found:?}");
                }
            });
        }
    }
    levels("%lanes = cube.topology plane_dim\n%v = cube.divui %u, %lanes : i32", &[("v", Plane)]);
    levels("%lanes = cube.topology plane_dim\n%v = cube.remui %u, %lanes : i32", &[("v", Unit)]);
}

#[test]
fn computations_are_as_uniform_as_the_worst_operand() {
    levels(
        "%same = arith.addi %n, %cube : i32\n%planes = arith.addi %plane, %n : i32\n%own = arith.addi %plane, %u : i32\n\
         %s1 = arith.select %all, %n, %cube : i32\n%s2 = arith.select %second, %n, %cube : i32\n\
         %s3 = arith.select %odd, %n, %cube : i32\n%f = arith.sitofp %plane : i32 to f32\n%e = math.exp %f : f32\n\
         %line = vector.broadcast %u : i32 to vector<4xi32>\n%part = cube.extract %line[%zero] : vector<4xi32> -> i32",
        &[("zero", Cube), ("same", Cube), ("planes", Plane), ("own", Unit), ("s1", Cube), ("s2", Plane), ("s3", Unit)],
    );
    levels(
        "%f = arith.sitofp %plane : i32 to f32\n%e = math.exp %f : f32",
        &[("e", Plane), ("odd", Unit), ("second", Plane)],
    );
    levels("%line = vector.broadcast %u : i32 to vector<4xi32>", &[("line", Unit)]);
}

#[test]
fn loads_are_as_uniform_as_their_index() {
    levels(
        "%s = cube.alloc : !cube.shared<64 x i32>\n%a = cube.load %x[%n] : !cube.array<i32> -> i32\n\
         %b = cube.load %x[%plane] : !cube.array<i32> -> i32\n%c = cube.load %x[%u] : !cube.array<i32> -> i32\n\
         %d = cube.load %s[%n] : !cube.shared<64 x i32> -> i32\n%e = cube.load %s[%u] : !cube.shared<64 x i32> -> i32\n\
         %f = memref.load %m[%at] : memref<?xi32>\n%g = memref.load %m[%ui] : memref<?xi32>",
        &[("a", Cube), ("b", Plane), ("c", Unit), ("d", Cube), ("e", Unit), ("f", Cube), ("g", Unit)],
    );
}

#[test]
fn local_memory_is_as_uniform_as_all_that_was_stored() {
    let local = |store: &str, expected: Uniform| {
        let ops =
            "%l = cube.alloc : !cube.local<64 x i32>\nSTORE\n%v = cube.load %l[%n] : !cube.local<64 x i32> -> i32";
        levels(&ops.replace("STORE", store), &[("v", expected)]);
    };
    local("", Cube);
    local("cube.store %n, %l[%n] : i32, !cube.local<64 x i32>", Cube);
    local("cube.store %plane, %l[%n] : i32, !cube.local<64 x i32>", Plane);
    local("cube.store %u, %l[%n] : i32, !cube.local<64 x i32>", Unit);
    // The same number is stored at a different index in each unit, or only by some units.
    local("cube.store %n, %l[%u] : i32, !cube.local<64 x i32>", Unit);
    local("scf.if %odd {\ncube.store %n, %l[%n] : i32, !cube.local<64 x i32>\n}", Unit);
    local("scf.if %second {\ncube.store %n, %l[%n] : i32, !cube.local<64 x i32>\n}", Plane);
    local("scf.for %i = %zero to %u step %one : i32 {\ncube.store %n, %l[%n] : i32, !cube.local<64 x i32>\n}", Unit);
}

#[test]
fn a_store_later_in_a_loop_reaches_the_load_before_it() {
    levels(
        "%l = cube.alloc : !cube.local<4 x i32>\nscf.for %i = %zero to %n step %one : i32 {\n\
         %v = cube.load %l[%zero] : !cube.local<4 x i32> -> i32\ncube.store %u, %l[%zero] : i32, !cube.local<4 x i32>\n}",
        &[("v", Unit)],
    );
}

#[test]
fn stores_of_vectors_into_local_memory_count() {
    let line = "%own = vector.broadcast %u : i32 to vector<4xi32>\n%same = vector.broadcast %n : i32 to vector<4xi32>\n\
        %mask = vector.broadcast %p : i1 to vector<4xi1>\n%l = memref.alloca() : memref<16xi32>\n";
    let after = "\n%v = memref.load %l[%c0] : memref<16xi32>\n\
        %w = vector.load %l[%c0] : memref<16xi32>, vector<4xi32>\n\
        %masked = vector.maskedload %l[%c0], %mask, %same : memref<16xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>";
    for (store, level) in [
        ("memref.store %n, %l[%c0] : memref<16xi32>", Cube),
        ("memref.store %u, %l[%c0] : memref<16xi32>", Unit),
        ("vector.store %same, %l[%c0] : memref<16xi32>, vector<4xi32>", Cube),
        ("vector.store %own, %l[%c0] : memref<16xi32>, vector<4xi32>", Unit),
        ("vector.store %same, %l[%ui] : memref<16xi32>, vector<4xi32>", Unit),
        ("scf.if %second {\nvector.store %same, %l[%c0] : memref<16xi32>, vector<4xi32>\n}", Plane),
        ("vector.maskedstore %l[%c0], %mask, %own : memref<16xi32>, vector<4xi1>, vector<4xi32>", Unit),
        (
            "vector.scatter %l[%c0] [%own], %mask, %same : memref<16xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>",
            Unit,
        ),
        (
            "vector.scatter %l[%c0] [%same], %mask, %same : memref<16xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>",
            Cube,
        ),
    ] {
        levels(&format!("{line}{store}{after}"), &[("v", level), ("w", level), ("masked", level)]);
    }
    // All units of a cube access the same workgroup memory, so the level is the level of the index.
    let shared = "%own = vector.broadcast %u : i32 to vector<4xi32>\n\
        %s = memref.alloca() : memref<16xi32, #gpu.address_space<workgroup>>\n\
        vector.store %own, %s[%ui] : memref<16xi32, #gpu.address_space<workgroup>>, vector<4xi32>\n\
        %v = vector.load %s[%c0] : memref<16xi32, #gpu.address_space<workgroup>>, vector<4xi32>";
    levels(shared, &[("v", Cube)]);
}

#[test]
fn a_line_that_only_its_unit_accesses_is_as_uniform_as_all_that_was_stored() {
    let memory = "%s = memref.alloca() : memref<64xi32, #gpu.address_space<workgroup>>\nSTORE\n\
        %v = memref.load %s[%ui] : memref<64xi32, #gpu.address_space<workgroup>>";
    let store = |value: &str, index: &str| {
        format!("memref.store {value}, %s[{index}] : memref<64xi32, #gpu.address_space<workgroup>>")
    };
    let (own, other) = (store("%u", "%ui"), store("%n", "%c0"));
    for (stores, level) in [
        (store("%n", "%ui"), Cube),
        (store("%plane", "%ui"), Plane),
        (own.clone(), Unit),
        (format!("{}\n{own}", store("%n", "%ui")), Unit),
        (format!("scf.if %odd {{\n{}\n}}", store("%n", "%ui")), Unit),
        // Another unit can write the line.
        (other, Unit),
    ] {
        levels(&memory.replace("STORE", &stores), &[("v", level)]);
    }
}

#[test]
fn stores_through_views_of_local_memory_count() {
    // A slice overlaps its buffer. A view of a memref can refer to any local memory.
    for (store, level) in [("%n", Cube), ("%u", Unit)] {
        let slice = format!(
            "%l = cube.alloc : !cube.local<8 x i32>\n\
             %s = cube.slice %l[%zero to %one] : !cube.local<8 x i32> -> !cube.slice<i32>\n\
             cube.store {store}, %s[%zero] : i32, !cube.slice<i32>\n\
             %v = cube.load %l[%zero] : !cube.local<8 x i32> -> i32\n%w = cube.load %s[%zero] : !cube.slice<i32> -> i32"
        );
        levels(&slice, &[("v", level), ("w", level)]);
    }
    let view = "%l = memref.alloca() : memref<16xi32>\n%c = memref.cast %l : memref<16xi32> to memref<?xi32>\nSTORE\n\
        %v = memref.load %l[%c0] : memref<16xi32>";
    levels(&view.replace("STORE", ""), &[("v", Cube)]);
    levels(&view.replace("STORE", "memref.store %u, %c[%c0] : memref<?xi32>"), &[("v", Unit)]);
}

#[test]
fn copies_and_transfers_propagate_uniformity() {
    let ops = "%own = vector.broadcast %u : i32 to vector<4xi32>\n%l = memref.alloca() : memref<4xi32>\n\
        %k = memref.alloca() : memref<4xi32>\nvector.transfer_write %own, %l[%c0] {in_bounds = [true]} : vector<4xi32>, memref<4xi32>\n\
        memref.copy %l, %k : memref<4xi32> to memref<4xi32>\n%a = memref.load %l[%c0] : memref<4xi32>\n";
    levels(ops, &[("a", Unit)]);
    let rmw =
        "%l = memref.alloca() : memref<4xi32>\n%old = memref.atomic_rmw addi %n, %l[%c0] : (i32, memref<4xi32>) -> i32";
    levels(rmw, &[("old", Unit)]);
    // A copy is as uniform as its source.
    let copied = format!("{ops}%b = memref.load %k[%c0] : memref<4xi32>");
    levels(&copied, &[("b", Unit)]);
}

#[test]
fn atomic_results_vary_per_unit() {
    levels(
        "%a = cube.atomic_rmw addi %one, %x[%n] : i32, !cube.array<i32>\n\
         %b = cube.atomic_load %x[%n] : !cube.array<i32> -> i32\n\
         %c = cube.atomic_cas %one, %n, %x[%n] : i32, !cube.array<i32>",
        &[("a", Unit), ("b", Unit), ("c", Unit)],
    );
}

#[test]
fn plane_operation_results_are_plane_uniform_or_varying() {
    levels(
        "%sum = cube.plane_reduce addi %u : i32\n%any = cube.plane_vote any %odd\n\
         %bits = cube.plane_ballot %odd : vector<4xi32>\n%first = cube.plane_broadcast %u, %zero : i32\n\
         %scan = cube.plane_scan inclusive addi %n : i32\n%swap = cube.plane_shuffle xor %u, %one : i32\n\
         %me = cube.plane_elect\n%same = cube.plane_broadcast %n, %zero : i32",
        &[
            ("sum", Plane),
            ("any", Plane),
            ("bits", Plane),
            ("first", Plane),
            ("scan", Unit),
            ("swap", Unit),
            ("me", Unit),
            ("same", Cube),
        ],
    );
    // If the lane can be absent, each unit gets its own operand.
    levels("%v = cube.plane_broadcast %u, %n : i32", &[("v", Unit)]);
    levels(
        "%r = scf.if %odd -> (i32) {\n%v = cube.plane_broadcast %u, %zero : i32\nscf.yield %v : i32\n} else {\nscf.yield %n : i32\n} loc(\"r\")",
        &[("v", Unit)],
    );
    // The sum of a uniform value differs between a full plane and the last plane.
    levels("%v = cube.plane_reduce addi %n : i32", &[("v", Plane)]);
}

#[test]
fn a_broadcast_of_the_last_lane_is_present_in_full_planes_only() {
    for (units, lane, level) in [(64, 31, Plane), (36, 3, Plane), (36, 4, Unit), (64, 32, Unit), (64, -1, Unit)] {
        let text = format!(
            "cube.kernel @k() cube_dim({units}) {{\n%u = cube.topology unit_pos\n%lane = arith.constant {lane} : i32\n\
             %v = cube.plane_broadcast %u, %lane : i32\ncube.return\n}}"
        );
        inspect(&text, |kernel| {
            let found = Uniformity::with_geometry(kernel, CubeGeometry { dim: [units, 1, 1], plane: 32 });
            assert_eq!(found.level_of(value(kernel, "v")), level, "{units} {lane}");
        });
    }
}

#[test]
fn branch_result_is_at_most_as_uniform_as_its_condition() {
    for (condition, level) in [("%all", Cube), ("%second", Plane), ("%odd", Unit)] {
        let ops = format!(
            "scf.if {condition} {{\n%inside = arith.addi %n, %n : i32\n}} loc(\"plain\")\n\
             %r = scf.if {condition} -> (i32) {{\nscf.yield %n : i32\n}} else {{\nscf.yield %zero : i32\n}} loc(\"r\")"
        );
        levels(&ops, &[("r", level), ("inside", Cube)]);
        inspect(&format!("{HEAD}{ops}\ncube.return\n}}"), |kernel| {
            let found = Uniformity::with_geometry(kernel, CubeGeometry { dim: [64, 1, 1], plane: 32 });
            assert_eq!(found.among_all(value(kernel, "inside")), level);
            assert_eq!(found.reached_by(operation(kernel, "inside")), level);
            assert_eq!(found.decided_by(operation(kernel, "plain")), level);
            assert_eq!(found.reached_by(operation(kernel, "plain")), Cube);
        });
    }
}

#[test]
fn each_arm_of_a_switch_counts() {
    let switch = |index: &str, last: &str| {
        format!(
            "%to = arith.index_castui %{index} : i32 to index\n%r =\nscf.index_switch %to -> i32\ncase 0 {{\nscf.yield %n : i32\n}}\n\
             case 3 {{\nscf.yield %zero : i32\n}}\ndefault {{\nscf.yield %{last} : i32\n}} loc(\"r\")"
        )
    };
    for (index, last, level) in [("n", "one", Cube), ("n", "u", Unit), ("plane", "one", Plane), ("u", "one", Unit)] {
        levels(&switch(index, last), &[("r", level)]);
    }
}

#[test]
fn loops_carry_the_worst_of_each_iteration() {
    // The value is uniform at first. Each iteration adds a value that differs between units.
    let sum = "%r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %zero, %b = %zero) -> (i32, i32) : i32 {\n\
        %next = arith.addi %a, %u : i32\n%count = arith.addi %b, %i : i32\nscf.yield %next, %count : i32, i32\n} loc(\"r\")";
    levels(sum, &[("r#0", Unit), ("r#1", Cube), ("next", Unit), ("count", Cube)]);
    // Two iterations are necessary: `b` becomes a value that differs between units, and then `a` becomes `b`.
    let late = "%r:2 = scf.for %i = %zero to %n step %one iter_args(%a = %zero, %b = %zero) -> (i32, i32) : i32 {\n\
        scf.yield %b, %u : i32, i32\n} loc(\"r\")";
    levels(late, &[("r#0", Unit), ("r#1", Unit)]);
}

#[test]
fn loop_with_varying_trip_count_has_varying_results() {
    let count = "%r = scf.for %i = %zero to BOUND step %one iter_args(%a = %zero) -> (i32) : i32 {\n\
        %next = arith.addi %a, %one : i32\nscf.yield %next : i32\n} loc(\"r\")";
    for (bound, level) in [("%n", Cube), ("%plane", Plane), ("%u", Unit)] {
        // The units that are still in the loop agree.
        levels(&count.replace("BOUND", bound), &[("r", level), ("next", Cube)]);
    }
    let repeat = "%r = scf.while (%i = %zero) : (i32) -> i32 {\n%go = arith.cmpi ult, %i, BOUND : i32\n\
        scf.condition(%go) %i : i32\n} do {\n^bb0(%i: i32):\n%next = arith.addi %i, %one : i32\nscf.yield %next : i32\n} loc(\"r\")";
    for (bound, level) in [("%n", Cube), ("%plane", Plane), ("%u", Unit)] {
        levels(&repeat.replace("BOUND", bound), &[("r", level), ("next", Cube)]);
    }
}

#[test]
fn operations_of_other_dialects_vary_per_unit() {
    levels("%t = gpu.thread_id x", &[("t", Unit)]);
    levels("%t = gpu.lane_id", &[("t", Unit)]);
    levels("%t = nvvm.read.ptx.sreg.laneid : i32", &[("t", Unit)]);
    levels(
        "%l = memref.alloca() : memref<4xi32>\n%s = memref.alloca() : memref<4xi32, #gpu.address_space<workgroup>>",
        &[("l", Cube), ("s", Cube)],
    );
}

#[test]
fn the_chain_leads_from_a_condition_to_its_source() {
    let ops = "%v = arith.addi %u, %n : i32\n%c = arith.cmpi eq, %v, %zero : i32\nscf.if %c {\ncube.sync cube loc(\"here\")\n}";
    inspect(&format!("{HEAD}{ops}\ncube.return\n}}"), |kernel| {
        let found = Uniformity::of(kernel);
        let expected = ["c", "v", "u"].map(|name| value(kernel, name));
        assert_eq!(found.chain(operation(kernel, "here")), expected);
        assert_eq!(found.reached_by(operation(kernel, "here")), Unit);
    });
}

/// Operations of the dialect that compute one value from their operands. Each text is the part of an operation
/// after `=`, in which `V` represents the varying operand. The function takes the list of integer operations from
/// `cube_semantics`.
pub(super) fn computing() -> Vec<(OpKind, &'static str)> {
    let kinds = [ops::UNTIL_FLAT, ops::UNTIL_LEGAL].concat();
    let integers = kinds.into_iter().filter_map(|kind| match meaning(kind.name())? {
        Meaning::Int(op) if op.operands() == 1 => Some((kind, "V : i32")),
        Meaning::Int(_) => Some((kind, "V, %n : i32")),
        _ => None,
    });
    integers.chain(COMPUTING.iter().copied()).collect()
}

const COMPUTING: &[(OpKind, &str)] = &[
    (cube::CAST, "V : i32 to f32"),
    (cube::EXTRACT, "%line[V] : vector<4xi32> -> i32"),
    (cube::INSERT, "V, %line[%n] : i32, vector<4xi32>"),
    (cube::LEN, "%x : !cube.array<i32>"),
    (cube::BUFFER_LEN, "%x : !cube.array<i32>"),
    (cube::RANK, "%t : !cube.tensor<i32>"),
    (cube::SHAPE, "%t, V : !cube.tensor<i32>"),
    (cube::STRIDE, "%t, V : !cube.tensor<i32>"),
    (cube::COORDINATE, "%t, V, %n : !cube.tensor<i32>"),
];

/// Operations of the analysed levels that have no result, or that a separate test in this file covers.
const OTHER: &[OpKind] = &[
    cube::ALLOC,
    cube::ATOMIC_CAS,
    cube::ATOMIC_LOAD,
    cube::ATOMIC_RMW,
    cube::ATOMIC_STORE,
    cube::KERNEL,
    cube::LOAD,
    cube::PLANE_BALLOT,
    cube::PLANE_BROADCAST,
    cube::PLANE_ELECT,
    cube::PLANE_REDUCE,
    cube::PLANE_SCAN,
    cube::PLANE_SHUFFLE,
    cube::PLANE_VOTE,
    cube::PRINT,
    cube::RETURN,
    cube::STORE,
    cube::SYNC,
    cube::TOPOLOGY,
    cube::MAY_NOT_TERMINATE,
];

#[test]
fn every_operation_that_computes_is_as_uniform_as_its_operand() {
    for (op, text) in computing() {
        for (operand, level) in [("%n", Cube), ("%plane", Plane), ("%u", Unit)] {
            // If no operand varies, all units compute the same value.
            let expected = if text.contains('V') { level } else { Cube };
            let head = HEAD.replacen("%n: i32", "%t: !cube.tensor<i32>, %n: i32", 1);
            let ops =
                format!("%line = vector.broadcast %n : i32 to vector<4xi32>\n%v = {op} {}", text.replace('V', operand));
            inspect(&format!("{head}{ops}\ncube.return\n}}"), |kernel| {
                assert_eq!(Uniformity::of(kernel).level_of(value(kernel, "v")), expected, "{op} of {operand}");
            });
        }
    }
}

#[test]
fn every_operation_of_the_dialect_has_a_case() {
    let cases: Vec<OpKind> = computing().iter().map(|(op, _)| *op).chain(OTHER.iter().copied()).collect();
    for kind in [ops::UNTIL_FLAT, ops::UNTIL_LEGAL].concat() {
        assert_eq!(cases.iter().filter(|case| **case == kind).count(), 1, "{kind} has no case, or several");
    }
    let known = [ops::UNTIL_FLAT, ops::UNTIL_LEGAL].concat().len();
    assert_eq!(cases.len(), known, "a case is of no operation that kernels keep until level legal");
}

#[test]
fn write_only_operations_keep_uniformity() {
    let ops = "%l = cube.alloc : !cube.local<4 x i32>\ncube.store %n, %l[%zero] : i32, !cube.local<4 x i32>\n\
        WRITE\n%v = cube.load %l[%zero] : !cube.local<4 x i32> -> i32";
    for write in ["cube.print \"here\"", "cube.atomic_store %u, %x[%zero] : i32, !cube.array<i32>", "cube.sync plane"] {
        levels(&ops.replace("WRITE", write), &[("v", Cube)]);
    }
}
