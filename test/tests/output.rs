//! Tests output to a pipe without a reader, and output that cannot be written. `cube-opt ... | head` ends as
//! `mlir-opt ... | head` does, and a full disk is one message. No tool panics or prints LLVM's request for a bug report.
#![forbid(unsafe_code)]

use cube_test::toolbox::Toolbox;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// Commands that print to standard output, each as the arguments of `cube`.
const COMMANDS: &[&[&str]] = &[
    &["opt", "KERNEL"],
    &["opt", "KERNEL", "--compile-to=lower"],
    &["opt", "KERNEL", "--compile-to=lower", "--diff"],
    &["opt", "--show-pipeline=cpu"],
    &["opt", "--help"],
    &["opt", "--explain", "CUBE0100"],
    &["c", "KERNEL", "--emit", "lower", "-o", "-"],
    &["c", "--list-targets"],
    &["c", "--help"],
    &["run", "--help"],
    &["reduce", "--help"],
    &["docs", "--help"],
    &["demo", "--help"],
    &["--help"],
];

/// The exit code that a shell reports for a process that the signal SIGPIPE has ended.
const BROKEN_PIPE: i32 = 141;

struct ToolOutput {
    code: Option<i32>,
    stderr: String,
}

fn tool(words: &[&str]) -> Command {
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/kernels/gelu.mlir");
    let mut command = Command::new(Toolbox::find().cube);
    command.args(words.iter().map(|word| if *word == "KERNEL" { kernel.as_os_str() } else { word.as_ref() }));
    command.stdin(Stdio::null());
    command
}

/// The writing end of a pipe whose reading end is closed.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("/dev/full is there").into()
}

fn run(words: &[&str], stdout: Stdio) -> ToolOutput {
    let output = tool(words).stdout(stdout).stderr(Stdio::piped()).spawn().and_then(|child| child.wait_with_output());
    let output = output.expect("the tool starts");
    ToolOutput { code: output.status.code(), stderr: String::from_utf8_lossy(&output.stderr).into_owned() }
}

#[test]
fn a_closed_pipe_ends_every_tool_silently() {
    for words in COMMANDS {
        let ended = run(words, closed());
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(BROKEN_PIPE), ""), "cube {words:?}");
    }
}

#[test]
fn a_full_disk_is_one_message() {
    for words in COMMANDS {
        let ended = run(words, full());
        assert_eq!(ended.code, Some(1), "cube {words:?}: {}", ended.stderr);
        let first = ended.stderr.lines().next().unwrap_or_default();
        let reported = first.contains("error[CUBE0603]: cannot write ") && first.contains("No space left on device");
        assert!(reported && ended.stderr.lines().count() <= 2, "cube {words:?}: {}", ended.stderr);
    }
}

/// A tool prints messages to standard error, whose reader can end before the tool.
#[test]
fn a_closed_standard_error_ends_a_failing_tool() {
    let cases: &[&[&str]] = &[&["opt", "none.mlir"], &["c", "none.mlir"], &["opt", "KERNEL", "--emit-unit-loops"]];
    for words in cases {
        let status = tool(words).stdout(Stdio::null()).stderr(closed()).status().expect("the tool starts");
        assert_eq!(status.code(), Some(BROKEN_PIPE), "cube {words:?}");
        let status = tool(words).stdout(Stdio::null()).stderr(full()).status().expect("the tool starts");
        assert_eq!(status.code(), Some(1), "cube {words:?}");
    }
}
