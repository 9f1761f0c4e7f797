//! Compares the standard library with plain Rust.
mod cubecl_names;
mod hostile;
mod packed;
mod quantized_views;
mod rows;
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::tensor::{TensorHandle, identity, into_contiguous};
use cubecl::std::{CubeOption, CubeOptionArgs, FastDivmod, FastDivmodArgs, matmul, quant, random, reduce, scan};

#[cube(launch)]
fn divide(input: &Array<u32>, out: &mut Array<u32>, by: FastDivmod) {
    let i = ABSOLUTE_POS;
    let (q, r) = by.div_mod(input[i]);
    out[3 * i] = q;
    out[3 * i + 1] = r;
    out[3 * i + 2] = by.div(input[i]) + by.modulo(input[i]);
}

#[cube(launch)]
fn divide_wide(input: &Array<u64>, out: &mut Array<u64>, by: FastDivmod<u64>) {
    let i = ABSOLUTE_POS;
    out[2 * i] = by.div(input[i]);
    out[2 * i + 1] = by.modulo(input[i]);
}

#[test]
fn division_by_a_shared_number_is_exact() {
    let client = client();
    for d in [1u32, 2, 3, 7, 10, 641, 65_537, 0x8000_0000, 0x8000_0001, u32::MAX] {
        let data = [0, 1, d - 1, d, 0xC000_0000, 0xC000_0001, u32::MAX / d * d, u32::MAX - 1, u32::MAX];
        let input = client.create(u32::as_bytes(&data));
        let got = outputs::<u32>(27, |c, out| {
            divide::launch::<R>(c, one(), CubeDim::new_1d(9), array::<u32>(&input, 9), out, FastDivmodArgs::new(c, d))
        });
        let host: Vec<u32> = data.iter().flat_map(|n| [n / d, n % d, n / d + n % d]).collect();
        assert_eq!(got, host, "by {d}");
    }
    for d in [1u64, 3, 10, 0xFFFF_FFFF_0000_0001, u64::MAX] {
        let data = [0, d - 1, d, u64::MAX / d * d, u64::MAX - 1, u64::MAX];
        let input = client.create(u64::as_bytes(&data));
        let got = outputs::<u64>(12, |c, out| {
            let by = FastDivmodArgs::new(c, d);
            divide_wide::launch::<R>(c, one(), CubeDim::new_1d(6), array::<u64>(&input, 6), out, by)
        });
        assert_eq!(got, data.iter().flat_map(|n| [n / d, n % d]).collect::<Vec<_>>(), "by {d}");
    }
}

#[cube(launch)]
fn biased(input: &Array<f32>, bias: CubeOption<Array<f32>>, out: &mut Array<f32>) {
    let x = input[ABSOLUTE_POS];
    out[ABSOLUTE_POS] = match bias {
        CubeOption::Some(bias) => x + bias[ABSOLUTE_POS],
        CubeOption::None => x,
    };
}

#[cube(launch)]
fn with_default(n: CubeOption<u32>, out: &mut Array<u32>) {
    let is_there = if n.is_some() { 100u32 } else { 0u32 };
    out[ABSOLUTE_POS] = n.unwrap_or(7) + is_there;
}

#[test]
fn optional_arguments() {
    let client = client();
    let (x, b) = (client.create(f32::as_bytes(&[1.0, 2.0])), client.create(f32::as_bytes(&[10.0, 20.0])));
    let run = |bias: CubeOptionArgs<'_, Array<f32>, R>| {
        outputs::<f32>(2, |c, out| biased::launch::<R>(c, one(), CubeDim::new_1d(2), array::<f32>(&x, 2), bias, out))
    };
    assert_eq!(run(CubeOptionArgs::Some(array::<f32>(&b, 2))), [11.0, 22.0]);
    assert_eq!(run(CubeOptionArgs::None), [1.0, 2.0]);
    let run = |n: Option<ScalarArg<u32>>| {
        outputs::<u32>(1, |c, out| with_default::launch::<R>(c, one(), CubeDim::new_1d(1), n.into(), out))
    };
    assert_eq!((run(Some(ScalarArg::new(3))), run(None)), (vec![103], vec![7]));
}

