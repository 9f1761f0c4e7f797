//! Contiguous rows with gaps between them, indexed by line.
use super::{Coords1d, Layout};
use crate::{FastDivmod, FastDivmodArgs};
use cube_frontend::prelude::*;

/// A row-major tensor with padded rows.
#[derive(CubeType, CubeLaunch, Clone)]
pub struct StridedLayout {
    shape: FastDivmod,
    stride: u32,
    len: u32,
    #[cube(comptime)]
    line_size: u32,
}

impl<'a, R: Runtime> StridedLayoutLaunch<'a, R> {
    /// The layout of a tensor with the given shape and strides in elements, and with `line_size` elements per
    /// line. A tensor of rank 1 is one row.
    pub fn from_shape_strides(
        client: &ComputeClient<R::Server>,
        shape: &[usize],
        strides: &[usize],
        line_size: u8,
    ) -> Self {
        // Tensors of rank below 2 have one row.
        let row = shape.last().copied().unwrap_or(1);
        let pitch = strides.len().checked_sub(2).map_or(row, |at| strides[at]);
        let lines = shape.iter().product::<usize>() / usize::from(line_size.max(1));
        Self::new(
            FastDivmodArgs::new(client, row as u32),
            ScalarArg::new(pitch as u32),
            ScalarArg::new(lines as u32),
            u32::from(line_size),
        )
    }

    /// See [`Self::from_shape_strides`].
    pub fn from_handle(client: &ComputeClient<R::Server>, handle: &TensorHandleRef<'_, R>, line_size: u8) -> Self {
        Self::from_shape_strides(client, handle.shape, handle.strides, line_size)
    }
}

#[cube]
impl Layout for StridedLayout {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> u32 {
        let (row, column) = self.shape.div_mod(pos * self.line_size);
        (row * self.stride + column) / self.line_size
    }
    fn shape(&self) -> Self::Coordinates {
        self.len
    }
}
