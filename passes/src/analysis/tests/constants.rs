//! Tests of constant evaluation: operations with a known result, widths, and unknown values.
use super::{inspect, value};
use crate::analysis::constants::{int_of, int_with};
use cube_ir::ops::{arith, cube};

/// The value of `%r` in a kernel with the argument `%n` and the operations `ops`.
fn of(ops: &str) -> Option<i64> {
    let mut found = None;
    inspect(&format!("cube.kernel @k(%n: i32, %p: i1) {{\n{ops}\ncube.return\n}}"), |k| found = int_of(value(k, "r")));
    found
}

fn two(ty: &str, lhs: &str, rhs: &str, op: &str) -> Option<i64> {
    of(&format!("%a = arith.constant {lhs} : {ty}\n%b = arith.constant {rhs} : {ty}\n%r = {op} %a, %b : {ty}"))
}

#[test]
fn arithmetic_wraps_in_the_width_of_its_type() {
    assert_eq!(two("i8", "127", "1", arith::ADDI.name()), Some(-128));
    assert_eq!(two("i32", "2147483647", "1", arith::ADDI.name()), Some(-2147483648));
    assert_eq!(two("i64", "2147483647", "1", arith::ADDI.name()), Some(2147483648));
    assert_eq!(two("i8", "-128", "1", arith::SUBI.name()), Some(127));
    assert_eq!(two("i8", "16", "16", arith::MULI.name()), Some(0));
    assert_eq!(two("index", "5", "7", arith::MULI.name()), Some(35));
    assert_eq!(two("i32", "12", "10", arith::XORI.name()), Some(6));
    assert_eq!(two("i32", "12", "10", arith::ANDI.name()), Some(8));
    assert_eq!(two("i32", "12", "10", arith::ORI.name()), Some(14));
}

#[test]
fn smaller_and_larger_follow_the_sign() {
    assert_eq!(two("i32", "-1", "1", arith::MINSI.name()), Some(-1));
    assert_eq!(two("i32", "-1", "1", arith::MINUI.name()), Some(1));
    assert_eq!(two("i32", "-1", "1", arith::MAXSI.name()), Some(1));
    assert_eq!(two("i32", "-1", "1", arith::MAXUI.name()), Some(-1));
    for (predicate, expected) in
        [("slt", true), ("ult", false), ("sge", false), ("uge", true), ("eq", false), ("ne", true)]
    {
        let found = two("i32", "-1", "1", &format!("arith.cmpi {predicate},"));
        assert_eq!(found.map(|n| n != 0), Some(expected), "{predicate}");
    }
}

#[test]
fn total_division_has_a_value_for_zero() {
    assert_eq!(two("i32", "7", "0", cube::DIVUI.name()), Some(7));
    assert_eq!(two("i32", "7", "0", cube::REMUI.name()), Some(0));
    assert_eq!(two("i32", "-7", "2", cube::DIVSI.name()), Some(-3));
    assert_eq!(two("i32", "-1", "2", cube::DIVUI.name()), Some(i64::from(i32::MAX)));
    assert_eq!(two("i32", "1", "33", cube::SHL.name()), Some(2));
    assert_eq!(two("i32", "-8", "1", cube::SHRSI.name()), Some(-4));
    // The operations of `arith` are undefined for a divisor of 0, so their result is unknown.
    assert_eq!(two("i32", "7", "0", arith::DIVUI.name()), None);
}

#[test]
fn conversions_keep_or_drop_the_sign() {
    let cast = |from: &str, value: &str, op: &str, to: &str| {
        of(&format!("%a = arith.constant {value} : {from}\n%r = {op} %a : {from} to {to}"))
    };
    assert_eq!(cast("i8", "-1", arith::EXTSI.name(), "i32"), Some(-1));
    assert_eq!(cast("i8", "-1", arith::EXTUI.name(), "i32"), Some(255));
    assert_eq!(cast("i32", "511", arith::TRUNCI.name(), "i8"), Some(-1));
    assert_eq!(cast("i32", "-1", arith::INDEX_CASTUI.name(), "index"), Some(4294967295));
    assert_eq!(cast("i32", "-1", arith::INDEX_CAST.name(), "index"), Some(-1));
    assert_eq!(cast("i32", "1", arith::BITCAST.name(), "f32"), None);
}

#[test]
fn a_known_condition_picks_its_side() {
    let select = "%a = arith.constant 3 : i32\n%c = arith.cmpi eq, %a, %a : i32\n%r = arith.select %c, %a, %n : i32";
    assert_eq!(of(select), Some(3));
    let other = "%a = arith.constant 3 : i32\n%c = arith.cmpi ne, %a, %a : i32\n%r = arith.select %c, %a, %n : i32";
    assert_eq!(of(other), None);
    let branch = "%a = arith.constant 3 : i32\n%c = arith.cmpi COND, %a, %a : i32\n%i = scf.if %c -> (i32) {\n\
        scf.yield %n : i32\n} else {\nscf.yield %a : i32\n} loc(\"r\")";
    assert_eq!(of(&branch.replace("COND", "ne")), Some(3));
    assert_eq!(of(&branch.replace("COND", "eq")), None);
    assert_eq!(of("%a = arith.constant 3 : i32\n%r = arith.select %p, %a, %a : i32"), None);
}

#[test]
fn arguments_vectors_and_floats_are_unknown() {
    assert_eq!(of("%r = arith.addi %n, %n : i32"), None);
    assert_eq!(of("%r = arith.constant dense<1> : vector<4xi32>"), None);
    assert_eq!(of("%r = arith.constant 1.0 : f32"), None);
    assert_eq!(of("%r = arith.constant 1 : i128"), None);
    // The analysis does not simplify `n - n`. Folding of the operation does.
    assert_eq!(of("%r = arith.subi %n, %n : i32"), None);
}

#[test]
fn assumed_result_is_folded_as_a_constant() {
    let text = "cube.kernel @k() {\n%u = cube.topology cube_dim_x\n%a = arith.constant 3 : i32\n\
        %r = arith.muli %u, %a : i32\ncube.return\n}";
    inspect(text, |k| {
        let constant = int_with(value(k, "r"), &|op| op.is(cube::TOPOLOGY).then_some(32));
        assert_eq!((int_of(value(k, "r")), constant), (None, Some(96)));
    });
}

#[test]
fn the_work_for_one_answer_is_bounded() {
    // Each sum doubles the number of paths. Visiting 2^40 paths would take too long.
    let mut ops = "%v0 = arith.constant 1 : i64\n".to_string();
    for i in 0..40 {
        ops += &format!("%v{} = arith.addi %v{i}, %v{i} : i64\n", i + 1);
    }
    assert_eq!(of(&(ops.clone() + "%zero = arith.constant 0 : i64\n%r = arith.addi %v3, %zero : i64")), Some(8));
    assert_eq!(of(&(ops + "%zero = arith.constant 0 : i64\n%r = arith.addi %v40, %zero : i64")), None);
}
