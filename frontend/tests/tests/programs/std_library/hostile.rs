//! The standard library on critical sizes (zero, one, primes, more than a cube), strides with gaps, and limits of
//! types.
use super::reduced;
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::tensor::{
    TensorHandle, identity, index_offset_contiguous, index_offset_contiguous_fastdivmod, index_offset_with_layout,
    into_contiguous, into_contiguous_pitched, into_contiguous_ref, is_contiguous, is_contiguous_pitched,
    try_into_contiguous_ref,
};
use cubecl::std::{FastDivmod, FastDivmodArgs, matmul, quant, random, reduce, scan};

/// The memory index of the element with the row-major index `number`.
fn offset(number: usize, shape: &[usize], strides: &[usize]) -> usize {
    let mut left = number;
    let mut at = 0;
    for (n, stride) in shape.iter().zip(strides).rev() {
        at += left % n * stride;
        left /= n;
    }
    at
}

fn tensor<E: CubeElement>(data: &[E], shape: &[usize], strides: &[usize]) -> TensorHandle<R, E> {
    TensorHandle::new(client().create(E::as_bytes(data)), shape.to_vec(), strides.to_vec())
}

fn bytes_of<E: CubeElement>(tensor: TensorHandle<R, E>) -> Vec<E> {
    E::from_bytes(&client().read_one(tensor.handle)).to_vec()
}

/// Tensors: shape, strides, and number of elements in memory.
const TENSORS: [(&[usize], &[usize], usize); 11] = [
    (&[], &[], 1),
    (&[0, 3], &[3, 1], 3),
    (&[1], &[1], 1),
    (&[257], &[1], 257),
    (&[101], &[3], 303),
    (&[7, 13], &[1, 7], 91),
    (&[3, 8], &[12, 1], 36),
    (&[5, 16], &[0, 1], 16),
    (&[16, 5, 12], &[1, 192, 16], 960),
    (&[2, 1, 3, 1, 4], &[1, 9, 8, 7, 2], 24),
    (&[4, 6, 64], &[6 * 72, 72, 1], 4 * 6 * 72),
];

fn gaps_go<E: CubeElement + PartialEq>(value: impl Fn(usize) -> E) {
    let client = client();
    for (shape, strides, memory) in TENSORS {
        let data: Vec<E> = (0..memory).map(&value).collect();
        let input = tensor(&data, shape, strides);
        let count: usize = shape.iter().product();
        let host: Vec<E> = (0..count).map(|i| data[offset(i, shape, strides)]).collect();
        let at = format!("{shape:?} {strides:?} {}", E::type_name());
        assert_eq!(bytes_of(into_contiguous::<R, E>(&client, &input.as_ref())), host, "{at}");
        assert_eq!(bytes_of(into_contiguous_pitched::<R, E>(&client, &input.as_ref())), host, "{at}");
        assert_eq!(E::from_bytes(&client.read_one_tensor(input.as_copy_descriptor())), host, "{at}");
        // Into a tensor with gaps, which stay unchanged.
        let (Some(last), true) = (shape.last(), count > 0) else { continue };
        let mut gaps = vec![1; shape.len()];
        for i in (1..shape.len()).rev() {
            gaps[i - 1] = gaps[i] * shape[i] + if i == shape.len() - 1 { 4 } else { 0 };
        }
        let room = vec![value(77); count + count / last * 4];
        let output = tensor(&room, shape, &gaps);
        into_contiguous_ref::<R, E>(&client, &input.as_ref(), &output.as_ref());
        let mut expected = room;
        (0..count).for_each(|i| expected[offset(i, shape, &gaps)] = host[i]);
        assert_eq!(bytes_of(output), expected, "{at} into {gaps:?}");
    }
}

#[test]
fn copies_without_gaps_of_every_width() {
    gaps_go::<u8>(|i| (i * 7) as u8);
    gaps_go::<u16>(|i| (i * 7) as u16);
    gaps_go::<f32>(|i| i as f32 * 0.5);
    gaps_go::<u64>(|i| (i as u64) << 40);
    let (a, b) = (tensor(&[1u8; 6], &[2, 3], &[3, 1]), tensor(&[1u8; 6], &[3, 2], &[2, 1]));
    let refused = try_into_contiguous_ref::<R, u8>(&client(), &a.as_ref(), &b.as_ref()).unwrap_err().to_string();
    assert!(refused.contains("[2, 3]") && refused.contains("[3, 2]"), "{refused}");
}

