//! Reading a source, or a file that was written in the middle of a compilation: parse, describe the chip, choose the kernel.
use crate::{Pipeline, facts::Facts, stage_file, times::CompileReport};
use cube_artifact::CompileOptions;
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
    // From emit-unit-loops on there is a function in the kernel's place, and only the file knows what a launch needs.
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
    attach_target::attach(module.op(), target).map(drop).map_err(|other| SessionError::at(module.op(), other))
}

// Leaves only the chosen kernel and the functions it may call.
pub(crate) fn prepare<'s>(mut module: TextModule<'s>, options: &CompileOptions) -> Result<Prepared<'s>, SessionError> {
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
