//! The operations of LLVM's atomics.
use cube_dialect::Combine;
use cube_ir::ops::llvm::AtomicBinOp;

/// The combining operation of an `llvm.atomicrmw`; `None` if the dialect has no equal operation.
pub fn combine_of(operation: AtomicBinOp) -> Option<Combine> {
    use AtomicBinOp as B;
    Some(match operation {
        B::Xchg => Combine::Exchange,
        B::Add => Combine::AddI,
        B::Sub => Combine::SubI,
        B::And => Combine::AndI,
        B::Or => Combine::OrI,
        B::Xor => Combine::XOrI,
        B::Max => Combine::MaxSI,
        B::Min => Combine::MinSI,
        B::Umax => Combine::MaxUI,
        B::Umin => Combine::MinUI,
        B::Fadd => Combine::AddF,
        B::Fsub => Combine::SubF,
        B::Fmax => Combine::MaxF,
        B::Fmin => Combine::MinF,
        B::Nand | B::UincWrap | B::UdecWrap | B::UsubCond | B::UsubSat | B::Fmaximum | B::Fminimum => return None,
    })
}
