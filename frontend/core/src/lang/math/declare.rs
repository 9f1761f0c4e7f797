//! Macros that declare math functions of numbers. Each function is a trait, so that kernels can use the trait
//! as a bound.

/// Implements a trait for a family of number types.
macro_rules! implement {
    (floats $trait:ident) => {
        cube_target::narrow_floats! { [implement] narrow $trait [f32 f64 crate::lang::minifloats::flex32] }
    };
    (integers $trait:ident) => { implement!(@ $trait i8 i16 i32 i64 u8 u16 u32 u64 usize); };
    (numbers $trait:ident) => {
        cube_target::narrow_floats! {
            [implement] narrow $trait [f32 f64 crate::lang::minifloats::flex32 i8 i16 i32 i64 u8 u16 u32 u64 usize]
        }
    };
    (narrow $trait:ident [$($ty:ty)*] $($elem:ident $narrow:ident;)*) => {
        implement!(@ $trait $($ty)* $(crate::lang::minifloats::$narrow)*);
    };
    (@ $trait:ident $($ty:ty)*) => {
        $(impl $trait for $ty {})*
        impl<P: $trait> $trait for $crate::lang::line::Line<P> {}
        impl<P: $trait, N: $crate::lang::sizes::Size> $trait for $crate::v11::Vector<P, N> {}
    };
}

/// Result type of a math function: `same` for the type of the operand, or a named type.
macro_rules! result {
    (same $ty:ty) => {
        $ty
    };
    ($out:ident $ty:ty) => {
        $out
    };
}

// The expansion's name is on a separate line below, because rustc shows the line of a method's name to users.

/// Declares functions of one operand, as in `F::exp(x)`. [`super::methods`] implements these functions, and
/// methods such as `x.exp()`, from the rows of `frontend/names`.
macro_rules! unary_functions {
    ($($(#[$doc:meta])* $trait:ident $name:ident $expand:ident $out:ident $body:expr;)*) => {$(
        $(#[$doc])*
        pub trait $trait: CubePrimitive {
            $(#[$doc])*
            fn $name(value: Self) -> result!($out Self) {
                let _ = value;
                unexpanded()
            }
            #[doc(hidden)]
            fn $expand(value: Val<Self>) -> Val<result!($out Self)> {
                let body: fn(Raw) -> Raw = $body;
                Val::new(body(value.raw))
            }
        }
    )*};
}

/// Declares functions of two operands of one type: `x.max(y)` and `T::max(x, y)`.
macro_rules! binary_functions {
    ($($(#[$doc:meta])* $trait:ident $name:ident $expand:ident $body:expr;)*) => {$(
        $(#[$doc])*
        pub trait $trait: CubePrimitive {
            $(#[$doc])*
            fn $name(self, other: Self) -> Self {
                let _ = other;
                unexpanded()
            }
            #[doc(hidden)]
            fn $expand(value: Val<Self>, other: Val<Self>) -> Val<Self> {
                let body: fn(Raw, Raw) -> Raw = $body;
                Val::new(body(value.raw, other.raw))
            }
        }
    )*};
}
