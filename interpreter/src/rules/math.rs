//! Math functions: correctly rounded in f32 (pxfm's single-precision functions are), within 0.5 ULP and a little in f64. f16
//! and bf16 are computed in f64 and rounded once.
use crate::program::{Fn1, Fn2};
use cube_semantics::floats::Four;
use cube_semantics::{BF16, F16, F32, F64, Format, ints::signed};

macro_rules! unary {
    ($($name:literal $double:ident $single:ident;)*) => {
        /// Functions of one operand by the name of their operation.
        pub const UNARY: &[(&str, Four<Fn1>)] = &[$(($name, {
            fn half<T: Format>(a: u64, _: u32) -> u64 {
                T::of_double(pxfm::$double(T::double(a)))
            }
            [
                half::<F16>,
                half::<BF16>,
                |a, _| F32::narrow(pxfm::$single(F32::wide(a))),
                |a, _| F64::narrow(pxfm::$double(F64::wide(a))),
            ]
        })),*];
    };
}

unary! {
    "math.acos" f_acos f_acosf;
    "math.acosh" f_acosh f_acoshf;
    "math.asin" f_asin f_asinf;
    "math.asinh" f_asinh f_asinhf;
    "math.atan" f_atan f_atanf;
    "math.atanh" f_atanh f_atanhf;
    "math.cbrt" f_cbrt f_cbrtf;
    "math.cos" f_cos f_cosf;
    "math.cosh" f_cosh f_coshf;
    "math.erf" f_erf f_erff;
    "math.erfc" f_erfc f_erfcf;
    "math.exp" f_exp f_expf;
    "math.exp2" f_exp2 f_exp2f;
    "math.expm1" f_expm1 f_expm1f;
    "math.log" f_log f_logf;
    "math.log10" f_log10 f_log10f;
    "math.log1p" f_log1p f_log1pf;
    "math.log2" f_log2 f_log2f;
    "math.rsqrt" f_rsqrt f_rsqrtf;
    "math.sin" f_sin f_sinf;
    "math.sinh" f_sinh f_sinhf;
    "math.tan" f_tan f_tanf;
    "math.tanh" f_tanh f_tanhf;
}

macro_rules! binary {
    ($($table:ident $double:ident $single:ident, $doc:literal;)*) => {
        $(#[doc = $doc]
        pub const $table: Four<Fn2> = {
            fn half<T: Format>(a: u64, b: u64, _: u32) -> u64 {
                T::of_double(pxfm::$double(T::double(a), T::double(b)))
            }
            [
                half::<F16>,
                half::<BF16>,
                |a, b, _| F32::narrow(pxfm::$single(F32::wide(a), F32::wide(b))),
                |a, b, _| F64::narrow(pxfm::$double(F64::wide(a), F64::wide(b))),
            ]
        };)*
    };
}

binary! {
    ATAN2 f_atan2 f_atan2f, "The angle of (second, first).";
}

/// `pow` of IEEE 754 (section 9.2.1). The library is asked for positive finite numbers only; the rest is written out here.
fn pow<T: Format>(a: u64, b: u64, of_positive: fn(u64, u64) -> u64) -> u64 {
    let (x, y) = (T::double(a), T::double(b));
    let one = T::of_double(1.0);
    if y == 0.0 || x == 1.0 || (x == -1.0 && y.is_infinite()) {
        return one;
    }
    if x.is_nan() || y.is_nan() {
        return T::nan();
    }
    if y.is_infinite() {
        return if (x.abs() > 1.0) == (y > 0.0) { T::INFINITY } else { 0 };
    }
    let whole = y.trunc() == y;
    // From 2^53 on all floats are even.
    let odd = whole && y.abs() < 2f64.powi(53) && y % 2.0 != 0.0;
    let sign = if odd && x.is_sign_negative() { T::SIGN } else { 0 };
    if x == 0.0 {
        return sign | if y > 0.0 { 0 } else { T::INFINITY };
    }
    if x.is_infinite() {
        return sign | if y > 0.0 { T::INFINITY } else { 0 };
    }
    if x < 0.0 && !whole {
        return T::nan();
    }
    sign | of_positive(a & !T::SIGN, b)
}

fn pow_half<T: Format>(a: u64, b: u64, _: u32) -> u64 {
    pow::<T>(a, b, |a, b| T::of_double(T::double(a).powf(T::double(b))))
}

/// A float to a float power.
pub const POW: Four<Fn2> = [
    pow_half::<F16>,
    pow_half::<BF16>,
    |a, b, _| pow::<F32>(a, b, |a, b| F32::narrow(pxfm::f_powf(F32::wide(a), F32::wide(b)))),
    // pxfm 0.1.30 gives NaN for some positive numbers; the host's is within 1 ULP.
    |a, b, _| pow::<F64>(a, b, |a, b| F64::narrow(F64::wide(a).powf(F64::wide(b)))),
];

fn fpowi<T: Format, const W: u32>(a: u64, b: u64, _: u32) -> u64 {
    let power = F64::of_double(signed(b, W) as f64);
    T::of_double(f64::from_bits(POW[3](F64::of_double(T::double(a)), power, 0)))
}

/// A float to an integer power of 32 bits.
pub const FPOWI: Four<Fn2> = [fpowi::<F16, 32>, fpowi::<BF16, 32>, fpowi::<F32, 32>, fpowi::<F64, 32>];
