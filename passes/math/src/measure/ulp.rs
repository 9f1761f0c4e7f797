//! Errors of `f32` results against a reference in `f64`.

/// |got - exact| in units in the last place of the exact result. Below the smallest normal number the unit is the
/// smallest subnormal. The error is infinite if NaN, infinity or the sign of a zero is wrong.
///
/// At overflow, infinity counts as 2^128, the next number if the exponent range were unlimited. A rounding to
/// infinity, or to the largest number, is measured like any other rounding.
#[inline(always)]
pub fn ulp_error(got: f32, exact: f64) -> f64 {
    const TOP: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    if got.is_nan() || exact.is_nan() {
        return if got.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == 0.0 && got.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    // No rounding explains a larger exact value.
    if exact.abs() > TOP * 1.000_001 {
        return if f64::from(got) == f64::INFINITY.copysign(exact) { 0.0 } else { f64::INFINITY };
    }
    let got = f64::from(got).clamp(-TOP, TOP);
    let exact = exact.clamp(-TOP, TOP);
    let exponent = ((exact.to_bits() >> 52) & 0x7ff).clamp(1023 - 126, 1023 + 127);
    let per_ulp = f64::from_bits((1023 + 1023 + 23 - exponent) << 52);
    (got - exact).abs() * per_ulp
}

#[cfg(test)]
mod tests {
    use super::ulp_error;

    #[test]
    fn ulp_error_counts_representable_values() {
        let next = f32::from_bits(1.0f32.to_bits() + 3);
        assert_eq!(ulp_error(next, 1.0), 3.0);
        assert_eq!(ulp_error(f32::from_bits(1), 0.0), 1.0);
        assert_eq!(ulp_error(f32::INFINITY, f64::from(f32::MAX)), 1.0);
        assert_eq!(ulp_error(f32::MAX, f64::INFINITY), f64::INFINITY);
        assert_eq!(ulp_error(0.0, -1e-60), f64::INFINITY);
        assert_eq!(ulp_error(-0.0, -1e-60), 1e-60 / 2f64.powi(-149));
        assert_eq!(ulp_error(f32::NAN, 1.0), f64::INFINITY);
        assert_eq!(ulp_error(f32::NAN, f64::NAN), 0.0);
    }
}
