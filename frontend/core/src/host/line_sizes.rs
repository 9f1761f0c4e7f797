//! Selection of line sizes for tensors.

/// Reason why an axis does not have a valid line size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSizeError {
    /// The axis number is not smaller than the rank.
    AxisOutOfBounds,
    /// The elements of a line would not be contiguous.
    StrideMismatch,
    /// No candidate line size divides the extents and strides.
    NoValidLineSize,
}

impl std::fmt::Display for LineSizeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LineSizeError::AxisOutOfBounds => "the tensor does not have this axis",
            LineSizeError::StrideMismatch => "the elements of a line are not contiguous",
            LineSizeError::NoValidLineSize => "no candidate line size divides the extents and strides of the tensor",
        })
    }
}

impl std::error::Error for LineSizeError {}

/// The largest nonzero line size that satisfies `fits`.
fn largest(sizes: impl Iterator<Item = u8>, fits: impl Fn(usize) -> bool) -> Result<u8, LineSizeError> {
    let fitting = sizes.filter(|size| *size > 0 && fits(usize::from(*size)));
    fitting.max().ok_or(LineSizeError::NoValidLineSize)
}

/// The largest valid line size, in elements, for lines along a contiguous axis. A valid line size divides the
/// extent of the axis and the smallest stride above 1.
///
/// # Errors
/// No candidate line size is valid; the error has the reason.
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
    // Broadcast dimensions (stride 0) do not restrict the line size.
    let next = strides.iter().copied().filter(|stride| *stride > 1).min().unwrap_or(0);
    largest(supported_line_sizes, |size| len % size == 0 && next % size == 0)
}

/// [`try_tensor_line_size_parallel`], or 1 if no candidate is valid.
pub fn tensor_line_size_parallel(
    supported_line_sizes: impl Iterator<Item = u8>,
    shape: &[usize],
    strides: &[usize],
    axis: usize,
) -> u8 {
    try_tensor_line_size_parallel(supported_line_sizes, shape, strides, axis).unwrap_or(1)
}

/// The largest valid line size, in elements, for lines perpendicular to an axis. A valid line size divides the
/// stride of the axis. The axes with smaller strides must be contiguous, without gaps.
///
/// # Errors
/// No candidate line size is valid; the error has the reason.
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

/// [`try_tensor_line_size_perpendicular`], or 1 if no candidate is valid.
pub fn tensor_line_size_perpendicular(
    supported_line_sizes: impl Iterator<Item = u8>,
    shape: &[usize],
    strides: &[usize],
    axis: usize,
) -> u8 {
    try_tensor_line_size_perpendicular(supported_line_sizes, shape, strides, axis).unwrap_or(1)
}

/// [`tensor_line_size_parallel`] with candidates in a slice.
pub fn tensor_line_size(factors: &[u8], shape: &[usize], strides: &[usize], dim: usize) -> u8 {
    tensor_line_size_parallel(factors.iter().copied(), shape, strides, dim)
}

/// Earlier name of [`tensor_line_size`].
pub fn tensor_vectorization_factor(factors: &[u8], shape: &[usize], strides: &[usize], dim: usize) -> u8 {
    tensor_line_size(factors, shape, strides, dim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_lines_divide_the_extent_and_the_strides() {
        let sizes = [8, 4, 2, 1];
        let parallel = |shape: &[usize], strides: &[usize], axis| {
            try_tensor_line_size_parallel(sizes.into_iter(), shape, strides, axis)
        };
        assert_eq!(parallel(&[3, 8], &[8, 1], 1), Ok(8));
        assert_eq!(parallel(&[3, 6], &[6, 1], 1), Ok(2));
        assert_eq!(parallel(&[3, 8], &[12, 1], 1), Ok(4), "rows with a gap");
        assert_eq!(parallel(&[3, 8], &[0, 1], 1), Ok(8), "a broadcast row");
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
    fn perpendicular_lines_divide_the_stride() {
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
