//! Tests the runner on small files. A shell script replaces the compiler, and FileCheck is LLVM's program.

use super::*;
use std::os::unix::fs::PermissionsExt;

/// A folder with one test file and a shell script named `cube`. `opt FILE` prints the file by default.
struct Bench {
    folder: tempfile::TempDir,
    run: Run,
}

impl Bench {
    fn new(cube: &str, file: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("cube");
        std::fs::write(&tool, format!("#!/bin/sh\n{cube}\n")).unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(folder.path().join("a.mlir"), file).unwrap();
        let mut run = Run::new(folder.path().join("scratch"));
        (run.tools.cube, run.bless) = (tool, false);
        Bench { folder, run }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("a.mlir")
    }

    fn filecheck(&self) -> Result<Verdict, String> {
        self.run.filecheck(&self.file(), "a.mlir")
    }

    fn pinned(&self) -> PathBuf {
        self.folder.path().join("pinned/out")
    }
}

const ECHO: &str = "shift; cat \"$1\"";

#[test]
fn a_check_that_holds_passes() {
    let bench = Bench::new(ECHO, "// RUN: cube-opt %s | FileCheck %s\n// CHECK: add{{[0-9]}}\nadd1\n");
    assert_eq!(bench.filecheck(), Ok(Verdict::Passed));
}

#[test]
fn a_check_that_does_not_hold_fails_with_the_line_to_paste() {
    let text = "// RUN: cube-opt %s | FileCheck %s\n// CHECK: {{^}}mul\nadd\n";
    let bench = Bench::new(ECHO, text);
    let message = bench.filecheck().unwrap_err();
    let paste = format!("{} opt {file} | ", bench.run.tools.cube.display(), file = bench.file().display());
    assert!(message.contains(&paste), "no `{paste}` in: {message}");
    assert!(message.contains("a.mlir:1: ended with exit code 1"), "{message}");
    assert!(message.contains("expected string not found"), "{message}");
}

#[test]
fn a_crash_of_the_tool_fails_even_when_the_check_holds() {
    let crash = format!("{ECHO}; kill -SEGV $$");
    let bench = Bench::new(&crash, "// RUN: cube-opt %s | FileCheck %s\n// CHECK: add\nadd\n");
    assert!(bench.filecheck().unwrap_err().contains("signal 11"));
}

#[test]
fn not_command_accepts_an_error_and_rejects_a_crash() {
    let text = "// RUN: not cube-opt %s\n";
    assert_eq!(Bench::new("exit 1", text).filecheck(), Ok(Verdict::Passed));
    assert!(Bench::new("exit 0", text).filecheck().is_err());
    assert!(Bench::new("kill -SEGV $$", text).filecheck().is_err());
}

#[test]
fn every_run_line_counts() {
    let bench = Bench::new("exit 0", "// RUN: cube-opt %s\n// RUN: false\n// RUN: cube-opt %s\n");
    assert!(bench.filecheck().unwrap_err().contains("a.mlir:2:"));
}

#[test]
fn a_file_without_run_lines_fails() {
    assert!(Bench::new("exit 0", "// CHECK: x\n").filecheck().unwrap_err().contains("has no RUN line"));
}

#[test]
fn a_command_that_hangs_fails() {
    let mut bench = Bench::new("sleep 300", "// RUN: cube-opt %s\n");
    bench.run.limit = Duration::from_millis(200);
    assert!(bench.filecheck().unwrap_err().contains("did not end within"));
}

#[test]
fn scratch_files_of_an_earlier_run_are_deleted() {
    let bench = Bench::new("exit 0", "// RUN: test ! -e %t && touch %t && false\n");
    for _ in 0..2 {
        let message = bench.filecheck().unwrap_err();
        assert!(bench.run.scratch.join("a.mlir/a.tmp").is_file(), "{message}");
    }
}

#[test]
fn absent_requirement_skips_and_unknown_requirement_fails() {
    let requires = |word: &str| Bench::new("exit 0", &format!("// REQUIRES: {word}\n// RUN: cube-opt %s\n"));
    let Ok(Verdict::Skipped(reason)) = requires("tool:no-such-tool").filecheck() else { panic!("it ran") };
    assert_eq!(reason, "no no-such-tool on this machine");
    assert_eq!(requires("tool:bash").filecheck(), Ok(Verdict::Passed));
    assert!(requires("tol:bash").filecheck().unwrap_err().contains("is not known"));
    let mut bench = requires("backend:cuda");
    assert!(bench.filecheck().unwrap_err().contains("knows no `cuda`"));
    bench.run.backends = vec![Backend { name: "cuda".into(), absent: Some("no driver".into()) }];
    assert_eq!(bench.filecheck(), Ok(Verdict::Skipped("cuda: no driver".into())));
}

