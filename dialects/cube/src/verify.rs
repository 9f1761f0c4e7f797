//! Verifiers. Each message contains the operation, the location, the rule and the fix. The `.td` files name the
//! verifier function of each operation.
mod control;
mod kernel;
mod lanes;
mod limits;
mod memory;
mod planes;

use crate::ops;
use cube_ir::{Message, Op};

type Verdict = Result<(), Message>;

pub(crate) fn verify(op: Op<'_>) -> Verdict {
    ops::verify_by_rule!(op)
}

fn whole_kernel(op: Op<'_>) -> Verdict {
    ops::Kernel::of(op).map_or(Ok(()), kernel::kernel)
}
