//! One compilation: parse, choose the kernel, run the phases, emit.
use crate::{
    BACKENDS, Pipeline, backend_of,
    open::{Prepared, facts, open, parse},
    pipeline::options_for,
    reports::Reporter,
    stage_file, support,
    watch::{Unwatched, Watch, Watched},
    words_of_rust,
};
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Diagnostic, Place, Severity, Target};
use cube_backend::{Backend, Form};
use cube_ir::{Level, Session, SessionError, TextModule, on_deep_stack};
use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

/// The compiler in process. Each thread that uses it keeps a context of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Driver;

/// Size and time of one phase.
#[derive(Clone, Debug)]
pub struct PhaseReport {
    /// The phase, or `parse`, or `emit`.
    pub name: &'static str,
    /// Operations after it; for `emit`, bytes of code.
    pub size: usize,
    /// Time it took.
    pub time: Duration,
    /// Operations, values and blocks that Cube's passes looked at: their work, which does not depend on the machine. 0 in
    /// release builds.
    pub work: u64,
}

/// What a compilation did.
#[derive(Clone, Debug, Default)]
pub struct CompileReport {
    /// The phases in order.
    pub phases: Vec<PhaseReport>,
}

// MLIR never frees the types and attributes of a context, so it is given up after this many kernels.
const KERNELS_A_CONTEXT: u32 = 256;

thread_local!(static SESSION: RefCell<Option<(Session, u32)>> = const { RefCell::new(None) });

// The context of this thread, on a stack with room for the recursion of MLIR and LLVM.
pub(crate) fn with_session<T>(body: impl FnOnce(&Session) -> Result<T, SessionError>) -> Result<T, SessionError> {
    crate::register();
    let kept = SESSION.take().filter(|(_, used)| *used < KERNELS_A_CONTEXT);
    let compiled = on_deep_stack(|| {
        let (session, used) = kept.unwrap_or_else(|| (Session::new(), 0));
        let result = body(&session);
        (result, (session, used + 1))
    });
    let (result, session) = compiled.map_err(|e| {
        SessionError::new(
            "CUBE0108",
            format!("the system grants no stack to compile on ({e}); allow the process more memory or threads"),
        )
    })?;
    SESSION.set(Some(session));
    result
}

/// Diagnostics of the compiler as the runtime side knows them.
pub fn to_error(error: SessionError) -> CompileError {
    fn convert(d: cube_ir::Diagnostic) -> Diagnostic {
        Diagnostic {
            severity: match d.severity {
                cube_ir::Severity::Error => Severity::Error,
                cube_ir::Severity::Warning => Severity::Warning,
                cube_ir::Severity::Remark => Severity::Remark,
                cube_ir::Severity::Note => Severity::Note,
            },
            code: d.code,
            message: d.message,
            place: d.place.map(|p| Place { file: p.file, line: p.line, column: p.column }),
            notes: d.notes.into_iter().map(convert).collect(),
        }
    }
    let mut diagnostics: Vec<Diagnostic> = error.diagnostics.into_iter().map(convert).collect();
    diagnostics.iter_mut().for_each(|diagnostic| words_of_rust::speak(diagnostic, false));
    CompileError { diagnostics }
}

impl Driver {
    /// Compiles and says what each phase did.
    ///
    /// # Errors
    /// Everything that is wrong with the source, target or options.
    pub fn compile_with_report(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, CompileReport), CompileError> {
        self.compile_watched(source, target, options, &mut Unwatched)
    }

    /// As [`Driver::compile_with_report`], with every pass shown to `watch`.
    ///
    /// # Errors
    /// As for compiling.
    pub fn compile_watched(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        watch: &mut dyn Watch,
    ) -> Result<(Artifact, CompileReport), CompileError> {
        with_session(|session| compile(session, source, target, options, watch)).map_err(to_error)
    }

    /// Code in another form than the artifact's: LLVM IR or assembly, as text; every pass is shown to `watch`.
    ///
    /// # Errors
    /// As for compiling.
    pub fn emit_text(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        form: Form,
        watch: &mut dyn Watch,
    ) -> Result<Vec<u8>, CompileError> {
        with_session(|session| {
            let backend = backend_of(target)?.0;
            has_form(backend, form)?;
            let pipeline = Pipeline::asked(target, options)?;
            let mut prepared = open(session, source, &pipeline, options)?;
            run_phases(session, &mut prepared, &pipeline, options, watch)?;
            Ok(backend.emit(&prepared.module, &pipeline.target.chip, form)?.code)
        })
        .map_err(to_error)
    }

