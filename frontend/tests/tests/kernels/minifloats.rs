//! Storage types of 4, 6 and 8 bits: loads, stores, casts and bit casts in kernels, compared with the host's types.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::{e2m1, e2m1x2, e2m3, e3m2, e4m3, e5m2, ue8m0};

/// Writes a cast of each number, its bits, the number of the stored value, and the number of each code. A value of
/// `e2m1x2` is a pair of numbers.
#[cube(launch)]
fn conversions<T: CubePrimitive>(
    input: &Array<Line<f32>>,
    codes: &Array<Line<u8>>,
    stored: &mut Array<Line<T>>,
    bits: &mut Array<Line<u8>>,
    rounded: &mut Array<Line<f32>>,
    decoded: &mut Array<Line<f32>>,
) {
    let i = ABSOLUTE_POS;
    let value = Line::<T>::cast_from(input[i]);
    stored[i] = value;
    bits[i] = Line::reinterpret(value);
    rounded[i] = Line::cast_from(stored[i]);
    decoded[i] = Line::cast_from(Line::<T>::reinterpret(codes[i]));
}

const COUNT: usize = 4096;

/// Numbers around the decision points of all formats: every exponent of f32 with several fractions, and special values.
fn numbers() -> Vec<f32> {
    let fractions = [0u32, 1, 0x10_0000, 0x20_0000, 0x2f_ffff, 0x30_0000, 0x40_0000, 0x40_0001];
    let mut all: Vec<f32> = (0..=255u32)
        .flat_map(|exponent| fractions.map(|fraction| f32::from_bits(exponent << 23 | fraction)))
        .flat_map(|x| [x, -x])
        .collect();
    assert_eq!(all.len(), COUNT);
    // Exact values, ties and overflows of the narrow formats.
    let steps: Vec<f32> = (0..512).map(|step| (step - 256) as f32 / 32.0).collect();
    all[..512].copy_from_slice(&steps);
    all
}

fn check<T: CubePrimitive + CubeElement>(
    width: u32,
    of: fn(f32) -> T,
    to: fn(T) -> f32,
    code: fn(T) -> u8,
    from: fn(u8) -> T,
) {
    let client = client();
    let numbers = numbers();
    let codes: Vec<u8> = (0..COUNT).map(|i| i as u8).collect();
    for line in [1usize, 4] {
        let (input, given) = (client.create(f32::as_bytes(&numbers)), client.create(u8::as_bytes(&codes)));
        let [stored, bits] = [(); 2].map(|()| client.empty(COUNT));
        let [rounded, decoded] = [(); 2].map(|()| client.empty(4 * COUNT));
        // SAFETY: each buffer has `COUNT` elements of its type.
        unsafe {
            let floats = |handle| ArrayArg::from_raw_parts::<f32>(handle, COUNT, line as u8);
            let bytes = |handle| ArrayArg::from_raw_parts::<u8>(handle, COUNT, line as u8);
            let values = ArrayArg::from_raw_parts::<T>(&stored, COUNT, line as u8);
            conversions::launch::<T, R>(
                &client,
                CubeCount::Static((COUNT / line / 64) as u32, 1, 1),
                CubeDim::new_1d(64),
                floats(&input),
                bytes(&given),
                values,
                bytes(&bits),
                floats(&rounded),
                floats(&decoded),
            );
        }
        let stored = client.read_one(stored);
        let bits = client.read_one(bits);
        let (rounded, decoded) = (client.read_one(rounded), client.read_one(decoded));
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        for i in 0..COUNT {
            let (x, host) = (numbers[i], of(numbers[i]));
            // The sign of NaN is not a part of the result.
            let nan = to(host).is_nan() && to(T::from_bytes(&stored)[i]).is_nan();
            assert!(nan || code(T::from_bytes(&stored)[i]) == code(host), "{x:e} with lines of {line}");
            assert_eq!(u8::from_bytes(&bits)[i], u8::from_bytes(&stored)[i], "bits of {x:e}");
            assert!(
                same(f32::from_bytes(&rounded)[i], to(host)),
                "{x:e} is {} as a kernel",
                f32::from_bytes(&rounded)[i]
            );
            let own = to(from(codes[i] & (255 >> (8 - width))));
            assert!(same(f32::from_bytes(&decoded)[i], own), "code {:#x} with lines of {line}", codes[i]);
        }
    }
}

macro_rules! types {
    ($($name:ident $ty:ident $width:literal;)*) => {$(
        #[test]
        fn $name() {
            check::<$ty>($width, $ty::from_f32, $ty::to_f32, $ty::to_bits, $ty::from_bits);
        }
    )*};
}

types! {
    numbers_of_e2m1 e2m1 4;
    numbers_of_e2m3 e2m3 6;
    numbers_of_e3m2 e3m2 6;
    scale_factors_of_ue8m0 ue8m0 8;
    numbers_of_e4m3 e4m3 8;
    numbers_of_e5m2 e5m2 8;
}

