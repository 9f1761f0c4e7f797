//! `cubec`: compiles a kernel of a `.mlir` file for one target or several, and serves other programs.
use crate::{
    explain_cost::ExplainCost,
    input,
    remarks::{Collector, RemarkOptions},
    reproducer, say,
};
use clap::Parser;
use cube_artifact::cost::Profile;
use cube_artifact::{Artifact, CodeFormat, CompileError, CompileOptions, Compiler, Diagnostic, Target, protocol};
use cube_backend::{DebugInfo, OutputForm};
use cube_driver::{
    BACKENDS, CombinedInstrumentation, Driver, NoInstrumentation, PassInfo, PassInstrumentation, Pipeline, Tree,
};
use cube_ir::remarks::{RemarkFilter, RemarkKind};
use cube_passes::phases::Request;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
    sync::Arc,
};

/// Compile a kernel for a target.
#[derive(Parser)]
#[command(
    name = "cubec",
    version,
    after_help = "examples:\n  cubec kernel.mlir --target nvptx:sm_90a -o kernel.ptx\n  cubec kernel.mlir --target cpu --target amdgpu:gfx942 --emit asm\n  cubec kernel.mlir --emit artifact -o kernel.artifact\n  cubec serve        answer compile requests on standard input and output\n  cubec new shiny    make a starter crate: kernel, test, bench\n  cubec bundle kernels -o kernels.bundle   compile all kernels of a program into one file"
)]
struct Args {
    /// The kernel: a .mlir file, bytecode, or - for standard input; `serve` to answer the requests of other
    /// programs
    input: Option<String>,
    /// Target to compile for: BACKEND or BACKEND:CHIP; can be given several times
    #[arg(long, short, default_value = "cpu")]
    target: Vec<String>,
    /// Output file, or a folder for several targets; - is standard output; the default is KERNEL.EXTENSION in the
    /// current folder
    #[arg(long, short)]
    output: Option<String>,
    /// Kind of output: code, artifact, asm, llvm, or bundle (one file with the code of several amdgpu chips); or a
    /// phase after which MLIR is printed (specialize, layout, optimize, legalize, lower)
    #[arg(long, default_value = "code")]
    emit: String,
    /// Name of the kernel, if the file contains several kernels
    #[arg(long)]
    kernel: Option<String>,
    /// Value of a comptime parameter, NAME=VALUE; can be given several times
    #[arg(long)]
    param: Vec<String>,
    /// Let LLVM run only its first N optional passes, or all with -1, and print their names to standard
    /// error. cube-run --bisect uses this option to find the pass that changes a result
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    llvm_passes: Option<i64>,
    /// Emit source lines for a debugger. For the CPU also variables, in unoptimised code; for a GPU the code is the
    /// same as without the option. CUBE_DEBUG=1 has the same effect
    #[arg(short = 'g')]
    debug: bool,
    /// Print the size and time of each phase, and the peak memory. Debug builds also print the number of operations
    /// that Cube's passes processed
    #[arg(long)]
    report: bool,
    /// Print remarks about applied optimisations (passed), missed optimisations (missed) and analyses (analysis).
    /// Without a value, all kinds of remarks are printed
    #[arg(long, value_name = "KINDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    remarks: Option<String>,
    /// Print only remarks of passes whose names match this regular expression
    #[arg(long, value_name = "REGEX")]
    remarks_filter: Option<String>,
    /// Write remarks as LLVM's YAML, for opt-viewer and llvm-remarkutil
    #[arg(long, value_name = "FILE")]
    remarks_yaml: Option<String>,
    /// Print the predicted time of a launch, the resource that limits it, and missed optimisations. FACTS describe the launch:
    /// cubes=64x2,n=4096,x=65536 (a scalar n, a buffer x of 65536 lines)
    #[arg(long, value_name = "FACTS")]
    explain_cost: Option<String>,
    /// Write the module and its changes after every pass that changed it, and an index of these files
    #[arg(long, value_name = "FOLDER")]
    dump_tree: Option<PathBuf>,
    /// If the command fails, write a self-contained .mlir file that reproduces the failure
    #[arg(long, value_name = "FILE")]
    reproducer: Option<PathBuf>,
    /// Run a reproducer again
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Format of errors on standard error: text for people, or json with one line per diagnostic
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    message_format: MessageFormat,
    /// List targets and chips
    #[arg(long)]
    list_targets: bool,
    /// Explain an error code
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
}

