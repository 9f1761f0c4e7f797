//! Constants, comparisons, conversions, and what else is no plain function of lanes.
use super::{Decoder, error};
use crate::format::{BF16, F16, F32, F64, Format};
use crate::program::{Code, Fn1, Fn2};
use crate::rules::{convert, floats, ints, math, ring};
use crate::shape::Kind;
use cube_dialect::{Rounding, param_name};
use cube_ir::{AttrExt, Attribute, Builder, Diagnostic, Op, TypeExt};

type Done = Result<(), Diagnostic>;

/// `arith.constant`: its lanes stand in slots from the start.
pub fn constant<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let value = op.attr("value").ok_or_else(|| error(op, "CUBE0700", "a constant without a value"))?;
    let value = match param_name(Some(value), None) {
        Some(name) => given(d, op, name)?,
        None => value,
    };
    place(d, op, value)
}

/// `cube.constant`: the value of a comptime parameter.
pub fn cube_constant<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let name = op.attr("value").and_then(|a| param_name(Some(a), None)).unwrap_or_default();
    let value = given(d, op, name)?;
    place(d, op, value)
}

/// `cube.generic`: the operation that it names for what the types are here.
pub fn generic<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    // The first type that is a parameter decides.
    let types: Vec<_> = op.operands().chain(op.results()).map(|v| v.ty()).collect();
    let decides = types.iter().find(|ty| param_name(None, Some(ty.element())).is_some()).or(types.first());
    let float = decides.map(|ty| d.shape(op, *ty)).transpose()?.is_none_or(|shape| shape.kind.is_float());
    let (name, attrs) = match float {
        true => ("float_op", "float_attrs"),
        false => ("int_op", "int_attrs"),
    };
    let (name, attrs) = (op.attr(name).and_then(|a| a.as_str()), op.attr(attrs));
    let name = name.ok_or_else(|| error(op, "CUBE0316", "'cube.generic' names no operation for the chosen type"))?;
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
    d.param(name).ok_or_else(|| {
        error(
            op,
            "CUBE0304",
            format!("comptime parameter @{name} is not declared by the kernel; add it to comptime(...)"),
        )
    })
}

fn place<'p>(d: &mut Decoder<'p>, op: Op<'p>, value: Attribute<'p>) -> Done {
    let shape = d.shape(op, op.result(0).ty())?;
    let no_rule = || error(op, "CUBE0700", format!("the interpreter cannot read the constant {value}"));
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

fn bits_of(value: Attribute<'_>, kind: Kind, in_ring: bool) -> Option<u64> {
    if !kind.is_float() {
        // Of a type that is a parameter, constants are written as floats.
        let whole = |x: f64| (x.fract() == 0.0).then_some(x as i128 as i64);
        let int = value.as_int().or_else(|| value.as_float().and_then(whole))?;
        return Some(int as u64 & ints::mask(kind.bits()));
    }
    let x = value.as_float()?;
    // An attribute of the type itself is exact in f64; NaN keeps nothing but being one.
    Some(match kind.format() {
        _ if in_ring => ring::of_bits(x.to_bits(), Kind::F64),
        Some(format) => [F16::of_double, BF16::of_double, F32::of_double, F64::of_double][format](x),
        None => convert::of_double(x, kind),
    })
}

/// `ub.poison`: a value that must not be used.
pub fn poison<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let slot = d.define(op, op.result(0))?;
    let site = d.site;
    let lanes = slot.shape.lanes();
    d.program().poisons.extend((slot.at..slot.at + lanes).map(|at| (at, site)));
    Ok(())
}

fn predicate(op: Op<'_>) -> usize {
    op.attr("predicate").and_then(|a| a.as_int()).unwrap_or_default() as usize
}

/// `arith.cmpi`
pub fn cmpi<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let test = ints::COMPARE.get(predicate(op)).ok_or_else(|| error(op, "CUBE0700", "unknown predicate"))?;
    d.lanewise(op, Code::Map2(*test), &[])
}