/// Compares the numbers of pairs of codes as lines, and the first numbers of lines as scalars.
#[cube(launch)]
fn comparisons<T: CubePrimitive>(
    codes: &Array<Line<u8>>,
    others: &Array<Line<u8>>,
    equal: &mut Array<Line<u32>>,
    unequal: &mut Array<Line<u32>>,
    scalars: &mut Array<u32>,
) {
    let i = ABSOLUTE_POS;
    let (x, y) = (Line::<T>::reinterpret(codes[i]), Line::<T>::reinterpret(others[i]));
    equal[i] = Line::cast_from(x.equal(y));
    unequal[i] = Line::cast_from(x.not_equal(y));
    scalars[i] = u32::cast_from(x[0] == y[0]) + 2 * u32::cast_from(x[0] != y[0]);
}

fn check_comparisons<T: CubePrimitive + CubeElement>(width: u32, from: fn(u8) -> T) {
    let client = client();
    // Each code with itself, both zeros, two codes of NaN of some types, and three codes that differ in one bit.
    let others = |code: u8| [code, 0, 0x80, 0x7f, 0xff, code ^ 1, code ^ 4, code ^ 1 << (width - 1)];
    let pairs: Vec<(u8, u8)> = (0..=255u8).flat_map(|code| others(code).map(|other| (code, other))).collect();
    let (codes, others): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
    let count = pairs.len();
    for line in [1usize, 4] {
        let (codes, others) = (client.create(&codes), client.create(&others));
        let [equal, unequal, scalars] = [(); 3].map(|()| client.empty(4 * count));
        // SAFETY: each buffer has `count` elements of its type.
        unsafe {
            let bytes = |handle| ArrayArg::from_raw_parts::<u8>(handle, count, line as u8);
            let flags = |handle, line: usize| ArrayArg::from_raw_parts::<u32>(handle, count, line as u8);
            comparisons::launch::<T, R>(
                &client,
                CubeCount::Static((count / line / 64) as u32, 1, 1),
                CubeDim::new_1d(64),
                bytes(&codes),
                bytes(&others),
                flags(&equal, line),
                flags(&unequal, line),
                flags(&scalars, 1),
            );
        }
        let [equal, unequal, scalars] = [equal, unequal, scalars].map(|handle| client.read_one(handle));
        let [equal, unequal, scalars] = [&equal, &unequal, &scalars].map(|bytes| u32::from_bytes(bytes));
        let number = |code: u8| from(code & (255 >> (8 - width)));
        for (i, (code, other)) in pairs.iter().enumerate() {
            let same = u32::from(number(*code) == number(*other));
            assert_eq!((equal[i], unequal[i]), (same, 1 - same), "{code:#x} and {other:#x} with lines of {line}");
            if i % line == 0 {
                assert_eq!(
                    scalars[i / line],
                    2 - same,
                    "{code:#x} and {other:#x} as the first numbers of lines of {line}"
                );
            }
        }
    }
}

/// `==` and `!=` compare bits, as the types of the host and CubeCL 0.11 do: a NaN equals itself, and the zeros differ.
#[test]
fn equal_numbers_have_equal_bits() {
    assert!(e4m3::from_f32(0.0) != e4m3::from_f32(-0.0) && e4m3::from_bits(0x7f).is_nan());
    check_comparisons::<e2m1>(4, e2m1::from_bits);
    check_comparisons::<e2m3>(6, e2m3::from_bits);
    check_comparisons::<e3m2>(6, e3m2::from_bits);
    check_comparisons::<ue8m0>(8, ue8m0::from_bits);
    check_comparisons::<e4m3>(8, e4m3::from_bits);
    check_comparisons::<e5m2>(8, e5m2::from_bits);
}

#[cube(launch)]
fn constants(out: &mut Array<Line<u32>>) {
    let zero = Line::<e4m3>::new(comptime!(e4m3::from_f32(0.0)));
    let minus = Line::<e4m3>::new(comptime!(e4m3::from_f32(-0.0)));
    let nan = Line::<e4m3>::new(comptime!(e4m3::from_f32(f32::NAN)));
    out[0] = Line::cast_from(zero.equal(minus));
    out[1] = Line::cast_from(zero.not_equal(minus));
    out[2] = Line::cast_from(nan.equal(nan));
    out[3] = Line::cast_from(nan.not_equal(nan));
}

#[test]
fn constants_are_compared_by_their_bits() {
    let got = outputs::<u32>(4, |c, out| constants::launch::<R>(c, one(), CubeDim::new_1d(1), out));
    assert_eq!(got, [0, 1, 1, 0]);
}

/// The upper bits of a byte are not a part of a number of four bits.
#[test]
fn host_types_ignore_the_upper_bits() {
    assert_eq!(e2m1::from_bits(0xf7).to_f32(), 6.0);
    assert_eq!(e2m1::from_bits(0x0f).to_f32(), -6.0);
    assert_eq!((e2m3::MAX.to_f32(), e3m2::MIN.to_f32()), (7.5, -28.0));
    assert_eq!((ue8m0::MIN.to_f32(), ue8m0::MAX.to_f32()), (2f32.powi(-127), 2f32.powi(127)));
}

