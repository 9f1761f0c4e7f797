//! How a function of numbers is declared: a trait that types implement, so that a kernel can ask for it by name.

/// The types of a family.
macro_rules! implement {
    (floats $trait:ident) => {
        cube_target::narrow_floats! { [implement] narrow $trait [f32 f64 crate::lang::small::flex32] }
    };
    (integers $trait:ident) => { implement!(@ $trait i8 i16 i32 i64 u8 u16 u32 u64); };
    (numbers $trait:ident) => {
        cube_target::narrow_floats! {
            [implement] narrow $trait [f32 f64 crate::lang::small::flex32 i8 i16 i32 i64 u8 u16 u32 u64]
        }
    };
    (narrow $trait:ident [$($ty:ty)*] $($elem:ident $narrow:ident;)*) => {
        implement!(@ $trait $($ty)* $(crate::lang::small::$narrow)*);
    };
    (@ $trait:ident $($ty:ty)*) => {
        $(impl $trait for $ty {})*
        impl<P: $trait> $trait for $crate::lang::line::Line<P> {}
    };
}

/// The type of a result: `same` as the operand, or what is named.
macro_rules! result {
    (same $ty:ty) => {
        $ty
    };
    ($out:ident $ty:ty) => {
        $out
    };
}

// The twin's name stands on a line of its own below: rustc shows the line of the method's name to users.

/// Functions of one value: `F::exp(x)`, as the language has them. Which types have them, and `x.exp()`, come with the rows of
/// `cube_macros::words!`, in [`super::methods`].
macro_rules! unary_functions {
    ($($(#[$doc:meta])* $trait:ident $name:ident $twin:ident $out:ident $body:expr;)*) => {$(
        $(#[$doc])*
        pub trait $trait: CubePrimitive {
            $(#[$doc])*
            fn $name(value: Self) -> result!($out Self) {
                let _ = value;
                unexpanded()
            }
            #[doc(hidden)]
            fn $twin(value: Val<Self>) -> Val<result!($out Self)> {
                let body: fn(Raw) -> Raw = $body;
                Val::new(body(value.raw))
            }
        }
    )*};
}

/// Functions of two values of one type: `x.max(y)` and `T::max(x, y)`.
macro_rules! binary_functions {
    ($($(#[$doc:meta])* $trait:ident $name:ident $twin:ident $body:expr;)*) => {$(
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
    )*};
}
