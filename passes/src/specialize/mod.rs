//! Phase `specialize`: from a module with functions and parameters to one concrete kernel.
pub mod drop_functions;
// The phase is called after its chief pass, and a file after its pass.
#[allow(clippy::module_inception)]
pub mod specialize;
