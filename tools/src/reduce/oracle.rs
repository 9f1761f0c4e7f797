//! The test that a smaller case must pass. The test runs in a child process.
use super::{
    Args,
    case::{Case, Launch},
};
use cube_artifact::CompileError;
use std::cell::OnceCell;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The code of the error about a pass that changes the result of a kernel.
const DIFFERENCE: &str = "CUBE0720";

/// Default number of elements of a buffer.
const ELEMENTS: u32 = 64;

/// The condition that a smaller case must satisfy.
enum Test {
    /// A command ends with exit code 0.
    Command(String),
    /// The interpreter and a backend have different results.
    Differs { backend: String, ulp: u64 },
    /// A pass changes the result of the kernel.
    Passes,
    /// The compiler fails with the error code `code`, or crashes.
    Fails { code: String, says: String, how: Vec<String> },
}

/// A test, with the file to which the search writes candidates.
pub struct Oracle {
    test: Test,
    folder: tempfile::TempDir,
    limit: Duration,
    /// The pass that the first run of the test reported. A candidate for which the test reports another pass
    /// has a different failure.
    pass: OnceCell<String>,
}

/// Whether the test holds for a case, and the reason if it does not hold.
pub struct Verdict {
    /// Whether the test holds.
    pub holds: bool,
    /// The reason as text for the user.
    pub why: String,
}

/// The outcome of a child process.
struct ProcessOutput {
    code: Option<i32>,
    signal: Option<i32>,
    out: String,
    err: String,
    late: bool,
}

impl Oracle {
    /// Creates the test that the command line requests.
    ///
    /// # Errors
    /// The command line requests no test or an unknown test. The error text describes the wrong usage.
    pub fn of(args: &Args) -> Result<Oracle, String> {
        let test = match (&args.test, &args.differs, &args.fails) {
            (Some(command), ..) => Test::Command(command.clone()),
            (_, Some(pair), _) => match pair.split_once(':') {
                Some(("interp", "passes")) => Test::Passes,
                Some(("interp", backend)) if !backend.is_empty() => {
                    Test::Differs { backend: backend.into(), ulp: args.ulp }
                }
                _ => return Err(format!("--differs {pair} is not interp:BACKEND or interp:passes")),
            },
            (.., Some(code)) => {
                let known = code == "crash" || cube_driver::explain(code).is_some();
                if !known {
                    return Err(format!("--fails {code}: expected an error code or crash"));
                }
                let how = match &args.pipeline {
                    Some(pipeline) => vec!["cube-opt".into(), format!("--pass-pipeline={pipeline}")],
                    None => vec!["cubec".into(), "--target".into(), args.target.clone()],
                };
                Test::Fails { code: code.clone(), says: args.says.clone().unwrap_or_default(), how }
            }
            _ => return Err("name the failure to preserve: --fails, --differs or --test".into()),
        };
        let folder = tempfile::tempdir().map_err(|e| format!("the folder for candidates cannot be created: {e}"))?;
        Ok(Oracle { test, folder, limit: Duration::from_secs(args.timeout), pass: OnceCell::new() })
    }

    /// Whether the test launches the kernel.
    pub fn launches(&self) -> bool {
        matches!(self.test, Test::Differs { .. } | Test::Passes)
    }

