//! Kernels with deliberate faults, each with a correct variant.
use super::{found, ints, launch, values};
use crate::{Arg, Find, FindingKind, Options, Schedule};

const NO_FINDINGS: [&str; 0] = [];

fn kernel(body: &str) -> String {
    format!(
        "cube.kernel @k(%x: !cube.array<i32>, %y: !cube.array<i32>) cube_dim(4) {{\n  %i = cube.topology absolute_pos\n  \
         %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n{body}\n  cube.return\n}}\n"
    )
}

fn all() -> Options {
    Options { find: Find::ALL, ..Options::default() }
}

fn of(body: &str) -> Vec<String> {
    found(&kernel(body), &mut [ints(&[5, 6, 7, 8]), ints(&[0; 4])], 1, &all())
}

#[test]
fn race_report_names_both_units_and_locations() {
    let text = of("  cube.store %i, %y[%zero] : i32, !cube.array<i32>");
    assert_eq!(
        text,
        [
            "k.mlir:5:3: 'cube.store': races: writes y[0], which another unit writes, unit (1, 0, 0) of cube (0, 0, 0); the \
          other is k.mlir:5:3: 'cube.store', unit (0, 0, 0) of cube (0, 0, 0) (met 3 times)"
        ]
    );
    let own = "  cube.store %i, %y[%i] : i32, !cube.array<i32>\n  %v = cube.load %y[%i] : !cube.array<i32> -> i32";
    assert_eq!(of(own), NO_FINDINGS);
}

#[test]
fn a_race_is_found_in_either_order_of_read_and_write() {
    // One variant reads the neighbour's line before the neighbour writes it, the other variant after.
    for step in ["addi", "subi"] {
        let body = format!(
            "  %n = arith.{step} %i, %one : i32\n  %v = cube.load %y[%n] : !cube.array<i32> -> i32\n  \
             cube.store %v, %y[%i] : i32, !cube.array<i32>"
        );
        for schedule in [Schedule::InOrder, Schedule::Shuffled(7)] {
            let options = Options { find: Find::NOTHING.with(FindingKind::Races), schedule, ..Options::default() };
            let text = found(&kernel(&body), &mut [ints(&[0; 4]), ints(&[0; 4])], 1, &options);
            assert!(text.iter().any(|t| t.contains("races: ")), "{step} {schedule:?}: {text:?}");
        }
    }
}

#[test]
fn units_of_different_cubes_race_too() {
    let body = "  %u = cube.topology unit_pos\n  cube.store %u, %y[%u] : i32, !cube.array<i32>";
    assert_eq!(of(body), NO_FINDINGS);
    let text = found(&kernel(body), &mut [ints(&[]), ints(&[0; 4])], 2, &all());
    assert!(text[0].contains("unit (0, 0, 0) of cube (1, 0, 0); the other is"), "{text:?}");
}

#[test]
fn an_access_out_of_bounds_is_a_separate_kind_of_finding() {
    let past = "  %n = arith.addi %i, %one : i32\n  %v = cube.load %x[%n] BOUNDS : !cube.array<i32> -> i32";
    let text = of(&past.replace("BOUNDS", "checked"));
    assert_eq!(
        text,
        ["k.mlir:6:8: 'cube.load': bounds: reads x[4], but x has 4 lines, unit (3, 0, 0) of cube (0, 0, 0)"]
    );
    let text = of(&past.replace("BOUNDS", "inbounds"));
    assert!(text[0].contains("ub: reads x[4], but x has 4 lines, although declared in bounds"), "{text:?}");
    let quiet = Options::default();
    let checked = kernel(&past.replace("BOUNDS", "checked"));
    assert_eq!(found(&checked, &mut [ints(&[1; 4]), ints(&[0; 4])], 1, &quiet), NO_FINDINGS);
}

#[test]
fn uninitialised_reads_are_found() {
    let body = "  %v = cube.load %y[%i] : !cube.array<i32> -> i32\n  cube.store %v, %x[%i] : i32, !cube.array<i32>";
    let mut args = [ints(&[1; 4]), Arg::Buffer { bytes: vec![0; 16], initialised: false }];
    let text = found(&kernel(body), &mut args, 1, &all());
    assert!(text[0].contains("uninit: reads y[0], which has not been written"), "{text:?}");
    let written = format!("  cube.store %i, %y[%i] : i32, !cube.array<i32>\n{body}");
    let mut args = [ints(&[1; 4]), Arg::Buffer { bytes: vec![0; 16], initialised: false }];
    assert_eq!(found(&kernel(&written), &mut args, 1, &all()), NO_FINDINGS);
}

