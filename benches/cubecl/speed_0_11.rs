//! The kernels of the comparison of speed, in the dialect of CubeCL 0.11.
mod host;

use PRELUDE;
use cubecl::server::Handle;
use cubecl::wgpu::WgpuRuntime;
use host::{Case, numbers};

type R = WgpuRuntime;

#[cube(launch, launch_unchecked)]
fn add<F: Float, N: Size>(a: &[Vector<F, N>], b: &[Vector<F, N>], out: &mut [Vector<F, N>]) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = a[ABSOLUTE_POS] + b[ABSOLUTE_POS];
    }
}

#[cube(launch, launch_unchecked)]
fn gelu<F: Float, N: Size>(x: &[Vector<F, N>], out: &mut [Vector<F, N>]) {
    if ABSOLUTE_POS < x.len() {
        let root = F::new(comptime!(2.0f32.sqrt()));
        let own = x[ABSOLUTE_POS];
        out[ABSOLUTE_POS] =
            own * (Vector::erf(own / Vector::new(root)) + Vector::new(F::new(1.0))) / Vector::new(F::new(2.0));
    }
}

/// Each unit sums a row.
#[cube(launch, launch_unchecked)]
fn row_sums<F: Float>(matrix: &[F], sums: &mut [F], columns: u32) {
    if ABSOLUTE_POS < sums.len() {
        let columns = columns as usize;
        let mut sum = F::new(0.0);
        for column in 0..columns {
            sum += matrix[ABSOLUTE_POS * columns + column];
        }
        sums[ABSOLUTE_POS] = sum;
    }
}

/// Each cube sums a row through shared memory.
#[cube(launch, launch_unchecked)]
fn row_sums_of_cubes<F: Float>(matrix: &[F], sums: &mut [F], columns: u32, #[comptime] units: u32) {
    let mut parts = Shared::<[F]>::new_slice(units as usize);
    let mut sum = F::new(0.0);
    let mut column = UNIT_POS;
    while column < columns {
        sum += matrix[CUBE_POS * columns as usize + column as usize];
        column += units;
    }
    parts[UNIT_POS as usize] = sum;
    sync_cube();
    let mut half = CUBE_DIM / 2;
    while half > 0 {
        if UNIT_POS < half {
            let other = parts[(UNIT_POS + half) as usize];
            parts[UNIT_POS as usize] += other;
        }
        sync_cube();
        half /= 2;
    }
    if UNIT_POS == 0 {
        sums[CUBE_POS] = parts[0];
    }
}

/// Multiplies square matrices by tiles in shared memory.
#[cube(launch, launch_unchecked)]
fn matmul<F: Float>(a: &[F], b: &[F], out: &mut [F], size: u32, #[comptime] tile: u32) {
    let mut tile_a = Shared::<[F]>::new_slice((tile * tile) as usize);
    let mut tile_b = Shared::<[F]>::new_slice((tile * tile) as usize);
    let row = CUBE_POS_Y * tile + UNIT_POS_Y;
    let column = CUBE_POS_X * tile + UNIT_POS_X;
    let own = UNIT_POS_Y * tile + UNIT_POS_X;
    let mut sum = F::new(0.0);
    let mut first = 0u32;
    while first < size {
        tile_a[own as usize] = a[(row * size + first + UNIT_POS_X) as usize];
        tile_b[own as usize] = b[((first + UNIT_POS_Y) * size + column) as usize];
        sync_cube();
        for k in 0..tile {
            sum += tile_a[(UNIT_POS_Y * tile + k) as usize] * tile_b[(k * tile + UNIT_POS_X) as usize];
        }
        sync_cube();
        first += tile;
    }
    out[(row * size + column) as usize] = sum;
}

fn created(client: &Client, count: usize) -> Handle {
    client.create_from_slice(f32::as_bytes(&numbers(count)))
}

fn array(handle: &Handle, len: usize) -> BufferArg {
    // SAFETY: the handle has that many vectors.
    unsafe { BufferArg::from_raw_parts(handle.clone(), len) }
}

