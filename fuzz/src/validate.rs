//! Translation validation: the interpreter's result must be equal before and after every single pass.
use crate::kernels::Kernel;
use cube_artifact::{CompileOptions, Target};
use cube_backend::Backend;
use cube_backend_interp::{Arg, Fault, Find, Judge, Options, Program, Schedule, Verdict, run};
use cube_driver::{Stage, stages};
use std::ops::ControlFlow;

/// The arguments of the launch.
pub(crate) fn arguments(kernel: &Kernel) -> Vec<Arg> {
    let buffer = |data: &crate::kernels::Data| match data.shape {
        Some([rows, columns]) => Arg::Tensor {
            bytes: data.bytes.clone(),
            initialised: true,
            shape: vec![rows, columns],
            strides: vec![columns, 1],
        },
        None => Arg::Buffer { bytes: data.bytes.clone(), initialised: true },
    };
    let scalars = kernel.scalars.iter().map(|s| Arg::Scalar(u64::from(*s)));
    kernel.buffers.iter().map(buffer).chain(scalars).collect()
}

/// Runs a kernel once; returns the arguments after the run.
pub(crate) fn execute_with(
    program: &Program,
    kernel: &Kernel,
    schedule: Schedule,
    plane_dim: u32,
) -> Result<Vec<Arg>, String> {
    let mut args = arguments(kernel);
    let options = Options { find: Find::FAULTS, max_steps: 1 << 26, plane_dim, schedule, ..Options::default() };
    let outcome = run(program, &mut args, [kernel.cubes, 1, 1], &options).map_err(|f| f.to_string())?;
    match outcome.findings.first() {
        Some(finding) => Err(format!("a finding in a kernel without faults: {finding}")),
        None => Ok(args),
    }
}

pub(crate) fn difference(before: &[Arg], after: &[Arg]) -> Option<String> {
    for (number, (one, other)) in before.iter().zip(after).enumerate() {
        let (Some(one), Some(other)) = (one.bytes(), other.bytes()) else { continue };
        if let Some(at) = one.iter().zip(other).position(|(a, b)| a != b) {
            return Some(format!("byte {at} of argument {number} is {:#04x} instead of {:#04x}", other[at], one[at]));
        }
    }
    None
}

/// A changed result, and the pass that changed it.
#[derive(Clone, Debug)]
pub struct Change {
    pub pass: &'static str,
    pub number: usize,
    /// The difference.
    pub what: String,
    /// The module before the pass.
    pub before: String,
    /// The module after the pass.
    pub after: String,
}

/// The results of [`walk`].
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Number of passes after which the kernel's result was compared.
    pub passes: usize,
    /// The passes after which the interpreter did not support an operation, each with the interpreter's
    /// message.
    pub not_interpreted: Vec<(&'static str, String)>,
    /// The first pass that changed the result.
    pub change: Option<Change>,
}

/// A launch for [`walk`].
pub struct Launch<'a> {
    /// The module.
    pub text: &'a str,
    /// The arguments of the launch.
    pub args: Vec<Arg>,
    /// Cubes along x.
    pub cubes: u32,
    /// Number of units of a plane, for the stages before the CPU's lowering fixes the number.
    pub plane_dim: u32,
    /// If the seed is given, each stage runs its units in a different random order. Results must not depend
    /// on the order of the units.
    pub seed: Option<u64>,
}

/// The first phase that depends on the target.
const LOWER: &str = "lower";

/// The default number of units of a plane on the processor.
fn processor_plane() -> u32 {
    cube_target::Target::promised(cube_backend_cpu::Cpu.name(), None).planes.width
}

/// Runs a kernel after every pass of the CPU's pipeline, and compares each result with the previous result. `alter` can
/// change the module first, and ends the walk by `Break`. In the phase `lower`, the walk skips a stage that the
/// interpreter does not support, and compares the next supported stage.
///
/// # Errors
/// The kernel does not compile or run, or has a fault. Before the phase `lower`, an operation that the
/// interpreter does not support is an error too.
pub fn walk(launch: &Launch<'_>, alter: &mut dyn FnMut(&Stage<'_, '_>) -> ControlFlow<()>) -> Result<Walk, String> {
    let mut walker = Walker::new(launch);
    let request = CompileOptions::default();
    let visited = stages(launch.text.as_bytes(), &Target::cpu(), &request, &mut |stage| {
        if alter(stage).is_break() {
            return ControlFlow::Break(());
        }
        walker.stage(stage)
    });
    match (visited, walker.failure) {
        (Err(error), _) => Err(error.to_string()),
        (_, Some(why)) => Err(why),
        _ => Ok(walker.done),
    }
}

