//! The element-wise kernels of "An applied introduction to CuTeDSL", with layouts: naive,
//! vectorised, thread-value layout. The example also has a transposition through swizzled shared memory, a
//! copy with partial tiles, and partitions with fragments.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example layouts`
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::std::layout::{Layout, Mode, Swizzle, View, layout, make_layout_tv, row_major, tile};

/// Each unit adds one pair of elements. The layout maps the coordinate of the element to an offset.
#[cube(launch_unchecked)]
fn naive<F: Float>(a: &Array<F>, b: &Array<F>, c: &mut Array<F>, #[comptime] matrix: Layout) {
    let ga = View::new(a, comptime!(matrix.clone()));
    let gb = View::new(b, comptime!(matrix.clone()));
    let gc = View::new(c, comptime!(matrix.clone()));
    ga.print_layout("naive: a");
    let unit = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    let n = ga.size_of_mode(1);
    let (m_i, n_i) = (unit / n, unit % n);
    gc.set((m_i, n_i), ga.get((m_i, n_i)) + gb.get((m_i, n_i)));
}

/// Each unit adds four consecutive pairs of elements.
#[cube(launch_unchecked)]
fn vectorised<F: Float>(a: &Array<F>, b: &Array<F>, c: &mut Array<F>, #[comptime] matrix: Layout) {
    let ga = View::new(a, comptime!(matrix.clone())).zipped_divide(comptime!(tile(&[1, 4])));
    let gb = View::new(b, comptime!(matrix.clone())).zipped_divide(comptime!(tile(&[1, 4])));
    let gc = View::new(c, comptime!(matrix.clone())).zipped_divide(comptime!(tile(&[1, 4])));
    ga.print_layout("vectorised: a in tiles");
    let unit = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    let mine = ga.slice((Mode::All, unit));
    mine.print_layout("vectorised: a of a unit");
    gc.slice((Mode::All, unit)).store(mine.load() + gb.slice((Mode::All, unit)).load());
}

/// A view of the elements that a unit processes. Each cube processes one tile, and the thread-value layout assigns
/// elements of the tile to units.
#[cube]
fn elements_of_unit<F: Float>(
    buffer: &Array<F>,
    #[comptime] matrix: Layout,
    #[comptime] tiler: Layout,
    #[comptime] tv: Layout,
) -> View<F> {
    let tiles = View::new(buffer, comptime!(matrix.clone())).zipped_divide(comptime!(tiler.clone()));
    let own = tiles.slice(((Mode::All, Mode::All), CUBE_POS_X));
    let pairs = own.compose(comptime!(tv.clone()));
    pairs.print_layout("thread-value: of a tile");
    pairs.slice((UNIT_POS_X, Mode::All))
}

#[cube(launch_unchecked)]
fn thread_value<F: Float>(
    a: &Array<F>,
    b: &Array<F>,
    c: &mut Array<F>,
    #[comptime] matrix: Layout,
    #[comptime] tiler: Layout,
    #[comptime] tv: Layout,
) {
    let ta = elements_of_unit::<F>(a, comptime!(matrix.clone()), comptime!(tiler.clone()), comptime!(tv.clone()));
    let tb = elements_of_unit::<F>(b, comptime!(matrix.clone()), comptime!(tiler.clone()), comptime!(tv.clone()));
    let tc = elements_of_unit::<F>(c, comptime!(matrix.clone()), comptime!(tiler.clone()), comptime!(tv.clone()));
    ta.print_layout("thread-value: of a unit");
    tc.store(ta.load() + tb.load());
}

/// Transposes a square matrix through shared memory. The swizzle avoids bank conflicts in accesses to rows
/// and columns.
#[cube(launch)]
fn transposed<F: Float>(x: &Array<F>, y: &mut Array<F>, #[comptime] swizzle: Swizzle) {
    let memory = SharedMemory::<F>::new(1024);
    let square = comptime!(row_major(32, 32));
    let shared = View::swizzled(&memory, comptime!(swizzle), comptime!(square.clone()));
    let from = View::new(x, comptime!(square.clone()));
    let to = View::new(y, comptime!(square.clone()));
    for row in 0..32 {
        shared.set((row, UNIT_POS_X), from.get((row, UNIT_POS_X)));
    }
    sync_cube();
    for row in 0..32 {
        to.set((row, UNIT_POS_X), shared.get((UNIT_POS_X, row)));
    }
}

/// Copies a matrix by tiles that extend beyond the end of the matrix. Reads outside the matrix return zero, and
/// writes outside the matrix are dropped.
#[cube(launch)]
fn ragged<F: Float>(x: &Array<F>, y: &mut Array<F>, #[comptime] matrix: Layout, #[comptime] size: Layout) {
    let from = View::new(x, comptime!(matrix.clone())).zipped_divide_ragged(comptime!(size.clone()));
    let to = View::new(y, comptime!(matrix.clone())).zipped_divide_ragged(comptime!(size.clone()));
    to.slice(((UNIT_POS_X, Mode::All), CUBE_POS_X)).copy_from(&from.slice(((UNIT_POS_X, Mode::All), CUBE_POS_X)));
}

