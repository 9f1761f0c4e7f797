//! `cube-layout`: layouts in CuTe notation, evaluated, printed and drawn.
//!
//! The crate is a library, so that the multi-call binary and `cube-layout` share one [`main`]. Other tools use the
//! library to draw layouts ([`html::page`], [`picture::svg`]).
#![forbid(unsafe_code)]

pub mod arguments;
pub mod batch;
pub mod files;
pub mod help;
pub mod html;
pub mod language;
pub mod picture;
pub mod report;
mod run;

use arguments::Command;
use cube_artifact::{Diagnostic, Severity, diagnostic};
use std::io::{BufWriter, stdin, stdout};
use std::process::ExitCode;

/// Exit code for an error in the input.
const INPUT: u8 = 1;
/// Exit code for an error in the options.
const USAGE: u8 = 2;

// A wrong command line has the same error code in every tool.
fn usage(message: &str) -> String {
    let why = report::plain(message);
    let why = why.strip_prefix("error: ").unwrap_or(&why);
    Diagnostic::new(Severity::Error, diagnostic!(CUBE0604.command_line { why }), None).to_string()
}

/// Runs the tool. `args[0]` is the program's name. The exit code is 0 for success, 1 for an error in the input, and 2
/// for an error in the options.
pub fn main(args: Vec<String>) -> ExitCode {
    let command = match arguments::parse(args.get(1..).unwrap_or_default()) {
        Ok(command) => command,
        Err(message) => {
            eprintln!("{}\nusage: cube-layout [options] EXPRESSION...; --help describes the options", usage(&message));
            return ExitCode::from(USAGE);
        }
    };
    let done = match command {
        Command::Help(None) => run::print(&help::all()),
        Command::Version => run::print(concat!("cube-layout ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Help(Some(function)) => match help::of(&function) {
            Ok(text) => run::print(&text),
            Err(message) => {
                eprintln!("{}", usage(&message));
                return ExitCode::from(USAGE);
            }
        },
        Command::Batch => batch::batch(stdin().lock(), BufWriter::new(stdout().lock())),
        Command::Repl(output) => run::repl(&output),
        Command::Evaluate(sources, output) => run::evaluate(&sources, &output),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(INPUT),
        // A reader that closes the pipe early has read enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", report::plain(&format!("reading or writing failed: {error}")));
            ExitCode::from(INPUT)
        }
    }
}
