//! Properties of the dialect's operations that concern several units.
use crate::ops::{PLANE_OPERATIONS, Scope, Sync};
use cube_ir::Op;

/// The uniformity of a plane operation's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneResult {
    /// One for all that come.
    Same,
    /// Each its own.
    Own,
    /// That of the lane that the second operand names; each its own where that lane does not come.
    Lane,
}

/// The scope of a barrier; a barrier whose scope is unreadable counts as one of the cube.
pub fn barrier_scope(op: Op<'_>) -> Option<Scope> {
    Sync::of(op).map(|sync| sync.scope().unwrap_or(Scope::Cube))
}

/// Whether all units of a cube wait for each other here.
pub fn is_cube_barrier(op: Op<'_>) -> bool {
    barrier_scope(op).is_some_and(|scope| scope != Scope::Plane)
}

/// Whose result a plane operation gives; `None` for other operations.
pub fn plane_result(op: Op<'_>) -> Option<PlaneResult> {
    let kind = op.kind();
    PLANE_OPERATIONS.iter().find(|(own, _)| *own == kind).map(|(_, result)| *result)
}

/// Whether it is a plane operation.
pub fn is_plane_op(op: Op<'_>) -> bool {
    plane_result(op).is_some()
}

/// Whether it is a barrier or a plane operation.
pub fn is_meeting(op: Op<'_>) -> bool {
    Sync::of(op).is_some() || is_plane_op(op)
}
