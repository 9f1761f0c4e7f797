//! Compares the version of rustc with the version for development, which a comment of `rust-toolchain.toml` states.

use super::{Tree, Verdict};
use std::process::Command;

const FILE: &str = "rust-toolchain.toml";

pub fn check(tree: &Tree) -> Verdict {
    if !tree.has(FILE) {
        return Verdict::Skipped(format!("no {FILE}"));
    }
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("--version").output();
    match output {
        Ok(output) => compare(&tree.read(FILE), &String::from_utf8_lossy(&output.stdout)),
        Err(error) => Verdict::Failed(vec![format!("rustc: {error}; install Rust with rustup")]),
    }
}

/// Another version is not an error, because the crates also build with newer versions. Messages of rustc can then differ.
fn compare(file: &str, rustc: &str) -> Verdict {
    let pinned = file.split("development is ").nth(1).and_then(|rest| rest.split(". ").next());
    let Some(pinned) = pinned else {
        return Verdict::Failed(vec![format!(
            "{FILE}: no version; write `The version for development is 1.2.3. ` in a comment"
        )]);
    };
    let used = rustc.split_whitespace().nth(1).unwrap_or("without a version");
    match used == pinned {
        true => Verdict::Passed(format!("rustc {used}")),
        false => Verdict::Skipped(format!(
            "rustc {used} is used, and the version for development is {pinned}; run `rustup override set {pinned}` to select it"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_reported_with_the_command() {
        let file = "# The version for development is 1.95.0. Text.\n[toolchain]\n";
        assert!(matches!(compare(file, "rustc 1.95.0 (abc 2026-04-14)"), Verdict::Passed(_)));
        let Verdict::Skipped(text) = compare(file, "rustc 1.96.1 (abc 2026-06-01)") else { panic!("not reported") };
        assert!(text.contains("rustc 1.96.1") && text.contains("rustup override set 1.95.0"), "{text}");
        assert!(matches!(compare("[toolchain]", "rustc 1.95.0"), Verdict::Failed(_)));
    }
}
