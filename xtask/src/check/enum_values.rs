//! Checks that code reads and writes the cases of MLIR's enumerations as generated enums, never as their numbers or
//! words. A number that no case has, or a misspelt word, would otherwise cause wrong behaviour instead of a compile
//! error.

use super::{Tree, Verdict, code_lines};

/// Folders with checked sources.
const FOLDERS: &[&str] = &["passes/src/", "driver/src/", "backends/", "dialects/", "interpreter/src/"];

/// Code that handles a case as a number or a word.
const PATTERNS: &[&str] = &[
    "attr(\"predicate\")",
    "attr(\"bin_op\")",
    "attr(\"ordering\")",
    "attr(\"roundingmode\").map",
    "Predicate::of_number(",
    "IntCmp::Ult as",
    "\"#arith.",
    "predicate as i64",
    "\"#cube<",
    "\"#nvvm<",
    "\"#vector.kind<",
    "const ULT",
    "const UGT",
];

pub fn check(tree: &Tree) -> Verdict {
    let (mut findings, mut files) = (Vec::new(), 0);
    for file in tree.sources_in(FOLDERS) {
        files += 1;
        findings.extend(occurrences(&tree.read(file)).into_iter().map(|(line, pattern)| {
            format!("{file}:{line}: `{pattern}` handles a case of an enumeration as a number or word; use the generated enum of cube_ir::ops or cube_dialect")
        }));
    }
    Verdict::of(findings, format!("{files} files"))
}

// The occurrences of the patterns outside of comments and of the unit tests at the end of a file, with their line
// numbers.
fn occurrences(source: &str) -> Vec<(usize, &'static str)> {
    let found = code_lines(source).flat_map(|(at, line)| {
        PATTERNS.iter().filter(move |pattern| line.contains(**pattern)).map(move |pattern| (at, *pattern))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::occurrences;

    #[test]
    fn numbers_and_words_are_found_and_enums_are_not() {
        let source = "let n = op.attr(\"predicate\")?.as_int()?;\n// op.attr(\"predicate\")\nlet a = cx.parse_attr(\"#cube<scope cube>\");\n\
            let b = arith::Cmpi::of(op)?.predicate();\nlet c = Scope::Cube.attr(cx);\n#[cfg(test)]\nconst ULT: i64 = 6;\n";
        assert_eq!(occurrences(source), [(1, "attr(\"predicate\")"), (3, "\"#cube<")]);
    }
}
