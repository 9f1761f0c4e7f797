//! Tests every tool with hostile input, in child processes with a time limit. For any input, the tool must end with an
//! exit code and one message with an error code, and must not write a partial file. `CUBE_HOSTILE=10` runs ten times as
//! many mutations.
#![forbid(unsafe_code)]

mod bytecode;
mod clients;
mod files;
mod growth;
mod nesting;
mod texts;

use cube_test::toolbox::Toolbox;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Time limit of a tool for any input of these tests, on a busy machine.
const LIMIT: Duration = Duration::from_secs(40);

/// The folder of one test, which contains the input file of the tool.
struct Bench {
    folder: tempfile::TempDir,
    cube: PathBuf,
    start: PathBuf,
}

/// The outcome of one run of a tool.
#[derive(Debug)]
struct ToolOutput {
    code: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl Bench {
    fn new() -> Bench {
        let tools = Toolbox::find();
        if let Err(message) = tools.check() {
            panic!("{message}");
        }
        Bench { folder: tempfile::tempdir().unwrap(), start: tools.start(), cube: tools.cube }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Runs `cube WORDS`; a signal, a time-out, a panic or a backtrace fails the test.
    fn run(&self, words: &[&str]) -> ToolOutput {
        self.run_with(words, &[])
    }

    fn run_with(&self, words: &[&str], environment: &[(&str, &str)]) -> ToolOutput {
        self.run_on(words, environment, b"")
    }

    fn run_on(&self, words: &[&str], environment: &[(&str, &str)], input: &[u8]) -> ToolOutput {
        std::fs::write(self.path(".stdin"), input).unwrap();
        let (out, err) = (self.path(".stdout"), self.path(".stderr"));
        let file = |path: &Path| std::fs::File::create(path).unwrap();
        let mut child = Command::new(&self.start)
            .args(words)
            .envs(environment.iter().copied())
            .current_dir(self.folder.path())
            .stdin(std::fs::File::open(self.path(".stdin")).unwrap())
            .stdout(file(&out))
            .stderr(file(&err))
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if start.elapsed() > LIMIT => {
                    let _ = child.kill();
                    let _ = child.wait();
                    panic!("cube {words:?} did not end within {} s", LIMIT.as_secs());
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let stderr = String::from_utf8_lossy(&std::fs::read(&err).unwrap()).into_owned();
        assert_eq!(status.signal(), None, "cube {words:?} was ended by a signal:\n{stderr}");
        for word in ["panicked", "Stack dump", "PLEASE submit", "RUST_BACKTRACE"] {
            assert!(!stderr.contains(word), "cube {words:?} shows internal text:\n{stderr}");
        }
        ToolOutput { code: status.code().unwrap(), stdout: std::fs::read(&out).unwrap(), stderr }
    }

    /// Passes `input` to every tool that reads kernels. Each tool must refuse the input with the error code
    /// `code`, and must not write a file.
    fn refused(&self, input: &str, code: &str) {
        let before = self.names();
        let tools: [&[&str]; 5] = [
            &["opt", input, "-o", "out"],
            &["c", input, "-o", "out"],
            &["run", input, "--describe"],
            &["run", input, "--backend", "interp", "--describe"],
            &["reduce", input, "--fails", "crash", "-o", "out"],
        ];
        for words in tools {
            let ended = self.run(words);
            assert!(matches!(ended.code, 1 | 2), "cube {words:?} ended with {}:\n{}", ended.code, ended.stderr);
            assert!(ended.stderr.contains(code), "cube {words:?} does not name {code}:\n{}", ended.stderr);
            assert_eq!(self.names(), before, "cube {words:?} left a file");
        }
    }

    /// Passes `input` to a tool that can accept or refuse it. The tool must write either a complete output, or an error
    /// code and no output.
    fn accepted_or_refused(&self, words: &[&str]) -> ToolOutput {
        let output = self.path("out");
        let _ = std::fs::remove_file(&output);
        let before = self.names();
        let ended = self.run(words);
        if ended.code == 0 {
            assert!(output.metadata().is_ok_and(|m| m.len() > 0), "cube {words:?} made nothing");
        } else {
            assert!(matches!(ended.code, 1 | 2), "cube {words:?} ended with {}", ended.code);
            assert!(ended.stderr.contains("CUBE0"), "cube {words:?} has no error code:\n{}", ended.stderr);
            assert_eq!(self.names(), before, "cube {words:?} left a file");
        }
        ended
    }

    /// The files in the folder, except the tool's input and captured output.
    fn names(&self) -> Vec<String> {
        let names = self.folder.path().read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> =
            names.filter(|n| ![".stdin", ".stdout", ".stderr"].contains(&n.as_str())).collect();
        names.sort();
        names
    }
}

/// The kernels of `examples/kernels`, by name.
fn examples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/kernels");
    let mut paths: Vec<PathBuf> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mlir"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .into_iter()
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&p).unwrap()))
        .collect()
}

/// Number of mutations of an input; `usual` is the number in CI.
fn rounds(usual: usize) -> usize {
    usual * std::env::var("CUBE_HOSTILE").ok().and_then(|v| v.parse().ok()).unwrap_or(1)
}

/// Random numbers with a fixed seed (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % limit.max(1)
    }
}
