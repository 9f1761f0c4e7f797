//! Checks the size limits: the lines of each Rust file, and the total lines of C++. The check also verifies
//! the style of module files.

use super::{Tree, Verdict};

/// Maximum lines of a Rust file.
const RUST_LINES: usize = 500;
/// Maximum lines of C++ in the bridge, in `.td` files, and in the strings of build scripts.
const CPP_LINES: usize = 1_000;
/// Parts of a quoted text that only C++ has: names with a namespace, and the placeholders of TableGen.
const CPP_SIGNS: &[&str] = &["::", "$_", "$cppClass"];
/// Maximum lines of code of a folder, and the advice for a folder that is longer. Comments, blank lines and tests are not
/// counted.
const FOLDER_LINES: &[(&str, usize, &str)] = &[
    ("backends/wgsl/src/", 1500, OF_BACKENDS),
    ("backends/spirv/src/", 1800, OF_BACKENDS),
    ("frontend/macros/src/", 6500, "move what rustc can check through types to frontend/core"),
];
const OF_BACKENDS: &str = "move what backends share to backends/structured";
/// The list of files that are allowed to be longer; each line is `path: reason`. The list of exceptions must not
/// contain passes.
const EXCEPTIONS: &str = "xtask/size-exceptions.txt";

pub fn check(tree: &Tree) -> Verdict {
    let (mut findings, exceptions) = exceptions(tree);
    let (mut longest, mut files) = (0, 0);
    for file in tree.with_ending(".rs").filter(|file| !is_test_or_generated(file)) {
        let lines = tree.read(file).lines().count();
        files += 1;
        if let Some(folder) = file.strip_suffix("/mod.rs") {
            findings.push(format!("{file}: the one style of modules is {folder}.rs beside {folder}/; rename it"));
        }
        longest = longest.max(lines);
        let listed = exceptions.iter().any(|path| path == file);
        if lines <= RUST_LINES && listed {
            findings.push(format!("{file}: {lines} lines are within the limit; remove it from {EXCEPTIONS}"));
        }
        if lines > RUST_LINES && (!listed || file.starts_with("passes/")) {
            findings
                .push(format!("{file}: {lines} lines, more than {RUST_LINES}; which named module needs its own file?"));
        }
    }
    let folders = folder_lines(tree, &mut findings);
    let cpp = cpp_lines(tree, &mut findings);
    Verdict::of(findings, format!("{files} Rust files, the longest {longest} lines; {folders}; {cpp} lines of C++"))
}

/// The paths in the list of exceptions, and the errors in this list.
fn exceptions(tree: &Tree) -> (Vec<String>, Vec<String>) {
    let (mut findings, mut paths) = (Vec::new(), Vec::new());
    let text = tree.read(EXCEPTIONS);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(": ") {
            Some((path, reason)) if tree.has(path) && !reason.trim().is_empty() => paths.push(path.to_string()),
            Some((path, _)) => {
                findings.push(format!("{EXCEPTIONS}: `{path}` is not a file of this tree, or has no reason"))
            }
            None => findings.push(format!("{EXCEPTIONS}: `{line}` is not `path: reason`")),
        }
    }
    (findings, paths)
}

/// Counts the lines of code of each folder in [`FOLDER_LINES`].
fn folder_lines(tree: &Tree, findings: &mut Vec<String>) -> String {
    let mut counts = Vec::new();
    for (folder, most, advice) in FOLDER_LINES {
        let files = tree.with_ending(".rs").filter(|file| file.starts_with(folder) && !is_test_or_generated(file));
        let lines: usize = files.map(|file| code_lines(&tree.read(file))).sum();
        if lines > *most {
            findings.push(format!("{folder}: {lines} lines of code, more than {most}; {advice}"));
        }
        counts.push(format!("{folder} {lines} lines of code"));
    }
    counts.join(", ")
}

