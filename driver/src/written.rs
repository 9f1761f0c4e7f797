//! Checks that a source has only discardable attributes that a program can write.
//!
//! A discardable attribute has a key with the name of a dialect, such as `cube.unroll`. Passes rely on the attributes
//! that the compiler writes, and ignore keys that they do not know. A source with an attribute that only the compiler
//! writes, or with an unknown key of Cube's dialects, is therefore refused.
use cube_dialect::attributes::{ATTRIBUTE_KEYS, Writer};
use cube_dialect::{BufferArg, KernelArg, ops};
use cube_ir::{Dialect, Message, Op, OwnedModule, SessionError, suggestion};

/// Returns an error for the first attribute that a program cannot write.
pub(crate) fn check(module: &OwnedModule<'_>) -> Result<(), SessionError> {
    for op in module.op().walk() {
        let wrong = op.attrs().into_iter().find_map(|(name, _)| refusal(name)).or_else(|| reserved(op));
        if let Some(wrong) = wrong {
            return Err(SessionError::at(op, wrong));
        }
    }
    Ok(())
}

fn refusal(name: &str) -> Option<Message> {
    let (dialect, _) = name.split_once('.')?;
    match ATTRIBUTE_KEYS.iter().find(|key| key.name == name) {
        Some(key) if key.by == Writer::Program => None,
        Some(key) => Some(cube_ir::diagnostic!(CUBE0156.compiler { name, on: key.on })),
        None if [Dialect::Cube, Dialect::Layout].iter().any(|own| own.name() == dialect) => {
            let program = || ATTRIBUTE_KEYS.iter().filter(|key| key.by == Writer::Program).map(|key| key.name);
            let near = suggestion(name, program()).map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            let known = program().collect::<Vec<_>>().join(", ");
            Some(cube_ir::diagnostic!(CUBE0156.unknown { name, near, known }))
        }
        None => None,
    }
}

// The launch does not pass the buffer of printed text as a parameter, so only pass `lower-print` adds it.
fn reserved(op: Op<'_>) -> Option<Message> {
    let args = ops::Kernel::of(op)?.facts().args;
    let prints = |arg: &KernelArg<'_>| matches!(arg, KernelArg::Buffer(BufferArg { access: Some("prints"), .. }));
    let index = args.iter().position(prints)?;
    Some(cube_ir::diagnostic!(CUBE0128.word { index, word: "prints" }))
}
