//! Checks that each pass has one source file and one test of the same name. The files are
//! passes/src/PHASE/NAME.rs and test/PHASE/NAME.mlir, or backends/BACKEND/src/NAME.rs and
//! test/lower/NAME.mlir.

use super::scan::{code_of, words};
use super::{Tree, Verdict};

pub fn check(tree: &Tree) -> Verdict {
    let mut findings = Vec::new();
    let mut passes = 0;
    for file in tree.with_ending(".rs") {
        let Some(below) = below(file) else { continue };
        // These files only name passes. A unit test can declare a pass for itself.
        if below == "lib.rs"
            || below.ends_with("tests.rs")
            || below.ends_with("mod.rs")
            || !declares_a_pass(&tree.read(file))
        {
            continue;
        }
        passes += 1;
        let test = format!("test/{}.mlir", below.trim_end_matches(".rs"));
        if !tree.has(&test) {
            findings.push(format!("{file}: has no test of its name; write {test}"));
        }
    }
    if passes == 0 {
        Verdict::Skipped("no passes yet".into())
    } else {
        Verdict::of(findings, format!("{passes} passes"))
    }
}

/// The path that the test of a pass must have, relative to `test/` and with the suffix `.rs` instead of
/// `.mlir`. `None` if the folder of the file does not contain passes.
fn below(file: &str) -> Option<String> {
    if let Some(below) = file.strip_prefix("passes/src/") {
        return Some(below.into());
    }
    let (_, below) = file.strip_prefix("backends/")?.split_once("/src/")?;
    Some(if below == "lib.rs" { below.into() } else { format!("lower/{below}") })
}

fn declares_a_pass(source: &str) -> bool {
    let code = code_of(source);
    words(&code, "pass").any(|(_, after)| after.starts_with('!'))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn a_pass_without_its_test_is_named() {
        let tree = files(&[
            ("passes/src/optimize/unroll.rs", "pass! { }"),
            ("passes/src/optimize/hoist.rs", "pass! { }"),
            ("passes/src/optimize/shared.rs", "// pass! in words only"),
            ("passes/src/optimize/hoist/tests.rs", "pass! { }"),
            ("test/optimize/unroll.mlir", ""),
        ]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("hoist.rs") && found[0].contains("write test/optimize/hoist.mlir"), "{found:?}");
    }

    #[test]
    fn a_pass_of_a_backend_has_its_test_in_lower() {
        let tree = files(&[("backends/cpu/src/split.rs", "pass! { }"), ("backends/cpu/src/lib.rs", "")]);
        assert!(findings(check(&tree.tree))[0].ends_with("write test/lower/split.mlir"));
    }

    #[test]
    fn a_pass_of_no_phase_has_its_test_at_the_top() {
        let tree = files(&[("passes/src/levels.rs", "pass! { }"), ("passes/src/lib.rs", "pass! { }")]);
        assert!(findings(check(&tree.tree))[0].ends_with("write test/levels.mlir"));
    }
}
