//! Tensors with an erased storage type, for functions that accept any storage.
use super::layout::simple::SimpleLayout;
use super::layout::{Coordinates, Coords1d, IntoLayout, Layout, VirtualLayout};
use super::view::over;
use super::view_storage::{Marker, ViewStorage, read_if, run_if};
use super::{View, ViewExpand, ViewOperations, ViewOperationsMut};
use cube_frontend::__private::{HasHost, Staged, Val, unexpanded};
use cube_frontend::lang::containers::{
    LinedExpand, ListExpand, ListMutExpand, Mem, MemRef, SliceMutOperatorExpand, SliceOperatorExpand,
};
use cube_frontend::lang::ops;
use cube_frontend::prelude::*;
use std::marker::PhantomData;
use std::rc::Rc;

/// Storage of a [`VirtualTensor`]. Indices and lengths count lines, whereas shapes and strides count
/// elements.
#[allow(clippy::len_without_is_empty)]
#[cube(self_type = "ref")]
pub trait VirtualTensorOperations<E: Numeric>: Lined + 'static {
    /// The line at an index.
    fn read(&self, index: u32) -> Line<E>;
    /// The memory of the lines `start..end`.
    fn read_window(&self, start: u32, end: u32) -> Slice<Line<E>, ReadOnly>;
    /// Writes the line at an index.
    fn write(&self, index: u32, value: Line<E>);
    /// Number of elements along a dimension.
    fn shape(&self, axis: u32) -> u32;
    /// Distance in elements between neighbours along a dimension.
    fn stride(&self, axis: u32) -> u32;
    /// Number of dimensions.
    fn rank(&self) -> u32;
    /// Number of lines that the shape contains.
    fn len(&self) -> u32;
    /// Number of lines that the memory contains.
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

/// A tensor with an erased storage type.
pub struct VirtualTensor<E: Numeric, IO: SliceVisibility = ReadOnly> {
    of: Marker<(E, IO)>,
}

impl<E: Numeric, IO: SliceVisibility> Clone for VirtualTensor<E, IO> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Numeric, IO: SliceVisibility> Copy for VirtualTensor<E, IO> {}

