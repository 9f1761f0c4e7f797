//! Functions of numbers. Each function is a trait, which kernels can use as a bound, and a method of values.
use super::super::line::Line;
use super::super::ops;
use super::super::value::{CubePrimitive, Operand, Val};
use super::{choose, unary};
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, Raw, with};
use crate::lang::minifloats::computed::*;
use crate::lang::sizes::Size;
use crate::v11::Vector;

/// A constant with the type of the value `like`.
fn constant(like: Raw, value: f64) -> Raw {
    let (_, ty) = crate::ir::current(like);
    Raw::Const(Lit::Float(value), ty)
}

fn position() -> u32 {
    crate::ir::position()
}

fn absolute(value: Raw) -> Raw {
    let (_, ty) = crate::ir::current(value);
    if ty.elem.is_float() {
        unary("math.absf", value)
    } else if ty.elem.is_signed() {
        unary("math.absi", value)
    } else {
        value
    }
}

fn scaled(value: Raw, factor: f64) -> Raw {
    ops::binary("mul", value, constant(value, factor), position())
}

fn without_fold(raw: Raw) -> Raw {
    let (id, ty) = crate::ir::current(raw);
    Raw::Ssa(id, ty)
}

unary_functions! {
    /// The exponential function: e to the power of the value.
    Exp exp
        exp_in_a_kernel same |x| unary("math.exp", x);
    /// The natural logarithm.
    Log log
        log_in_a_kernel same |x| unary("math.log", x);
    /// The natural logarithm of the value plus 1.
    Log1p log1p
        log1p_in_a_kernel same |x| unary("math.log1p", x);
    /// The cosine of an angle in radians.
    Cos cos
        cos_in_a_kernel same |x| unary("math.cos", x);
    /// The sine of an angle in radians.
    Sin sin
        sin_in_a_kernel same |x| unary("math.sin", x);
    /// The tangent of an angle in radians.
    Tan tan
        tan_in_a_kernel same |x| unary("math.tan", x);
    /// The hyperbolic tangent.
    Tanh tanh
        tanh_in_a_kernel same |x| unary("math.tanh", x);
    /// The square root.
    Sqrt sqrt
        sqrt_in_a_kernel same |x| unary("math.sqrt", x);
    /// The reciprocal of the square root.
    InverseSqrt inverse_sqrt
        inverse_sqrt_in_a_kernel same |x| unary("math.rsqrt", x);
    /// The nearest integer; ties round to even.
    Round round
        round_in_a_kernel same |x| unary("math.roundeven", x);
    /// The largest integer that is at most the value.
    Floor floor
        floor_in_a_kernel same |x| unary("math.floor", x);
    /// The smallest integer that is at least the value.
    Ceil ceil
        ceil_in_a_kernel same |x| unary("math.ceil", x);
    /// The integer part of the value.
    Trunc trunc
        trunc_in_a_kernel same |x| unary("math.trunc", x);
    /// The error function.
    Erf erf
        erf_in_a_kernel same |x| unary("math.erf", x);
    /// The reciprocal `1 / x`.
    Recip recip
        recip_in_a_kernel same |x| ops::binary("div", constant(x, 1.0), x, position());
    /// The exponential function of the value, minus 1.
    Expm1 exp_m1
        exp_m1_in_a_kernel same |x| unary("math.expm1", x);
    /// The hyperbolic sine.
    Sinh sinh
        sinh_in_a_kernel same |x| unary("math.sinh", x);
    /// The hyperbolic cosine.
    Cosh cosh
        cosh_in_a_kernel same |x| unary("math.cosh", x);
    /// The angle in radians, between 0 and pi, whose cosine is the value.
    ArcCos acos
        acos_in_a_kernel same |x| unary("math.acos", x);
    /// The angle in radians, between -pi/2 and pi/2, whose sine is the value.
    ArcSin asin
        asin_in_a_kernel same |x| unary("math.asin", x);
    /// The angle in radians, between -pi/2 and pi/2, whose tangent is the value.
    ArcTan atan
        atan_in_a_kernel same |x| unary("math.atan", x);
    /// The inverse of the hyperbolic sine.
    ArcSinh asinh
        asinh_in_a_kernel same |x| unary("math.asinh", x);
    /// The inverse of the hyperbolic cosine.
    ArcCosh acosh
        acosh_in_a_kernel same |x| unary("math.acosh", x);
    /// The inverse of the hyperbolic tangent.
    ArcTanh atanh
        atanh_in_a_kernel same |x| unary("math.atanh", x);
    /// An angle in radians, converted to degrees.
    Degrees to_degrees
        to_degrees_in_a_kernel same |x| scaled(x, 180.0 / std::f64::consts::PI);
    /// An angle in degrees, converted to radians.
    Radians to_radians
        to_radians_in_a_kernel same |x| scaled(x, std::f64::consts::PI / 180.0);
    /// The absolute value.
    Abs abs
        abs_in_a_kernel same absolute;
    /// The Euclidean norm of a line.
    Magnitude magnitude
        magnitude_in_a_kernel same super::super::line::magnitude;
    /// A line divided by its Euclidean norm.
    Normalize normalize
        normalize_in_a_kernel same super::super::line::normalize;
}

