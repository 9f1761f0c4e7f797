//! The path of the program that a tool starts as its child process.
use std::{env, io, path::PathBuf};

/// The path of this program. Under the test server, the result is the path of the server's client, which does not load
/// LLVM and MLIR again.
///
/// # Errors
/// The system does not report the path of this program.
pub fn program() -> io::Result<PathBuf> {
    let own = env::current_exe()?;
    let client = own.with_file_name("cube-client");
    let socket = env::var_os(cube_test_server::SOCKET).filter(|socket| !socket.is_empty());
    let served = socket.is_some() && client.is_file();
    Ok(if served { client } else { own })
}
