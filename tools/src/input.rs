//! Reading what a user names, and writing what a user asked for, whole or not at all.
use cube_artifact::CompileError;
use std::{
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

const MAX_BYTES: u64 = 512 << 20;

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// A file that is not there, cannot be read, or is too large.
pub fn read(path: &str) -> Result<Vec<u8>, CompileError> {
    let fail = |what: String| CompileError::new("CUBE0602", what);
    let mut bytes = Vec::new();
    if path == "-" {
        std::io::stdin()
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| fail(format!("cannot read standard input: {e}")))?;
    } else {
        let meta = std::fs::metadata(path).map_err(|e| fail(format!("cannot read {path}: {e}")))?;
        if meta.is_dir() {
            return Err(fail(format!("{path} is a folder; name a .mlir file")));
        }
        let file = std::fs::File::open(path).map_err(|e| fail(format!("cannot read {path}: {e}")))?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| fail(format!("cannot read {path}: {e}")))?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CompileError::new(
            "CUBE0103",
            format!("{path} has more than {MAX_BYTES} bytes, which is the limit"),
        ));
    }
    Ok(bytes)
}

/// Whether these are the first bytes of MLIR bytecode.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ML\xefR")
}

/// The file as text that is safe to parse here.
///
/// # Errors
/// As [`read`] and [`as_source`].
pub fn read_source(path: &str) -> Result<Vec<u8>, CompileError> {
    as_source(path, read(path)?)
}

/// The content of a file as text that is safe to parse here: bytecode is turned into text by a child process with limits,
/// because MLIR's bytecode reader can crash on damaged input.
///
/// # Errors
/// Bytecode that cannot be read.
pub fn as_source(path: &str, bytes: Vec<u8>) -> Result<Vec<u8>, CompileError> {
    if !is_bytecode(&bytes) {
        return Ok(bytes);
    }
    let refuse = |why: String| {
        CompileError::new(
            "CUBE0106",
            format!(
                "{path} is MLIR bytecode that cannot be read: {why}; make it again with `cube-opt --emit-bytecode` of this version, or use text"
            ),
        )
    };
    let child = limited_child(&["opt", "-"]).map_err(|e| refuse(e.to_string()))?;
    let output = feed(child, bytes).map_err(|e| refuse(e.to_string()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().find(|l| l.contains("error")).unwrap_or("the reader crashed on it").to_string();
    Err(refuse(why))
}

/// This program again, as a child with limits on time and memory, its pipes open.
pub fn limited_child(args: &[&str]) -> std::io::Result<std::process::Child> {
    let program = std::env::current_exe()?;
    Command::new("/bin/sh")
        .args(["-c", "ulimit -t 60; ulimit -v 8388608; ulimit -c 0; exec \"$0\" \"$@\""])
        .arg(program)
        .args(args)
        .env("CUBE_BYTECODE_CHILD", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Writes `bytes` to the child and waits for it.
pub fn feed(mut child: std::process::Child, bytes: Vec<u8>) -> std::io::Result<std::process::Output> {
    let mut pipe = child.stdin.take().expect("the pipe was asked for");
    let writer = std::thread::spawn(move || {
        // A child that dies early closes the pipe; its exit status says why.
        let _ = pipe.write_all(&bytes);
    });
    let output = child.wait_with_output();
    let _ = writer.join();
    output
}

/// Writes a file through a temporary one beside it, so that there is never half a file; `-` is standard output.
///
/// # Errors
/// A place that cannot be written.
pub fn write(path: &str, bytes: &[u8]) -> Result<(), CompileError> {
    let fail = |e: std::io::Error| CompileError::new("CUBE0603", format!("cannot write {path}: {e}"));
    if path == "-" {
        return std::io::stdout().write_all(bytes).map_err(fail);
    }
    let target = Path::new(path);
    let special = target.exists() && !target.is_file();
    if special && !target.is_dir() {
        // A pipe or a device such as /dev/null is written to, not replaced.
        return std::fs::write(target, bytes).map_err(fail);
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".cube-").tempfile_in(folder).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    file.persist(target).map_err(|e| fail(e.error))?;
    Ok(())
}
