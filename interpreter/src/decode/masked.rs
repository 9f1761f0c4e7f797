//! Masked accesses of several elements. For each lane the decoder emits one read or write, which a jump skips if the
//! lane is inactive.
use super::decoder::{Decoder, Slot, error};
use super::operands::AccessOperands;
use crate::program::Code;
use crate::shape::{BufferContents, LaneKind};
use cube_ir::{Diagnostic, diagnostic};
use cube_semantics::ints;

type DecodeResult = Result<(), Diagnostic>;

/// The slots of the operands of an access.
struct Slots {
    /// The accessed memref or address.
    memory: Slot,
    /// The first index; `None` for an address.
    start: Option<Slot>,
    /// The index or address of each lane; `None` for consecutive elements.
    places: Option<Slot>,
    mask: Slot,
    /// The stored value.
    value: Option<Slot>,
    /// The value that a masked load returns for inactive lanes.
    instead: Option<Slot>,
}

/// Decodes `vector.maskedload`, `vector.gather`, the masked stores, and their counterparts in the LLVM
/// dialect.
pub fn access<'p>(d: &mut Decoder<'p>, of: AccessOperands<'p>) -> DecodeResult {
    let op = of.op;
    let slot = |number: Option<usize>| number.map(|number| d.operand(op, number)).transpose();
    let memory = d.operand(op, of.memory)?;
    let places = if of.is_addresses() { Some(memory.clone()) } else { slot(of.offsets)? };
    let mask = d.operand(op, of.need(of.mask)?)?;
    let (start, value, instead) = (slot(of.index)?, slot(of.value)?, slot(of.other)?);
    let parts = Slots { memory, start, places, mask, value, instead };
    let result = match &parts.instead {
        Some(instead) => {
            let slot = d.define(op, op.result(0))?;
            d.emit(Code::Copy, slot.at, [instead.at, 0, 0], slot.shape.lanes(), 0)?;
            Some(slot)
        }
        None => None,
    };
    let Some(value) = result.as_ref().or(parts.value.as_ref()) else { return Ok(()) };
    let scalars = |held: BufferContents| held.line == 1 && held.element == value.shape.kind;
    if parts.start.is_some() && !parts.memory.shape.held.is_some_and(scalars) {
        return Err(error(op, diagnostic!(CUBE0700.scalar_memrefs)));
    }
    let (kind, bool) = (value.shape.kind, value.shape.kind == LaneKind::Int(1));
    for lane in 0..value.shape.lanes() {
        let skip = d.emit(Code::JumpUnless, 0, [parts.mask.at + lane, 0, 0], 0, 0)?;
        let number = match &parts.places {
            Some(places) => places.at + lane,
            None => d.constant(op, lane.into())?,
        };
        let own = value.at + lane;
        let index = match &parts.start {
            Some(start) => {
                let at = d.slots(op, 1)?;
                d.emit(Code::Map2(ints::add), at, [start.at, number, 0], 1, 64)?;
                Some(at)
            }
            None => None,
        };
        let address = match index {
            Some(index) if d.by_address() => Some(d.address(op, &parts.memory, index)?),
            Some(_) => None,
            None if parts.places.is_some() => Some(number),
            None => {
                let (at, zero) = (d.slots(op, 1)?, d.constant(op, 0)?);
                d.emit(Code::Address, at, [number, parts.memory.at, zero], 1, kind.bytes())?;
                Some(at)
            }
        };
        match (address, index, parts.value.is_some()) {
            (Some(at), _, false) => d.emit(Code::Read { bool }, own, [at, 0, 0], 1, kind.bytes())?,
            (Some(at), _, true) => d.emit(Code::Write, 0, [at, 0, own], 1, kind.bytes())?,
            (None, index, false) => {
                let code = Code::Load { checked: false, slice: false, bool };
                d.emit(code, own, [index.unwrap_or(number), parts.memory.at, 0], 1, 0)?
            }
            (None, index, true) => {
                let code = Code::Store { checked: false, slice: false };
                d.emit(code, 0, [index.unwrap_or(number), parts.memory.at, own], 1, 0)?
            }
        };
        d.bind_jump(skip);
    }
    Ok(())
}
