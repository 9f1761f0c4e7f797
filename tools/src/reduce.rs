//! `cube-reduce`: minimises a kernel, its launch and its data while a test still holds.
//!
//! The tool applies delta debugging to operations, regions, attributes, constants, arguments, cube dim, cube count and
//! data. The search is repeated until no edit makes the kernel smaller. The IR verifier accepts every candidate.
//! The test runs in a child process with a time limit. The order of candidates is fixed, so that equal inputs
//! have equal outputs.
mod case;
mod edits;
mod launch;
mod oracle;
mod shrink;

use crate::{cubec, input, say};
use case::{Case, Launch};
use clap::Parser;
use cube_artifact::CompileError;
use cube_ir::Session;
use oracle::Oracle;
use std::collections::HashSet;
use std::process::ExitCode;

/// Reduce a failing kernel to a smaller kernel that still fails.
#[derive(Parser)]
#[command(
    name = "cube-reduce",
    version,
    after_help = "\
one of these options selects the kernels that are kept:
  --fails CODE            the compiler still reports this error code; 'crash' is a crash or a panic
  --differs interp:NAME   the results of the interpreter and of backend NAME still differ;
                          with interp:passes, cube-run --bisect still finds a pass
  --test COMMAND          the command still ends with exit code 0; {} is the kernel's file, {args} the launch

examples:
  cube-reduce k.mlir --fails CUBE0410 --target nvptx
  cube-reduce k.mlir --fails crash --pipeline 'builtin.module(cube.kernel(my-pass))'
  cube-reduce k.mlir --differs interp:cpu --arg x=random:1000 --arg y=zeros:x --ulp 2
  cube-reduce k.mlir --test 'cubec {} --emit asm -o - | grep -q vfmadd'"
)]
struct Args {
    /// The kernel: a .mlir file, bytecode, or - for standard input
    input: Option<String>,
    /// Keep code for which the compiler reports this error code; with the value crash, the compiler must
    /// crash
    #[arg(long, value_name = "CODE", conflicts_with_all = ["test", "differs"])]
    fails: Option<String>,
    /// With --fails: a text that the error message must also contain
    #[arg(long, value_name = "TEXT", requires = "fails")]
    says: Option<String>,
    /// With --fails: run cube-opt with this pass pipeline, instead of cubec
    #[arg(long, value_name = "PIPELINE", requires = "fails")]
    pipeline: Option<String>,
    /// With --fails: the target of the compilation
    #[arg(long, value_name = "TARGET", default_value = "cpu")]
    target: String,
    /// Keep code for which the interpreter and a backend give different results
    #[arg(long, value_name = "interp:NAME", conflicts_with = "test")]
    differs: Option<String>,
    /// Keep code for which this command ends with exit code 0
    #[arg(long, value_name = "COMMAND")]
    test: Option<String>,
    /// Output file for the smallest kernel found so far; the default is KERNEL.reduced.mlir in the current
    /// folder
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
    /// Name of the kernel, if the file contains several kernels
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Value of a comptime parameter; can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// Value of a kernel parameter, as for cube-run; without a value, --differs uses random data
    #[arg(long, value_name = "NAME=VALUE")]
    arg: Vec<String>,
    /// Cubes along x, y, z, as for cube-run
    #[arg(long, value_name = "X[,Y[,Z]]")]
    cube_count: Option<String>,
    /// With --differs: the allowed difference between floats in units in the last place
    #[arg(long, value_name = "N", default_value_t = 4)]
    ulp: u64,
    /// Time limit of one test in seconds; a test that exceeds the limit counts as failed
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    timeout: u64,
    /// Maximum number of tests
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_tests: usize,
    /// Print no progress
    #[arg(long, short)]
    quiet: bool,
    /// Explain an error code
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
}

/// The tool.
pub fn main(args: Vec<String>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return say::command_line(&error),
    };
    if let Some(code) = &args.explain {
        return say::explain_code("cube-reduce", code);
    }
    let Some(path) = &args.input else {
        return say::usage("cube-reduce", "name a kernel: cube-reduce kernel.mlir --fails CODE");
    };
    let oracle = match Oracle::of(&args) {
        Ok(oracle) => oracle,
        Err(message) => return say::usage("cube-reduce", &message),
    };
    match reduce(&args, path, oracle) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => say::compile_error(&error),
    }
}