/// Partitions one tile among eight units, and copies the elements of each unit to a fragment.
#[cube(launch)]
fn partitioned<F: Float>(x: &Array<F>, y: &mut Array<F>, #[comptime] matrix: Layout, #[comptime] units: Layout) {
    let own = View::new(x, comptime!(matrix.clone())).local_tile(comptime!(tile(&[8, 16])), (CUBE_POS_X, CUBE_POS_Y));
    let to = View::new(y, comptime!(matrix.clone())).local_tile(comptime!(tile(&[8, 16])), (CUBE_POS_X, CUBE_POS_Y));
    let part = own.local_partition(comptime!(units.clone()), UNIT_POS_X);
    part.print_layout("partitioned: of a unit");
    let fragment = part.fragment_like();
    fragment.copy_from(&part);
    #[unroll]
    for k in 0..fragment.size() {
        fragment.set((k,), fragment.get((k,)) * F::new(2.0));
    }
    to.local_partition(comptime!(units.clone()), UNIT_POS_X).copy_from(&fragment);
}

fn array<'a, R: Runtime>(handle: &'a cube::server::Handle, len: usize) -> ArrayArg<'a, R> {
    // SAFETY: each handle has `len` elements.
    unsafe { ArrayArg::from_raw_parts::<f32>(handle, len, 1) }
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let (rows, columns) = (64u32, 512u32);
    let n = (rows * columns) as usize;
    let host_a: Vec<f32> = (0..n).map(|i| (i % 977) as f32 * 0.25).collect();
    let host_b: Vec<f32> = (0..n).map(|i| (i % 641) as f32 - 300.0).collect();
    let sums: Vec<f32> = host_a.iter().zip(&host_b).map(|(x, y)| x + y).collect();
    let (a, b) = (client.create(f32::as_bytes(&host_a)), client.create(f32::as_bytes(&host_b)));
    let matrix = row_major(rows, columns);
    let cubes = |count: usize| CubeCount::Static(count as u32, 1, 1);
    let check = |what: &str, got: cube::server::Handle, expected: &[f32]| {
        let bytes = client.read_one(got);
        assert!(f32::from_bytes(&bytes) == expected, "{what}");
        println!("{what}: {} elements are equal to the host's", expected.len());
    };

    let c = client.empty(n * 4);
    // SAFETY: the launch has exactly one unit per element.
    unsafe {
        let dim = CubeDim::new_1d(256);
        let (a, b, out) = (array(&a, n), array(&b, n), array(&c, n));
        naive::launch_unchecked::<f32, R>(&client, cubes(n / 256), dim, a, b, out, matrix.clone());
    }
    check("naive", c, &sums);

    let c = client.empty(n * 4);
    // SAFETY: the launch has exactly one unit per four elements.
    unsafe {
        let dim = CubeDim::new_1d(256);
        let (a, b, out) = (array(&a, n), array(&b, n), array(&c, n));
        vectorised::launch_unchecked::<f32, R>(&client, cubes(n / 4 / 256), dim, a, b, out, matrix.clone());
    }
    check("vectorised", c, &sums);

    let tv = make_layout_tv(&layout("(4,32):(32,1)"), &layout("(4,8):(8,1)")).expect("the layouts form a tile");
    println!("tiler: {:?}, thread-value layout: {}", tv.tile, tv.layout);
    let c = client.empty(n * 4);
    // SAFETY: the launch has one cube per tile of 16 by 256, and one unit per thread of the layout.
    unsafe {
        let dim = CubeDim::new_1d(128);
        let (a, b, out) = (array(&a, n), array(&b, n), array(&c, n));
        let (count, tiler) = (cubes(n / (16 * 256)), tile(&tv.tile));
        thread_value::launch_unchecked::<f32, R>(&client, count, dim, a, b, out, matrix.clone(), tiler, tv.layout);
    }
    check("thread-value", c, &sums);

    let square = client.create(f32::as_bytes(&host_a[..1024]));
    let expected: Vec<f32> = (0..1024).map(|i| host_a[i % 32 * 32 + i / 32]).collect();
    let c = client.empty(4096);
    let swizzle: Swizzle = "S<5,0,5>".parse().expect("the swizzle is valid");
    let (from, to) = (array(&square, 1024), array(&c, 1024));
    transposed::launch::<f32, R>(&client, cubes(1), CubeDim::new_1d(32), from, to, swizzle);
    check("transposed", c, &expected);

    let (m, k) = (7, 9);
    let small = client.create(f32::as_bytes(&host_b[..m * k]));
    let c = client.empty(m * k * 4);
    let (from, to) = (array(&small, m * k), array(&c, m * k));
    let (count, dim) = (cubes(m.div_ceil(2) * k.div_ceil(4)), CubeDim::new_1d(2));
    ragged::launch::<f32, R>(&client, count, dim, from, to, row_major(m as u32, k as u32), tile(&[2, 4]));
    check("ragged", c, &host_b[..m * k]);

    let twice: Vec<f32> = host_a.iter().map(|x| x * 2.0).collect();
    let c = client.empty(n * 4);
    let count = CubeCount::Static(rows / 8, columns / 16, 1);
    let (from, to) = (array(&a, n), array(&c, n));
    partitioned::launch::<f32, R>(&client, count, CubeDim::new_1d(8), from, to, matrix, layout("(2,4):(4,1)"));
    check("partitioned", c, &twice);
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_equal_those_of_the_host() {
        super::main();
    }
}
