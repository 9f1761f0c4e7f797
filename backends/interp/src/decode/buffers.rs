//! Buffers and topology. A buffer is a value like others: its lane holds the number of the parameter, so that selects, calls
//! and loops may hand it on.
use super::{Decoder, error};
use crate::program::Code;
use crate::shape::Kind;
use cube_dialect::{Bounds, bounds_of, ops};
use cube_ir::{AttrExt, Diagnostic, Op};

type Done = Result<(), Diagnostic>;

fn checked<'p>(d: &Decoder<'p>, op: Op<'p>) -> bool {
    // A plain access of level legal promises its bounds.
    op.name().starts_with("cube.") && bounds_of(op).map_or(d.checked, |b| b == Bounds::Checked)
}

/// `cube.load`, `memref.load`
pub fn load<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let (buffer, index) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let slot = d.define(op, op.result(0))?;
    let code = Code::Load { checked: checked(d, op), bool: slot.shape.kind == Kind::Int(1) };
    d.emit(code, slot.at, [index.at, buffer.at, 0], slot.shape.lanes(), 0).map(|_| ())
}

/// `cube.store`, `memref.store`
pub fn store<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let (value, buffer, index) = (d.operand(op, 0)?, d.operand(op, 1)?, d.operand(op, 2)?);
    let code = Code::Store { checked: checked(d, op) };
    d.emit(code, 0, [index.at, buffer.at, value.at], value.shape.lanes(), 0).map(|_| ())
}

/// `cube.len`
pub fn len<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let buffer = d.operand(op, 0)?;
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Len, slot.at, [buffer.at, 0, 0], 1, 32).map(|_| ())
}

/// `memref.dim`, of the only dimension.
pub fn dim<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let number = op.operand(1).def_of("arith.constant").and_then(|c| c.attr("value")).and_then(|a| a.as_int());
    if number != Some(0) {
        return Err(error(op, "CUBE0700", "'memref.dim' has a rule for the constant dimension 0 only"));
    }
    let buffer = d.operand(op, 0)?;
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Len, slot.at, [buffer.at, 0, 0], 1, 64).map(|_| ())
}

/// `cube.topology`: written before the unit starts.
pub fn topology<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let kind = ops::Topology::of(op).ok_or_else(|| error(op, "CUBE0700", "no topology value"))?.kind();
    let known = d.program().topology.iter().find(|(k, _)| *k == kind).map(|(_, at)| *at);
    if let Some(at) = known {
        return d.alias(op, op.result(0), at);
    }
    let slot = d.define(op, op.result(0))?;
    d.program().topology.push((kind, slot.at));
    Ok(())
}
