//! Runs an algorithm on the host, for measurements.

use crate::emit::Emit;
use crate::format::{Double, Short, Single};

/// Computes on `f32`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeSingle;

/// Computes on `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeDouble;

/// Computes in `f32` for results that are rounded to f16 or bf16.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeShort;

/// Computes on `f32` as WGSL and Vulkan permit: the error of quotients is up to 2.5 ULP, and [`Emit::near_fma`] rounds
/// once or twice. The error is a function of the operands and of the seed. For seed 0, quotients are 2 steps away from
/// zero, and `near_fma` rounds twice. For seed 1, quotients are 2 steps towards zero, and `near_fma` rounds once. For
/// other seeds, both are mixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NearSingle(pub u64);

/// Computes on `f64` with the errors of [`NearSingle`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NearDouble(pub u64);

/// Computes in `f32` for results that are rounded to f16 or bf16, with the errors of [`NearSingle`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NearShort(pub u64);

/// Computes on `f32` with the approximate instructions of a GPU: [`Emit::near_exp2`] and [`Emit::near_inverse`] have the
/// largest error that the interface permits. The sign of each error is a function of the operand and of the seed. For
/// seed 0, powers are too large and inverses too small, and for seed 1 the reverse; for other seeds, the signs are mixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoarseSingle(pub u64);

/// Computes in `f32` for results that are rounded to f16 or bf16, with the instructions of [`CoarseSingle`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CoarseShort(pub u64);

// The distance from the rounded quotient in steps of the last place. The rounding itself has an error of up to 0.5 ULP.
fn steps(seed: u64, a: u64, b: u64) -> i64 {
    match seed {
        0 => 2,
        1 => -2,
        _ => (hash(seed, a, b) >> 40) as i64 % 5 - 2,
    }
}

