//! The runners of Cube's file tests.
//!
//! A test file contains the commands of its test. `// RUN:` lines have shell commands, with the tools called by their
//! plain names (see [`script`] for the substitutions). `tests/filecheck.rs` runs these commands; `tests/run.rs` runs
//! each kernel of `run/` on each backend. This crate does not link MLIR. The crate starts the tools as
//! processes, so that a crash of the compiler fails one test and does not end the test run.
#![forbid(unsafe_code)]

pub mod backends;
pub mod bless;
pub mod case;
pub mod document;
pub mod execute;
pub mod files;
pub mod header;
pub mod nested;
pub mod script;
pub mod toolbox;
pub mod walk;

/// Ends a test run that cannot start, with a message of one line. The function does not report the error as a failed
/// test, because a filter could omit that test. If a filter omitted the failed test, the run would pass
/// without any executed test.
pub fn refuse(message: &str) -> std::process::ExitCode {
    eprintln!("error: {message}");
    std::process::ExitCode::FAILURE
}