unary_functions! {
    /// Whether the value is NaN.
    IsNan is_nan
        is_nan_in_a_kernel bool |x| with(|b| {
        let (id, ty) = b.id(x);
        b.value(ty.with(Elem::Bool), &format!("arith.cmpf uno, %{id}, %{id} : {ty}"))
    });
    /// Whether the value is infinite.
    IsInf is_inf
        is_inf_in_a_kernel bool |x| {
        let size = unary("math.absf", x);
        ops::compare("eq", size, without_fold(constant(x, f64::INFINITY)), position())
    };
}

/// Emits a binary operation whose name depends on the type: float, signed integer or unsigned integer.
pub(crate) fn by_number_class(names: [&str; 3], a: Raw, b: Raw) -> Raw {
    let (a, b) = ops::same_line_size(a, b);
    with(|w| {
        let (x, ty) = w.id(a);
        let (y, _) = w.id(b);
        let (name, flags) = if ty.elem.is_float() {
            (names[0], w.flags())
        } else {
            (names[if ty.elem.is_signed() { 1 } else { 2 }], String::new())
        };
        w.value(ty, &format!("{name} %{x}, %{y}{flags} : {ty}"))
    })
}

/// The remainder of a division that rounds down. The remainder has the sign of the divisor.
fn floored(a: Raw, b: Raw) -> Raw {
    let at = position();
    let (_, ty) = crate::ir::current(a);
    if ty.elem.is_float() {
        let whole = unary("math.floor", ops::binary("div", a, b, at));
        return ops::binary("sub", a, ops::binary("mul", whole, b, at), at);
    }
    let rest = ops::binary("rem", a, b, at);
    if !ty.elem.is_signed() {
        return rest;
    }
    let zero = Raw::Const(Lit::Int(0), ty);
    let differs = ops::binary("bitxor", ops::compare("lt", rest, zero, at), ops::compare("lt", b, zero, at), at);
    let wrong = ops::binary("bitand", differs, ops::compare("ne", rest, zero, at), at);
    choose(wrong, ops::binary("add", rest, b, at), rest)
}

