//! Shared allocations with common bytes: a write to one of them changes the bytes of the others.
use super::{found, ints, launch, values};
use crate::{Arg, Find, Options};

/// A kernel with two arrays `s` and `t` of shared memory, at the offsets 0 and `offset`.
fn kernel(offset: u32, body: &str) -> String {
    format!(
        "cube.kernel @k(%y: !cube.array<i32>, %b: i8) cube_dim(4) {{\n%i = cube.topology unit_pos\n\
         %three = arith.constant 3 : i32\n%o = arith.subi %three, %i : i32\n\
         %s = cube.alloc {{cube.shared_offset = 0 : i64}} : !cube.shared<4 x i32>\n\
         %t = cube.alloc {{cube.shared_offset = {offset} : i64}} : !cube.shared<16 x i8>\n{body}cube.return\n}}\n"
    )
}

const STORE_S: &str = "cube.store %i, %s[%i] inbounds : i32, !cube.shared<4 x i32>\n";
const LOAD_S: &str = "%v = cube.load %s[%o] inbounds : !cube.shared<4 x i32> -> i32\n";
const STORE_T: &str = "cube.store %b, %t[%i] inbounds : i8, !cube.shared<16 x i8>\n";
const LOAD_T: &str = "%w = cube.load %t[%o] inbounds : !cube.shared<16 x i8> -> i8\n";
const B: &str = "cube.sync cube\n";

fn of(offset: u32, body: &[&str]) -> Vec<String> {
    let options = Options { find: Find::ALL, ..Options::default() };
    let findings = found(&kernel(offset, &body.concat()), &mut [ints(&[0; 4]), Arg::Scalar(5)], 1, &options);
    findings.into_iter().map(|text| text.split(", unit").next().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_barrier_between_arrays_with_common_bytes_leaves_no_finding() {
    for offset in [0, 16] {
        assert_eq!(of(offset, &[STORE_S, B, LOAD_S, B, STORE_T, B, LOAD_T]), [""; 0]);
    }
}

#[test]
fn accesses_of_arrays_with_common_bytes_race() {
    assert_eq!(of(16, &[STORE_S, B, LOAD_S, STORE_T]), [""; 0]);
    let races = of(0, &[STORE_S, B, LOAD_S, STORE_T]);
    // The first unit stores before the last unit loads.
    let [race, unwritten] = &races[..] else { panic!("{races:?}") };
    assert_eq!(race, "k.mlir:9:6: 'cube.load': races: reads shared0[0], which another unit writes");
    assert!(unwritten.contains("reads shared0[0], which has not been written"), "{unwritten}");
    // Bytes 4 to 7 of `s` are the first four lines of `t`.
    let races = of(4, &[STORE_S, STORE_T]);
    let expected = [
        "k.mlir:7:1: 'cube.store': races: writes shared0[1], which another unit writes",
        "k.mlir:8:1: 'cube.store': races: writes shared1[2], which another unit writes",
    ];
    assert_eq!(races, expected);
}

#[test]
fn a_written_array_makes_the_other_array_unwritten() {
    let text = of(0, &[STORE_S, B, STORE_T, B, LOAD_S]);
    assert_eq!(text.len(), 1, "{text:?}");
    assert!(text[0].contains("reads shared0[0], which has not been written"), "{text:?}");
    assert_eq!(of(16, &[STORE_S, B, STORE_T, B, LOAD_S]), [""; 0]);
}

#[test]
fn a_read_returns_the_bytes_of_the_other_array() {
    let store = "cube.store %v, %y[%i] inbounds : i32, !cube.array<i32>\n";
    let body = [STORE_S, B, STORE_T, B, LOAD_S, store].concat();
    let mut args = [ints(&[0; 4]), Arg::Scalar(5)];
    let options = Options { find: Find::NOTHING, ..Options::default() };
    launch(&kernel(0, &body), &mut args, 1, &options).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(values(&args[0]), [3, 2, 1, 0x0505_0505]);
}
