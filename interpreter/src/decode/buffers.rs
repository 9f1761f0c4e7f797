//! Buffers and topology. A buffer is an ordinary value with one lane, which contains the buffer's number. Selects,
//! calls and loops can therefore pass buffers like other values. A slice has four lanes: see [`ValueKind::Slice`].
use super::decoder::{Decoder, MAX_PROGRAM_SIZE, Slot, error};
use super::operands::AccessOperands;
use crate::program::{AtomicKind, BufferDecl, Code, ExecutionForm, Measure};
use crate::rules::combine;
use crate::shape::{LaneKind, Space};
use cube_dialect::{AccessKind, Bounds, Combine, bounds_of, ops, shared_offset};
use cube_ir::ops::{arith, cube};
use cube_ir::{AttrExt, Diagnostic, Dialect, Op, TypeExt, diagnostic};
use cube_semantics::ints;

type DecodeResult = Result<(), Diagnostic>;

fn checked<'p>(d: &Decoder<'p>, op: Op<'p>, buffer: usize) -> bool {
    // An access of a memref is unchecked, unless an attribute marks it as checked.
    let memref = op.operand(buffer).ty().is_memref();
    op.is_of(Dialect::Cube) && bounds_of(op).map_or(d.checked && !memref, |b| b == Bounds::Checked)
}

// The first slot and the buffer number of local memory, if the operand names local memory directly.
fn local(d: &Decoder<'_>, buffer: &Slot) -> Option<(u32, u32)> {
    d.locals.get(&buffer.at).copied()
}

/// A load of a line, such as `cube.load`.
pub fn load<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let (buffer, index) = (d.operand(op, parts.memory)?, d.operand(op, parts.need(parts.index)?)?);
    let slot = d.define(op, op.result(0))?;
    if d.by_address() {
        let at = d.address(op, &buffer, index.at)?;
        return d.read(at, &slot);
    }
    let (checked, lanes) = (checked(d, op, parts.memory), slot.shape.lanes());
    if let Some((base, number)) = local(d, &buffer) {
        return d.emit(Code::LoadLocal { checked }, slot.at, [index.at, base, 0], lanes, number).map(|_| ());
    }
    let slice = buffer.shape.kind == LaneKind::Slice;
    let code = Code::Load { checked, slice, bool: slot.shape.kind == LaneKind::Int(1) };
    d.emit(code, slot.at, [index.at, buffer.at, 0], lanes, 0).map(|_| ())
}

/// A store of a line, such as `cube.store`.
pub fn store<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let (buffer, index) = (d.operand(op, parts.memory)?, d.operand(op, parts.need(parts.index)?)?);
    let value = d.operand(op, parts.need(parts.value)?)?;
    if d.by_address() {
        let at = d.address(op, &buffer, index.at)?;
        return d.write(at, &value);
    }
    let (checked, lanes) = (checked(d, op, parts.memory), value.shape.lanes());
    if let Some((base, number)) = local(d, &buffer) {
        return d.emit(Code::StoreLocal { checked }, 0, [index.at, base, value.at], lanes, number).map(|_| ());
    }
    let code = Code::Store { checked, slice: buffer.shape.kind == LaneKind::Slice };
    d.emit(code, 0, [index.at, buffer.at, value.at], lanes, 0).map(|_| ())
}

/// `vector.load`, `vector.store`, and `cube.load`, `cube.store` with `cube.align`: consecutive elements of a scalar
/// buffer.
pub fn contiguous_elements<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let (op, stores) = (parts.op, parts.value.is_some());
    let (buffer, index) = (d.operand(op, parts.memory)?, d.operand(op, parts.need(parts.index)?)?);
    let value = match parts.value {
        Some(value) => d.operand(op, value)?,
        None => d.define(op, op.result(0))?,
    };
    if buffer.shape.held.is_none_or(|held| held.line != 1 || held.element != value.shape.kind) {
        return Err(error(op, diagnostic!(CUBE0700.scalar_buffers)));
    }
    if d.by_address() {
        let at = d.address(op, &buffer, index.at)?;
        return if stores { d.write(at, &value) } else { d.read(at, &value) };
    }
    let bool = value.shape.kind == LaneKind::Int(1);
    for lane in 0..value.shape.lanes() {
        let (offset, at) = (d.constant(op, lane.into())?, d.slots(op, 1)?);
        // The index is a u32 in the cube dialect, and an `index` in accesses of memrefs.
        d.emit(Code::Map2(ints::add), at, [index.at, offset, 0], 1, index.shape.kind.bits())?;
        match stores {
            true => d.emit(Code::Store { checked: false, slice: false }, 0, [at, buffer.at, value.at + lane], 1, 0)?,
            false => {
                let code = Code::Load { checked: false, slice: false, bool };
                d.emit(code, value.at + lane, [at, buffer.at, 0], 1, 0)?
            }
        };
    }
    Ok(())
}

