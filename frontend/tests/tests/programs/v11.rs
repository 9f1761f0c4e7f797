//! Kernels and programs with the names of CubeCL 0.11.
use cubecl::cpu::CpuRuntime;
use cubecl::server::Handle;
use cubecl::v11::prelude::*;

pub(super) fn client() -> Client {
    CpuRuntime::client(&Default::default())
}

#[cube(launch)]
fn scale<F: Float>(x: &[F], y: &mut [F], factor: F) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[ABSOLUTE_POS] * factor;
    }
}

#[test]
fn slices_and_plain_scalars() {
    let client = client();
    let x = client.create_from_slice(f32::as_bytes(&[1.0, 2.0, 3.0]));
    let y = client.empty(12);
    // SAFETY: both handles hold 3 elements.
    let (from, to) = unsafe { (BufferArg::from_raw_parts(x, 3), BufferArg::from_raw_parts(y.clone(), 3)) };
    scale::launch::<f32>(&client, CubeCount::new_single(), CubeDim::new_1d(4), from, to, 2.5);
    assert_eq!(f32::from_bytes(&client.read_one(y).unwrap()), [2.5, 5.0, 7.5]);
}

/// Writes numbers to a new handle.
pub(super) fn created<E: CubeElement>(client: &Client, numbers: &[E]) -> Handle {
    client.create_from_slice(E::as_bytes(numbers))
}

/// A buffer argument of all elements of a handle.
pub(super) fn buffer<E>(handle: &Handle) -> BufferArg {
    // SAFETY: the length is the size of the memory.
    unsafe { BufferArg::from_raw_parts(handle.clone(), handle.size() as usize / size_of::<E>()) }
}

pub(super) fn read<E: CubeElement>(client: &Client, handle: Handle) -> Vec<E> {
    E::from_bytes(&client.read_one_unchecked(handle)).to_vec()
}

#[cube(launch)]
fn add_vectors<F: Float, In: Size>(x: &[Vector<F, In>], y: &mut [Vector<F, In>]) {
    if ABSOLUTE_POS < y.len() {
        let mut sum = x[ABSOLUTE_POS] + Vector::new(F::new(1.0));
        #[unroll]
        for lane in 0..In::value() {
            sum.insert(lane, sum.extract(lane) * F::cast_from(lane));
        }
        y[ABSOLUTE_POS] = sum;
    }
}

#[test]
fn a_launch_chooses_the_size_of_vectors() {
    let client = client();
    let numbers: Vec<f32> = (0..16).map(|i| i as f32).collect();
    for size in [1, 2, 4] {
        let (x, y) = (created(&client, &numbers), client.empty(64));
        // SAFETY: each handle holds 16 elements.
        let [from, to] = [&x, &y].map(|handle| unsafe { BufferArg::from_raw_parts(handle.clone(), 16 / size) });
        add_vectors::launch::<f32>(&client, CubeCount::new_single(), CubeDim::new_1d(16), size, from, to);
        let expected: Vec<f32> = (0..16).map(|i| (i as f32 + 1.0) * (i % size) as f32).collect();
        assert_eq!(read::<f32>(&client, y), expected, "vectors of {size}");
    }
}

#[cube(launch)]
fn sums_of_ranges(x: &[u32], out: &mut [u32]) {
    if UNIT_POS == 0 {
        let part = &x[2..4];
        let mut sum = 0;
        for item in &x[1..=3] {
            sum += *item;
        }
        out[0] = sum;
        out[1] = part.len() as u32;
        out[2] = part[1];
        let end = &mut out[3..];
        end[0] = x[..2].len() as u32;
        end[1] = total(&x[1..]);
    }
}

#[cube]
fn total(x: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

#[test]
fn ranges_are_slices() {
    let client = client();
    let (x, out) = (created(&client, &[1u32, 20, 300, 4000, 50000]), client.empty(20));
    sums_of_ranges::launch(
        &client,
        CubeCount::new_single(),
        CubeDim::new_1d(1),
        buffer::<u32>(&x),
        buffer::<u32>(&out),
    );
    assert_eq!(read::<u32>(&client, out), [4320, 2, 4000, 2, 54320]);
}

const WEIGHTS: [u32; 3] = [7, 8, 9];

#[cube(launch)]
fn local_and_shared(out: &mut [u32], n: usize, #[comptime] size: usize) {
    let unit = UNIT_POS as usize;
    let mut tile = Shared::<[u32]>::new_slice(size);
    tile[size - 1 - unit] = UNIT_POS * 10;
    sync_cube();
    let mut local = Array::new(2usize);
    local[0] = tile[unit];
    local[1] = 5;
    let mut fixed = [1, 2, 3];
    fixed[unit % 3] += 100;
    let same = [4u32; 2];
    out[unit] = local[0] + local[1] + fixed[unit % 3] + same[unit % 2] + WEIGHTS[unit % 3] + n as u32;
}

#[test]
fn local_arrays_shared_memory_and_tables() {
    let client = client();
    let out = client.empty(16);
    let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(4));
    local_and_shared::launch(&client, count, dim, buffer::<u32>(&out), 1000, 4);
    let expected: Vec<u32> = (0..4).map(|u| (3 - u) * 10 + 5 + (101 + u % 3) + 4 + 7 + u % 3 + 1000).collect();
    assert_eq!(read::<u32>(&client, out), expected);
}

