//! Tensors whose storage is forgotten: a function over them takes any.
use super::layout::simple::SimpleLayout;
use super::layout::{Coordinates, Coords1d, IntoLayout, Layout, VirtualLayout};
use super::reach::{Of, Reach, inside, only_if};
use super::view::over;
use super::{View, ViewExpand, ViewOperations, ViewOperationsMut};
use cube_frontend::__private::{HasHost, Staged, Val, unexpanded};
use cube_frontend::lang::containers::{
    LinedExpand, ListExpand, ListMutExpand, Mem, MemRef, SliceMutOperatorExpand, SliceOperatorExpand,
};
use cube_frontend::lang::ops;
use cube_frontend::prelude::*;
use std::marker::PhantomData;
use std::rc::Rc;

/// What can stand behind a [`VirtualTensor`]. Indices and lengths are in lines, shapes and strides in elements.
#[allow(clippy::len_without_is_empty)]
#[cube(self_type = "ref")]
pub trait VirtualTensorOperations<E: Numeric>: Lined + 'static {
    /// The line at an index.
    fn read(&self, index: u32) -> Line<E>;
    /// The memory of the lines from `start` to below `end`.
    fn read_window(&self, start: u32, end: u32) -> Slice<Line<E>, ReadOnly>;
    /// Writes the line at an index.
    fn write(&self, index: u32, value: Line<E>);
    /// The number of elements along a dimension.
    fn shape(&self, axis: u32) -> u32;
    /// Elements between neighbours along a dimension.
    fn stride(&self, axis: u32) -> u32;
    /// The number of dimensions.
    fn rank(&self) -> u32;
    /// The number of lines, by the shape.
    fn len(&self) -> u32;
    /// The number of lines of the memory.
    fn buffer_len(&self) -> u32;
}

#[cube]
impl<E: Numeric> VirtualTensorOperations<E> for Tensor<Line<E>> {
    fn read(&self, index: u32) -> Line<E> {
        self[index]
    }
    fn read_window(&self, start: u32, end: u32) -> Slice<Line<E>, ReadOnly> {
        self.slice(start, end)
    }
    fn write(&self, index: u32, value: Line<E>) {
        let mut all = self.to_slice().as_mut_unchecked();
        all[index] = value;
    }
    fn shape(&self, axis: u32) -> u32 {
        self.shape(axis)
    }
    fn stride(&self, axis: u32) -> u32 {
        self.stride(axis)
    }
    fn rank(&self) -> u32 {
        self.rank()
    }
    fn len(&self) -> u32 {
        self.len()
    }
    fn buffer_len(&self) -> u32 {
        self.buffer_len()
    }
}

/// A tensor, wherever its elements are.
pub struct VirtualTensor<E: Numeric, IO: SliceVisibility = ReadOnly> {
    of: Of<(E, IO)>,
}

impl<E: Numeric, IO: SliceVisibility> Clone for VirtualTensor<E, IO> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Numeric, IO: SliceVisibility> Copy for VirtualTensor<E, IO> {}

