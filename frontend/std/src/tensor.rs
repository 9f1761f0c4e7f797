//! Tensors with shapes, contiguous copies, identity matrices.
mod axes;
pub mod launch;
pub mod layout;
mod matrix;
pub mod packed;
mod view;
pub(crate) mod view_storage;
pub mod r#virtual;

pub use axes::{AsTensorView, AsTensorViewExpand, AsTensorViewMut, AsTensorViewMutExpand};
pub use matrix::{MatrixBatchLayout, matrix_batch_layout};
pub use packed::{into_contiguous_packed, into_contiguous_packed_ref};
pub use view::{AsView, AsViewExpand, AsViewMut, AsViewMutExpand, View, ViewExpand, ViewOperations, ViewOperationsMut};

use crate::{FastDivmod, cubes};
use cube_frontend::prelude::*;
use cube_frontend::server::{CopyDescriptor, Handle};
use cube_frontend::tensor_line_size_parallel;
use std::marker::PhantomData;

/// A tensor in device memory.
pub struct TensorHandle<R: Runtime, E: CubePrimitive> {
    /// Handle to the memory.
    pub handle: Handle,
    /// Number of elements along each dimension.
    pub shape: Vec<usize>,
    /// Distance in elements between neighbours along each dimension.
    pub strides: Vec<usize>,
    of: PhantomData<fn() -> (R, E)>,
}

impl<R: Runtime, E: CubePrimitive> Clone for TensorHandle<R, E> {
    fn clone(&self) -> Self {
        TensorHandle {
            handle: self.handle.clone(),
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            of: PhantomData,
        }
    }
}

impl<R: Runtime, E: CubePrimitive> std::fmt::Debug for TensorHandle<R, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let elem = std::any::type_name::<E>();
        write!(f, "Tensor {{ shape: {:?}, strides: {:?}, dtype: {elem} }}", self.shape, self.strides)
    }
}

impl<R: Runtime, E: CubePrimitive> TensorHandle<R, E> {
    /// A tensor at the start of a handle's memory.
    pub fn new(handle: Handle, shape: Vec<usize>, strides: Vec<usize>) -> Self {
        TensorHandle { handle, shape, strides, of: PhantomData }
    }

    /// A contiguous tensor at the start of a handle's memory.
    pub fn new_contiguous(shape: Vec<usize>, handle: Handle) -> Self {
        let strides = compact_strides(&shape);
        Self::new(handle, shape, strides)
    }

    /// Allocates a tensor of zeros.
    pub fn zeros(client: &ComputeClient<R::Server>, shape: Vec<usize>) -> Self {
        Self::empty(client, shape)
    }

    /// Allocates a tensor of zeros; same as [`TensorHandle::zeros`].
    pub fn empty(client: &ComputeClient<R::Server>, shape: Vec<usize>) -> Self {
        let bytes = shape.iter().product::<usize>() * E::size().unwrap_or(1);
        Self::new_contiguous(shape, client.empty(bytes))
    }

    /// A handle with the shape, strides and memory of a tensor reference. The handle shares the memory with
    /// the reference.
    pub fn from_ref(tensor: &TensorHandleRef<'_, R>) -> Self {
        Self::new(tensor.handle.clone(), tensor.shape.to_vec(), tensor.strides.to_vec())
    }

    /// Number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether this is the only handle to the memory.
    pub fn can_mut(&self) -> bool {
        self.handle.can_mut()
    }

    /// The tensor as an argument of `client.read_tensor`.
    pub fn as_copy_descriptor(&self) -> CopyDescriptor<'_> {
        self.handle.copy_descriptor(&self.shape, &self.strides, E::size().unwrap_or(1))
    }

    /// The tensor as an argument of launches.
    pub fn as_ref(&self) -> TensorHandleRef<'_, R> {
        // SAFETY: shape and strides describe the handle's memory, and launches of this crate are checked.
        #[allow(unsafe_code)]
        unsafe {
            TensorHandleRef::from_raw_parts(&self.handle, &self.strides, &self.shape, E::size().unwrap_or(1))
        }
    }

    /// The tensor as a launch argument with lines of `line_size` elements.
    pub fn as_arg(&self, line_size: u8) -> TensorArg<'_, R> {
        self.as_ref().as_tensor_arg(line_size)
    }
}

