//! Contiguous memory, indexed by element.
use super::{Coords1d, Layout};
use cube_frontend::prelude::*;

/// Maps an element index to the line that contains the element.
#[derive(CubeType, CubeLaunch, Clone)]
pub struct SimpleLayout {
    len: u32,
    #[cube(comptime)]
    line_size: u32,
}

#[cube]
impl SimpleLayout {
    /// A layout of `len` elements in lines of `line_size`.
    pub fn new(len: u32, #[comptime] line_size: u32) -> Self {
        SimpleLayout { len, line_size }
    }
}

impl<'a, R: Runtime> SimpleLayoutLaunch<'a, R> {
    /// The layout of a contiguous tensor's elements, for memory with lines of `line_size` elements.
    pub fn from_shape(shape: &[usize], line_size: u8) -> Self {
        Self::new(ScalarArg::new(shape.iter().product::<usize>() as u32), u32::from(line_size))
    }

    /// The layout of a contiguous tensor's elements, for memory with lines of `line_size` elements.
    pub fn from_handle(handle: &TensorHandleRef<'_, R>, line_size: u8) -> Self {
        Self::from_shape(handle.shape, line_size)
    }
}

#[cube]
impl Layout for SimpleLayout {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> u32 {
        pos / self.line_size
    }
    fn shape(&self) -> Self::Coordinates {
        self.len
    }
}
