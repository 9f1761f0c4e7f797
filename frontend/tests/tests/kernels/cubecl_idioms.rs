//! Idioms of existing CubeCL kernels: widths, lines, slices, planes, atomics, nested arguments, attributes.
mod messages;
use crate::common::*;
use cubecl::prelude::*;

macro_rules! kernels_of_one_name {
    ($($test:ident $op:tt;)*) => {$(
        fn $test() -> Vec<u32> {
            #[cube(launch)]
            fn combine(out: &mut Array<u32>) {
                out[ABSOLUTE_POS] = (ABSOLUTE_POS + 5) $op 2;
            }
            outputs::<u32>(3, |c, out| combine::launch::<R>(c, one(), CubeDim::new_1d(3), out))
        }
    )*};
}

kernels_of_one_name! { plus +; times *; minus -; }

#[test]
fn kernels_with_equal_name_and_location_are_distinguished() {
    assert_eq!((plus(), times(), minus()), (vec![7, 8, 9], vec![10, 12, 14], vec![3, 4, 5]));
}

#[cube(launch)]
fn wide<I: Int>(input: &Array<I>, out: &mut Array<I>) {
    let x = input[ABSOLUTE_POS];
    let i = ABSOLUTE_POS * 6;
    out[i] = x << I::new(3);
    out[i + 1] = x >> I::new(2);
    out[i + 2] = I::cast_from(x.leading_zeros());
    out[i + 3] = x / I::new(7) + x % I::new(7);
    out[i + 4] = I::saturating_sub(x, I::new(100));
    out[i + 5] = !x & I::new(0xff) | x ^ I::new(1);
}

macro_rules! widths {
    ($($test:ident $ty:ident)*) => {$(
        #[test]
        fn $test() {
            let data: [$ty; 5] = [0, 1, 77, $ty::MAX, $ty::MIN];
            let client = client();
            let input = client.create($ty::as_bytes(&data));
            let got = outputs::<$ty>(30, |c, out| {
                wide::launch::<$ty, R>(c, one(), CubeDim::new_1d(5), array::<$ty>(&input, 5), out)
            });
            let host = data.iter().flat_map(|x| {
                let low = 0xffu8 as $ty;
                [
                    x << 3,
                    x >> 2,
                    x.leading_zeros() as $ty,
                    (x / 7).wrapping_add(x % 7),
                    x.saturating_sub(100),
                    !x & low | x ^ 1,
                ]
            });
            assert_eq!(got, host.collect::<Vec<_>>());
        }
    )*};
}

widths! { bits_of_i16 i16 bits_of_i32 i32 bits_of_i64 i64 bits_of_u16 u16 bits_of_u32 u32 bits_of_u64 u64 bits_of_u8 u8 }

#[cube(launch)]
fn smooth<F: Float>(input: &Array<F>, out: &mut Array<F>) {
    let x = input[ABSOLUTE_POS];
    let y = x.tanh() * F::new(2.0) + F::sqrt(x.abs()) - x.exp() / F::new(4.0);
    let z = F::powf(x.abs() + F::new(1.0), F::new(1.5)) + x.powi(2);
    out[ABSOLUTE_POS] = if y.is_nan() { F::new(-1.0) } else { y + z };
}

fn smooth_host(x: f64) -> f64 {
    x.tanh() * 2.0 + x.abs().sqrt() - x.exp() / 4.0 + (x.abs() + 1.0).powf(1.5) + x * x
}

#[test]
fn floats_of_every_width() {
    fn run<F: Float + CubeElement>(tolerance: f64) {
        let client = client();
        let data = [-2.0f32, -0.5, 0.0, 0.25, 1.0, 1.5];
        let input = client.create(F::as_bytes(&data.map(F::new)));
        let got =
            outputs::<F>(6, |c, out| smooth::launch::<F, R>(c, one(), CubeDim::new_1d(6), array::<F>(&input, 6), out));
        for (x, y) in data.iter().zip(got) {
            let (y, host) = (y.to_f64().unwrap(), smooth_host(f64::from(*x)));
            assert!((y - host).abs() <= tolerance * host.abs().max(1.0), "{x}: {y} {host}");
        }
    }
    run::<f64>(1e-12);
    run::<f32>(1e-5);
    run::<f16>(6e-3);
    run::<bf16>(5e-2);
    run::<flex32>(1e-2);
}

