//! One compilation: parses the source, chooses the kernel, runs the phases, and emits code.
use crate::{
    Pipeline, backend_of,
    instrumentation::{CombinedInstrumentation, NoInstrumentation, PassInstrumentation},
    open::open,
    reports::Reporter,
    runner::run_phases,
    support,
    times::{CompileReport, PhaseReport},
};
use cube_artifact::cost::Profile;
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Diagnostic, Severity, Target};
use cube_backend::{Backend, OutputForm};
use cube_ir::{Session, SessionError, on_deep_stack};
use cube_passes::phases::Request;
use std::{cell::RefCell, ops::ControlFlow, time::Instant};

/// The compiler, called within the current process. Each thread has its own MLIR context.
#[derive(Clone, Copy, Debug, Default)]
pub struct Driver;

// The maximum number of kernels that are compiled in one context. MLIR frees the types and attributes of a context only
// together with the context.
const KERNELS_A_CONTEXT: u32 = 256;

thread_local!(static SESSION: RefCell<Option<(Session, u32)>> = const { RefCell::new(None) });

// The context of this thread, on a stack that is large enough for the recursion of MLIR and LLVM.
pub(crate) fn with_session<T>(body: impl FnOnce(&Session) -> Result<T, SessionError>) -> Result<T, SessionError> {
    crate::register();
    let kept = SESSION.take().filter(|(_, used)| *used < KERNELS_A_CONTEXT);
    let compiled = on_deep_stack(|| {
        let (session, used) = kept.unwrap_or_else(|| (Session::new(), 0));
        let result = body(&session);
        // The next compilation in this context sets its own limit.
        session.request_remarks(None);
        (result, (session, used + 1))
    });
    let (result, session) =
        compiled.map_err(|e| SessionError::from(cube_ir::diagnostic!(CUBE0108.stack { error: e })))?;
    SESSION.set(Some(session));
    result
}

/// Converts an error of a session to an error of the artifact interface.
pub fn to_error(error: SessionError) -> CompileError {
    CompileError { diagnostics: error.diagnostics }
}

impl Driver {
    /// Compiles a kernel, and returns the size and time of each phase.
    ///
    /// # Errors
    /// Errors in the source, target or options.
    pub fn compile_with_report(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, CompileReport), CompileError> {
        self.compile_instrumented(source, target, options, &mut NoInstrumentation)
    }

    /// Compiles like [`Driver::compile_with_report`], and calls `instrumentation` for every pass.
    ///
    /// # Errors
    /// Returns the errors of [`Driver::compile_with_report`].
    pub fn compile_instrumented(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        instrumentation: &mut dyn PassInstrumentation,
    ) -> Result<(Artifact, CompileReport), CompileError> {
        with_session(|session| compile(session, source, target, options, instrumentation)).map_err(to_error)
    }

    /// Emits the kernel's code as text, for example LLVM IR or assembly. `instrumentation` are called for every pass.
    ///
    /// # Errors
    /// Returns the errors of [`Driver::compile_with_report`].
    pub fn emit_text(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        form: OutputForm,
        instrumentation: &mut dyn PassInstrumentation,
    ) -> Result<Vec<u8>, CompileError> {
        with_session(|session| {
            let backend = backend_of(target)?.0;
            has_form(backend, form)?;
            let pipeline = Pipeline::requested(target, options)?;
            let mut state = open(session, source, &pipeline, options)?;
            to_the_end(run_phases(session, &mut state, &pipeline, &request_of(options)?, instrumentation)?)?;
            Ok(backend.emit(&state.module, &pipeline.target.chip, form)?.code)
        })
        .map_err(to_error)
    }

    /// Runs the phases up to and including the phase `to`, and prints the module. `instrumentation` are called for
    /// every pass.
    ///
    /// # Errors
    /// Returns the errors of [`Driver::compile_with_report`].
    pub fn compile_to(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        to: &str,
        instrumentation: &mut dyn PassInstrumentation,
    ) -> Result<String, CompileError> {
        with_session(|session| {
            let pipeline = Pipeline::requested(target, options)?;
            let part = pipeline.clone().until(to)?;
            let mut state = open(session, source, &pipeline, options)?;
            to_the_end(run_phases(session, &mut state, &part, &request_of(options)?, instrumentation)?)?;
            Ok(state.module.print())
        })
        .map_err(to_error)
    }
}

impl Compiler for Driver {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compile_and_report(source, target, options).map(|(artifact, _)| artifact)
    }

    fn compile_and_report(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, String), CompileError> {
        self.compile_and_report_with(source, target, options, &mut NoInstrumentation)
    }

    fn profile(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Option<Profile>, CompileError> {
        self.profile_only(source, target, options)
    }
}

