//! Local arrays: literals whose type follows from their uses, and zeros.
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn literals(out: &mut Array<f32>, counts: &mut Array<i32>) {
    let mut repeated = [0.0; 4];
    repeated[0] += 1.5;
    repeated[UNIT_POS + 1] = out[0];
    let mut listed = [0.0, 1.0];
    listed[0] = out[1];
    let mut numbers = [0; 3];
    numbers[1] += 1;
    let mut tally = [5; 2];
    tally[0] = counts[0];
    out[numbers[1]] = repeated[0] + repeated[1] + repeated[2];
    out[2] = listed[0] + listed[1];
    counts[0] = tally[0] + tally[1];
}

#[test]
fn the_type_of_a_literal_array_follows_from_its_uses() {
    let client = client();
    let counts = client.create(i32::as_bytes(&[-7]));
    let out = client.create(f32::as_bytes(&[10.0, 20.0, 30.0]));
    let (a, b) = (array::<f32>(&out, 3), array::<i32>(&counts, 1));
    literals::launch::<R>(&client, one(), CubeDim::new_single(), a, b);
    assert_eq!(f32::from_bytes(&client.read_one(out))[..], [10.0, 11.5, 21.0]);
    assert_eq!(i32::from_bytes(&client.read_one(counts))[..], [-2]);
}

#[cube]
fn double<T: Numeric>(values: &mut Array<T>) {
    for i in 0..values.len() {
        values[i] = values[i] + values[i];
    }
}

#[cube(launch)]
fn passed_on<T: Numeric>(out: &mut Array<T>) {
    let mut values = [T::from_int(3); 2];
    double::<T>(&mut values);
    out[0] = values[0] + values[1];
}

#[test]
fn a_literal_array_is_passed_to_a_function() {
    let got = outputs::<u32>(1, |c, out| passed_on::launch::<u32, R>(c, one(), CubeDim::new_single(), out));
    assert_eq!(got, [12]);
}

/// Local arrays of scalars and lines. The kernel increments one element of each array at a run-time index, and
/// sums all elements.
#[cube(launch)]
fn zeros<T: Numeric>(out: &mut Array<T>, at: u32, #[comptime] length: u32, #[comptime] line: u32) {
    let mut plain = Array::<T>::new(length);
    plain[at] += T::from_int(1);
    let mut lines = Array::<Line<T>>::lined(length, line);
    lines[at] += Line::new(T::from_int(2));
    let mut other = Array::<Line<T>>::vectorized(length, line);
    other[at] += Line::new(T::from_int(3));
    let mut sum = T::from_int(0);
    for i in 0..length {
        sum += plain[i] + lines[i][line - 1] + other[i][0];
    }
    out[ABSOLUTE_POS] = sum;
}

/// An array declared in a loop is initialised in each iteration.
#[cube(launch)]
fn reset_each_time(out: &mut Array<u32>, rounds: u32) {
    let mut most = 0u32;
    for round in 0..rounds {
        let mut seen = Array::<u32>::new(8u32);
        seen[round % 8] += 1;
        seen[(round + 1) % 8] += 1;
        for i in 0..8u32 {
            most += seen[i];
        }
    }
    out[ABSOLUTE_POS] = most;
}

#[test]
fn a_new_local_array_is_all_zero() {
    for length in [1, 7, 64, 256, 257, 1000] {
        for line in [1, 4] {
            let got = outputs::<f32>(64, |c, out| {
                zeros::launch::<f32, R>(c, one(), CubeDim::new_1d(64), out, ScalarArg::new(length / 2), length, line);
            });
            assert_eq!(got, [6.0; 64], "{length} lines of {line}");
        }
    }
    let got = outputs::<u32>(64, |c, out| {
        zeros::launch::<u32, R>(c, one(), CubeDim::new_1d(64), out, ScalarArg::new(0), 300, 2);
    });
    assert_eq!(got, [6; 64]);
    let got =
        outputs::<u32>(8, |c, out| reset_each_time::launch::<R>(c, one(), CubeDim::new_1d(8), out, ScalarArg::new(5)));
    assert_eq!(got, [10; 8]);
}

/// An array literal with many elements, which a loop writes.
#[cube(launch)]
fn long(out: &mut Array<u32>, at: u32) {
    let mut table = [7u32; 1000];
    table[at] = 8;
    let mut sum = 0u32;
    for i in 0..1000u32 {
        sum += table[i];
    }
    out[ABSOLUTE_POS] = sum;
}

#[test]
fn a_long_literal_array_has_its_value_everywhere() {
    let got = outputs::<u32>(3, |c, out| long::launch::<R>(c, one(), CubeDim::new_1d(3), out, ScalarArg::new(999)));
    assert_eq!(got, [7001; 3]);
}
