//! Layer normalisation and RMS normalisation of rows.
use super::{Division, Total, inside, over_cube};
use crate::{CubeOption, array_of_lines};
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// The normalised value, scaled and shifted by the optional parameters at `at`.
#[cube]
fn with_parameters<F: Float>(
    normal: Line<f32>,
    weight: &CubeOption<Array<Line<F>>>,
    bias: &CubeOption<Array<Line<F>>>,
    at: u32,
) -> Line<F> {
    let mut value = normal;
    if let CubeOption::Some(weight) = weight {
        value *= Line::cast_from(weight[at]);
    }
    if let CubeOption::Some(bias) = bias {
        value += Line::cast_from(bias[at]);
    }
    Line::cast_from(value)
}

/// Normalises a row of `lines` lines. Each unit holds `own` lines of the row in registers. `full` states that the row has
/// exactly `own * units` lines. `centred` subtracts the mean of the row first.
#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn normalise_in_registers<F: Float>(
    input: &Array<Line<F>>,
    weight: CubeOption<Array<Line<F>>>,
    bias: CubeOption<Array<Line<F>>>,
    output: &mut Array<Line<F>>,
    rows: u32,
    lines: u32,
    epsilon: f32,
    #[comptime] centred: bool,
    #[comptime] own: u32,
    #[comptime] full: bool,
    #[comptime] units: u32,
    #[comptime] planes: bool,
) {
    if CUBE_POS >= rows {
        terminate!();
    }
    let start = CUBE_POS * lines;
    let width = input.line_size();
    let columns = f32::cast_from(lines * width);
    let zeros = Line::<f32>::empty(width).fill(0.0);
    let mut values = Array::<Line<f32>>::vectorized(own, width);
    let mut sum = zeros;
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        values[i] = zeros;
        if inside(at, lines, comptime!(full || i + 1 < own)) {
            values[i] = Line::cast_from(input[start + at]);
        }
        sum += values[i];
    }
    let mut mean = 0.0f32;
    if comptime!(centred) {
        mean = over_cube::<Total>(sum, units, planes) / columns;
    }
    let mut squares = zeros;
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        if inside(at, lines, comptime!(full || i + 1 < own)) {
            values[i] -= Line::<f32>::empty(width).fill(mean);
        }
        squares += values[i] * values[i];
    }
    let variance = over_cube::<Total>(squares, units, planes) / columns;
    let scale = Line::<f32>::empty(width).fill(1.0 / f32::sqrt(variance + epsilon));
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        if inside(at, lines, comptime!(full || i + 1 < own)) {
            output[start + at] = with_parameters::<F>(values[i] * scale, &weight, &bias, at);
        }
    }
}

/// Normalises a row of any length. The row is read two times, or three times if `centred`.
#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn normalise_in_memory<F: Float>(
    input: &Array<Line<F>>,
    weight: CubeOption<Array<Line<F>>>,
    bias: CubeOption<Array<Line<F>>>,
    output: &mut Array<Line<F>>,
    rows: u32,
    lines: u32,
    epsilon: f32,
    #[comptime] centred: bool,
    #[comptime] units: u32,
    #[comptime] planes: bool,
) {
    if CUBE_POS >= rows {
        terminate!();
    }
    let start = CUBE_POS * lines;
    let width = input.line_size();
    let columns = f32::cast_from(lines * width);
    let zeros = Line::<f32>::empty(width).fill(0.0);
    let mut mean = zeros;
    if comptime!(centred) {
        let mut sum = zeros;
        for at in range_stepped(UNIT_POS, lines, units) {
            sum += Line::cast_from(input[start + at]);
        }
        mean = Line::<f32>::empty(width).fill(over_cube::<Total>(sum, units, planes) / columns);
    }
    let mut squares = zeros;
    for at in range_stepped(UNIT_POS, lines, units) {
        let value = Line::<f32>::cast_from(input[start + at]) - mean;
        squares += value * value;
    }
    let variance = over_cube::<Total>(squares, units, planes) / columns;
    let scale = Line::<f32>::empty(width).fill(1.0 / f32::sqrt(variance + epsilon));
    for at in range_stepped(UNIT_POS, lines, units) {
        let value = Line::<f32>::cast_from(input[start + at]) - mean;
        output[start + at] = with_parameters::<F>(value * scale, &weight, &bias, at);
    }
}

/// The parameters of a normalisation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters<'a> {
    /// One factor per column. `None` means factors of 1.
    pub weight: Option<&'a Handle>,
    /// One summand per column. `None` means summands of 0.
    pub bias: Option<&'a Handle>,
    /// The number that is added to the variance, or to the mean of the squares.
    pub epsilon: f32,
}

fn normalise<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    [rows, columns]: [usize; 2],
    parameters: Parameters<'_>,
    centred: bool,
) -> Result<(), LaunchError> {
    let elements = crate::checked_elements(&[rows, columns])?;
    if elements == 0 {
        return Ok(());
    }
    crate::check_size::<F>("input", input, elements)?;
    crate::check_size::<F>("output", output, elements)?;
    for (name, handle) in [("weight", parameters.weight), ("bias", parameters.bias)] {
        handle.map_or(Ok(()), |handle| crate::check_size::<F>(name, handle, columns))?;
    }
    let Division { width, lines, units, own, full, planes, .. } = Division::new::<R, F>(client, columns);
    let count = cube_frontend::calculate_cube_count_elemwise(rows, CubeDim::new_single());
    let dim = CubeDim::new_1d(units);
    let matrix = |handle| array_of_lines::<F, R>(handle, elements, width);
    let of_columns = |handle: Option<_>| handle.map(|handle| array_of_lines::<F, R>(handle, columns, width)).into();
    let (input, output) = (matrix(input), matrix(output));
    let (weight, bias) = (of_columns(parameters.weight), of_columns(parameters.bias));
    let [rows, lines] = [rows as u32, lines].map(ScalarArg::new);
    let epsilon = ScalarArg::new(parameters.epsilon);
    // SAFETY: both matrices have `elements` elements, in rows of `lines` lines. The parameters have a row each.
    unsafe {
        match own {
            Some(own) => normalise_in_registers::try_launch_unchecked::<F, R>(
                client, count, dim, input, weight, bias, output, rows, lines, epsilon, centred, own, full, units,
                planes,
            ),
            None => normalise_in_memory::try_launch_unchecked::<F, R>(
                client, count, dim, input, weight, bias, output, rows, lines, epsilon, centred, units, planes,
            ),
        }
    }
}

/// Writes the layer normalisation of each row to `output`: `(x - mean) / sqrt(variance + epsilon) * weight + bias`, with
/// the mean and the population variance of the row. `shape` contains the number of rows and the number of columns of the
/// contiguous matrices. The computation uses f32.
///
/// # Errors
/// The matrix has more than `u32::MAX` elements, or the launch failed.
pub fn layer_norm<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    shape: [usize; 2],
    parameters: Parameters<'_>,
) -> Result<(), LaunchError> {
    normalise::<R, F>(client, input, output, shape, parameters, true)
}

/// Writes the RMS normalisation of each row to `output`: `x / sqrt(mean of x^2 + epsilon) * weight + bias`. `shape`
/// contains the number of rows and the number of columns of the contiguous matrices. The computation uses f32.
///
/// # Errors
/// The matrix has more than `u32::MAX` elements, or the launch failed.
pub fn rms_norm<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    shape: [usize; 2],
    parameters: Parameters<'_>,
) -> Result<(), LaunchError> {
    normalise::<R, F>(client, input, output, shape, parameters, false)
}
