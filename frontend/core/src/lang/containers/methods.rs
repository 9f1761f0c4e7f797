//! What memory can be asked and told.
use super::index::zero;
use super::mem::{Array, Container, Element, Mem, SharedMemory, Tensor};
use super::slice::{ReadOnly, ReadWrite, Slice, SliceVisibility, slice_of};
use crate::__private::unexpanded;
use crate::ir::{Elem, Lit, MemKind, Raw, Ty};
use crate::lang::flow::{Counted, Iterate};
use crate::lang::line::Line;
use crate::lang::value::{CubePrimitive, CubeType, Val};

/// Memory whose lines have a size.
pub trait Lined: CubeType<ExpandType: LinedExpand> {
    /// Elements of a line.
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

/// Memory of which a range can be taken.
pub trait SliceOperator<T: CubePrimitive>: CubeType<ExpandType: SliceOperatorExpand<T>> {
    /// The lines from `start` to below `end`.
    fn slice(&self, start: u32, end: u32) -> Slice<T, ReadOnly> {
        let _ = (start, end);
        unexpanded()
    }
    /// All lines.
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

/// Memory of which a range can be taken to be written.
pub trait SliceMutOperator<T: CubePrimitive>: CubeType<ExpandType: SliceMutOperatorExpand<T>> {
    /// The lines from `start` to below `end`, to be written.
    fn slice_mut(&mut self, start: u32, end: u32) -> Slice<T, ReadWrite> {
        let _ = (start, end);
        unexpanded()
    }
    /// All lines, to be written.
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

/// Memory that can be read.
pub trait List<T: CubePrimitive>: SliceOperator<T> + Lined + CubeType<ExpandType: ListExpand<T>> {
    /// The element at an index.
    fn read(&self, index: u32) -> T {
        let _ = index;
        unexpanded()
    }
    /// The element at an index that is promised to be inside.
    fn read_unchecked(&self, index: u32) -> T {
        let _ = index;
        unexpanded()
    }
    /// The number of lines.
    fn len(&self) -> u32 {
        unexpanded()
    }
    /// Whether there are none.
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

/// Memory that can be written.
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
// Not for `&L`: memory that is only read gives no slices to be written.
impl<T: CubePrimitive, L: SliceMutOperator<T>> SliceMutOperator<T> for &mut L {}
impl<T: CubePrimitive, L: ListMut<T>> ListMut<T> for &mut L {}

impl<C: Container> Mem<C> {
    fn length(&self) -> Val<u32> {
        match self.mem.ty.kind {
            MemKind::Local(n) | MemKind::Shared(n) => Val::lit(n / self.mem.ratio),
            _ => self.mem.lines(self.mem.ask("len", &[])),
        }
    }

