//! Runs a kernel on the reference interpreter instead of a device.
use super::args::{Args, InterpretLevel};
use super::failure::Failure;
use super::report::Times;
use super::values::Value;
use crate::say;
use cube_artifact::{CompileError, CompileOptions, Diagnostic, ElemType, Message, Severity, Target, diagnostic};
use cube_backend_interp::{Arg, Fault, Find, FindingKind, Options, Outcome, Program, Schedule, Tolerance, run};
use cube_driver::{Stage, stages};
use cube_runtime::hostdata::HostArray;
use std::ops::ControlFlow;
use std::time::Instant;

/// A kernel with its launch.
pub struct Kernel<'a> {
    pub source: &'a [u8],
    pub request: &'a CompileOptions,
    /// The arguments of the launch.
    pub values: &'a [Value],
    /// Cubes along x, y, z.
    pub count: [u32; 3],
}

/// The contents of the buffers after a run, by parameter number.
pub type Results = Vec<Option<HostArray>>;

/// The interpreter options that the command line requests.
pub fn options(args: &Args) -> Result<Options, Failure> {
    let mut find = Find::NOTHING;
    // `--check KINDS` is equivalent to `--find KINDS`.
    let kinds: Vec<&str> = args.check.iter().map(String::as_str).filter(|c| !c.contains('=')).collect();
    let kinds = if kinds.is_empty() { args.find.clone() } else { kinds.join(",") };
    for word in kinds.split(',').map(str::trim).filter(|w| !w.is_empty() && *w != "nothing") {
        match FindingKind::ALL.iter().find(|k| k.word() == word) {
            Some(kind) => find = find.with(*kind),
            None if word == "all" => find = Find::ALL,
            None => {
                let known: Vec<&str> = FindingKind::ALL.iter().map(|k| k.word()).collect();
                let known = known.join(", ");
                return Err(Failure::Usage(format!(
                    "--find {word}: unknown kind of finding; choose one of {known}, all, nothing"
                )));
            }
        }
    }
    let schedule = args.seed.map_or(Schedule::InOrder, Schedule::Shuffled);
    Ok(Options { find, max_steps: args.max_steps, schedule, plane_dim: args.plane_dim, ..Options::default() })
}

/// Decodes the kernel of a pipeline stage for the interpreter.
pub fn decode(stage: &Stage<'_, '_>, request: &CompileOptions, ring: bool) -> Result<Program, CompileError> {
    let kernel = stage.kernel().ok_or_else(|| CompileError::from(cube_artifact::diagnostic!(CUBE0503.none)))?;
    let decoded = match ring {
        true => Program::decode_in_ring(kernel, &request.params),
        false => Program::decode(kernel, &request.params),
    };
    decoded.map_err(error)
}

/// The error for an operation that the interpreter does not support.
pub fn error(diagnostic: cube_ir::Diagnostic) -> CompileError {
    cube_driver::to_error(cube_ir::SessionError { diagnostics: vec![diagnostic] })
}

/// Converts result buffers to interpreter arguments; scalar arguments are 0.
pub fn results(buffers: &[Option<HostArray>]) -> Vec<Arg> {
    let arg = |array: &Option<HostArray>| match array {
        Some(array) => Arg::Buffer { bytes: array.bytes().to_vec(), initialised: true },
        None => Arg::Scalar(0),
    };
    buffers.iter().map(arg).collect()
}

