//! Memory: arrays, tensors, shared memory, slices, atomics.
mod atomic;
mod index;
mod mem;
mod methods;
mod slice;

pub use atomic::{Atomic, AtomicPlace};
pub use index::{Index, IndexAssign, index, index_assign, index_of, lane, with_lane};
pub use mem::{Array, Container, Element, Mem, MemRef, SharedMemory, Tensor, array, array_of};
pub use methods::{Lined, LinedExpand, List, ListExpand, ListMut, ListMutExpand};
pub use slice::{ReadOnly, ReadWrite, Slice, SliceMut, SliceVisibility};
