//! Softmax, layer normalisation and RMS normalisation of the rows of a matrix. One cube processes one row. A row of up
//! to 32,768 elements stays in the registers of the cube, so that it is read once from memory.
//!
//! The kernels are launched without checks of their accesses. Launches without checks are safe, because the host tests
//! the sizes of the buffers, and each kernel accesses only rows below `rows` and lines below `lines`.
mod normalise;

pub use normalise::{Parameters, layer_norm, rms_norm};

use crate::array_of_lines;
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Number of lines that a unit should hold in registers. A longer row is divided among more units. Source: on an H200,
/// softmax and normalisations of 8192 columns are faster with 4 lines of 16 bytes than with 2 or 8 lines, in f16 and in
/// f32.
const LINES_PER_UNIT: usize = 4;
/// Maximum number of elements that a unit holds in registers.
const MAX_ELEMENTS_PER_UNIT: usize = 64;
/// Maximum number of units of a cube, if the device supports it.
const MAX_UNITS: usize = 512;
/// Width of a cube that processes columns. The width is a multiple of the number of elements in a memory transaction of
/// 32 bytes.
pub(crate) const COLUMN_WIDTH: u32 = 32;

/// Width and height of a cube that processes columns.
pub(crate) fn column_cube<R: Runtime>(client: &ComputeClient<R::Server>) -> CubeDim {
    let height = client.properties().hardware.max_units_per_cube / COLUMN_WIDTH;
    CubeDim::new_2d(COLUMN_WIDTH, height.clamp(1, 32))
}

/// An associative operation that combines the values of a row.
#[cube]
trait Combine: Send + Sync + 'static {
    /// The neutral element: the result for an empty set of values.
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

/// Combines the values of all units of a cube. All units of the cube must call this function. If `planes` is false, the
/// units combine their values in shared memory, without plane operations.
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

/// Whether line `at` of a row exists. If `sure` is true, the caller guarantees that the line exists, and the kernel has
/// no comparison.
#[cube]
pub(crate) fn inside(at: u32, lines: u32, #[comptime] sure: bool) -> bool {
    let mut is_inside = true;
    if comptime!(!sure) {
        is_inside = at < lines;
    }
    is_inside
}

