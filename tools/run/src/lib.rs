//! `cube-run` without the compiler: arguments, data, devices, launches, and the output and comparison of results.
//!
//! Two programs share this library: the tool `cube-run`, which contains a compiler (the [`Compilers`] of `tools`),
//! and `cube-launch`, which contains no compiler. The two programs differ only in the step from a source file to
//! an artifact.
#![forbid(unsafe_code)]
pub mod args;
pub mod backends;
pub mod bind;
pub mod cached;
pub mod failure;
pub mod input;
pub mod launch;
mod no_compiler;
pub mod output;
pub mod report;
pub mod say;
mod unused;
pub mod values;

/// Call this function first in `main`. The function lets the program also run as the child process that
/// launches kernels after a kernel has faulted.
pub fn serve_if_asked() {
    cube_runtime_cuda::serve_if_asked();
    cube_runtime_hip::serve_if_asked();
}

pub use no_compiler::NoCompiler;

use args::{Args, pairs};
use clap::{CommandFactory, FromArgMatches};
use cube_artifact::{Artifact, CompileError};
use cube_runtime::Clock;
use cube_runtime::hostdata::{self, HostArray, npy, png};
use failure::Failure;
use report::Times;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use values::Value;

/// The services that a tool provides for `cube-run`: the compilation of the kernel, the interpreter, and other
/// requests.
pub trait Compilers {
    /// The tool's name in messages.
    fn tool(&self) -> &'static str;

    /// Compiles the kernel that the command line names; `bytes` is the content of its file.
    ///
    /// # Errors
    /// The errors of the compiler.
    fn compile(
        &self,
        args: &Args,
        path: &str,
        bytes: Vec<u8>,
        target: &str,
        times: &mut Times,
    ) -> Result<Artifact, Failure>;

    /// Whether the tool supports `--backend interp`.
    fn has_interpreter(&self) -> bool;

    /// Prepares the kernel for the interpreter.
    ///
    /// # Errors
    /// The kernel does not compile, or the tool has no interpreter.
    fn interpreter(&self, args: &Args, target: &str) -> Result<Interpreted, Failure>;

    /// `--explain CODE`.
    fn explain(&self, code: &str) -> ExitCode;

    /// Handles the requests that replace a normal run: `--replay` and `--reproducer`. `words` is the command
    /// line.
    fn run_other_request(&self, args: &Args, words: &[String]) -> Option<ExitCode>;

    /// `--against`: runs the same launch on another backend, whose results must be equal.
    ///
    /// # Errors
    /// The results differ, or the run on the other backend fails.
    fn against(
        &self,
        args: &Args,
        artifact: &Artifact,
        values: &[Value],
        count: [u32; 3],
        results: &[Option<HostArray>],
    ) -> Result<(), Failure>;
}

/// A kernel for the interpreter: its parameters, and the function that runs it.
pub struct Interpreted {
    /// An artifact with the parameters of the kernel and without code.
    pub artifact: Artifact,
    pub run: Box<dyn FnOnce(RunInputs) -> Result<(), Failure>>,
}

/// The kernel, arguments and cube count of a run, after the command line is evaluated.
pub struct RunInputs {
    /// The kernel's parameters.
    pub artifact: Artifact,
    /// The arguments.
    pub values: Vec<Value>,
    /// Cubes along x, y, z.
    pub count: [u32; 3],
    /// The cube count and the reason for this cube count, as text for the user.
    pub chosen: String,
    /// The requests to print, write or compare results.
    pub files: Files,
    /// The time of each step so far.
    pub times: Times,
}

/// Environment variables that affect programs but not the tools, each with the tool option that replaces it.
const OF_PROGRAMS: [(&str, &str); 3] = [
    ("CUBE_DUMP", "cubec KERNEL.mlir --dump-tree FOLDER writes the kernel after every pass"),
    ("CUBE_TRACE", "cubec KERNEL.mlir --dump-tree FOLDER writes the kernel after every pass"),
    ("CUBE_EXPLAIN", "cubec KERNEL.mlir --remarks reports applied and missed optimisations"),
];

