//! Compiles C programs with gcc, the header and the shared library, as an external user would.
use std::{
    path::{Path, PathBuf},
    process::Command,
};

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?} did not start: {e}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} ended with {}\n{stderr}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn gcc(here: &Path) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(here.join("include"));
    command
}

/// The folder of the C sources, and a temporary folder.
struct Case {
    here: PathBuf,
    scratch: tempfile::TempDir,
}

impl Case {
    fn new() -> Case {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        Case { here: env!("CARGO_MANIFEST_DIR").into(), scratch }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn test(&self, name: &str) -> PathBuf {
        self.here.join("tests").join(name)
    }

    /// Builds a C program from one source file and links the shared library.
    fn build(&self, name: &str) -> PathBuf {
        // Cargo puts the library beside this test.
        let library = std::env::current_exe().expect("this test is a file").with_file_name("libcube_capi.so");
        let folder = library.parent().expect("a folder");
        let (source, program) = (self.test(&format!("{name}.c")), self.at(name));
        let rpath = format!("-Wl,-rpath,{}", folder.display());
        run(gcc(&self.here).arg(source).arg(&library).arg(rpath).arg("-lm").arg("-o").arg(&program));
        program
    }
}

#[test]
fn a_c_program_compiles_kernels_and_another_one_calls_their_objects() {
    let case = Case::new();
    let scratch_bytes = run(Command::new(case.build("compile"))
        .arg(case.test("scale.mlir"))
        .arg(case.test("kernels.mlir"))
        .arg(case.scratch.path()));
    let objects = ["scale.o", "divide.o", "turn.o", "prints.o"].map(|name| case.at(name));
    run(gcc(&case.here).arg(case.test("direct.c")).args(objects).arg("-o").arg(case.at("direct")));
    assert_eq!(run(Command::new(case.at("direct")).arg(scratch_bytes.trim())), "direct calls agree\n");
}

#[test]
fn a_c_program_launches_through_the_library() {
    let case = Case::new();
    // Prints before the call of `cube_set_prints` are written to standard error.
    let stderr = run(Command::new(case.build("library")).arg(case.test("kernels.mlir")));
    assert_eq!(stderr, "unit 0 of 3\nunit 1 of 3\nunit 2 of 3\nlaunches agree\n");
}

#[test]
fn the_header_reads_as_cpp() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/cube.h");
    run(Command::new("g++")
        .args(["-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"])
        .arg(header));
}
