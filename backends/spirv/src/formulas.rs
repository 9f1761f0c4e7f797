//! The value of an operation in each lane.
use crate::assembly::id;
use crate::state::{Spirv, Value};
use cube_dialect::Combine;
use cube_ir::Op;
use cube_ir::ops::{arith, cube, math};
use cube_ir::upstream::{FloatCmp, IntCmp};
use cube_structured::{Emit, Logic, OfBools, Scalar, WORD, Written, planes};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Capability, Decoration, GlslStd450Op as G, Op as S, PackedVectorFormat, Word};

/// One lane of the result of an operation; `None` for an operation that does not compute each lane
/// separately.
pub fn lane(s: &mut Spirv<'_>, op: Op<'_>, operands: &[Value]) -> Option<Value> {
    let from = Scalar::of(op.operands().next()?.ty())?;
    let to = Scalar::of(op.results().next()?.ty())?;
    let ids: Vec<Word> = operands.iter().map(|operand| s.read(operand)).collect();
    let at = |number: usize| ids.get(number).copied().unwrap_or_default();
    let (a, b, c) = (at(0), at(1), at(2));
    match op.kind() {
        arith::SELECT => return Some(s.emit(S::Select, to, &[a, b, c])),
        arith::BITCAST if from == to => return Some(Value::of(a, to)),
        arith::BITCAST => return Some(s.emit(S::Bitcast, to, &[a])),
        arith::CMPF => return float_compare(s, arith::Cmpf::of(op)?.predicate()?, from, a, b),
        _ => {}
    }
    match from {
        Scalar::Bool => of_bools(s, op, to, a, b),
        Scalar::Int(_) if s.storage_type(from) != from => of_held(s, op, [from, to], a, b),
        Scalar::Int(_) => of_ints(s, op, [from, to], a, b),
        Scalar::Float(_) => of_floats(s, op, [from, to], [a, b, c]),
    }
}

// Integers of a width that the chip has.
fn of_ints(s: &mut Spirv<'_>, op: Op<'_>, [from, to]: [Scalar; 2], a: Word, b: Word) -> Option<Value> {
    let simple = match op.kind() {
        arith::ADDI => S::IAdd,
        arith::SUBI => S::ISub,
        arith::MULI => S::IMul,
        arith::ANDI => S::BitwiseAnd,
        arith::ORI => S::BitwiseOr,
        arith::XORI => S::BitwiseXor,
        arith::SHLI => S::ShiftLeftLogical,
        arith::SHRUI => S::ShiftRightLogical,
        arith::SHRSI => S::ShiftRightArithmetic,
        arith::DIVUI => S::UDiv,
        arith::REMUI => S::UMod,
        arith::DIVSI => S::SDiv,
        _ => S::Nop,
    };
    if simple != S::Nop {
        return Some(s.emit(simple, to, &[a, b]));
    }
    Some(match op.kind() {
        arith::MINUI => chosen(s, S::ULessThan, to, a, b),
        arith::MAXUI => chosen(s, S::UGreaterThan, to, a, b),
        arith::MINSI => chosen(s, S::SLessThan, to, a, b),
        arith::MAXSI => chosen(s, S::SGreaterThan, to, a, b),
        // Vulkan leaves `OpSRem` of negative numbers undefined.
        arith::REMSI => {
            let quotient = s.emit(S::SDiv, to, &[a, b]).id;
            let product = s.emit(S::IMul, to, &[quotient, b]).id;
            s.emit(S::ISub, to, &[a, product])
        }
        arith::CMPI => int_compare(s, arith::Cmpi::of(op)?.predicate()?, a, b),
        arith::TRUNCI | arith::INDEX_CAST | arith::INDEX_CASTUI if to == Scalar::Bool => odd(s, from, a),
        arith::TRUNCI | arith::EXTUI | arith::INDEX_CASTUI => resized(s, S::UConvert, [from, to], a),
        arith::EXTSI | arith::INDEX_CAST => resized(s, S::SConvert, [from, to], a),
        arith::UITOFP => s.emit(S::ConvertUToF, to, &[a]),
        arith::SITOFP => s.emit(S::ConvertSToF, to, &[a]),
        math::ABSI => s.call(G::SAbs, to, &[a]),
        math::CTPOP if from == WORD => s.emit(S::BitCount, to, &[a]),
        cube::REVERSE_BITS if from == WORD => s.emit(S::BitReverse, to, &[a]),
        cube::DOT if from == WORD => {
            s.asm.require_capability(Capability::DotProduct);
            s.asm.require_capability(Capability::DotProductInput4x8BitPacked);
            let (ty, format) = (s.ty(to), Operand::PackedVectorFormat(PackedVectorFormat::PackedVectorFormat4x8Bit));
            Value::of(s.asm.value(S::SDot, ty, vec![id(a), id(b), format]), to)
        }
        // For 0, `FindUMsb` returns -1.
        math::CTLZ if from == WORD => {
            let (highest, top) = (s.call(G::FindUMsb, to, &[a]).id, s.number(to, 31).id);
            s.emit(S::ISub, to, &[top, highest])
        }
        math::CTTZ if from == WORD => {
            let (lowest, zero, all) = (s.call(G::FindILsb, to, &[a]).id, s.number(to, 0).id, s.number(to, 32).id);
            let is_zero = s.emit(S::IEqual, Scalar::Bool, &[a, zero]).id;
            s.emit(S::Select, to, &[is_zero, all, lowest])
        }
        _ => return None,
    })
}

