//! Tests of the bounds that the launcher computes.
use super::{inspect, operation, value};
use crate::analysis::launch_bounds::{Inside, LaunchBounds};
use cube_dialect::{access_of, ops::Kernel};

const HEAD: &str = "cube.kernel @k(%n: i32 {cube.host = \"u32\"}, %m: i32 {cube.host = \"u32\"}, %s: i32, \
    %d: i32 {cube.derived = \"shape(x, 0)\"}, %x: !cube.array<i32>) cube_dim(64, 2, 1) {\n\
    %zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n%c3 = arith.constant 3 : i32\n\
    %c10 = arith.constant 10 : i32\n%c100 = arith.constant 100 : i32\n%unit = cube.topology unit_pos\n\
    %pos = cube.topology absolute_pos\n%x_pos = cube.topology absolute_pos_x\n%cube = cube.topology cube_pos_y\n";

/// The bound of `%v` for the operation `%at`. `text` contains both.
fn bound_at(text: &str, end: &str) -> Option<String> {
    let mut found = None;
    let text = format!("{HEAD}{text}\n%at = arith.addi %v, %v : i32\n{end}cube.return\n}}");
    inspect(&text, |k| {
        let kernel = Kernel::of(k).expect("a kernel");
        let at = operation(k, "at");
        found = LaunchBounds::at(kernel, at).bound(at.operand(0)).map(|bound| bound.text);
    });
    found
}

fn bound(text: &str) -> Option<String> {
    bound_at(text, "")
}

fn of(text: &str) -> String {
    bound(text).unwrap_or_else(|| panic!("{text} has no bound"))
}

#[test]
fn positions_are_bounded_by_the_number_of_cubes() {
    assert_eq!(of("%v = arith.addi %x_pos, %zero : i32"), "sub(mul(64, cubes(0)), 1)");
    assert_eq!(of("%v = arith.muli %cube, %c3 : i32"), "mul(sub(cubes(1), 1), 3)");
    assert_eq!(of("%v = arith.addi %unit, %c3 : i32"), "130");
    // The product of three numbers of cubes can exceed 64 bits.
    let all = "sub(mul(min(mul(min(mul(128, cubes(0)), 4294967296), cubes(1)), 4294967296), cubes(2)), 1)";
    assert_eq!(of("%v = arith.addi %pos, %zero : i32"), all);
}

#[test]
fn all_cubes_can_be_along_one_axis() {
    let bound = |counts: &str| {
        let text = format!(
            "cube.kernel @k() cube_dim(64) attributes {{cube.cube_count = [{counts}]}} {{\n\
             %x_pos = cube.topology absolute_pos_x\n%at = arith.addi %x_pos, %x_pos : i32\ncube.return\n}}"
        );
        let mut found = None;
        inspect(&text, |k| {
            let at = operation(k, "at");
            let kernel = Kernel::of(k).expect("a kernel");
            found = LaunchBounds::at(kernel, at).bound(at.operand(0)).map(|bound| bound.text);
        });
        found.expect("a bound")
    };
    assert_eq!(bound("\"ceildiv(cubes(0), 4)\", \"cubes(1)\", \"cubes(2)\""), "sub(mul(64, cubes(0)), 1)");
    let all = "sub(mul(min(mul(min(mul(64, cubes(0)), 4294967296), cubes(1)), 4294967296), cubes(2)), 1)";
    assert_eq!(bound("\"mul(mul(cubes(0), cubes(1)), cubes(2))\", \"1\", \"1\""), all);
}

#[test]
fn numbers_of_the_launch_are_their_own_bound() {
    assert_eq!(of("%v = arith.addi %n, %c3 : i32"), "rem(add(n, 3), 4294967296)");
    // The slot of a signed number is sign-extended, and the slot of a computed number is not.
    assert_eq!(of("%v = arith.addi %unit, %s : i32"), "add(127, rem(s, 4294967296))");
    assert_eq!(of("%v = arith.addi %unit, %d : i32"), "add(127, shape(x, 0))");
    assert_eq!(of("%l = cube.len %x : !cube.array<i32>\n%v = arith.addi %unit, %l : i32"), "add(127, buffer_len(x))");
}

