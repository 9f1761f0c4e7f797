//! Properties of the dialect's operations that concern several units.
use crate::ops::{PLANE_OPERATIONS, Scope, Sync};
use cube_ir::{Dialect, Op, properties::is_convergent};

/// The uniformity of a plane operation's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneResult {
    /// One result for all active lanes.
    Same,
    /// A separate result for each active lane.
    Own,
    /// The value of the lane that the second operand selects. If the selected lane is inactive, the result is
    /// each lane's own value.
    Lane,
}

/// The scope of a barrier. A barrier with an invalid scope counts as a cube barrier.
pub fn barrier_scope(op: Op<'_>) -> Option<Scope> {
    Sync::of(op).map(|sync| sync.scope().unwrap_or(Scope::Cube))
}

/// Whether all units of a cube wait for each other at the operation.
pub fn is_cube_barrier(op: Op<'_>) -> bool {
    barrier_scope(op).is_some_and(|scope| scope != Scope::Plane)
}

/// The uniformity of a plane operation's result; `None` for other operations.
pub fn plane_result(op: Op<'_>) -> Option<PlaneResult> {
    let kind = op.kind();
    PLANE_OPERATIONS.iter().find(|(own, ..)| *own == kind).map(|(_, result, _)| *result)
}

/// Whether the operation is a plane operation.
pub fn is_plane_op(op: Op<'_>) -> bool {
    plane_result(op).is_some()
}

/// Whether the operation is a collective operation of the dialect: a barrier, a plane operation, or a call of a
/// function that can contain a collective operation.
pub fn is_collective(op: Op<'_>) -> bool {
    op.is_of(Dialect::Cube) && is_convergent(op)
}