/// What a virtual tensor does, whatever stands behind it.
trait Held<E: Numeric> {
    fn read(&self, index: Val<u32>) -> Val<Line<E>>;
    fn window(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>>;
    fn write(&self, index: Val<u32>, value: Val<Line<E>>);
    fn shape(&self, axis: Val<u32>) -> Val<u32>;
    fn stride(&self, axis: Val<u32>) -> Val<u32>;
    fn rank(&self) -> Val<u32>;
    fn len(&self) -> Val<u32>;
    fn buffer_len(&self) -> Val<u32>;
    fn line_size(&self) -> u32;
}

struct Behind<V: CubeType>(V::ExpandType);

impl<E: Numeric, V: VirtualTensorOperations<E>> Held<E> for Behind<V> {
    fn read(&self, index: Val<u32>) -> Val<Line<E>> {
        V::__expand_read(self.0.clone(), index)
    }
    fn window(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>> {
        V::__expand_read_window(self.0.clone(), start, end)
    }
    fn write(&self, index: Val<u32>, value: Val<Line<E>>) {
        V::__expand_write(self.0.clone(), index, value);
    }
    fn shape(&self, axis: Val<u32>) -> Val<u32> {
        V::__expand_shape(self.0.clone(), axis)
    }
    fn stride(&self, axis: Val<u32>) -> Val<u32> {
        V::__expand_stride(self.0.clone(), axis)
    }
    fn rank(&self) -> Val<u32> {
        V::__expand_rank(self.0.clone())
    }
    fn len(&self) -> Val<u32> {
        V::__expand_len(self.0.clone())
    }
    fn buffer_len(&self) -> Val<u32> {
        V::__expand_buffer_len(self.0.clone())
    }
    fn line_size(&self) -> u32 {
        self.0.line_size()
    }
}

/// [`VirtualTensor`], staged.
#[doc(hidden)]
pub struct VirtualTensorExpand<E: Numeric, IO: SliceVisibility = ReadOnly> {
    held: Rc<dyn Held<E>>,
    of: PhantomData<fn() -> IO>,
}

impl<E: Numeric, IO: SliceVisibility> Clone for VirtualTensorExpand<E, IO> {
    fn clone(&self) -> Self {
        VirtualTensorExpand { held: self.held.clone(), of: PhantomData }
    }
}

impl<E: Numeric, IO: SliceVisibility> CubeType for VirtualTensor<E, IO> {
    type ExpandType = VirtualTensorExpand<E, IO>;
}

impl<E: Numeric, IO: SliceVisibility> HasHost for VirtualTensorExpand<E, IO> {
    type Host = VirtualTensor<E, IO>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<E: Numeric, IO: SliceVisibility> Staged for VirtualTensorExpand<E, IO> {
    const HAS_DUMMY: bool = false;
    fn store(&mut self, value: Self) {
        if !Rc::ptr_eq(&self.held, &value.held) {
            cube_frontend::__private::replace_shape(self, value);
        }
    }
    fn dummy() -> Self {
        cube_frontend::__private::no_dummy()
    }
}

fn behind<E: Numeric, V: VirtualTensorOperations<E>, IO: SliceVisibility>(
    storage: V::ExpandType,
) -> VirtualTensorExpand<E, IO> {
    VirtualTensorExpand { held: Rc::new(Behind::<V>(storage)), of: PhantomData }
}

#[allow(unused_variables)]
impl<E: Numeric> VirtualTensor<E, ReadOnly> {
    /// A tensor to read.
    pub fn new<V: VirtualTensorOperations<E>>(storage: &V) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_new<V: VirtualTensorOperations<E>>(storage: V::ExpandType) -> VirtualTensorExpand<E, ReadOnly> {
        behind::<E, V, ReadOnly>(storage)
    }
}

#[allow(unused_variables)]
impl<E: Numeric> VirtualTensor<E, ReadWrite> {
    /// A tensor to read and write.
    pub fn new<V: VirtualTensorOperations<E>>(storage: &mut V) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_new<V: VirtualTensorOperations<E>>(storage: V::ExpandType) -> VirtualTensorExpand<E, ReadWrite> {
        behind::<E, V, ReadWrite>(storage)
    }
    /// The tensor, seen and written through a layout.
    pub fn view_mut<C: Coordinates>(
        &self,
        layout: impl Layout<Coordinates = C, SourceCoordinates = Coords1d>,
    ) -> View<Line<E>, C, ReadWrite> {
        unexpanded()
    }
}

#[allow(unused_variables)]
impl<E: Numeric, IO: SliceVisibility> VirtualTensor<E, IO> {
    /// The memory of the lines from `start` to below `end`.
    pub fn as_slice(&self, start: u32, end: u32) -> Slice<Line<E>> {
        unexpanded()
    }
    /// The number of elements along a dimension.
    pub fn shape(&self, axis: u32) -> u32 {
        unexpanded()
    }
    /// Elements between neighbours along a dimension.
    pub fn stride(&self, axis: u32) -> u32 {
        unexpanded()
    }
    /// The number of dimensions.
    pub fn rank(&self) -> u32 {
        unexpanded()
    }
    /// The number of lines of the memory.
    pub fn buffer_len(&self) -> u32 {
        unexpanded()
    }
    /// The tensor, seen through a layout.
    pub fn view<C: Coordinates>(&self, layout: impl Into<VirtualLayout<C, Coords1d>>) -> View<Line<E>, C, ReadOnly> {
        unexpanded()
    }
}

#[cube]
impl<E: Numeric, IO: SliceVisibility> VirtualTensor<E, IO> {
    /// The coordinate along a dimension of the element at an index.
    pub fn coordinate(&self, index: u32, dim: u32) -> u32 {
        index / self.stride(dim) % self.shape(dim)
    }
    /// The tensor as a view by the number of the element.
    pub fn as_view(&self) -> View<Line<E>, u32, ReadOnly> {
        let line_size = self.line_size();
        self.view(SimpleLayout::new(self.len() * line_size, line_size))
    }
}

#[cube]
impl<E: Numeric> VirtualTensor<E, ReadWrite> {
    /// The tensor as a view by the number of the element, to be written.
    pub fn as_view_mut(&mut self) -> View<Line<E>, u32, ReadWrite> {
        let line_size = self.line_size();
        self.view_mut(SimpleLayout::new(self.len() * line_size, line_size))
    }
}

/// The twins of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: Numeric, IO: SliceVisibility> VirtualTensorExpand<E, IO> {
    pub fn __expand_as_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>> {
        self.held.window(start, end)
    }
    pub fn __expand_shape_method(&self, axis: Val<u32>) -> Val<u32> {
        self.held.shape(axis)
    }
    pub fn __expand_stride_method(&self, axis: Val<u32>) -> Val<u32> {
        self.held.stride(axis)
    }
    pub fn __expand_rank_method(&self) -> Val<u32> {
        self.held.rank()
    }
    pub fn __expand_buffer_len_method(&self) -> Val<u32> {
        self.held.buffer_len()
    }
    pub fn __expand_view_method<C: Coordinates>(
        &self,
        layout: impl IntoLayout<C, Coords1d>,
    ) -> ViewExpand<Line<E>, C, ReadOnly> {
        over(Rc::new(Lines(self.held.clone())), layout)
    }
}

#[doc(hidden)]
#[allow(missing_docs)]
impl<E: Numeric> VirtualTensorExpand<E, ReadWrite> {
    pub fn __expand_view_mut_method<C: Coordinates>(
        &self,
        layout: impl IntoLayout<C, Coords1d>,
    ) -> ViewExpand<Line<E>, C, ReadWrite> {
        over(Rc::new(Lines(self.held.clone())), layout)
    }
}

impl<E: Numeric, IO: SliceVisibility> Lined for VirtualTensor<E, IO> {}
impl<E: Numeric, IO: SliceVisibility> SliceOperator<Line<E>> for VirtualTensor<E, IO> {}
impl<E: Numeric, IO: SliceVisibility> List<Line<E>> for VirtualTensor<E, IO> {}
impl<E: Numeric> SliceMutOperator<Line<E>> for VirtualTensor<E, ReadWrite> {}
impl<E: Numeric> ListMut<Line<E>> for VirtualTensor<E, ReadWrite> {}

impl<E: Numeric, IO: SliceVisibility> LinedExpand for VirtualTensorExpand<E, IO> {
    fn line_size(&self) -> u32 {
        self.held.line_size()
    }
}

impl<E: Numeric, IO: SliceVisibility> SliceOperatorExpand<Line<E>> for VirtualTensorExpand<E, IO> {
    fn __expand_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>> {
        self.held.window(start, end)
    }
    fn __expand_to_slice_method(&self) -> Mem<Slice<Line<E>, ReadOnly>> {
        self.held.window(Val::lit(0), self.held.buffer_len())
    }
}

impl<E: Numeric> SliceMutOperatorExpand<Line<E>> for VirtualTensorExpand<E, ReadWrite> {
    fn __expand_slice_mut_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadWrite>> {
        self.held.window(start, end).__expand_as_mut_unchecked_method()
    }
    fn __expand_to_slice_mut_method(&self) -> Mem<Slice<Line<E>, ReadWrite>> {
        self.__expand_to_slice_method().__expand_as_mut_unchecked_method()
    }
}

impl<E: Numeric, IO: SliceVisibility> ListExpand<Line<E>> for VirtualTensorExpand<E, IO> {
    fn __expand_read_method(&self, index: Val<u32>) -> Val<Line<E>> {
        self.held.read(index)
    }
    fn __expand_read_unchecked_method(&self, index: Val<u32>) -> Val<Line<E>> {
        self.held.read(index)
    }
    fn __expand_len_method(&self) -> Val<u32> {
        self.held.len()
    }
}

impl<E: Numeric> ListMutExpand<Line<E>> for VirtualTensorExpand<E, ReadWrite> {
    fn __expand_write_method(&self, index: Val<u32>, value: Val<Line<E>>) {
        self.held.write(index, value);
    }
}

impl<E: Numeric, IO: SliceVisibility> ViewOperations<Line<E>, Coords1d> for VirtualTensor<E, IO> {
    fn reach(expand: VirtualTensorExpand<E, IO>) -> Rc<dyn Reach<Line<E>, Coords1d>> {
        Rc::new(Lines(expand.held))
    }
}

impl<E: Numeric> ViewOperationsMut<Line<E>, Coords1d> for VirtualTensor<E, ReadWrite> {}

/// A virtual tensor below a view.
struct Lines<E: Numeric>(Rc<dyn Held<E>>);

impl<E: Numeric> Reach<Line<E>, Coords1d> for Lines<E> {
    fn read(&self, pos: Val<u32>, _promised: bool) -> Val<Line<E>> {
        self.0.read(pos)
    }
    fn read_or(&self, pos: Val<u32>, other: Val<Line<E>>) -> Val<Line<E>> {
        inside(self.holds(pos), || self.0.read(pos), other)
    }
    fn write(&self, pos: Val<u32>, value: Val<Line<E>>) {
        self.0.write(pos, value);
    }
    fn write_if(&self, pos: Val<u32>, value: Val<Line<E>>) {
        only_if(self.holds(pos), || self.0.write(pos, value));
    }
    fn shape(&self) -> Val<u32> {
        self.0.buffer_len()
    }
    fn holds(&self, pos: Val<u32>) -> Val<bool> {
        ops::lt(pos, self.0.buffer_len(), super::reach::here())
    }
    fn linear(&self, from: Val<u32>, to: Val<u32>) -> MemRef {
        let end = ops::add(to, Val::<u32>::lit(1), super::reach::here());
        self.0.window(<u32 as Coordinates>::__expand_min(from, end), end).mem
    }
    fn line_size(&self) -> u32 {
        self.0.line_size()
    }
}
