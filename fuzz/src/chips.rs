//! Legalises one kernel for the description of a chip, and compares the legal kernel with the source kernel. The
//! chip does not need a backend.
use crate::judge::{Data, compare_all, interpreted};
use cube_backend_interp::Program;
use cube_dialect::{kernels_of, ops, set_target};
use cube_ir::ops::arith::FastMathFlags;
use cube_ir::{OwnedModule, Session, SessionError};
use cube_target::Target;
use std::collections::HashSet;

/// The phases that turn a source kernel into a kernel at level legal.
const PHASES: &str = "builtin.module(phase-specialize,phase-layout,phase-optimize,phase-legalize)";

fn kernel<'a>(module: &'a OwnedModule<'_>) -> Result<ops::Kernel<'a>, String> {
    kernels_of(module.op()).into_iter().next().ok_or_else(|| "no kernel is left".into())
}

fn program(module: &OwnedModule<'_>) -> Result<Program, String> {
    Program::decode(kernel(module)?, &[]).map_err(|d| d.message)
}

/// The names and result types of the operations after `text` is legalised for `target`.
///
/// # Errors
/// The messages of the first pass that fails.
pub fn legal(text: &str, target: &Target) -> Result<Vec<(String, String)>, String> {
    cube_driver::register();
    let session = Session::new();
    let module = legalised(&session, text, target)?;
    let typed = |op: cube_ir::Op<'_>| {
        let types = op.results().map(|value| value.ty().to_string()).collect::<Vec<_>>();
        (op.name().to_string(), types.join(", "))
    };
    Ok(kernel(&module)?.op().walk().into_iter().map(typed).collect())
}

/// The names of the operations after `text` is legalised for `target`, each with the type of its first operand. The result
/// excludes operations with the flag `afn`. If `text` has no flags, they are parts of expansions.
///
/// # Errors
/// The messages of the first pass that fails.
pub fn kept(text: &str, target: &Target) -> Result<HashSet<(String, String)>, String> {
    cube_driver::register();
    let session = Session::new();
    let module = legalised(&session, text, target)?;
    let typed = |op: cube_ir::Op<'_>| {
        let first = op.operands().next().map(|value| value.ty().to_string());
        (op.name().to_string(), first.unwrap_or_default())
    };
    let is_part = |op: &cube_ir::Op<'_>| {
        FastMathFlags::of(op.attr("fastmath")).is_some_and(|flags| flags.contains(FastMathFlags::AFN))
    };
    Ok(kernel(&module)?.op().walk().into_iter().filter(|op| !is_part(op)).map(typed).collect())
}

fn messages_of(error: &SessionError) -> String {
    let all = error.diagnostics.iter().map(|d| format!("{} [{}]", d.message, d.code.as_deref().unwrap_or_default()));
    all.collect::<Vec<_>>().join("\n")
}

fn legalised<'s>(session: &'s Session, text: &str, target: &Target) -> Result<OwnedModule<'s>, String> {
    let mut module = session.parse(text.as_bytes(), "<input>").map_err(|e| messages_of(&e))?;
    set_target(module.op(), target);
    module.run(PHASES).map_err(|e| messages_of(&e))?;
    Ok(module)
}

/// Runs `text` on the interpreter before and after legalisation for `target`; returns the differences, one per line.
///
/// # Errors
/// The kernel does not compile or run. The returned text is the error message.
pub fn differences_on(text: &str, buffers: &[Data], cubes: u32, target: &Target) -> Result<Vec<String>, String> {
    cube_driver::register();
    let session = Session::new();
    let source = session.parse(text.as_bytes(), "<input>").map_err(|e| messages_of(&e))?;
    let first = interpreted(&program(&source)?, buffers, cubes, 1 << 30)?;
    let module = legalised(&session, text, target)?;
    let results = interpreted(&program(&module)?, buffers, cubes, 1 << 30)?;
    let mut found = Vec::new();
    compare_all(&target.name(), buffers, &first, &results, true, &mut found);
    Ok(found)
}
