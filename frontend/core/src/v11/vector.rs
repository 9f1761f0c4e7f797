//! Vectors: short vectors of elements whose size is part of the type.
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, Raw, StorageType, Ty, with};
use crate::lang::containers::{lane, with_lane};
use crate::lang::indices::size_index;
use crate::lang::line::{comparisons_of_elements, operators_of_elements, reduce};
use crate::lang::math::{Float, Int, Log, Numeric, Remainder};
use crate::lang::ops;
use crate::lang::sizes::Size;
use crate::lang::value::{CubePrimitive, CubeType, Val};
use std::marker::PhantomData;

/// A vector of `N` elements. A launch chooses the size of a type parameter `N: Size`; `Const<4>` is a fixed size.
pub struct Vector<P: CubePrimitive, N: Size> {
    /// The value of all elements. On the host, all elements of a vector are equal.
    pub(crate) val: P,
    of: PhantomData<fn() -> N>,
}

impl<P: CubePrimitive, N: Size> Clone for Vector<P, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: CubePrimitive, N: Size> Copy for Vector<P, N> {}

impl<P: CubePrimitive + std::fmt::Debug, N: Size> std::fmt::Debug for Vector<P, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(std::iter::repeat_n(self.val, N::value())).finish()
    }
}

impl<P: CubePrimitive, N: Size> CubeType for Vector<P, N> {
    type ExpandType = Val<Vector<P, N>>;
    fn into_staged(self) -> Val<Vector<P, N>> {
        Val::lit(self)
    }
}

impl<P: CubePrimitive, N: Size> CubePrimitive for Vector<P, N> {
    fn elem() -> Elem {
        P::elem()
    }
    fn to_lit(self) -> Lit {
        self.val.to_lit()
    }
    fn from_lit(lit: Lit) -> Option<Self> {
        P::from_lit(lit).map(Vector::new)
    }
    fn line() -> u32 {
        size_index(N::value()).max(1)
    }
    fn packing_factor() -> u32 {
        P::packing_factor()
    }
    fn as_type_native_unchecked() -> StorageType {
        P::as_type_native_unchecked()
    }
}

/// A value whose elements all equal `value`.
fn spread<P: CubePrimitive, N: Size>(value: Raw) -> Val<Vector<P, N>> {
    Val::new(ops::splat(value, Vector::<P, N>::line()).unwrap_or(value))
}