#[cube(launch)]
fn line_tools<F: Float>(input: &Array<Line<F>>, out: &mut Array<Line<F>>, flags: &mut Array<Line<u32>>) {
    let i = ABSOLUTE_POS;
    let mut line = input[i];
    let width = line.size();
    line[1] = F::new(9.0);
    let big = line.greater_than(Line::empty(width).fill(F::new(3.0)));
    out[i] = select_many(big, line, -line).max(Line::new(F::new(-2.0)));
    flags[i] = Line::cast_from(big.and(line.less_equal(Line::new(F::new(7.0)))));
    let mut shared = SharedMemory::<F>::new_lined(2u32, width);
    shared[0] = line * line;
    let mut own = Array::<F>::vectorized(1u32, width);
    own[0] = line[0];
    out[i + 1] = shared[0] + Line::new(own[0]);
}

#[test]
fn lines_element_by_element() {
    let client = client();
    let data = [1.0f32, 2.0, 3.5, 8.0];
    let (input, out, flags) = (client.create(f32::as_bytes(&data)), client.empty(32), client.empty(16));
    // SAFETY: the handles have that many elements.
    let line = |handle, len| unsafe { ArrayArg::from_raw_parts::<f32>(handle, len, 4) };
    line_tools::launch::<f32, R>(&client, one(), CubeDim::new_1d(1), line(&input, 4), line(&out, 8), line(&flags, 4));
    let x = [1.0f32, 9.0, 3.5, 8.0];
    let first: Vec<f32> = x.iter().map(|v| (if *v > 3.0 { *v } else { -*v }).max(-2.0)).collect();
    let second: Vec<f32> = x.iter().map(|v| v * v + 1.0).collect();
    assert_eq!(f32::from_bytes(&client.read_one(out)), [first, second].concat());
    assert_eq!(u32::from_bytes(&client.read_one(flags)), [0, 0, 1, 0]);
}

#[cube]
fn add_to(values: &mut SliceMut<u32>, other: &Slice<u32>) {
    for i in 0..values.len() {
        values[i] += other[i];
    }
}

#[cube]
fn total_of(values: Slice<u32>) -> u32 {
    let mut sum = 0;
    for x in values {
        sum += x;
    }
    sum
}

#[cube(launch)]
fn sliced(input: &Tensor<u32>, out: &mut Array<u32>) {
    let row = ABSOLUTE_POS;
    let width = input.shape(1);
    let mine = input.slice(row * width, (row + 1) * width);
    let mut target = out.slice_mut(row * width, (row + 1) * width);
    add_to(&mut target, &mine);
    add_to(&mut target, &mine.slice(0, width));
    out[row * width] = total_of(mine) + input.coordinate(row * width + 1, 1) * 1000;
}

#[test]
fn functions_accept_and_return_slices() {
    let client = client();
    let data: Vec<u32> = (1..=6).collect();
    let input = client.create(u32::as_bytes(&data));
    let got = outputs::<u32>(6, |c, out| {
        // SAFETY: the handle has that many elements.
        let input = unsafe { TensorArg::from_raw_parts::<u32>(&input, &[3, 1], &[2, 3], 1) };
        sliced::launch::<R>(c, one(), CubeDim::new_1d(2), input, out)
    });
    assert_eq!(got, [1006, 4, 6, 1015, 10, 12]);
}

#[cube(launch)]
fn planes(out: &mut Array<u32>) {
    let i = UNIT_POS;
    let lane = UNIT_POS_PLANE;
    let ballot = plane_ballot(lane % 2 == 0);
    out[i * 6] = plane_sum(lane);
    out[i * 6 + 1] = plane_exclusive_sum(lane + 1);
    out[i * 6 + 2] = plane_max(lane * 3) + plane_min(lane + 4);
    out[i * 6 + 3] = plane_broadcast(lane + 10, 2) + plane_shuffle_xor(lane, 1);
    out[i * 6 + 4] = ballot[0];
    out[i * 6 + 5] = u32::cast_from(plane_all(lane < 100)) + 2 * u32::cast_from(plane_any(lane == 1));
}

