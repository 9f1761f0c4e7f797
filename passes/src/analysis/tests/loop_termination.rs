//! Tests of the termination analysis of `scf.while` loops. A result of `true` for a loop that can run indefinitely
//! would be unsound.
use super::{inspect, operation};
use crate::analysis::loop_termination::terminates;

/// Whether the analysis proves that a loop over `%i` terminates. `%i` has the type `ty` and the first value
/// `start`. The loop continues with the value `%next` while `%go`, which `condition` computes, is true.
fn case(ty: &str, start: &str, condition: &str, next: &str) -> bool {
    let constants: String = [-1, 0, 1, 2, 3, 10, 100]
        .iter()
        .map(|n: &i32| format!("%{} = arith.constant {n} : {ty}\n", format!("c{n}").replace('-', "m")))
        .collect();
    let text = format!(
        "cube.kernel @k(%n: {ty}, %p: i1, %x: !cube.array<{ty}>, %at: i32) cube_dim(32) {{\n{constants}\
         %true = arith.constant true\n%false = arith.constant false\n\
         %r = scf.while (%i = {start}) : ({ty}) -> {ty} {{\n{condition}\nscf.condition(%go) %i : {ty}\n}} do {{\n\
         ^bb0(%i: {ty}):\n{next}\nscf.yield %next : {ty}\n}} loc(\"loop\")\ncube.return\n}}"
    );
    let mut found = false;
    inspect(&text, |k| found = terminates(operation(k, "loop")));
    found
}

fn compared(start: &str, predicate: &str, limit: &str, next: &str) -> bool {
    case("i32", start, &format!("%go = arith.cmpi {predicate}, %i, {limit} : i32"), &format!("%next = {next} : i32"))
}

#[test]
fn unit_step_reaches_every_limit() {
    assert!(compared("%n", "ult", "%n", "arith.addi %i, %c1"));
    assert!(compared("%n", "slt", "%n", "arith.addi %c1, %i"));
    assert!(compared("%n", "ne", "%n", "arith.addi %i, %c1"));
    assert!(compared("%n", "ne", "%n", "arith.subi %i, %c1"));
    assert!(compared("%n", "ugt", "%n", "arith.subi %i, %c1"));
    assert!(compared("%n", "sgt", "%c10", "arith.addi %i, %cm1"));
}

#[test]
fn up_to_and_including_a_limit_may_wrap() {
    assert!(!compared("%n", "ule", "%n", "arith.addi %i, %c1"));
    assert!(!compared("%n", "sle", "%n", "arith.addi %i, %c1"));
    assert!(!compared("%n", "uge", "%c0", "arith.subi %i, %c1"));
    assert!(compared("%n", "ule", "%c10", "arith.addi %i, %c1"));
    assert!(compared("%n", "sge", "%c0", "arith.subi %i, %c1"));
    assert!(compared("%n", "uge", "%c1", "arith.subi %i, %c1"));
}

#[test]
fn a_larger_step_needs_room_above_the_limit() {
    assert!(!compared("%n", "ult", "%n", "arith.addi %i, %c2"));
    assert!(compared("%n", "ult", "%c100", "arith.addi %i, %c2"));
    assert!(!compared("%n", "ult", "%cm1", "arith.addi %i, %c2"));
    // With a step of 2 the counter can skip the limit.
    assert!(!compared("%n", "ne", "%c10", "arith.addi %i, %c2"));
    assert!(compared("%c0", "ne", "%c10", "arith.addi %i, %c2"));
    assert!(!compared("%c1", "ne", "%c10", "arith.addi %i, %c2"));
}

#[test]
fn zero_or_receding_step_is_not_proven_to_terminate() {
    assert!(!compared("%n", "ult", "%c10", "arith.addi %i, %c0"));
    assert!(!compared("%n", "ult", "%c10", "arith.addi %i, %n"));
    assert!(!compared("%n", "sgt", "%c10", "arith.addi %i, %c1"));
    assert!(!compared("%n", "ult", "%c10", "arith.subi %c10, %i"));
    // A decreasing counter does not make `slt` false. The value 1 - i is not a counter.
    assert!(!compared("%n", "slt", "%c10", "arith.subi %c1, %i"));
}

#[test]
fn limit_on_the_left_swaps_the_predicate() {
    let turned = |predicate: &str, next: &str| {
        case("i32", "%n", &format!("%go = arith.cmpi {predicate}, %n, %i : i32"), &format!("%next = {next} : i32"))
    };
    assert!(turned("ugt", "arith.addi %i, %c1") && turned("slt", "arith.subi %i, %c1"));
    assert!(!turned("ult", "arith.addi %i, %c1") && !turned("uge", "arith.addi %i, %c1"));
}

