//! Features of a chip besides basic arithmetic: float and integer functions, matrix instructions, copy engines, and
//! costs.
mod source;

use crate::Element;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use source::Source;

/// A float function that a chip, its code generator or a shading language can provide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MathFunction {
    /// Magnitude.
    Abs,
    /// Rounding towards plus infinity.
    Ceil,
    /// The magnitude of one number with the sign of another.
    Copysign,
    /// Rounding towards minus infinity.
    Floor,
    /// Rounding to nearest, ties away from zero.
    RoundAway,
    /// Rounding to nearest, ties to even.
    RoundEven,
    /// Rounding towards zero.
    Trunc,
    /// `a * b + c`, rounded once.
    Fma,
    /// Quotient. The accuracy holds for divisors whose magnitude is from the smallest normal number to its inverse, because
    /// the reciprocal of a larger divisor is subnormal. A description states the accuracy for each float type with
    /// instructions.
    Div,
    /// Square root.
    Sqrt,
    /// Minima and maxima of IEEE 754-2019 with all special cases. The definition of an operation determines whether the
    /// operation propagates or ignores NaN. -0 is less than 0.
    MinMax,
    /// Reciprocal of the square root.
    Rsqrt,
    /// Reciprocal of the operand.
    Recip,
    /// Power of two with the operand as exponent.
    Exp2,
    /// Logarithm to the base 2.
    Log2,
    /// `e` to the power of the operand.
    Exp,
    /// Natural logarithm.
    Log,
    /// Sine. The argument of AMD's sine instruction is in revolutions, not in radians.
    Sin,
    /// Cosine; the argument of AMD's instruction is also in revolutions.
    Cos,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
    /// Power of a float with a float exponent.
    Pow,
}

impl MathFunction {
    /// The functions whose results are always exact: they change only the sign, or round to an integer.
    pub const EXACT: [MathFunction; 7] = [
        MathFunction::Abs,
        MathFunction::Ceil,
        MathFunction::Copysign,
        MathFunction::Floor,
        MathFunction::RoundAway,
        MathFunction::RoundEven,
        MathFunction::Trunc,
    ];

    /// The native functions of a code generator that follows IEEE 754: the functions in [`MathFunction::EXACT`], and
    /// correctly rounded functions.
    pub fn ieee() -> impl Iterator<Item = MathFunction> {
        let rounded = [MathFunction::Fma, MathFunction::Div, MathFunction::Sqrt, MathFunction::MinMax];
        MathFunction::EXACT.into_iter().chain(rounded)
    }

    /// The name of the function's error bound in `semantics/tables/ulp.toml`. A function without a bound in
    /// `semantics/tables/ulp.toml` is rounded correctly.
    pub fn bound_name(self) -> Option<&'static str> {
        Some(match self {
            MathFunction::Rsqrt => "rsqrt",
            MathFunction::Exp2 => "exp2",
            MathFunction::Log2 => "log2",
            MathFunction::Exp => "exp",
            MathFunction::Log => "log",
            MathFunction::Sin => "sin",
            MathFunction::Cos => "cos",
            MathFunction::Tan => "tan",
            MathFunction::Tanh => "tanh",
            MathFunction::Pow => "pow",
            _ => return None,
        })
    }
}

/// The accuracy of a native function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MathAccuracy {
    /// Rounded correctly.
    Exact,
    /// The error is at most this number of units in the last place, for every operand.
    Ulp(u32),
    /// The error is at most this number of units in the last place if operand and result are normal numbers.
    /// Subnormal numbers can be flushed to zero.
    Normal(u32),
    /// The source states an absolute error, or an error for only some operands.
    Approximate,
}

impl MathAccuracy {
    /// Whether the error is at most `units` units in the last place if operand and result are normal numbers.
    pub fn is_near(self, units: u32) -> bool {
        match self {
            MathAccuracy::Exact => true,
            MathAccuracy::Ulp(most) | MathAccuracy::Normal(most) => most <= units,
            MathAccuracy::Approximate => false,
        }
    }

