//! Thread-value layouts: the elements of a tile that each thread owns.

use crate::Layout;
use crate::compose::compose;
use crate::error::{Error, Result};
use crate::inverse::right_inverse;
use crate::layout::Mode;
use crate::nest::Nest;
use crate::product::raked_product;

/// The result of [`make_layout_tv`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadValue {
    /// The extents of the tile, one per mode.
    pub tile: Vec<u64>,
    /// The map from `(thread, value)` to the colexicographic index in the tile.
    pub layout: Layout,
    /// The map from the coordinate in the tile to `thread + threads * value`, which is the raked product.
    pub from_tile: Layout,
}

/// The thread-value layout of threads with layout `threads` and values of each thread with layout `values`
/// (`make_layout_tv` of the CuTe DSL). The result is the right inverse of the raked product, with modes
/// `(threads, values)`.
///
/// # Errors
/// The thread numbers have gaps or repetitions, or `threads` and `values` do not cover a compact tile exactly
/// once.
pub fn make_layout_tv(threads: &Layout, values: &Layout) -> Result<ThreadValue> {
    if threads.cosize() != threads.size() {
        return Err(Error::operand(format!(
            "threads {threads} are numbered up to {}, but there are {}; number them without gaps or repetition",
            threads.cosize() - 1,
            threads.size()
        )));
    }
    let from_tile = raked_product(threads, values)?;
    let inverse = right_inverse(&from_tile);
    let pair = |a, b| Layout::tuple(vec![Layout::leaf(a, 1)?, Layout::leaf(b, a)?]);
    let thread_value = pair(threads.size(), values.size())?;
    if inverse.size() != thread_value.size() {
        return Err(Error::operand(format!(
            "threads {threads} and values {values} number the tile's elements only up to {}, of {}; use compact layouts",
            inverse.size(),
            thread_value.size()
        )));
    }
    let tile = match from_tile.nest() {
        Nest::Leaf(Mode { extent, .. }) => vec![*extent],
        Nest::Tuple(_) => from_tile.modes().iter().map(Layout::size).collect(),
    };
    Ok(ThreadValue { tile, layout: compose(&inverse, &thread_value)?, from_tile })
}

#[cfg(test)]
mod tests {
    use super::make_layout_tv;
    use crate::Layout;

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn the_article_s_thread_value_layout() {
        let tv = make_layout_tv(&layout("(4,32):(32,1)"), &layout("(4,8):(8,1)")).unwrap();
        assert_eq!(tv.tile, [16, 256]);
        assert_eq!(tv.layout, layout("((32,4),(8,4)):((128,4),(16,1))"));
    }

    #[test]
    fn threads_and_values_with_gaps_are_refused() {
        let error = make_layout_tv(&layout("(4,2):(1,8)"), &layout("2:1")).unwrap_err();
        assert!(error.message.contains("numbered up to 11, but there are 8"), "{}", error.message);
        let error = make_layout_tv(&layout("4:1"), &layout("2:2")).unwrap_err();
        assert!(error.message.contains("only up to 4, of 8"), "{}", error.message);
    }
}
