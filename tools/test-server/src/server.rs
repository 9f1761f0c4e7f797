//! The server: one process without threads, and a child process for each request.

use crate::request::{MAX_FILES, Request};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, waitpid};
use std::ffi::OsString;
use std::io::{Error, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// First file descriptor for received files. Later, the received files get the descriptor numbers that they have in the
/// client. The client's descriptors are lower, because bash uses numbers up to 255.
const ABOVE: i32 = 512;

/// A running child process, and the client that waits for its end.
struct Running {
    child: Pid,
    end: OwnedFd,
    client: UnixStream,
}

/// Serves requests until standard input ends, and ends the child processes that still run. In each child process, the
/// function returns the requested arguments. In the server process, the function returns `None` at the end.
///
/// This process must have no other thread.
///
/// # Errors
/// The socket cannot be created, or a child process cannot read its request.
pub fn serve(socket: &Path) -> std::io::Result<Option<Vec<OsString>>> {
    let listener = UnixListener::bind(socket)?;
    // The starter of the server waits for this line.
    println!("ready");
    let mut running: Vec<Running> = Vec::new();
    loop {
        let (listening, ended, left, over) = wait(&listener, &running)?;
        if over {
            for one in running {
                let _ = rustix::process::kill_process(one.child, Signal::KILL);
                waitpid(Some(one.child), WaitOptions::empty())?;
            }
            let _ = std::fs::remove_file(socket);
            return Ok(None);
        }
        for at in left {
            // The client has ended, because of a time limit or a signal.
            let _ = rustix::process::kill_process(running[at].child, Signal::KILL);
        }
        for at in ended.into_iter().rev() {
            let mut done = running.swap_remove(at);
            let status = waitpid(Some(done.child), WaitOptions::empty())?.map_or(0, |(_, status)| status.as_raw());
            // An ended client requires no answer.
            let _ = done.client.write_all(&status.to_le_bytes());
        }
        if listening {
            let (client, _) = listener.accept()?;
            // SAFETY: this process has one thread, so the child is a complete copy.
            match unsafe { libc::fork() } {
                0 => {
                    drop((running, listener));
                    return become_cube(client).map(Some);
                }
                pid => {
                    let child = if pid > 0 { Pid::from_raw(pid) } else { None }.ok_or_else(Error::last_os_error)?;
                    running.push(Running { child, end: pidfd_open(child, PidfdFlags::empty())?, client });
                }
            }
        }
    }
}

/// Waits for an event: a client connects, a child process ends, a client disconnects, or standard input ends.
#[allow(clippy::type_complexity, reason = "one caller, beside it")]
fn wait(listener: &UnixListener, running: &[Running]) -> std::io::Result<(bool, Vec<usize>, Vec<usize>, bool)> {
    let stdin = std::io::stdin();
    let mut events = vec![PollFd::new(listener, PollFlags::IN), PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    for one in running {
        events.push(PollFd::new(&one.end, PollFlags::IN));
        // A client sends only one request, so an event reports its end.
        events.push(PollFd::new(&one.client, PollFlags::empty()));
    }
    match poll(&mut events, None) {
        Err(Errno::INTR) => return Ok(Default::default()),
        other => other?,
    };
    let seen = |at: usize| !events[at].revents().is_empty();
    let of = |which: usize| (0..running.len()).filter(|at| seen(2 + 2 * at + which)).collect::<Vec<_>>();
    let (ended, left) = (of(0), of(1));
    Ok((seen(0), ended, left, seen(1)))
}

unsafe extern "C" {
    /// Registers a function that `exit` calls with the exit code. Functions that were registered later run earlier.
    fn on_exit(function: extern "C" fn(libc::c_int, *mut libc::c_void), argument: *mut libc::c_void) -> libc::c_int;
}

/// Ends a child process without the destructors of global values that the server created. They would free all tables of
/// LLVM and MLIR, and so copy nearly the whole heap of the server.
extern "C" fn end(code: libc::c_int, _: *mut libc::c_void) {
    // SAFETY: null flushes all streams of the C library. No code runs after `_exit`.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code)
    }
}

/// Reads the request, and sets the state of this process as if the client had started it.
fn become_cube(client: UnixStream) -> std::io::Result<Vec<OsString>> {
    let wrong = || Error::other("a request that is not one");
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(&client, &mut [IoSliceMut::new(&mut length)], &mut beside, RecvFlags::CMSG_CLOEXEC)?;
    let mut files = beside.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let files = files.next().ok_or_else(wrong)?;
    // Moves the files away from the numbers that they will get.
    let files = files.map(|file| rustix::io::fcntl_dupfd_cloexec(file, ABOVE)).collect::<Result<Vec<_>, _>>()?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    if got.bytes != length.len() {
        return Err(wrong());
    }
    (&client).read_exact(&mut bytes)?;
    drop(client);
    let request = Request::read(&bytes).filter(|request| request.files.len() == files.len()).ok_or_else(wrong)?;
    for (file, number) in files.into_iter().zip(&request.files) {
        // SAFETY: no other file of the child has these numbers.
        if unsafe { libc::dup2(file.as_raw_fd(), *number) } < 0 {
            return Err(Error::last_os_error());
        }
    }
    request.take_over()?;
    let old: Vec<OsString> = std::env::vars_os().map(|(name, _)| name).collect();
    // SAFETY: this process has one thread. `end` accepts each argument.
    unsafe {
        on_exit(end, std::ptr::null_mut());
        old.iter().for_each(|name| std::env::remove_var(name));
        request.environment.iter().for_each(|(name, value)| std::env::set_var(name, value));
    }
    Ok(request.arguments)
}
