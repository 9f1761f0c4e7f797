//! One compilation: parse, choose the kernel, run the phases, emit.
use crate::{
    BACKENDS, Pipeline, backend_of,
    pipeline::options_for,
    support,
    watch::{Unwatched, Watch, Watched},
};
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Diagnostic, Place, Severity, Target};
use cube_backend::{Emitted, Form, Signature, shared_bytes, signature, unit_limit};
use cube_dialect::{kernels_of, ops};
use cube_ir::{Level, Session, SessionError, TextModule};
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

pub(crate) fn with_session<T>(body: impl FnOnce(&Session) -> T) -> T {
    cube_passes::register();
    let (session, used) =
        SESSION.take().filter(|(_, used)| *used < KERNELS_A_CONTEXT).unwrap_or_else(|| (Session::new(), 0));
    let result = body(&session);
    SESSION.set(Some((session, used + 1)));
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
    CompileError { diagnostics: error.diagnostics.into_iter().map(convert).collect() }
}

/// A kernel that went through some phases, with what the artifact says of it.
pub struct Prepared<'s> {
    /// The module with the one kernel.
    pub module: TextModule<'s>,
    /// Sizes and times so far.
    pub report: CompileReport,
    facts: Option<Facts>,
}

/// The launch side of the artifact, read off the kernel at level flat.
pub(crate) struct Facts {
    kernel: String,
    signature: Signature,
    shared_bytes: u32,
    cube_dim: [u32; 3],
    checked: bool,
    unit_limit: Option<u64>,
}

impl Facts {
    pub(crate) fn artifact(self, target: Target, emitted: Emitted) -> Artifact {
        Artifact {
            entry: self.kernel.clone(),
            kernel: self.kernel,
            target,
            format: emitted.format,
            code: emitted.code,
            params: self.signature.params,
            derived: self.signature.derived,
            info: self.signature.info,
            prints: self.signature.prints,
            cube_dim: self.cube_dim,
            checked: self.checked,
            shared_bytes: self.shared_bytes,
            unit_limit: self.unit_limit,
            features: emitted.features,
            scratch_bytes: emitted.scratch_bytes,
            plane_dim: emitted.plane_dim,
        }
    }
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
        with_session(|session| {
            let name = options.file_name.as_deref().unwrap_or("<input>");
            let start = Instant::now();
            let module = parse_for(session, source, name, options)?;
            compile_module(module, start.elapsed(), target, options, watch)
        })
        .map_err(to_error)
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
            let name = options.file_name.as_deref().unwrap_or("<input>");
            let (backend, chip) = backend_of(target)?;
            let mut prepared = prepare(parse_for(session, source, name, options)?, options)?;
            run_phases(&mut prepared, &Pipeline::asked(backend, options), options, watch)?;
            Ok(backend.emit(&prepared.module, &chip, form)?.code)
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
            let name = options.file_name.as_deref().unwrap_or("<input>");
            let pipeline = Pipeline::asked(backend_of(target)?.0, options);
            let phases = pipeline.part(None, Some(to))?;
            let mut prepared = prepare(parse_for(session, source, name, options)?, options)?;
            run_phases(&mut prepared, &Pipeline { target: pipeline.target.clone(), phases }, options, watch)?;
            Ok(prepared.module.print())
        })
        .map_err(to_error)
    }
}

impl Compiler for Driver {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        self.compile_with_report(source, target, options).map(|(artifact, _)| artifact)
    }
}

// Bytecode is trusted here: tools hand untrusted bytecode to a child first.
pub(crate) fn parse<'s>(session: &'s Session, source: &[u8], name: &str) -> Result<TextModule<'s>, SessionError> {
    if source.starts_with(b"ML\xefR") { session.parse_unscanned(source, name) } else { session.parse(source, name) }
}

// With the names of values, where a debugger is to show them.
fn parse_for<'s>(
    session: &'s Session,
    source: &[u8],
    name: &str,
    options: &CompileOptions,
) -> Result<TextModule<'s>, SessionError> {
    let module = parse(session, source, name)?;
    if options.debug {
        crate::debug::name_values(&module, source, name);
    }
    Ok(module)
}

fn compile_module(
    module: TextModule<'_>,
    parsing: Duration,
    target: &Target,
    options: &CompileOptions,
    watch: &mut dyn Watch,
) -> Result<(Artifact, CompileReport), SessionError> {
    let (backend, chip) = backend_of(target)?;
    let size = module.op().walk().len();
    let mut prepared = prepare(module, options)?;
    prepared.report.phases.push(PhaseReport { name: "parse", size, time: parsing });
    run_phases(&mut prepared, &Pipeline::asked(backend, options), options, watch)?;
    let start = Instant::now();
    let emitted = backend.emit(&prepared.module, &chip, Form::Code)?;
    prepared.report.phases.push(PhaseReport { name: "emit", size: emitted.code.len(), time: start.elapsed() });
    let facts = prepared
        .facts
        .ok_or_else(|| SessionError::new("CUBE0398", "the pipeline has no phase that leaves level flat"))?;
    let target = Target { backend: backend.name().into(), chip: Some(chip) };
    let artifact = facts.artifact(target, emitted);
    Ok((artifact, prepared.report))
}

