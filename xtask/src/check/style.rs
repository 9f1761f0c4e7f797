//! The two checks that cargo provides: formatting and lints.

use super::{Tree, Verdict};
use crate::shell::{cargo, run, shown};

pub fn fmt(tree: &Tree) -> Verdict {
    findings_of(tree, &["fmt", "--all", "--check", "--", "--files-with-diff"], "cargo fmt --all repairs it")
}

pub fn clippy(tree: &Tree) -> Verdict {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let mut command = cargo(&tree.root, &arguments);
    match run(&mut command) {
        Ok(()) => Verdict::Passed("no warnings".into()),
        Err(message) => Verdict::Failed(vec![message]),
    }
}

/// Runs a cargo command; each line of its output is a finding.
fn findings_of(tree: &Tree, arguments: &[&str], remedy: &str) -> Verdict {
    let mut command = cargo(&tree.root, arguments);
    let Ok(output) = command.output() else {
        return Verdict::Failed(vec![format!("`{}` did not start", shown(&command))]);
    };
    if output.status.success() {
        return Verdict::Passed("formatted by rustfmt".into());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let root = tree.root.to_string_lossy().into_owned() + "/";
    let mut findings: Vec<String> = text.lines().map(|line| line.replace(&root, "")).collect();
    findings.push(remedy.into());
    Verdict::Failed(findings)
}
