//! Softmax, layer normalisation and RMS normalisation of the rows of a matrix. One cube processes one row. A row of up
//! to 16,384 elements stays in the registers of the cube, so that it is read once from memory.
use crate::{CubeOption, array_of_lines};
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Number of elements that a unit should hold in registers. More units share a longer row.
const ELEMENTS_PER_UNIT: usize = 16;
/// Maximum number of elements that a unit holds in registers.
const MAX_ELEMENTS_PER_UNIT: usize = 64;
/// Maximum number of units of a cube. All devices support cubes of this size.
const MAX_UNITS: usize = 256;

/// An associative operation that combines the values of a row.
#[cube]
trait Combine: Send + Sync + 'static {
    /// The result for no values.
    fn identity() -> f32;
    /// Combines two values.
    fn pair(a: f32, b: f32) -> f32;
    /// Combines two lines, element by element.
    fn lines(a: Line<f32>, b: Line<f32>) -> Line<f32>;
    /// Combines the values of the units of a plane.
    fn plane(value: f32) -> f32;
}

struct Total;
struct Largest;

#[cube]
impl Combine for Total {
    fn identity() -> f32 {
        0.0
    }
    fn pair(a: f32, b: f32) -> f32 {
        a + b
    }
    fn lines(a: Line<f32>, b: Line<f32>) -> Line<f32> {
        a + b
    }
    fn plane(value: f32) -> f32 {
        plane_sum(value)
    }
}

#[cube]
impl Combine for Largest {
    fn identity() -> f32 {
        f32::NEG_INFINITY
    }
    fn pair(a: f32, b: f32) -> f32 {
        Max::max(a, b)
    }
    fn lines(a: Line<f32>, b: Line<f32>) -> Line<f32> {
        Max::max(a, b)
    }
    fn plane(value: f32) -> f32 {
        plane_max(value)
    }
}

/// Combines the values of all units of a cube. All units of the cube must call this function. `planes` selects plane
/// operations. Without them, shared memory combines all values.
#[cube]
fn over_cube<C: Combine>(own: Line<f32>, #[comptime] units: u32, #[comptime] planes: bool) -> f32 {
    let mut value = C::identity();
    #[unroll]
    for element in 0..own.size() {
        value = C::pair(value, own[element]);
    }
    let mut shared = SharedMemory::<f32>::new(units);
    if comptime!(planes) {
        value = C::plane(value);
        if UNIT_POS % PLANE_DIM == 0 {
            shared[UNIT_POS / PLANE_DIM] = value;
        }
        sync_cube();
        value = C::identity();
        for plane in 0..div_ceil(units, PLANE_DIM) {
            value = C::pair(value, shared[plane]);
        }
    } else {
        shared[UNIT_POS] = value;
        sync_cube();
        let mut half = units / 2;
        while half > 0 {
            if UNIT_POS < half {
                shared[UNIT_POS] = C::pair(shared[UNIT_POS], shared[UNIT_POS + half]);
            }
            sync_cube();
            half /= 2;
        }
        value = shared[0];
    }
    value
}

/// Softmax of a row of `lines` lines. Each unit holds `own` lines of the row in registers.
#[cube(launch)]
fn softmax_in_registers<F: Float>(
    input: &Array<Line<F>>,
    output: &mut Array<Line<F>>,
    rows: u32,
    lines: u32,
    #[comptime] own: u32,
    #[comptime] units: u32,
    #[comptime] planes: bool,
) {
    let start = CUBE_POS * lines;
    // The last cubes of a launch can lie beyond the last row. They must execute all barriers.
    let lines = select(CUBE_POS < rows, lines, 0);
    let width = input.line_size();
    let mut values = Array::<Line<f32>>::vectorized(own, width);
    let mut largest = Line::<f32>::empty(width).fill(f32::NEG_INFINITY);
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        values[i] = Line::<f32>::empty(width).fill(f32::NEG_INFINITY);
        if at < lines {
            values[i] = Line::cast_from(input[start + at]);
        }
        largest = Max::max(largest, values[i]);
    }
    let largest = Line::<f32>::empty(width).fill(over_cube::<Largest>(largest, units, planes));
    let mut sum = Line::<f32>::empty(width).fill(0.0);
    #[unroll]
    for i in 0..own {
        values[i] = Line::exp(values[i] - largest);
        sum += values[i];
    }
    let scale = Line::<f32>::empty(width).fill(1.0 / over_cube::<Total>(sum, units, planes));
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        if at < lines {
            output[start + at] = Line::cast_from(values[i] * scale);
        }
    }
}