#[test]
fn handles_of_tensors_have_shape_and_strides() {
    let rows = tensor(&[0f32; 12], &[2, 3], &[4, 1]);
    assert!(rows.can_mut() && !TensorHandle::<R, f32>::from_ref(&rows.as_ref()).can_mut());
    assert!(format!("{rows:?}").contains("shape: [2, 3], strides: [4, 1], dtype: f32"));
    assert!(is_contiguous(&[2, 3], &[3, 1]) && !is_contiguous(&[2, 3], &[4, 1]) && is_contiguous(&[], &[]));
    for (shape, strides, pitched) in [
        (&[2, 3][..], &[4, 1][..], true),
        (&[2, 3], &[3, 1], true),
        (&[2, 3], &[2, 1], false),
        (&[2, 3], &[1, 2], false),
        (&[2, 2, 3], &[8, 4, 1], true),
        (&[2, 2, 3], &[9, 4, 1], false),
        (&[5], &[1], true),
        (&[5], &[2], false),
        (&[], &[], true),
    ] {
        assert_eq!(is_contiguous_pitched(shape, strides), pitched, "{shape:?} {strides:?}");
    }
}

#[cube(launch)]
fn offsets(
    input: &Tensor<Line<f32>>,
    layout: &Tensor<Line<f32>>,
    shape: Sequence<FastDivmod>,
    strides: Sequence<u32>,
    out: &mut Array<u32>,
    #[comptime] rank: Option<u32>,
) {
    let (at, line) = (ABSOLUTE_POS, input.line_size());
    out[3 * at] = index_offset_contiguous::<f32>(input, at, rank);
    out[3 * at + 1] = index_offset_with_layout::<f32, f32>(input, layout, at, 0, 3, true);
    out[3 * at + 2] = index_offset_contiguous_fastdivmod(at, &shape, &strides, line);
}

#[test]
fn offsets_are_those_of_the_coordinates() {
    let client = client();
    let (shape, strides, plain) = ([3usize, 2, 8], [16usize, 48, 1], [16usize, 8, 1]);
    let memory = client.empty(96 * 4);
    for (line, rank) in [(1u8, Some(3)), (1, None), (4, Some(3)), (2, None)] {
        let lines = 48 / u32::from(line);
        let got = outputs::<u32>(3 * lines as usize, |c, out| {
            // SAFETY: the launch is checked, and reads no element.
            let arg = |strides| unsafe { TensorArg::from_raw_parts::<f32>(&memory, strides, &shape, line) };
            let divisors = shape.iter().map(|n| FastDivmodArgs::new(c, *n as u32)).collect();
            let steps = strides.iter().map(|n| ScalarArg::new(*n as u32)).collect();
            let dim = CubeDim::new_1d(lines);
            offsets::launch::<R>(c, one(), dim, arg(&strides), arg(&plain), divisors, steps, out, rank);
        });
        let size = usize::from(line);
        let host = (0..lines as usize).flat_map(|i| [(offset(i * size, &shape, &strides) / size) as u32; 3]);
        assert_eq!(got, host.collect::<Vec<_>>(), "lines of {line}, {rank:?}");
    }
}

#[test]
fn identities_of_any_size_and_pitch() {
    let client = client();
    for n in [0usize, 1, 2, 17, 67] {
        let pitch = n + 3;
        let square = tensor(&vec![5i32; n * pitch], &[n, n], &[pitch, 1]);
        identity::launch::<R, i32>(&client, &square);
        let host = (0..n * pitch).map(|i| if i % pitch >= n { 5 } else { i32::from(i / pitch == i % pitch) });
        assert_eq!(bytes_of(square), host.collect::<Vec<_>>(), "{n}");
    }
}

#[test]
fn products_of_transposed_and_empty_matrices() {
    let client = client();
    for [m, k, n] in [[0, 3, 2], [2, 0, 3], [1, 101, 1], [13, 17, 19], [33, 5, 65]] {
        let lhs: Vec<i32> = (0..m * k).map(|i| ((i * 7) % 23) as i32 - 11).collect();
        let rhs: Vec<i32> = (0..k * n).map(|i| ((i * 5) % 19) as i32 - 9).collect();
        // The left matrix is stored by columns, the right one by rows with a gap after each.
        let a = tensor(&lhs, &[m, k], &[1, m]);
        let wide: Vec<i32> = (0..k * (n + 2))
            .map(|i| if i % (n + 2) < n { rhs[i / (n + 2) * n + i % (n + 2)] } else { 1 << 20 })
            .collect();
        let b = tensor(&wide, &[k, n], &[n + 2, 1]);
        let host: Vec<i32> =
            (0..m * n).map(|i| (0..k).map(|j| lhs[j * m + i / n] * rhs[j * n + i % n]).sum()).collect();
        for strategy in [matmul::Strategy::Naive, matmul::Strategy::Tiled] {
            let out = tensor(&vec![7i32; m * n], &[m, n], &[n, 1]);
            matmul::launch::<R, i32>(strategy, &client, &a.as_ref(), &b.as_ref(), &out.as_ref()).unwrap();
            assert_eq!(bytes_of(out), host, "{strategy:?} {m} {k} {n}");
        }
    }
    let (a, b) = (tensor(&[1i32; 6], &[2, 3], &[3, 1]), tensor(&[1i32; 6], &[2, 3], &[3, 1]));
    let error = matmul::launch::<R, i32>(matmul::Strategy::Naive, &client, &a.as_ref(), &b.as_ref(), &a.as_ref());
    assert!(error.unwrap_err().to_string().contains("do not have a product"));
}

