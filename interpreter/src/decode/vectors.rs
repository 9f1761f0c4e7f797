//! Vectors. Lanes are consecutive slots, so most operations are aliases of slots, or copies.
use super::decoder::{Decoder, Slot, error};
use crate::program::Code;
use crate::rules::ring;
use cube_dialect::meaning_of;
use cube_ir::ops::{arith, llvm, vector, vector::CombiningKind};
use cube_ir::{AttrExt, DYNAMIC, Diagnostic, Op, OpKind, diagnostic};
use cube_semantics::{FloatFunctions, IntFunctions, Meaning};

type DecodeResult = Result<(), Diagnostic>;

/// Marks a poison lane of a shuffle or an extract.
const POISON: i64 = -1;

fn positions(op: Op<'_>) -> Vec<i64> {
    op.attr("static_position").and_then(|a| a.as_i64_array()).unwrap_or_default()
}

// The first lane at a static position, and the number of lanes at this position.
fn element_lanes(slot: &Slot, position: &[i64]) -> Option<(u32, u32)> {
    let mut lanes = slot.shape.lanes();
    let mut at = 0;
    for (index, size) in position.iter().zip(&slot.shape.dims) {
        lanes /= (*size).max(1);
        at += u32::try_from(*index).ok().filter(|i| i < size)? * lanes;
    }
    Some((at, lanes))
}

/// Decodes `vector.extract`.
pub fn extract<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (source, position) = (d.operand(op, 0)?, positions(op));
    if position == [DYNAMIC] {
        let index = d.operand(op, 1)?;
        let slot = d.define(op, op.result(0))?;
        let places = source.shape.dims.first().copied().unwrap_or(1);
        return d
            .emit(Code::Pick { total: false }, slot.at, [index.at, source.at, 0], slot.shape.lanes(), places)
            .map(|_| ());
    }
    if position.contains(&POISON) {
        return super::casts::poison(d, op);
    }
    let (at, _) = element_lanes(&source, &position).ok_or_else(|| several(op))?;
    d.alias(op, op.result(0), source.at + at)
}

/// Decodes `vector.insert`.
pub fn insert<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (value, into, position) = (d.operand(op, 0)?, d.operand(op, 1)?, positions(op));
    let slot = d.define(op, op.result(0))?;
    let (lanes, part) = (slot.shape.lanes(), value.shape.lanes());
    d.emit(Code::Copy, slot.at, [into.at, 0, 0], lanes, 0)?;
    if position == [DYNAMIC] {
        let index = d.operand(op, 2)?;
        let places = slot.shape.dims.first().copied().unwrap_or(1);
        return d.emit(Code::Put { total: false }, slot.at, [index.at, value.at, 0], part, places).map(|_| ());
    }
    let (at, _) = element_lanes(&slot, &position).ok_or_else(|| several(op))?;
    d.emit(Code::Copy, slot.at + at, [value.at, 0, 0], part, 0).map(|_| ())
}

fn several(op: Op<'_>) -> Diagnostic {
    error(op, diagnostic!(CUBE0700.position))
}

/// Decodes `vector.broadcast`, which repeats a scalar or the trailing dimensions.
pub fn broadcast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let source = d.operand(op, 0)?;
    let slot = d.define(op, op.result(0))?;
    let (part, lanes) = (source.shape.lanes(), slot.shape.lanes());
    if part == 1 {
        return d.emit(Code::Splat, slot.at, [source.at, 0, 0], lanes, 0).map(|_| ());
    }
    if !slot.shape.dims.ends_with(&source.shape.dims) {
        return Err(error(op, diagnostic!(CUBE0700.stretch)));
    }
    for at in (0..lanes).step_by(part as usize) {
        d.emit(Code::Copy, slot.at + at, [source.at, 0, 0], part, 0)?;
    }
    Ok(())
}

/// Decodes `vector.from_elements`.
pub fn from_elements<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let lanes: Vec<u32> = d.operands(op)?.iter().map(|s| s.at).collect();
    gather(d, op, 0, &lanes)
}

