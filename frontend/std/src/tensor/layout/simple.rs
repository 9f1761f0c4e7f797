//! Memory without gaps, counted in elements.
use super::{Coords1d, Layout};
use cube_frontend::prelude::*;

/// The line that holds an element of that number.
#[derive(CubeType, CubeLaunch, Clone)]
pub struct SimpleLayout {
    len: u32,
    #[cube(comptime)]
    line_size: u32,
}

#[cube]
impl SimpleLayout {
    /// That many elements, in lines.
    pub fn new(len: u32, #[comptime] line_size: u32) -> Self {
        SimpleLayout { len, line_size }
    }
}

impl<'a, R: Runtime> SimpleLayoutLaunch<'a, R> {
    /// The elements of a tensor.
    pub fn from_shape(shape: &[usize], line_size: u8) -> Self {
        Self::new(ScalarArg::new(shape.iter().product::<usize>() as u32), u32::from(line_size))
    }

    /// The elements of a tensor.
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
