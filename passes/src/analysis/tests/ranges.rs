//! Tests of ranges: upper bounds of 32-bit numbers, which are exact if the structure of the kernel determines
//! the largest value.
use super::{inspect, operation, value};
use crate::analysis::ranges::{below_size, largest};

const ANY: u64 = u32::MAX as u64;

/// The upper bound of `%r` in a kernel with a cube dim of 32 by 4 by 2.
fn of(ops: &str) -> u64 {
    let text = format!(
        "cube.kernel @k(%n: i32, %p: i1, %h: i8, %x: !cube.array<i32>) cube_dim(32, 4, 2) {{\n\
         %c5 = arith.constant 5 : i32\n%c8 = arith.constant 8 : i32\n%zero = arith.constant 0 : i32\n\
         %m1 = arith.constant -1 : i32\n%u = cube.topology unit_pos\n%ux = cube.topology unit_pos_x\n{ops}\ncube.return\n}}"
    );
    let mut found = 0;
    inspect(&text, |k| found = largest(value(k, "r")));
    found
}

#[test]
fn positions_are_below_the_sizes_of_the_cube() {
    for (name, most) in [
        ("unit_pos", 255),
        ("plane_pos", 255),
        ("unit_pos_x", 31),
        ("unit_pos_y", 3),
        ("unit_pos_z", 1),
        ("cube_dim", 256),
        ("cube_dim_x", 32),
        ("cube_dim_y", 4),
        ("cube_dim_z", 2),
        ("plane_dim", 128),
        ("unit_pos_plane", 127),
        ("cube_pos", ANY),
        ("cube_count_x", ANY),
        ("absolute_pos_x", ANY),
    ] {
        assert_eq!(of(&format!("%r = cube.topology {name}")), most, "{name}");
    }
}

#[test]
fn a_cube_without_a_size_has_one_unit() {
    inspect("cube.kernel @k() {\n%r = cube.topology unit_pos_x\ncube.return\n}", |k| {
        assert_eq!(largest(value(k, "r")), 0);
    });
}

#[test]
fn ranges_of_arithmetic_are_exact_without_possible_overflow() {
    for (op, most) in [
        ("arith.addi %u, %c5", 260),
        ("arith.addi %u, %m1", ANY),
        ("arith.addi %u, %n", ANY),
        ("arith.muli %u, %c8", 2040),
        ("arith.muli %u, %m1", ANY),
        // 8 - x wraps for x above 8.
        ("arith.subi %c8, %c5", 3),
        ("arith.subi %c8, %ux", ANY),
        ("arith.subi %u, %c5", ANY),
        ("arith.andi %u, %n", 255),
        ("arith.andi %n, %c5", 5),
        ("arith.ori %ux, %c8", 31),
        ("arith.xori %u, %c5", 255),
        ("arith.xori %u, %n", ANY),
        ("arith.minui %n, %u", 255),
        ("arith.maxui %c8, %ux", 31),
        ("arith.maxui %c8, %n", ANY),
        ("cube.subui_sat %u, %n", 255),
    ] {
        assert_eq!(of(&format!("%r = {op} : i32")), most, "{op}");
    }
}

#[test]
fn division_by_the_unknown_keeps_the_dividend() {
    for (op, most) in [
        ("cube.divui %u, %c8", 31),
        ("cube.divui %n, %c8", ANY / 8),
        ("cube.divui %u, %n", 255),
        ("cube.divui %u, %zero", 255),
        ("cube.remui %n, %c8", 7),
        ("cube.remui %c5, %c8", 5),
        ("cube.remui %u, %n", 255),
        ("cube.remui %n, %ux", 30),
        ("cube.shrui %u, %c5", 7),
        ("cube.shrui %n, %c5", ANY >> 5),
        ("cube.shrui %u, %n", 255),
    ] {
        assert_eq!(of(&format!("%r = {op} : i32")), most, "{op}");
    }
}

#[test]
fn select_range_covers_both_values() {
    assert_eq!(of("%r = arith.select %p, %ux, %c8 : i32"), 31);
    assert_eq!(of("%r = arith.select %p, %ux, %n : i32"), ANY);
    assert_eq!(of("%r = arith.extui %h : i8 to i32"), 255);
    assert_eq!(of("%r = arith.extui %p : i1 to i32"), 1);
    assert_eq!(of("%r = arith.extsi %h : i8 to i32"), ANY);
}

#[test]
fn loads_and_unknown_operations_have_the_full_range() {
    assert_eq!(of("%r = cube.load %x[%c5] : !cube.array<i32> -> i32"), ANY);
    assert_eq!(of("%r = cube.plane_reduce addi %c5 : i32"), ANY);
    assert_eq!(of("%r = cube.len %x : !cube.array<i32>"), ANY);
    assert_eq!(of("%s = cube.alloc : !cube.shared<20 x i32>\n%r = cube.len %s : !cube.shared<20 x i32>"), 20);
    assert_eq!(of("%w = arith.constant 7 : i64\n%r = arith.addi %w, %w : i64"), ANY);
}

