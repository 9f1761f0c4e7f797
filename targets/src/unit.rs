//! Features of a chip besides basic arithmetic: functions of floats and integers, matrix instructions, copy engines,
//! and costs.
use crate::Element;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A function of floats that a chip, its code generator or a shading language can have.
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
    /// Square root.
    Sqrt,
    /// Minima and maxima of IEEE 754-2019 with all special cases. The definition of the operation decides whether NaN is propagated or
    /// ignored. -0 is less than 0.
    MinMax,
    /// One over the square root.
    Rsqrt,
    /// One over the number.
    Recip,
    /// Two to the power.
    Exp2,
    /// Logarithm of base 2.
    Log2,
    /// `e` to the power.
    Exp,
    /// Natural logarithm.
    Log,
    /// Sine. The argument of AMD's instruction is in revolutions, not radians.
    Sin,
    /// Cosine, like the sine.
    Cos,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
    /// A number to the power of another.
    Pow,
}

impl MathFunction {
    /// The functions that move or clear bits of a float. They never round.
    pub const EXACT: [MathFunction; 7] = [
        MathFunction::Abs,
        MathFunction::Ceil,
        MathFunction::Copysign,
        MathFunction::Floor,
        MathFunction::RoundAway,
        MathFunction::RoundEven,
        MathFunction::Trunc,
    ];

    /// The native functions of a code generator that follows IEEE 754: [`MathFunction::EXACT`], and functions that are rounded correctly.
    pub fn ieee() -> impl Iterator<Item = MathFunction> {
        let rounded = [MathFunction::Fma, MathFunction::Sqrt, MathFunction::MinMax];
        MathFunction::EXACT.into_iter().chain(rounded)
    }

    /// The name of the function's bound in `semantics/tables/ulp.toml`. Functions without a bound there are rounded correctly.
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
pub enum MathForm {
    /// Rounded correctly.
    Exact,
    /// Within this many units in the last place of the exact result, for every operand.
    Ulp(u32),
    /// Within this many units in the last place if operand and result are normal numbers; subnormal numbers can be
    /// flushed to zero.
    Normal(u32),
    /// The document states the error in another form: absolute, or only for some operands.
    Approximate,
}

impl MathForm {
    /// Whether results are within a number of units in the last place if operand and result are normal numbers.
    pub fn is_near(self, units: u32) -> bool {
        match self {
            MathForm::Exact => true,
            MathForm::Ulp(most) | MathForm::Normal(most) => most <= units,
            MathForm::Approximate => false,
        }
    }

    /// Whether the form satisfies Cube's published bound in units in the last place. `None` means a function that Cube rounds
    /// correctly.
    pub fn keeps(self, bound: Option<f64>) -> bool {
        match self {
            MathForm::Exact => true,
            MathForm::Ulp(most) => bound.is_some_and(|bound| f64::from(most) <= bound),
            MathForm::Normal(_) | MathForm::Approximate => false,
        }
    }
}

/// The functions of a chip by element, with their errors.
pub type Math = BTreeMap<MathFunction, BTreeMap<Element, MathForm>>;

/// The same functions, exact, for several elements.
pub(crate) fn exact(
    functions: impl IntoIterator<Item = MathFunction>,
    elements: &[Element],
) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathForm>)> {
    functions.into_iter().map(move |f| (f, elements.iter().map(|e| (*e, MathForm::Exact)).collect()))
}

/// Functions of one element with one form.
pub(crate) fn formed<const N: usize>(
    functions: [MathFunction; N],
    element: Element,
    form: MathForm,
) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathForm>)> {
    functions.into_iter().map(move |f| (f, [(element, form)].into()))
}

/// An integer operation, beyond sums, products and bits, that a chip, its code generator or a shading language can
/// have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntegerFunction {
    /// Both halves of a product, signed and unsigned.
    MulWide,
    /// A sum and its carry.
    AddCarry,
    /// Number of set bits.
    CountOnes,
    /// Number of leading zeros; the width for 0.
    LeadingZeros,
    /// Number of trailing zeros; the width for 0.
    TrailingZeros,
    /// Bits in the other order.
    ReverseBits,
    /// Shifts by any amount, which is taken modulo the width.
    TotalShift,
    /// Division and remainder of any operands: `x / 0` is `x`, `x % 0` is 0, `MIN / -1` is `MIN`.
    TotalDivision,
}

