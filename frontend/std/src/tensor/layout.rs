//! Layouts: maps from coordinates of a view to coordinates of its source.
//!
//! * [`simple`], [`plain`], [`strided`], [`permuted`]: memory with a linear index. [`linear`] selects the cheapest
//!   layout that is valid for a tensor.
//! * [`chain`]: composition of layouts. [`mod@slice`]: a sub-range of a view.
pub mod chain;
mod coordinates;
mod into_dyn;
pub mod linear;
pub mod permuted;
pub mod plain;
pub mod simple;
pub mod slice;
pub mod strided;

pub use coordinates::*;
pub use into_dyn::{IntoDyn, IntoDynExpand, IntoDynLayout, IntoDynLayoutExpand, IntoDynLayoutLaunch};

use cube_frontend::__private::{HasHost, Staged, Val, unexpanded};
use cube_frontend::prelude::*;
use std::marker::PhantomData;
use std::rc::Rc;

/// A map from the coordinates of a view to the coordinates of its source. The source is memory or another view.
#[cube(expand_base_traits = "Clone")]
pub trait Layout: 'static {
    /// Coordinates of the view.
    type Coordinates: Coordinates;
    /// Coordinates of the source.
    type SourceCoordinates: Coordinates;

    /// Maps a position of the view to a position of the source.
    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates;
    /// Maps a position of the view to a position of the source. The second result is `true` if the position is in
    /// bounds.
    fn to_source_pos_checked(&self, pos: Self::Coordinates) -> (Self::SourceCoordinates, bool) {
        (self.to_source_pos(pos.clone()), self.is_in_bounds(pos))
    }
    /// Extent of the view.
    fn shape(&self) -> Self::Coordinates;
    /// Whether a position is less than the extent in each dimension.
    fn is_in_bounds(&self, pos: Self::Coordinates) -> bool {
        Self::Coordinates::is_in_bounds(&pos, &self.shape())
    }
}

/// A layout with an erased type.
pub struct VirtualLayout<C: Coordinates, S: Coordinates> {
    of: PhantomData<fn() -> (C, S)>,
}

impl<C: Coordinates, S: Coordinates> Clone for VirtualLayout<C, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: Coordinates, S: Coordinates> Copy for VirtualLayout<C, S> {}

impl<L: Layout> From<L> for VirtualLayout<L::Coordinates, L::SourceCoordinates> {
    fn from(_: L) -> Self {
        unexpanded()
    }
}

/// Dynamic form of [`Layout`].
pub(super) trait Mapping<C: Coordinates, S: Coordinates> {
    fn source(&self, pos: C::ExpandType) -> S::ExpandType;
    fn checked(&self, pos: C::ExpandType) -> (S::ExpandType, Val<bool>);
    fn shape(&self) -> C::ExpandType;
    fn is_in_bounds(&self, pos: C::ExpandType) -> Val<bool>;
}

struct TypedLayout<L: Layout>(L::ExpandType);

impl<L: Layout> Mapping<L::Coordinates, L::SourceCoordinates> for TypedLayout<L> {
    fn source(&self, pos: Expand<L::Coordinates>) -> Expand<L::SourceCoordinates> {
        L::to_source_pos_in_a_kernel(self.0.clone(), pos)
    }
    fn checked(&self, pos: Expand<L::Coordinates>) -> (Expand<L::SourceCoordinates>, Val<bool>) {
        L::to_source_pos_checked_in_a_kernel(self.0.clone(), pos)
    }
    fn shape(&self) -> Expand<L::Coordinates> {
        L::shape_in_a_kernel(self.0.clone())
    }
    fn is_in_bounds(&self, pos: Expand<L::Coordinates>) -> Val<bool> {
        L::is_in_bounds_in_a_kernel(self.0.clone(), pos)
    }
}

type Expand<T> = <T as CubeType>::ExpandType;

/// [`VirtualLayout`], staged.
#[doc(hidden)]
pub struct VirtualLayoutExpand<C: Coordinates, S: Coordinates> {
    pub(super) mapping: Rc<dyn Mapping<C, S>>,
}