fn read(client: &Client, handle: &Handle) -> Box<dyn Fn() -> Vec<f32>> {
    let (client, handle) = (client.clone(), handle.clone());
    Box::new(move || f32::from_bytes(&client.read_one(handle.clone()).expect("the launches succeeded")).to_vec())
}

const COUNT: usize = 1 << 20;
const ROWS: usize = 1024;
const COLUMNS: usize = 1024;
const SIZE: usize = 256;
const UNITS: u32 = 256;
const TILE: u32 = 16;

/// Launches a kernel with or without checks of its accesses.
macro_rules! launch {
    ($checked:expr, $kernel:ident, $($argument:expr),*) => {
        if $checked {
            $kernel::launch::<f32>($($argument),*)
        } else {
            // SAFETY: all accesses of the kernels are in bounds.
            unsafe { $kernel::launch_unchecked::<f32>($($argument),*) }
        }
    };
}

/// The cases, each with and without checks.
fn cases(client: &Client, checked: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, launches, out: usize, launch: Box<dyn Fn(&Client, &Handle)>| {
        let (client, out) = (client.clone(), client.empty(4 * out));
        let read = read(&client, &out);
        cases.push(Case { name, checked, launches, launch: Box::new(move || launch(&client, &out)), read });
    };
    let [a, b, x, matrix] = [COUNT, COUNT, COUNT, ROWS * COLUMNS].map(|count| created(client, count));
    for (name, line) in [("add, lines of 1", 1), ("add, lines of 4", 4)] {
        let (a, b, lines) = (a.clone(), b.clone(), COUNT / line);
        case(
            name,
            20,
            COUNT,
            Box::new(move |client, out| {
                let (count, dim) = (CubeCount::Static(lines as u32 / UNITS, 1, 1), CubeDim::new_1d(UNITS));
                launch!(checked, add, client, count, dim, line, array(&a, lines), array(&b, lines), array(out, lines));
            }),
        );
    }
    for (name, line) in [("GELU, lines of 1", 1), ("GELU, lines of 4", 4)] {
        let (x, lines) = (x.clone(), COUNT / line);
        case(
            name,
            10,
            COUNT,
            Box::new(move |client, out| {
                let (count, dim) = (CubeCount::Static(lines as u32 / UNITS, 1, 1), CubeDim::new_1d(UNITS));
                launch!(checked, gelu, client, count, dim, line, array(&x, lines), array(out, lines));
            }),
        );
    }
    let of_unit = matrix.clone();
    case(
        "row sums, a unit for each row",
        20,
        ROWS,
        Box::new(move |client, out| {
            let (count, dim) = (CubeCount::Static(ROWS as u32 / UNITS, 1, 1), CubeDim::new_1d(UNITS));
            let columns = COLUMNS as u32;
            launch!(checked, row_sums, client, count, dim, array(&of_unit, ROWS * COLUMNS), array(out, ROWS), columns);
        }),
    );
    case(
        "row sums, a cube for each row",
        20,
        ROWS,
        Box::new(move |client, out| {
            let (count, dim) = (CubeCount::Static(ROWS as u32, 1, 1), CubeDim::new_1d(UNITS));
            let columns = COLUMNS as u32;
            let matrix = array(&matrix, ROWS * COLUMNS);
            launch!(checked, row_sums_of_cubes, client, count, dim, matrix, array(out, ROWS), columns, UNITS);
        }),
    );
    let [a, b] = [(); 2].map(|()| created(client, SIZE * SIZE));
    case(
        "matmul by tiles",
        10,
        SIZE * SIZE,
        Box::new(move |client, out| {
            let cubes = SIZE as u32 / TILE;
            let (count, dim) = (CubeCount::Static(cubes, cubes, 1), CubeDim::new_2d(TILE, TILE));
            let [a, b, out] = [&a, &b, out].map(|handle| array(handle, SIZE * SIZE));
            launch!(checked, matmul, client, count, dim, a, b, out, SIZE as u32, TILE);
        }),
    );
    cases
}

fn main() {
    let client = R::client(&Default::default());
    let all: Vec<Case> = [true, false].into_iter().flat_map(|checked| cases(&client, checked)).collect();
    host::serve("wgpu", &all, || _ = cubecl::future::block_on(client.sync()));
}
