//! Creates an artifact from the input file: reads an artifact, or compiles source text in this process or in a
//! child process.
use super::args::{Args, CompilerMode};
use super::failure::Failure;
use super::report::Times;
use crate::{cubec, input};
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target};
use cube_driver::Driver;
use cube_run_cli::cached::cached;
use cube_run_cli::input::{MAGIC, nameless};
use cube_runtime::ChildCompiler;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

/// Compiles the kernel that the command line names, for a target of the backend.
pub fn artifact(
    args: &Args,
    path: &str,
    bytes: Vec<u8>,
    backend: &str,
    times: &mut Times,
) -> Result<Artifact, Failure> {
    let start = Instant::now();
    let target = target(args.target.as_deref(), backend)?;
    let source = input::as_source(path, bytes)?;
    times.add("read", start.elapsed(), format!("{} bytes of source", source.len()));
    let options = options(args, path)?;
    let serve = args.compiler == CompilerMode::Serve;
    let own = std::env::current_exe().ok();
    // This program is also a compiler, and of the right version. CUBE_COMPILER names another compiler for the child.
    let other = serve && std::env::var_os("CUBE_COMPILER").is_some();
    let program = if other { cube_runtime::child::installed(&cube_run_cli::variables()) } else { own };
    cached(program.clone(), &source, &target, &options, times, |times| match serve {
        false => in_process(&source, &target, &options, times),
        true => in_child(program.filter(|_| !other), &source, &target, &options, times),
    })
}

fn options(args: &Args, path: &str) -> Result<CompileOptions, Failure> {
    Ok(CompileOptions {
        kernel: args.kernel.clone(),
        params: cubec::params(&args.param)?,
        file_name: Some(path.into()),
        debug: CompileOptions::debug_of(&cube_run_cli::variables())?,
        folder: cube_run_cli::folder(),
        ..Default::default()
    })
}

/// The source text of the kernel and the compile options, for the interpreter, which does not accept
/// artifacts.
pub fn source(args: &Args) -> Result<(Vec<u8>, CompileOptions), Failure> {
    let Some(path) = args.input.as_deref() else {
        return Err(nameless("cube-run"));
    };
    let bytes = input::read(path)?;
    if bytes.starts_with(MAGIC) || path.ends_with(".artifact") {
        return Err(Failure::Usage(format!(
            "{path} is already compiled, but the interpreter runs IR; pass the .mlir file"
        )));
    }
    Ok((input::as_source(path, bytes)?, options(args, path)?))
}

fn target(text: Option<&str>, backend: &str) -> Result<Target, Failure> {
    let own = Target::from_str(backend).map_err(CompileError::from)?;
    let Some(text) = text else { return Ok(own) };
    let target = Target::from_str(text).map_err(CompileError::from)?;
    // An unknown target or chip is reported before a target of another backend.
    cube_driver::backend_of(&target).map_err(cube_driver::to_error)?;
    if target.backend == own.backend {
        return Ok(target);
    }
    Err(CompileError::from(cube_artifact::diagnostic!(CUBE0610.target { target, backend: own.backend })).into())
}

fn in_process(
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
    times: &mut Times,
) -> Result<Artifact, Failure> {
    let (artifact, report) = Driver.compile_with_report(source, target, options)?;
    for phase in &report.phases {
        let unit = if phase.name == "emit" { "bytes of code" } else { "ops" };
        times.add(phase.name, phase.time, format!("{} {unit}", phase.size));
    }
    Ok(artifact)
}

fn in_child(
    program: Option<PathBuf>,
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
    times: &mut Times,
) -> Result<Artifact, Failure> {
    let start = Instant::now();
    let compiler = program.map_or_else(|| ChildCompiler::new(&cube_run_cli::variables()), ChildCompiler::at);
    let artifact = compiler.compile(source, target, options)?;
    times.add("compile", start.elapsed(), "in a child process, its start included");
    Ok(artifact)
}
