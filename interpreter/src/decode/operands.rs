//! The operands of a memory access, by role (memory, index, value or mask).
use super::decoder::error;
use cube_ir::access::{Access, AccessKind};
use cube_ir::{Diagnostic, Op, TypeExt, Val, diagnostic};

/// The operand numbers of a memory access, by role (memory, index, value or mask).
#[derive(Clone, Copy)]
pub struct AccessOperands<'p> {
    /// The operation.
    pub op: Op<'p>,
    pub kind: AccessKind,
    /// The memory: a buffer, slice or memref, an address, or an address for each lane.
    pub memory: usize,
    /// The index of the line, for memory that consists of lines. An access to memory that consists of lines
    /// has exactly one index.
    pub index: Option<usize>,
    /// The offsets of the lanes from the index.
    pub offsets: Option<usize>,
    /// The written value.
    pub value: Option<usize>,
    /// The active lanes.
    pub mask: Option<usize>,
    /// The value of inactive lanes, or the expected value of a compare-exchange.
    pub other: Option<usize>,
}

impl<'p> AccessOperands<'p> {
    /// Determines the role of each operand of an access.
    ///
    /// # Errors
    /// An operand has no role, or an access of lines has several indices.
    pub fn of(op: Op<'p>, access: Access<'p>) -> Result<Self, Diagnostic> {
        let memory = access.buffer_operand;
        let index = (access.indices().len() == 1).then(|| access.first_index());
        // One value can be several operands. Operands that already have a role are skipped.
        let mut free: Vec<usize> = (0..op.operands().len()).filter(|n| *n != memory && Some(*n) != index).collect();
        let mut take = |value: Option<Val<'p>>| {
            let at = free.iter().position(|number| Some(op.operand(*number)) == value)?;
            Some(free.remove(at))
        };
        let (mask, offsets, value) = (take(access.mask), take(access.offsets), take(access.value));
        let masked_load = mask.is_some() && value.is_none();
        let expected = usize::from(masked_load || access.kind == AccessKind::AtomicCas);
        if free.len() != expected || access.indices().len() > 1 {
            let count = op.operands().len() - free.len() + expected;
            return Err(error(op, diagnostic!(CUBE0700.operands { count })));
        }
        let other = free.first().copied();
        Ok(AccessOperands { op, kind: access.kind, memory, index, offsets, value, mask, other })
    }

    /// The number of a mandatory operand.
    ///
    /// # Errors
    /// The operation does not have the operand.
    pub fn need(self, part: Option<usize>) -> Result<usize, Diagnostic> {
        let count = self.op.operands().len() + 1;
        part.ok_or_else(|| error(self.op, diagnostic!(CUBE0700.operands { count })))
    }

    /// Whether each lane has a separate address.
    pub fn is_addresses(self) -> bool {
        self.op.operand(self.memory).ty().is_vector()
    }
}
