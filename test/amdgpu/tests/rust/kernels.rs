//! The kernels, each with its result in plain Rust.
use cubecl::prelude::*;
use cubecl::server::Handle;

type R = cubecl::hip::HipRuntime;
type Client = ComputeClient<<R as Runtime>::Server>;

/// The tests by name.
pub const ALL: &[(&str, fn())] = &[
    ("lines of four", lines_of_four),
    ("plane operations in a partial plane", planes),
    ("plane operations under a branch", branched_planes),
    ("a transposed tile in shared memory", tiles),
    ("atomics in global and shared memory", atomics),
    ("products of matrices", matmul),
    ("halves", halves),
    ("integers of 64 bits", wide_integers),
    ("loops with different numbers of rounds", collatz),
    ("variants of an enum", variants),
    ("functions", functions),
];

fn client() -> Client {
    R::client(&Default::default())
}

fn array<E: CubePrimitive>(handle: &Handle, len: usize) -> ArrayArg<'_, R> {
    // SAFETY: the handle has that many elements.
    unsafe { ArrayArg::from_raw_parts::<E>(handle, len, 1) }
}

/// The `n` elements that a kernel writes.
fn outputs<E: CubeElement>(n: usize, launch: impl FnOnce(&Client, ArrayArg<'_, R>)) -> Vec<E> {
    let client = client();
    let out = client.empty(n * E::size().unwrap());
    launch(&client, array::<E>(&out, n));
    E::from_bytes(&client.read_one(out)).to_vec()
}

fn cubes(x: u32) -> CubeCount {
    CubeCount::Static(x, 1, 1)
}

#[cube(launch)]
fn axpy(a: f32, x: &Array<Line<f32>>, y: &mut Array<Line<f32>>) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS] * Line::new(a) + y[ABSOLUTE_POS];
    }
}

fn lines_of_four() {
    let client = client();
    let n = 1000;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
    let y: Vec<f32> = (0..n).map(|i| 3.0 - i as f32).collect();
    let (hx, hy) = (client.create(f32::as_bytes(&x)), client.create(f32::as_bytes(&y)));
    // SAFETY: the handles have that many elements.
    let (ax, ay) = unsafe { (ArrayArg::from_raw_parts::<f32>(&hx, n, 4), ArrayArg::from_raw_parts::<f32>(&hy, n, 4)) };
    axpy::launch::<R>(&client, cubes(3), CubeDim::new_1d(100), ScalarArg::new(2.5), ax, ay);
    let host: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x * 2.5 + y).collect();
    assert_eq!(f32::from_bytes(&client.read_one(hy)), host);
}

#[cube(launch)]
fn plane_dim(out: &mut Array<u32>) {
    out[0] = PLANE_DIM;
}

fn width() -> usize {
    outputs::<u32>(1, |client, out| plane_dim::launch::<R>(client, cubes(1), CubeDim::new_1d(1), out))[0] as usize
}

#[cube(launch)]
fn reduced(x: &Array<u32>, out: &mut Array<u32>) {
    let v = x[UNIT_POS];
    out[6 * UNIT_POS] = plane_sum(v);
    out[6 * UNIT_POS + 1] = plane_max(v);
    out[6 * UNIT_POS + 2] = plane_exclusive_sum(v);
    out[6 * UNIT_POS + 3] = plane_inclusive_sum(v);
    out[6 * UNIT_POS + 4] = plane_broadcast(v, 3);
    out[6 * UNIT_POS + 5] = plane_ballot(v % 3 == 0)[0];
}

fn planes() {
    let (n, plane) = (77, width());
    let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let input = client().create(u32::as_bytes(&x));
    let got = outputs::<u32>(6 * n, |client, out| {
        reduced::launch::<R>(client, cubes(1), CubeDim::new_1d(n as u32), array::<u32>(&input, n), out);
    });
    for (lanes, first) in x.chunks(plane).zip((0..n).step_by(plane)) {
        for lane in 0..lanes.len() {
            let ballot = lanes.iter().take(32).zip(0..).fold(0, |bits, (v, at)| bits | u32::from(v % 3 == 0) << at);
            let host = [
                lanes.iter().sum(),
                lanes.iter().copied().max().unwrap_or(0),
                lanes[..lane].iter().sum(),
                lanes[..=lane].iter().sum(),
                lanes[3],
                ballot,
            ];
            assert_eq!(got[6 * (first + lane)..][..6], host, "unit {}", first + lane);
        }
    }
}

#[cube(launch)]
fn reduced_under_a_branch(x: &Array<u32>, out: &mut Array<u32>) {
    let v = x[UNIT_POS];
    if v % 2 == 1 {
        out[UNIT_POS] = plane_sum(v) * 1000 + plane_exclusive_sum(1u32);
    } else {
        out[UNIT_POS] = plane_max(v);
    }
}

