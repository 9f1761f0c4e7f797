//! Types, constants and the writer of the IR's text.
mod builder;
mod lit;
mod ty;

pub use builder::{Builder, KernelError, LoopKind, Raw, current, depth, fail, is_dead, run, with};
pub use lit::Lit;
pub use ty::{Elem, MemKind, MemTy, Ty};
