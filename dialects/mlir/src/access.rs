//! Accesses of memory: one answer for every operation of a dialect in use that reads or writes memory which an operand names.
//!
//! The table is generated from the effects that the `.td` files declare (`build/accesses.rs`). What it does not know, such as a
//! call, is no access: [`all_accesses`] tells an operation that accesses nothing from one of which nothing is known.
use crate::{
    MemRef, MemorySpace, OpKind, TypeExt,
    op::{Op, Val},
    ops::{ACCESSING, declared},
    properties::{EffectKind, Effects, MEMORY, own_effects},
};
use melior::ir::Type;
use std::ops::Range;

/// What an access does with the memory that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads in one step for all units.
    AtomicLoad,
    /// Writes in one step for all units.
    AtomicStore,
    /// Combines what is there with a value, in one step for all units.
    AtomicRmw,
    /// Writes if an expected value is there, in one step for all units.
    AtomicCas,
}

impl AccessKind {
    /// Whether memory may change.
    pub fn writes(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::AtomicLoad)
    }

    /// Whether what is in memory is read.
    pub fn reads(self) -> bool {
        !matches!(self, AccessKind::Store | AccessKind::AtomicStore)
    }

    /// Whether it is one step for all units.
    pub fn is_atomic(self) -> bool {
        !matches!(self, AccessKind::Load | AccessKind::Store)
    }
}

/// One access: an operation, and which of its operands are memory, place and value.
#[derive(Clone, Copy, Debug)]
pub struct Access<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// What it does.
    pub kind: AccessKind,
    /// The memory: a buffer, view, memref or pointer.
    pub buffer: Val<'p>,
    /// The number of the operand that is the memory.
    pub buffer_operand: usize,
    /// The number of the first operand of the place in memory, and how many such operands there are.
    place: (usize, usize),
    /// The vector that has a distance from the place for each lane: of a gather or scatter.
    pub offsets: Option<Val<'p>>,
    /// What is written; of a compare-exchange, what is written if the expected value is there.
    pub value: Option<Val<'p>>,
    /// Which lanes take part.
    pub mask: Option<Val<'p>>,
}

impl<'p> Access<'p> {
    /// The place in memory: one operand a dimension; none where the memory itself is the place.
    pub fn indices(self) -> impl ExactSizeIterator<Item = Val<'p>> {
        let (first, count) = self.place;
        (first..first + count).map(move |number| self.op.operand(number))
    }

    /// The number of the first operand of the place in memory.
    pub fn first_index(self) -> usize {
        self.place.0
    }

    /// The index, of memory of one dimension.
    pub fn index(self) -> Option<Val<'p>> {
        (self.place.1 == 1).then(|| self.op.operand(self.place.0))
    }

    /// The type of what is read or written; `None` where it is neither a result nor an operand.
    pub fn ty(self) -> Option<Type<'p>> {
        self.value.or_else(|| self.op.results().next()).map(|value| value.ty())
    }

    /// How many elements are read or written at most: 1, or those of a vector of any rank and of a fixed size.
    pub fn elements(self) -> Option<u64> {
        self.ty().map(|ty| ty.element_count())
    }

    /// The space of a memref of one dimension; `None` of other memory.
    pub fn space(self) -> Option<MemorySpace> {
        MemRef::of(self.buffer.ty()).map(|memref| memref.space)
    }
}

/// What the table holds of an operation's operand that is memory: the numbers of operands.
pub(crate) struct Declared {
    pub kind: AccessKind,
    pub memory: usize,
    pub indices: Range<usize>,
    pub offsets: Option<usize>,
    pub value: Option<usize>,
    pub mask: Option<usize>,
    /// Whether the declaration says all; otherwise MLIR's interface can say more.
    pub complete: bool,
}

/// The first number of a range that is not empty.
pub(crate) fn first(range: Range<usize>) -> Option<usize> {
    (!range.is_empty()).then_some(range.start)
}

/// Whether operations of a kind access memory that an operand names.
pub fn accesses_memory(kind: OpKind) -> bool {
    ACCESSING.contains(&kind)
}

/// The accesses that `op` is: one of loads and stores, two of copies, none of other operations. What is inside it is not
/// asked for.
pub fn accesses_of(op: Op<'_>) -> impl Iterator<Item = Access<'_>> {
    // An operand that is not there is one of an operation that is not verified yet.
    let count = op.operands().len();
    let known =
        move |one: &Declared| one.memory < count && one.indices.end <= count && one.value.is_none_or(|v| v < count);
    declared(op).into_iter().flatten().filter(known).map(move |one| Access {
        op,
        kind: one.kind,
        buffer: op.operand(one.memory),
        buffer_operand: one.memory,
        place: (one.indices.start, one.indices.len()),
        offsets: one.offsets.map(|number| op.operand(number)),
        value: one.value.map(|number| op.operand(number)),
        mask: one.mask.map(|number| op.operand(number)),
    })
}

/// The access that `op` is, if it is exactly one.
pub fn access_of(op: Op<'_>) -> Option<Access<'_>> {
    let mut all = accesses_of(op);
    all.next().filter(|_| all.next().is_none())
}

/// All memory that `op` accesses by itself; `None` where it may access more than these. Memory that it makes is not accessed.
pub fn all_accesses(op: Op<'_>) -> Option<Vec<Access<'_>>> {
    let all: Vec<Access<'_>> = accesses_of(op).collect();
    if !all.is_empty() && declared(op).iter().flatten().all(|one| one.complete) {
        return Some(all);
    }
    let Effects::Known(effects) = own_effects(op) else { return None };
    let named = |value: Option<Val<'_>>| value.is_some_and(|value| all.iter().any(|access| access.buffer == value));
    let told = effects.iter().all(|effect| match effect.kind {
        EffectKind::Read | EffectKind::Write => effect.resource != MEMORY || named(effect.value),
        EffectKind::Alloc => true,
        EffectKind::Free => false,
    });
    told.then_some(all)
}

#[cfg(test)]
mod tests;
