//! Runs test binaries in parallel, because many test binaries have one slow test that uses only one core.
//!
//! Cargo builds the test binaries and lists them. This module starts each test binary as cargo would, and prints the
//! output of a binary after its end.

use crate::limit::{Ended, LIMIT, run_test};
use crate::shell::cargo;
use crate::tally::Tally;
use crate::test_server::Server;
use crate::workspace::target_folder;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The slowest test binaries, which start first; the slowest binary is first in the list. A slow binary that is not in
/// the list only makes the run longer.
const LONGEST: [&str; 19] = [
    "walks",
    "embed",
    "docs",
    "run",
    "filecheck",
    "starter",
    "kernels",
    "programs",
    "code_objects",
    "operations",
    "hip",
    "wrong",
    "support",
    "hostile",
    "chips",
    "documentation",
    "egraph",
    "passes",
    "gdb",
];

/// A test binary, or the examples in the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Job {
    /// Name of the cargo target.
    name: String,
    /// The path of the binary; `None` for `cargo test --doc`.
    program: Option<PathBuf>,
    /// Folder of the package, in which cargo starts the binary.
    folder: PathBuf,
}

/// Builds and runs all test binaries of the workspace, and the examples in its documentation.
///
/// # Errors
/// Cargo cannot build the binaries. A failed test is recorded in the tally and is not an error of this
/// function.
pub fn run(root: &Path, tally: &mut Tally) -> Result<(), String> {
    let libraries = library_path()?;
    // Without a server, each test loads the libraries itself.
    let server = Server::start(&target_folder(root).join("debug/cube"));
    let socket = server.as_ref().map(|server| server.socket.as_path());
    let mut jobs = built(root)?;
    jobs.push(Job { name: "documentation".into(), program: None, folder: root.to_path_buf() });
    jobs.sort_by_key(|job| LONGEST.iter().position(|name| *name == job.name).unwrap_or(LONGEST.len()));
    // One more binary than cores: while a binary waits for its last test, or for a child process, another binary runs.
    let workers = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    let (next, tally, times) = (AtomicUsize::new(0), Mutex::new(tally), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let ended = job.run(root, &libraries, socket);
                    // The lock is held while output is printed, so that the outputs of binaries do not mix. After a
                    // panic of another thread, all printed lines are complete.
                    let mut tally = tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    let processor =
                        ended.processor_time.map_or(String::new(), |s| format!(", processor time {s:.1} s"));
                    println!("    Finished {} in {:.1} s{processor}", job.name, start.elapsed().as_secs_f32());
                    let time = Time {
                        name: job.label(root),
                        elapsed: start.elapsed().as_secs_f64(),
                        processor: ended.processor_time,
                    };
                    times.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(time);
                    for line in ended.printed.lines() {
                        println!("{line}");
                    }
                    let success = ended.status.is_some_and(|status| status.success());
                    match job.program {
                        Some(_) => tally.binary(&job.name, &ended.printed, success),
                        None => tally.several(&job.name, &ended.printed, success),
                    }
                }
            });
        }
    });
    if let Some(seconds) = server.and_then(Server::end) {
        println!("    The server of the tests ended, processor time {seconds:.1} s");
    }
    let times = times.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    table(times).iter().for_each(|line| println!("    {line}"));
    Ok(())
}

/// The time of a test binary.
struct Time {
    name: String,
    elapsed: f64,
    /// Processor time of the binary and its children, in seconds.
    processor: Option<f64>,
}

/// The lines of a table with the times of the test binaries. The binary with the most processor time is first. Binaries
/// below one second share the last line.
fn table(mut times: Vec<Time>) -> Vec<String> {
    let of = |time: &Time| time.processor.unwrap_or(time.elapsed);
    times.sort_by(|a, b| of(b).total_cmp(&of(a)));
    let short = times.iter().position(|time| of(time) < 1.0).unwrap_or(times.len());
    let mut lines = vec!["Processor time, s | elapsed, s | test binary".to_string()];
    let cell = |time: &Time| time.processor.map_or("-".into(), |seconds| format!("{seconds:.1}"));
    lines.extend(
        times[..short].iter().map(|time| format!("{:>17} | {:>10.1} | {}", cell(time), time.elapsed, time.name)),
    );
    let rest = &times[short..];
    let (processor, elapsed) = (rest.iter().map(of).sum::<f64>(), rest.iter().map(|time| time.elapsed).sum::<f64>());
    lines.push(format!("{processor:>17.1} | {elapsed:>10.1} | {} others", rest.len()));
    lines
}