#[test]
fn planes_work_together() {
    let n = plane_dim();
    let got = outputs::<u32>(6 * n as usize, |c, out| planes::launch::<R>(c, one(), CubeDim::new_1d(n), out));
    let even = (0..n.min(32)).filter(|lane| lane % 2 == 0).map(|lane| 1u32 << lane).sum::<u32>();
    let host =
        (0..n).flat_map(|lane| [n * (n - 1) / 2, lane * (lane + 1) / 2, (n - 1) * 3 + 4, 12 + (lane ^ 1), even, 3]);
    assert_eq!(got, host.collect::<Vec<_>>());
}

/// Plane operations under divergence: only lanes with `lane % keep != 0`, and only lanes that have not left the loop.
#[cube(launch)]
fn planes_apart(out: &mut Array<f32>, keep: u32) {
    let (lane, base) = (UNIT_POS_PLANE, UNIT_POS * 10);
    let x = f32::cast_from(lane) + 1.0;
    if lane % keep != 0 {
        out[base] = plane_sum(x);
        out[base + 1] = plane_exclusive_sum(x);
        out[base + 2] = plane_inclusive_prod(x * 0.5);
        out[base + 3] = plane_max(x) + plane_min(x) * 1000.0;
        out[base + 4] = plane_shuffle_xor(x, 1) + plane_shuffle_up(x, 2) * 100.0 + plane_shuffle_down(x, 1) * 10000.0;
        out[base + 5] = plane_shuffle(x, lane / 2) + plane_broadcast(x, 1) * 100.0;
        out[base + 6] = f32::cast_from(plane_elect()) + f32::cast_from(plane_all(x > 1.5)) * 10.0;
        let votes = plane_ballot(lane % 3 == 1);
        out[base + 7] = f32::cast_from(votes[0] % 65536) + f32::cast_from(plane_any(x < 1.5)) * 0.5;
    }
    let mut iterations = 0u32;
    let mut sum = 0.0f32;
    while iterations < lane % 4 {
        sum += plane_sum(1.0f32);
        iterations += 1;
    }
    out[base + 8] = sum;
    let chosen = if lane % 2 == 0 { plane_exclusive_sum(x) } else { plane_inclusive_sum(-x) };
    out[base + 9] = chosen;
}

/// The expected results for one plane of `n` units.
fn planes_apart_host(n: u32, keep: u32) -> Vec<f32> {
    let x = |lane: u32| lane as f32 + 1.0;
    let comes = |lane: u32| lane < n && !lane.is_multiple_of(keep);
    let here: Vec<u32> = (0..n).filter(|lane| comes(*lane)).collect();
    let other = |own: u32, from: u32| if comes(from) { x(from) } else { x(own) };
    let mut out = Vec::new();
    for lane in 0..n {
        let before = |of: u32| (0..of).filter(|i| i % 2 == lane % 2).map(x).sum::<f32>();
        if comes(lane) {
            out.extend([
                here.iter().map(|i| x(*i)).sum(),
                here.iter().filter(|i| **i < lane).map(|i| x(*i)).sum(),
                here.iter().filter(|i| **i <= lane).map(|i| x(*i) * 0.5).product(),
                x(*here.last().unwrap()) + x(here[0]) * 1000.0,
                other(lane, lane ^ 1) + other(lane, lane.wrapping_sub(2)) * 100.0 + other(lane, lane + 1) * 10000.0,
                other(lane, lane / 2) + other(lane, 1) * 100.0,
                f32::from(u8::from(lane == here[0])) + 10.0 * f32::from(u8::from(here.iter().all(|i| x(*i) > 1.5))),
                here.iter().filter(|i| **i % 3 == 1).map(|i| (1u64 << *i) % 65536).sum::<u64>() as f32
                    + 0.5 * f32::from(u8::from(here.iter().any(|i| x(*i) < 1.5))),
            ]);
        } else {
            out.extend([0.0; 8]);
        }
        out.push((0..lane % 4).map(|iteration| (0..n).filter(|i| i % 4 > iteration).count() as f32).sum());
        out.push(if lane % 2 == 0 { before(lane) } else { -before(lane + 1) });
    }
    out
}

