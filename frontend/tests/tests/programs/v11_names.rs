//! Shared values, declared sizes, sequences, options and positions with the names of CubeCL 0.11.
use super::v11::{buffer, client, created, read};
use cubecl::v11::prelude::*;

#[cube(launch)]
fn with_a_shared_value(out: &mut [u32]) {
    let mut first = Shared::<u32>::new();
    let mut second = Shared::<u32>::new();
    if UNIT_POS == 3 {
        *first = 40;
        *second = *first + 1;
        *second += 1;
    }
    sync_cube();
    if *second == 42 {
        out[UNIT_POS as usize] = *first * 10 + UNIT_POS;
    }
    set(&mut first, UNIT_POS == 0);
    sync_cube();
    out[UNIT_POS as usize + 4] = *first;
}

#[cube]
fn set(value: &mut Shared<u32>, elected: bool) {
    sync_cube();
    if elected {
        **value = 7;
    }
}

#[test]
fn a_shared_value_has_one_element() {
    let client = client();
    let out = client.empty(32);
    let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(4));
    with_a_shared_value::launch(&client, count, dim, buffer::<u32>(&out));
    assert_eq!(read::<u32>(&client, out), [400, 401, 402, 403, 7, 7, 7, 7]);
}

define_size!(Wide);

#[cube]
fn sum_of_wide(x: &[f32], start: usize) -> f32 {
    let mut whole = Vector::<f32, Wide>::empty();
    #[unroll]
    for lane in 0..Wide::value() {
        whole.insert(lane, x[start + lane]);
    }
    let doubled = whole + whole;
    doubled.extract(0) + doubled.extract(comptime!(Wide::value() - 1))
}

#[cube(launch)]
fn declared_sizes(x: &[f32], out: &mut [f32], #[comptime] width: usize) {
    let size!(N) = width * 2;
    let mut pair = Vector::<f32, N>::new(0.5);
    pair.insert(1, x[1]);
    out[0] = pair.extract(0) + pair.extract(1);
    out[1] = f32::cast_from(comptime!(N::value() as u32));
    register_size::<Wide>(2);
    out[2] = sum_of_wide(x, 0);
    register_size::<Wide>(width);
    out[3] = sum_of_wide(x, 1);
}

#[test]
fn a_kernel_declares_and_registers_sizes() {
    let client = client();
    let (x, out) = (created(&client, &[1.0f32, 2.0, 4.0, 8.0, 16.0]), client.empty(16));
    let launch = |width| {
        let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(1));
        declared_sizes::launch(&client, count, dim, buffer::<f32>(&x), buffer::<f32>(&out), width);
        read::<f32>(&client, out.clone())
    };
    assert_eq!(launch(1), [2.5, 2.0, 6.0, 8.0]);
    assert_eq!(launch(4), [2.5, 8.0, 6.0, 36.0]);
}

#[cube(launch, address_type = "dynamic")]
fn positions(out: &mut [u32]) {
    out[ABSOLUTE_POS] = CUBE_POS as u32 * 100 + UNIT_POS;
}

#[test]
fn the_units_of_a_cube_have_consecutive_positions() {
    let client = client();
    for width in [AddressType::U32, AddressType::U64] {
        for dim in [(4, 1, 1), (2, 2, 1), (1, 2, 2)] {
            let out = client.empty(96);
            positions::launch(&client, CubeCount::Static(3, 2, 1), dim.into(), width, buffer::<u32>(&out));
            let expected: Vec<u32> = (0..24).map(|i| i / 4 * 100 + i % 4).collect();
            assert_eq!(read::<u32>(&client, out), expected, "{dim:?}");
        }
    }
}

#[cube(launch)]
fn unregistered(out: &mut [f32]) {
    out[0] = Vector::<f32, Unset>::new(1.0).extract(0);
}

define_size!(Unset);

#[test]
fn a_size_without_a_value_is_an_error() {
    let client = client();
    let out = client.empty(4);
    let failed = unregistered::try_launch(&client, CubeCount::new_single(), CubeDim::new_1d(1), buffer::<f32>(&out));
    let text = failed.unwrap_err().to_string();
    assert!(text.contains("the size `Unset` has no value; write `register_size::<Unset>(…)`"), "{text}");
}