pub use cube_frontend::host::contiguous_strides as compact_strides;

/// Whether the elements are in row-major order without gaps.
pub fn is_contiguous(shape: &[usize], strides: &[usize]) -> bool {
    compact_strides(shape).iter().zip(strides).zip(shape).all(|((a, b), n)| a == b || *n == 1)
}

/// Whether the elements are in row-major order, with a gap of equal size after each row.
pub fn is_contiguous_pitched(shape: &[usize], strides: &[usize]) -> bool {
    let (Some((row, rows)), Some((1, steps))) = (shape.split_last(), strides.split_last()) else {
        return shape.is_empty();
    };
    // The distance between rows. The strides of the outer dimensions are multiples of this distance.
    let pitch = steps.last().copied().unwrap_or(*row);
    let packed = compact_strides(rows).into_iter().map(|step| step * pitch);
    (pitch >= *row || rows.iter().product::<usize>() <= 1) && packed.eq(steps.iter().copied())
}

/// The offset, in lines, of the line with the row-major index `offset_layout`. If `rank` has a value, the loop over
/// the dimensions is unrolled. If `rank` has no value, the kernel reads the rank from the tensor.
#[cube]
pub fn index_offset_contiguous<N: CubePrimitive>(
    tensor: &Tensor<Line<N>>,
    offset_layout: u32,
    #[comptime] rank: Option<u32>,
) -> u32 {
    let unroll = rank.is_some();
    let rank = rank.unwrap_or_else(|| tensor.rank());
    let mut left = offset_layout * tensor.line_size();
    let mut offset = 0u32;
    #[unroll(unroll)]
    for i in 0..rank {
        let dim = rank - i - 1;
        let n = tensor.shape(dim);
        offset += left % n * tensor.stride(dim);
        left /= n;
    }
    offset / tensor.line_size()
}

/// Same as [`index_offset_contiguous`], with one prepared divisor per dimension.
#[cube]
pub fn index_offset_contiguous_fastdivmod(
    offset: u32,
    shape: &Sequence<FastDivmod>,
    stride: &Sequence<u32>,
    #[comptime] line_size: u32,
) -> u32 {
    let rank = comptime!(shape.len());
    let mut left = offset * line_size;
    let mut sum = 0u32;
    #[unroll]
    for i in 0..rank {
        let dim = comptime!(rank - i - 1);
        let (rest, at) = shape.index(dim).div_mod(left);
        sum += at * stride.index(dim);
        left = rest;
    }
    sum / line_size
}

/// Converts an offset in `layout` to the offset of the same coordinate in `tensor`. Only the dimensions
/// `dim_start..dim_end` are converted. The two tensors have the same rank, and offsets are in lines.
#[cube]
pub fn index_offset_with_layout<N: CubePrimitive, L: CubePrimitive>(
    tensor: &Tensor<Line<N>>,
    layout: &Tensor<Line<L>>,
    offset_layout: u32,
    dim_start: u32,
    dim_end: u32,
    #[comptime] unroll: bool,
) -> u32 {
    let at = offset_layout * tensor.line_size();
    let mut offset = 0u32;
    #[unroll(unroll)]
    for i in dim_start..dim_end {
        offset += at / layout.stride(i) % tensor.shape(i) * tensor.stride(i);
    }
    offset / tensor.line_size()
}

#[cube(launch)]
fn copy_kernel<N: CubePrimitive>(
    input: &Tensor<Line<N>>,
    output: &mut Tensor<Line<N>>,
    count: u32,
    #[comptime] rank: u32,
) {
    if ABSOLUTE_POS < count {
        let to = index_offset_contiguous::<N>(output, ABSOLUTE_POS, comptime!(Some(rank)));
        output[to] = input[index_offset_contiguous::<N>(input, ABSOLUTE_POS, comptime!(Some(rank)))];
    }
}

