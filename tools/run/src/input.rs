//! Reads the input file of the command line: an artifact, or source text for the compiler of the tool.
use crate::Compilers;
use crate::args::{Args, CompilerMode};
use crate::failure::Failure;
use crate::report::Times;
use cube_artifact::{Artifact, CompileError};
use std::io::Read;
use std::time::Instant;

/// The first bytes of an artifact file.
pub const MAGIC: &[u8] = b"CUBEART\0";

/// Maximum bytes of an input file, and of the output of a child process.
pub const MAX_BYTES: u64 = 512 << 20;

/// Reads a file, or standard input if `path` is `-`.
///
/// # Errors
/// The file is missing, cannot be read, or is too large.
pub fn read(path: &str) -> Result<Vec<u8>, CompileError> {
    let fail =
        |error: std::io::Error| CompileError::from(cube_artifact::diagnostic!(CUBE0602.read { file: path, error }));
    let mut bytes = Vec::new();
    if path == "-" {
        std::io::stdin()
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| CompileError::from(cube_artifact::diagnostic!(CUBE0602.input { error })))?;
    } else {
        let meta = std::fs::metadata(path).map_err(fail)?;
        if meta.is_dir() {
            return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0602.folder { file: path })));
        }
        if meta.len() > MAX_BYTES {
            return Err(too_large(path));
        }
        let file = std::fs::File::open(path).map_err(fail)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(path));
    }
    Ok(bytes)
}

fn too_large(path: &str) -> CompileError {
    CompileError::from(cube_artifact::diagnostic!(CUBE0103.bytes { file: path, limit: MAX_BYTES }))
}

/// The artifact of the kernel that the command line names, compiled for a target of the backend if necessary.
pub(crate) fn artifact(
    args: &Args,
    target: &str,
    compilers: &dyn Compilers,
    times: &mut Times,
) -> Result<Artifact, Failure> {
    let Some(path) = args.input.as_deref() else { return Err(nameless(compilers.tool())) };
    let start = Instant::now();
    let bytes = read(path)?;
    if bytes.starts_with(MAGIC) || path.ends_with(".artifact") {
        let artifact = ready(args, path, &bytes)?;
        times.add("read", start.elapsed(), format!("{} bytes of artifact", bytes.len()));
        return Ok(artifact);
    }
    compilers.compile(args, path, bytes, target, times)
}

/// The error for a command line without an input file.
pub fn nameless(tool: &str) -> Failure {
    Failure::Usage(format!("name a kernel: {tool} KERNEL.mlir --describe"))
}

/// Parses the artifact in `bytes`. An option that affects the compilation is an error, because the artifact
/// is already compiled.
fn ready(args: &Args, path: &str, bytes: &[u8]) -> Result<Artifact, Failure> {
    let compiling = [
        ("--param", !args.param.is_empty()),
        ("--target", args.target.is_some()),
        ("--compiler", args.compiler == CompilerMode::Serve),
    ];
    if let Some((option, _)) = compiling.iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!("{path} is already compiled, so {option} has no effect; omit it")));
    }
    let refuse = |error: cube_artifact::ArtifactError| {
        CompileError::from(cube_artifact::diagnostic!(CUBE0602.unreadable { file: path, error }))
    };
    let artifact = Artifact::from_bytes(bytes).map_err(refuse)?;
    match args.kernel.as_deref().filter(|name| *name != artifact.kernel) {
        Some(name) => Err(Failure::argument(cube_artifact::diagnostic!(CUBE0608.kernel {
            file: path,
            found: artifact.kernel,
            named: name
        }))),
        None => Ok(artifact),
    }
}