#[test]
fn each_operation_has_the_bound_of_its_exact_result() {
    let row = "%row = cube.divui %x_pos, %n : i32\n";
    let position = "sub(mul(64, cubes(0)), 1)";
    assert_eq!(
        of(&format!("{row}%v = arith.muli %row, %m : i32")),
        format!("mul(min(div({position}, n), 4294967295), m)")
    );
    assert_eq!(of("%v = cube.remui %x_pos, %n : i32"), "sub(max(n, 1), 1)");
    assert_eq!(
        of("%c = cube.remui %x_pos, %unit : i32\n%v = arith.addi %c, %zero : i32"),
        format!("min({position}, 126)")
    );
    assert_eq!(of("%v = cube.shrui %x_pos, %c3 : i32"), format!("div({position}, 8)"));
    assert_eq!(of("%v = cube.shl %x_pos, %c3 : i32"), format!("mul({position}, 8)"));
    assert_eq!(of("%v = arith.minui %x_pos, %c10 : i32"), format!("min({position}, 10)"));
    assert_eq!(of("%v = arith.maxui %x_pos, %c10 : i32"), format!("max({position}, 10)"));
    assert_eq!(of("%v = arith.ori %x_pos, %unit : i32"), format!("add({position}, 127)"));
    assert_eq!(of("%v = cube.subui_sat %x_pos, %n : i32"), position);
    assert_eq!(of("%c = arith.cmpi ult, %pos, %n : i32\n%v = arith.select %c, %unit, %n : i32"), "max(127, n)");
    // A product of a third factor could exceed 64 bits, so the first product is limited.
    let three = "%p = arith.muli %x_pos, %n : i32\n%v = arith.muli %p, %m : i32";
    assert_eq!(of(three), format!("mul(min(mul(min({position}, 4294967295), n), 4294967295), m)"));
}

#[test]
fn a_quotient_that_is_rounded_up_is_at_most_the_dividend() {
    let text = |divisor: &str, word: &str| {
        format!(
            "%q = cube.divui %c100, {divisor} : i32\n%r = cube.remui %c100, {divisor} : i32\n\
             %some = arith.cmpi {word}, %r, %zero : i32\n%rest = arith.extui %some : i1 to i32\n%v = arith.addi %q, %rest : i32"
        )
    };
    assert_eq!((of(&text("%unit", "ne")), of(&text("%unit", "eq"))), ("100".into(), "101".into()));
}

#[test]
fn conditions_around_an_operation_bound_it() {
    let inside = |condition: &str| {
        let text = format!(
            "%i = cube.load %x[%zero] inbounds : !cube.array<i32> -> i32\n%c = arith.cmpi {condition} : i32\n\
             scf.if %c {{\n%v = arith.addi %i, %zero : i32"
        );
        bound_at(&text, "}\n")
    };
    assert_eq!(inside("ult, %i, %n").as_deref(), Some("sub(n, 1)"));
    assert_eq!(inside("ule, %i, %n").as_deref(), Some("n"));
    assert_eq!(inside("ugt, %n, %i").as_deref(), Some("sub(n, 1)"));
    // The launcher knows the number, and the condition has a constant.
    let known = "%c = arith.cmpi ult, %n, %c10 : i32\nscf.if %c {\n%v = arith.addi %n, %unit : i32";
    assert_eq!(bound_at(known, "}\n").as_deref(), Some("add(min(n, 9), 127)"));
    assert_eq!((inside("slt, %i, %n"), inside("ugt, %i, %n"), inside("ne, %i, %n")), (None, None, None));
}

#[test]
fn numbers_without_a_bound_stop_the_query_at_their_operation() {
    for (text, name) in [
        ("%i = cube.load %x[%zero] inbounds : !cube.array<i32> -> i32\n%v = arith.addi %i, %unit : i32", "i"),
        ("%i = arith.subi %unit, %n : i32\n%v = arith.addi %i, %unit : i32", "i"),
        ("%i = cube.divsi %pos, %unit : i32\n%v = arith.muli %i, %unit : i32", "i"),
        ("%i = cube.shl %unit, %n : i32\n%v = arith.muli %i, %unit : i32", "i"),
    ] {
        let text = format!("{HEAD}{text}\n%at = arith.addi %v, %v : i32\ncube.return\n}}");
        inspect(&text, |k| {
            let at = operation(k, "at");
            let mut bounds = LaunchBounds::at(Kernel::of(k).expect("a kernel"), at);
            assert_eq!(bounds.bound(at.operand(0)), None, "{text}");
            assert_eq!(bounds.unbounded(), Some(value(k, name)), "{text}");
        });
    }
}

