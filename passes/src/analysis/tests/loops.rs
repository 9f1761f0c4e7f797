//! Tests of the query whether a value is defined outside of a loop, and of trip counts.
use super::{inspect, operation, value};
use crate::analysis::constants::int_of;
use crate::analysis::loops::{TripCount, is_outside};
use cube_ir::Builder;
use cube_ir::ops::scf;
use cube_semantics::trip_count;

#[test]
fn value_is_outside_only_of_loops_that_do_not_contain_it() {
    let text = r#"cube.kernel @k(%n: i32) {
        %zero = arith.constant 0 : i32
        scf.for %i = %zero to %n step %n : i32 {
          %near = arith.addi %i, %n : i32
          scf.for %j = %zero to %n step %n : i32 {
            %deep = arith.addi %i, %j : i32
          } loc("inner")
          scf.for %j = %zero to %n step %n : i32 {
            %beside = arith.addi %i, %j : i32
          }
        } loc("outer")
        cube.return
    }"#;
    inspect(text, |k| {
        let (outer, inner) = (operation(k, "outer"), operation(k, "inner"));
        let counter = |op: cube_ir::Op<'_>| is_outside(op.body().expect("a body").arg(0), inner);
        assert!(is_outside(inner.operand(1), outer) && is_outside(value(k, "zero"), inner));
        assert!(!is_outside(value(k, "near"), outer) && is_outside(value(k, "near"), inner));
        assert!(!is_outside(value(k, "deep"), outer) && !is_outside(value(k, "deep"), inner));
        assert!(!is_outside(value(k, "beside"), outer) && is_outside(value(k, "beside"), inner));
        assert!(counter(outer) && !counter(inner));
    });
}

#[test]
fn emitted_trip_count_matches_the_semantics() {
    // Numbers around the limits of signed and unsigned bytes.
    let (bounds, steps) = ([0u64, 1, 2, 5, 126, 127, 128, 129, 200, 254, 255], [0u64, 1, 2, 3, 127, 128, 255]);
    let mut text = String::from("cube.kernel @k() {\n");
    for number in 0..256 {
        text += &format!("%c{number} = arith.constant {} : i8\n", number as u8 as i8);
    }
    for unsigned in ["", "unsigned "] {
        for from in bounds {
            for (to, step) in bounds.iter().flat_map(|to| steps.iter().map(move |step| (to, step))) {
                text += &format!("scf.for {unsigned}%i = %c{from} to %c{to} step %c{step} : i8 {{\n}} ");
                text += &format!("loc(\"{unsigned}{from},{to},{step}\")\n");
            }
        }
    }
    text += "cube.return\n}";
    let mut compared = 0;
    inspect(&text, |k| {
        for loop_op in k.walk().into_iter().filter(|op| op.is(scf::FOR)) {
            let name = cube_ir::name_of(loop_op.location()).expect("a name");
            let unsigned = name.starts_with("unsigned ");
            let numbers: Vec<u64> =
                name.trim_start_matches("unsigned ").split(',').map(|n| n.parse().expect("a number")).collect();
            let counted = TripCount::of(loop_op, Builder::before(loop_op), |b, x, y| b.divui(x, y));
            let expected = trip_count(numbers[0], numbers[1], numbers[2], 8, unsigned);
            let count = int_of(counted.count).map(|count| count as u64 & 0xff);
            assert_eq!(count, Some(expected), "{name}");
            compared += 1;
        }
    });
    assert_eq!(compared, 2 * 11 * 11 * 7);
}
