//! Transposition, gathering and scattering: operations that move values without computing with them.
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Width and height of a tile of a transposition in elements.
const TILE: u32 = 32;
/// Number of rows of a tile that a cube moves at a time.
const TILE_ROWS: u32 = 8;

/// Transposes the tile at `CUBE_POS_X`, `CUBE_POS_Y` of the matrix `CUBE_POS_Z`. Both accesses to global memory are
/// coalesced. A row in shared memory has one additional element, so that the elements of a column are in
/// different banks.
#[cube(launch_unchecked)]
fn transpose_tiles<E: Numeric>(
    input: &Array<E>,
    output: &mut Array<E>,
    rows: u32,
    columns: u32,
    #[comptime] tile: u32,
    #[comptime] tile_rows: u32,
) {
    let mut shared = SharedMemory::<E>::new(comptime!(tile * (tile + 1)));
    let start = CUBE_POS_Z * rows * columns;
    let column = CUBE_POS_X * tile + UNIT_POS_X;
    #[unroll]
    for step in 0..comptime!(tile / tile_rows) {
        let y = step * tile_rows + UNIT_POS_Y;
        let row = CUBE_POS_Y * tile + y;
        if row < rows && column < columns {
            shared[y * (tile + 1) + UNIT_POS_X] = input[start + row * columns + column];
        }
    }
    sync_cube();
    let row = CUBE_POS_Y * tile + UNIT_POS_X;
    #[unroll]
    for step in 0..comptime!(tile / tile_rows) {
        let x = step * tile_rows + UNIT_POS_Y;
        let column = CUBE_POS_X * tile + x;
        if row < rows && column < columns {
            output[start + column * rows + row] = shared[UNIT_POS_X * (tile + 1) + x];
        }
    }
}

/// Writes the transposes of `batch` matrices to `output`. `shape` contains the numbers of rows and columns of an input
/// matrix. All matrices are contiguous.
///
/// # Errors
/// The matrices have more than `u32::MAX` elements, or the launch failed.
pub fn transpose<R: Runtime, E: Numeric>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    output: &Handle,
    batch: usize,
    shape: [usize; 2],
) -> Result<(), LaunchError> {
    let [rows, columns] = shape;
    let elements = crate::checked_elements(&[batch, rows, columns])?;
    if elements == 0 {
        return Ok(());
    }
    crate::check_size::<E>("input", input, elements)?;
    crate::check_size::<E>("output", output, elements)?;
    let tiles = |n: usize| (n as u32).div_ceil(TILE);
    let count = CubeCount::new_3d(tiles(columns), tiles(rows), batch as u32);
    let (input, output) = (crate::array::<E, R>(input, elements), crate::array::<E, R>(output, elements));
    let [rows, columns] = [rows, columns].map(|n| ScalarArg::new(n as u32));
    let dim = CubeDim::new_2d(TILE, TILE_ROWS);
    // SAFETY: both buffers have `elements` elements, and the kernel accesses only rows and columns of the matrices.
    unsafe {
        transpose_tiles::try_launch_unchecked::<E, R>(client, count, dim, input, output, rows, columns, TILE, TILE_ROWS)
    }
}

/// The index, in the list of indices, for the element `at` of the selected tensor. The axis of the selected tensor has
/// one position for each index, and each position has `inner` elements or lines.
#[cube]
fn index_of(at: u32, indices: &Array<u32>, inner: u32) -> u32 {
    indices[at / inner % indices.len()]
}

/// The position, in the tensor whose axis has the length `len`, that corresponds to the element `at` of the selected
/// tensor. `index` is the index along the axis, and `count` is the number of indices.
#[cube]
fn position_of(at: u32, index: u32, count: u32, len: u32, inner: u32) -> u32 {
    (at / inner / count * len + index) * inner + at % inner
}

#[cube(launch)]
fn gather_values<E: Numeric>(
    input: &Array<Line<E>>,
    indices: &Array<u32>,
    output: &mut Array<Line<E>>,
    len: u32,
    inner: u32,
    elements: u32,
) {
    let at = ABSOLUTE_POS;
    if at < elements {
        let index = index_of(at, indices, inner);
        let mut value = Line::<E>::empty(input.line_size()).fill(E::from_int(0));
        if index < len {
            value = input[position_of(at, index, indices.len(), len, inner)];
        }
        output[at] = value;
    }
}

#[cube(launch)]
fn scatter_values<E: Numeric>(
    input: &Array<Line<E>>,
    indices: &Array<u32>,
    output: &mut Array<Line<E>>,
    len: u32,
    inner: u32,
    elements: u32,
) {
    let at = ABSOLUTE_POS;
    if at < elements {
        let index = index_of(at, indices, inner);
        if index < len {
            output[position_of(at, index, indices.len(), len, inner)] = input[at];
        }
    }
}

#[cube(launch)]
fn scatter_sums<E: Numeric>(
    input: &Array<E>,
    indices: &Array<u32>,
    output: &mut Array<Atomic<E>>,
    len: u32,
    inner: u32,
    elements: u32,
) {
    let at = ABSOLUTE_POS;
    if at < elements {
        let index = index_of(at, indices, inner);
        if index < len {
            Atomic::add(&output[position_of(at, index, indices.len(), len, inner)], input[at]);
        }
    }
}

