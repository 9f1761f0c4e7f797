//! Verifiers, one function an operation; each message says what, where, the rule and the way out.
mod control;
mod kernel;
mod lanes;
mod memory;
mod planes;

use crate::ops;
use cube_ir::Op;

type Verdict = Result<(), String>;

pub(crate) fn verify(op: Op<'_>) -> Verdict {
    match op.name() {
        ops::Kernel::NAME => kernel::kernel(ops::Kernel::of(op).expect("name checked")),
        ops::Func::NAME => kernel::function(op),
        ops::Return::NAME => kernel::returns(op),
        ops::Constant::NAME => kernel::constant(op),
        ops::Slice::NAME => memory::slice(op),
        ops::Alloc::NAME => memory::alloc(op),
        ops::Load::NAME | ops::Store::NAME => memory::access(op),
        ops::AtomicLoad::NAME | ops::AtomicStore::NAME | ops::AtomicRmw::NAME | ops::AtomicCas::NAME => {
            memory::atomic(op)
        }
        ops::If::NAME | ops::For::NAME | ops::Loop::NAME | ops::ComptimeIf::NAME | ops::ComptimeFor::NAME => {
            control::structure(op)
        }
        ops::Yield::NAME | ops::Break::NAME | ops::Continue::NAME | ops::Terminate::NAME => control::exit(op),
        ops::PlaneReduce::NAME | ops::PlaneScan::NAME => planes::combine(op),
        ops::Generic::NAME => kernel::generic(op),
        ops::Print::NAME => lanes::print(op),
        ops::Extract::NAME | ops::Insert::NAME => lanes::lane(op),
        ops::Cast::NAME => lanes::cast(op),
        _ => Ok(()),
    }
}
