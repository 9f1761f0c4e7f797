//! Results of one construction round for the next round: line sizes and enum variants of variables.
//!
//! A variable gets a cell with its first value. A later value can need a wider cell (a line after a scalar) or
//! another variant of an enum. The kernel is then built again with these hints.
use std::collections::{BTreeSet, HashMap};

/// Key of a variable: file, location, and number among the variables declared there.
pub type VariableKey = (&'static str, u32, u32);

/// Known properties of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Line sizes in elements.
    pub lines: HashMap<VariableKey, u32>,
    /// Variants that an enum variable can hold.
    pub variants: HashMap<VariableKey, BTreeSet<u32>>,
    /// Whether all memory has scalar elements, because the kernel accesses elements of lines.
    pub elements: bool,
}

impl Hints {
    /// Records a line size of a variable. Returns whether the line size was new.
    pub fn line(&mut self, key: VariableKey, line: u32) -> bool {
        let known = self.lines.entry(key).or_insert(1);
        let news = *known < line;
        *known = line.max(*known);
        news
    }

    /// Records variants of a variable. Returns whether a variant was new.
    pub fn variant(&mut self, key: VariableKey, variants: impl IntoIterator<Item = u32>) -> bool {
        let known = self.variants.entry(key).or_default();
        let before = known.len();
        known.extend(variants);
        known.len() > before
    }
}

/// Limit on construction rounds. Each round widens at least one variable.
pub const MAX_ROUNDS: usize = 64;