/// Number of lines of a file, without comments, blank lines, and the test module at the end of the file.
fn code_lines(text: &str) -> usize {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn is_test_or_generated(file: &str) -> bool {
    let in_folder = file.split('/').rev().skip(1).any(|part| matches!(part, "tests" | "benches" | "generated"));
    in_folder || file.ends_with("tests.rs")
}

/// Counts the lines of C++, and reports C++ files outside of the allowed folders. Header files are counted only in
/// folders with C++, because other headers can belong to C.
fn cpp_lines(tree: &Tree, findings: &mut Vec<String>) -> usize {
    let mut lines = 0;
    for file in &tree.files {
        let ends = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
        let cpp = ends(&[".cpp", ".cc", ".cxx", ".hpp"]);
        if file.starts_with("dialects/") && file.contains("/cpp/") && (cpp || ends(&[".h", ".inc", ".c"])) {
            lines += tree.read(file).lines().count();
        } else if file.ends_with(".td") {
            lines += td_lines(&tree.read(file));
        } else if file.starts_with("dialects/") && file.ends_with("build.rs") {
            lines += quoted_directives(&tree.read(file));
        } else if cpp && !is_test_or_generated(file) && !file.starts_with("examples/") {
            findings.push(format!("{file}: C++ belongs into dialects/*/cpp"));
        }
    }
    if lines > CPP_LINES {
        findings.push(format!(
            "dialects: {lines} lines of C++ with the bodies of .td files, more than {CPP_LINES}; verifiers, folders and passes are Rust"
        ));
    }
    lines
}

/// Number of lines with C++ in a `.td` file: the lines between `[{` and `}]`, except descriptions and formats of the
/// assembly, and the other lines with a quoted text that has one of [`CPP_SIGNS`]. A summary is prose. The argument of
/// `RustVerify` is a path of Rust.
fn td_lines(td: &str) -> usize {
    let (mut count, mut inside) = (0, false);
    for line in td.lines() {
        if let Some((before, _)) = line.rsplit_once("[{") {
            inside = !before.contains("description") && !before.contains("assemblyFormat");
        }
        let is_prose = line.trim_start().starts_with("//") || line.contains("let summary");
        let mut texts = line.split('"');
        let mut quoted = false;
        while let (Some(before), Some(text)) = (texts.next(), texts.next()) {
            quoted |= !is_prose && !before.ends_with("RustVerify<") && CPP_SIGNS.iter().any(|sign| text.contains(sign));
        }
        count += usize::from(inside && !line.trim().is_empty() || quoted);
        inside &= !line.contains("}]");
    }
    count
}

/// Number of lines of a build script with a string that is C++: a directive of the preprocessor.
fn quoted_directives(script: &str) -> usize {
    script.lines().filter(|line| line.contains("\"#define") || line.contains("\"#include")).count()
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    fn lines(count: usize) -> String {
        "x\n".repeat(count)
    }

    #[test]
    fn a_long_file_is_named_unless_it_is_a_test_or_listed() {
        let (long, fits) = (lines(501), lines(500));
        let tree = files(&[
            ("a/src/lib.rs", &long),
            ("b/src/lib.rs", &fits),
            ("b/src/listed.rs", &long),
            ("c/tests/x.rs", &long),
            ("c/src/case_tests.rs", &long),
            (EXCEPTIONS, "# why\nb/src/listed.rs: one table of 600 rows\n"),
        ]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a/src/lib.rs: 501 lines"), "{found:?}");
    }

    #[test]
    fn a_backend_without_llvm_has_a_size() {
        let (fits, more) = (lines(1500), lines(1));
        let comments = "// why\n\n#[cfg(test)]\nmod tests {\n    x\n}\n";
        let tree = files(&[
            ("backends/wgsl/src/a.rs", &fits),
            ("backends/wgsl/src/b.rs", comments),
            (EXCEPTIONS, "backends/wgsl/src/a.rs: long\n"),
        ]);
        assert!(matches!(check(&tree.tree), Verdict::Passed(_)));
        let tree = files(&[
            ("backends/wgsl/src/a.rs", &fits),
            ("backends/wgsl/src/b.rs", &more),
            (EXCEPTIONS, "backends/wgsl/src/a.rs: long\n"),
        ]);
        assert!(findings(check(&tree.tree))[0].contains("1501 lines of code"));
    }

    #[test]
    fn a_module_has_one_style() {
        let tree = files(&[("a/src/b/mod.rs", "x"), ("a/tests/support/mod.rs", "x"), (EXCEPTIONS, "")]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("a/src/b.rs beside a/src/b/"), "{found:?}");
    }

    #[test]
    fn passes_have_no_size_exception_and_unneeded_exceptions_are_reported() {
        let long = lines(501);
        let tree = files(&[
            ("passes/src/optimize/a.rs", &long),
            ("b/src/short.rs", "x"),
            (EXCEPTIONS, "passes/src/optimize/a.rs: long\nb/src/short.rs: was long\ngone.rs: x\nno reason\n"),
        ]);
        assert_eq!(findings(check(&tree.tree)).len(), 4);
    }

    #[test]
    fn cpp_has_one_address_and_a_size() {
        let (half, more) = (lines(500), lines(493));
        let td = "let description = [{\n  words\n}];\nlet extra = [{\n  int f();\n\n}];\nlet one = [{ int g(); }];\n";
        let quoted = "code head = \"::mlir::Type $cppClass::f(\";\ndef I : CPred<\"$_self.isInteger()\">;\nlet summary = \"a::b\";\n\
                      def R : Op<RustVerify<\"kernel::whole\">>;\nlet assemblyFormat = [{\n  $x `::` $y\n}];\n";
        let script = "text += &format!(\"#define GET_{class}\\n\");\ntext += \"#include <a>\";\nlet a = b::c;\n";
        let tree = files(&[
            ("dialects/bridge/cpp/a.cpp", &half),
            ("dialects/bridge/cpp/a.h", &more),
            ("dialects/cube/td/a.td", td),
            ("dialects/cube/td/b.td", quoted),
            ("dialects/bridge/build.rs", script),
            ("passes/x.cpp", "x"),
            ("runtime/cpu/tests/a.c", "x"),
            ("runtime/cpu/tests/a.h", "x"),
        ]);
        let found = findings(check(&tree.tree));
        assert!(found[0].contains("passes/x.cpp") && found[1].contains("1001 lines"), "{found:?}");
    }
}
