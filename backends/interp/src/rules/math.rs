//! Math functions: correctly rounded in f32 (pxfm's single-precision functions are), within 0.5 ULP and a little in f64. f16
//! and bf16 are computed in f64 and rounded once.
use super::floats::Four;
use crate::format::{BF16, F16, F32, F64, Format};
use crate::program::{Fn1, Fn2};

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
    POW f_pow f_powf, "IEEE's `pow`.";
}

fn fpowi<T: Format, const W: u32>(a: u64, b: u64, _: u32) -> u64 {
    T::of_double(pxfm::f_pow(T::double(a), super::ints::signed(b, W) as f64))
}

/// A float to an integer power of 32 bits.
pub const FPOWI: Four<Fn2> = [fpowi::<F16, 32>, fpowi::<BF16, 32>, fpowi::<F32, 32>, fpowi::<F64, 32>];
