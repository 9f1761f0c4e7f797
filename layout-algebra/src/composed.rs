//! Composed layouts: a layout followed by an offset and a swizzle.

use crate::compose::compose;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Mode;
use crate::{LIMIT, Layout, Swizzle};
use std::fmt;

/// The function `i -> S(offset + L(i))`, printed `S o offset o L`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Composed {
    swizzle: Swizzle,
    offset: u64,
    layout: Layout,
}

impl Composed {
    /// Creates a composed layout from a swizzle, an offset and a layout.
    ///
    /// # Errors
    /// An offset exceeds [`LIMIT`]. A swizzle never sets a bit above 62, so swizzled offsets never exceed the limit.
    pub fn new(swizzle: Swizzle, offset: u64, layout: Layout) -> Result<Composed> {
        let largest = (layout.cosize() - 1).checked_add(offset).filter(|&largest| largest < LIMIT);
        match largest {
            Some(_) => Ok(Composed { swizzle, offset, layout }),
            None => Err(Error::overflow(format!("offset {offset} after {layout} exceeds 2^63-2"))),
        }
    }

    /// The swizzle, which permutes the offsets of the layout.
    pub fn swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// The offset added before swizzling.
    pub fn base(&self) -> u64 {
        self.offset
    }

    /// The layout inside.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The value at an index, or `None` outside the layout.
    pub fn offset(&self, index: u64) -> Option<u64> {
        self.layout.offset(index).map(|offset| self.swizzle.apply(self.offset + offset))
    }

    /// The values at all indices.
    ///
    /// # Errors
    /// Fails like [`Layout::table`].
    pub fn table(&self, limit: u64) -> Result<Vec<u64>> {
        let mut table = self.layout.table(limit)?;
        table.iter_mut().for_each(|value| *value = self.swizzle.apply(self.offset + *value));
        Ok(table)
    }

    /// `(S o offset o L) ∘ inner = S o offset o (L ∘ inner)`.
    ///
    /// # Errors
    /// Fails like [`compose`].
    pub fn compose(&self, inner: &Layout) -> Result<Composed> {
        Composed::new(self.swizzle, self.offset, compose(&self.layout, inner)?)
    }

    /// The ordinary layout with the same function of the one-dimensional index, or `None` if no such layout
    /// exists.
    ///
    /// # Errors
    /// The size of the layout exceeds `limit`. The function has a limit because it evaluates every index.
    pub fn plain(&self, limit: u64) -> Result<Option<Layout>> {
        let size = self.layout.size();
        if size > limit {
            return Err(Error::new(
                ErrorKind::Undecided,
                format!("whether {self} is an ordinary layout: {size} indices, more than the {limit} allowed"),
            ));
        }
        Ok(layout_of_table(&self.table(limit)?))
    }
}

impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o {} o {}", self.swizzle, self.offset, self.layout)
    }
}

/// The coalesced layout whose offsets are exactly the values of `table`, or `None` if no such layout exists.
///
/// The extent of the first mode must be the length of the table's first run of equal steps (see `compose.rs`).
/// The first run divides the table into rows of equal length. The first values of all rows form a smaller table of
/// offsets, and each row must repeat the steps of the first run.
pub fn layout_of_table(table: &[u64]) -> Option<Layout> {
    if table.first() != Some(&0) {
        return None;
    }
    let mut modes = Vec::new();
    let mut row = 1;
    while row < table.len() {
        let heads: Vec<u64> = table.iter().step_by(row).copied().collect();
        let stride = heads[1];
        let run = heads.iter().enumerate().take_while(|&(x, &v)| stride.checked_mul(x as u64) == Some(v)).count();
        let on_lines = heads.chunks(run).all(|line| {
            line.iter().enumerate().all(|(x, &v)| line[0].checked_add(stride.saturating_mul(x as u64)) == Some(v))
        });
        if !table.len().is_multiple_of(row * run) || !on_lines {
            return None;
        }
        modes.push(Mode { extent: run as u64, stride });
        row *= run;
    }
    Some(Layout::from_modes(&modes))
}

#[cfg(test)]
mod tests {
    use super::{Composed, layout_of_table};
    use crate::Layout;

    fn layout(text: &str) -> Layout {
        text.parse().unwrap()
    }

    #[test]
    fn a_swizzle_beyond_the_layout_is_plain() {
        let same = Composed::new("S<3,4,3>".parse().unwrap(), 0, layout("(9,4):(1,9)")).unwrap();
        assert_eq!(same.plain(1024).unwrap(), Some(layout("36:1")));
        let moved = Composed::new("S<3,3,-3>".parse().unwrap(), 0, layout("(4,4):(1,4)")).unwrap();
        assert_eq!(moved.plain(1024).unwrap(), Some(layout("(8,2):(1,72)")));
        let mixed = Composed::new("S<1,2,1>".parse().unwrap(), 0, layout("21:1")).unwrap();
        assert_eq!(mixed.plain(1024).unwrap(), None);
        assert!(mixed.plain(20).unwrap_err().message.contains("21 indices, more than the 20 allowed"));
    }

    #[test]
    fn table_without_a_layout_is_rejected() {
        assert_eq!(layout_of_table(&[0, 1, 2, 3, 1]), None);
        assert_eq!(layout_of_table(&[1, 2]), None);
        assert_eq!(layout_of_table(&[0, 1, 5, 7]), None);
        assert_eq!(layout_of_table(&[0, 1, 5, 6]), Some(layout("(2,2):(1,5)")));
        assert_eq!(layout_of_table(&[0]), Some(layout("1:0")));
    }

    #[test]
    fn the_offset_counts_towards_the_limit() {
        let error = Composed::new("S<0,4,3>".parse().unwrap(), i64::MAX as u64, layout("2:1")).unwrap_err();
        assert!(error.message.contains("exceeds 2^63-2"), "{}", error.message);
    }
}
