//! Runs one command in bash with a time limit. The report of a failure contains a command that repeats the
//! failure.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Time limit of a RUN line.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Maximum number of lines of each output in the report of a failure; the report contains the last lines.
const TAIL: usize = 40;

/// Runs a command in the folder `scratch`.
///
/// # Errors
/// The failure as text: the command, its exit status, a command line that repeats the failure, and the last
/// lines of the output.
pub fn run(text: &str, scratch: &Path, limit: Duration) -> Result<(), String> {
    let (out, err) = (scratch.join("stdout"), scratch.join("stderr"));
    let file = |path: &Path| File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()));
    let child = Command::new("bash")
        .arg("-c")
        .arg(format!("set -e -o pipefail\n{text}"))
        .current_dir(scratch)
        // A separate cache, so that no test depends on another test's files.
        .env("XDG_CACHE_HOME", scratch.join("cache"))
        .env("CUBE_CACHE", "off")
        .env("TMPDIR", scratch)
        .stdin(Stdio::null())
        // Output goes to files, not to pipes: a child that fills a pipe without a reader would hang.
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .process_group(0)
        .spawn();
    let child = child.map_err(|error| format!("bash did not start: {error}"))?;
    let ended = match wait(child, limit) {
        Some(status) if status.success() => return Ok(()),
        Some(status) => in_words(status),
        None => format!("did not end within {} s, and was stopped", limit.as_secs()),
    };
    let redirected: String = redirected(text).iter().map(|file| tail(file, &scratch.join(file))).collect();
    Err(format!("{ended}\nto try again:\n  {text}\n{}{redirected}{}", tail("stderr", &err), tail("stdout", &out)))
}

/// The files to which the command redirects standard error. If a command in a pipe fails, only the files of redirected
/// standard error contain its error message.
fn redirected(text: &str) -> Vec<&str> {
    let files = text.split("2>").skip(1).filter(|rest| !rest.starts_with('&')).map(str::trim_start);
    files
        .map(|rest| rest.split([' ', '|', ';', '&', ')', '\n']).next().unwrap_or_default().trim_matches(['\'', '"']))
        .filter(|file| !file.is_empty() && *file != "/dev/null")
        .collect()
}

/// Waits for the end of the child process. After the time limit, the function kills the whole process group, because
/// the child processes of bash would survive the end of bash.
fn wait(mut child: Child, limit: Duration) -> Option<ExitStatus> {
    let group = format!("kill -KILL -- -{}", child.id());
    let (sender, ended) = std::sync::mpsc::channel();
    // A waiting thread wakes immediately. Polling would add some milliseconds per line.
    std::thread::spawn(move || sender.send(child.wait()));
    if let Ok(status) = ended.recv_timeout(limit) {
        return status.ok();
    }
    // If one of these fails, the group has already ended by itself.
    let _ = Command::new("bash").args(["-c", &group]).stderr(Stdio::null()).status();
    let _ = ended.recv();
    None
}

fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        // bash returns 128 + n for a child that signal n ended.
        (Some(code), _) if code > 128 => format!("ended with exit code {code} (signal {})", code - 128),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, signal) => format!("ended by signal {}", signal.unwrap_or_default()),
    }
}

/// The last lines of a file with the title `name`; an empty text for an empty file.
fn tail(name: &str, path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(TAIL);
    if lines.is_empty() {
        return String::new();
    }
    let left_out =
        if start > 0 { format!(" ({start} lines before these in {})", path.display()) } else { String::new() };
    format!("{name}{left_out}:\n  {}\n", lines[start..].join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn fails(text: &str, limit: Duration) -> String {
        run(text, tempfile::tempdir().unwrap().path(), limit).unwrap_err()
    }

    #[test]
    fn a_failure_shows_the_command_the_code_and_both_outputs() {
        let message = fails("echo said; echo why >&2; exit 3", LIMIT);
        for part in
            ["exit code 3", "to try again:\n  echo said; echo why >&2; exit 3", "stdout:\n  said", "stderr:\n  why"]
        {
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
    }

    #[test]
    fn a_failure_inside_a_pipe_or_before_a_semicolon_counts() {
        assert!(fails("false | cat", LIMIT).contains("exit code 1"));
        assert!(fails("false; true", LIMIT).contains("exit code 1"));
    }

    #[test]
    fn pipe_failure_shows_its_redirected_standard_error() {
        let message = fails("(echo why >&2; exit 2) 2>'said.err' | cat; true", LIMIT);
        assert!(message.contains("exit code 2") && message.contains("said.err:\n  why"), "{message}");
    }

    #[test]
    fn a_crash_is_reported_with_its_signal() {
        assert!(fails("bash -c 'kill -SEGV $$'", LIMIT).contains("signal 11"));
    }

    #[test]
    fn a_hang_is_stopped_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let text = "sleep 300 & echo $! > child; wait";
        let message = run(text, folder.path(), Duration::from_millis(300)).unwrap_err();
        assert!(message.contains("did not end within"), "{message}");
        assert!(start.elapsed() < Duration::from_secs(30));
        let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
        // A killed process needs a moment to end.
        let patience = Instant::now();
        while is_running(child.trim()) {
            assert!(patience.elapsed() < Duration::from_secs(20), "the child process {child} has not ended");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether a process exists and is not a zombie; in a container, the process with number 1 collects
    /// zombies late.
    fn is_running(process: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|state| !state.contains(") Z "))
    }

    #[test]
    fn a_long_output_is_cut_to_its_end() {
        let message = fails("seq 1000; exit 1", LIMIT);
        assert!(
            message.contains("\n  1000\n") && !message.contains("\n  960\n") && message.contains("\n  961\n"),
            "{message}"
        );
    }
}
