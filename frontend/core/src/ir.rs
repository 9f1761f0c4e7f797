//! Types and constants of the IR, and the builder that writes the IR as text.
mod builder;
mod hints;
mod lit;
mod names;
mod storage;
mod ty;

pub use builder::{
    Builder, KernelError, LoopKind, Raw, at, current, depth, enter, fail, is_dead, outside, position, run, with,
};
pub use hints::{Hints, VariableKey};
pub use lit::Lit;
pub use storage::{ElemType, FloatKind, IntKind, StorageType, Type, UIntKind};
pub use ty::{Elem, MemKind, MemTy, Ty};
