//! Starts `cube` for tests without loading the libraries of `cube` each time.
//!
//! Loading libLLVM and libMLIR takes about 25 ms per process, and the tests start `cube` about 4,000 times.
//! `cube test-server SOCKET` loads both libraries only once, and copies their code to huge pages. The server forks a
//! child process for each request. The child process runs `cube` with the arguments, environment, folder, standard
//! streams, limits and process group of the client. The client `cube-client` ends with the exit code or the signal of
//! the child process.
//!
//! The crate requires Linux, because the server waits for its child processes with process file descriptors. Tests
//! of process properties (memory limits, closed streams, debuggers, hostile input) start `cube` without the
//! server.
#![cfg(target_os = "linux")]

pub mod client;
pub mod drivers;
pub mod pages;
pub mod request;
mod server;

pub use server::serve;

/// The environment variable with the path of the server's socket.
pub const SOCKET: &str = "CUBE_TEST_SERVER";
