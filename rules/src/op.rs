//! The operations in terms: total operations of `cube_semantics`, the select between two values, and math
//! functions.
use crate::Function;
use cube_semantics::{Conversion, FloatOp, FloatPredicate, IntFunctions, IntOp, IntPredicate, Number};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

/// An operation of a term.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// An operation on integers of one width that is defined for all operands.
    Int(IntOp),
    /// An operation on floats of one format.
    Float(FloatOp),
    /// A comparison of integers; the result is `i1`.
    CompareInts(IntPredicate),
    /// A comparison of floats; the result is `i1`.
    CompareFloats(FloatPredicate),
    /// A conversion between two types.
    Convert(Conversion),
    /// A select: the second operand if the first operand (an `i1`) is 1, otherwise the third operand.
    Select,
    /// A function of floats.
    Function(Function),
    /// A vector whose elements are all equal to the operand, a scalar.
    Splat,
    /// A fast-math view: its operand, as a value with the fast-math flags of the view's node. The view costs nothing
    /// and emits no instruction.
    View,
}

impl Op {
    /// Whether the operation is an integer operation or comparison of two operands of this type.
    #[cfg(test)]
    pub(crate) fn is_of_two_integers(self, ty: Number) -> bool {
        let has_width = !matches!(self, Op::Int(int) if !int.widths().contains(&ty.bits()));
        matches!(self, Op::Int(_) | Op::CompareInts(_)) && self.operands() == 2 && has_width
    }

    // A number for each operation, which defines order and equality.
    fn key(self) -> (u8, u8) {
        match self {
            Op::Int(op) => (0, op as u8),
            Op::Float(op) => (1, op as u8),
            Op::CompareInts(predicate) => (2, predicate as u8),
            Op::CompareFloats(predicate) => (3, predicate as u8),
            Op::Convert(conversion) => (4, Conversion::ALL.iter().position(|c| *c == conversion).unwrap_or(255) as u8),
            Op::Select => (5, 0),
            Op::Function(function) => (6, function as u8),
            Op::View => (7, 0),
            Op::Splat => (8, 0),
        }
    }

    /// The number of operands.
    pub fn operands(self) -> usize {
        match self {
            Op::Int(op) => op.operands(),
            Op::Float(op) => match op.functions() {
                cube_semantics::FloatFunctions::One(_) => 1,
                cube_semantics::FloatFunctions::Two(_) => 2,
                cube_semantics::FloatFunctions::Three(_) => 3,
            },
            Op::CompareInts(_) | Op::CompareFloats(_) => 2,
            Op::Convert(_) | Op::View | Op::Splat => 1,
            Op::Select => 3,
            Op::Function(function) => function.operands(),
        }
    }

    /// The number of lanes of the operands of an operation whose result has `lanes` lanes; 0 for scalars.
    pub fn operand_lanes(self, lanes: u32) -> u32 {
        if self == Op::Splat { 0 } else { lanes }
    }

    /// Whether the operation is commutative in the first two operands.
    pub fn is_commutative(self) -> bool {
        use FloatOp as F;
        use IntOp as I;
        match self {
            Op::Int(op) => matches!(
                op,
                I::Add
                    | I::Mul
                    | I::And
                    | I::Or
                    | I::Xor
                    | I::MinU
                    | I::MaxU
                    | I::MinS
                    | I::MaxS
                    | I::AddSatU
                    | I::AddSatS
                    | I::Carry
                    | I::MulHighU
                    | I::MulHighS
            ),
            Op::Float(op) => {
                matches!(op, F::Add | F::Mul | F::Fma | F::Maximum | F::Minimum | F::MaxNum | F::MinNum)
            }
            Op::CompareInts(predicate) => predicate.swapped() == predicate,
            Op::CompareFloats(predicate) => {
                use FloatPredicate as P;
                matches!(predicate, P::Oeq | P::One | P::Ueq | P::Une | P::Ord | P::Uno)
            }
            Op::Convert(_) | Op::Select | Op::Function(_) | Op::View | Op::Splat => false,
        }
    }

    /// Whether the operation has fast-math flags in MLIR. In terms, float comparisons and classifications such as
    /// `isnan` have no flags, because they are exact.
    pub fn has_fast_math_flags(self) -> bool {
        match self {
            Op::Float(op) => !matches!(op, FloatOp::IsFinite | FloatOp::IsInf | FloatOp::IsNan | FloatOp::IsNormal),
            Op::Function(_) => true,
            _ => false,
        }
    }

    /// The operation with the same result if the first two operands are swapped; `None` if no operation has this result.
    pub fn swapped(self) -> Option<Op> {
        match self {
            Op::CompareInts(predicate) => Some(Op::CompareInts(predicate.swapped())),
            Op::CompareFloats(predicate) => {
                use FloatPredicate as P;
                Some(Op::CompareFloats(match predicate {
                    P::Ogt => P::Olt,
                    P::Oge => P::Ole,
                    P::Olt => P::Ogt,
                    P::Ole => P::Oge,
                    P::Ugt => P::Ult,
                    P::Uge => P::Ule,
                    P::Ult => P::Ugt,
                    P::Ule => P::Uge,
                    other => other,
                }))
            }
            _ => self.is_commutative().then_some(self),
        }
    }

