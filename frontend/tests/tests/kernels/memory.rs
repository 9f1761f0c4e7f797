//! Slices, tensors, local arrays, lines, casts.
mod arrays;
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::{ReinterpretSlice, ReinterpretSliceMut};

#[cube]
fn total(values: &Slice<f32>) -> f32 {
    let mut sum = 0.0;
    for i in 0..values.len() {
        sum += values[i];
    }
    sum
}

#[cube(launch)]
fn slices(input: &Array<f32>, out: &mut Array<f32>) {
    let start = ABSOLUTE_POS * 3;
    let part = input.slice(start, start + 3);
    let inner = part.slice(1, 3);
    out[2 * ABSOLUTE_POS] = total(&part);
    let mut mine = out.slice_mut(2 * ABSOLUTE_POS + 1, 2 * ABSOLUTE_POS + 2);
    mine[0] = total(&inner);
}

#[test]
fn slices_of_slices() {
    let client = client();
    let data: Vec<f32> = (0..9).map(|i| i as f32).collect();
    let input = client.create(f32::as_bytes(&data));
    let got =
        outputs::<f32>(6, |c, out| slices::launch::<R>(c, one(), CubeDim::new_1d(3), array::<f32>(&input, 9), out));
    assert_eq!(got, [3.0, 3.0, 12.0, 9.0, 21.0, 15.0]);
}

#[cube(launch)]
fn transpose(input: &Tensor<i32>, out: &mut Array<i32>) {
    let i = ABSOLUTE_POS;
    if i < input.len() {
        let (rows, columns) = (input.shape(0), input.shape(1));
        let (row, column) = (i / columns, i % columns);
        out[column * rows + row] = input[row * input.stride(0) + column * input.stride(1)] + input.rank() as i32;
    }
}

#[test]
fn tensors_know_their_shape() {
    let client = client();
    let data: Vec<i32> = (0..12).collect();
    let input = client.create(i32::as_bytes(&data));
    let got = outputs::<i32>(12, |c, out| {
        // SAFETY: the handle has that many elements.
        let input = unsafe { TensorArg::from_raw_parts::<i32>(&input, &[4, 1], &[3, 4], 1) };
        transpose::launch::<R>(c, one(), CubeDim::new_1d(16), input, out)
    });
    let host: Vec<i32> = (0..12).map(|at| (at % 3) * 4 + at / 3 + 2).collect();
    assert_eq!(got, host);
}

#[cube(launch)]
fn sorted(input: &Array<u32>, out: &mut Array<u32>, #[comptime] n: u32) {
    let mut values = Array::<u32>::new(n);
    for i in 0..n {
        values[i] = input[i];
    }
    for i in 0..n {
        for j in 0..n - 1 - i {
            if values[j] > values[j + 1] {
                let low = values[j + 1];
                values[j + 1] = values[j];
                values[j] = low;
            }
        }
    }
    for i in 0..n {
        out[i] = values[i];
    }
}

#[test]
fn arrays_of_one_unit() {
    let client = client();
    let input = client.create(u32::as_bytes(&[7, 3, 9, 1]));
    let got =
        outputs::<u32>(4, |c, out| sorted::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 4), out, 4));
    assert_eq!(got, [1, 3, 7, 9]);
}

#[cube(launch)]
fn lines<F: Float>(input: &Array<Line<F>>, out: &mut Array<Line<F>>) {
    let line = input[ABSOLUTE_POS];
    let mut sum = F::new(0.0);
    #[unroll]
    for i in 0..line.size() {
        sum += line[i];
    }
    out[ABSOLUTE_POS] = line * Line::new(F::new(2.0)) + Line::new(sum);
}

#[test]
fn lines_of_four() {
    let client = client();
    let data: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let input = client.create(f32::as_bytes(&data));
    let out = client.empty(32);
    // SAFETY: both handles have that many elements.
    let line = |handle| unsafe { ArrayArg::from_raw_parts::<f32>(handle, 8, 4) };
    lines::launch::<f32, R>(&client, one(), CubeDim::new_1d(2), line(&input), line(&out));
    let host: Vec<f32> = (0..8).map(|i| i as f32 * 2.0 + if i < 4 { 6.0 } else { 22.0 }).collect();
    assert_eq!(f32::from_bytes(&client.read_one(out)), host);
}