#[cube(launch, address_type = "dynamic")]
fn describe(x: &Tensor<f32>, out: &mut [u32]) {
    if ABSOLUTE_POS == 0 {
        out[0] = x.len() as u32;
        out[1] = x.rank() as u32;
        out[2] = x.shape(1) as u32;
        out[3] = x.stride(0) as u32;
        out[4] = x.coordinate(4, 1) as u32;
        out[5] = x[5] as u32;
        out[6] = (CUBE_COUNT * 2) as u32;
        out[7] = (usize::cast_from(out[5]) - 5 + CUBE_POS) as u32;
    }
}

#[test]
fn tensors_and_the_width_of_indices() {
    let client = client();
    let x = created(&client, &[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0]);
    for width in [AddressType::U32, AddressType::U64] {
        let out = client.empty(32);
        // SAFETY: the handle holds 2 rows of 3 elements.
        let tensor = unsafe { TensorArg::from_raw_parts(x.clone(), [3, 1].into(), [2, 3].into()) };
        let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(1));
        describe::launch(&client, count, dim, width, tensor, buffer::<u32>(&out));
        assert_eq!(read::<u32>(&client, out), [6, 2, 3, 3, 1, 5, 2, 0], "{width:?}");
    }
}

#[cube(launch)]
fn add_in_place(x: &[f32], y: &mut [f32]) {
    y[ABSOLUTE_POS] = x[ABSOLUTE_POS] + 5.0;
}

#[test]
fn an_alias_shares_the_memory() {
    let client = client();
    let x = created(&client, &[1.0f32, 2.0]);
    let alias = BufferArg::alias(0, 2);
    add_in_place::launch(&client, CubeCount::new_single(), CubeDim::new_1d(2), buffer::<f32>(&x), alias);
    assert_eq!(read::<f32>(&client, x), [6.0, 7.0]);
}

/// Launches a kernel of one unit for each function, and compares the results with Rust's functions.
macro_rules! functions {
    ($($name:ident($($arg:ident),*): $function:expr, $host:expr, $values:expr;)*) => {$(
        mod $name {
            use super::*;

            #[cube(launch)]
            fn kernel<F: Float, N: Size>($($arg: &[Vector<F, N>],)* out: &mut [Vector<F, N>]) {
                if ABSOLUTE_POS < out.len() {
                    out[ABSOLUTE_POS] = $function($($arg[ABSOLUTE_POS]),*);
                }
            }

            #[test]
            fn equals_the_function_of_rust() {
                let client = client();
                $(let $arg: Vec<f32> = $values.iter().map(|v: &(f32, f32)| pick(stringify!($arg), v)).collect();)*
                let expected: Vec<f32> = $values.iter().map(|v: &(f32, f32)| {
                    $(let $arg = pick(stringify!($arg), v);)*
                    $host
                }).collect();
                for size in [1, 2] {
                    let out = client.empty($values.len() * 4);
                    // SAFETY: each handle holds all values.
                    let arg = |handle: &Handle| unsafe {
                        BufferArg::from_raw_parts(handle.clone(), $values.len() / size)
                    };
                    $(let $arg = arg(&created(&client, &$arg));)*
                    kernel::launch::<f32>(&client, CubeCount::new_single(), CubeDim::new_1d(4), size, $($arg,)* arg(&out));
                    let found = read::<f32>(&client, out);
                    for (found, expected) in found.iter().zip(&expected) {
                        let near = (found - expected).abs() <= expected.abs() * 2e-6 + 1e-30;
                        assert!(near || found == expected || found.is_nan() && expected.is_nan(), "{found} {expected}");
                    }
                }
            }
        }
    )*};
}

fn pick(name: &str, values: &(f32, f32)) -> f32 {
    if name == "a" { values.0 } else { values.1 }
}

const SMALL: [(f32, f32); 4] = [(0.0, 0.25), (0.5, -0.5), (-0.75, 2.0), (0.125, -3.0)];
const LARGE: [(f32, f32); 4] = [(3e38, 2e38), (0.0, 0.0), (3.0, -4.0), (f32::INFINITY, f32::NAN)];

