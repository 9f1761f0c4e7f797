//! Operations on scalars and vectors. The crate cube-semantics defines the functions of these operations and
//! the conditions for undefined results.
use super::decoder::{Decoder, error};
use crate::program::{Code, Flaw, Fn1, Fn2};
use crate::rules::ring;
use cube_dialect::{float_predicate, int_predicate};
use cube_ir::ops::{arith, llvm};
use cube_ir::{Diagnostic, Dialect, Op, diagnostic};
use cube_semantics::{Conversion, FloatFunctions, IntFunctions, IntOp, Meaning, Promise};

type DecodeResult = Result<(), Diagnostic>;

/// Decodes any operation that the crate cube-semantics defines.
pub fn scalar<'p>(d: &mut Decoder<'p>, op: Op<'p>, meaning: Meaning) -> DecodeResult {
    match meaning {
        Meaning::Int(int) => integer(d, op, int),
        Meaning::IntPair(pair) => integer_pair(d, op, pair),
        Meaning::Float(operation) => float(d, op, operation.functions()),
        Meaning::CompareInts => compare_ints(d, op),
        Meaning::CompareFloats => compare_floats(d, op),
        // A float of fewer than 8 bits is the lower part of a byte in memory, so its upper bits are cleared.
        Meaning::Convert(Conversion::Bits) if is_part_of_byte(d, op)? && !d.ring() => convert(d, op, Conversion::Bits),
        Meaning::Convert(Conversion::Bits) => super::bits::bitcast(d, op),
        Meaning::Convert(Conversion::Float) => convert_float(d, op),
        Meaning::Convert(conversion) => convert(d, op, conversion),
    }
}

fn is_part_of_byte<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Result<bool, Diagnostic> {
    let from = d.operand(op, 0)?.shape.kind;
    Ok(from.is_float() && from.bits() < 8)
}

fn integer<'p>(d: &mut Decoder<'p>, op: Op<'p>, int: IntOp) -> DecodeResult {
    match int.functions() {
        IntFunctions::One(f) => d.lanewise(op, Code::Map1(f), &[]),
        IntFunctions::Two(f, flaws) => {
            let mut all = flaws.to_vec();
            all.extend(promised(op, |promise| int.violation_of(promise)));
            d.lanewise(op, Code::Map2(f), &all)
        }
    }
}

// The flaws of operands that violate flags of the operation, such as `nsw`.
fn promised(op: Op<'_>, broken: impl Fn(Promise) -> Option<Flaw>) -> Vec<Flaw> {
    let flags = op.attr("overflowFlags");
    let [signed, unsigned] = if op.is_of(Dialect::Llvm) {
        use llvm::IntegerOverflowFlags as Flags;
        [Flags::NSW, Flags::NUW].map(|flag| Flags::of(flags).is_some_and(|flags| flags.contains(flag)))
    } else {
        use arith::IntegerOverflowFlags as Flags;
        [Flags::NSW, Flags::NUW].map(|flag| Flags::of(flags).is_some_and(|flags| flags.contains(flag)))
    };
    let is_given = |promise: &Promise| match promise {
        Promise::NoSignedWrap => signed,
        Promise::NoUnsignedWrap => unsigned,
        Promise::Exact => op.attr("isExact").is_some(),
    };
    Promise::ALL.into_iter().filter(is_given).filter_map(broken).collect()
}

// Operations with two results: low part and carry, or low and high part.
fn integer_pair<'p>(d: &mut Decoder<'p>, op: Op<'p>, pair: [IntOp; 2]) -> DecodeResult {
    let (a, b) = (d.operand(op, 0)?, d.operand(op, 1)?);
    for (number, int) in pair.into_iter().enumerate() {
        let slot = d.define(op, op.result(number))?;
        let code = match int.functions() {
            IntFunctions::One(f) => Code::Map1(f),
            IntFunctions::Two(f, _) => Code::Map2(f),
        };
        d.emit(code, slot.at, [a.at, b.at, 0], slot.shape.lanes(), a.shape.kind.bits())?;
    }
    Ok(())
}

