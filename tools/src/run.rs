//! `cube-run`: compiles a kernel, gives it arrays, launches it, and shows, checks or writes what came out.
mod args;
mod backends;
pub mod bind;
mod bisect;
mod compile;
pub mod failure;
mod interpret;
pub mod launch;
#[cfg(debug_assertions)]
mod mutate;
pub mod report;
pub mod values;

use crate::say;
use args::{Args, pairs};
use clap::Parser;
use cube_artifact::{Artifact, CompileError};
use cube_runtime::hostdata::{self, HostArray, npy, png};
use failure::Failure;
use report::Times;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use values::Value;

/// The tool.
pub fn main(args: Vec<String>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return say::command_line(&error),
    };
    if let Some(code) = &args.explain {
        return say::explain_code("cube-run", code);
    }
    if args.list_backends {
        say::print(&backends::list());
        return ExitCode::SUCCESS;
    }
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    let wanted = Wanted::read(args)?;
    let (device, target) = backends::open(&args.backend)?;
    let mut times = Times::default();
    let interpreted = args.bisect || args.backend == backends::INTERPRETER;
    let source = if interpreted { Some(compile::source(args)?) } else { None };
    let artifact = match &source {
        Some((source, request)) => cube_driver::describe(source, target, request)?,
        None => compile::artifact(args, target, &mut times)?,
    };
    let given = bind::bind(&artifact, &wanted.values)?;
    if args.describe && given.iter().any(Option::is_none) {
        say::print(&report::describe(&artifact));
        return Ok(());
    }
    let files = wanted.files(&artifact)?;
    let given = bind::complete(&artifact, given)?;
    let values = values::load(&artifact, &given, device.properties())?;
    let (count, why) = match wanted.cube_count {
        Some(count) => (count, "as asked for".to_string()),
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
    if let Some(source) = &source {
        let uninitialised: Result<Vec<usize>, _> =
            args.uninit.iter().map(|name| bind::buffer(&artifact, "--uninit", name)).collect();
        let kernel = interpret::Kernel { source: &source.0, request: &source.1, values: &values, count };
        if args.bisect {
            return bisect::bisect(args, &artifact, &kernel);
        }
        let (results, outcome) = interpret::launch(args, &kernel, &uninitialised?, &mut times)?;
        if args.time {
            say::print(&format!("{}cube count     {chosen}\n", times.table()));
        }
        return files.finish(&artifact, &results, args.ulp).and_then(|()| interpret::findings(&outcome));
    }
    let bytes: Vec<u64> = values.iter().map(Value::bytes).collect();
    let launched = launch::launch(&*device, &artifact, values, count, args.time)?;
    if let Some((best, launches)) = launched.best {
        times.append(launched.times);
        let rate = report::bandwidth(report::bytes_moved(&artifact, &bytes), best);
        times.add("best launch", best, format!("of {launches}; {rate}"));
        say::print(&format!("{}cube count     {chosen}\n", times.table()));
    }
    files.finish(&artifact, &launched.buffers, args.ulp)
}

/// What the command line asks for, as far as it can be read without the kernel.
struct Wanted {
    values: Vec<(String, String)>,
    outs: Vec<(String, String)>,
    checks: Vec<(String, String)>,
    prints: Vec<String>,
    cube_count: Option<[u32; 3]>,
}

impl Wanted {
    fn read(args: &Args) -> Result<Wanted, Failure> {
        Ok(Wanted {
            values: pairs("--arg", &args.arg)?,
            outs: pairs("--out", &args.out)?,
            checks: pairs("--check", &args.check)?,
            prints: args.print.clone(),
            cube_count: args.cube_count.as_deref().map(args::cube_count).transpose()?,
        })
    }

    // Before anything runs: names that exist, files that can be read.
    fn files(&self, artifact: &Artifact) -> Result<Files, Failure> {
        let mut files = Files::default();
        for (name, file) in &self.outs {
            let index = bind::buffer(artifact, "--out", name)?;
            let path = PathBuf::from(file);
            if !matches!(extension(&path).as_deref(), Some("npy" | "png")) {
                return Err(Failure::Usage(format!("--out {name}={file} ends neither in .npy nor in .png")));
            }
            if files.outs.iter().any(|(_, other)| *other == path) {
                return Err(Failure::Usage(format!("two --out write to {file}; give each a file of its own")));
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

/// What is done with the results, by the parameters' numbers.
#[derive(Default)]
struct Files {
    outs: Vec<(usize, PathBuf)>,
    checks: Vec<(usize, HostArray)>,
    prints: Vec<usize>,
}

impl Files {
    // Prints, writes, then judges: a result that is wrong is still there to look at.
    fn finish(self, artifact: &Artifact, results: &[Option<HostArray>], ulp: u64) -> Result<(), Failure> {
        let result = |index: usize| results[index].as_ref().expect("only buffers are asked for");
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
        let message = format!("{} differs from what is expected by more than {ulp} ulp", wrong.join(", "));
        Err(CompileError::new("CUBE0609", message).into())
    }
}

// A buffer is a row of elements to the kernel, so an expected array of another shape but as many elements will do.
fn check(name: &str, actual: &HostArray, expected: HostArray, ulp: u64) -> Result<bool, Failure> {
    let shaped = if actual.len() == expected.len() { expected.reshape(actual.shape().to_vec())? } else { expected };
    let report = hostdata::compare(actual, &shaped, ulp)
        .map_err(|e| Failure::Input(CompileError::new("CUBE0609", format!("check {name}: {}", e.message))))?;
    say::print(&format!("{}\n", report::verdict(name, &report, ulp, actual, &shaped)));
    Ok(report.passes())
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
            format: CodeFormat::ElfObject,
            code: vec![0],
            params: vec![],
            derived: vec![],
            info: vec![],
            cube_dim: [1; 3],
            checked: true,
            shared_bytes: 0,
            unit_limit: None,
            features: vec![],
        }
    }
}