    /// The type of the result for operands of type `from`; for a select, `from` is the type of the second
    /// operand. Comparisons, classifications such as `isnan`, and carries have the result type `i1`. `None`
    /// for a conversion, whose node states the result type.
    pub fn result(self, from: Number) -> Option<Number> {
        match self {
            Op::Int(IntOp::Carry) | Op::CompareInts(_) | Op::CompareFloats(_) => Some(Number::Int(1)),
            Op::Float(FloatOp::IsFinite | FloatOp::IsInf | FloatOp::IsNan | FloatOp::IsNormal) => Some(Number::Int(1)),
            Op::Convert(_) => None,
            _ => Some(from),
        }
    }

    /// The result for constant operands; `None` if the operation does not support the type. `from` is the type of the
    /// operands, `to` the type of the result.
    pub fn value(self, from: Number, to: Number, args: &[u64]) -> Option<u64> {
        match (self, args) {
            (Op::Int(op), _) => match from {
                Number::Int(bits) => op.evaluate(bits, args).value(),
                Number::Float(_) => None,
            },
            (Op::Float(op), _) => op.evaluate(from, args).value(),
            (Op::CompareInts(predicate), [a, b]) => Some(predicate.function()(*a, *b, from.bits())),
            (Op::CompareFloats(predicate), [a, b]) => predicate.evaluate(from, *a, *b).value(),
            (Op::Convert(conversion), [a]) => conversion.evaluate(from, to, *a).value(),
            (Op::Select, [c, a, b]) => Some(if *c == 1 { *a } else { *b }),
            (Op::View | Op::Splat, [a]) => Some(*a),
            (Op::Function(function), [a, ..]) => {
                let y = args.get(1).map_or(0.0, |y| from.to_double(*y));
                Some(cube_semantics::convert::of_double(function.value(from.to_double(*a), y), to))
            }
            _ => None,
        }
    }

    /// Finds an operation by its name in rules, which is the name of an MLIR operation without its dialect.
    /// `cmpi.ult` names a comparison with its predicate. The names of divisions and shifts mean the total
    /// operations of `cube`; `mulhui`, `mulhsi` and `carry` name second results of `arith` operations.
    pub fn named(name: &str) -> Option<Op> {
        static TABLE: LazyLock<HashMap<String, Op>> = LazyLock::new(|| Op::all().map(|op| (op.name(), op)).collect());
        TABLE.get(name).copied()
    }

    /// The operations that rules can name.
    pub fn all() -> impl Iterator<Item = Op> {
        let total = |op: &&IntOp| !matches!(op.functions(), IntFunctions::Two(_, [_, ..]));
        let ints = IntOp::ALL.iter().filter(total).map(|op| Op::Int(*op));
        let floats = FloatOp::ALL.iter().map(|op| Op::Float(*op));
        let predicates = IntPredicate::ALL.map(Op::CompareInts).into_iter();
        let predicates = predicates.chain(FloatPredicate::ALL.map(Op::CompareFloats));
        let converts = Conversion::ALL.into_iter().filter(|c| {
            use Conversion as C;
            !matches!(c, C::IndexSigned | C::IndexUnsigned | C::ToSigned | C::ToUnsigned | C::Cast(_))
        });
        let functions = Function::ALL.iter().map(|function| Op::Function(*function));
        ints.chain(floats)
            .chain(predicates)
            .chain(converts.map(Op::Convert))
            .chain([Op::Select, Op::Splat])
            .chain(functions)
    }

    /// The name of the operation in rules.
    pub fn name(self) -> String {
        let last = |names: &[&str], other: &str| {
            names.first().map_or(other, |name| name.split_once('.').map_or(*name, |(_, last)| last)).to_owned()
        };
        match self {
            Op::Int(IntOp::Carry) => "carry".into(),
            Op::Int(IntOp::MulHighU) => "mulhui".into(),
            Op::Int(IntOp::MulHighS) => "mulhsi".into(),
            Op::Int(op) => last(op.names(), "?"),
            Op::Float(op) => last(op.names(), "?"),
            Op::CompareInts(predicate) => format!("cmpi.{}", format!("{predicate:?}").to_lowercase()),
            Op::CompareFloats(predicate) => format!("cmpf.{}", format!("{predicate:?}").to_lowercase()),
            Op::Convert(Conversion::Float) => "castf".into(),
            Op::Convert(conversion) => last(conversion.names(), "?"),
            Op::Select => "select".into(),
            Op::Function(function) => function.name().into(),
            Op::View => "view".into(),
            Op::Splat => "splat".into(),
        }
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Op {}

impl PartialOrd for Op {
    fn partial_cmp(&self, other: &Op) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Op {
    fn cmp(&self, other: &Op) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Op {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_operations_have_the_same_results() {
        for op in Op::all().filter(|op| op.operands() == 2) {
            let float = matches!(op, Op::Float(_) | Op::CompareFloats(_) | Op::Function(_));
            let ty = if float { Number::F16 } else { Number::Int(4) };
            let Some(swapped) = op.swapped() else { continue };
            let to = op.result(ty).unwrap_or(ty);
            let floats = [0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x4200];
            let values: Vec<u64> = if float { floats.to_vec() } else { (0..16).collect() };
            for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
                let is_nan = |bits: Option<u64>| bits.filter(|bits| to.is_float() && to.to_double(*bits).is_nan());
                let (left, right) = (op.value(ty, to, &[a, b]), swapped.value(ty, to, &[b, a]));
                assert!(left == right || is_nan(left).is_some() && is_nan(right).is_some(), "{op:?} of {a} and {b}");
            }
        }
    }
}
