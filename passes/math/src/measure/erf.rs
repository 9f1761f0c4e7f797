//! A reference error function in `f64`. The standard library has no error function.

const TWO_OVER_SQRT_PI: f64 = core::f64::consts::FRAC_2_SQRT_PI;

/// erf(x) = 2/sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (2n+1)!! (DLMF 7.6.2). All terms of the series are positive, so no
/// cancellation occurs.
pub(super) fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a > 2.0 {
        return (1.0 - erfc(a)).copysign(x);
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > sum.abs() * 1e-18 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    if x == 0.0 { x } else { TWO_OVER_SQRT_PI * exp_minus_square(x) * sum }
}

/// e^(-x^2), with a correction for the rounding error of the square.
fn exp_minus_square(x: f64) -> f64 {
    let square = x * x;
    (-square).exp() * (1.0 - x.mul_add(x, -square))
}

/// erfc(x). For arguments above 2, the function uses the continued fraction of DLMF 7.9.1, which converges
/// within the computed terms.
pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x <= 2.0 {
        return if x < -6.0 { 2.0 } else { 1.0 - erf(x) };
    }
    if x > 30.0 {
        return 0.0;
    }
    let mut tail = x;
    for k in (1..=120).rev() {
        tail = x + 0.5 * f64::from(k) / tail;
    }
    exp_minus_square(x) / (tail * core::f64::consts::PI.sqrt())
}

#[cfg(test)]
mod tests {
    /// Compares with values of mpmath at 30 digits.
    #[test]
    fn known_values() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-14, "{a} {b}");
        close(super::erf(0.5), 0.520_499_877_813_046_5);
        close(super::erf(1.9), 0.992_790_429_235_257_5);
        close(super::erf(2.1), 0.997_020_533_343_667);
        close(super::erfc(2.5), 4.069_520_174_449_589e-4);
        close(super::erfc(9.0), 4.137_031_746_513_81e-37);
    }
}
