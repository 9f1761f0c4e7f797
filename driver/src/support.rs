//! Determines which operations each target supports, and whether a kernel is within the limits of its chip. The driver
//! checks the target's support before phase `lower`, and `docs/reference/levels.md` has a table of the support.
use cube_artifact::{Diagnostic, Severity};
use cube_backend::{Backend, Target, lacks_form};
use cube_dialect::{OpDecl, kernels_of, ops};
use cube_ir::{OpKind, OwnedModule, SessionError, location_of};
use cube_passes::{levels::CONTRACTS, limits};

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

/// Refuses a kernel that exceeds a limit of the chip's hardware.
pub(crate) fn check_limits(module: &OwnedModule<'_>, target: &Target) -> Result<(), SessionError> {
    if target.limits.guaranteed {
        return Ok(());
    }
    for kernel in kernels_of(module.op()) {
        // The backend checks the shared memory, because its passes can allocate more.
        if let Some(message) = limits::exceeded(&kernel.facts(), 0, target).into_iter().next() {
            return Err(SessionError::at(kernel.op(), message));
        }
    }
    Ok(())
}

/// The warnings about a kernel that exceeds the guaranteed limits, so that only some devices can run the kernel.
pub(crate) fn warnings(module: &OwnedModule<'_>, shared_bytes: u32, target: &Target) -> Vec<Diagnostic> {
    if !target.limits.guaranteed {
        return vec![];
    }
    let mut warnings = Vec::new();
    for kernel in kernels_of(module.op()) {
        let (messages, op) = (limits::exceeded(&kernel.facts(), shared_bytes.into(), target), kernel.op());
        let at = location_of(op.location());
        let located = messages.into_iter().map(|m| Diagnostic::new(Severity::Warning, m.at_op(op.name()), at.clone()));
        warnings.extend(located);
    }
    warnings
}

/// One operation of Cube's dialects, with its levels and its support by backends.
#[derive(Clone, Debug)]
pub struct Row {
    /// Full name.
    pub op: &'static str,
    /// One flag per level, in order: whether the level allows the operation.
    pub levels: Vec<bool>,
    /// One entry per backend, in order: the reason why the backend does not support the operation, or `None` if the
    /// backend supports the operation.
    pub backends: Vec<Option<&'static str>>,
}

/// One row for every operation of Cube's dialects. Shared passes lower the operations that level legal does not allow,
/// so all backends support these operations.
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
