//! Coordinates of views: numbers, modes that stay, and tuples of them.
use super::passed::Arg;
use super::value::{CubeType, HasHost, Staged, Val};
use crate::ir::Lit;

/// A mode that a coordinate leaves as it is: the wildcard of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All of it.
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

/// What may stand in a coordinate: a `u32`, `Mode::All`, or a tuple of them.
pub trait Part {}

/// What may be a coordinate: a tuple of parts, or `Mode::All`. `(i,)` is an index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no coordinate",
    label = "not a coordinate",
    note = "a coordinate is a tuple of `u32`, `Mode::All` and tuples, nested as the layout is; an index is `(i,)`"
)]
pub trait Coordinate {}

/// A coordinate while the kernel is written.
#[derive(Clone, Debug)]
pub struct CoordExpand {
    /// As `#layout.coord` writes it.
    pub text: String,
    /// What its places `?` are.
    pub indices: Vec<Val<u32>>,
}

/// [`Coordinate`], staged.
#[doc(hidden)]
pub trait Places {
    fn write(&self, coord: &mut CoordExpand);
}

impl Part for u32 {}
impl Part for Mode {}
impl Coordinate for Mode {}

impl Places for Val<u32> {
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

/// A number of the host.
impl Places for u32 {
    fn write(&self, coord: &mut CoordExpand) {
        coord.text.push_str(&self.to_string());
    }
}

impl Places for Mode {
    fn write(&self, coord: &mut CoordExpand) {
        coord.text.push('_');
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt),*) => {
        impl<$($name: Part),*> Part for ($($name,)*) {}
        impl<$($name: Part),*> Coordinate for ($($name,)*) {}
        #[diagnostic::do_not_recommend]
        impl<$($name: Places),*> Arg<CoordExpand> for ($($name,)*) {
            fn arg(self) -> CoordExpand {
                written(&self)
            }
        }
        impl<$($name: Places),*> Places for ($($name,)*) {
            fn write(&self, coord: &mut CoordExpand) {
                // Of one part it is that part: an index, whatever the layout's nesting.
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

/// A coordinate, written.
fn written(places: &impl Places) -> CoordExpand {
    let mut coord = CoordExpand { text: String::new(), indices: Vec::new() };
    places.write(&mut coord);
    coord
}

impl Arg<CoordExpand> for Mode {
    fn arg(self) -> CoordExpand {
        written(&self)
    }
}