/// `arith.cmpf`
pub fn cmpf<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let test = floats::COMPARE.get(predicate(op)).ok_or_else(|| error(op, "CUBE0700", "unknown predicate"))?;
    let format = d.format(op)?;
    let test = if d.ring() { ring::compare(predicate(op)) } else { test[format] };
    d.lanewise(op, Code::Map2(test), &[])
}

/// `arith.select`, of anything, buffers too.
pub fn select<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let all = d.operands(op)?;
    let code = if all[0].shape.dims.is_empty() { Code::Choose } else { Code::ChooseLanes };
    let slot = d.define(op, op.result(0))?;
    d.emit(code, slot.at, [all[0].at, all[1].at, all[2].at], slot.shape.lanes(), 0).map(|_| ())
}

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

/// `arith.trunci`
pub fn truncate<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    convert(d, op, Code::Map1(ints::truncate), |_, to| to)
}

/// `arith.extsi`
pub fn sign_extend<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    convert(d, op, Code::Map1(ints::extend), |from, to| from | to << 8)
}

/// `arith.index_cast`, `arith.index_castui`: a truncation, or an extension with or without sign.
pub fn index_cast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let (from, to) = (d.operand(op, 0)?.shape.kind.bits(), d.shape(op, op.result(0).ty())?.kind.bits());
    match (from < to, op.is("arith.index_cast")) {
        (true, true) => sign_extend(d, op),
        (true, false) => same_bits(d, op),
        (false, _) if from == to => same_bits(d, op),
        (false, _) => truncate(d, op),
    }
}

fn convert<'p>(d: &mut Decoder<'p>, op: Op<'p>, code: Code, imm: fn(u32, u32) -> u32) -> Done {
    let from = d.operand(op, 0)?;
    let slot = d.define(op, op.result(0))?;
    let (f, t) = (from.shape.kind.bits(), slot.shape.kind.bits());
    let inst = d.emit(code, slot.at, [from.at, 0, 0], slot.shape.lanes(), imm(f, t))?;
    d.flaws(inst, &ints::promised(op), f | t << 8);
    Ok(())
}

/// `arith.extf`, `arith.truncf`
pub fn float_to_float<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let mode = op.attr("roundingmode").map(|a| a.to_string()).unwrap_or_default();
    if !mode.is_empty() && !mode.contains("to_nearest_even") && !mode.starts_with('0') {
        return Err(error(op, "CUBE0700", format!("'{}' with rounding mode {mode} has no rule", op.name())));
    }
    if d.ring() {
        return same_bits(d, op);
    }
    let (from, to) = (d.operand(op, 0)?.shape.kind, d.shape(op, op.result(0).ty())?.kind);
    let (Some(f), Some(t)) = (from.format(), to.format()) else {
        return cast_to(d, op, convert::How::default());
    };
    d.lanewise(op, Code::Map1(floats::CAST[f][t]), &[])
}

fn format_of_result<'p>(d: &Decoder<'p>, op: Op<'p>) -> Result<usize, Diagnostic> {
    let kind = d.shape(op, op.result(0).ty())?.kind;
    kind.format().ok_or_else(|| error(op, "CUBE0700", format!("'{}' to {kind:?} has no rule", op.name())))
}

/// `arith.sitofp`, `arith.uitofp`
pub fn int_to_float<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let four = if op.name().ends_with("sitofp") { floats::OF_SIGNED } else { floats::OF_UNSIGNED };
    let to = format_of_result(d, op)?;
    if d.ring() {
        let f = if op.name().ends_with("sitofp") { ring::of_signed } else { ring::of_unsigned };
        return d.lanewise(op, Code::Map1(f), &[]);
    }
    d.lanewise(op, Code::Map1(four[to]), &[])
}

/// `arith.fptosi`, `arith.fptoui`
pub fn float_to_int<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let from = d.format(op)?;
    let (four, flaws) = match op.name().ends_with("fptosi") {
        true => (floats::TO_SIGNED, floats::OUTSIDE_SIGNED),
        false => (floats::TO_UNSIGNED, floats::OUTSIDE_UNSIGNED),
    };
    let source = d.operand(op, 0)?;
    let slot = d.define(op, op.result(0))?;
    let bits = slot.shape.kind.bits();
    if d.ring() {
        let f = if op.name().ends_with("fptosi") { ring::to_signed } else { ring::to_unsigned };
        return d.emit(Code::Map1(f), slot.at, [source.at, 0, 0], slot.shape.lanes(), bits).map(|_| ());
    }
    let inst = d.emit(Code::Map1(four[from]), slot.at, [source.at, 0, 0], slot.shape.lanes(), bits)?;
    d.flaws(inst, &[flaws[from]], bits << 8);
    Ok(())
}

