//! Softmax and normalisations of rows, transposition, gathering, scattering and histograms, compared with plain Rust.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::histogram::histogram;
use cubecl::std::movement::{self, Scatter};
use cubecl::std::rows::{self, Parameters};

fn values(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919 % 1009) as f32) * 0.01 - 5.0).collect()
}

/// The softmax in f64.
fn softmax_of(row: &[f32]) -> Vec<f64> {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f64> = row.iter().map(|x| f64::from(x - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|x| x / sum).collect()
}

fn assert_near(got: &[f32], host: &[f64], tolerance: f64, at: &str) {
    assert_eq!(got.len(), host.len(), "{at}");
    for (i, (a, b)) in got.iter().zip(host).enumerate() {
        assert!((f64::from(*a) - b).abs() <= tolerance * b.abs().max(1e-3), "{at}: element {i} is {a}, expected {b}");
    }
}

/// Lengths of rows: with lines of each width, in registers and in memory (more than 32,768 elements).
const COLUMNS: [usize; 8] = [1, 3, 4, 31, 130, 1000, 4096, 40_002];

#[test]
fn softmax_of_rows() {
    softmax_with(&client());
}

/// A client whose device has no plane operations, by its features.
pub(super) fn client_without_planes() -> Client {
    let client = client();
    let mut features = client.properties().features.clone();
    features.plane = Default::default();
    client.with_features(features)
}

#[test]
fn rows_are_combined_without_planes() {
    let client = client_without_planes();
    assert!(!client.properties().features.plane.contains(cubecl::features::Plane::Ops));
    softmax_with(&client);
    normalised_with(&client);
}

fn softmax_with(client: &Client) {
    for columns in COLUMNS {
        let rows = if columns > 4000 { 2 } else { 5 };
        let data = values(rows * columns);
        let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(4 * data.len()));
        rows::softmax::<R, f32>(client, &input, &out, &[rows, columns], 1).unwrap();
        let host: Vec<f64> = data.chunks(columns).flat_map(softmax_of).collect();
        assert_near(f32::from_bytes(&client.read_one(out)), &host, 4e-6, &format!("{rows} x {columns}"));
    }
}

#[test]
fn softmax_along_another_axis() {
    let client = client();
    let shape = [2, 9, 5];
    let data = values(90);
    let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(360));
    rows::softmax::<R, f32>(&client, &input, &out, &shape, 1).unwrap();
    let mut host = vec![0.0; 90];
    for (outer, inner) in (0..2).flat_map(|outer| (0..5).map(move |inner| (outer, inner))) {
        let at = |i: usize| (outer * 9 + i) * 5 + inner;
        let column: Vec<f32> = (0..9).map(|i| data[at(i)]).collect();
        for (i, value) in softmax_of(&column).into_iter().enumerate() {
            host[at(i)] = value;
        }
    }
    assert_near(f32::from_bytes(&client.read_one(out)), &host, 4e-6, "axis 1");
}

#[test]
fn softmax_of_special_values() {
    let client = client();
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let data = [1.0, -inf, 1.0, 1.0, inf, 2.0, 3.0, nan, 4.0, -inf, -inf, -inf, 1e38, -1e38, 1e38];
    let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(60));
    rows::softmax::<R, f32>(&client, &input, &out, &[5, 3], 1).unwrap();
    let bytes = client.read_one(out);
    let got = f32::from_bytes(&bytes);
    assert_eq!((&got[..3], &got[12..]), (&[0.5f32, 0.0, 0.5][..], &[0.5f32, 0.0, 0.5][..]));
    assert!(got[3..12].iter().all(|x| x.is_nan()), "{got:?}");
    // The same rows as columns.
    let columns: Vec<f32> = (0..15).map(|i| data[i % 5 * 3 + i / 5]).collect();
    let (input, out) = (client.create(f32::as_bytes(&columns)), client.empty(60));
    rows::softmax::<R, f32>(&client, &input, &out, &[3, 5], 0).unwrap();
    let bytes = client.read_one(out);
    let of_columns: Vec<f32> = (0..15).map(|i| f32::from_bytes(&bytes)[i % 3 * 5 + i / 3]).collect();
    assert_eq!(format!("{of_columns:?}"), format!("{got:?}"));
}

