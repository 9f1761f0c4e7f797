//! Functions that create operations for passes of several phases.
use cube_dialect::{TopologyKind, ops};
use cube_ir::{Attribute, Builder, Val};

/// Emits a `cube.topology`.
pub fn topology<'p>(b: Builder<'p>, kind: TopologyKind) -> Val<'p> {
    let value = b.cx().parse_attr(&format!("#cube<topology {}>", kind.word())).expect("the dialect is loaded");
    b.op(ops::Topology::NAME).attr("value", value).result(b.cx().int(32)).value()
}

/// The `bounds` attribute of an access that is promised to be inside its buffer.
pub fn inbounds(b: Builder<'_>) -> Attribute<'_> {
    b.cx().parse_attr("#cube<bounds inbounds>").expect("the dialect is loaded")
}
