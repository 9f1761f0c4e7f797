//! The two 8-bit floats of the OCP specification "8-bit Floating Point" (revision 1.0, 2023), by their bits.
//!
//! E4M3: bias 7, no infinity, NaN 0x7f, largest 448 (0x7e). E5M2: bias 15, infinity 0x7c, largest 57344 (0x7b).
use cube_dialect::Rounding;
use cube_ir::ops::arith;
use cube_ir::{
    Builder, TypeExt, Val,
    upstream::{FloatCmp, IntCmp},
};

/// What differs between the two.
struct Format {
    places: u32,
    bias: i32,
    /// The largest finite number.
    max: i64,
    /// What follows it: NaN or infinity.
    over: i64,
    nan: i64,
}

const E4M3: Format = Format { places: 3, bias: 7, max: 0x7e, over: 0x7f, nan: 0x7f };
const E5M2: Format = Format { places: 2, bias: 15, max: 0x7b, over: 0x7c, nan: 0x7e };

fn format(e4m3: bool) -> &'static Format {
    if e4m3 { &E4M3 } else { &E5M2 }
}

impl Format {
    /// Binary places that an f32 has more.
    fn shift(&self) -> i64 {
        i64::from(23 - self.places)
    }

    fn smallest_normal(&self) -> f64 {
        2f64.powi(1 - self.bias)
    }

    /// The distance of subnormal numbers.
    fn step(&self) -> f64 {
        2f64.powi(1 - self.bias - self.places as i32)
    }
}

/// The pattern of a number that the format holds; NaN for others.
pub fn encode(e4m3: bool, number: f64) -> i64 {
    let format = format(e4m3);
    let value = |code: i64| match code >> format.places {
        0 => code as f64 * format.step(),
        e => {
            (1.0 + (code & ((1 << format.places) - 1)) as f64 / f64::from(1 << format.places))
                * 2f64.powi(e as i32 - format.bias)
        }
    };
    let sign = if number.is_sign_negative() { 0x80 } else { 0 };
    let code = match number.abs() {
        infinite if infinite == f64::INFINITY => Some(format.over),
        number => (0..=format.max).find(|code| value(*code) == number),
    };
    // As a signed byte, which is what an attribute of i8 holds.
    i64::from((code.unwrap_or(format.nan) | sign) as u8 as i8)
}

/// The magnitude of a pattern without sign, as if the largest exponent were like the others.
fn natural<'p>(b: Builder<'p>, format: &Format, code: Val<'p>) -> Val<'p> {
    let ints = code.ty();
    let floats = ints.with_element(b.cx().f32());
    let int = |n: i64| b.int(ints, n);
    let shifted = b.shli(code, int(format.shift()));
    let normal = b.cast(arith::BITCAST, b.addi(shifted, int(i64::from(127 - format.bias) << 23)), floats);
    let steps = b.cast(arith::UITOFP, code, floats);
    let subnormal = b.mulf(steps, b.float(floats, format.step()));
    b.select(b.cmpi(IntCmp::Ult, code, int(1 << format.places)), subnormal, normal)
}

/// The f32 that a byte stands for.
pub fn decode<'p>(b: Builder<'p>, e4m3: bool, byte: Val<'p>) -> Val<'p> {
    let format = format(e4m3);
    let ints = byte.ty().with_element(b.cx().int(32));
    let floats = ints.with_element(b.cx().f32());
    let int = |n: i64| b.int(ints, n);
    let wide = b.cast(arith::EXTUI, byte, ints);
    let code = b.andi(wide, int(0x7f));
    let magnitude = b.cast(arith::BITCAST, natural(b, format, code), ints);
    let nan = b.cmpi(if e4m3 { IntCmp::Eq } else { IntCmp::Ugt }, code, int(format.over));
    let mut magnitude = b.select(nan, int(0x7fc0_0000), magnitude);
    if !e4m3 {
        magnitude = b.select(b.cmpi(IntCmp::Eq, code, int(format.over)), int(0x7f80_0000), magnitude);
    }
    let sign = b.shli(b.andi(wide, int(0x80)), int(24));
    b.cast(arith::BITCAST, b.ori(magnitude, sign), floats)
}

/// The byte of an f32, rounded once.
pub fn from_f32<'p>(b: Builder<'p>, e4m3: bool, x: Val<'p>, rounding: Rounding, saturate: bool) -> Val<'p> {
    let format = format(e4m3);
    let (floats, ints) = (x.ty(), x.ty().with_element(b.cx().int(32)));
    let int = |n: i64| b.int(ints, n);
    let bits = b.cast(arith::BITCAST, x, ints);
    let magnitude = b.andi(bits, int(0x7fff_ffff));
    let size = b.cast(arith::BITCAST, magnitude, floats);

    let mut code = nearest(b, format, magnitude, size);
    // Beyond the largest number there is one more pattern to round from.
    code = b.minui(code, int(format.max + 1));
    if rounding != Rounding::NearestEven {
        let negative = b.cmpi(IntCmp::Slt, bits, int(0));
        code = directed(b, format, rounding, code, size, negative);
    }
    let over = b.cmpi(IntCmp::Ugt, code, int(format.max));
    code = b.select(over, int(if saturate { format.max } else { format.over }), code);
    code = b.select(b.cmpf(FloatCmp::Uno, x, x), int(format.nan), code);
    let sign = b.andi(b.shrui(bits, int(24)), int(0x80));
    b.cast(arith::TRUNCI, b.ori(code, sign), x.ty().with_element(b.cx().int(8)))
}

// Normal numbers: the places that are cut off are rounded by an addition that carries into what stays. Subnormal ones:
// adding 2^23 steps leaves room for no more than whole steps, and the addition itself rounds to nearest even.
fn nearest<'p>(b: Builder<'p>, format: &Format, magnitude: Val<'p>, size: Val<'p>) -> Val<'p> {
    let (floats, ints) = (size.ty(), magnitude.ty());
    let int = |n: i64| b.int(ints, n);
    let shift = format.shift();
    let odd = b.andi(b.shrui(magnitude, int(shift)), int(1));
    let carried = b.addi(b.addi(magnitude, int((1 << (shift - 1)) - 1)), odd);
    let normal = b.subi(b.shrui(carried, int(shift)), int(i64::from(127 - format.bias) << format.places));
    let magic = b.float(floats, format.step() * 2f64.powi(23));
    let summed = b.cast(arith::BITCAST, b.addf(size, magic), ints);
    let subnormal = b.subi(summed, b.cast(arith::BITCAST, magic, ints));
    let small = b.cmpf(FloatCmp::Olt, size, b.float(floats, format.smallest_normal()));
    b.select(small, subnormal, normal)
}

fn directed<'p>(
    b: Builder<'p>,
    format: &Format,
    rounding: Rounding,
    code: Val<'p>,
    size: Val<'p>,
    negative: Val<'p>,
) -> Val<'p> {
    let one = b.int(code.ty(), 1);
    let value = natural(b, format, code);
    // All finite numbers beyond the largest round inwards to it, also those that the pattern after it is too small for.
    let beyond = b.cmpi(IntCmp::Ugt, code, b.int(code.ty(), format.max));
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
