//! The pipeline of a target as data: the shared phases, then the backend's phase `lower`. The constructor of a
//! pipeline checks that each step accepts the level of its input.
use cube_artifact::{CompileOptions, Target};
use cube_backend::{Backend, DebugInfo, contract};
use cube_ir::{Level, SessionError};
use cube_passes::{
    order::{self, Reached},
    phases::{COMMON, Phase, Request, Step},
    specialize::{check_size, normalize_wide_loops},
};
use std::{borrow::Cow, fmt::Write};

/// All phases of a target, in order.
#[derive(Clone)]
pub struct Pipeline {
    /// The chip.
    pub target: cube_target::Target,
    /// The phases, with the steps for normal or debug compilation.
    pub phases: Vec<Phase>,
    pub(crate) backend: &'static dyn Backend,
}

impl Pipeline {
    /// Creates the pipeline of a backend for a chip. With `debug`, the pipeline preserves the debug information that
    /// the backend supports.
    ///
    /// # Errors
    /// CUBE0360: a step does not accept the level of its input. CUBE0361: a phase does not produce its declared
    /// level. CUBE0363: a level of the target has no contract. All pipeline errors are faults of the backend,
    /// independent of the kernel.
    pub fn of(backend: &'static dyn Backend, target: cube_target::Target, debug: bool) -> Result<Self, SessionError> {
        let produces = backend.produces();
        let summary = match produces {
            Level::Llvm => "from legal kernels to functions of the LLVM dialect",
            _ => "from legal kernels to the input of the code generator",
        };
        let steps = Cow::Borrowed(backend.lower(&target));
        let lower = Phase { name: "lower", summary, produces, steps };
        let debug = if debug { backend.debug_info() } else { DebugInfo::None };
        let phases = COMMON.iter().chain([&lower]).map(|phase| phase.variant(debug)).collect();
        let pipeline = Pipeline { phases, target, backend };
        pipeline.check().map(|()| pipeline)
    }

    // Each step must accept the level that the preceding steps produce. Each phase must produce the level that it
    // declares.
    fn check(&self) -> Result<(), SessionError> {
        let name = self.target.name();
        let mut reached = Reached::input(Level::Source);
        for phase in &self.phases {
            reached = order::follow(&phase.steps, reached).map_err(|wrong| {
                SessionError::from(cube_ir::diagnostic!(CUBE0360.order { phase: phase.name, target: name, why: wrong }))
            })?;
            if reached.level != phase.produces {
                let (declared, phase, found) = (phase.produces.name(), phase.name, reached.level.name());
                return Err(SessionError::from(
                    cube_ir::diagnostic!(CUBE0361.level { phase, target: name, declared, found }),
                ));
            }
        }
        let lower = self.phases.iter().flat_map(|phase| phase.steps.iter()).map(Step::produces);
        let without = |level: &Level| *level != Level::Any && contract(self.backend, *level).is_none();
        match lower.into_iter().find(without) {
            None => Ok(()),
            Some(level) => {
                let (level, backend) = (level.name(), self.backend.name());
                Err(SessionError::from(cube_ir::diagnostic!(CUBE0363.contract { target: name, level, backend })))
            }
        }
    }

    /// The pipeline of a target with the given compile options.
    ///
    /// # Errors
    /// An unknown target.
    pub fn requested(target: &Target, options: &CompileOptions) -> Result<Self, SessionError> {
        let (backend, target) = crate::backend_of(target)?;
        Self::of(backend, target, options.debug)
    }

    /// The pipeline of a target for a compilation without debug information.
    ///
    /// # Errors
    /// An unknown target.
    pub fn for_target(target: &Target) -> Result<Self, SessionError> {
        let (backend, target) = crate::backend_of(target)?;
        Self::of(backend, target, false)
    }

