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
    assert!(text.contains("the size `Unset` has no value: write `register_size::<Unset>(…)`"), "{text}");
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
