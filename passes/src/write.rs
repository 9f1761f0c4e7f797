//! Functions that create operations for passes of several phases.
use cube_dialect::{Bounds, TopologyKind, ops};
use cube_ir::ops::arith;
use cube_ir::{Attribute, Builder, Op, Val};

/// Emits a `cube.topology`.
pub fn topology<'p>(b: Builder<'p>, kind: TopologyKind) -> Val<'p> {
    b.op(ops::Topology::KIND).attr("value", kind.attr(b.cx())).result(b.cx().int(32)).value()
}

/// The `bounds` attribute of an access that is declared to be in bounds.
pub fn inbounds(b: Builder<'_>) -> Attribute<'_> {
    Bounds::Inbounds.attr(b.cx())
}

/// The attributes with which an operation of `arith` promises a fact about its operands. If the fact does not hold, the
/// result is poison.
const PROMISES: [&str; 4] = ["overflowFlags", "isExact", "nonNeg", "isDisjoint"];

/// Removes the promises of a copied operation whose operands differ from those of the original.
pub fn remove_promises(op: Op<'_>) {
    PROMISES.into_iter().for_each(|name| remove_promise(op, name));
}

/// Removes the promise with the attribute `name`, if the operation has it.
pub(crate) fn remove_promise(op: Op<'_>, name: &str) {
    // The operations of `arith` that can overflow always have the attribute.
    match op.attr(name) {
        Some(_) if name == "overflowFlags" => {
            op.set_attr(name, arith::IntegerOverflowFlags::NONE.attr(op.cx()));
        }
        Some(_) => _ = op.remove_attr(name),
        None => {}
    }
}
