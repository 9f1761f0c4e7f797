//! A launch refuses invalid arguments, and the error names the invalid argument.
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn sums(x: &Array<Line<f32>>, out: &mut Array<f32>) {
    out[0] = x[0][0];
}

#[cube(launch)]
fn sums_of_tensor(t: &Tensor<Line<f32>>, out: &mut Array<f32>) {
    out[0] = t[0][0];
}

#[cube(launch)]
fn coordinates(t: &Tensor<Line<f32>>, out: &mut Array<u32>) {
    out[UNIT_POS] = t.coordinate(UNIT_POS, 1);
}

#[test]
fn a_tensor_that_ends_within_a_line_is_passed_to_a_kernel_that_only_reads_its_shape() {
    let client = client();
    let (t, out) = (client.empty(48), client.empty(48));
    // SAFETY: the kernel does not access the tensor.
    let tensor = unsafe { TensorArg::from_raw_parts::<f32>(&t, &[2, 1, 4], &[2, 2, 3], 16) };
    let dim = CubeDim::new_1d(12);
    coordinates::try_launch::<R>(&client, one(), dim, tensor, array::<u32>(&out, 12)).unwrap();
    let coordinates = u32::from_bytes(&client.read_one(out)).to_vec();
    assert_eq!(coordinates, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
}

/// The error messages for an invalid array and an invalid tensor that describe a buffer of 16 numbers.
fn refused(length: usize, line: u8, elem_size: usize) -> [String; 2] {
    let client = client();
    let (x, out) = (client.create(f32::as_bytes(&[1.0; 16])), client.empty(4));
    let shape = [length];
    // SAFETY: no launch is unchecked.
    let (array_of, tensor) = unsafe {
        (
            ArrayArg::from_raw_parts_and_size(&x, length, line, elem_size),
            TensorArg::from_raw_parts_and_size(&x, &[1], &shape, line, elem_size),
        )
    };
    let dim = CubeDim::new_single();
    let of_array = sums::try_launch::<R>(&client, one(), dim, array_of, array::<f32>(&out, 1));
    let of_tensor = sums_of_tensor::try_launch::<R>(&client, one(), dim, tensor, array::<f32>(&out, 1));
    [of_array, of_tensor].map(|outcome| outcome.map_or_else(|e| e.to_string(), |()| "it fits".into()))
}

#[test]
fn invalid_arguments_are_reported_with_a_fix() {
    assert_eq!(refused(16, 4, 4), ["it fits", "it fits"]);
    // Some programs for CubeCL count lines.
    assert_eq!(refused(3, 4, 4), ["it fits", "it fits"]);
    let cases = [
        ((16, 0, 4), "has lines of 0 elements; pass the line size 1"),
        ((15, 4, 4), "has 15 elements, which is not a multiple of its line size 4"),
        (
            (8, 1, 8),
            "was made for elements of 8 bytes, but the kernel's elements are f32, of 4 bytes; create it with `from_raw_parts::<f32>`",
        ),
    ];
    for ((length, line, size), why) in cases {
        let [of_array, of_tensor] = refused(length, line, size);
        assert!(of_array.contains(&format!("the argument `x` {why}")), "{of_array}");
        assert!(of_tensor.contains(&format!("the argument `t` {why}")), "{of_tensor}");
    }
}
