//! Contiguous memory, indexed by line.
use super::{Coords1d, Layout};
use cube_frontend::prelude::*;

/// The identity map on line indices.
#[derive(CubeType, CubeLaunch, Clone)]
pub struct PlainLayout {
    len: u32,
}

#[cube]
impl PlainLayout {
    /// A layout of `len` lines.
    pub fn new(len: u32) -> Self {
        PlainLayout { len }
    }
}

impl<'a, R: Runtime> PlainLayoutLaunch<'a, R> {
    /// The layout of a tensor's lines.
    pub fn from_shape(shape: &[usize], line_size: u8) -> Self {
        let lines = shape.iter().product::<usize>() / usize::from(line_size.max(1));
        Self::new(ScalarArg::new(lines as u32))
    }

    /// The layout of a tensor's lines.
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