impl<P: CubePrimitive, N: Size> Vector<P, N> {
    /// A vector whose elements all equal `val`.
    pub fn new(val: P) -> Self {
        Vector { val, of: PhantomData }
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel(val: Val<P>) -> Val<Self> {
        spread(val.raw)
    }
    /// A vector whose elements all equal `value`.
    pub fn broadcast(value: P) -> Self {
        Vector::new(value)
    }
    #[doc(hidden)]
    pub fn broadcast_in_a_kernel(value: Val<P>) -> Val<Self> {
        spread(value.raw)
    }
    /// A vector of zeros.
    pub fn empty() -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn empty_in_a_kernel() -> Val<Self> {
        spread(Raw::Const(Lit::zero(P::elem()), Ty::scalar(P::elem())))
    }
    /// A vector of zeros.
    pub fn zeroed() -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn zeroed_in_a_kernel() -> Val<Self> {
        Self::empty_in_a_kernel()
    }
    /// A vector whose elements all equal `value`.
    pub fn fill(self, value: P) -> Self {
        Vector::new(value)
    }
    /// The number of elements, as a compile-time value.
    pub fn vector_size(&self) -> usize {
        N::value()
    }
    /// The element at a compile-time index.
    pub fn extract(self, index: usize) -> P {
        let _ = index;
        self.val
    }
    /// Replaces the element at a compile-time index.
    pub fn insert(&mut self, index: usize, value: P) {
        let _ = (index, value);
        unexpanded()
    }
    /// The element at an index.
    pub fn extract_dynamic(self, index: usize) -> P {
        let _ = index;
        self.val
    }
    /// Replaces the element at an index.
    pub fn insert_dynamic(&mut self, index: usize, value: P) {
        let _ = (index, value);
        unexpanded()
    }
    #[doc(hidden)]
    pub fn cast_from_in_a_kernel<From: CubePrimitive>(value: Val<From>) -> Val<Self> {
        spread(crate::lang::cast::convert_elements::<P, From>(value.raw, 0))
    }
    /// Reinterprets the bits of each element as a number of another type with the same width.
    #[doc(hidden)]
    pub fn reinterpret_in_a_kernel<From: CubePrimitive>(value: Val<From>) -> Val<Self> {
        Val::new(crate::lang::math::bitcast(value.raw, P::elem()))
    }
}

impl<P: Numeric, N: Size> Vector<P, N> {
    /// A vector of the lowest finite value.
    pub fn min_value() -> Self {
        Vector::new(P::min_value())
    }
    #[doc(hidden)]
    pub fn min_value_in_a_kernel() -> Val<Self> {
        spread(P::min_value_in_a_kernel().raw)
    }
    /// A vector of the largest finite value.
    pub fn max_value() -> Self {
        Vector::new(P::max_value())
    }
    #[doc(hidden)]
    pub fn max_value_in_a_kernel() -> Val<Self> {
        spread(P::max_value_in_a_kernel().raw)
    }
    /// A vector whose elements all equal an integer, converted as `as` converts.
    pub fn from_int(value: i64) -> Self {
        Vector::new(P::from_int(value))
    }
    #[doc(hidden)]
    pub fn from_int_in_a_kernel(value: Val<i64>) -> Val<Self> {
        spread(P::from_int_in_a_kernel(value).raw)
    }
    /// The maximum of each pair of corresponding elements.
    pub fn max(self, other: Self) -> Self {
        crate::lang::math::Max::max(self, other)
    }
    /// The minimum of each pair of corresponding elements.
    pub fn min(self, other: Self) -> Self {
        crate::lang::math::Min::min(self, other)
    }
    /// Each element clamped to the range between the corresponding elements of `min` and `max`.
    pub fn clamp(self, min: Self, max: Self) -> Self {
        crate::lang::math::Clamp::clamp(self, min, max)
    }
}

impl<P: Numeric, N: Size> Vector<P, N> {
    /// The remainder of the division of each pair of elements, which rounds down. The remainder has the sign of the divisor.
    pub fn mod_floor(self, other: Self) -> Self {
        let _ = other;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn mod_floor_in_a_kernel(value: Val<Self>, other: Val<Self>) -> Val<Self> {
        <Self as Remainder>::rem_in_a_kernel(value, other)
    }
    /// The sum of all elements.
    pub fn vector_sum(self) -> P {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn vector_sum_in_a_kernel(value: Val<Self>) -> Val<P> {
        Val::new(reduce(value.raw, "add"))
    }
}

impl<P: Float, N: Size> Vector<P, N> {
    /// The natural logarithm of each element.
    pub fn ln(self) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn ln_in_a_kernel(value: Val<Self>) -> Val<Self> {
        <Self as Log>::log_in_a_kernel(value)
    }
}

impl<P: Int, N: Size> Vector<P, N> {
    /// Whether each element is a multiple of `multiple`.
    pub fn is_multiple_of(&self, multiple: P) -> Vector<bool, N> {
        let _ = multiple;
        unexpanded()
    }
}

impl<N: Size> Vector<bool, N> {
    /// The conjunction of each pair of elements.
    pub fn vec_and(self, other: Self) -> Self {
        Vector::new(self.val && other.val)
    }
    /// The disjunction of each pair of elements.
    pub fn or(self, other: Self) -> Self {
        Vector::new(self.val || other.val)
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<P: CubePrimitive, N: Size> Val<Vector<P, N>> {
    pub fn __expand_vector_size_method(&self) -> usize {
        N::value()
    }
    pub fn vector_size(&self) -> usize {
        N::value()
    }
    pub fn __expand_fill_method(self, value: Val<P>) -> Self {
        spread(value.raw)
    }
    pub fn __expand_extract_method(&self, index: usize) -> Val<P> {
        self.__expand_extract_dynamic_method(Val::lit(index))
    }
    pub fn __expand_insert_method(&self, index: usize, value: Val<P>) {
        self.__expand_insert_dynamic_method(Val::lit(index), value);
    }
    pub fn __expand_extract_dynamic_method(&self, index: Val<usize>) -> Val<P> {
        Val::new(lane(self.raw, size_index::size_index(index).raw))
    }
    pub fn __expand_insert_dynamic_method(&self, index: Val<usize>, value: Val<P>) {
        let new = with_lane(self.raw, size_index::size_index(index).raw, value.raw);
        match self.raw {
            Raw::Cell(cell, ty) => with(|b| b.store(cell, ty, new)),
            _ => crate::ir::fail("this vector is not a variable; declare it with `let mut`"),
        }
    }
    pub fn __expand_vec_and_method(self, other: Self) -> Self {
        Val::new(ops::binary("bitand", self.raw, other.raw, crate::ir::position()))
    }
    pub fn __expand_or_method(self, other: Self) -> Self {
        Val::new(ops::binary("bitor", self.raw, other.raw, crate::ir::position()))
    }
}

#[doc(hidden)]
#[allow(missing_docs)]
impl<P: Numeric, N: Size> Val<Vector<P, N>> {
    pub fn __expand_mod_floor_method(self, other: Self) -> Self {
        Vector::mod_floor_in_a_kernel(self, other)
    }
    pub fn __expand_vector_sum_method(self) -> Val<P> {
        Vector::vector_sum_in_a_kernel(self)
    }
}

#[doc(hidden)]
impl<P: Int, N: Size> Val<Vector<P, N>> {
    /// Whether each element is a multiple of `multiple`.
    pub fn __expand_is_multiple_of_method(&self, multiple: Val<P>) -> Val<Vector<bool, N>> {
        let position = crate::ir::position();
        let rest = ops::binary("rem", self.raw, multiple.raw, position);
        let zero = Raw::Const(Lit::Int(0), Ty::scalar(P::elem()));
        Val::new(ops::compare("eq", rest, zero, position))
    }
}

macro_rules! comparisons {
    ($($name:ident, $expand:ident, $op:ident;)*) => {
        impl<P: CubePrimitive, N: Size> Vector<P, N> {$(
            #[doc = concat!("The comparison `", stringify!($op), "` of each pair of elements.")]
            pub fn $name(&self, other: &Self) -> Vector<bool, N> {
                let _ = other;
                unexpanded()
            }
        )*}
        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<P: CubePrimitive, N: Size> Val<Vector<P, N>> {$(
            pub fn $expand(self, other: Self) -> Val<Vector<bool, N>> {
                let position = crate::ir::position();
                ops::$op(self, other, position).retype()
            }
        )*}
    };
}

comparisons_of_elements!(comparisons);

/// Declares the expansions of the methods of `PartialEq` and `PartialOrd`, which compare each pair of elements.
macro_rules! comparisons_of_rust {
    ($($expand:ident, $op:ident;)*) => {
        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<P: CubePrimitive, N: Size> Val<Vector<P, N>> {$(
            pub fn $expand(self, other: Self) -> Val<Vector<bool, N>> {
                ops::$op(self, other, crate::ir::position()).retype()
            }
        )*}
    };
}

comparisons_of_rust! {
    __expand_eq_method, eq; __expand_ne_method, ne; __expand_lt_method, lt; __expand_gt_method, gt; __expand_le_method, le;
    __expand_ge_method, ge;
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident;)*) => {$(
        impl<P: CubePrimitive + std::ops::$trait<Output = P>, N: Size> std::ops::$trait for Vector<P, N> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Vector::new(self.val.$method(other.val))
            }
        }
        impl<P: CubePrimitive + std::ops::$assign, N: Size> std::ops::$assign for Vector<P, N> {
            fn $assign_method(&mut self, other: Self) {
                self.val.$assign_method(other.val);
            }
        }
    )*};
}

operators_of_elements!(operators);

impl<P: CubePrimitive + std::ops::Neg<Output = P>, N: Size> std::ops::Neg for Vector<P, N> {
    type Output = Self;
    fn neg(self) -> Self {
        Vector::new(-self.val)
    }
}

impl<P: CubePrimitive + std::ops::Not<Output = P>, N: Size> std::ops::Not for Vector<P, N> {
    type Output = Self;
    fn not(self) -> Self {
        Vector::new(!self.val)
    }
}

impl<P: CubePrimitive, N: Size> PartialEq for Vector<P, N> {
    fn eq(&self, other: &Self) -> bool {
        self.val == other.val
    }
}

impl<P: CubePrimitive + PartialOrd, N: Size> PartialOrd for Vector<P, N> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.val.partial_cmp(&other.val)
    }
}
