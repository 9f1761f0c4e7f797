//! Views: memory seen through a layout.
use super::layout::slice::SliceLayout;
use super::layout::{Coordinates, Coords1d, IntoLayout, Layout, VirtualLayout};
use super::reach::{Mapped, Memory, Of, Reach, zero};
use cube_frontend::__private::{HasHost, IndexAssign, Kept, Staged, StagedMethod, Val, unexpanded};
use cube_frontend::lang::containers::{Index, Mem};
use cube_frontend::prelude::*;
use std::marker::PhantomData;
use std::rc::Rc;

/// Elements at coordinates, wherever they are.
pub struct View<E: CubePrimitive, C: Coordinates, IO: SliceVisibility = ReadOnly> {
    of: Of<(E, C, IO)>,
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
    reach: Rc<dyn Reach<E, C>>,
    of: PhantomData<fn() -> IO>,
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> Clone for ViewExpand<E, C, IO> {
    fn clone(&self) -> Self {
        ViewExpand::new(self.reach.clone())
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
        if !Rc::ptr_eq(&self.reach, &value.reach) {
            cube_frontend::__private::replace_shape(self, value);
        }
    }
    fn dummy() -> Self {
        cube_frontend::__private::no_dummy()
    }
}

/// What a view can lie on.
pub trait ViewOperations<E: CubePrimitive, C: Coordinates>: CubeType {
    #[doc(hidden)]
    fn reach(expand: Self::ExpandType) -> Rc<dyn Reach<E, C>>;
}

/// What a view that is written can lie on.
pub trait ViewOperationsMut<E: CubePrimitive, C: Coordinates>: ViewOperations<E, C> {}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> ViewOperations<E, C> for View<E, C, IO> {
    fn reach(expand: ViewExpand<E, C, IO>) -> Rc<dyn Reach<E, C>> {
        expand.reach
    }
}

impl<E: CubePrimitive, C: Coordinates> ViewOperationsMut<E, C> for View<E, C, ReadWrite> {}

/// What can be seen through a layout.
pub trait AsView<E: CubePrimitive>: CubeType {
    /// How its elements are counted.
    type SourceCoords: Coordinates;
    /// It, seen through a layout.
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

/// The name of the expansion of [`AsView::view`], by which a call finds it where only [`AsView`] is imported.
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
    type Call = Kept<ViewExpand<E, C, ReadOnly>>;
    fn call(on: &mut S, (layout,): (L,)) -> Self::Call {
        Kept::new(on.clone().__expand_view_method(layout))
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

/// What can be seen, and written, through a layout.
pub trait AsViewMut<E: CubePrimitive>: AsView<E> {
    /// It, seen through a layout.
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

/// As [`Viewed`], of [`AsViewMut::view_mut`].
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
    type Call = Kept<ViewExpand<E, C, ReadWrite>>;
    fn call(on: &mut S, (layout,): (L,)) -> Self::Call {
        Kept::new(on.clone().__expand_view_mut_method(layout))
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
            fn reach(expand: Mem<$memory>) -> Rc<dyn Reach<E, Coords1d>> {
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

/// A layout over what lies below.
pub(super) fn over<E: CubePrimitive, C: Coordinates, S: Coordinates, IO: SliceVisibility>(
    below: Rc<dyn Reach<E, S>>,
    layout: impl IntoLayout<C, S>,
) -> ViewExpand<E, C, IO> {
    ViewExpand::new(Rc::new(Mapped { below, layout: layout.into_layout() }))
}

#[allow(unused_variables)]
impl<E: CubePrimitive, C: Coordinates> View<E, C, ReadOnly> {
    /// What lies below, seen through a layout.
    pub fn new<V: ViewOperations<E, S>, S: Coordinates>(below: &V, layout: impl Into<VirtualLayout<C, S>>) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_new<V: ViewOperations<E, S>, S: Coordinates>(
        below: V::ExpandType,
        layout: impl IntoLayout<C, S>,
    ) -> ViewExpand<E, C, ReadOnly> {
        over(V::reach(below), layout)
    }
}

#[allow(unused_variables)]
impl<E: CubePrimitive, C: Coordinates> View<E, C, ReadWrite> {
    /// What lies below, seen and written through a layout.
    pub fn new_mut<V: ViewOperationsMut<E, S>, S: Coordinates>(
        below: &mut V,
        layout: impl Into<VirtualLayout<C, S>>,
    ) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn __expand_new_mut<V: ViewOperationsMut<E, S>, S: Coordinates>(
        below: V::ExpandType,
        layout: impl IntoLayout<C, S>,
    ) -> ViewExpand<E, C, ReadWrite> {
        over(V::reach(below), layout)
    }
    /// This view through one more layout.
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
    /// Writes the element at a position, where there is one.
    pub fn write_checked(&self, pos: C, value: E) {
        unexpanded()
    }
    /// The memory of the whole view, which must have no gaps.
    pub fn to_linear_slice_mut(&self) -> Slice<E, ReadWrite> {
        unexpanded()
    }
    /// The part of `size` positions from `pos` on.
    pub fn slice_mut(&self, pos: C, size: C) -> View<E, C, ReadWrite> {
        unexpanded()
    }
    /// The part of `size` positions from `pos` on; every position counts as inside.
    pub fn slice_mut_unchecked(&self, pos: C, size: C) -> View<E, C, ReadWrite> {
        unexpanded()
    }
}

#[allow(unused_variables)]
impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> View<E, C, IO> {
    /// This view through one more layout.
    pub fn view<T: Coordinates>(&self, layout: impl Into<VirtualLayout<T, C>>) -> View<E, T, ReadOnly> {
        unexpanded()
    }
    /// The extent.
    pub fn shape(&self) -> C {
        unexpanded()
    }
    /// Whether a position is inside.
    pub fn is_in_bounds(&self, pos: C) -> bool {
        unexpanded()
    }
    /// The element at a position.
    pub fn read(&self, pos: C) -> E {
        unexpanded()
    }
    /// The element at a position that is promised to be inside.
    pub fn read_unchecked(&self, pos: C) -> E {
        unexpanded()
    }
    /// The element at a position; 0 where there is none.
    pub fn read_checked(&self, pos: C) -> E {
        unexpanded()
    }
    /// The element at a position; `mask_value` where there is none.
    pub fn read_masked(&self, pos: C, mask_value: E) -> E {
        unexpanded()
    }
    /// Elements of a line.
    pub fn line_size(&self) -> u32 {
        unexpanded()
    }
    /// The memory of the whole view, which must have no gaps.
    pub fn to_linear_slice(&self) -> Slice<E, ReadOnly> {
        unexpanded()
    }
    /// The part of `size` positions from `pos` on.
    pub fn slice(&self, pos: C, size: C) -> View<E, C, ReadOnly> {
        unexpanded()
    }
    /// The part of `size` positions from `pos` on; every position counts as inside.
    pub fn slice_unchecked(&self, pos: C, size: C) -> View<E, C, ReadOnly> {
        unexpanded()
    }
}

impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> ViewExpand<E, C, IO> {
    pub(super) fn new(reach: Rc<dyn Reach<E, C>>) -> Self {
        ViewExpand { reach, of: PhantomData }
    }

    fn whole<W: SliceVisibility>(&self) -> Mem<Slice<E, W>> {
        let shape = self.reach.shape();
        let one = C::__expand_from_int(shape.clone(), 1);
        let first = C::__expand_from_int(shape.clone(), 0);
        // The last position, also of a view without any.
        let last = C::__expand_sub(C::__expand_max(shape, one.clone()), one);
        Mem::new(self.reach.linear(first, last))
    }

    fn part<W: SliceVisibility>(&self, pos: C::ExpandType, size: C::ExpandType, checked: bool) -> ViewExpand<E, C, W> {
        let shape = self.reach.shape();
        let pos = C::__expand_min(pos, shape.clone());
        let size = C::__expand_min(size, C::__expand_sub(shape, pos.clone()));
        over(self.reach.clone(), SliceLayout::<C>::__expand_new(pos, size, checked))
    }
}

/// The twins of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive, C: Coordinates, IO: SliceVisibility> ViewExpand<E, C, IO> {
    /// For `comptime!(view.line_size())`.
    pub fn line_size(&self) -> u32 {
        self.reach.line_size()
    }
    pub fn __expand_view_method<T: Coordinates>(&self, layout: impl IntoLayout<T, C>) -> ViewExpand<E, T, ReadOnly> {
        over(self.reach.clone(), layout)
    }
    pub fn __expand_shape_method(&self) -> C::ExpandType {
        self.reach.shape()
    }
    pub fn __expand_is_in_bounds_method(&self, pos: C::ExpandType) -> Val<bool> {
        self.reach.holds(pos)
    }
    pub fn __expand_read_method(&self, pos: C::ExpandType) -> Val<E> {
        self.reach.read(pos, false)
    }
    pub fn __expand_read_unchecked_method(&self, pos: C::ExpandType) -> Val<E> {
        self.reach.read(pos, true)
    }
    pub fn __expand_read_checked_method(&self, pos: C::ExpandType) -> Val<E> {
        self.reach.read_or(pos, zero())
    }
    pub fn __expand_read_masked_method(&self, pos: C::ExpandType, mask_value: Val<E>) -> Val<E> {
        self.reach.read_or(pos, mask_value)
    }
    pub fn __expand_line_size_method(&self) -> u32 {
        self.reach.line_size()
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

/// The twins of methods that write.
#[doc(hidden)]
#[allow(missing_docs)]
impl<E: CubePrimitive, C: Coordinates> ViewExpand<E, C, ReadWrite> {
    pub fn __expand_view_mut_method<T: Coordinates>(
        &self,
        layout: impl IntoLayout<T, C>,
    ) -> ViewExpand<E, T, ReadWrite> {
        over(self.reach.clone(), layout)
    }
    pub fn __expand_write_method(&self, pos: C::ExpandType, value: Val<E>) {
        self.reach.write(pos, value);
    }
    pub fn __expand_write_checked_method(&self, pos: C::ExpandType, value: Val<E>) {
        self.reach.write_if(pos, value);
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
        self.reach.read(pos, false)
    }
}

impl<E: CubePrimitive, C: Coordinates> IndexAssign for ViewExpand<E, C, ReadWrite> {
    fn set(&self, pos: C::ExpandType, value: Val<E>) {
        self.reach.write(pos, value);
    }
}
