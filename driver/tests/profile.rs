//! Cost profiles without code generation.
use cube_artifact::{CompileOptions, Compiler, Target};
use cube_driver::Driver;

/// A kernel with shared memory and a loop.
const KERNEL: &str = include_str!("../../examples/kernels/cube_scan.mlir");

fn target(text: &str) -> Target {
    text.parse().expect("a target")
}

#[test]
fn a_profile_without_code_equals_the_profile_of_a_compilation() {
    let (source, options) = (KERNEL.as_bytes(), CompileOptions::default());
    let gpu = target("nvptx:sm_90a");
    let (artifact, compiled) = Driver.compile_with_profile(source, &gpu, &options).expect("a right kernel");
    let profile = Driver.profile(source, &gpu, &options).expect("a right kernel");
    assert_eq!(profile, compiled);
    let profile = profile.expect("the chip has a described board");
    assert_eq!((&profile.params, profile.shared_bytes), (&artifact.params, artifact.shared_bytes));
    assert!(profile.shared_bytes >= 128 && profile.params.len() == 2, "{profile:?}");
}

#[test]
fn targets_without_a_board_have_no_profile_and_a_wrong_kernel_is_an_error() {
    let options = CompileOptions::default();
    assert_eq!(Driver.profile(KERNEL.as_bytes(), &target("cpu"), &options), Ok(None));
    let wrong = KERNEL.replace("%one = arith", "%zero = arith");
    let gpu = target("nvptx:sm_90a");
    let error = Driver.profile(wrong.as_bytes(), &gpu, &options).expect_err("a name is used twice");
    assert_eq!(Err(error), Driver.compile(wrong.as_bytes(), &gpu, &options));
}
