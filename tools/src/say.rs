//! What all tools say in the same way: errors, exit codes, explanations of codes.
use cube_artifact::CompileError;
use cube_driver::{explain, known_codes};
use std::process::ExitCode;

/// The input is wrong.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;

/// Prints the error of a compilation and where to read more; gives the exit code.
pub fn compile_error(error: &CompileError) -> ExitCode {
    eprintln!("{error}");
    let code = error.diagnostics.iter().find_map(|d| d.code.as_deref());
    if let Some(code) = code {
        eprintln!("for more about this error: cubec --explain {code}");
    }
    ExitCode::from(FAILED)
}

/// Writes to standard output. A reader that has seen enough and went away, as `head` does, is no error.
pub fn print(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints an error that names its code itself, and where to read more; gives the exit code.
pub fn coded(text: String, code: &str) -> ExitCode {
    eprintln!("{text}\nfor more about this error: cubec --explain {code}");
    ExitCode::from(FAILED)
}

/// Prints an error with its code; gives the exit code.
pub fn error(tool: &str, code: &str, message: &str) -> ExitCode {
    eprintln!("{tool}: error[{code}]: {message}");
    ExitCode::from(FAILED)
}

/// Prints what is wrong with the command line; gives the exit code.
pub fn usage(tool: &str, message: &str) -> ExitCode {
    eprintln!("{tool}: error[CUBE0604]: {message}; {tool} --help tells more");
    ExitCode::from(USAGE)
}

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

/// Prints what clap has to say; help and version are no errors.
pub fn command_line(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let text = error.to_string();
        eprint!("{}", text.replacen("error:", "error[CUBE0604]:", 1));
        ExitCode::from(USAGE)
    } else {
        print!("{error}");
        ExitCode::SUCCESS
    }
}
