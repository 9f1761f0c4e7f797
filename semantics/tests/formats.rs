//! Compares the narrow formats with LLVM's soft floats, and tests the edge cases of conversions.
use cube_semantics::{BF16, F16, F32, Format, floats};
use rustc_apfloat::ieee::{BFloat, Half};
use rustc_apfloat::{Float, Round};

fn same<T: Format>(actual: u64, expected: u128, what: &str) {
    let both_nan = T::is_nan(actual) && T::is_nan(expected as u64);
    assert!(both_nan || actual == expected as u64, "{what}: {actual:#06x} instead of {expected:#06x}");
}

// Combines every pattern of a format with a selection of other patterns: about 600,000 pairs.
fn pairs<T: Format, A: Float + Copy>(format: usize) {
    let others: Vec<u64> = (0..9).map(|i| (i * 7919 + 13) % 65536).chain([0, 0x8000, 1, 0x3c00, T::INFINITY]).collect();
    for a in (0..65536u64).step_by(3) {
        let x = A::from_bits(a.into());
        for &b in &others {
            let (y, what) = (A::from_bits(b.into()), || format!("{a:#06x} and {b:#06x}"));
            same::<T>(floats::ADD[format](a, b, 0), (x + y).value.to_bits(), &format!("sum of {}", what()));
            same::<T>(floats::MUL[format](a, b, 0), (x * y).value.to_bits(), &format!("product of {}", what()));
            same::<T>(floats::DIV[format](a, b, 0), (x / y).value.to_bits(), &format!("quotient of {}", what()));
            let c = (a * 31 + b) & 0xffff;
            let fused = x.mul_add(y, A::from_bits(c.into())).value.to_bits();
            same::<T>(floats::FMA[format](a, b, c, 0), fused, &format!("fma of {} and {c:#06x}", what()));
        }
    }
}

#[test]
fn halves_round_once() {
    pairs::<F16, Half>(0);
}

#[test]
fn brain_floats_round_once() {
    pairs::<BF16, BFloat>(1);
}

#[test]
fn integers_become_halves_with_one_rounding() {
    let mut v = 1u64;
    for i in 0..20000u64 {
        v = v.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407) >> (i % 60);
        let half = Half::from_u128_r(v.into(), Round::NearestTiesToEven).value.to_bits();
        same::<F16>(F16::of_int(false, v), half, &format!("{v}"));
        let brainfloat = BFloat::from_u128_r(v.into(), Round::NearestTiesToEven).value.to_bits();
        same::<BF16>(BF16::of_int(false, v), brainfloat, &format!("{v}"));
    }
}

#[test]
fn doubles_become_halves_with_one_rounding() {
    // A number just above the midpoint between 1 and the next f16. Rounded to f32 first, it would be a tie and round to
    // even.
    let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(F16::of_double(x), 0x3c01);
    assert_eq!(F16::of_double(1.0 + 2f64.powi(-11)), 0x3c00);
    assert_eq!(F16::of_double(65519.9), 0x7bff);
    assert_eq!(F16::of_double(65520.0), 0x7c00);
    assert_eq!(F16::of_double(2f64.powi(-25)), 0);
    assert_eq!(F16::of_double(-2f64.powi(-25) * 1.001), 0x8001);
    assert_eq!(BF16::of_double(f64::MIN_POSITIVE), 0);
    for bits in 0..65536u64 {
        assert!(F16::is_nan(bits) || F16::of_double(F16::double(bits)) == bits);
        assert!(BF16::is_nan(bits) || BF16::of_double(BF16::double(bits)) == bits);
    }
    assert_eq!(F32::of_double(0.1), u64::from(0.1f32.to_bits()));
}
