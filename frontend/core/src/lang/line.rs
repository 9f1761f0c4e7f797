//! Lines: short vectors of elements.
use super::ops;
use super::value::{CubePrimitive, CubeType, Val};
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, Raw, StorageType, Ty, with};

/// A short vector. The line size is a compile-time value.
#[derive(Clone, Copy, Debug)]
pub struct Line<P> {
    /// The value of all elements. On the host, all elements of a line are equal.
    pub(crate) val: P,
}

impl<P: CubePrimitive> CubeType for Line<P> {
    type ExpandType = Val<Line<P>>;
    fn into_staged(self) -> Val<Line<P>> {
        Val::lit(self)
    }
}

impl<P: CubePrimitive> CubePrimitive for Line<P> {
    fn elem() -> Elem {
        P::elem()
    }
    fn to_lit(self) -> Lit {
        self.val.to_lit()
    }
    fn from_lit(lit: Lit) -> Option<Self> {
        P::from_lit(lit).map(|val| Line { val })
    }
    fn packing_factor() -> u32 {
        P::packing_factor()
    }
    fn as_type_native_unchecked() -> StorageType {
        P::as_type_native_unchecked()
    }
}

impl<P: CubePrimitive> Line<P> {
    /// A line whose elements all equal `val`. As an operand, this line takes the line size of the operation's
    /// other operand.
    pub fn new(val: P) -> Self {
        Line { val }
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel(val: Val<P>) -> Val<Line<P>> {
        Val::new(val.raw)
    }
    /// A line of `size` zeros.
    pub fn empty(size: u32) -> Self {
        let _ = size;
        unexpanded()
    }
    #[doc(hidden)]
    pub fn empty_in_a_kernel(size: u32) -> Val<Line<P>> {
        Val::new(Raw::Const(Lit::zero(P::elem()), Ty { elem: P::elem(), line: size.max(1) }))
    }
    /// A line with this line's size whose elements all equal `value`.
    pub fn fill(self, value: P) -> Self {
        let _ = value;
        unexpanded()
    }
    /// Number of elements, as a compile-time value.
    pub fn size(&self) -> u32 {
        unexpanded()
    }
    /// Number of elements, as a compile-time value.
    pub fn line_size(&self) -> u32 {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn size_in_a_kernel(line: Val<Line<P>>) -> u32 {
        line.ty().line
    }
    #[doc(hidden)]
    pub fn cast_from_in_a_kernel<From: CubePrimitive>(value: Val<From>) -> Val<Self> {
        Val::new(super::cast::convert_elements::<P, From>(value.raw, 0))
    }
    /// Reinterprets the bits of each element as a number of another type with the same width.
    #[doc(hidden)]
    pub fn reinterpret_in_a_kernel<From: CubePrimitive>(value: Val<From>) -> Val<Self> {
        Val::new(super::math::bitcast(value.raw, P::elem()))
    }
}

/// Calls a macro with the comparisons of lines and vectors: the name, the name of the expansion, and the operator.
macro_rules! comparisons_of_elements {
    ($with:ident) => {
        $with! {
            equal, __expand_equal_method, eq;
            not_equal, __expand_not_equal_method, ne;
            less_than, __expand_less_than_method, lt;
            greater_than, __expand_greater_than_method, gt;
            less_equal, __expand_less_equal_method, le;
            greater_equal, __expand_greater_equal_method, ge;
        }
    };
}

/// Calls a macro with the operators of lines and vectors: the trait, its method, and both of the assignment.
macro_rules! operators_of_elements {
    ($with:ident) => {
        $with! {
            Add add AddAssign add_assign; Sub sub SubAssign sub_assign; Mul mul MulAssign mul_assign;
            Div div DivAssign div_assign; Rem rem RemAssign rem_assign; BitAnd bitand BitAndAssign bitand_assign;
            BitOr bitor BitOrAssign bitor_assign; BitXor bitxor BitXorAssign bitxor_assign;
            Shl shl ShlAssign shl_assign; Shr shr ShrAssign shr_assign;
        }
    };
}

pub(crate) use {comparisons_of_elements, operators_of_elements};

macro_rules! comparisons {
    ($($name:ident, $expand:ident, $op:ident;)*) => {
        impl<P: CubePrimitive> Line<P> {$(
            #[doc = concat!("The comparison `", stringify!($op), "` of each pair of elements.")]
            pub fn $name(self, other: Self) -> Line<bool> {
                let _ = other;
                unexpanded()
            }
        )*}
        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<P: CubePrimitive> Val<Line<P>> {$(
            pub fn $expand(self, other: Self) -> Val<Line<bool>> {
                let position = crate::ir::position();
                ops::$op(self, other, position).retype()
            }
        )*}
    };
}

comparisons_of_elements!(comparisons);

impl Line<bool> {
    /// The conjunction of each pair of elements in two lines.
    pub fn and(self, other: Self) -> Line<bool> {
        let _ = other;
        unexpanded()
    }
    /// The disjunction of each pair of elements in two lines.
    pub fn or(self, other: Self) -> Line<bool> {
        let _ = other;
        unexpanded()
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<P: CubePrimitive> Val<Line<P>> {
    pub fn __expand_size_method(&self) -> u32 {
        self.ty().line
    }
    pub fn __expand_line_size_method(&self) -> u32 {
        self.ty().line
    }
    pub fn size(&self) -> u32 {
        self.ty().line
    }
    pub fn line_size(&self) -> u32 {
        self.ty().line
    }
    pub fn __expand_fill_method(self, value: Val<P>) -> Val<Line<P>> {
        Val::new(ops::splat(value.raw, self.ty().line).unwrap_or(value.raw))
    }
    pub fn __expand_and_method(self, other: Val<Line<bool>>) -> Val<Line<bool>> {
        let position = crate::ir::position();
        Val::new(ops::binary("bitand", self.raw, other.raw, position))
    }
    pub fn __expand_or_method(self, other: Val<Line<bool>>) -> Val<Line<bool>> {
        let position = crate::ir::position();
        Val::new(ops::binary("bitor", self.raw, other.raw, position))
    }
}

/// Declares functions whose result has the element type `u32`. For a line operand, the declared functions
/// return a line.
macro_rules! u32_functions {
    ($($bound:ident $name:ident $function:ident $expand:ident;)*) => {$(
        impl<P: CubePrimitive + super::math::$bound> Line<P> {
            #[doc = concat!("[`super::math::", stringify!($bound), "`] of each element.")]
            pub fn $name(self) -> Line<u32> {
                unexpanded()
            }
        }
        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<P: CubePrimitive + super::math::$bound> Val<Line<P>> {
            pub fn $expand(self) -> Val<Line<u32>> {
                <Line<P> as super::math::$bound>::$function(self).retype()
            }
        }
    )*};
}

u32_functions! {
    CountOnes count_ones count_ones_in_a_kernel __expand_count_ones_method;
    LeadingZeros leading_zeros leading_zeros_in_a_kernel __expand_leading_zeros_method;
    TrailingZeros trailing_zeros trailing_zeros_in_a_kernel __expand_trailing_zeros_method;
    FindFirstSet find_first_set find_first_set_in_a_kernel __expand_find_first_set_method;
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident;)*) => {$(
        impl<P: CubePrimitive + std::ops::$trait<Output = P>> std::ops::$trait for Line<P> {
            type Output = Line<P>;
            fn $method(self, other: Self) -> Line<P> {
                Line { val: self.val.$method(other.val) }
            }
        }
        impl<P: CubePrimitive + std::ops::$assign> std::ops::$assign for Line<P> {
            fn $assign_method(&mut self, other: Self) {
                self.val.$assign_method(other.val);
            }
        }
    )*};
}

operators_of_elements!(operators);

impl<P: std::ops::Neg<Output = P>> std::ops::Neg for Line<P> {
    type Output = Line<P>;
    fn neg(self) -> Line<P> {
        Line { val: -self.val }
    }
}

impl<P: std::ops::Not<Output = P>> std::ops::Not for Line<P> {
    type Output = Line<P>;
    fn not(self) -> Line<P> {
        Line { val: !self.val }
    }
}

impl<P: CubePrimitive> PartialEq for Line<P> {
    fn eq(&self, other: &Self) -> bool {
        self.val == other.val
    }
}

impl<P: CubePrimitive + Eq> Eq for Line<P> {}

impl<P: CubePrimitive + PartialOrd> PartialOrd for Line<P> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.val.partial_cmp(&other.val)
    }
}

