//! Converts narrow floats with integer operations on their bits. Narrow floats are the float types of 4, 6 and 8 bits. On
//! the CPU they include all float types that LLVM lacks. The formats of narrow floats have at most 8 exponent bits and
//! fewer than 23 fraction bits, so f32 represents all their numbers. A float of fewer than 8 bits is the lower part of a
//! byte.
use cube_dialect::Rounding;
use cube_ir::ops::arith;
use cube_ir::{
    Builder, TypeExt, Val,
    upstream::{FloatCmp, IntCmp},
};
use cube_target::Format;

/// The number of fraction bits of f32 minus the number of fraction bits of the format.
fn shift(format: Format) -> i64 {
    i64::from(23 - format.fraction)
}

/// The exponent bias of f32 minus the bias of the format.
fn rebias(format: Format) -> i64 {
    i64::from(127 - format.bias())
}

/// The number of bits of the integer that stores a number of the format.
fn stored(format: Format) -> u32 {
    format.width().max(8)
}

/// The bit pattern of a number. If the format has NaN and a sign, and does not represent the number, the bit pattern of
/// NaN.
pub fn encode(format: Format, number: f64) -> i64 {
    let pattern = format.encode(number);
    let exact = number.is_infinite() || format.decode(pattern) == number;
    let has_negative_nan = format.is_signed() && format.beyond() < format.sign();
    let sign = if number.is_sign_negative() { format.sign() } else { 0 };
    let bits = match has_negative_nan {
        true => (if exact { pattern } else { format.nan() }) | sign,
        false => pattern,
    };
    // The pattern is read as a signed number of the stored width, because attributes of integer types store signed
    // numbers.
    let above = 64 - stored(format);
    ((bits << above) as i64) >> above
}

/// The absolute value of the number that a bit pattern encodes. The function treats the largest exponent like
/// any other exponent, so it does not produce infinity or NaN.
fn natural<'p>(b: Builder<'p>, format: Format, code: Val<'p>) -> Val<'p> {
    let ints = code.ty();
    let floats = ints.with_element(b.cx().f32());
    let int = |n: i64| b.int(ints, n);
    let shifted = b.shli(code, int(shift(format)));
    let normal = b.cast(arith::BITCAST, b.addi(shifted, int(rebias(format) << 23)), floats);
    let steps = b.cast(arith::UITOFP, code, floats);
    let subnormal = b.mulf(steps, b.float(floats, format.step()));
    b.select(b.cmpi(IntCmp::Ult, code, int(1 << format.fraction)), subnormal, normal)
}

/// The f32 that a bit pattern encodes. The bit pattern is an integer of the format's width.
pub fn decode<'p>(b: Builder<'p>, format: Format, byte: Val<'p>) -> Val<'p> {
    let ints = byte.ty().with_element(b.cx().int(32));
    let floats = ints.with_element(b.cx().f32());
    let int = |n: i64| b.int(ints, n);
    let wide = b.cast(arith::EXTUI, byte, ints);
    let code = b.andi(wide, int(format.sign() as i64 - 1));
    let magnitude = b.cast(arith::BITCAST, natural(b, format, code), ints);
    let infinite = format.infinity().is_some();
    let mut magnitude = magnitude;
    if format.beyond() < format.sign() {
        let nan = b.cmpi(if infinite { IntCmp::Ugt } else { IntCmp::Eq }, code, int(format.beyond() as i64));
        magnitude = b.select(nan, int(0x7fc0_0000), magnitude);
    }
    if infinite {
        magnitude = b.select(b.cmpi(IntCmp::Eq, code, int(format.beyond() as i64)), int(0x7f80_0000), magnitude);
    }
    let sign = b.shli(b.andi(wide, int(format.sign() as i64)), int(32 - i64::from(format.width())));
    b.cast(arith::BITCAST, b.ori(magnitude, sign), floats)
}

