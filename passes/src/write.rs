//! Functions that create operations for passes of several phases.
use cube_dialect::{Bounds, TopologyKind, ops};
use cube_ir::{Attribute, Builder, Val};

/// Emits a `cube.topology`.
pub fn topology<'p>(b: Builder<'p>, kind: TopologyKind) -> Val<'p> {
    b.op(ops::Topology::KIND).attr("value", kind.attr(b.cx())).result(b.cx().int(32)).value()
}

/// The `bounds` attribute of an access that is declared to be in bounds.
pub fn inbounds(b: Builder<'_>) -> Attribute<'_> {
    Bounds::Inbounds.attr(b.cx())
}
