//! Checks on samples that the error of every function is within the published bound. `--bin exhaustive` tests the
//! same bounds over all inputs.

use cube_math::measure::{binary, bound, ulp_error, unary};
use cube_math::{Binary, CoarseSingle, Emit, NativeSingle, NearSingle, Unary, powi};

/// Critical values: zeros, infinities, NaN, limits of the subnormal range, small integers, and thresholds of the
/// algorithms.
fn edges() -> Vec<f32> {
    let mut v =
        vec![0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, f32::from_bits(1), 1e-40, 0.5, 0.625, 1.0];
    v.extend([
        1.5, 2.0, 2.5, 3.0, 4.0, 10.0, 16777216.0, 8388608.5, 88.72284, 89.41599, 103.97208, 128.0, 149.0, 150.0,
    ]);
    v.extend([core::f32::consts::PI, core::f32::consts::FRAC_PI_2, core::f32::consts::FRAC_PI_4, core::f32::consts::E]);
    // The single-precision angle closest to a multiple of pi/2 (Kahan's search).
    v.push(16367173.0 * 2f32.powi(72));
    // An angle just below an odd multiple of pi/4. The exhaustive run found that a rounding overflowed there.
    v.push(f32::from_bits(0x55f8_7577));
    let around = |x: f32| (-2..=2).map(move |d| f32::from_bits(x.to_bits().wrapping_add_signed(d)));
    v.into_iter().flat_map(around).flat_map(|x| [x, -x]).collect()
}

/// 2^20 bit patterns: an odd stride visits every exponent and mixes mantissas.
fn samples() -> Vec<f32> {
    (0..1u32 << 20).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b1))).collect()
}

fn check<E: Emit<F = f32>>(e: &E, f: Unary, inputs: &[f32]) {
    let bound =
        bound("f32", f.name()).unwrap_or_else(|| panic!("{} has no bound in semantics/tables/ulp.toml", f.name()));
    let mut out = vec![0.0; inputs.len()];
    f.run(e, [inputs], &mut out);
    let exact = unary(f);
    for (x, y) in inputs.iter().zip(out) {
        let expected = exact(f64::from(*x));
        let error = ulp_error(y, expected);
        assert!(error <= bound, "{}({x:e} = {:#010x}) = {y:e}, not {expected:e}: {error} ULP", f.name(), x.to_bits());
    }
}

#[test]
fn edges_of_one_operand() {
    let inputs = edges();
    Unary::ALL.iter().for_each(|f| check(&NativeSingle, *f, &inputs));
}

#[test]
fn samples_of_one_operand() {
    let inputs = samples();
    Unary::ALL.iter().for_each(|f| check(&NativeSingle, *f, &inputs));
}

/// All pairs of edge values.
fn edge_pairs() -> (Vec<f32>, Vec<f32>) {
    let e = edges();
    e.iter().flat_map(|x| e.iter().map(move |y| (*x, *y))).unzip()
}

/// Half of the pairs have random bits. In one quarter, the two numbers have similar magnitudes. In the last
/// quarter, the second number is an exponent for which the power of the first number is neither 0 nor
/// infinite.
fn sample_pairs() -> (Vec<f32>, Vec<f32>) {
    let like = |x: f32, i: u32| {
        let near = 1.0 + (i.wrapping_mul(0x85eb_ca6b) >> 8) as f32 / 2_097_152.0;
        if i & 2 == 0 { x * near } else { near * 8.0 / (x.abs().log2() + 1e-7) }
    };
    let scrambled = samples().into_iter().zip(0u32..);
    scrambled
        .map(|(x, i)| (x, if i & 1 == 0 { f32::from_bits(i.wrapping_mul(0xc2b2_ae35)) } else { like(x, i) }))
        .unzip()
}

fn check_pairs<E: Emit<F = f32>>(e: &E, f: Binary, (x, y): &(Vec<f32>, Vec<f32>)) {
    let bound =
        bound("f32", f.name()).unwrap_or_else(|| panic!("{} has no bound in semantics/tables/ulp.toml", f.name()));
    let mut out = vec![0.0; x.len()];
    f.run(e, [x, y], &mut out);
    let exact = binary(f);
    for ((x, y), z) in x.iter().zip(y).zip(out) {
        let expected = exact(f64::from(*x), f64::from(*y));
        let error = ulp_error(z, expected);
        assert!(error <= bound, "{}({x:e}, {y:e}) = {z:e}, not {expected:e}: {error} ULP", f.name());
    }
}

#[test]
fn edges_of_two_operands() {
    let pairs = edge_pairs();
    Binary::ALL.iter().for_each(|f| check_pairs(&NativeSingle, *f, &pairs));
}

#[test]
fn samples_of_two_operands() {
    let pairs = sample_pairs();
    Binary::ALL.iter().for_each(|f| check_pairs(&NativeSingle, *f, &pairs));
}

/// The bounds hold on WGSL and Vulkan, which permit an error of 2.5 ULP for quotients, and whose products and sums are
/// rounded separately. The inputs contain the intervals in which the functions divide.
#[test]
fn bounds_hold_with_inexact_divisions() {
    let dense = (0..1u32 << 18).map(|i| i as f32 / 32768.0 - 4.0);
    let inputs: Vec<f32> = edges().into_iter().chain(samples().into_iter().step_by(4)).chain(dense).collect();
    let (edges, samples) = (edge_pairs(), sample_pairs());
    let small: Vec<f32> = (0..1u32 << 17).map(|i| 0.002 + i as f32 * 1e-6).collect();
    for seed in 0..3 {
        let e = NearSingle(seed);
        Unary::ALL.iter().for_each(|f| [&inputs, &small].iter().for_each(|inputs| check(&e, *f, inputs)));
        Binary::ALL.iter().for_each(|f| [&edges, &samples].iter().for_each(|pairs| check_pairs(&e, *f, pairs)));
    }
}

/// The bounds hold with approximate instructions of GPUs, up to the errors that [`Emit`] permits. The inputs contain all
/// numbers of an interval around the threshold of tanh, and numbers up to 16.
#[test]
fn bounds_hold_with_approximate_instructions() {
    let near = (-(1i32 << 16)..1 << 16).map(|d| f32::from_bits(1.25f32.to_bits().wrapping_add_signed(d)));
    let dense = (0..1u32 << 20).map(|i| i as f32 / 32768.0 - 16.0);
    let inputs: Vec<f32> = edges().into_iter().chain(samples()).chain(near).chain(dense).collect();
    (0..3).for_each(|seed| Unary::ALL.iter().for_each(|f| check(&CoarseSingle(seed), *f, &inputs)));
}

/// Integer exponents near every power of two, whose low bits a conversion to float would lose.
#[test]
fn powi_of_any_exponent() {
    let bound = bound("f32", "powi").expect("powi has a bound");
    let exponents =
        (0..31).flat_map(|b| (-2..=2).map(move |d| (1i32 << b) + d)).chain([i32::MAX, i32::MIN, i32::MIN + 1]);
    let exponents: Vec<i32> = exponents.flat_map(|n| [n, n.wrapping_neg()]).collect();
    for x in edges().into_iter().chain(samples().into_iter().step_by(1013)) {
        for n in &exponents {
            let got = powi(&NativeSingle, x, *n);
            let expected = f64::from(x).powf(f64::from(*n));
            let error = ulp_error(got, expected);
            assert!(error <= bound, "powi({x:e}, {n}) = {got:e}, not {expected:e}: {error} ULP");
        }
    }
}
