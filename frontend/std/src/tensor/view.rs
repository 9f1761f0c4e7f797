//! Views: memory accessed through a layout.
use super::layout::slice::SliceLayout;
use super::layout::{Coordinates, Coords1d, IntoLayout, Layout, VirtualLayout};
use super::view_storage::{Mapped, Marker, Memory, ViewStorage, zero};
use cube_frontend::__private::{Computed, HasHost, IndexAssign, Staged, StagedMethod, Val, unexpanded};
use cube_frontend::lang::containers::{Index, Mem};
use cube_frontend::prelude::*;
use std::marker::PhantomData;
use std::rc::Rc;

/// Elements addressed by coordinates.
pub struct View<E: CubePrimitive, C: Coordinates, IO: SliceVisibility = ReadOnly> {
    of: Marker<(E, C, IO)>,
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> Clone for View<E, C, IO> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> Copy for View<E, C, IO> {}

/// [`View`], staged.
#[doc(hidden)]
pub struct ViewExpand<E: CubePrimitive, C: Coordinates, IO: SliceVisibility = ReadOnly> {
    pub(crate) storage: Rc<dyn ViewStorage<E, C>>,
    of: PhantomData<fn() -> IO>,
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> Clone for ViewExpand<E, C, IO> {
    fn clone(&self) -> Self {
        ViewExpand::new(self.storage.clone())
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> CubeType for View<E, C, IO> {
    type ExpandType = ViewExpand<E, C, IO>;
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> HasHost for ViewExpand<E, C, IO> {
    type Host = View<E, C, IO>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> Staged for ViewExpand<E, C, IO> {
    const HAS_DUMMY: bool = false;
    fn store(&mut self, value: Self) {
        if !Rc::ptr_eq(&self.storage, &value.storage) {
            cube_frontend::__private::replace_shape(self, value);
        }
    }
    fn dummy() -> Self {
        cube_frontend::__private::no_dummy()
    }
}

/// Sources of views.
pub trait ViewOperations<E: CubePrimitive, C: Coordinates>: CubeType {
    #[doc(hidden)]
    fn storage(expand: Self::ExpandType) -> Rc<dyn ViewStorage<E, C>>;
}

/// Sources of mutable views.
pub trait ViewOperationsMut<E: CubePrimitive, C: Coordinates>: ViewOperations<E, C> {}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> ViewOperations<E, C> for View<E, C, IO> {
    fn storage(expand: ViewExpand<E, C, IO>) -> Rc<dyn ViewStorage<E, C>> {
        expand.storage
    }
}

impl<E: CubePrimitive, C: Coordinates> ViewOperationsMut<E, C> for View<E, C, ReadWrite> {}

/// Types with a method `view`.
pub trait AsView<E: CubePrimitive>: CubeType {
    /// Coordinates of the source.
    type SourceCoords: Coordinates;
    /// A view of the source through a layout.
    fn view<C: Coordinates>(&self, _layout: impl Into<VirtualLayout<C, Self::SourceCoords>>) -> View<E, C, ReadOnly> {
        unexpanded()
    }
    #[doc(hidden)]
    fn __expand_view_by_type<C: Coordinates>(&self) -> Viewed<Self, E, C>
    where
        Self: Sized,
    {
        unexpanded()
    }
}

/// Method lookup finds [`AsView::view`] through this type in callers that import only [`AsView`].
#[doc(hidden)]
pub struct Viewed<T, E, C>(PhantomData<(T, E, C)>);

impl<T, E, C, S, L> StagedMethod<S, (L,)> for Viewed<T, E, C>
where
    T: AsView<E>,
    E: CubePrimitive,
    C: Coordinates,
    S: AsViewExpand<E, SourceCoords = T::SourceCoords> + Clone,
    L: IntoLayout<C, T::SourceCoords>,
{
    type Call = Computed<ViewExpand<E, C, ReadOnly>>;
    fn call(on: &mut S, (layout,): (L,)) -> Self::Call {
        Computed::new(on.clone().__expand_view_method(layout))
    }
}

/// [`AsView`], staged.
#[doc(hidden)]
pub trait AsViewExpand<E: CubePrimitive> {
    type SourceCoords: Coordinates;
    fn __expand_view_method<C: Coordinates>(
        self,
        layout: impl IntoLayout<C, Self::SourceCoords>,
    ) -> ViewExpand<E, C, ReadOnly>;
}

/// Types with a method `view_mut`.
pub trait AsViewMut<E: CubePrimitive>: AsView<E> {
    /// A mutable view of the source through a layout.
    fn view_mut<C: Coordinates>(
        &mut self,
        _layout: impl Into<VirtualLayout<C, Self::SourceCoords>>,
    ) -> View<E, C, ReadWrite> {
        unexpanded()
    }
    #[doc(hidden)]
    fn __expand_view_mut_by_type<C: Coordinates>(&self) -> ViewedMut<Self, E, C>
    where
        Self: Sized,
    {
        unexpanded()
    }
}

/// Method lookup finds [`AsViewMut::view_mut`] through this type in callers that import only [`AsViewMut`].
#[doc(hidden)]
pub struct ViewedMut<T, E, C>(PhantomData<(T, E, C)>);

impl<T, E, C, S, L> StagedMethod<S, (L,)> for ViewedMut<T, E, C>
where
    T: AsViewMut<E>,
    E: CubePrimitive,
    C: Coordinates,
    S: AsViewMutExpand<E, SourceCoords = T::SourceCoords> + Clone,
    L: IntoLayout<C, T::SourceCoords>,
{
    type Call = Computed<ViewExpand<E, C, ReadWrite>>;
    fn call(on: &mut S, (layout,): (L,)) -> Self::Call {
        Computed::new(on.clone().__expand_view_mut_method(layout))
    }
}

/// [`AsViewMut`], staged.
#[doc(hidden)]
pub trait AsViewMutExpand<E: CubePrimitive>: AsViewExpand<E> {
    fn __expand_view_mut_method<C: Coordinates>(
        self,
        layout: impl IntoLayout<C, Self::SourceCoords>,
    ) -> ViewExpand<E, C, ReadWrite>;
}

macro_rules! memory {
    ($(<$($io:ident)?> $memory:ty, $written:ty;)*) => {$(
        impl<E: CubePrimitive $(, $io: SliceVisibility)?> ViewOperations<E, Coords1d> for $memory {
            fn storage(expand: Mem<$memory>) -> Rc<dyn ViewStorage<E, Coords1d>> {
                Rc::new(Memory(expand.mem))
            }
        }
        impl<E: CubePrimitive> ViewOperationsMut<E, Coords1d> for $written {}
        impl<E: CubePrimitive $(, $io: SliceVisibility)?> AsView<E> for $memory {
            type SourceCoords = Coords1d;
        }
        impl<E: CubePrimitive $(, $io: SliceVisibility)?> AsViewExpand<E> for Mem<$memory> {
            type SourceCoords = Coords1d;
            fn __expand_view_method<C: Coordinates>(self, layout: impl IntoLayout<C, Coords1d>) -> ViewExpand<E, C> {
                over(Rc::new(Memory(self.mem)), layout)
            }
        }
        impl<E: CubePrimitive> AsViewMut<E> for $written {}
        impl<E: CubePrimitive> AsViewMutExpand<E> for Mem<$written> {
            fn __expand_view_mut_method<C: Coordinates>(
                self,
                layout: impl IntoLayout<C, Coords1d>,
            ) -> ViewExpand<E, C, ReadWrite> {
                over(Rc::new(Memory(self.mem)), layout)
            }
        }
    )*};
}

memory! {
    <> Array<E>, Array<E>;
    <> Tensor<E>, Tensor<E>;
    <> SharedMemory<E>, SharedMemory<E>;
    <IO> Slice<E, IO>, Slice<E, ReadWrite>;
}

/// A view of a source through a layout.
pub(super) fn over<E: CubePrimitive, C: Coordinates, S: Coordinates, IO: SliceVisibility>(
    source: Rc<dyn ViewStorage<E, S>>,
    layout: impl IntoLayout<C, S>,
) -> ViewExpand<E, C, IO> {
    ViewExpand::new(Rc::new(Mapped { source, layout: layout.into_layout() }))
}

#[allow(unused_variables)]
impl<E: CubePrimitive, C: Coordinates> View<E, C, ReadOnly> {
    /// A view of a source through a layout.
    pub fn new<V: ViewOperations<E, S>, S: Coordinates>(source: &V, layout: impl Into<VirtualLayout<C, S>>) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel<V: ViewOperations<E, S>, S: Coordinates>(
        source: V::ExpandType,
        layout: impl IntoLayout<C, S>,
    ) -> ViewExpand<E, C, ReadOnly> {
        over(V::storage(source), layout)
    }
}

#[allow(unused_variables)]
impl<E: CubePrimitive, C: Coordinates> View<E, C, ReadWrite> {
    /// A mutable view of a source through a layout.
    pub fn new_mut<V: ViewOperationsMut<E, S>, S: Coordinates>(
        source: &mut V,
        layout: impl Into<VirtualLayout<C, S>>,
    ) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_mut_in_a_kernel<V: ViewOperationsMut<E, S>, S: Coordinates>(
        source: V::ExpandType,
        layout: impl IntoLayout<C, S>,
    ) -> ViewExpand<E, C, ReadWrite> {
        over(V::storage(source), layout)
    }
    /// Composes this view with a layout.
    pub fn view_mut<T: Coordinates>(
        &self,
        layout: impl Layout<Coordinates = T, SourceCoordinates = C>,
    ) -> View<E, T, ReadWrite> {
        unexpanded()
    }
    /// Writes the element at a position.
    pub fn write(&self, pos: C, value: E) {
        unexpanded()
    }
    /// Writes the element at a position if the position is in bounds.
    pub fn write_checked(&self, pos: C, value: E) {
        unexpanded()
    }
    /// The memory of the complete view. The view must be contiguous.
    pub fn to_linear_slice_mut(&self) -> Slice<E, ReadWrite> {
        unexpanded()
    }
    /// The sub-range of `size` positions from `pos`.
    pub fn slice_mut(&self, pos: C, size: C) -> View<E, C, ReadWrite> {
        unexpanded()
    }
    /// The sub-range of `size` positions from `pos`, without bounds checks.
    pub fn slice_mut_unchecked(&self, pos: C, size: C) -> View<E, C, ReadWrite> {
        unexpanded()
    }
}

#[allow(unused_variables)]
impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> View<E, C, IO> {
    /// Composes this view with a layout.
    pub fn view<T: Coordinates>(&self, layout: impl Into<VirtualLayout<T, C>>) -> View<E, T, ReadOnly> {
        unexpanded()
    }
    /// Extent of the view.
    pub fn shape(&self) -> C {
        unexpanded()
    }
    /// Whether a position is in bounds.
    pub fn is_in_bounds(&self, pos: C) -> bool {
        unexpanded()
    }
    /// The element at a position.
    pub fn read(&self, pos: C) -> E {
        unexpanded()
    }
    /// The element at a position, without a bounds check.
    pub fn read_unchecked(&self, pos: C) -> E {
        unexpanded()
    }
    /// The element at a position. If the position is out of bounds, the result is 0.
    pub fn read_checked(&self, pos: C) -> E {
        unexpanded()
    }
    /// The element at a position. If the position is out of bounds, the result is `mask_value`.
    pub fn read_masked(&self, pos: C, mask_value: E) -> E {
        unexpanded()
    }
    /// Number of elements of a line.
    pub fn line_size(&self) -> u32 {
        unexpanded()
    }
    /// The memory of the complete view. The view must be contiguous.
    pub fn to_linear_slice(&self) -> Slice<E, ReadOnly> {
        unexpanded()
    }
    /// The sub-range of `size` positions from `pos`.
    pub fn slice(&self, pos: C, size: C) -> View<E, C, ReadOnly> {
        unexpanded()
    }
    /// The sub-range of `size` positions from `pos`, without bounds checks.
    pub fn slice_unchecked(&self, pos: C, size: C) -> View<E, C, ReadOnly> {
        unexpanded()
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> ViewExpand<E, C, IO> {
    pub(crate) fn new(storage: Rc<dyn ViewStorage<E, C>>) -> Self {
        ViewExpand { storage, of: PhantomData }
    }

    fn whole<W: SliceVisibility>(&self) -> Mem<Slice<E, W>> {
        let shape = self.storage.shape();
        let one = C::from_int_in_a_kernel(shape.clone(), 1);
        let first = C::from_int_in_a_kernel(shape.clone(), 0);
        // The last position of the view. For an empty view, the result is 0.
        let last = C::sub_in_a_kernel(C::max_in_a_kernel(shape, one.clone()), one);
        Mem::new(self.storage.linear(first, last))
    }

    fn part<W: SliceVisibility>(&self, pos: C::ExpandType, size: C::ExpandType, checked: bool) -> ViewExpand<E, C, W> {
        let shape = self.storage.shape();
        let pos = C::min_in_a_kernel(pos, shape.clone());
        let size = C::min_in_a_kernel(size, C::sub_in_a_kernel(shape, pos.clone()));
        over(self.storage.clone(), SliceLayout::<C>::new_in_a_kernel(pos, size, checked))
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> ViewExpand<E, C, IO> {
    /// The line size on the host, for `comptime!(view.line_size())`.
    pub fn line_size(&self) -> u32 {
        self.storage.line_size()
    }
    pub fn __expand_view_method<T: Coordinates>(&self, layout: impl IntoLayout<T, C>) -> ViewExpand<E, T, ReadOnly> {
        over(self.storage.clone(), layout)
    }
    pub fn __expand_shape_method(&self) -> C::ExpandType {
        self.storage.shape()
    }
    pub fn __expand_is_in_bounds_method(&self, pos: C::ExpandType) -> Val<bool> {
        self.storage.is_in_bounds(pos)
    }
    pub fn __expand_read_method(&self, pos: C::ExpandType) -> Val<E> {
        self.storage.read(pos, false)
    }
    pub fn __expand_read_unchecked_method(&self, pos: C::ExpandType) -> Val<E> {
        self.storage.read(pos, true)
    }
    pub fn __expand_read_checked_method(&self, pos: C::ExpandType) -> Val<E> {
        self.storage.read_or(pos, zero())
    }
    pub fn __expand_read_masked_method(&self, pos: C::ExpandType, mask_value: Val<E>) -> Val<E> {
        self.storage.read_or(pos, mask_value)
    }
    pub fn __expand_line_size_method(&self) -> u32 {
        self.storage.line_size()
    }
    pub fn __expand_to_linear_slice_method(&self) -> Mem<Slice<E, ReadOnly>> {
        self.whole()
    }
    pub fn __expand_slice_method(&self, pos: C::ExpandType, size: C::ExpandType) -> ViewExpand<E, C, ReadOnly> {
        self.part(pos, size, true)
    }
    pub fn __expand_slice_unchecked_method(
        &self,
        pos: C::ExpandType,
        size: C::ExpandType,
    ) -> ViewExpand<E, C, ReadOnly> {
        self.part(pos, size, false)
    }
}

/// Expansions of the methods of mutable views.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive, C: Coordinates> ViewExpand<E, C, ReadWrite> {
    pub fn __expand_view_mut_method<T: Coordinates>(
        &self,
        layout: impl IntoLayout<T, C>,
    ) -> ViewExpand<E, T, ReadWrite> {
        over(self.storage.clone(), layout)
    }
    pub fn __expand_write_method(&self, pos: C::ExpandType, value: Val<E>) {
        self.storage.write(pos, value);
    }
    pub fn __expand_write_checked_method(&self, pos: C::ExpandType, value: Val<E>) {
        self.storage.write_if(pos, value);
    }
    pub fn __expand_to_linear_slice_mut_method(&self) -> Mem<Slice<E, ReadWrite>> {
        self.whole()
    }
    pub fn __expand_slice_mut_method(&self, pos: C::ExpandType, size: C::ExpandType) -> ViewExpand<E, C, ReadWrite> {
        self.part(pos, size, true)
    }
    pub fn __expand_slice_mut_unchecked_method(
        &self,
        pos: C::ExpandType,
        size: C::ExpandType,
    ) -> ViewExpand<E, C, ReadWrite> {
        self.part(pos, size, false)
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> std::ops::Index<C> for View<E, C, IO> {
    type Output = E;
    fn index(&self, _: C) -> &E {
        unexpanded()
    }
}

impl<E: CubePrimitive, C: Coordinates> std::ops::IndexMut<C> for View<E, C, ReadWrite> {
    fn index_mut(&mut self, _: C) -> &mut E {
        unexpanded()
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> Index for ViewExpand<E, C, IO> {
    type At = C::ExpandType;
    type Out = Val<E>;
    fn at(&self, pos: C::ExpandType) -> Val<E> {
        self.storage.read(pos, false)
    }
}

impl<E: CubePrimitive, C: Coordinates> IndexAssign for ViewExpand<E, C, ReadWrite> {
    fn set(&self, pos: C::ExpandType, value: Val<E>) {
        self.storage.write(pos, value);
    }
}