fn reduce(args: &Args, path: &str, oracle: Oracle) -> Result<(), CompileError> {
    cube_driver::register();
    let source = input::read_source(path)?;
    let session = Session::new();
    let module = session.parse(&source, path).map_err(cube_driver::to_error)?;
    let given = Launch {
        args: cubec::params(&args.arg)
            .map_err(|_| CompileError::from(cube_artifact::diagnostic!(CUBE0608.argument)))?,
        count: args.cube_count.as_deref().map(case::count).transpose()?,
        params: args.param.clone(),
        kernel: args.kernel.clone(),
    };
    let mut first = Case::of(&module, given);
    drop(module);
    if oracle.launches() {
        oracle.complete(&mut first)?;
    }
    let stem = std::path::Path::new(path).file_stem().map_or("kernel".into(), |s| s.to_string_lossy().into_owned());
    let output =
        args.output.clone().unwrap_or_else(|| format!("{}.reduced.mlir", if path == "-" { "kernel" } else { &stem }));
    let mut search = Search {
        session: &session,
        start: (first.size().ops, first.units_in_all()),
        best: first,
        oracle,
        seen: HashSet::new(),
        tests: 0,
        max_tests: args.max_tests,
        quiet: args.quiet,
        output,
    };
    search.begin(path)?;
    shrink::all(&mut search)?;
    search.end()
}

/// The state of the search: the smallest case so far, and statistics.
struct Search<'s> {
    session: &'s Session,
    best: Case,
    /// The number of operations and of units of the original case.
    start: (usize, u64),
    oracle: Oracle,
    seen: HashSet<blake3::Hash>,
    tests: usize,
    max_tests: usize,
    quiet: bool,
    output: String,
}

impl Search<'_> {
    // The test must hold for the given kernel in the form in which MLIR prints it.
    fn begin(&mut self, path: &str) -> Result<(), CompileError> {
        let verdict = self.oracle.judge(&self.best)?;
        self.tests += 1;
        if verdict.holds {
            return self.write();
        }
        Err(CompileError::from(cube_artifact::diagnostic!(CUBE0614.test { file: path, why: verdict.why })))
    }

    /// Replaces the smallest case by `case` if `case` is smaller and the test holds for it.
    fn take(&mut self, case: Case) -> Result<bool, CompileError> {
        if self.done() || case.size() >= self.best.size() || !self.seen.insert(case.hash()) {
            return Ok(false);
        }
        self.tests += 1;
        if !self.oracle.judge(&case)?.holds {
            return Ok(false);
        }
        self.best = case;
        self.write()?;
        Ok(true)
    }

    fn done(&self) -> bool {
        self.tests >= self.max_tests
    }

    fn print_progress(&self, what: &str) {
        if !self.quiet {
            let size = self.best.size();
            let units = self.best.units_in_all();
            eprintln!("{what:12} {:5} operations, {units:8} units, {:5} tests", size.ops, self.tests);
        }
    }

    // The result is written at every step, so that an interrupted search has a result.
    fn write(&self) -> Result<(), CompileError> {
        let notes = format!(
            "\n// cube-reduce: {} of {} operations are left, {} of {} units; to see it:\n// {}\n",
            self.best.size().ops,
            self.start.0,
            self.best.units_in_all(),
            self.start.1,
            self.oracle.replay(&self.best, "THIS_FILE")
        );
        input::write(&self.output, format!("{}{notes}", self.best.text.trim_end()).as_bytes())
    }

    fn end(&self) -> Result<(), CompileError> {
        self.print_progress("done");
        if self.done() && !self.quiet {
            eprintln!("note: stopped after {} tests; --max-tests allows more", self.tests);
        }
        say::print(&format!("{}\n", self.oracle.replay(&self.best, &self.output)));
        Ok(())
    }
}
