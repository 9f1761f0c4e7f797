//! Everything that kernels and their launches name.
pub use crate::host::arguments::SequenceArg;
pub use crate::host::arguments::{
    ArrayArg, ArrayHandleRef, LaunchArg, LaunchError, RuntimeArg, ScalarArg, TensorArg, TensorHandleRef,
};
pub use crate::host::{Bytes, Client as ComputeClient, CubeCount, CubeDim, Runtime};
pub use crate::lang::cells::{ComptimeCell, Registry, RuntimeCell};
pub use crate::lang::containers::{
    Array, Atomic, Lined, List, ListMut, ReadOnly, ReadWrite, SharedMemory, Slice, SliceMut, SliceMutOperator,
    SliceOperator, SliceVisibility, Tensor, copy_bulk,
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
pub use crate::lang::plane::*;
pub use crate::lang::ranges::{range, range_stepped};
pub use crate::lang::sequence::{Sequence, SequenceExpand};
pub use crate::lang::small::{flex32, tf32};
pub use crate::lang::topology::*;
pub use crate::lang::value::{CubeComptime, CubeDebug, CubePrimitive, CubeType, IntoRuntime};
pub use crate::{
    CubeLaunch, CubeType, comment, comptime, comptime_type, cube, debug_print, derive_cube_comptime, intrinsic,
    terminate,
};
pub use half::{bf16, f16};
