//! Runs test binaries with a time limit.
//!
//! At the limit, the binary and all processes that it started are ended, and a last line names the tests without a
//! result. A process belongs to a binary if the process descends from the binary, or if the process has the binary's
//! value of the environment variable [`MARK`]. Only the variable finds a descendant whose parent has ended. The binary
//! stays in the process group of this process, because the interrupt of a terminal ends only that group.

use crate::processor_time::{self, Times};
use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Time limit of a test binary; the slowest binary takes five minutes on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(20 * 60);

/// The start of the line that reports a binary at its time limit.
pub const ENDED: &str = "ended at the time limit: ";

/// Environment variable whose value only the processes of one binary have.
const MARK: &str = "XTASK_TEST_PROCESS";

/// Time limit for the list of the tests of a binary.
const LIST_LIMIT: Duration = Duration::from_secs(10);

/// The maximum number of tests that the report names.
const NAMED: usize = 8;

/// The processes of the system, in a folder for each process.
const PROCESSES: &str = "/proc";

/// The end of a program that ran with a time limit.
#[derive(Debug)]
pub struct Ended {
    /// The exit status; `None` at the time limit.
    pub status: Option<ExitStatus>,
    /// Standard output and standard error.
    pub printed: String,
    /// Processor time of the program and of its children, in seconds; `None` at the time limit, and on systems without
    /// Linux's `/proc`.
    pub processor_time: Option<f64>,
}

/// Runs a test binary to its end or to the time limit. At the limit, the output ends with the report. `seen` receives
/// each new part of the output while the binary runs.
///
/// # Errors
/// The binary does not start, or the file for its output cannot be written.
pub fn run_test(command: &mut Command, limit: Duration, mut seen: impl FnMut(&str)) -> std::io::Result<Ended> {
    let mut ended = output(command, limit, &mut seen)?;
    if ended.status.is_none() {
        let report = format!("\n{ENDED}{}\n", report(command, limit, &ended.printed));
        seen(&report);
        ended.printed += &report;
    }
    Ok(ended)
}

/// The task `run-test`: runs a test binary with a time limit, and prints the output while the binary runs.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let usage = || "name the time limit in seconds and the test binary: cargo xtask run-test 60 BINARY".to_string();
    let [seconds, program, arguments @ ..] = arguments else { return Err(usage()) };
    let limit = Duration::from_secs(seconds.parse().map_err(|_| usage())?);
    let print = |part: &str| {
        let mut stdout = std::io::stdout();
        // Without a reader of the output, the binary still runs to its end.
        let _ = stdout.write_all(part.as_bytes()).and_then(|()| stdout.flush());
    };
    let mut command = Command::new(program);
    // With this variable, the examples of documentation run in a process for each example. Rustdoc sets the variable
    // only if it starts the binary itself.
    command.args(arguments).env("RUSTDOC_DOCTEST_BIN_PATH", program);
    let ended = run_test(&mut command, limit, print);
    match ended.map_err(|error| format!("{program}: {error}"))?.status {
        Some(status) if status.success() => Ok(()),
        Some(status) if status.code().is_none() => Err(format!("{program} ended with {status}")),
        _ => Err(String::new()),
    }
}

/// A value of cargo's option `--config`, with which cargo starts each test binary by the task `run-test` of the program
/// `xtask`.
pub fn runner(xtask: &Path, limit: Duration) -> String {
    // A string of JSON is also a string of TOML.
    let words = [&xtask.to_string_lossy(), "run-test", &limit.as_secs().to_string()]
        .map(|word| serde_json::Value::from(word).to_string());
    format!("target.'cfg(all())'.runner=[{}]", words.join(", "))
}

