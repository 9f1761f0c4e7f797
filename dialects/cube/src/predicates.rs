//! Converts the predicates of comparisons between MLIR attributes and the enumerations of `cube_semantics`.
use cube_ir::Op;
use cube_ir::ops::{arith, llvm};
use cube_semantics::{FloatPredicate, IntPredicate};

/// Maps the cases of one enumeration to the equally named cases of another. A missing counterpart is a compile-time
/// error.
macro_rules! same_case {
    ($value:expr, $from:path => $to:ident: $($case:ident)*) => {{
        use $from as From;
        match $value { $(From::$case => $to::$case),* }
    }};
}

/// The predicate of an `arith.cmpi` or `llvm.icmp`; `None` for other operations, and for an invalid attribute.
pub fn int_predicate(op: Op<'_>) -> Option<IntPredicate> {
    if let Some(compare) = llvm::Icmp::of(op) {
        return Some(same_case!(compare.predicate()?, llvm::ICmpPredicate => IntPredicate:
            Eq Ne Slt Sle Sgt Sge Ult Ule Ugt Uge));
    }
    Some(same_case!(arith::Cmpi::of(op)?.predicate()?, arith::CmpIPredicate => IntPredicate:
        Eq Ne Slt Sle Sgt Sge Ult Ule Ugt Uge))
}

/// The predicate of an `arith.cmpf` or `llvm.fcmp`; `None` for other operations, and for an invalid attribute.
pub fn float_predicate(op: Op<'_>) -> Option<FloatPredicate> {
    if let Some(compare) = llvm::Fcmp::of(op) {
        return Some(same_case!(compare.predicate()?, llvm::FCmpPredicate => FloatPredicate:
            False Oeq Ogt Oge Olt Ole One Ord Ueq Ugt Uge Ult Ule Une Uno True));
    }
    Some(same_case!(arith::Cmpf::of(op)?.predicate()?, arith::CmpFPredicate => FloatPredicate:
        False Oeq Ogt Oge Olt Ole One Ord Ueq Ugt Uge Ult Ule Une Uno True))
}

/// The predicate of `arith.cmpi` that has the meaning of this predicate.
pub fn arith_int_predicate(predicate: IntPredicate) -> arith::CmpIPredicate {
    use arith::CmpIPredicate as Own;
    same_case!(predicate, IntPredicate => Own: Eq Ne Slt Sle Sgt Sge Ult Ule Ugt Uge)
}

/// The predicate of `arith.cmpf` that has the meaning of this predicate.
pub fn arith_float_predicate(predicate: FloatPredicate) -> arith::CmpFPredicate {
    use arith::CmpFPredicate as Own;
    same_case!(predicate, FloatPredicate => Own: False Oeq Ogt Oge Olt Ole One Ord Ueq Ugt Uge Ult Ule Une Uno True)
}
