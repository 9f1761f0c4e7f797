//! Implements the math functions of numbers, and methods such as `x.exp()` and `x.max(y)`.
//!
//! The table rows for the math functions come from `frontend/names`. The procedural macros also read the
//! table rows of math functions, and import the trait of a method only into kernel bodies that call the method.
//! In a kernel body that does not call the method, the trait is not in scope and causes no ambiguous method
//! names.
use super::*;
use crate::__private::Computed;
use crate::diagnostic_traits::StagedMethod;
use crate::lang::value::{CubePrimitive, Operand, Val};
use std::marker::PhantomData;

macro_rules! of_one {
    ($($trait:ident $name:ident $expand:ident $method:ident $methods:ident $family:ident $result:ident;)*) => {
        $(
            implement!($family $trait);
            #[doc(hidden)]
            pub trait $methods: Operand {
                fn $method(self) -> Val<result!($result Self::T)> where Self: Sized, Self::T: $trait {
                    <Self::T as $trait>::$expand(self.val())
                }
            }
            impl<A: Operand> $methods for A {}
        )*

        /// Re-exports each trait under the name of its method.
        #[allow(non_camel_case_types)]
        pub mod by_name {
            use super::*;
            $(
                #[doc = concat!("[`", stringify!($trait), "`] as a method.")]
                pub trait $name: $trait {
                    #[doc = concat!("[`", stringify!($trait), "`].")]
                    fn $name(self) -> result!($result Self) {
                        <Self as $trait>::$name(self)
                    }
                }
                impl<T: CubePrimitive + $trait> $name for T {}
            )*
            pub use super::renamed::*;
        }

        /// Re-exports the traits that an expansion imports.
        #[doc(hidden)]
        pub mod of_one {
            $(pub use crate::lang::math::$trait as _; pub use super::$methods as _;)*
        }
    };
}

cube_names::functions_of_one!(of_one);

/// Declares methods for functions that have a different name in Rust. Method lookup uses the host type of a
/// value, and finds a user's trait methods before the declared methods.
macro_rules! renamed {
    ($($rust:literal $name:ident $own:ident $expand:ident $trait:ident $by:ident $by_type:ident $call:ident;)*) => {
        /// Re-exports each trait under the name of its method.
        #[allow(non_camel_case_types)]
        pub mod renamed {
            use super::*;
            $(
                #[doc = concat!("[`", stringify!($trait), "`] under its Rust name `", $rust, "`.")]
                pub trait $name: $trait {
                    #[doc = concat!("[`", stringify!($trait), "`].")]
                    fn $name(self) -> Self {
                        <Self as $trait>::$own(self)
                    }
                }
                impl<T: CubePrimitive + $trait> $name for T {}
            )*
        }

        /// Re-exports the traits that an expansion imports.
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
                    type Call = Computed<Val<F>>;
                    fn call(value: &mut Val<F>, (): ()) -> Computed<Val<F>> {
                        Computed::new(F::$expand(*value))
                    }
                }
            )*
        }
    };
}

renamed! {
    "ln" ln log log_in_a_kernel Log __expand_ln_by_type LnByType LnOf;
    "ln_1p" ln_1p log1p log1p_in_a_kernel Log1p __expand_ln_1p_by_type Ln1pByType Ln1pOf;
    "round_ties_even" round_ties_even round round_in_a_kernel Round __expand_round_ties_even_by_type
        RoundTiesEvenByType RoundTiesEvenOf;
}

/// Selects the trait that an expansion imports for a function. An expansion does not import `Max` and `Min`, because
/// their methods would conflict with the methods of `Ord`.
macro_rules! imported {
    (Max) => {
        pub use crate::lang::math::MaxFunction as _;
    };
    (Min) => {
        pub use crate::lang::math::MinFunction as _;
    };
    ($trait:ident) => {
        pub use crate::lang::math::$trait as _;
    };
}

macro_rules! of_two {
    ($($trait:ident $name:ident $expand:ident $method:ident $methods:ident $family:ident $result:ident;)*) => {
        $(
            implement!($family $trait);
            #[doc(hidden)]
            pub trait $methods: Operand {
                fn $method(self, other: Val<Self::T>) -> Val<result!($result Self::T)> where Self: Sized, Self::T: $trait {
                    <Self::T as $trait>::$expand(self.val(), other)
                }
            }
            impl<A: Operand> $methods for A {}
        )*

        /// Re-exports the traits that an expansion imports.
        #[doc(hidden)]
        pub mod of_two {
            $(imported!($trait); pub use super::$methods as _;)*
        }
    };
}

cube_names::functions_of_two!(of_two);

/// `Max::max(a, b)`, `Min::min(a, b)` and `Clamp::clamp(x, low, high)`. The prelude exports the types of this
/// module instead of the traits, because the traits' methods would conflict with the methods of `Ord`.
pub mod calls {
    use crate::__private::unexpanded;
    use crate::lang::value::Val;

    macro_rules! calls {
        ($($(#[$doc:meta])* $name:ident $call:ident $expand:ident ($($arg:ident),*);)*) => {$(
            $(#[$doc])*
            pub struct $name;
            impl $name {
                $(#[$doc])*
                pub fn $call<T: super::$name>($($arg: T),*) -> T {
                    let _ = ($($arg),*);
                    unexpanded()
                }
                #[doc(hidden)]
                pub fn $expand<T: super::$name>($($arg: Val<T>),*) -> Val<T> {
                    T::$expand($($arg),*)
                }
            }
        )*};
    }

    calls! {
        /// The maximum.
        Max max
            max_in_a_kernel (a, b);
        /// The minimum.
        Min min
            min_in_a_kernel (a, b);
        /// The value clamped to a range.
        Clamp clamp
            clamp_in_a_kernel (value, min, max);
    }
}
