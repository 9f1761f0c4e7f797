//! Tests of the register estimate.
use super::inspect;
use crate::analysis::registers::{BASE, estimate};

fn registers(body: &str) -> u32 {
    let mut found = 0;
    let text = format!("cube.kernel @k(%x: !cube.array<f32>, %n: i32) cube_dim(64) {{\n {body}\n cube.return\n}}");
    inspect(&text, |kernel| found = estimate(kernel) - BASE);
    found
}

#[test]
fn live_values_are_counted_at_the_widest_operation() {
    let load = |name: &str| format!("%{name} = cube.load %x[%n] checked : !cube.array<f32> -> f32\n");
    let store = |name: &str| format!("cube.store %{name}, %x[%n] checked : f32, !cube.array<f32>\n");
    // Two values that are live one after the other, and two values that are live together.
    assert_eq!(registers(&[load("a"), store("a"), load("b"), store("b")].concat()), 1);
    assert_eq!(registers(&[load("a"), load("b"), store("a"), store("b")].concat()), 2);
    // A value of 64 bits needs two registers, a line of four f32 needs four, and a condition needs none.
    assert_eq!(registers("%w = arith.extui %n : i32 to i64\n %v = arith.addi %w, %w : i64"), 2);
    assert_eq!(
        registers("%v = vector.broadcast %n : i32 to vector<4xi32>\n %w = arith.addi %v, %v : vector<4xi32>"),
        4
    );
    assert_eq!(registers("%c = arith.cmpi ult, %n, %n : i32\n scf.if %c {\n }"), 0);
}

#[test]
fn values_from_outside_are_live_in_the_whole_loop() {
    let body = |inside: &str, after: &str| {
        format!(
            "%c0 = arith.constant 0 : i32\n %c1 = arith.constant 1 : i32\n \
             %a = cube.load %x[%n] checked : !cube.array<f32> -> f32\n \
             scf.for unsigned %i = %c0 to %n step %c1 : i32 {{ {inside} \
             %b = cube.load %x[%i] checked : !cube.array<f32> -> f32\n \
             cube.store %b, %x[%i] checked : f32, !cube.array<f32> }} {after}"
        )
    };
    let store = "cube.store %a, %x[%n] checked : f32, !cube.array<f32>\n";
    // The counter and %b are live. %a is live too if the loop or an operation after the loop reads %a.
    assert_eq!([body("", ""), body(store, ""), body("", store)].map(|text| registers(&text)), [2, 3, 3]);
}
