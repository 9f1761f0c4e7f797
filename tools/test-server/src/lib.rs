//! Starts `cube` for tests without loading its libraries each time.
//!
//! Loading libLLVM and libMLIR takes about 25 ms per process, and the tests start `cube` about 4,000 times. `cube
//! test-server SOCKET` loads them once. For each request it forks, and the child is `cube` with the arguments, the
//! environment, the folder, the standard streams, the limits and the process group of the client. The client,
//! `cube-client`, ends with the child's exit code or signal.
//!
//! Linux only: the server waits for children by process descriptors. Tests about processes (limits of memory, closed streams,
//! debuggers, hostile input) start `cube` itself.
#![cfg(target_os = "linux")]

pub mod client;
pub mod request;
mod server;

pub use server::serve;

/// The variable that names the server's socket.
pub const SOCKET: &str = "CUBE_TEST_SERVER";
