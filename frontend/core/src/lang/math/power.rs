//! Powers with integer exponents, by repeated squaring. A computed power is exact if all intermediate
//! products are exact.
use super::choose;
use crate::ir::{Elem, Lit, Raw, Ty, with};
use crate::lang::flow::For;
use crate::lang::ops;
use crate::lang::value::{Staged, Val};

fn position() -> u32 {
    crate::ir::position()
}

fn one(ty: Ty) -> Raw {
    Raw::Const(if ty.elem.is_float() { Lit::Float(1.0) } else { Lit::Int(1) }, ty)
}

fn multiplied(a: Raw, b: Raw) -> Raw {
    ops::binary("mul", a, b, position())
}

/// `base` raised to a constant exponent.
fn known(base: Raw, exponent: i32) -> Raw {
    let (_, ty) = crate::ir::current(base);
    let (mut left, mut square, mut result) = (exponent.unsigned_abs(), base, None);
    while left > 0 {
        if left & 1 == 1 {
            result = Some(result.map_or(square, |r| multiplied(r, square)));
        }
        left >>= 1;
        if left > 0 {
            square = multiplied(square, square);
        }
    }
    let result = result.unwrap_or(one(ty));
    if exponent < 0 { ops::binary("div", one(ty), result, position()) } else { result }
}

/// `base` raised to a run-time 32-bit exponent.
pub fn powi(base: Raw, exponent: Raw) -> Raw {
    if let Raw::Const(Lit::Int(n), _) = exponent {
        return known(base, n as i32);
    }
    let (base, exponent) = ops::same_line_size(base, exponent);
    let (_, ty) = crate::ir::current(base);
    let at = position();
    let whole = ty.with(Elem::I32);
    let zero = Raw::Const(Lit::Int(0), whole);
    let negative = ops::compare("lt", exponent, zero, at);
    let size = choose(negative, ops::binary("sub", zero, exponent, at), exponent);
    let cell = |value: Raw, ty: Ty| {
        let cell = Raw::Cell(with(|b| b.cell(ty, b.depth())), ty);
        let mut variable = Val::<f32>::new(cell);
        variable.store(Val::new(value));
        variable
    };
    let (mut result, mut square) = (cell(one(ty), ty), cell(base, ty));
    // One iteration per bit of the exponent.
    let bits = crate::lang::ranges::bounds(Val::<u32>::lit(0), Val::<u32>::lit(32), false);
    let mut iterations = For::begin(bits, false, false, at);
    while let Some(bit) = iterations.next_body() {
        let bit = ops::splat(super::super::cast::convert(bit.raw, Elem::I32, at), ty.line).unwrap_or(bit.raw);
        let as_unsigned = crate::ir::current(size).0;
        let shifted = ops::binary("shr", Raw::Ssa(as_unsigned, ty.with(Elem::U32)), bit, at);
        let odd = ops::binary("bitand", shifted, Raw::Const(Lit::Int(1), ty.with(Elem::U32)), at);
        let odd = ops::compare("ne", odd, Raw::Const(Lit::Int(0), ty.with(Elem::U32)), at);
        let (r, s) = (result.rd().raw, square.rd().raw);
        result.store(Val::new(choose(odd, multiplied(r, s), r)));
        square.store(Val::new(multiplied(s, s)));
    }
    let result = result.rd().raw;
    choose(negative, ops::binary("div", one(ty), result, at), result)
}
