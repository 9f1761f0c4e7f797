//! Number types and their functions.
#[macro_use]
mod declare;
mod bits;
mod fast;
mod functions;
pub mod hypotenuse;
mod methods;
mod numbers;
mod power;

pub use bits::*;
pub use fast::{FastFlags, FastMath};
pub use functions::*;
pub use methods::{by_name, calls, of_one, of_two, renamed_methods};
pub use numbers::{Cast, Float, Int, Numeric, Reinterpret, Scalar, as_i128, bitcast};

use crate::ir::{Raw, with};

/// `a / b`, rounded up.
pub fn div_ceil<E: Int>(a: E, b: E) -> E {
    let _ = (a, b);
    crate::__private::unexpanded()
}

#[doc(hidden)]
pub mod div_ceil {
    use super::super::ops;
    use super::Int;
    use crate::ir::{Lit, Raw};
    use crate::lang::value::Val;
    /// The expansion of `a.div_ceil(b)`. The formula of the expansion contains no sum that can wrap.
    pub fn div_ceil<E: Int>(a: Val<E>, b: Val<E>) -> Val<E> {
        let at = crate::ir::position();
        let rest = ops::ne(ops::rem(a, b, at), Val::<E>::new(Raw::Const(Lit::Int(0), a.ty())), at);
        ops::add(ops::div(a, b, at), super::super::cast::cast::<E, _>(rest, at), at)
    }
}

/// Emits an operation with one operand. If the operand is a float, the operation has the active fast-math
/// flags.
pub fn unary(op: &str, value: Raw) -> Raw {
    with(|b| {
        let (x, ty) = b.id(value);
        let flags = if ty.elem.is_float() { b.flags() } else { String::new() };
        b.value(ty, &format!("{op} %{x}{flags} : {ty}"))
    })
}

/// Emits `arith.select`, which selects `yes` if the condition is true, and `no` otherwise.
pub fn choose(condition: Raw, yes: Raw, no: Raw) -> Raw {
    if let Raw::Const(crate::ir::Lit::Bool(known), ty) = condition
        && ty.line == 1
    {
        return if known { yes } else { no };
    }
    let (yes, no) = super::ops::same_line_size(yes, no);
    // A line of conditions selects per element, so scalar operands are splatted.
    let line = crate::ir::current(condition).1.line;
    let wide = |raw| if line > 1 { super::ops::splat(raw, line).unwrap_or(condition) } else { raw };
    let (yes, no) = (wide(yes), wide(no));
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