#[cube(launch)]
fn with_sequences(out: &mut [u32], #[comptime] count: usize) {
    let mut values = Sequence::<u32>::new();
    #[unroll]
    for i in 0..count {
        values.push(i as u32 * 3);
    }
    let last = values.len() - 1;
    out[0] = *values.index(last);
    out[1] = values[1];
    let second = values.index_mut(1);
    *second = UNIT_POS + 9;
    out[2] = values[1] + values.len() as u32;
}

#[test]
fn sequences_have_indices_of_type_usize() {
    let client = client();
    let out = client.empty(12);
    with_sequences::launch(&client, CubeCount::new_single(), CubeDim::new_1d(1), buffer::<u32>(&out), 4);
    assert_eq!(read::<u32>(&client, out), [9, 3, 13]);
}

#[cube(launch)]
fn with_methods_of_options(x: &mut [f32], bias: ComptimeOption<f32>, other: ComptimeOption<f32>) {
    let scaled = bias.map(|b: f32| b * 2.0);
    x[0] = scaled.unwrap_or(1.0);
    x[1] = bias.map_or(3.0, |b: f32| b + 0.5);
    x[2] = other.or(bias).unwrap_or_else(|| 4.0);
    x[3] = bias.zip_with(other, |a: f32, b: f32| a - b).unwrap_or(5.0);
    if bias.is_some_and(|b: f32| b > 5.0) {
        x[4] = 6.0;
    }
    x[5] = other.and_then(|b: f32| ComptimeOption::<f32>::new_Some(b + 1.0)).map_or_else(|| 7.0, |b: f32| b);
    if other.is_none_or(|b: f32| b < 0.0) {
        x[6] = 8.0;
    }
    x[7] = bias.and(other).or_else(|| ComptimeOption::<f32>::new_Some(9.0)).expect("the fallback has a value");
}

#[test]
fn options_have_the_methods_of_rust() {
    let client = client();
    let launch = |bias, other| {
        let x = created(&client, &[0.0f32; 8]);
        let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(1));
        with_methods_of_options::launch(&client, count, dim, buffer::<f32>(&x), bias, other);
        read::<f32>(&client, x)
    };
    let some = |value| ComptimeOptionArgs::Some(ScalarArg::new(value));
    assert_eq!(launch(some(10.0), some(-2.0)), [20.0, 10.5, -2.0, 12.0, 6.0, -1.0, 8.0, -2.0]);
    assert_eq!(launch(ComptimeOptionArgs::None, ComptimeOptionArgs::None), [1.0, 3.0, 4.0, 5.0, 0.0, 7.0, 8.0, 9.0]);
    assert_eq!(launch(some(1.0), ComptimeOptionArgs::None), [2.0, 1.5, 1.0, 5.0, 0.0, 7.0, 8.0, 9.0]);
}

#[cube(launch)]
fn functions_of_floats<F: Float, N: Size>(x: &[Vector<F, N>], y: &[Vector<F, N>], out: &mut [Vector<F, N>]) {
    let (a, b) = (x[0], y[0]);
    out[0] = min_nan(a, b);
    out[1] = max_nan(a, b);
    out[2] = clamp_nan(a, b, Vector::new(F::new(2.0)));
    out[3] = <Vector<F, N> as FloatOps>::min(a, b);
    out[4] = <Vector<F, N> as FloatOps>::max(a, b);
    out[5] = <Vector<F, N> as FloatOps>::clamp(a, b, Vector::new(F::new(2.0)));
}

