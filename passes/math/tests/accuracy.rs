//! Every function within its published bound, on samples; `--bin exhaustive` is the same over all inputs.

use cube_math::measure::{bound, ulp_error, unary};
use cube_math::{NativeSingle, Unary};

/// Where formulas change: zeros, infinities, NaN, the ends of the subnormals, small integers, cuts of the algorithms.
fn edges() -> Vec<f32> {
    let mut v =
        vec![0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, f32::from_bits(1), 1e-40, 0.5, 0.625, 1.0];
    v.extend([
        1.5, 2.0, 2.5, 3.0, 4.0, 10.0, 16777216.0, 8388608.5, 88.72284, 89.41599, 103.97208, 128.0, 149.0, 150.0,
    ]);
    v.extend([core::f32::consts::PI, core::f32::consts::FRAC_PI_2, core::f32::consts::FRAC_PI_4, core::f32::consts::E]);
    // The single-precision angle closest to a multiple of pi/2 (Kahan's search).
    v.push(16367173.0 * 2f32.powi(72));
    let around = |x: f32| (-2..=2).map(move |d| f32::from_bits(x.to_bits().wrapping_add_signed(d)));
    v.into_iter().flat_map(around).flat_map(|x| [x, -x]).collect()
}

/// 2^20 bit patterns: an odd stride visits every exponent and mixes mantissas.
fn samples() -> Vec<f32> {
    (0..1u32 << 20).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b1))).collect()
}

fn check(f: Unary, inputs: &[f32]) {
    let bound = bound("f32", f.name()).unwrap_or_else(|| panic!("{} has no bound in docs/ulp.toml", f.name()));
    let mut out = vec![0.0; inputs.len()];
    f.run(&NativeSingle, [inputs], &mut out);
    let exact = unary(f);
    for (x, y) in inputs.iter().zip(out) {
        let want = exact(f64::from(*x));
        let error = ulp_error(y, want);
        assert!(error <= bound, "{}({x:e} = {:#010x}) = {y:e}, not {want:e}: {error} ULP", f.name(), x.to_bits());
    }
}

#[test]
fn edges_of_one_operand() {
    let inputs = edges();
    Unary::ALL.iter().for_each(|f| check(*f, &inputs));
}

#[test]
fn samples_of_one_operand() {
    let inputs = samples();
    Unary::ALL.iter().for_each(|f| check(*f, &inputs));
}
