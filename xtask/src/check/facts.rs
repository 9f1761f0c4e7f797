//! Checks that names in documents exist: paths, folders of the named crate, constants with their numbers, tasks of
//! xtask, flags, names of passes, and error codes. The check also compares each file count that a document states with
//! the number of files that `git grep` lists. In documentation pages, the check reads inline code. In doc comments, the
//! check reads paths, constants, tasks of xtask, and error codes.

use super::{Tree, Verdict};
use std::collections::{HashMap, HashSet};

/// Pages about earlier versions, which can contain names that no longer exist.
const HISTORY: [&str; 2] = ["CHANGELOG.md", "benches/results/"];
/// The page that has a heading for each error code.
const CODES: &str = "docs/reference/errors.md";
/// Names that no source of the tree declares, each with the reason.
const OUTSIDE: [(&str, &str); 5] = [
    ("llvm22-1", "a feature of inkwell"),
    ("ods-dialects", "a feature of melior"),
    ("mlir-print-ir-after-all", "an option of MLIR"),
    ("run-reproducer", "an option of MLIR"),
    ("run-async-at-once", "a pass that a design proposes"),
];
/// Suffixes of the files that declare names. Files of tests are excluded, because they only use names.
const SOURCES: [&str; 8] = [".rs", ".td", ".toml", ".cpp", ".h", ".sh", ".py", ".yml"];

/// The names that the sources of the tree declare.
struct Facts<'a> {
    tree: &'a Tree,
    /// All folders of the tree.
    folders: HashSet<&'a str>,
    /// All words of the sources outside of comments, with `-` replaced by `_`.
    words: HashSet<String>,
    /// The numeric values of constants, by name.
    numbers: HashMap<String, Vec<String>>,
    /// The text of the page with the error codes; empty if the tree does not contain the page.
    codes: String,
}

pub fn check(tree: &Tree) -> Verdict {
    let facts = Facts::of(tree);
    let (mut findings, mut names) = (Vec::new(), 0);
    for file in tree.files.iter().filter(|file| !HISTORY.iter().any(|old| file.starts_with(old))) {
        let page = file.ends_with(".md");
        if !page && !file.ends_with(".rs") {
            continue;
        }
        let mut fenced = false;
        for (index, line) in tree.read(file).lines().enumerate() {
            let line = line.trim_start();
            fenced ^= page && line.starts_with("```");
            if fenced || (!page && !line.starts_with("///") && !line.starts_with("//!")) {
                continue;
            }
            if page {
                let wrong = facts.folders(line).into_iter().chain(facts.count(line));
                findings.extend(wrong.map(|why| format!("{file}:{}: {why}", index + 1)));
            }
            for span in line.split('`').skip(1).step_by(2) {
                names += 1;
                findings.extend(facts.judge(span, page).map(|why| format!("{file}:{}: `{span}`: {why}", index + 1)));
            }
        }
    }
    Verdict::of(findings, format!("{names} names"))
}

impl<'a> Facts<'a> {
    fn of(tree: &'a Tree) -> Self {
        let folders = tree.files.iter().flat_map(|file| file.match_indices('/').map(|(end, _)| &file[..end])).collect();
        let (words, numbers) = (HashSet::new(), HashMap::new());
        let mut facts = Facts { tree, folders, words, numbers, codes: tree.read(CODES) };
        for file in tree.files.iter().filter(|file| SOURCES.iter().any(|ending| file.ends_with(ending))) {
            let text = tree.read(file);
            for line in text.lines().filter(|line| !file.ends_with(".rs") || !line.trim_start().starts_with("//")) {
                let parts = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
                for word in parts.map(|word| word.trim_matches('-')).filter(|word| !word.is_empty()) {
                    // Most words are already known and contain no `-`. They cost no allocation.
                    if !facts.words.contains(word) {
                        facts.words.insert(plain(word));
                    }
                }
                facts.note_constant(line);
            }
        }
        facts
    }

    fn note_constant(&mut self, line: &str) {
        let Some((_, rest)) = line.split_once("const ") else { return };
        let (Some((name, _)), Some((_, value))) = (rest.split_once(':'), rest.split_once(" = ")) else { return };
        let value = value.split(';').next().unwrap_or_default().replace('_', "");
        self.numbers.entry(name.trim().into()).or_default().push(value.trim().into());
    }

    /// The reason why a name is wrong; `None` if the name is correct.
    fn judge(&self, span: &str, page: bool) -> Option<String> {
        if let Some(path) = self.path(span) {
            let found = self.tree.has(path) || self.folders.contains(path);
            return (!found).then(|| "no such file".into());
        }
        if let Some((name, value)) = span.split_once(" = ")
            && is_constant(name)
            && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
        {
            let value = value.replace('_', "");
            return match self.numbers.get(name) {
                None => Some("no such constant".into()),
                Some(values) if !values.contains(&value) => Some(format!("the source says {}", values.join(" or "))),
                Some(_) => None,
            };
        }
        if let Some(task) = span.strip_prefix("cargo xtask ") {
            let task = task.split(' ').next().unwrap_or_default();
            let named = task.starts_with(|c: char| c.is_ascii_lowercase());
            return (named && !self.words.contains(&plain(task))).then(|| "no such task".into());
        }
        if let Some(digits) = span.strip_prefix("CUBE") {
            let code = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
            return (code && !self.codes.is_empty() && !self.codes.contains(span)).then(|| "no such error code".into());
        }
        let word = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let names: Vec<&str> = match span.contains('-') && span.split('-').all(word) {
            true => vec![span],
            false => span.split(' ').filter_map(|part| part.strip_prefix("--")).map(flag).collect(),
        };
        let lost = names.iter().find(|name| {
            name.split('-').all(word)
                && !OUTSIDE.iter().any(|(outside, _)| outside == *name)
                && !self.words.contains(&plain(name))
        });
        lost.filter(|_| page).map(|name| format!("no source names `{name}`"))
    }

