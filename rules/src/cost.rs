//! The cost of an operation on a chip. The comments of the target descriptions state the source of each number.
//!
//! The unit of time is [`CostClass::UNIT`], which is relative to an f32 multiply-add on a processor with full
//! occupancy. The unit of latency is one cycle. The factors of a cost class are instruction counts in the expansions of
//! `legalize` and of LLVM 22. `cargo test -p cube-fuzz --test egraph cost` compares them with the code for gfx942, for
//! targets without a fused multiply-add, and for CPUs without rounding instructions. Most instructions of an expansion
//! depend on each other.
use crate::graph::{Head, NodeKind};
use crate::{Flags, Function, Op};
use cube_semantics::{Conversion, FloatOp, IntOp, Number};
use cube_target::{Class, CostClass, Element, IntegerFunction, MathFunction, Support, Target};
use std::ops::{Add, Mul};

/// The time and the latency of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCost {
    /// The time on a processor with full occupancy, which is the inverse of the throughput.
    pub time: u64,
    /// The latency in cycles, from the operands to the result.
    pub latency: u64,
}

impl Add for OperationCost {
    type Output = OperationCost;

    fn add(self, other: OperationCost) -> OperationCost {
        OperationCost { time: self.time + other.time, latency: self.latency + other.latency }
    }
}

impl Mul<OperationCost> for u64 {
    type Output = OperationCost;

    fn mul(self, cost: OperationCost) -> OperationCost {
        OperationCost { time: self * cost.time, latency: self * cost.latency }
    }
}

impl OperationCost {
    fn half(self) -> OperationCost {
        OperationCost { time: self.time.div_ceil(2), latency: self.latency.div_ceil(2) }
    }

    fn max(self, other: OperationCost) -> OperationCost {
        OperationCost { time: self.time.max(other.time), latency: self.latency.max(other.latency) }
    }
}

/// The time of an operation. `constants` lists which operands are constants.
pub fn cost(target: &Target, head: Head, constants: [bool; 3]) -> u64 {
    time_and_latency(target, head, constants).time
}

/// The time and the latency of an operation. `constants` lists which operands are constants.
pub fn time_and_latency(target: &Target, head: Head, constants: [bool; 3]) -> OperationCost {
    let NodeKind::Apply(op, flags) = head.kind else { return OperationCost::default() };
    let (from, to) = (head.from.number(), head.to.number());
    let each = match op {
        Op::Int(op) => integer(target, op, from, constants[1]),
        Op::Float(op) => float(target, op, from, flags),
        Op::CompareInts(_) => words(from) * class(target, CostClass::AddInt),
        Op::CompareFloats(_) => class(target, arithmetic(from)),
        Op::Select => words(from) * class(target, CostClass::AddInt),
        Op::Convert(conversion) => convert(target, conversion, from, to),
        Op::Function(op) => function(target, op, from, flags),
        Op::View => OperationCost::default(),
        // One instruction of a CPU. The elements of a vector of one unit of a GPU are separate registers.
        Op::Splat => return class(target, CostClass::AddInt).half(),
    };
    OperationCost { time: each.time * u64::from(head.lanes.max(1)), ..each }
}

