//! `cube demo`: compiles the example kernels phase by phase, runs them on data of realistic size, and compares each
//! result with plain Rust.
mod erf;
mod examples;
mod table;

use crate::run::{bind, failure::Failure, launch, report, values::Value};
use crate::{input, say};
use clap::Parser;
use cube_artifact::{Artifact, CompileError, CompileOptions, Message, Target};
use cube_driver::{CompileReport, Driver};
use cube_runtime::hostdata::{DataError, HostArray, compare, png};
use cube_runtime_cpu::CpuDevice;
use examples::{EXAMPLES, Example};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use table::{Row, Run, Style};

/// Compile and run the example kernels, and check their results.
#[derive(Parser)]
#[command(name = "cube demo", version)]
struct Args {
    /// Folder for the pictures that kernels create
    #[arg(long, value_name = "FOLDER", default_value = "target/demo")]
    out: PathBuf,
}

const KERNELS: &str = "examples/kernels";

/// The targets for which the demo compiles each kernel, in addition to the CPU, which also runs the kernel.
const OTHERS: [&str; 2] = ["nvptx", "amdgpu"];

/// The tool `cube demo`.
pub fn main(args: Vec<String>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return say::command_line(&error),
    };
    match demo(&args.out) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(wrong)) => say::error("cube demo", wrong),
        Err(failure) => failure.report(),
    }
}

// Runs the demo; returns the error about the kernels with wrong results, if any.
fn demo(out: &Path) -> Result<Option<Message>, Failure> {
    let start = Instant::now();
    let style = Style::detect();
    let device = CpuDevice::new(&cube_run_cli::variables())?;
    let kernels = kernels()?;
    say::print(&format!(
        "{} kernels of {KERNELS}, each phase with the operations it leaves and its milliseconds\n",
        kernels.len()
    ));
    let mut rows = Vec::new();
    for file in &kernels {
        rows.extend(one(file, &device, out, style)?);
    }
    say::print(&format!("\n{}\n", table::table(&rows, style)));
    let wrong: Vec<&Row> = rows.iter().filter(|r| r.run.as_ref().is_some_and(|run| !run.passed)).collect();
    let ran = rows.iter().filter(|r| r.run.is_some()).count();
    let verdict = if wrong.is_empty() { style.good("all right") } else { style.bad(&format!("{} wrong", wrong.len())) };
    let seconds = start.elapsed().as_secs_f64();
    say::print(&format!(
        "{ran} results checked against plain Rust: {verdict}. GB/s: every buffer once, best launch. {seconds:.1} s in all.\n"
    ));
    Ok(message_of(&wrong))
}

// The error about the kernels with wrong results. All kernels run on the CPU.
fn message_of(wrong: &[&Row]) -> Option<Message> {
    let target = &wrong.first()?.target;
    let names = wrong.iter().map(|row| row.kernel.as_str()).collect::<Vec<_>>().join(", ");
    Some(cube_artifact::diagnostic!(CUBE0609.demo { names, target }))
}

fn kernels() -> Result<Vec<PathBuf>, Failure> {
    let no_kernels =
        || Failure::from(CompileError::from(cube_artifact::diagnostic!(CUBE0602.kernels { folder: KERNELS })));
    let entries = std::fs::read_dir(KERNELS).map_err(|_| no_kernels())?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "mlir"));
    // In the order of the examples, from simple to complex. A kernel that is not an example comes last.
    let position = |file: &Path| EXAMPLES.iter().position(|e| e.name == stem(file)).unwrap_or(EXAMPLES.len());
    files.sort_by_key(|file| (position(file), file.clone()));
    if files.is_empty() { Err(no_kernels()) } else { Ok(files) }
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

