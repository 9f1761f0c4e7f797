//! Programs in the simplest style, compared with equal loops that use rayon: rounds of k-means, and the forces
//! between bodies.
use crate::Result;
use crate::compare::{compare, implementation, peer};
use crate::device::*;
use cube_artifact::ElemType;
use cube_runtime::{Arg, Device};
use cube_runtime_cpu::CpuDevice;
use rayon::prelude::*;
use std::cell::RefCell;

pub fn run(device: &CpuDevice) -> Result<()> {
    kmeans(device)?;
    nbody(device)
}

/// Coordinates of a point, number of centres, and units of a cube, as in the kernel.
const DIMS: usize = 8;
const K: usize = 16;
const UNITS: usize = 256;

/// Points per rayon task.
const PART: usize = 1024;

/// Rounds of one run.
const ROUNDS: usize = 10;

type Point = [f32; DIMS];

/// The results of a round: sum and number of the points of each centre.
#[derive(Clone, PartialEq)]
struct RoundResult {
    sums: [Point; K],
    counts: [u32; K],
}

impl RoundResult {
    const NONE: RoundResult = RoundResult { sums: [[0.0; DIMS]; K], counts: [0; K] };

    fn add(&mut self, label: usize, point: &Point) {
        self.sums[label].iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
        self.counts[label] += 1;
    }

    fn with(mut self, other: RoundResult) -> RoundResult {
        let sums = self.sums.as_flattened_mut().iter_mut().zip(other.sums.as_flattened());
        sums.for_each(|(sum, x)| *sum += x);
        self.counts.iter_mut().zip(other.counts).for_each(|(count, n)| *count += n);
        self
    }

    /// The means, rounded to whole numbers. Sums and distances of whole numbers are exact in every order of
    /// additions.
    fn centres(&self, old: &[Point; K]) -> [Point; K] {
        let mean = |c: usize| match self.counts[c] {
            0 => old[c],
            n => self.sums[c].map(|sum| (sum / n as f32).round()),
        };
        std::array::from_fn(mean)
    }
}

fn nearest(point: &Point, centres: &[Point; K]) -> usize {
    let (mut least, mut label) = (f32::MAX, 0);
    for (c, centre) in centres.iter().enumerate() {
        let own = point.iter().zip(centre).map(|(p, c)| (p - c) * (p - c)).sum::<f32>();
        if own < least {
            (least, label) = (own, c);
        }
    }
    label
}

fn by_rayon(points: &[Point], centres: &[Point; K], labels: &mut [u32]) -> RoundResult {
    let part = |mut found: RoundResult, (points, labels): (&[Point], &mut [u32])| {
        for (point, label) in points.iter().zip(labels) {
            let c = nearest(point, centres);
            *label = c as u32;
            found.add(c, point);
        }
        found
    };
    let parts = points.par_chunks(PART).zip(labels.par_chunks_mut(PART));
    parts.fold(|| RoundResult::NONE, part).reduce(|| RoundResult::NONE, RoundResult::with)
}

fn kmeans(device: &CpuDevice) -> Result<()> {
    const N: usize = 100_000;
    let kernel = load(device, "benches/kernels/kmeans.mlir", None)?;
    let noise = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 26) as f32;
    let number = |i: usize| ((i / DIMS % K * 37 + i % DIMS * 11) % 90) as f32 + noise(i);
    let points: Vec<Point> = (0..N).map(|p| std::array::from_fn(|d| number(p * DIMS + d))).collect();
    let start: [Point; K] = std::array::from_fn(|c| points[c * 5]);
    let buffer = |len: usize| zeros(device, len);
    let dpoints = upload(device, points.as_flattened())?;
    let (dcentres, dlabels) = (buffer(K * DIMS)?, buffer(N)?);
    let (dsums, dcounts) = (buffer(K * DIMS)?, buffer(K)?);
    let f32s = |buffer| Arg::buffer(buffer, ElemType::F32);
    let u32s = |buffer| Arg::buffer(buffer, ElemType::U32);
    let args = [f32s(&dpoints), f32s(&dcentres), u32s(&dlabels), f32s(&dsums), u32s(&dcounts)];
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let cube_result = RefCell::new((start, RoundResult::NONE));
    let peer_result = RefCell::new((start, RoundResult::NONE));
    let labels = RefCell::new(vec![0u32; N]);
    compare(
        "k-means 10 x 100000 x 8, 16 centres",
        1,
        vec![
            implementation("cube", || {
                let mut cube_result = cube_result.borrow_mut();
                cube_result.0 = start;
                for _ in 0..ROUNDS {
                    device.write(&dcentres, 0, &bytes(cube_result.0.as_flattened()))?;
                    device.write(&dsums, 0, &[0; 4 * K * DIMS])?;
                    device.write(&dcounts, 0, &[0; 4 * K])?;
                    device.launch_kernel(&kernel, &args, [N.div_ceil(UNITS) as u32, 1, 1])?;
                    let (sums, counts) = (floats(device, &dsums)?, words(device, &dcounts)?);
                    cube_result.1.sums.as_flattened_mut().copy_from_slice(&sums);
                    cube_result.1.counts.copy_from_slice(&counts);
                    cube_result.0 = cube_result.1.centres(&cube_result.0);
                }
                Ok(())
            }),
            peer("rayon", || {
                let mut peer_result = peer_result.borrow_mut();
                peer_result.0 = start;
                for _ in 0..ROUNDS {
                    peer_result.1 = by_rayon(&points, &peer_result.0, &mut labels.borrow_mut());
                    peer_result.0 = peer_result.1.centres(&peer_result.0);
                }
            }),
        ],
    )?;
    let same = words(device, &dlabels)? == labels.into_inner() && cube_result.into_inner() == peer_result.into_inner();
    if same { Ok(()) } else { Err("k-means: another result than the peer's".into()) }
}

/// Position and mass.
type Body = [f32; 4];

fn pull(bodies: &[Body], [x, y, z, _]: Body) -> Body {
    let mut sum = [0.0; 4];
    for [ox, oy, oz, mass] in bodies {
        let (dx, dy, dz) = (ox - x, oy - y, oz - z);
        let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.01).sqrt();
        let force = mass * (inverse * inverse * inverse);
        sum[0] += force * dx;
        sum[1] += force * dy;
        sum[2] += force * dz;
    }
    sum
}

fn nbody(device: &CpuDevice) -> Result<()> {
    const N: usize = 8192;
    let kernel = load(device, "benches/kernels/nbody.mlir", None)?;
    let numbers = input(4 * N);
    let bodies = numbers.as_chunks::<4>().0;
    let mut peer_result = vec![[0f32; 4]; N];
    let (from, to) = (upload(device, &numbers)?, zeros(device, 4 * N)?);
    let args = arguments(&[&from, &to]);
    compare(
        "forces between 8192 bodies",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [(N / 64) as u32, 1, 1])),
            peer("rayon", || {
                peer_result.par_iter_mut().zip(bodies).for_each(|(sum, body)| *sum = pull(bodies, *body));
            }),
        ],
    )?;
    check("forces", &floats(device, &to)?, peer_result.as_flattened(), 0.0)
}