impl Job {
    /// The name of the binary, with the folder of its package, because several packages have a binary `kernels`.
    fn label(&self, root: &Path) -> String {
        match self.folder.strip_prefix(root) {
            Ok(folder) if self.program.is_some() => format!("{} of {}", self.name, folder.display()),
            _ => self.name.clone(),
        }
    }

    /// Runs the binary to its end. If the binary does not start, the output is the reason.
    fn run(&self, root: &Path, libraries: &OsString, socket: Option<&Path>) -> Ended {
        let mut command = match &self.program {
            Some(program) => Command::new(program),
            None => cargo(root, &["test", "--workspace", "--doc", "--no-fail-fast"]),
        };
        if self.program.is_some() {
            command.env("CARGO_MANIFEST_DIR", &self.folder).env("LD_LIBRARY_PATH", libraries);
        }
        if let Some(socket) = socket {
            command.env("CUBE_TEST_SERVER", socket);
        }
        // Mesa's software GPU compiles each kernel with LLVM. Kernels that have not changed are in its cache, also for
        // tests with a separate folder for caches.
        command.env("MESA_SHADER_CACHE_DIR", target_folder(root).join("tmp/mesa-shader-cache"));
        command.env("MESA_SHADER_CACHE_MAX_SIZE", "256M");
        command.current_dir(&self.folder).stdin(Stdio::null());
        run_test(&mut command, LIMIT, |_| ()).unwrap_or_else(|error| {
            let printed = format!("{}: {error}", self.name);
            Ended { status: None, printed, processor_time: None }
        })
    }
}

/// Builds the test binaries and returns them. [`crate::suite::build`] has built the examples.
fn built(root: &Path) -> Result<Vec<Job>, String> {
    let mut command = cargo(root, &["test", "--workspace", "--no-run", "--message-format=json"]);
    command.arg("--tests");
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo did not start: {error}"))?;
    if !output.status.success() {
        return Err("the tests do not build (see above)".into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| job(&serde_json::from_str(line).ok()?)).collect())
}

/// The test binary that a message of cargo describes; `None` for other messages.
fn job(message: &Value) -> Option<Job> {
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let program = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    Some(Job {
        name: message["target"]["name"].as_str()?.into(),
        program: Some(program.into()),
        folder: folder.to_path_buf(),
    })
}

/// The value of `LD_LIBRARY_PATH` for tests: the folder of the Rust toolchain's libraries, with which tests
/// of procedural macros are linked, and the current value.
fn library_path() -> Result<OsString, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir"]).output();
    let output = output.map_err(|error| format!("rustc did not start: {error}"))?;
    let own = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&old))).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_with_the_most_processor_time_is_first() {
        let time = |name: &str, elapsed, processor| Time { name: name.into(), elapsed, processor };
        let lines = table(vec![
            time("quick", 5.0, Some(0.2)),
            time("slow of fuzz", 3.0, Some(2.5)),
            time("unknown", 9.0, None),
            time("quicker", 1.0, Some(0.1)),
        ]);
        let names: Vec<&str> = lines.iter().filter_map(|line| line.rsplit(" | ").next()).collect();
        assert_eq!(names, ["test binary", "unknown", "slow of fuzz", "2 others"]);
        assert!(lines[3].contains("0.3 |        6.0"), "{lines:?}");
    }

    #[test]
    fn a_message_about_a_test_binary_names_it() {
        let message = |test: bool, executable: &str| {
            let text = format!(
                r#"{{"reason": "compiler-artifact", "manifest_path": "/x/fuzz/Cargo.toml", "target": {{"name": "kernels"}},
                    "profile": {{"test": {test}}}, "executable": {executable}}}"#
            );
            job(&serde_json::from_str(&text).unwrap())
        };
        let found = message(true, "\"/x/target/debug/deps/kernels-1\"").unwrap();
        assert_eq!((found.name.as_str(), found.folder), ("kernels", PathBuf::from("/x/fuzz")));
        assert_eq!(message(false, "\"/x/target/debug/cube\""), None);
        assert_eq!(message(true, "null"), None);
    }
}