#[test]
fn minima_and_maxima_keep_or_drop_nan() {
    let client = client();
    let nan = f32::NAN;
    let (x, y) = (created(&client, &[nan, 3.0, -1.0, 5.0]), created(&client, &[1.0, nan, 4.0, -5.0]));
    let out = client.empty(6 * 16);
    let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(1));
    // SAFETY: each buffer has `count` vectors of four floats.
    let vectors = |handle: &cubecl::server::Handle, count| unsafe { BufferArg::from_raw_parts(handle.clone(), count) };
    functions_of_floats::launch::<f32>(&client, count, dim, 4, vectors(&x, 1), vectors(&y, 1), vectors(&out, 6));
    let got: Vec<f32> = read(&client, out);
    let same = |row: usize, expected: [f32; 4]| {
        let row = &got[4 * row..][..4];
        let equal = |(a, b): (&f32, f32)| *a == b || a.is_nan() && b.is_nan();
        assert!(row.iter().zip(expected).all(equal), "{row:?} instead of {expected:?}");
    };
    same(0, [nan, nan, -1.0, -5.0]);
    same(1, [nan, nan, 4.0, 5.0]);
    same(2, [nan, nan, 4.0, 2.0]);
    same(3, [1.0, 3.0, -1.0, -5.0]);
    same(4, [1.0, 3.0, 4.0, 5.0]);
    same(5, [1.0, 2.0, 2.0, 2.0]);
}

#[cube(launch)]
fn products_of_bytes(x: &[i32], out: &mut [i32]) {
    out[ABSOLUTE_POS] = dp4a(x[ABSOLUTE_POS], x[ABSOLUTE_POS + 1], x[ABSOLUTE_POS + 2]);
}

#[test]
fn dp4a_adds_products_of_signed_bytes() {
    let client = client();
    let data = [i32::from_le_bytes([1, 2, 3, 4]), i32::from_le_bytes([255, 128, 127, 9]), i32::MIN, -1, 0x0102_8081, 7];
    let (x, out) = (created(&client, &data), client.empty(16));
    let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(4));
    products_of_bytes::launch(&client, count, dim, buffer::<i32>(&x), buffer::<i32>(&out));
    let expected = [0, 1, 2, 3].map(|i| dp4a(data[i], data[i + 1], data[i + 2]));
    assert_eq!(read::<i32>(&client, out), expected);
    assert_eq!(expected[0], i32::MIN + (-1 - 256 + 381 + 36));
}

#[cube(launch)]
fn extrema<N: Size>(x: &[i32], y: &[Vector<f32, N>], out: &mut [i32], floats: &mut [f32]) {
    out[0] = min(x[0], x[1]);
    out[1] = max(x[0], max(x[1], 3));
    floats[0] = min(y[0], y[1]).extract(0);
    floats[1] = max(y[0], y[1]).extract(1);
}

#[test]
fn min_and_max_are_functions() {
    let client = client();
    let (x, y) = (created(&client, &[-4, 2]), created(&client, &[1.0f32, f32::NAN, -2.0, 5.0]));
    let (out, floats) = (client.empty(8), client.empty(8));
    let (count, dim) = (CubeCount::new_single(), CubeDim::new_1d(1));
    let (x, y) = (buffer::<i32>(&x), buffer::<f32>(&y));
    extrema::launch(&client, count, dim, 2, x, y, buffer::<i32>(&out), buffer::<f32>(&floats));
    assert_eq!(read::<i32>(&client, out), [-4, 3]);
    assert_eq!(read::<f32>(&client, floats), [-2.0, 5.0]);
}

#[cube(launch)]
fn names_of_vectors<N: Size>(x: &[Vector<f32, N>], y: &[Vector<i32, N>], out: &mut [f32], whole: &mut [i32]) {
    let mut cell = RuntimeCell::<Vector<f32, N>>::new(x[0]);
    cell.insert(1usize, 8.0);
    out[0] = cell.extract(1usize) + cell.extract(0usize);
    out[1] = Vector::vector_sum(x[0]);
    out[2] = Vector::ln(x[0]).extract(0);
    let rest = Vector::mod_floor(y[0], y[1]);
    whole[0] = rest.extract(0);
    whole[1] = rest.extract(1);
    whole[2] = y[0].vector_sum();
    let part = whole[..3].as_vectorized_mut();
    let length = part.len() as i32;
    let mut local = Array::<i32>::new(2usize);
    let count = local.len().comptime();
    #[unroll]
    for i in 0..count {
        local[i] = length + (count - i) as i32;
    }
    whole[3] = local[0] * 10 + local[1];
}

