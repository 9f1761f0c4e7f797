//! Runs the compiler in a separate process. If the compiler crashes, only the current kernel gets an error, and
//! the program continues.
mod find;
mod names;
mod process;
mod processes;

pub use processes::default_processes;

pub use names::{ALL_TOOLS, INSTALL_COMMAND, PROGRAM};

use cube_artifact::cost::Profile;
use cube_artifact::protocol::{
    Answer, COMPILER_BUILD, COMPILER_VERSION, MAX_FRAME, Output, ProtocolError, Request, is_another_build,
};
use cube_artifact::{
    Artifact, CompileError, CompileOptions, Compiler, Diagnostic, Severity, Target, Variables, diagnostic,
};
use process::{Cause, Failure, Process};
use processes::Processes;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Default time limit of the compiler for one kernel.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(120);

/// The environment variable that sets the largest number of compiler processes.
pub const PROCESSES_VARIABLE: &str = "CUBE_COMPILER_PROCESSES";

/// The largest setting for the number of compiler processes.
pub const MAX_PROCESSES: usize = 256;

/// Maximum bytes of a request in addition to the kernel's source, for names and parameters.
const ROOM_FOR_OPTIONS: usize = 1 << 20;

/// The path of the compiler that [`ChildCompiler`] starts; `None` if no compiler is installed.
pub fn installed(variables: &Variables) -> Option<std::path::PathBuf> {
    find::find(variables).ok()
}

/// Compiles kernels by `cubec serve`, which runs in a child process.
///
/// The first kernel starts a child process. A child process compiles one kernel at a time. If several threads request
/// different kernels at the same time, further child processes start, up to the limit of
/// [`ChildCompiler::processes`]. If several threads request the same kernel at the same time, one process compiles the
/// kernel once.
///
/// If a child process crashes, hangs or sends an invalid answer, the current kernel gets an error, and the next kernel
/// starts a new process. Kernels of other child processes are not affected. If another program kills a child process,
/// the kernel is compiled again, once. The child processes end when this value is dropped.
pub struct ChildCompiler {
    program: Option<PathBuf>,
    variables: Variables,
    time_limit: Duration,
    processes: Processes,
    in_flight: Mutex<HashMap<[u8; 32], Arc<OnceLock<Answer>>>>,
}

impl ChildCompiler {
    /// Uses the compiler that the variable `CUBE_COMPILER` names, or otherwise the first compiler that a search finds.
    /// The search runs when the first kernel is compiled.
    pub fn new(variables: &Variables) -> Self {
        ChildCompiler {
            program: None,
            variables: variables.clone(),
            time_limit: DEFAULT_TIME_LIMIT,
            processes: Processes::new(default_processes()),
            in_flight: Mutex::default(),
        }
    }

    /// Uses the compiler at this path.
    pub fn at(program: impl Into<PathBuf>) -> Self {
        ChildCompiler { program: Some(program.into()), ..Self::new(&Variables::default()) }
    }

    /// Sets the time limit of the compiler for one kernel.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Sets the largest number of child processes, at least 1. The default is [`default_processes`].
    pub fn processes(mut self, limit: usize) -> Self {
        self.processes = Processes::new(limit.max(1));
        self
    }

    /// The largest number of child processes.
    pub fn max_processes(&self) -> usize {
        self.processes.limit
    }

