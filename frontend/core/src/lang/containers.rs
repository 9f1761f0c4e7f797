//! Memory types of the kernel language: arrays, tensors, shared memory, slices and atomics.
mod atomic;
mod index;
mod list_traits;
mod mem;
mod methods;
mod slice;

pub use atomic::{Atomic, AtomicExpand};
pub use index::{Index, IndexAssign, index, index_assign, index_of, lane, set, with_lane};
pub use list_traits::{Lined, List, ListMut, SliceMutOperator, SliceOperator};
#[doc(hidden)]
pub use list_traits::{LinedExpand, ListExpand, ListMutExpand, SliceMutOperatorExpand, SliceOperatorExpand};
pub use mem::{
    Array, Container, Element, Mem, MemRef, SharedMemory, Tensor, array, array_of, filled_with_zeros, shared,
    with_lines,
};
pub use slice::{ReadOnly, ReadWrite, Slice, SliceMut, SliceVisibility, copy_bulk, outlives, slice_of};
