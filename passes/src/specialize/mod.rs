//! Phase `specialize`: from a module with functions and parameters to one concrete kernel.
pub mod drop_functions;
pub mod specialize;