/// The format of errors on standard error.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MessageFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line, described in docs/reference/errors.md
    Json,
}

/// The tool.
pub fn main(args: Vec<String>) -> ExitCode {
    let words = args;
    if words.get(1).is_some_and(|word| word == "new") {
        return crate::new::main(&words);
    }
    if words.get(1).is_some_and(|word| word == "bundle") {
        return crate::program_bundle::main(&words);
    }
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return say::command_line(&error),
    };
    if let Some(code) = &args.explain {
        return say::explain_code("cubec", code);
    }
    if let Some(count) = args.llvm_passes {
        cube_driver::limit_llvm_passes(count);
    }
    if args.list_targets {
        return list_targets();
    }
    if let Some(file) = &args.replay {
        return reproducer::replay("cubec", file);
    }
    let options = RemarkOptions {
        text: args.remarks.clone(),
        filter: args.remarks_filter.clone(),
        yaml: args.remarks_yaml.clone(),
        ..RemarkOptions::default()
    };
    match args.input.as_deref() {
        None => say::usage("cubec", "name a kernel: cubec kernel.mlir --target cpu"),
        Some("serve") => serve(),
        Some(path) if args.reproducer.is_some() => {
            let file = args.reproducer.as_deref().unwrap_or(Path::new(""));
            reproducer::record("cubec", &words, Some(path), file, &known(&args))
        }
        Some(path) => match options.pick() {
            Err(message) => say::usage("cubec", &message),
            Ok(pick) => {
                // The explanation of a cost lists missed optimisations.
                let missed = || -> RemarkFilter { Arc::new(|_, kind| kind == RemarkKind::Missed) };
                let pick = pick.or_else(|| args.explain_cost.is_some().then(missed));
                compiled(&args, path, &options, Collector { pick, remarks: Vec::new() })
            }
        },
    }
}

fn compiled(args: &Args, path: &str, options: &RemarkOptions, mut collector: Collector) -> ExitCode {
    let result = compile_all(args, path, &mut collector);
    match options.finish(collector.remarks, true).and(result) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if args.message_format == MessageFormat::Json {
                return say::compile_error_as_json(&error);
            }
            // The rest of a refused input is not parsed.
            let unknown = error.diagnostics.iter().any(|d| d.code.as_deref() == Some("CUBE0100"));
            let source = if unknown { std::fs::read_to_string(path).unwrap_or_default() } else { String::new() };
            let hint = if unknown { crate::hints::unknown_op(&source) } else { None };
            let code = say::compile_error(&error);
            hint.iter().for_each(|hint| eprintln!("note: {hint}"));
            code
        }
    }
}

// The lines of a reproducer that describe the first target.
fn known(args: &Args) -> reproducer::CommandFacts {
    let target = args.target.first().and_then(|t| Target::from_str(t).ok());
    let pipeline = target.as_ref().and_then(|t| Pipeline::for_target(t).ok());
    let chip = target.as_ref().and_then(|t| cube_driver::backend_of(t).ok()).map(|(_, description)| description.name());
    reproducer::CommandFacts {
        pipeline: pipeline
            .map(|p| p.whole_text(&p.phases, &Request { params: args.param.join(","), ..Default::default() })),
        target: chip,
        ..Default::default()
    }
}

/// Runs the compiler for another program. `CUBE_TEST_ABORT=PASS` ends the process before that pass of a kernel with
/// reports. Tests set this variable to check the reports that were written before a crash.
struct CompilerService {
    abort: Option<String>,
}

