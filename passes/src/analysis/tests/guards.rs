//! Tests of the comparisons that are true inside of branches and loops.
use super::{inspect, operation, value};
use crate::analysis::guards::Guards;

/// Whether the analysis proves `%x < %n` and `%n != 0` at `%at`, which is inside a branch on `condition`.
fn at(condition: &str, other: bool) -> (bool, bool) {
    let mut found = (false, false);
    let (yes, no) = if other { ("", "} else {\n") } else { ("} else {\n", "") };
    let text = format!(
        "cube.kernel @k(%a: i32, %b: i32, %c: i1) {{\n%zero = arith.constant 0 : i32\n%x = arith.addi %a, %a : i32\n\
         %n = arith.addi %b, %b : i32\n%w = arith.addi %a, %b : i32\n%row = cube.divui %x, %w : i32\n\
         %m = arith.muli %n, %w : i32\n%true = arith.constant true\n{condition}\nscf.if %t {{\n{no}\
         %at = arith.muli %x, %n : i32\n{yes}}}\ncube.return\n}}"
    );
    inspect(&text, |k| {
        let guards = Guards::at(operation(k, "at"));
        let (x, n, row) = (value(k, "x"), value(k, "n"), value(k, "row"));
        found = (guards.is_less(x, n) || guards.is_less(row, n), guards.is_nonzero(n));
    });
    found
}

#[test]
fn comparisons_hold_only_in_their_branch() {
    assert_eq!(at("%t = arith.cmpi ult, %x, %n : i32", false), (true, true));
    assert_eq!(at("%t = arith.cmpi ult, %x, %n : i32", true), (false, false));
    assert_eq!(at("%t = arith.cmpi ule, %n, %x : i32", true), (true, true));
    assert_eq!(at("%t = arith.cmpi ule, %x, %n : i32", false), (false, false));
    assert_eq!(at("%t = arith.cmpi slt, %x, %n : i32", false), (false, false));
    assert_eq!(at("%t = arith.cmpi ne, %zero, %n : i32", false), (false, true));
    assert_eq!(at("%t = arith.cmpi eq, %n, %zero : i32", true), (false, true));
    let both = "%u = arith.cmpi ult, %x, %n : i32\n%t = ";
    assert_eq!(at(&format!("{both}arith.andi %c, %u : i1"), false), (true, true));
    assert_eq!(at(&format!("{both}arith.ori %c, %u : i1"), false), (false, false));
    // If a disjunction is false, both of its operands are false.
    assert_eq!(at(&format!("{both}arith.ori %c, %u : i1"), true), (false, false));
    let neither = "%u = arith.cmpi uge, %x, %n : i32\n%t = arith.ori %c, %u : i1";
    assert_eq!((at(neither, true), at(neither, false)), ((true, true), (false, false)));
    assert_eq!(at("%u = arith.cmpi uge, %x, %n : i32\n%t = arith.andi %c, %u : i1", true), (false, false));
    assert_eq!(at(&format!("{both}arith.xori %u, %true : i1"), true), (true, true));
    assert_eq!(at(&format!("{both}arith.xori %u, %true : i1"), false), (false, false));
}

#[test]
fn a_number_is_nonzero_by_its_constant_or_by_a_maximum_with_a_positive_one() {
    let text = "cube.kernel @k(%a: i32) {\n%zero = arith.constant 0 : i32\n%five = arith.constant 5 : i32\n\
        %minus = arith.constant -1 : i32\n%atleast = arith.maxui %a, %five : i32\n%large = arith.maxui %minus, %a : i32\n\
        %any = arith.maxui %a, %zero : i32\n%signed = arith.maxsi %a, %five : i32\n%least = arith.minui %a, %five : i32\n\
        %at = arith.addi %a, %a : i32\ncube.return\n}";
    inspect(text, |k| {
        let guards = Guards::at(operation(k, "at"));
        for (name, expected) in [
            ("zero", false),
            ("five", true),
            ("minus", true),
            ("atleast", true),
            ("large", true),
            ("any", false),
            ("signed", false),
            ("least", false),
            ("at", false),
        ] {
            assert_eq!(guards.is_nonzero(value(k, name)), expected, "%{name}");
        }
    });
}