/// The tool.
pub fn main_with(compilers: &dyn Compilers, args: Vec<String>) -> ExitCode {
    let parsed = Args::command().name(compilers.tool()).try_get_matches_from(&args);
    let words = args;
    let parsed = parsed.and_then(|matches| Args::from_arg_matches(&matches).map(|args| (args, matches)));
    let (args, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return say::command_line(&error),
    };
    if let Some(code) = &args.explain {
        return compilers.explain(code);
    }
    if args.list_backends {
        say::print(&backends::list(compilers.has_interpreter()));
        return ExitCode::SUCCESS;
    }
    if let Err(failure) = unused::check(&args, &matches) {
        return failure.report();
    }
    if let Some(code) = compilers.run_other_request(&args, &words) {
        return code;
    }
    for (variable, instead) in OF_PROGRAMS {
        if std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0") {
            eprintln!("note: {variable} applies to programs that launch kernels, and has no effect here: {instead}");
        }
    }
    match run(&args, compilers) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(args: &Args, compilers: &dyn Compilers) -> Result<(), Failure> {
    let requests = Requests::read(args)?;
    let (device, target) = backends::open(&args.backend)?;
    let mut times = Times::default();
    let interpreted = args.bisect || args.backend == backends::INTERPRETER;
    let (artifact, interpreter) = if interpreted {
        let Interpreted { artifact, run } = compilers.interpreter(args, &target)?;
        (artifact, Some(run))
    } else {
        (input::artifact(args, &target, compilers, &mut times)?, None)
    };
    let given = bind::bind(&artifact, &requests.values)?;
    if args.describe && given.iter().any(Option::is_none) {
        say::print(&report::describe(&artifact));
        return Ok(());
    }
    let files = requests.files(&artifact)?;
    let given = bind::complete(&artifact, given)?;
    let values = values::load(&artifact, &given, device.properties())?;
    let (count, why) = match requests.cube_count {
        Some(count) => (count, "as requested".to_string()),
        None => {
            let shapes: Vec<_> = values.iter().map(Value::shape).collect();
            bind::default_cube_count(&artifact, &shapes)?
        }
    };
    let chosen = format!("{}, {}, {} ({why})", count[0], count[1], count[2]);
    if args.describe {
        say::print(&format!("{}  cube count   {chosen}\n", report::describe(&artifact)));
        return Ok(());
    }
    if let Some(interpret) = interpreter {
        return interpret(RunInputs { artifact, values, count, chosen, files, times });
    }
    let bytes: Vec<u64> = values.iter().map(Value::bytes).collect();
    let launched = launch::launch(&*device, &artifact, values.clone(), count, args.time)?;
    if let Some((best, launches, clock)) = launched.best {
        times.append(launched.times);
        let rate = report::bandwidth(report::bytes_moved(&artifact, &bytes), best);
        let by = if clock == Clock::Device { " by the device's clock" } else { "" };
        times.add("best launch", best, format!("of {launches}{by}; {rate}"));
        say::print(&format!("{}cube count     {chosen}\n", times.table()));
    }
    files.finish(&artifact, &launched.buffers, args.ulp.unwrap_or(0))?;
    compilers.against(args, &artifact, &values, count, &launched.buffers)
}

// The words of `--check` that name a file. With the interpreter, the other words are kinds of findings.
fn files_to_check(args: &Args) -> Vec<String> {
    let interpreted = args.bisect || args.backend == backends::INTERPRETER;
    args.check.iter().filter(|c| !interpreted || c.contains('=')).cloned().collect()
}

/// The requests of the command line, parsed without information about the kernel.
struct Requests {
    values: Vec<(String, String)>,
    outs: Vec<(String, String)>,
    checks: Vec<(String, String)>,
    prints: Vec<String>,
    cube_count: Option<[u32; 3]>,
}

impl Requests {
    fn read(args: &Args) -> Result<Requests, Failure> {
        Ok(Requests {
            values: pairs("--arg", &args.arg)?,
            outs: pairs("--out", &args.out)?,
            checks: pairs("--check", &files_to_check(args))?,
            prints: args.print.clone(),
            cube_count: args.cube_count.as_deref().map(args::cube_count).transpose()?,
        })
    }

