//! Which numbers have a function, and how it is called behind a value: `x.exp()`, `x.max(y)`.
//!
//! The rows come from `cube_macros::words!`, because the macro needs them too: it brings the trait of a method, one for each name,
//! into the scope of a body that calls it. So `F::exp(x)`, and the methods of the same names that a type has from elsewhere, are not
//! in doubt where nobody asks for these.
use super::*;
use crate::__private::Kept;
use crate::lang::value::{CubePrimitive, Operand, Val};
use crate::told::StagedMethod;
use std::marker::PhantomData;

macro_rules! of_one {
    ($($trait:ident $name:ident $twin:ident $method:ident $methods:ident $family:ident $gives:ident;)*) => {
        $(
            implement!($family $trait);
            #[doc(hidden)]
            pub trait $methods: Operand {
                fn $method(self) -> Val<result!($gives Self::T)> where Self: Sized, Self::T: $trait {
                    <Self::T as $trait>::$twin(self.val())
                }
            }
            impl<A: Operand> $methods for A {}
        )*

        /// The traits, by the names of their methods.
        #[allow(non_camel_case_types)]
        pub mod by_name {
            use super::*;
            $(
                #[doc = concat!("[`", stringify!($trait), "`], written behind the value.")]
                pub trait $name: $trait {
                    #[doc = concat!("[`", stringify!($trait), "`].")]
                    fn $name(self) -> result!($gives Self) {
                        <Self as $trait>::$name(self)
                    }
                }
                impl<T: CubePrimitive + $trait> $name for T {}
            )*
            pub use super::renamed::*;
        }

        /// What a twin's scope holds of them.
        #[doc(hidden)]
        pub mod of_one {
            $(pub use crate::lang::math::$trait as _; pub use super::$methods as _;)*
        }
    };
}

cube_macros::words!(functions_of_one => of_one);

/// Rust's names of functions that have another one here. They are found by the host type of a value, behind the methods that the
/// user's traits give that type.
macro_rules! renamed {
    ($($rust:literal $name:ident $own:ident $twin:ident $trait:ident $by:ident $by_type:ident $call:ident;)*) => {
        /// The traits, by the names of their methods.
        #[allow(non_camel_case_types)]
        pub mod renamed {
            use super::*;
            $(
                #[doc = concat!("[`", stringify!($trait), "`], by the name `", $rust, "` that Rust has for it.")]
                pub trait $name: $trait {
                    #[doc = concat!("[`", stringify!($trait), "`].")]
                    fn $name(self) -> Self {
                        <Self as $trait>::$own(self)
                    }
                }
                impl<T: CubePrimitive + $trait> $name for T {}
            )*
        }

        /// What a twin's scope holds of them.
        #[doc(hidden)]
        pub mod renamed_methods {
            use super::*;
            $(
                pub trait $by_type {
                    type Host;
                    fn $by(&self) -> $call<Self::Host> {
                        unreachable!()
                    }
                }
                impl<F: $trait> $by_type for &F {
                    type Host = F;
                }
                pub struct $call<F>(PhantomData<F>);
                impl<F: $trait> StagedMethod<Val<F>, ()> for $call<F> {
                    type Call = Kept<Val<F>>;
                    fn call(value: &mut Val<F>, (): ()) -> Kept<Val<F>> {
                        Kept::new(F::$twin(*value))
                    }
                }
            )*
        }
    };
}

renamed! {
    "ln" ln log __expand_log Log __expand_ln_by_type LnByType LnOf;
    "ln_1p" ln_1p log1p __expand_log1p Log1p __expand_ln_1p_by_type Ln1pByType Ln1pOf;
    "round_ties_even" round_ties_even round __expand_round Round __expand_round_ties_even_by_type
        RoundTiesEvenByType RoundTiesEvenOf;
}

macro_rules! of_two {
    ($($trait:ident $name:ident $twin:ident $method:ident $methods:ident $family:ident $gives:ident;)*) => {
        $(
            implement!($family $trait);
            #[doc(hidden)]
            pub trait $methods: Operand {
                fn $method(self, other: Val<Self::T>) -> Val<result!($gives Self::T)> where Self: Sized, Self::T: $trait {
                    <Self::T as $trait>::$twin(self.val(), other)
                }
            }
            impl<A: Operand> $methods for A {}
        )*

        /// What a twin's scope holds of them.
        #[doc(hidden)]
        pub mod of_two {
            $(pub use crate::lang::math::$trait as _; pub use super::$methods as _;)*
        }
    };
}

cube_macros::words!(functions_of_two => of_two);

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
