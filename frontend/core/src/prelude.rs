//! Exports all items that kernels and launches use: `use …::prelude::*;`. The documentation of the crate `cube-mlir`
//! introduces these items in order.
//!
//! | topic | items |
//! |---|---|
//! | kernels | [`cube`](macro@cube), [`CubeType`](derive@CubeType) and [`CubeLaunch`](derive@CubeLaunch) of structs and enums |
//! | compile-time values | `#[comptime]` parameters, [`comptime!`](macro@comptime), `#[unroll]`, [`ComptimeCell`], [`Sequence`] |
//! | numbers | Rust's types, [`f16`](struct@f16), [`bf16`], [`flex32`]; bounds [`Numeric`], [`Float`], [`Int`], [`CubePrimitive`]; short vectors, [`Line`] |
//! | math functions | `x.exp()` or `F::exp(x)` of [`Exp`] and similar traits, [`Max`], [`Min`], [`Clamp`], [`fma`], [`select`], [`div_ceil`] |
//! | memory | [`Array`], [`Tensor`], [`SharedMemory`], slices ([`Slice`], [`SliceMut`]), [`Atomic`] |
//! | positions | [`ABSOLUTE_POS`], [`UNIT_POS`], [`CUBE_POS`], [`CUBE_DIM`], [`CUBE_COUNT`], [`PLANE_DIM`], and `_X`, `_Y`, `_Z` of most |
//! | barriers | [`sync_cube`], [`sync_plane`], [`sync_storage`] |
//! | plane operations | [`plane_sum`], [`plane_max`], [`plane_broadcast`], [`plane_shuffle`], [`plane_ballot`] and similar functions |
//! | ending a unit, printing | `return`, [`terminate!`](macro@terminate), [`debug_print!`](macro@debug_print) |
//! | the host | [`Runtime`], [`ComputeClient`], [`CubeCount`], [`CubeDim`], [`ArrayArg`], [`TensorArg`], [`ScalarArg`], [`CubeError`] |
pub use crate::host::arguments::SequenceArg;
pub use crate::host::arguments::{
    ArrayArg, ArrayHandleRef, CubeError, LaunchArg, LaunchError, RuntimeArg, ScalarArg, TensorArg, TensorHandleRef,
};
pub use crate::host::tasks::{CubeTask, KernelId, KernelMetadata};
pub use crate::host::{Bytes, Client as ComputeClient, CubeCount, CubeDim, Runtime};
pub use crate::lang::cells::{ComptimeCell, Registry, RuntimeCell};
pub use crate::lang::containers::{
    Array, Atomic, Lined, LinedExpand, List, ListMut, ReadOnly, ReadWrite, SharedMemory, Slice, SliceMut,
    SliceMutOperator, SliceOperator, SliceVisibility, Tensor, copy_bulk,
};
pub use crate::lang::elements::{BoolOps, CubeElement};
pub use crate::lang::line::Line;
pub use crate::lang::math::calls::*;
pub use crate::lang::math::div_ceil;
pub use crate::lang::math::{
    Abs, BitwiseNot, Cast, Ceil, Cos, CountOnes, Dot, Erf, Exp, FastMath, FindFirstSet, Float, Floor, Int, InverseSqrt,
    IsInf, IsNan, LeadingZeros, Log, Log1p, Magnitude, MulHi, Normalize, Numeric, Powf, Powi, Recip, Reinterpret,
    Remainder, ReverseBits, Round, SaturatingAdd, SaturatingSub, Sin, Sqrt, Tan, Tanh, TrailingZeros, Trunc, fma,
    select, select_many,
};
pub use crate::lang::minifloats::computed::*;
pub use crate::lang::minifloats::tf32;
pub use crate::lang::plane::*;
pub use crate::lang::ranges::{range, range_stepped};
pub use crate::lang::sequence::{Sequence, SequenceExpand};
pub use crate::lang::topology::*;
pub use crate::lang::value::{CubeComptime, CubeDebug, CubePrimitive, CubeType, IntoRuntime};
pub use crate::{
    CubeLaunch, CubeType, comment, comptime, comptime_type, cube, debug_print, derive_cube_comptime, intrinsic,
    terminate,
};