impl<C: Coordinates, S: Coordinates> Clone for VirtualLayoutExpand<C, S> {
    fn clone(&self) -> Self {
        VirtualLayoutExpand { mapping: self.mapping.clone() }
    }
}

impl<C: Coordinates, S: Coordinates> CubeType for VirtualLayout<C, S> {
    type ExpandType = VirtualLayoutExpand<C, S>;
}

impl<C: Coordinates, S: Coordinates> HasHost for VirtualLayoutExpand<C, S> {
    type Host = VirtualLayout<C, S>;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl<C: Coordinates, S: Coordinates> Staged for VirtualLayoutExpand<C, S> {
    const HAS_DUMMY: bool = false;
    fn dummy() -> Self {
        cube_frontend::__private::no_dummy()
    }
}

impl<C: Coordinates, S: Coordinates> VirtualLayoutExpand<C, S> {
    /// Erases the type of a layout.
    pub(super) fn of<L: Layout<Coordinates = C, SourceCoordinates = S>>(layout: L::ExpandType) -> Self {
        VirtualLayoutExpand { mapping: Rc::new(TypedLayout::<L>(layout)) }
    }
}

/// Layout arguments of views: a typed layout, or a layout with an erased type.
#[doc(hidden)]
pub trait IntoLayout<C: Coordinates, S: Coordinates> {
    /// Erases the type of the layout.
    fn into_layout(self) -> VirtualLayoutExpand<C, S>;
}

impl<E: LayoutExpand> IntoLayout<<E::__Of as Layout>::Coordinates, <E::__Of as Layout>::SourceCoordinates> for E {
    fn into_layout(
        self,
    ) -> VirtualLayoutExpand<<E::__Of as Layout>::Coordinates, <E::__Of as Layout>::SourceCoordinates> {
        VirtualLayoutExpand::of::<E::__Of>(self.__staged())
    }
}

impl<C: Coordinates, S: Coordinates> IntoLayout<C, S> for VirtualLayoutExpand<C, S> {
    fn into_layout(self) -> VirtualLayoutExpand<C, S> {
        self
    }
}

impl<C: Coordinates, S: Coordinates> VirtualLayout<C, S> {
    /// Erases the type of a layout.
    pub fn new<L: Layout<Coordinates = C, SourceCoordinates = S>>(_layout: L) -> Self {
        unexpanded()
    }
    #[doc(hidden)]
    pub fn new_in_a_kernel<L: Layout<Coordinates = C, SourceCoordinates = S>>(
        layout: L::ExpandType,
    ) -> VirtualLayoutExpand<C, S> {
        VirtualLayoutExpand::of::<L>(layout)
    }
    /// See [`Layout::to_source_pos`].
    pub fn to_source_pos(&self, _pos: C) -> S {
        unexpanded()
    }
    /// See [`Layout::to_source_pos_checked`].
    pub fn to_source_pos_checked(&self, _pos: C) -> (S, bool) {
        unexpanded()
    }
    /// See [`Layout::shape`].
    pub fn shape(&self) -> C {
        unexpanded()
    }
    /// See [`Layout::is_in_bounds`].
    pub fn is_in_bounds(&self, _pos: C) -> bool {
        unexpanded()
    }
}

/// Expansions of methods.
#[doc(hidden)]
#[allow(missing_docs)]
impl<C: Coordinates, S: Coordinates> VirtualLayoutExpand<C, S> {
    pub fn __expand_to_source_pos_method(&self, pos: C::ExpandType) -> S::ExpandType {
        self.mapping.source(pos)
    }
    pub fn __expand_to_source_pos_checked_method(&self, pos: C::ExpandType) -> (S::ExpandType, Val<bool>) {
        self.mapping.checked(pos)
    }
    pub fn __expand_shape_method(&self) -> C::ExpandType {
        self.mapping.shape()
    }
    pub fn __expand_is_in_bounds_method(&self, pos: C::ExpandType) -> Val<bool> {
        self.mapping.is_in_bounds(pos)
    }
}
