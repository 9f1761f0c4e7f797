//! Reads a source or a stage file: parses it, attaches the chip's description, and chooses the kernel.
use crate::{Pipeline, launch_info::LaunchInfo, stage_file, times::CompileReport};
use cube_artifact::CompileOptions;
use cube_dialect::{kernels_of, ops};
use cube_ir::{OwnedModule, Session, SessionError};
use cube_passes::specialize::attach_target;

/// The state of a compilation: a kernel between two phases, with its launch properties.
pub struct CompileState<'s> {
    /// The module, which contains exactly one kernel.
    pub module: OwnedModule<'s>,
    /// Sizes and times of the completed phases.
    pub report: CompileReport,
    pub(crate) launch_info: Option<LaunchInfo>,
    /// Number of passes that ran before the stage file was written; 0 for a source.
    pub(crate) passes: usize,
}

/// Reads a source or a stage file, and attaches the description of the pipeline's chip.
pub(crate) fn open<'s>(
    session: &'s Session,
    source: &[u8],
    pipeline: &Pipeline,
    options: &CompileOptions,
) -> Result<CompileState<'s>, SessionError> {
    let state = read(session, source, pipeline, options)?;
    attach(&state.module, &pipeline.target)?;
    Ok(state)
}

/// Reads a source like [`open`], but accepts and keeps the description of another chip.
pub(crate) fn read<'s>(
    session: &'s Session,
    source: &[u8],
    pipeline: &Pipeline,
    options: &CompileOptions,
) -> Result<CompileState<'s>, SessionError> {
    let name = options.file_name.as_deref().unwrap_or("<input>");
    let Some(stage) = stage_file::read(source, pipeline, name)? else {
        let state = prepare(parse_for(session, source, name, options)?, options)?;
        crate::lanes::check(&state.module)?;
        crate::written::check(&state.module)?;
        return Ok(state);
    };
    let module = parse_for(session, source, name, options)?;
    // After `emit-unit-loops` the module has a function instead of a kernel. The launch properties are then only in the
    // header of the file.
    let mut state = match &stage.launch {
        Some(_) if kernels_of(module.op()).is_empty() => {
            CompileState { module, report: CompileReport::default(), launch_info: None, passes: 0 }
        }
        _ => prepare(module, options)?,
    };
    state.launch_info = stage.launch.map(LaunchInfo::from);
    state.passes = stage.passes;
    Ok(state)
}

// Attaches the description of the chip, which passes read from the module.
fn attach(module: &OwnedModule<'_>, target: &cube_target::Target) -> Result<(), SessionError> {
    attach_target::attach(module.op(), target).map(drop).map_err(|other| SessionError::at(module.op(), other))
}

// Keeps only the chosen kernel and the functions that it can call.
pub(crate) fn prepare<'s>(
    mut module: OwnedModule<'s>,
    options: &CompileOptions,
) -> Result<CompileState<'s>, SessionError> {
    let names: Vec<String> = kernels_of(module.op()).iter().map(|k| k.name().to_string()).collect();
    let chosen = match (&options.kernel, names.as_slice()) {
        (_, []) => return Err(SessionError::from(cube_ir::diagnostic!(CUBE0503.none))),
        (Some(name), _) if names.contains(name) => name.clone(),
        (Some(name), _) => {
            let hint = cube_backend::suggestion(name, names.iter().map(String::as_str))
                .map(|s| format!("; did you mean {s}?"))
                .unwrap_or_default();
            return Err(SessionError::from(
                cube_ir::diagnostic!(CUBE0504.unknown { name, known: names.join(", "), hint }),
            ));
        }
        (None, [only]) => only.clone(),
        (None, _) => {
            return Err(SessionError::from(
                cube_ir::diagnostic!(CUBE0505.several { count: names.len(), known: names.join(", ") }),
            ));
        }
    };
    module.retain(|op| ops::Kernel::of(op).is_none_or(|k| k.name() == chosen));
    Ok(CompileState { module, report: CompileReport::default(), launch_info: None, passes: 0 })
}

// Bytecode is trusted here, because tools first validate untrusted bytecode in a child process.
pub(crate) fn parse<'s>(session: &'s Session, source: &[u8], name: &str) -> Result<OwnedModule<'s>, SessionError> {
    if source.starts_with(b"ML\xefR") { session.parse_unscanned(source, name) } else { session.parse(source, name) }
}

// Parses a source, with the names of values if the compilation is for a debugger.
fn parse_for<'s>(
    session: &'s Session,
    source: &[u8],
    name: &str,
    options: &CompileOptions,
) -> Result<OwnedModule<'s>, SessionError> {
    let module = parse(session, source, name)?;
    if options.debug {
        crate::debug::name_values(&module, source, name);
    }
    Ok(module)
}
