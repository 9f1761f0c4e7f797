//! Converts scale factors, which are powers of two without a sign (E8M0 of the OCP microscaling formats), with integer
//! operations on their bits. The pattern of a scale factor is the exponent field of an f32, except for the smallest
//! scale factor `2^-127`, which is a subnormal f32.
use cube_dialect::Rounding;
use cube_ir::ops::arith;
use cube_ir::{
    Builder, TypeExt, Val,
    upstream::{FloatCmp, IntCmp},
};

/// The smallest normal f32, `2^-126`, as a bit pattern.
const NORMAL: i64 = 1 << 23;
/// The pattern of NaN.
const NAN: i64 = 0xff;

/// The f32 of a scale factor. The argument is the pattern in an i8.
pub fn decode<'p>(b: Builder<'p>, byte: Val<'p>) -> Val<'p> {
    let ints = byte.ty().with_element(b.cx().int(32));
    let int = |n: i64| b.int(ints, n);
    let code = b.cast(arith::EXTUI, byte, ints);
    let normal = b.shli(code, int(23));
    let finite = b.select(b.cmpi(IntCmp::Eq, code, int(0)), int(NORMAL / 2), normal);
    let bits = b.select(b.cmpi(IntCmp::Eq, code, int(NAN)), int(0x7fc0_0000), finite);
    b.cast(arith::BITCAST, bits, ints.with_element(b.cx().f32()))
}

/// The pattern of the scale factor of an f32, as an i8. All numbers below the smallest scale factor give the smallest
/// scale factor. An overflow gives NaN, or the largest scale factor with `saturate`.
pub fn from_f32<'p>(b: Builder<'p>, x: Val<'p>, rounding: Rounding, saturate: bool) -> Val<'p> {
    let ints = x.ty().with_element(b.cx().int(32));
    let int = |n: i64| b.int(ints, n);
    let bits = b.cast(arith::BITCAST, x, ints);
    // The addition carries into the exponent field. A tie rounds up. Below the smallest normal f32, the second constant
    // is the smallest pattern that gives 2^-126 instead of 2^-127.
    let (carry, least) = match rounding {
        Rounding::NearestEven => (NORMAL / 2, NORMAL / 4 * 3),
        Rounding::Upward => (NORMAL - 1, NORMAL / 2 + 1),
        Rounding::TowardZero | Rounding::Downward => (0, NORMAL),
    };
    let normal = b.shrui(b.addi(bits, int(carry)), int(23));
    let small = b.select(b.cmpi(IntCmp::Uge, bits, int(least)), int(1), int(0));
    let mut code = b.select(b.cmpi(IntCmp::Ult, bits, int(NORMAL)), small, normal);
    if saturate {
        code = b.minui(code, int(NAN - 1));
    }
    code = b.select(b.cmpi(IntCmp::Slt, bits, int(0)), int(0), code);
    code = b.select(b.cmpf(FloatCmp::Uno, x, x), int(NAN), code);
    b.cast(arith::TRUNCI, code, x.ty().with_element(b.cx().int(8)))
}
