//! Arguments that a program passes to a launch.
use super::scalar::Scalar;
use crate::buffer::Buffer;
use cube_artifact::ElemType;

/// One argument of a launch.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation per launch")]
pub enum Arg {
    /// A buffer of elements.
    Buffer {
        /// The bytes.
        buffer: Buffer,
        /// Type of the elements.
        elem: ElemType,
        /// Whether another argument can have exactly the same bytes, even if the kernel writes the buffer.
        in_place: bool,
        /// Length, shape and strides; `None` if the argument is the complete buffer with one dimension.
        dims: Option<Dims>,
    },
    /// A value.
    Scalar(Scalar),
}

/// The host's description of a buffer: length, shape and strides in elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dims {
    /// Number of elements. The length can be less than the number of elements in the buffer's memory.
    pub len: u64,
    /// Number of elements along each dimension, outermost dimension first; at most [`MAX_RANK`] dimensions.
    pub shape: Extents,
    /// For each dimension, the distance in elements between neighbouring elements along the dimension.
    pub strides: Extents,
}

/// Maximum number of dimensions of a tensor.
pub const MAX_RANK: usize = 8;

/// A list with one number for each dimension. Up to [`MAX_RANK`] numbers are stored without an allocation, so
/// a launch allocates nothing.
#[derive(Clone, Default)]
pub struct Extents {
    rank: usize,
    few: [u64; MAX_RANK],
    /// All numbers of the list, if it has more than [`MAX_RANK`] numbers. A launch refuses a list of more
    /// than [`MAX_RANK`] numbers.
    many: Vec<u64>,
}

impl Extents {
    /// A list of one number.
    const fn one(number: u64) -> Extents {
        let mut few = [0; MAX_RANK];
        few[0] = number;
        Extents { rank: 1, few, many: Vec::new() }
    }
}

impl std::ops::Deref for Extents {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        if self.many.is_empty() { &self.few[..self.rank] } else { &self.many }
    }
}

impl FromIterator<u64> for Extents {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut extents = Extents::default();
        let mut numbers = numbers.into_iter();
        for number in numbers.by_ref() {
            if extents.rank == MAX_RANK {
                extents.many = extents.few.into_iter().chain([number]).chain(numbers).collect();
                break;
            }
            extents.few[extents.rank] = number;
            extents.rank += 1;
        }
        extents
    }
}

impl PartialEq for Extents {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Extents {}

impl std::fmt::Debug for Extents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl Dims {
    /// A tensor; its length is the product of its shape.
    pub fn tensor(shape: &[u64], strides: &[u64]) -> Dims {
        let len = shape.iter().fold(1u64, |n, extent| n.saturating_mul(*extent));
        Dims { len, shape: shape.iter().copied().collect(), strides: strides.iter().copied().collect() }
    }

    /// A contiguous tensor in row-major order, without gaps.
    pub fn contiguous(shape: &[u64]) -> Dims {
        let strides = (0..shape.len()).map(|d| shape[d + 1..].iter().fold(1u64, |n, e| n.saturating_mul(*e)));
        Dims::tensor(shape, &strides.collect::<Extents>())
    }

    /// Distance in elements from the start of the first element to the end of the last element; 0 for an
    /// empty buffer.
    pub fn extent(&self) -> u64 {
        if self.shape.is_empty() || self.shape.contains(&0) {
            return if self.shape.is_empty() { self.len } else { 0 };
        }
        let last =
            self.shape.iter().zip(self.strides.iter()).map(|(extent, stride)| (extent - 1).saturating_mul(*stride));
        last.fold(1, u64::saturating_add)
    }

    /// A buffer of `len` elements in one dimension.
    pub fn array(len: u64) -> Dims {
        Dims { len, shape: Extents::one(len), strides: Extents::one(1) }
    }
}

impl Arg {
    /// Changes the length, shape and strides of a buffer argument; a scalar argument is unchanged.
    pub fn with_dims(mut self, of: Dims) -> Arg {
        if let Arg::Buffer { dims, .. } = &mut self {
            *dims = Some(of);
        }
        self
    }

    /// An argument for a buffer that does not overlap the buffer of another argument. If the kernel writes neither of
    /// two buffers, the two buffers can overlap.
    pub fn buffer(buffer: &Buffer, elem: ElemType) -> Arg {
        Arg::Buffer { buffer: buffer.clone(), elem, in_place: false, dims: None }
    }

    /// An argument for a buffer that the launch also receives as another argument. The kernel must read and
    /// write each element of this buffer at the same index.
    pub fn in_place(buffer: &Buffer, elem: ElemType) -> Arg {
        Arg::Buffer { buffer: buffer.clone(), elem, in_place: true, dims: None }
    }
}

impl From<Scalar> for Arg {
    fn from(scalar: Scalar) -> Arg {
        Arg::Scalar(scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_hold_any_rank() {
        for rank in [0, 1, MAX_RANK, MAX_RANK + 1, 100] {
            let numbers: Vec<u64> = (1..=rank as u64).collect();
            let extents: Extents = numbers.iter().copied().collect();
            assert_eq!(*extents, numbers[..]);
            assert_eq!((&extents, format!("{extents:?}")), (&extents.clone(), format!("{numbers:?}")));
        }
        let one = |numbers: &[u64]| numbers.iter().copied().collect::<Extents>();
        assert_eq!(Dims::array(7), Dims::tensor(&[7], &[1]));
        assert_ne!(one(&[1, 2]), one(&[1, 3]));
    }
}
