//! Conversions between floats: directed rounding, the largest finite number, and tf32.
use cube_dialect::{Rounding, element_of};
use cube_ir::ops::{arith, math, vector};
use cube_ir::{
    Builder, Type, TypeExt, Val,
    upstream::{FloatCmp, IntCmp},
};
use cube_target::{Element, Format};

/// Converts `x` to the narrower float type `to` with a directed rounding. The emitted code rounds to nearest, and
/// selects the neighbour if the nearest number is on the wrong side. If `has_integer` is false, the chip has no integer
/// of the width of `to`, and a 16-bit pattern is the lower half of a word.
pub fn truncf<'p>(b: Builder<'p>, x: Val<'p>, to: Type<'p>, rounding: Rounding, has_integer: bool) -> Val<'p> {
    let near = b.cast(arith::TRUNCF, x, to);
    if rounding == Rounding::NearestEven {
        return near;
    }
    let back = b.cast(arith::EXTF, near, x.ty());
    let width = to.bits().unwrap_or(32);
    let in_word = width == 16 && !has_integer;
    let ints = to.with_element(b.cx().int(if in_word { 32 } else { width }));
    let bits = if in_word { words(b, near) } else { b.cast(arith::BITCAST, near, ints) };
    let one = b.int(ints, 1);
    // Among patterns of one sign, larger patterns have larger magnitudes.
    let negative = match in_word {
        true => b.cmpi(IntCmp::Ugt, bits, b.int(ints, 0x7fff)),
        false => b.cmpi(IntCmp::Slt, bits, b.int(ints, 0)),
    };
    let (outwards, inwards) = (b.addi(bits, one), b.subi(bits, one));
    let stepped = match rounding {
        Rounding::Upward => {
            let low = b.cmpf(FloatCmp::Olt, back, x);
            b.select(low, b.select(negative, inwards, outwards), bits)
        }
        Rounding::Downward => {
            let high = b.cmpf(FloatCmp::Ogt, back, x);
            b.select(high, b.select(negative, outwards, inwards), bits)
        }
        _ => {
            let abs = |v: Val<'p>| b.op(math::ABSF).operands(&[v]).result(v.ty()).value();
            let large = b.cmpf(FloatCmp::Ogt, abs(back), abs(x));
            b.select(large, inwards, bits)
        }
    };
    if in_word { halves(b, stepped, to) } else { b.cast(arith::BITCAST, stepped, to) }
}

// Extends each 16-bit float to a word, whose lower half is the bit pattern.
fn words<'p>(b: Builder<'p>, halves: Val<'p>) -> Val<'p> {
    let (half, word) = (halves.ty().element(), b.cx().int(32));
    b.each_lane(halves.ty().with_element(word), &[halves], |lane| {
        let pair = b.of_lanes(b.cx().vector(2, half), &[lane[0], b.zero(half)]);
        b.lane(b.cast(vector::BITCAST, pair, b.cx().vector(1, word)), 0)
    })
}

// Truncates words to their lower halves, which are the bit patterns of 16-bit floats.
fn halves<'p>(b: Builder<'p>, words: Val<'p>, to: Type<'p>) -> Val<'p> {
    b.each_lane(to, &[words], |lane| {
        let word = b.of_lanes(b.cx().vector(1, lane[0].ty()), lane);
        b.lane(b.cast(vector::BITCAST, word, b.cx().vector(2, to.element())), 0)
    })
}

/// The largest finite number of a float type.
pub fn max_of(ty: Type<'_>) -> f64 {
    element_of(ty).and_then(Element::format).map_or(f64::MAX, Format::largest)
}

/// Clamps `x` to the finite range of the type `of`; NaN is unchanged. The type of `x` must represent the largest
/// finite number of `of`.
pub fn finite<'p>(b: Builder<'p>, x: Val<'p>, of: Type<'p>) -> Val<'p> {
    let ty = x.ty();
    let (high, low) = (b.float(ty, max_of(of)), b.float(ty, -max_of(of)));
    let x = b.select(b.cmpf(FloatCmp::Ogt, x, high), high, x);
    b.select(b.cmpf(FloatCmp::Olt, x, low), low, x)
}

/// The mask that selects the f32 bits of a tf32. The lowest 13 bits of a tf32 are zero after every
/// conversion.
const TF32_MASK: i64 = !0x1fff;

/// The value of a tf32 that is stored as an f32. The lowest 13 bits of a stored tf32 are ignored, as in matrix
/// instructions.
pub fn of_tf32<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    let ints = x.ty().with_element(b.cx().int(32));
    let kept = b.andi(b.cast(arith::BITCAST, x, ints), b.int(ints, TF32_MASK));
    b.cast(arith::BITCAST, kept, x.ty())
}

/// Rounds an f32 to the 10 fraction bits of tf32. The type of the result is f32.
pub fn tf32<'p>(b: Builder<'p>, x: Val<'p>, rounding: Rounding, saturate: bool) -> Val<'p> {
    let ints = x.ty().with_element(b.cx().int(32));
    let bits = b.cast(arith::BITCAST, x, ints);
    let int = |n: i64| b.int(ints, n);
    let negative = b.cmpi(IntCmp::Slt, bits, int(0));
    let away = match rounding {
        Rounding::NearestEven => {
            let odd = b.andi(b.shrui(bits, int(13)), int(1));
            b.addi(odd, int(0xfff))
        }
        Rounding::TowardZero => int(0),
        Rounding::Upward => b.select(negative, int(0), int(0x1fff)),
        Rounding::Downward => b.select(negative, int(0x1fff), int(0)),
    };
    let mut rounded = b.andi(b.addi(bits, away), int(TF32_MASK));
    if saturate {
        let infinite = b.cmpi(IntCmp::Eq, b.andi(rounded, int(0x7fff_ffff)), int(0x7f80_0000));
        let end = b.ori(b.andi(bits, int(-0x8000_0000)), int(0x7f7f_e000));
        rounded = b.select(infinite, end, rounded);
    }
    let nan = b.cmpf(FloatCmp::Uno, x, x);
    b.cast(arith::BITCAST, b.select(nan, int(0x7fc0_0000), rounded), x.ty())
}
