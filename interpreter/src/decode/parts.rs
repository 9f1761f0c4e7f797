//! The operands of an access of memory by their roles.
use super::decoder::error;
use cube_ir::access::{Access, AccessKind};
use cube_ir::{Diagnostic, Op, TypeExt, Val, diagnostic};

/// The numbers of an operation's operands by their roles.
#[derive(Clone, Copy)]
pub struct Parts<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// What it does.
    pub kind: AccessKind,
    /// The memory: a buffer, slice or memref, an address, or an address for each lane.
    pub memory: usize,
    /// Its only index, of memory that has lines.
    pub index: Option<usize>,
    /// A distance from the index for each lane.
    pub offsets: Option<usize>,
    /// What is written.
    pub value: Option<usize>,
    /// Which lanes take part.
    pub mask: Option<usize>,
    /// The operand without a role of these: what lanes get that do not read, or what a compare-exchange expects.
    pub other: Option<usize>,
}

impl<'p> Parts<'p> {
    /// Of an access.
    ///
    /// # Errors
    /// An operand has none of the roles, or an access of lines has several indices.
    pub fn of(op: Op<'p>, access: Access<'p>) -> Result<Self, Diagnostic> {
        let memory = access.buffer_operand;
        let index = (access.indices().len() == 1).then(|| access.first_index());
        // One value may stand for two operands: those that have a role already are left out.
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
        Ok(Parts { op, kind: access.kind, memory, index, offsets, value, mask, other })
    }

    /// The number of a part that every operation of the kind has.
    ///
    /// # Errors
    /// It is not there.
    pub fn need(self, part: Option<usize>) -> Result<usize, Diagnostic> {
        let count = self.op.operands().len() + 1;
        part.ok_or_else(|| error(self.op, diagnostic!(CUBE0700.operands { count })))
    }

    /// Whether each lane has an address of its own.
    pub fn is_addresses(self) -> bool {
        self.op.operand(self.memory).ty().is_vector()
    }
}