/// The sizes of two tensors, one of which is selected from the other by indices along an axis.
struct Indexed {
    /// Elements of the tensor with the axis of length `len`.
    all: usize,
    /// Elements of the tensor whose axis has one position per index.
    chosen: usize,
    len: u32,
    /// Elements per position of the axis.
    inner: usize,
}

impl Indexed {
    /// Elements of a line that divides `inner`.
    fn line<R: Runtime, E: Numeric>(&self) -> u8 {
        let fits = |width: &u8| self.inner.is_multiple_of(usize::from(*width));
        R::io_optimized_line_sizes_unchecked(E::size().unwrap_or(4)).find(fits).unwrap_or(1)
    }

    fn new(shape: &[usize], axis: usize, count: usize) -> Result<Self, LaunchError> {
        let Some(&len) = shape.get(axis) else {
            return Err(crate::missing_axis(axis, shape));
        };
        let all = crate::checked_elements(shape)?;
        let mut of_indices = shape.to_vec();
        of_indices[axis] = count;
        let chosen = crate::checked_elements(&of_indices)?;
        let inner: usize = shape[axis + 1..].iter().product();
        Ok(Indexed { all, chosen, len: len as u32, inner })
    }
}

/// Writes `input[.., indices[i], ..]` to `output[.., i, ..]`, where the index replaces the coordinate of the axis. `shape`
/// is the shape of `input`. `indices` contains `count` numbers of type `u32`. Both tensors are contiguous. The result for
/// an index that is not below the length of the axis is zero.
///
/// # Errors
/// The axis is not smaller than the rank, a tensor has more than `u32::MAX` elements, or the launch failed.
pub fn gather<R: Runtime, E: Numeric>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    shape: &[usize],
    axis: usize,
    (indices, count): (&Handle, usize),
    output: &Handle,
) -> Result<(), LaunchError> {
    let sizes = Indexed::new(shape, axis, count)?;
    if sizes.chosen == 0 {
        return Ok(());
    }
    let width = sizes.line::<R, E>();
    let [inner, lines] = [sizes.inner, sizes.chosen].map(|n| n / usize::from(width));
    let (cubes, dim) = crate::cubes(lines);
    let input = crate::array_of_lines::<E, R>(input, sizes.all, width);
    let output = crate::array_of_lines::<E, R>(output, sizes.chosen, width);
    let indices = crate::array::<u32, R>(indices, count);
    let [len, inner, chosen] = [sizes.len, inner as u32, lines as u32].map(ScalarArg::new);
    gather_values::try_launch::<E, R>(client, cubes, dim, input, indices, output, len, inner, chosen)
}

/// The effect of a scatter on the value that the output already contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scatter {
    /// Replaces the value. If an index occurs more than once, the output contains one of the values for this index.
    #[default]
    Replace,
    /// Adds to the value atomically. The order of the additions is not defined.
    Add,
}

/// Writes `input[.., i, ..]` to `output[.., indices[i], ..]`, where the index replaces the coordinate of the axis. `shape`
/// is the shape of `output`. `indices` contains `count` numbers of type `u32`. Both tensors are contiguous. A value whose
/// index is not below the length of the axis is ignored.
///
/// # Errors
/// The axis is not smaller than the rank, a tensor has more than `u32::MAX` elements, or the launch failed.
/// [`Scatter::Add`] fails for a type without atomic addition on the device.
pub fn scatter<R: Runtime, E: Numeric>(
    mode: Scatter,
    client: &ComputeClient<R::Server>,
    input: &Handle,
    (indices, count): (&Handle, usize),
    output: &Handle,
    shape: &[usize],
    axis: usize,
) -> Result<(), LaunchError> {
    let sizes = Indexed::new(shape, axis, count)?;
    let Indexed { all, chosen, .. } = sizes;
    if chosen == 0 || all == 0 {
        return Ok(());
    }
    // Atomic additions process one element at a time.
    let width = if mode == Scatter::Replace { sizes.line::<R, E>() } else { 1 };
    let [inner, lines] = [sizes.inner, chosen].map(|n| n / usize::from(width));
    let (cubes, dim) = crate::cubes(lines);
    let indices = crate::array::<u32, R>(indices, count);
    let [len, inner, lines] = [sizes.len, inner as u32, lines as u32].map(ScalarArg::new);
    match mode {
        Scatter::Replace => {
            let input = crate::array_of_lines::<E, R>(input, chosen, width);
            let output = crate::array_of_lines::<E, R>(output, all, width);
            scatter_values::try_launch::<E, R>(client, cubes, dim, input, indices, output, len, inner, lines)
        }
        Scatter::Add => {
            let (input, output) = (crate::array::<E, R>(input, chosen), crate::array::<E, R>(output, all));
            scatter_sums::try_launch::<E, R>(client, cubes, dim, input, indices, output, len, inner, lines)
        }
    }
}
