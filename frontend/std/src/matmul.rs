//! Matrix products: `out[m, n] = sum over k of lhs[m, k] * rhs[k, n]`.
use cube_frontend::prelude::*;

/// Algorithms for matrix products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One unit computes each output element. The unit reads a row and a column of the operands from global
    /// memory.
    Naive,
    /// Each output element is computed by one unit, from tiles of both operands in shared memory.
    #[default]
    Tiled,
}

/// Width and height of a tile in elements.
const TILE: u32 = 16;

#[cube(launch)]
fn naive<F: Numeric>(lhs: &Tensor<F>, rhs: &Tensor<F>, out: &mut Tensor<F>) {
    let (row, column) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X);
    if row < out.shape(0) && column < out.shape(1) {
        let mut sum = F::from_int(0);
        for k in 0..lhs.shape(1) {
            sum += lhs[row * lhs.stride(0) + k * lhs.stride(1)] * rhs[k * rhs.stride(0) + column * rhs.stride(1)];
        }
        let at = row * out.stride(0) + column * out.stride(1);
        out[at] = sum;
    }
}

#[cube(launch)]
fn tiled<F: Numeric>(lhs: &Tensor<F>, rhs: &Tensor<F>, out: &mut Tensor<F>, #[comptime] tile: u32) {
    let (row, column) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X);
    let (y, x) = (UNIT_POS_Y, UNIT_POS_X);
    let mut left = SharedMemory::<F>::new(comptime!(tile * tile));
    let mut right = SharedMemory::<F>::new(comptime!(tile * tile));
    let depth = lhs.shape(1);
    let mut sum = F::from_int(0);
    for step in 0..div_ceil(depth, tile) {
        let (k_left, k_right) = (step * tile + x, step * tile + y);
        left[y * tile + x] = if row < lhs.shape(0) && k_left < depth {
            lhs[row * lhs.stride(0) + k_left * lhs.stride(1)]
        } else {
            F::from_int(0)
        };
        right[y * tile + x] = if column < rhs.shape(1) && k_right < depth {
            rhs[k_right * rhs.stride(0) + column * rhs.stride(1)]
        } else {
            F::from_int(0)
        };
        sync_cube();
        for k in 0..tile {
            sum += left[y * tile + k] * right[k * tile + x];
        }
        sync_cube();
    }
    if row < out.shape(0) && column < out.shape(1) {
        let at = row * out.stride(0) + column * out.stride(1);
        out[at] = sum;
    }
}

/// Computes `out = lhs * rhs` for matrices with any strides. The shapes are `[m, k]` for `lhs`, `[k, n]` for
/// `rhs` and `[m, n]` for `out`.
///
/// # Errors
/// The shapes of the matrices do not match, or the launch failed.
pub fn launch<R: Runtime, E: Numeric>(
    strategy: Strategy,
    client: &ComputeClient<R::Server>,
    lhs: &TensorHandleRef<'_, R>,
    rhs: &TensorHandleRef<'_, R>,
    out: &TensorHandleRef<'_, R>,
) -> Result<(), LaunchError> {
    let fits = [lhs, rhs, out].iter().all(|t| t.shape.len() == 2)
        && lhs.shape[1] == rhs.shape[0]
        && out.shape == [lhs.shape[0], rhs.shape[1]];
    if !fits {
        return Err(LaunchError::of_user(format!(
            "matrices of shapes {:?} and {:?} do not have a product of shape {:?}; use [m, k], [k, n] and [m, n]",
            lhs.shape, rhs.shape, out.shape
        )));
    }
    let dim = CubeDim::new_2d(TILE, TILE);
    let count = CubeCount::new_2d((out.shape[1] as u32).div_ceil(TILE), (out.shape[0] as u32).div_ceil(TILE));
    let (lhs, rhs, out) = (lhs.as_tensor_arg(1), rhs.as_tensor_arg(1), out.as_tensor_arg(1));
    match strategy {
        Strategy::Naive => naive::try_launch::<E, R>(client, count, dim, lhs, rhs, out),
        Strategy::Tiled => tiled::try_launch::<E, R>(client, count, dim, lhs, rhs, out, TILE),
    }
}
