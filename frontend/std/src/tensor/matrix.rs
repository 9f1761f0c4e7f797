//! Classification of matrix batches by their strides.

/// Memory order of a batch of matrices.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum MatrixBatchLayout {
    /// Row-major matrices, stored one after another in batch order.
    Contiguous,
    /// Each matrix is contiguous, but it is column-major, or the batch dimensions are permuted or broadcast.
    MildlyPermuted {
        /// The matrices are column-major.
        transposed: bool,
        /// The batch dimensions are permuted or broadcast.
        batch_swap: bool,
    },
    /// Matrices are interleaved, or their rows or columns are broadcast.
    HighlyPermuted,
}

/// Classifies a batch by its strides. The last two strides are the stride of the rows and the stride of the
/// columns. Fewer than two strides count as contiguous.
pub fn matrix_batch_layout(strides: &[usize]) -> MatrixBatchLayout {
    let [batches @ .., row, column] = strides else {
        return MatrixBatchLayout::Contiguous;
    };
    let inner = (*row).max(*column);
    let within = batches.iter().any(|batch| *batch != 0 && *batch < inner);
    if *row == 0 || *column == 0 || within {
        return MatrixBatchLayout::HighlyPermuted;
    }
    let transposed = row < column;
    // From the row dimension outwards, each stride must be at least as large as the previous one.
    let outwards: Vec<usize> = std::iter::once(*row).chain(batches.iter().rev().copied()).collect();
    let batch_swap = batches.contains(&0) || outwards.windows(2).any(|pair| pair[1] < pair[0]);
    if transposed || batch_swap {
        MatrixBatchLayout::MildlyPermuted { transposed, batch_swap }
    } else {
        MatrixBatchLayout::Contiguous
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_classify_a_batch() {
        let mild = |transposed, batch_swap| MatrixBatchLayout::MildlyPermuted { transposed, batch_swap };
        let cases: [(&[usize], MatrixBatchLayout); 12] = [
            (&[], MatrixBatchLayout::Contiguous),
            (&[1], MatrixBatchLayout::Contiguous),
            (&[24, 12, 4, 1], MatrixBatchLayout::Contiguous),
            (&[5, 1], MatrixBatchLayout::Contiguous),
            (&[24, 12, 1, 3], mild(true, false)),
            (&[12, 24, 4, 1], mild(false, true)),
            (&[12, 24, 1, 3], mild(true, true)),
            (&[0, 4, 1], mild(false, true)),
            (&[24, 2, 8, 1], MatrixBatchLayout::HighlyPermuted),
            (&[1, 4, 2, 8], MatrixBatchLayout::HighlyPermuted),
            (&[0, 1], MatrixBatchLayout::HighlyPermuted),
            (&[1, 0], MatrixBatchLayout::HighlyPermuted),
        ];
        for (strides, layout) in cases {
            assert_eq!(matrix_batch_layout(strides), layout, "{strides:?}");
        }
    }
}
