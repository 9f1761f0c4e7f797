//! The pipeline of a target as data: the shared phases, then the backend's `lower`.
use cube_artifact::{CompileOptions, Target};
use cube_backend::Backend;
use cube_ir::{Level, SessionError};
use cube_passes::phases::{COMMON, Step};
use std::fmt::Write;

/// One phase with its steps.
#[derive(Clone, Copy)]
pub struct PipelinePhase {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The level it leaves.
    pub leaves: Level,
    /// Its steps.
    pub steps: &'static [Step],
}

/// All phases of a target, in order.
#[derive(Clone)]
pub struct Pipeline {
    /// The chip.
    pub target: cube_target::Target,
    /// The phases.
    pub phases: Vec<PipelinePhase>,
}

impl Pipeline {
    /// The pipeline of a backend for a chip.
    pub fn of(backend: &'static dyn Backend, target: cube_target::Target) -> Self {
        let common =
            COMMON.iter().map(|p| PipelinePhase { name: p.name, summary: p.summary, leaves: p.leaves, steps: p.steps });
        let leaves = backend.leaves();
        let summary = match leaves {
            Level::Lowered => "from legal kernels to functions of the LLVM dialect",
            _ => "from legal kernels to what the target's code is written from",
        };
        let lower = PipelinePhase { name: "lower", summary, leaves, steps: backend.lower(&target) };
        Pipeline { phases: common.chain([lower]).collect(), target }
    }

    /// The pipeline of a backend for a request: another one where a debugger is to follow the code.
    ///
    /// # Errors
    /// An unknown target.
    pub fn asked(target: &Target, options: &CompileOptions) -> Result<Self, SessionError> {
        let (backend, target) = crate::backend_of(target)?;
        Ok(if options.debug { crate::debug::pipeline(backend, target) } else { Self::of(backend, target) })
    }

    /// The pipeline of a target.
    ///
    /// # Errors
    /// An unknown target.
    pub fn for_target(target: &Target) -> Result<Self, SessionError> {
        let (backend, target) = crate::backend_of(target)?;
        Ok(Self::of(backend, target))
    }

    /// The part after phase `from` (all, when `None`) up to and with phase `to` (to the end, when `None`).
    ///
    /// # Errors
    /// An unknown phase.
    pub fn part(&self, from: Option<&str>, to: Option<&str>) -> Result<Vec<PipelinePhase>, SessionError> {
        let position = |name: &str| {
            self.phases.iter().position(|p| p.name == name).ok_or_else(|| {
                let known: Vec<&str> = self.phases.iter().map(|p| p.name).collect();
                let hint = cube_backend::suggestion(name, known.iter().copied())
                    .map(|s| format!("; did you mean {s}?"))
                    .unwrap_or_default();
                SessionError::new(
                    "CUBE0502",
                    format!("there is no phase {name}; phases are {}{hint}", known.join(", ")),
                )
            })
        };
        let start = from.map(position).transpose()?.map_or(0, |p| p + 1);
        let end = to.map(position).transpose()?.map_or(self.phases.len(), |p| p + 1);
        Ok(self.phases.get(start..end).map(<[_]>::to_vec).unwrap_or_default())
    }

    /// A part of this pipeline in MLIR's syntax; `params` are given to `specialize`. It begins with the description of the chip,
    /// where that is one of the crate `cube-target`.
    pub fn whole_text(&self, phases: &[PipelinePhase], params: &str) -> String {
        let cube_target::Target { backend, chip, .. } = &self.target;
        let known = cube_target::Target::known(backend, chip).is_some_and(|known| known == self.target);
        let attach = known.then(|| format!("attach-target{{target={backend}:{chip}}}"));
        Self::join(attach.into_iter().chain(inner(phases, params)))
    }

    /// Phases in MLIR's syntax, for a module that carries the description of its chip.
    pub fn text(phases: &[PipelinePhase], params: &str) -> String {
        Self::join(inner(phases, params))
    }

    fn join(passes: impl Iterator<Item = String>) -> String {
        format!("builtin.module({})", passes.collect::<Vec<_>>().join(","))
    }

    /// The pipeline as a person reads it: a line a step with its reason.
    pub fn describe(&self) -> String {
        let mut text = format!("pipeline of target {}\n", self.target.name());
        for phase in &self.phases {
            let _ = writeln!(text, "\nphase {}: {} (leaves level {})", phase.name, phase.summary, phase.leaves.name());
            for step in phase.steps {
                let options = if step.options.is_empty() { String::new() } else { format!("{{{}}}", step.options) };
                let _ = writeln!(text, "  {:30} {}", format!("{}{options}", step.name()), step.why);
            }
        }
        text
    }
}

/// The passes of phases, each as it stands in a module's pipeline.
fn inner(phases: &[PipelinePhase], params: &str) -> impl Iterator<Item = String> {
    phases.iter().flat_map(|p| p.steps.iter()).map(move |step| {
        let whole = step.pipeline(options_for(step, params).as_str());
        whole["builtin.module(".len()..whole.len() - 1].to_string()
    })
}

/// Options that a step gets from the request.
pub(crate) fn options_for(step: &Step, params: &str) -> String {
    match step.name() {
        "specialize" if !params.is_empty() => format!("params={params}"),
        "attach-debug-info" => crate::debug::folder(),
        _ => String::new(),
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