/// Runs a program to its end or to the time limit. Standard output and standard error go to one file, in the order of
/// writing.
fn output(command: &mut Command, limit: Duration, mut seen: impl FnMut(&str)) -> std::io::Result<Ended> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let mark = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(format!("cube-test-{mark}"));
    let both = std::fs::File::create(&path)?;
    let mut written = std::fs::File::open(&path)?;
    // The open file stays readable until the end of this function.
    std::fs::remove_file(&path)?;
    let mut child = command.env(MARK, &mark).stdout(both.try_clone()?).stderr(both).spawn()?;
    let start = Instant::now();
    let (mut bytes, mut shown, mut processor_time) = (Vec::new(), 0, None);
    loop {
        // A child that has ended keeps its times until it is waited for.
        let mut status = match processor_time::of(child.id()) {
            Some(Times { ended: false, .. }) => None,
            Some(times) => {
                processor_time = Some(times.seconds);
                Some(child.wait()?)
            }
            None => child.try_wait()?,
        };
        let late = status.is_none() && start.elapsed() >= limit;
        if late {
            end(child.id(), &mark)?;
            status = Some(child.wait()?);
        }
        written.read_to_end(&mut bytes)?;
        // Only whole lines are shown, so that a character is not divided.
        let lines =
            if status.is_some() { bytes.len() } else { bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1) };
        if lines > shown {
            seen(&String::from_utf8_lossy(&bytes[shown..lines]));
            shown = lines;
        }
        if status.is_some() {
            let printed = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(Ended { status: status.filter(|_| !late), printed, processor_time });
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Names the binary that reached the limit, and its tests without a result in `printed`.
fn report(command: &Command, limit: Duration, printed: &str) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program()).to_string_lossy();
    let start = format!("{program} ran for {} s", limit.as_secs());
    let tests = tests(command);
    let without: Vec<&str> = tests.iter().map(String::as_str).filter(|name| !has_result(name, printed)).collect();
    match without.split_at_checked(NAMED) {
        None if without.is_empty() => format!("{start}; the last lines of its output show what it did"),
        None => format!("{start} without a result of {}", without.join(", ")),
        Some((first, more)) => format!(
            "{start} without a result of {} and {} later tests; the tests start in this order",
            first.join(", "),
            more.len()
        ),
    }
}

/// Whether the output of a test binary contains the result of a test.
fn has_result(name: &str, printed: &str) -> bool {
    let results = printed.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    results.into_iter().any(|(test, result)| {
        test.trim_end() == name && ["ok", "FAILED", "ignored"].iter().any(|word| result.starts_with(word))
    })
}

/// The tests that a test binary runs, in the order of their start. The list is empty for cargo, and for a binary that
/// prints no list in time.
fn tests(command: &Command) -> Vec<String> {
    if Path::new(command.get_program()).file_stem().is_some_and(|name| name == "cargo") {
        return vec![];
    }
    let mut list = Command::new(command.get_program());
    list.args(command.get_args()).arg("--list").stdin(Stdio::null());
    list.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.get_current_dir().into_iter().for_each(|folder| _ = list.current_dir(folder));
    let printed = output(&mut list, LIST_LIMIT, |_| ()).map(|ended| ended.printed).unwrap_or_default();
    printed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect()
}

/// Ends a process and all processes that it started.
fn end(child: u32, mark: &str) -> std::io::Result<()> {
    // A process can start another process between the search and its end. A process in a system call that cannot be
    // interrupted stays.
    for _ in 0..100 {
        let ids: Vec<String> = processes_of(child, mark)?.iter().map(u32::to_string).collect();
        if ids.is_empty() {
            break;
        }
        // `kill` fails for a process that has ended since the search.
        Command::new("sh").args(["-c", "kill -KILL \"$@\"", "sh"]).args(ids).stderr(Stdio::null()).status()?;
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The running processes that descend from `child` or have the mark, `child` included.
fn processes_of(child: u32, mark: &str) -> std::io::Result<HashSet<u32>> {
    let entry = format!("{MARK}={mark}");
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let (mut running, mut open) = (HashSet::new(), vec![child]);
    for process in std::fs::read_dir(PROCESSES)? {
        let folder = process?.path();
        let Some(id) = folder.file_name().and_then(|name| name.to_str()?.parse().ok()) else { continue };
        // A process can end during the search.
        let Some((state, parent)) = std::fs::read_to_string(folder.join("stat")).ok().and_then(|text| state(&text))
        else {
            continue;
        };
        children.entry(parent).or_default().push(id);
        // A zombie has ended.
        if state == 'Z' {
            continue;
        }
        running.insert(id);
        let variables = std::fs::read(folder.join("environ")).unwrap_or_default();
        if variables.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes()) {
            open.push(id);
        }
    }
    let mut found = HashSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(children.get(&id).into_iter().flatten());
        }
    }
    Ok(found.intersection(&running).copied().collect())
}

