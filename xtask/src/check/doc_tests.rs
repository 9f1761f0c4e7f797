//! Checks which libraries have examples in their documentation. `cargo test --doc` starts rustdoc for each library, which
//! takes up to 2 s of processor time without an example. A library without an example therefore has `doctest = false`, and
//! a library with `doctest = false` must not have an example, because no test would run it.

use super::{Tree, Verdict};

/// The line of a manifest that excludes a library from `cargo test --doc`.
const EXCLUDED: &str = "doctest = false";

pub fn check(tree: &Tree) -> Verdict {
    let mut findings = Vec::new();
    let (mut with, mut without) = (0, 0);
    for manifest in tree.with_ending("/Cargo.toml").filter(|file| !file.starts_with("examples/")) {
        let folder = manifest.trim_end_matches("Cargo.toml");
        if !tree.has(&format!("{folder}src/lib.rs")) {
            continue;
        }
        let source = format!("{folder}src/");
        let example = tree.with_ending(".rs").filter(|file| file.starts_with(&source)).find_map(|file| {
            let line = first_example(&tree.read(file))?;
            Some(format!("{file}:{line}"))
        });
        let excluded = tree.read(manifest).lines().any(|line| line.trim() == EXCLUDED);
        match (example, excluded) {
            (Some(place), true) => {
                findings.push(format!("{place}: no test runs this example; remove `{EXCLUDED}` from {manifest}"));
            }
            (None, false) => findings.push(format!(
                "{manifest}: the library has no example in its documentation; add `{EXCLUDED}` to [lib], or an example"
            )),
            (Some(_), false) => with += 1,
            (None, true) => without += 1,
        }
    }
    Verdict::of(findings, format!("{with} libraries with examples, {without} without"))
}

/// The line of the first Rust example in the doc comments of a source, which rustdoc compiles or lists as ignored.
fn first_example(source: &str) -> Option<usize> {
    let mut inside = false;
    for (at, line) in source.lines().enumerate() {
        let line = line.trim_start();
        let Some(text) = line.strip_prefix("//!").or_else(|| line.strip_prefix("///")) else { continue };
        let Some(kind) = text.trim_start().strip_prefix("```") else { continue };
        if !inside && is_rust(kind) {
            return Some(at + 1);
        }
        inside = !inside;
    }
    None
}

// Whether rustdoc treats a block with these words after the fence as Rust.
fn is_rust(words: &str) -> bool {
    let known = ["rust", "should_panic", "no_run", "compile_fail"];
    words
        .split([',', ' '])
        .filter(|word| !word.is_empty())
        .all(|word| known.contains(&word) || word.starts_with("ignore") || word.starts_with("edition"))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn blocks_of_rust_are_examples_and_other_blocks_are_not() {
        assert_eq!(first_example("//! ```mlir\n//! x\n//! ```\n/// ```\n/// f();\n/// ```\n"), Some(4));
        assert_eq!(first_example("/// ```text no-run\n/// ```\n// ```\n"), None);
        for words in ["", "rust", "no_run", "should_panic,edition2024", "ignore-wasm", "compile_fail"] {
            assert_eq!(first_example(&format!("    /// ```{words}\n")), Some(1), "{words}");
        }
    }

    #[test]
    fn a_library_has_an_example_or_is_excluded() {
        let example = "/// ```\n/// f();\n/// ```\npub fn f() {}\n";
        let tree = files(&[
            ("a/Cargo.toml", "[lib]\ndoctest = false\n"),
            ("a/src/lib.rs", ""),
            ("a/src/deep/b.rs", example),
            ("c/Cargo.toml", ""),
            ("c/src/lib.rs", "//! ```mlir\n//! ```\n"),
            ("d/Cargo.toml", ""),
            ("d/src/lib.rs", example),
            ("e/Cargo.toml", "[lib]\ndoctest = false\n"),
            ("e/src/lib.rs", ""),
            ("f/Cargo.toml", ""),
            ("f/src/main.rs", ""),
        ]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a/src/deep/b.rs:1: no test runs this example"), "{found:?}");
        assert!(found[1].starts_with("c/Cargo.toml: the library has no example"), "{found:?}");
        let good = files(&[("d/Cargo.toml", ""), ("d/src/lib.rs", example)]);
        assert!(matches!(check(&good.tree), Verdict::Passed(text) if text == "1 libraries with examples, 0 without"));
    }
}