impl<P: CubePrimitive> std::ops::Index<u32> for Line<P> {
    type Output = P;
    fn index(&self, _: u32) -> &P {
        &self.val
    }
}

impl<P: CubePrimitive> std::ops::IndexMut<u32> for Line<P> {
    fn index_mut(&mut self, _: u32) -> &mut P {
        &mut self.val
    }
}

/// Reduces the elements of a line with a `vector.reduction` of the given kind.
pub(crate) fn reduce(raw: Raw, kind: &str) -> Raw {
    with(|b| {
        let (v, ty) = b.id(raw);
        if ty.line == 1 {
            return Raw::Ssa(v, ty);
        }
        let out = Ty::scalar(ty.elem);
        b.value(out, &format!("vector.reduction <{kind}>, %{v} : {ty} into {out}"))
    })
}

/// The dot product of two lines.
pub fn dot(a: Raw, b: Raw) -> Raw {
    let position = crate::ir::position();
    reduce(ops::binary("mul", a, b, position), "add")
}

/// The Euclidean norm of a line.
pub fn magnitude(raw: Raw) -> Raw {
    let squares = dot(raw, raw);
    super::math::unary("math.sqrt", squares)
}

/// A line divided by its Euclidean norm.
pub fn normalize(raw: Raw) -> Raw {
    let length = magnitude(raw);
    let position = crate::ir::position();
    ops::binary("div", raw, length, position)
}
