//! The cost of an operation on a chip. The comments of the target descriptions state the source of each number.
//!
//! The unit of time is [`CostClass::UNIT`], which is relative to an f32 multiply-add on a processor with full
//! occupancy. The unit of latency is one cycle. The factors of a cost class are instruction counts in the expansions of
//! `legalize` and of LLVM 22. Most instructions of an expansion depend on each other.
use crate::graph::{Head, NodeKind};
use crate::{Flags, Function, Op};
use cube_semantics::{Conversion, FloatOp, IntOp, Number};
use cube_target::{CostClass, Element, MathFunction, Support, Target};
use std::ops::{Add, Mul};

/// The time and the latency of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// The time on a processor with full occupancy, which is the inverse of the throughput.
    pub time: u64,
    /// The latency in cycles, from the operands to the result.
    pub latency: u64,
}

impl Add for Price {
    type Output = Price;

    fn add(self, other: Price) -> Price {
        Price { time: self.time + other.time, latency: self.latency + other.latency }
    }
}

impl Mul<Price> for u64 {
    type Output = Price;

    fn mul(self, price: Price) -> Price {
        Price { time: self * price.time, latency: self * price.latency }
    }
}

impl Price {
    fn half(self) -> Price {
        Price { time: self.time.div_ceil(2), latency: self.latency.div_ceil(2) }
    }

    fn max(self, other: Price) -> Price {
        Price { time: self.time.max(other.time), latency: self.latency.max(other.latency) }
    }
}

/// The time of an operation. `constants` lists which operands are constants.
pub fn cost(target: &Target, head: Head, constants: [bool; 3]) -> u64 {
    price(target, head, constants).time
}

/// The time and the latency of an operation. `constants` lists which operands are constants.
pub fn price(target: &Target, head: Head, constants: [bool; 3]) -> Price {
    let NodeKind::Apply(op, flags) = head.kind else { return Price::default() };
    let (from, to) = (head.from.number(), head.to.number());
    let each = match op {
        Op::Int(op) => integer(target, op, from, constants[1]),
        Op::Float(op) => float(target, op, from, flags),
        Op::CompareInts(_) => words(from) * class(target, CostClass::AddInt),
        Op::CompareFloats(_) => class(target, arithmetic(from)),
        Op::Select => words(from) * class(target, CostClass::AddInt),
        Op::Convert(conversion) => convert(target, conversion, from, to),
        Op::Function(op) => function(target, op, from, flags),
        Op::View => Price::default(),
    };
    Price { time: each.time * u64::from(head.lanes.max(1)), ..each }
}

fn class(target: &Target, class: CostClass) -> Price {
    Price { time: target.cost(class).into(), latency: target.latency(class).into() }
}

/// The number of 32-bit registers that a value occupies.
pub fn words(ty: Number) -> u64 {
    if ty.bits() > 32 { 2 } else { 1 }
}

fn arithmetic(ty: Number) -> CostClass {
    match ty {
        Number::F64 => CostClass::FmaF64,
        Number::F16 | Number::BF16 => CostClass::FmaF16,
        _ => CostClass::FmaF32,
    }
}

fn integer(target: &Target, op: IntOp, ty: Number, by_constant: bool) -> Price {
    use IntOp as I;
    let add = words(ty) * class(target, CostClass::AddInt);
    // A 64-bit product is three 32-bit products and their sums.
    let mul =
        if words(ty) == 2 { 3 * class(target, CostClass::MulInt) + add } else { class(target, CostClass::MulInt) };
    // A 64-bit division is about four 32-bit divisions.
    let divide = words(ty).pow(2) * class(target, CostClass::DivInt);
    match op {
        I::Mul => mul,
        I::MulHighU | I::MulHighS => mul + add,
        // The upper half of a product, a shift and a sum. A remainder takes another product and a difference.
        I::TotalDivU if by_constant => mul + 3 * add,
        I::TotalDivS if by_constant => mul + 5 * add,
        I::TotalRemU if by_constant => 2 * mul + 4 * add,
        I::TotalRemS if by_constant => 2 * mul + 6 * add,
        // The select for a divisor of 0. Signed operations need another select for MIN / -1.
        I::TotalDivU | I::TotalRemU => divide + 2 * add,
        I::TotalDivS | I::TotalRemS => divide + 5 * add,
        // The shift amount modulo the width is an `and`. A constant amount does not need it.
        I::TotalShl | I::TotalShrU | I::TotalShrS if !by_constant => 2 * add,
        I::AddSatS | I::SubSatS => 4 * add,
        I::AddSatU | I::SubSatU | I::Abs => 2 * add,
        I::LeadingZeros | I::TrailingZeros | I::CountOnes | I::ReverseBits => 4 * add,
        I::Power => 16 * mul,
        _ => add,
    }
}

fn element_of(ty: Number) -> Element {
    match ty {
        Number::Float(element) => element,
        Number::Int(_) => Element::F32,
    }
}

/// Whether `legalize` keeps the function: the target computes it within the published bound, or the flags permit the
/// target's approximation. `passes/src/native.rs` and `expand_math.rs` make the same decisions.
fn is_native(target: &Target, function: MathFunction, ty: Number, flags: Flags) -> bool {
    let element = element_of(ty);
    let Some(accuracy) = target.math_accuracy(function, element) else { return false };
    let bound = function.bound_name().and_then(|name| cube_semantics::tables::bound(element.ir(), name));
    let has_approximation = matches!(
        function,
        MathFunction::Exp
            | MathFunction::Exp2
            | MathFunction::Log
            | MathFunction::Log2
            | MathFunction::Sin
            | MathFunction::Cos
            | MathFunction::Tan
            | MathFunction::Tanh
            | MathFunction::Rsqrt
    );
    accuracy.satisfies(bound) || flags.has(Flags::AFN) && has_approximation && ty == Number::F32
}