    /// Adds arguments and a cube count to a launch that lacks them.
    ///
    /// # Errors
    /// The kernel does not compile.
    pub fn complete(&self, case: &mut Case) -> Result<(), CompileError> {
        let describe = |launch: &Launch| -> Result<String, CompileError> {
            let words = [launch.words(), vec!["--describe".into()]].concat();
            let ended = self.cube(case, "cube-run", &words)?;
            if ended.code == Some(0) {
                return Ok(ended.out);
            }
            Err(CompileError::from(cube_artifact::diagnostic!(CUBE0614.launch { why: first_error(&ended.err) })))
        };
        let mut launch = case.launch.clone();
        super::launch::resolve(&mut launch.args);
        if launch.args.is_empty() {
            for line in describe(&launch)?.lines().filter_map(|line| line.trim().strip_prefix("--arg ")) {
                let Some((name, kind)) = line.split_once("=..") else { continue };
                let value = match kind.trim() {
                    kind if kind.starts_with("buffer") => format!("random:{ELEMENTS}"),
                    "scalar of bool" => "true".into(),
                    _ => "1".into(),
                };
                launch.args.push((name.into(), value));
            }
        }
        if launch.count.is_none() {
            let text = describe(&launch)?;
            let count = text.lines().find_map(|line| line.trim().strip_prefix("cube count"));
            let count = count.and_then(|c| c.split('(').next());
            launch.count = count.map(super::case::count).transpose()?;
        }
        *case = case.with(launch);
        Ok(())
    }

    /// Runs the test on a case.
    ///
    /// # Errors
    /// The child process cannot be started.
    pub fn judge(&self, case: &Case) -> Result<Verdict, CompileError> {
        let ended = match &self.test {
            Test::Command(command) => {
                let file = self.write(case)?;
                let mut shell = Command::new("/bin/sh");
                shell.arg("-c").arg(filled(command, &file.to_string_lossy(), &case.launch));
                self.run(shell)?
            }
            Test::Differs { .. } => self.cube(case, "cube-run", &self.run_words(&case.launch))?,
            Test::Passes => {
                // The report of the bisection is not printed for each candidate.
                let folder = self.folder.path().join("bisect").to_string_lossy().into_owned();
                let words = [self.run_words(&case.launch), vec!["--bisect-folder".into(), folder]].concat();
                self.cube(case, "cube-run", &words)?
            }
            Test::Fails { how, .. } => {
                let words = [&how[1..], &self.compile_words(&case.launch), &["-o".into(), "/dev/null".into()]].concat();
                self.cube(case, &how[0], &words)?
            }
        };
        if ended.late {
            return Ok(Verdict { holds: false, why: format!("it takes more than {} s", self.limit.as_secs()) });
        }
        let holds = self.holds(&ended);
        let end = match ended.signal {
            Some(signal) => format!("it ends by signal {signal}"),
            None => format!("it ends with {}", ended.code.unwrap_or(-1)),
        };
        if let (Test::Differs { backend, ulp }, Some(0)) = (&self.test, ended.code) {
            let exact = if *ulp == 0 { "" } else { "; --ulp 0 requires equal numbers, and distinguishes 0 from -0" };
            let why = format!("interp and {backend} agree within {ulp} units in the last place{exact}");
            return Ok(Verdict { holds: false, why });
        }
        Ok(Verdict { holds, why: if holds { end } else { format!("{end}: {}", first_error(&ended.err)) } })
    }

    fn holds(&self, ended: &ProcessOutput) -> bool {
        let reports = |code: &str| ended.err.lines().any(|l| l.contains("error") && l.contains(&format!("[{code}]")));
        match &self.test {
            Test::Command(_) => ended.code == Some(0),
            Test::Differs { .. } => ended.code == Some(1) && reports("CUBE0609"),
            Test::Passes => {
                let named = ended
                    .err
                    .split_once(&format!("[{DIFFERENCE}]: "))
                    .map(|(_, text)| text.split(" (").next().unwrap_or(text));
                let held = ended.code == Some(1) && named.is_some();
                held && named.is_some_and(|pass| self.pass.get_or_init(|| pass.into()) == pass)
            }
            Test::Fails { code, says: text, .. } => {
                let crash =
                    || ended.signal.is_some() || reports("CUBE0399") || reports("CUBE0402") || ended.code >= Some(128);
                ended.code != Some(0)
                    && (if code == "crash" { crash() } else { reports(code) })
                    && ended.err.contains(text.as_str())
            }
        }
    }

