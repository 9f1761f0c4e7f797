//! Small kernels of the CubeCL 0.8.1 dialect in the style of CubeCL's own tests, with one feature each.
#![allow(missing_docs, clippy::precedence, clippy::manual_clamp)]
mod parts;
use crate::common::{R, array, client, one, outputs};
use cubecl::prelude::*;

/// A kernel over eight units that writes eight values, and the expected values.
macro_rules! kernels {
    ($($name:ident: $ty:ty, |$out:ident| $body:block, |$u:ident| $host:expr;)*) => {$(
        mod $name {
            use super::*;
            #[cube(launch)]
            fn kernel($out: &mut Array<$ty>) $body
            #[test]
            fn is_as_on_the_host() {
                let got = outputs::<$ty>(8, |c, out| kernel::launch::<R>(c, one(), CubeDim::new_1d(8), out));
                let host: Vec<$ty> = (0..8u32).map(|$u| $host).collect();
                assert_eq!(got, host);
            }
        }
    )*};
}

#[cube]
fn gcd(a: u32, b: u32) -> u32 {
    let mut x = a;
    let mut y = b;
    while y != 0 {
        let t = x % y;
        x = y;
        y = t;
    }
    x
}

#[cube]
fn early(x: u32) -> u32 {
    if x > 5 {
        return 100;
    }
    for i in 0..x {
        if i * i > x {
            return i;
        }
    }
    x + 1
}

#[cube]
fn swap(a: &mut u32, b: &mut u32) {
    let t = *a;
    *a = *b;
    *b = t;
}

#[cube]
fn apply<F: Fn(u32, u32) -> u32>(f: F, x: u32) -> u32 {
    f(f(x, 1), 2)
}

#[cube]
fn first_of<T: Numeric, const N: u32>(x: T) -> T {
    x * T::from_int(3) + T::cast_from(N)
}

#[cube]
fn both(x: u32) -> (u32, bool) {
    (x * 2, x > 3)
}

const TABLE: [u32; 4] = [3, 1, 4, 1];
const LIMIT: u32 = 3;