#[test]
fn division_reaches_zero_and_signed_shift_reaches_minus_one() {
    assert!(compared("%n", "ne", "%c0", "cube.divui %i, %c2"));
    assert!(compared("%n", "ne", "%c0", "cube.divsi %i, %c2"));
    assert!(compared("%n", "ne", "%c0", "cube.shrui %i, %c1"));
    assert!(!compared("%n", "ne", "%c0", "cube.shrsi %i, %c1"));
    assert!(compared("%n", "sgt", "%c0", "cube.shrsi %i, %c1"));
    assert!(!compared("%n", "sge", "%c0", "cube.shrui %i, %c1"));
    assert!(!compared("%n", "ne", "%c1", "cube.divui %i, %c2"));
    assert!(!compared("%n", "ne", "%c0", "cube.divui %i, %c1"));
    assert!(!compared("%n", "ne", "%c0", "cube.shrui %i, %c0"));
    assert!(compared("%n", "ugt", "%n", "cube.shrui %i, %c1"));
}

#[test]
fn constants_are_counted_through() {
    assert!(compared("%c1", "ult", "%c100", "arith.muli %i, %c3"));
    assert!(!compared("%c0", "ult", "%c100", "arith.muli %i, %c3"));
    assert!(!compared("%n", "ult", "%c100", "arith.muli %i, %c3"));
    assert!(compared("%c10", "eq", "%c10", "arith.addi %i, %c2"));
    // The 8-bit counter wraps after 126 and has only even values.
    assert!(!case("i8", "%c0", "%go = arith.cmpi ne, %i, %c3 : i8", "%next = arith.addi %i, %c2 : i8"));
    assert!(case("i8", "%c1", "%go = arith.cmpi ne, %i, %c0 : i8", "%next = arith.addi %i, %cm1 : i8"));
}

#[test]
fn one_condition_of_several_is_enough() {
    let next = "%next = arith.addi %i, %c1 : i32";
    let both = "%a = arith.cmpi ult, %i, %n : i32\n%go = arith.andi %a, %p : i1";
    let either = "%a = arith.cmpi ult, %i, %n : i32\n%go = arith.ori %a, %p : i1";
    let negated = "%a = arith.cmpi uge, %i, %n : i32\n%go = arith.xori %a, %true : i1";
    let chosen = "%a = arith.cmpi ult, %i, %n : i32\n%go = arith.select %p, %a, %false : i1";
    let passed = "%a = arith.cmpi ult, %i, %n : i32\n%go = arith.select %p, %a, %true : i1";
    assert!(case("i32", "%n", both, next) && case("i32", "%n", negated, next) && case("i32", "%n", chosen, next));
    assert!(!case("i32", "%n", either, next) && !case("i32", "%n", passed, next));
}

#[test]
fn constant_conditions_are_known() {
    let next = "%next = arith.addi %i, %c0 : i32";
    assert!(case("i32", "%n", "%go = arith.andi %true, %false : i1", next));
    assert!(!case("i32", "%n", "%go = arith.andi %true, %true : i1", next));
    assert!(!case("i32", "%n", "%go = arith.andi %p, %p : i1", next));
}

#[test]
fn loop_bound_modified_by_the_loop_is_rejected() {
    let next = "%next = arith.addi %i, %c1 : i32";
    let loaded = "%limit = cube.load %x[%at] : !cube.array<i32> -> i32\n%go = arith.cmpi ult, %i, %limit : i32";
    assert!(!case("i32", "%n", loaded, next));
    let grows = "%limit = arith.addi %i, %c1 : i32\n%go = arith.cmpi ult, %i, %limit : i32";
    assert!(!case("i32", "%n", grows, next));
}

#[test]
fn a_step_on_one_side_of_a_branch_does_not_count() {
    let less = "%go = arith.cmpi ult, %i, %n : i32";
    let sometimes = "%moved = arith.addi %i, %c1 : i32\n%next = arith.select %p, %moved, %i : i32";
    assert!(!case("i32", "%n", less, sometimes));
    // The loop continues only if the step is added.
    let needed = "%a = arith.cmpi ult, %i, %n : i32\n%go = arith.andi %a, %p : i1";
    assert!(case("i32", "%n", needed, sometimes));
}

#[test]
fn unknown_operations_do_not_count() {
    assert!(!case(
        "i32",
        "%n",
        "%go = arith.cmpi ult, %i, %n : i32",
        "%next = gpu.subgroup_broadcast %i, first_active_lane : i32"
    ));
}

#[test]
fn steps_of_other_operations_do_not_count() {
    for step in [
        "arith.andi %i, %c3",
        "arith.ori %i, %c1",
        "arith.xori %i, %c1",
        "arith.minui %i, %c3",
        "arith.maxui %i, %c3",
        "cube.remui %i, %c3",
        "cube.addui_sat %i, %c1",
        "cube.reverse_bits %i",
        "cube.atomic_rmw addi %i, %x[%at]",
        "cube.plane_reduce addi %i",
    ] {
        let memory = if step.contains("%x") { ", !cube.array<i32>" } else { "" };
        let next = format!("%next = {step} : i32{memory}");
        assert!(!case("i32", "%n", "%go = arith.cmpi ult, %i, %n : i32", &next), "{step}");
    }
}

#[test]
fn conditions_on_other_units_are_not_proven_to_change() {
    let next = "%next = arith.addi %i, %c1 : i32";
    for go in ["%go = cube.plane_vote any %p", "%go = cube.plane_elect", "%go = arith.cmpi ne, %at, %n : i32"] {
        assert!(!case("i32", "%n", go, next), "{go}");
    }
}
