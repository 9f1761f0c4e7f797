//! `cubecl::matmul` of CubeCL 0.8.1: products of matrices in the last two dimensions of tensors.
use crate::quant::scheme::QuantScheme;
use crate::tensor::TensorHandle;
use cube_frontend::prelude::*;
use std::fmt;

/// The types of an operand.
pub trait MatrixPrecision: Send + Sync + Copy + 'static {
    /// Element type in global memory.
    type Global: Numeric;
    /// Element type in shared memory.
    type Stage: Numeric;
    /// Element type of the computation.
    type Register: Numeric;
}

impl<G: Numeric, S: Numeric> MatrixPrecision for (G, S) {
    type Global = G;
    type Stage = S;
    type Register = S;
}

/// The types of a matrix product.
pub trait MatmulPrecision: Send + Sync + Copy + 'static {
    /// Types of the left operand.
    type Lhs: MatrixPrecision;
    /// Types of the right operand.
    type Rhs: MatrixPrecision;
    /// Types of the result and of its sums.
    type Acc: MatrixPrecision;
}

macro_rules! precisions {
    ($($of:ty: $global:ty, $stage:ty => $out:ty, $sum:ty;)*) => {$(
        impl MatmulPrecision for $of {
            type Lhs = ($global, $stage);
            type Rhs = ($global, $stage);
            type Acc = ($out, $sum);
        }
    )*};
}

precisions! {
    f16: f16, f16 => f16, f32; bf16: bf16, bf16 => bf16, f32; flex32: f32, f16 => f32, f32;
    f32: f32, f32 => f32, f32; f64: f64, f32 => f64, f32;
    u8: u8, u8 => i32, i32; u16: u16, u16 => i32, i32; u32: u32, u32 => u32, u32; u64: u64, u64 => u64, u64;
    i8: i8, i8 => i32, i32; i16: i16, i16 => i32, i32; i32: i32, i32 => i32, i32; i64: i64, i64 => i64, i64;
}

impl<LG: Numeric, RG: Numeric, AG: Numeric, LS: Numeric, RS: Numeric, AS: Numeric> MatmulPrecision
    for (LG, RG, AG, LS, RS, AS)
{
    type Lhs = (LG, LS);
    type Rhs = (RG, RS);
    type Acc = (AG, AS);
}

/// Element type of the left operand in global memory.
pub type LhsG<MP> = <<MP as MatmulPrecision>::Lhs as MatrixPrecision>::Global;
/// Element type of the left operand in shared memory.
pub type LhsS<MP> = <<MP as MatmulPrecision>::Lhs as MatrixPrecision>::Stage;
/// Element type of the right operand in global memory.
pub type RhsG<MP> = <<MP as MatmulPrecision>::Rhs as MatrixPrecision>::Global;
/// Element type of the right operand in shared memory.
pub type RhsS<MP> = <<MP as MatmulPrecision>::Rhs as MatrixPrecision>::Stage;
/// Element type of the result in global memory.
pub type AccG<MP> = <<MP as MatmulPrecision>::Acc as MatrixPrecision>::Global;
/// Element type of the sums.
pub type AccR<MP> = <<MP as MatmulPrecision>::Acc as MatrixPrecision>::Register;

/// The algorithm. CubeCL also has algorithms for matrix instructions, which Cube does not support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strategy {
    /// One unit computes each element of the result from global memory.
    Naive,
    /// Tiles of both operands in shared memory.
    #[default]
    Auto,
}

/// An operand that owns its handle.
#[derive(Clone, Debug)]
pub enum MatmulInputHandle<R: Runtime, E: CubePrimitive, S: CubePrimitive = f32> {
    /// A tensor.
    Normal(TensorHandle<R, E>),
    /// A quantised tensor, which [`launch`] refuses.
    Quantized {
        /// The stored values.
        data: TensorHandle<R, E>,
        /// The scales.
        scale: TensorHandle<R, S>,
        /// Number of values along each dimension.
        shape: Vec<usize>,
        /// The scheme of the quantisation.
        scheme: QuantScheme,
    },
}

