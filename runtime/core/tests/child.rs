//! [`ChildCompiler`] against a compiler whose behaviour the source selects: this program, started with `serve`.
use cube_artifact::protocol::{self, COMPILER_VERSION};
use cube_artifact::{Artifact, CodeFormat, CompileError, CompileOptions, Compiler, Target, codes};
use cube_runtime::ChildCompiler;
use libtest_mimic::{Arguments, Trial};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn main() -> ExitCode {
    let mut args = std::env::args();
    let name = args.next().unwrap_or_default();
    if args.next().as_deref() == Some("serve") {
        return serve(Path::new(&name).file_name().and_then(|n| n.to_str()).unwrap_or_default());
    }
    let tests: &[(&str, fn())] = &[
        ("one process serves all kernels", one_process_serves_all_kernels),
        ("errors of the compiler pass through", errors_of_the_compiler_pass_through),
        ("a crash is an error and the next kernel works", a_crash_is_an_error_and_the_next_kernel_works),
        ("a process killed in the middle is an error", a_process_killed_in_the_middle_is_an_error),
        ("a process killed while idle is replaced", a_process_killed_while_idle_is_replaced),
        ("a hanging process is ended after the time limit", a_hanging_process_is_ended_after_the_time_limit),
        ("noise in the answer is an error", noise_in_the_answer_is_an_error),
        ("the last output is kept", the_last_output_is_kept),
        ("equal requests in flight are compiled once", equal_requests_in_flight_are_compiled_once),
        ("many threads share one process", many_threads_share_one_process),
        ("different kernels are compiled at the same time", different_kernels_are_compiled_at_the_same_time),
        ("a limit bounds the number of processes", a_limit_bounds_the_number_of_processes),
        ("a killed process is replaced once", a_killed_process_is_replaced_once),
        ("a number of processes is read or refused", a_number_of_processes_is_read_or_refused),
        ("the process ends with the compiler", the_process_ends_with_the_compiler),
        ("other programs are named", other_programs_are_named),
        ("other versions are named", other_versions_are_named),
        ("another build is named with how to build it", another_build_is_named_with_how_to_build_it),
        ("a source beyond the limit is refused", a_source_beyond_the_limit_is_refused),
    ];
    let trials = tests.iter().map(|&(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// The compiler's side.
fn serve(name: &str) -> ExitCode {
    if name == "silent" {
        std::thread::sleep(Duration::from_secs(1000));
    }
    if name == "old" {
        let version = b"0.0.1";
        let mut hello = b"CUBESERV\x01\0\0\0\x05\0\0\0".to_vec();
        hello.extend_from_slice(version);
        std::io::stdout().write_all(&hello).expect("a reader");
        return ExitCode::SUCCESS;
    }
    if name == "stale" {
        // The previous version of the greeting contained the layout of messages.
        let version = COMPILER_VERSION.as_bytes();
        let mut hello = b"CUBESERV\x02\0\0\0".to_vec();
        hello.extend_from_slice(&(version.len() as u32).to_le_bytes());
        hello.extend_from_slice(version);
        std::io::stdout().write_all(&hello).expect("a reader");
        return ExitCode::SUCCESS;
    }
    match protocol::serve(&ScriptedCompiler { served: AtomicU64::new(0) }, std::io::stdin(), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A compiler whose behaviour is selected by the source text.
struct ScriptedCompiler {
    served: AtomicU64,
}

impl Compiler for ScriptedCompiler {
    fn compile(&self, source: &[u8], target: &Target, _: &CompileOptions) -> Result<Artifact, CompileError> {
        let source = String::from_utf8_lossy(source);
        let (word, path) = source.split_once(' ').unwrap_or((&source, ""));
        let pid = std::process::id();
        match word {
            "refuse" => return Err(CompileError::from(cube_artifact::Message::from("no such op [CUBE0102]"))),
            "panic" => panic!("lost"),
            "exit" => std::process::exit(3),
            "shout" => {
                eprintln!("{}the end", "x".repeat(100_000));
                std::process::exit(1);
            }
            "noise" => println!("now compiling, please wait"),
            "hang" => {
                std::fs::write(path, pid.to_string()).expect("the test's folder");
                std::thread::sleep(Duration::from_secs(1000));
            }
            // Hangs only in the first process.
            "once" if !Path::new(path).exists() => {
                std::fs::write(path, pid.to_string()).expect("the test's folder");
                std::thread::sleep(Duration::from_secs(1000));
            }
            "create" => std::fs::write(path, "").expect("the test's folder"),
            "slow" => std::thread::sleep(Duration::from_millis(20)),
            // Waits until all threads of the test wait. A second file states that the process waits.
            "await" => {
                std::fs::write(format!("{path}.waiting"), pid.to_string()).expect("the test's folder");
                while !Path::new(path).exists() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            _ => {}
        }
        Ok(Artifact {
            kernel: source.to_string(),
            entry: self.served.fetch_add(1, Ordering::Relaxed).to_string(),
            target: target.clone(),
            format: CodeFormat::ELF_OBJECT,
            code: pid.to_string().into_bytes(),
            params: vec![],
            derived: vec![],
            info: vec![],
            cube_dim: [1, 1, 1],
            checked: true,
            shared_bytes: 0,
            scratch_bytes: 0,
            prints: vec![],
            overwritten: vec![],
            plane_dim: None,
            cube_count: None,
            unit_limit: None,
            first_cubes: None,
            features: vec![],
        })
    }
}

fn compiler() -> ChildCompiler {
    ChildCompiler::at(std::env::current_exe().expect("this program's path"))
}

fn compile(compiler: &ChildCompiler, source: &str) -> Result<Artifact, CompileError> {
    compiler.compile(source.as_bytes(), &Target::cpu(), &CompileOptions::default())
}

/// The number of the process that compiled an artifact.
fn pid(artifact: Artifact) -> String {
    String::from_utf8(artifact.code).expect("digits")
}

#[track_caller]
fn fails(compiler: &ChildCompiler, source: &str, code: &str, words: &str) -> CompileError {
    let error = compile(compiler, source).expect_err("it must fail");
    assert_eq!(error.diagnostics[0].code.as_deref(), Some(code), "{error}");
    assert!(error.to_string().contains(words), "{error}\n  lacks: {words}");
    error
}

fn kill(pid: &str) {
    let done = Command::new("kill").args(["-9", pid]).status().expect("kill starts");
    assert!(done.success());
}

fn wait_for(file: &Path) -> String {
    wait_until(file, |_| true)
}

fn wait_until(file: &Path, accepts: impl Fn(&String) -> bool) -> String {
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) if !text.is_empty() && accepts(&text) => return text,
            _ => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn one_process_serves_all_kernels() {
    let compiler = compiler();
    let first = compile(&compiler, "first").unwrap();
    let second = compile(&compiler, "second").unwrap();
    assert_eq!((first.kernel.as_str(), first.entry.as_str()), ("first", "0"));
    assert_eq!((second.kernel.as_str(), second.entry.as_str()), ("second", "1"));
    assert_eq!(pid(first), pid(second));
    // Answers are not cached: a repeated request is compiled again.
    assert_eq!(compile(&compiler, "first").unwrap().entry, "2");
}

fn errors_of_the_compiler_pass_through() {
    let compiler = compiler();
    let before = pid(compile(&compiler, "x").unwrap());
    assert_eq!(
        compile(&compiler, "refuse"),
        Err(CompileError::from(cube_artifact::Message::from("no such op [CUBE0102]")))
    );
    fails(&compiler, "panic", codes::COMPILER_PANIC, "the compiler panicked: lost");
    assert_eq!(pid(compile(&compiler, "x").unwrap()), before, "the process continues after both");
}

fn a_crash_is_an_error_and_the_next_kernel_works() {
    let compiler = compiler();
    let before = pid(compile(&compiler, "x").unwrap());
    fails(
        &compiler,
        "exit",
        codes::COMPILER_CRASH,
        "ended (exit status: 3) before it answered; the next kernel starts a new process",
    );
    assert_ne!(pid(compile(&compiler, "x").unwrap()), before);
}

fn a_process_killed_in_the_middle_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let compiler = compiler();
    std::thread::scope(|scope| {
        let request = scope.spawn(|| compile(&compiler, &format!("hang {}", file.display())));
        let first = wait_for(&file);
        kill(&first);
        // The kernel is compiled again, by a second process.
        let second = wait_until(&file, |pid| *pid != first);
        kill(&second);
        let error = request.join().unwrap().unwrap_err();
        assert_eq!(error.diagnostics[0].code.as_deref(), Some(codes::COMPILER_CRASH));
        assert!(error.to_string().contains("signal: 9"), "{error}");
        let note = &error.diagnostics[0].notes[0].message;
        assert_eq!(note, "two compiler processes were killed while they compiled this kernel");
    });
    compile(&compiler, "x").unwrap();
}

fn a_process_killed_while_idle_is_replaced() {
    let compiler = compiler();
    let before = pid(compile(&compiler, "x").unwrap());
    kill(&before);
    // Waits until the system has ended the process. It stays a zombie, because its status was not collected.
    while !std::fs::read_to_string(format!("/proc/{before}/stat")).unwrap_or_default().contains(") Z") {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_ne!(pid(compile(&compiler, "x").unwrap()), before);
}

fn a_hanging_process_is_ended_after_the_time_limit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let compiler = compiler().time_limit(Duration::from_millis(1500));
    let words = "did not answer within 1.5s and was terminated";
    fails(&compiler, &format!("hang {}", file.display()), codes::TIME_OUT, words);
    assert!(!Path::new(&format!("/proc/{}", wait_for(&file))).exists(), "the process has ended");
    compile(&compiler, "x").unwrap();
}

fn noise_in_the_answer_is_an_error() {
    let compiler = compiler();
    fails(&compiler, "noise", codes::GARBLED, "is malformed (");
    compile(&compiler, "x").unwrap();
}

fn the_last_output_is_kept() {
    let error = fails(&compiler(), "shout", codes::COMPILER_CRASH, "ended (exit status: 1)");
    let note = &error.diagnostics[0].notes[0].message;
    assert!(note.starts_with("the last output of the compiler: xxx") && note.ends_with("xthe end"), "{note}");
    assert!(note.len() < 4200, "{}", note.len());
}

fn equal_requests_in_flight_are_compiled_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("go");
    let (compiler, source) = (compiler(), format!("await {}", file.display()));
    let started = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let ask = || {
            started.fetch_add(1, Ordering::Relaxed);
            compile(&compiler, &source).unwrap().entry
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        while started.load(Ordering::Relaxed) < 4 {
            std::thread::yield_now();
        }
        // The four threads are between the counter and the wait. The sleep gives the last thread time to wait.
        std::thread::sleep(Duration::from_millis(300));
        std::fs::write(&file, "").unwrap();
        let entries: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(entries, ["0"; 4]);
    });
    assert_eq!(compile(&compiler, "next").unwrap().entry, "1");
}

/// The process numbers that eight threads get, each for its own kernel, without repetitions.
fn pids_of_eight_threads(compiler: &ChildCompiler, word: &str) -> Vec<String> {
    let mut pids: Vec<String> = std::thread::scope(|scope| {
        let ask = |i: usize| {
            let source = format!("{word} {i}");
            let artifact = compile(compiler, &source).unwrap();
            assert_eq!(artifact.kernel, source, "the answer belongs to the request");
            pid(artifact)
        };
        let threads: Vec<_> = (0..8).map(|i| scope.spawn(move || ask(i))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    pids.sort();
    pids.dedup();
    pids
}

fn many_threads_share_one_process() {
    assert_eq!(pids_of_eight_threads(&compiler().processes(1), "kernel").len(), 1);
}

fn a_limit_bounds_the_number_of_processes() {
    let compiler = compiler().processes(3);
    let pids = pids_of_eight_threads(&compiler, "slow");
    assert!((2..=3).contains(&pids.len()), "{pids:?}");
    // A program with one request at a time uses one process.
    let alone: Vec<_> = (0..4).map(|i| pid(compile(&compiler, &format!("alone{i}")).unwrap())).collect();
    assert!(pids.contains(&alone[0]) && alone.iter().all(|pid| *pid == alone[0]), "{alone:?}, {pids:?}");
    assert_eq!(compiler.max_processes(), 3);
}

fn different_kernels_are_compiled_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let (go, hangs) = (folder.path().join("go"), folder.path().join("pid"));
    let compiler = compiler().processes(3);
    std::thread::scope(|scope| {
        // The first kernel waits for a file that the third kernel creates.
        let waits = scope.spawn(|| compile(&compiler, &format!("await {}", go.display())));
        wait_for(&folder.path().join("go.waiting"));
        let hanging = scope.spawn(|| compile(&compiler, &format!("once {}", hangs.display())));
        let killed = wait_for(&hangs);
        kill(&killed);
        let replaced = hanging.join().unwrap().unwrap();
        compile(&compiler, &format!("create {}", go.display())).unwrap();
        let waited = waits.join().unwrap().unwrap();
        assert_ne!(pid(waited.clone()), pid(replaced), "the kill of one process affects no other process");
        assert_ne!(pid(waited), killed);
    });
}

fn a_killed_process_is_replaced_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let compiler = compiler().processes(1);
    std::thread::scope(|scope| {
        let request = scope.spawn(|| compile(&compiler, &format!("once {}", file.display())));
        let first = wait_for(&file);
        kill(&first);
        assert_ne!(pid(request.join().unwrap().unwrap()), first);
    });
}

fn a_number_of_processes_is_read_or_refused() {
    use cube_runtime::child::{default_processes, processes_from};
    assert_eq!((processes_from("1"), processes_from(" 16 ")), (Ok(1), Ok(16)));
    for value in ["", "0", "-1", "many", "257", "1.5"] {
        let error = processes_from(value).expect_err(value);
        assert_eq!(error.diagnostics[0].code.as_deref(), Some(codes::ENVIRONMENT));
        assert!(error.to_string().contains(&format!("CUBE_COMPILER_PROCESSES is '{value}'")), "{error}");
    }
    assert!((1..=8).contains(&default_processes()));
}

fn the_process_ends_with_the_compiler() {
    let compiler = compiler();
    let process = PathBuf::from(format!("/proc/{}", pid(compile(&compiler, "x").unwrap())));
    assert!(process.exists());
    drop(compiler);
    assert!(!process.exists());
}

fn other_programs_are_named() {
    // Each case runs twice: a failed start leaves nothing behind.
    for _ in 0..2 {
        // The program interprets "serve" as a file name, and reports the missing file on standard error.
        let error = fails(
            &ChildCompiler::at("/bin/cat"),
            "x",
            codes::COMPILER_START,
            "'/bin/cat' ended (exit status: 1) before its greeting",
        );
        assert!(error.diagnostics[0].notes[0].message.contains("serve"), "{error}");
        fails(
            &ChildCompiler::at("/bin/echo"),
            "x",
            codes::NOT_A_COMPILER,
            "'/bin/echo' is not a cube compiler, because its output begins with \"s\"",
        );
        fails(&ChildCompiler::at("/bin/true"), "x", codes::COMPILER_START, "run `/bin/true serve` to see why");
        fails(&ChildCompiler::at("/no/such"), "x", codes::COMPILER_START, "'/no/such' could not be started (");
    }
    let folder = tempfile::tempdir().unwrap();
    let limited = ChildCompiler::at(under_the_name(&folder, "silent")).time_limit(Duration::from_millis(200));
    fails(&limited, "x", codes::TIME_OUT, "did not send a greeting of a cube compiler within 200ms");
}

/// A link to this program, whose name selects the program's behaviour.
fn under_the_name(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    let link = folder.path().join(name);
    std::os::unix::fs::symlink(std::env::current_exe().unwrap(), &link).unwrap();
    link
}

fn other_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let old = under_the_name(&folder, "old");
    let words = format!(
        "has version 0.0.1 (protocol 1), but this program requires version {COMPILER_VERSION}; install version {COMPILER_VERSION} with"
    );
    fails(&ChildCompiler::at(old), "x", codes::COMPILER_VERSION, &words);
}

fn another_build_is_named_with_how_to_build_it() {
    let folder = tempfile::tempdir().unwrap();
    let stale = ChildCompiler::at(under_the_name(&folder, "stale"));
    let words = format!("are different builds of version {COMPILER_VERSION}; build the compiler again");
    fails(&stale, "x", codes::COMPILER_VERSION, &words);
    fails(
        &stale,
        "x",
        codes::COMPILER_VERSION,
        "build the compiler again from the sources of this program with `cargo install",
    );
}

fn a_source_beyond_the_limit_is_refused() {
    let compiler = compiler();
    let source = vec![b' '; protocol::MAX_FRAME];
    let error = compiler.compile(&source, &Target::cpu(), &CompileOptions::default()).unwrap_err();
    assert_eq!(error.diagnostics[0].code.as_deref(), Some(codes::TOO_LARGE));
    assert!(error.to_string().contains("268435456 bytes on the compiler's pipe exceeds the limit"), "{error}");
}
