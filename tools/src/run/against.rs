//! `--against`: the same launch on two backends, whose results must be equal within `--ulp`.
use super::args::Args;
use super::failure::Failure;
use super::interpret::{self, Kernel};
use super::values::Value;
use super::{backends, bisect, compile, launch};
use crate::say;
use cube_artifact::{Artifact, CompileError, Compiler, Target};
use cube_backend_interp::{Find, Options};
use cube_driver::Driver;
use cube_runtime::hostdata::HostArray;

/// Runs the kernel on the second backend and compares.
///
/// # Errors
/// Results that differ, and whatever the second run fails with. Where one of the two is the interpreter, a kernel with
/// undefined behaviour, races or reads of nothing fails with its findings: its results mean nothing.
pub fn check(
    args: &Args,
    artifact: &Artifact,
    values: &[Value],
    count: [u32; 3],
    results: &[Option<HostArray>],
) -> Result<(), Failure> {
    let Some(other) = &args.against else { return Ok(()) };
    let (device, target) = backends::open(other)?;
    let (source, request) = compile::source(args)?;
    let kernel = Kernel { source: &source, request: &request, values, count };
    let second = if other == backends::INTERPRETER {
        let options = Options { find: Find::FAULTS, ..interpret::options(args)? };
        let program = interpret::program(&source, &request, args.level)?;
        let (second, outcome) = interpret::execute(&program, &kernel, &[], &options)?;
        interpret::findings(&outcome)?;
        second
    } else {
        let target = Target { backend: target.into(), chip: None };
        let artifact = Driver.compile(&source, &target, &request)?;
        launch::launch(&*device, &artifact, values.to_vec(), count, false)?.buffers
    };
    match bisect::difference(artifact, &second, results, args.ulp)? {
        None => {
            say::print(&format!("{} and {other} agree within {} ulp\n", args.backend, args.ulp));
            Ok(())
        }
        Some(what) => {
            let message = format!("{} and {other} give different results: {what}", args.backend);
            Err(CompileError::new("CUBE0609", message).into())
        }
    }
}
