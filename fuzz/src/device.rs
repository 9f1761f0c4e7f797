//! Checks one pass of a GPU's pipeline with the interpreter. The check compares the source kernel with the module after
//! the pass and after each phase up to level legal. The check can also insert a bug in the output of the
//! pass, to test that the check detects the bug.
use crate::mutate::{Bug, mutate, mutate_module};
use cube_artifact::{CompileOptions, Target};
use cube_backend_interp::{Arg, Find, Options, Program, Schedule, run};
use cube_dialect::{kernels_of, ops::Kernel};
use cube_driver::stages;
use cube_ir::{OwnedModule, Session};
use std::ops::ControlFlow;

/// A launch: the arguments, and the cubes along each axis.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The arguments.
    pub args: Vec<Arg>,
    /// Cubes along x, y, z.
    pub cubes: [u32; 3],
    /// The sizes of the launch as text, for a report.
    pub name: String,
}

/// A kernel, and the launches that test it.
pub struct Case<'a> {
    /// The pass under test.
    pub pass: &'a str,
    /// The kernel.
    pub text: &'a str,
    pub launches: &'a [Launch],
    /// The classes of interpreter findings that make a launch fail.
    pub find: Find,
    /// Seed of the order in which units run.
    pub seed: u64,
}

#[derive(Default)]
pub struct RunResults {
    /// Whether the pass changed the kernel.
    pub changed: bool,
    /// Whether the check inserted a bug in the output of the pass.
    pub bug_inserted: bool,
    /// The first wrong result of a launch as text, with the pass that produced this result.
    pub wrong: Option<String>,
}

fn interpreted(case: &Case<'_>, kernel: Option<Kernel<'_>>, launch: &Launch) -> Result<Vec<Vec<u8>>, String> {
    let program = Program::decode(kernel.ok_or("the module has lost its kernel")?, &[]).map_err(|d| d.message)?;
    let mut args = launch.args.clone();
    let schedule = Schedule::Shuffled(case.seed);
    let options = Options { find: case.find, max_steps: 1 << 22, schedule, ..Options::default() };
    let outcome = run(&program, &mut args, launch.cubes, &options).map_err(|fault| fault.to_string())?;
    match outcome.findings.first() {
        Some(finding) => Err(format!("a finding: {finding}")),
        None => Ok(args.iter().filter_map(|arg| arg.bytes().map(<[u8]>::to_vec)).collect()),
    }
}

/// Compiles for the default NVIDIA chip, and compares the results before and after the pass and after each
/// phase. `broken` inserts a bug in the output of the pass.
///
/// # Panics
/// The kernel does not compile, or a launch of the source kernel has a fault.
pub fn check_pipeline(case: &Case<'_>, broken: Option<(Bug, usize)>) -> RunResults {
    let (mut seen, mut before, mut first) = (RunResults::default(), String::new(), Vec::new());
    let target = Target { backend: "nvptx".into(), chip: None };
    let visited = stages(case.text.as_bytes(), &target, &CompileOptions::default(), &mut |stage| {
        if stage.phase == "lower" || stage.phase == "emit" {
            return ControlFlow::Break(());
        }
        let now = stage.module.print();
        let own = stage.pass == case.pass;
        if own {
            seen.changed = now != before;
            seen.bug_inserted = broken.is_some_and(|(how, site)| seen.changed && mutate(stage, how, site));
        }
        let is_compared = stage.number == 0 || own && seen.changed || stage.ends_phase && broken.is_none();
        if is_compared {
            let results: Vec<_> =
                case.launches.iter().map(|launch| interpreted(case, stage.kernel(), launch)).collect();
            if first.is_empty() {
                first = results;
            } else if let Some(at) = first.iter().zip(&results).position(|(a, b)| a != b) {
                let (launch, a, b) = (&case.launches[at].name, &first[at], &results[at]);
                let (text, after) = (case.text, stage.module.print());
                seen.wrong = Some(format!("{}: launch {launch}: {a:?}, then {b:?}\n{text}\n{after}", stage.pass));
                return ControlFlow::Break(());
            }
        }
        before = now;
        let done = broken.is_some() && own;
        if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    visited.unwrap_or_else(|why| panic!("seed {}: {why}\n{}", case.seed, case.text));
    let faults = first.iter().filter_map(|result| result.as_ref().err()).next();
    assert!(faults.is_none(), "seed {}: the kernel as written: {faults:?}\n{}", case.seed, case.text);
    seen
}

/// Runs only the pass under test with `options`, after passes that simplify the kernel.
///
/// # Panics
/// Fails under the same conditions as [`check_pipeline`].
pub fn check_pass(case: &Case<'_>, options: &str, broken: Option<(Bug, usize)>) -> RunResults {
    check_pass_on(None, case, options, broken)
}

/// [`check_pass`] for a target.
///
/// # Panics
/// Fails under the same conditions as [`check_pipeline`].
pub fn check_pass_on(target: Option<&str>, case: &Case<'_>, options: &str, broken: Option<(Bug, usize)>) -> RunResults {
    cube_driver::register();
    let session = Session::new();
    let failed = |what: &str| -> ! { panic!("seed {}: {what}\n{}", case.seed, case.text) };
    let Ok(mut module) = session.parse(case.text.as_bytes(), "kernel.mlir") else { failed("it cannot be read") };
    let results = |module: &OwnedModule<'_>| -> Vec<_> {
        let kernel = kernels_of(module.op()).into_iter().next();
        case.launches.iter().map(|launch| interpreted(case, kernel, launch)).collect()
    };
    let first = results(&module);
    if let Some(fault) = first.iter().find_map(|result| result.as_ref().err()) {
        failed(fault);
    }
    let mut seen = RunResults::default();
    let before = "simplify-indices,remove-checks,canonicalize,cse";
    let attach = target.map(|target| format!("attach-target{{target={target}}},")).unwrap_or_default();
    for (attach, passes) in [(attach.as_str(), before), ("", &format!("{}{{{options}}}", case.pass))] {
        let text = module.print();
        if module.run(&format!("builtin.module({attach}cube.kernel({passes}))")).is_err() {
            failed(passes);
        }
        seen.changed = text != module.print();
    }
    seen.bug_inserted = broken.is_some_and(|(how, site)| seen.changed && mutate_module(module.op(), how, site));
    let after = results(&module);
    if let Some(at) = first.iter().zip(&after).position(|(a, b)| a != b) {
        let (launch, a, b) = (&case.launches[at].name, &first[at], &after[at]);
        seen.wrong = Some(format!("launch {launch}: {a:?}, then {b:?}\n{}\n{}", case.text, module.print()));
    }
    seen
}