/// Softmax of a row of any length. The row is read three times.
#[cube(launch)]
fn softmax_in_memory<F: Float>(
    input: &Array<Line<F>>,
    output: &mut Array<Line<F>>,
    rows: u32,
    lines: u32,
    #[comptime] units: u32,
    #[comptime] planes: bool,
) {
    let start = CUBE_POS * lines;
    let lines = select(CUBE_POS < rows, lines, 0);
    let width = input.line_size();
    let mut largest = Line::<f32>::empty(width).fill(f32::NEG_INFINITY);
    for at in range_stepped(UNIT_POS, lines, units) {
        largest = Max::max(largest, Line::cast_from(input[start + at]));
    }
    let largest = Line::<f32>::empty(width).fill(over_cube::<Largest>(largest, units, planes));
    let mut sum = Line::<f32>::empty(width).fill(0.0);
    for at in range_stepped(UNIT_POS, lines, units) {
        let value: Line<f32> = Line::cast_from(input[start + at]);
        sum += Line::exp(value - largest);
    }
    let scale = Line::<f32>::empty(width).fill(1.0 / over_cube::<Total>(sum, units, planes));
    for at in range_stepped(UNIT_POS, lines, units) {
        let value: Line<f32> = Line::cast_from(input[start + at]);
        output[start + at] = Line::cast_from(Line::exp(value - largest) * scale);
    }
}

/// Softmax along an axis whose values have the distance `inner`. One unit processes all values of a position.
#[cube(launch)]
fn softmax_strided<F: Float>(input: &Array<F>, output: &mut Array<F>, len: u32, inner: u32, positions: u32) {
    let position = ABSOLUTE_POS;
    if position < positions {
        let start = position / inner * len * inner + position % inner;
        let mut largest = f32::NEG_INFINITY;
        for i in 0..len {
            largest = Max::max(largest, f32::cast_from(input[start + i * inner]));
        }
        let mut sum = 0.0f32;
        for i in 0..len {
            sum += f32::exp(f32::cast_from(input[start + i * inner]) - largest);
        }
        for i in 0..len {
            let value = f32::exp(f32::cast_from(input[start + i * inner]) - largest);
            output[start + i * inner] = F::cast_from(value / sum);
        }
    }
}

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

/// Normalises a row of `lines` lines. Each unit holds `own` lines of the row in registers. `centred` subtracts the mean
/// of the row first.
#[cube(launch)]
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
    #[comptime] units: u32,
    #[comptime] planes: bool,
) {
    let start = CUBE_POS * lines;
    let width = input.line_size();
    let columns = f32::cast_from(lines * width);
    let lines = select(CUBE_POS < rows, lines, 0);
    let zeros = Line::<f32>::empty(width).fill(0.0);
    let mut values = Array::<Line<f32>>::vectorized(own, width);
    let mut sum = zeros;
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        values[i] = zeros;
        if at < lines {
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
        if at < lines {
            values[i] -= Line::<f32>::empty(width).fill(mean);
        }
        squares += values[i] * values[i];
    }
    let variance = over_cube::<Total>(squares, units, planes) / columns;
    let scale = Line::<f32>::empty(width).fill(1.0 / f32::sqrt(variance + epsilon));
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        if at < lines {
            output[start + at] = with_parameters::<F>(values[i] * scale, &weight, &bias, at);
        }
    }
}

/// Normalises a row of any length. The row is read two times, or three times if `centred`.
#[cube(launch)]
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
    let start = CUBE_POS * lines;
    let width = input.line_size();
    let columns = f32::cast_from(lines * width);
    let lines = select(CUBE_POS < rows, lines, 0);
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

/// How a launch divides the rows of a matrix among units.
pub(crate) struct Division {
    /// Elements of a line. It divides the number of columns.
    pub width: u8,
    /// Lines of a row.
    pub lines: u32,
    /// Units of a cube.
    pub units: u32,
    /// Lines of a row that a unit holds in registers. `None` means that the row is too long for registers.
    pub own: Option<u32>,
    /// Whether the device has plane operations.
    pub planes: bool,
}

