//! Reference sine and cosine of huge angles, computed with wide integers. The host's functions are slow for huge
//! angles, which are a third of all inputs. A test compares the functions of this file with the host's
//! functions.

use core::f64::consts::FRAC_PI_2;

use crate::format::Double;
use crate::tables::Tables;

/// The angle below which the host's functions are fast.
const FAST: f64 = 67_108_864.0;

/// Returns (quadrant, rest) with |x| = quadrant pi/2 + rest, for a finite |x| >= 1. The function multiplies 128 bits of
/// 2/pi by the significand, modulo 4.
fn reduce(x: f64) -> (i64, f64) {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as usize - 1023;
    let significand = (bits & ((1 << 52) - 1)) | (1 << 52);
    let word = |i: usize| u128::from(Double::TWO_OVER_PI[exponent / 64 + i] as u64);
    let shift = exponent % 64;
    let window = ((word(0) << 64 | word(1)) << shift) | (word(2) << shift >> 64);
    let product = window.wrapping_mul(u128::from(significand));
    let quadrant = (product.wrapping_add(1 << 125) >> 126) as i64;
    let rest = (product << 2) as i128 as f64 / 2f64.powi(128);
    (quadrant, rest * FRAC_PI_2)
}

/// (sin(x), cos(x))
fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < FAST || !x.is_finite() {
        return (x.sin(), x.cos());
    }
    let (quadrant, rest) = reduce(x);
    let (s, c) = (rest.sin(), rest.cos());
    let (s, c) = match quadrant & 3 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    };
    (if x < 0.0 { -s } else { s }, c)
}

pub(super) fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

pub(super) fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

pub(super) fn tan(x: f64) -> f64 {
    if x.abs() < FAST {
        return x.tan();
    }
    let (s, c) = sin_cos(x);
    s / c
}

#[cfg(test)]
mod tests {
    /// Tests every (2^14 + 1)th single-precision angle. The result must equal the host's result, except for the
    /// rounding of the reduced angle.
    #[test]
    fn agrees_with_the_host() {
        for bits in (super::FAST.to_bits() >> 29..f64::INFINITY.to_bits() >> 29).step_by(16_385) {
            let x = f64::from_bits(bits << 29);
            for (ours, host) in [(super::sin(x), x.sin()), (super::cos(-x), x.cos()), (super::tan(-x), -x.tan())] {
                assert!((ours - host).abs() <= host.abs() * 1e-15, "{x:e}: {ours:e}, {host:e}");
            }
        }
    }
}