#[test]
fn a_product_bounds_the_quotient() {
    // If %x is below %n * %w, the row is below %n.
    assert_eq!(at("%t = arith.cmpi ult, %x, %m : i32", false), (true, false));
    assert_eq!(at("%t = arith.cmpi ule, %x, %m : i32", false), (false, false));
}

#[test]
fn counters_of_loops_are_below_their_end() {
    let found = |kind: &str, from: &str, step: &str| {
        let mut found = false;
        let text = format!(
            "cube.kernel @k(%a: i32) {{\n%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n\
             %minus = arith.constant -1 : i32\n%two = arith.constant 2 : i32\n\
             %n = arith.addi %a, %a : i32\nscf.for {kind}%i = %{from} to %n step %{step} : i32 {{\n\
             %at = arith.muli %i, %n : i32\n}}\ncube.return\n}}"
        );
        inspect(&text, |k| {
            let at = operation(k, "at");
            found = Guards::at(at).is_less(at.operand(0), at.operand(1));
        });
        found
    };
    assert!(found("unsigned ", "a", "a") && found("", "zero", "one"));
    // A signed counter can be negative, and with a step above 1 it can wrap to a negative number.
    assert!(!found("", "minus", "one") && !found("", "a", "one") && !found("", "zero", "two"));
}

#[test]
fn a_number_above_another_is_not_the_zero_of_a_select() {
    let found = |arms: &str, condition: &str| {
        let mut found = false;
        let text = format!(
            "cube.kernel @k(%a: i32, %b: i32) {{\n%zero = arith.constant 0 : i32\n\
             %x = arith.addi %a, %a : i32\n%n = arith.addi %b, %b : i32\n%c = arith.cmpi {condition}, %x, %n : i32\n\
             %len = arith.select %c, {arms} : i32\nscf.for unsigned %i = %a to %len step %b : i32 {{\n\
             %at = arith.muli %x, %n : i32\n}}\ncube.return\n}}"
        );
        inspect(&text, |k| found = Guards::at(operation(k, "at")).is_less(value(k, "x"), value(k, "n")));
        found
    };
    assert!(found("%b, %zero", "ult") && found("%zero, %b", "uge"));
    assert!(!found("%b, %zero", "uge") && !found("%zero, %b", "ult") && !found("%b, %a", "ult"));
}

#[test]
fn limits_and_maxima_are_those_of_the_conditions() {
    let found = |condition: &str, other: bool| {
        let mut found = (0, 0);
        let (yes, no) = if other { ("", "} else {\n") } else { ("} else {\n", "") };
        let text = format!(
            "cube.kernel @k(%a: i32, %b: i32) {{\n%x = arith.addi %a, %a : i32\n%n = arith.addi %b, %b : i32\n\
             %c = arith.cmpi {condition} : i32\nscf.if %c {{\n{no}%at = arith.muli %x, %n : i32\n{yes}}}\ncube.return\n}}"
        );
        inspect(&text, |k| {
            let (guards, n) = (Guards::at(operation(k, "at")), value(k, "n"));
            let count = |all: Vec<_>| all.into_iter().filter(|limit| *limit == n).count();
            found =
                (count(guards.limits_of(value(k, "x")).collect()), count(guards.maxima_of(value(k, "x")).collect()));
        });
        found
    };
    assert_eq!((found("ult, %x, %n", false), found("ult, %x, %n", true)), ((1, 0), (0, 0)));
    assert_eq!((found("ule, %x, %n", false), found("ule, %x, %n", true)), ((0, 1), (0, 0)));
    assert_eq!((found("ugt, %x, %n", false), found("ugt, %x, %n", true)), ((0, 0), (0, 1)));
    assert_eq!((found("ult, %n, %x", true), found("sle, %x, %n", false)), ((0, 1), (0, 0)));
}
