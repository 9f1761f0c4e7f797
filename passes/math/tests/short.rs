//! Tests functions of f16 and bf16 on every input. The functions are computed in f32 with short polynomials, and
//! the result is rounded to f16 or bf16.

use cube_math::measure::unary;
use cube_math::{Binary, CoarseShort, Emit, NativeShort, NearShort, Unary, pow};

/// A narrow format. `precision` counts the hidden bit. The numbers of bits do not include the sign.
#[derive(Clone, Copy)]
struct Narrow {
    name: &'static str,
    precision: i32,
    exponent: i32,
}

const FORMATS: [Narrow; 2] =
    [Narrow { name: "f16", precision: 11, exponent: 5 }, Narrow { name: "bf16", precision: 8, exponent: 8 }];

/// Maximum error in units in the last place of the narrow format. The last rounding contributes 0.5, so the function
/// contributes at most 0.25.
const MAX_ERROR: f64 = 0.75;

impl Narrow {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The number that a bit pattern represents.
    fn number(self, pattern: u16) -> f64 {
        let bits = self.precision - 1;
        let (exponent, fraction) = (i32::from(pattern & 0x7fff) >> bits, f64::from(pattern & ((1 << bits) - 1)));
        let sign = if pattern >> 15 == 1 { -1.0 } else { 1.0 };
        let top = (1 << self.exponent) - 1;
        sign * match (exponent, fraction) {
            (e, 0.0) if e == top => f64::INFINITY,
            (e, _) if e == top => f64::NAN,
            (0, f) => f * 2f64.powi(1 - self.bias() - bits),
            (e, f) => (f + f64::from(1 << bits)) * 2f64.powi(e - self.bias() - bits),
        }
    }

    /// The unit in the last place of a number.
    fn unit(self, x: f64) -> f64 {
        let exponent = if x == 0.0 { -2000 } else { (x.abs().to_bits() >> 52) as i32 - 1023 };
        2f64.powi(exponent.clamp(1 - self.bias(), self.bias()) - (self.precision - 1))
    }

    /// The error of a result before the last rounding, in units in the last place, plus 0.5 for the last
    /// rounding.
    fn error(self, got: f32, exact: f64) -> f64 {
        let (got, top) = (f64::from(got), 2f64.powi(self.bias() + 1));
        if got.is_nan() || exact.is_nan() {
            return if got.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
        }
        if got == 0.0 && exact == 0.0 && got.is_sign_negative() != exact.is_sign_negative() {
            return f64::INFINITY;
        }
        if exact.abs() >= top {
            return if got.abs() >= top * (1.0 - 2f64.powi(-self.precision - 1)) { 0.5 } else { f64::INFINITY };
        }
        0.5 + (got.clamp(-top, top) - exact).abs() / self.unit(exact)
    }
}

fn check<E: Emit<F = f32>>(e: &E, format: Narrow, f: Unary) {
    let inputs: Vec<f64> = (0..=u16::MAX).map(|pattern| format.number(pattern)).collect();
    let operands: Vec<f32> = inputs.iter().map(|x| *x as f32).collect();
    let mut out = vec![0.0; operands.len()];
    f.run(e, [&operands], &mut out);
    let exact = unary(f);
    for (x, y) in inputs.iter().zip(out) {
        let expected = exact(*x);
        let error = format.error(y, expected);
        assert!(
            error <= MAX_ERROR,
            "{} of {}: {}({x:e}) = {y:e}, not {expected:e}: {error} ULP",
            f.name(),
            format.name,
            f.name()
        );
    }
}

#[test]
fn every_function_of_every_input() {
    for format in FORMATS {
        Unary::ALL.iter().for_each(|f| check(&NativeShort, format, *f));
    }
}

/// The bounds hold on WGSL and Vulkan, which permit an error of 2.5 ULP of f32 for quotients.
#[test]
fn every_function_with_inexact_divisions() {
    for format in FORMATS {
        (0..3).for_each(|seed| Unary::ALL.iter().for_each(|f| check(&NearShort(seed), format, *f)));
    }
}

/// The bounds hold with approximate instructions of GPUs, up to the errors that [`Emit`] permits.
#[test]
fn every_function_with_approximate_instructions() {
    for format in FORMATS {
        (0..3).for_each(|seed| Unary::ALL.iter().for_each(|f| check(&CoarseShort(seed), format, *f)));
    }
}

#[test]
fn powers_of_many_pairs() {
    assert_eq!(Binary::named("pow"), Some(Binary::Pow));
    for format in FORMATS {
        let mut state = 0x9e37_79b9_u32;
        for _ in 0..1 << 20 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Half of the bases are near 1, so that most powers are in the range of the format.
            let (any, near) =
                ((state >> 16) as u16, (format.bias() as u16) << (format.precision - 1) ^ (state >> 20) as u16 & 0x3ff);
            let (x, y) = (format.number(if state & 0x100 == 0 { any } else { near }), format.number(state as u16));
            let expected = x.powf(y);
            let error = format.error(pow(&NativeShort, x as f32, y as f32), expected);
            assert!(error <= MAX_ERROR, "pow of {}: {x:e}^{y:e}, not {expected:e}: {error} ULP", format.name);
        }
    }
}

#[test]
fn a_wrong_result_is_seen() {
    let [half, brain] = FORMATS;
    assert_eq!((half.number(0x3c01), brain.number(0x3f81)), (1.0009765625, 1.0078125));
    assert_eq!((half.number(1), brain.number(0xff80)), (2f64.powi(-24), f64::NEG_INFINITY));
    assert_eq!(half.error(1.0 + 2f32.powi(-10), 1.0), 1.5);
    assert_eq!(half.error(65520.0, 1e9), 0.5);
    assert_eq!(half.error(1.0, f64::NAN), f64::INFINITY);
    assert_eq!(half.error(-0.0, 0.0), f64::INFINITY);
}
