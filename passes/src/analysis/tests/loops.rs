//! Tests of the query whether a value is defined outside of a loop.
use super::{inspect, operation, value};
use crate::analysis::loops::is_outside;

#[test]
fn a_value_is_outside_only_of_loops_that_do_not_hold_it() {
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
