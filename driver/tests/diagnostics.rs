//! Tests that diagnostics remain structured values from their origin to the caller. MLIR's diagnostic engine does not
//! change the code, rule, operation, location and arguments of a diagnostic.
use cube_artifact::{
    CompileError, CompileOptions, Compiler, Diagnostic, Target,
    protocol::{self, Peer, Request, Response, read_hello, write_hello},
};
use cube_driver::Driver;

fn compile(source: &str, options: &CompileOptions) -> CompileError {
    Driver.compile(source.as_bytes(), &Target::cpu(), options).expect_err("the kernel is wrong")
}

fn first(source: &str) -> Diagnostic {
    let options = CompileOptions { file_name: Some("k.mlir".into()), ..CompileOptions::default() };
    compile(source, &options).diagnostics.swap_remove(0)
}

fn args(diagnostic: &Diagnostic) -> Vec<(&str, &str)> {
    diagnostic.args.iter().map(|a| (a.name.as_str(), a.value.as_str())).collect()
}

const TOO_LARGE: &str = "cube.kernel @k() {\n  %m = cube.alloc : !cube.shared<100000000 x f32>\n  cube.return\n}\n";

#[test]
fn verifier_diagnostic_has_its_arguments() {
    let found = first(TOO_LARGE);
    assert_eq!((found.code.as_deref(), found.rule.as_deref()), (Some("CUBE0138"), Some("CUBE0138.bytes")));
    assert_eq!(found.op.as_deref(), Some("cube.alloc"));
    assert_eq!(args(&found), [("bytes", "400000000"), ("limit", "268435456")]);
    assert_eq!(found.location.as_ref().map(|p| (p.file.as_str(), p.line)), Some(("k.mlir", 2)));
    assert!(found.message.starts_with("'cube.alloc' requires 400000000 bytes, "), "{}", found.message);
    assert!(found.is("CUBE0138", &[("bytes", "400000000")]) && !found.is("CUBE0138", &[("bytes", "4")]));
}

#[test]
fn wording_follows_the_source_language_and_arguments_are_equal() {
    let at = |file: &str| TOO_LARGE.replace("x f32>\n", &format!("x f32> loc(\"{file}\":7:5)\n"));
    let (rust, mlir) = (first(&at("src/k.rs")), first(&at("k.other")));
    assert!(rust.message.starts_with("this memory requires 400000000 bytes, "), "{}", rust.message);
    assert!(mlir.message.starts_with("'cube.alloc' requires 400000000 bytes, "), "{}", mlir.message);
    assert_eq!((&rust.code, &rust.rule, &rust.op, &rust.args), (&mlir.code, &mlir.rule, &mlir.op, &mlir.args));
    assert_eq!(rust.location.map(|p| (p.file, p.line, p.column)), Some(("src/k.rs".into(), 7, 5)));
}

#[test]
fn pass_diagnostic_has_its_arguments_and_notes() {
    let found = first("cube.kernel @k comptime(@N : i32)() { cube.return }");
    assert_eq!(found.rule.as_deref(), Some("CUBE0303.missing"));
    assert_eq!(args(&found), [("param", "N"), ("kernel", "k")]);
    let unrolled = "cube.kernel @k(%n: i32, %x: !cube.array<f32>) {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %v = arith.constant 2.0 : f32
  scf.for %i = %0 to %n step %1 : i32 { cube.store %v, %x[%i] : f32, !cube.array<f32> } {cube.unroll}
  cube.return
}";
    let found = first(unrolled);
    assert_eq!((found.rule.as_deref(), args(&found)), (Some("CUBE0308.unroll"), vec![("bound", "upper bound")]));
    assert_eq!(found.notes.len(), 1);
    assert_eq!((&found.notes[0].code, found.notes[0].message.as_str()), (&None, "it depends on this value"));
}

#[test]
fn attribute_verifier_diagnostic_has_its_arguments() {
    let found =
        first("module attributes {cube.target = #cube.target<{backend = \"x\"}>} { cube.kernel @k() { cube.return } }");
    assert_eq!(found.rule.as_deref(), Some("CUBE0153.fields"), "{found}");
    assert_eq!(args(&found).len(), 1);
}

#[test]
fn upstream_message_has_no_rule_and_arguments() {
    let found = first("cube.kernel @k(%x: i32) {\n  %y = arith.addi %x, %x : f32\n  cube.return\n}\n");
    assert_eq!((&found.rule, &found.op, args(&found).len()), (&None, &None, 0));
    assert_eq!(found.code.as_deref(), Some("CUBE0100"));
}

/// The error of a compiler that runs as a child process behind a pipe.
fn piped(source: &str) -> CompileError {
    let (source, target, options) = (source.as_bytes().to_vec(), Target::cpu(), CompileOptions::default());
    let mut input = Vec::new();
    write_hello(&mut input, Peer::Client).unwrap();
    Request { id: 1, source, target, options, wanted: Default::default() }.write(&mut input).unwrap();
    let mut output = Vec::new();
    protocol::serve(&Driver, &input[..], &mut output).unwrap();
    let mut output = &output[..];
    read_hello(&mut output, Peer::Server).unwrap();
    Response::read(&mut output, 1).unwrap().expect_err("the kernel is wrong")
}

#[test]
fn piped_and_in_process_diagnostics_are_equal() {
    let in_rust = TOO_LARGE.replace("x f32>\n", "x f32> loc(\"src/k.rs\":7:5)\n");
    for source in [TOO_LARGE, &in_rust, "cube.kernel @k comptime(@N : i32)() { cube.return }", "not MLIR"] {
        assert_eq!(compile(source, &CompileOptions::default()), piped(source));
    }
}

/// The interpreter uses the pipeline of the CPU. A chip that the target's backend lacks is refused.
#[test]
fn described_properties_are_those_of_the_target() {
    let kernel = b"cube.kernel @k(%x: !cube.array<i32>) cube_dim(64) { cube.return }";
    let describe = |target: &str| cube_driver::describe(kernel, target, &CompileOptions::default());
    for (target, backend, chip) in
        [("interp", "interp", None), ("cpu", "cpu", None), ("nvptx:sm_90", "nvptx", Some("sm_90"))]
    {
        let artifact = describe(target).unwrap_or_else(|e| panic!("{target}: {e}"));
        assert_eq!((artifact.target.backend.as_str(), artifact.target.chip.as_deref()), (backend, chip));
    }
    let refused = describe("nvptx:sm_1").expect_err("an unknown chip");
    assert_eq!(refused.diagnostics[0].code.as_deref(), Some("CUBE0501"), "{refused}");
}
