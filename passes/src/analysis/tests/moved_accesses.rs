//! Tests that an access loses its bounds proof if a pass copies, moves or changes the access, and that its
//! alignment stays correct.
use super::{inspect, operation, value};
use cube_dialect::{Proof, alignment_of, proof_of, set_proof};
use cube_ir::{Builder, Op};

const KERNEL: &str = "cube.kernel @k(%x: !cube.array<f32>, %n: i32) {\n%i = arith.addi %n, %n : i32\n%j = arith.muli %n, %n : i32\n\
    %line = cube.load %x[%i] inbounds {align = 16 : i32} : !cube.array<f32> -> vector<4xf32>\n\
    %one = cube.load %x[%i] checked : !cube.array<f32> -> f32\n%last = arith.subi %n, %n : i32\ncube.return\n}";

#[test]
fn an_access_with_another_index_is_aligned_to_its_element_only() {
    inspect(KERNEL, |k| {
        let (line, j) = (operation(k, "line"), value(k, "j"));
        let copy = Builder::before(operation(k, "last")).insert_copy(line);
        assert_eq!((alignment_of(line), alignment_of(copy)), (Some(16), Some(16)));
        copy.set_operand(1, j);
        assert_eq!(alignment_of(copy), Some(4));
        let all = Builder::before(operation(k, "last")).insert_copy(line);
        all.set_operands(&[line.operand(0), j]);
        assert_eq!(alignment_of(all), Some(4));
        // The access moves without a change of its address. Then another value with the same number replaces its index.
        line.move_before(operation(k, "last"));
        line.set_equal_operand(1, j);
        assert_eq!(alignment_of(line), Some(16));
        assert_eq!(alignment_of(operation(k, "one")), None);
        assert!(k.verify());
    });
}

#[test]
fn proof_is_dropped_if_an_access_is_copied_moved_or_reindexed() {
    let changes: [for<'p> fn(Op<'p>, Op<'p>) -> Op<'p>; 3] = [
        |one, last| Builder::before(last).insert_copy(one),
        |one, last| {
            one.move_before(last);
            one
        },
        |one, last| {
            one.set_operand(1, last.operand(0));
            one
        },
    ];
    for change in changes {
        inspect(KERNEL, |k| {
            let one = operation(k, "one");
            set_proof(one, Proof::Guard);
            assert_eq!(proof_of(change(one, operation(k, "last"))), None);
        });
    }
}
