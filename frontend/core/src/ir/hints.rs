//! Hints that one construction round passes to the next round: line sizes and enum variants of variables.
//!
//! The first value of a variable determines the type of its cell. A later value can require a wider cell (a
//! line after a scalar) or a further variant of an enum. If a later value does not fit the cell, the builder records a
//! hint, and the kernel is built again with this hint.
use std::collections::{BTreeSet, HashMap};

/// Key of a variable: its file, its location, and its index among the variables of this location.
pub type VariableKey = (&'static str, u32, u32);

/// The known properties of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Line size of each variable, in elements.
    pub lines: HashMap<VariableKey, u32>,
    /// Variants that each enum variable can have.
    pub variants: HashMap<VariableKey, BTreeSet<u32>>,
    /// The location that requires scalar elements in all memory, because the kernel accesses parts of lines there.
    pub elements: Option<(&'static str, u32)>,
}

impl Hints {
    /// Records a required line size of a variable. Returns whether it is larger than the size that was known
    /// before.
    pub fn line(&mut self, key: VariableKey, line: u32) -> bool {
        let known = self.lines.entry(key).or_insert(1);
        let is_new = *known < line;
        *known = line.max(*known);
        is_new
    }

    /// Records possible variants of an enum variable. Returns whether any of the given variants was not known
    /// before.
    pub fn variant(&mut self, key: VariableKey, variants: impl IntoIterator<Item = u32>) -> bool {
        let known = self.variants.entry(key).or_default();
        let before = known.len();
        known.extend(variants);
        known.len() > before
    }
}

/// Maximum number of construction rounds. Each round widens at least one variable or adds a variant.
pub const MAX_ROUNDS: usize = 64;

#[cfg(test)]
mod tests {
    use crate::ir::{run, with};

    #[test]
    fn kernel_with_partial_line_accesses_has_a_note() {
        let built = |parts: bool| {
            run(false, || {
                with(|b| {
                    b.enter("k.rs");
                    b.at(7 * 4096 + 3);
                    if parts {
                        b.require_elements();
                    }
                    b.leave();
                });
            })
        };
        let notes = built(true).unwrap().notes();
        assert!(notes.len() == 1 && notes[0].starts_with("7:3 ") && notes[0].ends_with("(k.rs)"), "{notes:?}");
        assert!(built(false).unwrap().notes().is_empty());
    }
}