/// A fused multiply-add. A target that has no correctly rounded instruction computes a fused multiply-add with
/// f64, or with integers only.
fn fused(target: &Target, ty: Number) -> Price {
    let is_computed = |element| target.arithmetic(element) == Some(Support::Native);
    if is_native(target, MathFunction::Fma, ty, Flags::NONE) {
        class(target, arithmetic(ty))
    } else if ty != Number::F64 && is_computed(Element::F64) && is_computed(Element::I64) {
        11 * class(target, CostClass::FmaF64) + 22 * class(target, CostClass::AddInt)
    } else {
        words(ty) * (180 * class(target, CostClass::AddInt))
    }
}

fn float(target: &Target, op: FloatOp, ty: Number, flags: Flags) -> Price {
    use FloatOp as F;
    use MathFunction as M;
    let fma = class(target, arithmetic(ty));
    let special = class(target, CostClass::Transcendental).max(fma);
    let native = |function: MathFunction| is_native(target, function, ty, flags);
    match op {
        F::Fma => fused(target, ty),
        F::Sqrt if !native(M::Sqrt) => words(ty) * (207 * class(target, CostClass::AddInt)),
        // A correctly rounded quotient is a reciprocal and a refinement of about eight operations.
        F::Div | F::Sqrt if flags.has(Flags::AFN) => special + fma,
        F::Div | F::Sqrt => special + 8 * fma,
        F::Rem => 135 * fma,
        // Operand modifiers on GPUs, and bit operations elsewhere.
        F::Neg | F::Abs => fma.half(),
        F::Floor if !native(M::Floor) => 10 * fma,
        F::Ceil if !native(M::Ceil) => 10 * fma,
        F::Trunc if !native(M::Trunc) => 9 * fma,
        F::RoundEven if !native(M::RoundEven) => 6 * fma,
        F::Round if !native(M::RoundAway) => 17 * fma,
        F::Floor | F::Ceil | F::Trunc | F::Round | F::RoundEven => class(target, CostClass::Convert),
        F::CopySign if !native(M::Copysign) => 6 * class(target, CostClass::AddInt),
        F::Maximum | F::Minimum | F::MaxNum | F::MinNum if !native(M::MinMax) => 10 * fma,
        F::CopySign | F::Clamp => 2 * fma,
        _ => fma,
    }
}

fn convert(target: &Target, conversion: Conversion, from: Number, to: Number) -> Price {
    use Conversion as C;
    match conversion {
        C::Bits => Price::default(),
        C::Truncate | C::SignExtend | C::ZeroExtend | C::IndexSigned | C::IndexUnsigned => {
            class(target, CostClass::AddInt).half()
        }
        _ if from.bits() == 64 || to.bits() == 64 => class(target, CostClass::ConvertWide),
        _ => class(target, CostClass::Convert),
    }
}

// A native function costs as much as an operation of the class `Transcendental`. The math library expands the
// other functions to `operations` (docs/math.md, f32), of which `fusions` require the rounding of a fused
// multiply-add. The number of fusions was counted in the expansions for a target without a fused multiply-add.
fn function(target: &Target, op: Function, ty: Number, flags: Flags) -> Price {
    use Function as F;
    use MathFunction as M;
    let fma = class(target, arithmetic(ty));
    let special = class(target, CostClass::Transcendental).max(fma);
    let (native, operations, fusions) = match op {
        F::Rsqrt if is_native(target, M::Rsqrt, ty, flags) => return special,
        F::Rsqrt => return float(target, FloatOp::Sqrt, ty, flags) + float(target, FloatOp::Div, ty, flags),
        F::Exp => (Some(M::Exp), 24, 7),
        F::Exp2 => (Some(M::Exp2), 22, 6),
        F::ExpM1 => (None, 26, 8),
        F::Log => (Some(M::Log), 34, 11),
        F::Log2 => (Some(M::Log2), 31, 11),
        F::Log10 => (None, 36, 13),
        F::Log1P => (None, 48, 11),
        F::Sin => (Some(M::Sin), 101, 14),
        F::Cos => (Some(M::Cos), 100, 14),
        F::Tan => (Some(M::Tan), 100, 14),
        F::Atan => (None, 19, 8),
        F::Asin => (None, 19, 7),
        F::Acos => (None, 24, 8),
        F::Atan2 => (None, 31, 9),
        F::Asinh => (None, 53, 12),
        F::Acosh => (None, 52, 12),
        F::Atanh => (None, 50, 12),
        F::Sinh => (None, 37, 10),
        F::Cosh => (None, 28, 7),
        F::Tanh => (Some(M::Tanh), 39, 11),
        F::Cbrt => (None, 31, 10),
        F::Powf => (Some(M::Pow), 118, 23),
    };
    if native.is_some_and(|function| is_native(target, function, ty, flags)) {
        return special;
    }
    if is_native(target, M::Fma, ty, Flags::NONE) {
        operations * fma
    } else {
        (operations - fusions) * fma + fusions * fused(target, ty)
    }
}