#[test]
fn normalised_rows() {
    normalised_with(&client());
}

fn normalised_with(client: &Client) {
    for columns in COLUMNS {
        let rows = if columns > 4000 { 2 } else { 5 };
        let data = values(rows * columns);
        let weight: Vec<f32> = (0..columns).map(|i| 0.5 + (i % 7) as f32).collect();
        let bias: Vec<f32> = (0..columns).map(|i| (i % 5) as f32 - 2.0).collect();
        let input = client.create(f32::as_bytes(&data));
        let (w, b) = (client.create(f32::as_bytes(&weight)), client.create(f32::as_bytes(&bias)));
        let run = |centred: bool, parameters: Parameters<'_>| -> Vec<f32> {
            let out = client.empty(4 * data.len());
            let launch = if centred { rows::layer_norm::<R, f32> } else { rows::rms_norm::<R, f32> };
            launch(client, &input, &out, [rows, columns], parameters).unwrap();
            f32::from_bytes(&client.read_one(out)).to_vec()
        };
        let host = |centred: bool, weight: &dyn Fn(usize) -> f32, bias: &dyn Fn(usize) -> f32| -> Vec<f64> {
            let n = columns as f64;
            let normal = |row: &[f32]| -> Vec<f64> {
                let mean = if centred { row.iter().copied().map(f64::from).sum::<f64>() / n } else { 0.0 };
                let variance = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / n;
                let scale = 1.0 / (variance + 1e-5).sqrt();
                let of =
                    |(i, x): (usize, &f32)| (f64::from(*x) - mean) * scale * f64::from(weight(i)) + f64::from(bias(i));
                row.iter().enumerate().map(of).collect()
            };
            data.chunks(columns).flat_map(normal).collect()
        };
        for centred in [true, false] {
            let at = format!("{rows} x {columns}, centred: {centred}");
            let all = Parameters { weight: Some(&w), bias: Some(&b), epsilon: 1e-5 };
            assert_near(&run(centred, all), &host(centred, &|i| weight[i], &|i| bias[i]), 2e-3, &at);
            if columns != 130 {
                continue;
            }
            let plain = Parameters { weight: None, bias: None, epsilon: 1e-5 };
            assert_near(&run(centred, plain), &host(centred, &|_| 1.0, &|_| 0.0), 2e-3, &at);
            let scaled = Parameters { weight: Some(&w), ..plain };
            assert_near(&run(centred, scaled), &host(centred, &|i| weight[i], &|_| 0.0), 2e-3, &at);
        }
    }
}

#[test]
fn transposed_matrices() {
    let client = client();
    for (batch, rows, columns) in [(1, 1, 1), (1, 32, 32), (2, 33, 65), (3, 7, 100), (1, 100, 5), (2, 0, 3)] {
        let count = batch * rows * columns;
        let data: Vec<u32> = (0..count as u32).collect();
        let (input, out) = (client.create(u32::as_bytes(&data)), client.empty(4 * count.max(1)));
        movement::transpose::<R, u32>(&client, &input, &out, batch, [rows, columns]).unwrap();
        let host: Vec<u32> = (0..count)
            .map(|at| {
                let (b, column, row) = (at / (rows * columns), at / rows % columns, at % rows);
                data[(b * rows + row) * columns + column]
            })
            .collect();
        assert_eq!(u32::from_bytes(&client.read_one(out))[..count], host, "{batch} {rows} {columns}");
    }
}