// Defines a result whose lanes are copies of the slots `lanes`.
fn gather<'p>(d: &mut Decoder<'p>, op: Op<'p>, result: usize, lanes: &[u32]) -> DecodeResult {
    let slot = d.define(op, op.result(result))?;
    for (lane, from) in lanes.iter().enumerate() {
        d.emit(Code::Copy, slot.at + lane as u32, [*from, 0, 0], 1, 0)?;
    }
    Ok(())
}

// The start of a strided slice. The slice must be one-dimensional and without gaps.
fn begin(op: Op<'_>) -> Result<u32, Diagnostic> {
    let list = |name: &str| -> Vec<i64> {
        let items = op.attr(name).and_then(|a| a.as_array()).unwrap_or_default();
        items.iter().filter_map(|a| a.as_int()).collect()
    };
    match (list("offsets").as_slice(), list("strides").as_slice()) {
        ([at], [1]) => u32::try_from(*at).map_err(|_| several(op)),
        _ => Err(error(op, diagnostic!(CUBE0700.gaps))),
    }
}

/// Decodes `vector.extract_strided_slice` of one dimension.
pub fn part<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let at = d.operand(op, 0)?.at + begin(op)?;
    d.alias(op, op.result(0), at)
}

/// Decodes `vector.insert_strided_slice` of one dimension.
pub fn with_part<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (part, into, at) = (d.operand(op, 0)?, d.operand(op, 1)?, begin(op)?);
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Copy, slot.at, [into.at, 0, 0], slot.shape.lanes(), 0)?;
    d.emit(Code::Copy, slot.at + at, [part.at, 0, 0], part.shape.lanes(), 0).map(|_| ())
}

/// Decodes `vector.to_elements`.
pub fn to_elements<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let source = d.operand(op, 0)?;
    for (lane, result) in op.results().enumerate() {
        d.alias(op, result, source.at + lane as u32)?;
    }
    Ok(())
}

/// Decodes `vector.shape_cast`.
pub fn shape_cast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    super::bits::same_bits(d, op)
}

/// Decodes `vector.shuffle` of one-dimensional vectors.
pub fn shuffle<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (a, b) = (d.operand(op, 0)?, d.operand(op, 1)?);
    if a.shape.dims.len() > 1 {
        return Err(error(op, diagnostic!(CUBE0700.shuffle)));
    }
    let narrow = |m: Vec<i32>| m.into_iter().map(i64::from).collect();
    let mask = op.attr("mask").and_then(|m| m.as_i64_array().or_else(|| m.as_i32_array().map(narrow)));
    let mask = mask.ok_or_else(|| error(op, diagnostic!(CUBE0700.no_mask)))?;
    let slot = d.define(op, op.result(0))?;
    let first = i64::from(a.shape.lanes());
    for (lane, &from) in mask.iter().enumerate() {
        let to = slot.at + lane as u32;
        if from == POISON {
            let site = d.site;
            d.program().poisons.push((to, site));
            continue;
        }
        let from = if from < first { a.at + from as u32 } else { b.at + (from - first) as u32 };
        d.emit(Code::Copy, to, [from, 0, 0], 1, 0)?;
    }
    Ok(())
}

/// Decodes `vector.interleave`. In the result, lanes of the two operands alternate.
pub fn interleave<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (a, b) = (d.operand(op, 0)?, d.operand(op, 1)?);
    let lanes: Vec<u32> = (0..a.shape.lanes()).flat_map(|i| [a.at + i, b.at + i]).collect();
    gather(d, op, 0, &lanes)
}

/// Decodes `vector.deinterleave`. The first result has the even lanes, and the second result has the odd
/// lanes.
pub fn deinterleave<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let source = d.operand(op, 0)?;
    for odd in 0..2 {
        let lanes: Vec<u32> = (odd..source.shape.lanes()).step_by(2).map(|i| source.at + i).collect();
        gather(d, op, odd as usize, &lanes)?;
    }
    Ok(())
}

/// Decodes `vector.step`, whose lanes are 0, 1, 2 and so on.
pub fn step<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let slot = d.define(op, op.result(0))?;
    let lanes = slot.shape.lanes();
    d.program().constants.extend((0..lanes).map(|lane| (slot.at + lane, u64::from(lane))));
    Ok(())
}

