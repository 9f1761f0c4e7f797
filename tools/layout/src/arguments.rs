//! The command line.

use crate::language::nearest;
use crate::picture::View;
use cube_algebra::{Cursor, Nest};
use std::path::PathBuf;

/// The task that the command line requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Print the help, or the help of one function.
    Help(Option<String>),
    /// Print the version.
    Version,
    /// Answer JSON requests.
    Batch,
    /// Read statements from standard input, one per line.
    Repl(Output),
    /// Evaluate the statements of the given sources.
    Evaluate(Vec<Source>, Output),
}

/// A source of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An argument.
    Text(String),
    /// A file with one statement per line.
    File(PathBuf),
}

/// The requested output in addition to the value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Print a table of offsets.
    pub table: bool,
    /// Print a table of threads and values.
    pub thread_value: bool,
    /// The extents of the tile in thread-value tables.
    pub tile: Option<Vec<u64>>,
    /// Write a picture of the last value to this file.
    pub svg: Option<PathBuf>,
    /// Write a page with pictures of all values to this file.
    pub html: Option<PathBuf>,
}

impl Output {
    /// The view that pictures show.
    pub fn view(&self) -> View {
        match (self.thread_value || self.tile.is_some(), self.table) {
            (true, _) => View::ThreadValue(self.tile.clone()),
            (_, true) => View::Table,
            _ => View::Default,
        }
    }
}

const OPTIONS: &[&str] = &["--help", "--version", "--file", "--table", "--tv", "--tile", "--svg", "--html"];

/// Parses the arguments after the program's name.
///
/// # Errors
/// The error is a message for the user.
pub fn parse(arguments: &[String]) -> Result<Command, String> {
    let (mut sources, mut output, mut words) = (Vec::new(), Output::default(), true);
    let mut rest = arguments.iter();
    let mut word = None;
    while let Some(argument) = rest.next() {
        let (name, joined) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_string())),
            _ => (argument.as_str(), None),
        };
        let mut value = |what: &str| {
            joined.clone().or_else(|| rest.next().cloned()).ok_or_else(|| format!("{name} requires {what}"))
        };
        match name {
            _ if !words => sources.push(Source::Text(argument.clone())),
            "--" => words = false,
            "-h" | "--help" => return Ok(Command::Help(None)),
            "-V" | "--version" => return Ok(Command::Version),
            "-f" | "--file" => sources.push(Source::File(value("a file")?.into())),
            "--table" => output.table = true,
            "--tv" => output.thread_value = true,
            "--tile" => output.tile = Some(tile(&value("a shape such as '(16,256)'")?)?),
            "--svg" => output.svg = Some(value("a file")?.into()),
            "--html" => output.html = Some(value("a file")?.into()),
            "batch" | "repl" | "help" if sources.is_empty() && word.is_none() => word = Some(name.to_string()),
            _ if name.starts_with('-') => {
                return Err(match nearest(name, OPTIONS.iter().copied()) {
                    Some(close) => format!("unknown option {name}; did you mean {close}?"),
                    None => format!("unknown option {name}; run cube-layout --help for the options"),
                });
            }
            _ => sources.push(Source::Text(argument.clone())),
        }
    }
    match (word.as_deref(), &sources[..]) {
        (None, []) => Err("nothing to evaluate; pass an expression, -f FILE, repl or batch".into()),
        (None, _) => Ok(Command::Evaluate(sources, output)),
        (Some("help"), []) => Ok(Command::Help(None)),
        (Some("help"), [Source::Text(function)]) => Ok(Command::Help(Some(function.clone()))),
        (Some("repl"), []) => Ok(Command::Repl(output)),
        (Some("batch"), []) if output == Output::default() => Ok(Command::Batch),
        (Some(word), _) => Err(format!("`{word}` does not accept other arguments; remove them")),
    }
}

fn tile(text: &str) -> Result<Vec<u64>, String> {
    let mut cursor = Cursor::new(text);
    let shape = cursor.numbers().and_then(|shape| cursor.end().map(|()| shape));
    let shape = shape.map_err(|error| format!("--tile {text}: {error}"))?;
    let items = match shape {
        Nest::Leaf(extent) => return Ok(vec![extent]),
        Nest::Tuple(items) => items,
    };
    let flat = items.into_iter().map(|item| match item {
        Nest::Leaf(extent) if extent > 0 => Ok(extent),
        _ => Err(format!("--tile {text} is not a flat shape of extents of at least 1; write for example (16,256)")),
    });
    flat.collect()
}

#[cfg(test)]
mod tests {
    use super::{Command, Output, Source, parse};

    fn read(arguments: &[&str]) -> Result<Command, String> {
        parse(&arguments.iter().map(|argument| argument.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn options_and_statements_mix() {
        let output = Output { table: true, tile: Some(vec![16, 256]), svg: Some("a.svg".into()), ..Output::default() };
        let sources = vec![Source::Text("A = 4:1".into()), Source::File("b.lay".into()), Source::Text("-f".into())];
        let read = read(&["A = 4:1", "--table", "--svg=a.svg", "-f", "b.lay", "--tile", "(16,256)", "--", "-f"]);
        assert_eq!(read, Ok(Command::Evaluate(sources, output)));
    }

    #[test]
    fn invalid_command_line_is_rejected() {
        let message = |arguments: &[&str]| read(arguments).unwrap_err();
        assert!(message(&[]).contains("nothing to evaluate"));
        assert!(message(&["--tabel", "4:1"]).contains("did you mean --table?"));
        assert!(message(&["--frobnicate"]).contains("cube-layout --help"));
        assert!(message(&["--svg"]).contains("--svg requires a file"));
        assert!(message(&["batch", "4:1"]).contains("`batch` does not accept other arguments"));
        assert!(message(&["--tile", "(4,(2,2))", "4:1"]).contains("a flat shape"));
        assert!(message(&["--tile", "(4,", "4:1"]).contains("--tile (4,: expected a number"));
        assert_eq!(read(&["help", "slice"]), Ok(Command::Help(Some("slice".into()))));
    }
}
