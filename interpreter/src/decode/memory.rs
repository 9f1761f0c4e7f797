//! Accesses of memory. [`cube_ir::access`] gives the roles of an operation's operands: memory, index, value and mask.
//! An operation whose operands have declared roles therefore needs no separate rule. The decoder refuses an
//! operation with an operand that is not a memory, index, value or mask.
use super::decoder::{Decoder, error};
use super::operands::AccessOperands;
use super::{buffers, lowered, masked};
use cube_dialect::alignment_of;
use cube_ir::access::{AccessKind, access_of, accesses_memory};
use cube_ir::{Diagnostic, Dialect, Op, OpKind, diagnostic};

type DecodeResult = Result<(), Diagnostic>;

/// The dialects whose memory accesses a kernel can have. Accesses of the layout dialect move tiles and have separate
/// rules.
const DIALECTS: [Dialect; 4] = [Dialect::Cube, Dialect::Memref, Dialect::Vector, Dialect::Llvm];

/// Whether [`access`] decodes an operation, unless the table of rules refuses the operation.
pub fn is_access(kind: OpKind) -> bool {
    kind.dialect().is_some_and(|dialect| DIALECTS.contains(&dialect)) && accesses_memory(kind)
}

pub fn access<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let access = access_of(op).ok_or_else(|| error(op, diagnostic!(CUBE0700.no_access)))?;
    let parts = AccessOperands::of(op, access)?;
    // A buffer, slice or memref consists of lines. Other memory is an address.
    let lines = d.operand(op, access.buffer_operand)?.shape.held.is_some();
    match access.kind {
        AccessKind::AtomicRmw if !lines => lowered::modify(d, parts),
        AccessKind::AtomicCas if !lines => lowered::compare_exchange(d, parts),
        kind if kind.is_atomic() => buffers::atomic(d, parts),
        _ if parts.mask.is_some() => masked::access(d, parts),
        AccessKind::Store if !lines => lowered::store(d, parts),
        _ if !lines => lowered::load(d, parts),
        _ if alignment_of(op).is_some() || op.is_of(Dialect::Vector) => buffers::contiguous_elements(d, parts),
        AccessKind::Store => buffers::store(d, parts),
        _ => buffers::load(d, parts),
    }
}
