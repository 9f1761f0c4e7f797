//! The standard library of the kernel language.
//!
//! * [`FastDivmod`]: division by a launch-uniform number, by multiplication.
//! * [`ReinterpretSlice`]: slices reinterpreted as elements of another size.
//! * [`layout`]: views through CuTe layouts, divided, composed and sliced at compile time.
//! * [`tensor`]: tensors with shapes, contiguous copies, identity matrices.
//! * [`matmul`]: matrix products. [`reduce`]: sums, extrema and their indices. [`scan`]: prefix
//!   sums of any length. [`rows`]: softmax, layer normalisation and RMS normalisation.
//! * [`movement`]: transposition, gathering and scattering. [`histogram`]: histograms.
//! * [`quant`]: quantisation to 8 bits, and quantised matrix products. [`random`]: counter-based
//!   random numbers.
#![forbid(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]
#![allow(non_snake_case)]

pub mod cubecl;
mod divmod;
pub mod histogram;
pub mod layout;
pub mod matmul;
pub mod movement;
mod option;
pub mod quant;
pub mod random;
pub mod reduce;
mod reinterpret;
pub mod rows;
pub mod scan;
pub mod tensor;

pub use divmod::{Divisor, FastDivmod, FastDivmodArgs, FastDivmodExpand};
pub use option::{CubeOption, CubeOptionArgs, CubeOptionExpand};
pub use reinterpret::{ReinterpretSlice, ReinterpretSliceExpand, ReinterpretSliceMut, ReinterpretSliceMutExpand};

use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Default number of units in a cube. The default is a multiple of every plane size.
const UNITS: u32 = 64;

/// Cube count and cube dim for one unit per element, within the limits of every device.
fn cubes(elements: usize) -> (CubeCount, CubeDim) {
    let dim = CubeDim::new_1d(UNITS);
    (cube_frontend::calculate_cube_count_elemwise(elements, dim), dim)
}

/// Creates an array argument for a handle's memory.
fn array<E: CubePrimitive, R: Runtime>(handle: &Handle, len: usize) -> ArrayArg<'_, R> {
    array_of_lines::<E, R>(handle, len, 1)
}

/// Creates an array argument for a handle's memory. `len` is the number of elements, and `width` is the number of
/// elements of a line.
fn array_of_lines<E: CubePrimitive, R: Runtime>(handle: &Handle, len: usize, width: u8) -> ArrayArg<'_, R> {
    // SAFETY: the kernels of this crate are launched checked, or after `check_size`.
    #[allow(unsafe_code)]
    unsafe {
        ArrayArg::from_raw_parts::<E>(handle, len, width)
    }
}

/// The error of a launch whose axis the tensor does not have.
fn missing_axis(axis: usize, shape: &[usize]) -> LaunchError {
    LaunchError::of_user(format!(
        "axis {axis} does not exist in a tensor of {0} dimensions; use an axis below {0}",
        shape.len()
    ))
}

/// The number of elements of a tensor, which must have an index of type `u32` for each element.
fn checked_elements(shape: &[usize]) -> Result<usize, LaunchError> {
    let product = shape.iter().try_fold(1usize, |product, len| product.checked_mul(*len));
    product.filter(|elements| u32::try_from(*elements).is_ok()).ok_or_else(|| {
        LaunchError::of_user(format!(
            "a tensor of shape {shape:?} has more than {} elements; divide it among several launches",
            u32::MAX
        ))
    })
}

/// Tests that a buffer has at least `len` elements. Launches without checks need this test.
fn check_size<E: CubePrimitive>(name: &str, handle: &Handle, len: usize) -> Result<(), LaunchError> {
    let needed = len as u64 * E::size().unwrap_or(8) as u64;
    if handle.size() >= needed {
        return Ok(());
    }
    Err(LaunchError::of_user(format!(
        "the buffer `{name}` has {} bytes, but {len} elements of type {} have {needed} bytes; pass a larger buffer",
        handle.size(),
        std::any::type_name::<E>()
    )))
}