fn branched_planes() {
    let (n, plane) = (100, width());
    let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(40_503) % 997).collect();
    let input = client().create(u32::as_bytes(&x));
    let got = outputs::<u32>(n, |client, out| {
        reduced_under_a_branch::launch::<R>(client, cubes(1), CubeDim::new_1d(n as u32), array::<u32>(&input, n), out);
    });
    let host = (0..n).map(|unit| {
        let lanes = &x[unit / plane * plane..(unit / plane * plane + plane).min(n)];
        let of = |odd: u32| lanes.iter().filter(move |v| *v % 2 == odd);
        let before = lanes[..unit % plane].iter().filter(|v| *v % 2 == 1).count() as u32;
        if x[unit] % 2 == 1 { of(1).sum::<u32>() * 1000 + before } else { of(0).copied().max().unwrap_or(0) }
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn transpose(x: &Array<f64>, out: &mut Array<f64>) {
    let mut tile = SharedMemory::<f64>::new(9u32 * 8);
    tile[UNIT_POS_X * 9 + UNIT_POS_Y] = x[UNIT_POS + CUBE_POS * 64];
    sync_cube();
    out[UNIT_POS + CUBE_POS * 64] = tile[UNIT_POS_Y * 9 + UNIT_POS_X] * 2.0;
}

fn tiles() {
    let x: Vec<f64> = (0..128).map(|i| f64::from(i) * 0.125).collect();
    let input = client().create(f64::as_bytes(&x));
    let got = outputs::<f64>(128, |client, out| {
        transpose::launch::<R>(client, cubes(2), CubeDim::new_2d(8, 8), array::<f64>(&input, 128), out);
    });
    let host = (0..128).map(|i| x[i / 64 * 64 + i % 8 * 8 + i / 8 % 8] * 2.0);
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn histogram(x: &Array<u32>, bins: &Array<Atomic<u32>>, most: &Array<Atomic<i32>>) {
    let own = SharedMemory::<Atomic<u32>>::new(8u32);
    if UNIT_POS < 8 {
        Atomic::store(&own[UNIT_POS], 0);
    }
    sync_cube();
    let v = x[ABSOLUTE_POS];
    Atomic::add(&own[v % 8], 1);
    Atomic::max(&most[0], v as i32);
    sync_cube();
    if UNIT_POS < 8 {
        Atomic::add(&bins[UNIT_POS], Atomic::load(&own[UNIT_POS]));
    }
}

fn atomics() {
    let client = client();
    let x: Vec<u32> = (0..150u32).map(|i| i * i % 1009).collect();
    let input = client.create(u32::as_bytes(&x));
    let (bins, most) = (client.create(u32::as_bytes(&[0; 8])), client.create(i32::as_bytes(&[-1])));
    histogram::launch::<R>(
        &client,
        cubes(3),
        CubeDim::new_1d(50),
        array::<u32>(&input, 150),
        array::<u32>(&bins, 8),
        array::<i32>(&most, 1),
    );
    let host: Vec<u32> = (0..8).map(|bin| x.iter().filter(|v| *v % 8 == bin).count() as u32).collect();
    assert_eq!(u32::from_bytes(&client.read_one(bins)), host);
    assert_eq!(i32::from_bytes(&client.read_one(most)), [x.iter().copied().max().unwrap_or(0) as i32]);
}

#[cube(launch)]
fn product(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, #[comptime] n: u32) {
    let (mut left, mut right) = (SharedMemory::<f32>::new(64u32), SharedMemory::<f32>::new(64u32));
    let (row, column) = (CUBE_POS_Y * 8 + UNIT_POS_Y, CUBE_POS_X * 8 + UNIT_POS_X);
    let mut sum = 0.0f32;
    for tile in 0..n / 8 {
        left[UNIT_POS] = a[row * n + tile * 8 + UNIT_POS_X];
        right[UNIT_POS] = b[(tile * 8 + UNIT_POS_Y) * n + column];
        sync_cube();
        #[unroll]
        for k in 0..8u32 {
            sum += left[UNIT_POS_Y * 8 + k] * right[k * 8 + UNIT_POS_X];
        }
        sync_cube();
    }
    out[row * n + column] = sum;
}

fn matmul() {
    let n = 24;
    let of = |factor: usize| (0..n * n).map(|i| (i * factor % 13) as f32 - 6.0).collect::<Vec<f32>>();
    let (a, b) = (of(7), of(5));
    let client = client();
    let (ha, hb) = (client.create(f32::as_bytes(&a)), client.create(f32::as_bytes(&b)));
    let got = outputs::<f32>(n * n, |client, out| {
        let count = CubeCount::Static(3, 3, 1);
        let (a, b) = (array::<f32>(&ha, n * n), array::<f32>(&hb, n * n));
        product::launch::<R>(client, count, CubeDim::new_2d(8, 8), a, b, out, n as u32);
    });
    // All products and sums are small integers.
    let host = (0..n * n).map(|i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum::<f32>());
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn of_halves<F: Float>(x: &Array<f32>, out: &mut Array<f32>) {
    let v = F::cast_from(x[ABSOLUTE_POS]);
    out[ABSOLUTE_POS] = f32::cast_from(v * v + F::new(0.5));
}

fn halves() {
    let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.25 - 8.0).collect();
    let input = client().create(f32::as_bytes(&x));
    let run = |is_short: bool| {
        outputs::<f32>(64, |client, out| {
            let (count, dim, x) = (cubes(1), CubeDim::new_1d(64), array::<f32>(&input, 64));
            match is_short {
                true => of_halves::launch::<cubecl::f16, R>(client, count, dim, x, out),
                false => of_halves::launch::<cubecl::bf16, R>(client, count, dim, x, out),
            }
        })
    };
    let host = |x: &f32| cubecl::f16::from_f32(cubecl::f16::from_f32(x * x).to_f32() + 0.5).to_f32();
    assert_eq!(run(true), x.iter().map(host).collect::<Vec<_>>());
    let host = |x: &f32| cubecl::bf16::from_f32(cubecl::bf16::from_f32(x * x).to_f32() + 0.5).to_f32();
    assert_eq!(run(false), x.iter().map(host).collect::<Vec<_>>());
}

#[cube(launch)]
fn mixed(x: &Array<u64>, out: &mut Array<u64>) {
    let v = x[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = (v * 6_364_136_223_846_793_005u64 + 1_442_695_040_888_963_407u64) / (v % 1000 + 1) ^ (v >> 33);
}

fn wide_integers() {
    let x: Vec<u64> = (0..70u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let input = client().create(u64::as_bytes(&x));
    let got = outputs::<u64>(70, |client, out| {
        mixed::launch::<R>(client, cubes(1), CubeDim::new_1d(70), array::<u64>(&input, 70), out);
    });
    let host = x.iter().map(|v| {
        let sum = v.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (sum / (v % 1000 + 1)) ^ (v >> 33)
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn steps(out: &mut Array<u32>) {
    let mut v = ABSOLUTE_POS + 1;
    let mut count = 0u32;
    while v != 1 {
        if v % 2 == 0 {
            v /= 2;
        } else {
            v = 3 * v + 1;
        }
        count += 1;
        if count == 100 {
            break;
        }
    }
    out[ABSOLUTE_POS] = count;
}

fn collatz() {
    let got = outputs::<u32>(96, |client, out| steps::launch::<R>(client, cubes(2), CubeDim::new_1d(48), out));
    let host = (1..=96u64).map(|start| {
        let next = |v: &u64| Some(if v.is_multiple_of(2) { v / 2 } else { 3 * v + 1 });
        std::iter::successors(Some(start), next).take_while(|v| *v != 1).take(100).count() as u32
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn matched(x: &Array<u32>, out: &mut Array<u32>) {
    let v = x[UNIT_POS];
    out[UNIT_POS] = match v % 4 {
        0 => v * 3,
        1 => v + 100,
        2 => v / 2,
        _ => 7u32,
    };
}

fn variants() {
    let x: Vec<u32> = (0..40).map(|i| i * 11 % 37).collect();
    let input = client().create(u32::as_bytes(&x));
    let got = outputs::<u32>(40, |client, out| {
        matched::launch::<R>(client, cubes(1), CubeDim::new_1d(40), array::<u32>(&input, 40), out);
    });
    let host = x.iter().map(|v| match v % 4 {
        0 => v * 3,
        1 => v + 100,
        2 => v / 2,
        _ => 7,
    });
    assert_eq!(got, host.collect::<Vec<_>>());
}

#[cube(launch)]
fn of_functions(x: &Array<f32>, out: &mut Array<f32>) {
    let v = x[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = f32::exp(v) + f32::ln(v + 20.0) * f32::sqrt(v + 20.0) + f32::tanh(v) + f32::cos(v);
}

fn functions() {
    let x: Vec<f32> = (0..64).map(|i| i as f32 * 0.3 - 9.0).collect();
    let input = client().create(f32::as_bytes(&x));
    let got = outputs::<f32>(64, |client, out| {
        of_functions::launch::<R>(client, cubes(1), CubeDim::new_1d(64), array::<f32>(&input, 64), out);
    });
    for (x, got) in x.iter().map(|x| f64::from(*x)).zip(got) {
        let host = x.exp() + (x + 20.0).ln() * (x + 20.0).sqrt() + x.tanh() + x.cos();
        assert!((f64::from(got) - host).abs() <= host.abs() * 1e-6, "{x}: {got} and not {host}");
    }
}