    fn run_words(&self, launch: &Launch) -> Vec<String> {
        let mut words = match &self.test {
            Test::Differs { backend, ulp } => {
                vec![
                    "--backend".into(),
                    backend.clone(),
                    "--against".into(),
                    "interp".into(),
                    "--ulp".into(),
                    ulp.to_string(),
                ]
            }
            Test::Passes => vec!["--bisect".into()],
            _ => Vec::new(),
        };
        words.extend(launch.words());
        words
    }

    // cube-opt has comptime parameters in its pipeline, and compiles all kernels.
    fn compile_words(&self, launch: &Launch) -> Vec<String> {
        match &self.test {
            Test::Fails { how, .. } if how[0] == "cubec" => launch.compile_words(),
            _ => Vec::new(),
        }
    }

    /// The command that reproduces the failure with the reduced kernel.
    pub fn replay(&self, case: &Case, file: &str) -> String {
        let words = match &self.test {
            Test::Command(command) => return filled(command, file, &case.launch),
            Test::Fails { how, .. } => {
                [&[how[0].clone(), file.into()], &how[1..], &self.compile_words(&case.launch)].concat()
            }
            _ => [vec!["cube-run".into(), file.into()], self.run_words(&case.launch)].concat(),
        };
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn write(&self, case: &Case) -> Result<PathBuf, CompileError> {
        let file = self.folder.path().join("candidate.mlir");
        let fail = |e: std::io::Error| CompileError::from(cube_artifact::diagnostic!(CUBE0603.candidate { error: e }));
        std::fs::write(&file, &case.text).map_err(fail)?;
        Ok(file)
    }

    fn cube(&self, case: &Case, tool: &str, words: &[String]) -> Result<ProcessOutput, CompileError> {
        let file = self.write(case)?;
        let program = crate::program::program().map_err(cannot)?;
        let mut command = Command::new("/bin/sh");
        // An expected crash must not write a core file.
        command.args(["-c", "ulimit -c 0; exec \"$0\" \"$@\""]).arg(program).arg(tool).arg(file).args(words);
        self.run(command)
    }

    /// The module after the passes of `pipeline`. The passes run in a child process, so that a crash does not
    /// end the reduction.
    pub fn after_passes(&self, case: &Case, pipeline: &str) -> Result<Option<String>, CompileError> {
        let ended = self.cube(case, "cube-opt", &[format!("--pass-pipeline={pipeline}")])?;
        Ok((ended.code == Some(0) && !ended.late).then_some(ended.out))
    }

    fn run(&self, mut command: Command) -> Result<ProcessOutput, CompileError> {
        let (out, err) = (self.folder.path().join("out"), self.folder.path().join("err"));
        let mut child = command
            .current_dir(std::env::current_dir().map_err(cannot)?)
            .env("CUBE_CACHE", "off")
            .stdin(Stdio::null())
            .stdout(File::create(&out).map_err(cannot)?)
            .stderr(File::create(&err).map_err(cannot)?)
            .process_group(0)
            .spawn()
            .map_err(cannot)?;
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        let (mut late, mut status) = (false, child.try_wait().map_err(cannot)?);
        while status.is_none() {
            if start.elapsed() > self.limit {
                late = true;
                if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
                    // A process group that has ended needs no signal.
                    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                }
                status = Some(child.wait().map_err(cannot)?);
                break;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
            status = child.try_wait().map_err(cannot)?;
        }
        let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        let status = status.unwrap_or_default();
        Ok(ProcessOutput { code: status.code(), signal: status.signal(), out: text(&out), err: text(&err), late })
    }
}

fn cannot(error: std::io::Error) -> CompileError {
    CompileError::from(cube_artifact::diagnostic!(CUBE0602.test { error }))
}

fn first_error(err: &str) -> &str {
    err.lines().find(|line| line.contains("error")).or(err.lines().next()).unwrap_or("it says nothing")
}

fn filled(command: &str, file: &str, launch: &Launch) -> String {
    let words: Vec<String> = launch.words().iter().map(|word| quoted(word)).collect();
    command.replace("{args}", &words.join(" ")).replace("{}", &quoted(file))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
