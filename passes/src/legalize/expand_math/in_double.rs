//! Computes f32 operations in f64, for a chip that has f64 but no correctly rounded fused product.
//!
//! ```text
//! p = a b                     exact: the product has at most 48 of the 53 bits of f64, and is in the range of f64
//! t = p + c                   rounded; Knuth's TwoSum also gives the exact error e = (p + c) - t
//! s = t; if e is not 0 and the last bit of t is even: the neighbour of t towards p + c, whose last bit is odd
//! r = s as an f32             one rounding: s is p + c rounded to odd, with more than two bits beyond those of an f32
//! ```
//! A sum, difference or product of two f32 can be computed in f64 and rounded to f32. The result equals the result of a
//! single rounding, because 53 bits are at least twice 24 bits plus two (Figueroa, "When is double rounding
//! innocuous?", 1995). No intermediate f64 is subnormal. The cost is 18 operations for a fused product, and 4
//! operations for a sum or product. The integer expansion of a fused product has about 190 operations.
use crate::legalize::expand_casts::round_to_odd;
use crate::native::Native;
use cube_ir::ops::arith;
use cube_ir::{
    Builder, OpKind, Type, TypeExt, Val,
    upstream::{FloatCmp, IntCmp},
};
use cube_math::Rounding;
use cube_target::{Element, Support};

/// Whether the chip supports all operations of the expansion.
pub fn has(native: &Native<'_>) -> bool {
    let is_native = |element| native.target().arithmetic(element) == Some(Support::Native);
    is_native(Element::F64) && is_native(Element::I64)
}

fn widened<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    b.cast(arith::EXTF, value, value.ty().with_element(b.cx().f64()))
}

/// A sum or product of two f32, rounded once. No driver can fuse the operation with another operation.
pub fn rounded<'p>(b: Builder<'p>, kind: OpKind, x: Val<'p>, y: Val<'p>) -> Val<'p> {
    let (wide_x, wide_y) = (widened(b, x), widened(b, y));
    let wide = b.op(kind).operands(&[wide_x, wide_y]).result(wide_x.ty()).value();
    b.cast(arith::TRUNCF, wide, x.ty())
}

/// `x y + z` of f32, rounded once.
pub fn fused<'p>(b: Builder<'p>, [x, y, z]: [Val<'p>; 3], rounding: Rounding) -> Val<'p> {
    let single: Type<'p> = x.ty();
    let product = b.mulf(widened(b, x), widened(b, y));
    let addend = widened(b, z);
    let near = b.addf(product, addend);
    let part = b.subf(near, product);
    let error = b.addf(b.subf(product, b.subf(near, part)), b.subf(addend, part));
    // The error is NaN if an operand is infinite. In this case the sum needs no correction.
    let inexact = b.cmpf(FloatCmp::One, error, b.zero(error.ty()));
    let words = near.ty().with_element(b.cx().int(64));
    let [near, error] = [near, error].map(|value| b.cast(arith::BITCAST, value, words));
    let int = |number: i64| b.int(words, number);
    let even = b.cmpi(IntCmp::Eq, b.andi(near, int(1)), int(0));
    // Bit patterns of one sign are ordered by magnitude. If the exact sum has the larger magnitude, the error has the
    // sign of the sum.
    let inwards = b.cmpi(IntCmp::Slt, b.xori(near, error), int(0));
    let neighbour = b.addi(near, b.select(inwards, int(-1), int(1)));
    let odd = b.cast(arith::BITCAST, b.select(b.andi(inexact, even), neighbour, near), product.ty());
    match rounding {
        Rounding::Nearest => b.cast(arith::TRUNCF, odd, single),
        Rounding::Odd => round_to_odd(b, odd),
    }
}