#[test]
fn values_gathered_and_scattered_by_indices() {
    let client = client();
    let shape = [2usize, 5, 3];
    let data: Vec<i32> = (1..=30).collect();
    let chosen = [4u32, 0, 4, 9, u32::MAX, 2];
    let (input, indices) = (client.create(i32::as_bytes(&data)), client.create(u32::as_bytes(&chosen)));
    let out = client.create(i32::as_bytes(&[-1; 36]));
    movement::gather::<R, i32>(&client, &input, &shape, 1, (&indices, 6), &out).unwrap();
    let source = |at: usize| {
        let index = chosen[at / 3 % 6] as usize;
        if index < 5 { data[(at / 18 * 5 + index) * 3 + at % 3] } else { 0 }
    };
    let gathered: Vec<i32> = (0..36).map(source).collect();
    assert_eq!(i32::from_bytes(&client.read_one(out.clone())), gathered);
    let sums = client.create(i32::as_bytes(&[100; 30]));
    movement::scatter::<R, i32>(Scatter::Add, &client, &out, (&indices, 6), &sums, &shape, 1).unwrap();
    let mut host = vec![100; 30];
    let mut last = vec![100; 30];
    for (at, value) in gathered.iter().enumerate() {
        let index = chosen[at / 3 % 6] as usize;
        if index < 5 {
            host[(at / 18 * 5 + index) * 3 + at % 3] += value;
            last[(at / 18 * 5 + index) * 3 + at % 3] = *value;
        }
    }
    assert_eq!(i32::from_bytes(&client.read_one(sums)), host);
    let replaced = client.create(i32::as_bytes(&[100; 30]));
    movement::scatter::<R, i32>(Scatter::Replace, &client, &out, (&indices, 6), &replaced, &shape, 1).unwrap();
    assert_eq!(i32::from_bytes(&client.read_one(replaced)), last);
    // Rows of 8 elements are moved in lines.
    let data: Vec<i32> = (0..40).collect();
    let (input, out) = (client.create(i32::as_bytes(&data)), client.empty(6 * 32));
    movement::gather::<R, i32>(&client, &input, &[5, 8], 0, (&indices, 6), &out).unwrap();
    let host = |at: usize| data.get(chosen[at / 8] as usize * 8 + at % 8).copied().unwrap_or(0);
    assert_eq!(i32::from_bytes(&client.read_one(out.clone())), (0..48).map(host).collect::<Vec<_>>());
    let back = client.create(i32::as_bytes(&[-1; 40]));
    movement::scatter::<R, i32>(Scatter::Replace, &client, &out, (&indices, 6), &back, &[5, 8], 0).unwrap();
    let host = |at: usize| if [0, 2, 4].contains(&(at / 8)) { data[at] } else { -1 };
    assert_eq!(i32::from_bytes(&client.read_one(back)), (0..40).map(host).collect::<Vec<_>>());
}

#[test]
fn histograms_in_shared_and_global_memory() {
    let client = client();
    let data: Vec<f32> = values(10_000).into_iter().chain([f32::NAN, f32::INFINITY, -5.0, 5.0, 5.1]).collect();
    let input = client.create(f32::as_bytes(&data));
    for bins in [1usize, 7, 2048, 2049] {
        let counts = client.create(u32::as_bytes(&vec![3; bins]));
        histogram::<R, f32>(&client, &input, data.len(), [-5.0, 5.0], &counts, bins).unwrap();
        let mut host = vec![3u32; bins];
        for x in data.iter().filter(|x| (-5.0..=5.0).contains(*x)) {
            host[(((x + 5.0) / 10.0 * bins as f32) as usize).min(bins - 1)] += 1;
        }
        assert_eq!(u32::from_bytes(&client.read_one(counts)), host, "{bins}");
    }
}