kernels! {
    greatest_divisor: u32, |out| { out[UNIT_POS] = gcd(UNIT_POS * 6, 9); }, |u| { let (mut a, mut b) = (u * 6, 9u32); while b != 0 { (a, b) = (b, a % b); } a };
    early_returns: u32, |out| { out[UNIT_POS] = early(UNIT_POS); }, |u| if u > 5 { 100 } else { (0..u).find(|i| i * i > u).unwrap_or(u + 1) };
    swapped: u32, |out| {
        let mut a = UNIT_POS;
        let mut b = 10u32;
        if a % 2 == 0 { swap(&mut a, &mut b); }
        out[UNIT_POS] = a * 100 + b;
    }, |u| if u % 2 == 0 { 1000 + u } else { u * 100 + 10 };
    closures_as_arguments: u32, |out| {
        let k = UNIT_POS + 1;
        out[UNIT_POS] = apply(|a, b| a * k + b, 2);
    }, |u| { let k = u + 1; (2 * k + 1) * k + 2 };
    const_generics: u32, |out| { out[UNIT_POS] = first_of::<u32, 7>(UNIT_POS); }, |u| u * 3 + 7;
    tuples_out_of_functions: u32, |out| {
        let (a, big) = both(UNIT_POS);
        out[UNIT_POS] = if big { a } else { 1000 + a };
    }, |u| if u > 3 { u * 2 } else { 1000 + u * 2 };
    constants_by_runtime_index: u32, |out| { out[UNIT_POS] = TABLE[2] + LIMIT; }, |_u| 7;
    match_on_ranges: u32, |out| {
        out[UNIT_POS] = match UNIT_POS { 0 => 10, 1..=2 => 20, LIMIT => 30, 4 | 6 => 40, _ => 50 };
    }, |u| match u { 0 => 10, 1..=2 => 20, 3 => 30, 4 | 6 => 40, _ => 50 };
    match_on_tuples: u32, |out| {
        let pair = (UNIT_POS % 2, UNIT_POS > 3);
        out[UNIT_POS] = match pair { (0, true) => 1, (1, false) => 2, (n, b) => n * 10 + u32::cast_from(b) };
    }, |u| match (u % 2, u > 3) { (0, true) => 1, (1, false) => 2, (n, b) => n * 10 + u32::from(b) };
    short_circuits: u32, |out| {
        let mut calls = 0u32;
        let a = UNIT_POS > 2 && { calls += 1; UNIT_POS < 6 };
        let b = UNIT_POS == 0 || { calls += 10; a };
        out[UNIT_POS] = calls * 10 + u32::cast_from(b);
    }, |u| { let mut calls = 0; let a = u > 2 && { calls += 1; u < 6 }; let b = u == 0 || { calls += 10; a }; calls * 10 + u32::from(b) };
    steps: u32, |out| {
        let mut s = 0u32;
        for i in (1..20u32).step_by(3) { if i % 2 == 0 { continue; } s += i; }
        for i in range_stepped(0u32, 10, 4) { s += i * 100; }
        out[UNIT_POS] = s + UNIT_POS;
    }, |u| (1..20).step_by(3).filter(|i| i % 2 == 1).sum::<u32>() + 1200 + u;
    bounds_far_apart: u32, |out| {
        let mut s = 0u32;
        for i in 0..255u8 { if i > 200 { s += u32::cast_from(i); } }
        for i in (0..40000u16).step_by(39000) { s = s * 31 + u32::cast_from(i); }
        for i in -128..0i8 { s = s * 31 + u32::cast_from(i32::cast_from(i)); }
        for i in (-2000000000..2000000000i32).step_by(800000000) { s = s * 31 + u32::cast_from(i); }
        for i in (UNIT_POS..4294967295u32).step_by(2500000000) { s = s * 31 + i; }
        out[UNIT_POS] = s;
    }, |u| {
        let mix = |s: u32, i: u32| s.wrapping_mul(31).wrapping_add(i);
        let s = (201..255).sum::<u32>();
        let s = [0, 39000].into_iter().fold(s, mix);
        let s = (-128..0i32).fold(s, |s, i| mix(s, i as u32));
        let s = (-2000000000..2000000000i32).step_by(800000000).fold(s, |s, i| mix(s, i as u32));
        [u, u + 2500000000].into_iter().fold(s, mix)
    };
    backwards: i32, |out| {
        let mut s = 0i32;
        for i in (0..5i32).rev() { s = s * 10 + i; }
        out[UNIT_POS] = s - i32::cast_from(UNIT_POS);
    }, |u| 43210 - u as i32;
    inclusive_of_signed: i32, |out| {
        let mut s = 0i32;
        for i in -2..=i32::cast_from(UNIT_POS) { s += i * i; }
        out[UNIT_POS] = s;
    }, |u| (-2..=u as i32).map(|i| i * i).sum();
    local_arrays: u32, |out| {
        let mut a = Array::<u32>::new(5u32);
        for i in 0..5u32 { a[i] = i * UNIT_POS; }
        let b = [1u32, 2, 3];
        a[UNIT_POS % 5] += b[UNIT_POS % 3];
        let mut s = 0u32;
        for i in 0..a.len() { s = s * 3 + a[i]; }
        out[UNIT_POS] = s;
    }, |u| { let mut a: Vec<u32> = (0..5).map(|i| i * u).collect(); a[(u % 5) as usize] += [1, 2, 3][(u % 3) as usize]; a.iter().fold(0, |s, x| s * 3 + x) };
    repeated_arrays: f32, |out| {
        let mut a = [0.5f32; 4];
        a[UNIT_POS % 4] = 2.0;
        out[UNIT_POS] = a[0] + a[1] * 10.0 + a[3] * 100.0;
    }, |u| { let mut a = [0.5f32; 4]; a[(u % 4) as usize] = 2.0; a[0] + a[1] * 10.0 + a[3] * 100.0 };
    casts_around: i32, |out| {
        let f = f32::cast_from(UNIT_POS) - 3.6;
        out[UNIT_POS] = (f as i32) * 1000 + i32::cast_from(f < 0.0) + ((UNIT_POS as u8) << 6) as i32;
    }, |u| { let f = u as f32 - 3.6; (f as i32) * 1000 + i32::from(f < 0.0) + i32::from((u as u8) << 6) };
    bits: u32, |out| {
        let x = UNIT_POS * 0x01234567 + 1;
        out[UNIT_POS] = u32::reverse_bits(x) ^ (u32::count_ones(x) << 3) ^ u32::leading_zeros(x) ^ (!x >> 5) ^ u32::find_first_set(x);
    }, |u| { let x = u.wrapping_mul(0x01234567).wrapping_add(1); x.reverse_bits() ^ (x.count_ones() << 3) ^ x.leading_zeros() ^ (!x >> 5) ^ (x.trailing_zeros() + 1) };
    wide_bits: u64, |out| {
        let x = u64::cast_from(UNIT_POS) << 40;
        out[UNIT_POS] = (x >> 33) + u64::cast_from(u64::leading_zeros(x + 1));
    }, |u| { let x = u64::from(u) << 40; (x >> 33) + u64::from((x + 1).leading_zeros()) };
    small_integers_wrap: u8, |out| {
        let x = u8::cast_from(UNIT_POS) * 50 + 100;
        out[UNIT_POS] = x / 3 + u8::saturating_add(x, 100);
    }, |u| { let x = (u as u8).wrapping_mul(50).wrapping_add(100); (x / 3).wrapping_add(x.saturating_add(100)) };
    signed_remainders: i32, |out| {
        let x = i32::cast_from(UNIT_POS) - 4;
        out[UNIT_POS] = x / 3 * 100 + x % 3;
    }, |u| { let x = u as i32 - 4; x / 3 * 100 + x % 3 };
    float_remainders: f32, |out| {
        let x = f32::cast_from(UNIT_POS) - 3.5;
        out[UNIT_POS] = x % 2.0 + f32::rem(x, 2.0) * 100.0;
    }, |u| { let x = u as f32 - 3.5; x % 2.0 + x.rem_euclid(2.0) * 100.0 };
    reinterpreted: u32, |out| {
        let f = f32::cast_from(UNIT_POS) * 0.25;
        out[UNIT_POS] = u32::reinterpret(f) + u32::reinterpret(-f);
    }, |u| { let f = u as f32 * 0.25; f.to_bits().wrapping_add((-f).to_bits()) };
    selects: f32, |out| {
        let x = f32::cast_from(UNIT_POS);
        out[UNIT_POS] = select(x > 3.0, x, -x) + f32::clamp(x, 2.0, 5.0) + f32::abs(1.0 - x) + x.max(4.0).min(6.0);
    }, |u| { let x = u as f32; (if x > 3.0 { x } else { -x }) + x.clamp(2.0, 5.0) + (1.0 - x).abs() + x.max(4.0).min(6.0) };
    rounding: f32, |out| {
        let x = f32::cast_from(UNIT_POS) * 0.5 - 1.75;
        out[UNIT_POS] = f32::round(x) + f32::floor(x) * 10.0 + f32::ceil(x) * 100.0 + f32::trunc(x) * 1000.0;
    }, |u| { let x = u as f32 * 0.5 - 1.75; x.round_ties_even() + x.floor() * 10.0 + x.ceil() * 100.0 + x.trunc() * 1000.0 };
    nan_tests: u32, |out| {
        let x = f32::cast_from(UNIT_POS) - 3.0;
        let y = (x - x) / x;
        out[UNIT_POS] = u32::cast_from(f32::is_nan(y)) + u32::cast_from(f32::is_inf(1.0 / x)) * 2;
    }, |u| { let x = u as f32 - 3.0; u32::from(((x - x) / x).is_nan()) + u32::from((1.0 / x).is_infinite()) * 2 };
    blocks_with_values: u32, |out| {
        let x = { let y = UNIT_POS * 2; y + 1 };
        let z = 'found: { if x > 7 { break 'found 1u32; } if x > 3 { break 'found 2u32; } 3u32 };
        out[UNIT_POS] = x * 10 + z;
    }, |u| { let x = u * 2 + 1; x * 10 + if x > 7 { 1 } else if x > 3 { 2 } else { 3 } };
    let_else: u32, |out| {
        let maybe: Option<u32> = Some(UNIT_POS);
        let Some(x) = maybe else { terminate!() };
        out[UNIT_POS] = x + 5;
    }, |u| u + 5;
    shadowing: u32, |out| {
        let x = UNIT_POS;
        let x = x * x;
        { let x = x + 1; out[UNIT_POS] = x; }
        let mut x = x;
        x += 1;
        out[UNIT_POS] += x;
    }, |u| 2 * (u * u + 1);
    compound_assignments: u32, |out| {
        let mut x = UNIT_POS + 40;
        x += 3; x -= 1; x *= 5; x /= 2; x %= 77; x ^= 12; x |= 64; x &= 0x7f; x <<= 2; x >>= 1;
        out[UNIT_POS] = x;
    }, |u| { let mut x = u + 40; x += 3; x -= 1; x *= 5; x /= 2; x %= 77; x ^= 12; x |= 64; x &= 0x7f; x <<= 2; x >>= 1; x };
    indexed_by_index: u32, |out| {
        let order = [3u32, 0, 2, 1, 7, 6, 5, 4];
        out[order[UNIT_POS]] = UNIT_POS;
    }, |u| [1, 3, 2, 0, 7, 6, 5, 4][u as usize];
    loops_that_compute_the_next: u32, |out| {
        let mut n = UNIT_POS * 7 + 1;
        let mut iterations = 0u32;
        let last = loop {
            if n == 1 { break iterations; }
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            iterations += 1;
            if iterations >= 50 { break 999; }
        };
        out[UNIT_POS] = last;
    }, |u| { let (mut n, mut t) = (u * 7 + 1, 0); loop { if n == 1 { break t; } n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; t += 1; if t >= 50 { break 999; } } };
    units_that_end: u32, |out| {
        out[UNIT_POS] = 1;
        if UNIT_POS > 4 { terminate!(); }
        out[UNIT_POS] = 2;
    }, |u| if u > 4 { 1 } else { 2 };
    topology: u32, |out| {
        out[UNIT_POS] = CUBE_DIM - 1 - UNIT_POS + ABSOLUTE_POS_X * 10 + CUBE_POS + CUBE_COUNT * 100;
    }, |u| 7 - u + u * 10 + 100;
    shared_bools: u32, |out| {
        let mut flags = SharedMemory::<bool>::new(8u32);
        flags[UNIT_POS] = UNIT_POS % 3 == 0;
        sync_cube();
        out[UNIT_POS] = u32::cast_from(flags[7 - UNIT_POS]);
    }, |u| u32::from((7 - u) % 3 == 0);
    shared_atomics: u32, |out| {
        let sum = SharedMemory::<Atomic<u32>>::new(2u32);
        if UNIT_POS < 2 { Atomic::store(&sum[UNIT_POS], 5); }
        sync_cube();
        Atomic::add(&sum[UNIT_POS % 2], UNIT_POS);
        Atomic::max(&sum[0], UNIT_POS * 3);
        sync_cube();
        out[UNIT_POS] = Atomic::load(&sum[1]);
    }, |_u| 5 + 1 + 3 + 5 + 7;
    planes: u32, |out| {
        let lane = UNIT_POS_PLANE;
        let total = plane_sum(lane + 1);
        out[UNIT_POS] = total + plane_broadcast(lane * 2, 3) * 100 + plane_exclusive_sum(1u32) * 1000;
    }, |u| 36 + 600 + u * 1000;
    runtime_cells: u32, |out| {
        let cell = RuntimeCell::<u32>::new(UNIT_POS);
        for i in 0..3u32 { cell.store(cell.read() + i); }
        out[UNIT_POS] = cell.consume();
    }, |u| u + 3;
    options: u32, |out| {
        let x = if comptime!(LIMIT > 2) { Some(UNIT_POS) } else { None };
        out[UNIT_POS] = match x { Some(v) if v > 4 => v * 2, Some(v) => v, None => 77 };
    }, |u| if u > 4 { u * 2 } else { u };
    lets_without_values: u32, |out| {
        let x;
        if UNIT_POS > 3 { x = 5u32; } else { x = UNIT_POS; }
        out[UNIT_POS] = x;
    }, |u| if u > 3 { 5 } else { u };
    negative_literals: f32, |out| {
        let mut x = -1.0f32;
        if UNIT_POS > 2 { x *= -3.5; }
        let y = -(x + 1.0);
        out[UNIT_POS] = x - y;
    }, |u| { let x = if u > 2 { 3.5f32 } else { -1.0 }; x + (x + 1.0) };
    chains_of_conditions: u32, |out| {
        let u = UNIT_POS;
        out[u] = if u < 2 { if u == 0 { 1 } else { 2 } } else if u < 5 && u != 3 { 3 } else if !(u == 6) { 4 } else { 5 };
    }, |u| if u < 2 { if u == 0 { 1 } else { 2 } } else if u < 5 && u != 3 { 3 } else if u != 6 { 4 } else { 5 };
    while_let: u32, |out| {
        let mut n = UNIT_POS;
        let mut s = 0u32;
        while n > 0 && s < 10 { n -= 1; s += n; }
        out[UNIT_POS] = s * 10 + n;
    }, |u| { let (mut n, mut s) = (u, 0); while n > 0 && s < 10 { n -= 1; s += n; } s * 10 + n };
    high_halves: u32, |out| {
        let x = 0xDEADBEEFu32 + UNIT_POS;
        out[UNIT_POS] = u32::mul_hi(x, 0x12345678) + (u64::cast_from(x) * 3 >> 32) as u32;
    }, |u| { let x = 0xDEADBEEFu32.wrapping_add(u); (((u64::from(x) * 0x12345678) >> 32) as u32).wrapping_add((u64::from(x) * 3 >> 32) as u32) };
    powers: f32, |out| {
        let x = f32::cast_from(UNIT_POS) - 4.0;
        out[UNIT_POS] = f32::powf(x, 2.0) + f32::powi(x, 3) + f32::sqrt(x * x);
    }, |u| { let x = u as f32 - 4.0; x * x + x * x * x + x.abs() };
}