#[test]
fn tensors_without_gaps_and_identities() {
    let client = client();
    let data: Vec<i32> = (0..24).collect();
    let handle = client.create(i32::as_bytes(&data));
    let turned = TensorHandle::<R, i32>::new(handle, vec![4, 2, 3], vec![1, 12, 4]);
    let copy: TensorHandle<R, i32> = into_contiguous(&client, &turned.as_ref());
    let host: Vec<i32> =
        (0..4).flat_map(|a| (0..2).flat_map(move |b| (0..3).map(move |c| a + 12 * b + 4 * c))).collect();
    assert_eq!(i32::from_bytes(&client.read_one(copy.handle)), host);
    let square = TensorHandle::<R, f32>::empty(&client, vec![5, 5]);
    identity::launch(&client, &square);
    let host: Vec<f32> = (0..25).map(|i| f32::from(u8::from(i % 6 == 0))).collect();
    assert_eq!(f32::from_bytes(&client.read_one(square.handle)), host);
    let flat = TensorHandle::<R, f32>::empty(&client, vec![5, 4]);
    assert!(identity::try_launch_ref::<R, f32>(&client, &flat.as_ref()).unwrap_err().to_string().contains("[5, 4]"));
}

#[test]
fn products_of_matrices() {
    let client = client();
    for (m, k, n) in [(1, 1, 1), (16, 16, 16), (17, 33, 5), (40, 7, 20)] {
        let lhs: Vec<f32> = (0..m * k).map(|i| ((i * 7) % 11) as f32 - 5.0).collect();
        let rhs: Vec<f32> = (0..k * n).map(|i| ((i * 5) % 13) as f32 - 6.0).collect();
        let tensor = |data: &[f32], shape: [usize; 2]| {
            TensorHandle::<R, f32>::new_contiguous(shape.to_vec(), client.create(f32::as_bytes(data)))
        };
        let (a, b) = (tensor(&lhs, [m, k]), tensor(&rhs, [k, n]));
        let host: Vec<f32> =
            (0..m * n).map(|i| (0..k).map(|j| lhs[i / n * k + j] * rhs[j * n + i % n]).sum()).collect();
        for strategy in [matmul::Strategy::Naive, matmul::Strategy::Tiled] {
            let out = TensorHandle::<R, f32>::empty(&client, vec![m, n]);
            matmul::launch::<R, f32>(strategy, &client, &a.as_ref(), &b.as_ref(), &out.as_ref()).unwrap();
            assert_eq!(f32::from_bytes(&client.read_one(out.handle)), host, "{strategy:?} {m} {k} {n}");
        }
    }
}

fn reduced<N: Numeric + CubeElement, K: reduce::Reduction<N>>(
    level: reduce::ReduceScope,
    data: &[N],
    shape: &[usize],
    axis: usize,
) -> Vec<K::Output>
where
    K::Output: CubeElement,
{
    reduced_with::<N, K>(&client(), level, data, shape, axis)
}

fn reduced_with<N: Numeric + CubeElement, K: reduce::Reduction<N>>(
    client: &Client,
    level: reduce::ReduceScope,
    data: &[N],
    shape: &[usize],
    axis: usize,
) -> Vec<K::Output>
where
    K::Output: CubeElement,
{
    let lines = shape[..axis].iter().chain(&shape[axis + 1..]).product::<usize>();
    let (input, out) = (client.create(N::as_bytes(data)), client.empty(lines * size_of::<K::Output>()));
    reduce::launch::<R, N, K>(level, client, &input, shape, axis, &out).unwrap();
    K::Output::from_bytes(&client.read_one(out)).to_vec()
}

