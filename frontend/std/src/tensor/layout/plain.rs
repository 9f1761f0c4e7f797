//! Memory without gaps, counted in lines.
use super::{Coords1d, Layout};
use cube_frontend::prelude::*;

/// A line's number is its place.
#[derive(CubeType, CubeLaunch, Clone)]
pub struct PlainLayout {
    len: u32,
}

#[cube]
impl PlainLayout {
    /// That many lines.
    pub fn new(len: u32) -> Self {
        PlainLayout { len }
    }
}

impl<'a, R: Runtime> PlainLayoutLaunch<'a, R> {
    /// The lines of a tensor.
    pub fn from_shape(shape: &[usize], line_size: u8) -> Self {
        let lines = shape.iter().product::<usize>() / usize::from(line_size.max(1));
        Self::new(ScalarArg::new(lines as u32))
    }

    /// The lines of a tensor.
    pub fn from_handle(handle: &TensorHandleRef<'_, R>, line_size: u8) -> Self {
        Self::from_shape(handle.shape, line_size)
    }
}

#[cube]
impl Layout for PlainLayout {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> u32 {
        pos
    }
    fn shape(&self) -> Self::Coordinates {
        self.len
    }
}