functions! {
    sinh(a): Vector::sinh, a.sinh(), SMALL;
    cosh(a): Vector::cosh, a.cosh(), SMALL;
    asin(a): Vector::asin, a.asin(), SMALL;
    acos(a): Vector::acos, a.acos(), SMALL;
    atan(a): Vector::atan, a.atan(), SMALL;
    asinh(a): Vector::asinh, a.asinh(), SMALL;
    acosh(b): Vector::acosh, b.acosh(), SMALL;
    atanh(a): Vector::atanh, a.atanh(), SMALL;
    exp_m1(a): Vector::exp_m1, a.exp_m1(), SMALL;
    to_degrees(b): Vector::to_degrees, b.to_degrees(), SMALL;
    to_radians(b): Vector::to_radians, b.to_radians(), SMALL;
    atan2(a, b): Vector::atan2, a.atan2(b), SMALL;
    hypotenuse(a, b): Vector::hypot, a.hypot(b), LARGE;
    free_hypotenuse(a, b): hypot, a.hypot(b), SMALL;
    reciprocal_hypotenuse(a, b): rhypot, 1.0 / a.hypot(b), SMALL;
}

#[cube(launch)]
fn refused(out: &mut [f32]) {
    let mut tile = Shared::<[f32]>::new_slice(100_000_000usize);
    tile[0] = 1.0;
    sync_cube();
    out[0] = tile[0];
}

#[test]
fn a_read_returns_the_failure_of_a_launch() {
    let client = client();
    let out = client.empty(4);
    let failed = refused::try_launch(&client, CubeCount::new_single(), CubeDim::new_1d(1), buffer::<f32>(&out));
    assert!(failed.unwrap_err().to_string().contains("400000000 bytes"));
    assert!(client.read_one(out).unwrap_err().to_string().contains("400000000 bytes"));
}

#[derive(CubeType, CubeLaunch)]
struct Pair {
    values: Box<[f32]>,
    factor: f32,
    #[cube(comptime)]
    negate: bool,
}

#[cube(launch)]
fn of_struct(mut pair: Pair) {
    let factor = if comptime!(pair.negate) { -pair.factor } else { pair.factor };
    pair.values[ABSOLUTE_POS] *= factor;
}

#[test]
fn structs_contain_slices() {
    let client = client();
    let x = created(&client, &[1.0f32, 2.0]);
    let pair = PairLaunch::new(buffer::<f32>(&x), ScalarArg::new(3.0), true);
    of_struct::launch(&client, CubeCount::new_single(), CubeDim::new_1d(2), pair);
    assert_eq!(read::<f32>(&client, x), [-3.0, -6.0]);
}

#[cube(launch)]
fn votes(out: &mut [Vector<u32, Const<4>>], counts: &[Atomic<u32>]) {
    counts[0].fetch_add(UNIT_POS);
    if UNIT_POS == 0 {
        let one = Vector::<u32, Const<4>>::new(1);
        out[0] = one;
        out[1] = one.fill(out[0].extract(2) + 2);
    }
}

#[test]
fn vectors_of_a_fixed_size_and_atomics() {
    let client = client();
    let (out, counts) = (client.empty(32), client.empty(4));
    // SAFETY: the handle holds 2 vectors.
    let vectors = unsafe { BufferArg::from_raw_parts(out.clone(), 2) };
    votes::launch(&client, CubeCount::new_single(), CubeDim::new_1d(4), vectors, buffer::<u32>(&counts));
    assert_eq!(read::<u32>(&client, out), [1, 1, 1, 1, 3, 3, 3, 3]);
    assert_eq!(read::<u32>(&client, counts), [6]);
}

#[cube(launch)]
fn with_bias(x: &mut [f32], bias: ComptimeOption<Array<f32>>) {
    match bias {
        ComptimeOption::Some(bias) => x[ABSOLUTE_POS] += bias[ABSOLUTE_POS],
        ComptimeOption::None => x[ABSOLUTE_POS] = -x[ABSOLUTE_POS],
    }
}

#[test]
fn an_option_selects_a_kernel() {
    let client = client();
    let (x, bias) = (created(&client, &[1.0f32, 2.0]), created(&client, &[10.0f32, 20.0]));
    let launch = |bias| {
        with_bias::launch(&client, CubeCount::new_single(), CubeDim::new_1d(2), buffer::<f32>(&x), bias);
    };
    launch(ComptimeOptionArgs::Some(buffer::<f32>(&bias)));
    assert_eq!(read::<f32>(&client, x.clone()), [11.0, 22.0]);
    launch(ComptimeOptionArgs::None);
    assert_eq!(read::<f32>(&client, x), [-11.0, -22.0]);
}

mod beside_the_other_prelude {
    use super::{buffer, client, created, read};
    use cubecl::prelude::*;

    #[cube]
    fn doubled(x: f32) -> f32 {
        x * 2.0
    }

    mod of_v11 {
        use super::doubled;
        use cubecl::v11::prelude::*;

        #[cube(launch)]
        pub fn double(x: &mut [f32]) {
            x[ABSOLUTE_POS] = doubled(x[ABSOLUTE_POS]);
        }
    }

    #[test]
    fn one_program_has_kernels_of_both() {
        let client = client();
        let x = created(&client, &[1.5f32]);
        of_v11::double::launch(&client, CubeCount::new_single(), CubeDim::new_single().into(), buffer::<f32>(&x));
        assert_eq!(read::<f32>(&client, x), [3.0]);
    }
}
