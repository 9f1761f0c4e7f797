//! Executes statements from the command line, from files and from the interactive prompt.

use crate::arguments::{Output, Source};
use crate::language::{Session, Value};
use crate::picture::{View, panels, svg, text};
use crate::{files, html, report};
use std::io::{BufRead, IsTerminal, Read, Write, stdin, stdout};

/// Maximum size in bytes of a file with statements.
const LARGEST_FILE: u64 = 16 << 20;

/// Prints a text. The result is `true`, as for a run in which no statement failed.
pub(crate) fn print(content: &str) -> std::io::Result<bool> {
    stdout().lock().write_all(content.as_bytes()).map(|()| true)
}

/// Evaluates all sources in one session, then writes the requested pictures. The function stops at the first
/// error.
pub(crate) fn evaluate(sources: &[Source], output: &Output) -> std::io::Result<bool> {
    let mut run = Run { session: Session::default(), output, values: Vec::new() };
    for source in sources {
        let succeeded = match source {
            Source::Text(code) => run.lines(code, None)?,
            Source::File(path) => match read_file(path) {
                Ok(code) => run.lines(&code, Some(&path.display().to_string()))?,
                Err(message) => run.fail(&message),
            },
        };
        if !succeeded {
            return Ok(false);
        }
    }
    Ok(run.draw())
}

fn read_file(path: &std::path::Path) -> Result<String, String> {
    let name = path.display();
    let file =
        std::fs::File::open(path).map_err(|error| format!("cannot read {name}: {error}; name a readable file"))?;
    let mut code = Vec::new();
    file.take(LARGEST_FILE + 1)
        .read_to_end(&mut code)
        .map_err(|error| format!("cannot read {name}: {error}; name a readable file"))?;
    if code.len() as u64 > LARGEST_FILE {
        return Err(format!("{name} is larger than {LARGEST_FILE} bytes; split the file"));
    }
    String::from_utf8(code).map_err(|_| format!("{name} is not UTF-8 text; save the file as UTF-8"))
}

/// Reads statements from standard input. If the input is a terminal, errors in statements do not affect the exit
/// code, because the user sees the messages.
pub(crate) fn repl(output: &Output) -> std::io::Result<bool> {
    let terminal = stdin().is_terminal();
    let mut run = Run { session: Session::default(), output, values: Vec::new() };
    let (mut succeeded, mut line, mut number) = (true, String::new(), 0);
    if terminal {
        println!("layouts in CuTe notation; `help` lists the functions, end of input quits");
    }
    loop {
        if terminal {
            print!("> ");
            stdout().flush()?;
        }
        line.clear();
        number += 1;
        if stdin().lock().take(LARGEST_FILE).read_line(&mut line)? == 0 {
            return Ok(run.draw() && (succeeded || terminal));
        }
        match line.trim() {
            "help" => print!("{}", crate::help::all()),
            "quit" | "exit" => return Ok(run.draw() && (succeeded || terminal)),
            _ => succeeded &= run.statement(line.trim_end_matches(['\n', '\r']), number, None)?,
        }
    }
}

struct Run<'a> {
    session: Session,
    output: &'a Output,
    values: Vec<(String, Value)>,
}

impl Run<'_> {
    fn lines(&mut self, code: &str, origin: Option<&str>) -> std::io::Result<bool> {
        for (number, line) in code.lines().enumerate() {
            if !self.statement(line, number + 1, origin)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Evaluates one statement, and prints its value and the requested tables. If the statement defines a
    /// name, the method prints the name with the value.
    fn statement(&mut self, line: &str, number: usize, origin: Option<&str>) -> std::io::Result<bool> {
        let (name, value) = match self.session.run(line) {
            Ok(None) => return Ok(true),
            Ok(Some(result)) => result,
            Err(problem) => {
                eprintln!("{}", report::render(&problem, line, number, origin));
                return Ok(false);
            }
        };
        let written = value.to_string();
        let mut shown = match &name {
            Some(name) if written.contains('\n') => format!("{name} =\n  {}\n", written.replace('\n', "\n  ")),
            Some(name) => format!("{name} = {written}\n"),
            None => format!("{written}\n"),
        };
        let requested =
            [(self.output.table, View::Table), (self.output.thread_value, View::ThreadValue(self.output.tile.clone()))];
        for (_, view) in requested.into_iter().filter(|(requested, _)| *requested) {
            match panels(&value, &view) {
                Ok(panels) => {
                    let table = text(&panels);
                    // The title of a table of offsets is the value, which has just been printed.
                    let title = format!("{written}\n");
                    shown.push_str(table.strip_prefix(&title).unwrap_or(&table));
                }
                Err(message) => return Ok(self.fail(&message)),
            }
        }
        stdout().lock().write_all(shown.as_bytes())?;
        self.values.push((name.unwrap_or_else(|| line.trim().to_string()), value));
        Ok(true)
    }

    fn draw(&self) -> bool {
        if let Some(path) = &self.output.svg {
            let Some((_, value)) = self.values.last() else {
                return self.fail("nothing to draw");
            };
            let drawn = panels(value, &self.output.view()).map(|panels| svg(&panels));
            if let Err(message) = drawn.and_then(|svg| files::write(path, &svg)) {
                return self.fail(&message);
            }
        }
        if let Some(path) = &self.output.html
            && let Err(message) = files::write(path, &html::page("layouts", &self.values))
        {
            return self.fail(&message);
        }
        true
    }

    fn fail(&self, message: &str) -> bool {
        eprintln!("{}", report::plain(message));
        false
    }
}
