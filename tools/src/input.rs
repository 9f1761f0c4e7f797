//! Reads the input of the user, and writes output files completely or not at all.
pub use cube_run_cli::input::{MAX_BYTES, read};

use crate::child::{self, ChildOutcome};
use cube_artifact::CompileError;
use cube_run_cli::output;
use std::{
    fs::Permissions,
    io::{ErrorKind, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

/// Whether `bytes` begins like MLIR bytecode.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ML\xefR")
}

/// Reads a file as text that MLIR's parser can safely read in this process.
///
/// # Errors
/// The errors of [`read`] and [`as_source`].
pub fn read_source(path: &str) -> Result<Vec<u8>, CompileError> {
    as_source(path, read(path)?)
}

/// Converts the content of a file to text that MLIR's parser can safely read in this process. A child process with
/// limits converts bytecode to text, because MLIR's bytecode reader can crash on damaged input.
///
/// # Errors
/// The bytecode cannot be read.
pub fn as_source(path: &str, bytes: Vec<u8>) -> Result<Vec<u8>, CompileError> {
    if !is_bytecode(&bytes) {
        return Ok(bytes);
    }
    let refuse = |why: String| CompileError::from(cube_artifact::diagnostic!(CUBE0106.bytecode { file: path, why }));
    match child::run(&["opt", "-"], bytes) {
        ChildOutcome::Succeeded { stdout, .. } => Ok(stdout),
        ChildOutcome::Crashed(why) => Err(refuse(why)),
        ChildOutcome::Refused(message) => {
            Err(refuse(message.lines().find(|l| l.contains("error")).unwrap_or("no reason was given").to_string()))
        }
    }
}

/// Writes a file through a temporary file in the same folder, so that a failure leaves no partial file. `-` is
/// standard output.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &str, bytes: &[u8]) -> Result<(), CompileError> {
    let fail =
        |e: std::io::Error| CompileError::from(cube_artifact::diagnostic!(CUBE0603.file { file: path, error: e }));
    if path == "-" {
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => output::ended(&error),
            written => written.map_err(fail),
        };
    }
    let target = Path::new(path);
    let special = target.exists() && !target.is_file();
    if special && !target.is_dir() {
        // A pipe or a device such as /dev/null is written directly, not replaced.
        return std::fs::write(target, bytes).map_err(fail);
    }
    let mut file = beside(target).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    file.persist(target).map_err(|e| fail(e.error))?;
    Ok(())
}

/// Creates a temporary file in the folder of `target`, with the permissions that the user's umask gives a new
/// file.
pub fn beside(target: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(std::io::Error::other(format!("{} is not a folder", folder.display())));
    }
    tempfile::Builder::new().prefix(".cube-").permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}
