//! Quantisation of floats to 8 bits, `x = scale * (q - zero)`, and quantised matrix products.
//!
//! A quantised matrix product accumulates sums as 32-bit integers. A fixed-point multiplication, which rounds
//! to nearest, scales each sum. Source: Jacob and others, "Quantization and Training of Neural Networks for
//! Efficient Integer-Arithmetic-Only Inference", 2018, section 2.2.
pub mod scheme;
pub mod view;

use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Affine quantisation parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Difference between the floats that two consecutive 8-bit numbers represent.
    pub scale: f32,
    /// The 8-bit number that represents 0.0.
    pub zero: i32,
}

impl Scheme {
    /// Computes the parameters for the range `low..=high`, extended to include 0.0. The quantised numbers
    /// represent 0.0 exactly.
    pub fn covering(low: f32, high: f32) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let scale = if high > low { (high - low) / 255.0 } else { 1.0 };
        Scheme { scale, zero: (-low / scale).round_ties_even() as i32 }
    }
}

/// A positive factor as a fixed-point number: `multiplier * 2^-shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rescale {
    /// The multiplier, a number of 31 bits.
    pub multiplier: i32,
    /// The shift amount, from 1 to 62.
    pub shift: u32,
}

impl Rescale {
    /// Returns the fixed-point number that is nearest to a factor between 2^-31 and 2^30.
    pub fn new(factor: f64) -> Self {
        let (mut fraction, mut shift) = (factor, 31);
        while fraction < 0.5 && shift < 62 {
            fraction *= 2.0;
            shift += 1;
        }
        while fraction >= 1.0 && shift > 1 {
            fraction /= 2.0;
            shift -= 1;
        }
        let multiplier = (fraction * 2f64.powi(31)).round_ties_even().min(f64::from(i32::MAX)) as i32;
        Rescale { multiplier, shift }
    }

    /// Scales a sum on the host, with the computation that the kernel uses. The result is the nearest integer; ties
    /// are rounded up.
    pub fn apply(self, sum: i32) -> i64 {
        let product = i64::from(sum) * i64::from(self.multiplier);
        (product + (1i64 << (self.shift - 1))) >> self.shift
    }
}

/// The largest depth of a matrix product whose sums fit into 32 bits.
const MAX_DEPTH: usize = i32::MAX as usize / (255 * 255);

#[cube]
fn to_byte<I: Int>(x: I) -> u8 {
    u8::cast_from(I::clamp(x, I::new(0), I::new(255)))
}

#[cube(launch)]
fn quantize_kernel<F: Float>(input: &Array<F>, output: &mut Array<u8>, scale: F, zero: i32) {
    if ABSOLUTE_POS < input.len() {
        output[ABSOLUTE_POS] =
            to_byte::<i32>(i32::saturating_add(i32::cast_from(F::round(input[ABSOLUTE_POS] / scale)), zero));
    }
}

#[cube(launch)]
fn dequantize_kernel<F: Float>(input: &Array<u8>, output: &mut Array<F>, scale: F, zero: i32) {
    if ABSOLUTE_POS < output.len() {
        output[ABSOLUTE_POS] = F::cast_from(i32::cast_from(input[ABSOLUTE_POS]) - zero) * scale;
    }
}

#[cube(launch)]
#[allow(clippy::too_many_arguments)]
fn matmul_kernel(
    lhs: &Array<u8>,
    rhs: &Array<u8>,
    out: &mut Array<u8>,
    rows: u32,
    depth: u32,
    columns: u32,
    zero_lhs: i32,
    zero_rhs: i32,
    zero_out: i32,
    multiplier: i32,
    shift: u32,
) {
    let (row, column) = (ABSOLUTE_POS / columns, ABSOLUTE_POS % columns);
    if row < rows {
        let mut sum = 0i32;
        for k in 0..depth {
            let a = i32::cast_from(lhs[row * depth + k]) - zero_lhs;
            let b = i32::cast_from(rhs[k * columns + column]) - zero_rhs;
            sum += a * b;
        }
        let shift = i64::cast_from(shift);
        let half = 1i64 << (shift - 1);
        let scaled = (i64::cast_from(sum) * i64::cast_from(multiplier) + half) >> shift;
        out[ABSOLUTE_POS] = to_byte::<i64>(scaled + i64::cast_from(zero_out));
    }
}

/// Quantises floats to 8 bits. `input` contains `len` floats of type `F`, and `output` has `len` bytes.
///
/// # Errors
/// The launch failed.
pub fn quantize<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    len: usize,
    scheme: Scheme,
) -> Result<(), LaunchError> {
    let (count, dim) = crate::cubes(len);
    let (from, to) = (crate::array::<F, R>(input, len), crate::array::<u8, R>(output, len));
    let (scale, zero) = (ScalarArg::new(F::new(scheme.scale)), ScalarArg::new(scheme.zero));
    quantize_kernel::try_launch::<F, R>(client, count, dim, from, to, scale, zero)
}

/// Converts quantised 8-bit numbers to floats. `input` contains `len` bytes, and `output` has `len` floats of type `F`.
///
/// # Errors
/// The launch failed.
pub fn dequantize<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    len: usize,
    scheme: Scheme,
) -> Result<(), LaunchError> {
    let (count, dim) = crate::cubes(len);
    let (from, to) = (crate::array::<u8, R>(input, len), crate::array::<F, R>(output, len));
    let (scale, zero) = (ScalarArg::new(F::new(scheme.scale)), ScalarArg::new(scheme.zero));
    dequantize_kernel::try_launch::<F, R>(client, count, dim, from, to, scale, zero)
}

/// Operands and output of a quantised matrix product, with their quantisation parameters.
pub struct Product<'a> {
    /// `rows * depth` numbers of 8 bits, row by row.
    pub lhs: (&'a Handle, Scheme),
    /// `depth * columns` numbers of 8 bits, row by row.
    pub rhs: (&'a Handle, Scheme),
    /// `rows * columns` numbers of 8 bits, row by row.
    pub out: (&'a Handle, Scheme),
    /// Number of rows of `lhs`, depth, and number of columns of `rhs`.
    pub shape: [usize; 3],
}

/// Computes a quantised matrix product.
///
/// # Errors
/// The depth is too large for 32-bit sums, or a launch failed.
pub fn matmul<R: Runtime>(client: &ComputeClient<R::Server>, product: &Product<'_>) -> Result<(), LaunchError> {
    let [rows, depth, columns] = product.shape;
    if depth > MAX_DEPTH {
        return Err(LaunchError::of_user(format!(
            "sums of {depth} products of 8-bit numbers can exceed 32 bits; split the matrices at a depth of {MAX_DEPTH}"
        )));
    }
    let factor = f64::from(product.lhs.1.scale) * f64::from(product.rhs.1.scale) / f64::from(product.out.1.scale);
    let rescale = Rescale::new(factor);
    let (count, dim) = crate::cubes(rows * columns);
    let array = |handle, len| crate::array::<u8, R>(handle, len);
    let number = |n: usize| ScalarArg::new(n as u32);
    matmul_kernel::try_launch::<R>(
        client,
        count,
        dim,
        array(product.lhs.0, rows * depth),
        array(product.rhs.0, depth * columns),
        array(product.out.0, rows * columns),
        number(rows),
        number(depth),
        number(columns),
        ScalarArg::new(product.lhs.1.zero),
        ScalarArg::new(product.rhs.1.zero),
        ScalarArg::new(product.out.1.zero),
        ScalarArg::new(rescale.multiplier),
        ScalarArg::new(rescale.shift),
    )
}
