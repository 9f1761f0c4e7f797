//! Errors and exit codes that are common to all tools.
use cube_artifact::{CompileError, Diagnostic, Message, Severity, SourceLocation, diagnostic};
use std::process::ExitCode;

/// Exit code for an error in the input.
pub const FAILED: u8 = 1;
/// Exit code for an error in the command line.
pub const USAGE: u8 = 2;

/// Maximum columns of a source line that a message shows.
const MAX_COLUMNS: usize = 400;

/// Formats a diagnostic. If the source file can be read, the text shows the source line with a mark below the
/// location.
fn format_with_source(diagnostic: &Diagnostic) -> String {
    let alone = Diagnostic { notes: vec![], ..diagnostic.clone() };
    let mut text = alone.to_string();
    if let Some(excerpt) = diagnostic.location.as_ref().and_then(excerpt) {
        text.push('\n');
        text.push_str(&excerpt);
    }
    for note in &diagnostic.notes {
        text.push_str("\n  ");
        text.push_str(&format_with_source(note).replace('\n', "\n  "));
    }
    text
}

fn excerpt(location: &SourceLocation) -> Option<String> {
    let path = std::path::Path::new(&location.file);
    if !path.is_file() {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().nth(location.line.checked_sub(1)? as usize)?;
    // Columns count bytes.
    let before = line.get(..location.column.checked_sub(1)? as usize)?;
    if line.len() > MAX_COLUMNS || line.contains('\0') {
        return None;
    }
    let blanks: String = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    Some(format!("{line}\n{blanks}^"))
}

/// Prints the error of a compilation and the command that explains the error; returns the exit code.
pub fn compile_error(error: &CompileError) -> ExitCode {
    error.diagnostics.iter().for_each(|diagnostic| eprintln!("{}", format_with_source(diagnostic)));
    let code = error.diagnostics.iter().find_map(|d| d.code.as_deref());
    if let Some(code) = code {
        eprintln!("for more about this error: cubec --explain {code}");
    }
    ExitCode::from(FAILED)
}

/// Prints a warning of a compilation that succeeded.
pub fn compile_warning(warning: &Diagnostic) {
    eprintln!("{}", format_with_source(warning));
}

/// Writes to standard output. If the reader of the output, such as `head`, has ended, the tool continues its
/// remaining work.
pub fn print(text: &str) {
    use std::io::{ErrorKind, Write};
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    drop(out);
    if let Err(error) = written.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(e) }) {
        crate::output::ended(&error);
    }
}

/// Prints an error whose text contains its code, and the command that explains the error; returns the exit
/// code.
pub fn error_with_code(text: String, code: &str) -> ExitCode {
    eprintln!("{text}\nfor more about this error: cubec --explain {code}");
    ExitCode::from(FAILED)
}

/// Prints an error with its code; returns [`FAILED`].
pub fn error(tool: &str, message: Message) -> ExitCode {
    eprintln!("{tool}: {}", Diagnostic::new(Severity::Error, message, None));
    ExitCode::from(FAILED)
}

/// Prints an error of the command line with its code; returns [`USAGE`].
pub fn wrong_usage(tool: &str, message: Message) -> ExitCode {
    error(tool, message);
    ExitCode::from(USAGE)
}

/// Prints an error of the command line, with a reference to the help of the tool; returns [`USAGE`].
pub fn usage(tool: &str, why: &str) -> ExitCode {
    wrong_usage(tool, diagnostic!(CUBE0604.usage { why, tool }))
}

/// Prints a message of clap. The exit code is 0 for the help and the version.
pub fn command_line(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let text = error.to_string();
        let why = text.strip_prefix("error: ").unwrap_or(&text);
        eprint!("{}", Diagnostic::new(Severity::Error, diagnostic!(CUBE0604.command_line { why }), None));
        ExitCode::from(USAGE)
    } else {
        print!("{error}");
        ExitCode::SUCCESS
    }
}