    /// Sends a request to a free process. The result does not depend on other requests.
    fn ask<T: Output>(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<T, CompileError> {
        if source.len() > MAX_FRAME - ROOM_FOR_OPTIONS {
            let error = ProtocolError::TooLarge { bytes: source.len() as u64 };
            return Err(CompileError::from(diagnostic!(CUBE0907.frame { error })));
        }
        let mut slot = self.processes.slot();
        let mut killed_before = false;
        loop {
            let (target, wanted) = (target.clone(), T::WANTED);
            let request = Request { id: 0, source: source.to_vec(), target, options: options.clone(), wanted };
            let (program, failure) = match slot.process.take().map_or_else(|| self.start(), Ok) {
                Ok(process) => {
                    let program = process.program.display().to_string();
                    match process.ask(request, self.time_limit) {
                        Ok((process, answer)) => {
                            slot.process = Some(process);
                            return answer;
                        }
                        Err(failure) => (program, failure),
                    }
                }
                Err(Start::NotFound(error)) => return Err(error),
                Err(Start::Failed(program, failure)) => (program, failure),
            };
            let killed = failure.is_killed();
            if killed && !killed_before {
                killed_before = true;
                continue;
            }
            let mut error = traced(self.explain(&program, failure), options);
            if killed {
                let message = "two compiler processes were killed while they compiled this kernel";
                error.diagnostics[0].notes.push(Diagnostic::new(Severity::Note, message.to_string(), None));
            }
            return Err(error);
        }
    }

    fn start(&self) -> Result<Process, Start> {
        let program = self.program.clone().map_or_else(|| find::find(&self.variables), Ok).map_err(Start::NotFound)?;
        let started = Process::start(&program, self.time_limit);
        started.map_err(|failure| Start::Failed(program.display().to_string(), failure))
    }

    /// Describes the failure of the compiler process.
    fn explain(&self, program: &str, failure: Failure) -> CompileError {
        let ended = failure.status.map_or("closed its pipe".into(), |status| format!("ended ({status})"));
        let (file, install) = (program, INSTALL_COMMAND);
        let message = match failure.cause {
            Cause::Start(error) => diagnostic!(CUBE0901.start { file, error, install }),
            Cause::Greeting(ProtocolError::Version { version, .. }) if is_another_build(&version) => {
                diagnostic!(CUBE0903.build {
                    file,
                    version: COMPILER_VERSION,
                    own: COMPILER_BUILD,
                    other: version,
                    advice: find::rebuild(program.as_ref())
                })
            }
            Cause::Greeting(ProtocolError::Version { protocol, version }) => {
                diagnostic!(CUBE0903.version { file, version, protocol, own: COMPILER_VERSION, install })
            }
            Cause::Greeting(ProtocolError::NotCube { received }) => {
                diagnostic!(CUBE0902.other { file, output: received.escape_ascii(), program: PROGRAM, install })
            }
            Cause::Greeting(ProtocolError::Closed) => diagnostic!(CUBE0901.greeting { file, ended }),
            Cause::Greeting(error) => diagnostic!(CUBE0902.greeting { file, error, program: PROGRAM, install }),
            Cause::Answer(ProtocolError::Closed) => diagnostic!(CUBE0904.crash { file, ended }),
            Cause::Answer(error) => diagnostic!(CUBE0905.answer { file, error, install }),
            Cause::Silent(limit) => {
                diagnostic!(CUBE0906.greeting { file, limit: format!("{limit:?}"), program: PROGRAM })
            }
            Cause::TimeOut => diagnostic!(CUBE0906.answer { file, limit: format!("{:?}", self.time_limit) }),
        };
        let mut error = CompileError::from(message);
        if !failure.output.is_empty() {
            let message = format!("the last output of the compiler: {}", failure.output);
            let note = Diagnostic::new(Severity::Note, message, None);
            error.diagnostics[0].notes.push(note);
        }
        error
    }
}

/// The reason why no process was started.
enum Start {
    /// No compiler is installed.
    NotFound(CompileError),
    /// The program with this path did not start, or did not send its greeting.
    Failed(String, Failure),
}

/// Parses the value of `CUBE_COMPILER_PROCESSES`, the largest number of compiler processes.
///
/// # Errors
/// The value is not a number from 1 to 256.
pub fn processes_from(value: &str) -> Result<usize, CompileError> {
    let number = value.trim().parse().ok().filter(|number| (1..=MAX_PROCESSES).contains(number));
    number.ok_or_else(|| CompileError::from(diagnostic!(CUBE0923.processes { variable: PROCESSES_VARIABLE, value })))
}

impl Compiler for ChildCompiler {
    fn compile(&self, source_ir: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compile_and_report(source_ir, target, options).map(|(artifact, _)| artifact)
    }

    fn parallelism(&self) -> usize {
        self.max_processes()
    }

    fn profile(
        &self,
        source_ir: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Option<Profile>, CompileError> {
        // The answer for a target without a board needs no process.
        let described = cube_target::Target::promised(&target.backend, target.chip.as_deref());
        if described.machine.is_some() { self.ask(source_ir, target, options) } else { Ok(None) }
    }

    fn compile_and_report(&self, source_ir: &[u8], target: &Target, options: &CompileOptions) -> Answer {
        let key = key(source_ir, target, options);
        let lock_requests = || self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        let request = lock_requests().entry(key).or_default().clone();
        // The first of several equal requests compiles the kernel. The other requests wait for its answer.
        let answer = request.get_or_init(|| self.ask(source_ir, target, options)).clone();
        let mut requests = lock_requests();
        if requests.get(&key).is_some_and(|current| Arc::ptr_eq(current, &request)) {
            requests.remove(&key);
        }
        answer
    }
}

/// Adds a note with the folder of the trace to an error, if a trace was requested.
fn traced(mut error: CompileError, options: &CompileOptions) -> CompileError {
    if let (Some(folder), Some(first)) = (&options.reports.trace, error.diagnostics.first_mut()) {
        let message = format!("see {folder}/index.txt: its last line names the pass at which the compiler ended");
        first.notes.push(Diagnostic::new(Severity::Note, message, None));
    }
    error
}

/// A key that identifies a request. The keys of two requests are equal if and only if the requests are equal.
fn key(source: &[u8], target: &Target, options: &CompileOptions) -> [u8; 32] {
    let rest = postcard::to_stdvec(&(target, options)).expect("options contain only plain data");
    let mut hash = blake3::Hasher::new();
    hash.update(&(rest.len() as u64).to_le_bytes());
    hash.update(&rest).update(source);
    *hash.finalize().as_bytes()
}
