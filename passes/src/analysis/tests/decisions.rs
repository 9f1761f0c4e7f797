//! Conditions around barriers.
use super::{inspect, operation};
use crate::analysis::decisions::Decisions;

/// Whether units synchronise inside of the operation `at`, and whether its condition is uniform in the cube.
fn decided(condition: &str, inside: &str) -> (bool, bool) {
    let text = format!(
        "cube.kernel @k(%n: i32, %p: i1) cube_dim(32) {{\n%u = cube.topology unit_pos_x\n%c = {condition}\n\
         scf.if %c {{\nscf.if %p {{\n{inside}\n}}\n}} loc(\"at\")\ncube.return\n}}"
    );
    let mut found = (false, false);
    inspect(&text, |kernel| {
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
fn a_branch_without_a_barrier_decides_nothing_for_the_cube() {
    assert_eq!(decided("arith.cmpi ult, %u, %n : i32", ""), (false, false));
}
