//! Errors on standard output and standard error: a reader such as `head` that ended, or a full disk.
use cube_artifact::{Diagnostic, Severity};
use std::io::{Error, ErrorKind, Write};

/// The exit code that a shell reports for a program that a closed pipe ended.
const BROKEN_PIPE: i32 = 141;

/// Makes `println!` and `eprintln!` end the program as [`ended`] does, instead of the standard library's panic.
pub fn end_quietly() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        // The words of the standard library: "failed printing to stdout: Broken pipe (os error 32)".
        match text.strip_prefix("failed printing to std") {
            Some(rest) if rest.contains("Broken pipe") => std::process::exit(BROKEN_PIPE),
            Some(rest) => refused(rest.split_once(": ").map_or(rest, |(_, why)| why)),
            None => before(info),
        }
    }));
}

/// Ends the program after a failed write to standard output: silently if the reader ended, as other tools do, and
/// otherwise with CUBE0603.
pub fn ended(error: &Error) -> ! {
    match error.kind() {
        ErrorKind::BrokenPipe => std::process::exit(BROKEN_PIPE),
        _ => refused(&error.to_string()),
    }
}

fn refused(why: &str) -> ! {
    // Standard error can be the stream that fails.
    let message = cube_artifact::diagnostic!(CUBE0603.output { why });
    let _ = writeln!(std::io::stderr(), "{}", Diagnostic::new(Severity::Error, message, None));
    std::process::exit(1)
}