#[test]
fn plane_operations_of_active_lanes() {
    let client = client();
    let most = plane_dim();
    for (n, keep) in [(most, 3), (most, 2), (most - 3, 5)] {
        let out = client.create(f32::as_bytes(&vec![0.0; 10 * n as usize]));
        let results = array::<f32>(&out, 10 * n as usize);
        planes_apart::launch::<R>(&client, one(), CubeDim::new_1d(n), results, ScalarArg::new(keep));
        let got = client.read_one(out);
        for (i, (got, host)) in f32::from_bytes(&got).iter().zip(planes_apart_host(n, keep)).enumerate() {
            // A product over a plane of 64 lanes is infinite.
            assert!(
                *got == host || (got - host).abs() <= host.abs() * 1e-5,
                "{n} units, {keep}: {} of lane {}: {got} for {host}",
                i % 10,
                i / 10
            );
        }
    }
}

#[cube(launch)]
fn atomics(counts: &Array<Atomic<u32>>, signed: &Array<Atomic<i32>>, seen: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    Atomic::add(&counts[i % 3], i);
    Atomic::max(&signed[0], (i as i32) - 5);
    Atomic::min(&signed[1], 3 - (i as i32));
    Atomic::sub(&counts[3], 1);
    Atomic::or(&counts[4], 1 << (i % 8));
    Atomic::xor(&counts[5], i);
    let old = Atomic::compare_and_swap(&counts[6], 0, i + 1);
    if old == 0 {
        seen[0] = i + 1;
    }
    Atomic::add(&counts[1000], 1);
}

#[test]
fn atomics_on_memory() {
    let client = client();
    let counts = client.create(u32::as_bytes(&[0, 0, 0, 100, 0, 0, 0]));
    let signed = client.create(i32::as_bytes(&[-100, 100]));
    let seen = outputs::<u32>(1, |c, out| {
        // SAFETY: the handles have that many elements.
        let (a, b) =
            unsafe { (ArrayArg::from_raw_parts::<u32>(&counts, 7, 1), ArrayArg::from_raw_parts::<i32>(&signed, 2, 1)) };
        atomics::launch::<R>(c, CubeCount::Static(4, 1, 1), CubeDim::new_1d(8), a, b, out)
    });
    let counts = client.read_one(counts);
    let counts = u32::from_bytes(&counts);
    let sums: Vec<u32> = (0..3).map(|k| (0..32).filter(|i| i % 3 == k).sum()).collect();
    let xor = (0..32).fold(0, |a, b| a ^ b);
    assert_eq!(counts[..6], [sums[0], sums[1], sums[2], 68, 255, xor]);
    assert!(counts[6] == seen[0] && (1..=32).contains(&seen[0]));
    assert_eq!(i32::from_bytes(&client.read_one(signed)), [26, -28]);
}

#[derive(CubeType, CubeLaunch)]
struct Layer<F: Float> {
    weights: Array<F>,
    bias: Option<F>,
    #[cube(comptime)]
    relu: bool,
}

#[derive(CubeType, CubeLaunch)]
struct Network<F: Float> {
    first: Layer<F>,
    second: Layer<F>,
    gain: (F, u32),
}

#[cube]
impl<F: Float> Layer<F> {
    fn run(&self, x: F, i: u32) -> F {
        let mut y = x * self.weights[i];
        if let Some(bias) = self.bias {
            y += bias;
        }
        if comptime!(self.relu) {
            y = F::max(y, F::new(0.0));
        }
        y
    }
}

#[cube(launch)]
fn network<F: Float>(net: Network<F>, data: &mut Array<F>) {
    let i = ABSOLUTE_POS;
    let (gain, shift) = net.gain;
    data[i] = net.second.run(net.first.run(data[i], i), i) * gain + F::cast_from(shift);
}

#[test]
fn arguments_inside_of_arguments() {
    let client = client();
    let (a, b) = (client.create(f32::as_bytes(&[1.0, -1.0])), client.create(f32::as_bytes(&[2.0, 3.0])));
    let data = client.create(f32::as_bytes(&[5.0, 7.0]));
    let first = LayerLaunch::new(array::<f32>(&a, 2), Some(ScalarArg::new(0.5)), true);
    let second = LayerLaunch::new(array::<f32>(&b, 2), None, false);
    let net = NetworkLaunch::new(first, second, (ScalarArg::new(10.0), ScalarArg::new(1)));
    network::launch::<f32, R>(&client, one(), CubeDim::new_1d(2), net, array::<f32>(&data, 2));
    assert_eq!(f32::from_bytes(&client.read_one(data)), [5.5 * 2.0 * 10.0 + 1.0, 1.0]);
}