impl<R: Runtime, E: CubePrimitive, S: CubePrimitive> MatmulInputHandle<R, E, S> {
    /// The operand by reference.
    pub fn as_ref(&self) -> MatmulInputHandleRef<'_, R> {
        match self {
            Self::Normal(tensor) => MatmulInputHandleRef::Normal(tensor.as_ref()),
            Self::Quantized { data, scale, shape, scheme } => {
                MatmulInputHandleRef::Quantized { data: data.as_ref(), scale: scale.as_ref(), shape, scheme }
            }
        }
    }

    /// The tensor of the stored values.
    pub fn data(&self) -> &TensorHandle<R, E> {
        match self {
            Self::Normal(data) | Self::Quantized { data, .. } => data,
        }
    }
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub enum MatmulInputHandleRef<'a, R: Runtime> {
    /// A tensor.
    Normal(TensorHandleRef<'a, R>),
    /// A quantised tensor, which [`launch_ref`] refuses.
    Quantized {
        /// The stored values.
        data: TensorHandleRef<'a, R>,
        /// The scales.
        scale: TensorHandleRef<'a, R>,
        /// Number of values along each dimension.
        shape: &'a [usize],
        /// The scheme of the quantisation.
        scheme: &'a QuantScheme,
    },
}

impl<'a, R: Runtime> MatmulInputHandleRef<'a, R> {
    /// A tensor as an operand.
    pub fn new(data: TensorHandleRef<'a, R>) -> Self {
        Self::Normal(data)
    }

    /// The tensor of the stored values.
    pub fn data(&self) -> &TensorHandleRef<'a, R> {
        match self {
            Self::Normal(data) | Self::Quantized { data, .. } => data,
        }
    }
}

/// The reason why a product was not launched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum MatmulSetupError {
    /// The shapes of the operands do not match, or the kernels do not support the form of an operand.
    InvalidConfig(String),
    /// The launch failed.
    Launch(LaunchError),
}

impl fmt::Display for MatmulSetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatmulSetupError::InvalidConfig(reason) => f.write_str(reason),
            MatmulSetupError::Launch(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MatmulSetupError {}

/// Width and height of a tile in elements.
const TILE: u32 = 16;

/// The index of the first element of the matrix with a given batch number. If a batch dimension of the operand has
/// length 1, all batches use the same matrix.
#[cube]
fn start_of<E: Numeric>(tensor: &Tensor<E>, batch_shape: &Sequence<u32>, batch: u32) -> u32 {
    let rank = comptime!(batch_shape.len());
    let mut rest = batch;
    let mut start = 0u32;
    #[unroll]
    for i in 0..rank {
        let dim = comptime!(rank - 1 - i);
        let length = *batch_shape.index(dim);
        let coordinate = rest % length;
        rest /= length;
        start += select(tensor.shape(dim) == 1, 0, coordinate * tensor.stride(dim));
    }
    start
}

#[cube(launch)]
fn product<LG: Numeric, LS: Numeric, RG: Numeric, RS: Numeric, AR: Numeric, AG: Numeric>(
    lhs: &Tensor<LG>,
    rhs: &Tensor<RG>,
    out: &mut Tensor<AG>,
    batch_shape: Sequence<u32>,
    #[comptime] tiled: bool,
) {
    let rows_dim = comptime!(batch_shape.len());
    let columns_dim = comptime!(rows_dim + 1);
    let (row, column) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X);
    let (rows, columns, depth) = (out.shape(rows_dim), out.shape(columns_dim), lhs.shape(columns_dim));
    let left_start = start_of::<LG>(lhs, &batch_shape, CUBE_POS_Z);
    let right_start = start_of::<RG>(rhs, &batch_shape, CUBE_POS_Z);
    let left_row = left_start + row * lhs.stride(rows_dim);
    let right_column = right_start + column * rhs.stride(columns_dim);
    let (left_step, right_step) = (lhs.stride(columns_dim), rhs.stride(rows_dim));
    let mut sum = AR::from_int(0);
    if tiled {
        let mut left = SharedMemory::<LS>::new(comptime!(TILE * TILE));
        let mut right = SharedMemory::<RS>::new(comptime!(TILE * TILE));
        let (y, x) = (UNIT_POS_Y, UNIT_POS_X);
        for step in 0..div_ceil(depth, TILE) {
            let (k_left, k_right) = (step * TILE + x, step * TILE + y);
            left[y * TILE + x] = LS::from_int(0);
            right[y * TILE + x] = RS::from_int(0);
            if row < rows && k_left < depth {
                left[y * TILE + x] = LS::cast_from(lhs[left_row + k_left * left_step]);
            }
            if column < columns && k_right < depth {
                right[y * TILE + x] = RS::cast_from(rhs[right_column + k_right * right_step]);
            }
            sync_cube();
            for k in 0..TILE {
                sum += AR::cast_from(left[y * TILE + k]) * AR::cast_from(right[k * TILE + x]);
            }
            sync_cube();
        }
    } else if row < rows && column < columns {
        for k in 0..depth {
            let (left, right) = (lhs[left_row + k * left_step], rhs[right_column + k * right_step]);
            sum += AR::cast_from(LS::cast_from(left)) * AR::cast_from(RS::cast_from(right));
        }
    }
    if row < rows && column < columns {
        let start = start_of::<AG>(out, &batch_shape, CUBE_POS_Z);
        let at = start + row * out.stride(rows_dim) + column * out.stride(columns_dim);
        out[at] = AG::cast_from(sum);
    }
}

