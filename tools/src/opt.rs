//! `cube-opt`: all of `mlir-opt`, with Cube's dialects, passes and phases, and a check before each parse.
mod expected;
mod layouts;
mod options;
mod steps;

use crate::{
    child::{self, ChildOutcome},
    hints, input,
    remarks::RemarkOptions,
    reproducer, say,
};
use cube_artifact::{CompileError, Target, diagnostic};
use cube_driver::{Pipeline, check_order, to_error};
use cube_ir::{LimitExceeded, Limits, pre_scan};
use cube_passes::phases::Request;
use cube_run_cli::output;
use std::{fmt::Write as _, io::Write, path::Path, process::ExitCode, str::FromStr};

const ABOUT: &str = "\
Cube's own options, besides those of mlir-opt below:
  --compile-to=PHASE     run the phases up to and with PHASE: specialize, layout, optimize, legalize, lower
  --compile-from=PHASE   run the phases after PHASE, on the text that --compile-to=PHASE printed
  --target=TARGET        target of --compile-to and --compile-from (default cpu), for example nvptx:sm_90a
  --params=N=8,F=f16     values of comptime parameters for the two above
  --show-pipeline=TARGET print the pipeline of a target: one line per pass, with the reason for its position
  --diff                 print what each pass of the pipeline changed, as a diff
  --layouts-html=FILE    write the layouts of the kernels as a page with pictures
  --dump-tree=FOLDER     write the module after every pass that changed it, with what changed, and an index
  --cube-stats           print the statistics of Cube's passes
  --cube-remarks[=KINDS] print remarks about applied (passed) and missed (missed) optimisations, and analyses (analysis)
  --cube-remarks-yaml=FILE  write remarks in LLVM's format, which opt-viewer and llvm-remarkutil read
  --cube-remarks-filter=REGEX  only remarks of passes whose names match
  --egraph-explain       run the pass egraph, and print the chain of rules from each value to its new form
  --reproducer=FILE      if the command fails, write a self-contained .mlir file that reproduces the failure
  --replay FILE          run a reproducer again
  --explain CODE         explain an error code

";

#[derive(Default)]
struct CubeOptions {
    to: Option<String>,
    from: Option<String>,
    target: Option<String>,
    params: Option<String>,
    diff: bool,
    tree: Option<String>,
    layouts: Option<String>,
    stats: bool,
    remarks: RemarkOptions,
    reproducer: Option<String>,
}

impl CubeOptions {
    // The option that runs the passes one at a time.
    fn one_by_one(&self) -> Option<&'static str> {
        if self.diff { Some("diff") } else { self.tree.as_ref().map(|_| "dump-tree") }
    }

    fn request(&self) -> Request {
        Request { params: self.params.clone().unwrap_or_default(), ..Request::default() }
    }
}

