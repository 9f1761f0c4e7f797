//! Kernels without variables and branches.
use cubecl::cpu::CpuRuntime;
use cubecl::prelude::*;

#[cube(launch)]
fn add<F: Float>(a: &Array<F>, b: &Array<F>, out: &mut Array<F>) {
    out[ABSOLUTE_POS] = a[ABSOLUTE_POS] + b[ABSOLUTE_POS] * F::new(2.0);
}

#[test]
fn sums_of_arrays() {
    let client = CpuRuntime::client(&Default::default());
    let n = 1000;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| (i * i) as f32 * 0.5).collect();
    let (ha, hb) = (client.create(f32::as_bytes(&a)), client.create(f32::as_bytes(&b)));
    let out = client.empty(n * 4);
    unsafe {
        add::launch::<f32, CpuRuntime>(
            &client,
            CubeCount::Static(4, 1, 1),
            CubeDim::new(256, 1, 1),
            ArrayArg::from_raw_parts::<f32>(&ha, n, 1),
            ArrayArg::from_raw_parts::<f32>(&hb, n, 1),
            ArrayArg::from_raw_parts::<f32>(&out, n, 1),
        );
    }
    let bytes = client.read_one(out);
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b * 2.0).collect();
    assert_eq!(f32::from_bytes(&bytes), expected);
}
