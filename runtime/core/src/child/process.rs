//! One compiler process: its start, greeting, requests and end.
//!
//! Two threads serve each process. The first thread owns the pipes of the process and sends one request after another,
//! so the caller can wait with a time limit. The second thread stores the last bytes that the process writes to
//! standard error. The two threads end when the process ends.
use cube_artifact::CompileError;
use cube_artifact::protocol::{Encoded, Output, Peer, ProtocolError, Request, Response, read_hello, write_hello};
use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of bytes of the process's standard error that are stored.
const KEPT_OUTPUT: usize = 4096;

/// The reason why a process failed, determined after its end.
pub(super) struct Failure {
    pub cause: Cause,
    /// The exit status, if the process ended without being killed.
    pub status: Option<ExitStatus>,
    /// The last bytes that the process wrote to standard error.
    pub output: String,
}

impl Failure {
    /// Whether another program ended the process, for example the operating system because of a lack of memory. A crash
    /// of the compiler ends with other signals.
    pub fn is_killed(&self) -> bool {
        let early = matches!(self.cause, Cause::Greeting(ProtocolError::Closed) | Cause::Answer(ProtocolError::Closed));
        early && self.status.is_some_and(is_killed)
    }
}

#[cfg(unix)]
fn is_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    /// SIGHUP, SIGINT, SIGKILL and SIGTERM have these numbers on every Unix system.
    const SIGNALS: [i32; 4] = [1, 2, 9, 15];
    status.signal().is_some_and(|signal| SIGNALS.contains(&signal))
}

#[cfg(not(unix))]
fn is_killed(_: ExitStatus) -> bool {
    // The exit status of a killed process looks like the exit status of a crash.
    false
}

pub(super) enum Cause {
    /// The process could not be started.
    Start(std::io::Error),
    /// The process did not send the greeting of a compiler.
    Greeting(ProtocolError),
    /// The process ended early, or sent an invalid answer.
    Answer(ProtocolError),
    /// The process exceeded the time limit.
    TimeOut,
    /// The process did not send a greeting in time.
    Silent(Duration),
}

/// Time limit of the greeting, which is sufficient for a slow disk.
const GREETING_LIMIT: Duration = Duration::from_secs(20);

/// The answer to a request, before it is decoded.
type Received = Result<Encoded, CompileError>;

pub(super) struct Process {
    pub program: PathBuf,
    child: Child,
    /// If this sender is dropped, the thread that owns the pipes ends. The end of the thread closes the
    /// pipes, and then the process ends.
    requests: Option<Sender<Request>>,
    answers: Receiver<Result<Received, ProtocolError>>,
    output: Arc<Mutex<VecDeque<u8>>>,
    output_ended: Receiver<()>,
    next_id: u64,
}

