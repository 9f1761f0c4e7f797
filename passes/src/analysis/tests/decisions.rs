//! Tests of conditions around operations at which units synchronise.
use super::effects::{DOING, kernel};
use super::{inspect, inspect_in, operation};
use crate::analysis::decisions::Decisions;
use cube_ir::{Op, Session};

/// A kernel with the launch argument %n, the position %u, and both values converted to `index`.
fn text(ops: &str) -> String {
    format!(
        "cube.kernel @k(%n: i32, %p: i1) cube_dim(32) {{\n%u = cube.topology unit_pos_x\n\
         %ni = arith.index_castui %n : i32 to index\n%ui = arith.index_castui %u : i32 to index\n{ops}\ncube.return\n}}"
    )
}

/// Returns whether the operation `at` contains synchronisation, and whether its condition is uniform in the cube.
fn decided(condition: &str, inside: &str) -> (bool, bool) {
    let ops = format!("%c = {condition}\nscf.if %c {{\nscf.if %p {{\n{inside}\n}}\n}} loc(\"at\")");
    let mut found = (false, false);
    inspect(&text(&ops), |kernel| {
        let (at, decisions) = (operation(kernel, "at"), Decisions::of(kernel));
        found = (decisions.synchronises(at), decisions.is_uniform(at.operand(0)));
    });
    found
}

#[test]
fn a_branch_around_a_barrier_is_found_with_its_condition() {
    assert_eq!(decided("arith.cmpi ult, %n, %n : i32", "cube.sync cube"), (true, true));
    assert_eq!(decided("arith.cmpi ult, %u, %n : i32", "cube.sync cube"), (true, false));
}

#[test]
fn branch_without_a_barrier_is_not_a_cube_decision() {
    assert_eq!(decided("arith.cmpi ult, %u, %n : i32", ""), (false, false));
}

#[test]
fn units_synchronise_at_every_convergent_operation_of_the_dialect() {
    assert!(DOING.iter().any(|(_, _, does)| does.convergent));
    for (op, ops, does) in DOING {
        inspect(&kernel(&format!("%line = vector.broadcast %n : i32 to vector<4xi32>\n{ops}")), |k| {
            assert_eq!(Decisions::of(k).synchronises(operation(k, "at")), does.convergent, "{op}");
        });
    }
}

#[test]
fn units_may_synchronise_at_an_unknown_operation() {
    let session = Session::new();
    session.context().set_allow_unregistered_dialects(true);
    inspect_in(&session, &text("scf.if %p {\n\"unknown.op\"() : () -> ()\n} loc(\"at\")"), |kernel| {
        assert!(Decisions::of(kernel).synchronises(operation(kernel, "at")));
    });
}

/// The value that controls an operation with regions.
type Deciding = fn(Op<'_>) -> cube_ir::Val<'_>;

/// Operations that contain a barrier: the text with a placeholder for the controlling operand, and a function that
/// returns this operand.
const AROUND: &[(&str, Deciding)] = &[
    ("scf.index_switch AT\ncase 0 {\ncube.sync cube\nscf.yield\n}\ndefault {\n} loc(\"at\")", |op| op.operand(0)),
    ("scf.for %i = AT to %ni step %ni {\ncube.sync cube\n} loc(\"at\")", |op| op.operand(0)),
    ("scf.for %i = %ni to AT step %ni {\ncube.sync cube\n} loc(\"at\")", |op| op.operand(1)),
    ("scf.for %i = %ni to %ni step AT {\ncube.sync cube\n} loc(\"at\")", |op| op.operand(2)),
    (
        "scf.while : () -> () {\n%go = arith.cmpi ult, AT, %ni : index\nscf.condition(%go)\n} do {\ncube.sync cube\nscf.yield\n} \
         loc(\"at\")",
        |op| {
            let before = op.regions().next().and_then(|region| region.first_block()).expect("a block");
            before.terminator().expect("a condition").operand(0)
        },
    ),
];

#[test]
fn each_kind_of_control_flow_decides_by_its_condition_or_bounds() {
    for (ops, deciding) in AROUND {
        for (operand, uniform) in [("%ni", true), ("%ui", false)] {
            inspect(&text(&ops.replace("AT", operand)), |kernel| {
                let (at, decisions) = (operation(kernel, "at"), Decisions::of(kernel));
                assert!(decisions.synchronises(at), "{ops}");
                assert_eq!(decisions.is_uniform(deciding(at)), uniform, "{operand}\n{ops}");
            });
        }
    }
}