/// Softmax of a row of `lines` lines. Each unit holds `own` lines of the row in registers. `full` states that the row has
/// exactly `own * units` lines.
#[cube(launch_unchecked, fast_math = FastMath::ReducedPrecision)]
fn softmax_in_registers<F: Float>(
    input: &Array<Line<F>>,
    output: &mut Array<Line<F>>,
    rows: u32,
    lines: u32,
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
    let mut values = Array::<Line<f32>>::vectorized(own, width);
    let mut largest = Line::<f32>::empty(width).fill(f32::NEG_INFINITY);
    #[unroll]
    for i in 0..own {
        let at = i * units + UNIT_POS;
        values[i] = Line::<f32>::empty(width).fill(f32::NEG_INFINITY);
        if inside(at, lines, comptime!(full || i + 1 < own)) {
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
        if inside(at, lines, comptime!(full || i + 1 < own)) {
            output[start + at] = Line::cast_from(values[i] * scale);
        }
    }
}

/// Softmax of a row of any length. The row is read three times.
#[cube(launch_unchecked, fast_math = FastMath::ReducedPrecision)]
fn softmax_in_memory<F: Float>(
    input: &Array<Line<F>>,
    output: &mut Array<Line<F>>,
    rows: u32,
    lines: u32,
    #[comptime] units: u32,
    #[comptime] planes: bool,
) {
    if CUBE_POS >= rows {
        terminate!();
    }
    let start = CUBE_POS * lines;
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

/// `exp(a - b)`, or 0 if `a` is negative infinity. The difference of two negative infinities would be NaN.
#[cube]
fn power_of_difference(a: f32, b: f32) -> f32 {
    select(a == f32::NEG_INFINITY, 0.0, f32::exp(a - b))
}

/// Softmax along an axis whose consecutive values are `inner` elements apart. The units with the same `UNIT_POS_X`
/// process one position, so that the units of a plane access adjacent positions. Each unit reads its values two times.
/// The first pass computes the largest value and the sum. When the largest value changes, the first pass scales the sum
/// (Milakov and Gimelshein 2018). The second pass computes the result.
#[cube(launch_unchecked, fast_math = FastMath::ReducedPrecision)]
fn softmax_columns<F: Float>(
    input: &Array<F>,
    output: &mut Array<F>,
    len: u32,
    inner: u32,
    positions: u32,
    #[comptime] width: u32,
    #[comptime] height: u32,
) {
    let position = CUBE_POS * width + UNIT_POS_X;
    let start = position / inner * len * inner + position % inner;
    // All units of a cube must execute its barrier. A unit beyond the last position has no values.
    let len = select(position < positions, len, 0);
    let mut largest = f32::NEG_INFINITY;
    let mut sum = 0.0f32;
    for i in range_stepped(UNIT_POS_Y, len, height) {
        let value = f32::cast_from(input[start + i * inner]);
        let next = Max::max(largest, value);
        sum = sum * power_of_difference(largest, next) + power_of_difference(value, next);
        largest = next;
    }
    let mut all_largest = SharedMemory::<f32>::new(comptime!(width * height));
    let mut sums = SharedMemory::<f32>::new(comptime!(width * height));
    all_largest[UNIT_POS] = largest;
    sums[UNIT_POS] = sum;
    sync_cube();
    for y in 0..height {
        largest = Max::max(largest, all_largest[y * width + UNIT_POS_X]);
    }
    sum = 0.0;
    for y in 0..height {
        let at = y * width + UNIT_POS_X;
        sum += sums[at] * power_of_difference(all_largest[at], largest);
    }
    let scale = 1.0 / sum;
    for i in range_stepped(UNIT_POS_Y, len, height) {
        let value = f32::cast_from(input[start + i * inner]);
        output[start + i * inner] = F::cast_from(f32::exp(value - largest) * scale);
    }
}

/// The division of the rows of a matrix among the units of a launch.
pub(crate) struct Division {
    /// Number of elements of a line, which divides the number of columns.
    pub width: u8,
    /// Lines of a row.
    pub lines: u32,
    /// Units of a cube.
    pub units: u32,
    /// Lines of a row that a unit holds in registers. `None` means that the row is too long for registers.
    pub own: Option<u32>,
    /// Whether each unit has the same number of lines.
    pub full: bool,
    /// Whether the units combine their values by plane operations.
    pub planes: bool,
    /// The number of units of a plane; 0 if the device has planes of several widths.
    pub plane: u32,
}

/// The number of units of a plane; 0 if the device has planes of several widths. The kernels unroll shuffles over planes
/// whose width is known.
pub(crate) fn plane_width<R: Runtime>(client: &ComputeClient<R::Server>) -> u32 {
    let hardware = &client.properties().hardware;
    let width = hardware.plane_size_max;
    if hardware.plane_size_min == width && width.is_power_of_two() { width } else { 0 }
}

/// Whether the units of a cube can combine their values by plane operations. Plane operations require full planes,
/// because a shuffle in a partial plane would read lanes without a unit.
pub(crate) fn has_full_planes<R: Runtime>(client: &ComputeClient<R::Server>, units: u32) -> bool {
    let properties = client.properties();
    let ops = properties.features.plane.contains(cube_frontend::features::Plane::Ops);
    ops && units.is_multiple_of(properties.hardware.plane_size_max.max(1))
}

/// Number of units that process a row of `lines` lines. The number is a power of two, because the units combine their
/// values pairwise in shared memory. A cube has at least one plane of `plane` units, and at most `max` units.
fn units_of_row(lines: usize, plane: usize, max: usize) -> usize {
    let most = 1 << MAX_UNITS.min(max).max(1).ilog2();
    let least = plane.next_power_of_two().max(32).min(most);
    lines.div_ceil(LINES_PER_UNIT).next_power_of_two().clamp(least, most)
}

impl Division {
    /// The division of rows with `columns` elements of type `E`.
    pub fn new<R: Runtime, E: CubePrimitive>(client: &ComputeClient<R::Server>, columns: usize) -> Self {
        let size = E::size().unwrap_or(4);
        let width = R::io_optimized_line_sizes_unchecked(size)
            .find(|width| columns.is_multiple_of(usize::from(*width)))
            .unwrap_or(1);
        let lines = columns / usize::from(width);
        let hardware = &client.properties().hardware;
        let units = units_of_row(lines, hardware.plane_size_max as usize, hardware.max_units_per_cube as usize);
        let own = lines.div_ceil(units);
        Division {
            full: own * units == lines,
            width,
            lines: lines as u32,
            units: units as u32,
            own: (own * usize::from(width) <= MAX_ELEMENTS_PER_UNIT).then_some(own as u32),
            planes: has_full_planes::<R>(client, units as u32),
            plane: plane_width::<R>(client),
        }
    }
}

/// Writes the softmax of `input` along an axis to `output`: `exp(x - m) / sum of exp(x - m)`, where `m` is the largest
/// value along the axis. Both buffers contain a contiguous tensor of the shape `shape`. The computation uses f32 and the
/// flag [`FastMath::ReducedPrecision`]: on a device with an approximate `exp2`, the relative error of a result is about
/// `(2 + 1.5 * (m - x)) * 2^-23`.
/// If a row contains NaN or positive infinity, or only negative infinities, all results of the row are NaN.
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
    crate::check_size::<F>("input", input, elements)?;
    crate::check_size::<F>("output", output, elements)?;
    if inner > 1 {
        let dim = column_cube::<R>(client);
        let (width, height) = (dim.x, dim.y);
        let cubes = (rows * inner).div_ceil(width as usize);
        let count = cube_frontend::calculate_cube_count_elemwise(cubes, CubeDim::new_single());
        let (input, output) = (crate::array::<F, R>(input, elements), crate::array::<F, R>(output, elements));
        let [len, inner, all] = [len, inner, rows * inner].map(|n| ScalarArg::new(n as u32));
        // SAFETY: both buffers have `elements` elements, and the kernel accesses only positions below `all`.
        return unsafe {
            softmax_columns::try_launch_unchecked::<F, R>(
                client, count, dim, input, output, len, inner, all, width, height,
            )
        };
    }
    let Division { width, lines, units, own, full, planes, .. } = Division::new::<R, F>(client, len);
    let count = cube_frontend::calculate_cube_count_elemwise(rows, CubeDim::new_single());
    let dim = CubeDim::new_1d(units);
    let array = |handle| array_of_lines::<F, R>(handle, elements, width);
    let (input, output) = (array(input), array(output));
    let [rows, lines] = [rows as u32, lines].map(ScalarArg::new);
    // SAFETY: both buffers have `elements` elements, in rows of `lines` lines.
    unsafe {
        match own {
            Some(own) => softmax_in_registers::try_launch_unchecked::<F, R>(
                client, count, dim, input, output, rows, lines, own, full, units, planes,
            ),
            None => softmax_in_memory::try_launch_unchecked::<F, R>(
                client, count, dim, input, output, rows, lines, units, planes,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::units_of_row;

    #[test]
    fn a_row_has_at_least_one_full_plane() {
        for plane in [0, 1, 8, 16, 32, 64, 128] {
            for lines in [1, 2, 77, 129, 500, 4096, 100_000] {
                let units = units_of_row(lines, plane, 1024);
                assert!(units.is_multiple_of(plane.max(32)) && units.is_power_of_two(), "{lines} {plane}: {units}");
                assert!(units <= 512);
            }
        }
        assert_eq!(units_of_row(1, 64, 1024), 64);
        assert_eq!(units_of_row(257, 32, 1024), 128);
        // The cubes of this device are smaller than a plane, so `has_full_planes` selects shared memory.
        assert_eq!(units_of_row(1, 64, 20), 16);
    }
}
