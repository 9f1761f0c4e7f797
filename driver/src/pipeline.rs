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
    /// The target's name.
    pub target: String,
    /// The phases.
    pub phases: Vec<PipelinePhase>,
}

impl Pipeline {
    /// The pipeline of a backend.
    pub fn of(backend: &'static dyn Backend) -> Self {
        let common =
            COMMON.iter().map(|p| PipelinePhase { name: p.name, summary: p.summary, leaves: p.leaves, steps: p.steps });
        let lower = PipelinePhase {
            name: "lower",
            summary: "from legal kernels to functions of the LLVM dialect",
            leaves: Level::Lowered,
            steps: backend.lower(),
        };
        Pipeline { target: backend.name().into(), phases: common.chain([lower]).collect() }
    }

    /// The pipeline of a backend for a request: another one where a debugger is to follow the code.
    pub fn asked(backend: &'static dyn Backend, options: &CompileOptions) -> Self {
        if options.debug { crate::debug::pipeline(backend) } else { Self::of(backend) }
    }

    /// The pipeline of a target.
    ///
    /// # Errors
    /// An unknown target.
    pub fn for_target(target: &Target) -> Result<Self, SessionError> {
        Ok(Self::of(crate::backend_of(target)?.0))
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

    /// The pipeline in MLIR's syntax; `params` are given to `specialize`.
    pub fn text(phases: &[PipelinePhase], params: &str) -> String {
        let inner = |step: &Step| {
            let whole = step.pipeline(options_for(step, params).as_str());
            whole["builtin.module(".len()..whole.len() - 1].to_string()
        };
        let all: Vec<String> = phases.iter().flat_map(|p| p.steps.iter()).map(inner).collect();
        format!("builtin.module({})", all.join(","))
    }

    /// The pipeline as a person reads it: a line a step with its reason.
    pub fn describe(&self) -> String {
        let mut text = format!("pipeline of target {}\n", self.target);
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

/// Options that a step gets from the request.
pub(crate) fn options_for(step: &Step, params: &str) -> String {
    match step.name() {
        "specialize" if !params.is_empty() => format!("params={params}"),
        "attach-debug-info" => crate::debug::folder(),
        _ => String::new(),
    }
}
