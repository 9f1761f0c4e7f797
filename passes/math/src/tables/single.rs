//! The constants of `f32`: written by `tools/minimax.py`, which also says how; do not edit.

// The same numbers can be near named constants without being them, and 1.0 is an honest coefficient.
#![allow(clippy::approx_constant)]

use super::{Single, Tables};

#[rustfmt::skip]
impl Tables for Single {
    const LN2_HI: f32 = 0.69314575;
    const LN2_LO: f32 = 1.4286068e-6;
    const LOG2_10: f32 = 3.321928;
    const LOG10_2_HI: f32 = 0.3010254;
    const LOG10_2_LO: f32 = 4.605039e-6;
    const LOG10_E_HI: f32 = 0.4342945;
    const LOG10_E_LO: f32 = -1.010305e-8;
    const LOG2_E_HI: f32 = 1.442695;
    const LOG2_E_LO: f32 = 1.925963e-8;
    const PI_HI: f32 = 3.1415927;
    const PI_LO: f32 = -8.742278e-8;
    const FRAC_PI_2_HI: f32 = 1.5707964;
    const FRAC_PI_2_LO: f32 = -4.371139e-8;
    const POW_DOWN: f32 = 0.796875;
    const POW_UP: f32 = 1.2578125;
    const LOG2_POW_DOWN_HI: f32 = -0.32757568;
    const LOG2_POW_DOWN_LO: f32 = 1.0255652e-6;
    const LOG2_POW_UP_HI: f32 = 0.33091736;
    const LOG2_POW_UP_LO: f32 = -4.802838e-7;
    const TWO_OVER_PI: &'static [i32] = &[0x51_u32 as i32, 0x7cc1b727_u32 as i32, 0x220a94fe_u32 as i32, 0x13abe8fa_u32 as i32, 0x9a6ee06d_u32 as i32, 0xb14acc9e_u32 as i32, 0x21c820ff_u32 as i32];
    // exp(r) = 1 + r + r^2 p(r), |r| <= ln(2)/2, relative to expm1: error 2^-26.091.
    const EXP: &'static [f32] = &[0.49999997, 0.16666543, 0.041667495, 0.008366529, 0.0013865085];
    // 2^r = 1 + r p(r), |r| <= 1/2, relative: error 2^-28.312.
    const EXP2: &'static [f32] = &[0.6931472, 0.24022648, 0.055503596, 0.009618501, 0.0013390968, 0.00015328526];
    // 10^r = 1 + r p(r), |r| <= log10(2)/2, relative: error 2^-28.492.
    const EXP10: &'static [f32] = &[2.3025851, 2.6509488, 2.0346558, 1.1712933, 0.54183704, 0.20625655];
    // log(1 + f) = f + f^2 p(f), 1 + f in [sqrt(1/2), sqrt(2)], relative: error 2^-27.827.
    const LOG: &'static [f32] = &[-0.49999988, 0.33333325, -0.250016, 0.20001963, -0.1660872, 0.14182214, -0.13246253, 0.12901886, -0.07610181];
    // log2(1 + f) = f + f p(f), same range, relative: error 2^-27.022.
    const LOG2: &'static [f32] = &[0.44269505, -0.7213475, 0.4808972, -0.360686, 0.28859147, -0.23983474, 0.20446722, -0.18947937, 0.1859066, -0.11269874];
    // log10(1 + f) = f LOG10_E_HI + f p(f), same range, relative: error 2^-27.739.
    const LOG10: &'static [f32] = &[-1.0132728e-8, -0.21714719, 0.1447648, -0.10858075, 0.08686758, -0.0721274, 0.061587017, -0.05754562, 0.05607198, -0.033059433];
    // sin(r) = r + r^3 p(r^2), |r| <= 1, relative: error 2^-31.479.
    const SIN: &'static [f32] = &[-0.16666667, 0.008333354, -0.000198424, 2.7264525e-6];
    // cos(r) = 1 - r^2/2 + r^4 p(r^2), |r| <= 1, relative: error 2^-35.22.
    const COS: &'static [f32] = &[0.041666668, -0.0013888936, 2.4805806e-5, -2.7428018e-7];
    // tanh(x) = x + x^3 p(x^2), |x| <= 0.625, relative: error 2^-27.717.
    const TANH: &'static [f32] = &[-0.3333328, 0.13331412, -0.053737454, 0.020632429, -0.005698185];
    // sinh(x) = x + x^3 p(x^2), |x| <= 1, relative: error 2^-31.618.
    const SINH: &'static [f32] = &[0.16666667, 0.0083333105, 0.00019842896, 2.7822134e-6];
    // atan(x) = x + x^3 p(x^2), |x| <= 1, relative: error 2^-28.502.
    const ATAN: &'static [f32] = &[-0.333333, 0.19998534, -0.142641, 0.10951473, -0.08401435, 0.057923973, -0.031145038, 0.010897292, -0.0017898061];
    // asin(x) = x + x^3 p(x^2), |x| <= 1/2, relative: error 2^-27.601.
    const ASIN: &'static [f32] = &[0.16666752, 0.07495314, 0.04546807, 0.024192061, 0.0421435];
    // erf(x) = x + x p(x^2), |x| <= 1, relative: error 2^-29.353.
    const ERF: &'static [f32] = &[0.12837917, -0.37612626, 0.11283582, -0.026853595, 0.005187852, -0.00080057187, 7.838526e-5];
    // log2(erfc(x)) = p(x), 1 <= x <= 4, absolute in erf: error 2^-29.777.
    const ERF_TAIL: &'static [f32] = &[-0.00051109097, -1.6259713, -0.92077255, -0.14864355, 0.031453837, -0.004239595, 0.0002675652];
    // erfc(x) = e^(-x^2) t p(t), t = 1 / (1 + x/2), 1 <= x, relative: error 2^-28.268.
    const ERFC: &'static [f32] = &[0.28208643, 0.28233272, 0.24394037, 0.19595517, 0.002155853, 0.20722757, -0.38644603, 0.20760086, -0.034609407];
    // log2((1 + s) / (1 - s)) = 2 log2(e) s + s^3 p(s^2), |s| <= 0.0594, relative: error 2^-31.898.
    const POW: &'static [f32] = &[0.96179444, 0.5791207];
}
