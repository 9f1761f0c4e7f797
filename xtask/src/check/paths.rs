//! Refuses absolute paths that exist only on the author's machine.

use super::{Tree, Verdict};

/// The refused paths. Each path is concatenated from two parts, so that the check does not report this file.
const PATHS: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

pub fn check(tree: &Tree) -> Verdict {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (index, line) in tree.read(file).lines().enumerate() {
            if let Some(path) = PATHS.iter().find(|path| names(line, path)) {
                findings.push(format!("{file}:{}: names `{path}`, a folder of one machine", index + 1));
            }
        }
    }
    Verdict::of(findings, format!("{} files", tree.files.len()))
}

/// Whether the line contains `path` as the start of an absolute path. `target/home/x` does not contain one.
fn names(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}/".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn an_absolute_path_of_a_machine_is_found() {
        let text = format!("fine\nsee {}x\n", PATHS[0]);
        let below = format!("target{}x and https://example.invalid{}x", PATHS[2], PATHS[0]);
        let tree = files(&[("a.md", &text), ("b.md", &below)]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a.md:2:"), "{found:?}");
    }
}