binary_functions! {
    /// The maximum. If exactly one operand is NaN, the result is the other operand.
    Max max
        max_in_a_kernel |a, b| by_number_class(["arith.maxnumf", "arith.maxsi", "arith.maxui"], a, b);
    /// The minimum. If exactly one operand is NaN, the result is the other operand.
    Min min
        min_in_a_kernel |a, b| by_number_class(["arith.minnumf", "arith.minsi", "arith.minui"], a, b);
    /// The remainder of a division that rounds down. The remainder has the sign of the divisor.
    Remainder rem
        rem_in_a_kernel floored;
    /// A power with a float exponent.
    Powf powf
        powf_in_a_kernel |a, b| {
        let (a, b) = ops::same_line_size(a, b);
        with(|w| {
            let (x, ty) = w.id(a);
            let (y, _) = w.id(b);
            let flags = w.flags();
            w.value(ty, &format!("math.powf %{x}, %{y}{flags} : {ty}"))
        })
    };
    /// The angle in radians, between -pi and pi, of the point with the ordinate `self` and the abscissa `other`.
    ArcTan2 atan2
        atan2_in_a_kernel |a, b| {
        let (a, b) = ops::same_line_size(a, b);
        with(|w| {
            let (y, ty) = w.id(a);
            let (x, _) = w.id(b);
            let flags = w.flags();
            w.value(ty, &format!("math.atan2 %{y}, %{x}{flags} : {ty}"))
        })
    };
    /// The length of the hypotenuse of a right triangle with these legs, without overflow of the squares.
    Hypot hypot
        hypot_in_a_kernel super::hypotenuse::hypot;
    /// The reciprocal of the hypotenuse of a right triangle with these legs.
    Rhypot rhypot
        rhypot_in_a_kernel super::hypotenuse::rhypot;
    /// The dot product of two lines.
    Dot dot
        dot_in_a_kernel super::super::line::dot;
}

/// A power with an integer exponent.
pub trait Powi<Exponent: CubePrimitive = i32>: CubePrimitive {
    /// `self` raised to an integer exponent.
    fn powi(self, exponent: Exponent) -> Self {
        let _ = exponent;
        unexpanded()
    }
    #[doc(hidden)]
    fn powi_in_a_kernel(value: Val<Self>, exponent: Val<Exponent>) -> Val<Self> {
        let at = position();
        let exponent = super::super::cast::convert(exponent.raw, Elem::I32, at);
        Val::new(super::power::powi(value.raw, exponent))
    }
}

macro_rules! whole_powers {
    (narrow $($elem:ident $ty:ident;)*) => { whole_powers!($($ty)*); };
    ($($ty:ident)*) => {
        $(impl Powi for $ty {})*
    };
}

// For an integer x and a positive n, x^-n is the quotient 1 / x^n, rounded towards zero.
whole_powers!(f32 f64 flex32 i8 i16 i32 i64 u8 u16 u32 u64 usize);
cube_target::narrow_floats! { [whole_powers] narrow }
impl<P: Powi<I>, I: CubePrimitive> Powi<Line<I>> for Line<P> {}
impl<P: Powi<I>, I: CubePrimitive, N: Size> Powi<Vector<I, N>> for Vector<P, N> {}

/// [`Powi`] as a method of values.
#[doc(hidden)]
pub trait PowiMethods: Operand {
    fn __expand_powi_method<E: CubePrimitive>(self, exponent: Val<E>) -> Val<Self::T>
    where
        Self: Sized,
        Self::T: Powi<E>,
    {
        <Self::T as Powi<E>>::powi_in_a_kernel(self.val(), exponent)
    }
}
impl<A: Operand> PowiMethods for A {}

/// The value clamped to a range.
pub trait Clamp: CubePrimitive + Max + Min {
    /// The value clamped to `min..=max`.
    fn clamp(self, min: Self, max: Self) -> Self {
        let _ = (min, max);
        unexpanded()
    }
    #[doc(hidden)]
    fn clamp_in_a_kernel(value: Val<Self>, min: Val<Self>, max: Val<Self>) -> Val<Self> {
        Self::min_in_a_kernel(Self::max_in_a_kernel(value, min), max)
    }
}

impl<T: Max + Min> Clamp for T {}

