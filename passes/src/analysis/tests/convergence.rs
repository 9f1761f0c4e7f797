//! Tests of barriers that not all units of a cube reach, with cases for each class of operation. If the check
//! accepts a barrier that some units do not reach, the kernel deadlocks. If the check refuses a barrier that
//! all units reach, the compiler rejects a correct program.
use super::uniformity::computing;
use super::{inspect, value};
use crate::analysis::uniformity::Uniformity;
use crate::levels::CONTRACTS;
use crate::optimize::check_convergence::{barriers, missed};
use cube_ir::ops::{cube, scf};
use cube_ir::{Dialect, Level, OpKind, name_of};

/// Values of the test kernels: %n and %p are uniform over the launch. %u and %odd differ between units. %plane and
/// %second differ between planes.
const HEAD: &str = "cube.kernel @k(%x: !cube.array<i32>, %n: i32, %p: i1, %t: !cube.tensor<i32>) cube_dim(DIM) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %u = cube.topology unit_pos
    %plane = cube.topology plane_pos
    %cube = cube.topology cube_pos
    %odd = arith.cmpi ult, %u, %n : i32
    %second = arith.cmpi eq, %plane, %one : i32
    %all = arith.cmpi eq, %cube, %n : i32
";

/// The names of the refused barriers of a kernel with the cube dim `dim`, in alphabetical order.
fn refused_of(dim: &str, ops: &str) -> Vec<String> {
    let mut names = Vec::new();
    inspect(&format!("{}{ops}\ncube.return\n}}", HEAD.replace("DIM", dim)), |kernel| {
        let found = missed(&barriers(kernel), &Uniformity::of(kernel));
        names = found.into_iter().map(|op| name_of(op.location()).unwrap_or_default()).collect();
        // The first region of a switch is its default region, so the names are sorted.
        names.sort();
    });
    names
}

fn refused(ops: &str) -> Vec<String> {
    refused_of("64", ops)
}

/// Whether a barrier under the condition `%c` is refused. `ops` computes `%c`.
fn under(ops: &str) -> bool {
    let branch = "scf.if %c {\ncube.sync cube loc(\"here\")\n}";
    let found = refused(&format!("{ops}\n{branch}"));
    assert!(found.is_empty() || found == ["here"], "{found:?}");
    !found.is_empty()
}

const NONE: [&str; 0] = [];

#[test]
fn cube_barriers_are_checked_and_plane_barriers_are_not() {
    let inside = "scf.if %odd {\ncube.sync cube loc(\"cube\")\ncube.sync storage loc(\"storage\")\ncube.sync plane loc(\"plane\")\n}";
    assert_eq!(refused(inside), ["cube", "storage"]);
    assert_eq!(refused(&inside.replace("%odd", "%second")), ["cube", "storage"]);
    assert_eq!(refused(&inside.replace("%odd", "%all")), NONE);
    assert_eq!(refused("cube.sync cube\ncube.sync storage\ncube.sync plane"), NONE);
}

#[test]
fn unit_and_plane_positions_diverge_and_cube_positions_are_uniform() {
    for (name, parts) in [
        ("unit_pos", true),
        ("unit_pos_x", true),
        ("unit_pos_y", false),
        ("absolute_pos", true),
        ("absolute_pos_x", true),
        ("absolute_pos_y", false),
        ("plane_pos", true),
        ("unit_pos_plane", true),
        ("plane_dim", false),
        ("cube_pos", false),
        ("cube_pos_y", false),
        ("cube_dim", false),
        ("cube_count_z", false),
    ] {
        let ops = format!("%v = cube.topology {name}\n%c = arith.cmpi ult, %v, %n : i32");
        assert_eq!(under(&ops), parts, "{name}");
    }
}

#[test]
fn barriers_in_a_cube_of_one_unit_or_one_row_are_accepted() {
    let inside = "%y = cube.topology unit_pos_y\n%low = arith.cmpi ult, %y, %n : i32\nscf.if %odd {\ncube.sync cube loc(\"unit\")\n}\n\
        scf.if %low {\ncube.sync cube loc(\"row\")\n}";
    assert_eq!(refused_of("1", inside), NONE);
    assert_eq!(refused_of("8, 1", inside), ["unit"]);
    assert_eq!(refused_of("8, 2", inside), ["row", "unit"]);
    assert_eq!(refused_of("1, 8", inside), ["row", "unit"]);
}