#[test]
fn wrong_sizes_are_reported() {
    let client = client();
    let handle = client.empty(16);
    let text = |result: Result<(), LaunchError>| result.unwrap_err().to_string();
    let error = text(rows::softmax::<R, f32>(&client, &handle, &handle, &[2, 2], 2));
    assert!(error.contains("axis 2 does not exist in a tensor of 2 dimensions"), "{error}");
    let error = text(rows::layer_norm::<R, f32>(&client, &handle, &handle, [1 << 20, 1 << 20], Parameters::default()));
    assert!(error.contains("divide it among several launches"), "{error}");
    let error = text(rows::softmax::<R, f32>(&client, &handle, &handle, &[2, 3], 1));
    assert!(error.contains("the buffer `input` has 16 bytes, but 6 elements of type f32 have 24 bytes"), "{error}");
    let bias = Parameters { bias: Some(&handle), ..Parameters::default() };
    let error = text(rows::rms_norm::<R, f32>(&client, &client.empty(80), &client.empty(80), [4, 5], bias));
    assert!(error.contains("the buffer `bias` has 16 bytes"), "{error}");
    let error = text(histogram::<R, f32>(&client, &handle, 4, [1.0, 1.0], &handle, 4));
    assert!(error.contains("use finite numbers in ascending order"), "{error}");
    let error = text(histogram::<R, f32>(&client, &handle, 4, [0.0, 1.0], &handle, 0));
    assert!(error.contains("a histogram of 0 bins"), "{error}");
    let error = text(movement::gather::<R, f32>(&client, &handle, &[4], 1, (&handle, 4), &handle));
    assert!(error.contains("axis 1 does not exist"), "{error}");
}

/// Rows with lines of each width, in registers and in memory. Equal values test that the smallest index is selected.
#[test]
fn reductions_of_long_rows() {
    use cubecl::std::reduce::{ArgMax, Mean, ReduceScope, Sum};
    for columns in [4usize, 258, 1000, 40_004, 40_001] {
        let data: Vec<i32> = (0..2 * columns as i32).map(|i| i * 7919 % 613 - 300).collect();
        let rows = || data.chunks(columns);
        let shape = [2, columns];
        let sums: Vec<i32> = rows().map(|row| row.iter().sum()).collect();
        assert_eq!(super::reduced::<i32, Sum>(ReduceScope::Cube, &data, &shape, 1), sums, "{columns}");
        let means: Vec<i32> = sums.iter().map(|sum| sum / columns as i32).collect();
        assert_eq!(super::reduced::<i32, Mean>(ReduceScope::Cube, &data, &shape, 1), means, "{columns}");
        let first = |row: &[i32]| row.iter().position(|x| x == row.iter().max().unwrap()).unwrap() as u32;
        let indices: Vec<u32> = rows().map(first).collect();
        assert_eq!(super::reduced::<i32, ArgMax>(ReduceScope::Cube, &data, &shape, 1), indices, "{columns}");
    }
}

/// Columns that a cube reduces together, with a number of columns that is not a multiple of the width of the cube.
#[test]
fn reductions_of_many_columns() {
    use cubecl::std::reduce::{ArgMin, ReduceScope, Sum};
    let shape = [2usize, 37, 70];
    let data: Vec<i32> = (0..2 * 37 * 70).map(|i| i * 7919 % 613 - 300).collect();
    let column = |at: usize| (0..37).map(move |i| (at / 70 * 37 + i) * 70 + at % 70);
    let sums: Vec<i32> = (0..140).map(|at| column(at).map(|i| data[i]).sum()).collect();
    assert_eq!(super::reduced::<i32, Sum>(ReduceScope::Cube, &data, &shape, 1), sums);
    let least = |at: usize| column(at).enumerate().min_by_key(|(i, at)| (data[*at], *i)).map_or(0, |(i, _)| i as u32);
    let indices: Vec<u32> = (0..140).map(least).collect();
    assert_eq!(super::reduced::<i32, ArgMin>(ReduceScope::Cube, &data, &shape, 1), indices);
}