    // Checks names and reads files before the kernel runs.
    fn files(&self, artifact: &Artifact) -> Result<Files, Failure> {
        let mut files = Files::default();
        for (name, file) in &self.outs {
            let index = bind::buffer(artifact, "--out", name)?;
            let path = PathBuf::from(file);
            if !matches!(extension(&path).as_deref(), Some("npy" | "png")) {
                return Err(Failure::Usage(format!("--out {name}={file} does not end in .npy or .png")));
            }
            if files.outs.iter().any(|(_, other)| *other == path) {
                return Err(Failure::Usage(format!(
                    "two --out options write to {file}; name a different file for each option"
                )));
            }
            files.outs.push((index, path));
        }
        for (name, file) in &self.checks {
            files.checks.push((bind::buffer(artifact, "--check", name)?, npy::read(Path::new(file))?));
        }
        for name in &self.prints {
            files.prints.push(bind::buffer(artifact, "--print", name)?);
        }
        Ok(files)
    }
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// The requests to print, write or compare results, by parameter number.
#[derive(Default)]
pub struct Files {
    outs: Vec<(usize, PathBuf)>,
    checks: Vec<(usize, HostArray)>,
    prints: Vec<usize>,
}

impl Files {
    /// Prints and writes the results before it compares them, so that a wrong result is still available.
    ///
    /// # Errors
    /// A file cannot be written, or a buffer differs from the expected buffer.
    pub fn finish(self, artifact: &Artifact, results: &[Option<HostArray>], ulp: u64) -> Result<(), Failure> {
        let result = |index: usize| results[index].as_ref().expect("only buffers are requested");
        let mut encoded = Vec::new();
        for (index, file) in &self.outs {
            let picture = extension(file).as_deref() == Some("png");
            let array = result(*index);
            let bytes = if picture { png::encode(array).map_err(|e| e.in_file(file))? } else { npy::encode(array) };
            encoded.push((file.as_path(), bytes));
        }
        for index in &self.prints {
            say::print(&report::array(&artifact.params[*index].name, result(*index)));
        }
        let all: Vec<(&Path, &[u8])> = encoded.iter().map(|(file, bytes)| (*file, bytes.as_slice())).collect();
        hostdata::write_all_atomically(&all)?;
        let mut wrong = Vec::new();
        for (index, expected) in self.checks {
            let name = &artifact.params[index].name;
            if !check(name, result(index), expected, ulp)? {
                wrong.push(name.as_str());
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let names = wrong.join(", ");
        Err(CompileError::from(cube_artifact::diagnostic!(CUBE0609.expected { names, ulp })).into())
    }
}

// For the kernel, a buffer is a row of elements, so an expected array of another shape with as many elements is
// accepted.
fn check(name: &str, actual: &HostArray, expected: HostArray, ulp: u64) -> Result<bool, Failure> {
    let shaped = if actual.len() == expected.len() { expected.reshape(actual.shape().to_vec())? } else { expected };
    let report = hostdata::compare(actual, &shaped, ulp).map_err(|e| {
        Failure::Input(CompileError::from(cube_artifact::diagnostic!(CUBE0609.check { name, why: e.message })))
    })?;
    say::print(&format!("{}\n", report::verdict(name, &report, ulp, actual, &shaped)));
    Ok(report.passes())
}

/// The environment variables of this process, which tools pass to libraries as a value.
pub fn variables() -> cube_artifact::Variables {
    cube_artifact::Variables::of_process()
}

/// The current folder of this process. The names of source files are relative to this folder.
pub fn folder() -> String {
    std::env::current_dir().unwrap_or_default().display().to_string()
}

#[cfg(test)]
mod tests {
    use cube_artifact::{Artifact, CodeFormat, Target};

    /// An artifact without parameters.
    pub fn empty_artifact() -> Artifact {
        Artifact {
            kernel: "k".into(),
            entry: "k".into(),
            target: Target::cpu(),
            format: CodeFormat::ELF_OBJECT,
            code: vec![0],
            params: vec![],
            derived: vec![],
            info: vec![],
            cube_dim: [1; 3],
            checked: true,
            shared_bytes: 0,
            cube_count: None,
            unit_limit: None,
            first_cubes: None,
            features: vec![],
            scratch_bytes: 0,
            prints: vec![],
            overwritten: vec![],
            plane_dim: None,
        }
    }
}
