//! Instrumentation of a pipeline run: dumps, reports, bisection, checks and times implement one trait.
use cube_artifact::{Artifact, Diagnostic};
use cube_backend::OutputForm;
use cube_ir::{Level, OwnedModule, SessionError};
use cube_passes::phases::{Phase, Step};
use std::ops::ControlFlow;

/// Description of one pass in a pipeline run.
#[derive(Clone)]
pub struct PassInfo<'a> {
    /// The number of completed passes, including this pass. Before the first pass of a source, no pass has
    /// completed, so the number is 0. If the input is a stage file, earlier passes have completed, so the number is
    /// larger.
    pub number: usize,
    /// Name of the phase; `parse` before the first pass.
    pub phase: &'a str,
    /// Name of the pass; `parse` before the first pass.
    pub pass: &'a str,
    /// The pipeline step of the pass; `None` before the first step, and for a pass of a user's pipeline.
    pub step: Option<&'a Step>,
    /// The pass as the text of an MLIR module pipeline; empty before the first pass.
    pub pipeline: &'a str,
    /// The level that the pass produces; `Any` in a user's pipeline.
    pub level: Level,
    /// Whether the pass is the last of its phase.
    pub ends_phase: bool,
    /// The stage-file header for the module after the pass; empty if a compilation cannot resume after the pass.
    pub header: String,
}

impl<'a> PassInfo<'a> {
    /// Describes a pass of a user's pipeline.
    pub fn new(phase: &'a str, pass: &'a str, pipeline: &'a str) -> Self {
        let (level, header) = (Level::Any, String::new());
        PassInfo { number: 0, phase, pass, step: None, pipeline, level, ends_phase: false, header }
    }

    /// Describes the state before the first pass: a module at `level`, after `number` passes of an earlier
    /// compilation.
    pub fn start(number: usize, level: Level) -> Self {
        PassInfo { number, level, ends_phase: true, ..Self::new("parse", "parse", "") }
    }
}

/// A user's module that replaces the output of a pass.
pub struct Replacement {
    /// Path of the replacement module's file, for messages.
    pub file: String,
    /// The module.
    pub text: String,
}

/// Emits the module's code in a requested output form.
pub type Emit<'a> = &'a dyn Fn(OutputForm) -> Result<Vec<u8>, SessionError>;

/// Hooks that the runner calls, declared in the order of their calls. If no instrumentation requires passes one at a
/// time ([`PassInstrumentation::each_pass`]), the runner runs each phase as one pipeline, and calls the hooks only for
/// the last pass of the phase.
pub trait PassInstrumentation {
    /// Whether the runner must run passes one at a time.
    fn each_pass(&self) -> bool {
        true
    }

    /// Called before the first pass; `Break` ends the run.
    fn start(&mut self, _info: &PassInfo<'_>, _module: &OwnedModule<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called before a phase with at least one remaining pass. If the last completed pass ends a phase, the
    /// hook is also called for this phase.
    fn phase_starts(&mut self, _phase: &Phase) {}

    /// Called before a pass. A pass can crash the process, so a hook should write its output before it
    /// returns.
    fn before(&mut self, _info: &PassInfo<'_>) {}

    /// Called after a pass that failed.
    fn failed(&mut self, _info: &PassInfo<'_>, _module: &OwnedModule<'_>, _error: &SessionError) {}

    /// Called after a pass; `Break` ends the run.
    fn after(&mut self, _info: &PassInfo<'_>, _module: &OwnedModule<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The module, if any, that replaces the current module after a pass or after parsing.
    fn replacement(&mut self, _info: &PassInfo<'_>) -> Option<Replacement> {
        None
    }

    /// Called after the runner has read a replacement module.
    fn replaced(&mut self, _info: &PassInfo<'_>, _module: &OwnedModule<'_>) {}

    /// Checks the module against the contract of the level that the pass produces.
    ///
    /// # Errors
    /// The violated rule. If the hook returns an error, the run ends with this error.
    fn check(&mut self, _info: &PassInfo<'_>, _module: &OwnedModule<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// Called after the last pass of a phase.
    ///
    /// # Errors
    /// The module contains an operation that is not allowed at the level that the phase produces. If the hook
    /// returns an error, the run ends with this error.
    fn phase_ends(&mut self, _phase: &Phase, _module: &OwnedModule<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// Called after the last pass, before code generation.
    fn emitting(&mut self, _emit: Emit<'_>) {}

    /// Called with a warning about the compiled kernel, after code generation.
    fn warned(&mut self, _warning: &Diagnostic) {}

    /// Called after the run.
    fn done(&mut self, _artifact: &Artifact) {}
}

/// Combines two instrumentations of one run. For each event, the runner calls the first instrumentation
/// before the second.
pub struct CombinedInstrumentation<'a>(pub &'a mut dyn PassInstrumentation, pub &'a mut dyn PassInstrumentation);

impl PassInstrumentation for CombinedInstrumentation<'_> {
    fn each_pass(&self) -> bool {
        self.0.each_pass() || self.1.each_pass()
    }

    fn start(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        self.0.start(info, module)?;
        self.1.start(info, module)
    }

    fn phase_starts(&mut self, phase: &Phase) {
        self.0.phase_starts(phase);
        self.1.phase_starts(phase);
    }

    fn before(&mut self, info: &PassInfo<'_>) {
        self.0.before(info);
        self.1.before(info);
    }

    fn failed(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>, error: &SessionError) {
        self.0.failed(info, module, error);
        self.1.failed(info, module, error);
    }

    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        self.0.after(info, module)?;
        self.1.after(info, module)
    }

    fn replacement(&mut self, info: &PassInfo<'_>) -> Option<Replacement> {
        self.0.replacement(info).or_else(|| self.1.replacement(info))
    }

    fn replaced(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) {
        self.0.replaced(info, module);
        self.1.replaced(info, module);
    }

    fn check(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        self.0.check(info, module)?;
        self.1.check(info, module)
    }

    fn phase_ends(&mut self, phase: &Phase, module: &OwnedModule<'_>) -> Result<(), SessionError> {
        self.0.phase_ends(phase, module)?;
        self.1.phase_ends(phase, module)
    }

    fn emitting(&mut self, emit: Emit<'_>) {
        self.0.emitting(emit);
        self.1.emitting(emit);
    }

    fn warned(&mut self, warning: &Diagnostic) {
        self.0.warned(warning);
        self.1.warned(warning);
    }

    fn done(&mut self, artifact: &Artifact) {
        self.0.done(artifact);
        self.1.done(artifact);
    }
}

/// An instrumentation without hooks.
pub struct NoInstrumentation;

impl PassInstrumentation for NoInstrumentation {
    fn each_pass(&self) -> bool {
        false
    }
}