#[test]
fn arithmetic_propagates_divergence() {
    assert!(under("%a = arith.addi %u, %n : i32\n%b = arith.muli %a, %zero : i32\n%c = arith.cmpi eq, %b, %n : i32"));
    assert!(!under("%a = arith.addi %cube, %n : i32\n%b = cube.divui %a, %n : i32\n%c = arith.cmpi eq, %b, %n : i32"));
    assert!(under("%c = arith.andi %odd, %p : i1"));
    assert!(under("%c = arith.select %p, %odd, %all : i1"));
    assert!(under("%c = arith.select %second, %p, %all : i1"));
    assert!(!under("%c = arith.select %all, %p, %all : i1"));
    let lane = "%line = vector.broadcast %VALUE : i32 to vector<4xi32>\n%lane = cube.extract %line[%zero] : vector<4xi32> -> i32\n\
        %c = arith.cmpi eq, %lane, %n : i32";
    assert!(under(&lane.replace("VALUE", "u")) && !under(&lane.replace("VALUE", "cube")));
    let float = "%f = arith.sitofp %VALUE : i32 to f32\n%e = math.exp %f : f32\n%c = arith.cmpf ogt, %e, %f : f32";
    assert!(under(&float.replace("VALUE", "plane")) && !under(&float.replace("VALUE", "n")));
}

#[test]
fn memory_is_as_uniform_as_its_index_and_an_atomic_is_not() {
    let load =
        |index: &str| format!("%v = cube.load %x[{index}] : !cube.array<i32> -> i32\n%c = arith.cmpi eq, %v, %n : i32");
    assert!(!under(&load("%n")) && !under(&load("%cube")));
    assert!(under(&load("%u")) && under(&load("%plane")));
    let atomic = "%v = cube.atomic_rmw addi %one, %x[%n] : i32, !cube.array<i32>\n%c = arith.cmpi eq, %v, %n : i32";
    assert!(under(atomic));
    let local = "%l = cube.alloc : !cube.local<4 x i32>\ncube.store %VALUE, %l[%zero] : i32, !cube.local<4 x i32>\n\
        %v = cube.load %l[%zero] : !cube.local<4 x i32> -> i32\n%c = arith.cmpi eq, %v, %n : i32";
    assert!(under(&local.replace("VALUE", "u")));
    assert!(!under(&local.replace("VALUE", "n")));
    assert!(!under("%v = cube.len %x : !cube.array<i32>\n%c = arith.cmpi eq, %v, %n : i32"));
}

#[test]
fn plane_uniform_values_diverge_in_a_cube_of_several_planes() {
    for vote in ["%c = cube.plane_vote any %odd", "%c = cube.plane_vote all %odd", "%c = cube.plane_elect"] {
        assert!(under(vote), "{vote}");
    }
    for op in ["cube.plane_reduce addi %u", "cube.plane_scan inclusive addi %n", "cube.plane_shuffle xor %u, %one"] {
        assert!(under(&format!("%v = {op} : i32\n%c = arith.cmpi eq, %v, %n : i32")), "{op}");
    }
    assert!(!under("%v = cube.plane_broadcast %n, %zero : i32\n%c = arith.cmpi eq, %v, %n : i32"));
}

#[test]
fn barriers_in_divergent_arms_are_reported_and_later_ones_are_not() {
    let arms = "scf.if %odd {\ncube.sync cube loc(\"then\")\n} else {\ncube.sync cube loc(\"else\")\n}\ncube.sync cube loc(\"behind\")";
    assert_eq!(refused(arms), ["else", "then"]);
    // A branch on the yielded value diverges too.
    let yielded = "%v = scf.if COND -> (i32) {\nscf.yield %zero : i32\n} else {\nscf.yield %one : i32\n}\n\
        %c = arith.cmpi eq, %v, %zero : i32";
    assert!(under(&yielded.replace("COND", "%odd")) && !under(&yielded.replace("COND", "%all")));
}

#[test]
fn the_worst_condition_around_a_barrier_counts() {
    let nested = "scf.if A {\nscf.if B {\ncube.sync cube loc(\"here\")\n}\n}";
    for (outer, inner, expected) in
        [("%all", "%p", &[] as &[&str]), ("%all", "%odd", &["here"]), ("%odd", "%all", &["here"])]
    {
        assert_eq!(refused(&nested.replace('A', outer).replace('B', inner)), expected, "{outer} {inner}");
    }
}

#[test]
fn each_case_of_a_switch_counts() {
    let switch = "%to = arith.index_castui VALUE : i32 to index\nscf.index_switch %to\ncase 0 {\ncube.sync cube loc(\"zero\")\nscf.yield\n}\n\
        default {\ncube.sync cube loc(\"rest\")\nscf.yield\n}";
    assert_eq!(refused(&switch.replace("VALUE", "%plane")), ["rest", "zero"]);
    assert_eq!(refused(&switch.replace("VALUE", "%n")), NONE);
}

