//! Math functions. Results in f32 are correctly rounded, like the results of pxfm's single-precision functions. The
//! error of results in f64 is slightly more than 0.5 ULP, and at most 1 ULP for `pow`. Results in all other formats
//! are computed in f64 and rounded once.
use crate::program::{Fn1, Fn2};
use cube_ir::{OpKind, ops::math};
use cube_semantics::floats::ByFormat;
use cube_semantics::{F64, Format, Wide, by_format, ints::signed};

macro_rules! unary {
    ($($kind:ident $double:ident $single:ident;)*) => {
        /// Functions of one operand.
        pub const UNARY: &[(OpKind, ByFormat<Fn1>)] = &[$((math::$kind, {
            fn function<T: Format>(a: u64, _: u32) -> u64 {
                T::from_wide(T::to_wide(a).map(pxfm::$single, pxfm::$double))
            }
            by_format!(function)
        })),*];
    };
}

unary! {
    ACOS f_acos f_acosf;
    ACOSH f_acosh f_acoshf;
    ASIN f_asin f_asinf;
    ASINH f_asinh f_asinhf;
    ATAN f_atan f_atanf;
    ATANH f_atanh f_atanhf;
    CBRT f_cbrt f_cbrtf;
    COS f_cos f_cosf;
    COSH f_cosh f_coshf;
    ERF f_erf f_erff;
    ERFC f_erfc f_erfcf;
    EXP f_exp f_expf;
    EXP2 f_exp2 f_exp2f;
    EXPM1 f_expm1 f_expm1f;
    LOG f_log f_logf;
    LOG10 f_log10 f_log10f;
    LOG1P f_log1p f_log1pf;
    LOG2 f_log2 f_log2f;
    RSQRT f_rsqrt f_rsqrtf;
    SIN f_sin f_sinf;
    SINH f_sinh f_sinhf;
    TAN f_tan f_tanf;
    TANH f_tanh f_tanhf;
}

/// The functions of an operation with one operand; `None` if the operation is not in the table [`UNARY`].
pub fn unary(kind: OpKind) -> Option<ByFormat<Fn1>> {
    UNARY.iter().find(|(own, _)| *own == kind).map(|(_, by_format)| *by_format)
}

macro_rules! binary {
    ($($table:ident $double:ident $single:ident, $doc:literal;)*) => {
        $(#[doc = $doc]
        pub const $table: ByFormat<Fn2> = {
            fn function<T: Format>(a: u64, b: u64, _: u32) -> u64 {
                T::from_wide(T::to_wide(a).map2(T::to_wide(b), pxfm::$single, pxfm::$double))
            }
            by_format!(function)
        };)*
    };
}

binary! {
    ATAN2 f_atan2 f_atan2f, "The angle of (second, first).";
}

/// `pow` of IEEE 754 (section 9.2.1). The math library is called only for positive finite numbers. The code of
/// this function handles all other operands.
fn pow<T: Format>(a: u64, b: u64, _: u32) -> u64 {
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
    // From 2^53 upwards, all floats are even.
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
    // pxfm 0.1.30 gives NaN for some positive numbers in f64. The host's function is within 1 ULP.
    sign | T::from_wide(T::to_wide(a & !T::SIGN).map2(T::to_wide(b), pxfm::f_powf, f64::powf))
}

/// A float raised to a float power.
pub const POW: ByFormat<Fn2> = by_format!(pow);

fn fpowi<T: Format>(a: u64, b: u64, _: u32) -> u64 {
    let power = F64::of_double(signed(b, 32) as f64);
    T::of_double(f64::from_bits(pow::<F64>(F64::of_double(T::double(a)), power, 0)))
}

/// A float raised to a 32-bit integer power.
pub const FPOWI: ByFormat<Fn2> = by_format!(fpowi);