/// Decodes a float operation, on floats in their format or on elements of the ring.
pub fn float<'p>(d: &mut Decoder<'p>, op: Op<'p>, rule: FloatFunctions) -> DecodeResult {
    if d.ring() {
        let code = match rule {
            FloatFunctions::One(_) => Code::Map1(ring::unary(op.kind())),
            FloatFunctions::Two(_) => Code::Map2(ring::binary(op.kind())),
            FloatFunctions::Three(_) => Code::Map3(ring::ternary(op.kind())),
        };
        return d.in_ring(op, code);
    }
    let format = d.format(op)?;
    let code = match rule {
        FloatFunctions::One(four) => Code::Map1(four[format]),
        FloatFunctions::Two(four) => Code::Map2(four[format]),
        FloatFunctions::Three(four) => Code::Map3(four[format]),
    };
    d.lanewise(op, code, &[])
}

fn predicate<'p, T>(op: Op<'p>, of: fn(Op<'p>) -> Option<T>) -> Result<T, Diagnostic> {
    of(op).ok_or_else(|| error(op, diagnostic!(CUBE0700.predicate)))
}

fn compare_ints<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let test = predicate(op, int_predicate)?.function();
    d.lanewise(op, Code::Map2(test), &[])
}

fn compare_floats<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let predicate = predicate(op, float_predicate)?;
    let format = d.format(op)?;
    let test: Fn2 = if d.ring() { ring::compare(predicate) } else { predicate.functions()[format] };
    d.lanewise(op, Code::Map2(test), &[])
}

fn convert_float<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let mode = op.attr("roundingmode");
    if let Some(mode) = mode.filter(|_| arith::RoundingMode::of(mode) != Some(arith::RoundingMode::ToNearestEven)) {
        return Err(error(op, diagnostic!(CUBE0700.rounding { mode })));
    }
    convert(d, op, Conversion::Float)
}

/// A conversion from the type of the operand to the type of the result.
pub fn convert<'p>(d: &mut Decoder<'p>, op: Op<'p>, conversion: Conversion) -> DecodeResult {
    let (from, to) = (d.operand(op, 0)?.shape.kind, d.shape(op, op.result(0).ty())?.kind);
    let numbers = from.number().zip(to.number());
    let plan = numbers.and_then(|(from, to)| conversion.plan(from, to));
    let plan = plan.ok_or_else(|| {
        error(op, diagnostic!(CUBE0700.conversion { from: format!("{from:?}"), to: format!("{to:?}") }))
    })?;
    let (function, imm) = match plan.function {
        Some(function) => (function, plan.imm),
        None => return super::bits::same_bits(d, op),
    };
    let source = d.operand(op, 0)?;
    let widths = from.bits() | to.bits() << 8;
    if d.ring() && (from.is_float() || to.is_float()) {
        let Some((function, imm)) = in_ring(conversion, [from.is_float(), to.is_float()], from.bits(), to.bits())
        else {
            return super::bits::same_bits(d, op);
        };
        let slot = d.define(op, op.result(0))?;
        return d.emit(Code::Map1(function), slot.at, [source.at, 0, 0], slot.shape.lanes(), imm).map(|_| ());
    }
    let slot = d.define(op, op.result(0))?;
    let inst = d.emit(Code::Map1(function), slot.at, [source.at, 0, 0], slot.shape.lanes(), imm)?;
    let mut flaws: Vec<Flaw> = plan.flaw.into_iter().collect();
    flaws.extend(promised(op, |promise| conversion.violation_of(promise)));
    d.flaws(inst, &flaws, widths);
    Ok(())
}

// A conversion from or to floats in the ring, with the last operand of its function. In the ring, a conversion between
// floats is the identity.
fn in_ring(conversion: Conversion, [from, to]: [bool; 2], from_bits: u32, to_bits: u32) -> Option<(Fn1, u32)> {
    let cast = match conversion {
        Conversion::Cast(cast) => cast,
        _ => Default::default(),
    };
    let no_sign = matches!(conversion, Conversion::Cast(_)) && (cast.from_unsigned || from_bits == 1);
    Some(match (from, to) {
        (true, true) => return None,
        (false, _) if no_sign || conversion == Conversion::OfUnsigned => (ring::of_unsigned, from_bits),
        (false, _) => (ring::of_signed, from_bits),
        (true, _) if cast.to_unsigned || conversion == Conversion::ToUnsigned => (ring::to_unsigned, to_bits),
        (true, _) => (ring::to_signed, to_bits),
    })
}