impl Driver {
    /// Compiles with the reports that `options` request, and calls `instrumentation` for every pass. The result contains the
    /// artifact and the report text.
    ///
    /// # Errors
    /// The compilation fails, or a report cannot be written.
    pub fn compile_and_report_with(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        instrumentation: &mut dyn PassInstrumentation,
    ) -> Result<(Artifact, String), CompileError> {
        if options.reports.is_empty() {
            let compiled = self.compile_instrumented(source, target, options, instrumentation);
            return compiled.map(|(artifact, _)| (artifact, String::new()));
        }
        let instance = Some(options.reports.instance.as_str()).filter(|instance| !instance.is_empty());
        let title = format!("{} for {target}", instance.or(options.file_name.as_deref()).unwrap_or("<input>"));
        let mut reporter = Reporter::new(&options.reports, &title)?;
        let compiled = self.compile_instrumented(
            source,
            target,
            options,
            &mut CombinedInstrumentation(&mut reporter, instrumentation),
        );
        let report = reporter.finish();
        compiled.and_then(|(artifact, _)| Ok((artifact, report?)))
    }
}

// Converts the result of a run: an error if a hook ended the run before code generation.
pub(crate) fn to_the_end(ran: ControlFlow<()>) -> Result<(), SessionError> {
    match ran {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(SessionError::from(cube_ir::diagnostic!(CUBE0364.ended))),
    }
}

/// Checks that a backend supports the output form `form`.
pub(crate) fn has_form(backend: &dyn Backend, form: OutputForm) -> Result<(), SessionError> {
    if backend.forms().contains(&form) {
        return Ok(());
    }
    let forms: Vec<&str> = backend.forms().iter().map(|form| form.name()).collect();
    let (target, form, forms) = (backend.name(), form.name(), forms.join(", "));
    Err(SessionError::from(cube_ir::diagnostic!(CUBE0508.form { target, form, forms })))
}

pub(crate) fn compile(
    session: &Session,
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
    instrumentation: &mut dyn PassInstrumentation,
) -> Result<(Artifact, CompileReport), SessionError> {
    let start = Instant::now();
    let backend = backend_of(target)?.0;
    let pipeline = Pipeline::requested(target, options)?;
    let chip = pipeline.target.chip.clone();
    let mut state = open(session, source, &pipeline, options)?;
    let size = state.module.op().walk().len();
    state.report.phases.push(PhaseReport { name: "parse", size, time: start.elapsed(), work: 0 });
    to_the_end(run_phases(session, &mut state, &pipeline, &request_of(options)?, instrumentation)?)?;
    instrumentation.emitting(&|form| {
        has_form(backend, form)?;
        backend.emit(&state.module, &chip, form).map(|emitted| emitted.code)
    });
    let (start, views) = (Instant::now(), cube_ir::views());
    // Drops earlier warnings, because a report can already have emitted the same code.
    cube_backend_llvm::take_warnings();
    let emitted = backend.emit(&state.module, &chip, OutputForm::Code)?;
    for text in cube_backend_llvm::take_warnings() {
        instrumentation.warned(&Diagnostic::new(Severity::Warning, format!("LLVM: {text}"), None));
    }
    let work = cube_ir::views() - views;
    state.report.phases.push(PhaseReport { name: "emit", size: emitted.code.len(), time: start.elapsed(), work });
    let launch = state.launch_info.ok_or_else(|| SessionError::from(cube_ir::diagnostic!(CUBE0398.no_flat_phase)))?;
    let target = Target { backend: backend.name().into(), chip: Some(chip) };
    let artifact = launch.artifact(target, emitted);
    let warnings = support::warnings(&state.module, artifact.shared_bytes, &pipeline.target);
    warnings.iter().for_each(|warning| instrumentation.warned(warning));
    instrumentation.done(&artifact);
    Ok((artifact, state.report))
}

/// Converts the compile options that passes use to a [`Request`].
pub(crate) fn request_of(options: &CompileOptions) -> Result<Request, SessionError> {
    let folder = if options.debug { options.folder.as_str() } else { "" };
    Ok(Request { params: params_text(&options.params)?, folder: folder.into() })
}

// Formats names and values as `N=8,F=f16`. A value can contain a type, which is removed, because the kernel declares
// the type of each parameter.
fn params_text(params: &[(String, String)]) -> Result<String, SessionError> {
    let made_of = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let mut parts = Vec::new();
    for (name, value) in params {
        let plain = value.split(" :").next().unwrap_or("").trim();
        // The type of a line: vector<4xf32>.
        if !made_of(name, "_.+-") || !made_of(plain, "_.+-<>") {
            return Err(SessionError::from(cube_ir::diagnostic!(CUBE0506.parameter { name, value })));
        }
        parts.push(format!("{name}={plain}"));
    }
    Ok(parts.join(","))
}
