//! The meanings of operations by kind.
//!
//! The crate `cube_semantics` does not depend on MLIR, so its table has the names of operations. This module looks up
//! each name once.
use cube_ir::OpKind;
use cube_semantics::{Meaning, meanings};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The meaning of an operation. `None` for operations that are not scalar or have effects, and for functions of `math`
/// beyond arithmetic.
pub fn meaning_of(kind: OpKind) -> Option<Meaning> {
    static MEANINGS: LazyLock<HashMap<OpKind, Meaning>> =
        LazyLock::new(|| meanings().map(|(name, meaning)| (OpKind::from_name(name), meaning)).collect());
    MEANINGS.get(&kind).copied()
}

/// The operation with the meaning `meaning`; `None` if no operation has this meaning. If several operations have
/// this meaning, the result is the first of these operations in the table.
pub fn operation_with(meaning: Meaning) -> Option<OpKind> {
    static KINDS: LazyLock<HashMap<Meaning, OpKind>> = LazyLock::new(|| {
        let mut kinds = HashMap::new();
        for (name, meaning) in meanings() {
            kinds.entry(meaning).or_insert_with(|| OpKind::from_name(name));
        }
        kinds
    });
    KINDS.get(&meaning).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_ir::ops::{arith, cube, llvm, math};
    use cube_semantics::{IntOp, meaning};

    #[test]
    fn each_meaning_belongs_to_an_operation_in_use() {
        for (name, expected) in meanings() {
            let kind = OpKind::from_name(name);
            assert_ne!(kind, OpKind::Unknown, "'{name}' has a meaning in cube-semantics and no .td declares it");
            assert_eq!(meaning_of(kind), Some(expected), "{name}");
        }
        for kind in OpKind::all().chain([OpKind::Unknown]) {
            assert_eq!(meaning_of(kind), meaning(kind.name()), "{kind}");
        }
    }

    #[test]
    fn the_first_operation_represents_a_meaning() {
        assert_eq!(operation_with(Meaning::Int(IntOp::Add)), Some(arith::ADDI));
        assert_eq!(operation_with(Meaning::Int(IntOp::TotalDivU)), Some(cube::DIVUI));
        assert_eq!(operation_with(Meaning::CompareInts), Some(arith::CMPI));
        assert_eq!(operation_with(Meaning::IntPair([IntOp::Add, IntOp::MulHighU])), None);
        assert_eq!(meaning_of(llvm::ADD), meaning_of(arith::ADDI));
        assert_eq!(meaning_of(math::EXP), None);
    }
}
