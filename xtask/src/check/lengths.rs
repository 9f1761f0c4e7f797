//! Checks that each message fits on two lines of 100 columns. In the texts of libraries and tools, no paragraph is
//! longer than [`LIMIT`] characters. For a placeholder such as `{name}`, the check counts the characters of the
//! placeholder in the source. Other tests check the rendered texts of the tables of codes and rules.

use super::scan::code_of;
use super::{Tree, Verdict};

/// Maximum characters of a paragraph: two lines of 100 columns, without `error: ` and without the space at
/// the line break.
const LIMIT: usize = 192;

/// Files with long texts that are not messages, each with the reason.
const EXEMPT: [(&str, &str); 6] = [
    ("driver/src/reports/tree.rs", "the style of a page"),
    ("runtime/artifact/src/codes.rs", "notes; a test checks titles and explanations"),
    ("dialects/mlir/build/records.rs", "the keywords of Rust"),
    ("tools/src/new.rs", "names that a crate cannot have"),
    ("rules/prove/src/report.rs", "the text of a page"),
    ("backends/to-llvm/src/attach_debug_info.rs", "an attribute of LLVM"),
];

/// Path fragments of sources without messages for users.
const OTHER: [&str; 8] = ["/tests/", "tests.rs", "/benches/", "benches/", "/examples/", "examples/", "test/", "fuzz/"];

pub fn check(tree: &Tree) -> Verdict {
    let mut findings = Vec::new();
    let mut texts = 0;
    for file in tree.with_ending(".rs").filter(|file| !OTHER.iter().any(|part| file.contains(part))) {
        let source = tree.read(file);
        let found = literals(&source);
        texts += found.len();
        let long = found.iter().filter(|(_, text)| longest_paragraph(text) > LIMIT).map(|(line, _)| *line);
        let lines: Vec<usize> = long.collect();
        let exempt = EXEMPT.iter().any(|(path, _)| *path == file);
        if !exempt && !lines.is_empty() {
            findings.push(format!(
                "{file}: texts of more than {LIMIT} characters in lines {lines:?}; shorten the message, or begin a note with \\n"
            ));
        }
        if exempt && lines.is_empty() {
            findings.push(format!("xtask/src/check/lengths.rs: {file} has no long text; remove its row"));
        }
    }
    Verdict::of(findings, format!("{texts} texts, at most {LIMIT} characters a paragraph"))
}

/// The string literals of a source, each with the number of its first line. String literals in the unit tests
/// at the end of a file are not included.
fn literals(source: &str) -> Vec<(usize, &str)> {
    let code = code_of(source);
    let end = code.find("#[cfg(test)]\nmod ").unwrap_or(code.len());
    let blank = |at: usize| code.as_bytes()[at] == b' ';
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = source[at..end].find(['"', '/']).map(|offset| at + offset) {
        let rest = &source[next..];
        let comment = rest.starts_with("//") && blank(next);
        at = next + 1;
        if comment {
            at = next + rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with('"') && blank(next) && !source[..next].ends_with(['\'', '\\', '#']) {
            let length = text_length(&rest[1..]);
            found.push((source[..next].matches('\n').count() + 1, &rest[1..=length]));
            at = (next + length + 2).min(end);
        }
    }
    found
}

/// The number of bytes before the closing quote of a string literal.
fn text_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len().saturating_sub(1))
}

/// Number of characters of the longest paragraph that contains spaces. `\n` separates paragraphs; a continued line
/// loses its indentation.
fn longest_paragraph(text: &str) -> usize {
    let mut joined = String::new();
    for (number, line) in text.split("\\\n").enumerate() {
        joined += if number == 0 { line } else { line.trim_start() };
    }
    let paragraphs = joined.split("\\n").flat_map(|part| part.split('\n'));
    paragraphs.filter(|part| part.contains(' ')).map(|part| part.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn literals_are_found_between_comments_and_characters() {
        let source = "// a \"comment\"\nlet a = \"one\"; let b = '\"'; let c = \"t\\\"wo\"; // \"x\"\n#[cfg(test)]\nmod tests { \"three\" }\n";
        assert_eq!(literals(source), [(2, "one"), (2, "t\\\"wo")]);
    }

    #[test]
    fn paragraphs_and_continued_lines_are_measured() {
        assert_eq!(longest_paragraph("ab c\\nd e"), 4);
        assert_eq!(longest_paragraph("ab \\\n      c"), 4);
        assert_eq!(longest_paragraph(&"x".repeat(500)), 0);
    }

    #[test]
    fn a_message_of_three_lines_is_found() {
        let long = format!("fn f() {{ fail(\"{}\") }}\n", "word ".repeat(40));
        let found = findings(check(&files(&[("runtime/core/src/a.rs", &long)]).tree));
        assert!(
            found[0].starts_with("runtime/core/src/a.rs: texts of more than 192 characters in lines [1]"),
            "{found:?}"
        );
        for file in ["fuzz/src/a.rs", "runtime/core/src/tests.rs", "tools/src/new.rs"] {
            assert!(matches!(check(&files(&[(file, &long)]).tree), Verdict::Passed(_)), "{file}");
        }
        let found = findings(check(&files(&[("tools/src/new.rs", "fn f() {}\n")]).tree));
        assert!(found[0].contains("remove its row"), "{found:?}");
    }
}
