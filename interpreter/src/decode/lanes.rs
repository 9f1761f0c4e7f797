//! Accesses of lanes with a run-time index, which have a defined result for every index.
use super::decoder::Decoder;
use crate::program::Code;
use cube_ir::{Diagnostic, Op};

type DecodeResult = Result<(), Diagnostic>;

/// `cube.extract`: 0 if the index is out of bounds.
pub fn extract<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (line, index) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let slot = d.define(op, op.result(0))?;
    let code = Code::Pick { total: true };
    d.emit(code, slot.at, [index.at, line.at, 0], 1, line.shape.lanes()).map(|_| ())
}

/// `cube.insert`: no effect if the index is out of bounds.
pub fn insert<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (value, line, index) = (d.operand(op, 0)?, d.operand(op, 1)?, d.operand(op, 2)?);
    let slot = d.define(op, op.result(0))?;
    let lanes = slot.shape.lanes();
    d.emit(Code::Copy, slot.at, [line.at, 0, 0], lanes, 0)?;
    d.emit(Code::Put { total: true }, slot.at, [index.at, value.at, 0], 1, lanes).map(|_| ())
}
