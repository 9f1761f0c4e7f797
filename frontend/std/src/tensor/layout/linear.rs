//! Linear indexing of a tensor's lines in row-major order. The layout needs the least arithmetic that the tensor's
//! strides allow.
use super::permuted::{PermutedLayout, PermutedLayoutLaunch};
use super::plain::{PlainLayout, PlainLayoutLaunch};
use super::strided::{StridedLayout, StridedLayoutLaunch};
use super::{Coords1d, Layout, LayoutExpand};
use crate::tensor::launch::ViewArg;
use crate::tensor::{View, is_contiguous, is_contiguous_pitched};
use cube_frontend::prelude::*;

/// The cheapest layout for a tensor's strides.
#[derive(CubeType, CubeLaunch, Clone)]
pub enum LinearLayout {
    /// A contiguous tensor.
    Plain(PlainLayout),
    /// Contiguous rows with gaps between them.
    Strided(StridedLayout),
    /// Arbitrary strides.
    Permuted(PermutedLayout),
}

impl<'a, R: Runtime> LinearLayoutArgs<'a, R> {
    /// The layout of a tensor with the given shape and strides, in elements. The linear index counts lines of
    /// `line_size` elements.
    pub fn from_shape_strides(
        client: &ComputeClient<R::Server>,
        shape: &[usize],
        strides: &[usize],
        line_size: u8,
    ) -> Self {
        if is_contiguous(shape, strides) {
            Self::Plain(PlainLayoutLaunch::from_shape(shape, line_size))
        } else if is_contiguous_pitched(shape, strides) {
            Self::Strided(StridedLayoutLaunch::from_shape_strides(client, shape, strides, line_size))
        } else {
            Self::Permuted(PermutedLayoutLaunch::from_shape_strides(client, shape, strides, line_size))
        }
    }

    /// The layout of a tensor broadcast to another shape. Dimensions of extent 1 are broadcast.
    pub fn from_shape_strides_with_reference(
        client: &ComputeClient<R::Server>,
        shape: &[usize],
        reference_shape: &[usize],
        strides: &[usize],
        line_size: u8,
    ) -> Self {
        if shape == reference_shape {
            return Self::from_shape_strides(client, shape, strides, line_size);
        }
        let (of, to) = (shape, reference_shape);
        Self::Permuted(PermutedLayoutLaunch::from_shapes_strides_ref(client, of, to, strides, line_size))
    }

    /// See [`Self::from_shape_strides`].
    pub fn from_handle(client: &ComputeClient<R::Server>, handle: &TensorHandleRef<'a, R>, line_size: u8) -> Self {
        Self::from_shape_strides(client, handle.shape, handle.strides, line_size)
    }

    /// See [`Self::from_shape_strides_with_reference`].
    pub fn from_handle_with_reference(
        client: &ComputeClient<R::Server>,
        handle: &TensorHandleRef<'a, R>,
        reference: &TensorHandleRef<'a, R>,
        line_size: u8,
    ) -> Self {
        let (shape, strides) = (handle.shape, handle.strides);
        Self::from_shape_strides_with_reference(client, shape, reference.shape, strides, line_size)
    }
}

#[cube]
impl Layout for LinearLayout {
    type Coordinates = Coords1d;
    type SourceCoordinates = Coords1d;

    fn to_source_pos(&self, pos: Self::Coordinates) -> u32 {
        match self {
            LinearLayout::Plain(layout) => layout.to_source_pos(pos),
            LinearLayout::Strided(layout) => layout.to_source_pos(pos),
            LinearLayout::Permuted(layout) => layout.to_source_pos(pos),
        }
    }
    fn shape(&self) -> Self::Coordinates {
        match self {
            LinearLayout::Plain(layout) => layout.shape(),
            LinearLayout::Strided(layout) => layout.shape(),
            LinearLayout::Permuted(layout) => layout.shape(),
        }
    }
}

/// The lines of a tensor, by linear index.
pub type LinearView<E, IO = ReadOnly> = View<E, Coords1d, IO>;
/// A [`LinearView`] as a launch argument.
pub type LinearViewLaunch<'a, R> = ViewArg<'a, Coords1d, R>;

fn view_of<'a, R: Runtime>(
    handle: &TensorHandleRef<'a, R>,
    layout: LinearLayoutArgs<'a, R>,
    line_size: u8,
) -> LinearViewLaunch<'a, R> {
    LinearViewLaunch::new::<LinearLayout>(handle.as_array_arg(line_size), layout)
}

/// A tensor as a launch argument with lines of `line_size` elements.
pub fn linear_view<'a, R: Runtime>(
    client: &ComputeClient<R::Server>,
    handle: &TensorHandleRef<'a, R>,
    line_size: u8,
) -> LinearViewLaunch<'a, R> {
    view_of(handle, LinearLayoutArgs::from_handle(client, handle, line_size), line_size)
}

/// Like [`linear_view`], broadcast to the shape of another tensor.
pub fn linear_view_with_reference<'a, R: Runtime>(
    client: &ComputeClient<R::Server>,
    handle: &TensorHandleRef<'a, R>,
    reference: &TensorHandleRef<'a, R>,
    line_size: u8,
) -> LinearViewLaunch<'a, R> {
    let layout = LinearLayoutArgs::from_handle_with_reference(client, handle, reference, line_size);
    view_of(handle, layout, line_size)
}

/// Like [`linear_view`], over the memory of an earlier argument. `position` is the position of the earlier argument.
pub fn linear_view_alias<'a, R: Runtime>(
    client: &ComputeClient<R::Server>,
    handle: &TensorHandleRef<'a, R>,
    line_size: u8,
    position: usize,
) -> LinearViewLaunch<'a, R> {
    let layout = LinearLayoutArgs::from_handle(client, handle, line_size);
    LinearViewLaunch::new::<LinearLayout>(ArrayArg::Alias { input_pos: position }, layout)
}
