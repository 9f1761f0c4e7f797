//! Composition of two layouts.
use super::{Layout, LayoutExpand};
use cube_frontend::__private::{CompileArg, Launch, Params};
use cube_frontend::prelude::*;

/// The composition `l0(l1(pos))`.
#[derive(CubeType, Clone)]
pub struct Chain<L0: Layout, L1: Layout<SourceCoordinates = L0::Coordinates>> {
    l0: L0,
    l1: L1,
}

#[cube]
impl<L0: Layout, L1: Layout<SourceCoordinates = L0::Coordinates>> Chain<L0, L1> {
    /// Composes two layouts.
    pub fn new(l0: L0, l1: L1) -> Self {
        Chain::<L0, L1> { l0, l1 }
    }
}

#[cube]
impl<L0: Layout, L1: Layout<SourceCoordinates = L0::Coordinates>> Layout for Chain<L0, L1> {
    type Coordinates = L1::Coordinates;
    type SourceCoordinates = L0::SourceCoordinates;

    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        let pos = self.l1.to_source_pos(pos);
        self.l0.to_source_pos(pos)
    }
    fn to_source_pos_checked(&self, pos: Self::Coordinates) -> (Self::SourceCoordinates, bool) {
        let (pos, outer) = self.l1.to_source_pos_checked(pos);
        let (pos, inner) = self.l0.to_source_pos_checked(pos);
        (pos, inner && outer)
    }
    fn shape(&self) -> Self::Coordinates {
        self.l1.shape()
    }
    fn is_in_bounds(&self, pos: Self::Coordinates) -> bool {
        let (pos, outer) = self.l1.to_source_pos_checked(pos);
        outer && self.l0.is_in_bounds(pos)
    }
}

/// A [`Chain`] as a launch argument.
pub struct ChainLaunch<'a, L0: LaunchArg, L1: LaunchArg, R: Runtime> {
    l0: L0::RuntimeArg<'a, R>,
    l1: L1::RuntimeArg<'a, R>,
}

impl<'a, L0: LaunchArg, L1: LaunchArg, R: Runtime> ChainLaunch<'a, L0, L1, R> {
    /// Composes two layout arguments.
    pub fn new(l0: L0::RuntimeArg<'a, R>, l1: L1::RuntimeArg<'a, R>) -> Self {
        ChainLaunch { l0, l1 }
    }
}

impl<L0: Layout + LaunchArg, L1: Layout<SourceCoordinates = L0::Coordinates> + LaunchArg> LaunchArg for Chain<L0, L1> {
    type RuntimeArg<'a, R: Runtime> = ChainLaunch<'a, L0, L1, R>;

    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        CompileArg::Node(vec![L0::register::<R>(&arg.l0, launch), L1::register::<R>(&arg.l1, launch)])
    }
    fn enter(arg: &CompileArg, params: &mut Params) -> Self::ExpandType {
        let l0 = L0::enter(arg.part(0), &mut params.field("l0"));
        let l1 = L1::enter(arg.part(1), &mut params.field("l1"));
        Chain::<L0, L1>::new_in_a_kernel(l0, l1)
    }
}
