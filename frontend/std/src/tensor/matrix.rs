//! Batches of matrices, told by their strides.

/// How a batch of matrices lies in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum MatrixBatchLayout {
    /// Row by row, matrix by matrix.
    Contiguous,
    /// Each matrix lies together, in another order.
    MildlyPermuted {
        /// Column by column.
        transposed: bool,
        /// The matrices follow each other in another order, or several are the same one.
        batch_swap: bool,
    },
    /// Matrices lie within each other, or repeat their rows or columns.
    HighlyPermuted,
}

/// How a batch of matrices with these strides lies in memory; the last two are those of rows and columns.
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
    // From the row outwards, steps get no smaller.
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
    fn a_batch_is_told_by_its_strides() {
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