#[test]
fn every_bound_of_a_counted_loop_counts() {
    let counted = |lower: &str, upper: &str, step: &str| {
        let text = format!(
            "scf.for %i = {lower} to {upper} step {step} : i32 {{\ncube.sync cube loc(\"here\")\n}}\ncube.sync cube loc(\"behind\")"
        );
        refused(&text)
    };
    assert_eq!(counted("%zero", "%n", "%one"), NONE);
    assert_eq!(counted("%u", "%n", "%one"), ["here"]);
    assert_eq!(counted("%zero", "%plane", "%one"), ["here"]);
    assert_eq!(counted("%zero", "%n", "%u"), ["here"]);
}

#[test]
fn units_that_leave_a_loop_early_miss_its_barriers() {
    let repeat = |condition: &str| {
        let text = format!(
            "%r = scf.while (%i = %zero) : (i32) -> i32 {{\ncube.sync cube loc(\"before\")\n{condition}\nscf.condition(%go) %i : i32\n\
             }} do {{\n^bb0(%i: i32):\ncube.sync cube loc(\"after\")\n%next = arith.addi %i, %one : i32\nscf.yield %next : i32\n}}\n\
             cube.sync cube loc(\"behind\")"
        );
        refused(&text)
    };
    assert_eq!(repeat("%go = arith.cmpi ult, %i, %n : i32"), NONE);
    // All units reach the first block once. Only the units that continue reach the first block again.
    assert_eq!(repeat("%go = arith.cmpi ult, %i, %u : i32"), ["after", "before"]);
    assert_eq!(repeat("%go = arith.cmpi ult, %i, %plane : i32"), ["after", "before"]);
}

#[test]
fn loop_carried_value_diverges_in_a_later_iteration() {
    let carried = |next: &str| {
        let text = format!(
            "%r = scf.for %i = %zero to %n step %one iter_args(%a = %zero) -> (i32) : i32 {{\n%c = arith.cmpi eq, %a, %n : i32\n\
             scf.if %c {{\ncube.sync cube loc(\"here\")\n}}\n%next = {next} : i32\nscf.yield %next : i32\n}}"
        );
        refused(&text)
    };
    assert_eq!(carried("arith.addi %a, %one"), NONE);
    assert_eq!(carried("arith.addi %a, %u"), ["here"]);
}

#[test]
fn every_computation_propagates_divergence() {
    for (op, text) in computing() {
        let condition = match op {
            cube::CAST => "%c = arith.cmpf ogt, %v, %v : f32",
            cube::INSERT => "%e = cube.extract %v[%zero] : vector<4xi32> -> i32\n%c = arith.cmpi eq, %e, %n : i32",
            _ => "%c = arith.cmpi eq, %v, %n : i32",
        };
        let line = "%line = vector.broadcast %n : i32 to vector<4xi32>";
        for (operand, parts) in [("%n", false), ("%cube", false), ("%plane", true), ("%u", true)] {
            let ops = format!("{line}\n%v = {op} {}\n{condition}", text.replace('V', operand));
            assert_eq!(under(&ops), parts && text.contains('V'), "{op} of {operand}");
        }
    }
}

// The control flow operations that the tests above cover. A new control flow operation of kernels needs a test.
const STRUCTURES: [OpKind; 6] = [scf::CONDITION, scf::FOR, scf::IF, scf::INDEX_SWITCH, scf::WHILE, scf::YIELD];

#[test]
fn every_structured_operation_of_level_flat_has_a_case() {
    let flat = CONTRACTS.iter().find(|contract| contract.level == Level::Flat).expect("the level flat");
    let held: Vec<OpKind> =
        OpKind::all().filter(|kind| kind.dialect() == Some(Dialect::Scf) && flat.allows(*kind)).collect();
    assert_eq!(held, STRUCTURES);
}

#[test]
fn operations_of_other_dialects_diverge() {
    assert!(under("%id = nvvm.read.ptx.sreg.laneid : i32\n%c = arith.cmpi eq, %id, %n : i32"));
    assert!(under(
        "%id = gpu.thread_id x\n%m = arith.index_castui %id : index to i32\n%c = arith.cmpi eq, %m, %n : i32"
    ));
}

#[test]
fn message_traces_the_condition_to_the_varying_value() {
    let ops = "%v = arith.addi %u, %n : i32\n%c = arith.cmpi eq, %v, %zero : i32\nscf.if %c {\ncube.sync cube loc(\"here\")\n}";
    inspect(&format!("{}{ops}\ncube.return\n}}", HEAD.replace("DIM", "64")), |kernel| {
        let uniformity = Uniformity::of(kernel);
        let found = missed(&barriers(kernel), &uniformity);
        assert_eq!(found.len(), 1);
        assert_eq!(uniformity.chain(found[0]), ["c", "v", "u"].map(|name| value(kernel, name)));
    });
}
