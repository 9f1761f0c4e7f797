//! What all tools say in the same way: errors, exit codes, explanations of codes.
pub use cube_run_cli::say::*;

use cube_driver::{explain, known_codes};
use std::process::ExitCode;

/// `--explain CODE`.
pub fn explain_code(tool: &str, code: &str) -> ExitCode {
    match explain(code) {
        Some(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        None => {
            let known: Vec<String> = known_codes();
            let hint = cube_backend::suggestion(code, known.iter().map(String::as_str)).unwrap_or("CUBE0100");
            eprintln!(
                "{tool}: error[CUBE0601]: there is no error code {code}; did you mean {hint}? codes are {}",
                known.join(" ")
            );
            ExitCode::from(USAGE)
        }
    }
}