fn class(target: &Target, class: CostClass) -> OperationCost {
    OperationCost { time: target.cost(class).into(), latency: target.latency(class).into() }
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

fn integer(target: &Target, op: IntOp, ty: Number, by_constant: bool) -> OperationCost {
    use IntOp as I;
    let add = words(ty) * class(target, CostClass::AddInt);
    // A 64-bit product is three 32-bit products and their sums; its upper half is four products and their sums.
    let mul =
        if words(ty) == 2 { 3 * class(target, CostClass::MulInt) + add } else { class(target, CostClass::MulInt) };
    // Unsigned divisions of 32 and 64 bits take 122 and 629 cycles on an H100 (OpenXLA, `hlo_op_profiles_data.h`). LLVM
    // 22 emits 20 and 113 instructions for these divisions on gfx942.
    let divisions = if words(ty) == 2 { 5 } else { 1 };
    let divide = divisions * class(target, CostClass::DivInt);
    match op {
        I::Mul => mul,
        I::MulHighU | I::MulHighS if words(ty) == 2 => 4 * class(target, CostClass::MulInt) + 2 * add,
        I::MulHighU | I::MulHighS => mul,
        // Granlund and Montgomery, 1994, figure 4.1: the upper half of a product, and one shift to four shifts and sums,
        // which depends on the divisor. A signed quotient also has the sign of the dividend (figure 5.1). A remainder has
        // another product and a difference.
        I::TotalDivU if by_constant => high(target, ty) + 3 * add,
        I::TotalDivS if by_constant => high(target, ty) + 4 * add,
        I::TotalRemU if by_constant => high(target, ty) + mul + 4 * add,
        I::TotalRemS if by_constant => high(target, ty) + mul + 5 * add,
        // A maximum and a select for a divisor of 0. Signed operations compare and select three times, also for MIN / -1.
        I::TotalDivU | I::TotalRemU => divide + 2 * add,
        I::TotalDivS | I::TotalRemS => divide + 6 * add,
        // The shift amount modulo the width is an `and`. A constant amount does not need it.
        I::TotalShl | I::TotalShrU | I::TotalShrS if !by_constant => 2 * add,
        I::AddSatS | I::SubSatS | I::AddSatU | I::SubSatU if has_saturating_sums(target, ty) => add,
        // A sum, its overflow from three bitwise operations and a comparison, the limit, and a select.
        I::AddSatS | I::SubSatS => 8 * add,
        I::AddSatU | I::SubSatU | I::Abs => 2 * add,
        I::Dot if target.has_integer(IntegerFunction::Dot, Element::I32) => mul,
        // Four products, three sums, and two shifts for each byte.
        I::Dot => 4 * mul + 19 * add,
        // CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": 16 results per cycle instead of
        // 64. On AMD GPUs, the operation also has a select for the operand 0.
        I::LeadingZeros | I::TrailingZeros | I::CountOnes | I::ReverseBits => 4 * add,
        // No target supports powers of integers, so a kernel with such a power is refused.
        I::Power => mul,
        _ => add,
    }
}

// The upper half of a product.
fn high(target: &Target, ty: Number) -> OperationCost {
    integer(target, IntOp::MulHighU, ty, false)
}

fn has_saturating_sums(target: &Target, ty: Number) -> bool {
    let is_own = |element: &&Element| element.class() == Class::Int && element.bits() == ty.bits();
    let element = Element::ALL.iter().find(is_own);
    element.is_some_and(|element| target.has_integer(IntegerFunction::SaturatingSum, *element))
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

/// A fused multiply-add. If the target has no correctly rounded instruction, it computes a fused multiply-add in f64 or
/// with integers.
fn fused(target: &Target, ty: Number) -> OperationCost {
    let is_computed = |element| target.arithmetic(element) == Some(Support::Native);
    // For an emulated type, the description has the accuracy of the wider type in which the target computes. A fused
    // multiply-add of the wider type rounds twice.
    if is_native(target, MathFunction::Fma, ty, Flags::NONE) && is_computed(element_of(ty)) {
        class(target, arithmetic(ty))
    } else if ty != Number::F64 && is_computed(Element::F64) && is_computed(Element::I64) {
        11 * class(target, CostClass::FmaF64) + 22 * class(target, CostClass::AddInt)
    } else {
        words(ty) * (180 * class(target, CostClass::AddInt))
    }
}

fn float(target: &Target, op: FloatOp, ty: Number, flags: Flags) -> OperationCost {
    use FloatOp as F;
    use MathFunction as M;
    let fma = class(target, arithmetic(ty));
    let special = class(target, CostClass::Transcendental).max(fma);
    let native = |function: MathFunction| is_native(target, function, ty, flags);
    match op {
        F::Fma => fused(target, ty),
        F::Sqrt if !native(M::Sqrt) => words(ty) * (207 * class(target, CostClass::AddInt)),
        // The instructions `vdivps` and `vsqrtps` of 256 bits take 5 and 6 cycles on Skylake, in which two multiply-adds
        // begin in each cycle (LLVM's model, `llvm-mca -mcpu=skylake`). LLVM 22 emits a Newton step for the approximations.
        F::Div if target.backend == "cpu" => 10 * fma,
        F::Sqrt if target.backend == "cpu" => 12 * fma,
        F::Div | F::Sqrt if flags.has(Flags::AFN) => special + fma,
        // LLVM 22, `SIISelLowering.cpp`, `LowerFDIV32`: two operations that scale, a reciprocal, six multiply-adds, and two
        // operations that round and select special values. `lowerFSQRTF32`: a root and 16 other operations.
        F::Div => special + 10 * fma,
        F::Sqrt => special + 16 * fma,
        // docs/math.md, `fmod`.
        F::Rem if ty == Number::F64 => 338 * fma,
        F::Rem => 135 * fma,
        // Operand modifiers on GPUs, and bit operations elsewhere.
        F::Neg | F::Abs => fma.half(),
        // docs/math.md.
        F::Floor if !native(M::Floor) => 11 * fma,
        F::Ceil if !native(M::Ceil) => 11 * fma,
        F::Trunc if !native(M::Trunc) => 10 * fma,
        F::RoundEven if !native(M::RoundEven) => 7 * fma,
        F::Round if !native(M::RoundAway) => 14 * fma,
        F::Floor | F::Ceil | F::Trunc | F::Round | F::RoundEven => class(target, CostClass::Convert),
        F::CopySign if !native(M::Copysign) => 6 * class(target, CostClass::AddInt),
        F::Maximum | F::Minimum | F::MaxNum | F::MinNum if !native(M::MinMax) => 10 * fma,
        F::CopySign | F::Clamp => 2 * fma,
        _ => fma,
    }
}

fn convert(target: &Target, conversion: Conversion, from: Number, to: Number) -> OperationCost {
    use Conversion as C;
    match conversion {
        C::Bits => OperationCost::default(),
        C::Truncate | C::SignExtend | C::ZeroExtend | C::IndexSigned | C::IndexUnsigned => {
            class(target, CostClass::AddInt).half()
        }
        _ if from.bits() == 64 || to.bits() == 64 => class(target, CostClass::ConvertWide),
        _ => class(target, CostClass::Convert),
    }
}

/// The operations of a function in the math library, and the number of fused multiply-adds that must round once. Targets
/// without a fused multiply-add compute all others as products and sums. The numbers of operations are the numbers for
/// f32 in `docs/math.md`. `cargo test -p cube-fuzz --test egraph cost` counts the fused operations in the code for a
/// target that has none. `None` for a function that is not expanded.
pub fn expansion(function: Function) -> Option<(u64, u64)> {
    use Function as F;
    Some(match function {
        F::Rsqrt => return None,
        F::Exp => (24, 0),
        F::Exp2 => (22, 0),
        F::ExpM1 => (26, 0),
        F::Log => (34, 3),
        F::Log2 => (31, 3),
        F::Log10 => (36, 5),
        F::Log1P => (48, 3),
        F::Sin => (101, 5),
        F::Cos => (100, 5),
        F::Tan => (100, 5),
        F::Atan => (19, 0),
        F::Asin => (19, 0),
        F::Acos => (24, 0),
        F::Atan2 => (31, 0),
        F::Asinh => (53, 3),
        F::Acosh => (52, 3),
        // Without the residue of a quotient, about 25 operations on integers on chips with an inexact division.
        F::Atanh => (50, 3),
        F::Sinh => (37, 0),
        F::Cosh => (28, 0),
        F::Tanh => (39, 0),
        F::Cbrt => (31, 7),
        F::Erf => (24, 0),
        F::Erfc => (53, 2),
        F::Powf => (118, 15),
    })
}

// A native function costs as much as an operation of the class `Transcendental`. The math library expands the other
// functions.
fn function(target: &Target, op: Function, ty: Number, flags: Flags) -> OperationCost {
    use Function as F;
    use MathFunction as M;
    let fma = class(target, arithmetic(ty));
    let special = class(target, CostClass::Transcendental).max(fma);
    let native = match op {
        F::Rsqrt => Some(M::Rsqrt),
        F::Exp => Some(M::Exp),
        F::Exp2 => Some(M::Exp2),
        F::Log => Some(M::Log),
        F::Log2 => Some(M::Log2),
        F::Sin => Some(M::Sin),
        F::Cos => Some(M::Cos),
        F::Tan => Some(M::Tan),
        F::Tanh => Some(M::Tanh),
        F::Powf => Some(M::Pow),
        _ => None,
    };
    if native.is_some_and(|function| is_native(target, function, ty, flags)) {
        return special;
    }
    let Some((operations, fusions)) = expansion(op) else {
        return float(target, FloatOp::Sqrt, ty, flags) + float(target, FloatOp::Div, ty, flags);
    };
    if is_native(target, M::Fma, ty, Flags::NONE) {
        operations * fma
    } else {
        (operations - fusions) * fma + fusions * fused(target, ty)
    }
}