fn one(file: &Path, device: &CpuDevice, out: &Path, style: Style) -> Result<Vec<Row>, Failure> {
    let name = stem(file);
    let example = EXAMPLES.iter().find(|e| e.name == name);
    let summary = example.map_or("only compiled: the demo has no data for it", |e| e.summary);
    say::print(&format!("\n{}: {summary}\n", style.bold(&name)));
    let path = file.display().to_string();
    let source = input::read_source(&path)?;
    let options = CompileOptions { file_name: Some(path), ..CompileOptions::default() };
    let (artifact, row) = compiled(&name, &source, Target::cpu(), &options)?;
    say::print(&format!("{}\n{}\n", table::phases_head(&row.report), table::phases(&row.target, &row.report)));
    let mut rows = vec![row];
    for backend in OTHERS {
        let target = Target { backend: backend.into(), chip: None };
        // An operation that a target does not support is reported, and the demo does not fail.
        match Driver.compile_with_report(&source, &target, &options) {
            Ok((artifact, report)) => {
                let row = Row { kernel: name.clone(), target: artifact.target.to_string(), report, run: None };
                say::print(&format!("{}\n", table::phases(&row.target, &row.report)));
                rows.push(row);
            }
            Err(error) if error.diagnostics.iter().any(|d| d.code.as_deref() == Some("CUBE0412")) => {
                let why = error.diagnostics.first().map(|d| d.message.clone()).unwrap_or_default();
                say::print(&format!("  {backend}: {why}\n"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(example) = example {
        rows[0].run = Some(run(example, &artifact, device, out)?);
    }
    Ok(rows)
}

fn compiled(name: &str, source: &[u8], target: Target, options: &CompileOptions) -> Result<(Artifact, Row), Failure> {
    let (artifact, report): (_, CompileReport) = Driver.compile_with_report(source, &target, options)?;
    let target = artifact.target.to_string();
    Ok((artifact, Row { kernel: name.into(), target, report, run: None }))
}

fn run(example: &Example, artifact: &Artifact, device: &CpuDevice, out: &Path) -> Result<Run, Failure> {
    let data = (example.data)(Path::new("."))?;
    let shapes: Vec<_> = data.values.iter().map(Value::shape).collect();
    let bytes: Vec<u64> = data.values.iter().map(Value::bytes).collect();
    let count = match data.cubes {
        Some(count) => count,
        None => bind::default_cube_count(artifact, &shapes)?.0,
    };
    let launched = launch::launch(device, artifact, data.values, count, true)?;
    let result = launched.buffers[data.result].as_ref().expect("results are buffers");
    if result.shape().len() == 3 {
        keep_picture(result, example.name, out)?;
    }
    let found = compare(result, &data.expected, data.ulp)?;
    Ok(Run {
        best: launched.best.expect("it was requested").0,
        bytes: report::bytes_moved(artifact, &bytes),
        max_ulp: found.max_ulp,
        allowed: data.ulp,
        passed: found.passes(),
    })
}

fn keep_picture(picture: &HostArray, name: &str, out: &Path) -> Result<(), Failure> {
    let made = std::fs::create_dir_all(out);
    made.map_err(|e| {
        DataError::new(format!("the folder cannot be created ({e}); name another folder with --out")).in_file(out)
    })?;
    let file = out.join(format!("{name}.png"));
    png::write(&file, picture)?;
    say::print(&format!("  {} is now {}\n", examples::PICTURE, file.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_kernels_with_wrong_results() {
        let row = |kernel: &str| {
            let run = Run { best: Default::default(), bytes: 0, max_ulp: 9, allowed: 1, passed: false };
            let (kernel, target, report) = (kernel.into(), "cpu:x86-64".into(), CompileReport { phases: vec![] });
            Row { kernel, target, report, run: Some(run) }
        };
        let (one, other) = (row("row_sum"), row("softmax"));
        let text = message_of(&[&one, &other]).expect("two kernels are wrong").text_with_code();
        assert!(text.starts_with("the results of row_sum, softmax on cpu:x86-64 differ from plain Rust; "), "{text}");
        assert!(message_of(&[]).is_none());
    }
}
