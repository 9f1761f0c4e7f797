//! Methods of memory types.
use super::index::zero;
use super::mem::{Array, Container, Element, Mem, SharedMemory, Tensor};
use super::slice::{ReadOnly, ReadWrite, Slice, SliceVisibility, slice_of};
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, MemKind, Raw, Ty};
use crate::lang::flow::{Counted, Iterate};
use crate::lang::line::Line;
use crate::lang::value::{CubePrimitive, CubeType, Val};

impl<C: Container> Mem<C> {
    pub(super) fn length(&self) -> Val<u32> {
        match self.mem.ty.kind {
            MemKind::Local(n) | MemKind::Shared(n) => Val::lit(n / self.mem.ratio),
            _ => self.mem.lines(self.mem.query("len", &[])),
        }
    }

    pub(super) fn whole<IO: SliceVisibility>(&self) -> Mem<Slice<C::Item, IO>> {
        if self.mem.ty.kind == MemKind::Slice {
            Mem::new(self.mem)
        } else {
            slice_of(self.mem, Val::lit(0), self.length())
        }
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<C: Container> Mem<C> {
    /// Returns the line size to host code, for `comptime!(memory.line_size())`.
    pub fn line_size(&self) -> u32 {
        self.mem.line()
    }
    pub fn __expand_len_method(&self) -> Val<u32> {
        self.length()
    }
    pub fn __expand_is_empty_method(&self) -> Val<bool> {
        let position = crate::ir::position();
        crate::lang::ops::eq(self.length(), Val::lit(0), position)
    }
    pub fn __expand_buffer_len_method(&self) -> Val<u32> {
        match self.mem.ty.kind {
            MemKind::Local(n) | MemKind::Shared(n) => Val::lit(n / self.mem.ratio),
            _ => self.mem.lines(self.mem.query("buffer_len", &[])),
        }
    }
    pub fn __expand_rank_method(&self) -> Val<u32> {
        self.mem.query("rank", &[])
    }
    pub fn __expand_shape_method(&self, dim: Val<u32>) -> Val<u32> {
        self.mem.query("shape", &[dim.raw])
    }
    pub fn __expand_stride_method(&self, dim: Val<u32>) -> Val<u32> {
        self.mem.query("stride", &[dim.raw])
    }
    pub fn __expand_coordinate_method(&self, index: Val<u32>, dim: Val<u32>) -> Val<u32> {
        self.mem.query("coordinate", &[index.raw, dim.raw])
    }
    pub fn __expand_line_size_method(&self) -> u32 {
        self.mem.line()
    }
    pub fn __expand_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<C::Item, ReadOnly>> {
        slice_of(self.mem, start, end)
    }
    pub fn __expand_slice_mut_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<C::Item, ReadWrite>> {
        slice_of(self.mem, start, end)
    }
    pub fn __expand_to_slice_method(&self) -> Mem<Slice<C::Item, ReadOnly>> {
        self.whole()
    }
    pub fn __expand_to_slice_mut_method(&self) -> Mem<Slice<C::Item, ReadWrite>> {
        self.whole()
    }
    pub fn __expand_index_unchecked_method(&self, index: Val<u32>) -> <C::Item as CubeType>::ExpandType {
        C::Item::load(self.mem, index.raw, true)
    }
    pub fn __expand_index_assign_unchecked_method(&self, index: Val<u32>, value: <C::Item as CubeType>::ExpandType) {
        C::Item::save(self.mem, index.raw, value, true);
    }
    pub fn __expand_to_vectorized_method(&self, line_size: u32) -> Val<C::Item>
    where
        C::Item: CubePrimitive,
    {
        let lane = |i: u32| self.mem.load(Raw::Const(Lit::Int(i.into()), Ty::scalar(Elem::U32)), false);
        if line_size <= 1 {
            return Val::new(self.mem.load(zero(), false));
        }
        let ty = Ty { elem: C::Item::item_elem(), line: line_size };
        let mut whole = Raw::Const(Lit::zero(ty.elem), ty);
        for i in 0..line_size {
            let at = Raw::Const(Lit::Int(i.into()), Ty::scalar(Elem::U32));
            whole = super::index::with_lane(whole, at, lane(i));
        }
        Val::new(whole)
    }
}

/// Methods of all memory types.
macro_rules! of_all {
    ($($name:ident<T $(, $io:ident)?>;)*) => {$(
        impl<T: Element $(, $io: SliceVisibility)?> $name<T $(, $io)?> {
            /// Length in lines. For an argument, the host passes the length at the launch.
            #[allow(clippy::len_without_is_empty)]
            pub fn len(&self) -> u32 {
                unexpanded()
            }
            /// The lines `start..end`.
            pub fn slice(&self, start: u32, end: u32) -> Slice<T, ReadOnly> {
                let _ = (start, end);
                unexpanded()
            }
            /// The lines `start..end`, as a mutable slice.
            pub fn slice_mut(&mut self, start: u32, end: u32) -> Slice<T, ReadWrite> {
                let _ = (start, end);
                unexpanded()
            }
            /// All lines as a slice.
            pub fn to_slice(&self) -> Slice<T, ReadOnly> {
                unexpanded()
            }
            /// All lines as a mutable slice.
            pub fn to_slice_mut(&mut self) -> Slice<T, ReadWrite> {
                unexpanded()
            }
            /// Number of elements in a line, as a compile-time value.
            pub fn line_size(&self) -> u32 {
                unexpanded()
            }
        }
    )*};
}

of_all! {
    Array<T>;
    Tensor<T>;
    SharedMemory<T>;
    Slice<T, IO>;
}

/// Methods of memory other than slices.
macro_rules! of_whole {
    ($($name:ident)*) => {$(
        impl<T: Element> $name<T> {
            /// Length of the allocation in lines.
            pub fn buffer_len(&self) -> u32 {
                unexpanded()
            }
            /// Reads the element at an index without a bounds check.
            ///
            /// # Safety
            /// The index must be less than the length.
            #[allow(unsafe_code)]
            pub unsafe fn index_unchecked(&self, index: u32) -> &T {
                let _ = index;
                unexpanded()
            }
            /// Writes the element at an index without a bounds check.
            ///
            /// # Safety
            /// The index must be less than the length.
            #[allow(unsafe_code)]
            pub unsafe fn index_assign_unchecked(&mut self, index: u32, value: T) {
                let _ = (index, value);
                unexpanded()
            }
        }
    )*};
}

of_whole!(Array Tensor SharedMemory);

impl<T: Element> Tensor<T> {
    /// Number of dimensions.
    pub fn rank(&self) -> u32 {
        unexpanded()
    }
    /// Number of elements along a dimension.
    pub fn shape(&self, dim: u32) -> u32 {
        let _ = dim;
        unexpanded()
    }
    /// Stride of a dimension, in elements.
    pub fn stride(&self, dim: u32) -> u32 {
        let _ = dim;
        unexpanded()
    }
    /// The coordinate, along the dimension `dim`, of the element with linear index `index`.
    pub fn coordinate(&self, index: u32, dim: u32) -> u32 {
        let _ = (index, dim);
        unexpanded()
    }
}

impl<T: Element> Array<T> {
    /// Returns the first `line_size` elements as one line.
    pub fn to_vectorized(self, line_size: u32) -> T {
        let _ = line_size;
        unexpanded()
    }
}

impl<T: Element, IO: SliceVisibility> Slice<T, IO> {
    /// Returns a slice of the same elements with the type `Line`.
    pub fn into_lined(self) -> Slice<Line<T>, IO> {
        unexpanded()
    }
    /// Reinterprets the elements as elements of another type with the same size.
    pub fn try_cast_unchecked<E: CubePrimitive>(self) -> Slice<E, IO> {
        unexpanded()
    }
    /// Whether the length is 0.
    pub fn is_empty(&self) -> bool {
        unexpanded()
    }
    /// Returns a mutable slice of the same memory. The argument that contains the memory must be writable.
    pub fn as_mut_unchecked(&self) -> Slice<T, ReadWrite> {
        unexpanded()
    }
}

impl<C: Container> Iterate for Mem<C> {
    type Item = <C::Item as CubeType>::ExpandType;
    fn counted(&self) -> Option<Counted<Self::Item>> {
        let mem = self.mem;
        Some(Counted {
            from: zero(),
            to: self.length().raw,
            step: Raw::Const(Lit::Int(1), Ty::scalar(Elem::U32)),
            item: Box::new(move |i| C::Item::load(mem, i, false)),
        })
    }
    fn items(self) -> Option<Vec<Self::Item>> {
        let n = self.length().known()?;
        Some((0..n).map(|i| C::Item::load(self.mem, Val::<u32>::lit(i).raw, false)).collect())
    }
}
