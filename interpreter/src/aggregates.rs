//! Types of the LLVM dialect: pointers, structures and arrays. An aggregate occupies the slots of its elements, in
//! order.
use crate::kind::{LaneKind, vector};

/// Largest number of elements in a type.
pub(crate) const MAX_ELEMENTS: u32 = 1 << 16;

/// The structure of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// A scalar or a vector: the kind of its lanes, and its dimensions.
    Leaf(LaneKind, Vec<u32>),
    /// A structure or an array.
    Node(Vec<Tree>),
}

impl Tree {
    /// Parses a printed type.
    pub fn parse(text: &str) -> Option<Tree> {
        let text = text.trim();
        let text = text.strip_prefix("!llvm.").unwrap_or(text);
        if text == "ptr" {
            return Some(Tree::Leaf(LaneKind::Index, vec![]));
        }
        if let Some(inner) = text.strip_prefix("struct<(").and_then(|t| t.strip_suffix(")>")) {
            return parts(inner).into_iter().map(Tree::parse).collect::<Option<_>>().map(Tree::Node);
        }
        if let Some(inner) = text.strip_prefix("array<").and_then(|t| t.strip_suffix('>')) {
            let (count, element) = inner.split_once(" x ")?;
            let (count, element) = (count.parse().ok().filter(|n: &u32| *n <= MAX_ELEMENTS)?, Tree::parse(element)?);
            return Some(Tree::Node(vec![element; count as usize]));
        }
        vector(text).map(|(dims, kind)| Tree::Leaf(kind, dims))
    }

    /// Number of slots that a value of this type occupies.
    pub fn lanes(&self) -> u32 {
        match self {
            Tree::Leaf(_, dims) => dims.iter().fold(1, |all: u32, n| all.saturating_mul(*n)),
            Tree::Node(parts) => parts.iter().fold(0, |all: u32, part| all.saturating_add(part.lanes())),
        }
    }

    /// The first slot of the element at a position, relative to the first slot of the aggregate.
    pub fn at(&self, position: &[i64]) -> Option<u32> {
        let Some((first, rest)) = position.split_first() else { return Some(0) };
        let Tree::Node(parts) = self else { return None };
        let first = usize::try_from(*first).ok()?;
        let before: u32 = parts.get(..first)?.iter().map(Tree::lanes).sum();
        Some(before + parts.get(first)?.at(rest)?)
    }
}

// Splits `a, b<c, d>, e` at the commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, vec![]);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !text[from..].trim().is_empty() {
        all.push(&text[from..]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::of_llvm;

    #[test]
    fn elements_of_an_aggregate_are_consecutive() {
        let descriptor = Tree::parse("!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>").unwrap();
        assert_eq!((descriptor.lanes(), descriptor.at(&[2]), descriptor.at(&[4, 0])), (5, Some(2), Some(4)));
        let pair = Tree::parse("!llvm.struct<(vector<4xi32>, i1)>").unwrap();
        assert_eq!((pair.lanes(), pair.at(&[1]), pair.at(&[2]), pair.at(&[0, 1])), (5, Some(4), None, None));
        assert_eq!(Tree::parse("!llvm.array<3 x vector<2xf32>>").map(|t| t.lanes()), Some(6));
        assert_eq!(of_llvm("!llvm.ptr").map(|s| s.kind), Some(LaneKind::Index));
        assert_eq!(Tree::parse("!llvm.array<99999999 x i8>"), None);
        assert_eq!(Tree::parse("!llvm.func<void ()>"), None);
    }
}
