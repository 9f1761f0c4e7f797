//! Tensors with their shapes, copies without gaps, identity matrices.
pub mod launch;
pub mod layout;
mod matrix;
pub mod packed;
mod reach;
mod view;
pub mod r#virtual;

pub use matrix::{MatrixBatchLayout, matrix_batch_layout};
pub use packed::{into_contiguous_packed, into_contiguous_packed_ref};
pub use view::{AsView, AsViewExpand, AsViewMut, AsViewMutExpand, View, ViewExpand, ViewOperations, ViewOperationsMut};

use crate::{FastDivmod, cubes};
use cube_frontend::prelude::*;
use cube_frontend::server::{CopyDescriptor, Handle};
use cube_frontend::tensor_line_size_parallel;
use std::marker::PhantomData;

/// Memory of a device with a shape.
pub struct TensorHandle<R: Runtime, E: CubePrimitive> {
    /// The memory.
    pub handle: Handle,
    /// Elements along each dimension.
    pub shape: Vec<usize>,
    /// Elements between neighbours along each dimension.
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
    /// A tensor in a handle's memory.
    pub fn new(handle: Handle, shape: Vec<usize>, strides: Vec<usize>) -> Self {
        TensorHandle { handle, shape, strides, of: PhantomData }
    }

    /// A tensor without gaps in a handle's memory.
    pub fn new_contiguous(shape: Vec<usize>, handle: Handle) -> Self {
        let strides = compact_strides(&shape);
        Self::new(handle, shape, strides)
    }

    /// A new tensor, all zero.
    pub fn zeros(client: &ComputeClient<R::Server>, shape: Vec<usize>) -> Self {
        Self::empty(client, shape)
    }

    /// A new tensor.
    pub fn empty(client: &ComputeClient<R::Server>, shape: Vec<usize>) -> Self {
        let bytes = shape.iter().product::<usize>() * E::size().unwrap_or(1);
        Self::new_contiguous(shape, client.empty(bytes))
    }

    /// The tensor of a reference.
    pub fn from_ref(tensor: &TensorHandleRef<'_, R>) -> Self {
        Self::new(tensor.handle.clone(), tensor.shape.to_vec(), tensor.strides.to_vec())
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether nobody else holds its memory.
    pub fn can_mut(&self) -> bool {
        self.handle.can_mut()
    }

    /// The tensor as `client.read_tensor` takes it.
    pub fn as_copy_descriptor(&self) -> CopyDescriptor<'_> {
        self.handle.copy_descriptor(&self.shape, &self.strides, E::size().unwrap_or(1))
    }

    /// The tensor for launches.
    pub fn as_ref(&self) -> TensorHandleRef<'_, R> {
        // SAFETY: shape and strides are those of the handle, and launches of this crate are checked.
        #[allow(unsafe_code)]
        unsafe {
            TensorHandleRef::from_raw_parts(&self.handle, &self.strides, &self.shape, E::size().unwrap_or(1))
        }
    }

    /// The tensor as an argument, in lines of that size.
    pub fn as_arg(&self, line_size: u8) -> TensorArg<'_, R> {
        self.as_ref().as_tensor_arg(line_size)
    }
}

pub use cube_frontend::host::contiguous_strides as compact_strides;

/// Whether the elements lie one after the other, in the order of their coordinates.
pub fn is_contiguous(shape: &[usize], strides: &[usize]) -> bool {
    compact_strides(shape).iter().zip(strides).zip(shape).all(|((a, b), n)| a == b || *n == 1)
}

/// Whether the rows of a tensor lie in the order of their coordinates, one behind the other or with the same gap behind each.
pub fn is_contiguous_pitched(shape: &[usize], strides: &[usize]) -> bool {
    let (Some((row, rows)), Some((1, steps))) = (shape.split_last(), strides.split_last()) else {
        return shape.is_empty();
    };
    // From one row to the next; all other steps are whole rows.
    let pitch = steps.last().copied().unwrap_or(*row);
    let packed = compact_strides(rows).into_iter().map(|step| step * pitch);
    (pitch >= *row || rows.iter().product::<usize>() <= 1) && packed.eq(steps.iter().copied())
}

/// Where the line of that number, counted without gaps, lies in a tensor; the rank is known when the kernel is compiled, or asked
/// of the tensor.
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

/// The same with divisors that are prepared, one for each dimension.
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

/// Where the element lies in one tensor that lies at that offset in another of the same rank, by the dimensions from `dim_start` up
/// to `dim_end`.
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

/// The same tensor without gaps. A failure is told when the result is read.
pub fn into_contiguous<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
) -> TensorHandle<R, E> {
    let output = TensorHandle::empty(client, input.shape.to_vec());
    into_contiguous_ref::<R, E>(client, input, &output.as_ref());
    output
}

/// The same tensor as the device reads it fastest: [`into_contiguous`], since no device needs gaps for that.
pub fn into_contiguous_pitched<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
) -> TensorHandle<R, E> {
    into_contiguous(client, input)
}

/// Writes a tensor into another of the same shape. A failure is told when that is read.
pub fn into_contiguous_ref<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
) {
    cube_frontend::__private::report(try_into_contiguous_ref::<R, E>(client, input, output));
}

/// [`into_contiguous_ref`].
///
/// # Errors
/// The shapes differ, or the launch failed.
pub fn try_into_contiguous_ref<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
) -> Result<(), LaunchError> {
    if input.shape != output.shape {
        return Err(LaunchError::of_user(format!(
            "a tensor of the shape {:?} cannot be copied into one of the shape {:?}",
            input.shape, output.shape
        )));
    }
    // The largest lines that both have.
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

    /// Writes the identity matrix into a square matrix. A failure is logged, and told when the matrix is read.
    pub fn launch<R: Runtime, C: Numeric>(client: &ComputeClient<R::Server>, output: &TensorHandle<R, C>) {
        launch_ref::<R, C>(client, &output.as_ref());
    }

    /// [`launch`] for a reference.
    pub fn launch_ref<R: Runtime, C: Numeric>(client: &ComputeClient<R::Server>, output: &TensorHandleRef<'_, R>) {
        cube_frontend::__private::report(try_launch_ref::<R, C>(client, output));
    }

    /// [`launch_ref`].
    ///
    /// # Errors
    /// It is no square matrix, or the launch failed.
    pub fn try_launch_ref<R: Runtime, C: Numeric>(
        client: &ComputeClient<R::Server>,
        output: &TensorHandleRef<'_, R>,
    ) -> Result<(), LaunchError> {
        if output.shape.len() != 2 || output.shape[0] != output.shape[1] {
            let shape = output.shape;
            return Err(LaunchError::of_user(format!(
                "an identity matrix is square, and this has the shape {shape:?}"
            )));
        }
        let (count, dim) = cubes(output.size());
        identity_kernel::try_launch::<C, R>(client, count, dim, output.as_tensor_arg(1))
    }
}
