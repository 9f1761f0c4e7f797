//! Handles errors of standard output and standard error. Examples of causes are a reader such as `head` that
//! has ended, and a full disk.
use cube_artifact::{Diagnostic, Severity};
use std::io::{Error, ErrorKind, Write};

/// The exit code that a shell reports for a program that the signal SIGPIPE has ended.
const BROKEN_PIPE: i32 = 141;

/// After this call, a failed write of `println!` or `eprintln!` ends the program as [`ended`] does, without a
/// panic.
pub fn end_quietly() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        // The message of the standard library: "failed printing to stdout: Broken pipe (os error 32)".
        match text.strip_prefix("failed printing to std") {
            Some(rest) if rest.contains("Broken pipe") => std::process::exit(BROKEN_PIPE),
            Some(rest) => refused(rest.split_once(": ").map_or(rest, |(_, why)| why)),
            None => before(info),
        }
    }));
}

/// Ends the program after a failed write to standard output. If the reader has ended, the program ends silently, as
/// other tools do. For any other failure, the program reports CUBE0603.
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
