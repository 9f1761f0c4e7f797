//! Traits for functions over all kinds of memory.
use super::mem::{Array, Container, Mem, SharedMemory, Tensor};
use super::slice::{ReadOnly, ReadWrite, Slice, SliceVisibility, slice_of};
use crate::__private::unexpanded;
use crate::lang::value::{CubePrimitive, CubeType, Val};

/// Memory that has a line size.
pub trait Lined: CubeType<ExpandType: LinedExpand> {
    /// Number of elements in a line.
    fn line_size(&self) -> u32 {
        unexpanded()
    }
}

/// [`Lined`], staged.
#[doc(hidden)]
pub trait LinedExpand {
    fn line_size(&self) -> u32;
    fn __expand_line_size_method(&self) -> u32 {
        self.line_size()
    }
}

/// Memory that can return read-only slices.
pub trait SliceOperator<T: CubePrimitive>: CubeType<ExpandType: SliceOperatorExpand<T>> {
    /// The lines `start..end`.
    fn slice(&self, start: u32, end: u32) -> Slice<T, ReadOnly> {
        let _ = (start, end);
        unexpanded()
    }
    /// All lines as a slice.
    fn to_slice(&self) -> Slice<T, ReadOnly> {
        unexpanded()
    }
}

/// [`SliceOperator`], staged.
#[doc(hidden)]
pub trait SliceOperatorExpand<T: CubePrimitive> {
    fn __expand_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<T, ReadOnly>>;
    fn __expand_to_slice_method(&self) -> Mem<Slice<T, ReadOnly>>;
}

/// Memory that can return mutable slices.
pub trait SliceMutOperator<T: CubePrimitive>: CubeType<ExpandType: SliceMutOperatorExpand<T>> {
    /// The lines `start..end`, as a mutable slice.
    fn slice_mut(&mut self, start: u32, end: u32) -> Slice<T, ReadWrite> {
        let _ = (start, end);
        unexpanded()
    }
    /// All lines as a mutable slice.
    fn to_slice_mut(&mut self) -> Slice<T, ReadWrite> {
        unexpanded()
    }
}

/// [`SliceMutOperator`], staged.
#[doc(hidden)]
pub trait SliceMutOperatorExpand<T: CubePrimitive> {
    fn __expand_slice_mut_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<T, ReadWrite>>;
    fn __expand_to_slice_mut_method(&self) -> Mem<Slice<T, ReadWrite>>;
}

impl<T: CubePrimitive, C: Container<Item = T>> SliceOperatorExpand<T> for Mem<C> {
    fn __expand_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<T, ReadOnly>> {
        slice_of(self.mem, start, end)
    }
    fn __expand_to_slice_method(&self) -> Mem<Slice<T, ReadOnly>> {
        self.whole()
    }
}

impl<T: CubePrimitive, C: Container<Item = T>> SliceMutOperatorExpand<T> for Mem<C> {
    fn __expand_slice_mut_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<T, ReadWrite>> {
        slice_of(self.mem, start, end)
    }
    fn __expand_to_slice_mut_method(&self) -> Mem<Slice<T, ReadWrite>> {
        self.whole()
    }
}

/// Readable memory.
pub trait List<T: CubePrimitive>: SliceOperator<T> + Lined + CubeType<ExpandType: ListExpand<T>> {
    /// The element at an index.
    fn read(&self, index: u32) -> T {
        let _ = index;
        unexpanded()
    }
    /// The element at an index without a bounds check.
    fn read_unchecked(&self, index: u32) -> T {
        let _ = index;
        unexpanded()
    }
    /// Length in lines.
    fn len(&self) -> u32 {
        unexpanded()
    }
    /// Whether the length is 0.
    fn is_empty(&self) -> bool {
        unexpanded()
    }
}

/// [`List`], staged.
#[doc(hidden)]
pub trait ListExpand<T: CubePrimitive> {
    fn __expand_read_method(&self, index: Val<u32>) -> Val<T>;
    fn __expand_read_unchecked_method(&self, index: Val<u32>) -> Val<T>;
    fn __expand_len_method(&self) -> Val<u32>;
}

/// Writable memory.
pub trait ListMut<T: CubePrimitive>: List<T> + SliceMutOperator<T> + CubeType<ExpandType: ListMutExpand<T>> {
    /// Writes the element at an index.
    fn write(&self, index: u32, value: T) {
        let _ = (index, value);
        unexpanded()
    }
}

/// [`ListMut`], staged.
#[doc(hidden)]
pub trait ListMutExpand<T: CubePrimitive> {
    fn __expand_write_method(&self, index: Val<u32>, value: Val<T>);
}

impl<C: Container> LinedExpand for Mem<C> {
    fn line_size(&self) -> u32 {
        self.mem.line()
    }
}

impl<T: CubePrimitive, C: Container<Item = T>> ListExpand<T> for Mem<C> {
    fn __expand_read_method(&self, index: Val<u32>) -> Val<T> {
        Val::new(self.mem.load(index.raw, false))
    }
    fn __expand_read_unchecked_method(&self, index: Val<u32>) -> Val<T> {
        Val::new(self.mem.load(index.raw, true))
    }
    fn __expand_len_method(&self) -> Val<u32> {
        self.length()
    }
}

impl<T: CubePrimitive, C: Container<Item = T>> ListMutExpand<T> for Mem<C> {
    fn __expand_write_method(&self, index: Val<u32>, value: Val<T>) {
        self.mem.save(index.raw, value.raw, false);
    }
}

macro_rules! lists {
    ($($name:ident),*) => {$(
        impl<T: CubePrimitive> Lined for $name<T> {}
        impl<T: CubePrimitive> SliceOperator<T> for $name<T> {}
        impl<T: CubePrimitive> SliceMutOperator<T> for $name<T> {}
        impl<T: CubePrimitive> List<T> for $name<T> {}
        impl<T: CubePrimitive> ListMut<T> for $name<T> {}
    )*};
}

lists!(Array, Tensor, SharedMemory);

impl<T: CubePrimitive, IO: SliceVisibility> Lined for Slice<T, IO> {}
impl<T: CubePrimitive, IO: SliceVisibility> List<T> for Slice<T, IO> {}
impl<T: CubePrimitive> ListMut<T> for Slice<T, ReadWrite> {}
impl<T: CubePrimitive, IO: SliceVisibility> SliceOperator<T> for Slice<T, IO> {}
impl<T: CubePrimitive> SliceMutOperator<T> for Slice<T, ReadWrite> {}

macro_rules! by_reference {
    ($($reference:ty),*) => {$(
        impl<L: Lined> Lined for $reference {}
        impl<T: CubePrimitive, L: SliceOperator<T>> SliceOperator<T> for $reference {}
        impl<T: CubePrimitive, L: List<T>> List<T> for $reference {}
    )*};
}

by_reference!(&L, &mut L);
// `&L` does not implement this trait, because a shared reference does not give mutable slices.
impl<T: CubePrimitive, L: SliceMutOperator<T>> SliceMutOperator<T> for &mut L {}
impl<T: CubePrimitive, L: ListMut<T>> ListMut<T> for &mut L {}