/// A kernel argument that is a struct with a slice, an array of lines and a comptime field.
#[derive(CubeType, CubeLaunch)]
pub struct Bundle {
    data: Array<Line<f32>>,
    scale: f32,
    #[cube(comptime)]
    add: bool,
}

#[cube]
impl Bundle {
    fn at(&self, i: u32) -> Line<f32> {
        let line = self.data[i] * Line::empty(self.data.line_size()).fill(self.scale);
        if self.add { line + self.data[i] } else { line }
    }
}

#[cube(launch)]
fn bundled(bundle: Bundle, out: &mut Array<Line<f32>>) {
    out[UNIT_POS] = bundle.at(UNIT_POS);
}

#[test]
fn structs_with_arrays_of_lines() {
    let client = client();
    let data: Vec<f32> = (0..16).map(|i| i as f32).collect();
    for add in [false, true] {
        let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(64));
        // SAFETY: both hold 16 elements.
        let arg = |h| unsafe { ArrayArg::from_raw_parts::<f32>(h, 16, 4) };
        let bundle = BundleLaunch::new(arg(&input), ScalarArg::new(0.5), add);
        bundled::launch::<R>(&client, one(), CubeDim::new_1d(4), bundle, arg(&out));
        let factor = if add { 1.5 } else { 0.5 };
        let got = f32::from_bytes(&client.read_one(out)).to_vec();
        assert_eq!(got, data.iter().map(|x| x * factor).collect::<Vec<_>>());
    }
}

