//! Tables of names that the kernel language (`frontend/core`) and its macros (`frontend/macros`) share.
//!
//! The macros cannot use the traits of the language, because the language depends on the macros. Both therefore read the
//! tables of this crate. A macro such as [`functions_of_one!`] calls another macro with the rows of its table, from which
//! `frontend/core` declares traits, methods and statics. The functions of this crate search the same rows.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// The math functions of one operand, such as `F::exp(x)` and `x.exp()`. A row has the trait, the name, the names of the
/// expansion as a function and as a method, the trait of the method, the family of the operand (`floats`, `integers`, or
/// `numbers` for both), and the result (`same` for the type of the operand).
#[macro_export]
macro_rules! functions_of_one {
    ($receiver:ident) => {
        $receiver! {
            Exp exp exp_in_a_kernel __expand_exp_method ExpMethods floats same;
            Log log log_in_a_kernel __expand_log_method LogMethods floats same;
            Log1p log1p log1p_in_a_kernel __expand_log1p_method Log1pMethods floats same;
            Cos cos cos_in_a_kernel __expand_cos_method CosMethods floats same;
            Sin sin sin_in_a_kernel __expand_sin_method SinMethods floats same;
            Tan tan tan_in_a_kernel __expand_tan_method TanMethods floats same;
            Tanh tanh tanh_in_a_kernel __expand_tanh_method TanhMethods floats same;
            Sqrt sqrt sqrt_in_a_kernel __expand_sqrt_method SqrtMethods floats same;
            InverseSqrt inverse_sqrt inverse_sqrt_in_a_kernel __expand_inverse_sqrt_method InverseSqrtMethods floats same;
            Round round round_in_a_kernel __expand_round_method RoundMethods floats same;
            Floor floor floor_in_a_kernel __expand_floor_method FloorMethods floats same;
            Ceil ceil ceil_in_a_kernel __expand_ceil_method CeilMethods floats same;
            Trunc trunc trunc_in_a_kernel __expand_trunc_method TruncMethods floats same;
            Erf erf erf_in_a_kernel __expand_erf_method ErfMethods floats same;
            Recip recip recip_in_a_kernel __expand_recip_method RecipMethods floats same;
            Expm1 exp_m1 exp_m1_in_a_kernel __expand_exp_m1_method Expm1Methods floats same;
            Sinh sinh sinh_in_a_kernel __expand_sinh_method SinhMethods floats same;
            Cosh cosh cosh_in_a_kernel __expand_cosh_method CoshMethods floats same;
            ArcCos acos acos_in_a_kernel __expand_acos_method ArcCosMethods floats same;
            ArcSin asin asin_in_a_kernel __expand_asin_method ArcSinMethods floats same;
            ArcTan atan atan_in_a_kernel __expand_atan_method ArcTanMethods floats same;
            ArcSinh asinh asinh_in_a_kernel __expand_asinh_method ArcSinhMethods floats same;
            ArcCosh acosh acosh_in_a_kernel __expand_acosh_method ArcCoshMethods floats same;
            ArcTanh atanh atanh_in_a_kernel __expand_atanh_method ArcTanhMethods floats same;
            Degrees to_degrees to_degrees_in_a_kernel __expand_to_degrees_method DegreesMethods floats same;
            Radians to_radians to_radians_in_a_kernel __expand_to_radians_method RadiansMethods floats same;
            Magnitude magnitude magnitude_in_a_kernel __expand_magnitude_method MagnitudeMethods floats same;
            Normalize normalize normalize_in_a_kernel __expand_normalize_method NormalizeMethods floats same;
            Abs abs abs_in_a_kernel __expand_abs_method AbsMethods numbers same;
            IsNan is_nan is_nan_in_a_kernel __expand_is_nan_method IsNanMethods floats bool;
            IsInf is_inf is_inf_in_a_kernel __expand_is_inf_method IsInfMethods floats bool;
            BitwiseNot bitwise_not bitwise_not_in_a_kernel __expand_bitwise_not_method BitwiseNotMethods integers same;
            ReverseBits reverse_bits reverse_bits_in_a_kernel __expand_reverse_bits_method ReverseBitsMethods integers same;
            CountOnes count_ones count_ones_in_a_kernel __expand_count_ones_method CountOnesMethods integers u32;
            LeadingZeros leading_zeros leading_zeros_in_a_kernel __expand_leading_zeros_method LeadingZerosMethods integers u32;
            TrailingZeros trailing_zeros trailing_zeros_in_a_kernel __expand_trailing_zeros_method TrailingZerosMethods integers u32;
            FindFirstSet find_first_set find_first_set_in_a_kernel __expand_find_first_set_method FindFirstSetMethods integers u32;
        }
    };
}