/// Operations with two results: low part and carry, or low and high part.
pub fn extended<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let (low, high): (Fn2, Fn2) = match op.name() {
        "arith.addui_extended" => (ints::add, ints::carry),
        "arith.mulsi_extended" => (ints::mul, ints::muls_high),
        _ => (ints::mul, ints::mulu_high),
    };
    let (a, b) = (d.operand(op, 0)?, d.operand(op, 1)?);
    for (number, f) in [low, high].into_iter().enumerate() {
        let slot = d.define(op, op.result(number))?;
        d.emit(Code::Map2(f), slot.at, [a.at, b.at, 0], slot.shape.lanes(), a.shape.kind.bits())?;
    }
    Ok(())
}

/// `math.sincos`
pub fn sincos<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let (format, a) = (d.format(op)?, d.operand(op, 0)?);
    for (number, name) in ["math.sin", "math.cos"].into_iter().enumerate() {
        let four = math::UNARY.iter().find(|(n, _)| *n == name).map(|(_, four)| four);
        let four = four.ok_or_else(|| error(op, "CUBE0700", format!("{name} has no rule")))?;
        let slot = d.define(op, op.result(number))?;
        let f = if d.ring() { ring::unary(name) } else { four[format] };
        d.emit(Code::Map1(f), slot.at, [a.at, 0, 0], slot.shape.lanes(), ring::name(name))?;
    }
    Ok(())
}

/// `math.fpowi`, with a 32-bit power.
pub fn fpowi<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    if d.operand(op, 1)?.shape.kind != Kind::Int(32) {
        return Err(error(op, "CUBE0700", "'math.fpowi' has a rule for powers of type i32 only"));
    }
    let format = d.format(op)?;
    if d.ring() {
        return d.in_ring(op, Code::Map2(ring::binary(op.name())));
    }
    d.lanewise(op, Code::Map2(math::FPOWI[format]), &[])
}

/// `cube.cast`
pub fn cast<'p>(d: &mut Decoder<'p>, op: Op<'p>) -> Done {
    let rounding = match Rounding::of(op.attr("rounding")) {
        None | Some(Rounding::NearestEven) => 0,
        Some(Rounding::TowardZero) => 1,
        Some(Rounding::Upward) => 2,
        Some(Rounding::Downward) => 3,
    };
    let has = |name: &str| op.attr(name).is_some();
    let how = convert::How {
        from_unsigned: has("from_unsigned"),
        to_unsigned: has("to_unsigned"),
        saturate: has("saturate"),
        rounding,
    };
    cast_to(d, op, how)
}

fn cast_to<'p>(d: &mut Decoder<'p>, op: Op<'p>, how: convert::How) -> Done {
    let from = d.operand(op, 0)?;
    let to = d.shape(op, op.result(0).ty())?.kind;
    let plan = convert::plan(from.shape.kind, to, how)
        .ok_or_else(|| error(op, "CUBE0700", format!("'{}' of a buffer has no rule", op.name())))?;
    let (f, imm): (Fn1, u32) = match (d.ring(), from.shape.kind.is_float(), to.is_float()) {
        (true, true, true) => return same_bits(d, op),
        (true, false, true) if how.from_unsigned || from.shape.kind.bits() == 1 => (ring::of_unsigned, 0),
        (true, false, true) => (ring::of_signed, from.shape.kind.bits()),
        (true, true, false) if how.to_unsigned => (ring::to_unsigned, to.bits()),
        (true, true, false) => (ring::to_signed, to.bits()),
        _ => (convert::cast, plan),
    };
    let slot = d.define(op, op.result(0))?;
    d.emit(Code::Map1(f), slot.at, [from.at, 0, 0], slot.shape.lanes(), imm).map(|_| ())
}