#[cube(launch)]
fn transposed<F: Float>(input: &Tensor<F>, out: &mut Tensor<F>) {
    let (i, j) = (ABSOLUTE_POS_X, ABSOLUTE_POS_Y);
    if i < input.shape(0) && j < input.shape(1) {
        out[j * out.stride(0) + i * out.stride(1)] = input[i * input.stride(0) + j * input.stride(1)];
    }
}

#[test]
fn tensors_of_two_dimensions() {
    let client = client();
    let (rows, columns) = (5usize, 3usize);
    let data: Vec<f32> = (0..15).map(|i| i as f32).collect();
    let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(60));
    // SAFETY: shapes and strides are those of the handles.
    unsafe {
        transposed::launch::<f32, R>(
            &client,
            CubeCount::Static(1, 1, 1),
            CubeDim::new(8, 4, 1),
            TensorArg::from_raw_parts::<f32>(&input, &[columns, 1], &[rows, columns], 1),
            TensorArg::from_raw_parts::<f32>(&out, &[rows, 1], &[columns, rows], 1),
        );
    }
    let got = f32::from_bytes(&client.read_one(out)).to_vec();
    let host: Vec<f32> = (0..15).map(|k| data[(k % rows) * columns + k / rows]).collect();
    assert_eq!(got, host);
}

