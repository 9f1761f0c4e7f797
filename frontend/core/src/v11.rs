//! The kernel language and the host API with the names of CubeCL 0.11: `use …::v11::prelude::*;`.
//!
//! A program of CubeCL 0.11 replaces `use cubecl::prelude::*;` by `use cubecl::v11::prelude::*;`. The macro generates
//! code of one form for kernels of `v11` and kernels of [`prelude`](crate::prelude), so a program can contain both.
//!
//! | | [`prelude`](crate::prelude) | `v11` |
//! |---|---|---|
//! | memory arguments | `&Array<T>`, `&mut Array<T>` | `&[T]`, `&mut [T]`, `Box<[T]>` in structs |
//! | indices, `len()`, `ABSOLUTE_POS`, `CUBE_POS`, `CUBE_COUNT` | `u32` | `usize`, which has 32 bits in a kernel |
//! | short vectors | `Line<T>` | [`Vector<T, N>`](Vector), where a launch takes a number for each `N: Size` |
//! | launch | `k::launch::<F, R>(&client, …)` | `k::launch::<F>(&client, …)` |
//! | arguments | `ArrayArg::from_raw_parts::<F>(&handle, n, 1)` | `BufferArg::from_raw_parts(handle, n)` |
//! | scalar arguments | `ScalarArg::new(x)` | `x` |
//! | clients | `ComputeClient<R::Server>` | [`Client`] |
//! | `client.read_one(handle)` | the bytes | a `Result` |
mod elements;
mod functions;
mod host;
mod shared_value;
mod topology;
mod vector;

pub use crate::define_size;
pub use crate::lang::sizes::{AddressType, Const, LaunchedSize, Size, register_size};
pub use cube_macros::cube_v11 as cube;
pub use elements::{Array, IntoComptime, Shared, SharedAtomics, SliceExt, Tensor, Vectorized};

/// The number of elements of a vector.
pub type VectorSize = usize;

/// A list that the kernel extends at compile time, with indices of type `usize`.
pub type Sequence<T> = crate::lang::sequence::Sequence<T, usize>;
#[doc(hidden)]
pub use elements::{AtomicsExpand, ElementsExpand, IndexRange};
#[doc(hidden)]
pub use elements::{element, index_range, local_array, local_array_of};
pub use functions::{
    FloatOps, clamp_nan, dp4a, hypot, max, max_nan, min, min_nan, rhypot, sync_storage, workgroup_uniform_load,
    workgroup_uniform_load_atomic,
};
#[doc(hidden)]
pub use host::AnyRuntime;
pub use host::{AnyServer, BufferArg, Client, CubeDim, Runtime, Shape, Strides, TensorArg, TensorBinding};
pub use shared_value::SharedExpand;
#[doc(hidden)]
pub use topology::absolute_pos;
pub use topology::{ABSOLUTE_POS, CUBE_COUNT, CUBE_POS};
pub use vector::Vector;

/// All items that kernels and launches of CubeCL 0.11 use.
pub mod prelude {
    pub use super::{
        ABSOLUTE_POS, AddressType, Array, BufferArg, CUBE_COUNT, CUBE_POS, Client, Const, CubeDim, FloatOps,
        IntoComptime, Runtime, Sequence, Shape, Shared, SharedAtomics, Size, SliceExt, Strides, Tensor, TensorArg,
        TensorBinding, Vector, VectorSize, Vectorized, clamp_nan, cube, define_size, dp4a, hypot, max, max_nan, min,
        min_nan, register_size, rhypot, sync_storage, workgroup_uniform_load, workgroup_uniform_load_atomic,
    };
    pub use crate::ir::Type;
    pub use crate::lang::math::{
        ArcCos, ArcCosh, ArcSin, ArcSinh, ArcTan, ArcTan2, ArcTanh, Cosh, Degrees, Expm1, Hypot, Radians, Rhypot,
        Scalar, Sinh,
    };
    pub use crate::prelude::*;
}
