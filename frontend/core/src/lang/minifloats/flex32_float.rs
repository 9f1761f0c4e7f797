//! `num_traits::Float` of `flex32` on the host, with the results of `f32`.
use super::flex32;
use num_traits::{Float, Num, One, Zero};
use std::num::FpCategory;

impl Zero for flex32 {
    fn zero() -> Self {
        flex32(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}

impl One for flex32 {
    fn one() -> Self {
        flex32(1.0)
    }
}

impl Num for flex32 {
    type FromStrRadixErr = <f32 as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        f32::from_str_radix(text, radix).map(flex32)
    }
}

/// Implements `Float` by the functions of `f32`, by signature.
macro_rules! float {
    (
        numbers { $($number:ident)* } tests { $($test:ident)* } unary { $($unary:ident)* } binary { $($binary:ident)* }
    ) => {
        impl Float for flex32 {
            $(fn $number() -> Self {
                flex32(<f32 as Float>::$number())
            })*
            $(fn $test(self) -> bool {
                Float::$test(self.0)
            })*
            $(fn $unary(self) -> Self {
                flex32(Float::$unary(self.0))
            })*
            $(fn $binary(self, other: Self) -> Self {
                flex32(Float::$binary(self.0, other.0))
            })*
            fn epsilon() -> Self {
                flex32::EPSILON
            }
            fn classify(self) -> FpCategory {
                self.0.classify()
            }
            fn integer_decode(self) -> (u64, i16, i8) {
                self.0.integer_decode()
            }
            fn mul_add(self, factor: Self, summand: Self) -> Self {
                flex32(self.0.mul_add(factor.0, summand.0))
            }
            fn powi(self, exponent: i32) -> Self {
                flex32(self.0.powi(exponent))
            }
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = self.0.sin_cos();
                (flex32(sin), flex32(cos))
            }
        }
    };
}

float! {
    numbers { nan infinity neg_infinity neg_zero min_value min_positive_value max_value }
    tests { is_nan is_infinite is_finite is_normal is_sign_positive is_sign_negative }
    unary {
        floor ceil round trunc fract abs signum recip sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10
        sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    }
    binary { powf log max min abs_sub hypot atan2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of a function that requires `Float`, as the tests of CubeCL do.
    fn length<F: Float>(x: F, y: F) -> F {
        x.mul_add(x, y * y).sqrt()
    }

    #[test]
    fn flex32_has_the_results_of_f32_and_the_precision_of_f16() {
        assert_eq!(length(flex32(3.0), flex32(4.0)), flex32(5.0));
        assert_eq!(Float::powi(flex32(2.0), -3), flex32(0.125));
        assert_eq!(Float::sin_cos(flex32(0.5)), (flex32(0.5f32.sin()), flex32(0.5f32.cos())));
        assert_eq!(Float::atan2(flex32(1.0), flex32(-2.0)), flex32(1f32.atan2(-2.0)));
        assert!(<flex32 as Float>::nan().is_nan() && !flex32(1.0).is_nan());
        assert_eq!(<flex32 as Float>::epsilon(), flex32(2f32.powi(-10)));
        assert_eq!(flex32::from_str_radix("1.5", 10).ok(), Some(flex32(1.5)));
    }
}
