//! A child process that calls the driver after a fault of this process.
//!
//! If the program's `main` begins with [`serve_if_asked`], the child process is a second run of the same program. If
//! `main` does not begin with [`serve_if_asked`], the child process runs an installed `cube-launch`. The child reads
//! requests from its standard input and writes answers to its standard output. A message consists of its length, a
//! little-endian integer of 8 bytes, and a value in the format of the crate postcard. The child ends when its standard
//! input is closed, at the latest when its parent ends.
use crate::driver::{Address, Class, Driver, DriverError, DriverResult, EventHandle, Function, Grid, Logged, Stream};
use cube_artifact::Variables;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// The program that runs as the child process if this program does not call [`serve_if_asked`].
pub(crate) const PROGRAM: &str = "cube-launch";

/// The first message of a child process. The message shows that the started program is a child process of this
/// protocol.
fn greeting<D: Driver>() -> String {
    format!("cube-gpu-host {} {}", D::NAME, env!("CARGO_PKG_VERSION"))
}

/// The maximum length of a message in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Whether this program's `main` begins with [`serve_if_asked`].
static SERVES: AtomicBool = AtomicBool::new(false);

/// Lets this program run as the child process that uses the device after a kernel fault. Call this function first in
/// `main`. After a kernel has faulted, the runtime starts the program again as a child process, and runs all later
/// launches in this process. In the child process, this function answers requests and never returns. In any other
/// process, it returns immediately.
pub fn serve_if_asked<D: Driver>() {
    SERVES.store(true, Ordering::Relaxed);
    if let Some(ordinal) = std::env::var(D::SERVES_VARIABLE).ok().and_then(|text| text.parse().ok()) {
        // If this write fails, the parent process has ended.
        let _ = serve::<D>(ordinal, std::io::stdin().lock(), std::io::stdout().lock());
        std::process::exit(0);
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Request<'a> {
    Sync,
    Stream,
    SyncStream { stream: Stream },
    Memory,
    Alloc { bytes: u64 },
    Free { address: Address },
    Clear { stream: Stream, address: Address, bytes: u64 },
    Copy { stream: Stream, from: Address, to: Address, bytes: u64 },
    Write { stream: Stream, address: Address, data: &'a [u8] },
    Read { stream: Stream, address: Address, bytes: u64 },
    Load { code: &'a [u8], entry: &'a str },
    Unload { function: Function },
    AllowShared { function: Function, bytes: u32 },
    Launch { stream: Stream, function: Function, grid: Grid, slots: Vec<u64> },
    CreateEvent { timed: bool },
    FreeEvent { event: EventHandle },
    Record { event: EventHandle, stream: Stream },
    Wait { stream: Stream, event: EventHandle },
    IsComplete { event: EventHandle },
    SyncEvent { event: EventHandle },
    Elapsed { from: EventHandle, to: EventHandle },
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Reply {
    Done,
    Number(u64),
    Pair([u64; 2]),
    #[serde(with = "serde_bytes")]
    Bytes(Vec<u8>),
    Function(Function),
}

impl Reply {
    pub fn number(self) -> DriverResult<u64> {
        if let Reply::Number(number) = self { Ok(number) } else { Err(lost("it answers something else")) }
    }

    pub fn pair(self) -> DriverResult<[u64; 2]> {
        if let Reply::Pair(pair) = self { Ok(pair) } else { Err(lost("it answers something else")) }
    }

    pub fn function(self) -> DriverResult<Function> {
        if let Reply::Function(function) = self { Ok(function) } else { Err(lost("it answers something else")) }
    }

    pub fn bytes(self, wanted: usize) -> DriverResult<Vec<u8>> {
        match self {
            Reply::Bytes(bytes) if bytes.len() == wanted => Ok(bytes),
            _ => Err(lost("it answers something else")),
        }
    }
}

/// The parent's side of the protocol.
pub(crate) struct Host {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Host {
    /// Starts a child and waits until it has a context on the GPU.
    pub fn start<D: Driver>(ordinal: u32, variables: &Variables) -> DriverResult<Host> {
        let program = find::<D>(variables)?;
        let mut command = Command::new(&program);
        command.env(D::SERVES_VARIABLE, ordinal.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let unusable = |why: String| lost(&format!("{}: {why}", program.display()));
        let mut child = command.spawn().map_err(|error| unusable(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unusable("it has no pipes".into()));
        };
        let mut host = Host { child, input, output };
        let wanted = greeting::<D>();
        let started: Option<Result<String, DriverError>> =
            receive(&mut host.output).ok().and_then(|bytes| postcard::from_bytes(&bytes).ok());
        match started {
            Some(Ok(text)) if text == wanted => Ok(host),
            Some(Ok(text)) => Err(unusable(format!("it is {text}, but {wanted} is required"))),
            Some(Err(error)) => Err(error),
            None => Err(unusable(format!(
                "it is not {wanted}; call `serve_if_asked` of the runtime in `main` of this program"
            ))),
        }
    }

    /// Sends a request and waits for the answer.
    pub fn send_request(&mut self, request: &Request<'_>) -> Result<Reply, Logged> {
        let gone = |error: std::io::Error| (lost(&error.to_string()), String::new());
        let bytes = postcard::to_stdvec(request).map_err(|error| gone(std::io::Error::other(error)))?;
        send(&mut self.input, &bytes).map_err(gone)?;
        let answer = receive(&mut self.output).map_err(gone)?;
        postcard::from_bytes(&answer).map_err(|error| gone(std::io::Error::other(error)))?
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The child can hang in a kernel that never ends.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The error for a missing answer, which is a fault: the context of the child process is lost.
fn lost(why: &str) -> DriverError {
    let description = format!("the process of the device has ended ({why})");
    DriverError { call: "the device's process".into(), class: Class::Fault, description }
}

fn find<D: Driver>(variables: &Variables) -> DriverResult<PathBuf> {
    let exe = variables.program();
    if let Some(named) = variables.get(D::CHILD_VARIABLE) {
        return Ok(named.into());
    }
    if let Some(exe) = exe.filter(|_| SERVES.load(Ordering::Relaxed)) {
        return Ok(exe.into());
    }
    let path = variables.get("PATH").unwrap_or_default();
    let beside = exe.and_then(Path::parent).map(Path::to_path_buf);
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute()).chain(beside);
    folders.map(|folder| folder.join(PROGRAM)).find(|file| file.is_file()).ok_or_else(|| DriverError {
        call: "a process to continue in".into(),
        class: Class::Other,
        description: format!(
            "{PROGRAM} is not in PATH, and this program's main does not begin with serve_if_asked of the runtime"
        ),
    })
}

fn send(to: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

fn receive(from: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_BYTES {
        return Err(std::io::Error::other("the length of the message exceeds the limit"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The child's side of the protocol: answers requests until the input ends.
fn serve<D: Driver>(ordinal: u32, mut input: impl Read, mut output: impl Write) -> std::io::Result<()> {
    let opened = D::find(ordinal).map_err(|error| lost(&error.message)).and_then(|_| D::create(ordinal));
    let started = opened.as_ref().map(|_| greeting::<D>()).map_err(Clone::clone);
    send(&mut output, &postcard::to_stdvec(&started).map_err(std::io::Error::other)?)?;
    let Ok(context) = opened else { return Ok(()) };
    loop {
        let message = receive(&mut input)?;
        let reply: Result<Reply, Logged> = match postcard::from_bytes(&message) {
            Ok(request) => execute(context, request),
            Err(error) => Err((lost(&error.to_string()), String::new())),
        };
        send(&mut output, &postcard::to_stdvec(&reply).map_err(std::io::Error::other)?)?;
    }
}

fn execute<D: Driver>(context: D, request: Request<'_>) -> Result<Reply, Logged> {
    let plain = |error: DriverError| (error, String::new());
    let done = |answer: DriverResult<()>| answer.map(|()| Reply::Done).map_err(plain);
    let number = |answer: DriverResult<u64>| answer.map(Reply::Number).map_err(plain);
    match request {
        Request::Sync => done(context.sync()),
        Request::Stream => number(context.stream().map(|stream| stream.0)),
        Request::SyncStream { stream } => done(context.sync_stream(stream)),
        Request::Memory => context.memory().map(|(free, all)| Reply::Pair([free, all])).map_err(plain),
        Request::Alloc { bytes } => number(context.alloc(bytes)),
        Request::Free { address } => done(context.free(address)),
        Request::Clear { stream, address, bytes } => done(context.clear(stream, address, bytes)),
        Request::Copy { stream, from, to, bytes } => done(context.copy(stream, from, to, bytes)),
        Request::Write { stream, address, data } => {
            // SAFETY: the data outlives the wait for the stream.
            let written = unsafe { context.write(stream, address, data.as_ptr(), data.len()) };
            let synced = context.sync_stream(stream);
            done(written.and(synced))
        }
        Request::Read { stream, address, bytes } => {
            let mut out = vec![0; bytes.min(MAX_BYTES) as usize];
            // SAFETY: the memory outlives the wait for the stream.
            let read = unsafe { context.read(stream, address, out.as_mut_ptr(), out.len()) };
            let synced = context.sync_stream(stream);
            read.and(synced).map(|()| Reply::Bytes(out)).map_err(plain)
        }
        Request::Load { code, entry } => context.load(code, entry).map(Reply::Function),
        Request::Unload { function } => {
            let _ = context.sync();
            context.unload(function);
            Ok(Reply::Done)
        }
        Request::AllowShared { function, bytes } => done(context.allow_shared(function, bytes)),
        Request::Launch { stream, function, grid, mut slots } => {
            // SAFETY: the parent made the same promise before it sent the request.
            done(unsafe { context.launch(stream, function, &grid, &mut slots) })
        }
        Request::CreateEvent { timed } => number(context.create_event(timed).map(|event| event.0)),
        Request::FreeEvent { event } => {
            context.free_event(event);
            Ok(Reply::Done)
        }
        Request::Record { event, stream } => done(context.record(event, stream)),
        Request::Wait { stream, event } => done(context.wait(stream, event)),
        Request::IsComplete { event } => number(context.is_complete(event).map(u64::from)),
        Request::SyncEvent { event } => done(context.sync_event(event)),
        Request::Elapsed { from, to } => number(context.elapsed(from, to).map(|time| time.to_bits().into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_round_trip_and_invalid_lengths_are_rejected() {
        let mut pipe = Vec::new();
        send(&mut pipe, b"one").unwrap();
        send(&mut pipe, b"").unwrap();
        let mut from = pipe.as_slice();
        assert_eq!((receive(&mut from).unwrap(), receive(&mut from).unwrap()), (b"one".to_vec(), vec![]));
        assert!(receive(&mut from).is_err());
        assert!(receive(&mut [0xff; 64].as_slice()).is_err());
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let data = [1, 2, 3];
        let bytes =
            postcard::to_stdvec(&Request::Write { stream: Stream(7), address: 0x7f00_0000_1000, data: &data }).unwrap();
        let Ok(Request::Write { stream: Stream(7), address, data: back }) = postcard::from_bytes(&bytes) else {
            panic!("another request")
        };
        assert_eq!((address, back), (0x7f00_0000_1000, &data[..]));
    }
}
