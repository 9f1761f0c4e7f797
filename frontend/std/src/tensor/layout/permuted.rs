//! Tensors with arbitrary strides, indexed by line.
use super::{Coords1d, Layout};
use crate::tensor::index_offset_contiguous_fastdivmod;
use crate::{FastDivmod, FastDivmodArgs};
use cube_frontend::prelude::*;

/// A layout with one stride per dimension. The stride 0 broadcasts a dimension.
#[derive(CubeType, CubeLaunch, Clone)]
pub struct PermutedLayout {
    shape: Sequence<FastDivmod>,
    strides: Sequence<u32>,
    len: u32,
    #[cube(comptime)]
    line_size: u32,
}

impl<'a, R: Runtime> PermutedLayoutLaunch<'a, R> {
    /// The layout of a tensor with the given strides.
    pub fn from_shape_strides(
        client: &ComputeClient<R::Server>,
        shape: &[usize],
        strides: &[usize],
        line_size: u8,
    ) -> Self {
        let lines = shape.iter().product::<usize>() / usize::from(line_size.max(1));
        let shape = shape.iter().map(|n| FastDivmodArgs::new(client, *n as u32)).collect();
        let strides = strides.iter().map(|n| ScalarArg::new(*n as u32)).collect();
        Self::new(shape, strides, ScalarArg::new(lines as u32), u32::from(line_size))
    }

    /// The layout of a tensor broadcast to another shape. Dimensions of extent 1 are broadcast.
    pub fn from_shapes_strides_ref(
        client: &ComputeClient<R::Server>,
        shape: &[usize],
        reference_shape: &[usize],
        strides: &[usize],
        line_size: u8,
    ) -> Self {
        let stretched = shape.iter().zip(reference_shape).zip(strides);
        let strides: Vec<usize> = stretched.map(|((n, m), stride)| if n == m { *stride } else { 0 }).collect();
        Self::from_shape_strides(client, reference_shape, &strides, line_size)
    }

    /// See [`Self::from_shapes_strides_ref`].
    pub fn from_handles_ref(
        client: &ComputeClient<R::Server>,
        handle: &TensorHandleRef<'_, R>,
        reference: &TensorHandleRef<'_, R>,
        line_size: u8,
    ) -> Self {
        Self::from_shapes_strides_ref(client, handle.shape, reference.shape, handle.strides, line_size)
    }

    /// See [`Self::from_shape_strides`].
    pub fn from_handle(client: &ComputeClient<R::Server>, handle: &TensorHandleRef<'_, R>, line_size: u8) -> Self {
        Self::from_shape_strides(client, handle.shape, handle.strides, line_size)
    }
}

#[cube]
impl Layout for PermutedLayout {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> u32 {
        index_offset_contiguous_fastdivmod(pos, &self.shape, &self.strides, comptime!(self.line_size))
    }
    fn shape(&self) -> Self::Coordinates {
        self.len
    }
}
