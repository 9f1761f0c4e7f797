//! Checks the discardable attributes of a source, some of which only the compiler can write.
//!
//! The key of a discardable attribute begins with the name of a dialect, such as `cube.unroll`. Passes rely on the
//! attributes that the compiler writes, so a source with such an attribute is refused. Passes ignore unknown keys, so a
//! source with an unknown key of Cube's dialects is refused too.
use cube_dialect::attributes::{ATTRIBUTE_KEYS, Writer};
use cube_dialect::{BufferArg, KernelArg, ops};
use cube_ir::{Dialect, Message, Op, OwnedModule, SessionError, suggestion};

/// Refuses the first attribute that is unknown or reserved for the compiler.
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

// Reserves the buffer of printed records for the pass `lower-print`, because the host does not pass this buffer.
fn reserved(op: Op<'_>) -> Option<Message> {
    let args = ops::Kernel::of(op)?.facts().args;
    let prints = |arg: &KernelArg<'_>| matches!(arg, KernelArg::Buffer(BufferArg { access: Some("prints"), .. }));
    let index = args.iter().position(prints)?;
    Some(cube_ir::diagnostic!(CUBE0128.word { index, word: "prints" }))
}