/// Declares the expansions of functions, but not their host functions. In host expressions of a kernel, host
/// functions with the names of `Ord`'s methods would conflict with `Ord`.
macro_rules! functions_alone {
    ($($name:ident $of:ident $expand:ident ($($arg:ident),*);)*) => {$(
        #[doc(hidden)]
        pub trait $name: $of {
            fn $expand($($arg: Val<Self>),*) -> Val<Self> {
                <Self as $of>::$expand($($arg),*)
            }
        }
        impl<T: $of> $name for T {}
    )*};
}

functions_alone! {
    MaxFunction Max max_in_a_kernel (a, b);
    MinFunction Min min_in_a_kernel (a, b);
    ClampFunction Clamp clamp_in_a_kernel (value, min, max);
}

/// [`Clamp`] as a method of values.
#[doc(hidden)]
pub trait ClampMethods: Operand {
    fn __expand_clamp_method(self, min: Val<Self::T>, max: Val<Self::T>) -> Val<Self::T>
    where
        Self: Sized,
        Self::T: Clamp,
    {
        <Self::T as Clamp>::clamp_in_a_kernel(self.val(), min, max)
    }
}
impl<A: Operand> ClampMethods for A {}

impl<P: super::Numeric> Line<P> {
    /// The maximum of each pair of corresponding elements.
    pub fn max(self, other: Self) -> Self {
        Max::max(self, other)
    }
    /// The minimum of each pair of corresponding elements.
    pub fn min(self, other: Self) -> Self {
        Min::min(self, other)
    }
    /// Each element clamped to the range between the corresponding elements of `min` and `max`.
    pub fn clamp(self, min: Self, max: Self) -> Self {
        Clamp::clamp(self, min, max)
    }
}

/// Returns `then` if the condition is true, and `otherwise` if not.
pub fn select<C: CubePrimitive>(condition: bool, then: C, otherwise: C) -> C {
    if condition { then } else { otherwise }
}

#[doc(hidden)]
pub mod select {
    use super::*;
    pub fn select<C: CubePrimitive>(condition: Val<bool>, then: Val<C>, otherwise: Val<C>) -> Val<C> {
        Val::new(choose(condition.raw, then.raw, otherwise.raw))
    }
}

/// Selects each element from `then` or `otherwise`, by the corresponding element of the condition.
pub fn select_many<C: CubePrimitive>(condition: Line<bool>, then: Line<C>, otherwise: Line<C>) -> Line<C> {
    let _ = (condition, then, otherwise);
    unexpanded()
}

#[doc(hidden)]
pub mod select_many {
    use super::*;
    pub fn select_many<C: CubePrimitive>(
        condition: Val<Line<bool>>,
        then: Val<Line<C>>,
        otherwise: Val<Line<C>>,
    ) -> Val<Line<C>> {
        let line = [condition.ty().line, then.ty().line, otherwise.ty().line].into_iter().fold(1, Ord::max);
        let wide = |raw| ops::splat(raw, line).unwrap_or(raw);
        Val::new(choose(wide(condition.raw), wide(then.raw), wide(otherwise.raw)))
    }
}

/// `a * b + c` with one rounding.
pub fn fma<C: CubePrimitive>(a: C, b: C, c: C) -> C {
    let _ = (a, b, c);
    unexpanded()
}

#[doc(hidden)]
pub mod fma {
    use super::*;
    pub fn fma<C: CubePrimitive>(a: Val<C>, b: Val<C>, c: Val<C>) -> Val<C> {
        let (a, b) = ops::same_line_size(a.raw, b.raw);
        let (a, c) = ops::same_line_size(a, c.raw);
        let (a, b) = ops::same_line_size(a, b);
        Val::new(with(|w| {
            let (x, ty) = w.id(a);
            let (y, _) = w.id(b);
            let (z, _) = w.id(c);
            let flags = w.flags();
            w.value(ty, &format!("math.fma %{x}, %{y}, %{z}{flags} : {ty}"))
        }))
    }
}
