//! Phase `layout`: views of buffers become index arithmetic and plain accesses.
pub mod fold_layouts;
mod lanes;
pub mod layout_widen;
mod offsets;
mod proof;
pub mod prove_layouts;
pub mod resolve_layouts;
pub mod resolve_slices;

use cube_ir::Dialect;
use cube_ir::Op;

/// The operations of the layout dialect inside `root`, in the order of the text.
fn operations(root: Op<'_>) -> Vec<Op<'_>> {
    root.walk().into_iter().filter(|op| op.is_of(Dialect::Layout)).collect()
}