#[cube]
trait Pick: Send + Sync + 'static {
    const WHICH: u32;
    fn pick<T: Numeric>(a: T, b: T) -> T;
}

struct First;
struct Second;

#[cube]
impl Pick for First {
    const WHICH: u32 = 1;
    fn pick<T: Numeric>(a: T, _b: T) -> T {
        a
    }
}

#[cube]
impl Pick for Second {
    const WHICH: u32 = 2;
    fn pick<T: Numeric>(_a: T, b: T) -> T {
        b
    }
}

#[cube(launch)]
fn generic<N, P, const K: u32>(out: &mut Array<N>)
where
    N: Numeric,
    P: Pick,
{
    let x = N::cast_from(ABSOLUTE_POS + K);
    out[ABSOLUTE_POS] = P::pick::<N>(x, x * N::from_int(100)) + N::cast_from(P::WHICH);
}

#[test]
fn where_bounds_and_numbers_as_parameters() {
    let got = outputs::<i64>(2, |c, out| generic::launch::<i64, First, 3, R>(c, one(), CubeDim::new_1d(2), out));
    assert_eq!(got, [4, 5]);
    let got = outputs::<f64>(2, |c, out| generic::launch::<f64, Second, 4, R>(c, one(), CubeDim::new_1d(2), out));
    assert_eq!(got, [402.0, 502.0]);
}

#[cube(launch_unchecked)]
fn unchecked(input: &Array<f32>, out: &mut Array<f32>) {
    // SAFETY: there are as many units as elements.
    out[ABSOLUTE_POS] = unsafe { *input.index_unchecked(ABSOLUTE_POS) } + 1.0;
}

#[test]
fn unchecked_accesses_produce_the_same_results() {
    let client = client();
    let input = client.create(f32::as_bytes(&[1.0, 2.0]));
    let got = outputs::<f32>(2, |c, out| {
        // SAFETY: both have as many elements as there are units.
        unsafe { unchecked::launch_unchecked::<R>(c, one(), CubeDim::new_1d(2), array::<f32>(&input, 2), out) }
    });
    assert_eq!(got, [2.0, 3.0]);
}

#[cube(launch)]
fn storage(input: &Array<f32>, small: &mut Array<u8>, out: &mut Array<f32>) {
    let i = ABSOLUTE_POS;
    let x = input[i];
    let half = f16::cast_from(x);
    let bits = u16::reinterpret(half);
    small[i] = u8::cast_from(bits >> 8);
    out[i] = f32::cast_from(half) + f32::cast_from(bf16::cast_from(x)) + f32::reinterpret(u32::reinterpret(x));
}

#[test]
fn bits_and_small_floats() {
    let client = client();
    let data = [1.0f32, -2.5, 0.1, 1000.25];
    let (input, small) = (client.create(f32::as_bytes(&data)), client.empty(4));
    let got = outputs::<f32>(4, |c, out| {
        storage::launch::<R>(c, one(), CubeDim::new_1d(4), array::<f32>(&input, 4), array::<u8>(&small, 4), out)
    });
    let host: Vec<f32> = data.iter().map(|x| f16::from_f32(*x).to_f32() + bf16::from_f32(*x).to_f32() + x).collect();
    assert_eq!(got, host);
    let bytes: Vec<u8> = data.iter().map(|x| (f16::from_f32(*x).to_bits() >> 8) as u8).collect();
    assert_eq!(u8::from_bytes(&client.read_one(small)), bytes);
}

#[cube(launch)]
fn too_much_shared(out: &mut Array<f32>) {
    let mut s = SharedMemory::<f32>::new(100_000_000u32);
    s[UNIT_POS] = 1.0;
    sync_cube();
    out[UNIT_POS] = s[UNIT_POS];
}

#[cube(launch)]
fn uneven_barrier(out: &mut Array<f32>) {
    if UNIT_POS == 0 {
        sync_cube();
    }
    out[UNIT_POS] = 1.0;
}