    /// Runs the phases up to and with `to`, and prints the module; every pass is shown to `watch`.
    ///
    /// # Errors
    /// As for compiling.
    pub fn compile_to(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
        to: &str,
        watch: &mut dyn Watch,
    ) -> Result<String, CompileError> {
        with_session(|session| {
            let pipeline = Pipeline::asked(target, options)?;
            let phases = pipeline.part(None, Some(to))?;
            let mut prepared = open(session, source, &pipeline, options)?;
            let part = Pipeline { target: pipeline.target, phases };
            run_phases(session, &mut prepared, &part, options, watch)?;
            Ok(prepared.module.print())
        })
        .map_err(to_error)
    }
}

impl Compiler for Driver {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compile_told(source, target, options).map(|(artifact, _)| artifact)
    }

    fn compile_told(
        &self,
        source: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, String), CompileError> {
        if options.reports.is_empty() {
            return self.compile_with_report(source, target, options).map(|(artifact, _)| (artifact, String::new()));
        }
        let instance = Some(options.reports.instance.as_str()).filter(|instance| !instance.is_empty());
        let title = format!("{} for {target}", instance.or(options.file_name.as_deref()).unwrap_or("<input>"));
        let mut reporter = Reporter::new(&options.reports, &title)?;
        let compiled = self.compile_watched(source, target, options, &mut reporter);
        let told = reporter.finish();
        compiled.and_then(|(artifact, _)| Ok((artifact, told?)))
    }
}

/// Whether a backend makes this form of code.
pub(crate) fn has_form(backend: &dyn Backend, form: Form) -> Result<(), SessionError> {
    if backend.forms().contains(&form) {
        return Ok(());
    }
    let forms: Vec<&str> = backend.forms().iter().map(|form| form.name()).collect();
    let (target, form, forms) = (backend.name(), form.name(), forms.join(", "));
    Err(SessionError::new("CUBE0508", format!("target {target} has no form {form} of its code; it has {forms}")))
}

fn compile(
    session: &Session,
    source: &[u8],
    target: &Target,
    options: &CompileOptions,
    watch: &mut dyn Watch,
) -> Result<(Artifact, CompileReport), SessionError> {
    let start = Instant::now();
    let backend = backend_of(target)?.0;
    let pipeline = Pipeline::asked(target, options)?;
    let chip = pipeline.target.chip.clone();
    let mut prepared = open(session, source, &pipeline, options)?;
    let size = prepared.module.op().walk().len();
    prepared.report.phases.push(PhaseReport { name: "parse", size, time: start.elapsed(), work: 0 });
    run_phases(session, &mut prepared, &pipeline, options, watch)?;
    watch.emitting(&|form| {
        has_form(backend, form)?;
        backend.emit(&prepared.module, &chip, form).map(|emitted| emitted.code)
    });
    let (start, views) = (Instant::now(), cube_ir::views());
    let emitted = backend.emit(&prepared.module, &chip, Form::Code)?;
    let work = cube_ir::views() - views;
    prepared.report.phases.push(PhaseReport { name: "emit", size: emitted.code.len(), time: start.elapsed(), work });
    let facts = prepared
        .facts
        .ok_or_else(|| SessionError::new("CUBE0398", "the pipeline has no phase that leaves level flat"))?;
    let target = Target { backend: backend.name().into(), chip: Some(chip) };
    let artifact = facts.artifact(target, emitted);
    watch.done(&artifact);
    Ok((artifact, prepared.report))
}

pub(crate) fn run_phases<'s>(
    session: &'s Session,
    prepared: &mut Prepared<'s>,
    pipeline: &Pipeline,
    options: &CompileOptions,
    watch: &mut dyn Watch,
) -> Result<(), SessionError> {
    let edited = prepared.passes > 0;
    let mut steps =
        Steps { session, target: &pipeline.target.backend, params: params_text(&options.params)?, watch, edited };
    steps.start(prepared)?;
    let mut before = 0;
    for phase in &pipeline.phases {
        let (start, views) = (Instant::now(), cube_ir::views());
        let (first, end) = (before, before + phase.steps.len());
        before = end;
        if prepared.passes > end {
            continue;
        }
        if cfg!(debug_assertions) || steps.watch.each_pass() || prepared.passes > first {
            steps.run(prepared, phase, first)?;
        } else {
            prepared.module.run(&Pipeline::text(&[*phase], &steps.params))?;
        }
        if phase.leaves == Level::Flat {
            prepared.facts = Some(facts(&prepared.module)?);
        }
        if phase.leaves == Level::Legal
            && let Some(backend) = BACKENDS.iter().find(|b| b.name() == pipeline.target.backend)
        {
            support::check(&prepared.module, *backend, &pipeline.target)?;
        }
        let size = prepared.module.op().walk().len();
        let work = cube_ir::views() - views;
        prepared.report.phases.push(PhaseReport { name: phase.name, size, time: start.elapsed(), work });
    }
    Ok(())
}

