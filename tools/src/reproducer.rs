//! `--reproducer FILE` runs the command in a child. If the command fails or crashes, the tool writes one `.mlir` file
//! with the kernel and all data of the failure. The data of the failure are the command, the environment variables,
//! the pipeline, the target, the limits of the device, the launch, the paths of input files, and the outcome.
//! `--replay FILE` runs the command again and compares the outcome.
//!
//! The data of the failure are at the end of the file, so that the locations in messages stay valid.
mod notes;
pub use notes::codes_in;

use crate::{input, say};
use cube_artifact::CompileError;
use notes::Notes;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The properties of a command that are known before the command runs.
#[derive(Default)]
pub struct CommandFacts {
    /// The passes, as the text of a pipeline.
    pub pipeline: Option<String>,
    /// The target with its chip.
    pub target: Option<String>,
    /// Limits of the device, one per line.
    pub device: Vec<String>,
    /// The launches, one per line.
    pub launch: Vec<String>,
}

/// Environment variables that affect the outcome of a command. A reproducer must not set other variables, because they
/// name programs and folders of a machine.
const VARIABLES: [&str; 5] =
    ["CUBE_CPU_GUARD", "CUBE_CPU_THREADS", "CUBE_CPU_TIME_LIMIT", "CUBE_CUDA_DEVICE", "CUBE_DEBUG"];

/// The variables of [`VARIABLES`] that are set, with their values.
fn environment() -> Vec<(String, String)> {
    let set = |name: &&str| Some((name.to_string(), std::env::var(name).ok().filter(|value| !value.is_empty())?));
    VARIABLES.iter().filter_map(set).collect()
}

/// The outcome of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Outcome {
    /// `exit 1`, `signal 11`.
    end: String,
    /// The distinct error codes that the command reported, in order.
    codes: Vec<String>,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.end)?;
        if self.codes.is_empty() { Ok(()) } else { write!(f, " with {}", self.codes.join(", ")) }
    }
}

/// Runs a command line without the option `--reproducer`. The first word of the command line is the name of the
/// tool. If the command fails, the function writes the reproducer `file`. A wrong command line is not such a
/// failure.
pub fn record(tool: &str, words: &[String], input: Option<&str>, file: &Path, known: &CommandFacts) -> ExitCode {
    match try_record(tool, words, input, file, known) {
        Ok(code) => code,
        Err(error) => say::compile_error(&error),
    }
}

fn try_record(
    tool: &str,
    words: &[String],
    input: Option<&str>,
    file: &Path,
    known: &CommandFacts,
) -> Result<ExitCode, CompileError> {
    let name = input.unwrap_or("-");
    let source = input::read(name)?;
    let mut words = without_option(&words[1..], "--reproducer");
    let position = words.iter().position(|word| input == Some(word.as_str()));
    let variables = environment();
    let ended = run(tool, &words, &variables, (name == "-").then_some(source.as_slice()))?;
    if ended.code == Some(0) || ended.code == Some(i32::from(say::USAGE)) {
        return Ok(ended.exit_code());
    }
    match position {
        Some(at) => words[at] = "%s".into(),
        None => words.push("%s".into()),
    }
    let mut files = Vec::new();
    for word in &mut words {
        absolute(word, &mut files);
    }
    let text = input::as_source(name, source)?;
    let (outcome, known) = (ended.outcome.clone(), notes::lines(known));
    let notes = Notes { tool: tool.into(), words, variables, files, outcome, known };
    input::write(&file.to_string_lossy(), &[notes::strip(&text), notes.text().as_bytes()].concat())?;
    eprintln!("note: {} ended by {}; to run it again: {tool} --replay {}", tool, ended.outcome, file.display());
    Ok(ended.exit_code())
}

/// The lines that `cube-run --describe` prints for the command line `words`; empty if the tool cannot start.
pub fn described(words: &[String]) -> Vec<String> {
    let words = without_option(&words[1..], "--reproducer");
    let targets = crate::program::program().and_then(|exe| {
        Command::new(exe)
            .arg("cube-run")
            .args(words)
            .arg("--describe")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
    });
    let text = targets.map(|t| String::from_utf8_lossy(&t.stdout).into_owned()).unwrap_or_default();
    text.lines().map(|line| line.trim().to_string()).collect()
}

