//! `cube-run`: the runner of `tools/run` with a compiler and an interpreter inside.
mod against;
mod bisect;
mod compile;
mod interpret;
mod llvm;

pub use cube_run_cli::{args, backends, bind, failure, launch, report, values};

use crate::{reproducer, say};
use args::Args;
use cube_artifact::Artifact;
use cube_passes::phases::Request;
use cube_run_cli::{Compilers, Interpreted, RunInputs, main_with};
use cube_runtime::hostdata::HostArray;
use failure::Failure;
use report::Times;
use std::process::ExitCode;
use values::Value;

/// The tool.
pub fn main(args: Vec<String>) -> ExitCode {
    main_with(&LinkedCompilers, args)
}

/// The services of `cube-run` in a program that contains the compiler and the interpreter.
struct LinkedCompilers;

impl Compilers for LinkedCompilers {
    fn tool(&self) -> &'static str {
        "cube-run"
    }

    fn compile(
        &self,
        args: &Args,
        path: &str,
        bytes: Vec<u8>,
        target: &str,
        times: &mut Times,
    ) -> Result<Artifact, Failure> {
        compile::artifact(args, path, bytes, target, times)
    }

    fn has_interpreter(&self) -> bool {
        true
    }

    fn interpreter(&self, args: &Args, target: &str) -> Result<Interpreted, Failure> {
        let (source, request) = compile::source(args)?;
        let artifact = cube_driver::describe(&source, target, &request)?;
        let args = args.clone();
        let run = move |inputs: RunInputs| interpret(&args, &source, &request, inputs);
        Ok(Interpreted { artifact, run: Box::new(run) })
    }

    fn run_other_request(&self, args: &Args, words: &[String]) -> Option<ExitCode> {
        if let Some(file) = &args.replay {
            return Some(reproducer::replay(self.tool(), file));
        }
        let (file, input) = args.reproducer.as_ref().zip(args.input.as_ref())?;
        Some(reproducer::record(self.tool(), words, Some(input), file, &known(args, words)))
    }

    fn against(
        &self,
        args: &Args,
        artifact: &Artifact,
        values: &[Value],
        count: [u32; 3],
        results: &[Option<HostArray>],
    ) -> Result<(), Failure> {
        against::check(args, artifact, values, count, results)
    }

    fn explain(&self, code: &str) -> ExitCode {
        say::explain_code(self.tool(), code)
    }
}

// The lines of a reproducer: the target, the device's limits, and the launch. A child describes the launch, if
// possible.
fn known(args: &Args, words: &[String]) -> reproducer::CommandFacts {
    let Ok((device, target)) = backends::open(&args.backend) else { return reproducer::CommandFacts::default() };
    let limits = device.properties();
    let device = vec![
        format!(
            "at most {:?} units per cube along x, y, z, {} in total",
            limits.max_cube_dim, limits.max_units_per_cube
        ),
        format!("at most {:?} cubes along x, y, z", limits.max_cube_count),
        format!("{} bytes of shared memory per cube, {} of memory", limits.max_shared_bytes, limits.memory_bytes),
    ];
    let target = args.target.clone().unwrap_or(target);
    let shared = if target == backends::INTERPRETER { "cpu" } else { &target };
    let parsed: Option<cube_artifact::Target> = shared.parse().ok();
    let pipeline = parsed.and_then(|t| cube_driver::Pipeline::for_target(&t).ok());
    let pipeline =
        pipeline.map(|p| p.whole_text(&p.phases, &Request { params: args.param.join(","), ..Default::default() }));
    reproducer::CommandFacts { pipeline, target: Some(target), device, launch: reproducer::described(words) }
}

fn interpret(
    args: &Args,
    source: &[u8],
    request: &cube_artifact::CompileOptions,
    inputs: RunInputs,
) -> Result<(), Failure> {
    let RunInputs { artifact, values, count, chosen, files, mut times } = inputs;
    let uninitialised: Result<Vec<usize>, _> =
        args.uninit.iter().map(|name| bind::buffer(&artifact, "--uninit", name)).collect();
    let kernel = interpret::Kernel { source, request, values: &values, count };
    if args.bisect {
        let Some(bisect::Compiled { artifact, buffers }) = bisect::bisect(args, &kernel)? else { return Ok(()) };
        files.finish(&artifact, &buffers, args.ulp.unwrap_or(0))?;
        return against::check(args, &artifact, &values, count, &buffers);
    }
    let (results, outcome) = interpret::launch(args, &kernel, &uninitialised?, &mut times)?;
    if args.time {
        say::print(&format!("{}cube count     {chosen}\n", times.table()));
    }
    files.finish(&artifact, &results, args.ulp.unwrap_or(0))?;
    interpret::findings(&outcome)?;
    against::check(args, &artifact, &values, count, &results)
}