fn hash(seed: u64, a: u64, b: u64) -> u64 {
    (a ^ b.rotate_left(32) ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

macro_rules! division {
    ($error:tt: $($name:ident $f:ty, $u:ty, $mantissa:literal;)+) => {
        $(impl $name {
            const DIVISION_ERROR: f64 = $error;

            #[inline(always)]
            fn quotient(self, a: $f, b: $f) -> $f {
                division!(@ $error, self, a, b, $f, $u, $mantissa)
            }

            #[inline(always)]
            fn product_sum(self, a: $f, b: $f, c: $f) -> $f {
                division!(@product_sum $error, self, a, b, c)
            }

            #[inline(always)]
            fn rounded_product(self, a: $f, b: $f) -> Option<$f> {
                (Self::DIVISION_ERROR > 0.5).then(|| (a * b).round_ties_even())
            }
        })+
    };
    (@product_sum 0.5, $own:expr, $a:ident, $b:ident, $c:ident) => { $a.mul_add($b, $c) };
    (@product_sum 2.5, $own:expr, $a:ident, $b:ident, $c:ident) => {{
        let is_rounded_twice = match $own.0 {
            0 => true,
            1 => false,
            seed => hash(seed, $a.to_bits().into(), $c.to_bits().into()) >> 40 & 1 == 0,
        };
        if is_rounded_twice { $a * $b + $c } else { $a.mul_add($b, $c) }
    }};
    (@ 0.5, $own:expr, $a:ident, $b:ident, $f:ty, $u:ty, $mantissa:literal) => { $a / $b };
    (@ 2.5, $own:expr, $a:ident, $b:ident, $f:ty, $u:ty, $mantissa:literal) => {{
        let rounded = $a / $b;
        let moved = rounded.to_bits().wrapping_add(steps($own.0, $a.to_bits().into(), $b.to_bits().into()) as $u);
        // The unit in the last place is smaller below a power of two.
        let same = (moved ^ rounded.to_bits()) >> $mantissa == 0;
        if rounded.is_normal() && same { <$f>::from_bits(moved) } else { rounded }
    }};
}

division!(0.5: NativeSingle f32, u32, 23; NativeShort f32, u32, 23; NativeDouble f64, u64, 52;);
division!(0.5: CoarseSingle f32, u32, 23; CoarseShort f32, u32, 23;);
division!(2.5: NearSingle f32, u32, 23; NearShort f32, u32, 23; NearDouble f64, u64, 52;);

macro_rules! instructions {
    (none: $($name:ident $f:ty;)+) => {
        $(impl $name {
            #[inline(always)]
            fn power(self, a: $f) -> $f {
                a.exp2()
            }
            const HAS_POWER: bool = false;
            const HAS_INVERSE: bool = false;
            #[inline(always)]
            fn inverse(self, a: $f) -> $f {
                1.0 / a
            }
        })+
    };
    (coarse: $($name:ident)+) => {
        $(impl $name {
            // The numbers of ULP are the errors of the interface less the error of the last rounding.
            fn power(self, a: f32) -> f32 {
                coarse(f64::from(a).exp2(), 2.5 * self.sign(a))
            }
            const HAS_POWER: bool = true;
            const HAS_INVERSE: bool = true;
            fn inverse(self, a: f32) -> f32 {
                coarse(1.0 / f64::from(a), -0.5 * self.sign(a))
            }
            fn sign(self, a: f32) -> f64 {
                let is_up = match self.0 {
                    0 => true,
                    1 => false,
                    seed => hash(seed, a.to_bits().into(), 0) >> 40 & 1 == 0,
                };
                if is_up { 1.0 } else { -1.0 }
            }
        })+
    };
}

instructions!(none: NativeSingle f32; NativeShort f32; NativeDouble f64; NearSingle f32; NearShort f32; NearDouble f64;);
instructions!(coarse: CoarseSingle CoarseShort);

// The nearest `f32` of a number that is `units` ULP away from an exact result. Subnormal results are 0.
fn coarse(exact: f64, units: f64) -> f32 {
    if !exact.is_finite() {
        return exact as f32;
    }
    let unit = f64::from_bits(exact.to_bits() & 0x7ff0_0000_0000_0000) * 2f64.powi(-23);
    let rounded = (exact + units * unit) as f32;
    if rounded.is_subnormal() { 0.0 } else { rounded }
}

macro_rules! native {
    ($name:ident, $kind:ident, $f:ty, $i:ty, $u:ty, $wide:ty, $width:literal) => {
        // All operations are inlined, so that a loop over inputs becomes vector code.
        impl Emit for $name {
            type Kind = $kind;
            type F = $f;
            type I = $i;
            type B = bool;
            #[inline(always)]
            fn f(&self, v: $f) -> $f {
                v
            }
            #[inline(always)]
            fn i(&self, v: $i) -> $i {
                v
            }
            #[inline(always)]
            fn add(&self, a: $f, b: $f) -> $f {
                a + b
            }
            #[inline(always)]
            fn sub(&self, a: $f, b: $f) -> $f {
                a - b
            }
            #[inline(always)]
            fn mul(&self, a: $f, b: $f) -> $f {
                a * b
            }
            #[inline(always)]
            fn div(&self, a: $f, b: $f) -> $f {
                self.quotient(a, b)
            }
            #[inline(always)]
            fn division_error(&self) -> f64 {
                Self::DIVISION_ERROR
            }
            #[inline(always)]
            fn fma(&self, a: $f, b: $f, c: $f) -> $f {
                a.mul_add(b, c)
            }
            #[inline(always)]
            fn near_fma(&self, a: $f, b: $f, c: $f) -> $f {
                self.product_sum(a, b, c)
            }
            #[inline(always)]
            fn nearest_to_product(&self, a: $f, b: $f) -> Option<$f> {
                self.rounded_product(a, b)
            }
            #[inline(always)]
            fn has_near_exp2(&self) -> bool {
                Self::HAS_POWER
            }
            #[inline(always)]
            fn near_exp2(&self, a: $f) -> $f {
                self.power(a)
            }
            #[inline(always)]
            fn has_near_inverse(&self) -> bool {
                Self::HAS_INVERSE
            }
            #[inline(always)]
            fn near_inverse(&self, a: $f) -> $f {
                self.inverse(a)
            }
            #[inline(always)]
            fn sqrt(&self, a: $f) -> $f {
                a.sqrt()
            }
            #[inline(always)]
            fn neg(&self, a: $f) -> $f {
                -a
            }
            #[inline(always)]
            fn abs(&self, a: $f) -> $f {
                a.abs()
            }
            #[inline(always)]
            fn copysign(&self, magnitude: $f, sign: $f) -> $f {
                magnitude.copysign(sign)
            }
            #[inline(always)]
            fn bits(&self, a: $f) -> $i {
                a.to_bits() as $i
            }
            #[inline(always)]
            fn of_bits(&self, a: $i) -> $f {
                <$f>::from_bits(a as $u)
            }
            #[inline(always)]
            fn to_int(&self, a: $f) -> $i {
                debug_assert!(a.abs() < <$i>::MAX as $f, "{a} to an integer");
                a as $i
            }
            #[inline(always)]
            fn of_int(&self, a: $i) -> $f {
                a as $f
            }
            #[inline(always)]
            fn iadd(&self, a: $i, b: $i) -> $i {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn isub(&self, a: $i, b: $i) -> $i {
                a.wrapping_sub(b)
            }
            #[inline(always)]
            fn imul(&self, a: $i, b: $i) -> $i {
                a.wrapping_mul(b)
            }
            #[inline(always)]
            fn umul_hi(&self, a: $i, b: $i) -> $i {
                ((a as $u as $wide * b as $u as $wide) >> $width) as $i
            }
            #[inline(always)]
            fn iand(&self, a: $i, b: $i) -> $i {
                a & b
            }
            #[inline(always)]
            fn ior(&self, a: $i, b: $i) -> $i {
                a | b
            }
            #[inline(always)]
            fn ixor(&self, a: $i, b: $i) -> $i {
                a ^ b
            }
            #[inline(always)]
            fn shl(&self, a: $i, n: $i) -> $i {
                debug_assert!((0..$width).contains(&n), "shift by {n}");
                a.wrapping_shl(n as u32)
            }
            #[inline(always)]
            fn shr_s(&self, a: $i, n: $i) -> $i {
                debug_assert!((0..$width).contains(&n), "shift by {n}");
                a.wrapping_shr(n as u32)
            }
            #[inline(always)]
            fn shr_u(&self, a: $i, n: $i) -> $i {
                debug_assert!((0..$width).contains(&n), "shift by {n}");
                (a as $u).wrapping_shr(n as u32) as $i
            }
            #[inline(always)]
            fn lt(&self, a: $f, b: $f) -> bool {
                a < b
            }
            #[inline(always)]
            fn le(&self, a: $f, b: $f) -> bool {
                a <= b
            }
            #[inline(always)]
            fn eq(&self, a: $f, b: $f) -> bool {
                a == b
            }
            #[inline(always)]
            fn ilt(&self, a: $i, b: $i) -> bool {
                a < b
            }
            #[inline(always)]
            fn ult(&self, a: $i, b: $i) -> bool {
                (a as $u) < (b as $u)
            }
            #[inline(always)]
            fn ieq(&self, a: $i, b: $i) -> bool {
                a == b
            }
            #[inline(always)]
            fn and(&self, a: bool, b: bool) -> bool {
                a & b
            }
            #[inline(always)]
            fn or(&self, a: bool, b: bool) -> bool {
                a | b
            }
            #[inline(always)]
            fn not(&self, a: bool) -> bool {
                !a
            }
            #[inline(always)]
            fn select(&self, c: bool, yes: $f, no: $f) -> $f {
                if c { yes } else { no }
            }
            #[inline(always)]
            fn iselect(&self, c: bool, yes: $i, no: $i) -> $i {
                if c { yes } else { no }
            }
        }
    };
}

native!(NativeSingle, Single, f32, i32, u32, u64, 32);
native!(NativeShort, Short, f32, i32, u32, u64, 32);
native!(NativeDouble, Double, f64, i64, u64, u128, 64);
native!(NearSingle, Single, f32, i32, u32, u64, 32);
native!(NearShort, Short, f32, i32, u32, u64, 32);
native!(NearDouble, Double, f64, i64, u64, u128, 64);
native!(CoarseSingle, Single, f32, i32, u32, u64, 32);
native!(CoarseShort, Short, f32, i32, u32, u64, 32);
