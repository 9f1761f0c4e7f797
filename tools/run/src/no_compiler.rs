//! The implementation of [`Compilers`](crate::Compilers) for a tool without a compiler. `cubec` compiles
//! sources, if it is installed.
use crate::args::{Args, CompilerMode};
use crate::cached::cached;
use crate::failure::Failure;
use crate::report::Times;
use crate::values::Value;
use crate::{Compilers, Interpreted, say};
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target, codes, suggestion};
use cube_runtime::{ChildCompiler, hostdata::HostArray};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

/// The compilers of `cube-launch`, a tool without a compiler.
pub struct NoCompiler;

impl Compilers for NoCompiler {
    fn tool(&self) -> &'static str {
        "cube-launch"
    }

    fn compile(
        &self,
        args: &Args,
        path: &str,
        bytes: Vec<u8>,
        target: &str,
        times: &mut Times,
    ) -> Result<Artifact, Failure> {
        if args.compiler != CompilerMode::Serve {
            return Err(Failure::Usage(format!(
                "{path} is not an artifact, and this tool contains no compiler; pass an artifact of cubec --emit artifact, or install cubec and pass --compiler serve"
            )));
        }
        let target = match args.target.as_deref() {
            None => Target { backend: target.into(), chip: None },
            Some(text) => Target::from_str(text).map_err(CompileError::from)?,
        };
        let params = args.param.iter().map(|text| crate::args::pair("--param", text)).collect::<Result<_, _>>()?;
        let debug = CompileOptions::debug_of(&crate::variables())?;
        let file_name = Some(path.into());
        let (kernel, folder) = (args.kernel.clone(), crate::folder());
        let options = CompileOptions { kernel, params, file_name, debug, folder, ..CompileOptions::default() };
        let start = Instant::now();
        cached(cube_runtime::child::installed(&crate::variables()), &bytes, &target, &options, times, |times| {
            let artifact = ChildCompiler::new(&crate::variables()).compile(&bytes, &target, &options)?;
            times.add("compile", start.elapsed(), "in a child process, its start included");
            Ok(artifact)
        })
    }

    fn has_interpreter(&self) -> bool {
        false
    }

    fn interpreter(&self, _args: &Args, _target: &str) -> Result<Interpreted, Failure> {
        Err(CompileError::from(cube_artifact::diagnostic!(CUBE0610.interpreter)).into())
    }

    fn run_other_request(&self, args: &Args, _words: &[String]) -> Option<ExitCode> {
        let requested = args.replay.is_some() || args.reproducer.is_some() || args.against.is_some();
        let message =
            "--replay, --reproducer and --against need the compiler; use cube-run, which contains the compiler";
        requested.then(|| say::usage(self.tool(), message))
    }

    fn against(
        &self,
        _args: &Args,
        _artifact: &Artifact,
        _values: &[Value],
        _count: [u32; 3],
        _results: &[Option<HostArray>],
    ) -> Result<(), Failure> {
        Ok(())
    }

    fn explain(&self, code: &str) -> ExitCode {
        if let Some(found) = codes::explain(code) {
            say::print(&format!("{}\n", found.page()));
            return ExitCode::SUCCESS;
        }
        let near = suggestion(code, codes::CODES.iter().map(|c| c.code)).unwrap_or("CUBE0920");
        say::wrong_usage("cube-launch", cube_artifact::diagnostic!(CUBE0601.runtime { code, near }))
    }
}
