//! The launch functions of a kernel, and launch arguments. `#[cube(launch)]` and `#[derive(CubeLaunch)]` call the macros of
//! this file.

/// Declares a launch function and its `try_` variant. The first word is the attribute's argument. After the documentation
/// follow the generic parameters, the generic arguments, the where-clause, the parameters, the arguments and the body. In
/// the body, the variable `$checked` states whether accesses are checked.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch_function {
    (
        launch $doc:literal [$($generics:tt)*] [$($used:tt)*] [$($where:tt)*] ($($head:tt)*) ($($args:tt)*)
        $checked:ident { $($body:tt)* }
    ) => {
        #[doc = $doc]
        ///
        /// Accesses are checked: a read out of bounds returns zero, a write out of bounds is dropped. A failure is
        /// reported on the standard error, and reading a result of the kernel returns it again.
        pub fn launch $($generics)*($($head)*) $($where)* {
            $crate::__private::report(self::try_launch $($used)*($($args)*));
        }
        #[doc = $doc]
        ///
        /// # Errors
        /// The kernel does not compile, or the launch is invalid for the kernel or the device.
        pub fn try_launch $($generics)*($($head)*) -> ::core::result::Result<(), $crate::__private::LaunchError>
        $($where)* {
            let $checked = true;
            $($body)*
        }
    };
    (
        launch_unchecked $doc:literal [$($generics:tt)*] [$($used:tt)*] [$($where:tt)*] ($($head:tt)*) ($($args:tt)*)
        $checked:ident { $($body:tt)* }
    ) => {
        #[doc = $doc]
        ///
        /// # Safety
        /// Every access of the kernel is within its buffer.
        pub unsafe fn launch_unchecked $($generics)*($($head)*) $($where)* {
            // SAFETY: the caller guarantees that the accesses are within the buffers.
            $crate::__private::report(unsafe { self::try_launch_unchecked $($used)*($($args)*) });
        }
        #[doc = $doc]
        ///
        /// # Safety
        /// Every access of the kernel is within its buffer.
        ///
        /// # Errors
        /// The kernel does not compile, or the launch is invalid for the kernel or the device.
        pub unsafe fn try_launch_unchecked $($generics)*(
            $($head)*
        ) -> ::core::result::Result<(), $crate::__private::LaunchError>
        $($where)* {
            let $checked = false;
            $($body)*
        }
    };
}

/// Implements `LaunchArg` for a struct or an enum with the launch arguments `$args`. The code that adds an argument to a launch
/// and the code that declares it in the kernel use the three names in parentheses. After `new` follow the fields of a struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch_form {
    (
        $name:ident $args:ident [$($impl:tt)*] [$($used:tt)*] [$($where:tt)*] [$($all_used:tt)*]
        ($arg:ident $launch:ident $params:ident) { $($registers:tt)* } { $($enter:tt)* }
        $(new [$($all_impl:tt)*] [$($new_used:tt)*] [$($all_where:tt)*] $($field:ident [$($ty:tt)*])*)?
    ) => {
        $(impl $($all_impl)* $args $($new_used)* $($all_where)* {
            /// Creates the launch argument from one argument per field, in order.
            #[allow(clippy::too_many_arguments)]
            pub fn new($($field: $($ty)*),*) -> Self {
                $args { $($field,)* __of: ::core::marker::PhantomData }
            }
        })?
        impl $($impl)* $crate::__private::LaunchArg for $name $($used)* $($where)* {
            type RuntimeArg<'a, R: $crate::__private::Runtime> = $args $($all_used)*;
            fn register<'a: 'x, 'x, R: $crate::__private::Runtime>(
                $arg: &'x Self::RuntimeArg<'a, R>,
                $launch: &mut $crate::__private::Launch<'x>,
            ) -> $crate::__private::CompileArg {
                match $arg { $($registers)* }
            }
            fn enter(
                $arg: &$crate::__private::CompileArg,
                $params: &mut $crate::__private::Params,
            ) -> <Self as $crate::__private::CubeType>::ExpandType {
                $($enter)*
            }
        }
    };
}