fn resized(s: &mut Spirv<'_>, op: S, [from, to]: [Scalar; 2], a: Word) -> Value {
    let is_same = s.storage_type(from) == s.storage_type(to);
    let result = if is_same { Value::of(a, to) } else { s.emit(op, to, &[a]) };
    // The upper bits of a small integer in a word are zero.
    if s.storage_type(to) == to || is_same && to.bits() >= from.bits() {
        return result;
    }
    let mask = s.number(to, (1 << to.bits()) - 1).id;
    s.emit(S::BitwiseAnd, to, &[result.id, mask])
}

fn odd(s: &mut Spirv<'_>, ty: Scalar, a: Word) -> Value {
    let (one, zero) = (s.number(ty, 1).id, s.number(ty, 0).id);
    let bit = s.emit(S::BitwiseAnd, ty, &[a, one]).id;
    s.emit(S::INotEqual, Scalar::Bool, &[bit, zero])
}

// Unsigned small integers that the chip stores in words: the bytes of bools in memory.
fn of_held(s: &mut Spirv<'_>, op: Op<'_>, [from, to]: [Scalar; 2], a: Word, b: Word) -> Option<Value> {
    use arith::{ANDI, CMPI, EXTUI, INDEX_CASTUI, ORI, TRUNCI, XORI};
    match (op.kind(), arith::Cmpi::of(op).and_then(|compare| compare.predicate())) {
        (_, Some(IntCmp::Slt | IntCmp::Sle | IntCmp::Sgt | IntCmp::Sge)) => {
            let unused_bits = s.number(WORD, (32 - from.bits()).into()).id;
            let [a, b] = [a, b].map(|value| s.emit(S::ShiftLeftLogical, WORD, &[value, unused_bits]).id);
            of_ints(s, op, [from, to], a, b)
        }
        (CMPI | ANDI | ORI | XORI | TRUNCI | EXTUI | INDEX_CASTUI, _) => of_ints(s, op, [from, to], a, b),
        _ => None,
    }
}

