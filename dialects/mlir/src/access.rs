//! Accesses to memory. For every dialect in use, one query returns the accesses of an operation to the memory of its
//! operands.
//!
//! The table is generated from the effects that the `.td` files declare (`build/accesses.rs`). For an operation outside
//! the table, such as a call, the query returns no access. [`all_accesses`] distinguishes an operation without accesses
//! from an unknown operation.
use crate::{
    MemRef, MemorySpace, OpKind, TypeExt,
    op::{Op, Val},
    ops::{ACCESSING, declared},
    properties::{EffectKind, Effects, own_effects},
};
use melior::ir::Type;
use std::ops::Range;

/// The kind of an access: load, store or atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Atomic read.
    AtomicLoad,
    /// Atomic write.
    AtomicStore,
    /// Atomic combination of the memory's content with a value.
    AtomicRmw,
    /// Atomic write if the memory contains an expected value.
    AtomicCas,
}

impl AccessKind {
    /// Whether the access can change memory.
    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::AtomicLoad)
    }

    /// Whether the access reads memory.
    pub fn reads(self) -> bool {
        !matches!(self, AccessKind::Store | AccessKind::AtomicStore)
    }

    /// Whether the access is atomic.
    pub fn is_atomic(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::Store)
    }
}

/// One access: an operation, and its operands for memory, address and value.
#[derive(Clone, Copy, Debug)]
pub struct Access<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// The accessed memory: a buffer, view, memref or pointer.
    pub buffer: Val<'p>,
    /// The position of the memory operand in the operand list.
    pub buffer_operand: usize,
    /// The position of the first address operand in the operand list, and the count of address operands.
    indices: (usize, usize),
    /// The vector of offsets of a gather or scatter, one per lane.
    pub offsets: Option<Val<'p>>,
    /// The stored value. A compare-exchange stores the value only if the memory contains the expected value.
    pub value: Option<Val<'p>>,
    /// The mask of participating lanes.
    pub mask: Option<Val<'p>>,
}

impl<'p> Access<'p> {
    /// The address operands: one per dimension, or an empty list if the memory operand is itself the address.
    pub fn indices(self) -> impl ExactSizeIterator<Item = Val<'p>> {
        let (first, count) = self.indices;
        (first..first + count).map(move |number| self.op.operand(number))
    }

    /// The position of the first address operand in the operand list.
    pub fn first_index(self) -> usize {
        self.indices.0
    }

    /// The index of an access to one-dimensional memory; `None` for other memory.
    pub fn index(self) -> Option<Val<'p>> {
        (self.indices.1 == 1).then(|| self.op.operand(self.indices.0))
    }

    /// The type of the read or written value; `None` if this value is neither a result nor an operand.
    pub fn ty(self) -> Option<Type<'p>> {
        self.value.or_else(|| self.op.results().next()).map(|value| value.ty())
    }

    /// The maximum number of elements read or written: 1, or the elements of a fixed-size vector of any rank.
    pub fn elements(self) -> Option<u64> {
        self.ty().map(|ty| ty.element_count())
    }

    /// The memory space of a one-dimensional memref; `None` for other memory.
    pub fn space(self) -> Option<MemorySpace> {
        MemRef::of(self.buffer.ty()).map(|memref| memref.space)
    }
}

/// The table row of one memory operand, with the operand numbers of the memory, the address and the value.
pub(crate) struct Declared {
    pub kind: AccessKind,
    pub memory: usize,
    pub indices: Range<usize>,
    pub offsets: Option<usize>,
    pub value: Option<usize>,
    pub mask: Option<usize>,
    /// Whether the row lists all effects of the operation on the memory operand. If the row is incomplete,
    /// MLIR's interface can report further effects.
    pub complete: bool,
}

/// The first number of a range; `None` if the range is empty.
pub(crate) fn first(range: Range<usize>) -> Option<usize> {
    (!range.is_empty()).then_some(range.start)
}

/// Whether operations of a kind access memory that an operand names.
pub fn accesses_memory(kind: OpKind) -> bool {
    ACCESSING.contains(&kind)
}

/// The accesses of `op`: one for a load, a store or an atomic operation, two for a copy, and none for any other
/// operation. Nested operations are not considered.
pub fn accesses_of(op: Op<'_>) -> impl Iterator<Item = Access<'_>> {
    // An operation that is not verified yet can lack an operand.
    let count = op.operands().len();
    let known =
        move |one: &Declared| one.memory < count && one.indices.end <= count && one.value.is_none_or(|v| v < count);
    declared(op).into_iter().flatten().filter(known).map(move |one| Access {
        op,
        kind: one.kind,
        buffer: op.operand(one.memory),
        buffer_operand: one.memory,
        indices: (one.indices.start, one.indices.len()),
        offsets: one.offsets.map(|number| op.operand(number)),
        value: one.value.map(|number| op.operand(number)),
        mask: one.mask.map(|number| op.operand(number)),
    })
}

/// The access of `op`, if it has exactly one.
pub fn access_of(op: Op<'_>) -> Option<Access<'_>> {
    let mut all = accesses_of(op);
    all.next().filter(|_| all.next().is_none())
}

/// All accesses of `op` without its nested operations; `None` if `op` can have accesses that the table does not
/// contain. Allocating memory is not an access.
pub fn all_accesses(op: Op<'_>) -> Option<Vec<Access<'_>>> {
    let all: Vec<Access<'_>> = accesses_of(op).collect();
    if !all.is_empty() && declared(op).iter().flatten().all(|one| one.complete) {
        return Some(all);
    }
    let Effects::Known(effects) = own_effects(op) else { return None };
    let named = |value: Option<Val<'_>>| value.is_some_and(|value| all.iter().any(|access| access.buffer == value));
    let known = effects.iter().all(|effect| match effect.kind {
        EffectKind::Read | EffectKind::Write => !effect.is_of_memory() || named(effect.value),
        EffectKind::Alloc => true,
        EffectKind::Free => false,
    });
    known.then_some(all)
}

#[cfg(test)]
mod tests;
