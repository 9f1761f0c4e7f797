//! A child process that calls the driver, because this process cannot any more.
//!
//! The child is this program, if its `main` begins with [`serve_if_asked`], or else an installed `cube-launch`. It
//! receives requests on its standard input and answers on its standard output, one message at a time: a length in 8
//! bytes, little endian, followed by postcard data. It ends when its standard input is closed, so at the latest with
//! its parent.
use crate::driver::{self, Address, Answer, DriverError, Events, Function, Gpu, Raw, text};
use crate::request::{Grid, Logged};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that is set in the child: the number of the GPU.
const ASKED: &str = "CUBE_CUDA_HOST_OF";

/// The variable with the path of the child's program.
const NAMED: &str = "CUBE_CUDA_HOST";

/// The program to start if this one cannot be started as a child.
pub(crate) const PROGRAM: &str = "cube-launch";

/// The first message of a child, so that another program is not mistaken for one.
const GREETING: &str = concat!("cube-cuda-host ", env!("CARGO_PKG_VERSION"));

/// The maximum length of a message.
const MOST_BYTES: u64 = 1 << 30;

/// Whether this program's `main` begins with [`serve_if_asked`].
static SERVES: AtomicBool = AtomicBool::new(false);

/// Makes this program able to host a device: call it first in `main`. In an ordinary process it returns at once; in a
/// child it never returns. After a kernel has faulted, launches continue in such a child.
pub fn serve_if_asked() {
    SERVES.store(true, Ordering::Relaxed);
    if let Some(ordinal) = std::env::var(ASKED).ok().and_then(|text| text.parse().ok()) {
        // Whoever asked has gone when this fails.
        let _ = serve(ordinal, std::io::stdin().lock(), std::io::stdout().lock());
        std::process::exit(0);
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Request<'a> {
    Sync,
    Memory,
    Begin,
    End { events: Events },
    Alloc { bytes: u64 },
    Free { address: Address },
    Clear { address: Address, bytes: u64 },
    Write { address: Address, data: &'a [u8] },
    Read { address: Address, bytes: u64 },
    Load { ptx: &'a [u8], entry: &'a str },
    Unload { function: Function },
    AllowShared { function: Function, bytes: u32 },
    Launch { function: Function, grid: Grid, slots: Vec<u64> },
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
    pub fn number(self) -> Answer<u64> {
        if let Reply::Number(number) = self { Ok(number) } else { Err(lost("it answers something else")) }
    }

    pub fn pair(self) -> Answer<[u64; 2]> {
        if let Reply::Pair(pair) = self { Ok(pair) } else { Err(lost("it answers something else")) }
    }

    pub fn function(self) -> Answer<Function> {
        if let Reply::Function(function) = self { Ok(function) } else { Err(lost("it answers something else")) }
    }

    pub fn bytes(self, wanted: usize) -> Answer<Vec<u8>> {
        match self {
            Reply::Bytes(bytes) if bytes.len() == wanted => Ok(bytes),
            _ => Err(lost("it answers something else")),
        }
    }
}

/// The parent's end.
pub(crate) struct Host {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Host {
    /// Starts a child and waits until it has a context on the GPU.
    pub fn start(ordinal: u32) -> Answer<Host> {
        let program = find()?;
        let mut command = Command::new(&program);
        command.env(ASKED, ordinal.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let unusable = |why: String| lost(&format!("{}: {why}", program.display()));
        let mut child = command.spawn().map_err(|error| unusable(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unusable("it has no pipes".into()));
        };
        let mut host = Host { child, input, output };
        let greeting: Option<Result<String, DriverError>> =
            receive(&mut host.output).ok().and_then(|bytes| postcard::from_bytes(&bytes).ok());
        match greeting {
            Some(Ok(text)) if text == GREETING => Ok(host),
            Some(Ok(text)) => Err(unusable(format!("it is {text}, and {GREETING} is needed"))),
            Some(Err(error)) => Err(error),
            None => Err(unusable(format!("it is no {GREETING}; call cube_runtime_cuda::serve_if_asked in its main"))),
        }
    }

    /// Sends a request and waits for the answer.
    pub fn ask(&mut self, request: &Request<'_>) -> Result<Reply, Logged> {
        let gone = |error: std::io::Error| (lost(&error.to_string()), String::new());
        let bytes = postcard::to_stdvec(request).map_err(|error| gone(std::io::Error::other(error)))?;
        send(&mut self.input, &bytes).map_err(gone)?;
        let answer = receive(&mut self.output).map_err(gone)?;
        postcard::from_bytes(&answer).map_err(|error| gone(std::io::Error::other(error)))?
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // It may hang in a kernel that never ends.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A child that does not answer counts as a fault: its context is lost.
fn lost(why: &str) -> DriverError {
    let words = format!("the process that holds the device is lost, {why}");
    DriverError { call: "the device's process".into(), code: driver::Code::CUDA_ERROR_LAUNCH_FAILED as u32, words }
}

fn find() -> Answer<PathBuf> {
    let exe = std::env::current_exe().ok();
    if let Some(named) = std::env::var_os(NAMED) {
        return Ok(named.into());
    }
    if let Some(exe) = exe.as_ref().filter(|_| SERVES.load(Ordering::Relaxed)) {
        return Ok(exe.clone());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = exe.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).chain(beside);
    folders.map(|folder| folder.join(PROGRAM)).find(|file| file.is_file()).ok_or_else(|| DriverError {
        call: "a process to go on in".into(),
        code: driver::Code::CUDA_ERROR_NOT_FOUND as u32,
        words: format!(
            "{PROGRAM} is not in PATH, and this program's main does not begin with cube_runtime_cuda::serve_if_asked"
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
    if length > MOST_BYTES {
        return Err(std::io::Error::other("the length of the message exceeds the limit"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The child's main loop: answers requests until the last one.
fn serve(ordinal: u32, mut input: impl Read, mut output: impl Write) -> std::io::Result<()> {
    let opened = if driver::present() { open(ordinal) } else { Err(lost("the driver is missing")) };
    let greeting = opened.as_ref().map(|_| GREETING.to_string()).map_err(Clone::clone);
    send(&mut output, &postcard::to_stdvec(&greeting).map_err(std::io::Error::other)?)?;
    let Ok(raw) = opened else { return Ok(()) };
    loop {
        let message = receive(&mut input)?;
        let reply: Result<Reply, Logged> = match postcard::from_bytes(&message) {
            Ok(request) => obey(raw, request),
            Err(error) => Err((lost(&error.to_string()), String::new())),
        };
        send(&mut output, &postcard::to_stdvec(&reply).map_err(std::io::Error::other)?)?;
    }
}

fn open(ordinal: u32) -> Answer<Raw> {
    driver::init()?;
    Raw::create(Gpu::get(ordinal as i32)?)
}

fn obey(raw: Raw, request: Request<'_>) -> Result<Reply, Logged> {
    let plain = |error: DriverError| (error, String::new());
    let done = |answer: Answer<()>| answer.map(|()| Reply::Done).map_err(plain);
    match request {
        Request::Sync => done(raw.sync()),
        Request::Memory => raw.memory().map(|(free, all)| Reply::Pair([free, all])).map_err(plain),
        Request::Begin => raw.begin().map(Reply::Pair).map_err(plain),
        Request::End { events } => raw.end(events).map(|time| Reply::Number(time.to_bits().into())).map_err(plain),
        Request::Alloc { bytes } => raw.alloc(bytes).map(Reply::Number).map_err(plain),
        Request::Free { address } => done(raw.free(address)),
        Request::Clear { address, bytes } => done(raw.clear(address, bytes)),
        Request::Write { address, data } => done(raw.write(address, data)),
        Request::Read { address, bytes } => {
            let mut out = vec![0; bytes.min(MOST_BYTES) as usize];
            raw.read(address, &mut out).map(|()| Reply::Bytes(out)).map_err(plain)
        }
        Request::Load { ptx, entry } => {
            let (ptx, entry) = (text(ptx).unwrap_or_default(), text(entry.as_bytes()).unwrap_or_default());
            raw.load(&ptx, &entry).map(Reply::Function)
        }
        Request::Unload { function } => {
            raw.unload(function);
            Ok(Reply::Done)
        }
        Request::AllowShared { function, bytes } => done(raw.allow_shared(function, bytes)),
        Request::Launch { function, grid, mut slots } => {
            // SAFETY: the parent gave the same promise before it sent this.
            done(unsafe { raw.launch(function, grid.cubes, grid.dim, grid.shared, &mut slots) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_whole_and_lengths_that_lie_are_refused() {
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
        let bytes = postcard::to_stdvec(&Request::Write { address: 0x7f00_0000_1000, data: &data }).unwrap();
        let Ok(Request::Write { address, data: back }) = postcard::from_bytes(&bytes) else {
            panic!("another request")
        };
        assert_eq!((address, back), (0x7f00_0000_1000, &data[..]));
    }
}
