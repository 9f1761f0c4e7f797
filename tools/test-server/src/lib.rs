//! Starts `cube` for tests without loading its libraries each time.
//!
//! Loading libLLVM and libMLIR takes about 25 ms per process, and the tests start `cube` about 4,000 times. `cube test-server
//! SOCKET` loads them once. The server forks for each request. The child is `cube` with the client's arguments, environment,
//! folder, standard streams, limits and process group. The client, `cube-client`, ends with the child's exit code or signal.
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