#[test]
fn reductions_along_each_axis() {
    use reduce::*;
    for shape in [[3, 5, 4], [2, 130, 3], [1, 1, 77]] {
        let count: usize = shape.iter().product();
        let data: Vec<i32> = (0..count).map(|i| ((i * 37) % 101) as i32 - 50).collect();
        for axis in 0..3 {
            let inner: usize = shape[axis + 1..].iter().product();
            let line = |l: usize| -> Vec<i32> {
                (0..shape[axis]).map(|k| data[(l / inner * shape[axis] + k) * inner + l % inner]).collect()
            };
            let lines: Vec<Vec<i32>> = (0..count / shape[axis]).map(line).collect();
            for level in [ReduceScope::Unit, ReduceScope::Plane, ReduceScope::Cube] {
                let at = format!("{shape:?} {axis} {level:?}");
                let host = |f: &dyn Fn(&[i32]) -> i32| lines.iter().map(|l| f(l)).collect::<Vec<_>>();
                assert_eq!(reduced::<i32, Sum>(level, &data, &shape, axis), host(&|l| l.iter().sum()), "{at}");
                let prod = host(&|l| l.iter().fold(1, |a: i32, b| a.wrapping_mul(*b)));
                assert_eq!(reduced::<i32, Prod>(level, &data, &shape, axis), prod, "{at}");
                let mean = host(&|l| l.iter().sum::<i32>() / l.len() as i32);
                assert_eq!(reduced::<i32, Mean>(level, &data, &shape, axis), mean, "{at}");
                assert_eq!(
                    reduced::<i32, Max>(level, &data, &shape, axis),
                    host(&|l| *l.iter().max().unwrap()),
                    "{at}"
                );
                assert_eq!(
                    reduced::<i32, Min>(level, &data, &shape, axis),
                    host(&|l| *l.iter().min().unwrap()),
                    "{at}"
                );
                let first = |best: &dyn Fn(&[i32]) -> i32| -> Vec<u32> {
                    lines.iter().map(|l| l.iter().position(|x| *x == best(l)).unwrap() as u32).collect()
                };
                let largest = first(&|l| *l.iter().max().unwrap());
                assert_eq!(reduced::<i32, ArgMax>(level, &data, &shape, axis), largest, "{at}");
                let smallest = first(&|l| *l.iter().min().unwrap());
                assert_eq!(reduced::<i32, ArgMin>(level, &data, &shape, axis), smallest, "{at}");
            }
        }
    }
}

#[test]
fn cubes_reduce_without_planes() {
    use reduce::*;
    let client = rows::client_without_planes();
    let level = ReduceScope::Cube;
    // Short rows that fit into registers, longer rows, and reductions along the last and the first axis.
    for (shape, axis) in [([3, 1], 1), ([3, 77], 1), ([2, 1000], 1), ([2, 40_002], 1), ([2, 3], 0), ([130, 5], 0)] {
        let count: usize = shape.iter().product();
        let data: Vec<i32> = (0..count).map(|i| ((i * 37) % 101) as i32 - 50).collect();
        let inner = if axis == 0 { shape[1] } else { 1 };
        let line = |l: usize| -> Vec<i32> {
            (0..shape[axis]).map(|k| data[(l / inner * shape[axis] + k) * inner + l % inner]).collect()
        };
        let lines: Vec<Vec<i32>> = (0..count / shape[axis]).map(line).collect();
        let at = format!("{shape:?} {axis}");
        let sums: Vec<i32> = lines.iter().map(|l| l.iter().sum()).collect();
        assert_eq!(reduced_with::<i32, Sum>(&client, level, &data, &shape, axis), sums, "{at}");
        let largest: Vec<i32> = lines.iter().map(|l| *l.iter().max().unwrap()).collect();
        assert_eq!(reduced_with::<i32, Max>(&client, level, &data, &shape, axis), largest, "{at}");
        let first: Vec<u32> =
            lines.iter().zip(&largest).map(|(l, most)| l.iter().position(|x| x == most).unwrap() as u32).collect();
        assert_eq!(reduced_with::<i32, ArgMax>(&client, level, &data, &shape, axis), first, "{at}");
    }
}