impl Process {
    /// Starts `program serve` and waits for its greeting.
    pub fn start(program: &Path, limit: Duration) -> Result<Process, Failure> {
        let mut command = Command::new(program);
        if program.file_stem().is_some_and(|name| name == super::names::ALL_TOOLS) {
            command.arg("c");
        }
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let no_start = |error| Failure { cause: Cause::Start(error), status: None, output: String::new() };
        let mut child = command.spawn().map_err(no_start)?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three pipes were requested");
        };
        let (requests, requested) = channel();
        let (answer, answers) = channel();
        let (greet, greeting) = channel();
        let output = Arc::new(Mutex::new(VecDeque::new()));
        let (ended, output_ended) = channel();
        let kept = output.clone();
        let threads = spawn("cube-compiler", move || converse(stdin, stdout, &greet, &requested, &answer))
            .and_then(|()| spawn("cube-compiler-output", move || keep(stderr, &kept, &ended)));
        let program = program.to_path_buf();
        let process = Process { program, child, requests: Some(requests), answers, output, output_ended, next_id: 0 };
        if let Err(error) = threads {
            return Err(process.fail(Cause::Start(error)));
        }
        // A compiler sends its greeting immediately, so a short time limit suffices.
        let limit = limit.min(GREETING_LIMIT);
        match greeting.recv_timeout(limit) {
            Ok(Ok(())) => Ok(process),
            Ok(Err(error)) => Err(process.fail(Cause::Greeting(error))),
            Err(RecvTimeoutError::Timeout) => Err(process.fail(Cause::Silent(limit))),
            Err(RecvTimeoutError::Disconnected) => Err(process.fail(Cause::Greeting(ProtocolError::Closed))),
        }
    }

    /// Whether the process still runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends one request to the process and waits for the answer. The method returns the process only if the
    /// process answered. The answer can also be an error of the compiler.
    pub fn ask<T: Output>(
        mut self,
        mut request: Request,
        limit: Duration,
    ) -> Result<(Process, Result<T, CompileError>), Failure> {
        request.id = self.next_id;
        self.next_id += 1;
        let sent = self.requests.as_ref().is_some_and(|requests| requests.send(request).is_ok());
        if !sent {
            return Err(self.fail(Cause::Answer(ProtocolError::Closed)));
        }
        match self.answers.recv_timeout(limit) {
            Ok(Ok(Ok(encoded))) => match T::decode(encoded) {
                Ok(output) => Ok((self, Ok(output))),
                Err(error) => Err(self.fail(Cause::Answer(error))),
            },
            Ok(Ok(Err(error))) => Ok((self, Err(error))),
            Ok(Err(error)) => Err(self.fail(Cause::Answer(error))),
            Err(RecvTimeoutError::Timeout) => Err(self.fail(Cause::TimeOut)),
            Err(RecvTimeoutError::Disconnected) => Err(self.fail(Cause::Answer(ProtocolError::Closed))),
        }
    }

    fn fail(mut self, cause: Cause) -> Failure {
        let by_itself = match &cause {
            // The pipe closes shortly before the process ends, so the exit status is not available immediately.
            Cause::Greeting(ProtocolError::Closed) | Cause::Answer(ProtocolError::Closed) => Duration::from_secs(1),
            _ => Duration::ZERO,
        };
        let status = self.end(by_itself);
        // The pipe can still contain the last output of the process. The wait has a short limit, because a child of the
        // process can keep the pipe open.
        let _ = self.output_ended.recv_timeout(Duration::from_millis(200));
        let kept = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        Failure { cause, status, output: String::from_utf8_lossy(&bytes).trim().to_string() }
    }

    /// Closes the pipe, waits for the end of the process, and returns its exit status. If the process does not end
    /// within the time limit, the method kills the process.
    fn end(&mut self, timeout: Duration) -> Option<ExitStatus> {
        self.requests = None;
        let start = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if start.elapsed() >= timeout {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // Neither of these calls can fail for a running child process.
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(Duration::from_millis(100));
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name.into()).spawn(run).map(drop)
}

/// The loop that handles requests until the first failure, or until the last request has been handled.
fn converse(
    mut stdin: ChildStdin,
    mut stdout: ChildStdout,
    greet: &Sender<Result<(), ProtocolError>>,
    requests: &Receiver<Request>,
    answer: &Sender<Result<Received, ProtocolError>>,
) {
    // A program that is not a compiler can ignore its input, but its output can show the user which program was
    // started.
    let written = write_hello(&mut stdin, Peer::Client);
    let greeting = read_hello(&mut stdout, Peer::Server).and(written);
    let failed = greeting.is_err();
    if greet.send(greeting).is_err() || failed {
        return;
    }
    for request in requests {
        let result = request.write(&mut stdin).and_then(|()| Response::read(&mut stdout, request.id));
        let failed = result.is_err();
        if answer.send(result).is_err() || failed {
            return;
        }
    }
}

/// Stores the last bytes of the process's standard error.
fn keep(mut stderr: ChildStderr, kept: &Mutex<VecDeque<u8>>, ended: &Sender<()>) {
    let mut chunk = [0; KEPT_OUTPUT];
    while let Ok(n @ 1..) = stderr.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&chunk[..n]);
        let surplus = kept.len().saturating_sub(KEPT_OUTPUT);
        kept.drain(..surplus);
    }
    // If the process ended without a failure, nobody receives this message.
    let _ = ended.send(());
}