#[cube(launch)]
fn casts(input: &Array<f32>, out: &mut Array<i32>) {
    let x = input[ABSOLUTE_POS];
    let i = ABSOLUTE_POS * 4;
    out[i] = x as i32;
    out[i + 1] = (x as u8) as i32;
    out[i + 2] = i32::cast_from(x > 0.0);
    out[i + 3] = i32::reinterpret(x);
}

#[test]
fn casts_have_the_meaning_of_rust() {
    let client = client();
    let data = [1.75, -3.5, 300.0, 1e20, f32::NAN];
    let input = client.create(f32::as_bytes(&data));
    let got =
        outputs::<i32>(20, |c, out| casts::launch::<R>(c, one(), CubeDim::new_1d(5), array::<f32>(&input, 5), out));
    let host: Vec<i32> =
        data.iter().flat_map(|x| [*x as i32, i32::from(*x as u8), i32::from(*x > 0.0), x.to_bits() as i32]).collect();
    assert_eq!(got, host);
}

#[cube(launch)]
fn wrapped(input: &Array<u32>, out: &mut Array<u32>, #[comptime] form: u32) {
    let i = ABSOLUTE_POS;
    let x = match form {
        0 => input[i % 8],
        1 => input[(i + 3) % 8] + input[i + 4],
        2 => input[i & 15] * input[i + 1],
        3 => input[i - i / 8 * 8] + input[i],
        4 => input[u32::cast_from(u8::cast_from(i + 200))],
        5 => input[i / 4 % 16] + input[i * 2 % 32] + input[i * 8 & 24],
        _ => {
            let mut sum = 0;
            for j in 0..40 {
                sum = sum * 3 + input[(i + j) % 4] + input[j + 2];
            }
            sum
        }
    };
    out[i] = x;
}

// The loop over units is vectorised, and indices that wrap are not a contiguous range of memory.
#[test]
fn indices_begin_again() {
    let data: Vec<u32> = (0..1024).map(|i| i * i * 7 + 1).collect();
    let host = |form: u32, i: usize| match form {
        0 => data[i % 8],
        1 => data[(i + 3) % 8] + data[i + 4],
        2 => data[i % 16].wrapping_mul(data[i + 1]),
        3 => data[i % 8] + data[i],
        4 => data[(i + 200) % 256],
        5 => data[i / 4 % 16] + data[i * 2 % 32] + data[i * 8 % 32],
        _ => (0..40).fold(0u32, |sum, j| sum.wrapping_mul(3).wrapping_add(data[(i + j) % 4] + data[j + 2])),
    };
    for form in 0..7 {
        for units in [8, 64, 256] {
            for cubes in [1, 3] {
                let n = (units * cubes) as usize;
                let got = outputs::<u32>(n, |c, out| {
                    let input = c.create(u32::as_bytes(&data));
                    let (count, dim) = (CubeCount::Static(cubes, 1, 1), CubeDim::new_1d(units));
                    wrapped::launch::<R>(c, count, dim, array::<u32>(&input, 1024), out, form)
                });
                assert_eq!(got, (0..n).map(|i| host(form, i)).collect::<Vec<_>>(), "{form} {units} {cubes}");
            }
        }
    }
}

#[cube]
fn total_of<N: Numeric, L: List<N>>(list: &L) -> N {
    let mut sum = N::from_int(0);
    for i in 0..list.len() {
        sum += list.read(i);
    }
    let tail = list.slice(1, list.len());
    sum * N::from_int(10) + tail[0]
}

#[cube]
fn scale_all<N: Numeric, L: ListMut<N>>(list: &mut L, by: N) {
    for i in 0..list.len() {
        list.write(i, list.read_unchecked(i) * by);
    }
    let mut all = list.to_slice_mut();
    all[0] = all[0] + by;
}

#[cube(launch)]
fn lists(input: &Array<u32>, tensor: &Tensor<u32>, out: &mut Array<u32>) {
    out[0] = total_of::<u32, Array<u32>>(input);
    out[1] = total_of::<u32, Tensor<u32>>(tensor);
    out[2] = total_of::<u32, Slice<u32>>(&input.slice(1, 3));
    let mut shared = SharedMemory::<u32>::new(3u32);
    let mut local = Array::<u32>::new(2u32);
    for i in 0..3u32 {
        shared[i] = i + 1;
    }
    local[0] = 7;
    local[1] = 8;
    scale_all::<u32, SharedMemory<u32>>(&mut shared, 2);
    scale_all::<u32, Array<u32>>(&mut local, 3);
    scale_all::<u32, SliceMut<u32>>(&mut shared.slice_mut(1, 3), 10);
    out[3] = total_of::<u32, SharedMemory<u32>>(&shared);
    out[4] = total_of::<u32, Array<u32>>(&local);
    out.write(5, input.read(2));
    let empty = input.slice(2, 2);
    out[6] = select(empty.is_empty(), 1, 2);
    let reader = out.to_slice();
    let mut writer = reader.as_mut_unchecked();
    writer[7] = 77;
    copy_bulk(&input.slice(1, 4), 1, &mut out.to_slice_mut(), 8, 2);
}