#[cube(launch)]
fn many_arrays(inputs: &Sequence<Array<f32>>, out: &mut Array<f32>) {
    let mut sum = 0.0f32;
    #[unroll]
    for i in 0..inputs.len() {
        sum += inputs.index(i)[UNIT_POS] * f32::cast_from(i + 1);
    }
    out[UNIT_POS] = sum;
}

#[test]
fn sequences_of_arrays() {
    let client = client();
    let handles: Vec<_> = (0..3).map(|k| client.create(f32::as_bytes(&[k as f32 + 1.0; 8]))).collect();
    let mut inputs = SequenceArg::new();
    for handle in &handles {
        inputs.push(array::<f32>(handle, 8));
    }
    let got = outputs::<f32>(8, |c, out| many_arrays::launch::<R>(c, one(), CubeDim::new_1d(8), inputs, out));
    assert_eq!(got, [1.0 + 4.0 + 9.0; 8]);
}

#[cube(launch_unchecked)]
fn in_place<F: Float>(data: &mut Array<F>, #[comptime] iterations: u32, flag: bool) {
    let mut x = data[ABSOLUTE_POS];
    #[unroll(iterations <= 4)]
    for k in 0..iterations {
        x = if flag { x + F::cast_from(k) } else { x * F::new(2.0) };
    }
    data[ABSOLUTE_POS] = x;
}