impl Compiler for CompilerService {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compile_and_report(source, target, options).map(|(artifact, _)| artifact)
    }

    fn compile_and_report(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, String), CompileError> {
        match &self.abort {
            Some(pass) if !options.reports.is_empty() => {
                Driver.compile_and_report_with(source, target, options, &mut AbortBefore { pass })
            }
            _ => Driver.compile_and_report(source, target, options),
        }
    }

    fn profile(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Option<Profile>, CompileError> {
        Driver.profile(source, target, options)
    }
}

struct AbortBefore<'a> {
    pass: &'a str,
}

impl PassInstrumentation for AbortBefore<'_> {
    fn before(&mut self, info: &PassInfo<'_>) {
        if self.pass == info.pass {
            std::process::abort();
        }
    }
}

fn serve() -> ExitCode {
    let compiler = CompilerService { abort: std::env::var("CUBE_TEST_ABORT").ok() };
    match protocol::serve(&compiler, std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => say::error("cubec", cube_artifact::diagnostic!(CUBE0606.serving { error })),
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
        parts.ok_or_else(|| CompileError::from(cube_artifact::diagnostic!(CUBE0506.pair { given: text })))
    };
    list.iter().map(pair).collect()
}

fn compile_all(args: &Args, path: &str, collector: &mut Collector) -> Result<(), CompileError> {
    let source = input::read_source(path)?;
    let options = CompileOptions {
        kernel: args.kernel.clone(),
        params: params(&args.param)?,
        file_name: Some(path.into()),
        debug: args.debug || CompileOptions::debug_of(&cube_run_cli::variables())?,
        folder: cube_run_cli::folder(),
        ..Default::default()
    };
    let targets: Vec<Target> =
        args.target.iter().map(|t| Target::from_str(t).map_err(CompileError::from)).collect::<Result<_, _>>()?;
    if let Some(target) = targets.iter().find(|t| args.debug && !has_debug_info(t)) {
        return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0730.target { target })));
    }
    if args.emit == "bundle" {
        return bundled(args, path, &source, &targets, &options);
    }
    // All targets are compiled before anything is written, so that either every file is written or none.
    let mut files = Vec::new();
    for target in &targets {
        let mut tree = tree(args, path, target)?;
        let hooks: &mut dyn PassInstrumentation = match &mut tree {
            Some(tree) => tree,
            None => &mut NoInstrumentation,
        };
        let mut warnings = Warnings { json: args.message_format == MessageFormat::Json };
        let remarks = collector.remarks.len();
        let mut cost = args.explain_cost.as_deref().map(ExplainCost::new);
        let explained: &mut dyn PassInstrumentation = match &mut cost {
            Some(cost) => cost,
            None => &mut NoInstrumentation,
        };
        let mut hooks = CombinedInstrumentation(
            &mut CombinedInstrumentation(hooks, explained),
            &mut CombinedInstrumentation(collector, &mut warnings),
        );
        let made = one(args, &source, target, &options, &mut hooks);
        let dumped = tree.map_or(Ok(()), Tree::finish);
        let (bytes, extension) = made?;
        dumped?;
        if let Some(cost) = &cost {
            eprint!("{}", cost.text(target, &collector.remarks[remarks..])?);
        }
        let name = output_name(args, path, target, targets.len() > 1, &extension);
        files.push((name, bytes));
    }
    for (name, bytes) in files {
        input::write(&name, &bytes)?;
    }
    Ok(())
}

/// Prints the warnings of a compilation.
struct Warnings {
    json: bool,
}

impl PassInstrumentation for Warnings {
    fn each_pass(&self) -> bool {
        false
    }

    fn warned(&mut self, warning: &Diagnostic) {
        match self.json {
            true => eprintln!("{}", say::json(warning)),
            false => say::compile_warning(warning),
        }
    }
}