#[cube(launch)]
fn integers_and_bools(input: &Array<i32>, scales: &mut Array<ue8m0>, small: &mut Array<e2m1>, set: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    scales[i] = ue8m0::cast_from(input[i]);
    small[i] = e2m1::cast_from(input[i]);
    set[i] = u32::cast_from(bool::cast_from(small[i]));
    if i == 0 {
        let shared = comptime!(e3m2::from_f32(28.0));
        small[i] = e2m1::cast_from(f32::cast_from(shared));
    }
}

#[test]
fn integers_and_bools_convert() {
    let client = client();
    let data = [100i32, 0, 3, -3, 5, i32::MAX, i32::MIN, 1];
    let (input, scales, small) = (client.create(i32::as_bytes(&data)), client.empty(8), client.empty(8));
    let got = outputs::<u32>(8, |c, out| {
        let (scales, small) = (array::<ue8m0>(&scales, 8), array::<e2m1>(&small, 8));
        integers_and_bools::launch::<R>(c, one(), CubeDim::new_1d(8), array::<i32>(&input, 8), scales, small, out)
    });
    let small = client.read_one(small);
    let small: Vec<f32> = e2m1::from_bytes(&small).iter().map(|x| x.to_f32()).collect();
    assert_eq!(small, [6.0, 0.0, 3.0, -3.0, 4.0, 6.0, -6.0, 1.0]);
    assert_eq!(got, [1, 0, 1, 1, 1, 1, 1, 1]);
    let scales = client.read_one(scales);
    let scales: Vec<f32> = ue8m0::from_bytes(&scales).iter().map(|x| x.to_f32()).collect();
    let least = 2f32.powi(-127);
    assert_eq!(scales, [128.0, least, 4.0, least, 8.0, 2f32.powi(31), least, 1.0]);
}

#[test]
fn a_byte_of_e2m1x2_is_two_numbers() {
    let client = client();
    let numbers = numbers();
    let codes: Vec<u8> = (0..COUNT / 2).map(|i| i as u8).collect();
    let expected = e2m1x2::from_f32_slice(&numbers);
    for line in [2usize, 4] {
        let (input, given) = (client.create(f32::as_bytes(&numbers)), client.create(u8::as_bytes(&codes)));
        let [stored, bits] = [(); 2].map(|()| client.empty(COUNT / 2));
        let [rounded, decoded] = [(); 2].map(|()| client.empty(4 * COUNT));
        // SAFETY: each buffer has as many elements of its type as its argument.
        unsafe {
            let floats = |handle| ArrayArg::from_raw_parts::<f32>(handle, COUNT, line as u8);
            let bytes = |handle| ArrayArg::from_raw_parts::<u8>(handle, COUNT / 2, (line / 2) as u8);
            let values = ArrayArg::from_raw_parts::<e2m1x2>(&stored, COUNT / 2, (line / 2) as u8);
            conversions::launch::<e2m1x2, R>(
                &client,
                CubeCount::Static((COUNT / line / 64) as u32, 1, 1),
                CubeDim::new_1d(64),
                floats(&input),
                bytes(&given),
                values,
                bytes(&bits),
                floats(&rounded),
                floats(&decoded),
            );
        }
        let (stored, bits) = (client.read_one(stored), client.read_one(bits));
        let (rounded, decoded) = (client.read_one(rounded), client.read_one(decoded));
        assert_eq!(stored, bits);
        for (i, pair) in expected.iter().enumerate() {
            let (x, got) = (&numbers[2 * i..2 * i + 2], e2m1x2::from_bytes(&stored)[i]);
            let nan = x.iter().any(|x| x.is_nan());
            assert!(nan || got == *pair, "{x:?} is {got:?} as a pair, with lines of {line}");
            assert_eq!(f32::from_bytes(&rounded)[2 * i..2 * i + 2], got.to_f32(), "{x:?} with lines of {line}");
            let own = e2m1x2::from_bits(codes[i]).to_f32();
            assert_eq!(f32::from_bytes(&decoded)[2 * i..2 * i + 2], own, "code {:#x} with lines of {line}", codes[i]);
        }
    }
}

#[cube(launch)]
fn half_of_a_pair(input: &Array<f32>, out: &mut Array<e2m1x2>) {
    out[0] = e2m1x2::cast_from(input[0]);
}

#[test]
fn one_number_is_not_a_pair() {
    let client = client();
    let (input, out) = (client.create(f32::as_bytes(&[1.0])), client.empty(1));
    let (input, out) = (array::<f32>(&input, 1), array::<e2m1x2>(&out, 1));
    let error =
        half_of_a_pair::try_launch::<R>(&client, one(), CubeDim::new_1d(1), input, out).unwrap_err().to_string();
    assert!(error.contains("an `e2m1x2` is two numbers"), "{error}");
    assert_eq!((e2m1x2::packing_factor(), e2m1x2::as_type_native_unchecked().size()), (2, 1));
    assert!(e2m1x2::supported_uses(&client).contains(cubecl::features::TypeUsage::Conversion));
    assert_eq!((e2m1x2::from_bits(0x71).to_f32(), e2m1x2::minimum_value().to_bits()), ([0.5, 6.0], 0xff));
}