/// The kernel at a level, and the tolerance of its operations for a comparison with another backend.
pub fn with_tolerance(
    source: &[u8],
    request: &CompileOptions,
    level: InterpretLevel,
) -> Result<(Program, Tolerance), CompileError> {
    let mut allowed = Tolerance::EXACT;
    stages(source, &Target::cpu(), request, &mut |stage| {
        // At this stage calls are inlined, and math functions are not yet expanded.
        if stage.number > 0 && stage.level == cube_ir::Level::Source && stage.ends_phase {
            allowed = Tolerance::of_kernel(stage.module.op());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok((program_as(source, request, level, false)?, allowed))
}

fn program_as(
    source: &[u8],
    request: &CompileOptions,
    level: InterpretLevel,
    ring: bool,
) -> Result<Program, CompileError> {
    let level_of_stage = match level {
        InterpretLevel::Source => cube_ir::Level::Source,
        InterpretLevel::Flat => cube_ir::Level::Flat,
        InterpretLevel::Legal => cube_ir::Level::Legal,
    };
    let mut decoded = None;
    stages(source, &Target::cpu(), request, &mut |stage| {
        // The stage is the source itself, or the end of the first phase that produces the level. A file that was
        // written in the middle of a compilation can already be past the level.
        if stage.level < level_of_stage || !stage.ends_phase {
            return ControlFlow::Continue(());
        }
        decoded = Some(decode(stage, request, ring));
        ControlFlow::Break(())
    })?;
    decoded.unwrap_or_else(|| {
        Err(CompileError::from(cube_artifact::diagnostic!(CUBE0398.no_phase { level: level_of_stage.name() })))
    })
}

/// Converts the arguments of the launch to interpreter arguments.
pub fn arguments(values: &[Value], uninitialised: &[usize]) -> Vec<Arg> {
    let arg = |(index, value): (usize, &Value)| match value {
        Value::Scalar(scalar) => Arg::Scalar(scalar.slot()),
        Value::Buffer(array) => {
            let (bytes, initialised) = (array.bytes().to_vec(), !uninitialised.contains(&index));
            let shape = array.shape().to_vec();
            match shape.len() {
                1..=8 => Arg::Tensor { bytes, initialised, strides: contiguous(&shape), shape },
                _ => Arg::Buffer { bytes, initialised },
            }
        }
    };
    values.iter().enumerate().map(arg).collect()
}

// Strides of a contiguous array.
fn contiguous(shape: &[u64]) -> Vec<u64> {
    (0..shape.len()).map(|d| shape[d + 1..].iter().fold(1u64, |n, e| n.saturating_mul(*e))).collect()
}

/// Runs the kernel once; returns the buffers after the run and the findings.
pub fn execute(
    program: &Program,
    kernel: &Kernel<'_>,
    uninitialised: &[usize],
    options: &Options,
) -> Result<(Results, Outcome), Failure> {
    let mut arguments = arguments(kernel.values, uninitialised);
    let outcome = run(program, &mut arguments, kernel.count, options).map_err(|fault| {
        show(fault.printed());
        self::fault(fault)
    })?;
    let mut results = Vec::new();
    for (value, argument) in kernel.values.iter().zip(arguments) {
        results.push(match (value, argument) {
            (Value::Buffer(array), Arg::Buffer { bytes, .. } | Arg::Tensor { bytes, .. }) => {
                // In the ring, a float is an element of the field.
                let in_ring = program.ring && array.elem().is_float();
                let elem = if in_ring { ElemType::U64 } else { array.elem() };
                Some(HostArray::new(elem, array.shape().to_vec(), bytes)?)
            }
            _ => None,
        });
    }
    Ok((results, outcome))
}

/// Prints the texts that the kernel printed, one per line.
fn show(printed: &[String]) {
    printed.iter().for_each(|line| say::print(&format!("{line}\n")));
}

/// Runs the kernel like [`execute`]. If a race can be visible only in another order, the function runs the kernel again
/// with the units in reverse order. The function returns the results and the printed lines of the first run.
pub fn execute_in_all_orders(
    program: &Program,
    kernel: &Kernel<'_>,
    uninitialised: &[usize],
    options: &Options,
) -> Result<(Results, Outcome), Failure> {
    let (results, mut outcome) = execute(program, kernel, uninitialised, options)?;
    let chosen = options.schedule != Schedule::InOrder;
    if chosen || !options.find.has(FindingKind::Races) || !outcome.findings.is_empty() || !program.observes_order() {
        return Ok((results, outcome));
    }
    // In this order, units can wait for other units indefinitely, although the first run has ended. The
    // number of steps is therefore limited.
    let max_steps = outcome.steps.saturating_mul(16).saturating_add(1 << 24).min(options.max_steps);
    let again = Options { schedule: Schedule::LastFirst, max_steps, ..*options };
    let mut arguments = arguments(kernel.values, uninitialised);
    if let Ok(second) = run(program, &mut arguments, kernel.count, &again) {
        outcome.findings = second.findings;
        for finding in &mut outcome.findings {
            finding.why += " where units run from the last to the first";
        }
    }
    Ok((results, outcome))
}

/// Converts a fault into a user error.
pub fn fault(fault: Fault) -> Failure {
    match &fault {
        Fault::Steps { max, site, .. } => {
            let steps = at(site, diagnostic!(CUBE0702.steps { max }), Severity::Error);
            CompileError { diagnostics: vec![steps] }.into()
        }
        _ => CompileError::from(fault.message()).into(),
    }
}

fn at(site: &cube_backend_interp::Site, message: Message, severity: Severity) -> Diagnostic {
    Diagnostic::new(severity, message.at_op(&site.op), site.location.clone())
}

/// Compiles and runs the kernel, and prints the kernel's output. Returns the buffers after the run and the
/// findings.
pub fn launch(
    args: &Args,
    kernel: &Kernel<'_>,
    uninitialised: &[usize],
    times: &mut Times,
) -> Result<(Results, Outcome), Failure> {
    let options = options(args)?;
    let start = Instant::now();
    let program = program_as(kernel.source, kernel.request, args.level, args.ring)?;
    times.add("decode", start.elapsed(), format!("{} instructions", program.len()));
    let start = Instant::now();
    let (results, outcome) = execute_in_all_orders(&program, kernel, uninitialised, &options)?;
    let time = start.elapsed();
    show(&outcome.printed);
    let rate = outcome.steps as f64 / time.as_secs_f64() / 1e6;
    times.add("interpret", time, format!("{} steps, {rate:.1} million a second", outcome.steps));
    Ok((results, outcome))
}

/// Combines the findings in one error; succeeds if no findings exist.
pub fn findings(outcome: &Outcome) -> Result<(), Failure> {
    let all: Vec<Diagnostic> = outcome.findings.iter().map(of_finding).collect();
    if all.is_empty() { Ok(()) } else { Err(CompileError { diagnostics: all }.into()) }
}

fn of_finding(finding: &cube_backend_interp::Finding) -> Diagnostic {
    let times = if finding.count > 1 { format!(" (found {} times)", finding.count) } else { String::new() };
    let (why, location) = (&finding.why, &finding.at);
    let message = match finding.kind {
        FindingKind::Bounds => diagnostic!(CUBE0710.found { why, location, times }),
        FindingKind::Races => diagnostic!(CUBE0711.found { why, location, times }),
        FindingKind::Uninit => diagnostic!(CUBE0712.found { why, location, times }),
        FindingKind::Ub => diagnostic!(CUBE0713.found { why, location, times }),
        FindingKind::Barriers => diagnostic!(CUBE0714.found { why, location, times }),
    };
    let mut diagnostic = at(&finding.site, message, Severity::Error);
    if let Some((unit, site)) = &finding.other {
        let note = match unit {
            Some(unit) if finding.kind == FindingKind::Barriers => diagnostic!(CUBE0714.elsewhere { unit }),
            Some(unit) => diagnostic!(CUBE0711.unordered { unit }),
            None => diagnostic!(CUBE0712.source),
        };
        diagnostic.notes.push(at(site, note.note(), Severity::Note));
    }
    diagnostic
}
