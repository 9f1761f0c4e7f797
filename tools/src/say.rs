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
            let hint = match cube_backend::suggestion(&code.to_uppercase(), known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean {near}?"),
                None => "a code looks like CUBE0100;".to_string(),
            };
            eprintln!(
                "{tool}: error[CUBE0601]: there is no error code {code}; {hint} docs/reference/errors.md lists all"
            );
            ExitCode::from(USAGE)
        }
    }
}
