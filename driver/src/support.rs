//! Support of each operation by the targets: checked before `lower`, and shown as a table in docs/reference/levels.md.
use cube_backend::{Backend, Target, lacks_form};
use cube_dialect::{OpDecl, ops};
use cube_ir::OpKind;
use cube_ir::{OwnedModule, SessionError};
use cube_passes::levels::CONTRACTS;

/// Refuses the first operation that the backend does not support.
pub(crate) fn check(module: &OwnedModule<'_>, backend: &dyn Backend, target: &Target) -> Result<(), SessionError> {
    let unsupported = backend.unsupported(target);
    for op in module.op().walk() {
        let listed = unsupported.iter().find(|(kind, _)| op.is(*kind)).map(|(_, why)| *why);
        if let Some(why) = listed.map(String::from).or_else(|| lacks_form(op, target)) {
            let message = cube_ir::diagnostic!(CUBE0412.no_code { target: backend.name(), why });
            return Err(SessionError::at(op, message));
        }
    }
    Ok(())
}

/// One operation of the dialect, with its levels and its support.
#[derive(Clone, Debug)]
pub struct Row {
    /// Full name.
    pub op: &'static str,
    /// For each level in order, whether the operation is allowed at the level.
    pub levels: Vec<bool>,
    /// For each backend in order, the reason why it does not support the operation; `None` if the backend supports it.
    pub backends: Vec<Option<&'static str>>,
}

/// One row for every operation of Cube's dialects. Shared passes lower operations that end before level legal, so all backends
/// support those.
pub fn table() -> Vec<Row> {
    let row = |op: &OpDecl| Row {
        op: op.name,
        levels: CONTRACTS.iter().map(|contract| contract.allows(OpKind::from_name(op.name))).collect(),
        backends: crate::BACKENDS
            .iter()
            .map(|backend| {
                let target = backend.target(&backend.default_chip())?;
                backend.unsupported(&target).iter().find(|(kind, _)| kind.name() == op.name).map(|(_, why)| *why)
            })
            .collect(),
    };
    ops::OPS.iter().chain(cube_layout_dialect::ops::OPS).map(row).collect()
}
