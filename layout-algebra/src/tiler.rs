//! Tilers: the second operands of divisions and products.

use crate::Layout;
use std::fmt;

/// A tiler: one layout for the whole operand, or one tiler per mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// A layout applied to the operand as a whole. A number `n` in a tiler means the layout `n:1`.
    Layout(Layout),
    /// `<t0;t1;...>`: tiler number `k` is applied to mode number `k`. Modes of the operand without a tiler
    /// are unchanged.
    ByMode(Vec<Tiler>),
    /// `_`: the mode is unchanged.
    Keep,
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiler::Layout(layout) => layout.fmt(f),
            Tiler::Keep => f.write_str("_"),
            Tiler::ByMode(items) => {
                f.write_str("<")?;
                for (k, item) in items.iter().enumerate() {
                    if k > 0 {
                        f.write_str(";")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(">")
            }
        }
    }
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Tiler {
        Tiler::Layout(layout)
    }
}
