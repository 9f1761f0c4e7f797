//! The kernel language of Cube: what a body under `#[cube]` is made of, and how it becomes IR.
//!
//! * [`prelude`]: everything that kernels and their launches name.
//! * `lang`: values, memory, control flow, math, planes, each in two forms: what rustc checks, and what writes IR.
//! * `host`: clients, handles, arguments, launches.
//!
//! Users depend on the facade `cube-mlir`.
#![deny(unsafe_code)]
// Twins of functions carry names that the macro makes.
#![allow(non_snake_case)]

#[doc(hidden)]
pub mod __private;
pub mod benchmark;
pub mod future;
pub mod host;
#[doc(hidden)]
pub mod ir;
pub mod lang;
pub mod prelude;
pub mod profile;
mod told;
pub mod tune;

pub use cube_macros::{
    AutotuneKey, CubeLaunch, CubeType, comment, comptime, comptime_type, cube, derive_cube_comptime, intrinsic,
    terminate,
};
pub use cube_runtime::prints;
pub use host::arguments::{CubeLaunch, LaunchArg, RuntimeArg};
pub use host::line_sizes::*;
pub use host::{CubeCount, CubeDim, MemoryUsage, PLANE_DIM_APPROX, Runtime, calculate_cube_count_elemwise, server};
pub use host::{client, config, features};
pub use lang::elements::CubeElement;
pub use lang::small::*;
pub use prelude as frontend;
#[doc(hidden)]
pub use told::{
    BehindItsEnum, ComputedByTheKernel, FieldsOf, FunctionOf, KernelFunction, KernelMethod, KernelType,
    KnownWhenCompiled, MethodOf, TheHost, TheKernel, ThisFunction, ValueOf,
};
pub use tune::CubeTuneId;

/// Prints text and values from every unit that reaches it. The text names each value as in Rust, by `{}`, `{0}`, `{name}` of an argument
/// or of a variable, or by C's `%d` and the like; `{{`, `}}` and `%%` are the characters. A value has one format: `{:?}` and `{:.2}` are
/// refused. In a kernel `println!` is the same.
#[macro_export]
macro_rules! debug_print {
    ($text:literal $(, $value:expr)* $(,)?) => {{
        $(let _ = &$value;)*
    }};
}

/// The body of what has a meaning in kernels only: called by the host, it panics.
#[macro_export]
macro_rules! unexpanded {
    () => {
        panic!("this is a function of kernels, and the host called it")
    };
    ($($text:tt)+) => {
        panic!($($text)+)
    };
}

/// The bytes of elements, written as `f32`: `as_bytes![F: 1.0, 2.0]`.
#[macro_export]
macro_rules! as_bytes {
    ($ty:ident: $($elem:expr),* $(,)?) => {
        $ty::as_bytes(&[$($ty::new($elem)),*])
    };
}

/// Elements, written as `f32`: `as_type![F: 1.0, 2.0]`.
#[macro_export]
macro_rules! as_type {
    ($ty:ident: $($elem:expr),* $(,)?) => {
        &[$($ty::new($elem)),*]
    };
}
