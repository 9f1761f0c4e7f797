//! Makes host types number types of the kernel language.
use super::minifloats::*;
use super::value::{CubePrimitive, CubeType, Operand, Val};
use crate::ir::{Elem, Lit, StorageType};

/// Conversion between slices of elements and bytes.
pub trait CubeElement: CubePrimitive + std::fmt::Debug + bytemuck::Pod {
    /// Name of the element type, such as `f32`.
    fn type_name() -> &'static str {
        Self::elem().name()
    }
    /// The element type for host programs.
    fn cube_type() -> StorageType {
        Self::as_type_native_unchecked()
    }
    /// Returns the bytes of a slice of elements.
    fn as_bytes(slice: &[Self]) -> &[u8];
    /// Reinterprets bytes as elements.
    ///
    /// # Panics
    /// The length is not a multiple of the element's size, or the address is not aligned for the
    /// element.
    #[track_caller]
    fn from_bytes(bytes: &[u8]) -> &[Self];
    /// The largest finite value.
    fn maximum_value() -> Self;
    /// The lowest finite value.
    fn minimum_value() -> Self;
}

/// Declares that a host type is a number type, with its element type and its conversions to and from
/// constants. One type can be followed by functions of [`CubePrimitive`] that differ from their defaults.
macro_rules! number {
    ($($ty:ty, $elem:ident, $to:expr, $from:expr;)*) => {
        $($crate::lang::elements::number! { $ty, $elem, $to, $from; @ })*
    };
    ($ty:ty, $elem:ident, $to:expr, $from:expr; $($function:ident() -> $result:ty $body:block)+) => {
        $crate::lang::elements::number! { $ty, $elem, $to, $from; @ $($function() -> $result $body)+ }
    };
    ($ty:ty, $elem:ident, $to:expr, $from:expr; @ $($function:ident() -> $result:ty $body:block)*) => {
        impl CubeType for $ty {
            type ExpandType = Val<$ty>;
            fn into_staged(self) -> Val<$ty> {
                Val::lit(self)
            }
        }
        impl CubePrimitive for $ty {
            fn elem() -> Elem {
                Elem::$elem
            }
            fn to_lit(self) -> Lit {
                let to: fn($ty) -> Lit = $to;
                to(self)
            }
            fn from_lit(lit: Lit) -> Option<Self> {
                let from: fn(Lit) -> Option<$ty> = $from;
                from(lit)
            }
            $(fn $function() -> $result $body)*
        }
        impl Operand for $ty {
            type T = $ty;
            fn val(self) -> Val<$ty> {
                Val::lit(self)
            }
        }
    };
}

pub(super) use number;

macro_rules! integer {
    ($($ty:ident, $elem:ident;)*) => {
        number!($($ty, $elem, |v| Lit::Int(v as i128), |lit| lit.int().map(|v| v as $ty);)*);
    };
}

integer! {
    i8, I8; i16, I16; i32, I32; i64, I64; u8, U8; u16, U16; u32, U32; u64, U64;
}

fn float(lit: Lit) -> Option<f64> {
    match lit {
        Lit::Float(v) => Some(v),
        _ => None,
    }
}

number! {
    f32, F32, |v| Lit::Float(f64::from(v)), |lit| float(lit).map(|v| v as f32);
    f64, F64, Lit::Float, float;
    bool, Bool, Lit::Bool, |lit| match lit { Lit::Bool(v) => Some(v), _ => None };
}

impl CubeType for usize {
    type ExpandType = Val<usize>;
    fn into_staged(self) -> Val<usize> {
        Val::lit(self)
    }
}

impl CubePrimitive for usize {
    fn elem() -> Elem {
        super::sizes::size_elem()
    }
    fn to_lit(self) -> Lit {
        Lit::Int(self as i128)
    }
    fn from_lit(lit: Lit) -> Option<Self> {
        lit.int().map(|v| v as usize)
    }
}

impl Operand for usize {
    type T = usize;
    fn val(self) -> Val<usize> {
        Val::lit(self)
    }
}

/// Reinterprets bytes as elements. `name` is the name of the type in messages.
#[track_caller]
pub(super) fn elements_of<'a, T: bytemuck::Pod>(bytes: &'a [u8], name: &str) -> &'a [T] {
    let (len, size, align) = (bytes.len(), size_of::<T>(), align_of::<T>());
    bytemuck::try_cast_slice(bytes).unwrap_or_else(|_| match len % size {
        0 => panic!(
            "these bytes are not aligned to {align} bytes as {name} requires: copy them into a `Vec<{name}>`"
        ),
        _ => panic!("{len} bytes are not a whole number of {name} elements of {size} bytes; read them as the type that was written"),
    })
}

macro_rules! element {
    ($($ty:ident),*) => {$(
        impl CubeElement for $ty {
            fn as_bytes(slice: &[Self]) -> &[u8] {
                bytemuck::cast_slice(slice)
            }
            #[track_caller]
            fn from_bytes(bytes: &[u8]) -> &[Self] {
                elements_of(bytes, stringify!($ty))
            }
            fn maximum_value() -> Self {
                $ty::MAX
            }
            fn minimum_value() -> Self {
                $ty::MIN
            }
        }
    )*};
}

element!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

macro_rules! narrow {
    ($($elem:ident $ty:ident;)*) => {
        number! { $($ty, $elem, |v| Lit::Float(v.to_f64()), |lit| float(lit).map($ty::from_f64);)* }
        element!($($ty),*);
    };
}

cube_target::narrow_floats! { [narrow] }

/// Kernel functions on `bool`.
pub trait BoolOps {
    /// Returns the value unchanged.
    #[allow(clippy::new_ret_no_self)]
    fn new(value: bool) -> bool {
        value
    }
    #[doc(hidden)]
    fn new_in_a_kernel(value: Val<bool>) -> Val<bool> {
        value
    }
}

impl BoolOps for bool {}

/// Checks that each number type, which the macros know by its name, is a number type of the language.
macro_rules! are_numbers {
    ($($group:ident { $($name:ident $rust:ident $element:ident $host:ident $how:ident;)* })*) => {
        const _: fn() = || {
            use crate::lang::minifloats::*;
            fn is_number<T: CubePrimitive>() {}
            $($(is_number::<$rust>();)*)*
        };
    };
}
cube_target::numbers!(are_numbers);
