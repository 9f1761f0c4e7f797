//! Checks that passes, backends, dialects, the driver, the interpreter and `cube-reduce` identify operations by type,
//! not by name (docs/why/typed-operations.md). The check counts string literals that look like the name of an
//! operation, code that reads the name of an operation as text, and code that parses a type from text. The file
//! `xtask/op-names.txt` contains the current count, which a change must not increase.

use super::scan::code_of;
use super::{Tree, Verdict};

/// The file with the number of counted literals and code lines.
const MAXIMUM_FILE: &str = "xtask/op-names.txt";

/// Dialect prefixes of the string literals that the check counts.
const DIALECTS: &[&str] = &[
    "arith", "builtin", "cf", "cube", "func", "gpu", "layout", "llvm", "math", "memref", "nvvm", "rocdl", "scf", "ub",
    "vector",
];

/// The one table of the keys of Cube's attributes. A test of the file `attributes.rs` compares the keys with
/// all operations.
const KEYS: &str = "dialects/cube/src/attributes.rs";

/// Attributes of the layout dialect, which are not keys. The layout dialect has no operations with the names
/// of these attributes.
const ATTRIBUTES: &[&str] = &["layout.coord", "layout.layout"];

/// Prefixes of LLVM's intrinsic functions in LLVM IR, which are not operations of MLIR.
const INTRINSICS: &[&str] = &["llvm.amdgcn.", "llvm.arithmetic.fence", "llvm.fma.", "llvm.fmuladd.", "llvm.nvvm."];

/// Folders with checked sources.
const FOLDERS: &[&str] = &[
    "passes/src/",
    "driver/src/",
    "backends/",
    "dialects/",
    "interpreter/src/",
    "tools/src/opt/layouts.rs",
    "tools/src/reduce/",
];

/// Code that reads the name of an operation as text. String literals near code that reads operation names can
/// be operation names without the dialect.
const NAME_READS: &[&str] = &[
    ".is_named(",
    "meaning(op.name())",
    ".contains(&op.name())",
    "op.name() ==",
    "op.name() !=",
    "match op.name()",
    ".name().strip_prefix(",
    ".name().starts_with(",
    ".name().trim_start_matches(",
];

/// Code that makes a type from text instead of a typed constructor such as `cube_dialect::BufferType::get`.
const TYPE_PARSER: &str = ".parse_type(";

/// The files that parse types: the value of a type parameter is the user's text, and the table of element types contains
/// the syntax of each float.
const TYPE_PARSING_FILES: &[&str] = &["dialects/cube/src/kernel.rs", "dialects/cube/src/types.rs"];

/// The file that finds the kind of an operation by its name, and that defines `is_named`. In all other files,
/// the check counts code that reads the name of an operation as text.
const DEFINING_FILE: &str = "dialects/mlir/src/ops.rs";

pub fn check(tree: &Tree) -> Verdict {
    let counted = |file: &&str| {
        let below = FOLDERS.iter().any(|folder| file.starts_with(folder)) && file.contains("/src/");
        below && *file != KEYS && !file.contains("/tests/") && !file.ends_with("tests.rs")
    };
    let mut occurrences = Vec::new();
    for file in tree.with_ending(".rs").filter(counted) {
        let source = tree.read(file);
        let source = without_tests(&source);
        let names = names_in(source);
        occurrences.extend(names.into_iter().map(|(line, name)| format!("{file}:{line}: {name:?}")));
        if *file != *DEFINING_FILE {
            occurrences
                .extend(code_in(source, NAME_READS).into_iter().map(|(line, read)| format!("{file}:{line}: `{read}`")));
        }
        if !TYPE_PARSING_FILES.contains(&file) {
            let parsed = code_in(source, &[TYPE_PARSER]);
            occurrences.extend(parsed.into_iter().map(|(line, read)| format!("{file}:{line}: `{read}`")));
        }
    }
    let Ok(maximum) = tree.read(MAXIMUM_FILE).trim().parse::<usize>() else {
        return Verdict::Failed(vec![format!(
            "{MAXIMUM_FILE}: write one number, the maximum count of operation names in string literals"
        )]);
    };
    let count = occurrences.len();
    match count.cmp(&maximum) {
        std::cmp::Ordering::Equal => {
            Verdict::Listed(format!("{count} names of operations are string literals"), occurrences)
        }
        std::cmp::Ordering::Less => Verdict::Failed(vec![format!(
            "{MAXIMUM_FILE}: only {count} names of operations are string literals; lower the maximum to {count}"
        )]),
        std::cmp::Ordering::Greater => {
            let rule = format!(
                "{count} names of operations are string literals, but the maximum is {maximum}; use cube_ir::ops, for keys of attributes \
                 cube_dialect::attributes, and for types Cx and BufferType"
            );
            Verdict::Failed(std::iter::once(rule).chain(occurrences).collect())
        }
    }
}

