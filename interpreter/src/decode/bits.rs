//! Operations that do not change the bits of a value.
use super::decoder::{Decoder, error};
use crate::program::Code;
use cube_ir::{Diagnostic, Op, diagnostic};

type DecodeResult = Result<(), Diagnostic>;

/// Decodes a conversion that keeps the bit pattern. The function emits no instruction, because the unused
/// upper bits of a slot are zero.
pub fn same_bits<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let at = d.operand(op, 0)?.at;
    d.alias(op, op.result(0), at)
}

/// `arith.bitcast`, and the bitcasts of vector and LLVM, whose lane count can change.
pub fn bitcast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (from, to) = (d.operand(op, 0)?.shape.kind, d.shape(op, op.result(0).ty())?.kind);
    if from.bits() != to.bits() {
        if d.ring() {
            return Err(error(op, diagnostic!(CUBE0704.bits)));
        }
        let (source, slot) = (d.operand(op, 0)?, d.define(op, op.result(0))?);
        let imm = from.bits() | to.bits() << 8;
        return d.emit(Code::Regroup, slot.at, [source.at, 0, 0], slot.shape.lanes(), imm).map(|_| ());
    }
    if d.ring() && from.is_float() != to.is_float() {
        return Err(error(op, diagnostic!(CUBE0704.floats)));
    }
    same_bits(d, op)
}