    /// The relative folders in a line, such as `split/`, that do not exist. The check searches a relative
    /// folder below the last existing folder that the line names before it.
    fn folders(&self, line: &str) -> Vec<String> {
        let mut root = "";
        let mut findings = Vec::new();
        for span in line.split('`').skip(1).step_by(2) {
            let plain = span.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-/".contains(&b));
            let is_root = plain && self.folders.contains(span.trim_end_matches('/'));
            match span.strip_suffix('/') {
                _ if is_root => root = span.trim_end_matches('/'),
                Some(folder) if plain && !root.is_empty() && folder.starts_with(|c: char| c.is_ascii_lowercase()) => {
                    let (start, part) = (format!("{root}/"), format!("/{folder}/"));
                    let inside = |file: &String| file.starts_with(&start) && file.contains(&part);
                    if !self.tree.files.iter().any(inside) {
                        findings.push(format!("`{span}`: no such folder below {root}"));
                    }
                }
                _ => {}
            }
        }
        findings
    }

    /// Checks the number of files in a line such as "`git grep -li WORD -- '*.rs' | grep -v 'tests'` names N", and
    /// returns an error for a wrong number.
    fn count(&self, line: &str) -> Option<String> {
        let (_, rest) = line.split_once("`git grep -li ")?;
        let (word, rest) = rest.split_once(" -- '*.rs' | grep -v 'tests'` names ")?;
        let stated: usize = rest.split(' ').next()?.parse().ok()?;
        let word = word.to_lowercase();
        let named = |file: &&str| !file.contains("tests") && self.tree.read(file).to_lowercase().contains(&word);
        let found = self.tree.with_ending(".rs").filter(named).count();
        (found != stated).then(|| format!("says that {stated} files name {word}; {found} do"))
    }

    /// The inline code as a path from the root; `None` if it is not a path or contains placeholders.
    fn path<'s>(&self, span: &'s str) -> Option<&'s str> {
        let (top, _) = span.split_once('/')?;
        let ending = span.rsplit_once('.').map(|(_, ending)| ending)?;
        let known = ["rs", "md", "toml", "td", "mlir", "cpp", "h", "txt"].contains(&ending);
        let fixed = span.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b));
        let place_holder = |part: &str| part.split('.').next().is_some_and(|name| name.len() > 1 && is_constant(name));
        let below = self.folders.contains(top);
        (known && fixed && below && !span.split('/').any(|part| place_holder(part) && !part.ends_with("md")))
            .then_some(span)
    }
}

fn flag(part: &str) -> &str {
    part.split(['=', '[', ',', '{']).next().unwrap_or_default()
}

fn plain(word: &str) -> String {
    word.replace('-', "_")
}

fn is_constant(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn wrong_names_are_found_with_the_reason() {
        let source =
            "/// See `a/src/gone.rs` and `LIMIT = 8`, `no-such-pass`.\nconst LIMIT: u32 = 1_000;\nname: \"fold-adds\"";
        let page = "`a/src/lib.rs` `a/src` `LIMIT = 1000` `fold-adds` `--fold-adds=x` `CUBE0001` `a/src/NAME.rs` `A=1`\n\
                    `a/src/b.rs` `LIMIT = 4` `LOST = 4` `lost-pass` `--lost` `CUBE0002` `cargo xtask lost`\n\
                    ```\n`a/src/c.rs`\n```\n\
                    | `a` | the folder `src/` | and `lost/` |\n\
                    `git grep -li LIMIT -- '*.rs' | grep -v 'tests'` names 1 file\n\
                    `git grep -li LIMIT -- '*.rs' | grep -v 'tests'` names 3 files\n";
        let tree = files(&[
            ("a/src/lib.rs", source),
            ("docs/a.md", page),
            (CODES, "## CUBE0001"),
            ("CHANGELOG.md", "`a/x.rs`"),
        ]);
        let expected = [
            "a/src/lib.rs:1: `a/src/gone.rs`: no such file",
            "a/src/lib.rs:1: `LIMIT = 8`: the source says 1000",
            "docs/a.md:2: `a/src/b.rs`: no such file",
            "docs/a.md:2: `LIMIT = 4`: the source says 1000",
            "docs/a.md:2: `LOST = 4`: no such constant",
            "docs/a.md:2: `lost-pass`: no source names `lost-pass`",
            "docs/a.md:2: `--lost`: no source names `lost`",
            "docs/a.md:2: `CUBE0002`: no such error code",
            "docs/a.md:2: `cargo xtask lost`: no such task",
            "docs/a.md:6: `lost/`: no such folder below a",
            "docs/a.md:8: says that 3 files name limit; 1 do",
        ];
        assert_eq!(findings(check(&tree.tree)), expected);
    }
}
