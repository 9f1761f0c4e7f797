//! Coordinates of views: numbers, tuples, and sequences.
use cube_frontend::prelude::*;

/// Coordinates of a space with any number of dimensions.
#[cube]
pub trait Coordinates: CubeType<ExpandType: 'static> + Clone + 'static {
    /// Elementwise sum.
    fn add(this: Self, other: Self) -> Self;
    /// Elementwise difference.
    fn sub(this: Self, other: Self) -> Self;
    /// Elementwise minimum.
    fn min(this: Self, other: Self) -> Self;
    /// Elementwise maximum.
    fn max(this: Self, other: Self) -> Self;
    /// Whether the position is less than the bounds in each dimension.
    fn is_in_bounds(pos: &Self, bounds: &Self) -> bool;
    /// A coordinate with `value` in each dimension, and as many dimensions as `this`.
    fn from_int(this: &Self, #[comptime] value: i64) -> Self;
}

/// One dimension.
pub type Coords1d = u32;
/// One dimension, signed.
pub type Coords1i = i32;
/// Two dimensions.
pub type Coords2d = (u32, u32);
/// Two dimensions, signed.
pub type Coords2i = (i32, i32);
/// Three dimensions.
pub type Coords3d = (u32, u32, u32);
/// Three dimensions, signed.
pub type Coords3i = (i32, i32, i32);
/// Four dimensions.
pub type Coords4d = (u32, u32, u32, u32);
/// Four dimensions, signed.
pub type Coords4i = (i32, i32, i32, i32);
/// Five dimensions.
pub type Coords5d = (u32, u32, u32, u32, u32);
/// Five dimensions, signed.
pub type Coords5i = (i32, i32, i32, i32, i32);
/// A compile-time number of dimensions.
pub type CoordsDyn = Sequence<u32>;

macro_rules! numbers {
    ($($number:ident),*) => {$(
        #[cube]
        impl Coordinates for $number {
            fn add(this: Self, other: Self) -> Self {
                this + other
            }
            fn sub(this: Self, other: Self) -> Self {
                this - other
            }
            fn min(this: Self, other: Self) -> Self {
                select(this < other, this, other)
            }
            fn max(this: Self, other: Self) -> Self {
                select(this > other, this, other)
            }
            fn is_in_bounds(pos: &Self, bounds: &Self) -> bool {
                *pos < *bounds
            }
            fn from_int(_this: &Self, #[comptime] value: i64) -> Self {
                <$number as Numeric>::from_int(value)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! tuples {
    ($(($($part:ident $at:tt),*))*) => {$(
        #[cube]
        impl<$($part: Coordinates),*> Coordinates for ($($part,)*) {
            fn add(this: Self, other: Self) -> Self {
                ($($part::add(this.$at, other.$at),)*)
            }
            fn sub(this: Self, other: Self) -> Self {
                ($($part::sub(this.$at, other.$at),)*)
            }
            fn min(this: Self, other: Self) -> Self {
                ($($part::min(this.$at, other.$at),)*)
            }
            fn max(this: Self, other: Self) -> Self {
                ($($part::max(this.$at, other.$at),)*)
            }
            fn is_in_bounds(pos: &Self, bounds: &Self) -> bool {
                true $(&& $part::is_in_bounds(&pos.$at, &bounds.$at))*
            }
            fn from_int(this: &Self, #[comptime] value: i64) -> Self {
                ($($part::from_int(&this.$at, value),)*)
            }
        }
    )*};
}

tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

#[cube]
impl<T: Coordinates + Copy> Coordinates for Sequence<T> {
    fn add(this: Self, other: Self) -> Self {
        let mut all = Sequence::new();
        #[unroll]
        for i in 0..this.len() {
            all.push(T::add(*this.index(i), *other.index(i)));
        }
        all
    }
    fn sub(this: Self, other: Self) -> Self {
        let mut all = Sequence::new();
        #[unroll]
        for i in 0..this.len() {
            all.push(T::sub(*this.index(i), *other.index(i)));
        }
        all
    }
    fn min(this: Self, other: Self) -> Self {
        let mut all = Sequence::new();
        #[unroll]
        for i in 0..this.len() {
            all.push(T::min(*this.index(i), *other.index(i)));
        }
        all
    }
    fn max(this: Self, other: Self) -> Self {
        let mut all = Sequence::new();
        #[unroll]
        for i in 0..this.len() {
            all.push(T::max(*this.index(i), *other.index(i)));
        }
        all
    }
    fn is_in_bounds(pos: &Self, bounds: &Self) -> bool {
        let mut inside = true;
        #[unroll]
        for i in 0..pos.len() {
            inside &= T::is_in_bounds(pos.index(i), bounds.index(i));
        }
        inside
    }
    fn from_int(this: &Self, #[comptime] value: i64) -> Self {
        let mut all = Sequence::new();
        #[unroll]
        for i in 0..this.len() {
            all.push(T::from_int(this.index(i), value));
        }
        all
    }
}
