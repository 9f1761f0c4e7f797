//! The suggestions in error messages that ask "did you mean".

/// The name in `known` that is closest to `given`; `None` if no name is close enough.
pub fn suggestion<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let (best, distance) = known.into_iter().map(|k| (k, edit_distance(given, k))).min_by_key(|(_, d)| *d)?;
    (distance <= 1 + given.len() / 3).then_some(best)
}

// Levenshtein distance, one row at a time.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn similar_words_are_suggested_and_distant_words_are_not() {
        let known = ["cpu", "cuda", "interp"];
        assert_eq!(suggestion("cudda", known), Some("cuda"));
        assert_eq!(suggestion("interpreter", known), None);
        assert_eq!(suggestion("x", []), None);
    }
}
