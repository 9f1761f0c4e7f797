//! Checks the documents: links have targets, the first commands are correct, and the reference pages are up
//! to date.

use super::{Tree, Verdict};
use crate::workspace::target_folder;
use std::path::{Component, Path};
use std::process::Command;

/// The first commands for a new developer, which must be the first two lines of code in README.md.
const TWO_COMMANDS: [&str; 2] = ["cargo xtask demo", "cargo xtask test"];

pub fn links(tree: &Tree) -> Verdict {
    let mut findings = Vec::new();
    let (mut documents, mut followed) = (0, 0);
    for file in tree.with_ending(".md") {
        let text = tree.read(file);
        documents += 1;
        for (line, link) in relative_links(&text) {
            followed += 1;
            if !has_target(tree, file, link) {
                findings.push(format!("{file}:{line}: `{link}` has no target"));
            }
        }
    }
    findings.extend(first_commands(tree));
    if documents == 0 {
        return Verdict::Skipped("no documents yet".into());
    }
    Verdict::of(findings, format!("{documents} documents, {followed} links"))
}

/// Runs `cube docs --check`, which compares the committed reference pages with the declarations.
pub fn generated(tree: &Tree) -> Verdict {
    let cube = target_folder(&tree.root).join("debug/cube");
    if !cube.is_file() {
        return Verdict::Skipped("the tool is not built yet (cargo build -p cube-tools)".into());
    }
    match Command::new(&cube).current_dir(&tree.root).args(["docs", "--check"]).output() {
        Ok(output) if output.status.success() => Verdict::Passed("as the declarations say".into()),
        Ok(output) => {
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let lines = stderr.lines().map(str::to_string);
            Verdict::Failed(lines.chain(["`cube docs` rewrites it".to_string()]).collect())
        }
        Err(error) => Verdict::Failed(vec![format!("{} did not start: {error}", cube.display())]),
    }
}

/// Checks that the first two lines of code in README.md are the first commands. Returns the error.
fn first_commands(tree: &Tree) -> Option<String> {
    if !tree.has("README.md") {
        return None;
    }
    let text = tree.read("README.md");
    let code =
        fenced(&text).filter(|(inside, line)| *inside && !line.trim().is_empty() && !line.trim().starts_with('#'));
    let first: Vec<&str> = code.map(|(_, line)| line.trim().trim_start_matches("$ ")).take(2).collect();
    let hold = first.len() == 2 && first.iter().zip(TWO_COMMANDS).all(|(line, command)| line.starts_with(command));
    (!hold).then(|| format!("README.md: its first two lines of code are {first:?}, not {TWO_COMMANDS:?}"))
}

/// All lines except the fences, each with the information whether the line is inside a fenced block.
fn fenced(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut inside = false;
    text.lines().filter_map(move |line| {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            return None;
        }
        Some((inside, line))
    })
}

/// The links `[text](path)` to files, with their line numbers. Links in code, web links and links into the same
/// page are omitted.
fn relative_links(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        inside ^= line.trim_start().starts_with("```");
        if inside {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            // A link in inline code does not count. An odd number of backticks precedes such a link.
            if line[..at].matches('`').count() % 2 == 1 {
                continue;
            }
            let target = line[at + 2..].split([')', ' ']).next().unwrap_or_default();
            if !target.is_empty()
                && !target.contains("://")
                && !target.starts_with(['#', '<'])
                && !target.starts_with("mailto:")
            {
                found.push((index + 1, target));
            }
        }
    }
    found
}

/// Whether the target of a link is a file of the tree, or a folder that contains a file of the tree.
fn has_target(tree: &Tree, from: &str, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or_default();
    let folder = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut parts: Vec<String> = Vec::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir if parts.pop().is_none() => return false,
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    let path = parts.join("/");
    path.is_empty() || tree.has(&path) || tree.files.iter().any(|file| file.starts_with(&format!("{path}/")))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let page = "[a](b.md#x) [c](../README.md) [net](https://x.invalid) [here](#there)\n`[no](link.md)`\n\
                    ```\n[no](link.md)\n```\n[folder](sub) [lost](lost.md)\n[out](../../x.md)\n";
        let readme = "```\ncargo xtask demo   # a table\ncargo xtask test\n```\n";
        let tree = files(&[("docs/a.md", page), ("docs/b.md", ""), ("docs/sub/c.md", ""), ("README.md", readme)]);
        assert_eq!(
            findings(links(&tree.tree)),
            ["docs/a.md:6: `lost.md` has no target", "docs/a.md:7: `../../x.md` has no target"]
        );
    }

    #[test]
    fn the_readme_begins_with_the_two_commands() {
        let tree = files(&[("README.md", "```sh\n# first\ncargo xtask test\ncargo xtask demo\n```\n")]);
        assert!(findings(links(&tree.tree))[0].contains("first two lines of code"));
        let tree = files(&[("README.md", "no code\n")]);
        assert_eq!(findings(links(&tree.tree)).len(), 1);
    }
}