    /// The largest error in units in the last place, if operand and result are normal numbers; `None` if the source bounds
    /// the error in another way.
    pub fn units(self) -> Option<f64> {
        match self {
            MathAccuracy::Exact => Some(0.5),
            MathAccuracy::Ulp(most) | MathAccuracy::Normal(most) => Some(f64::from(most)),
            MathAccuracy::Approximate => None,
        }
    }

    /// Whether the accuracy satisfies Cube's published error bound in units in the last place. `None` means a function
    /// that Cube rounds correctly.
    pub fn satisfies(self, bound: Option<f64>) -> bool {
        match self {
            MathAccuracy::Exact => true,
            MathAccuracy::Ulp(most) => bound.is_some_and(|bound| f64::from(most) <= bound),
            MathAccuracy::Normal(_) | MathAccuracy::Approximate => false,
        }
    }
}

/// The float functions of a chip, with their accuracy for each element type.
pub type Math = BTreeMap<MathFunction, BTreeMap<Element, MathAccuracy>>;

/// Table entries of functions that are rounded correctly for all given element types.
pub(crate) fn exact(
    functions: impl IntoIterator<Item = MathFunction>,
    elements: &[Element],
) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    functions.into_iter().map(move |f| (f, elements.iter().map(|e| (*e, MathAccuracy::Exact)).collect()))
}

/// Table entries of functions that have the same accuracy for one element type.
pub(crate) fn with_accuracy<const N: usize>(
    functions: [MathFunction; N],
    element: Element,
    accuracy: MathAccuracy,
) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    functions.into_iter().map(move |f| (f, [(element, accuracy)].into()))
}

/// An integer operation, other than sums, products and bitwise operations, that a chip, its code generator or a
/// shading language can provide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegerFunction {
    /// The lower and the upper half of a signed or unsigned product.
    MulWide,
    /// A sum and its carry.
    AddCarry,
    /// Signed and unsigned sum and difference, clamped to the range of the type.
    SaturatingSum,
    /// Number of set bits.
    CountOnes,
    /// Number of leading zeros; for the operand 0 the result is the width.
    LeadingZeros,
    /// Number of trailing zeros; for the operand 0 the result is the width.
    TrailingZeros,
    /// Bits of the operand in reverse order.
    ReverseBits,
    /// Sum of the products of four signed bytes.
    Dot,
    /// Shifts by any amount; the amount is taken modulo the width.
    TotalShift,
    /// Quotient and remainder, signed and unsigned, of operands for which they are defined: the divisor is not 0, and `MIN / -1`
    /// does not occur. Each native type below 64 bits has this operation.
    Division,
    /// Division and remainder that are defined for all operands: `x / 0` is `x`, `x % 0` is 0, and `MIN / -1`
    /// is `MIN`.
    TotalDivision,
}

impl IntegerFunction {
    /// All operations, in declaration order.
    pub const ALL: [IntegerFunction; 11] = [
        IntegerFunction::MulWide,
        IntegerFunction::AddCarry,
        IntegerFunction::SaturatingSum,
        IntegerFunction::CountOnes,
        IntegerFunction::LeadingZeros,
        IntegerFunction::TrailingZeros,
        IntegerFunction::ReverseBits,
        IntegerFunction::Dot,
        IntegerFunction::TotalShift,
        IntegerFunction::Division,
        IntegerFunction::TotalDivision,
    ];

    /// Integer operations that LLVM has for every width, with one instruction or a few.
    pub const OF_LLVM: [IntegerFunction; 6] = [
        IntegerFunction::MulWide,
        IntegerFunction::AddCarry,
        IntegerFunction::CountOnes,
        IntegerFunction::LeadingZeros,
        IntegerFunction::TrailingZeros,
        IntegerFunction::Division,
    ];
}