fn of_bools(s: &mut Spirv<'_>, op: Op<'_>, to: Scalar, a: Word, b: Word) -> Option<Value> {
    let mut chosen = |one: u64| {
        let (one, zero) = (s.number(to, one).id, s.number(to, 0).id);
        Some(s.emit(S::Select, to, &[a, one, zero]))
    };
    match op.kind() {
        arith::EXTUI | arith::INDEX_CASTUI => return chosen(1),
        arith::EXTSI | arith::INDEX_CAST => return chosen(u64::MAX >> (64 - to.bits())),
        arith::UITOFP => return chosen(to.float_bits(1.0)?),
        arith::SITOFP => return chosen(to.float_bits(-1.0)?),
        _ => {}
    }
    let OfBools { not, logic } = OfBools::of(op)?;
    let negated = |s: &mut Spirv<'_>, not: bool, value: Word| match not {
        true => s.emit(S::LogicalNot, Scalar::Bool, &[value]).id,
        false => value,
    };
    let logic = match logic {
        Logic::Both => S::LogicalAnd,
        Logic::Either => S::LogicalOr,
        Logic::Equal => S::LogicalEqual,
        Logic::Differ => S::LogicalNotEqual,
        Logic::First => return Some(Value::of(a, to)),
        Logic::False => return Some(s.number(Scalar::Bool, 0)),
    };
    let (a, b) = (negated(s, not[0], a), negated(s, not[1], b));
    Some(s.emit(logic, Scalar::Bool, &[a, b]))
}

// A constant 0 as a number that the driver cannot fold. If the zero is a constant, lavapipe computes wrong results for
// `0 - x`, `x + 0`, `x * 0`, `0 / x` and `x / 0`, also under `SignedZeroInfNanPreserve` and `NoContraction`.
fn hidden_zero(s: &mut Spirv<'_>, ty: Scalar, operand: Word) -> Word {
    if !s.asm.is_zero(ty, operand) {
        return operand;
    }
    let (index, top) = (s.input(BuiltIn::LocalInvocationIndex, None), s.asm.word(31));
    let zero = s.emit(S::ShiftRightLogical, WORD, &[index, top]).id;
    let single = s.emit(S::Bitcast, Scalar::Float(32), &[zero]).id;
    if ty == Scalar::Float(32) { single } else { s.emit(S::FConvert, ty, &[single]).id }
}

fn of_floats(s: &mut Spirv<'_>, op: Op<'_>, [_, to]: [Scalar; 2], [a, b, c]: [Word; 3]) -> Option<Value> {
    let rounded = match op.kind() {
        arith::ADDF => S::FAdd,
        arith::SUBF => S::FSub,
        arith::MULF => S::FMul,
        arith::DIVF => S::FDiv,
        _ => S::Nop,
    };
    if rounded != S::Nop {
        let [a, b] = [a, b].map(|operand| hidden_zero(s, to, operand));
        let (rounded, b) = match rounded {
            // lavapipe folds `a - a` to 0, also for infinities.
            S::FSub if a == b => (S::FAdd, s.emit(S::FNegate, to, &[b]).id),
            _ => (rounded, b),
        };
        let value = s.emit(rounded, to, &[a, b]);
        // Without the flag `contract`, a driver must not fuse a product and a sum.
        let flags = arith::FastMathFlags::of(op.attr("fastmath"));
        if !flags.is_some_and(|flags| flags.contains(arith::FastMathFlags::CONTRACT)) {
            s.asm.decorate(value.id, Decoration::NoContraction, vec![]);
        }
        return Some(value);
    }
    let function = match op.kind() {
        math::ABSF => G::FAbs,
        math::CEIL => G::Ceil,
        math::FLOOR => G::Floor,
        math::TRUNC => G::Trunc,
        math::ROUNDEVEN => G::RoundEven,
        math::SQRT => G::Sqrt,
        math::RSQRT => G::InverseSqrt,
        // Only operations that permit an approximation reach this case, because legalisation expands all others.
        math::EXP => G::Exp,
        math::EXP2 => G::Exp2,
        math::LOG => G::Log,
        math::LOG2 => G::Log2,
        math::SIN => G::Sin,
        math::COS => G::Cos,
        math::TAN => G::Tan,
        math::TANH => G::Tanh,
        math::POWF => return Some(s.call(G::Pow, to, &[a, b])),
        math::FMA => return Some(s.call(G::Fma, to, &[a, b, c])),
        _ => return converted(s, op, to, a),
    };
    Some(s.call(function, to, &[a]))
}