    /// The names of the phases, which are the same for all targets.
    pub fn phase_names() -> impl Iterator<Item = &'static str> {
        COMMON.iter().map(|phase| phase.name).chain(["lower"])
    }

    /// The name of the first phase that produces `level`.
    pub fn phase_to(&self, level: Level) -> Option<&'static str> {
        self.phases.iter().find(|phase| phase.produces == level).map(|phase| phase.name)
    }

    /// The number of steps in the phases that all targets share.
    pub(crate) fn shared_steps(&self) -> usize {
        self.phases.iter().take(COMMON.len()).map(|phase| phase.steps.len()).sum()
    }

    /// The level of a module after the first `passes` steps of the pipeline.
    pub(crate) fn level_after(&self, passes: usize) -> Level {
        let steps = self.phases.iter().flat_map(|phase| phase.steps.iter()).take(passes);
        steps.map(Step::produces).filter(|level| *level != Level::Any).last().unwrap_or(Level::Source)
    }

    /// The pipeline without the phases after `to`.
    ///
    /// # Errors
    /// An unknown phase.
    pub(crate) fn until(self, to: &str) -> Result<Self, SessionError> {
        Ok(Pipeline { phases: self.part(None, Some(to))?, ..self })
    }

    /// The phases after `from` (from the start if `None`) up to and including phase `to` (to the end if `None`). The
    /// input of a partial pipeline that starts after the first phase is a user's text. A partial pipeline that starts
    /// after the first phase begins with additional passes, which refuse or rewrite the constructs that only the first
    /// phase handles.
    ///
    /// # Errors
    /// An unknown phase.
    pub fn part(&self, from: Option<&str>, to: Option<&str>) -> Result<Vec<Phase>, SessionError> {
        let position = |name: &str| {
            self.phases.iter().position(|p| p.name == name).ok_or_else(|| {
                let known: Vec<&str> = self.phases.iter().map(|p| p.name).collect();
                let hint = cube_backend::suggestion(name, known.iter().copied())
                    .map(|s| format!("; did you mean {s}?"))
                    .unwrap_or_default();
                SessionError::from(cube_ir::diagnostic!(CUBE0502.unknown { name, known: known.join(", "), hint }))
            })
        };
        let start = from.map(position).transpose()?.map_or(0, |p| p + 1);
        let end = to.map(position).transpose()?.map_or(self.phases.len(), |p| p + 1);
        let mut part = self.phases.get(start..end).map(<[_]>::to_vec).unwrap_or_default();
        if let Some((before, first)) = start.checked_sub(1).map(|at| self.phases[at].produces).zip(part.first_mut()) {
            let guarded = guards(before).chain(first.steps.iter().copied()).collect();
            first.steps = Cow::Owned(guarded);
        }
        Ok(part)
    }

    /// Phases of this pipeline in MLIR's pipeline syntax, with the option values of `request`. If the crate
    /// `cube-target` describes the chip, the text first attaches this description.
    pub fn whole_text(&self, phases: &[Phase], request: &Request) -> String {
        let cube_target::Target { backend, chip, .. } = &self.target;
        let known = cube_target::Target::known(backend, chip).is_some_and(|known| known == self.target);
        let attach = known.then(|| format!("attach-target{{target={backend}:{chip}}}"));
        Self::join(attach.into_iter().chain(inner(phases, request)))
    }

    /// Phases in MLIR's pipeline syntax, for a module that already has a chip description.
    pub fn text(phases: &[Phase], request: &Request) -> String {
        Self::join(inner(phases, request))
    }

    fn join(passes: impl Iterator<Item = String>) -> String {
        format!("builtin.module({})", passes.collect::<Vec<_>>().join(","))
    }

    /// A listing of the pipeline for users: one line per step, with the step's reason.
    pub fn describe(&self) -> String {
        let mut text = format!("pipeline of target {}\n", self.target.name());
        for phase in &self.phases {
            let _ =
                writeln!(text, "\nphase {}: {} (produces level {})", phase.name, phase.summary, phase.produces.name());
            for step in phase.steps.iter() {
                let options = if step.options.is_empty() { String::new() } else { format!("{{{}}}", step.options) };
                let _ = writeln!(text, "  {:30} {}", format!("{}{options}", step.name()), step.why);
            }
        }
        text
    }
}

/// The additional steps for an input at `level`, which has not run through the first phase. These steps run before the
/// remaining pipeline.
fn guards(level: Level) -> impl Iterator<Item = Step> {
    use cube_passes::phases::step;
    let size = step(&check_size::PASS, "resumed=true", "a phase did not necessarily write the text");
    let loops = step(&normalize_wide_loops::PASS, "", "the text can have loops that upstream misreads");
    // After legalize, upstream's steps handle all loops, and the operations that this pass emits have been lowered.
    let loops = [loops].into_iter().filter(move |_| level <= Level::Flat);
    [size].into_iter().chain(loops)
}

/// The passes of the phases, each in the syntax of an MLIR module pipeline.
fn inner(phases: &[Phase], request: &Request) -> impl Iterator<Item = String> {
    phases.iter().flat_map(|p| p.steps.iter()).map(move |step| step.nested(request))
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "level_tests.rs"]
mod level_tests;