/// Runs `cube-opt`. The first element of `args` is the name of the program.
pub fn main(args: Vec<String>) -> ExitCode {
    cube_driver::register();
    let (options, mut rest) = match options::split(args.clone()) {
        Ok(parts) => parts,
        Err(code) => return code,
    };
    if let Some(file) = &options.reproducer {
        let pipeline = pipeline(&options).map_err(|e| e.to_string());
        let requested = rest.iter().find_map(|a| a.split_once("pass-pipeline=").map(|(_, text)| text.to_string()));
        let known = reproducer::CommandFacts {
            pipeline: if options.to.is_some() || options.from.is_some() { pipeline.ok() } else { requested },
            target: options.target.clone(),
            ..Default::default()
        };
        let input = input_position(&rest).map(|i| rest[i].clone());
        return reproducer::record("cube-opt", &args, input.as_deref(), Path::new(file), &known);
    }
    let one_by_one = options.one_by_one().is_some();
    let pick = match options.remarks.pick() {
        Ok(pick) => pick,
        Err(message) => return say::usage("cube-opt", &message),
    };
    if rest.iter().any(|a| a == "--help" || a == "-help" || a == "--help-hidden") {
        print!("{}", about());
        let _ = std::io::stdout().flush();
    }
    if let Some(file) = &options.layouts {
        let input = input_position(&rest).map_or("-", |i| rest[i].as_str());
        return match layouts::write(input, &options, file) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => say::compile_error(&error),
        };
    }
    if let Err(error) = check_pipeline(&rest) {
        return say::compile_error(&error);
    }
    let phases = options.to.is_some() || options.from.is_some();
    if one_by_one {
        let steps = if phases { steps::of_phases(&options) } else { Ok(steps::of_options(&rest)) };
        let input = input_position(&rest).map_or("-", |i| rest[i].as_str());
        let output = rest.iter().position(|a| a == "-o" || a == "--o").and_then(|i| rest.get(i + 1));
        let output = output.map(String::as_str);
        return match steps {
            Ok(steps) => {
                let code = steps::PassByPass { input, output, options: &options, steps, pick }.run();
                if options.stats {
                    eprint!("{}", cube_ir::statistics_report());
                }
                code
            }
            Err(error) => say::compile_error(&error),
        };
    }
    if phases {
        match pipeline(&options) {
            Ok(text) => rest.push(format!("--pass-pipeline={text}")),
            Err(error) => return say::compile_error(&error),
        }
    }
    let prints_information = |a: &String| {
        ["--help", "-help", "-h", "--help-hidden", "--version", "-version", "--list-passes", "--show-dialects"]
            .contains(&a.as_str())
    };
    let prints_information = rest.iter().any(prints_information);
    let output = match Output::take(&mut rest) {
        Ok(output) => output,
        Err(error) => return say::compile_error(&error),
    };
    let handled = if prints_information { Ok(false) } else { prepare_input(&mut rest, &options.remarks) };
    match handled {
        Err(code) => return code,
        Ok(true) => {}
        Ok(false) => {
            if let Some(pick) = pick {
                cube_ir::remarks::request_from_opt(pick, options.remarks.prints());
            }
            let ended = cube_ir::opt_main("Cube: an mlir-opt with the cube dialect and its passes\n", &rest);
            let code = ended.status;
            if options.stats {
                eprint!("{}", cube_ir::statistics_report());
            }
            if let Err(error) = options.remarks.finish(ended.remarks, false) {
                return say::compile_error(&error);
            }
            if code != 0 {
                if !child::is_child() {
                    print_hints(&rest);
                    // Expected errors are not the cause of the failure.
                    let judged = !rest.iter().any(|a| a.contains("verify-diagnostics"));
                    report_failure(ended.last_code.filter(|_| judged).as_deref());
                }
                return ExitCode::from(u8::try_from(code).unwrap_or(say::FAILED));
            }
        }
    }
    match output.map_or(Ok(()), Output::keep) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => say::compile_error(&error),
    }
}

fn about() -> String {
    let mut text =
        format!("{ABOUT}Cube's passes, in the order of the phases; each with its options below among mlir-opt's:\n");
    for pass in cube_driver::passes() {
        let _ = writeln!(text, "  --{:26} {}", pass.name, pass.summary);
    }
    text + "\n"
}

// Prints notes about a source for which the errors of MLIR's parser are not detailed enough.
fn print_hints(args: &[String]) {
    let Some(source) = input_position(args).and_then(|i| std::fs::read_to_string(&args[i]).ok()) else { return };
    for hint in hints::of_text(&source) {
        eprintln!("cube-opt: note: {hint}");
    }
}

// Prints the last line of a failure, with the code of the last message that has a code. The other messages are
// MLIR's own.
fn report_failure(code: Option<&str>) {
    let code = code.unwrap_or("CUBE0100");
    eprintln!("cube-opt: error[{code}]: see the messages above; for more: cube-opt --explain {code}");
}

