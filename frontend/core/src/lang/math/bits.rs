//! Functions of the bits of integers.
use super::super::line::Line;
use super::super::ops;
use super::super::value::{CubePrimitive, Operand, Val};
use super::choose;
use super::functions::by_sign;
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, Raw, with};

macro_rules! same {
    ($($(#[$doc:meta])* $trait:ident $name:ident $twin:ident $method:ident $methods:ident $body:expr;)*) => {$(
        $(#[$doc])*
        pub trait $trait: CubePrimitive {
            $(#[$doc])*
            fn $name(self) -> Self {
                unexpanded()
            }
            #[doc(hidden)]
            fn $twin(value: Val<Self>) -> Val<Self> {
                let body: fn(Raw) -> Raw = $body;
                Val::new(body(value.raw))
            }
        }
        integers!($trait);
        #[doc(hidden)]
        pub trait $methods: Operand {
            fn $method(self) -> Val<Self::T> where Self: Sized, Self::T: $trait {
                <Self::T as $trait>::$twin(self.val())
            }
        }
        impl<A: Operand> $methods for A {}
    )*};
}

macro_rules! integers {
    ($trait:ident) => {
        impl $trait for i8 {}
        impl $trait for i16 {}
        impl $trait for i32 {}
        impl $trait for i64 {}
        impl $trait for u8 {}
        impl $trait for u16 {}
        impl $trait for u32 {}
        impl $trait for u64 {}
        impl<P: $trait> $trait for Line<P> {}
    };
}

same! {
    /// All bits turned round.
    BitwiseNot bitwise_not __expand_bitwise_not __expand_bitwise_not_method BitwiseNotMethods
        |x| ops::not(Val::<u32>::new(x), 0).raw;
    /// The bits from the last to the first.
    ReverseBits reverse_bits __expand_reverse_bits __expand_reverse_bits_method ReverseBitsMethods
        |x| super::unary("cube.reverse_bits", x);
}

macro_rules! counts {
    ($($(#[$doc:meta])* $trait:ident $name:ident $twin:ident $method:ident $methods:ident $body:expr;)*) => {$(
        $(#[$doc])*
        pub trait $trait: CubePrimitive {
            $(#[$doc])*
            fn $name(self) -> u32 {
                unexpanded()
            }
            #[doc(hidden)]
            fn $twin(value: Val<Self>) -> Val<u32> {
                let body: fn(Raw) -> Raw = $body;
                Val::new(super::super::cast::convert(body(value.raw), Elem::U32, 0))
            }
        }
        integers!($trait);
        #[doc(hidden)]
        pub trait $methods: Operand {
            fn $method(self) -> Val<u32> where Self: Sized, Self::T: $trait {
                <Self::T as $trait>::$twin(self.val())
            }
        }
        impl<A: Operand> $methods for A {}
    )*};
}

/// A count as an unsigned number of the value's width, so that widening it adds zeros.
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

counts! {
    /// How many bits are set.
    CountOnes count_ones __expand_count_ones __expand_count_ones_method CountOnesMethods |x| counted("math.ctpop", x);
    /// How many bits above the highest that is set.
    LeadingZeros leading_zeros __expand_leading_zeros __expand_leading_zeros_method LeadingZerosMethods
        |x| counted("math.ctlz", x);
    /// How many bits below the lowest that is set.
    TrailingZeros trailing_zeros __expand_trailing_zeros __expand_trailing_zeros_method TrailingZerosMethods
        |x| counted("math.cttz", x);
    /// The position of the lowest bit that is set, from 1; 0 where none is.
    FindFirstSet find_first_set __expand_find_first_set __expand_find_first_set_method FindFirstSetMethods |x| {
        let at = with(|b| b.position());
        let zeros = counted("math.cttz", x);
        let (_, ty) = crate::ir::current(zeros);
        let next = ops::binary("add", zeros, Raw::Const(Lit::Int(1), ty), at);
        let (_, of) = crate::ir::current(x);
        let none = ops::compare("eq", x, Raw::Const(Lit::Int(0), of), at);
        choose(none, Raw::Const(Lit::Int(0), ty), next)
    };
}

macro_rules! pairs {
    ($($(#[$doc:meta])* $trait:ident $name:ident $twin:ident $method:ident $methods:ident $body:expr;)*) => {$(
        $(#[$doc])*
        pub trait $trait: CubePrimitive {
            $(#[$doc])*
            fn $name(self, other: Self) -> Self {
                let _ = other;
                unexpanded()
            }
            #[doc(hidden)]
            fn $twin(value: Val<Self>, other: Val<Self>) -> Val<Self> {
                let body: fn(Raw, Raw) -> Raw = $body;
                Val::new(body(value.raw, other.raw))
            }
        }
        integers!($trait);
        #[doc(hidden)]
        pub trait $methods: Operand {
            fn $method(self, other: Val<Self::T>) -> Val<Self::T> where Self: Sized, Self::T: $trait {
                <Self::T as $trait>::$twin(self.val(), other)
            }
        }
        impl<A: Operand> $methods for A {}
    )*};
}

fn high_half(a: Raw, b: Raw) -> Raw {
    let (a, b) = ops::together(a, b);
    with(|w| {
        let (x, ty) = w.id(a);
        let (y, _) = w.id(b);
        let name = if ty.elem.is_signed() { "mulsi_extended" } else { "mului_extended" };
        let (low, high) = (w.argument(), w.argument());
        w.op(&format!("%{low}, %{high} = arith.{name} %{x}, %{y} : {ty}"));
        Raw::Ssa(high, ty)
    })
}

pairs! {
    /// The sum, or the limit that it is beyond.
    SaturatingAdd saturating_add __expand_saturating_add __expand_saturating_add_method SaturatingAddMethods
        |a, b| by_sign(["", "cube.addsi_sat", "cube.addui_sat"], a, b);
    /// The difference, or the limit that it is beyond.
    SaturatingSub saturating_sub __expand_saturating_sub __expand_saturating_sub_method SaturatingSubMethods
        |a, b| by_sign(["", "cube.subsi_sat", "cube.subui_sat"], a, b);
    /// The upper half of the product.
    MulHi mul_hi __expand_mul_hi __expand_mul_hi_method MulHiMethods high_half;
}
