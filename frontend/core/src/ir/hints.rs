//! What one writing of a kernel learns for the next: how wide a variable has to be, and which variants it may hold.
//!
//! A variable gets its memory with its first value. Where a later value does not fit in (a line into what began as one element,
//! another variant of an enum), the kernel is written again with that known from the start.
use std::collections::{BTreeSet, HashMap};

/// A variable, by the place that it is declared at and how many were declared there before.
pub type Key = (&'static str, u32, u32);

/// What is known of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Elements of a line.
    pub lines: HashMap<Key, u32>,
    /// Variants of an enum.
    pub variants: HashMap<Key, BTreeSet<u32>>,
    /// Whether all memory is one of single elements, because the kernel looks at parts of lines.
    pub elements: bool,
}

impl Hints {
    /// A variable has to hold lines of that size; whether that is news.
    pub fn line(&mut self, key: Key, line: u32) -> bool {
        let known = self.lines.entry(key).or_insert(1);
        let news = *known < line;
        *known = line.max(*known);
        news
    }

    /// A variable has to hold these variants; whether that is news.
    pub fn variant(&mut self, key: Key, variants: impl IntoIterator<Item = u32>) -> bool {
        let known = self.variants.entry(key).or_default();
        let before = known.len();
        known.extend(variants);
        known.len() > before
    }
}

/// How often a kernel is written anew at most: each time at least one variable has become wider.
pub const MOST_ROUNDS: usize = 64;
