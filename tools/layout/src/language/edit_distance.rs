//! "Did you mean": the known name closest to a mistyped one.

/// The name in `names` that is closest to `word`, if their distance is at most 1 plus a quarter of the name's
/// length.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (distance(word, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The Levenshtein distance, where a swap of two neighbouring letters counts as one change.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn small_slips_are_recognised_and_other_words_are_not() {
        let names = || ["composition", "complement", "coalesce", "size"].into_iter();
        assert_eq!(nearest("compositon", names()), Some("composition"));
        assert_eq!(nearest("complment", names()), Some("complement"));
        assert_eq!(nearest("coalsece", names()), Some("coalesce"));
        assert_eq!(nearest("banana", names()), None);
    }
}