/// A pipeline one step at a time, for who watches.
struct Steps<'a, 's> {
    session: &'s Session,
    target: &'a str,
    params: String,
    watch: &'a mut dyn Watch,
    /// Whether somebody other than a pass has written the module.
    edited: bool,
}

impl<'s> Steps<'_, 's> {
    fn start(&mut self, prepared: &mut Prepared<'s>) -> Result<(), SessionError> {
        let parse = Watched { ends_phase: true, ..Watched::new("parse", "parse", "") };
        self.watch.start(&parse, &prepared.module);
        self.replace(prepared, &parse)
    }

    // In debug builds with the contract of the level checked wherever a pass leaves one.
    fn run(
        &mut self,
        prepared: &mut Prepared<'s>,
        phase: &crate::PipelinePhase,
        first: usize,
    ) -> Result<(), SessionError> {
        for (number, step) in (first + 1..).zip(phase.steps).skip(prepared.passes.saturating_sub(first)) {
            let pipeline = step.pipeline(&options_for(step, &self.params));
            let ends_phase = number == first + phase.steps.len();
            let mut watched = Watched { ends_phase, ..Watched::new(phase.name, step.name(), &pipeline) };
            self.watch.before(&watched);
            let result = prepared.module.run(&pipeline);
            if self.watch.each_pass() {
                watched.header = self.header(prepared, &watched, phase, number);
            }
            self.watch.after(&watched, &prepared.module, result.as_ref().err());
            result?;
            self.replace(prepared, &watched)?;
            let leaves = if step.leaves() == Level::Lowered { Level::Any } else { step.leaves() };
            check(&mut prepared.module, leaves, cfg!(debug_assertions))?;
        }
        // Passes are trusted to leave what they say, in builds that are not for debugging; people are not.
        check(&mut prepared.module, phase.leaves, cfg!(debug_assertions) || self.edited)
    }

    // A kernel says itself what a launch needs until it is at level legal.
    fn header(&self, prepared: &Prepared<'_>, step: &Watched<'_>, phase: &crate::PipelinePhase, n: usize) -> String {
        let own = phase.leaves == Level::Flat;
        let facts = prepared.facts.as_ref().filter(|_| !own);
        stage_file::header(n, step.pass, step.phase, self.target, facts)
    }

    fn replace(&mut self, prepared: &mut Prepared<'s>, step: &Watched<'_>) -> Result<(), SessionError> {
        let Some(instead) = self.watch.instead(step) else { return Ok(()) };
        prepared.module = parse(self.session, instead.text.as_bytes(), &instead.file)?;
        self.edited = true;
        self.watch.replaced(step, &prepared.module);
        Ok(())
    }
}

fn check(module: &mut TextModule<'_>, level: Level, really: bool) -> Result<(), SessionError> {
    if !really || level == Level::Any {
        return Ok(());
    }
    module.run(&format!("builtin.module(check-level{{level={}}})", level.name())).map(drop)
}

/// The comptime parameters of a request, as `specialize` takes them.
pub(crate) fn options(request: &CompileOptions) -> Result<String, SessionError> {
    params_text(&request.params)
}

// `N=8,F=f16` from names and values; a value may carry its type, which the kernel's declaration repeats.
fn params_text(params: &[(String, String)]) -> Result<String, SessionError> {
    let made_of = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let mut parts = Vec::new();
    for (name, value) in params {
        let plain = value.split(" :").next().unwrap_or("").trim();
        // A type may be a line: vector<4xf32>.
        if !made_of(name, "_.+-") || !made_of(plain, "_.+-<>") {
            return Err(SessionError::new(
                "CUBE0506",
                format!(
                    "comptime parameter {name}={value} is not NAME=VALUE with a number, true, false or a type for a value"
                ),
            ));
        }
        parts.push(format!("{name}={plain}"));
    }
    Ok(parts.join(","))
}
