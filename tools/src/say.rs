//! Errors, exit codes and explanations of error codes, which are common to all tools.
pub use cube_run_cli::say::*;

use cube_artifact::{Argument, ArgumentKind, CompileError, Diagnostic, SourceLocation};
use cube_driver::{explain, known_codes};
use serde_json::{Map, Value};
use std::process::ExitCode;

/// Converts a diagnostic to a JSON object with the fields `severity`, `code`, `rule`, `op`, `location`,
/// `arguments` (by name), `message` and `notes`. A missing field is null, and a numeric argument is a JSON number.
pub fn json(diagnostic: &Diagnostic) -> Value {
    let value = |argument: &Argument| match (argument.kind, argument.value.parse::<i64>()) {
        (ArgumentKind::Number, Ok(number)) => number.into(),
        _ => Value::from(argument.value.as_str()),
    };
    let arguments: Map<String, Value> = diagnostic.args.iter().map(|a| (a.name.clone(), value(a))).collect();
    let location = |location: &SourceLocation| serde_json::json!({"file": location.file, "line": location.line, "column": location.column});
    serde_json::json!({
        "severity": diagnostic.severity.word(),
        "code": diagnostic.code,
        "rule": diagnostic.rule,
        "op": diagnostic.op,
        "location": diagnostic.location.as_ref().map(location),
        "arguments": arguments,
        "message": diagnostic.message,
        "notes": diagnostic.notes.iter().map(json).collect::<Vec<_>>(),
    })
}

/// Prints the error of a compilation as one JSON object per diagnostic and line; returns the exit code.
pub fn compile_error_as_json(error: &CompileError) -> ExitCode {
    error.diagnostics.iter().for_each(|diagnostic| eprintln!("{}", json(diagnostic)));
    ExitCode::from(FAILED)
}

/// Implements the option `--explain CODE`.
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
            wrong_usage(tool, cube_artifact::diagnostic!(CUBE0601.code { code, hint }))
        }
    }
}
