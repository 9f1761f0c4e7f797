//! Values that keep their bits.
use super::decoder::{Decoder, error};
use crate::program::Code;
use cube_ir::{Diagnostic, Op};

type Done = Result<(), Diagnostic>;

/// Conversions that keep the pattern: zeros above are zeros already.
pub fn same_bits<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let at = d.operand(op, 0)?.at;
    d.alias(op, op.result(0), at)
}

/// `arith.bitcast`, and those of vector and LLVM, which may have other lanes.
pub fn bitcast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let (from, to) = (d.operand(op, 0)?.shape.kind, d.shape(op, op.result(0).ty())?.kind);
    if from.bits() != to.bits() {
        if d.ring() {
            return Err(error(op, "CUBE0704", format!("'{}': elements of the ring have no bits", op.name())));
        }
        let (source, slot) = (d.operand(op, 0)?, d.define(op, op.result(0))?);
        let imm = from.bits() | to.bits() << 8;
        return d.emit(Code::Regroup, slot.at, [source.at, 0, 0], slot.shape.lanes(), imm).map(|_| ());
    }
    if d.ring() && from.is_float() != to.is_float() {
        let message = format!("'{}': floats of the ring have no bits to take as integers", op.name());
        return Err(error(op, "CUBE0704", message));
    }
    same_bits(d, op)
}
