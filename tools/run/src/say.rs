//! What all tools say in the same way: errors and exit codes.
use cube_artifact::CompileError;
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

/// Writes to standard output. A reader that went away, as `head` does, does not end the work that is left to do.
pub fn print(text: &str) {
    use std::io::{ErrorKind, Write};
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    drop(out);
    if let Err(error) = written.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(e) }) {
        crate::output::ended(&error);
    }
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
