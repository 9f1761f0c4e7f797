//! Accesses of the dialect's buffers: one line at one index, with a bounds attribute.
use crate::{
    BufferKind, BufferType, Proof,
    attributes::SHARED_OFFSET,
    ops::{self, Bounds},
};
pub use cube_ir::access::AccessKind;
use cube_ir::{AttrExt, Dialect, MemRef, MemorySpace, Op, Val, access, ops::memref};
use std::ops::Deref;

/// One access to a line: a [`cube_ir::access`] with exactly one index. At level legal and later, the buffer is a
/// memref.
#[derive(Clone, Copy, Debug)]
pub struct Access<'p> {
    access: access::Access<'p>,
    /// The index of the line.
    pub index: Val<'p>,
}

impl<'p> Deref for Access<'p> {
    type Target = access::Access<'p>;

    fn deref(&self) -> &Self::Target {
        &self.access
    }
}

/// The access of `op`, if `op` is an access of this dialect.
pub fn access_of(op: Op<'_>) -> Option<Access<'_>> {
    let access = access::access_of(op).filter(|_| op.is_of(Dialect::Cube))?;
    Some(Access { access, index: access.index()? })
}

/// The owner of the accessed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory<'p> {
    /// Global memory, of all units of the launch.
    Global,
    /// Shared memory, of the units of a cube.
    Shared,
    /// Local memory of one unit; the contained value is the result of the allocation.
    Local(Val<'p>),
    /// The owner is not known.
    Unknown,
}

/// The memory of a buffer, slice or memref.
pub fn memory_of(buffer: Val<'_>) -> Memory<'_> {
    let Some(ty) = BufferType::of(buffer.ty()) else { return memory_of_memref(buffer) };
    match ty.kind {
        BufferKind::Array | BufferKind::Tensor => Memory::Global,
        BufferKind::Shared => Memory::Shared,
        BufferKind::Local => Memory::Local(buffer),
        BufferKind::Slice => match buffer.def().and_then(ops::Slice::of) {
            Some(slice) => memory_of(slice.buffer()),
            None => Memory::Unknown,
        },
    }
}

// A memref allocation without a space belongs to one unit. An argument of a kernel is global memory. Views are not
// followed.
fn memory_of_memref(buffer: Val<'_>) -> Memory<'_> {
    let argument =
        || buffer.block_arg().and_then(|(block, _)| block.parent()).is_some_and(|op| op.is(ops::Kernel::KIND));
    match MemRef::of(buffer.ty()).map(|memref| memref.space) {
        Some(MemorySpace::Workgroup) => Memory::Shared,
        Some(_) if buffer.def_of(memref::ALLOCA).is_some() => Memory::Local(buffer),
        Some(_) if argument() => Memory::Global,
        _ => Memory::Unknown,
    }
}

/// The offset in bytes of an allocation in the shared memory of its cube ([`SHARED_OFFSET`]). `None` for an allocation
/// with its own memory.
pub fn shared_offset(op: Op<'_>) -> Option<u64> {
    op.attr(SHARED_OFFSET)?.as_int().and_then(|bytes| u64::try_from(bytes).ok())
}

/// Whether the operation is an atomic access.
pub fn is_atomic(op: Op<'_>) -> bool {
    access_of(op).is_some_and(|access| access.kind.is_atomic())
}

/// The bounds attribute of an access.
pub fn bounds_of(op: Op<'_>) -> Option<Bounds> {
    Bounds::on(op)
}

/// The proof that an access is inside its buffer, if the compiler found one.
pub fn proof_of(op: Op<'_>) -> Option<Proof> {
    Proof::on(op)
}

/// Marks an access as proven to be inside its buffer.
pub fn set_proof(op: Op<'_>, proof: Proof) {
    set_bounds(op, Bounds::Inbounds);
    op.set_attr("proof", proof.attr(op.cx()));
}

/// Changes a proven access to a checked access, because the proof can be invalid after a change.
pub(crate) fn drop_proof(op: Op<'_>) {
    if access_of(op).is_some() && proof_of(op).is_some() {
        set_bounds(op, Bounds::Checked);
    }
}

/// The attribute of an access that moves several neighbouring lines: the alignment of its address in bytes.
pub const ALIGNMENT: &str = "align";

/// The alignment in bytes of an access that moves several neighbouring lines; `None` for an access of one
/// line.
pub fn alignment_of(op: Op<'_>) -> Option<u64> {
    access_of(op)?;
    op.attr(ALIGNMENT)?.as_int().and_then(|bytes| u64::try_from(bytes).ok())
}

/// Reduces the alignment of an access to the alignment of one element, because the index of the access
/// changed.
pub(crate) fn drop_alignment(op: Op<'_>) {
    let element = || BufferType::of(access_of(op)?.buffer.ty()).map(BufferType::line_bytes);
    if let (Some(bytes), Some(element)) = (alignment_of(op), element())
        && element < bytes
    {
        op.set_attr(ALIGNMENT, op.cx().int_attr(op.cx().int(32), element as i64));
    }
}

/// Sets the bounds attribute of an access and drops its proof.
pub fn set_bounds(op: Op<'_>, bounds: Bounds) {
    op.remove_attr("proof");
    op.set_attr("bounds", bounds.attr(op.cx()));
}