// Refuses a pipeline before the input is read, if MLIR cannot parse it or its levels are in an order without a valid
// input.
fn check_pipeline(args: &[String]) -> Result<(), CompileError> {
    if let Some(text) = args.iter().find_map(|a| a.strip_prefix("--pass-pipeline=")) {
        let mut checked = cube_ir::check_pipeline(text).map_err(to_error);
        if let (Err(error), Some(near)) = (&mut checked, hints::unknown_pass(text)) {
            error.diagnostics.iter_mut().for_each(|d| d.message += &format!("; did you mean {near}?"));
        }
        checked?;
    }
    check_order(steps::of_options(args).iter().map(steps::ShownPass::pass)).map_err(to_error)
}

fn target(text: Option<&str>) -> Result<Target, CompileError> {
    Ok(Target::from_str(text.unwrap_or("cpu"))?)
}

fn pipeline(options: &CubeOptions) -> Result<String, CompileError> {
    let pipeline = Pipeline::for_target(&target(options.target.as_deref())?).map_err(to_error)?;
    let phases = pipeline.part(options.from.as_deref(), options.to.as_deref()).map_err(to_error)?;
    Ok(pipeline.whole_text(&phases, &options.request()))
}

fn show(text: &str) -> ExitCode {
    match target(Some(text)).and_then(|t| Pipeline::for_target(&t).map_err(to_error)) {
        Ok(pipeline) => {
            print!("{}", pipeline.describe());
            ExitCode::SUCCESS
        }
        Err(error) => say::compile_error(&error),
    }
}

// The temporary file that replaces the user's output file on success.
struct Output {
    file: tempfile::TempPath,
    name: String,
}

impl Output {
    // Replaces `-o FILE` by a temporary file. Pipes and devices are written directly. A child writes directly to the
    // given path, because its parent cleans up after a crash.
    fn take(args: &mut [String]) -> Result<Option<Self>, CompileError> {
        let Some(at) = args.iter().position(|a| !child::is_child() && (a == "-o" || a == "--o")) else {
            return Ok(None);
        };
        let Some(name) = args.get(at + 1).cloned().filter(|n| n != "-") else { return Ok(None) };
        let target = Path::new(&name);
        if target.exists() && !target.is_file() && !target.is_dir() {
            return Ok(None);
        }
        let fail =
            |e: std::io::Error| CompileError::from(cube_artifact::diagnostic!(CUBE0603.file { file: name, error: e }));
        let file = input::beside(target).map_err(fail)?.into_temp_path();
        args[at + 1] = file.to_string_lossy().into_owned();
        Ok(Some(Output { file, name }))
    }

    fn keep(self) -> Result<(), CompileError> {
        let fail = |e: tempfile::PathPersistError| {
            CompileError::from(cube_artifact::diagnostic!(CUBE0603.file { file: self.name, error: e.error }))
        };
        self.file.persist(&self.name).map_err(fail)
    }
}

// Options of mlir-opt whose value is usually the next argument.
const OPTIONS_WITH_VALUE: &[&str] =
    &["o", "pass-pipeline", "mlir-pass-pipeline-crash-reproducer", "load-pass-plugin", "load-dialect-plugin"];

// The position of the input file in mlir-opt's command line. All other arguments that start with a dash are options.
fn input_position(args: &[String]) -> Option<usize> {
    let mut skip = false;
    args.iter().enumerate().skip(1).find_map(|(i, arg)| {
        if std::mem::take(&mut skip) {
            return None;
        }
        skip = arg.starts_with('-') && OPTIONS_WITH_VALUE.contains(&arg.trim_start_matches('-'));
        (!arg.starts_with('-') || arg == "-").then_some(i)
    })
}

