//! Items with which expansions find the methods of traits and types. `#[cube]` declares them through the macros of this file.

/// Declares the trait that staged types implement for a trait. `$of` is the trait with its arguments, and `__Of` is the host
/// type of a staged value.
#[doc(hidden)]
#[macro_export]
macro_rules! __staged_trait {
    (
        [$($quiet:tt)*] [$($vis:tt)*] $name:ident [$($generics:tt)*] [$($used:tt)*] [$($where:tt)*] [$($of:tt)*]
        [$($declared:tt)*] [$($predicates:tt)*] { $($methods:tt)* }
    ) => {
        $($quiet)*
        #[doc(hidden)]
        $($vis)* trait $name $($generics)*:
            Sized + ::core::clone::Clone + $crate::__private::HasHost<Host = <Self as $name $($used)*>::__Of>
        $($where)*
        {
            type __Of: $($of)*;
            $($methods)*
        }
        $($quiet)*
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<$($declared)* __T, __S> $name $($used)* for __S
        where
            __S: ::core::clone::Clone + $crate::__private::HasHost<Host = __T>,
            __T: $($of)*,
            $($predicates)*
        {
            type __Of = __T;
        }
    };
}

/// Declares the type `$name`, which represents the name of a method's expansion, and implements the method for staged
/// receivers. The function `$call` takes the receiver and the arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __named_method {
    (
        [$($quiet:tt)*] [$($vis:tt)*] $name:ident [$($open:tt)*] [$($marked:ident)*]
        [$($bounded:tt)*] [$($receiver:tt)*] [$($named:tt)*] [$($predicates:tt)*]
        [$($value:ident [$($argument:tt)*])*] [$($output:tt)*] [$($call:tt)*]
    ) => {
        $($quiet)*
        #[doc(hidden)]
        $($vis)* struct $name<__T: ?Sized, $($open)*>(
            ::core::marker::PhantomData<(*const __T, $(*const $marked,)*)>,
        );
        $($quiet)*
        #[diagnostic::do_not_recommend]
        impl<$($bounded)*> $crate::__private::StagedMethod<$($receiver)*, ($($($argument)*,)*)> for $($named)*
        where
            $($predicates)*
        {
            type Call = $crate::__private::Computed<$($output)*>;
            fn call(
                on: &mut $($receiver)*,
                ($($value,)*): ($($($argument)*,)*),
            ) -> $crate::__private::Computed<$($output)*> {
                $crate::__private::Computed::new($($call)*(::core::clone::Clone::clone(on), $($value),*))
            }
        }
    };
}
