//! Contiguous copies of packed tensors, whose integers contain several small numbers each. Conversions of a
//! kernel's constants to host numbers.
use crate::common::*;
use cubecl::prelude::*;
use cubecl::std::tensor::{into_contiguous_packed, into_contiguous_packed_ref, packed::try_into_contiguous_packed_ref};
use cubecl::{comptime_type, intrinsic};

/// Packs numbers of `bits` bits into one integer; the first number occupies the lowest bits.
fn pack(numbers: &[u32], bits: u32) -> u32 {
    numbers.iter().rev().fold(0, |word, n| if bits < 32 { word << bits | n } else { *n })
}

#[test]
fn a_packed_tensor_is_copied_number_by_number() {
    let client = client();
    for (bits, packing) in [(8, 4usize), (4, 8), (2, 16), (32, 1)] {
        // 6 x 10 numbers, packed by columns: a column of the input is contiguous.
        let (rows, columns) = (6usize, 10usize);
        let number = |row: usize, column: usize| (row * 7 + column * 5 + 3) as u32 % (1 << bits.min(8));
        let words = rows.div_ceil(packing);
        let column = |c: usize| -> Vec<u32> {
            let numbers: Vec<u32> = (0..rows).map(|r| number(r, c)).collect();
            numbers.chunks(packing).map(|chunk| pack(chunk, bits)).collect()
        };
        let data: Vec<u32> = (0..columns).flat_map(column).collect();
        let handle = client.create(u32::as_bytes(&data));
        let (strides, shape) = ([1, words], [words, columns]);
        // SAFETY: shape and strides are those of the data.
        let input = unsafe { TensorHandleRef::<R>::from_raw_parts(&handle, &strides, &shape, 4) };
        let output = into_contiguous_packed::<R, u32>(&client, &input, &[rows, columns], packing as u32);
        assert_eq!(output.shape, [rows, columns.div_ceil(packing)]);
        let row = |r: usize| -> Vec<u32> {
            let numbers: Vec<u32> = (0..columns).map(|c| number(r, c)).collect();
            numbers.chunks(packing).map(|chunk| pack(chunk, bits)).collect()
        };
        let host: Vec<u32> = (0..rows).flat_map(row).collect();
        assert_eq!(u32::from_bytes(&client.read_one(output.handle.clone())), host, "{packing} to an integer");
        let wrong = try_into_contiguous_packed_ref::<R, u32>(
            &client,
            &input,
            &output.as_ref(),
            &[rows + 32, columns],
            packing as u32,
        );
        assert!(wrong.unwrap_err().to_string().contains("must be packed along a dimension of stride 1"));
        into_contiguous_packed_ref::<R, u32>(
            &client,
            &output.as_ref(),
            &output.as_ref(),
            &[rows, columns],
            packing as u32,
        );
        assert_eq!(u32::from_bytes(&client.read_one(output.handle)), host, "in place");
    }
}

#[cube]
#[allow(unused_variables)]
fn number(value: u32) -> comptime_type!(u32) {
    intrinsic!(|_| value.constant().expect("a constant").as_u32())
}

#[cube]
#[allow(unused_variables)]
fn kinds(value: i64, truth: bool) -> comptime_type!(String) {
    intrinsic!(|_| {
        let (value, truth) = (value.constant().unwrap(), truth.constant().unwrap());
        format!(
            "{} {} {} {:?} {:?}",
            value.as_i64(),
            value.as_u32(),
            value.as_u64(),
            truth.try_as_u32(),
            truth.try_as_bool()
        )
    })
}

/// The counter of an unrolled loop is a constant of the kernel and converts back to a host number.
#[cube(launch)]
fn counts_down(out: &mut Array<u32>, steps: Sequence<u32>) {
    let rank = comptime!(steps.len());
    let debug_text = kinds((-1i64).runtime(), true.runtime());
    #[unroll]
    for i in 0..rank {
        let i = number(i);
        let from_the_end = comptime!(rank - i - 1);
        out[i] = *steps.index(from_the_end) + comptime!(debug_text.len() as u32);
    }
}

#[test]
fn constants_of_a_kernel_are_numbers_of_the_host() {
    let mut steps = SequenceArg::new();
    for n in [10u32, 20, 30] {
        steps.push(ScalarArg::new(n));
    }
    let got = outputs::<u32>(3, |c, out| counts_down::launch::<R>(c, one(), CubeDim::new_1d(1), out, steps));
    let debug_text = format!("{} {} {} {:?} {:?}", -1, u32::MAX, u64::MAX, None::<u32>, Some(true)).len() as u32;
    assert_eq!(got, [30 + debug_text, 20 + debug_text, 10 + debug_text]);
}

/// A device allocates tensors without gaps, and `can_read_tensor` accepts only contiguous tensors.
#[test]
fn permuted_and_plain_tensors_are_distinguished() {
    assert!(R::can_read_tensor(&[2, 3, 4], &[12, 4, 1]) && R::can_read_tensor(&[], &[]));
    for strides in [[1, 2, 6], [16, 4, 1], [12, 1, 3]] {
        assert!(!R::can_read_tensor(&[2, 3, 4], &strides), "{strides:?}");
    }
}
