//! The server that starts `cube` for tests (`tools/test-server`). The server loads LLVM and MLIR only once, which saves
//! a fifth of the time of the test suite.

use crate::processor_time;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running server. The server process ends when this value is dropped or when this process ends.
pub struct Server {
    /// The socket on which the server listens.
    pub socket: PathBuf,
    /// The server process. The server process runs until its standard input, which this process owns, is
    /// closed.
    child: Child,
}

impl Server {
    /// Starts a server for the program `cube`. The result is `None` if the server does not start, for example on
    /// systems other than Linux.
    pub fn start(cube: &Path) -> Option<Server> {
        let socket = std::env::temp_dir().join(format!("cube-test-server-{}", std::process::id()));
        let mut command = Command::new(cube);
        command.arg("test-server").arg(&socket).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // All symbols are resolved once, not again in each child.
        let mut child = command.env("LD_BIND_NOW", "1").spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let server = Server { socket, child };
        (line.trim() == "ready").then_some(server)
    }

    /// Ends the server. The result is the processor time of the server and of its ended children, in seconds; `None` on
    /// systems without `/proc`.
    pub fn end(self) -> Option<f64> {
        Some(processor_time::of(self.child.id())?.seconds)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // The server has ended because its input has ended. No error needs a report.
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_that_is_not_a_server_is_rejected() {
        assert!(Server::start(Path::new("true")).is_none());
        assert!(Server::start(Path::new("/no/such/program")).is_none());
    }
}
