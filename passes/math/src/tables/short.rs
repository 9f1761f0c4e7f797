//! The constants of `f32` for results of at most 11 bits: written by `tools/minimax.py`, which also says how; do not edit.

// The same numbers can be near named constants without being them, and 1.0 is an honest coefficient.
#![allow(clippy::approx_constant)]

use super::{Short, Single, Tables};

#[rustfmt::skip]
impl Tables for Short {
    const LN2_HI: f32 = Single::LN2_HI;
    const LN2_LO: f32 = Single::LN2_LO;
    const LOG2_10: f32 = Single::LOG2_10;
    const LOG10_2_HI: f32 = Single::LOG10_2_HI;
    const LOG10_2_LO: f32 = Single::LOG10_2_LO;
    const LOG10_E_HI: f32 = Single::LOG10_E_HI;
    const LOG10_E_LO: f32 = Single::LOG10_E_LO;
    const LOG2_E_HI: f32 = Single::LOG2_E_HI;
    const LOG2_E_LO: f32 = Single::LOG2_E_LO;
    const PI_HI: f32 = Single::PI_HI;
    const PI_LO: f32 = Single::PI_LO;
    const FRAC_PI_2_HI: f32 = Single::FRAC_PI_2_HI;
    const FRAC_PI_2_LO: f32 = Single::FRAC_PI_2_LO;
    const POW_DOWN: f32 = Single::POW_DOWN;
    const POW_UP: f32 = Single::POW_UP;
    const LOG2_POW_DOWN_HI: f32 = Single::LOG2_POW_DOWN_HI;
    const LOG2_POW_DOWN_LO: f32 = Single::LOG2_POW_DOWN_LO;
    const LOG2_POW_UP_HI: f32 = Single::LOG2_POW_UP_HI;
    const LOG2_POW_UP_LO: f32 = Single::LOG2_POW_UP_LO;
    const TWO_OVER_PI: &'static [i32] = Single::TWO_OVER_PI;
    // exp(r) = 1 + r + r^2 p(r), |r| <= ln(2)/2, relative to expm1: error 2^-15.558.
    const EXP: &'static [f32] = &[0.5000155, 0.16749576, 0.041610915];
    // 2^r = 1 + r p(r), |r| <= 1/2, relative: error 2^-18.418.
    const EXP2: &'static [f32] = &[0.6931239, 0.24023938, 0.055907868, 0.009590344];
    // 10^r = 1 + r p(r), |r| <= log10(2)/2, relative: error 2^-18.417.
    const EXP10: &'static [f32] = &[2.3025076, 2.651091, 2.0494833, 1.167876];
    // log(1 + f) = f + f^2 p(f), 1 + f in [sqrt(1/2), sqrt(2)], relative: error 2^-13.996.
    const LOG: &'static [f32] = &[-0.4995398, 0.335716, -0.26985812, 0.17821583];
    // log2(1 + f) = f + f p(f), same range, relative: error 2^-14.27.
    const LOG2: &'static [f32] = &[0.44264594, -0.7205597, 0.48534325, -0.39080828, 0.2543856];
    // log10(1 + f) = f LOG10_E_HI + f p(f), same range, relative: error 2^-14.27.
    const LOG10: &'static [f32] = &[-1.4788251e-5, -0.2169101, 0.1461028, -0.11764495, 0.07657796];
    // sin(r) = r + r^3 p(r^2), |r| <= 1, relative: error 2^-16.87.
    const SIN: &'static [f32] = &[-0.16657938, 0.00805743];
    // cos(r) = 1 - r^2/2 + r^4 p(r^2), |r| <= 1, relative: error 2^-20.395.
    const COS: &'static [f32] = &[0.041651785, -0.0013498747];
    // tanh(x) = x + x^3 p(x^2), |x| <= 0.625, relative: error 2^-18.117.
    const TANH: &'static [f32] = &[-0.33315706, 0.13050066, -0.0405495];
    // sinh(x) = x + x^3 p(x^2), |x| <= 1, relative: error 2^-17.055.
    const SINH: &'static [f32] = &[0.16658142, 0.008611098];
    // atan(x) = x + x^3 p(x^2), |x| <= 1, relative: error 2^-14.789.
    const ATAN: &'static [f32] = &[-0.3321277, 0.18679687, -0.094068766, 0.024825163];
    // asin(x) = x + x^3 p(x^2), |x| <= 1/2, relative: error 2^-14.658.
    const ASIN: &'static [f32] = &[0.16504261, 0.09433876];
    // erf(x) = x + x p(x^2), |x| <= 1, relative: error 2^-15.114.
    const ERF: &'static [f32] = &[0.12834743, -0.37513685, 0.10783457, -0.018368023];
    // log2(erfc(x)) = p(x), 1 <= x <= 4, absolute in erf: error 2^-14.939.
    const ERF_TAIL: &'static [f32] = &[-0.1410096, -1.259249, -1.2684567];
    // erfc(x) = e^(-x^2) t p(t), t = 1 / (1 + x/2), 1 <= x, relative: error 2^-15.575.
    const ERFC: &'static [f32] = &[0.28131518, 0.2943676, 0.17607082, 0.35862043, -0.104709506];
    // log2((1 + s) / (1 - s)) = 2 log2(e) s + s^3 p(s^2), |s| <= 0.0594, relative: error 2^-31.898.
    const POW: &'static [f32] = &[0.96179444, 0.5791207];
}
