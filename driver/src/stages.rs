//! Runs a compilation one pass at a time, for tools that read the module between passes: the interpreter and its
//! bisection.
use crate::{
    BACKENDS, Pipeline,
    compile::{compile, request_of, with_session},
    instrumentation::{NoInstrumentation, PassInfo, PassInstrumentation},
    launch_info::launch_info,
    open::{open, read},
    runner::run_phases,
    to_error,
};
use cube_artifact::{Artifact, CodeFormat, CompileError, CompileOptions, Target};
use cube_backend::Emitted;
use cube_dialect::{kernels_of, ops};
use cube_ir::{Level, OwnedModule, Pass};
use std::ops::ControlFlow;

/// The state of a compilation before the first pass or after a pass.
pub struct Stage<'a, 's> {
    /// Number of passes that have run; 0 before the first pass of a source.
    pub number: usize,
    /// Name of the pass's phase; `parse` before the first pass.
    pub phase: &'static str,
    /// Name of the pass; `parse` before the first pass.
    pub pass: &'static str,
    /// The pass as the text of an MLIR module pipeline; empty before the first pass.
    pub pipeline: String,
    /// The current level of the module.
    pub level: Level,
    /// Whether the pass is the last pass of its phase.
    pub ends_phase: bool,
    /// The module, which contains only the requested kernel.
    pub module: &'a OwnedModule<'s>,
    /// Whether the pass belongs to the backend's phase `lower`.
    pub lowers: bool,
    own: Option<&'static Pass>,
}

impl<'s> Stage<'_, 's> {
    /// The kernel; `None` if a pass has replaced the kernel by a function.
    pub fn kernel(&self) -> Option<ops::Kernel<'_>> {
        kernels_of(self.module.op()).into_iter().next()
    }

    /// Whether the stage directly follows the pass `pass`.
    pub fn is_after(&self, pass: &Pass) -> bool {
        self.own.is_some_and(|own| std::ptr::eq(own, pass))
    }
}

/// Instrumentation that passes each stage of a run to a visitor function.
struct Visit<'a, 'v> {
    pipeline: &'a Pipeline,
    visit: &'v mut dyn FnMut(&Stage<'_, '_>) -> ControlFlow<()>,
}

impl PassInstrumentation for Visit<'_, '_> {
    fn start(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        self.after(info, module)
    }

    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        let phase = self.pipeline.phases.iter().find(|phase| phase.name == info.phase);
        (self.visit)(&Stage {
            number: info.number,
            phase: phase.map_or("parse", |phase| phase.name),
            pass: info.step.map_or("parse", |step| step.name()),
            pipeline: info.pipeline.into(),
            level: info.level,
            ends_phase: info.ends_phase,
            module,
            lowers: info.number > self.pipeline.shared_steps(),
            own: info.step.and_then(|step| step.own()),
        })
    }
}

/// Compiles for `target` up to code generation, and calls `visit` for every stage; `Break` ends the compilation.
///
/// # Errors
/// The errors of a compilation.
pub fn stages(
    source: &[u8],
    target: &Target,
    request: &CompileOptions,
    visit: &mut dyn FnMut(&Stage<'_, '_>) -> ControlFlow<()>,
) -> Result<(), CompileError> {
    with_session(|session| {
        let pipeline = Pipeline::requested(target, request)?;
        let mut opened = open(session, source, &pipeline, request)?;
        let mut visit = Visit { pipeline: &pipeline, visit };
        run_phases(session, &mut opened, &pipeline, &request_of(request)?, &mut visit).map(drop)
    })
    .map_err(to_error)
}

/// Compiles for `target`, calls `visit` for every stage, and returns the artifact; `None` if `visit` ended the
/// compilation. The artifact equals the artifact that [`Driver`](crate::Driver) compiles.
///
/// # Errors
/// The errors of a compilation.
pub fn compile_in_stages(
    source: &[u8],
    target: &Target,
    request: &CompileOptions,
    visit: &mut dyn FnMut(&Stage<'_, '_>) -> ControlFlow<()>,
) -> Result<Option<Artifact>, CompileError> {
    let mut ended = false;
    let mut visit = |stage: &Stage<'_, '_>| {
        let next = visit(stage);
        ended |= next.is_break();
        next
    };
    let compiled = with_session(|session| {
        let pipeline = Pipeline::requested(target, request)?;
        let mut visit = Visit { pipeline: &pipeline, visit: &mut visit };
        compile(session, source, target, request, &mut visit)
    });
    match compiled {
        Err(_) if ended => Ok(None),
        compiled => compiled.map(|(artifact, _)| Some(artifact)).map_err(to_error),
    }
}

/// The launch properties of a kernel on `target`, as an artifact without code, for a tool that does not compile the
/// kernel. The pipeline is that of the target. A device without a backend, such as the interpreter, has the pipeline of
/// the CPU. If the source is a stage file, the passes read the chip from the file.
///
/// # Errors
/// The errors of a compilation.
pub fn describe(source: &[u8], target: &str, request: &CompileOptions) -> Result<Artifact, CompileError> {
    with_session(|session| {
        let target = target.parse().unwrap_or_else(|_| Target { backend: target.into(), chip: None });
        let compiles = BACKENDS.iter().any(|backend| backend.name() == target.backend);
        let cpu = Target::cpu();
        let pipeline = Pipeline::for_target(if compiles { &target } else { &cpu })?;
        let mut opened = read(session, source, &pipeline, request)?;
        let last = pipeline.phase_to(Level::Flat).ok_or_else(|| cube_ir::diagnostic!(CUBE0398.no_flat_phase))?;
        let part = pipeline.until(last)?;
        run_phases(session, &mut opened, &part, &request_of(request)?, &mut NoInstrumentation).map(drop)?;
        // A stage file after level flat has its own properties.
        let facts = opened.launch_info.map_or_else(|| launch_info(&opened.module), Ok)?;
        Ok(facts.artifact(target, Emitted::new(vec![], CodeFormat::ELF_OBJECT)))
    })
    .map_err(to_error)
}