/// Runs the command in a file that [`record`] has written. Returns the exit code of the command.
pub fn replay(tool: &str, file: &Path) -> ExitCode {
    match try_replay(file) {
        Ok((ended, recorded)) if ended.outcome == recorded => {
            eprintln!("note: the same outcome as recorded: {recorded}");
            ended.exit_code()
        }
        Ok((ended, recorded)) => {
            let code = ended.exit_code();
            let outcome = &ended.outcome;
            let reported = say::error(tool, cube_artifact::diagnostic!(CUBE0613.outcome { outcome, recorded }));
            // A command that succeeds now has not reproduced the failure.
            if ended.code == Some(0) { reported } else { code }
        }
        Err(error) => say::compile_error(&error),
    }
}

fn try_replay(file: &Path) -> Result<(ToolOutcome, Outcome), CompileError> {
    let path = file.to_string_lossy();
    let bytes = input::read(&path)?;
    let notes = Notes::read(&bytes)
        .map_err(|why| CompileError::from(cube_artifact::diagnostic!(CUBE0612.file { file: path, why })))?;
    let mut words = notes.words;
    for (name, hash) in &notes.files {
        let found = present(file, Path::new(name));
        let same = std::fs::read(&found).is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == hash);
        if !same {
            return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0612.input { input: name, file: path })));
        }
        words.iter_mut().for_each(|word| *word = word.replace(name, &found.to_string_lossy()));
    }
    words.iter_mut().filter(|word| *word == "%s").for_each(|word| *word = path.to_string());
    Ok((run(&notes.tool, &words, &notes.variables, None)?, notes.outcome))
}

// The file at its path, or a file of the same name beside the reproducer.
fn present(reproducer: &Path, name: &Path) -> PathBuf {
    let beside = reproducer.parent().unwrap_or(Path::new("")).join(name.file_name().unwrap_or_default());
    if name.exists() { name.into() } else { beside }
}

// In `NAME=FILE`, makes the path of the file absolute. A hash identifies the file's content.
fn absolute(word: &mut String, files: &mut Vec<(String, String)>) {
    let Some((name, path)) = word.split_once('=') else { return };
    let data = path.ends_with(".npy") || path.ends_with(".png");
    let Some(whole) = Path::new(path).canonicalize().ok().filter(|_| data) else { return };
    let Ok(bytes) = std::fs::read(&whole) else { return };
    let whole = whole.to_string_lossy().into_owned();
    files.push((whole.clone(), blake3::hash(&bytes).to_hex().to_string()));
    *word = format!("{name}={whole}");
}

fn without_option(words: &[String], option: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == option {
            words.next();
        } else if !word.starts_with(&format!("{option}=")) {
            kept.push(word.clone());
        }
    }
    kept
}

/// The outcome of a child process that has ended.
struct ToolOutcome {
    code: Option<i32>,
    outcome: Outcome,
}

impl ToolOutcome {
    fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code.and_then(|code| u8::try_from(code).ok()).unwrap_or(say::FAILED))
    }
}

// Runs the tool in a child process. The child gets `variables` instead of the current values of
// [`VARIABLES`]. Standard error is shown and recorded.
fn run(
    tool: &str,
    words: &[String],
    variables: &[(String, String)],
    stdin: Option<&[u8]>,
) -> Result<ToolOutcome, CompileError> {
    let fail = |e: std::io::Error| CompileError::from(cube_artifact::diagnostic!(CUBE0602.child { tool, error: e }));
    let mut command = Command::new(crate::program::program().map_err(fail)?);
    VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    let mut child = command
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .arg(tool)
        .args(words)
        .stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stderr(Stdio::piped())
        .spawn()
        .map_err(fail)?;
    let mut errors = child.stderr.take().expect("the pipe was requested");
    let listener = std::thread::spawn(move || {
        let (mut recorded, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(length @ 1..) = errors.read(&mut chunk) {
            let _ = std::io::stderr().write_all(&chunk[..length]);
            if recorded.len() < 1 << 20 {
                recorded.extend_from_slice(&chunk[..length]);
            }
        }
        recorded
    });
    if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // A child that ends early closes the pipe. Its exit status has the reason.
        let _ = pipe.write_all(bytes);
    }
    let status = child.wait().map_err(fail)?;
    let standard_error = listener.join().unwrap_or_default();
    let end = match status.signal() {
        Some(signal) => format!("signal {signal}"),
        None => format!("exit {}", status.code().unwrap_or(-1)),
    };
    let outcome = Outcome { end, codes: notes::codes_in(&String::from_utf8_lossy(&standard_error)) };
    Ok(ToolOutcome { code: status.code(), outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproducer_option_is_removed_in_both_spellings() {
        let words: Vec<String> = ["k.mlir", "--reproducer", "a", "--x", "--reproducer=b", "y"].map(String::from).into();
        assert_eq!(without_option(&words, "--reproducer"), ["k.mlir", "--x", "y"]);
    }
}