/// `cube.atomic_load` and the other atomics.
pub fn atomic<'p>(d: &mut Decoder<'p>, parts: AccessOperands<'p>) -> DecodeResult {
    let op = parts.op;
    let (buffer, index) = (d.operand(op, parts.memory)?, d.operand(op, parts.need(parts.index)?)?);
    let held = buffer.shape.held.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_buffer)))?;
    let checked = checked(d, op, parts.memory);
    let value = match parts.value {
        Some(value) => d.operand(op, value)?.at,
        None => 0,
    };
    let (kind, imm) = match parts.kind {
        AccessKind::AtomicStore => (AtomicKind::Store, 0),
        AccessKind::AtomicRmw => {
            let word = Combine::on(op);
            let f = word.and_then(|word| combine::function(word, held.element, d.ring()));
            let f =
                f.ok_or_else(|| error(op, diagnostic!(CUBE0700.combine { element: format!("{:?}", held.element) })))?;
            (AtomicKind::Rmw(f), held.element.bits())
        }
        AccessKind::AtomicCas => (AtomicKind::Cas, d.operand(op, parts.need(parts.other)?)?.at),
        _ => (AtomicKind::Load, 0),
    };
    let slot = match op.results().next() {
        Some(result) => d.define(op, result)?.at,
        None => 0,
    };
    d.has_atomics = true;
    if d.by_address() {
        let at = d.address(op, &buffer, index.at)?;
        return d.atomic_at(kind, [at, value, slot], held.element, imm);
    }
    let code = Code::Atomic { kind, checked, slice: buffer.shape.kind == LaneKind::Slice };
    d.emit(code, slot, [index.at, buffer.at, value], 1, imm).map(|_| ())
}

/// `cube.alloc`, `memref.alloca`: one allocation, even if the operation executes several times.
pub fn alloc<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let slot = d.define(op, op.result(0))?;
    let held = slot.shape.held.filter(|held| matches!(held.space, Space::Shared | Space::Local));
    let held = held.ok_or_else(|| error(op, diagnostic!(CUBE0700.gives { ty: op.result(0).ty() })))?;
    let elements = held.lines.unwrap_or(0).saturating_mul(held.line.into());
    let number = d.program().buffers.len() as u32;
    let (mut base, mut word) = (0, "shared");
    if held.space == Space::Local {
        word = "local";
        if elements > MAX_PROGRAM_SIZE as u64 {
            return Err(error(
                op,
                diagnostic!(CUBE0701.memory { ty: op.result(0).ty(), elements, limit: MAX_PROGRAM_SIZE }),
            ));
        }
        base = d.slots(op, elements as u32)?;
        d.locals.insert(slot.at, (base, number));
    }
    let count = d.program().buffers.iter().flatten().filter(|b| b.held.space == held.space).count();
    let name = format!("{word}{count}");
    let offset = shared_offset(op).filter(|_| held.space == Space::Shared);
    d.program().buffers.push(Some(BufferDecl { name, held, base, offset }));
    d.program().constants.push((slot.at, number.into()));
    Ok(())
}

/// `cube.slice`
pub fn slice<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (buffer, start, end) = (d.operand(op, 0)?, d.operand(op, 1)?, d.operand(op, 2)?);
    let slot = d.define(op, op.result(0))?;
    let code = Code::Slice { slice: buffer.shape.kind == LaneKind::Slice };
    d.emit(code, slot.at, [buffer.at, start.at, end.at], 4, 0).map(|_| ())
}

/// `cube.len`, `cube.buffer_len`, `cube.rank`, `cube.shape`, `cube.stride`, `cube.coordinate`
pub fn measure<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let buffer = d.operand(op, 0)?;
    let what = match op.kind() {
        cube::BUFFER_LEN if buffer.shape.kind == LaneKind::Slice => Measure::SliceBufferLen,
        cube::BUFFER_LEN => Measure::BufferLen,
        cube::RANK => Measure::Rank,
        cube::SHAPE => Measure::Shape,
        cube::STRIDE => Measure::Stride,
        cube::COORDINATE => Measure::Coordinate,
        _ if buffer.shape.kind == LaneKind::Slice => return d.alias(op, op.result(0), buffer.at + 2),
        _ => Measure::Len,
    };
    let (dim, index) = match what {
        Measure::Coordinate => (d.operand(op, 2)?.at, d.operand(op, 1)?.at),
        Measure::Shape | Measure::Stride => (d.operand(op, 1)?.at, buffer.at),
        _ => (buffer.at, buffer.at),
    };
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Measure(what), slot.at, [buffer.at, dim, index], 1, 32).map(|_| ())
}

/// `memref.dim`, of the only dimension.
pub fn dim<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let number = op.operand(1).def_of(arith::CONSTANT).and_then(|c| c.attr("value")).and_then(|a| a.as_int());
    if number != Some(0) {
        return Err(error(op, diagnostic!(CUBE0700.dimension)));
    }
    let buffer = d.operand(op, 0)?;
    if d.by_address() {
        return d.alias(op, op.result(0), buffer.at + 3);
    }
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Measure(Measure::BufferLen), slot.at, [buffer.at; 3], 1, 64).map(|_| ())
}

/// `cube.topology`: the value is stored in its slot before the unit starts.
pub fn topology<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let kind = ops::Topology::of(op).ok_or_else(|| error(op, diagnostic!(CUBE0700.topology)))?.kind();
    if d.form() == ExecutionForm::Cubes {
        return super::lowered::unit_position(d, op, kind);
    }
    let known = d.program().topology.iter().find(|(k, _)| *k == kind).map(|(_, at)| *at);
    if let Some(at) = known {
        return d.alias(op, op.result(0), at);
    }
    let slot = d.define(op, op.result(0))?;
    d.program().topology.push((kind, slot.at));
    Ok(())
}
