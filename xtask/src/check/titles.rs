//! Checks that the title of each commit is `area: imperative phrase`. The check applies to the commits after the
//! last release tag.

use super::{Tree, Verdict};
use std::path::Path;
use std::process::Command;

/// The last commit before the rule for titles was introduced. The check starts after this commit as long as
/// no release tag exists.
const BEFORE: &str = "ab2340b2ee1c98eb9b732ac0c4ae2b77178ffb56";

/// Maximum length of a title in characters; git and forges truncate longer titles.
const LONGEST: usize = 100;

/// First words that are not a verb in the imperative.
const NO_VERBS: [&str; 63] = [
    "a", "after", "all", "also", "an", "and", "any", "are", "at", "be", "been", "before", "better", "both", "by",
    "can", "done", "each", "every", "first", "for", "found", "from", "given", "had", "has", "have", "how", "if", "in",
    "into", "is", "it", "its", "known", "last", "left", "less", "made", "many", "more", "most", "new", "no", "not",
    "now", "of", "on", "one", "only", "other", "several", "some", "than", "the", "there", "these", "they", "this",
    "to", "two", "was", "with",
];

/// Verbs in the imperative that end like another form of a verb.
const WITH_SUCH_AN_ENDING: [&str; 8] = ["alias", "bring", "embed", "exceed", "feed", "focus", "need", "string"];

/// The first words of titles that are older than the rule about the form of the verb.
const EARLIER: [&str; 2] = ["rules: known bits in the domains ", "changelog: formats, exchanges of "];

pub fn check(tree: &Tree) -> Verdict {
    let since = git(&tree.root, &["describe", "--tags", "--abbrev=0"]).unwrap_or_else(|| BEFORE.into());
    let Some(log) = git(&tree.root, &["log", "--no-merges", "--format=%h %s", &format!("{since}..HEAD")]) else {
        return Verdict::Skipped(format!("the history does not reach back to {since}"));
    };
    let findings = log.lines().filter_map(|line| {
        let (hash, title) = line.split_once(' ')?;
        fault(title).map(|fault| format!("{hash} `{title}`: {fault}; write `area: imperative phrase`"))
    });
    Verdict::of(
        findings.collect(),
        format!("{} titles since {}", log.lines().count(), since.get(..12).unwrap_or(&since)),
    )
}

/// The output of a git command; `None` if the command fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Whether a word can be the verb of an imperative: neither one of [`NO_VERBS`] nor a form such as `adds`, `added` or
/// `adding`.
fn is_imperative(verb: &str) -> bool {
    let verb = verb.trim_end_matches([',', ';']);
    let other_form = ["s", "ed", "ing"].iter().any(|ending| verb.ends_with(ending));
    let form = !other_form || verb.ends_with("ss") || WITH_SUCH_AN_ENDING.contains(&verb);
    form && !NO_VERBS.contains(&verb)
}

fn fault(title: &str) -> Option<&'static str> {
    let Some((areas, phrase)) = title.split_once(": ") else { return Some("the title does not begin with an area") };
    let is_area =
        |area: &str| !area.is_empty() && area.chars().all(|c| c.is_ascii_lowercase() || "0123456789-_/".contains(c));
    if !areas.split(", ").all(is_area) {
        return Some("an area is one word in small letters, as a folder's name");
    }
    let verb = phrase.split(' ').next().unwrap_or_default();
    if !verb.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Some("the phrase begins with a verb in small letters");
    }
    if !EARLIER.iter().any(|begin| title.starts_with(begin)) && !is_imperative(verb) {
        return Some("the phrase begins with a verb in the imperative");
    }
    if title.ends_with('.') {
        return Some("the title ends in a full stop");
    }
    (title.chars().count() > LONGEST).then_some("the title is longer than 100 characters")
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn titles_name_an_area_and_begin_with_a_verb() {
        for title in [
            "passes: fold division by one",
            "runtime, tools: report each failure",
            "to-llvm: pass volatile stores on",
            "cuda: need no lock",
            "tree: format, and reword a comment",
        ] {
            assert_eq!(fault(title), None, "{title}");
        }
        for title in [
            "A loop without end is one",
            "Passes: fold it",
            "passes: Fold it",
            "passes: added a fold",
            "passes: fold it.",
            "pass es: fold",
            "passes: folds division by one",
            "passes: folding of divisions",
            "passes: known bits of a sum",
            "passes: two more rules",
        ] {
            assert!(fault(title).is_some(), "{title}");
        }
    }
}
