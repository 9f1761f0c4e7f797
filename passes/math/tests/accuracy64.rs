//! Checks on samples that the errors of the `f64` functions are within the published bounds. The reference
//! has arbitrary precision.

mod exact;

use cube_math::measure::bound;
use cube_math::{Binary, Emit, NativeDouble, NearDouble, Unary};
use exact::Exact;

/// Critical values: zeros, infinities, NaN, limits of the subnormal range, and thresholds of the formulas.
fn edges() -> Vec<f64> {
    let mut v =
        vec![0.0, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN, f64::from_bits(1), 1e-310, 0.5, 0.625, 1.0];
    v.extend([
        1.5,
        2.0,
        2.5,
        3.0,
        5.9,
        10.0,
        709.782712893384,
        745.1332191019411,
        1024.0,
        1074.0,
        308.25,
        9007199254740992.0,
    ]);
    v.extend([core::f64::consts::PI, core::f64::consts::FRAC_PI_2, core::f64::consts::FRAC_PI_4, core::f64::consts::E]);
    // The double-precision angle closest to a multiple of pi/2 (Muller, "Elementary Functions", section 11.2).
    v.push(6381956970095103.0 * 2f64.powi(797));
    let around = |x: f64| [-1i64, 0, 1].map(move |d| f64::from_bits(x.to_bits().wrapping_add_signed(d)));
    // Signalling NaNs are excluded: pow(sNaN, 0) is NaN on the host, but 1 in this crate.
    let quiet = |x: &f64| !x.is_nan() || x.to_bits() & (1 << 51) != 0;
    v.into_iter().flat_map(around).flat_map(|x| [x, -x]).filter(quiet).collect()
}

/// Half of the samples have random bits, and half have moderate size.
fn samples(count: u64) -> impl Iterator<Item = f64> {
    (0..count).map(|i| {
        let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32);
        if i % 2 == 0 {
            return f64::from_bits(bits);
        }
        let exponent = 1023 - 12 + bits % 24;
        f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | (exponent << 52))
    })
}

fn check<E: Emit<F = f64>>(e: &E, f: Unary, inputs: impl Iterator<Item = f64>) {
    let bound =
        bound("f64", f.name()).unwrap_or_else(|| panic!("{} has no bound in semantics/tables/ulp.toml", f.name()));
    let mut exact = Exact::new();
    for x in inputs {
        let y = f.emit(e, [x]);
        let error = exact.unary(f, x, y);
        assert!(error <= bound, "{}({x:e} = {:#018x}) = {y:e}: {error} ULP", f.name(), x.to_bits());
    }
}

#[test]
fn edges_of_one_operand() {
    Unary::ALL.iter().for_each(|f| check(&NativeDouble, *f, edges().into_iter()));
}

#[test]
fn samples_of_one_operand() {
    Unary::ALL.iter().for_each(|f| check(&NativeDouble, *f, samples(512)));
}

fn check_pairs<E: Emit<F = f64>>(e: &E, f: Binary, pairs: impl Iterator<Item = (f64, f64)>) {
    let bound =
        bound("f64", f.name()).unwrap_or_else(|| panic!("{} has no bound in semantics/tables/ulp.toml", f.name()));
    let mut exact = Exact::new();
    for (x, y) in pairs {
        let z = f.emit(e, [x, y]);
        let error = exact.binary(f, x, y, z);
        assert!(error <= bound, "{}({x:e}, {y:e}) = {z:e}: {error} ULP", f.name());
    }
}

#[test]
fn edges_of_two_operands() {
    let edges: Vec<f64> = edges().into_iter().step_by(3).collect();
    for f in Binary::ALL {
        check_pairs(&NativeDouble, *f, edges.iter().flat_map(|x| edges.iter().map(move |y| (*x, *y))));
    }
}

#[test]
fn samples_of_two_operands() {
    for f in Binary::ALL {
        check_pairs(&NativeDouble, *f, samples(1024).zip(samples(2048).skip(1024)));
    }
}

/// The bounds hold on Vulkan, which permits an error of 2.5 ULP for quotients.
#[test]
fn bounds_hold_with_inexact_divisions() {
    let edges: Vec<f64> = edges().into_iter().collect();
    for seed in 0..3 {
        let e = NearDouble(seed);
        Unary::ALL.iter().for_each(|f| check(&e, *f, edges.iter().copied().chain(samples(256))));
        Binary::ALL.iter().for_each(|f| check_pairs(&e, *f, samples(512).zip(samples(1024).skip(512))));
    }
}