impl IntegerFunction {
    /// All operations, in declaration order.
    pub const ALL: [IntegerFunction; 8] = [
        IntegerFunction::MulWide,
        IntegerFunction::AddCarry,
        IntegerFunction::CountOnes,
        IntegerFunction::LeadingZeros,
        IntegerFunction::TrailingZeros,
        IntegerFunction::ReverseBits,
        IntegerFunction::TotalShift,
        IntegerFunction::TotalDivision,
    ];

    /// The MLIR operations that compute the integer operation.
    pub fn operations(self) -> &'static [&'static str] {
        match self {
            IntegerFunction::MulWide => &["arith.mului_extended", "arith.mulsi_extended"],
            IntegerFunction::AddCarry => &["arith.addui_extended"],
            IntegerFunction::CountOnes => &["math.ctpop"],
            IntegerFunction::LeadingZeros => &["math.ctlz"],
            IntegerFunction::TrailingZeros => &["math.cttz"],
            IntegerFunction::ReverseBits => &["cube.reverse_bits"],
            IntegerFunction::TotalShift => &["cube.shl", "cube.shrsi", "cube.shrui"],
            IntegerFunction::TotalDivision => &["cube.divsi", "cube.divui", "cube.remsi", "cube.remui"],
        }
    }

    /// Integer operations that LLVM has for every width, with one instruction or a few.
    pub const OF_LLVM: [IntegerFunction; 5] = [
        IntegerFunction::MulWide,
        IntegerFunction::AddCarry,
        IntegerFunction::CountOnes,
        IntegerFunction::LeadingZeros,
        IntegerFunction::TrailingZeros,
    ];
}

/// A class of operations with one cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostClass {
    /// Fused multiply-add of f16, without packing of two.
    FmaF16,
    /// Fused multiply-add, sum, product, comparison of f32.
    FmaF32,
    /// Fused multiply-add, sum, product, comparison of f64.
    FmaF64,
    /// Sum, comparison, bits and select of 32-bit integers; 64-bit integers take two operations.
    AddInt,
    /// Product of 32-bit integers.
    MulInt,
    /// Division of 32-bit integers by a run-time number.
    DivInt,
    /// Square root, exponential and similar functions in the hardware's approximation.
    Transcendental,
    /// Conversions among types of at most 32 bits.
    Convert,
    /// Conversions from and to types of 64 bits.
    ConvertWide,
    /// Atomic sum of i32 in shared memory, with distinct addresses for all lanes.
    Atomic,
    /// Cycles from a load of shared memory to its result, times [`CostClass::UNIT`].
    SharedLatency,
    /// Cycles from a load that misses all caches to its result, times [`CostClass::UNIT`].
    GlobalLatency,
}

impl CostClass {
    /// The cost of one [`CostClass::FmaF32`]: costs are relative times on a processor with full occupancy.
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

/// One shape of a product of matrices, `d = a * b + c`, that a plane computes in one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Rows of `a` and `d`.
    pub m: u32,
    /// Columns of `b` and `d`.
    pub n: u32,
    /// Columns of `a`, rows of `b`.
    pub k: u32,
    /// Elements of `a`.
    pub a: Element,
    /// Elements of `b`.
    pub b: Element,
    /// Elements of `c` and `d`.
    pub c: Element,
}

impl Matrix {
    /// A product whose factors have one element type.
    pub(crate) const fn of([m, n, k]: [u32; 3], factors: Element, c: Element) -> Matrix {
        Matrix { m, n, k, a: factors, b: factors, c }
    }
}

/// An engine that copies from global to shared memory asynchronously.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyEngine {
    /// Each unit starts copies of a few bytes, which bypass its registers.
    PerUnit,
    /// One unit starts a copy of many consecutive bytes.
    Bulk,
    /// One unit starts a copy of a tile of a tensor of up to five dimensions.
    Tensor,
}
