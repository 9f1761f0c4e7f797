//! `cube-run`: the runner of `tools/run` with a compiler and an interpreter inside.
mod bisect;
mod compile;
mod interpret;
#[cfg(debug_assertions)]
mod mutate;

pub use cube_run_cli::{args, backends, bind, failure, launch, report, values};

use crate::say;
use args::Args;
use cube_artifact::Artifact;
use cube_run_cli::{Compilers, Interpreted, Ready, main_with};
use failure::Failure;
use report::Times;
use std::process::ExitCode;

/// The tool.
pub fn main(args: Vec<String>) -> ExitCode {
    main_with(&Inside, args)
}

/// The compiler and the interpreter are in this program.
struct Inside;

impl Compilers for Inside {
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
        let run = move |ready: Ready| interpret(&args, &source, &request, ready);
        Ok(Interpreted { artifact, run: Box::new(run) })
    }

    fn explain(&self, code: &str) -> ExitCode {
        say::explain_code(self.tool(), code)
    }
}

fn interpret(args: &Args, source: &[u8], request: &cube_artifact::CompileOptions, ready: Ready) -> Result<(), Failure> {
    let Ready { artifact, values, count, chosen, files, mut times } = ready;
    let uninitialised: Result<Vec<usize>, _> =
        args.uninit.iter().map(|name| bind::buffer(&artifact, "--uninit", name)).collect();
    let kernel = interpret::Kernel { source, request, values: &values, count };
    if args.bisect {
        return bisect::bisect(args, &artifact, &kernel);
    }
    let (results, outcome) = interpret::launch(args, &kernel, &uninitialised?, &mut times)?;
    if args.time {
        say::print(&format!("{}cube count     {chosen}\n", times.table()));
    }
    files.finish(&artifact, &results, args.ulp).and_then(|()| interpret::findings(&outcome))
}
