//! Types, constants and the writer of the IR's text.
mod builder;
mod hints;
mod lit;
mod names;
mod storage;
mod ty;

pub use builder::{Builder, KernelError, LoopKind, Raw, current, depth, enter, fail, is_dead, outside, run, with};
pub use hints::{Hints, Key};
pub use lit::Lit;
pub use storage::{ElemType, FloatKind, IntKind, StorageType, UIntKind};
pub use ty::{Elem, MemKind, MemTy, Ty};
