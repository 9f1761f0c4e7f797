//! Runs code objects of AMD GPUs without a GPU. An emulator executes a batch of launches and returns the buffers of
//! each launch.
//!
//! The emulator is not a part of this tree. [`Emulator::find`] looks for it in `shared/peers/amdgpu-emulator` beside
//! the checkout. The emulator's README describes the limits of the emulator. The emulator runs waves one after the
//! other, and therefore does not detect data races and missing waits.
#![forbid(unsafe_code)]
mod descriptor;
mod job;
pub mod metadata;

pub use job::{Argument, Job};

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The outcome of a launch in the emulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The buffers after the launch, in the order of the arguments.
    Ran(Vec<Vec<u8>>),
    /// The emulator does not support the code, although the code can be correct.
    Unsupported(String),
    /// The code is wrong, or a driver would refuse the launch. Examples of this outcome are a fault, an endless loop,
    /// and metadata that contradicts the launch.
    Wrong(String),
}

/// The emulator and the programs that it needs.
#[derive(Clone, Debug)]
pub struct Emulator {
    folder: PathBuf,
    cache: PathBuf,
    /// The folder with the Python package tinygrad, if the system's Python does not have tinygrad.
    library: Option<PathBuf>,
}

/// The program that runs the emulator.
const PYTHON: &str = "python3";

impl Emulator {
    /// Finds the emulator beside the checkout. The folder `cache` caches compiled instructions.
    ///
    /// # Errors
    /// The error names the missing program and explains its installation.
    pub fn find(cache: &Path) -> Result<Emulator, String> {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
        let folder = checkout.join("../shared/peers/amdgpu-emulator");
        if !folder.join("run.py").is_file() {
            return Err(format!("no emulator of AMD GPUs in {}", folder.display()));
        }
        let library = library(cache)?;
        let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
        if !succeeds(Command::new(Path::new(&prefix).join("bin/clang")).arg("--version")) {
            return Err(format!("no clang in {prefix}: the emulator compiles each instruction once"));
        }
        Ok(Emulator { folder, cache: cache.to_path_buf(), library })
    }

    /// The command with which the test library in `fake/hip.c` runs a launch.
    pub fn launcher(&self) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake/launch.py");
        let (run, cache) = (self.folder.join("run.py"), self.cache.join("instructions.db"));
        let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
        let (script, run, cache) = (script.display(), run.display(), cache.display());
        let library =
            self.library.as_ref().map(|folder| format!("CUBE_TINYGRAD={} ", folder.display())).unwrap_or_default();
        format!("env PATH={prefix}/bin:$PATH CACHEDB={cache} {library}{PYTHON} {script} {run}")
    }

    /// Runs jobs in sequence; a failed job does not affect the other jobs.
    ///
    /// # Errors
    /// The emulator cannot run. The error is the emulator's message.
    pub fn run(&self, jobs: &[Job]) -> Result<Vec<Outcome>, String> {
        let system = |error: std::io::Error| format!("the emulator's files: {error}");
        let folder = tempfile::tempdir().map_err(system)?;
        let mut list = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            list.push(job.write(number, folder.path()).map_err(system)?);
        }
        let file = folder.path().join("jobs.json");
        std::fs::write(&file, json!({ "jobs": list }).to_string()).map_err(system)?;
        std::fs::create_dir_all(&self.cache).map_err(system)?;
        let report = folder.path().join("report");
        let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
        let output = Command::new(PYTHON)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("emulate.py"))
            .arg(self.folder.join("run.py"))
            .arg(folder.path())
            .arg("--tinygrad")
            .arg(self.folder.join("tinygrad"))
            .args(["--llvm", &format!("{prefix}/bin"), "--timeout", "300"])
            // emulate.py imports tinygrad before run.py has read its arguments.
            .env("CACHEDB", self.cache.join("instructions.db"))
            .envs(self.library.iter().map(|folder| ("CUBE_TINYGRAD", folder)))
            .arg("--json")
            .arg(&report)
            .output()
            .map_err(system)?;
        let Ok(text) = std::fs::read_to_string(&report) else {
            return Err(format!("the emulator ended without a report: {}", String::from_utf8_lossy(&output.stderr)));
        };
        let verdicts: Value = serde_json::from_str(&text).map_err(|error| format!("the emulator's report: {error}"))?;
        let verdicts = verdicts["jobs"].as_array().cloned().unwrap_or_default();
        if verdicts.len() != jobs.len() {
            return Err(format!("the emulator judged {} of {} jobs", verdicts.len(), jobs.len()));
        }
        jobs.iter()
            .zip(&verdicts)
            .enumerate()
            .map(|(number, (job, verdict))| {
                let (word, note) = (verdict[1].as_str().unwrap_or_default(), verdict[2].as_str().unwrap_or_default());
                Ok(match word {
                    "unsupported" => Outcome::Unsupported(note.into()),
                    // These jobs have no expected result. After a run without faults, the emulator reports only the
                    // missing expectation.
                    "FAIL" if note == "the job expects nothing" => {
                        Outcome::Ran(job.read(number, folder.path()).map_err(system)?)
                    }
                    _ => Outcome::Wrong(format!("{word}: {note}")),
                })
            })
            .collect()
    }
}

/// The Python package that the emulator requires, with the hash of the package.
const TINYGRAD: &str =
    "tinygrad==0.14.0 --hash=sha256:d2a5bea33c637fdf105963632329876b3d3253d38295ac1ffd2ff81646d93be3\n";

/// A Python program that succeeds if Python finds this version of tinygrad. Other versions have other modules.
const HAS_TINYGRAD: &str = "from importlib.metadata import version; assert version('tinygrad') == '0.14.0'";

/// The folder of tinygrad, which pip installs once; `None` if the system's Python has this version of tinygrad.
fn library(cache: &Path) -> Result<Option<PathBuf>, String> {
    let python = |code: &str, folder: Option<&Path>| {
        succeeds(Command::new(PYTHON).args(["-c", code]).envs(folder.map(|folder| ("PYTHONPATH", folder))))
    };
    if !python("import sys; assert sys.version_info >= (3, 11)", None) {
        return Err("no Python of version 3.11: the emulator is written in it".into());
    }
    let folder = cache.join("python");
    if python(HAS_TINYGRAD, None) {
        return Ok(None);
    }
    if python(HAS_TINYGRAD, Some(&folder)) {
        return Ok(Some(folder));
    }
    // Another test can install at the same time: each test fills a separate folder, and the first folder is kept.
    let system = |error: std::io::Error| format!("the folder of tinygrad: {error}");
    std::fs::create_dir_all(cache).map_err(system)?;
    let own = tempfile::tempdir_in(cache).map_err(system)?;
    let list = own.path().join("list");
    std::fs::write(&list, TINYGRAD).map_err(system)?;
    let mut pip = Command::new(PYTHON);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--retries", "1", "--timeout", "15"]);
    pip.arg("--requirement").arg(&list).arg("--target").arg(own.path().join("python"));
    if !succeeds(&mut pip) {
        return Err("no tinygrad, and pip does not install it: pip install tinygrad==0.14.0".into());
    }
    let _ = std::fs::rename(own.path().join("python"), &folder);
    if python(HAS_TINYGRAD, Some(&folder)) { Ok(Some(folder)) } else { Err("pip installed another tinygrad".into()) }
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