// Scans the input before MLIR's parser reads it. Standard input is also scanned, and then passed to the parser in a
// file.
fn prepare_input(args: &mut [String], remarks: &RemarkOptions) -> Result<bool, ExitCode> {
    let position = input_position(args);
    let name = position.map_or("-".to_string(), |i| args[i].clone());
    let bytes = input::read(&name).map_err(|e| say::compile_error(&e))?;
    if input::is_bytecode(&bytes) && !child::is_child() {
        return through_child(args, bytes, position, remarks).map(|()| true);
    }
    if !input::is_bytecode(&bytes) {
        let shown = if name == "-" { "<stdin>" } else { &name };
        let split = args.iter().any(|a| a == "--split-input-file");
        scan(&bytes, split).map_err(|e| say::compile_error(&to_error(e.into_error(shown))))?;
    }
    let mut bytes = bytes;
    let mut changed = false;
    if args.iter().any(|a| a.contains("verify-diagnostics")) {
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let by_text = expected::as_text(text).map_err(|why| say::usage("cube-opt", &format!("{name}: {why}")))?;
        if let Some(text) = by_text {
            (bytes, changed) = (text.into_bytes(), true);
        }
    }
    // Input that can be read only once is also passed in a file.
    let once = name != "-" && (changed || !Path::new(&name).is_file());
    if let Some(at) = position.filter(|_| once) {
        args[at] = "-".into();
    }
    if name == "-" || once {
        replace_stdin(&bytes).map_err(|e| say::error("cube-opt", diagnostic!(CUBE0602.once { error: e })))?;
    }
    Ok(false)
}

/// Checks a text before MLIR's parser reads it. With `split`, lines `// -----` separate the text into
/// independent modules.
pub fn scan(bytes: &[u8], split: bool) -> Result<(), LimitExceeded> {
    if !split {
        return pre_scan(bytes, &Limits::default()).map(|_| ());
    }
    let (mut start, mut line, mut first_line) = (0, 0, 0);
    let part = |start: usize, end: usize, lines: u32| match pre_scan(&bytes[start..end], &Limits::default()) {
        // CUBE0105 reports an empty text, but a part can be empty.
        Err(e) if e.code() != "CUBE0105" => {
            Err(LimitExceeded { at: e.at.map(|(line, column)| (line + lines, column)), ..e })
        }
        _ => Ok(()),
    };
    let mut at = 0;
    for text in bytes.split_inclusive(|b| *b == b'\n') {
        line += 1;
        if text.trim_ascii_end() == b"// -----" {
            part(start, at, first_line)?;
            (start, first_line) = (at + text.len(), line);
        }
        at += text.len();
    }
    part(start, bytes.len(), first_line)
}

// Replaces standard input by a file with the bytes that have been read.
fn replace_stdin(bytes: &[u8]) -> std::io::Result<()> {
    use std::io::{Seek, SeekFrom};
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    rustix::stdio::dup2_stdin(&file)?;
    Ok(())
}

// Runs the whole command in a child with limits, so that a crash of its reader becomes an error here.
fn through_child(
    args: &[String],
    bytes: Vec<u8>,
    position: Option<usize>,
    remarks: &RemarkOptions,
) -> Result<(), ExitCode> {
    let mut child_args = vec!["opt"];
    let remark_arguments = remarks.words();
    child_args.extend(remark_arguments.iter().map(String::as_str));
    child_args.extend(args.iter().enumerate().skip(1).filter(|(i, _)| Some(*i) != position).map(|(_, a)| a.as_str()));
    child_args.push("-");
    match child::run(&child_args, bytes) {
        ChildOutcome::Succeeded { stdout, stderr } => {
            let mut out = std::io::stdout().lock();
            out.write_all(&stdout).and_then(|()| out.flush()).unwrap_or_else(|e| output::ended(&e));
            let _ = std::io::stderr().write_all(&stderr);
            Ok(())
        }
        ChildOutcome::Refused(child_error) => {
            eprint!("{child_error}");
            report_failure(reproducer::codes_in(&child_error).last().map(String::as_str));
            Err(ExitCode::from(say::FAILED))
        }
        ChildOutcome::Crashed(why) => Err(say::error("cube-opt", diagnostic!(CUBE0106.unreadable { why }))),
    }
}
