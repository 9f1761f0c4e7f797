//! The runners of Cube's file tests.
//!
//! A test file contains its own commands. `// RUN:` lines have shell commands, with the tools called by their plain names (see
//! [`script`] for the substitutions). `tests/filecheck.rs` runs these commands; `tests/run.rs` runs each kernel of `run/` on each
//! backend. This crate does not link MLIR: it spawns the tools, so a crash of the compiler is one failed test and not the end of
//! the run.
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

/// Ends a run that cannot start, with one line. The error is not reported as a failed test: a filter could omit that test, and
/// the run would then pass without any test.
pub fn refuse(message: &str) -> std::process::ExitCode {
    eprintln!("error: {message}");
    std::process::ExitCode::FAILURE
}