/// Whether the device has plane operations.
pub(crate) fn has_planes<R: Runtime>(client: &ComputeClient<R::Server>) -> bool {
    client.properties().features.plane.contains(cube_frontend::features::Plane::Ops)
}

impl Division {
    /// The division of rows with `columns` elements of type `E`.
    pub fn new<R: Runtime, E: CubePrimitive>(client: &ComputeClient<R::Server>, columns: usize) -> Self {
        let size = E::size().unwrap_or(4);
        let width = R::io_optimized_line_sizes_unchecked(size)
            .find(|width| columns.is_multiple_of(usize::from(*width)))
            .unwrap_or(1);
        let lines = columns / usize::from(width);
        let most = MAX_UNITS.min(client.properties().hardware.max_units_per_cube as usize).max(1);
        let units = columns.div_ceil(ELEMENTS_PER_UNIT).next_power_of_two().clamp(32.min(most), most);
        let own = lines.div_ceil(units);
        Division {
            width,
            lines: lines as u32,
            units: units as u32,
            own: (own * usize::from(width) <= MAX_ELEMENTS_PER_UNIT).then_some(own as u32),
            planes: has_planes::<R>(client),
        }
    }
}

/// Writes the softmax of `input` along an axis to `output`: `exp(x - m) / sum of exp(x - m)`, where `m` is the largest
/// value along the axis. Both buffers contain a contiguous tensor of the shape `shape`. The computation uses f32.
/// The result is NaN for all values of a row that contains NaN or positive infinity, or only negative infinities.
///
/// # Errors
/// The axis is not smaller than the rank, the tensor has more than `u32::MAX` elements, or the launch failed.
pub fn softmax<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    shape: &[usize],
    axis: usize,
) -> Result<(), LaunchError> {
    let Some(&len) = shape.get(axis) else {
        return Err(crate::missing_axis(axis, shape));
    };
    let inner: usize = shape[axis + 1..].iter().product();
    let rows = shape[..axis].iter().product::<usize>();
    let elements = crate::checked_elements(shape)?;
    if elements == 0 {
        return Ok(());
    }
    if inner > 1 {
        let (count, dim) = crate::cubes(rows * inner);
        let (input, output) = (crate::array::<F, R>(input, elements), crate::array::<F, R>(output, elements));
        let [len, inner, all] = [len, inner, rows * inner].map(|n| ScalarArg::new(n as u32));
        return softmax_strided::try_launch::<F, R>(client, count, dim, input, output, len, inner, all);
    }
    let Division { width, lines, units, own, planes } = Division::new::<R, F>(client, len);
    let count = cube_frontend::calculate_cube_count_elemwise(rows, CubeDim::new_single());
    let dim = CubeDim::new_1d(units);
    let array = |handle| array_of_lines::<F, R>(handle, elements, width);
    let (input, output) = (array(input), array(output));
    let [rows, lines] = [rows as u32, lines].map(ScalarArg::new);
    match own {
        Some(own) => {
            softmax_in_registers::try_launch::<F, R>(client, count, dim, input, output, rows, lines, own, units, planes)
        }
        None => softmax_in_memory::try_launch::<F, R>(client, count, dim, input, output, rows, lines, units, planes),
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
    let Division { width, lines, units, own, planes } = Division::new::<R, F>(client, columns);
    let count = cube_frontend::calculate_cube_count_elemwise(rows, CubeDim::new_single());
    let dim = CubeDim::new_1d(units);
    let matrix = |handle| array_of_lines::<F, R>(handle, elements, width);
    let of_columns = |handle: Option<_>| handle.map(|handle| array_of_lines::<F, R>(handle, columns, width)).into();
    let (input, output) = (matrix(input), matrix(output));
    let (weight, bias) = (of_columns(parameters.weight), of_columns(parameters.bias));
    let [rows, lines] = [rows as u32, lines].map(ScalarArg::new);
    let epsilon = ScalarArg::new(parameters.epsilon);
    match own {
        Some(own) => normalise_in_registers::try_launch::<F, R>(
            client, count, dim, input, weight, bias, output, rows, lines, epsilon, centred, own, units, planes,
        ),
        None => normalise_in_memory::try_launch::<F, R>(
            client, count, dim, input, weight, bias, output, rows, lines, epsilon, centred, units, planes,
        ),
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
