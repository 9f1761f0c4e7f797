//! A child process of this program reads bytecode under limits, because MLIR's reader can crash on damaged input.
use crate::input::MAX_BYTES;
use std::{
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    process::{Command, ExitStatus, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

/// The environment variable that marks a process as the child process that reads bytecode.
const MARK: &str = "CUBE_BYTECODE_CHILD";

/// Whether this process is a child process that reads bytecode.
pub fn is_child() -> bool {
    std::env::var_os(MARK).is_some()
}

/// The limits of the child process: processor time in seconds, and memory in KiB. Tests set lower limits with
/// the environment variables `CUBE_BYTECODE_SECONDS` and `CUBE_BYTECODE_KIB`.
const SECONDS: (&str, u32) = ("CUBE_BYTECODE_SECONDS", 60);
const KIB: (&str, u32) = ("CUBE_BYTECODE_KIB", 4 << 20);

/// The outcome of a child process.
pub enum ChildOutcome {
    /// The child process succeeded; the fields are its output.
    Succeeded { stdout: Vec<u8>, stderr: Vec<u8> },
    /// The child process reported an error; the text is its message.
    Refused(String),
    /// The child process crashed or exceeded a limit; the text is the reason.
    Crashed(String),
}

/// Runs this program as a child process with `bytes` as standard input.
pub fn run(args: &[&str], bytes: Vec<u8>) -> ChildOutcome {
    try_run(args, bytes)
        .unwrap_or_else(|e| ChildOutcome::Crashed(format!("the process that reads it could not be started: {e}")))
}

fn limit((variable, usual): (&str, u32)) -> u32 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

fn try_run(args: &[&str], bytes: Vec<u8>) -> std::io::Result<ChildOutcome> {
    let (seconds, kib) = (limit(SECONDS), limit(KIB));
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(format!("ulimit -t {seconds}; ulimit -v {kib}; ulimit -c 0; exec \"$0\" \"$@\""))
        .arg(crate::program::program()?)
        .args(args)
        .env(MARK, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().expect("the pipe was requested");
    let errors = child.stderr.take().expect("the pipe was requested");
    let (ended, wait) = mpsc::channel::<()>();
    let id = child.id();
    let watcher = std::thread::spawn(move || watch(id, wait));
    // A child that ends early closes the pipes; its exit status has the reason.
    let writer = std::thread::spawn(move || drop(input.write_all(&bytes)));
    let listener = std::thread::spawn(move || read_at_most(errors, 1 << 20));
    let stdout = read_at_most(child.stdout.take().expect("the pipe was requested"), MAX_BYTES + 1);
    let too_much = stdout.len() as u64 > MAX_BYTES;
    if too_much {
        let _ = child.kill();
    }
    let status = child.wait()?;
    drop(ended);
    let hung = watcher.join().unwrap_or(false);
    let _ = writer.join();
    let stderr = listener.join().unwrap_or_default();
    Ok(match () {
        () if hung => ChildOutcome::Crashed("the process that reads it stopped without a result".into()),
        () if too_much => ChildOutcome::Crashed(format!("its text is longer than {MAX_BYTES} bytes")),
        () => outcome(status, stdout, stderr, (seconds, kib)),
    })
}

/// LLVM's crash handler prints this text. A reader that damaged its memory can crash, print the text, and then still
/// end with an exit status.
const CRASH_REPORT: &[u8] = b"PLEASE submit a bug report";

// The outcome of a child process that ended by itself or at a limit.
fn outcome(status: ExitStatus, stdout: Vec<u8>, stderr: Vec<u8>, (seconds, kib): (u32, u32)) -> ChildOutcome {
    const KILLED: i32 = 9;
    const OUT_OF_TIME: i32 = 24;
    let crashed = stderr.windows(CRASH_REPORT.len()).any(|w| w == CRASH_REPORT);
    match (status.signal(), status.code()) {
        (Some(KILLED | OUT_OF_TIME), _) => {
            ChildOutcome::Crashed(format!("reading the file takes more than {seconds} s"))
        }
        (None, Some(0)) if !crashed => ChildOutcome::Succeeded { stdout, stderr },
        (None, Some(1 | 2)) if !crashed => ChildOutcome::Refused(String::from_utf8_lossy(&stderr).into_owned()),
        _ => {
            ChildOutcome::Crashed(format!("the process that reads it crashed, or needed more than {kib} KiB of memory"))
        }
    }
}

/// Idle time limit in seconds. A child process whose threads have all slept for this time is killed.
const IDLE_SECONDS: u64 = 5;

// Ends a child whose threads are all blocked. After a crash inside the allocator, the allocator's lock remains taken,
// and LLVM's signal handler waits for it. A limit on processor time does not end such a wait. Returns true if this
// function ended the child.
fn watch(id: u32, ended: mpsc::Receiver<()>) -> bool {
    let (mut last, mut since) = (None, Instant::now());
    while ended.recv_timeout(Duration::from_millis(500)) == Err(mpsc::RecvTimeoutError::Timeout) {
        let now = processor_time_of_sleeping_process(id);
        if now.is_none() || now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed().as_secs() >= IDLE_SECONDS {
            let _ = Command::new("/bin/sh").args(["-c", &format!("kill -9 {id}")]).status();
            return true;
        }
    }
    false
}

// The processor time in ticks of a process whose threads all sleep. `None` if a thread runs or nothing can be read.
fn processor_time_of_sleeping_process(id: u32) -> Option<u64> {
    let mut ticks = 0;
    for task in std::fs::read_dir(format!("/proc/{id}/task")).ok()? {
        let line = std::fs::read_to_string(task.ok()?.path().join("stat")).ok()?;
        // The fields after the name in parentheses: the state is the first, user and system time are the 12th and 13th.
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
        if fields.first() != Some(&"S") {
            return None;
        }
        ticks += fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    }
    Some(ticks)
}

// Reads at most `limit` bytes. The pipe then closes, which ends a child that continues to write.
fn read_at_most(pipe: impl Read, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = pipe.take(limit).read_to_end(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome_of(raw: i32, stderr: &str) -> ChildOutcome {
        outcome(ExitStatus::from_raw(raw), b"module {}".to_vec(), stderr.into(), (60, 1024))
    }

    #[test]
    fn crash_is_distinguished_from_rejection_for_any_exit_status() {
        let report =
            "<stdin>:0:0: error: attempting to parse a byte\nPLEASE submit a bug report to https://github.com\n";
        let status = |code: i32| code << 8;
        assert!(matches!(outcome_of(status(0), ""), ChildOutcome::Succeeded { .. }));
        assert!(matches!(outcome_of(status(1), "error: no"), ChildOutcome::Refused(message) if message == "error: no"));
        for (raw, stderr) in [(status(0), report), (status(1), report), (status(70), ""), (6, report), (11, "")] {
            assert!(
                matches!(outcome_of(raw, stderr), ChildOutcome::Crashed(why) if why.contains("crashed")),
                "{raw} {stderr}"
            );
        }
        assert!(matches!(outcome_of(9, ""), ChildOutcome::Crashed(why) if why.contains("60 s")));
    }
}
