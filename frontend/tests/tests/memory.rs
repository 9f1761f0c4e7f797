//! Slices, tensors, local arrays, lines, casts.
mod common;
use common::*;
use cubecl::prelude::*;

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

// A loop over units is made vectors of, and such an index is no range of memory in it.
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