const LEVELS: [reduce::ReduceScope; 3] =
    [reduce::ReduceScope::Unit, reduce::ReduceScope::Plane, reduce::ReduceScope::Cube];

#[test]
fn reductions_of_empty_single_and_prime_lengths_are_correct() {
    use reduce::*;
    for len in [0usize, 1, 2, 31, 63, 64, 65, 257, 1009] {
        // Reduces along the first of two axes, so that the elements of a row are not consecutive in memory.
        let data: Vec<i64> = (0..len * 3).map(|i| ((i as i64 * 7919) % 2003 - 1000) << 33).collect();
        let line = |l: usize| (0..len).map(|k| data[k * 3 + l]).collect::<Vec<_>>();
        let lines: Vec<Vec<i64>> = (0..3).map(line).collect();
        let host = |f: &dyn Fn(&[i64]) -> i64| lines.iter().map(|l| f(l)).collect::<Vec<_>>();
        for level in LEVELS {
            let at = format!("{len} {level:?}");
            assert_eq!(reduced::<i64, Sum>(level, &data, &[len, 3], 0), host(&|l| l.iter().sum()), "{at}");
            let largest = host(&|l| l.iter().copied().max().unwrap_or(i64::MIN));
            assert_eq!(reduced::<i64, Max>(level, &data, &[len, 3], 0), largest, "{at}");
            let smallest = host(&|l| l.iter().copied().min().unwrap_or(i64::MAX));
            assert_eq!(reduced::<i64, Min>(level, &data, &[len, 3], 0), smallest, "{at}");
            let first =
                lines.iter().zip(&smallest).map(|(l, best)| l.iter().position(|x| x == best).unwrap_or(0) as u32);
            assert_eq!(reduced::<i64, ArgMin>(level, &data, &[len, 3], 0), first.collect::<Vec<_>>(), "{at}");
            if len > 0 {
                let mean = host(&|l| l.iter().sum::<i64>() / l.len() as i64);
                assert_eq!(reduced::<i64, Mean>(level, &data, &[len, 3], 0), mean, "{at}");
            }
        }
    }
    let handle = client().empty(16);
    let error = launch::<R, f32, Sum>(ReduceScope::Cube, &client(), &handle, &[2, 2], 2, &handle).unwrap_err();
    assert!(error.to_string().contains("axis 2 does not exist in a tensor of 2 dimensions"), "{error}");
}

#[test]
fn extrema_of_bytes_and_of_ties() {
    use reduce::*;
    let data: Vec<u8> = (0..211)
        .map(|i| {
            if i % 50 == 49 {
                255
            } else if i % 60 == 59 {
                0
            } else {
                9
            }
        })
        .collect();
    for level in LEVELS {
        assert_eq!(reduced::<u8, Max>(level, &data, &[211], 0), [255]);
        assert_eq!(reduced::<u8, Min>(level, &data, &[211], 0), [0]);
        assert_eq!(reduced::<u8, ArgMax>(level, &data, &[211], 0), [49], "{level:?}");
        assert_eq!(reduced::<u8, ArgMin>(level, &data, &[211], 0), [59], "{level:?}");
        assert_eq!(reduced::<f32, ArgMin>(level, &[f32::NAN; 70], &[70], 0), [0]);
        assert!(reduced::<f32, Min>(level, &[f32::NAN; 70], &[70], 0)[0].is_nan());
    }
}

#[test]
fn float_prefix_sums_are_independent_of_later_elements() {
    let client = client();
    let mut data = vec![0.0f32; 600];
    (data[0], data[1], data[2], data[300]) = (1.0, 1e20, -1e20, f32::INFINITY);
    let out = client.empty(600 * 4);
    scan::launch::<R, f32>(&client, &client.create(f32::as_bytes(&data)), &out, 600, false).unwrap();
    let got = client.read_one(out);
    let got = f32::from_bytes(&got);
    assert_eq!(got[..3], [0.0, 1.0, 1e20], "earlier elements do not depend on later ones");
    assert!(got[299..=300].iter().all(|x| x.is_finite()) && got[301] == f32::INFINITY, "{:?}", &got[299..302]);
    for len in [0usize, 1, 127, 1009] {
        let data: Vec<i64> = (0..len as i64).map(|i| (i - 500) << 40).collect();
        let (input, out) = (client.create(i64::as_bytes(&data)), client.empty(len * 8));
        scan::launch::<R, i64>(&client, &input, &out, len, true).unwrap();
        let host = data.iter().scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        });
        assert_eq!(i64::from_bytes(&client.read_one(out)), host.collect::<Vec<_>>(), "{len}");
    }
}

