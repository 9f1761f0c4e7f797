//! Reading a source, or a file that was written in the middle of a compilation: parse, describe the chip, choose the kernel.
use crate::{CompileReport, Pipeline, stage_file};
use cube_artifact::{Artifact, CompileOptions, Target};
use cube_backend::{Emitted, Signature, shared_bytes, signature, unit_limit};
use cube_dialect::{kernels_of, ops};
use cube_ir::{Session, SessionError, TextModule};
use cube_passes::specialize::attach_target;

/// A kernel that went through some phases, with what the artifact says of it.
pub struct Prepared<'s> {
    /// The module with the one kernel.
    pub module: TextModule<'s>,
    /// Sizes and times so far.
    pub report: CompileReport,
    pub(crate) facts: Option<Facts>,
    /// Passes that had run before it was written as a file.
    pub(crate) passes: usize,
}

/// The launch side of the artifact, read off the kernel at level flat.
#[derive(Clone)]
pub(crate) struct Facts {
    pub(crate) kernel: String,
    pub(crate) signature: Signature,
    pub(crate) shared_bytes: u32,
    pub(crate) cube_dim: [u32; 3],
    pub(crate) checked: bool,
    pub(crate) unit_limit: Option<u64>,
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

/// Reads a source, or a file that was written in the middle of a compilation, for the chip of the pipeline.
pub(crate) fn open<'s>(
    session: &'s Session,
    source: &[u8],
    pipeline: &Pipeline,
    options: &CompileOptions,
) -> Result<Prepared<'s>, SessionError> {
    let prepared = read(session, source, pipeline, options)?;
    attach(&prepared.module, &pipeline.target)?;
    Ok(prepared)
}

/// As [`open`], but a module that is described for another chip stays so.
pub(crate) fn read<'s>(
    session: &'s Session,
    source: &[u8],
    pipeline: &Pipeline,
    options: &CompileOptions,
) -> Result<Prepared<'s>, SessionError> {
    let name = options.file_name.as_deref().unwrap_or("<input>");
    let Some(stage) = stage_file::read(source, pipeline, name)? else {
        let prepared = prepare(parse_for(session, source, name, options)?, options)?;
        crate::lanes::check(&prepared.module)?;
        return Ok(prepared);
    };
    let module = parse_for(session, source, name, options)?;
    // From units-to-loops on there is a function in the kernel's place, and only the file knows what a launch needs.
    let mut prepared = match &stage.launch {
        Some(_) if kernels_of(module.op()).is_empty() => {
            Prepared { module, report: CompileReport::default(), facts: None, passes: 0 }
        }
        _ => prepare(module, options)?,
    };
    prepared.facts = stage.launch.map(Facts::from);
    prepared.passes = stage.passes;
    Ok(prepared)
}

// Passes read the description of the chip off the module.
fn attach(module: &TextModule<'_>, target: &cube_target::Target) -> Result<(), SessionError> {
    attach_target::attach(module.op(), target).map(drop).map_err(|other| {
        let mut error = SessionError::new("CUBE0350", other);
        error.diagnostics[0].place = cube_ir::place_of(module.op().location());
        error
    })
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
    Ok(Prepared { module, report: CompileReport::default(), facts: None, passes: 0 })
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
