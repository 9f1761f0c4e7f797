//! The client: sends the properties of this process to the server, and waits for the end of the child
//! process.

use crate::request::{MAX_FILES, Request};
use rustix::io::FdFlags;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

/// The file descriptors that a child process of this process would inherit: the standard streams, the files of
/// bash's `<(...)`, and other open files.
fn handed_on() -> std::io::Result<Vec<RawFd>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        numbers.extend(entry?.file_name().to_str().and_then(|name| name.parse::<RawFd>().ok()));
    }
    numbers.sort_unstable();
    numbers.retain(|number| {
        // SAFETY: a closed number, such as the number of the folder read here, is an error of the call.
        let file = unsafe { BorrowedFd::borrow_raw(*number) };
        rustix::io::fcntl_getfd(file).is_ok_and(|flags| !flags.contains(FdFlags::CLOEXEC))
    });
    Ok(numbers)
}

/// Lets the server at `socket` run `cube` with all properties of this process.
///
/// # Errors
/// The server does not answer, or this process has more than `MAX_FILES` open files to send.
pub fn run(socket: &Path) -> std::io::Result<ExitStatus> {
    let files = handed_on()?;
    if files.len() > MAX_FILES {
        return Err(std::io::Error::other(format!("more than {MAX_FILES} files are open")));
    }
    let request = Request::of_this_process(files.clone())?.bytes();
    let mut stream = UnixStream::connect(socket)?;
    // SAFETY: nothing in this process closes them.
    let files: Vec<_> = files.into_iter().map(|number| unsafe { BorrowedFd::borrow_raw(number) }).collect();
    let length = u32::try_from(request.len()).map_err(|_| std::io::ErrorKind::ArgumentListTooLong)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    beside.push(SendAncillaryMessage::ScmRights(&files));
    // Four bytes are never sent in parts.
    sendmsg(&stream, &[IoSlice::new(&length.to_le_bytes())], &mut beside, SendFlags::empty())?;
    stream.write_all(&request)?;
    let mut ended = [0; 4];
    stream.read_exact(&mut ended)?;
    Ok(ExitStatus::from_raw(i32::from_le_bytes(ended)))
}
