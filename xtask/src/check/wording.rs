//! Checks for plain English: the patterns of `xtask/wording.txt` must not occur in comments, documents,
//! messages and names.
//!
//! An intended exception has the marker [`KEPT`] on the same line, with or without a reason. docs/glossary.md contains
//! the rule for terms.

use super::{Tree, Verdict};
use regex::Regex;
use std::sync::LazyLock;

/// The file with the patterns. Each line contains a regular expression, a tab, and the advice.
const PATTERNS: &str = "xtask/wording.txt";

/// Marks a line as an allowed exception.
const KEPT: &str = "wording: kept";

/// Suffixes of the checked files.
const ENDINGS: [&str; 11] = [".md", ".rs", ".td", ".mlir", ".h", ".c", ".cpp", ".toml", ".test", ".txt", ".rules"];

/// Exempt files: recorded measurements, the change log, the patterns, and this check.
const EXEMPT: [&str; 4] = ["benches/results/", "CHANGELOG.md", PATTERNS, "xtask/src/check/wording.rs"];

pub fn check(tree: &Tree) -> Verdict {
    let rules = match rules(&tree.read(PATTERNS)) {
        Ok(rules) => rules,
        Err(error) => return Verdict::Failed(vec![error]),
    };
    // Most files match no pattern, so one search for all patterns is sufficient.
    let any: Vec<&str> = rules.iter().map(|rule| rule.pattern.as_str()).collect();
    let any = match Regex::new(&format!("(?m){}", any.join("|"))) {
        Ok(any) => any,
        Err(error) => return Verdict::Failed(vec![format!("{PATTERNS}: {error}")]),
    };
    let mut findings = Vec::new();
    let (mut lines, mut kept) = (0, 0);
    for file in ENDINGS.iter().flat_map(|ending| tree.with_ending(ending)).filter(|file| counts(file)) {
        let text = tree.read(file);
        lines += text.lines().count();
        let names = if file.ends_with(".rs") { words_of_names(&text) } else { String::new() };
        if !any.is_match(&text) && !any.is_match(&names) {
            continue;
        }
        for ((number, line), names) in text.lines().enumerate().zip(names.lines().chain(std::iter::repeat(""))) {
            let matches =
                |rule: &&Rule| rule.pattern.is_match(line) || names.split('|').any(|n| rule.pattern.is_match(n));
            let Some(rule) = rules.iter().find(matches) else { continue };
            if line.contains(KEPT) {
                kept += 1;
            } else {
                findings.push(format!("{file}:{}: `{}`: {}", number + 1, line.trim(), rule.advice));
            }
        }
    }
    Verdict::of(findings, format!("{lines} lines, {} patterns, {kept} lines kept", rules.len()))
}

/// Names of the standard library, which Cube's types also have.
const NAMES_OF_STD: [&str; 2] = ["is_none", "is_none_or"];

/// The words of the names that each line declares, for example `of its own|takes part` for a line that declares
/// `of_its_own` and `takes_part`.
fn words_of_names(text: &str) -> String {
    static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
        let declared = r"\b(?:fn|mod|let|let mut|const|static) ([A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)\b";
        Regex::new(&with_ascii_bounds(declared)).expect("the expression is valid")
    });
    let words = |line: &str| {
        let names = DECLARED.captures_iter(line).map(|found| found[1].to_string());
        let names = names.filter(|name| !NAMES_OF_STD.contains(&name.as_str()));
        names.map(|name| name.replace('_', " ")).collect::<Vec<_>>().join("|")
    };
    text.lines().map(|line| words(line) + "\n").collect()
}

/// The pattern with word boundaries of ASCII. With boundaries of Unicode, the search of a text that contains another character
/// takes ten times as long.
fn with_ascii_bounds(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)")
}

fn counts(file: &str) -> bool {
    !EXEMPT.iter().any(|start| file.starts_with(start))
}

struct Rule {
    pattern: Regex,
    advice: String,
}

/// Parses the patterns. The error contains the number of the invalid line.
fn rules(text: &str) -> Result<Vec<Rule>, String> {
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| {
        let (pattern, advice) =
            line.split_once('\t').ok_or_else(|| format!("{PATTERNS}: `{line}` has no tab and advice"))?;
        let pattern =
            Regex::new(&with_ascii_bounds(pattern)).map_err(|error| format!("{PATTERNS}: `{pattern}`: {error}"))?;
        Ok(Rule { pattern, advice: advice.into() })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    fn hits(line: &str) -> usize {
        let rules = rules(include_str!("../../wording.txt")).expect("the patterns compile");
        rules.iter().filter(|rule| rule.pattern.is_match(line)).count()
    }

    #[test]
    fn each_pattern_finds_its_sentence_and_spares_plain_ones() {
        for line in [
            "it is no layout",
            "a value that is none",
            "the error is told at the launch",
            "each turn of the loop",
            "a branch parts the plane",
            "the units that come to it",
            "the operation has no code",
            "written by hand",
            "waits for ever",
            "/// What a lane is.",
            "/// Who called it.",
            "a file of its own",
            "it may be absent",
            "it stands before the loop",
            "let turns = 4;",
            "let told = read();",
            "the lanes that come here",
            "units meet at the barrier",
            "as a stranger's crate",
            "/// The twin.",
            "the compilation goes on from the file",
            "the command that mends it",
            "derives the proof anew",
            "the word that it lies in",
            "one piece of memory",
            "a row and a column that are put together",
            "refused with its place",
            "fn wants() -> bool",
            "a page ends there, whatever its size",
            "the default is meant",
            "hands over the module",
        ] {
            assert!(hits(line) > 0, "{line}");
        }
        for line in [
            "/// Kind of a lane's value.",
            "a branch diverges",
            "it is not a layout",
            "turns buffers into memrefs",
            "the meet of two intervals",
            "quarter turns of an angle",
            "an argument in place",
        ] {
            assert_eq!(hits(line), 0, "{line}");
        }
    }

    #[test]
    fn pattern_without_advice_or_invalid_regex_is_an_error() {
        // wording: kept
        assert!(rules("abc").is_err_and(|error| error.contains("has no tab")));
        assert!(rules("(\tadvice").is_err_and(|error| error.contains("`(`")));
    }

    #[test]
    fn names_are_checked_as_words() {
        assert_eq!(words_of_names("fn a_b() { let mut c_d = e_f(); }\nx"), "a b|c d\n\n");
        let rows =
            [(PATTERNS, "\\bof its own\\b\tadvice\n"), ("passes/src/a.rs", "fn f() {}\nfn file_of_its_own() {}")]; // wording: kept
        let found = findings(check(&files(&rows).tree));
        assert!(found.len() == 1 && found[0].starts_with("passes/src/a.rs:2:"), "{found:?}");
    }
}
