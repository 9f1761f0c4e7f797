//! Accesses of buffers: what loads, stores and atomics have in common.
use crate::{
    Proof,
    ops::{self, Bounds},
};
use cube_ir::{Op, Val};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// `cube.load`.
    Load,
    /// `cube.store`.
    Store,
    /// `cube.atomic_load`.
    AtomicLoad,
    /// `cube.atomic_store`.
    AtomicStore,
    /// `cube.atomic_rmw`.
    AtomicRmw,
    /// `cube.atomic_cas`.
    AtomicCas,
}

impl AccessKind {
    /// Whether memory may change.
    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::AtomicLoad)
    }

    /// Whether it is one step for all units.
    pub fn is_atomic(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::Store)
    }
}

/// One access.
#[derive(Clone, Copy, Debug)]
pub struct Access<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// What it does.
    pub kind: AccessKind,
    /// The buffer, or from level legal on the memref.
    pub buffer: Val<'p>,
    /// The number of the operand that is the buffer; the index follows it.
    pub buffer_operand: usize,
    /// The line.
    pub index: Val<'p>,
    /// What is written; for a compare-exchange what is written if the old value is the expected one.
    pub value: Option<Val<'p>>,
}

/// The access that `op` is, if it is one.
pub fn access_of(op: Op<'_>) -> Option<Access<'_>> {
    let (kind, at): (_, usize) = match op.kind() {
        ops::Load::KIND => (AccessKind::Load, 0),
        ops::Store::KIND => (AccessKind::Store, 1),
        ops::AtomicLoad::KIND => (AccessKind::AtomicLoad, 0),
        ops::AtomicStore::KIND => (AccessKind::AtomicStore, 1),
        ops::AtomicRmw::KIND => (AccessKind::AtomicRmw, 1),
        ops::AtomicCas::KIND => (AccessKind::AtomicCas, 2),
        _ => return None,
    };
    let value = at.checked_sub(1).map(|v| op.operand(v));
    Some(Access { op, kind, buffer: op.operand(at), buffer_operand: at, index: op.operand(at + 1), value })
}

/// Whether it is an atomic access.
pub fn is_atomic(op: Op<'_>) -> bool {
    access_of(op).is_some_and(|access| access.kind.is_atomic())
}

/// The bounds word of an access.
pub fn bounds_of(op: Op<'_>) -> Option<Bounds> {
    Bounds::of(op.attr("bounds"))
}

/// The reason for which an access is inside its buffer, where the compiler found one.
pub fn proof_of(op: Op<'_>) -> Option<Proof> {
    Proof::of(op.attr("proof"))
}

/// Makes an access one that is proven to be inside.
pub fn set_proof(op: Op<'_>, proof: Proof) {
    set_bounds(op, Bounds::Inbounds);
    let text = format!("#cube<proof {}>", proof.word());
    op.set_attr("proof", op.cx().parse_attr(&text).expect("the cube dialect is loaded"));
}

/// Makes a proven access a checked one, because its proof may not hold any more.
pub(crate) fn drop_proof(op: Op<'_>) {
    if access_of(op).is_some() && op.attr("proof").is_some() {
        set_bounds(op, Bounds::Checked);
    }
}

/// Sets the bounds word of an access, which loses its proof.
pub fn set_bounds(op: Op<'_>, bounds: Bounds) {
    op.remove_attr("proof");
    op.set_attr("bounds", bounds.attr(op.cx()));
}