#[cube(launch)]
fn reached_panic(out: &mut Array<f32>, #[comptime] n: u32) {
    if n > 3 {
        panic!("n is {n}, and at most 3 is possible");
    }
    out[UNIT_POS] = 1.0;
}

#[cube]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1u32 } else { n * factorial(n - 1) }
}

#[cube(launch)]
fn without_end(n: &Array<u32>, out: &mut Array<u32>) {
    out[0] = factorial(n[0]);
}

#[cube]
fn ping(n: u32) -> u32 {
    pong(n)
}

#[cube]
fn pong(n: u32) -> u32 {
    ping(n)
}

#[cube(launch)]
fn by_turns(out: &mut Array<u32>) {
    out[0] = ping(3);
}

#[cube]
fn ending(#[comptime] n: u32) -> u32 {
    if comptime!(n == 0) { 1u32.runtime() } else { comptime!(n).runtime() * ending(comptime!(n - 1)) }
}

#[cube(launch)]
fn with_end(out: &mut Array<u32>) {
    out[0] = ending(5);
}

#[cube(launch)]
fn divided(out: &mut Array<f32>, #[comptime] n: u32) {
    out[comptime!(10 / n)] = 1.0;
}

#[cube(launch)]
fn nothing_there(out: &mut Array<f32>, #[comptime] n: Option<u32>) {
    let at = comptime!(n.expect("a position is required"));
    out[at] = 1.0;
}

#[test]
fn recursion_and_host_panics_are_reported_with_their_locations() {
    let client = client();
    let (numbers, out) = (client.create(u32::as_bytes(&[4; 4])), client.empty(16));
    let (dim, numbers) = (CubeDim::new_1d(1), || array::<u32>(&numbers, 4));
    let check_error = |outcome: Result<(), LaunchError>, kernel: &str, words: &str| {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains(words) && error.contains(kernel), "{error}");
        assert!(
            error.starts_with("frontend/tests/tests/kernels/cubecl_idioms.rs:")
                || error.starts_with("tests/kernels/cubecl_idioms.rs:"),
            "{error}"
        );
    };
    let ints = || array::<u32>(&out, 4);
    check_error(
        without_end::try_launch::<R>(&client, one(), dim, numbers(), ints()),
        "without_end",
        "`factorial` calls itself",
    );
    check_error(by_turns::try_launch::<R>(&client, one(), dim, ints()), "by_turns", "calls itself without end");
    check_error(divided::try_launch::<R>(&client, one(), dim, array::<f32>(&out, 4), 0), "divided", "divide by zero");
    check_error(
        nothing_there::try_launch::<R>(&client, one(), dim, array::<f32>(&out, 4), None),
        "nothing_there",
        "a position is required",
    );
    with_end::launch::<R>(&client, one(), dim, ints());
    assert_eq!(u32::from_bytes(&client.read_one(out.clone()))[0], 120, "a recursion that the host ends");
}

#[test]
fn launch_time_error_is_reported_with_its_location() {
    let client = client();
    let out = client.empty(16);
    let refused = |launch: &dyn Fn(ArrayArg<'_, R>) -> Result<(), LaunchError>, words: &[&str]| {
        let error = launch(array::<f32>(&out, 4)).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "`{word}` is not in: {error}");
        }
        assert!(client.try_read_one(out.clone()).is_err(), "what failed is not read");
    };
    let dim = CubeDim::new_1d(4);
    refused(
        &|out| too_much_shared::try_launch::<R>(&client, one(), dim, out),
        &["too_much_shared", "cubecl_idioms.rs", "400000000"],
    );
    refused(&|out| uneven_barrier::try_launch::<R>(&client, one(), dim, out), &["uneven_barrier", "cubecl_idioms.rs"]);
    refused(
        &|out| reached_panic::try_launch::<R>(&client, one(), dim, out, 5),
        &["n is 5, and at most 3", "cubecl_idioms.rs"],
    );
    reached_panic::launch::<R>(&client, one(), dim, array::<f32>(&out, 4), 3);
    assert_eq!(f32::from_bytes(&client.read_one(out)), [1.0; 4], "a later launch makes the memory good again");
}
