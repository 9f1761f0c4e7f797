//! Two kernels: GELU of every element, and the sum of every row. The example compares the kernels' results
//! with results of host code.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --example rows`
use cube::cpu::CpuRuntime;
use cube::prelude::*;

#[cube(launch)]
fn gelu<F: Float>(input: &Array<F>, out: &mut Array<F>) {
    if ABSOLUTE_POS < input.len() {
        let x = input[ABSOLUTE_POS];
        out[ABSOLUTE_POS] = x * (F::erf(x / F::sqrt(F::new(2.0))) + F::new(1.0)) / F::new(2.0);
    }
}

#[cube(launch)]
fn row_sums<F: Float>(input: &Tensor<F>, out: &mut Array<F>) {
    let row = ABSOLUTE_POS;
    if row < input.shape(0) {
        let mut sum = F::new(0.0);
        for column in 0..input.shape(1) {
            sum += input[row * input.stride(0) + column * input.stride(1)];
        }
        out[row] = sum;
    }
}

/// Runs the example on a device of any runtime.
pub fn run<R: Runtime>(device: &R::Device) {
    let client = R::client(device);
    let (rows, columns) = (100, 37);
    let n = rows * columns;
    let data: Vec<f32> = (0..n).map(|i| (i % 61) as f32 * 0.1 - 3.0).collect();
    let input = client.create(f32::as_bytes(&data));

    let out = client.empty(n * size_of::<f32>());
    let groups = CubeCount::Static(n.div_ceil(256) as u32, 1, 1);
    // SAFETY: both handles have `n` elements.
    let array = |handle| unsafe { ArrayArg::from_raw_parts::<f32>(handle, n, 1) };
    gelu::launch::<f32, R>(&client, groups, CubeDim::new_1d(256), array(&input), array(&out));
    let got = client.read_one(out);
    for (x, y) in data.iter().zip(f32::from_bytes(&got)) {
        // The approximation with tanh is within 0.001 of GELU.
        let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
        let about = 0.5 * x * (1.0 + inner.tanh());
        assert!((y - about).abs() < 1e-3, "gelu({x}) = {y}, about {about}");
    }

    let out = client.empty(rows * size_of::<f32>());
    let (strides, shape) = ([columns, 1], [rows, columns]);
    // SAFETY: the handles have `rows * columns` and `rows` elements.
    let (input, sums) = unsafe {
        let input = TensorArg::from_raw_parts::<f32>(&input, &strides, &shape, 1);
        (input, ArrayArg::from_raw_parts::<f32>(&out, rows, 1))
    };
    row_sums::launch::<f32, R>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(128), input, sums);
    let got = client.read_one(out);
    let host: Vec<f32> = data.chunks(columns).map(|row| row.iter().fold(0.0, |sum, x| sum + x)).collect();
    assert_eq!(f32::from_bytes(&got), host);
    println!("GELU of {n} elements and the sums of {rows} rows: equal to the host's");
}

fn main() {
    run::<CpuRuntime>(&Default::default());
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_equal_those_of_the_host() {
        super::main();
    }
}
