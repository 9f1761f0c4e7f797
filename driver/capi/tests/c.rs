//! A C program uses the library as a stranger would: the header, the shared object, gcc.
use std::{
    path::{Path, PathBuf},
    process::Command,
};

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?} did not start: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} ended with {}\n{said}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn gcc(here: &Path) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(here.join("include"));
    command
}

#[test]
fn a_c_program_compiles_a_kernel_and_another_one_runs_its_object() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = here.join("tests");
    // Cargo puts the library beside this test.
    let library = std::env::current_exe().expect("this test is a file").with_file_name("libcube_capi.so");
    let folder = library.parent().expect("a folder");
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| -> PathBuf { scratch.path().join(name) };

    run(gcc(here)
        .arg(tests.join("compile.c"))
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .arg("-o")
        .arg(at("compile")));
    run(Command::new(at("compile")).arg(tests.join("scale.mlir")).arg(at("scale.o")));
    run(gcc(here).arg(tests.join("launch.c")).arg(at("scale.o")).arg("-o").arg(at("launch")));
    assert_eq!(run(&mut Command::new(at("launch"))), "3 * 99 + 7 = 304\n");
}

#[test]
fn the_header_reads_as_cpp() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/cube.h");
    run(Command::new("g++")
        .args(["-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"])
        .arg(header));
}
