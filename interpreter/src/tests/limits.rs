//! The interpreter stops programs that do not end or exceed a limit, with an error and a location.
use super::{decode, ints, launch, values};
use crate::{Arg, Fault, Find, Options};

#[test]
fn step_limit_stops_an_infinite_loop_and_reports_its_location() {
    let text = "cube.kernel @k() cube_dim(1) {\n  %t = arith.constant true\n  scf.while : () -> () {\n    \
                scf.condition(%t)\n  } do {\n    scf.yield\n  }\n  cube.return\n}";
    let options = Options { max_steps: 1000, ..Options::default() };
    let fault = launch(text, &mut [], 1, &options).unwrap_err();
    let expected = "the launch exceeds 1000 steps; use a smaller launch, or raise --max-steps";
    assert!(fault.to_string().starts_with("k.mlir:") && fault.to_string().ends_with(expected), "{fault}");
    assert_eq!(fault.code(), "CUBE0702");
}

#[test]
fn memory_limit_is_enforced() {
    let text = "cube.kernel @k(%x: !cube.array<i32>) cube_dim(1) { cube.return }";
    let options = Options { max_memory: 1000, ..Options::default() };
    let fault = launch(text, &mut [ints(&[0; 1000])], 1, &options).unwrap_err();
    assert!(matches!(fault, Fault::Memory { max: 1000, .. }), "{fault}");
    assert_eq!(fault.code(), "CUBE0703");
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let text = "cube.kernel @k(%x: !cube.array<i32, 4>, %s: i32) cube_dim(1) { cube.return }";
    let message_of = |args: &mut [Arg]| launch(text, args, 1, &Options::default()).unwrap_err().to_string();
    assert_eq!(message_of(&mut []), "kernel k takes 2 arguments, not 0; pass 2 arguments");
    assert!(message_of(&mut [ints(&[1; 6]), Arg::Scalar(0)]).contains("not a multiple of the line size 16"));
    assert!(message_of(&mut [Arg::Scalar(0), Arg::Scalar(0)]).contains("argument x is a buffer instead of a scalar"));
    let mut fine = [ints(&[1; 8]), Arg::Scalar(0)];
    let huge = crate::run(&decode(text).unwrap(), &mut fine, [u32::MAX, u32::MAX, u32::MAX], &Options::default());
    assert!(huge.unwrap_err().to_string().contains("more than 2^64 units"));
}

#[test]
fn operations_without_a_rule_are_named() {
    let text = "cube.kernel @k() cube_dim(1) {\n  %v = vector.constant_mask [2] : vector<4xi1>\n  cube.return\n}";
    let error = decode(text).unwrap_err();
    assert_eq!(error.code.as_deref(), Some("CUBE0700"));
    assert!(error.message.starts_with("the interpreter does not support 'vector.constant_mask': "), "{error:?}");
    assert_eq!(error.location.map(|p| p.line), Some(2));
}

#[test]
fn calls_that_never_end_or_multiply_are_refused() {
    let text = "cube.kernel @k() cube_dim(1) { cube.call @f() : () -> ()\n cube.return }\n\
                cube.func @f() { cube.call @g() : () -> ()\n cube.return }\n\
                cube.func @g() { cube.call @f() : () -> ()\n cube.return }";
    assert_eq!(decode(text).unwrap_err().code.as_deref(), Some("CUBE0300"));
    let mut text = String::from("cube.kernel @k() cube_dim(1) { cube.call @f0() : () -> ()\n cube.return }\n");
    for i in 0..40 {
        let (this, next) = (i, i + 1);
        text += &format!(
            "cube.func @f{this}() {{ cube.call @f{next}() : () -> ()\n cube.call @f{next}() : () -> ()\n cube.return }}\n"
        );
    }
    text += "cube.func @f40() { cube.return }";
    assert_eq!(decode(&text).unwrap_err().code.as_deref(), Some("CUBE0701"));
}

#[test]
fn an_allocation_that_is_too_large_is_named_with_its_limit() {
    let text = "cube.kernel @k() cube_dim(1) {\n  %m = cube.alloc : !cube.local<60000000 x i32>\n  cube.return\n}";
    let error = decode(text).unwrap_err();
    assert_eq!((error.code.as_deref(), error.location.map(|p| p.line)), (Some("CUBE0701"), Some(2)));
    let message_of = "the type !cube.local<60000000 x i32> has 60000000 elements, but the interpreter supports at most 1048576 elements";
    assert!(error.message.starts_with(message_of), "{}", error.message);
}

#[test]
fn a_unit_missing_at_a_barrier_ends_the_launch_with_its_location() {
    // Unit 3 loops without end, and the others wait for it at the barrier.
    let text = "cube.kernel @k() cube_dim(8) {\n  %u = cube.topology unit_pos\n  %three = arith.constant 3 : i32\n  \
                scf.while : () -> () {\n    %stays = arith.cmpi eq, %u, %three : i32\n    scf.condition(%stays)\n  } do \
                {\n    scf.yield\n  }\n  cube.sync cube\n  cube.return\n}";
    for find in [Find::NOTHING, Find::ALL] {
        let options = Options { find, max_steps: 100_000, ..Options::default() };
        let fault = launch(text, &mut [], 1, &options).unwrap_err();
        let Fault::Steps { max: 100_000, site, .. } = &fault else { panic!("{fault}") };
        assert!(
            site.op.starts_with("scf.") && site.location.as_ref().is_some_and(|p| (4..=9).contains(&p.line)),
            "{fault}"
        );
    }
}

#[test]
fn undefined_behaviour_of_a_unit_does_not_end_the_run() {
    // One unit divides by zero, shifts by too much, and accesses memory out of bounds without a check.
    let text = "cube.kernel @k(%x: !cube.array<i32>) cube_dim(4) {\n  %u = cube.topology unit_pos\n  \
                %most = arith.constant -1 : i32\n  %a = arith.divui %most, %u : i32\n  %b = arith.shli %a, %most : i32\n  \
                %mine = cube.alloc : !cube.local<2 x i32>\n  cube.store %b, %mine[%most] inbounds : i32, !cube.local<2 x \
                i32>\n  %c = cube.load %x[%most] inbounds : !cube.array<i32> -> i32\n  cube.store %u, %x[%u] : i32, \
                !cube.array<i32>\n  cube.return\n}";
    for find in [Find::NOTHING, Find::ALL] {
        let mut args = [ints(&[9; 4])];
        let outcome = launch(text, &mut args, 1, &Options { find, ..Options::default() }).unwrap();
        assert_eq!(values(&args[0]), [0, 1, 2, 3]);
        let kinds = outcome.findings.iter().filter(|f| f.kind.word() == "ub").count();
        assert!(kinds >= 3 || find == Find::NOTHING, "{:?}", outcome.findings);
    }
}

#[test]
fn memory_of_units_and_cubes_has_a_limit() {
    for space in ["shared", "local"] {
        let text = format!(
            "cube.kernel @k(%x: !cube.array<i32>) cube_dim(64) {{\n  %z = arith.constant 0 : i32\n  \
             %m = cube.alloc : !cube.{space}<200000 x i32>\n  %v = cube.load %m[%z] : !cube.{space}<200000 x i32> -> i32\n  \
             cube.sync cube\n  cube.store %v, %x[%z] : i32, !cube.array<i32>\n  cube.return\n}}"
        );
        let options = Options { max_memory: 100_000, ..Options::default() };
        let fault = launch(&text, &mut [ints(&[0; 4])], 1, &options).unwrap_err();
        assert_eq!(fault.code(), "CUBE0703", "{space}: {fault}");
    }
}
