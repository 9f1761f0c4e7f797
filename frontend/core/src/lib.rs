//! The kernel language of Cube: the items that `#[cube]` functions use, and their lowering to IR.
//!
//! * [`prelude`]: all items that kernels and launches use.
//! * `lang`: values, memory, control flow, math and planes. Each item has a Rust declaration that rustc
//!   checks, and an expansion that builds IR.
//! * `host`: clients, handles, arguments, launches.
//!
//! Programs depend on the crate `cube-mlir`, which re-exports this crate.
#![deny(unsafe_code)]
#![warn(missing_docs)]
// The macros create the names of the expansions.
#![allow(non_snake_case)]

#[doc(hidden)]
pub mod __private;
pub mod benchmark;
mod diagnostic_traits;
mod fallbacks;
pub mod future;
pub mod host;
#[doc(hidden)]
pub mod ir;
pub mod lang;
mod method_lookup;
pub mod prelude;
pub mod profile;
pub mod tune;
pub mod v11;

pub use cube_artifact::SourceLocation;
pub use cube_macros::{AutotuneKey, CubeLaunch, CubeType, cube, derive_cube_comptime};
pub use cube_runtime::{ErrorKind, RuntimeError};
pub use cube_runtime::{bundle, prints};
#[doc(hidden)]
pub use diagnostic_traits::{
    ArithmeticOn, ComputedByTheKernel, FieldsOf, FunctionOf, KernelFunction, KernelMethod, KernelNumber, KernelType,
    KnownWhenCompiled, MethodOf, OperatorOn, TheHost, TheKernel, ValueOf,
};
pub use host::arguments::{CubeError, CubeLaunch, LaunchArg, RuntimeArg};
pub use host::line_sizes::*;
pub use host::{CubeCount, CubeDim, MemoryUsage, PLANE_DIM_APPROX, Runtime, calculate_cube_count_elemwise, server};
pub use host::{client, config, features, precompile};
pub use lang::elements::CubeElement;
pub use lang::minifloats::*;
pub use prelude as frontend;
pub use tune::CubeTuneId;

/// Prints text and values from every unit that executes the statement. A placeholder in the text is `{}`, `{0}`,
/// `{name}` of an argument or a variable, or a C conversion such as `%d`. `{{`, `}}` and `%%` print the characters
/// `{`, `}` and `%`. Format specifications such as `{:?}` and `{:.2}` are rejected. `println!` in a kernel is
/// equivalent.
#[macro_export]
macro_rules! debug_print {
    ($text:literal $(, $value:expr)* $(,)?) => {{
        $(let _ = &$value;)*
    }};
}

/// Evaluates an expression on the host at compile time.
#[macro_export]
macro_rules! comptime {
    ($($tokens:tt)*) => {{ $($tokens)* }};
}

/// Marks the result type of a function whose result is known at compile time.
#[macro_export]
macro_rules! comptime_type {
    ($ty:ty) => {
        $ty
    };
}

/// Ends the unit.
#[macro_export]
macro_rules! terminate {
    ($($tokens:tt)*) => {
        $crate::__private::unexpanded()
    };
}

/// Writes a comment into the IR.
#[macro_export]
macro_rules! comment {
    ($($tokens:tt)*) => {{}};
}

/// Contains library code that writes IR directly. Only the library of the kernel language uses this macro.
#[macro_export]
macro_rules! intrinsic {
    ($($tokens:tt)*) => {{ $crate::__private::unexpanded() }};
}

/// Defines the body of a function that only kernels can call. A call of this function on the host panics.
#[macro_export]
macro_rules! unexpanded {
    () => {
        panic!("a kernel function was called on the host")
    };
    ($($text:tt)+) => {
        panic!($($text)+)
    };
}

/// Returns the bytes of elements that are written as `f32` literals: `as_bytes![F: 1.0, 2.0]`.
#[macro_export]
macro_rules! as_bytes {
    ($ty:ident: $($elem:expr),* $(,)?) => {
        $ty::as_bytes(&[$($ty::new($elem)),*])
    };
}

/// Converts `f32` literals to elements of a type: `as_type![F: 1.0, 2.0]`.
#[macro_export]
macro_rules! as_type {
    ($ty:ident: $($elem:expr),* $(,)?) => {
        &[$($ty::new($elem)),*]
    };
}