/// The state of a validation while passes run.
struct Walker {
    seed: Option<u64>,
    /// Checks stages up to level legal, with the plane size of the launch.
    levels: Judge,
    /// Checks the stages of the phase `lower`, with the plane size of the processor. The reference is the result of
    /// the kernel at level legal.
    lowering: Judge,
    before: String,
    done: Walk,
    failure: Option<String>,
}

impl Walker {
    fn new(launch: &Launch<'_>) -> Walker {
        let options = |plane_dim| Options { find: Find::FAULTS, max_steps: 1 << 26, plane_dim, ..Options::default() };
        let judge = |plane_dim| Judge::new(launch.args.clone(), [launch.cubes, 1, 1], options(plane_dim), &[]);
        Walker {
            seed: launch.seed,
            levels: judge(launch.plane_dim),
            lowering: judge(processor_plane()),
            before: String::new(),
            done: Walk::default(),
            failure: None,
        }
    }

    fn stage(&mut self, stage: &Stage<'_, '_>) -> ControlFlow<()> {
        let judge = if stage.phase == LOWER { &mut self.lowering } else { &mut self.levels };
        judge.schedule(match self.seed {
            Some(seed) if stage.number > 0 => Schedule::Shuffled(seed + stage.number as u64),
            _ => Schedule::InOrder,
        });
        match judge.stage(stage.pass, stage.module.op()) {
            Ok(Verdict::NotInterpreted(why)) if stage.phase == LOWER => {
                self.done.not_interpreted.push((stage.pass, why.message));
                return ControlFlow::Continue(());
            }
            verdict => self.note(stage, verdict),
        }
        if self.failure.is_some() || self.done.change.is_some() {
            return ControlFlow::Break(());
        }
        if stage.phase == "legalize" && stage.ends_phase {
            let first = self.lowering.stage(stage.pass, stage.module.op());
            self.failure = first.err().map(|fault| fault.to_string());
        }
        self.before = stage.module.print();
        self.done.passes += usize::from(stage.number > 0);
        ControlFlow::Continue(())
    }

    fn note(&mut self, stage: &Stage<'_, '_>, verdict: Result<Verdict, Fault>) {
        match verdict {
            Err(fault) => self.failure = Some(fault.to_string()),
            Ok(Verdict::Reference(outcome)) => {
                self.failure = outcome.findings.first().map(|finding| format!("a finding: {finding}"))
            }
            Ok(Verdict::Same | Verdict::Within) => {}
            Ok(Verdict::NotInterpreted(why)) => self.failure = Some(format!("after {}: {}", stage.pass, why.message)),
            Ok(Verdict::Differs(what)) => {
                let (before, after) = (self.before.clone(), stage.module.print());
                self.done.change = Some(Change { pass: stage.pass, number: stage.number, what, before, after });
            }
        }
    }
}

/// Runs the kernel after every pass and compares the results; returns statistics.
///
/// # Errors
/// The first pass that changes the result, or an error of the compilation or the run.
pub fn validate(kernel: &Kernel, seed: u64) -> Result<Walk, String> {
    let args = arguments(kernel);
    let (cubes, plane_dim) = (kernel.cubes, kernel.plane_dim);
    let launch = Launch { text: &kernel.text, args, cubes, plane_dim, seed: Some(seed) };
    let walk = walk(&launch, &mut |_| ControlFlow::Continue(())).map_err(|why| format!("{why}\n{}", kernel.text))?;
    match &walk.change {
        None => Ok(walk),
        Some(change) => Err(format!(
            "pass {} ({}) changes the result: {}; not interpreted: {:?}\n{}\n// after\n{}",
            change.number, change.pass, change.what, walk.not_interpreted, change.before, change.after
        )),
    }
}
