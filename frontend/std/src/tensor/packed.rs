//! Contiguous copies of tensors with several small numbers per integer.
use super::TensorHandle;
use crate::cubes;
use cube_frontend::prelude::*;

/// The small number at a row-major position of a packed tensor. The number is in the low bits of the result.
///
/// `packed_dim` is the packed dimension, and `numbers` is the count of small numbers per integer.
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
        // The last integer of a row can be filled partially.
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

/// A contiguous copy of a packed tensor. The copy is packed along its last dimension. `shape` counts small numbers,
/// and `packing` is the count of small numbers per integer. A failure is reported when the result is read.
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

/// Same as [`into_contiguous_packed`], but writes to a given output.
pub fn into_contiguous_packed_ref<R: Runtime, I: Int>(
    client: &ComputeClient<R::Server>,
    input: &TensorHandleRef<'_, R>,
    output: &TensorHandleRef<'_, R>,
    shape: &[usize],
    packing: u32,
) {
    cube_frontend::__private::report(try_into_contiguous_packed_ref::<R, I>(client, input, output, shape, packing));
}

/// Same as [`into_contiguous_packed_ref`], with errors as values.
///
/// # Errors
/// The input is not packed along a dimension of stride 1, or the output does not have the packed shape. The
/// error also occurs if `packing` does not divide the integer's width, or if the launch failed.
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
        return wrong(format!("an integer of {bits} bits cannot hold {packing} numbers; use a divisor of {bits}"));
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
            "a tensor of shape {shape:?} with {packing} numbers per integer must be packed along a dimension of \
             stride 1, but its integers have shape {:?} and strides {:?}",
            input.shape, input.strides
        ));
    };
    let rows = packed(shape.len().wrapping_sub(1));
    if output.shape != rows {
        return wrong(format!(
            "the packed rows of a tensor of shape {shape:?} have shape {rows:?}, but the output has shape {:?}",
            output.shape
        ));
    }
    let (count, dim) = cubes(output.size());
    let extents = shape.iter().map(|n| ScalarArg::new(*n as u32)).collect();
    let integers = ScalarArg::new(output.size() as u32);
    let (from, to) = (input.as_tensor_arg(1), output.as_tensor_arg(1));
    packed_kernel::try_launch::<I, R>(client, count, dim, from, to, extents, integers, packed_dim as u32, packing)
}
