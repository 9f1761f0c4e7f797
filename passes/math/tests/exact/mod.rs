//! Reference values for `f64` with 160 bits, computed with `astro-float`. The error of the reference values is
//! about 2^-100 ULP of `f64`.

use astro_float::{BigFloat, Consts, RoundingMode, Sign};
use cube_math::measure::{binary, unary};
use cube_math::{Binary, Unary};

const P: usize = 192;
const RM: RoundingMode = RoundingMode::ToEven;

/// Computes exact values, and caches mathematical constants.
pub struct Exact {
    consts: Consts,
}

/// `x` as a big float. A subnormal is converted through a normal number, because `from_f64` misreads subnormals.
fn big(x: f64) -> BigFloat {
    if x == 0.0 || x.abs() >= f64::MIN_POSITIVE {
        return BigFloat::from_f64(x, P);
    }
    let mut v = BigFloat::from_f64(x * 2f64.powi(64), P);
    v.set_exponent(v.exponent().expect("a number has an exponent") - 64);
    v
}

/// |v| 2^shift to `f64` accuracy.
fn scaled(v: &BigFloat, shift: i32) -> f64 {
    let Some((words, _, _, exponent, _)) = v.as_raw_parts() else { return f64::INFINITY };
    let Some(top) = words.last().filter(|w| **w != 0) else { return 0.0 };
    // 0.m 2^exponent with m normalised.
    let power = exponent - 64 + shift;
    (*top as f64) * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// |got - exact| in units in the last place of the exact value.
fn error(got: f64, exact: &BigFloat) -> f64 {
    let exponent = exact.exponent().unwrap_or(-1073).clamp(-1021, 1024);
    // Infinity counts as 2^1024, the next number of an unlimited range.
    let got = if got.is_infinite() {
        let mut top = big(2f64.powi(1023));
        top.set_exponent(1025);
        top.set_sign(if got < 0.0 { Sign::Neg } else { Sign::Pos });
        top
    } else {
        big(got)
    };
    scaled(&got.sub(exact, P, RM), 53 - exponent)
}

/// A result at zeros, infinities and NaN must equal the host's result, including the sign.
fn special(got: f64, host: f64) -> Option<f64> {
    if got.is_nan() || host.is_nan() {
        return Some(if got.is_nan() && host.is_nan() { 0.0 } else { f64::INFINITY });
    }
    if got.is_sign_negative() != host.is_sign_negative() {
        return Some(f64::INFINITY);
    }
    (got == host && (got.is_infinite() || got == 0.0)).then_some(0.0)
}

impl Exact {
    /// An empty cache of constants.
    pub fn new() -> Self {
        Self { consts: Consts::new().expect("memory for the constants") }
    }

    /// The error of `got` as a value of f(x), in ULP.
    pub fn unary(&mut self, f: Unary, x: f64, got: f64) -> f64 {
        if let Some(e) = special(got, unary(f)(x)) {
            return e;
        }
        let cc = &mut self.consts;
        let b = big(x);
        let one = big(1.0);
        let exact = match f {
            Unary::Exp => b.exp(P, RM, cc),
            Unary::Exp2 => big(2.0).pow(&b, P, RM, cc),
            Unary::Exp10 => big(10.0).pow(&b, P, RM, cc),
            Unary::Expm1 => expm1(&b, cc),
            Unary::Log => b.ln(P, RM, cc),
            Unary::Log2 => b.log2(P, RM, cc),
            Unary::Log10 => b.log10(P, RM, cc),
            Unary::Log1p => log1p(&b, cc),
            Unary::Sin => b.sin(P, RM, cc),
            Unary::Cos => b.cos(P, RM, cc),
            Unary::Tan => b.tan(P, RM, cc),
            Unary::Asin => b.asin(P, RM, cc),
            Unary::Acos => b.acos(P, RM, cc),
            Unary::Atan => b.atan(P, RM, cc),
            Unary::Sinh => b.sinh(P, RM, cc),
            Unary::Cosh => b.cosh(P, RM, cc),
            Unary::Tanh => b.tanh(P, RM, cc),
            Unary::Asinh => b.asinh(P, RM, cc),
            Unary::Acosh => b.acosh(P, RM, cc),
            Unary::Atanh => b.atanh(P, RM, cc),
            Unary::Erf => erf(&b, x, cc),
            Unary::Erfc if x.abs() < 3.0 => one.sub(&erf(&b, x, cc), P, RM),
            Unary::Erfc if x < 0.0 => big(2.0).sub(&erfc_tail(&b.abs(), cc), P, RM),
            Unary::Erfc => erfc_tail(&b, cc),
            Unary::Cbrt => b.cbrt(P, RM),
            Unary::Rsqrt => b.sqrt(P, RM).reciprocal(P, RM),
            Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven | Unary::RoundAway => big(unary(f)(x)),
        };
        error(got, &exact)
    }

    /// The error of `got` as a value of f(x, y), in ULP.
    pub fn binary(&mut self, f: Binary, x: f64, y: f64, got: f64) -> f64 {
        let host = binary(f)(x, y);
        if let Some(e) = special(got, host) {
            return e;
        }
        // On an axis, at infinity and for NaN, the host's value is a multiple of pi/4, an operand, or one.
        if [x, y].iter().any(|v| *v == 0.0 || !v.is_finite()) {
            return (got.to_bits().abs_diff(host.to_bits())) as f64;
        }
        let cc = &mut self.consts;
        let (a, b) = (big(x), big(y));
        let exact = match f {
            Binary::Atan2 => atan2(&a, &b, cc),
            Binary::Pow => {
                // Computed as exp(y log(a)), because the library's function for an integer exponent multiplies
                // repeatedly.
                let logarithm = a.abs().ln(P + 64, RM, cc);
                let mut power = logarithm.mul(&b, P + 64, RM).exp(P, RM, cc);
                power.set_sign(if got < 0.0 { Sign::Neg } else { Sign::Pos });
                power
            }
            Binary::Hypot => a.mul(&a, P, RM).add(&b.mul(&b, P, RM), P, RM).sqrt(P, RM),
            Binary::Fmod => big(x % y),
            Binary::FloorRem => match big(x % y) {
                r if r.is_zero() || r.is_negative() == b.is_negative() => r,
                r => r.add(&b, P, RM),
            },
        };
        error(got, &exact)
    }
}

/// The precision in bits for `exp(x) - 1` and `log(1 + x)`: `P`, and enough bits for the smallest `x` not to
/// vanish next to 1.
const WIDE: usize = P + 1088;

fn expm1(x: &BigFloat, cc: &mut Consts) -> BigFloat {
    x.exp(WIDE, RM, cc).sub(&big(1.0), WIDE, RM)
}

fn log1p(x: &BigFloat, cc: &mut Consts) -> BigFloat {
    x.add(&big(1.0), WIDE, RM).ln(WIDE, RM, cc)
}

fn sqrt_pi(cc: &mut Consts) -> BigFloat {
    cc.pi(P, RM).sqrt(P, RM)
}

fn exp_minus_square(x: &BigFloat, cc: &mut Consts) -> BigFloat {
    x.mul(x, P, RM).neg().exp(P, RM, cc)
}

/// 2/sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (2n+1)!! (DLMF 7.6.2)
fn erf(x: &BigFloat, host: f64, cc: &mut Consts) -> BigFloat {
    if host.abs() > 6.0 {
        let mut tail = big(1.0).sub(&erfc_tail(&x.abs(), cc), P, RM);
        tail.set_sign(x.sign().unwrap_or(Sign::Pos));
        return tail;
    }
    let twice = x.mul(x, P, RM).mul(&big(2.0), P, RM);
    let (mut term, mut sum) = (x.clone(), x.clone());
    for n in 1.. {
        term = term.mul(&twice, P, RM).div(&big(2.0 * f64::from(n) + 1.0), P, RM);
        sum = sum.add(&term, P, RM);
        let done = term.exponent().is_none_or(|t| sum.exponent().is_some_and(|s| t < s - 180));
        if done || term.is_zero() {
            break;
        }
    }
    let factor = big(2.0).div(&sqrt_pi(cc), P, RM).mul(&exp_minus_square(x, cc), P, RM);
    sum.mul(&factor, P, RM)
}

/// erfc for arguments of at least 3, by the continued fraction of DLMF 7.9.1.
fn erfc_tail(x: &BigFloat, cc: &mut Consts) -> BigFloat {
    let mut tail = x.clone();
    for k in (1..=400).rev() {
        tail = x.add(&big(0.5 * f64::from(k)).div(&tail, P, RM), P, RM);
    }
    exp_minus_square(x, cc).div(&tail.mul(&sqrt_pi(cc), P, RM), P, RM)
}

fn atan2(y: &BigFloat, x: &BigFloat, cc: &mut Consts) -> BigFloat {
    let angle = y.div(x, P, RM).atan(P, RM, cc);
    if x.is_positive() {
        return angle;
    }
    let pi = cc.pi(P, RM);
    if y.is_positive() { angle.add(&pi, P, RM) } else { angle.sub(&pi, P, RM) }
}