// A source without the unit tests at its end.
fn without_tests(source: &str) -> &str {
    source.find("#[cfg(test)]\nmod ").map_or(source, |end| &source[..end])
}

// The occurrences of the fragments in the code, each with its line. Comments and literals do not count.
fn code_in<'f>(source: &str, fragments: &[&'f str]) -> Vec<(usize, &'f str)> {
    let code = code_of(source);
    let lines = code.lines().enumerate();
    lines
        .flat_map(|(at, line)| {
            fragments.iter().filter(move |read| line.contains(**read)).map(move |read| (at + 1, *read))
        })
        .collect()
}

// The literals that look like names of operations, with their lines. Comments do not count.
fn names_in(source: &str) -> Vec<(usize, &str)> {
    let lines = source.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let texts = lines.flat_map(|(at, line)| line.split('"').skip(1).step_by(2).map(move |text| (at + 1, text)));
    texts.filter(|(_, text)| is_name(text)).collect()
}

fn is_name(text: &str) -> bool {
    let Some((dialect, rest)) = text.split_once('.') else { return false };
    DIALECTS.contains(&dialect)
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || "_.*".contains(c))
        && !ATTRIBUTES.contains(&text)
        && !INTRINSICS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn names_count_and_attributes_do_not() {
        let source = "// \"arith.addi\"\nif op.is(\"arith.addi\") && name.starts_with(\"cube.plane_\") {\n    op.attr(\"layout.coord\");\n    \
                      refuse(\"cube.load is refused\", \"llvm.intr.exp\", \"arith\", \"scf.*\", \"llvm.nvvm.vote\");\n}\n";
        let expected = [(2, "arith.addi"), (2, "cube.plane_"), (4, "llvm.intr.exp"), (4, "scf.*")];
        assert_eq!(names_in(source), expected);
    }

    #[test]
    fn code_that_reads_a_name_counts_in_every_folder_except_in_tests() {
        let source = "fn f() { match op.name().strip_prefix(\"x\") { Some(\"exp\") => {} } } // .is_named(\n\
                      #[cfg(test)]\nmod tests { fn g() { op.is_named(\"cube.load\"); } }\n";
        let tree = files(&[
            ("dialects/cube/src/fold.rs", source),
            ("driver/src/lanes.rs", "fn f() { meaning(op.name()); cx.parse_type(text) }"),
            (TYPE_PARSING_FILES[0], "fn f() { cx.parse_type(text) }"),
            (DEFINING_FILE, "fn f() { self.name() == OpKind::Load.name() || op.is_named(other); }"),
            ("interpreter/src/rules.rs", "fn f() { rules::of(\"cube.load\") }"),
            ("fuzz/src/table.rs", source),
            (MAXIMUM_FILE, "0"),
        ]);
        let found = findings(check(&tree.tree));
        let expected = [
            "dialects/cube/src/fold.rs:1: `match op.name()`",
            "dialects/cube/src/fold.rs:1: `.name().strip_prefix(`",
            "driver/src/lanes.rs:1: `meaning(op.name())`",
            "driver/src/lanes.rs:1: `.parse_type(`",
            "interpreter/src/rules.rs:1: \"cube.load\"",
        ];
        assert_eq!(found[1..], expected);
    }
}
