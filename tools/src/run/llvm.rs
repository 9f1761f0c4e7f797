//! Bisects LLVM's own passes. A child process compiles the kernel with only the first N passes of LLVM, and the CPU
//! runs the code.
use super::failure::Failure;
use super::interpret::Kernel;
use cube_artifact::Message;
use cube_artifact::{Artifact, CompileError};
use std::path::Path;
use std::process::Command;

/// The line on standard error with which LLVM announces a pass.
const RUNS: &str = "BISECT: running pass (";

/// Finds the first LLVM pass after which `differs` holds, and returns a message about this pass. If `differs` holds
/// without any pass, the message is about code generation. `differs` must hold after all passes. `what` is the part
/// of the result that differs.
pub fn first(
    kernel: &Kernel<'_>,
    folder: &Path,
    what: &str,
    differs: &dyn Fn(&Artifact) -> Result<bool, Failure>,
) -> Result<Message, Failure> {
    std::fs::create_dir_all(folder).map_err(|e| cannot(folder, &e))?;
    let source = folder.join("kernel.mlir");
    std::fs::write(&source, kernel.source).map_err(|e| cannot(&source, &e))?;
    let (_, passes) = compile(kernel, folder, -1)?;
    let wrong = |count: usize| differs(&compile(kernel, folder, count as i64)?.0);
    if wrong(0)? {
        return Ok(cube_artifact::diagnostic!(CUBE0721.generation { what, file: source.display() }));
    }
    // The result is right after `right` passes, and wrong after `last` passes.
    let (mut right, mut last) = (0, passes.len());
    while last - right > 1 {
        let middle = right + (last - right) / 2;
        if wrong(middle)? { last = middle } else { right = middle }
    }
    let name = passes.get(last - 1).map_or("?", String::as_str);
    let command = |count| format!("{} --emit llvm -o -", words(kernel, &source, count).join(" "));
    let (before, after) = (command(last as i64 - 1), command(last as i64));
    Ok(cube_artifact::diagnostic!(CUBE0721.pass { pass: name, number: last, count: passes.len(), what, before, after }))
}

fn words(kernel: &Kernel<'_>, source: &Path, count: i64) -> Vec<String> {
    let mut words = vec![source.display().to_string(), "--target".into(), "cpu".into()];
    if let Some(name) = &kernel.request.kernel {
        words.extend(["--kernel".into(), name.clone()]);
    }
    words.extend(kernel.request.params.iter().flat_map(|(name, value)| ["--param".into(), format!("{name}={value}")]));
    words.push(format!("--llvm-passes={count}"));
    words
}

// Compiles the kernel with the first `count` passes of LLVM, or with all passes if `count` is -1. Returns the
// artifact and the passes that LLVM ran.
fn compile(kernel: &Kernel<'_>, folder: &Path, count: i64) -> Result<(Artifact, Vec<String>), Failure> {
    let (source, output) = (folder.join("kernel.mlir"), folder.join("kernel.artifact"));
    let program = crate::program::program().map_err(|e| cannot(folder, &e))?;
    let mut child = Command::new(program);
    child.arg("cubec").args(words(kernel, &source, count)).args(["--emit", "artifact", "-o"]).arg(&output);
    let child = child.output().map_err(|e| cannot(folder, &e))?;
    let stderr = String::from_utf8_lossy(&child.stderr);
    if !child.status.success() {
        let stderr = stderr.lines().last().unwrap_or("");
        return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0721.fails { count, output: stderr })).into());
    }
    let bytes = std::fs::read(&output).map_err(|e| cannot(&output, &e))?;
    let artifact = Artifact::from_bytes(&bytes)
        .map_err(|error| CompileError::from(cube_artifact::diagnostic!(CUBE0721.artifact { error })))?;
    let name = |line: &str| Some(line.strip_prefix(RUNS)?.split_once(") ")?.1.to_string());
    Ok((artifact, stderr.lines().filter_map(name).collect()))
}

fn cannot(path: &Path, error: &std::io::Error) -> CompileError {
    CompileError::from(cube_artifact::diagnostic!(CUBE0603.folder { folder: path.display(), error }))
}
