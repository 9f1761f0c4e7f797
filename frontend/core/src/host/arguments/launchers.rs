//! The launch functions of a kernel. `#[cube(launch)]` calls the macro of this file.

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