/// The bit pattern of an f32, rounded once to the format.
pub fn from_f32<'p>(b: Builder<'p>, format: Format, x: Val<'p>, rounding: Rounding, saturate: bool) -> Val<'p> {
    let (floats, ints) = (x.ty(), x.ty().with_element(b.cx().int(32)));
    let int = |n: i64| b.int(ints, n);
    let bits = b.cast(arith::BITCAST, x, ints);
    let magnitude = b.andi(bits, int(0x7fff_ffff));
    let size = b.cast(arith::BITCAST, magnitude, floats);

    let mut code = nearest(b, format, magnitude, size);
    // A magnitude above the largest number is clamped to the next larger pattern, so that rounding down is still
    // possible.
    code = b.minui(code, int(format.most() as i64 + 1));
    if rounding != Rounding::NearestEven {
        let negative = b.cmpi(IntCmp::Slt, bits, int(0));
        code = directed(b, format, rounding, code, size, negative);
    }
    let over = b.cmpi(IntCmp::Ugt, code, int(format.most() as i64));
    code = b.select(over, int(if saturate { format.most() } else { format.overflow() } as i64), code);
    let sign = b.andi(b.shrui(bits, int(32 - i64::from(format.width()))), int(format.sign() as i64));
    let nan = |code: Val<'p>| b.select(b.cmpf(FloatCmp::Uno, x, x), int(format.nan() as i64), code);
    // In a format without NaN, the result for every NaN is a positive number.
    let has_nan = format.beyond() < format.sign();
    let code = if has_nan { b.ori(nan(code), sign) } else { nan(b.ori(code, sign)) };
    b.cast(arith::TRUNCI, code, x.ty().with_element(b.cx().int(stored(format))))
}

// For normal numbers, an integer addition rounds: it carries from the discarded fraction bits into the kept bits. For
// subnormal numbers, the float addition of 2^23 steps rounds to a multiple of a step, with ties to even.
fn nearest<'p>(b: Builder<'p>, format: Format, magnitude: Val<'p>, size: Val<'p>) -> Val<'p> {
    let (floats, ints) = (size.ty(), magnitude.ty());
    let int = |n: i64| b.int(ints, n);
    let shift = shift(format);
    let odd = b.andi(b.shrui(magnitude, int(shift)), int(1));
    let carried = b.addi(b.addi(magnitude, int((1 << (shift - 1)) - 1)), odd);
    let normal = b.subi(b.shrui(carried, int(shift)), int(rebias(format) << format.fraction));
    let magic = b.float(floats, format.step() * 2f64.powi(23));
    let summed = b.cast(arith::BITCAST, b.addf(size, magic), ints);
    let subnormal = b.subi(summed, b.cast(arith::BITCAST, magic, ints));
    let small = b.cmpf(FloatCmp::Olt, size, b.float(floats, format.smallest_normal()));
    b.select(small, subnormal, normal)
}

fn directed<'p>(
    b: Builder<'p>,
    format: Format,
    rounding: Rounding,
    code: Val<'p>,
    size: Val<'p>,
    negative: Val<'p>,
) -> Val<'p> {
    let one = b.int(code.ty(), 1);
    let value = natural(b, format, code);
    // If the rounding is towards zero, the result for every finite number above the largest number is the largest
    // number. The clamp does not ensure this result for numbers above the next larger pattern.
    let beyond = b.cmpi(IntCmp::Ugt, code, b.int(code.ty(), format.most() as i64));
    let finite = b.cmpf(FloatCmp::Olt, size, b.float(size.ty(), f64::INFINITY));
    let high = b.ori(b.cmpf(FloatCmp::Ogt, value, size), b.andi(beyond, finite));
    let low = b.cmpf(FloatCmp::Olt, value, size);
    let inwards = b.select(high, b.subi(code, one), code);
    let outwards = b.select(low, b.addi(code, one), code);
    match rounding {
        Rounding::Upward => b.select(negative, inwards, outwards),
        Rounding::Downward => b.select(negative, outwards, inwards),
        _ => inwards,
    }
}
