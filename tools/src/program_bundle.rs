//! `cubec bundle`: compiles all kernels of a program for several targets into one file.
use crate::{input, say};
use clap::Parser;
use cube_artifact::{CompileError, CompileOptions, Compiler, Diagnostic, Severity, Target, diagnostic};
use cube_driver::{Driver, Pipeline};
use cube_runtime::bundle::{Bundle, BundleWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compile all kernels of a program for several targets into one file, which the program loads instead of a compiler.
#[derive(Parser)]
#[command(
    name = "cubec bundle",
    after_help = "examples:\n  CUBE_DUMP=kernels cargo run                  write the kernels of a program to a folder\n  cubec bundle kernels --target cpu --target nvptx:sm_90a -o kernels.bundle\n  CUBE_BUNDLE=kernels.bundle cargo run         run without the compiler\n  cubec bundle --list kernels.bundle"
)]
struct Args {
    /// The kernels: .mlir files with one kernel each, or folders of such files. In a folder, files after a phase
    /// (KERNEL.N-PHASE.mlir) are left out
    inputs: Vec<String>,
    /// Target to compile for: BACKEND or BACKEND:CHIP; can be given several times
    #[arg(long, short, default_value = "cpu")]
    target: Vec<Target>,
    /// The bundle's file
    #[arg(long, short)]
    output: Option<String>,
    /// List the kernels and targets of a bundle
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "output"])]
    list: Option<PathBuf>,
}

/// Runs the command `cubec bundle`; `words` is the whole command line.
pub fn main(words: &[String]) -> ExitCode {
    let own = std::iter::once("cubec bundle".to_string()).chain(words.iter().skip(2).cloned());
    let args = match Args::try_parse_from(own) {
        Ok(args) => args,
        Err(error) => return say::command_line(&error),
    };
    if let Some(file) = &args.list {
        return list(file);
    }
    let Some(output) = &args.output else { return say::usage("cubec bundle", "name the bundle's file with -o FILE") };
    if args.inputs.is_empty() {
        return say::usage("cubec bundle", "name the kernels: cubec bundle kernels -o kernels.bundle");
    }
    match bundled(&args).and_then(|bytes| input::write(output, &bytes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => say::compile_error(&error),
    }
}

fn list(file: &Path) -> ExitCode {
    match Bundle::open(file) {
        Ok(bundle) => {
            let lines = bundle.entries().iter().map(|entry| format!("{} {}\n", entry.kernel, entry.target));
            say::print(&lines.collect::<String>());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles every kernel for every target. All errors are reported together, and an error leaves no bundle.
fn bundled(args: &Args) -> Result<Vec<u8>, CompileError> {
    let (mut writer, mut diagnostics) = (BundleWriter::default(), Vec::new());
    for file in files(&args.inputs)? {
        let source = input::read_source(&file)?;
        let source = without_instance(&source);
        let options = CompileOptions { file_name: Some(file.clone()), ..Default::default() };
        for target in &args.target {
            match Driver.compile(source, target, &options) {
                Ok(artifact) => drop(writer.add(source, target, &options, &artifact)),
                Err(mut error) => {
                    if let Some(first) = error.diagnostics.first_mut() {
                        let message = format!("while {file} was compiled for {target}");
                        first.notes.push(Diagnostic::new(Severity::Note, message, None));
                    }
                    diagnostics.extend(error.diagnostics);
                }
            }
        }
    }
    match diagnostics.is_empty() {
        true => Ok(writer.to_bytes()),
        false => Err(CompileError { diagnostics }),
    }
}

/// The text of a kernel without the line that `CUBE_DUMP` writes before it. The client compiles the kernel without this
/// line.
fn without_instance(source: &[u8]) -> &[u8] {
    match source.starts_with(b"// kernel ") {
        true => source.iter().position(|byte| *byte == b'\n').map_or(source, |end| &source[end + 1..]),
        false => source,
    }
}

/// The files of all inputs. The files of a folder are in the order of their names.
fn files(inputs: &[String]) -> Result<Vec<String>, CompileError> {
    let mut files = Vec::new();
    for input in inputs {
        if !Path::new(input).is_dir() {
            files.push(input.clone());
            continue;
        }
        let refuse = |error: std::io::Error| {
            let error = format!("the folder cannot be read: {error}; name a readable folder");
            CompileError::from(diagnostic!(CUBE0602.unreadable { file: input, error: error }))
        };
        let mut of_folder = Vec::new();
        for entry in std::fs::read_dir(input).map_err(refuse)? {
            let path = entry.map_err(refuse)?.path();
            if path.extension().is_some_and(|ending| ending == "mlir") && !is_of_phase(&path) && path.is_file() {
                of_folder.push(path.to_string_lossy().into_owned());
            }
        }
        if of_folder.is_empty() {
            return Err(CompileError::from(diagnostic!(CUBE0602.bundle { folder: input })));
        }
        of_folder.sort();
        files.append(&mut of_folder);
    }
    Ok(files)
}

/// Whether a file of `CUBE_DUMP` is a module after a phase: `KERNEL.N-PHASE.mlir`.
fn is_of_phase(file: &Path) -> bool {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let Some((number, phase)) = stem.rsplit_once('.').and_then(|(_, ending)| ending.split_once('-')) else {
        return false;
    };
    number.bytes().all(|byte| byte.is_ascii_digit()) && Pipeline::phase_names().any(|name| name == phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_dumped_after_a_phase_is_not_a_kernel() {
        let of_phase = |name: &str| is_of_phase(Path::new(name));
        assert!(of_phase("f/scale-F-f32-1234.1-specialize.mlir") && of_phase("scale.5-lower.mlir"));
        assert!(!of_phase("scale.mlir") && !of_phase("scale-1234.mlir") && !of_phase("scale.5-other.mlir"));
    }

    #[test]
    fn instance_comment_is_removed_from_the_kernel_text() {
        assert_eq!(without_instance(b"// kernel scale<F = f32>\nmodule {}\n"), b"module {}\n");
        assert_eq!(without_instance(b"// my kernel\nmodule {}\n"), b"// my kernel\nmodule {}\n");
    }
}