#[test]
fn undefined_arithmetic_is_found_at_its_use() {
    let store = |op: &str| format!("  %v = {op} : i32\n  cube.store %v, %y[%i] : i32, !cube.array<i32>");
    let cases = [
        ("arith.divui %one, %i", "ub: division by zero"),
        ("arith.remsi %one, %i", "ub: division by zero"),
        ("arith.constant 1", ""),
        ("cube.divui %one, %i", ""),
        ("arith.subi %i, %one overflow<nuw>", "ub: the value of a write is an undefined result"),
        ("arith.divui %i, %two exact", "ub: the value of a write is an undefined result"),
        ("arith.shli %one, %wide", "the value comes from"),
    ];
    for (op, expected) in cases {
        let constants = "  %two = arith.constant 2 : i32\n  %wide = arith.constant 32 : i32\n";
        let text = of(&format!("{constants}{}", store(op)));
        let right = if expected.is_empty() { text.is_empty() } else { text.iter().any(|t| t.contains(expected)) };
        assert!(right, "{op}: {text:?}");
    }
}

#[test]
fn unused_poison_is_not_a_finding() {
    let body = "  %wide = arith.constant 40 : i32\n  %p = arith.shli %one, %wide : i32\n  %no = arith.constant false\n  \
                %v = arith.select %no, %p, %i : i32\n  cube.store %v, %y[%i] : i32, !cube.array<i32>";
    assert_eq!(of(body), NO_FINDINGS);
    let branch = "  %nan = arith.constant 0x7FC00000 : f32\n  %p = arith.fptosi %nan : f32 to i1\n  scf.if %p {\n  }";
    assert!(of(branch)[0].contains("ub: the condition of a branch is an undefined result"));
}

#[test]
fn nonpositive_loop_step_is_a_fault() {
    let body = "  %n = arith.constant 4 : i32\n  scf.for %k = %zero to %n step %zero : i32 {\n  }\n  \
                cube.store %one, %y[%i] : i32, !cube.array<i32>";
    let text = of(body);
    assert!(text[0].contains("ub: the step of a loop is not positive"), "{text:?}");
}

#[test]
fn loops_do_not_wrap_around() {
    let body = "  %from = arith.constant 0xFFFFFFFD : i32\n  %to = arith.constant 0xFFFFFFFF : i32\n  \
                %two = arith.constant 2 : i32\n  \
                %s = scf.for unsigned %k = %from to %to step %two iter_args(%n = %zero) -> (i32) : i32 {\n    \
                %m = arith.addi %n, %one : i32\n    scf.yield %m : i32\n  }\n  cube.store %s, %y[%i] : i32, !cube.array<i32>";
    let mut args = [ints(&[]), ints(&[0; 4])];
    launch(&kernel(body), &mut args, 1, &Options::default()).unwrap();
    assert_eq!(values(&args[1]), [1; 4]);
}

#[test]
fn race_free_kernel_is_independent_of_unit_order() {
    let body = "  %v = cube.load %x[%i] : !cube.array<i32> -> i32\n  %w = arith.muli %v, %v : i32\n  \
                cube.store %w, %y[%i] : i32, !cube.array<i32>";
    for schedule in (0..5).map(Schedule::Shuffled).chain([Schedule::LastFirst]) {
        let mut args = [ints(&[1, 2, 3, 4, 5, 6, 7, 8]), ints(&[0; 8])];
        let options = Options { schedule, ..all() };
        let outcome = launch(&kernel(body), &mut args, 2, &options).unwrap();
        assert!(outcome.findings.is_empty() && outcome.steps == 8 * 4, "{outcome:?}");
        assert_eq!(values(&args[1]), [1, 4, 9, 16, 25, 36, 49, 64]);
    }
}

#[test]
fn a_lowered_kernel_without_its_scratch_bytes_is_refused() {
    let kernel = super::decode("cube.kernel @k() {\n  cube.return\n}\n").expect("a kernel");
    let lowered = |attributes: &str| {
        let session = cube_ir::Session::new();
        let text = format!(
            "llvm.func @k(%launch: !llvm.ptr, %first: i64, %last: i64, %scratch: !llvm.ptr) {attributes} {{\n\
             llvm.store %first, %scratch : i64, !llvm.ptr\nllvm.return\n}}"
        );
        let module = session.parse(text.as_bytes(), "k.mlir").expect("a function");
        crate::Program::decode_lowered(module.op(), &kernel).map(drop).map_err(|error| (error.code, error.message))
    };
    assert_eq!(lowered("attributes {cube.scratch_bytes = 8 : i64}"), Ok(()));
    for wrong in ["", "attributes {cube.scratch_bytes = -8 : i64}"] {
        let (code, message) = lowered(wrong).expect_err("no memory for the store");
        assert_eq!(code.as_deref(), Some("CUBE0156"));
        assert!(message.contains("cube.scratch_bytes"), "{message}");
    }
}