/// Object-safe variant of the trait [`VirtualTensorOperations`].
trait DynTensor<E: Numeric> {
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

struct Erased<V: CubeType>(V::ExpandType);

impl<E: Numeric, V: VirtualTensorOperations<E>> DynTensor<E> for Erased<V> {
    fn read(&self, index: Val<u32>) -> Val<Line<E>> {
        V::read_in_a_kernel(self.0.clone(), index)
    }
    fn window(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>> {
        V::read_window_in_a_kernel(self.0.clone(), start, end)
    }
    fn write(&self, index: Val<u32>, value: Val<Line<E>>) {
        V::write_in_a_kernel(self.0.clone(), index, value);
    }
    fn shape(&self, axis: Val<u32>) -> Val<u32> {
        V::shape_in_a_kernel(self.0.clone(), axis)
    }
    fn stride(&self, axis: Val<u32>) -> Val<u32> {
        V::stride_in_a_kernel(self.0.clone(), axis)
    }
    fn rank(&self) -> Val<u32> {
        V::rank_in_a_kernel(self.0.clone())
    }
    fn len(&self) -> Val<u32> {
        V::len_in_a_kernel(self.0.clone())
    }
    fn buffer_len(&self) -> Val<u32> {
        V::buffer_len_in_a_kernel(self.0.clone())
    }
    fn line_size(&self) -> u32 {
        self.0.line_size()
    }
}

/// [`VirtualTensor`], staged.
#[doc(hidden)]
pub struct VirtualTensorExpand<E: Numeric, IO: SliceVisibility = ReadOnly> {
    tensor: Rc<dyn DynTensor<E>>,
    of: PhantomData<fn() -> IO>,
}

impl<E: Numeric, IO: SliceVisibility> Clone for VirtualTensorExpand<E, IO> {
    fn clone(&self) -> Self {
        VirtualTensorExpand { tensor: self.tensor.clone(), of: PhantomData }
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
        if !Rc::ptr_eq(&self.tensor, &value.tensor) {
            cube_frontend::__private::replace_shape(self, value);
        }
    }
    fn dummy() -> Self {
        cube_frontend::__private::no_dummy()
    }
}

fn erased<E: Numeric, V: VirtualTensorOperations<E>, IO: SliceVisibility>(
    storage: V::ExpandType,
) -> VirtualTensorExpand<E, IO> {
    VirtualTensorExpand { tensor: Rc::new(Erased::<V>(storage)), of: PhantomData }
}

#[allow(unused_variables)]
impl<E: Numeric> VirtualTensor<E, ReadOnly> {
    /// A read-only tensor.
    pub fn new<V: VirtualTensorOperations<E>>(storage: &V) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel<V: VirtualTensorOperations<E>>(storage: V::ExpandType) -> VirtualTensorExpand<E, ReadOnly> {
        erased::<E, V, ReadOnly>(storage)
    }
}

#[allow(unused_variables)]
impl<E: Numeric> VirtualTensor<E, ReadWrite> {
    /// A mutable tensor.
    pub fn new<V: VirtualTensorOperations<E>>(storage: &mut V) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel<V: VirtualTensorOperations<E>>(storage: V::ExpandType) -> VirtualTensorExpand<E, ReadWrite> {
        erased::<E, V, ReadWrite>(storage)
    }
    /// A mutable view of the tensor through a layout.
    pub fn view_mut<C: Coordinates>(
        &self,
        layout: impl Layout<Coordinates = C, SourceCoordinates = Coords1d>,
    ) -> View<Line<E>, C, ReadWrite> {
        unexpanded()
    }
}

#[allow(unused_variables)]
impl<E: Numeric, IO: SliceVisibility> VirtualTensor<E, IO> {
    /// The memory of the lines `start..end`.
    pub fn as_slice(&self, start: u32, end: u32) -> Slice<Line<E>> {
        unexpanded()
    }
    /// Number of elements along a dimension.
    pub fn shape(&self, axis: u32) -> u32 {
        unexpanded()
    }
    /// Distance in elements between neighbours along a dimension.
    pub fn stride(&self, axis: u32) -> u32 {
        unexpanded()
    }
    /// Number of dimensions.
    pub fn rank(&self) -> u32 {
        unexpanded()
    }
    /// Number of lines that the memory contains.
    pub fn buffer_len(&self) -> u32 {
        unexpanded()
    }
    /// A view of the tensor through a layout.
    pub fn view<C: Coordinates>(&self, layout: impl Into<VirtualLayout<C, Coords1d>>) -> View<Line<E>, C, ReadOnly> {
        unexpanded()
    }
}

#[cube]
impl<E: Numeric, IO: SliceVisibility> VirtualTensor<E, IO> {
    /// The coordinate of the element `index` along the dimension `dim`.
    pub fn coordinate(&self, index: u32, dim: u32) -> u32 {
        index / self.stride(dim) % self.shape(dim)
    }
    /// A view of the tensor, indexed by element.
    pub fn as_view(&self) -> View<Line<E>, u32, ReadOnly> {
        let line_size = self.line_size();
        self.view(SimpleLayout::new(self.len() * line_size, line_size))
    }
}

#[cube]
impl<E: Numeric> VirtualTensor<E, ReadWrite> {
    /// A mutable view of the tensor, indexed by element.
    pub fn as_view_mut(&mut self) -> View<Line<E>, u32, ReadWrite> {
        let line_size = self.line_size();
        self.view_mut(SimpleLayout::new(self.len() * line_size, line_size))
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: Numeric, IO: SliceVisibility> VirtualTensorExpand<E, IO> {
    pub fn __expand_as_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>> {
        self.tensor.window(start, end)
    }
    pub fn __expand_shape_method(&self, axis: Val<u32>) -> Val<u32> {
        self.tensor.shape(axis)
    }
    pub fn __expand_stride_method(&self, axis: Val<u32>) -> Val<u32> {
        self.tensor.stride(axis)
    }
    pub fn __expand_rank_method(&self) -> Val<u32> {
        self.tensor.rank()
    }
    pub fn __expand_buffer_len_method(&self) -> Val<u32> {
        self.tensor.buffer_len()
    }
    pub fn __expand_view_method<C: Coordinates>(
        &self,
        layout: impl IntoLayout<C, Coords1d>,
    ) -> ViewExpand<Line<E>, C, ReadOnly> {
        over(Rc::new(TensorStorage(self.tensor.clone())), layout)
    }
}

#[doc(hidden)]
#[allow(missing_docs)]
impl<E: Numeric> VirtualTensorExpand<E, ReadWrite> {
    pub fn __expand_view_mut_method<C: Coordinates>(
        &self,
        layout: impl IntoLayout<C, Coords1d>,
    ) -> ViewExpand<Line<E>, C, ReadWrite> {
        over(Rc::new(TensorStorage(self.tensor.clone())), layout)
    }
}

impl<E: Numeric, IO: SliceVisibility> Lined for VirtualTensor<E, IO> {}
impl<E: Numeric, IO: SliceVisibility> SliceOperator<Line<E>> for VirtualTensor<E, IO> {}
impl<E: Numeric, IO: SliceVisibility> List<Line<E>> for VirtualTensor<E, IO> {}
impl<E: Numeric> SliceMutOperator<Line<E>> for VirtualTensor<E, ReadWrite> {}
impl<E: Numeric> ListMut<Line<E>> for VirtualTensor<E, ReadWrite> {}

impl<E: Numeric, IO: SliceVisibility> LinedExpand for VirtualTensorExpand<E, IO> {
    fn line_size(&self) -> u32 {
        self.tensor.line_size()
    }
}

impl<E: Numeric, IO: SliceVisibility> SliceOperatorExpand<Line<E>> for VirtualTensorExpand<E, IO> {
    fn __expand_slice_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadOnly>> {
        self.tensor.window(start, end)
    }
    fn __expand_to_slice_method(&self) -> Mem<Slice<Line<E>, ReadOnly>> {
        self.tensor.window(Val::lit(0), self.tensor.buffer_len())
    }
}

impl<E: Numeric> SliceMutOperatorExpand<Line<E>> for VirtualTensorExpand<E, ReadWrite> {
    fn __expand_slice_mut_method(&self, start: Val<u32>, end: Val<u32>) -> Mem<Slice<Line<E>, ReadWrite>> {
        self.tensor.window(start, end).__expand_as_mut_unchecked_method()
    }
    fn __expand_to_slice_mut_method(&self) -> Mem<Slice<Line<E>, ReadWrite>> {
        self.__expand_to_slice_method().__expand_as_mut_unchecked_method()
    }
}

impl<E: Numeric, IO: SliceVisibility> ListExpand<Line<E>> for VirtualTensorExpand<E, IO> {
    fn __expand_read_method(&self, index: Val<u32>) -> Val<Line<E>> {
        self.tensor.read(index)
    }
    fn __expand_read_unchecked_method(&self, index: Val<u32>) -> Val<Line<E>> {
        self.tensor.read(index)
    }
    fn __expand_len_method(&self) -> Val<u32> {
        self.tensor.len()
    }
}

impl<E: Numeric> ListMutExpand<Line<E>> for VirtualTensorExpand<E, ReadWrite> {
    fn __expand_write_method(&self, index: Val<u32>, value: Val<Line<E>>) {
        self.tensor.write(index, value);
    }
}

impl<E: Numeric, IO: SliceVisibility> ViewOperations<Line<E>, Coords1d> for VirtualTensor<E, IO> {
    fn storage(expand: VirtualTensorExpand<E, IO>) -> Rc<dyn ViewStorage<Line<E>, Coords1d>> {
        Rc::new(TensorStorage(expand.tensor))
    }
}

impl<E: Numeric> ViewOperationsMut<Line<E>, Coords1d> for VirtualTensor<E, ReadWrite> {}

/// A virtual tensor as the source of a view.
struct TensorStorage<E: Numeric>(Rc<dyn DynTensor<E>>);

impl<E: Numeric> ViewStorage<Line<E>, Coords1d> for TensorStorage<E> {
    fn read(&self, pos: Val<u32>, _inbounds: bool) -> Val<Line<E>> {
        self.0.read(pos)
    }
    fn read_or(&self, pos: Val<u32>, other: Val<Line<E>>) -> Val<Line<E>> {
        read_if(self.is_in_bounds(pos), || self.0.read(pos), other)
    }
    fn write(&self, pos: Val<u32>, value: Val<Line<E>>) {
        self.0.write(pos, value);
    }
    fn write_if(&self, pos: Val<u32>, value: Val<Line<E>>) {
        run_if(self.is_in_bounds(pos), || self.0.write(pos, value));
    }
    fn shape(&self) -> Val<u32> {
        self.0.buffer_len()
    }
    fn is_in_bounds(&self, pos: Val<u32>) -> Val<bool> {
        ops::lt(pos, self.0.buffer_len(), super::view_storage::current_position())
    }
    fn linear(&self, from: Val<u32>, to: Val<u32>) -> MemRef {
        let end = ops::add(to, Val::<u32>::lit(1), super::view_storage::current_position());
        self.0.window(<u32 as Coordinates>::min_in_a_kernel(from, end), end).mem
    }
    fn line_size(&self) -> u32 {
        self.0.line_size()
    }
}
