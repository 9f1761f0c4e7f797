//! Bit functions of integers.
use super::super::ops;
use super::super::value::{CubePrimitive, Operand, Val};
use super::choose;
use super::functions::by_number_class;
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, Raw, with};

unary_functions! {
    /// The bitwise complement.
    BitwiseNot bitwise_not
        bitwise_not_in_a_kernel same
        |x| ops::not(Val::<u32>::new(x), 0).raw;
    /// The bits in reverse order.
    ReverseBits reverse_bits
        reverse_bits_in_a_kernel same
        |x| super::unary("cube.reverse_bits", x);
}

/// Emits an operation that counts bits. The result is an unsigned integer of the operand's width. A later conversion to
/// `u32` therefore extends the count with zeros.
fn counted(op: &str, x: Raw) -> Raw {
    let raw = super::unary(op, x);
    let (id, ty) = crate::ir::current(raw);
    let unsigned = match ty.elem {
        Elem::I8 => Elem::U8,
        Elem::I16 => Elem::U16,
        Elem::I32 => Elem::U32,
        Elem::I64 => Elem::U64,
        other => other,
    };
    Raw::Ssa(id, ty.with(unsigned))
}

fn as_u32(count: Raw) -> Raw {
    super::super::cast::convert(count, Elem::U32, 0)
}

unary_functions! {
    /// The number of set bits.
    CountOnes count_ones
        count_ones_in_a_kernel u32 |x| as_u32(counted("math.ctpop", x));
    /// The number of zero bits above the highest set bit.
    LeadingZeros leading_zeros
        leading_zeros_in_a_kernel u32
        |x| as_u32(counted("math.ctlz", x));
    /// The number of zero bits below the lowest set bit.
    TrailingZeros trailing_zeros
        trailing_zeros_in_a_kernel u32
        |x| as_u32(counted("math.cttz", x));
    /// One plus the index of the lowest set bit; zero if no bit is set.
    FindFirstSet find_first_set
        find_first_set_in_a_kernel u32 |x| {
        let at = crate::ir::position();
        let zeros = counted("math.cttz", x);
        let (_, ty) = crate::ir::current(zeros);
        let next = ops::binary("add", zeros, Raw::Const(Lit::Int(1), ty), at);
        let (_, of) = crate::ir::current(x);
        let none = ops::compare("eq", x, Raw::Const(Lit::Int(0), of), at);
        as_u32(choose(none, Raw::Const(Lit::Int(0), ty), next))
    };
}

fn high_half(a: Raw, b: Raw) -> Raw {
    let (a, b) = ops::same_line_size(a, b);
    with(|w| {
        let (x, ty) = w.id(a);
        let (y, _) = w.id(b);
        let name = if ty.elem.is_signed() { "mulsi_extended" } else { "mului_extended" };
        let (low, high) = (w.argument(), w.argument());
        w.op(&format!("%{low}, %{high} = arith.{name} %{x}, %{y} : {ty}"));
        Raw::Ssa(high, ty)
    })
}

binary_functions! {
    /// The sum, clamped to the range of the integer type.
    SaturatingAdd saturating_add
        saturating_add_in_a_kernel |a, b| by_number_class(["", "cube.addsi_sat", "cube.addui_sat"], a, b);
    /// The difference, clamped to the range of the integer type.
    SaturatingSub saturating_sub
        saturating_sub_in_a_kernel |a, b| by_number_class(["", "cube.subsi_sat", "cube.subui_sat"], a, b);
    /// The upper half of the bits of the full product.
    MulHi mul_hi
        mul_hi_in_a_kernel high_half;
}

/// Division methods of Rust's unsigned integers.
#[doc(hidden)]
pub trait DivisionMethods: Operand {
    /// `a.div_ceil(b)`.
    fn __expand_div_ceil_method(self, divisor: Val<Self::T>) -> Val<Self::T>
    where
        Self: Sized,
        Self::T: super::Int,
    {
        super::div_ceil::div_ceil(self.val(), divisor)
    }
    /// The expansion of `a.is_multiple_of(b)`. The expansion checks for the factor 0, whose only multiple is 0,
    /// because `x % 0` is 0 in the kernel language.
    fn __expand_is_multiple_of_method(self, factor: Val<Self::T>) -> Val<bool>
    where
        Self: Sized,
        Self::T: super::Int,
    {
        let at = crate::ir::position();
        let zero = || Val::<Self::T>::new(Raw::Const(Lit::Int(0), crate::ir::Ty::scalar(Self::T::elem())));
        let value = self.val();
        let divides = ops::eq(ops::rem(value, factor, at), zero(), at);
        let by_zero = ops::eq(factor, zero(), at);
        Val::new(choose(by_zero.raw, ops::eq(value, zero(), at).raw, divides.raw))
    }
}
impl<A: Operand> DivisionMethods for A {}
