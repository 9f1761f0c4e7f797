//! What operations of the dialect do together with other units.
use crate::ops::{Scope, Sync};
use cube_ir::{
    Dialect, Op,
    properties::{EffectKind, Effects, is_convergent, own_effects},
};

/// The resource that plane operations read and barriers write: which units take part.
pub const PLANE: &str = "plane";

/// The scope of a barrier; a barrier whose scope is unreadable counts as one of the cube.
pub fn barrier_scope(op: Op<'_>) -> Option<Scope> {
    Sync::of(op).map(|sync| Scope::of(sync.scope()).unwrap_or(Scope::Cube))
}

/// Whether all units of a cube wait for each other here.
pub fn is_cube_barrier(op: Op<'_>) -> bool {
    barrier_scope(op).is_some_and(|scope| scope != Scope::Plane)
}

/// Whether the units of a plane compute something together: the operation reads which units take part, and leaves it.
pub fn is_plane_op(op: Op<'_>) -> bool {
    let of_plane = |effects: &Effects<'_>, kind| match effects {
        Effects::Known(all) => all.iter().any(|effect| effect.kind == kind && effect.resource == PLANE),
        Effects::Unknown => false,
    };
    let ours = op.kind().dialect() == Some(Dialect::Cube) && is_convergent(op);
    ours && {
        let effects = own_effects(op);
        of_plane(&effects, EffectKind::Read) && !of_plane(&effects, EffectKind::Write)
    }
}

/// Whether units of a cube or of a plane meet here: a barrier or a plane operation.
pub fn is_meeting(op: Op<'_>) -> bool {
    Sync::of(op).is_some() || is_plane_op(op)
}
