//! The standard library of the kernel language.
//!
//! * [`FastDivmod`]: division by a number that all units share, without a division.
//! * [`ReinterpretSlice`]: memory read as numbers of another size.
//! * [`layout`]: tensors over layouts, divided, composed and sliced when the kernel is compiled.
//! * [`tensor`]: tensors with their shapes, copies without gaps, identity matrices.
//! * [`matmul`]: products of matrices. [`reduce`]: sums, extrema and where they are. [`scan`]: running sums of any length.
//! * [`quant`]: numbers of 8 bits for floats, and their products. [`random`]: numbers that only depend on a seed.
#![forbid(unsafe_op_in_unsafe_fn)]
#![allow(non_snake_case)]

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

/// Units of a cube where a kernel does not care: a multiple of every plane size.
const UNITS: u32 = 64;

/// Cubes of [`UNITS`] units for that many elements, within the limits of every device.
fn cubes(elements: usize) -> (CubeCount, CubeDim) {
    let dim = CubeDim::new_1d(UNITS);
    (cube_frontend::calculate_cube_count_elemwise(elements, dim), dim)
}

/// An array of a handle.
fn array<E: CubePrimitive, R: Runtime>(handle: &cube_frontend::server::Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: all kernels of this crate are launched checked.
    #[allow(unsafe_code)]
    unsafe {
        ArrayArg::from_raw_parts::<E>(handle, len, 1)
    }
}