/// Whether the product of two operands with these shapes has the shape `out`. A batch dimension of length 1 is
/// broadcast.
fn fits(lhs: &[usize], rhs: &[usize], out: &[usize]) -> bool {
    let rank = out.len();
    let batches = |operand: &[usize]| operand.iter().zip(out).take(rank - 2).all(|(n, of_out)| *n == 1 || n == of_out);
    rank >= 2
        && [lhs.len(), rhs.len()] == [rank; 2]
        && batches(lhs)
        && batches(rhs)
        && lhs[rank - 1] == rhs[rank - 2]
        && out[rank - 2..] == [lhs[rank - 2], rhs[rank - 1]]
}

/// Computes `out = lhs * rhs` for each pair of matrices. The shapes are `[.., m, k]`, `[.., k, n]` and `[.., m, n]`. The
/// dimensions before the last two are batches. An operand of length 1 along a batch dimension is used for all batches.
///
/// # Errors
/// The shapes do not match, an operand is quantised, or the launch failed.
pub fn launch<R: Runtime, MP: MatmulPrecision>(
    strategy: &Strategy,
    client: &ComputeClient<R::Server>,
    lhs: MatmulInputHandle<R, LhsG<MP>>,
    rhs: MatmulInputHandle<R, RhsG<MP>>,
    out: TensorHandle<R, AccG<MP>>,
) -> Result<(), MatmulSetupError> {
    launch_ref::<R, MP>(strategy, client, &lhs.as_ref(), &rhs.as_ref(), &out.as_ref())
}

/// As [`launch`], with operands by reference.
///
/// # Errors
/// See [`launch`].
pub fn launch_ref<R: Runtime, MP: MatmulPrecision>(
    strategy: &Strategy,
    client: &ComputeClient<R::Server>,
    lhs: &MatmulInputHandleRef<'_, R>,
    rhs: &MatmulInputHandleRef<'_, R>,
    out: &TensorHandleRef<'_, R>,
) -> Result<(), MatmulSetupError> {
    let (MatmulInputHandleRef::Normal(lhs), MatmulInputHandleRef::Normal(rhs)) = (lhs, rhs) else {
        let reason = "a quantised operand is not supported: dequantise it first, or use `cubecl::std::quant::matmul`";
        return Err(MatmulSetupError::InvalidConfig(reason.into()));
    };
    if !fits(lhs.shape, rhs.shape, out.shape) {
        return Err(MatmulSetupError::InvalidConfig(format!(
            "matrices of shapes {:?} and {:?} do not have a product of shape {:?}; use [.., m, k], [.., k, n] and [.., m, n]",
            lhs.shape, rhs.shape, out.shape
        )));
    }
    let (batches, matrix) = out.shape.split_at(out.shape.len() - 2);
    let cubes = |elements: usize| (elements as u32).div_ceil(TILE);
    let count = CubeCount::Static(cubes(matrix[1]), cubes(matrix[0]), batches.iter().product::<usize>() as u32);
    let batch_shape: SequenceArg<'_, R, u32> = batches.iter().map(|n| ScalarArg::new(*n as u32)).collect();
    product::try_launch::<LhsG<MP>, LhsS<MP>, RhsG<MP>, RhsS<MP>, AccR<MP>, AccG<MP>, R>(
        client,
        count,
        CubeDim::new_2d(TILE, TILE),
        lhs.as_tensor_arg(1),
        rhs.as_tensor_arg(1),
        out.as_tensor_arg(1),
        batch_shape,
        *strategy == Strategy::Auto,
    )
    .map_err(MatmulSetupError::Launch)
}
