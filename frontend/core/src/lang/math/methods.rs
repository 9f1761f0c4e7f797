//! `x.exp()`: the functions of one value as methods.
//!
//! Each has a trait of its own, which the macro brings into the scope of a body that calls it: so `F::exp(x)`, and the methods of
//! the same names that a type has from elsewhere, are not in doubt where nobody asks for these.
use super::*;
use crate::__private::unexpanded;
use crate::lang::value::CubePrimitive;

macro_rules! methods {
    ($($trait:ident $name:ident $($out:ident)?;)*) => {
        /// The traits, by the names of their methods.
        #[allow(non_camel_case_types)]
        pub mod by_name {
            use super::*;
            $(
                #[doc = concat!("[`", stringify!($trait), "`], written behind the value.")]
                pub trait $name: $trait {
                    #[doc = concat!("[`", stringify!($trait), "`].")]
                    fn $name(self) -> methods!(@ $($out)?) {
                        unexpanded()
                    }
                }
                impl<T: CubePrimitive + $trait> $name for T {}
            )*
        }
    };
    (@ $out:ident) => { $out };
    (@) => { Self };
}

methods! {
    Exp exp; Log log; Log1p log1p; Cos cos; Sin sin; Tan tan; Tanh tanh; Sqrt sqrt; InverseSqrt inverse_sqrt; Round round;
    Floor floor; Ceil ceil; Trunc trunc; Erf erf; Recip recip; Abs abs; Magnitude magnitude; Normalize normalize;
    IsNan is_nan bool; IsInf is_inf bool; BitwiseNot bitwise_not; ReverseBits reverse_bits; CountOnes count_ones u32;
    LeadingZeros leading_zeros u32; TrailingZeros trailing_zeros u32; FindFirstSet find_first_set u32;
}

/// `Max::max(a, b)`, `Min::min(a, b)` and `Clamp::clamp(x, low, high)`: the traits themselves are no part of the prelude, where
/// they would stand in the way of `Ord`'s methods of the same names.
pub mod calls {
    use crate::__private::unexpanded;
    use crate::lang::value::Val;

    macro_rules! calls {
        ($($(#[$doc:meta])* $name:ident $call:ident $twin:ident ($($arg:ident),*);)*) => {$(
            $(#[$doc])*
            pub struct $name;
            impl $name {
                $(#[$doc])*
                pub fn $call<T: super::$name>($($arg: T),*) -> T {
                    let _ = ($($arg),*);
                    unexpanded()
                }
                #[doc(hidden)]
                pub fn $twin<T: super::$name>($($arg: Val<T>),*) -> Val<T> {
                    T::$twin($($arg),*)
                }
            }
        )*};
    }

    calls! {
        /// The larger of two.
        Max max
            __expand_max (a, b);
        /// The smaller of two.
        Min min
            __expand_min (a, b);
        /// The value, or the bound that it is beyond.
        Clamp clamp
            __expand_clamp (value, min, max);
    }
}
