//! Fast-math flags whose meaning in LLVM is wider than in this compiler.
use cube_ir::Op;
use cube_ir::ops::arith::{self, FastMathFlags as F};

/// Removes `arcp` from the divisions without `afn`. The pass `egraph` already replaced divisions by products with exact
/// reciprocals. Under `arcp`, LLVM would also use the approximate instructions of x86 and AMD for reciprocals and
/// reciprocal square roots, such as `vrcpps`, `vrsqrtps`, `v_rcp_f32` and `v_rsq_f32`, which only `afn` permits.
pub fn forbid_estimates(root: Op<'_>) {
    for op in root.walk().into_iter().filter(|op| op.is(arith::DIVF)) {
        let Some(flags) = F::of(op.attr("fastmath")) else { continue };
        if flags.contains(F::ARCP) && !flags.contains(F::AFN) {
            let others = [F::REASSOC, F::NNAN, F::NINF, F::NSZ, F::CONTRACT];
            let kept = others.into_iter().filter(|flag| flags.contains(*flag)).fold(F::NONE, F::with);
            op.set_attr("fastmath", kept.attr(op.cx()));
        }
    }
}
