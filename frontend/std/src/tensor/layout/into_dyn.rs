//! A layout whose source coordinates become a sequence of signed numbers.
use super::{Coordinates, Layout, LayoutExpand};
use cube_frontend::__private::{CompileArg, Launch, Params};
use cube_frontend::prelude::*;

/// Coordinates that convert to a sequence of signed coordinates with a compile-time length.
#[cube]
pub trait IntoDyn: Coordinates {
    /// The coordinates as a sequence.
    fn into_dyn(self) -> Sequence<i32>;
}

macro_rules! tuples {
    ($number:ident: $(($($at:tt),*))*) => {$(
        #[cube]
        impl IntoDyn for ($(tuples!(@ $number $at),)*) {
            fn into_dyn(self) -> Sequence<i32> {
                let mut all = Sequence::<i32>::new();
                $(all.push(i32::cast_from(self.$at));)*
                all
            }
        }
    )*};
    (@ $number:ident $at:tt) => { $number };
}

tuples!(u32: (0, 1) (0, 1, 2) (0, 1, 2, 3) (0, 1, 2, 3, 4));
tuples!(i32: (0, 1) (0, 1, 2) (0, 1, 2, 3) (0, 1, 2, 3, 4));

#[cube]
impl IntoDyn for Sequence<i32> {
    fn into_dyn(self) -> Sequence<i32> {
        self
    }
}

#[cube]
impl IntoDyn for Sequence<u32> {
    fn into_dyn(self) -> Sequence<i32> {
        let mut all = Sequence::<i32>::new();
        #[unroll]
        for i in 0..self.len() {
            all.push(i32::cast_from(*self.index(i)));
        }
        all
    }
}

/// Wraps a layout; the source coordinates of the result are a sequence.
#[derive(CubeType, Clone)]
pub struct IntoDynLayout<L: Layout<SourceCoordinates: IntoDyn>> {
    layout: L,
}

#[cube]
impl<L: Layout<SourceCoordinates: IntoDyn>> IntoDynLayout<L> {
    /// Converts the source coordinates of a layout.
    pub fn new(layout: L) -> Self {
        IntoDynLayout::<L> { layout }
    }
}

#[cube]
impl<L: Layout<SourceCoordinates: IntoDyn>> Layout for IntoDynLayout<L> {
    type Coordinates = L::Coordinates;
    type SourceCoordinates = Sequence<i32>;

    fn to_source_pos(&self, pos: Self::Coordinates) -> Self::SourceCoordinates {
        self.layout.to_source_pos(pos).into_dyn()
    }
    fn to_source_pos_checked(&self, pos: Self::Coordinates) -> (Self::SourceCoordinates, bool) {
        let (pos, inside) = self.layout.to_source_pos_checked(pos);
        (pos.into_dyn(), inside)
    }
    fn shape(&self) -> Self::Coordinates {
        self.layout.shape()
    }
    fn is_in_bounds(&self, pos: Self::Coordinates) -> bool {
        self.layout.is_in_bounds(pos)
    }
}

/// An [`IntoDynLayout`] as a launch argument.
pub struct IntoDynLayoutLaunch<'a, L: LaunchArg, R: Runtime> {
    layout: L::RuntimeArg<'a, R>,
}

impl<'a, L: LaunchArg, R: Runtime> IntoDynLayoutLaunch<'a, L, R> {
    /// Converts the source coordinates of a layout argument.
    pub fn new(layout: L::RuntimeArg<'a, R>) -> Self {
        IntoDynLayoutLaunch { layout }
    }
}

impl<L: Layout<SourceCoordinates: IntoDyn> + LaunchArg> LaunchArg for IntoDynLayout<L> {
    type RuntimeArg<'a, R: Runtime> = IntoDynLayoutLaunch<'a, L, R>;

    fn register<'a: 'x, 'x, R: Runtime>(arg: &'x Self::RuntimeArg<'a, R>, launch: &mut Launch<'x>) -> CompileArg {
        CompileArg::Node(vec![L::register::<R>(&arg.layout, launch)])
    }
    fn enter(arg: &CompileArg, params: &mut Params) -> Self::ExpandType {
        IntoDynLayout::<L>::new_in_a_kernel(L::enter(arg.part(0), &mut params.field("layout")))
    }
}