/// The state and the parent of a process, from the text of its file `stat`: `ID (NAME) STATE PARENT ...`. The name can
/// contain parentheses.
fn state(stat: &str) -> Option<(char, u32)> {
    let mut words = stat.rsplit_once(')')?.1.split_whitespace();
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const SHORT: Duration = Duration::from_millis(700);

    /// A test binary whose second test hangs. A process in the background that has lost its parent, and a process in
    /// the foreground, each write their number to a file.
    fn hanging(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("hangs");
        let text = "#!/bin/sh
            for word; do
              if [ \"$word\" = --list ]; then printf 'one: test\\ntwo: test\\nthree: test\\n'; exit; fi
            done
            echo 'test one ... ok'
            echo 'something of two'
            exec 2>/dev/null # The shell reports the end of a child here.
            (sh -c 'echo $$ > lost; sleep 600; :' &)
            env -i sh -c 'echo $$ > child; sleep 600; :'\n";
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn runs(file: &Path) -> bool {
        let id = std::fs::read_to_string(file).unwrap();
        let stat = std::fs::read_to_string(Path::new(PROCESSES).join(id.trim()).join("stat"));
        stat.ok().and_then(|text| state(&text)).is_some_and(|(state, _)| state != 'Z')
    }

    #[test]
    fn failed_program_is_reported_with_its_output() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; exit 3"]);
        let mut seen = String::new();
        let ended = run_test(&mut command, LIMIT, |part| seen += part).unwrap();
        assert_eq!((ended.status.unwrap().code(), ended.printed.as_str()), (Some(3), "one\ntwo\n"));
        assert_eq!(seen, ended.printed);
        assert!(ended.processor_time.is_some());
    }

    #[test]
    fn hanging_test_is_named_and_its_processes_are_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(hanging(folder.path()));
        let mut seen = String::new();
        let start = Instant::now();
        let ended = run_test(command.current_dir(folder.path()), SHORT, |part| seen += part).unwrap();
        assert!(start.elapsed() < Duration::from_secs(60));
        let line = "ended at the time limit: hangs ran for 0 s without a result of two, three";
        let printed = format!("test one ... ok\nsomething of two\n\n{line}\n");
        assert_eq!((ended.status, ended.printed.as_str()), (None, printed.as_str()));
        assert_eq!(seen, printed);
        assert!(!runs(&folder.path().join("child")) && !runs(&folder.path().join("lost")));
    }

    #[test]
    fn cargo_starts_test_binaries_with_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("Cargo.toml", "[package]\nname = 'planted'\nedition = '2024'\n[lib]\npath = 'lib.rs'\n[workspace]\n");
        write("lib.rs", "#[test]\nfn a() {}\n");
        write("xtask of \"one\"", "#!/bin/sh\necho \"started with $1 $2 $(basename $3) $4\"\n");
        let program = folder.path().join("xtask of \"one\"");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut cargo =
            crate::shell::cargo(folder.path(), &["--config", &runner(&program, LIMIT), "test", "--lib", "a"]);
        let printed = cargo.env("CARGO_TARGET_DIR", folder.path().join("target")).output().unwrap();
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        assert!(printed.starts_with("started with run-test 1200 planted-"), "{printed}");
        assert!(printed.ends_with(" a\n"), "{printed}");
    }

    #[test]
    fn report_names_the_first_tests_of_a_long_list() {
        let list: String = (0..20).map(|n| format!("t{n}: test\\n")).collect();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("printf '{list}'")]);
        let line = report(&command, LIMIT, "test t0 ... ok\ntest t2   ... FAILED\ntest t1 ... one\n");
        let start = "sh ran for 1200 s without a result of t1, t3, t4, t5, t6, t7, t8, t9 and 10 later tests";
        assert_eq!(line, format!("{start}; the tests start in this order"));
        let line = report(&Command::new("cargo"), LIMIT, "");
        assert_eq!(line, "cargo ran for 1200 s; the last lines of its output show what it did");
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let run = |words: &[&str]| run(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        assert!(run(&["60"]).unwrap_err().starts_with("name the time limit in seconds"));
        assert!(run(&["soon", "true"]).unwrap_err().starts_with("name the time limit in seconds"));
        assert!(run(&["60", "/no/such/binary"]).unwrap_err().starts_with("/no/such/binary: "));
        assert_eq!(run(&["60", "true"]), Ok(()));
        assert_eq!(run(&["60", "false"]), Err(String::new()));
    }

    #[test]
    fn name_of_a_process_can_contain_parentheses() {
        assert_eq!(state("12 (a) b) S 7 12"), Some(('S', 7)));
        assert_eq!(state("12"), None);
    }
}
