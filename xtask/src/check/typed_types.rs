//! Checks that code asks a type for its properties, and does not print the type and read the text. The text of a type
//! changes with MLIR's version and with aliases, and a comparison with a misspelt text never holds.

use super::{Tree, Verdict, code_lines};

/// Folders with checked sources.
const FOLDERS: &[&str] = &["passes/", "driver/src/", "backends/", "dialects/", "interpreter/src/"];

/// The text of a type. Messages insert types by their `Display`, and need no `to_string`.
const TEXTS: &[&str] = &[
    "ty.to_string()",
    "ty().to_string()",
    "ty.element.to_string()",
    "element.to_string()",
    "element().to_string()",
    "line.to_string()",
    "t.to_string()",
];

/// Functions that parse a type's text.
const PARSERS: &[&str] =
    &["from_ir(&format!", "named(&format!", "starts_with(\"memref", "starts_with(\"!cube.", "starts_with(\"!layout."];

/// Files that are allowed to use the text of a type, each with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("backends/to-llvm/src/attach_debug_info.rs", "debuggers show the text as the name of the type"),
    ("dialects/cube/src/verify/memory.rs", "a message proposes a type"),
    ("dialects/cube/src/types.rs", "MLIR's C interface has no query for the 8-bit floats, which have equal widths"),
    ("dialects/layout/src/verify.rs", "a message proposes a type"),
    ("interpreter/src/decode/lowered.rs", "MLIR's C interface has no query for an array of the dialect llvm"),
];

pub fn check(tree: &Tree) -> Verdict {
    let (mut findings, mut files) = (Vec::new(), 0);
    for file in tree.sources_in(FOLDERS) {
        files += 1;
        let found = occurrences(&tree.read(file));
        match EXEMPT.iter().find(|(path, _)| *path == file) {
            Some(_) if found.is_empty() => {
                findings.push(format!("{file} does not use the text of a type; remove it from xtask/src/check/typed_types.rs"));
            }
            Some(_) => {}
            None => findings.extend(found.into_iter().map(|(line, text)| {
                format!("{file}:{line}: `{text}` is the text of a type; use the queries of cube_ir::TypeExt, MemRef or cube_dialect::element_of")
            })),
        }
    }
    Verdict::of(findings, format!("{files} files, {} with a reason", EXEMPT.len()))
}

// The uses of a type's text outside of comments and of the unit tests at the end of a file, with their line numbers.
fn occurrences(source: &str) -> Vec<(usize, &'static str)> {
    let found = code_lines(source).flat_map(|(at, line)| {
        let texts = TEXTS.iter().filter(move |text| is_use(line, text)).take(1);
        let parsers = PARSERS.iter().filter(move |parser| line.contains(**parser));
        texts.chain(parsers).map(move |text| (at, *text))
    });
    found.collect()
}

// Whether a text occurs, and not as the end of a longer name such as `constant.to_string()`.
fn is_use(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::occurrences;

    #[test]
    fn texts_of_types_are_found_and_queries_are_not() {
        let source = "if value.ty().to_string().starts_with(\"memref\") {}\n// ty.to_string()\nlet a = count.to_string();\n\
            let b = ty.element().is_index();\nlet c = element.to_string() == \"index\";\n#[cfg(test)]\nlet d = ty.to_string();\n";
        assert_eq!(
            occurrences(source),
            [(1, "ty().to_string()"), (1, "starts_with(\"memref"), (5, "element.to_string()")]
        );
    }
}
