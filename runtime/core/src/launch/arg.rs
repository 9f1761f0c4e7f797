//! Arguments as a program gives them.
use super::scalar::Scalar;
use crate::buffer::Buffer;
use cube_artifact::ElemType;

/// One argument of a launch.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A buffer of elements.
    Buffer {
        /// The bytes.
        buffer: Buffer,
        /// What the bytes are.
        elem: ElemType,
        /// Whether another argument may be exactly the same bytes, although the kernel writes them.
        in_place: bool,
        /// Length, shape and strides where they are not those of a whole one-dimensional buffer.
        dims: Option<Dims>,
    },
    /// A value.
    Scalar(Scalar),
}

/// What the host says of a buffer beyond its bytes; all in elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dims {
    /// Number of elements, which need not be all that the buffer holds.
    pub len: u64,
    /// Extents, outermost dimension first; at most [`MAX_RANK`].
    pub shape: Vec<u64>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<u64>,
}

/// Dimensions that a tensor may have.
pub const MAX_RANK: usize = 8;

impl Dims {
    /// A tensor; its length is the product of its shape.
    pub fn tensor(shape: &[u64], strides: &[u64]) -> Dims {
        let len = shape.iter().fold(1u64, |n, extent| n.saturating_mul(*extent));
        Dims { len, shape: shape.to_vec(), strides: strides.to_vec() }
    }

    /// A tensor whose last dimension is contiguous, and each other one right behind it.
    pub fn contiguous(shape: &[u64]) -> Dims {
        let strides = (0..shape.len()).map(|d| shape[d + 1..].iter().fold(1u64, |n, e| n.saturating_mul(*e)));
        Dims::tensor(shape, &strides.collect::<Vec<_>>())
    }

    /// How many elements lie from the first to behind the last one; 0 where there is none.
    pub fn extent(&self) -> u64 {
        if self.shape.is_empty() || self.shape.contains(&0) {
            return if self.shape.is_empty() { self.len } else { 0 };
        }
        let last = self.shape.iter().zip(&self.strides).map(|(extent, stride)| (extent - 1).saturating_mul(*stride));
        last.fold(1, u64::saturating_add)
    }

    /// One dimension of `len` elements.
    pub fn array(len: u64) -> Dims {
        Dims::tensor(&[len], &[1])
    }
}

impl Arg {
    /// The same buffer with length, shape and strides of its own; a scalar stays as it is.
    pub fn with_dims(mut self, of: Dims) -> Arg {
        if let Arg::Buffer { dims, .. } = &mut self {
            *dims = Some(of);
        }
        self
    }

    /// A buffer that shares no bytes with what the kernel writes.
    pub fn buffer(buffer: &Buffer, elem: ElemType) -> Arg {
        Arg::Buffer { buffer: buffer.clone(), elem, in_place: false, dims: None }
    }

    /// A buffer that is at the same time another argument, for kernels that read and write each element at one place.
    pub fn in_place(buffer: &Buffer, elem: ElemType) -> Arg {
        Arg::Buffer { buffer: buffer.clone(), elem, in_place: true, dims: None }
    }
}

impl From<Scalar> for Arg {
    fn from(scalar: Scalar) -> Arg {
        Arg::Scalar(scalar)
    }
}
