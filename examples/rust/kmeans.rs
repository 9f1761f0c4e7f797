//! k-means clustering: points are lines, centres are in shared memory, and atomics compute the sum of each
//! centre's points.
//!
//! `cargo build -p cube-tools && cargo run --release -p cube-mlir --example kmeans`
use cube::cpu::CpuRuntime;
use cube::prelude::*;

/// Number of elements of a line.
const WIDTH: u32 = 4;
/// Number of lines in a point.
const LINES: u32 = 2;
/// Number of coordinates of a point.
const DIMS: u32 = WIDTH * LINES;

/// The squared Euclidean distance between two lines.
#[cube]
fn squared<F: Float>(a: Line<F>, b: Line<F>) -> F {
    let difference = a - b;
    let squares = difference * difference;
    squares[0] + squares[1] + squares[2] + squares[3]
}

/// Labels each point with its nearest centre, and adds the point to the centre's sum. The sums are accumulated in
/// shared memory first, and then in global memory.
#[cube(launch)]
fn assign<F: Float>(
    points: &Array<Line<F>>,
    centres: &Array<Line<F>>,
    labels: &mut Array<u32>,
    sums: &mut Array<Atomic<F>>,
    counts: &mut Array<Atomic<u32>>,
    #[comptime] k: u32,
) {
    let mut near = SharedMemory::<F>::new_lined(k * LINES, WIDTH);
    let part = SharedMemory::<Atomic<F>>::new(k * DIMS);
    let members = SharedMemory::<Atomic<u32>>::new(k);
    for i in range_stepped(UNIT_POS, k * LINES, CUBE_DIM) {
        near[i] = centres[i];
    }
    for i in range_stepped(UNIT_POS, k * DIMS, CUBE_DIM) {
        Atomic::store(&part[i], F::new(0.0));
    }
    for i in range_stepped(UNIT_POS, k, CUBE_DIM) {
        Atomic::store(&members[i], 0);
    }
    sync_cube();
    let p = ABSOLUTE_POS;
    if p < labels.len() {
        let mut label = 0u32;
        let mut least = F::new(1e30);
        for c in 0..k {
            let mut own = F::new(0.0);
            #[unroll]
            for d in 0..LINES {
                own += squared::<F>(points[p * LINES + d], near[c * LINES + d]);
            }
            if own < least {
                least = own;
                label = c;
            }
        }
        labels[p] = label;
        #[unroll]
        for d in 0..LINES {
            let line = points[p * LINES + d];
            #[unroll]
            for lane in 0..WIDTH {
                Atomic::add(&part[label * DIMS + d * WIDTH + lane], line[lane]);
            }
        }
        Atomic::add(&members[label], 1);
    }
    sync_cube();
    for i in range_stepped(UNIT_POS, k * DIMS, CUBE_DIM) {
        Atomic::add(&sums[i], Atomic::load(&part[i]));
    }
    for i in range_stepped(UNIT_POS, k, CUBE_DIM) {
        Atomic::add(&counts[i], Atomic::load(&members[i]));
    }
}

/// Generates points in `k` clusters. The coordinates are integers, so that sums are exact in any order of
/// addition.
fn cloud(points: usize, k: usize) -> Vec<f32> {
    let dims = DIMS as usize;
    let noise = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 27) as f32;
    (0..points * dims).map(|i| ((i / dims % k * 37 + i % dims * 11) % 90) as f32 + noise(i)).collect()
}

/// Result of one k-means round: labels of the points, sums per centre, and number of points per centre.
type Round = (Vec<u32>, Vec<f32>, Vec<u32>);

/// Computes one k-means round on the host.
fn on_host(points: &[f32], centres: &[f32]) -> Round {
    let dims = DIMS as usize;
    let mut sums = vec![0.0; centres.len()];
    let mut counts = vec![0; centres.len() / dims];
    let label = |point: &[f32]| {
        let distance = |centre: &[f32]| centre.iter().zip(point).map(|(c, p)| (p - c) * (p - c)).sum::<f32>();
        let mut best = (f32::MAX, 0);
        for (c, centre) in centres.chunks(dims).enumerate() {
            let own = distance(centre);
            if own < best.0 {
                best = (own, c);
            }
        }
        best.1
    };
    let mut one = |point: &[f32]| {
        let c = label(point);
        sums[c * dims..].iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
        counts[c] += 1;
        c as u32
    };
    let labels = points.chunks(dims).map(&mut one).collect();
    (labels, sums, counts)
}

/// The new centres: the mean of each centre's points. A centre without points is unchanged.
fn moved(centres: &[f32], sums: &[f32], counts: &[u32]) -> Vec<f32> {
    let dims = DIMS as usize;
    let mean = |i: usize| match counts[i / dims] {
        0 => centres[i],
        // Rounded to an integer, so that distances are exact.
        n => (sums[i] / n as f32).round(),
    };
    (0..centres.len()).map(mean).collect()
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    const UNITS: u32 = 256;
    let client = R::client(device);
    let (n, k, dims) = (3000, 7, DIMS as usize);
    let points = cloud(n, k);
    let mut centres = points[..k * dims].to_vec();
    let input = client.create(f32::as_bytes(&points));
    let labels = client.empty(4 * n);
    for round in 0.. {
        let near = client.create(f32::as_bytes(&centres));
        let sums = client.create(f32::as_bytes(&vec![0.0; k * dims]));
        let counts = client.create(u32::as_bytes(&vec![0; k]));
        // SAFETY: each handle has as many elements as the argument declares.
        let (points_arg, centres_arg, labels_arg, sums_arg, counts_arg) = unsafe {
            (
                ArrayArg::from_raw_parts::<f32>(&input, n * dims, WIDTH as u8),
                ArrayArg::from_raw_parts::<f32>(&near, k * dims, WIDTH as u8),
                ArrayArg::from_raw_parts::<u32>(&labels, n, 1),
                ArrayArg::from_raw_parts::<f32>(&sums, k * dims, 1),
                ArrayArg::from_raw_parts::<u32>(&counts, k, 1),
            )
        };
        let cubes = CubeCount::new_1d((n as u32).div_ceil(UNITS));
        let dim = CubeDim::new_1d(UNITS);
        assign::launch::<f32, R>(
            &client,
            cubes,
            dim,
            points_arg,
            centres_arg,
            labels_arg,
            sums_arg,
            counts_arg,
            k as u32,
        );
        let floats = |bytes: &[u8]| f32::from_bytes(bytes).to_vec();
        let sums = floats(&client.read_one(sums));
        let counts = u32::from_bytes(&client.read_one(counts)).to_vec();
        let host = on_host(&points, &centres);
        assert_eq!(u32::from_bytes(&client.read_one(labels.clone())), host.0, "labels of round {round}");
        assert_eq!((&sums, &counts), (&host.1, &host.2), "round {round}");
        let next = moved(&centres, &sums, &counts);
        if next == centres {
            println!("{n} points and {k} centres on {}: {} rounds, equal to the host's", R::name(&client), round + 1);
            return;
        }
        centres = next;
    }
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn centres_and_labels_equal_those_of_the_host() {
        super::main();
    }
}
