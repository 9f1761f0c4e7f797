//! Matrix products in six steps, from one unit per element to one tile per unit. Intermediate steps use
//! larger cubes and two dimensions.
//!
//! `cargo build -p cube-tools && cargo run --release -p cube-mlir --example matmul`
use cube::cpu::CpuRuntime;
use cube::prelude::*;
use std::time::Instant;

/// The sizes of the matrices: `m` rows, inner dimension `k`, `n` columns. Host and kernel share this struct.
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug)]
struct Sizes {
    m: u32,
    k: u32,
    n: u32,
}

#[cube]
fn element(a: &Array<f32>, b: &Array<f32>, sizes: &Sizes, row: u32, column: u32) -> f32 {
    let mut sum = 0.0;
    for i in 0..sizes.k {
        sum += a[row * sizes.k + i] * b[i * sizes.n + column];
    }
    sum
}

/// Computes one element per unit, with units in one dimension and cubes of any size.
#[cube(launch)]
fn naive(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, sizes: Sizes) {
    let (row, column) = (ABSOLUTE_POS / sizes.n, ABSOLUTE_POS % sizes.n);
    if row < sizes.m {
        out[ABSOLUTE_POS] = element(a, b, &sizes, row, column);
    }
}

/// Computes one element per unit, with units in two dimensions, so that positions need no division.
#[cube(launch)]
fn planar(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, sizes: Sizes) {
    let (row, column) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X);
    if row < sizes.m && column < sizes.n {
        out[row * sizes.n + column] = element(a, b, &sizes, row, column);
    }
}

/// Each unit computes four consecutive elements of a row, in four variables.
#[cube(launch)]
fn one_by_four(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, sizes: Sizes) {
    let (row, first) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X * 4);
    if row < sizes.m {
        let (mut s0, mut s1, mut s2, mut s3) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..sizes.k {
            let x = a[row * sizes.k + i];
            let at = i * sizes.n + first;
            s0 += x * b[at];
            s1 += x * b[at + 1];
            s2 += x * b[at + 2];
            s3 += x * b[at + 3];
        }
        let at = row * sizes.n + first;
        if first < sizes.n {
            out[at] = s0;
        }
        if first + 1 < sizes.n {
            out[at + 1] = s1;
        }
        if first + 2 < sizes.n {
            out[at + 2] = s2;
        }
        if first + 3 < sizes.n {
            out[at + 3] = s3;
        }
    }
}

/// Each unit computes a tile in a local array, with unrolled loops.
#[cube(launch)]
fn tiles(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, sizes: Sizes, #[comptime] tile: u32) {
    let (top, left) = (ABSOLUTE_POS_Y * tile, ABSOLUTE_POS_X * tile);
    let mut sums = Array::<f32>::new(comptime!(tile * tile));
    #[unroll]
    for i in 0..comptime!(tile * tile) {
        sums[i] = 0.0;
    }
    for i in 0..sizes.k {
        #[unroll]
        for y in 0..tile {
            let x = a[(top + y) * sizes.k + i];
            #[unroll]
            for c in 0..tile {
                sums[y * tile + c] += x * b[i * sizes.n + left + c];
            }
        }
    }
    #[unroll]
    for y in 0..tile {
        #[unroll]
        for c in 0..tile {
            if top + y < sizes.m && left + c < sizes.n {
                out[(top + y) * sizes.n + left + c] = sums[y * tile + c];
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Variant {
    SingleUnits,
    Cubes256,
    Planar,
    OneByFour,
    FourByFour,
    TwoByTwo,
}

fn host(a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    (0..m * n).map(|i| (0..k).map(|j| a[i / n * k + j] * b[j * n + i % n]).sum()).collect()
}

fn launch<R: Runtime>(
    client: &ComputeClient<R::Server>,
    variant: Variant,
    a: &[f32],
    b: &[f32],
    size: [usize; 3],
) -> Vec<f32> {
    let [m, k, n] = size.map(|s| s as u32);
    let handles =
        [client.create(f32::as_bytes(a)), client.create(f32::as_bytes(b)), client.empty((m * n * 4) as usize)];
    let lengths = [m * k, k * n, m * n];
    // SAFETY: each handle has as many elements as its length.
    let arg = |i: usize| unsafe { ArrayArg::<R>::from_raw_parts::<f32>(&handles[i], lengths[i] as usize, 1) };
    let (x, y, out) = (arg(0), arg(1), arg(2));
    let sizes = SizesLaunch::new(ScalarArg::new(m), ScalarArg::new(k), ScalarArg::new(n));
    let square = CubeDim::new_2d(16, 16);
    let grid = |width: u32, height: u32| CubeCount::new_2d(n.div_ceil(16 * width), m.div_ceil(16 * height));
    match variant {
        Variant::SingleUnits => {
            // Cubes of one unit. They are spread over two dimensions, because the number of cubes per dimension is
            // limited.
            let count = CubeCount::new_2d(n, m);
            planar::launch::<R>(client, count, CubeDim::new_single(), x, y, out, sizes);
        }
        Variant::Cubes256 => {
            naive::launch::<R>(
                client,
                CubeCount::new_1d((m * n).div_ceil(256)),
                CubeDim::new_1d(256),
                x,
                y,
                out,
                sizes,
            );
        }
        Variant::Planar => planar::launch::<R>(client, grid(1, 1), square, x, y, out, sizes),
        Variant::OneByFour => one_by_four::launch::<R>(client, grid(4, 1), square, x, y, out, sizes),
        Variant::FourByFour => tiles::launch::<R>(client, grid(4, 4), square, x, y, out, sizes, 4),
        Variant::TwoByTwo => tiles::launch::<R>(client, grid(2, 2), square, x, y, out, sizes, 2),
    }
    f32::from_bytes(&client.read_one(handles[2].clone())).to_vec()
}

const VARIANTS: [Variant; 6] = [
    Variant::SingleUnits,
    Variant::Cubes256,
    Variant::Planar,
    Variant::OneByFour,
    Variant::FourByFour,
    Variant::TwoByTwo,
];

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device, sizes: &[[usize; 3]]) {
    let client = R::client(device);
    for size in sizes {
        let [m, k, n] = *size;
        let a: Vec<f32> = (0..m * k).map(|i| ((i * 3) % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| ((i * 5) % 9) as f32 - 4.0).collect();
        let expected = host(&a, &b, *size);
        for variant in VARIANTS {
            assert_eq!(launch::<R>(&client, variant, &a, &b, *size), expected, "{variant:?} {size:?}");
            let start = Instant::now();
            launch::<R>(&client, variant, &a, &b, *size);
            println!("{size:?} {variant:?}: {:.1?}", start.elapsed());
        }
    }
}

fn main() {
    run::<CpuRuntime>(&Default::default(), &[[1, 1, 1], [33, 20, 17], [256, 256, 256]]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_equal_those_of_the_host() {
        main();
    }

    #[test]
    fn a_product_of_two_by_one_and_one_by_one() {
        let client = CpuRuntime::client(&Default::default());
        for variant in VARIANTS {
            let result = launch::<CpuRuntime>(&client, variant, &[1.0, 2.0], &[3.0], [2, 1, 1]);
            assert_eq!(result, [3.0, 6.0], "{variant:?}");
        }
    }
}
