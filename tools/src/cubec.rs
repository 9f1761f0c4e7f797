//! `cubec`: compiles a kernel of a `.mlir` file for one target or several, and serves other programs.
use crate::{input, say};
use clap::Parser;
use cube_artifact::{CompileError, CompileOptions, Target, protocol};
use cube_backend::Form;
use cube_driver::{BACKENDS, Driver};
use std::{path::Path, process::ExitCode, str::FromStr};

/// Compile a kernel for a target.
#[derive(Parser)]
#[command(
    name = "cubec",
    version,
    after_help = "examples:\n  cubec kernel.mlir --target nvptx:sm_90a -o kernel.ptx\n  cubec kernel.mlir --target cpu --target amdgpu:gfx942 --emit asm\n  cubec kernel.mlir --emit artifact -o kernel.artifact\n  cubec serve        answer compile requests on standard input and output"
)]
struct Args {
    /// The kernel: a .mlir file, bytecode, or - for standard input; `serve` to serve other programs
    input: Option<String>,
    /// What to compile for: BACKEND or BACKEND:CHIP; may be given several times
    #[arg(long, short, default_value = "cpu")]
    target: Vec<String>,
    /// Where to write; with several targets a folder; default is KERNEL.EXTENSION beside you, - is standard output
    #[arg(long, short)]
    output: Option<String>,
    /// What to write: code, artifact, asm, llvm, or a phase after which to print MLIR (specialize, optimize, legalize, lower)
    #[arg(long, default_value = "code")]
    emit: String,
    /// The kernel, when the file has several
    #[arg(long)]
    kernel: Option<String>,
    /// Value of a comptime parameter, NAME=VALUE; may be given several times
    #[arg(long)]
    param: Vec<String>,
    /// Print size and time of each phase
    #[arg(long)]
    report: bool,
    /// List targets and chips
    #[arg(long)]
    list_targets: bool,
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
        return say::explain_code("cubec", code);
    }
    if args.list_targets {
        return list_targets();
    }
    match args.input.as_deref() {
        None => {
            say::error("cubec", "CUBE0604", "name a kernel: cubec kernel.mlir --target cpu; cubec --help tells more")
        }
        Some("serve") => serve(),
        Some(path) => match compile_all(&args, path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let source = std::fs::read_to_string(path).unwrap_or_default();
                let unknown = error.diagnostics.iter().any(|d| d.code.as_deref() == Some("CUBE0100"));
                let hint = if unknown { crate::hints::unknown_op(&source) } else { None };
                let code = say::compile_error(&error);
                hint.iter().for_each(|hint| eprintln!("note: {hint}"));
                code
            }
        },
    }
}

fn serve() -> ExitCode {
    match protocol::serve(&Driver, std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => say::error("cubec", "CUBE0606", &format!("serving ended: {error}")),
    }
}

fn list_targets() -> ExitCode {
    for backend in BACKENDS {
        println!(
            "{}: {} (default {})\n  {}",
            backend.name(),
            backend.summary(),
            backend.default_chip(),
            backend.chips().join(" ")
        );
    }
    ExitCode::SUCCESS
}

/// `NAME=VALUE` pairs.
pub fn params(list: &[String]) -> Result<Vec<(String, String)>, CompileError> {
    let pair = |text: &String| {
        let parts = text.split_once('=').map(|(n, v)| (n.to_string(), v.to_string()));
        parts.ok_or_else(|| CompileError::new("CUBE0506", format!("--param {text} is not NAME=VALUE")))
    };
    list.iter().map(pair).collect()
}

fn compile_all(args: &Args, path: &str) -> Result<(), CompileError> {
    let source = input::read_source(path)?;
    let options =
        CompileOptions { kernel: args.kernel.clone(), params: params(&args.param)?, file_name: Some(path.into()) };
    let targets: Vec<Target> = args
        .target
        .iter()
        .map(|t| Target::from_str(t).map_err(|e| CompileError::new("CUBE0500", e.to_string())))
        .collect::<Result<_, _>>()?;
    // All targets are compiled before anything is written: either every file is there or none.
    let mut files = Vec::new();
    for target in &targets {
        let (bytes, extension) = one(args, &source, target, &options)?;
        let name = output_name(args, path, target, targets.len() > 1, extension);
        files.push((name, bytes));
    }
    for (name, bytes) in files {
        input::write(&name, &bytes)?;
    }
    Ok(())
}

fn output_name(args: &Args, path: &str, target: &Target, several: bool, extension: &str) -> String {
    let stem = Path::new(path).file_stem().map_or("kernel".into(), |s| s.to_string_lossy().into_owned());
    let stem = if path == "-" { "kernel".to_string() } else { stem };
    match (&args.output, several) {
        (Some(name), false) => name.clone(),
        (None, false) => format!("{stem}.{extension}"),
        (folder, true) => {
            let name = format!("{stem}.{}.{extension}", target.to_string().replace(':', "-"));
            folder.as_ref().map_or(name.clone(), |f| format!("{f}/{name}"))
        }
    }
}

fn one(
    args: &Args,
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
) -> Result<(Vec<u8>, &'static str), CompileError> {
    match args.emit.as_str() {
        "code" | "artifact" => {
            let (artifact, report) = Driver.compile_with_report(source, target, options)?;
            if args.report {
                for phase in &report.phases {
                    eprintln!("{:12} {:8} {:10.3} ms", phase.name, phase.size, phase.time.as_secs_f64() * 1e3);
                }
            }
            let extension = match target.backend.as_str() {
                _ if args.emit == "artifact" => "artifact",
                "nvptx" => "ptx",
                "amdgpu" => "s",
                _ => "o",
            };
            Ok((if args.emit == "artifact" { artifact.to_bytes() } else { artifact.code }, extension))
        }
        "asm" => Ok((Driver.emit_text(source, target, options, Form::Assembly)?, "s")),
        "llvm" => Ok((Driver.emit_text(source, target, options, Form::Llvm)?, "ll")),
        phase if ["specialize", "optimize", "legalize", "lower"].contains(&phase) => {
            Ok((Driver.compile_to(source, target, options, phase)?.into_bytes(), "mlir"))
        }
        other => {
            let known = ["code", "artifact", "asm", "llvm", "specialize", "optimize", "legalize", "lower"];
            let hint =
                cube_backend::suggestion(other, known).map(|s| format!("; did you mean {s}?")).unwrap_or_default();
            Err(CompileError::new(
                "CUBE0607",
                format!("--emit {other} is unknown; it is one of {}{hint}", known.join(", ")),
            ))
        }
    }
}
