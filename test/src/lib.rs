//! The runners of Cube's file tests.
//!
//! A test is a file that says itself how it is run: `// RUN:` lines hold shell commands, with the tools called by
//! their plain names (see [`script`] for the words that are replaced). `tests/filecheck.rs` runs those;
//! `tests/run.rs` runs each kernel of `run/` on each backend. Nothing here links MLIR: the tools are spawned, so a
//! crash of the compiler is one failed test and not the end of the run.
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

/// Ends a run that cannot begin, in one line. No test is made of it: a filter would leave that test out, and the run
/// would pass with nothing run.
pub fn refuse(message: &str) -> std::process::ExitCode {
    eprintln!("error: {message}");
    std::process::ExitCode::FAILURE
}