#[test]
fn lists_of_every_kind() {
    let client = client();
    let input = client.create(u32::as_bytes(&[1, 2, 3, 4]));
    let got = outputs::<u32>(10, |c, out| {
        // SAFETY: the handle has that many elements.
        let tensor = unsafe { TensorArg::from_raw_parts::<u32>(&input, &[1], &[4], 1) };
        lists::launch::<R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 4), tensor, out)
    });
    // Shared: [1, 2, 3], twice is [4, 4, 6]; its end by ten is [4, 50, 60]. Local: [7, 8], three times is [24, 24].
    assert_eq!(got, [102, 102, 53, 1190, 504, 3, 1, 77, 3, 4]);
}

#[cube(launch)]
fn lines_of_numbers(input: &Array<Line<i32>>, out: &mut Array<Line<u32>>, chosen: &mut Array<i32>) {
    let line = input[UNIT_POS];
    out[0] = line.count_ones();
    out[1] = line.leading_zeros();
    out[2] = line.find_first_set();
    let mut sum = 0i32;
    if comptime!(line.size() == 4) {
        let n = line.size();
        #[unroll]
        for i in 0..n {
            sum += line[i] * comptime!(n as i32);
        }
    }
    chosen[0] = sum;
}

#[test]
fn bit_counts_of_lines_are_lines() {
    let client = client();
    let input = client.create(i32::as_bytes(&[1, -1, 12, 0]));
    let (out, chosen) = (client.empty(48), client.empty(4));
    // SAFETY: the handles have that many elements.
    let (lines, results) =
        unsafe { (ArrayArg::from_raw_parts::<i32>(&input, 4, 4), ArrayArg::from_raw_parts::<u32>(&out, 12, 4)) };
    lines_of_numbers::launch::<R>(&client, one(), CubeDim::new_1d(1), lines, results, array::<i32>(&chosen, 1));
    assert_eq!(u32::from_bytes(&client.read_one(out)), [1, 32, 2, 0, 31, 0, 28, 32, 1, 1, 3, 0]);
    assert_eq!(i32::from_bytes(&client.read_one(chosen)), [48]);
}

#[cube(launch)]
fn choices<F: Float>(input: &Array<F>, out: &mut Array<F>) {
    out[UNIT_POS] = select(input[UNIT_POS] > F::new(2.0), F::new(1.0), F::new(-1.0));
}

#[test]
fn a_line_of_conditions_chooses_between_numbers() {
    let client = client();
    let input = client.create(f32::as_bytes(&[1.0, 2.0, 3.0, 4.0]));
    let out = client.empty(16);
    // SAFETY: the handles have that many elements.
    let (lines, results) =
        unsafe { (ArrayArg::from_raw_parts::<f32>(&input, 4, 4), ArrayArg::from_raw_parts::<f32>(&out, 4, 4)) };
    choices::launch::<f32, R>(&client, one(), CubeDim::new_1d(1), lines, results);
    assert_eq!(f32::from_bytes(&client.read_one(out)), [-1.0, -1.0, 1.0, 1.0]);
}

#[cube]
fn within<T: Max + Min + Clamp>(value: T, low: T, high: T) -> T {
    Max::max(T::clamp(value, low, high), Min::min(low, high))
}

#[cube]
fn parts_of(whole: u32, part: u32) -> u32 {
    whole.div_ceil(part)
}

#[cube(launch)]
fn bounded<F: Float>(input: &Array<u32>, out: &mut Array<u32>) {
    let x = input[UNIT_POS];
    out[0] = within::<u32>(x, 3, 9);
    out[1] = parts_of(x, 4);
    let multiple = x.is_multiple_of(5);
    out[2] = select(multiple && bool::new(true), 1, 0);
    out[3] = F::elem_size() * 100 + F::elem_size_bits() + F::packing_factor();
    let none = x.is_multiple_of(x - 10);
    out[4] = select(none, 1, 0);
}

