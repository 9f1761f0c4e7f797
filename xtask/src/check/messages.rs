//! Checks that each message with a code is a value of the message tables, not a text that is composed where the error
//! occurs. A message consists of a rule in the tables of `runtime/artifact/src/messages` and of arguments. The check
//! counts the exceptions in each file. Exceptions are string literals that contain a code, such as `[CUBE0112]`, and
//! errors that are created from a constant of `codes` and a text. A change must not increase the maximum numbers in
//! `xtask/messages-as-text.txt`.

use super::scan::{code_of, words};
use super::{Tree, Verdict};
use std::collections::BTreeMap;

/// The file with the maximum number of exceptions per file; each line contains a number and a path. A file
/// that is not listed must not have exceptions.
const CEILINGS: &str = "xtask/messages-as-text.txt";

/// Exempt paths: the tables of messages, and the tasks of xtask, which only read codes.
const EXEMPT: [&str; 2] = ["runtime/artifact/src/messages/", "xtask/"];

/// Path fragments of tests, and of sources that do not belong to the compiler.
const TESTS: [&str; 5] = ["/tests/", "tests.rs", "/benches/", "/examples/", "test/"];

pub fn check(tree: &Tree) -> Verdict {
    let ceilings = match ceilings(&tree.read(CEILINGS)) {
        Ok(ceilings) => ceilings,
        Err(line) => return Verdict::Failed(vec![format!("{CEILINGS}: `{line}` is not a number and a path")]),
    };
    let mut found = BTreeMap::new();
    for file in [".rs", ".td", ".cpp", ".h"].iter().flat_map(|ending| tree.with_ending(ending)).filter(|f| counts(f)) {
        let lines = sites(&tree.read(file));
        if !lines.is_empty() {
            found.insert(file.to_string(), lines);
        }
    }
    let mut findings = Vec::new();
    for (file, lines) in &found {
        let (count, ceiling) = (lines.len(), ceilings.get(file).copied().unwrap_or(0));
        if count > ceiling {
            findings.push(format!(
                "{file}: {count} messages have their code as text, but {ceiling} are allowed (lines {lines:?}); add a rule to runtime/artifact/src/messages for each, and create it with diagnostic!"
            ));
        }
    }
    findings.extend(ceilings.iter().filter_map(|(file, ceiling)| {
        let count = found.get(file).map_or(0, Vec::len);
        (count < *ceiling).then(|| format!("{CEILINGS}: {file} has only {count} now, not {ceiling}; write {count}"))
    }));
    let total: usize = found.values().map(Vec::len).sum();
    Verdict::of(findings, format!("{total} messages in {} files have their code as text", found.len()))
}

fn counts(file: &str) -> bool {
    !EXEMPT.iter().any(|folder| file.starts_with(folder)) && !TESTS.iter().any(|part| file.contains(part))
}

fn ceilings(text: &str) -> Result<BTreeMap<String, usize>, String> {
    let entry = |line: &str| {
        let (count, file) = line.split_once(' ')?;
        Some((file.to_string(), count.parse().ok()?))
    };
    text.lines().map(|line| entry(line).ok_or_else(|| line.to_string())).collect()
}

/// The line numbers of the exceptions in a source; the first line has number one. Comments, the unit tests at
/// the end of the file, and uses of the table `codes::CODES` are not counted.
fn sites(source: &str) -> Vec<usize> {
    let code = code_of(source);
    let tests = code.match_indices("#[cfg(test)]").map(|(at, _)| at);
    let end = tests.filter(|at| code[*at..].lines().nth(1).is_some_and(|line| line.contains("mod "))).last();
    let end = end.unwrap_or(code.len());
    let texts = source[..end].lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let mut found: Vec<usize> = texts
        .flat_map(|(at, line)| {
            std::iter::repeat_n(at + 1, line.split("[CUBE").skip(1).filter(|after| is_code(after)).count())
        })
        .collect();
    let typed = of_typed_errors(&code[..end]);
    let constant = |(line, after): (usize, &str)| {
        let name = after.strip_prefix("::")?;
        let counts = name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.starts_with("CODES");
        (counts && !typed.iter().any(|lines| lines.contains(&line))).then_some(line)
    };
    found.extend(words(&code[..end], "codes").filter_map(constant));
    found.sort_unstable();
    found
}

// The lines of functions `code`. Only these functions of a typed error name the code of each kind.
fn of_typed_errors(code: &str) -> Vec<std::ops::RangeInclusive<usize>> {
    let lines: Vec<&str> = code.lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("pub fn code(&self)"));
    let ends = |at: usize| {
        let indent = lines[at].len() - lines[at].trim_start().len();
        let is_end = |line: &&str| line.trim() == "}" && line.len() == indent + 1;
        at + lines[at..].iter().position(is_end).unwrap_or(0)
    };
    starts.map(|(at, _)| at + 1..=ends(at) + 1).collect()
}

// The rest of `[CUBE0112]`.
fn is_code(after: &str) -> bool {
    let digits = after.chars().take_while(char::is_ascii_digit).count();
    digits == 4 && after[digits..].starts_with(']')
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    const TEXT: &str = "// a [CUBE0001]\nfn f() { op.error(\"no [CUBE0112]\"); }\nconst N: usize = sums[CUBE_POS];\nfn g() { Error::new(codes::OPEN, \"b\"); codes::find(); codes::CODES.len(); }\n#[cfg(test)]\nmod tests { const A: &str = \"[CUBE0113]\"; }\n";

    #[test]
    fn texts_with_a_code_and_constants_of_codes_count() {
        assert_eq!(sites(TEXT), [2, 4]);
        assert_eq!(sites("<< \" [CUBE0112]\"; << \" [CUBE0113]\";"), [1, 1]);
    }

    #[test]
    fn typed_error_states_its_codes_in_one_function() {
        let text = "impl E {\n    pub fn code(&self) -> &str {\n        codes::OPEN\n    }\n    fn new() { codes::SHUT; }\n}\n";
        assert_eq!(sites(text), [5]);
    }

    #[test]
    fn a_new_message_as_text_is_found_and_a_number_too_high_too() {
        let tree = files(&[("passes/src/a.rs", TEXT), (CEILINGS, "")]);
        let found = findings(check(&tree.tree));
        assert!(
            found[0].starts_with("passes/src/a.rs: 2 messages have their code as text, but 0 are allowed"),
            "{found:?}"
        );
        let tree = files(&[("passes/src/a.rs", TEXT), (CEILINGS, "2 passes/src/a.rs\n")]);
        assert!(matches!(check(&tree.tree), Verdict::Passed(_)));
        let tree = files(&[("passes/src/a.rs", TEXT), (CEILINGS, "3 passes/src/a.rs\n")]);
        assert!(findings(check(&tree.tree))[0].contains("has only 2 now, not 3"));
        let tree = files(&[("test/a.rs", TEXT), ("runtime/artifact/src/messages/a.rs", TEXT), (CEILINGS, "")]);
        assert!(matches!(check(&tree.tree), Verdict::Passed(_)));
        let tree = files(&[("passes/src/a.rs", ""), (CEILINGS, "many\n")]);
        assert!(findings(check(&tree.tree))[0].contains("`many`"));
    }
}
