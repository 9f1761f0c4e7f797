//! Saturating sums, which legalisation keeps on chips that have them, become intrinsics of LLVM.
//!
//! ```mlir
//! cube.addsi_sat %x, %y : i16   ->   llvm.intr.sadd.sat(%x, %y)
//! ```
//! The lowerings of kernels to functions call this step.
use cube_ir::ops::{cube, llvm};
use cube_ir::{Op, OpKind, Run};

const INTRINSICS: [(OpKind, OpKind); 4] = [
    (cube::ADDUI_SAT, llvm::INTR_UADD_SAT),
    (cube::ADDSI_SAT, llvm::INTR_SADD_SAT),
    (cube::SUBUI_SAT, llvm::INTR_USUB_SAT),
    (cube::SUBSI_SAT, llvm::INTR_SSUB_SAT),
];

/// The intrinsic that computes a saturating sum; `None` for other operations.
pub fn intrinsic(kind: OpKind) -> Option<OpKind> {
    INTRINSICS.iter().find(|(own, _)| *own == kind).map(|(_, intrinsic)| *intrinsic)
}

/// Replaces the saturating sums inside `root`.
pub fn lower<'p>(run: &mut Run<'p>, root: Op<'p>) {
    for op in root.walk() {
        let Some(intrinsic) = intrinsic(op.kind()) else { continue };
        let operands = [op.operand(0), op.operand(1)];
        let value = run.before(op).op(intrinsic).operands(&operands).result(op.result(0).ty()).value();
        run.replace(op, &[value]);
    }
}
