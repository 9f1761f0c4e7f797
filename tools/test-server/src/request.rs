//! The format of a request, which contains the state that a process inherits from its parent process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The resource limits that the shell command `ulimit` sets.
const LIMITS: [Resource; 8] = [
    Resource::As,
    Resource::Core,
    Resource::Cpu,
    Resource::Data,
    Resource::Fsize,
    Resource::Nofile,
    Resource::Nproc,
    Resource::Stack,
];

/// Maximum number of open files that a client sends.
pub const MAX_FILES: usize = 64;

/// The state of the client that the child process receives. The client sends its open files together with the
/// request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The process group of the client. The child process joins the group, so that a signal to the group also
    /// reaches the child process.
    pub group: i32,
    /// The soft and the hard value of each limit, in the order of [`LIMITS`]; `None` means unlimited.
    pub limits: Vec<(Option<u64>, Option<u64>)>,
    /// The numbers of the open files, in the order in which they are sent.
    pub files: Vec<i32>,
    /// The current folder.
    pub folder: PathBuf,
    /// The arguments; the first one is the name of the program.
    pub arguments: Vec<OsString>,
    /// The environment variables with their values.
    pub environment: Vec<(OsString, OsString)>,
}

impl Request {
    /// Creates a request with the state of the current process and the given open files.
    ///
    /// # Errors
    /// The current folder no longer exists.
    pub fn of_this_process(files: Vec<i32>) -> std::io::Result<Request> {
        let limit = |of: Resource| {
            let limit = getrlimit(of);
            (limit.current, limit.maximum)
        };
        Ok(Request {
            group: rustix::process::getpgrp().as_raw_nonzero().get(),
            limits: LIMITS.into_iter().map(limit).collect(),
            files,
            folder: std::env::current_dir()?,
            arguments: std::env::args_os().collect(),
            environment: std::env::vars_os().collect(),
        })
    }

    /// Converts the request to bytes. Each field ends with a zero byte, and no field contains a zero byte.
    pub fn bytes(&self) -> Vec<u8> {
        let limit = |value: Option<u64>| value.map_or("-".to_string(), |value| value.to_string());
        let limits: Vec<String> = self.limits.iter().flat_map(|(soft, hard)| [limit(*soft), limit(*hard)]).collect();
        let mut bytes = Vec::new();
        let mut field = |text: &[u8]| {
            bytes.extend_from_slice(text);
            bytes.push(0);
        };
        field(self.group.to_string().as_bytes());
        field(limits.join(" ").as_bytes());
        let files: Vec<String> = self.files.iter().map(i32::to_string).collect();
        field(files.join(" ").as_bytes());
        field(self.folder.as_os_str().as_bytes());
        field(self.arguments.len().to_string().as_bytes());
        self.arguments.iter().for_each(|argument| field(argument.as_bytes()));
        for (name, value) in &self.environment {
            field(&[name.as_bytes(), b"=", value.as_bytes()].concat());
        }
        bytes
    }

    /// Parses a request; `None` if the bytes are invalid.
    pub fn read(bytes: &[u8]) -> Option<Request> {
        let mut fields = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let mut field = || fields.next().map(|field| OsString::from_vec(field.to_vec()));
        let group = field()?.to_str()?.parse().ok()?;
        let limits = field()?;
        let mut limits = limits.to_str()?.split(' ').map(|word| match word {
            "-" => Some(None),
            number => number.parse().ok().map(Some),
        });
        let mut pairs = Vec::new();
        while let Some(soft) = limits.next() {
            pairs.push((soft?, limits.next()??));
        }
        let files = field()?.to_str()?.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let folder = field()?.into();
        let count: usize = field()?.to_str()?.parse().ok()?;
        let arguments = (0..count).map(|_| field()).collect::<Option<_>>()?;
        let mut environment = Vec::new();
        while let Some(entry) = field() {
            // A name can begin with `=`, as in some variables of a shell.
            let at = 1 + entry.as_bytes().get(1..)?.iter().position(|byte| *byte == b'=')?;
            let (name, value) = entry.as_bytes().split_at(at);
            environment.push((OsString::from_vec(name.into()), OsString::from_vec(value[1..].into())));
        }
        Some(Request { group, limits: pairs, files, folder, arguments, environment })
    }

    /// Sets the limits, the process group and the folder of this process to the values in the request.
    ///
    /// # Errors
    /// The system refuses a limit, or the folder does not exist.
    pub fn take_over(&self) -> std::io::Result<()> {
        for (resource, (soft, hard)) in LIMITS.into_iter().zip(&self.limits) {
            let now = getrlimit(resource);
            if (now.current, now.maximum) != (*soft, *hard) {
                setrlimit(resource, Rlimit { current: *soft, maximum: *hard })?;
            }
        }
        // This fails for a client of another session. A signal to such a client does not reach the child, and the
        // server ends the child with the client.
        let _ = rustix::process::setpgid(None, rustix::process::Pid::from_raw(self.group));
        std::env::set_current_dir(&self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_back() {
        let mut request = Request::of_this_process(vec![0, 1, 2, 63]).unwrap();
        request.arguments.push("".into());
        request.environment = vec![("A".into(), "b=c".into()), ("E".into(), "".into()), ("=x".into(), "y".into())];
        assert_eq!(Request::read(&request.bytes()), Some(request));
    }

    #[test]
    fn malformed_request_bytes_are_rejected() {
        let right = ["1", "- -", "0", "/", "1", "a", "A=b"];
        let request = |fields: &[&str]| Request::read((fields.join("\0") + "\0").as_bytes());
        assert!(request(&right).is_some() && Request::read(b"").is_none());
        for (at, wrong) in [(0, "x"), (1, "-"), (1, "- y"), (2, ""), (4, "9"), (4, "-1"), (6, "x")] {
            let mut fields = right;
            fields[at] = wrong;
            assert_eq!(request(&fields), None, "{fields:?}");
            assert_eq!(request(&right[..at.min(4)]), None, "{at}");
        }
    }
}