/// A class of operations that have the same cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostClass {
    /// Fused multiply-add of single f16 values, without the instructions that process two packed values.
    FmaF16,
    /// Fused multiply-add, sum, product and comparison of f32.
    FmaF32,
    /// Fused multiply-add, sum, product and comparison of f64.
    FmaF64,
    /// Sum, comparison, bitwise operation and select of 32-bit integers. An operation on 64-bit integers
    /// counts as two operations.
    AddInt,
    /// Product of 32-bit integers.
    MulInt,
    /// Division of a 32-bit integer by a value that is known only at run time.
    DivInt,
    /// Hardware approximations of the square root, the exponential function and similar functions.
    Transcendental,
    /// Conversions among types of at most 32 bits.
    Convert,
    /// Conversions from or to 64-bit types.
    ConvertWide,
    /// Atomic addition of i32 in shared memory, with a distinct address for each lane.
    Atomic,
    /// Cycles from a load of shared memory to its result, times [`CostClass::UNIT`].
    SharedLatency,
    /// Cycles from a load that misses all caches to its result, times [`CostClass::UNIT`].
    GlobalLatency,
}

impl CostClass {
    /// The cost of one [`CostClass::FmaF32`]. Costs are relative times at full occupancy.
    pub const UNIT: u32 = 100;

    /// All classes, in declaration order.
    pub const ALL: [CostClass; 12] = [
        CostClass::FmaF16,
        CostClass::FmaF32,
        CostClass::FmaF64,
        CostClass::AddInt,
        CostClass::MulInt,
        CostClass::DivInt,
        CostClass::Transcendental,
        CostClass::Convert,
        CostClass::ConvertWide,
        CostClass::Atomic,
        CostClass::SharedLatency,
        CostClass::GlobalLatency,
    ];
}

/// The costs for a description of the GPUs of every vendor. The numbers are estimates: a special function has
/// a quarter of the rate of f32 on most chips, a division takes about 20 operations, and f64 has a small rate.
pub(crate) const COSTS_OF_ANY_GPU: [(CostClass, u32); 4] = [
    (CostClass::FmaF64, 16 * CostClass::UNIT),
    (CostClass::DivInt, 20 * CostClass::UNIT),
    (CostClass::Transcendental, 4 * CostClass::UNIT),
    (CostClass::ConvertWide, 4 * CostClass::UNIT),
];

/// One shape of a product of matrices, `d = a * b + c`, that a plane computes in one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Rows of `a` and `d`.
    pub m: u32,
    /// Columns of `b` and `d`.
    pub n: u32,
    /// Columns of `a` and rows of `b`.
    pub k: u32,
    /// Element type of `a`.
    pub a: Element,
    /// Element type of `b`.
    pub b: Element,
    /// Element type of `c` and `d`.
    pub c: Element,
}

impl Matrix {
    /// A product whose factors have the same element type.
    pub(crate) const fn of([m, n, k]: [u32; 3], factors: Element, c: Element) -> Matrix {
        Matrix { m, n, k, a: factors, b: factors, c }
    }
}

/// The way in which one unit takes over the work of several neighbouring units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coarsening {
    /// The code of a kernel has two forms, and each unit chooses one.
    Units,
    /// The code of a kernel has two entry functions, and the launcher runs the first cubes of a launch by the second one.
    Cubes,
}

/// An engine that copies from global to shared memory asynchronously.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyEngine {
    /// Each unit starts copies of a few bytes, which do not pass through the unit's registers.
    PerUnit,
    /// One unit starts a copy of many consecutive bytes.
    Bulk,
    /// One unit starts a copy of a tile of a tensor of up to five dimensions.
    Tensor,
}

/// The integer operations of [`of_llvm`], and saturating sums of the listed types.
pub(crate) fn with_saturating_sums(elements: &[Element]) -> BTreeMap<IntegerFunction, Vec<Element>> {
    of_llvm().into_iter().chain([(IntegerFunction::SaturatingSum, elements.to_vec())]).collect()
}

/// The integer operations of a backend that generates code with LLVM or C.
pub(crate) fn of_llvm() -> BTreeMap<IntegerFunction, Vec<Element>> {
    let all = [Element::I1, Element::I8, Element::I16, Element::I32, Element::I64];
    IntegerFunction::OF_LLVM.map(|function| (function, all.to_vec())).into()
}
