//! Tests of the comparison of addresses: two accesses to `%s`, at the indices `%i` and `%j`.
use super::{inspect, operation};
use crate::analysis::uniformity::Uniformity;
use crate::analysis::unit_addresses::UnitAddresses;
use cube_dialect::access_of;

/// Whether a store at `%i` and a load at `%j` by different units can overlap.
fn overlap_in(dim: &str, ops: &str, ty: &str) -> bool {
    let value = if ty == "i32" { "%n" } else { "%pair" };
    let bounds = if ty == "i32" { "checked" } else { "inbounds {align = 4 : i32}" };
    let text = format!(
        "cube.kernel @k(%x: !cube.array<i32>, %n: i32, %m: i32, %far: i64) {dim} {{\n\
         %u = cube.topology unit_pos\n%one = arith.constant 1 : i32\n%two = arith.constant 2 : i32\n\
         %pair = vector.broadcast %n : i32 to vector<2xi32>\n%s = cube.alloc : !cube.shared<512 x i32>\n{ops}\n\
         cube.store {value}, %s[%i] {bounds} : {ty}, !cube.shared<512 x i32> loc(\"store\")\n\
         %v = cube.load %s[%j] {bounds} : !cube.shared<512 x i32> -> {ty} loc(\"load\")\ncube.return\n}}"
    );
    let mut found = true;
    inspect(&text, |kernel| {
        let uniformity = Uniformity::of(kernel);
        let [store, load] = ["store", "load"].map(|name| access_of(operation(kernel, name)).expect("an access"));
        let mut addresses = UnitAddresses::of(kernel, &uniformity);
        found = addresses.overlap(store, load);
        assert_eq!(found, addresses.overlap(load, store), "{ops}");
    });
    found
}

fn overlap(ops: &str) -> bool {
    overlap_in("cube_dim(64)", ops, "i32")
}

const SAME: &str = "%j = arith.addi %i, %n : i32\n%k = arith.subi %j, %n : i32";

#[test]
fn lines_of_the_unit_are_apart() {
    assert!(!overlap("%i = arith.addi %u, %one : i32\n%j = arith.addi %one, %u : i32"));
    assert!(!overlap("%i = arith.muli %u, %two : i32\n%j = cube.shl %u, %one : i32"));
    assert!(!overlap("%i = arith.addi %u, %n : i32\n%j = arith.addi %n, %u : i32"));
    assert!(!overlap("%x0 = cube.topology unit_pos_x\n%i = arith.addi %x0, %n : i32\n%j = arith.addi %u, %n : i32"));
    assert!(overlap("%i = arith.addi %u, %one : i32\n%j = arith.addi %u, %two : i32"));
    assert!(overlap("%i = arith.addi %n, %one : i32\n%j = arith.addi %n, %one : i32"));
    assert!(overlap(&format!("%i = arith.addi %u, %one : i32\n{SAME}")));
}

#[test]
fn ranges_of_all_units_are_apart() {
    let far = "%c = arith.constant 64 : i32\n";
    assert!(!overlap(&format!("{far}%i = arith.addi %u, %c : i32\n%j = arith.subi %u, %c : i32")));
    let near = "%c = arith.constant 63 : i32\n%zero = arith.constant 0 : i32\n%i = arith.addi %u, %c : i32\n";
    assert!(overlap(&format!("{near}%j = arith.addi %u, %zero : i32")));
}

#[test]
fn wrapping_factor_makes_addresses_overlap() {
    // 2^27 * 32 is 2^32, so units 0 and 32 access one line.
    let wraps = "%c = arith.constant 134217728 : i32\n%i = arith.muli %u, %c : i32\n%j = arith.muli %c, %u : i32";
    assert!(overlap(wraps));
    assert!(!overlap_in("cube_dim(32)", wraps, "i32"));
    // A wide access at the largest index continues with line 0.
    let last = "%c = arith.constant -1 : i32\n%i = arith.muli %u, %c : i32\n%j = arith.muli %c, %u : i32";
    assert!(!overlap(last));
    assert!(overlap_in("cube_dim(64)", last, "vector<2xi32>"));
}

#[test]
fn wide_accesses_cover_the_next_lines() {
    let twice = "%i = arith.muli %u, %two : i32\n%j = arith.muli %two, %u : i32";
    assert!(!overlap_in("cube_dim(64)", twice, "vector<2xi32>"));
    assert!(overlap_in("cube_dim(64)", "%i = arith.addi %u, %n : i32\n%j = arith.addi %n, %u : i32", "vector<2xi32>"));
}

#[test]
fn units_of_several_axes_are_evaluated() {
    let flat = |width: u32| {
        format!(
            "%x0 = cube.topology unit_pos_x\n%y0 = cube.topology unit_pos_y\n%w = arith.constant {width} : i32\n\
             %r = arith.muli %y0, %w : i32\n%i = arith.addi %r, %x0 : i32\n%j = arith.addi %x0, %r : i32"
        )
    };
    assert!(!overlap_in("cube_dim(8, 4)", &flat(8), "i32"));
    assert!(!overlap_in("cube_dim(8, 4)", &flat(9), "i32"));
    assert!(overlap_in("cube_dim(8, 4)", &flat(7), "i32"));
    // A linear position in a launch of several axes depends on the number of cubes.
    let absolute = "%p = cube.topology absolute_pos\n%i = arith.addi %p, %one : i32\n%j = arith.addi %one, %p : i32";
    assert!(!overlap_in("cube_dim(32)", absolute, "i32"));
    assert!(overlap_in("cube_dim(8, 4)", absolute, "i32"));
    assert!(overlap("%p = cube.topology absolute_pos\n%i = arith.addi %p, %one : i32\n%j = arith.addi %one, %u : i32"));
}

#[test]
fn unknown_sizes_and_values_overlap() {
    let own = "%i = arith.addi %u, %one : i32\n%j = arith.addi %one, %u : i32";
    assert!(overlap_in("cube_dim(8192)", own, "i32"));
    assert!(!overlap_in("cube_dim(1)", "%i = arith.addi %n, %one : i32\n%j = arith.addi %m, %one : i32", "i32"));
    assert!(overlap("%i = arith.addi %u, %n : i32\n%j = arith.addi %u, %m : i32"));
    assert!(overlap("%i = arith.muli %u, %n : i32\n%j = arith.muli %n, %u : i32"));
    let read = "%z = cube.load %x[%u] checked : !cube.array<i32> -> i32\n";
    assert!(overlap(&format!("{read}%i = arith.addi %u, %z : i32\n%j = arith.addi %z, %u : i32")));
    let alike = "%z = cube.load %x[%n] checked : !cube.array<i32> -> i32\n";
    assert!(!overlap(&format!("{alike}%i = arith.addi %u, %z : i32\n%j = arith.addi %z, %u : i32")));
    let lane = "%z = cube.topology unit_pos_plane\n";
    assert!(overlap(&format!("{lane}%i = arith.addi %z, %one : i32\n%j = arith.addi %one, %z : i32")));
}
