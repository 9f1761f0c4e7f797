//! Phase `layout`: views of buffers become index arithmetic and plain accesses.
pub mod fold_layouts;
mod lanes;
pub mod layout_widen;
mod offsets;
mod proof;
pub mod prove_layouts;
pub mod resolve_layouts;
pub mod resolve_slices;