fn converted(s: &mut Spirv<'_>, op: Op<'_>, to: Scalar, a: Word) -> Option<Value> {
    Some(match op.kind() {
        arith::NEGF => s.emit(S::FNegate, to, &[a]),
        arith::EXTF | arith::TRUNCF => s.emit(S::FConvert, to, &[a]),
        arith::FPTOUI | arith::FPTOSI if to == Scalar::Bool => {
            let convert = if op.kind() == arith::FPTOUI { S::ConvertFToU } else { S::ConvertFToS };
            let (word, zero) = (s.emit(convert, WORD, &[a]).id, s.number(WORD, 0).id);
            s.emit(S::INotEqual, Scalar::Bool, &[word, zero])
        }
        arith::FPTOUI if s.storage_type(to) == to => s.emit(S::ConvertFToU, to, &[a]),
        arith::FPTOSI if s.storage_type(to) == to => s.emit(S::ConvertFToS, to, &[a]),
        _ => return None,
    })
}

/// A comparison of integers.
pub fn int_compare(s: &mut Spirv<'_>, predicate: IntCmp, a: Word, b: Word) -> Value {
    let op = match predicate {
        IntCmp::Eq => S::IEqual,
        IntCmp::Ne => S::INotEqual,
        IntCmp::Slt => S::SLessThan,
        IntCmp::Sle => S::SLessThanEqual,
        IntCmp::Sgt => S::SGreaterThan,
        IntCmp::Sge => S::SGreaterThanEqual,
        IntCmp::Ult => S::ULessThan,
        IntCmp::Ule => S::ULessThanEqual,
        IntCmp::Ugt => S::UGreaterThan,
        IntCmp::Uge => S::UGreaterThanEqual,
    };
    s.emit(op, Scalar::Bool, &[a, b])
}

// A test for NaN reads the bits: without float controls, a driver can assume that `OpIsNan` is false.
fn float_compare(s: &mut Spirv<'_>, predicate: FloatCmp, ty: Scalar, a: Word, b: Word) -> Option<Value> {
    let ordered = match predicate {
        FloatCmp::False => return Some(s.number(Scalar::Bool, 0)),
        FloatCmp::True => return Some(s.number(Scalar::Bool, 1)),
        FloatCmp::Uno | FloatCmp::Ord => {
            let (x, y) = (is_nan(s, ty, a)?, is_nan(s, ty, b)?);
            let is_nan = s.emit(S::LogicalOr, Scalar::Bool, &[x, y]);
            return Some(match predicate {
                FloatCmp::Uno => is_nan,
                _ => s.emit(S::LogicalNot, Scalar::Bool, &[is_nan.id]),
            });
        }
        FloatCmp::Oeq => S::FOrdEqual,
        FloatCmp::Ogt => S::FOrdGreaterThan,
        FloatCmp::Oge => S::FOrdGreaterThanEqual,
        FloatCmp::Olt => S::FOrdLessThan,
        FloatCmp::Ole => S::FOrdLessThanEqual,
        FloatCmp::One => S::FOrdNotEqual,
        FloatCmp::Ueq => S::FUnordEqual,
        FloatCmp::Ugt => S::FUnordGreaterThan,
        FloatCmp::Uge => S::FUnordGreaterThanEqual,
        FloatCmp::Ult => S::FUnordLessThan,
        FloatCmp::Ule => S::FUnordLessThanEqual,
        FloatCmp::Une => S::FUnordNotEqual,
    };
    Some(s.emit(ordered, Scalar::Bool, &[a, b]))
}