// One file with the code objects of all targets.
fn bundled(
    args: &Args,
    path: &str,
    source: &[u8],
    targets: &[Target],
    options: &CompileOptions,
) -> Result<(), CompileError> {
    let mut objects: Vec<(String, Vec<u8>)> = Vec::new();
    for target in targets {
        let artifact = Driver.compile(source, target, options)?;
        if artifact.format != CodeFormat::HSACO {
            let (target, form, forms) = (target.backend.as_str(), "bundle", "code, artifact, asm, llvm");
            return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0508.form { target, form, forms })));
        }
        let chip = artifact.target.chip.unwrap_or_default();
        // A code object is for one processor. The chip's name can also contain the plane width.
        let processor = chip.split('-').next().unwrap_or_default().to_string();
        if objects.iter().any(|(other, _)| *other == processor) {
            return Err(CompileError::from(cube_artifact::diagnostic!(CUBE0508.twice { processor })));
        }
        objects.push((processor, artifact.code));
    }
    let objects: Vec<(&str, &[u8])> = objects.iter().map(|(chip, code)| (chip.as_str(), code.as_slice())).collect();
    let name = output_name(args, path, &targets[0], false, "hipfb");
    input::write(&name, &crate::bundle::bundle(&objects))
}

// An unknown target is reported when it is compiled.
fn has_debug_info(target: &Target) -> bool {
    cube_driver::backend_of(target).map_or(true, |(backend, _)| backend.debug_info() != DebugInfo::None)
}

// A folder for the target, if a tree is requested.
fn tree(args: &Args, path: &str, target: &Target) -> Result<Option<Tree>, CompileError> {
    let Some(folder) = &args.dump_tree else { return Ok(None) };
    let name = Path::new(path).file_name().map_or("-".into(), |n| n.to_string_lossy().into_owned());
    let several = args.target.len() > 1;
    let folder = if several { folder.join(target.to_string().replace(':', "-")) } else { folder.clone() };
    Tree::new(&folder, &format!("{name} for {target}")).map(Some)
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

// The peak memory of this process, on systems that report it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

fn one(
    args: &Args,
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
    hooks: &mut dyn PassInstrumentation,
) -> Result<(Vec<u8>, String), CompileError> {
    match args.emit.as_str() {
        "code" | "artifact" => {
            let (artifact, report) = Driver.compile_instrumented(source, target, options, hooks)?;
            if args.report {
                for phase in &report.phases {
                    let work = if phase.work > 0 { format!(" {:12} views", phase.work) } else { String::new() };
                    eprintln!("{:12} {:8} {:10.3} ms{work}", phase.name, phase.size, phase.time.as_secs_f64() * 1e3);
                }
                if let Some(kib) = peak_memory() {
                    eprintln!("{:12} {kib:8} KiB at most", "memory");
                }
            }
            let extension = if args.emit == "artifact" { "artifact" } else { artifact.format.extension() }.to_string();
            Ok((if args.emit == "artifact" { artifact.to_bytes() } else { artifact.code }, extension))
        }
        "asm" => Ok((Driver.emit_text(source, target, options, OutputForm::Assembly, hooks)?, "s".into())),
        "llvm" => Ok((Driver.emit_text(source, target, options, OutputForm::Llvm, hooks)?, "ll".into())),
        phase if Pipeline::phase_names().any(|name| name == phase) => {
            Ok((Driver.compile_to(source, target, options, phase, hooks)?.into_bytes(), "mlir".into()))
        }
        other => {
            let known: Vec<&str> =
                ["code", "artifact", "asm", "llvm", "bundle"].into_iter().chain(Pipeline::phase_names()).collect();
            let hint = cube_backend::suggestion(other, known.iter().copied())
                .map(|s| format!("; did you mean {s}?"))
                .unwrap_or_default();
            Err(CompileError::from(
                cube_artifact::diagnostic!(CUBE0607.unknown { given: other, known: known.join(", "), hint }),
            ))
        }
    }
}
