//! Kernels without variables and branches.
use crate::common::*;
use cubecl::prelude::*;

#[cube(launch)]
fn add<F: Float>(a: &Array<F>, b: &Array<F>, out: &mut Array<F>) {
    out[ABSOLUTE_POS] = a[ABSOLUTE_POS] + b[ABSOLUTE_POS] * F::new(2.0);
}

#[test]
fn sums_of_arrays() {
    let client = client();
    let n = 1000;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| (i * i) as f32 * 0.5).collect();
    let (ha, hb) = (client.create(f32::as_bytes(&a)), client.create(f32::as_bytes(&b)));
    let count = CubeCount::Static(4, 1, 1);
    let got = outputs::<f32>(n, |c, out| {
        add::launch::<f32, R>(c, count, CubeDim::new_1d(256), array::<f32>(&ha, n), array::<f32>(&hb, n), out)
    });
    assert_eq!(got, a.iter().zip(&b).map(|(a, b)| a + b * 2.0).collect::<Vec<_>>());
}