/// The upper bound of the counter of a loop whose text begins with `head`.
fn counter(head: &str) -> u64 {
    let text = format!(
        "cube.kernel @k(%n: i32) cube_dim(32) {{\n%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n\
         %m1 = arith.constant -1 : i32\n%ten = arith.constant 10 : i32\n%far = arith.constant 2147483647 : i32\n\
         %u = cube.topology unit_pos\nscf.for {head} : i32 {{\n}} loc(\"loop\")\ncube.return\n}}"
    );
    let mut found = 0;
    inspect(&text, |k| found = largest(operation(k, "loop").body().expect("a body").arg(0)));
    found
}

#[test]
fn a_counter_stays_below_its_bound() {
    assert_eq!(counter("unsigned %i = %zero to %ten step %one"), 9);
    assert_eq!(counter("unsigned %i = %n to %ten step %n"), 9);
    assert_eq!(counter("unsigned %i = %zero to %n step %one"), ANY);
    assert_eq!(counter("%i = %zero to %ten step %one"), 9);
    assert_eq!(counter("%i = %one to %u step %one"), 30);
    // A loop counter does not wrap: the loop ends if the next step would exceed the largest number of the type.
    assert_eq!(counter("%i = %one to %ten step %far"), 9);
    assert_eq!(counter("unsigned %i = %one to %ten step %far"), 9);
    assert_eq!(counter("%i = %zero to %far step %one"), i32::MAX as u64 - 1);
    assert_eq!(counter("%i = %zero to %ten step %n"), 9);
    // A counter with a negative first value or a possibly negative bound can be a large unsigned number.
    assert_eq!(counter("%i = %m1 to %ten step %one"), ANY);
    assert_eq!(counter("%i = %n to %ten step %one"), ANY);
    assert_eq!(counter("%i = %zero to %n step %one"), ANY);
}

#[test]
fn an_index_below_the_size_of_its_buffer_needs_no_check() {
    let text = "cube.kernel @k(%x: !cube.array<i32>) cube_dim(32) {\n%s = cube.alloc : !cube.shared<32 x i32>\n\
        %t = cube.alloc : !cube.shared<31 x i32>\n%u = cube.topology unit_pos\ncube.return\n}";
    inspect(text, |k| {
        let [s, t, u] = ["s", "t", "u"].map(|name| value(k, name));
        let x = k.body().expect("a body").arg(0);
        assert_eq!([s, t, x].map(|buffer| below_size(buffer, u)), [true, false, false]);
    });
}

#[test]
fn operations_without_a_rule_have_no_bound() {
    for text in [
        "cube.addui_sat %c5, %ux : i32",
        "cube.addsi_sat %c5, %ux : i32",
        "cube.subsi_sat %ux, %c5 : i32",
        "cube.shl %ux, %c5 : i32",
        "cube.shrsi %ux, %c5 : i32",
        "cube.divsi %ux, %c5 : i32",
        "cube.remsi %ux, %c5 : i32",
        "cube.reverse_bits %ux : i32",
        "cube.atomic_rmw addi %c5, %x[%c5] : i32, !cube.array<i32>",
        "cube.atomic_load %x[%c5] : !cube.array<i32> -> i32",
        "cube.plane_broadcast %ux, %c5 : i32",
        "cube.buffer_len %x : !cube.array<i32>",
        "arith.minsi %ux, %c5 : i32",
        "arith.maxsi %ux, %c5 : i32",
        "arith.shli %ux, %c5 : i32",
    ] {
        assert_eq!(of(&format!("%r = {text}")), ANY, "{text}");
    }
    // The upper bounds of lines and of branch results are unknown.
    assert_eq!(
        of(
            "%line = vector.broadcast %ux : i32 to vector<4xi32>\n%r = cube.extract %line[%zero] : vector<4xi32> -> i32"
        ),
        ANY
    );
    let branch = "%b = scf.if %p -> (i32) {\nscf.yield %ux : i32\n} else {\nscf.yield %c5 : i32\n}\n%r = arith.addi %b, %zero : i32";
    assert_eq!(of(branch), ANY);
}

#[test]
fn length_of_allocated_memory_is_known() {
    let shared = "%s = cube.alloc : !cube.shared<20 x i32>\n%r = cube.buffer_len %s : !cube.shared<20 x i32>";
    assert_eq!(of(shared), 20);
    assert_eq!(of(&shared.replace("shared", "local").replace("buffer_len", "len")), 20);
}

#[test]
fn a_long_chain_ends_the_search() {
    let chain = |length: usize| {
        let next = |k: usize| format!("%v{} = arith.maxui %v{k}, %v{k} : i32\n", k + 1);
        let links: String = (0..length).map(next).collect();
        format!("%v0 = arith.maxui %ux, %c5 : i32\n{links}%r = arith.maxui %v{length}, %zero : i32")
    };
    // Each operation uses its operand twice.
    assert_eq!(of(&chain(4)), 31);
    assert_eq!(of(&chain(20)), ANY);
}