    fn whole<IO: SliceVisibility>(&self) -> Mem<Slice<C::Item, IO>> {
        if self.mem.ty.kind == MemKind::Slice {
            Mem::new(self.mem)
        } else {
            slice_of(self.mem, Val::lit(0), self.length())
        }
    }
}

/// The twins of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<C: Container> Mem<C> {
    /// For `comptime!(memory.line_size())`.
    pub fn line_size(&self) -> u32 {
        self.mem.line()
    }
    pub fn __expand_len_method(&self) -> Val<u32> {
        self.length()
    }
    pub fn __expand_is_empty_method(&self) -> Val<bool> {
        let position = crate::ir::with(|b| b.position());
        crate::lang::ops::eq(self.length(), Val::lit(0), position)
    }
    pub fn __expand_buffer_len_method(&self) -> Val<u32> {
        match self.mem.ty.kind {
            MemKind::Local(n) | MemKind::Shared(n) => Val::lit(n / self.mem.ratio),
            _ => self.mem.lines(self.mem.ask("buffer_len", &[])),
        }
    }
    pub fn __expand_rank_method(&self) -> Val<u32> {
        self.mem.ask("rank", &[])
    }
    pub fn __expand_shape_method(&self, dim: Val<u32>) -> Val<u32> {
        self.mem.ask("shape", &[dim.raw])
    }
    pub fn __expand_stride_method(&self, dim: Val<u32>) -> Val<u32> {
        self.mem.ask("stride", &[dim.raw])
    }
    pub fn __expand_coordinate_method(&self, index: Val<u32>, dim: Val<u32>) -> Val<u32> {
        self.mem.ask("coordinate", &[index.raw, dim.raw])
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

macro_rules! methods {
    ($($name:ident<$($param:ident),*> $($bound:ident)?;)*) => {$(
        impl<$($param: Element),*> $name<$($param),*> {
            /// The number of lines, as the host gave it.
            #[allow(clippy::len_without_is_empty)]
            pub fn len(&self) -> u32 {
                unexpanded()
            }
            /// The number of lines of the allocation.
            pub fn buffer_len(&self) -> u32 {
                unexpanded()
            }
            /// The lines from `start` to below `end`.
            pub fn slice(&self, start: u32, end: u32) -> Slice<T, ReadOnly> {
                let _ = (start, end);
                unexpanded()
            }
            /// The lines from `start` to below `end`, to be written.
            pub fn slice_mut(&mut self, start: u32, end: u32) -> Slice<T, ReadWrite> {
                let _ = (start, end);
                unexpanded()
            }
            /// All lines.
            pub fn to_slice(&self) -> Slice<T, ReadOnly> {
                unexpanded()
            }
            /// All lines, to be written.
            pub fn to_slice_mut(&mut self) -> Slice<T, ReadWrite> {
                unexpanded()
            }
            /// Elements of a line; known when the kernel is compiled.
            pub fn line_size(&self) -> u32 {
                unexpanded()
            }
            /// The element at an index.
            ///
            /// # Safety
            /// The index is inside.
            #[allow(unsafe_code)]
            pub unsafe fn index_unchecked(&self, index: u32) -> &T {
                let _ = index;
                unexpanded()
            }
            /// Writes the element at an index.
            ///
            /// # Safety
            /// The index is inside.
            #[allow(unsafe_code)]
            pub unsafe fn index_assign_unchecked(&mut self, index: u32, value: T) {
                let _ = (index, value);
                unexpanded()
            }
        }
    )*};
}

methods! {
    Array<T>;
    Tensor<T>;
    SharedMemory<T>;
}

impl<T: Element> Tensor<T> {
    /// The number of dimensions.
    pub fn rank(&self) -> u32 {
        unexpanded()
    }
    /// The number of elements along a dimension.
    pub fn shape(&self, dim: u32) -> u32 {
        let _ = dim;
        unexpanded()
    }
    /// Elements between neighbours along a dimension.
    pub fn stride(&self, dim: u32) -> u32 {
        let _ = dim;
        unexpanded()
    }
    /// The coordinate along a dimension of the element at an index.
    pub fn coordinate(&self, index: u32, dim: u32) -> u32 {
        let _ = (index, dim);
        unexpanded()
    }
}

impl<T: Element> Array<T> {
    /// The first elements as one line.
    pub fn to_vectorized(self, line_size: u32) -> T {
        let _ = line_size;
        unexpanded()
    }
}

impl<T: Element, IO: SliceVisibility> Slice<T, IO> {
    /// The number of lines.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        unexpanded()
    }
    /// The lines from `start` to below `end`.
    pub fn slice(&self, start: u32, end: u32) -> Slice<T, ReadOnly> {
        let _ = (start, end);
        unexpanded()
    }
    /// The lines from `start` to below `end`, to be written.
    pub fn slice_mut(&mut self, start: u32, end: u32) -> Slice<T, ReadWrite> {
        let _ = (start, end);
        unexpanded()
    }
    /// The slice itself.
    pub fn to_slice(&self) -> Slice<T, ReadOnly> {
        unexpanded()
    }
    /// The slice itself, to be written.
    pub fn to_slice_mut(&mut self) -> Slice<T, ReadWrite> {
        unexpanded()
    }
    /// Elements of a line; known when the kernel is compiled.
    pub fn line_size(&self) -> u32 {
        unexpanded()
    }
    /// Its elements as lines.
    pub fn into_lined(self) -> Slice<Line<T>, IO> {
        unexpanded()
    }
    /// The same bits as elements of another type of the same size.
    pub fn try_cast_unchecked<E: CubePrimitive>(self) -> Slice<E, IO> {
        unexpanded()
    }
    /// Whether it has no lines.
    pub fn is_empty(&self) -> bool {
        unexpanded()
    }
    /// The slice, to be written although it was given for reading: what it is a range of must be an argument that the kernel
    /// may write.
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
