//! Functions beyond arithmetic. The f64 values of these math functions are approximations, and only the
//! checks of rules that permit approximation use the values. The approximations never replace a function of a
//! kernel by a constant.

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $ir:literal $operands:literal |$x:ident, $y:ident| $value:expr;)*) => {
        /// A math function of floats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function { $($(#[$doc])* $name),* }

        impl Function {
            pub const ALL: &'static [Function] = &[$(Function::$name),*];

            /// The name of the operation in the dialect `math`, without the prefix `math.`.
            pub const fn name(self) -> &'static str {
                match self { $(Function::$name => $ir),* }
            }

            /// Number of operands: 1 or 2.
            pub const fn operands(self) -> usize {
                match self { $(Function::$name => $operands),* }
            }

            /// The function's value in f64, with the error of the host's math library. A function with one
            /// operand ignores `y`.
            pub fn value(self, x: f64, y: f64) -> f64 {
                match self { $(Function::$name => { let ($x, $y) = (x, y); let _ = $y; $value }),* }
            }
        }
    };
}

functions! {
    /// Power of e.
    Exp "exp" 1 |x, _y| x.exp();
    /// Power of 2.
    Exp2 "exp2" 1 |x, _y| x.exp2();
    /// The exponential of x, minus 1.
    ExpM1 "expm1" 1 |x, _y| x.exp_m1();
    /// Natural logarithm.
    Log "log" 1 |x, _y| x.ln();
    /// Logarithm to base 2.
    Log2 "log2" 1 |x, _y| x.log2();
    /// Logarithm to base 10.
    Log10 "log10" 1 |x, _y| x.log10();
    /// Natural logarithm of 1 + x.
    Log1P "log1p" 1 |x, _y| x.ln_1p();
    /// Sine.
    Sin "sin" 1 |x, _y| x.sin();
    /// Cosine.
    Cos "cos" 1 |x, _y| x.cos();
    /// Tangent.
    Tan "tan" 1 |x, _y| x.tan();
    /// Arc tangent.
    Atan "atan" 1 |x, _y| x.atan();
    /// Arc sine.
    Asin "asin" 1 |x, _y| x.asin();
    /// Arc cosine.
    Acos "acos" 1 |x, _y| x.acos();
    /// The angle of the point whose ordinate is the first operand and whose abscissa is the second operand.
    Atan2 "atan2" 2 |x, y| x.atan2(y);
    /// Inverse hyperbolic sine.
    Asinh "asinh" 1 |x, _y| x.asinh();
    /// Inverse hyperbolic cosine.
    Acosh "acosh" 1 |x, _y| x.acosh();
    /// Inverse hyperbolic tangent.
    Atanh "atanh" 1 |x, _y| x.atanh();
    /// Hyperbolic sine.
    Sinh "sinh" 1 |x, _y| x.sinh();
    /// Hyperbolic cosine.
    Cosh "cosh" 1 |x, _y| x.cosh();
    /// Hyperbolic tangent.
    Tanh "tanh" 1 |x, _y| x.tanh();
    /// Inverse square root.
    Rsqrt "rsqrt" 1 |x, _y| 1.0 / x.sqrt();
    /// Cube root.
    Cbrt "cbrt" 1 |x, _y| x.cbrt();
    /// Error function.
    Erf "erf" 1 |x, _y| if x.abs() < 2.0 { near_erf(x) } else { 1f64.copysign(x) - far_erfc(x.abs()).copysign(x) };
    /// 1 minus the error function.
    Erfc "erfc" 1 |x, _y| match x {
        _ if x.abs() < 2.0 => 1.0 - near_erf(x),
        _ if x < 0.0 => 2.0 - far_erfc(-x),
        _ => far_erfc(x),
    };
    /// Power.
    Powf "powf" 2 |x, y| x.powf(y);
}

// Abramowitz and Stegun, formula 7.1.6. All terms have one sign. 60 terms suffice for numbers below 2.
fn near_erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

// Abramowitz and Stegun, formula 7.1.14, the continued fraction from its end. 120 levels suffice for numbers of at least
// 2. For NaN, the result is NaN.
fn far_erfc(x: f64) -> f64 {
    let fraction = (1..120).rev().fold(x, |inner, n| x + f64::from(n) / 2.0 / inner);
    (-x * x).exp() / fraction / std::f64::consts::PI.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_function_has_the_values_of_the_tables() {
        // The values are those of mpmath 1.3, rounded to f64.
        for (x, erf, erfc) in [
            (0.5, 0.520_499_877_813_046_5, 0.479_500_122_186_953_5),
            (1.0, 0.842_700_792_949_714_9, 0.157_299_207_050_285_13),
            (1.9999, 0.995_320_197_907_029_4, 4.679_802_092_970_608e-3),
            (2.0, 0.995_322_265_018_952_7, 4.677_734_981_047_266e-3),
            (3.0, 0.999_977_909_503_001_4, 2.209_049_699_858_544e-5),
            (10.0, 1.0, 2.088_487_583_762_545e-45),
        ] {
            let is_close = |value: f64, right: f64| (value - right).abs() <= 1e-13 * right.abs();
            assert!(is_close(Function::Erf.value(x, 0.0), erf), "{x}: {}", Function::Erf.value(x, 0.0));
            assert!(is_close(Function::Erfc.value(x, 0.0), erfc), "{x}: {}", Function::Erfc.value(x, 0.0));
            assert_eq!(Function::Erf.value(-x, 0.0), -Function::Erf.value(x, 0.0));
            assert!(is_close(Function::Erfc.value(-x, 0.0), 1.0 + erf));
        }
        assert_eq!(Function::Erf.value(f64::NEG_INFINITY, 0.0), -1.0);
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY].map(|x| Function::Erfc.value(x, 0.0)), [0.0, 2.0]);
        assert!(Function::Erf.value(f64::NAN, 0.0).is_nan() && Function::Erfc.value(f64::NAN, 0.0).is_nan());
        assert!(Function::Erf.value(-0.0, 0.0).is_sign_negative());
    }
}
