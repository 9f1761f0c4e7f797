//! Copies of tensors whose integers hold several small numbers each.
use super::TensorHandle;
use crate::cubes;
use cube_frontend::prelude::*;

/// The small number at some coordinates of a packed tensor, at the low end.
///
/// `packed_dim` is the dimension whose neighbours share an integer, and `numbers` how many do.
#[cube]
fn number_at<I: Int>(
    input: &Tensor<I>,
    position: u32,
    shape: &Sequence<u32>,
    #[comptime] packed_dim: u32,
    #[comptime] numbers: u32,
) -> I {
    let bits = comptime!(I::elem_size_bits() / numbers);
    let rank = comptime!(shape.len());
    let mut left = position;
    let mut offset = 0u32;
    let mut within = 0u32;
    #[unroll]
    for i in 0..rank {
        let dim = comptime!(rank - i - 1);
        let n = *shape.index(dim);
        let at = left % n;
        left /= n;
        if comptime!(dim == packed_dim) {
            within = at % numbers;
            offset += at / numbers * input.stride(dim);
        } else {
            offset += at * input.stride(dim);
        }
    }
    let mask = I::cast_from(comptime!(u32::MAX >> (32 - bits)));
    (input[offset] >> I::cast_from(within * bits)) & mask
}

#[cube(launch)]
fn packed_kernel<I: Int>(
    input: &Tensor<I>,
    output: &mut Tensor<I>,
    shape: Sequence<u32>,
    count: u32,
    #[comptime] packed_dim: u32,
    #[comptime] numbers: u32,
) {
    if ABSOLUTE_POS < count {
        let bits = comptime!(I::elem_size_bits() / numbers);
        let rank = comptime!(shape.len());
        let last = *shape.index(comptime!(rank - 1));
        // A row of the output may end within an integer.
        let integers = last.div_ceil(numbers);
        let (row, column) = (ABSOLUTE_POS / integers, ABSOLUTE_POS % integers);
        let mut packed = I::new(0);
        for n in 0..numbers {
            let at = column * numbers + n;
            if at < last {
                let number = number_at::<I>(input, row * last + at, &shape, packed_dim, numbers);
                packed |= number << I::cast_from(n * bits);
            }
        }
        let mut left = row;
        let mut offset = column * output.stride(comptime!(rank - 1));
        #[unroll]
        for i in 1..rank {
            let dim = comptime!(rank - i - 1);
            let n = *shape.index(dim);
            offset += left % n * output.stride(dim);
            left /= n;
        }
        output[offset] = packed;
    }
}

/// A tensor of packed integers without gaps, packed along its last dimension. `shape` counts the small numbers, and `packing` says
/// how many an integer holds. A failure is told when the result is read.
pub fn into_contiguous_packed<R: Runtime, I: Int>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    shape: &[usize],
    packing: u32,
) -> TensorHandle<R, I> {
    let mut packed = shape.to_vec();
    if let Some(last) = packed.last_mut() {
        *last = last.div_ceil(packing.max(1) as usize);
    }
    let output = TensorHandle::empty(client, packed);
    into_contiguous_packed_ref::<R, I>(client, input, &output.as_ref(), shape, packing);
    output
}

/// [`into_contiguous_packed`] into memory that is there.
pub fn into_contiguous_packed_ref<R: Runtime, I: Int>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
    shape: &[usize],
    packing: u32,
) {
    cube_frontend::__private::report(try_into_contiguous_packed_ref::<R, I>(client, input, output, shape, packing));
}

/// [`into_contiguous_packed_ref`].
///
/// # Errors
/// No dimension of the input has neighbours in one integer, the output is not the shape packed along its last dimension, an integer
/// does not hold that many numbers, or the launch failed.
pub fn try_into_contiguous_packed_ref<R: Runtime, I: Int>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
    shape: &[usize],
    packing: u32,
) -> Result<(), LaunchError> {
    let wrong = |what: String| Err(LaunchError::of_user(what));
    let bits = I::size().unwrap_or(4) * 8;
    if packing == 0 || !bits.is_multiple_of(packing as usize) || bits / packing as usize > 32 {
        return wrong(format!("an integer of {bits} bits does not hold {packing} numbers of one size"));
    }
    let packed = |dim: usize| {
        let mut packed = shape.to_vec();
        if let Some(n) = packed.get_mut(dim) {
            *n = n.div_ceil(packing as usize);
        }
        packed
    };
    let mut dims = (0..shape.len()).rev();
    let Some(packed_dim) = dims.find(|dim| input.strides.get(*dim) == Some(&1) && input.shape == packed(*dim)) else {
        return wrong(format!(
            "{packing} numbers to an integer, a tensor of the shape {shape:?} has no dimension of stride 1 along which it is packed: its \
             integers have the shape {:?} and the strides {:?}",
            input.shape, input.strides
        ));
    };
    let rows = packed(shape.len().wrapping_sub(1));
    if output.shape != rows {
        return wrong(format!(
            "the packed rows of a tensor of the shape {shape:?} have the shape {rows:?}, not {:?}",
            output.shape
        ));
    }
    let (count, dim) = cubes(output.size());
    let extents = shape.iter().map(|n| ScalarArg::new(*n as u32)).collect();
    let integers = ScalarArg::new(output.size() as u32);
    let (from, to) = (input.as_tensor_arg(1), output.as_tensor_arg(1));
    packed_kernel::try_launch::<I, R>(client, count, dim, from, to, extents, integers, packed_dim as u32, packing)
}
