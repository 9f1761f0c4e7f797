//! Numbers: what types of them can do.
mod bits;
mod fast;
mod functions;
mod numbers;

pub use bits::*;
pub use fast::{FastFlags, FastMath};
pub use functions::*;
pub use numbers::{Cast, Float, Int, Numeric, Reinterpret, Scalar, as_i128, bitcast};

use crate::ir::{Raw, with};

/// An operation of one float operand.
pub fn unary(op: &str, value: Raw) -> Raw {
    with(|b| {
        let (x, ty) = b.id(value);
        let flags = if ty.elem.is_float() { b.flags() } else { String::new() };
        b.value(ty, &format!("{op} %{x}{flags} : {ty}"))
    })
}

/// `condition ? yes : no`.
pub fn choose(condition: Raw, yes: Raw, no: Raw) -> Raw {
    if let Raw::Const(crate::ir::Lit::Bool(known), ty) = condition
        && ty.line == 1
    {
        return if known { yes } else { no };
    }
    let (yes, no) = super::ops::together(yes, no);
    with(|b| {
        let (c, of) = b.id(condition);
        let (y, ty) = b.id(yes);
        let (n, _) = b.id(no);
        if of.line == 1 {
            b.value(ty, &format!("arith.select %{c}, %{y}, %{n} : {ty}"))
        } else {
            b.value(ty, &format!("arith.select %{c}, %{y}, %{n} : {of}, {ty}"))
        }
    })
}
