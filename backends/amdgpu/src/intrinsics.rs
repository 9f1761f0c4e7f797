//! Instruction sets, and LLVM intrinsics without an operation in ROCDL.
use cube_ir::ops::llvm;
use cube_ir::{Builder, OpSpec, Type, Val};
use cube_target::Target;

/// The major version of the instruction set: 9 for GCN 5 and CDNA, 10 to 12 for RDNA 1 to 4.
pub(crate) fn generation(target: &Target) -> u32 {
    target.language.unwrap_or_default() / 10
}

/// Calls an LLVM intrinsic that has no operation in ROCDL.
pub(crate) fn call<'p>(b: Builder<'p>, name: &str, operands: &[Val<'p>]) -> OpSpec<'p, 'static> {
    let cx = b.cx();
    let spec = b.op(llvm::CALL_INTRINSIC).attr("intrin", cx.str_attr(name)).operands(operands);
    spec.operand_groups(&[operands.len(), 0]).attr("op_bundle_sizes", cx.i32_array(&[]))
}

/// Calls an LLVM intrinsic and returns its result.
pub(crate) fn intrinsic<'p>(b: Builder<'p>, name: &str, operands: &[Val<'p>], result: Type<'p>) -> Val<'p> {
    call(b, name, operands).result(result).value()
}
