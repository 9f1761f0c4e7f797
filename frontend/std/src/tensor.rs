//! Tensors with their shapes, copies without gaps, identity matrices.
pub mod launch;
pub mod layout;
mod reach;
mod view;

pub use view::{AsView, AsViewExpand, AsViewMut, AsViewMutExpand, View, ViewExpand, ViewOperations, ViewOperationsMut};

use crate::{FastDivmod, cubes};
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;
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

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
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

/// The strides of a tensor without gaps.
pub fn compact_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    strides
}

/// Whether the elements lie one after the other, in the order of their coordinates.
pub fn is_contiguous(shape: &[usize], strides: &[usize]) -> bool {
    compact_strides(shape).iter().zip(strides).zip(shape).all(|((a, b), n)| a == b || *n == 1)
}

/// Whether only rows have gaps between them, and lie in the order of their coordinates.
pub fn is_contiguous_pitched(shape: &[usize], strides: &[usize]) -> bool {
    let rank = shape.len();
    if rank < 2 {
        return strides.iter().all(|stride| *stride == 1);
    }
    let rows = (0..rank - 2).all(|i| strides[i] == shape[i + 1] * strides[i + 1]);
    rows && strides[rank - 1] == 1 && strides[rank - 2] >= shape[rank - 1]
}

/// Where the line of that number, counted without gaps, lies in a tensor with these extents and strides.
#[cube]
pub fn index_offset_contiguous_fastdivmod(
    number: u32,
    shape: &Sequence<FastDivmod>,
    strides: &Sequence<u32>,
    #[comptime] line_size: u32,
) -> u32 {
    let rank = shape.len();
    let mut offset = 0u32;
    let mut left = number * line_size;
    #[unroll]
    for i in 0..rank {
        let dim = comptime!(rank - i - 1);
        let (rest, at) = shape.index(dim).div_mod(left);
        offset += at * *strides.index(dim);
        left = rest;
    }
    offset / line_size
}

/// Where the element of that number, counted without gaps, lies in a tensor.
#[cube]
pub fn index_offset_contiguous<N: CubePrimitive>(tensor: &Tensor<N>, number: u32, #[comptime] rank: u32) -> u32 {
    let mut offset = 0u32;
    let mut left = number;
    #[unroll]
    for i in 0..rank {
        let dim = comptime!(rank - i - 1);
        let n = tensor.shape(dim);
        offset += left % n * tensor.stride(dim);
        left /= n;
    }
    offset
}

#[cube(launch)]
fn copy_kernel<N: CubePrimitive>(input: &Tensor<N>, output: &mut Array<N>, #[comptime] rank: u32) {
    if ABSOLUTE_POS < output.len() {
        output[ABSOLUTE_POS] = input[index_offset_contiguous::<N>(input, ABSOLUTE_POS, rank)];
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

/// Writes a tensor without gaps into another of the same shape, which has none. A failure is told when that is read.
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
/// The launch failed.
pub fn try_into_contiguous_ref<R: Runtime, E: CubePrimitive>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
) -> Result<(), LaunchError> {
    let (count, dim) = cubes(input.size());
    let rank = input.shape.len() as u32;
    let out = crate::array::<E, R>(output.handle, output.size());
    copy_kernel::try_launch::<E, R>(client, count, dim, input.as_tensor_arg(1), out, rank)
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