#[test]
fn reductions_ignore_nan() {
    use reduce::*;
    let data = [f32::NAN, f32::NEG_INFINITY, 3.0, f32::NAN, -7.0, 3.0];
    for level in [ReduceScope::Unit, ReduceScope::Plane, ReduceScope::Cube] {
        assert_eq!(reduced::<f32, Max>(level, &data, &[6], 0), [3.0]);
        assert_eq!(reduced::<f32, Min>(level, &data, &[6], 0), [f32::NEG_INFINITY]);
        assert_eq!(reduced::<f32, ArgMax>(level, &data, &[6], 0), [2]);
        assert_eq!(reduced::<f32, Max>(level, &data[1..2], &[1], 0), [f32::NEG_INFINITY]);
    }
}

#[test]
fn running_sums_of_any_length() {
    let client = client();
    for len in [1usize, 255, 256, 257, 1000, 66_000] {
        let data: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 5).collect();
        let input = client.create(u32::as_bytes(&data));
        for inclusive in [true, false] {
            let out = client.empty(len * 4);
            scan::launch::<R, u32>(&client, &input, &out, len, inclusive).unwrap();
            let mut sum = 0u32;
            let host: Vec<u32> = data
                .iter()
                .map(|x| {
                    let before = sum;
                    sum = sum.wrapping_add(*x);
                    if inclusive { sum } else { before }
                })
                .collect();
            assert_eq!(u32::from_bytes(&client.read_one(out)), host, "{len} {inclusive}");
        }
    }
}

#[test]
fn floats_in_eight_bits_and_back() {
    let client = client();
    let data: Vec<f32> = (0..100).map(|i| (i as f32 - 30.0) * 0.07).collect();
    let scheme = quant::Scheme::covering(-2.1, 4.83);
    let (input, bytes, back) = (client.create(f32::as_bytes(&data)), client.empty(100), client.empty(400));
    quant::quantize::<R, f32>(&client, &input, &bytes, 100, scheme).unwrap();
    quant::dequantize::<R, f32>(&client, &bytes, &back, 100, scheme).unwrap();
    let host: Vec<u8> =
        data.iter().map(|x| ((x / scheme.scale).round_ties_even() as i32 + scheme.zero).clamp(0, 255) as u8).collect();
    assert_eq!(u8::from_bytes(&client.read_one(bytes)), host);
    let back = client.read_one(back);
    assert!(data.iter().zip(f32::from_bytes(&back)).all(|(a, b)| (a - b).abs() <= scheme.scale * 0.501));
    assert_eq!(quant::Scheme::covering(1.0, 2.0).zero, 0, "0.0 is always among the numbers");
}

#[test]
fn products_in_eight_bits_are_exact() {
    let client = client();
    let [m, k, n] = [7, 300, 9];
    let lhs: Vec<u8> = (0..m * k).map(|i| ((i * 31) % 256) as u8).collect();
    let rhs: Vec<u8> = (0..k * n).map(|i| ((i * 17 + 5) % 256) as u8).collect();
    let scheme = |scale, zero| quant::Scheme { scale, zero };
    let (a, b, c) = (scheme(0.02, 100), scheme(0.01, 140), scheme(0.5, 128));
    let (ha, hb, hc) = (client.create(&lhs), client.create(&rhs), client.empty(m * n));
    let product = quant::Product { lhs: (&ha, a), rhs: (&hb, b), out: (&hc, c), shape: [m, k, n] };
    quant::matmul::<R>(&client, &product).unwrap();
    let rescale = quant::Rescale::new(f64::from(0.02f32) * f64::from(0.01f32) / 0.5);
    let sum = |i: usize| -> i32 {
        (0..k).map(|j| (i32::from(lhs[i / n * k + j]) - 100) * (i32::from(rhs[j * n + i % n]) - 140)).sum()
    };
    let host: Vec<u8> = (0..m * n).map(|i| (rescale.apply(sum(i)) + 128).clamp(0, 255) as u8).collect();
    assert_eq!(u8::from_bytes(&client.read_one(hc)), host);
    assert!(host.iter().any(|x| (1..255).contains(x)));
    for (i, q) in host.iter().enumerate() {
        let exact = (f64::from(sum(i)) * f64::from(0.02f32) * f64::from(0.01f32) / 0.5 + 128.0).clamp(0.0, 255.0);
        assert!((exact - f64::from(*q)).abs() <= 0.5001, "{exact} {q}");
    }
}

