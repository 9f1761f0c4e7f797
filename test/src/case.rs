//! Runs one test file: checks the requirements of the file, then runs each RUN line in order.

use crate::backends::Backend;
use crate::header::{Header, Line};
use crate::script::Names;
use crate::toolbox::{Toolbox, quoted};
use crate::{bless, execute};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The outcome of a test that did not fail.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every command succeeded.
    Passed,
    /// The test did not run; the text is the reason.
    Skipped(String),
}

/// The state that all tests of a run share.
#[derive(Debug)]
pub struct Run {
    /// The programs.
    pub tools: Toolbox,
    /// The output of `cube-run --list-backends`; empty if no test needs it.
    pub backends: Vec<Backend>,
    /// The folder that contains the scratch folders of all tests.
    pub scratch: PathBuf,
    /// Whether the tests rewrite pinned outputs instead of comparing them.
    pub bless: bool,
    /// Time limit of a command.
    pub limit: Duration,
}

impl Run {
    /// A run with the tools of this build.
    #[must_use]
    pub fn new(scratch: PathBuf) -> Run {
        let (tools, bless, limit) = (Toolbox::find(), bless::is_blessing(), execute::LIMIT);
        Run { tools, backends: Vec::new(), scratch, bless, limit }
    }

    /// Runs the RUN lines of a file.
    ///
    /// # Errors
    /// The failure as text: the RUN line, a command that repeats the failure, and the output of the command.
    pub fn filecheck(&self, file: &Path, name: &str) -> Result<Verdict, String> {
        let header = read(file)?;
        if header.runs.is_empty() {
            return Err(format!(
                "{name} has no RUN line, so it tests nothing; begin it with `// RUN: cube-opt %s ...`"
            ));
        }
        if let Some(reason) = self.lacking(&header.requires)? {
            return Ok(Verdict::Skipped(reason));
        }
        self.each(&header.runs, file, name, &|line| line.text.clone())
    }

    /// Runs a kernel file on one backend. The results of each RUN-ARGS line are compared with the expected
    /// values and with the results of the interpreter. On the CPU backend, the runner also checks the result
    /// of the kernel after every pass.
    ///
    /// # Errors
    /// The errors of [`Run::filecheck`].
    pub fn numbers(&self, file: &Path, name: &str, backend: &Backend) -> Result<Verdict, String> {
        if let Some(reason) = &backend.absent {
            return Ok(Verdict::Skipped(reason.clone()));
        }
        let header = read(file)?;
        if header.run_arguments.is_empty() {
            return Err(format!("{name} has no RUN-ARGS line; add one: `// RUN-ARGS: ARGUMENTS OF cube-run`"));
        }
        let lines = match header.arguments_for(&backend.name) {
            Ok(lines) => lines,
            Err(reason) => return Ok(Verdict::Skipped(reason)),
        };
        if let Some(reason) = self.lacking(&header.requires)? {
            return Ok(Verdict::Skipped(reason));
        }
        if backend.name == INTERPRETER {
            let command = |line: &Line| format!("cube-run %s --backend {INTERPRETER} {}", line.text);
            return self.each(&lines, file, name, &command);
        }
        // One launch checks the expected values and the interpreter's values. `--ulp` applies to the expected values
        // only. semantics/tables/tolerance.toml has the allowed difference from the interpreter. On the CPU, the same process
        // checks that no pass changes the result.
        let bisected = if backend.name == BISECTED { "--bisect --bisect-folder %t.bisect " } else { "" };
        let both = |line: &Line| {
            format!("cube-run %s --backend {} {bisected}--against {INTERPRETER} {}", backend.name, line.text)
        };
        let (loose, strict): (Vec<_>, Vec<_>) =
            lines.iter().cloned().partition(|line| line.text.split_whitespace().any(|word| word == "--ulp"));
        self.each(&strict, file, name, &both)?;
        let expected = |line: &Line| format!("cube-run %s --backend {} {bisected}{}", backend.name, line.text);
        self.each(&loose, file, name, &expected)?;
        let against = |line: &Line| {
            let words = without_expectations(&line.text);
            format!("cube-run %s --backend {} --against {INTERPRETER} {words}", backend.name)
        };
        self.each(&loose, file, name, &against)
    }

    fn each(
        &self,
        lines: &[Line],
        file: &Path,
        name: &str,
        command: &dyn Fn(&Line) -> String,
    ) -> Result<Verdict, String> {
        let scratch = self.scratch.join(name.replace([' ', '/'], "-"));
        // Files of an earlier run would hide that a command no longer writes its files.
        let _ = std::fs::remove_dir_all(&scratch);
        std::fs::create_dir_all(&scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))?;
        for line in lines {
            let names = Names { tools: &self.tools, file, scratch: &scratch, bless: self.bless };
            let at = |message: String| format!("{}:{}: {message}", file.display(), line.number);
            let command = names.fill(&command(line)).map_err(at)?;
            if self.bless {
                bless::prepare(&command.pinned)?;
            }
            let result = execute::run(&command.text, &scratch, self.limit).map_err(at);
            if self.bless {
                bless::replace_or_discard(&command.pinned, result.is_ok())?;
            }
            result?;
        }
        // A failed test keeps its files for the command in the report.
        let _ = std::fs::remove_dir_all(&scratch);
        Ok(Verdict::Passed)
    }

    /// The reason why a test cannot run on this machine; `None` if the test can run.
    ///
    /// # Errors
    /// `requires` contains an unknown word. An unknown requirement is an error, because a misspelt
    /// requirement would otherwise always skip its test.
    pub fn lacking(&self, requires: &[String]) -> Result<Option<String>, String> {
        for word in requires {
            if let Some(program) = word.strip_prefix("tool:") {
                if !self.has_program(program) {
                    return Ok(Some(format!("no {program} on this machine")));
                }
            } else if let Some(name) = word.strip_prefix("backend:") {
                match self.backends.iter().find(|backend| backend.name == name) {
                    None => return Err(format!("`REQUIRES: {word}`: `cube-run --list-backends` knows no `{name}`")),
                    Some(Backend { absent: Some(reason), .. }) => return Ok(Some(format!("{name}: {reason}"))),
                    Some(_) => {}
                }
            } else if ["x86_64", "aarch64"].contains(&word.as_str()) {
                if std::env::consts::ARCH != word {
                    return Ok(Some(format!("this machine is not {word}")));
                }
            } else {
                return Err(format!(
                    "`REQUIRES: {word}` is not known; write `tool:PROGRAM`, `backend:NAME`, `x86_64` or `aarch64`"
                ));
            }
        }
        Ok(None)
    }

    fn has_program(&self, name: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        self.tools.llvm.join(name).is_file() || std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    }
}

/// The reference backend, which defines the meaning of a kernel.
const INTERPRETER: &str = "interp";

/// The backend for which the test runner also interprets the kernel after every pass of the pipeline.
const BISECTED: &str = "cpu";

// The arguments of a run without `--check` and `--ulp`.
fn without_expectations(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "--check" | "--ulp" => _ = words.next(),
            _ => kept.push(word),
        }
    }
    kept.join(" ")
}

fn read(file: &Path) -> Result<Header, String> {
    // A test can contain bytes that are not text. Its header is always text.
    let bytes = std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    Header::parse(&String::from_utf8_lossy(&bytes)).map_err(|message| format!("{}: {message}", quoted(file)))
}

#[cfg(test)]
#[path = "case_tests.rs"]
mod tests;