#[test]
fn vectors_and_cells_have_the_functions_of_cubecl() {
    let client = client();
    let (x, y) = (created::<f32>(&client, &[1.0, 4.0]), created::<i32>(&client, &[-7, 7, 3, -3]));
    let (out, whole) = (client.empty(12), client.empty(16));
    let dim = CubeDim::new(&client, 1);
    assert_eq!((dim.x, dim.num_elems()), (client.properties().hardware.plane_size_max, dim.x * dim.y));
    names_of_vectors::launch(
        &client,
        CubeCount::new_single(),
        CubeDim::new_single(),
        2,
        buffer::<f32>(&x),
        buffer::<i32>(&y),
        buffer::<f32>(&out),
        buffer::<i32>(&whole),
    );
    assert_eq!(read::<f32>(&client, out), [9.0, 5.0, 0.0]);
    assert_eq!(read::<i32>(&client, whole), [2, -2, 0, 54]);
}

#[test]
fn cube_dims_are_powers_of_two_of_planes() {
    let client = client();
    let plane = client.properties().hardware.plane_size_max;
    let dims = [0, 5 * plane as usize, 1 << 20].map(|units| CubeDim::new(&client, units));
    let most = (client.properties().hardware.max_units_per_cube / plane).max(1);
    assert_eq!(dims.map(|dim| (dim.x, dim.y, dim.z)), [1, 4, 8].map(|planes| (plane, planes.min(most), 1)));
}

#[test]
fn sets_of_flags_have_differences() {
    use cubecl::features::{AtomicUsage, EnumSet};
    let flags: EnumSet<FastMath> = FastMath::all().difference(FastMath::NotNaN.into());
    assert!(flags.contains(FastMath::NotInf) && !flags.contains(FastMath::NotNaN));
    assert!(FastMath::all().is_superset(flags) && !flags.is_superset(FastMath::all()));
    let client = client();
    let atomic = |size| cubecl::ir::Type::atomic(u32::elem_type_native().with_vector_size(size));
    assert_eq!((atomic(1).to_string(), atomic(4).to_string()), ("atomic<u32>".into(), "atomic<vector<u32, 4>>".into()));
    let uses = client.properties().atomic_type_usage(atomic(1));
    assert!(uses.contains(AtomicUsage::Add) && uses.contains(AtomicUsage::CompareExchange));
    assert!(client.properties().atomic_type_usage(atomic(4)).is_empty());
    let floats = client.properties().atomic_type_usage(cubecl::ir::Type::atomic(f32::elem_type_native()));
    assert!(!floats.contains(AtomicUsage::Bitwise));
}

/// Unit 3 of each cube writes the limit, and no barrier of the kernel is between the write and the reads.
#[cube(launch)]
fn with_uniform_loads(out: &mut [u32]) {
    let mut limit = Shared::new_slice(2usize);
    let ticket = Shared::<[Atomic<u32>]>::new_slice(1usize);
    if UNIT_POS == 3 {
        limit[1] = out[0] + 5;
        Atomic::store(&ticket[0], 7u32);
    }
    let count = workgroup_uniform_load(&limit[1]);
    let drawn = workgroup_uniform_load_atomic(&ticket[0]);
    // Each unit overwrites the value after all units have read it.
    limit[1] = 0;
    let mut sum = 0;
    for i in 0..count {
        sum += i + drawn;
    }
    out[UNIT_POS as usize + 1] = sum;
}

#[test]
fn a_uniform_load_waits_before_and_after_the_read() {
    let client = client();
    let out = created::<u32>(&client, &[6; 65]);
    with_uniform_loads::launch(&client, CubeCount::new_single(), CubeDim::new_1d(64), buffer::<u32>(&out));
    let expected: u32 = (0..11).map(|i| i + 7).sum();
    assert_eq!(read::<u32>(&client, out)[1..], [expected; 64]);
}
