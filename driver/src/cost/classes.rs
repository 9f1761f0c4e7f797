//! The cost class of each operation's instructions, from which issue times are computed.
use cube_dialect::meaning_of;
use cube_ir::ops::{arith, cube, math};
use cube_ir::{Dialect, Op, Type, TypeExt};
use cube_semantics::{Conversion, FloatOp, IntOp, Meaning};
use cube_target::CostClass;

/// The cost classes of the instructions that one unit executes for an operation, each with its instruction count.
/// Operations that select registers, such as `vector.extract`, take no instruction. An unknown operation counts as one instruction of integers.
pub(super) fn of(op: Op<'_>) -> Vec<(CostClass, u32)> {
    let Some(ty) = op.results().next().map(|result| result.ty()) else { return vec![] };
    let operand = op.operands().next().map_or(ty, |operand| operand.ty());
    let lanes = ty.element_count().min(1 << 16) as u32;
    let words = ty.bits().map_or(1, |bits| bits.div_ceil(32));
    let one = |class| vec![(class, lanes)];
    if op.is(arith::CONSTANT) || op.is(cube::TOPOLOGY) || op.is_of(Dialect::Vector) || op.is_of(Dialect::Memref) {
        return vec![];
    }
    if op.is(arith::SELECT) {
        return vec![(CostClass::AddInt, lanes * words)];
    }
    match meaning_of(op.kind()) {
        Some(Meaning::Int(int)) => integer(int, lanes, words),
        Some(Meaning::IntPair(_)) => vec![(CostClass::MulInt, 2 * lanes * words)],
        Some(Meaning::CompareInts) => vec![(CostClass::AddInt, lanes * operand.bits().map_or(1, |b| b.div_ceil(32)))],
        Some(Meaning::Float(float)) => floats(float, ty, lanes),
        Some(Meaning::CompareFloats) => one(fma(operand)),
        Some(Meaning::Convert(conversion)) => match conversion {
            // A truncation, a zero extension and a bit cast only select registers.
            Conversion::Truncate
            | Conversion::ZeroExtend
            | Conversion::IndexUnsigned
            | Conversion::IndexSigned
            | Conversion::Bits => vec![],
            _ if [ty, operand].iter().any(|ty| ty.bits().is_some_and(|bits| bits > 32)) => one(CostClass::ConvertWide),
            _ => one(CostClass::Convert),
        },
        None if op.is_of(Dialect::Math) => function(op, ty, lanes),
        None if op.is_of(Dialect::Arith) => one(CostClass::AddInt),
        None => vec![],
    }
}

/// The instructions of a plane operation in one unit; 0 for other operations. `steps` is the binary logarithm of the
/// number of lanes.
pub(super) fn plane_instructions(op: Op<'_>, steps: u32) -> u32 {
    match op.kind() {
        cube::PLANE_REDUCE | cube::PLANE_SCAN => 2 * steps,
        cube::PLANE_SHUFFLE | cube::PLANE_BROADCAST | cube::PLANE_VOTE | cube::PLANE_BALLOT | cube::PLANE_ELECT => 1,
        _ => 0,
    }
}

fn fma(ty: Type<'_>) -> CostClass {
    match ty.element().bits() {
        Some(16) => CostClass::FmaF16,
        Some(64) => CostClass::FmaF64,
        _ => CostClass::FmaF32,
    }
}

fn integer(int: IntOp, lanes: u32, words: u32) -> Vec<(CostClass, u32)> {
    match int {
        IntOp::Mul => vec![(CostClass::MulInt, lanes * words * words)],
        IntOp::DivU | IntOp::DivS | IntOp::RemU | IntOp::RemS => vec![(CostClass::DivInt, lanes * words * words)],
        IntOp::LeadingZeros | IntOp::TrailingZeros | IntOp::CountOnes | IntOp::ReverseBits => {
            vec![(CostClass::Convert, lanes * words)]
        }
        _ => vec![(CostClass::AddInt, lanes * words)],
    }
}

fn floats(float: FloatOp, ty: Type<'_>, lanes: u32) -> Vec<(CostClass, u32)> {
    match float {
        // A reciprocal, and about eight multiply-adds that round the quotient.
        FloatOp::Div | FloatOp::Rem => vec![(CostClass::Transcendental, lanes), (fma(ty), 8 * lanes)],
        _ => vec![(fma(ty), lanes)],
    }
}

fn function(op: Op<'_>, ty: Type<'_>, lanes: u32) -> Vec<(CostClass, u32)> {
    match op.kind() {
        math::FMA => vec![(fma(ty), lanes)],
        math::ABSF | math::COPYSIGN => vec![(CostClass::AddInt, lanes)],
        math::CEIL | math::FLOOR | math::TRUNC | math::ROUND | math::ROUNDEVEN => vec![(CostClass::Convert, lanes)],
        // A reciprocal root, and about six multiply-adds that round the result.
        math::SQRT => vec![(CostClass::Transcendental, lanes), (fma(ty), 6 * lanes)],
        // At level legal, the other functions are those for which the chip has an instruction.
        _ => vec![(CostClass::Transcendental, lanes)],
    }
}