/// A contiguous copy of a tensor. A failure is reported when the result is read.
pub fn into_contiguous<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
) -> TensorHandle<R, E> {
    let output = TensorHandle::empty(client, input.shape.to_vec());
    into_contiguous_ref::<R, E>(client, input, &output.as_ref());
    output
}

/// A copy in the layout that the device reads fastest. On all supported devices, this is a layout without gaps, so the
/// result equals the result of [`into_contiguous`].
pub fn into_contiguous_pitched<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
) -> TensorHandle<R, E> {
    into_contiguous(client, input)
}

/// Copies a tensor to another tensor of the same shape. A failure is reported when the output is read.
pub fn into_contiguous_ref<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
) {
    cube_frontend::__private::report(try_into_contiguous_ref::<R, E>(client, input, output));
}

/// Same as [`into_contiguous_ref`], with errors as values.
///
/// # Errors
/// The shapes of the two tensors differ, or the launch failed.
pub fn try_into_contiguous_ref<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
) -> Result<(), LaunchError> {
    if input.shape != output.shape {
        return Err(LaunchError::of_user(format!(
            "a tensor of shape {:?} cannot be copied to a tensor of shape {:?}; make the shapes equal",
            input.shape, output.shape
        )));
    }
    // The largest line size that is valid for both tensors.
    let elem = E::as_type_native_unchecked();
    let sizes = |tensor: &TensorHandleRef<'_, R>| {
        let all = R::io_optimized_line_sizes(&elem);
        tensor_line_size_parallel(all, tensor.shape, tensor.strides, tensor.shape.len().wrapping_sub(1))
    };
    let line = sizes(input).min(sizes(output));
    let lines = input.size() / usize::from(line);
    let (count, dim) = cubes(lines);
    let rank = input.shape.len() as u32;
    let (from, to) = (input.as_tensor_arg(line), output.as_tensor_arg(line));
    copy_kernel::try_launch::<E, R>(client, count, dim, from, to, ScalarArg::new(lines as u32), rank)
}

/// Identity matrices.
pub mod identity {
    use super::{TensorHandle, cubes};
    use cube_frontend::prelude::*;

    #[cube(launch)]
    fn identity_kernel<N: Numeric>(output: &mut Tensor<N>) {
        let (row, column) = (ABSOLUTE_POS / output.shape(1), ABSOLUTE_POS % output.shape(1));
        if row < output.shape(0) {
            let value = select(row == column, N::from_int(1), N::from_int(0));
            let at = row * output.stride(0) + column * output.stride(1);
            output[at] = value;
        }
    }

    /// Writes the identity matrix to a square matrix. A failure is reported immediately, and again when the matrix is
    /// read.
    pub fn launch<R: Runtime, C: Numeric>(client: &ComputeClient<R::Server>, output: &TensorHandle<R, C>) {
        launch_ref::<R, C>(client, &output.as_ref());
    }

    /// Same as [`launch`], for a tensor reference.
    pub fn launch_ref<R: Runtime, C: Numeric>(client: &ComputeClient<R::Server>, output: &TensorHandleRef<'_, R>) {
        cube_frontend::__private::report(try_launch_ref::<R, C>(client, output));
    }

    /// Same as [`launch_ref`], with errors as values.
    ///
    /// # Errors
    /// The matrix is not square, or the launch failed.
    pub fn try_launch_ref<R: Runtime, C: Numeric>(
        client: &ComputeClient<R::Server>,
        output: &TensorHandleRef<'_, R>,
    ) -> Result<(), LaunchError> {
        if output.shape.len() != 2 || output.shape[0] != output.shape[1] {
            let shape = output.shape;
            return Err(LaunchError::of_user(format!(
                "an identity matrix must be square, but the tensor has shape {shape:?}"
            )));
        }
        let (count, dim) = cubes(output.size());
        identity_kernel::try_launch::<C, R>(client, count, dim, output.as_tensor_arg(1))
    }
}
