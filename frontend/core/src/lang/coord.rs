//! Coordinates of views. A coordinate contains numbers, wildcards and nested tuples.
use super::arguments::Arg;
use super::value::{CubeType, HasHost, Staged, Val};
use crate::ir::Lit;

/// The wildcard in a coordinate, which selects a complete mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Selects all coordinates of the mode.
    All,
}

impl CubeType for Mode {
    type ExpandType = Mode;
    fn into_staged(self) -> Mode {
        self
    }
}

impl HasHost for Mode {
    type Host = Mode;
    fn __staged(self) -> <Self::Host as CubeType>::ExpandType {
        self
    }
}

impl Staged for Mode {
    fn to_cells(&self, _: usize) -> Self {
        *self
    }
    fn store(&mut self, _: Self) {}
    fn rd(&self) -> Self {
        *self
    }
    fn dummy() -> Self {
        Mode::All
    }
}

/// Types of a coordinate's parts: `u32`, `Mode`, or a nested tuple.
pub trait CoordPart {}

/// Types of coordinates: a tuple of parts, or `Mode`. `(i,)` is a linear index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a coordinate",
    label = "not a coordinate",
    note = "a coordinate is a tuple of `u32`, `Mode::All` and tuples, nested like the layout; a linear index is `(i,)`"
)]
pub trait Coordinate {}

/// A staged coordinate.
#[derive(Clone, Debug)]
pub struct CoordExpand {
    /// The coordinate in the syntax of `#layout.coord`.
    pub text: String,
    /// The values of the placeholders `?` in `text`, in order.
    pub indices: Vec<Val<u32>>,
}

/// [`Coordinate`], staged.
#[doc(hidden)]
pub trait CoordParts {
    fn write(&self, coord: &mut CoordExpand);
}

impl CoordPart for u32 {}
impl CoordPart for Mode {}
impl Coordinate for Mode {}

impl CoordParts for Val<u32> {
    fn write(&self, coord: &mut CoordExpand) {
        match self.constant().and_then(Lit::int).and_then(|n| u32::try_from(n).ok()) {
            Some(n) => coord.text.push_str(&n.to_string()),
            None => {
                coord.text.push('?');
                coord.indices.push(*self);
            }
        }
    }
}

/// A constant part.
impl CoordParts for u32 {
    fn write(&self, coord: &mut CoordExpand) {
        coord.text.push_str(&self.to_string());
    }
}

impl CoordParts for Mode {
    fn write(&self, coord: &mut CoordExpand) {
        coord.text.push('_');
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt),*) => {
        impl<$($name: CoordPart),*> CoordPart for ($($name,)*) {}
        impl<$($name: CoordPart),*> Coordinate for ($($name,)*) {}
        #[diagnostic::do_not_recommend]
        impl<$($name: CoordParts),*> Arg<CoordExpand> for ($($name,)*) {
            fn arg(self) -> CoordExpand {
                staged(&self)
            }
        }
        impl<$($name: CoordParts),*> CoordParts for ($($name,)*) {
            fn write(&self, coord: &mut CoordExpand) {
                // A tuple of one part is a linear index, for flat and for nested layouts.
                let several = [$($at),*].len() > 1;
                if several {
                    coord.text.push('(');
                }
                $(
                    if $at > 0 {
                        coord.text.push(',');
                    }
                    self.$at.write(coord);
                )*
                if several {
                    coord.text.push(')');
                }
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// Stages a coordinate.
fn staged(parts: &impl CoordParts) -> CoordExpand {
    let mut coord = CoordExpand { text: String::new(), indices: Vec::new() };
    parts.write(&mut coord);
    coord
}

impl Arg<CoordExpand> for Mode {
    fn arg(self) -> CoordExpand {
        staged(&self)
    }
}