#[test]
fn names_of_numbers() {
    let client = client();
    let input = client.create(u32::as_bytes(&[10]));
    let got = outputs::<u32>(5, |c, out| {
        bounded::launch::<f64, R>(c, one(), CubeDim::new_1d(1), array::<u32>(&input, 1), out)
    });
    assert_eq!(got, [9, 3, 1, 865, 0]);
}

#[cube]
fn powers(x: u32) -> (u32, u32, u32, u32, u32, u32, u32, u32, u32, u32) {
    let (a, b, c) = (x, x * x, x * x * x);
    (1, a, b, c, a * c, b * c, c * c, a * c * c, b * c * c, c * c * c)
}

#[cube(launch)]
fn long_tuples(given: &(Array<u32>, u32, u32, Array<u32>, u32), out: &mut Array<u32>) {
    let all = powers(given.1);
    out[0] = all.9 + given.0[0] * given.2;
    out[1] = all.4 + given.3[1] * given.4;
}

#[test]
fn tuples_are_as_long_as_in_the_dialect() {
    let client = client();
    let input = client.create(u32::as_bytes(&[5, 6]));
    let got = outputs::<u32>(2, |c, out| {
        let number = |n: u32| ScalarArg::new(n);
        let given = (array::<u32>(&input, 2), number(2), number(10), array::<u32>(&input, 2), number(100));
        long_tuples::launch::<R>(c, one(), CubeDim::new_1d(1), given, out)
    });
    assert_eq!(got, [512 + 50, 16 + 600]);
}

#[cube(launch)]
fn add_shifted(input: &Array<Line<u32>>, other: &Array<u32>, out: &mut Array<Line<u32>>) {
    let first = other[UNIT_POS * 2];
    out[UNIT_POS] = input[UNIT_POS] + Line::new(first);
}

#[test]
fn one_handle_for_several_arguments() {
    let client = client();
    let data = client.create(u32::as_bytes(&[1, 2, 3, 4]));
    // SAFETY: the handle has that many elements.
    let lines = || unsafe { ArrayArg::from_raw_parts::<u32>(&data, 4, 2) };
    add_shifted::launch::<R>(&client, one(), CubeDim::new_1d(2), lines(), array::<u32>(&data, 4), lines());
    assert_eq!(u32::from_bytes(&client.read_one(data)), [2, 3, 6, 7]);
}

#[cube(launch)]
fn whole_powers<I: Int + Powi<i32>>(input: &Array<I>, out: &mut Array<I>, n: i32) {
    out[UNIT_POS] = input[UNIT_POS].powi(3);
    out[UNIT_POS + CUBE_DIM] = I::powi(input[UNIT_POS], n);
}

#[test]
fn whole_powers_of_integers() {
    let client = client();
    let input = client.create(i32::as_bytes(&[-3, 2, 1, -1]));
    for (n, powers) in [(4, [81, 16, 1, 1]), (0, [1; 4]), (-1, [0, 0, 1, -1])] {
        let got = outputs::<i32>(8, |c, out| {
            let units = CubeDim::new_1d(4);
            whole_powers::launch::<i32, R>(c, one(), units, array::<i32>(&input, 4), out, ScalarArg::new(n))
        });
        assert_eq!(got[..4], [-27, 8, 1, -1]);
        assert_eq!(got[4..], powers, "to the power of {n}");
    }
}

#[cube]
fn doubled(lines: &Slice<Line<u32>>, out: &mut SliceMut<Line<u32>>) {
    for i in 0..lines.len() {
        out[i] = lines[i] + lines[i];
    }
}

#[cube(launch)]
fn other_lines(input: &Array<Line<u32>>, out: &mut Array<Line<u32>>, reported: &mut Array<u32>, #[comptime] line: u32) {
    let from = input.to_slice().with_line_size(line);
    let mut to = out.to_slice_mut().with_line_size(line);
    reported[0] = from.len();
    reported[1] = from.line_size();
    reported[2] = input.len();
    doubled(&from, &mut to);
}

#[test]
fn slices_with_lines_of_another_size() {
    let client = client();
    let data: Vec<u32> = (0..8).collect();
    let input = client.create(u32::as_bytes(&data));
    let twice: Vec<u32> = data.iter().map(|n| n * 2).collect();
    for given in [1, 2, 4, 8] {
        for line in [1, 2, 4, 8] {
            let (out, reported) = (client.empty(32), client.empty(12));
            // SAFETY: the handles have that many elements.
            let lines = |handle| unsafe { ArrayArg::from_raw_parts::<u32>(handle, 8, given) };
            let reported_arg = array::<u32>(&reported, 3);
            other_lines::launch::<R>(
                &client,
                one(),
                CubeDim::new_1d(1),
                lines(&input),
                lines(&out),
                reported_arg,
                line,
            );
            assert_eq!(u32::from_bytes(&client.read_one(out)), twice, "lines of {given} as lines of {line}");
            let reported = client.read_one(reported);
            assert_eq!(u32::from_bytes(&reported), [8 / line, line, 8 / u32::from(given)]);
        }
    }
}

