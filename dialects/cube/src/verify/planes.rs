//! Rules of plane operations.
use super::{Verdict, memory};
use crate::Combine;
use cube_ir::{Op, TypeExt};

pub(super) fn combine(op: Op<'_>) -> Verdict {
    let element = op.operand(0).ty().element();
    if memory::is_storage(element) {
        return Err(cube_ir::diagnostic!(CUBE0141.stored { element }));
    }
    memory::combines(op, element, &[Combine::Exchange, Combine::SubI, Combine::SubF])
}
