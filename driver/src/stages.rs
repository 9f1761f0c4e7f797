//! A compilation one pass at a time, for those who look at the module in between: the interpreter and its bisection.
use crate::compile::{options, with_session};
use crate::open::{facts, open, read};
use crate::{Pipeline, pipeline::options_for, to_error};
use cube_artifact::{Artifact, CodeFormat, CompileError, CompileOptions, Target};
use cube_backend::Emitted;
use cube_dialect::{kernels_of, ops};
use cube_ir::{Level, TextModule};
use std::ops::ControlFlow;

/// A point of a compilation: before the first pass, or after a pass.
pub struct Stage<'a, 's> {
    /// Passes that have run: 0 for a source as it was read.
    pub number: usize,
    /// The phase of the pass; `parse` before the first.
    pub phase: &'static str,
    /// The pass, or `parse`.
    pub pass: &'static str,
    /// The pass as a pipeline on a module; empty before the first.
    pub pipeline: String,
    /// The level that the module is at.
    pub level: Level,
    /// Whether this is the last pass of the phase that leaves the level.
    pub ends_phase: bool,
    /// The module, with the one kernel that was asked for.
    pub module: &'a TextModule<'s>,
}

impl<'s> Stage<'_, 's> {
    /// The kernel.
    pub fn kernel(&self) -> Option<ops::Kernel<'_>> {
        kernels_of(self.module.op()).into_iter().next()
    }
}

/// Compiles for `target` up to code generation and shows `visit` every stage; `Break` ends the compilation.
///
/// # Errors
/// As for compiling.
pub fn stages(
    source: &[u8],
    target: &Target,
    request: &CompileOptions,
    visit: &mut dyn FnMut(&Stage<'_, '_>) -> ControlFlow<()>,
) -> Result<(), CompileError> {
    with_session(|session| {
        let pipeline = Pipeline::for_target(target)?;
        let opened = open(session, source, &pipeline, request)?;
        let (mut module, passes) = (opened.module, opened.passes);
        let params = options(request)?;
        let phases = pipeline.phases;
        let steps = || phases.iter().flat_map(|phase| phase.steps);
        let mut level =
            steps().take(passes).map(|s| s.leaves()).filter(|l| *l != Level::Any).last().unwrap_or(Level::Source);
        let mut number = 0;
        let start = Stage {
            number: passes,
            phase: "parse",
            pass: "parse",
            pipeline: String::new(),
            level,
            ends_phase: true,
            module: &module,
        };
        if visit(&start).is_break() {
            return Ok(());
        }
        for phase in &phases {
            for (index, step) in phase.steps.iter().enumerate() {
                if number < passes {
                    number += 1;
                    continue;
                }
                let pipeline = step.pipeline(&options_for(step, &params));
                module.run(&pipeline)?;
                number += 1;
                if step.leaves() != Level::Any {
                    level = step.leaves();
                }
                let ends_phase = index + 1 == phase.steps.len();
                let (phase, pass) = (phase.name, step.name());
                let stage = Stage { number, phase, pass, pipeline, level, ends_phase, module: &module };
                if visit(&stage).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
    .map_err(to_error)
}

/// What a launch needs to know of a kernel, as an artifact without code: for who runs the kernel without compiling it.
///
/// # Errors
/// As for compiling.
pub fn describe(source: &[u8], target: &str, request: &CompileOptions) -> Result<Artifact, CompileError> {
    with_session(|session| {
        let pipeline = Pipeline::for_target(&Target::cpu())?;
        let mut opened = read(session, source, &pipeline, request)?;
        let phases = pipeline.part(None, Some("layout"))?;
        if opened.passes == 0 {
            opened.module.run(&Pipeline::text(&phases, &options(request)?))?;
        }
        let facts = match opened.facts {
            Some(facts) => facts,
            None => facts(&opened.module)?,
        };
        let target = Target { backend: target.into(), chip: None };
        Ok(facts.artifact(target, Emitted::new(vec![], CodeFormat::ElfObject)))
    })
    .map_err(to_error)
}