#[test]
fn a_difference_is_bounded_if_it_does_not_wrap() {
    let c200 = "%c200 = arith.constant 200 : i32\n%v = arith.subi %c200, %unit : i32";
    assert_eq!((bound(c200).as_deref(), bound("%v = arith.subi %c100, %unit : i32")), (Some("200"), None));
    let inside = |x: &str, y: &str, condition: &str| {
        let text = format!(
            "%sum = arith.addi %unit, %c10 : i32\n%wide = arith.addi %unit, %x_pos : i32\n\
             %c = arith.cmpi {condition} : i32\nscf.if %c {{\n%v = arith.subi {x}, {y} : i32"
        );
        bound_at(&text, "}\n")
    };
    assert_eq!(inside("%x_pos", "%n", "ule, %n, %x_pos").as_deref(), Some("sub(mul(64, cubes(0)), 1)"));
    assert_eq!(inside("%sum", "%n", "uge, %unit, %n").as_deref(), Some("137"));
    assert_eq!(inside("%sum", "%one", "ne, %unit, %zero").as_deref(), Some("137"));
    // The second sum can wrap, so it can be below its summands.
    assert_eq!((inside("%wide", "%n", "uge, %unit, %n"), inside("%sum", "%n", "uge, %n, %unit")), (None, None));
}

#[test]
fn loops_bound_the_numbers_that_they_count_and_carry() {
    let counter = "scf.for unsigned %i = %n to %m step %c3 : i32 {\n%v = arith.addi %i, %zero : i32";
    assert_eq!(bound_at(counter, "}\n").as_deref(), Some("sub(m, 1)"));
    let carried = |next: &str| {
        let text = format!(
            "%r = scf.for unsigned %i = %zero to %m step %one iter_args(%a = %unit) -> (i32) : i32 {{\n\
             %v = arith.addi %a, %zero : i32\n%at = arith.addi %v, %v : i32\n{next}\nscf.yield %b : i32\n}}\n"
        );
        let mut found = None;
        inspect(&format!("{HEAD}{text}cube.return\n}}"), |k| {
            let at = operation(k, "at");
            found = LaunchBounds::at(Kernel::of(k).expect("a kernel"), at).bound(at.operand(0)).map(|bound| bound.text);
        });
        found
    };
    for next in ["cube.shrui %a, %one", "cube.divui %a, %n", "arith.minui %n, %a", "cube.subui_sat %a, %n"] {
        assert_eq!(carried(&format!("%b = {next} : i32")).as_deref(), Some("127"), "{next}");
    }
    for next in ["arith.addi %a, %one", "arith.subi %a, %one", "arith.maxui %a, %n", "cube.divui %n, %a"] {
        assert_eq!(carried(&format!("%b = {next} : i32")), None, "{next}");
    }
    // `c - x` is at most `c` for each `x` up to `c`. A first number of 127 is above 100.
    let c200 = "%c200 = arith.constant 200 : i32\n%b = arith.subi %c200, %a : i32";
    assert_eq!((carried(c200).as_deref(), carried("%b = arith.subi %c100, %a : i32")), (Some("200"), None));
}

#[test]
fn the_condition_of_an_access_compares_its_bound_with_the_length() {
    let inside = |text: &str| {
        let mut found = None;
        let text = format!("{HEAD}%tile = cube.alloc : !cube.shared<128 x i32>\n{text}\ncube.return\n}}");
        inspect(&text, |k| {
            let access = access_of(operation(k, "v")).expect("an access");
            found = LaunchBounds::at(Kernel::of(k).expect("a kernel"), access.op).inside(&access);
        });
        found
    };
    let global = "%v = cube.load %x[%x_pos] checked : !cube.array<i32> -> i32";
    let expected = "lt(sub(mul(64, cubes(0)), 1), buffer_len(x))";
    assert_eq!(inside(global), Some(Inside::If(expected.into())));
    let shared =
        |index: &str| inside(&format!("%v = cube.load %tile[{index}] checked : !cube.shared<128 x i32> -> i32"));
    assert_eq!(shared("%unit"), Some(Inside::Always));
    assert_eq!(shared("%x_pos"), Some(Inside::If("lt(sub(mul(64, cubes(0)), 1), 128)".into())));
    let beyond = "%i = arith.addi %unit, %one : i32\n%v = cube.load %tile[%i] checked : !cube.shared<128 x i32> -> i32";
    assert_eq!(inside(beyond), None);
}

#[test]
fn long_expressions_are_refused() {
    // Each number uses the previous number twice.
    let chain = |count: usize| {
        let sums = (1..count).map(|i| format!("%s{i} = arith.muli %s{}, %s{} : i32\n", i - 1, i - 1));
        format!(
            "%s0 = arith.addi %x_pos, %n : i32\n{}%v = arith.addi %s{}, %zero : i32",
            sums.collect::<String>(),
            count - 1
        )
    };
    assert!(bound(&chain(3)).is_some());
    assert_eq!(bound(&chain(7)), None);
}
