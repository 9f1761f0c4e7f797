//! The standard library of the kernel language.
//!
//! * [`FastDivmod`]: division by a launch-uniform number, by multiplication.
//! * [`ReinterpretSlice`]: slices reinterpreted as elements of another size.
//! * [`layout`]: views through CuTe layouts, divided, composed and sliced at compile time.
//! * [`tensor`]: tensors with shapes, contiguous copies, identity matrices.
//! * [`matmul`]: matrix products. [`reduce`]: sums, extrema and their indices. [`scan`]: prefix
//!   sums of any length.
//! * [`quant`]: quantisation to 8 bits, and quantised matrix products. [`random`]: counter-based
//!   random numbers.
#![forbid(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]
#![allow(non_snake_case)]

pub mod cubecl;
mod divmod;
pub mod layout;
pub mod matmul;
mod option;
pub mod quant;
pub mod random;
pub mod reduce;
mod reinterpret;
pub mod scan;
pub mod tensor;

pub use divmod::{Divisor, FastDivmod, FastDivmodArgs, FastDivmodExpand};
pub use option::{CubeOption, CubeOptionArgs, CubeOptionExpand};
pub use reinterpret::{ReinterpretSlice, ReinterpretSliceExpand, ReinterpretSliceMut, ReinterpretSliceMutExpand};

use cube_frontend::prelude::*;

/// Default number of units in a cube. The default is a multiple of every plane size.
const UNITS: u32 = 64;

/// Cube count and cube dim for one unit per element, within the limits of every device.
fn cubes(elements: usize) -> (CubeCount, CubeDim) {
    let dim = CubeDim::new_1d(UNITS);
    (cube_frontend::calculate_cube_count_elemwise(elements, dim), dim)
}

/// Creates an array argument for a handle's memory.
fn array<E: CubePrimitive, R: Runtime>(handle: &cube_frontend::server::Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: all kernels of this crate are launched checked.
    #[allow(unsafe_code)]
    unsafe {
        ArrayArg::from_raw_parts::<E>(handle, len, 1)
    }
}
