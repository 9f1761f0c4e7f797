//! Sub-ranges of a view.
use super::{Coordinates, Layout};
use cube_frontend::prelude::*;

/// A layout of the positions `offset..offset + size` in each dimension.
#[derive(CubeType, Clone)]
pub struct SliceLayout<C: Coordinates> {
    offset: C,
    size: C,
    #[cube(comptime)]
    checked: bool,
}

#[cube]
impl<C: Coordinates> SliceLayout<C> {
    /// The sub-range of a view that begins at `start`. If `checked` is false, every position is treated as in
    /// bounds.
    pub fn new(start: C, size: C, #[comptime] checked: bool) -> Self {
        SliceLayout::<C> { offset: start, size, checked }
    }
}

#[cube]
impl<C: Coordinates> Layout for SliceLayout<C> {
    type Coordinates = C;
    type SourceCoordinates = C;

    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        C::add(self.offset.clone(), pos)
    }
    fn shape(&self) -> Self::Coordinates {
        self.size.clone()
    }
    fn is_in_bounds(&self, pos: Self::Coordinates) -> bool {
        if comptime!(self.checked) { C::is_in_bounds(&pos, &self.size) } else { true.runtime() }
    }
}