// The operation that a vector or LLVM reduction applies to two lanes. LLVM's `fmax` is arith's `maxnumf`.
fn combining(op: Op<'_>, float: bool) -> Option<OpKind> {
    let kind = match op.kind() {
        vector::REDUCTION => vector::Reduction::of(op)?.kind()?,
        llvm::INTR_VECTOR_REDUCE_ADD | llvm::INTR_VECTOR_REDUCE_FADD => CombiningKind::Add,
        llvm::INTR_VECTOR_REDUCE_MUL | llvm::INTR_VECTOR_REDUCE_FMUL => CombiningKind::Mul,
        llvm::INTR_VECTOR_REDUCE_AND => CombiningKind::And,
        llvm::INTR_VECTOR_REDUCE_OR => CombiningKind::Or,
        llvm::INTR_VECTOR_REDUCE_XOR => CombiningKind::Xor,
        llvm::INTR_VECTOR_REDUCE_SMAX => CombiningKind::Maxsi,
        llvm::INTR_VECTOR_REDUCE_SMIN => CombiningKind::Minsi,
        llvm::INTR_VECTOR_REDUCE_UMAX => CombiningKind::Maxui,
        llvm::INTR_VECTOR_REDUCE_UMIN => CombiningKind::Minui,
        llvm::INTR_VECTOR_REDUCE_FMAX => CombiningKind::Maxnumf,
        llvm::INTR_VECTOR_REDUCE_FMIN => CombiningKind::Minnumf,
        llvm::INTR_VECTOR_REDUCE_FMAXIMUM => CombiningKind::Maximumf,
        llvm::INTR_VECTOR_REDUCE_FMINIMUM => CombiningKind::Minimumf,
        _ => return None,
    };
    Some(match kind {
        CombiningKind::Add if float => arith::ADDF,
        CombiningKind::Mul if float => arith::MULF,
        CombiningKind::Add => arith::ADDI,
        CombiningKind::Mul => arith::MULI,
        CombiningKind::And => arith::ANDI,
        CombiningKind::Or => arith::ORI,
        CombiningKind::Xor => arith::XORI,
        CombiningKind::Maxsi => arith::MAXSI,
        CombiningKind::Minsi => arith::MINSI,
        CombiningKind::Maxui => arith::MAXUI,
        CombiningKind::Minui => arith::MINUI,
        CombiningKind::Maxnumf => arith::MAXNUMF,
        CombiningKind::Minnumf => arith::MINNUMF,
        CombiningKind::Maximumf => arith::MAXIMUMF,
        CombiningKind::Minimumf => arith::MINIMUMF,
    })
}

/// Decodes `vector.reduction` and LLVM's reductions. The reduction combines the lanes from the first to the
/// last, and begins with the initial value if the operation has one.
pub fn reduction<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let mut operands = d.operands(op)?;
    // In LLVM, the initial value precedes the vector.
    if operands.len() == 2 && operands[0].shape.dims.is_empty() {
        operands.swap(0, 1);
    }
    let source = &operands[0];
    let combined = combining(op, source.shape.kind.format().is_some()).unwrap_or_default();
    let rules = match meaning_of(combined) {
        Some(Meaning::Int(int)) => (Some(int.functions()), None),
        Some(Meaning::Float(float)) => (None, Some(float.functions())),
        _ => (None, None),
    };
    let f = match rules {
        (Some(IntFunctions::Two(f, _)), _) => f,
        (_, Some(FloatFunctions::Two(_))) if d.ring() => ring::binary(combined),
        (_, Some(FloatFunctions::Two(four))) => four[d.format(op)?],
        _ => return Err(error(op, diagnostic!(CUBE0700.reduction { word: combined }))),
    };
    let slot = d.define(op, op.result(0))?;
    let bits = source.shape.kind.bits();
    let lanes: Vec<u32> = (0..source.shape.lanes()).map(|i| source.at + i).collect();
    let mut all = operands.get(1).map(|start| start.at).into_iter().chain(lanes);
    let mut so_far = all.next().ok_or_else(|| error(op, diagnostic!(CUBE0700.no_lanes)))?;
    for lane in all {
        d.emit(Code::Map2(f), slot.at, [so_far, lane, 0], 1, bits)?;
        so_far = slot.at;
    }
    d.alias(op, op.result(0), so_far)
}