#[test]
fn floats_beyond_eight_bits_stop_at_the_ends() {
    let client = client();
    let data = [1e20f32, -1e20, f32::INFINITY, f32::NEG_INFINITY, 3e9, -3e9, 0.0, 12.74, 12.76];
    let scheme = quant::Scheme { scale: 0.1, zero: 100 };
    let (input, out) = (client.create(f32::as_bytes(&data)), client.empty(data.len()));
    quant::quantize::<R, f32>(&client, &input, &out, data.len(), scheme).unwrap();
    assert_eq!(&client.read_one(out)[..], [255, 0, 255, 0, 255, 0, 100, 227, 228]);
}

#[test]
fn quantized_product_matches_exact_integer_sums() {
    let client = client();
    let [m, k, n] = [3, 1009, 5];
    let lhs: Vec<u8> = (0..m * k).map(|i| ((i * 89) % 256) as u8).collect();
    let rhs: Vec<u8> = (0..k * n).map(|i| ((i * 57 + 5) % 256) as u8).collect();
    let scheme = |scale, zero| quant::Scheme { scale, zero };
    let (ha, hb, hc) = (client.create(&lhs), client.create(&rhs), client.empty(m * n));
    // Scales of the result that are smaller and much larger than the scale of the products.
    for out_scale in [1e-6f32, 0.02, 7.0, 5000.0] {
        let (a, b, c) = (scheme(0.5, 3), scheme(0.25, 250), scheme(out_scale, 17));
        let product = quant::Product { lhs: (&ha, a), rhs: (&hb, b), out: (&hc, c), shape: [m, k, n] };
        quant::matmul::<R>(&client, &product).unwrap();
        let factor = 0.125 / f64::from(out_scale);
        let rescale = quant::Rescale::new(factor);
        let sum = |i: usize| -> i32 {
            (0..k).map(|j| (i32::from(lhs[i / n * k + j]) - 3) * (i32::from(rhs[j * n + i % n]) - 250)).sum()
        };
        let host: Vec<u8> = (0..m * n).map(|i| (rescale.apply(sum(i)) + 17).clamp(0, 255) as u8).collect();
        assert_eq!(&client.read_one(hc.clone())[..], host, "{out_scale}");
        for (i, q) in host.iter().enumerate() {
            let exact = (f64::from(sum(i)) * factor + 17.0).clamp(0.0, 255.0);
            assert!((exact - f64::from(*q)).abs() <= 0.5001, "{exact} {q}");
        }
    }
    let scheme = scheme(1.0, 0);
    let deep = quant::Product { lhs: (&ha, scheme), rhs: (&hb, scheme), out: (&hc, scheme), shape: [1, 40_000, 1] };
    let error = quant::matmul::<R>(&client, &deep).unwrap_err().to_string();
    assert!(error.contains("40000") && error.contains("33025"), "{error}");
}

#[test]
fn random_numbers_depend_only_on_their_index() {
    let client = client();
    let draw = |n: usize| {
        let out = client.empty(n * 4);
        random::uniform::<R, f32>(&client, &out, n, 7 << 40, (0.0, 1.0)).unwrap();
        f32::from_bytes(&client.read_one(out)).to_vec()
    };
    let all = draw(1009);
    for n in [0, 1, 63, 257] {
        assert_eq!(draw(n), all[..n], "{n}");
    }
    // Half-precision floats sometimes round up to the end of the range, and no result equals that end.
    let n = 40_000;
    let out = client.empty(n * 2);
    let range = (cubecl::f16::from_f32(1.0), cubecl::f16::from_f32(2.0));
    random::uniform::<R, cubecl::f16>(&client, &out, n, 3, range).unwrap();
    let got = client.read_one(out);
    assert!(cubecl::f16::from_bytes(&got).iter().all(|x| *x >= range.0 && *x < range.1));
    let constant = client.empty(4 * 4);
    random::normal::<R, f32>(&client, &constant, 4, 1, 3.5, 0.0).unwrap();
    assert_eq!(f32::from_bytes(&client.read_one(constant)), [3.5; 4]);
    for (probability, sum) in [(0.0, 0.0), (1.0, 257.0)] {
        let coin = client.empty(257 * 4);
        random::bernoulli::<R, f32>(&client, &coin, 257, 1, probability).unwrap();
        assert_eq!(f32::from_bytes(&client.read_one(coin)).iter().sum::<f32>(), sum);
    }
}