// The bits of a float as an integer of the same width. An f16 is converted to f32 first, which is exact.
fn bits(s: &mut Spirv<'_>, ty: Scalar, a: Word) -> Option<(Scalar, Word)> {
    let (int, value) = match ty {
        Scalar::Float(16) => (WORD, s.emit(S::FConvert, Scalar::Float(32), &[a]).id),
        Scalar::Float(32) => (WORD, a),
        Scalar::Float(64) => (Scalar::Int(64), a),
        _ => return None,
    };
    Some((int, s.emit(S::Bitcast, int, &[value]).id))
}

fn is_nan(s: &mut Spirv<'_>, ty: Scalar, a: Word) -> Option<Word> {
    let (int, bits) = bits(s, ty, a)?;
    let infinity = if int == WORD { 0x7f80_0000 } else { f64::INFINITY.to_bits() };
    let (mask, infinity) = (s.number(int, u64::MAX >> (65 - int.bits())).id, s.number(int, infinity).id);
    let magnitude = s.emit(S::BitwiseAnd, int, &[bits, mask]).id;
    Some(s.emit(S::UGreaterThan, Scalar::Bool, &[magnitude, infinity]).id)
}

// An integer whose order equals that of the floats, with -0 below 0.
fn order_of(s: &mut Spirv<'_>, ty: Scalar, a: Word) -> Option<Word> {
    let (int, bits) = bits(s, ty, a)?;
    let (top, one) = (s.number(int, (int.bits() - 1).into()).id, s.number(int, 1).id);
    let sign = s.emit(S::ShiftRightArithmetic, int, &[bits, top]).id;
    let mask = s.emit(S::ShiftRightLogical, int, &[sign, one]).id;
    Some(s.emit(S::BitwiseXor, int, &[bits, mask]).id)
}

/// Minimum or maximum of two floats. If one operand is NaN, the result is the other operand if `number` is set, and
/// NaN otherwise.
pub fn extreme(s: &mut Spirv<'_>, [least, number]: [bool; 2], a: &Value, b: &Value) -> Option<Value> {
    let ty = a.ty;
    let (a, b) = (s.read(a), s.read(b));
    let (first, second) = (order_of(s, ty, a)?, order_of(s, ty, b)?);
    let compare = if least { S::SLessThan } else { S::SGreaterThan };
    let is_before = s.emit(compare, Scalar::Bool, &[first, second]).id;
    let (nan_a, nan_b) = (is_nan(s, ty, a)?, is_nan(s, ty, b)?);
    let (takes_a, takes_b) = if number { (nan_b, nan_a) } else { (nan_a, nan_b) };
    let keeps_a = s.emit(S::LogicalNot, Scalar::Bool, &[takes_b]).id;
    let is_before = s.emit(S::LogicalAnd, Scalar::Bool, &[keeps_a, is_before]).id;
    let first = s.emit(S::LogicalOr, Scalar::Bool, &[takes_a, is_before]).id;
    Some(s.emit(S::Select, ty, &[first, a, b]))
}

/// The instructions of a combination of integers: for two lanes (for an extreme, the comparison that selects the first
/// lane), for a plane, and for an atomic operation. `Nop` is a missing instruction.
const OF_INTEGERS: &[(Combine, [S; 3])] = &[
    (Combine::AddI, [S::IAdd, S::GroupNonUniformIAdd, S::AtomicIAdd]),
    (Combine::SubI, [S::Nop, S::Nop, S::AtomicISub]),
    (Combine::MulI, [S::IMul, S::GroupNonUniformIMul, S::Nop]),
    (Combine::AndI, [S::BitwiseAnd, S::GroupNonUniformBitwiseAnd, S::AtomicAnd]),
    (Combine::OrI, [S::BitwiseOr, S::GroupNonUniformBitwiseOr, S::AtomicOr]),
    (Combine::XOrI, [S::BitwiseXor, S::GroupNonUniformBitwiseXor, S::AtomicXor]),
    (Combine::MinUI, [S::ULessThan, S::GroupNonUniformUMin, S::AtomicUMin]),
    (Combine::MaxUI, [S::UGreaterThan, S::GroupNonUniformUMax, S::AtomicUMax]),
    (Combine::MinSI, [S::SLessThan, S::GroupNonUniformSMin, S::AtomicSMin]),
    (Combine::MaxSI, [S::SGreaterThan, S::GroupNonUniformSMax, S::AtomicSMax]),
    (Combine::Exchange, [S::Nop, S::Nop, S::AtomicExchange]),
];