#[test]
fn a_pinned_output_is_compared_and_rewritten_only_by_bless() {
    let mut bench = Bench::new(ECHO, "// RUN: cubec %s | tail -n 1 | %pinned{out}\nadd\n");
    assert!(bench.filecheck().unwrap_err().contains("cargo xtask bless"));
    bench.run.bless = true;
    assert_eq!(bench.filecheck(), Ok(Verdict::Passed));
    assert_eq!(std::fs::read_to_string(bench.pinned()).unwrap(), "add\n");
    bench.run.bless = false;
    assert_eq!(bench.filecheck(), Ok(Verdict::Passed));
    std::fs::write(bench.pinned(), "mul\n").unwrap();
    let message = bench.filecheck().unwrap_err();
    assert!(message.contains("-mul") && message.contains("+add"), "{message}");
    assert_eq!(std::fs::read_to_string(bench.pinned()).unwrap(), "mul\n");
}

#[test]
fn a_failing_tool_never_rewrites_a_pinned_output() {
    let mut bench = Bench::new("echo half; exit 1", "// RUN: cubec %s | %pinned{out}\n");
    std::fs::create_dir(bench.folder.path().join("pinned")).unwrap();
    std::fs::write(bench.pinned(), "whole\n").unwrap();
    bench.run.bless = true;
    assert!(bench.filecheck().is_err());
    assert_eq!(std::fs::read_to_string(bench.pinned()).unwrap(), "whole\n");
    assert_eq!(std::fs::read_dir(bench.folder.path().join("pinned")).unwrap().count(), 1);
}

#[test]
fn line_with_tolerance_also_runs_against_the_interpreter() {
    let file = "// RUN-ARGS: --n 4 --check r=r.npy --ulp 2\n// RUN-ARGS: --n 5\n// SKIP: wgsl has no f64\n";
    let bench = Bench::new("echo \"$@\" >> $0.asked", file);
    let cpu = Backend { name: "cpu".into(), absent: None };
    assert_eq!(bench.run.numbers(&bench.file(), "a.mlir on cpu", &cpu), Ok(Verdict::Passed));
    let requested = std::fs::read_to_string(bench.folder.path().join("cube.asked")).unwrap();
    let file = bench.file();
    let (bisected, plain) = ("--backend cpu --bisect --bisect-folder FOLDER", "--backend cpu --against interp");
    let lines = [
        format!("{bisected} --against interp --n 5"),
        format!("{bisected} --n 4 --check r=r.npy --ulp 2"),
        format!("{plain} --n 4"),
    ];
    let lines = lines.map(|words| format!("run {} {words}\n", file.display())).concat();
    let folder = requested.lines().find_map(|line| line.split_once("--bisect-folder ")?.1.split(' ').next());
    assert_eq!(requested.replace(folder.unwrap(), "FOLDER"), lines);
    std::fs::remove_file(bench.folder.path().join("cube.asked")).unwrap();
    let interp = Backend { name: "interp".into(), absent: None };
    assert_eq!(bench.run.numbers(&bench.file(), "a.mlir on interp", &interp), Ok(Verdict::Passed));
    let requested = std::fs::read_to_string(bench.folder.path().join("cube.asked")).unwrap();
    assert_eq!(requested.lines().count(), 2);
    let wgsl = Backend { name: "wgsl".into(), absent: None };
    assert_eq!(bench.run.numbers(&file, "w", &wgsl), Ok(Verdict::Skipped("has no f64".into())));
    let hip = Backend { name: "hip".into(), absent: Some("no device".into()) };
    assert_eq!(bench.run.numbers(&file, "h", &hip), Ok(Verdict::Skipped("no device".into())));
}

#[test]
fn a_kernel_whose_check_fails_is_a_failure() {
    let bench = Bench::new("echo 'wrong number' >&2; exit 4", "// RUN-ARGS: --check x.npy\n");
    let cpu = Backend { name: "cpu".into(), absent: None };
    let message = bench.run.numbers(&bench.file(), "a.mlir on cpu", &cpu).unwrap_err();
    assert!(message.contains("exit code 4") && message.contains("wrong number"), "{message}");
}