#[test]
fn in_place_with_bools_and_unrolled_bounds() {
    let client = client();
    for (iterations, flag) in [(3u32, true), (3, false), (6, true)] {
        let data = client.create(f64::as_bytes(&[1.5f64; 8]));
        // SAFETY: eight units, eight elements.
        unsafe {
            let arg = array::<f64>(&data, 8);
            in_place::launch_unchecked::<f64, R>(
                &client,
                one(),
                CubeDim::new_1d(8),
                arg,
                iterations,
                ScalarArg::new(flag),
            );
        }
        let expected = if flag { 1.5 + f64::from(iterations * (iterations - 1) / 2) } else { 1.5 * 8.0 };
        assert_eq!(f64::from_bytes(&client.read_one(data)), [expected; 8]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pooling {
    padded: bool,
    by: u32,
}

#[cube]
fn accumulate(#[comptime] config: &Pooling, state: &mut (u32, u32), item: u32) {
    let (sum, count) = state;
    if comptime!(!config.padded) {
        *count += 1;
    }
    *sum += item * config.by;
}

#[cube]
fn bump<N: Numeric>(place: &mut Atomic<N>, by: N) {
    Atomic::add(place, by);
}

#[cube(launch)]
fn pooled(input: &Array<u32>, out: &mut Array<Atomic<u32>>, #[comptime] config: &Pooling) {
    let mut state = (0u32, 0u32);
    for i in 0..input.len() {
        accumulate(config, &mut state, input[i]);
    }
    let (sum, mut count) = state;
    count *= 100;
    if UNIT_POS == 0 {
        bump::<u32>(&mut out[UNIT_POS], sum + count);
        bump::<u32>(&mut out[1], state.1);
    }
}

#[test]
fn reference_pattern_binds_references_to_fields() {
    for padded in [false, true] {
        let got = outputs::<u32>(2, |c, out| {
            let input = c.create(u32::as_bytes(&[3, 4, 5]));
            pooled::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 3), out, Pooling { padded, by: 2 })
        });
        let count = if padded { 0 } else { 3 };
        assert_eq!(got, [24 + 100 * count, count]);
    }
}