/// The instruction in a column of [`OF_INTEGERS`].
pub fn of_integers(kind: Combine, column: usize) -> Option<S> {
    let row = OF_INTEGERS.iter().find(|(own, _)| *own == kind);
    row.map(|(_, instructions)| instructions[column]).filter(|instruction| *instruction != S::Nop)
}

/// Combines two lanes; `None` for a combination that is not defined for the type.
pub fn combined(s: &mut Spirv<'_>, kind: Combine, a: &Value, b: &Value) -> Option<Value> {
    let ty = a.ty;
    let kind = if ty == Scalar::Bool { planes::of_bools(kind)? } else { kind };
    match kind {
        Combine::MinF if ty.is_float() => return extreme(s, [true, true], a, b),
        Combine::MaxF if ty.is_float() => return extreme(s, [false, true], a, b),
        _ => {}
    }
    let (a, b) = (s.read(a), s.read(b));
    let op = match (ty, kind) {
        (Scalar::Bool, Combine::XOrI) => S::LogicalNotEqual,
        (Scalar::Bool, Combine::AndI) => S::LogicalAnd,
        (Scalar::Bool, Combine::OrI) => S::LogicalOr,
        (Scalar::Float(_), Combine::AddF) => S::FAdd,
        (Scalar::Float(_), Combine::MulF) => S::FMul,
        (Scalar::Int(_), _) if s.storage_type(ty) == ty => match of_integers(kind, 0)? {
            compare @ (S::ULessThan | S::UGreaterThan | S::SLessThan | S::SGreaterThan) => {
                return Some(chosen(s, compare, ty, a, b));
            }
            other => other,
        },
        _ => return None,
    };
    let value = s.emit(op, ty, &[a, b]);
    if ty.is_float() {
        s.asm.decorate(value.id, Decoration::NoContraction, vec![]);
    }
    Some(value)
}

fn chosen(s: &mut Spirv<'_>, compare: S, ty: Scalar, a: Word, b: Word) -> Value {
    let first = s.emit(compare, Scalar::Bool, &[a, b]).id;
    s.emit(S::Select, ty, &[first, a, b])
}

impl<'p> Spirv<'p> {
    /// Emits an operation with two results: a product and its upper half, or a sum and its carry.
    ///
    /// # Errors
    /// Refuses a type that the chip lacks.
    pub(crate) fn extended(&mut self, op: Op<'p>) -> Written {
        let ty = self.type_of(op, op.operand(0))?;
        let instruction = match op.kind() {
            arith::MULUI_EXTENDED => S::UMulExtended,
            arith::MULSI_EXTENDED => S::SMulExtended,
            _ => S::IAddCarry,
        };
        let (first, second) = (self.lanes(op, op.operand(0))?, self.lanes(op, op.operand(1))?);
        let (mut low, mut high, is_low_used) = (Vec::new(), Vec::new(), !op.result(0).uses().is_empty());
        for (a, b) in first.iter().zip(&second) {
            let (a, b, of) = (self.read(a), self.read(b), self.ty(ty));
            let pair = self.asm.pair(of);
            let both = self.asm.value(instruction, pair, vec![id(a), id(b)]);
            low.extend(is_low_used.then(|| self.part(both, ty, 0)));
            let second = self.part(both, ty, 1);
            high.push(if instruction == S::IAddCarry { odd(self, ty, second.id) } else { second });
        }
        self.bind(op.result(0), low);
        self.bind(op.result(1), high);
        Ok(())
    }
}