/// The math functions of two operands of one type, in rows like those of [`functions_of_one!`].
#[macro_export]
macro_rules! functions_of_two {
    ($receiver:ident) => {
        $receiver! {
            Max max max_in_a_kernel __expand_max_method MaxMethods numbers same;
            Min min min_in_a_kernel __expand_min_method MinMethods numbers same;
            Remainder rem rem_in_a_kernel __expand_rem_method RemainderMethods numbers same;
            Dot dot dot_in_a_kernel __expand_dot_method DotMethods numbers same;
            Powf powf powf_in_a_kernel __expand_powf_method PowfMethods floats same;
            ArcTan2 atan2 atan2_in_a_kernel __expand_atan2_method ArcTan2Methods floats same;
            Hypot hypot hypot_in_a_kernel __expand_hypot_method HypotMethods floats same;
            Rhypot rhypot rhypot_in_a_kernel __expand_rhypot_method RhypotMethods floats same;
            SaturatingAdd saturating_add saturating_add_in_a_kernel __expand_saturating_add_method SaturatingAddMethods integers same;
            SaturatingSub saturating_sub saturating_sub_in_a_kernel __expand_saturating_sub_method SaturatingSubMethods integers same;
            MulHi mul_hi mul_hi_in_a_kernel __expand_mul_hi_method MulHiMethods integers same;
        }
    };
}

/// Predefined names for positions and sizes of units, planes and cubes, with the values that host code sees. On the host,
/// the plane size is the plane size of most devices, and each other size is one. No size is zero, because host programs
/// divide by sizes.
#[macro_export]
macro_rules! topology {
    ($receiver:ident) => {
        $receiver! {
            0: ABSOLUTE_POS ABSOLUTE_POS_X ABSOLUTE_POS_Y ABSOLUTE_POS_Z UNIT_POS UNIT_POS_X UNIT_POS_Y
                UNIT_POS_Z UNIT_POS_PLANE PLANE_POS CUBE_POS CUBE_POS_X CUBE_POS_Y CUBE_POS_Z CUBE_POS_CLUSTER
                CUBE_POS_CLUSTER_X CUBE_POS_CLUSTER_Y CUBE_POS_CLUSTER_Z;
            1: CUBE_DIM CUBE_DIM_X CUBE_DIM_Y CUBE_DIM_Z CUBE_COUNT CUBE_COUNT_X CUBE_COUNT_Y CUBE_COUNT_Z
                CUBE_CLUSTER_DIM CUBE_CLUSTER_DIM_X CUBE_CLUSTER_DIM_Y CUBE_CLUSTER_DIM_Z;
            32: PLANE_DIM;
        }
    };
}

macro_rules! functions {
    ($($trait:ident $name:ident $expand:ident $method:ident $methods:ident $family:ident $result:ident;)*) => {
        &[$((stringify!($trait), stringify!($name)),)*]
    };
}

macro_rules! names {
    ($($host:literal: $($name:ident)*;)*) => {
        &[$($(stringify!($name),)*)*]
    };
}

/// The trait and the name of each function of [`functions_of_one!`].
pub const OF_ONE: &[(&str, &str)] = functions_of_one!(functions);

/// The trait and the name of each function of [`functions_of_two!`].
pub const OF_TWO: &[(&str, &str)] = functions_of_two!(functions);

/// The names of [`topology!`].
pub const TOPOLOGY: &[&str] = topology!(names);

/// The topology keyword of the IR for a predefined name, such as `ABSOLUTE_POS`.
pub fn keyword(name: &str) -> Option<String> {
    TOPOLOGY.contains(&name).then(|| name.to_lowercase())
}

/// Whether a function has one operand, and is a method of numbers.
pub fn is_of_one(name: &str) -> bool {
    OF_ONE.iter().any(|(_, known)| *known == name)
}

/// Whether a function has two operands of one type, and is a method of numbers.
pub fn is_of_two(name: &str) -> bool {
    OF_TWO.iter().any(|(_, known)| *known == name)
}

/// Float functions of Rust that have a different name in the kernel language: the Rust name and the
/// language's name. Kernels can use both the Rust name and the language's name.
pub const RENAMED: [(&str, &str); 3] = [("ln", "log"), ("ln_1p", "log1p"), ("round_ties_even", "round")];

/// The language's name for a float function of Rust.
pub fn renamed(name: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(rust, _)| *rust == name).map(|(_, own)| *own)
}

/// The methods of the library that kernels use frequently. The macro generates no fallback method for calls
/// of the listed methods, which keeps the expansion small.
const OF_THE_LIBRARY: &str = "
    abs buffer_len ceil clamp coordinate cos count_ones dot equal erf exp fill floor get greater_equal greater_than
    index is_inf is_nan len less_equal less_than line_size log magnitude max min not_equal powf powi push rank read
    recip rem rev round set shape sin slice slice_mut sqrt step_by store stride tan tanh to_slice to_slice_mut trunc
    write";

/// The methods of the library that kernels use frequently.
pub fn frequent_methods() -> impl Iterator<Item = &'static str> {
    OF_THE_LIBRARY.split_whitespace()
}

/// Properties of memory that are known at the launch.
pub const OF_MEMORY: [&str; 4] = ["len", "buffer_len", "shape", "stride"];