#[cube(launch)]
fn philox_vectors(input: &Array<u32>, out: &mut Array<u32>) {
    let i = ABSOLUTE_POS;
    let at = i * 6;
    let counter = random::Words { a: input[at], b: input[at + 1], c: input[at + 2], d: input[at + 3] };
    let words = random::philox(counter, input[at + 4], input[at + 5]);
    out[i * 4] = words.a;
    out[i * 4 + 1] = words.b;
    out[i * 4 + 2] = words.c;
    out[i * 4 + 3] = words.d;
}

#[test]
fn philox_matches_its_published_vectors() {
    // Random123, file kat_vectors: philox 4x32, 10 rounds.
    let inputs =
        [[0; 6], [u32::MAX; 6], [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344, 0xa409_3822, 0x299f_31d0]];
    let published = [
        [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
        [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ];
    let client = client();
    let input = client.create(u32::as_bytes(inputs.as_flattened()));
    let got = outputs::<u32>(12, |c, out| {
        philox_vectors::launch::<R>(c, one(), CubeDim::new_1d(3), array::<u32>(&input, 18), out)
    });
    assert_eq!(got, published.as_flattened());
}

#[test]
fn random_numbers_have_their_distributions() {
    let client = client();
    let n = 40_000;
    let read = |write: &dyn Fn(&cubecl::server::Handle)| {
        let out = client.empty(n * 4);
        write(&out);
        f32::from_bytes(&client.read_one(out)).to_vec()
    };
    let mean = |x: &[f32]| x.iter().map(|v| f64::from(*v)).sum::<f64>() / n as f64;
    let spread = |x: &[f32]| {
        let middle = mean(x);
        (x.iter().map(|v| (f64::from(*v) - middle).powi(2)).sum::<f64>() / n as f64).sqrt()
    };
    let flat = read(&|out| random::uniform::<R, f32>(&client, out, n, 42, (-1.0, 3.0)).unwrap());
    assert!(flat.iter().all(|x| (-1.0..3.0).contains(x)));
    assert!((mean(&flat) - 1.0).abs() < 0.03 && (spread(&flat) - 4.0 / 12f64.sqrt()).abs() < 0.02);
    let bell = read(&|out| random::normal::<R, f32>(&client, out, n, 42, 2.0, 0.5).unwrap());
    assert!((mean(&bell) - 2.0).abs() < 0.015 && (spread(&bell) - 0.5).abs() < 0.01);
    let within = bell.iter().filter(|x| (1.5..2.5).contains(*x)).count() as f64 / n as f64;
    assert!((within - 0.6827).abs() < 0.01, "{within}");
    let coin = read(&|out| random::bernoulli::<R, f32>(&client, out, n, 42, 0.3).unwrap());
    assert!(coin.iter().all(|x| *x == 0.0 || *x == 1.0) && (mean(&coin) - 0.3).abs() < 0.01);
    let again = read(&|out| random::uniform::<R, f32>(&client, out, n, 42, (-1.0, 3.0)).unwrap());
    let other = read(&|out| random::uniform::<R, f32>(&client, out, n, 43, (-1.0, 3.0)).unwrap());
    assert!(flat == again && flat != other);
}
