//! Tests of the expressions that the runtime evaluates.
use super::{inspect, value};
use crate::analysis::launch::{argument, as_number, expression_of};
use cube_dialect::ops::Kernel;

/// The expression of the value `v` of a kernel with the arguments n and m of 32 bits, w of 64 bits, and d, which the
/// launcher computes.
fn expression(text: &str) -> Option<String> {
    let mut found = None;
    let text = format!(
        "cube.kernel @k(%n: i32, %m: i32, %w: i64, %d: i32 {{cube.derived = \"shape(x, 0)\"}}, %x: !cube.array<i32>, %b: i8) {{\n\
         %c4 = arith.constant 4 : i32\n%c33 = arith.constant 33 : i32\n%minus = arith.constant -1 : i32\n{text}\ncube.return\n}}"
    );
    inspect(&text, |k| found = expression_of(Kernel::of(k).expect("a kernel"), value(k, "v")));
    found
}

#[test]
fn expressions_have_the_value_of_the_operation() {
    let of = |text: &str| expression(text).unwrap_or_else(|| panic!("{text} has no expression"));
    assert_eq!(of("%v = arith.addi %n, %m : i32"), "add(n, m)");
    assert_eq!(of("%v = arith.subi %n, %c4 : i32"), "sub(n, 4)");
    assert_eq!(of("%v = arith.muli %n, %minus : i32"), "mul(n, 4294967295)");
    assert_eq!(of("%v = arith.trunci %w : i64 to i32"), "w");
    assert_eq!(of("%v = arith.addi %d, %n : i32"), "add(shape(x, 0), n)");
    assert_eq!(of("%v = cube.shl %n, %c4 : i32"), "shl(n, 4)");
    // A shift amount is taken modulo the width.
    assert_eq!(of("%v = cube.shl %n, %c33 : i32"), "shl(n, 1)");
    assert_eq!(of("%v = arith.addi %c4, %c33 : i32"), "37");
}

#[test]
fn operands_that_depend_on_high_bits_are_cut_to_their_width() {
    let of = |text: &str| expression(text).unwrap_or_else(|| panic!("{text} has no expression"));
    assert_eq!(of("%v = cube.divui %n, %c4 : i32"), "div(rem(n, 4294967296), 4)");
    assert_eq!(of("%v = cube.remui %n, %m : i32"), "rem(rem(n, 4294967296), rem(m, 4294967296))");
    assert_eq!(of("%v = cube.shrui %n, %c33 : i32"), "shr(rem(n, 4294967296), 1)");
    assert_eq!(of("%v = arith.extui %n : i32 to i64"), "rem(n, 4294967296)");
    assert_eq!(of("%v = arith.minui %n, %m : i32"), "min(rem(n, 4294967296), rem(m, 4294967296))");
    assert_eq!(of("%four = arith.constant 4 : i64\n%v = cube.divui %w, %four : i64"), "div(w, 4)");
    assert_eq!(as_number("rem(n, 4294967296)", false), "rem(n, 4294967296)");
    assert_eq!((as_number("7", false), as_number("n", true)), ("7".into(), "n".into()));
}

#[test]
fn the_kernel_computes_all_other_values() {
    for text in [
        "%v = cube.topology unit_pos",
        "%at = arith.constant 0 : i32\n%v = cube.load %x[%at] checked : !cube.array<i32> -> i32",
        "%v = arith.addi %b, %b : i8",
        "%v = vector.broadcast %n : i32 to vector<4xi32>",
        "%v = cube.divsi %n, %m : i32",
        "%v = cube.shl %n, %m : i32",
    ] {
        assert_eq!(expression(text), None, "{text}");
    }
    // Each value uses the previous value twice, so each value doubles the length of the expression.
    let chain = |count: usize| {
        let sums = (1..count).map(|i| format!("%s{i} = arith.addi %s{}, %s{} : i32\n", i - 1, i - 1));
        let head = "%s0 = arith.addi %n, %m : i32\n".to_string();
        format!("{head}{}%v = arith.addi %s{}, %s{} : i32", sums.collect::<String>(), count - 1, count - 1)
    };
    assert!(expression(&chain(2)).is_some());
    assert_eq!(expression(&chain(6)), None);
}

#[test]
fn arguments_have_numbers_and_loop_counters_do_not() {
    let text = "cube.kernel @k(%n: i32, %m: i32) {\n%v = arith.addi %m, %n : i32\n\
        scf.for %i = %n to %m step %n : i32 {\n%w = arith.addi %i, %n : i32\n}\ncube.return\n}";
    inspect(text, |k| {
        let kernel = Kernel::of(k).expect("a kernel");
        assert_eq!(argument(kernel, value(k, "v").def().unwrap().operand(0)), Some(1));
        assert_eq!(argument(kernel, value(k, "w").def().unwrap().operand(0)), None);
        assert_eq!(argument(kernel, value(k, "v")), None);
    });
}
