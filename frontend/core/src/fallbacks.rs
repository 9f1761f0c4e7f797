//! Items that make rustc report each mistake once. The expansion declares them through the macros of this file: constants
//! without a value if other code has an error, and fallback items for names that do not resolve to items of the kernel
//! language. rustc reports the use of a fallback item by the traits of `diagnostic_traits.rs`.

/// Declares a constant, which has no value if its initialiser has an error. After the name follow the generic parameters of the
/// initialiser without bounds, the generic arguments, the types among them, the generic parameters with bounds, the bounds of
/// the where-clause, and the replacements.
///
/// If the replacements possibly violate the bounds, rustc computes the initialiser only if the bounds are satisfied. The
/// initialiser is therefore an inherent constant, which exists only if the bounds are satisfied and has precedence over a
/// trait's constant.
#[doc(hidden)]
#[macro_export]
macro_rules! __check_constant {
    ($name:ident $value:tt) => {
        #[allow(
            unused, warnings, nonstandard_style, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction,
            deprecated, private_interfaces, private_bounds, unused_qualifications
        )]
        #[doc(hidden)]
        const $name: usize = $value;
    };
    (
        $name:ident [$($open:tt)*] [$($used:tt)*] [$($ty:ident)*] [$($bounded:tt)*] [$($predicates:tt)*] [$($values:tt)*]
        $value:tt
    ) => {
        $crate::__check_constant! { $name {
            struct __Of<$($open)*>(::core::marker::PhantomData<($(*const $ty,)*)>);
            trait __Unknown { const CHECKED: usize = 0; }
            impl<$($open)*> __Unknown for __Of<$($used)*> {}
            impl<$($bounded)*> __Of<$($used)*> where $($predicates)* {
                const CHECKED: usize = $value;
            }
            <__Of<$($values)*>>::CHECKED
        } }
    };
}

/// Declares the fallback of a function. rustc reports the use of its result as a kernel value, at the location of the called
/// name. If another error has been reported, the constant `$check` has no value, and rustc does not report the use.
#[doc(hidden)]
#[macro_export]
macro_rules! __fallback_function {
    ($name:ident $expansion:ident $check:ident [$($open:tt)*] [$($ty:ty),*]) => {
        mod $name {
            // The constant of a nested function is not in `super`. The fallback is 0.
            const KNOWN: usize = {
                const $check: usize = 0;
                {
                    use super::*;
                    $check
                }
            };
            pub fn $expansion<$($open)*>($(_: $ty),*) -> $crate::__private::CallOfFunction<
                <$crate::__private::TheHost as $crate::__private::Checked<{ KNOWN }>>::Out
            > {
                ::core::unreachable!()
            }
        }
    };
}

/// Declares a fallback method for every type. The fallback takes `&mut self`, which method lookup tries last, so every other
/// method with this name has precedence. The fallback stores the receiver and the arguments until the receiver's host type
/// has returned the name of the expansion. The trait `ByType` is the fallback for the function that returns this name.
#[doc(hidden)]
#[macro_export]
macro_rules! __fallback_method {
    ($module:ident $method:ident $by:ident [$($generics:tt)*] $($value:ident $ty:ident)*) => {
        mod $module {
            pub trait Method<$($ty),*>: Sized {
                fn $method<$($generics)*>(
                    &mut self, $($value: $ty),*
                ) -> $crate::__private::CallOfMethod<'_, Self, ($($ty,)*)> {
                    $crate::__private::CallOfMethod::new(self, ($($value,)*))
                }
            }
            impl<T, $($ty),*> Method<$($ty),*> for T {}
            pub trait ByType<Place> {
                fn $by<$($generics)*>(&mut self) -> $crate::__private::NoMethod<Place> {
                    ::core::unreachable!()
                }
            }
            impl<T: ?Sized, Place> ByType<Place> for T {}
        }
        use $module::{ByType as _, Method as _};
    };
}

/// Declares a trait with fallback functions for types that have no kernel function with the called name. If a type lacks the
/// function, rustc also looks for the function on references to the type. rustc then finds the fallback function, which is
/// implemented for references to the type, and reports that the type itself lacks the trait. The trait's parameter appears
/// only in the where-clause, which prevents rustc from suggesting a reference. If another error has been reported, the
/// trait's parameter is an error type, and rustc reports nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __fallback_trait {
    (function $($rest:tt)*) => {
        $crate::__fallback_trait! { @declare [#[diagnostic::on_unimplemented(
            message = "this function of `{Self}` is not in the kernel language",
            label = "has no such function in a kernel",
            note = "put `#[cube]` before its trait or `impl` block, or call it inside `comptime!(…)` if its arguments are known at compile time"
        )]] $($rest)* }
    };
    (variant $($rest:tt)*) => {
        $crate::__fallback_trait! { @declare [#[diagnostic::on_unimplemented(
            message = "`{Self}` is not a type of the kernel language",
            label = "is not supported in a kernel",
            note = "derive `CubeType` for it, or compute the value inside `comptime!(…)`"
        )]] $($rest)* }
    };
    (@declare [$($message:tt)*] $name:ident $check:ident { $($function:ident [$($open:tt)*] [$($ty:ty),*] $place:ty, $result:ty;)* }) => {
        $($message)*
        trait $name<Place> {
            $(fn $function<$($open)*>($(_: $ty),*) -> $result
            where
                $crate::__private::TheKernel<$place>: $crate::__private::Checked<{ $check }, Out = Place>,
            {
                ::core::unreachable!()
            })*
        }
        #[diagnostic::do_not_recommend]
        impl<T: ?Sized> $name<$crate::__private::FirstImpl> for &mut T {}
    };
}
