//! Runs the compiler in a separate process. If the compiler crashes, only the current kernel gets an error, and
//! the program continues.
mod find;
mod names;
mod process;

pub use names::{ALL_TOOLS, INSTALL_COMMAND, PROGRAM};

use cube_artifact::protocol::{
    Answer, COMPILER_BUILD, COMPILER_VERSION, MAX_FRAME, ProtocolError, Request, is_another_build,
};
use cube_artifact::{
    Artifact, CompileError, CompileOptions, Compiler, Diagnostic, Severity, Target, Variables, diagnostic,
};
use process::{Cause, Failure, Process};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Default time limit of the compiler for one kernel.
pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(120);

/// Maximum bytes of a request in addition to the kernel's source, for names and parameters.
const ROOM_FOR_OPTIONS: usize = 1 << 20;

/// The path of the compiler that [`ChildCompiler`] starts; `None` if no compiler is installed.
pub fn installed(variables: &Variables) -> Option<std::path::PathBuf> {
    find::find(variables).ok()
}

/// Compiles kernels by `cubec serve`, which runs in a child process.
///
/// The first kernel starts the child process. The child process compiles all later kernels of all threads, one at a
/// time. If the child process crashes, hangs or sends an invalid answer, the current kernel gets an error, and the
/// next kernel starts a new process. If several threads request the same kernel at the same time, it is compiled once.
/// The child process ends when this value is dropped.
pub struct ChildCompiler {
    program: Option<PathBuf>,
    variables: Variables,
    time_limit: Duration,
    process: Mutex<Option<Process>>,
    in_flight: Mutex<HashMap<[u8; 32], Arc<OnceLock<Answer>>>>,
}

impl ChildCompiler {
    /// Uses the compiler in the variable `CUBE_COMPILER`, or else the first one that a search finds. The search for the
    /// compiler runs when the first kernel is compiled.
    pub fn new(variables: &Variables) -> Self {
        ChildCompiler {
            program: None,
            variables: variables.clone(),
            time_limit: DEFAULT_TIME_LIMIT,
            process: Mutex::default(),
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

    fn compile_alone(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Answer {
        if source.len() > MAX_FRAME - ROOM_FOR_OPTIONS {
            let error = ProtocolError::TooLarge { bytes: source.len() as u64 };
            return Err(CompileError::from(diagnostic!(CUBE0907.frame { error })));
        }
        let request = Request { id: 0, source: source.to_vec(), target: target.clone(), options: options.clone() };
        // If another thread panicked, the slot is at worst empty.
        let mut slot = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that ended while it was unused affects no kernel.
        let alive = slot.take().and_then(|mut process| process.is_alive().then_some(process));
        let process = match alive {
            Some(process) => process,
            None => {
                let program = self.program.clone().map_or_else(|| find::find(&self.variables), Ok)?;
                let started = Process::start(&program, self.time_limit);
                started.map_err(|failure| self.explain(&program.display().to_string(), failure))?
            }
        };
        let program = process.program.display().to_string();
        let (process, answer) = process
            .ask(request, self.time_limit)
            .map_err(|failure| traced(self.explain(&program, failure), options))?;
        *slot = Some(process);
        answer
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
                    theirs: version,
                    way: find::rebuild(program.as_ref())
                })
            }
            Cause::Greeting(ProtocolError::Version { protocol, version }) => {
                diagnostic!(CUBE0903.version { file, version, protocol, own: COMPILER_VERSION, install })
            }
            Cause::Greeting(ProtocolError::NotCube { said }) => {
                diagnostic!(CUBE0902.other { file, said: said.escape_ascii(), program: PROGRAM, install })
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
            let message = format!("the last output of the compiler was: {}", failure.output);
            let note = Diagnostic::new(Severity::Note, message, None);
            error.diagnostics[0].notes.push(note);
        }
        error
    }
}

impl Compiler for ChildCompiler {
    fn compile(&self, source_ir: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compile_and_report(source_ir, target, options).map(|(artifact, _)| artifact)
    }

    fn compile_and_report(&self, source_ir: &[u8], target: &Target, options: &CompileOptions) -> Answer {
        let key = key(source_ir, target, options);
        let flights = || self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        let flight = flights().entry(key).or_default().clone();
        // The first of several equal requests compiles. The others wait for the answer.
        let answer = flight.get_or_init(|| self.compile_alone(source_ir, target, options)).clone();
        let mut flights = flights();
        if flights.get(&key).is_some_and(|current| Arc::ptr_eq(current, &flight)) {
            flights.remove(&key);
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
    let rest = postcard::to_stdvec(&(target, options)).expect("options hold only plain data");
    let mut hash = blake3::Hasher::new();
    hash.update(&(rest.len() as u64).to_le_bytes());
    hash.update(&rest).update(source);
    *hash.finalize().as_bytes()
}