// Leaves only the chosen kernel and the functions it may call.
pub(crate) fn prepare<'s>(mut module: TextModule<'s>, options: &CompileOptions) -> Result<Prepared<'s>, SessionError> {
    let names: Vec<String> = kernels_of(module.op()).iter().map(|k| k.name().to_string()).collect();
    let chosen = match (&options.kernel, names.as_slice()) {
        (_, []) => return Err(SessionError::new("CUBE0503", "there is no cube.kernel in the module")),
        (Some(name), _) if names.contains(name) => name.clone(),
        (Some(name), _) => {
            let hint = cube_backend::suggestion(name, names.iter().map(String::as_str))
                .map(|s| format!("; did you mean {s}?"))
                .unwrap_or_default();
            return Err(SessionError::new(
                "CUBE0504",
                format!("there is no kernel {name}; kernels are {}{hint}", names.join(", ")),
            ));
        }
        (None, [only]) => only.clone(),
        (None, _) => {
            return Err(SessionError::new(
                "CUBE0505",
                format!("the module has {} kernels; choose one with --kernel: {}", names.len(), names.join(", ")),
            ));
        }
    };
    module.retain(|op| ops::Kernel::of(op).is_none_or(|k| k.name() == chosen));
    Ok(Prepared { module, report: CompileReport::default(), facts: None })
}

fn run_phases(
    prepared: &mut Prepared<'_>,
    pipeline: &Pipeline,
    options: &CompileOptions,
    watch: &mut dyn Watch,
) -> Result<(), SessionError> {
    let params = params_text(&options.params)?;
    watch.start(&prepared.module);
    for phase in &pipeline.phases {
        let start = Instant::now();
        if cfg!(debug_assertions) || watch.each_pass() {
            run_steps(&mut prepared.module, phase, &params, watch)?;
        } else {
            prepared.module.run(&Pipeline::text(&[*phase], &params))?;
        }
        if phase.leaves == Level::Flat {
            prepared.facts = Some(facts(&prepared.module)?);
        }
        if phase.leaves == Level::Legal
            && let Some(backend) = BACKENDS.iter().find(|b| b.name() == pipeline.target)
        {
            support::check(&prepared.module, *backend)?;
        }
        let size = prepared.module.op().walk().len();
        prepared.report.phases.push(PhaseReport { name: phase.name, size, time: start.elapsed() });
    }
    Ok(())
}

// One step at a time; in debug builds with the contract of the level checked wherever a pass leaves one.
fn run_steps(
    module: &mut TextModule<'_>,
    phase: &crate::PipelinePhase,
    params: &str,
    watch: &mut dyn Watch,
) -> Result<(), SessionError> {
    let check = |module: &mut TextModule<'_>, level: Level| {
        let unchecked = !cfg!(debug_assertions) || level == Level::Any;
        if unchecked {
            Ok(())
        } else {
            module.run(&format!("builtin.module(check-level{{level={}}})", level.name())).map(drop)
        }
    };
    for step in phase.steps {
        let pipeline = step.pipeline(&options_for(step, params));
        let watched = Watched { phase: phase.name, pass: step.name(), pipeline: &pipeline };
        watch.before(&watched);
        let result = module.run(&pipeline);
        watch.after(&watched, module, result.as_ref().err());
        result?;
        check(module, if step.leaves() == Level::Lowered { Level::Any } else { step.leaves() })?;
    }
    check(module, phase.leaves)
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

pub(crate) fn facts(module: &TextModule<'_>) -> Result<Facts, SessionError> {
    let kernels = kernels_of(module.op());
    let kernel =
        kernels.first().ok_or_else(|| SessionError::new("CUBE0503", "there is no cube.kernel in the module"))?;
    let facts = kernel.facts();
    let signature = signature(&facts).map_err(|name| {
        SessionError::new("CUBE0507", format!("argument {name} of kernel {} has no type on the host", facts.name))
    })?;
    Ok(Facts {
        kernel: facts.name.to_string(),
        signature,
        shared_bytes: u32::try_from(shared_bytes(&facts)).unwrap_or(u32::MAX),
        cube_dim: facts.cube_dim,
        checked: facts.checked,
        unit_limit: unit_limit(&facts),
    })
}