#[cube(launch)]
fn as_bytes(input: &Array<f32>, out: &mut Array<Line<u8>>, back: &mut Array<f32>) {
    let line_size = out.line_size();
    let mut shared = SharedMemory::<u8>::new_lined(2u32, 8u32);
    let mut bytes = ReinterpretSliceMut::<u8, f32>::new(out.to_slice_mut(), line_size);
    let mut kept = ReinterpretSliceMut::<u8, f32>::new(shared.to_slice_mut(), 8u32);
    bytes.write(UNIT_POS, input[UNIT_POS]);
    kept.write(UNIT_POS, bytes.read(UNIT_POS) + 1.0);
    sync_cube();
    let read = ReinterpretSlice::<u8, f32>::new(shared.to_slice(), 8u32);
    back[UNIT_POS] = read.read(3 - UNIT_POS);
}

#[test]
fn bytes_as_numbers() {
    let client = client();
    let values = [1.0f32, -8.5, 3.25, 1e9];
    let input = client.create(f32::as_bytes(&values));
    for line in [1, 2, 4, 8] {
        let (out, back) = (client.empty(16), client.empty(16));
        // SAFETY: the handle has that many elements.
        let bytes = unsafe { ArrayArg::from_raw_parts::<u8>(&out, 16, line) };
        as_bytes::launch::<R>(
            &client,
            one(),
            CubeDim::new_1d(4),
            array::<f32>(&input, 4),
            bytes,
            array::<f32>(&back, 4),
        );
        assert_eq!(client.read_one(out).to_vec(), f32::as_bytes(&values), "lines of {line}");
        assert_eq!(f32::from_bytes(&client.read_one(back)), [1e9 + 1.0, 4.25, -7.5, 2.0]);
    }
}

/// Indices of type `usize`, as in Rust's own arrays.
#[cube(launch)]
fn indices_of_rust(x: &Array<u32>, out: &mut Array<u32>, n: u32) {
    let i = ABSOLUTE_POS as usize;
    let mut shared = SharedMemory::<u32>::new(8u32);
    let own = [7u32, 8, 9];
    shared[UNIT_POS as usize] = x[i] + 1;
    sync_cube();
    out[i] = shared[(i + 1) % 4] + own[n as usize];
    out[i + 4] = 0;
    for k in 0..n as usize {
        out[i + 4] += x[k];
    }
    out[2 * i + 8] += x[(n - n) as usize];
    if i == 0 {
        // Far outside: a read gives zero.
        let far: usize = (1usize << 33) + i;
        out[16] = x[far] + 5 + TABLE[i + 1] + TABLE[UNIT_POS as usize] + TABLE[2];
    }
}

const TABLE: [u32; 3] = [100, 1000, 10_000];

#[test]
fn indices_can_be_of_type_usize() {
    let client = client();
    let x = client.create(u32::as_bytes(&[10, 20, 30, 40]));
    let out = client.create(u32::as_bytes(&[1; 17]));
    let (x, of) = (array::<u32>(&x, 4), array::<u32>(&out, 17));
    indices_of_rust::try_launch::<R>(&client, one(), CubeDim::new_1d(4), x, of, ScalarArg::new(2u32)).unwrap();
    let got = u32::from_bytes(&client.read_one(out)).to_vec();
    assert_eq!(got, [30, 40, 50, 20, 30, 30, 30, 30, 11, 1, 11, 1, 11, 1, 11, 1, 11_105]);
}

/// A launch passes a number of the host's width, which has 64 bits in a kernel of this dialect.
#[cube(launch)]
fn sized(out: &mut Array<u32>, n: usize) {
    out[n % 4] = (n >> 32) as u32;
    out[3] = n as u32;
}

#[test]
fn a_launch_passes_a_usize() {
    let got = outputs::<u32>(4, |c, out| {
        sized::launch::<R>(c, one(), CubeDim::new_single(), out, ScalarArg::new((7 << 32) + 6));
    });
    assert_eq!(got[2..], [7, 6]);
}
