//! Line sizes that fit a tensor.

/// Why a tensor has no lines along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSizeError {
    /// The tensor has fewer dimensions.
    AxisOutOfBounds,
    /// The elements of a line would not lie one after the other.
    StrideMismatch,
    /// None of the sizes divides what it has to divide.
    NoValidLineSize,
}

impl std::fmt::Display for LineSizeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LineSizeError::AxisOutOfBounds => "the tensor has no such axis",
            LineSizeError::StrideMismatch => "the elements of a line would not lie one after the other",
            LineSizeError::NoValidLineSize => "no line size divides the tensor",
        })
    }
}

impl std::error::Error for LineSizeError {}

/// The largest size for which `fits` holds.
fn largest(sizes: impl Iterator<Item = u8>, fits: impl Fn(usize) -> bool) -> Result<u8, LineSizeError> {
    let fitting = sizes.filter(|size| *size > 0 && fits(usize::from(*size)));
    fitting.max().ok_or(LineSizeError::NoValidLineSize)
}

/// The largest of some line sizes for lines along an axis: its elements lie one after the other, and whole lines fill it and
/// every step along the other axes.
///
/// # Errors
/// There is no such size, with the reason.
pub fn try_tensor_line_size_parallel(
    supported_line_sizes: impl Iterator<Item = u8>,
    shape: &[usize],
    strides: &[usize],
    axis: usize,
) -> Result<u8, LineSizeError> {
    let (Some(len), Some(stride)) = (shape.get(axis), strides.get(axis)) else {
        return Err(LineSizeError::AxisOutOfBounds);
    };
    if *stride != 1 {
        return Err(LineSizeError::StrideMismatch);
    }
    // Elements that are read several times (stride 0) set no limit.
    let next = strides.iter().copied().filter(|stride| *stride > 1).min().unwrap_or(0);
    largest(supported_line_sizes, |size| len % size == 0 && next % size == 0)
}

/// [`try_tensor_line_size_parallel`], and 1 where there is none.
pub fn tensor_line_size_parallel(
    supported_line_sizes: impl Iterator<Item = u8>,
    shape: &[usize],
    strides: &[usize],
    axis: usize,
) -> u8 {
    try_tensor_line_size_parallel(supported_line_sizes, shape, strides, axis).unwrap_or(1)
}

/// The largest of some line sizes for lines across an axis: between two neighbours along it lies a whole number of lines, which
/// the axes with smaller strides fill without gaps.
///
/// # Errors
/// There is no such size, with the reason.
pub fn try_tensor_line_size_perpendicular(
    supported_line_sizes: impl Iterator<Item = u8>,
    shape: &[usize],
    strides: &[usize],
    axis: usize,
) -> Result<u8, LineSizeError> {
    let stride = *strides.get(axis).ok_or(LineSizeError::AxisOutOfBounds)?;
    let inside: usize = shape.iter().zip(strides).filter(|(_, inner)| **inner < stride).map(|(len, _)| *len).product();
    if inside != stride {
        return Err(LineSizeError::StrideMismatch);
    }
    largest(supported_line_sizes, |size| stride % size == 0)
}

/// [`try_tensor_line_size_perpendicular`], and 1 where there is none.
pub fn tensor_line_size_perpendicular(
    supported_line_sizes: impl Iterator<Item = u8>,
    shape: &[usize],
    strides: &[usize],
    axis: usize,
) -> u8 {
    try_tensor_line_size_perpendicular(supported_line_sizes, shape, strides, axis).unwrap_or(1)
}

/// [`tensor_line_size_parallel`] of a list.
pub fn tensor_line_size(factors: &[u8], shape: &[usize], strides: &[usize], dim: usize) -> u8 {
    tensor_line_size_parallel(factors.iter().copied(), shape, strides, dim)
}

/// The same under its earlier name.
pub fn tensor_vectorization_factor(factors: &[u8], shape: &[usize], strides: &[usize], dim: usize) -> u8 {
    tensor_line_size(factors, shape, strides, dim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_along_an_axis_fill_it_and_every_step_beside_it() {
        let sizes = [8, 4, 2, 1];
        let parallel = |shape: &[usize], strides: &[usize], axis| {
            try_tensor_line_size_parallel(sizes.into_iter(), shape, strides, axis)
        };
        assert_eq!(parallel(&[3, 8], &[8, 1], 1), Ok(8));
        assert_eq!(parallel(&[3, 6], &[6, 1], 1), Ok(2));
        assert_eq!(parallel(&[3, 8], &[12, 1], 1), Ok(4), "rows with a gap");
        assert_eq!(parallel(&[3, 8], &[0, 1], 1), Ok(8), "a row that is read several times");
        assert_eq!(parallel(&[3, 8], &[8, 1], 0), Err(LineSizeError::StrideMismatch));
        assert_eq!(parallel(&[3, 8], &[8, 1], 2), Err(LineSizeError::AxisOutOfBounds));
        let odd = try_tensor_line_size_parallel([4, 0].into_iter(), &[7], &[1], 0);
        assert_eq!(odd, Err(LineSizeError::NoValidLineSize));
        assert_eq!(
            (tensor_line_size(&[4], &[7], &[1], 0), tensor_vectorization_factor(&sizes, &[12], &[1], 0)),
            (1, 4)
        );
    }

    #[test]
    fn lines_across_an_axis_lie_between_its_neighbours() {
        let across = |shape: &[usize], strides: &[usize], axis| {
            try_tensor_line_size_perpendicular([8, 4, 2, 1].into_iter(), shape, strides, axis)
        };
        assert_eq!(across(&[3, 8], &[8, 1], 0), Ok(8));
        assert_eq!(across(&[2, 3, 4], &[12, 4, 1], 1), Ok(4));
        assert_eq!(across(&[3, 8], &[12, 1], 0), Err(LineSizeError::StrideMismatch), "rows with a gap");
        assert_eq!(across(&[3, 8], &[8, 1], 1), Ok(1));
        assert_eq!(across(&[3], &[1], 1), Err(LineSizeError::AxisOutOfBounds));
        assert_eq!(tensor_line_size_perpendicular([4].into_iter(), &[3, 6], &[6, 1], 0), 1);
    }
}
