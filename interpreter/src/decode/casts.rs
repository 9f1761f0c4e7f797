//! Constants, comparisons, conversions, and other operations that are not computed lane by lane.
use super::decoder::{Decoder, error};
use super::scalars;
use crate::program::Code;
use crate::rules::{math, ring};
use crate::shape::LaneKind;
use cube_dialect::{Rounding, param_name};
use cube_ir::ops;
use cube_ir::{AttrExt, Attribute, Builder, Diagnostic, Op, TypeExt, diagnostic};
use cube_semantics::convert::of_double;
use cube_semantics::{Cast, Conversion, Number, ints};

type DecodeResult = Result<(), Diagnostic>;

/// `arith.constant`: its lanes are stored in slots before a unit starts.
pub fn constant<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let value = op.attr("value").ok_or_else(|| error(op, diagnostic!(CUBE0700.no_value)))?;
    let value = match param_name(Some(value), None) {
        Some(name) => given(d, op, name)?,
        None => value,
    };
    define_constant(d, op, value)
}

/// `cube.constant`: the value of a comptime parameter.
pub fn cube_constant<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let name = op.attr("value").and_then(|a| param_name(Some(a), None)).unwrap_or_default();
    let value = given(d, op, name)?;
    define_constant(d, op, value)
}

/// `cube.generic`: decodes the named operation for the instantiated types.
pub fn generic<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    // The first type that is a type parameter selects the operation.
    let types: Vec<_> = op.operands().chain(op.results()).map(|v| v.ty()).collect();
    let decides = types.iter().find(|ty| param_name(None, Some(ty.element())).is_some()).or(types.first());
    let float = decides.map(|ty| d.shape(op, *ty)).transpose()?.is_none_or(|shape| shape.kind.is_float());
    let (name, attrs) = match float {
        true => ("float_op", "float_attrs"),
        false => ("int_op", "int_attrs"),
    };
    let (name, attrs) = (op.attr(name).and_then(|a| a.as_str()), op.attr(attrs));
    let name = name.ok_or_else(|| error(op, diagnostic!(CUBE0316.unnamed)))?;
    let operands: Vec<_> = op.operands().collect();
    let mut spec = Builder::before(op).op(name).operands(&operands).result(op.result(0).ty());
    for entry in attrs.map(|a| a.entry_names()).unwrap_or_default() {
        if let Some(value) = attrs.and_then(|a| a.entry(entry)) {
            spec = spec.attr(entry, value);
        }
    }
    spec.look(|chosen| {
        d.operation(chosen)?;
        d.rename(chosen.result(0), op.result(0));
        Ok(())
    })
}

fn given<'p>(d: &Decoder<'p>, op: Op<'p>, name: &str) -> Result<Attribute<'p>, Diagnostic> {
    d.param(name).ok_or_else(|| error(op, diagnostic!(CUBE0304.left { name })))
}

fn define_constant<'p>(d: &mut Decoder<'p>, op: Op<'p>, value: Attribute<'p>) -> DecodeResult {
    let shape = d.shape(op, op.result(0).ty())?;
    let no_rule = || error(op, diagnostic!(CUBE0700.constant { value }));
    let elements = value.as_elements().unwrap_or_else(|| vec![value]);
    let in_ring = d.ring();
    let bits: Option<Vec<u64>> = elements.iter().map(|e| bits_of(*e, shape.kind, in_ring)).collect();
    let bits = bits.ok_or_else(no_rule)?;
    if shape.dims.is_empty() {
        let at = d.constant(op, *bits.first().ok_or_else(no_rule)?)?;
        return d.alias(op, op.result(0), at);
    }
    let slot = d.define(op, op.result(0))?;
    for lane in 0..shape.lanes() {
        let bits = *bits.get(if bits.len() == 1 { 0 } else { lane as usize }).ok_or_else(no_rule)?;
        d.program().constants.push((slot.at + lane, bits));
    }
    Ok(())
}

fn bits_of(value: Attribute<'_>, kind: LaneKind, in_ring: bool) -> Option<u64> {
    if !kind.is_float() {
        // Constants of a type parameter are written as floats.
        let whole = |x: f64| (x.fract() == 0.0).then_some(x as i128 as i64);
        let int = value.as_int().or_else(|| value.as_float().and_then(whole))?;
        return Some(int as u64 & ints::mask(kind.bits()));
    }
    let x = value.as_float()?;
    // The f64 represents the attribute's number exactly, but loses the payload of a NaN.
    let number = if in_ring { return Some(ring::of_bits(x.to_bits(), Number::F64)) } else { kind.number()? };
    Some(of_double(x, number))
}

/// `ub.poison`: an undefined value.
pub fn poison<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let slot = d.define(op, op.result(0))?;
    let site = d.site;
    let lanes = slot.shape.lanes();
    d.program().poisons.extend((slot.at..slot.at + lanes).map(|at| (at, site)));
    Ok(())
}

/// `arith.select` of any type, including buffers.
pub fn select<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let all = d.operands(op)?;
    let code = if all[0].shape.dims.is_empty() { Code::Choose } else { Code::ChooseLanes };
    let slot = d.define(op, op.result(0))?;
    d.emit(code, slot.at, [all[0].at, all[1].at, all[2].at], slot.shape.lanes(), 0).map(|_| ())
}

/// Decodes `math.sincos` as a sine and a cosine.
pub fn sincos<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let (format, a) = (d.format(op)?, d.operand(op, 0)?);
    for (number, kind) in [ops::math::SIN, ops::math::COS].into_iter().enumerate() {
        let by_format = math::unary(kind).ok_or_else(|| error(op, diagnostic!(CUBE0700.name { name: kind })))?;
        let slot = d.define(op, op.result(number))?;
        let f = if d.ring() { ring::unary(kind) } else { by_format[format] };
        d.emit(Code::Map1(f), slot.at, [a.at, 0, 0], slot.shape.lanes(), ring::name(kind.name()))?;
    }
    Ok(())
}

/// `math.fpowi`, with a 32-bit power.
pub fn fpowi<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    if d.operand(op, 1)?.shape.kind != LaneKind::Int(32) {
        return Err(error(op, diagnostic!(CUBE0700.power)));
    }
    let format = d.format(op)?;
    if d.ring() {
        return d.in_ring(op, Code::Map2(ring::binary(op.kind())));
    }
    d.lanewise(op, Code::Map2(math::FPOWI[format]), &[])
}

/// Decodes `cube.cast`. The default rounding is to nearest even.
pub fn cast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> DecodeResult {
    let rounding = match cube_dialect::ops::Cast::of(op).and_then(|cast| cast.rounding()) {
        None | Some(Rounding::NearestEven) => cube_semantics::Rounding::NearestEven,
        Some(Rounding::TowardZero) => cube_semantics::Rounding::TowardZero,
        Some(Rounding::Upward) => cube_semantics::Rounding::Upward,
        Some(Rounding::Downward) => cube_semantics::Rounding::Downward,
    };
    let has = |name: &str| op.attr(name).is_some();
    let (from_unsigned, to_unsigned, saturate) = (has("from_unsigned"), has("to_unsigned"), has("saturate"));
    scalars::convert(d, op, Conversion::Cast(Cast { from_unsigned, to_unsigned, saturate, rounding }))
}
