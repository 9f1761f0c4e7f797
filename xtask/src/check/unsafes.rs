//! Checks the rules for `unsafe`: the crates of [`FORBIDDEN`] must forbid `unsafe`, and the check lists the
//! occurrences in other crates. Each occurrence of `unsafe` must have an explanation, except in the two crates
//! of [`UNCHECKED_CRATES`].

use super::scan::{code_of, words};
use super::{Tree, Verdict};
use std::collections::BTreeMap;

/// Crates whose root must contain `#![forbid(unsafe_code)]`.
const FORBIDDEN: &[&str] = &[
    "layout-algebra",
    "semantics",
    "passes",
    "passes/egraph",
    "passes/analysis",
    "passes/math",
    "interpreter",
    "backends/spirv",
    "backends/wgsl",
    "driver",
    "cube",
    "frontend/macros",
    "tools",
    "tools/layout",
    "tools/run",
    "test",
    "xtask",
];

/// The two crates that contain the `unsafe` code for MLIR. The check counts the occurrences of `unsafe` in
/// the two crates and does not list them.
const UNCHECKED_CRATES: &[&str] = &["dialects/bridge", "dialects/mlir"];

/// One occurrence of the word `unsafe`.
struct Site {
    line: usize,
    kind: &'static str,
    explained: bool,
}

pub fn check(tree: &Tree) -> Verdict {
    let folders = crate_folders(tree);
    let mut findings = missing_forbids(tree, &folders);
    let (mut counts, mut list) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for file in tree.with_ending(".rs") {
        let Some(folder) = folder_of(file, &folders) else { continue };
        for site in sites(&tree.read(file)) {
            let site_text = format!("{file}:{}: {}", site.line, site.kind);
            *counts.entry(folder).or_default() += 1;
            if FORBIDDEN.contains(&folder) {
                findings.push(format!("{site_text} in {folder}, where it is forbidden; its address is dialects/mlir"));
            } else if !UNCHECKED_CRATES.contains(&folder) {
                if !site.explained {
                    findings.push(format!("{site_text} has no `// SAFETY:` line above it that says why it holds"));
                }
                list.push(site_text);
            }
        }
    }
    if !findings.is_empty() {
        return Verdict::Failed(findings);
    }
    let total: usize = counts.values().sum();
    let by_crate: Vec<String> = counts.iter().map(|(folder, count)| format!("{folder} {count}")).collect();
    let shown = if by_crate.is_empty() { String::new() } else { format!(": {}", by_crate.join(", ")) };
    Verdict::Listed(format!("{total} in all{shown}"), list)
}

fn crate_folders(tree: &Tree) -> Vec<&str> {
    tree.with_ending("/Cargo.toml").filter_map(|file| file.strip_suffix("/Cargo.toml")).collect()
}

/// The folder of the innermost crate that contains a file.
fn folder_of<'a>(file: &str, folders: &[&'a str]) -> Option<&'a str> {
    let holds = |folder: &&&str| file.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
    folders.iter().filter(holds).max_by_key(|folder| folder.len()).copied()
}

/// Root files of the given crates that lack the attribute `#![forbid(unsafe_code)]`.
fn missing_forbids(tree: &Tree, folders: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    for folder in FORBIDDEN.iter().filter(|folder| folders.contains(folder)) {
        let is_root = |file: &&String| file.strip_prefix(&format!("{folder}/src/")).is_some_and(is_crate_root);
        for root in tree.files.iter().filter(is_root) {
            let code: String = code_of(&tree.read(root)).split_whitespace().collect();
            if !code.contains("#![forbid(unsafe_code)]") {
                findings.push(format!("{root}: must say `#![forbid(unsafe_code)]`"));
            }
        }
    }
    findings
}

/// Whether a path relative to `src/` is the root of a crate: `lib.rs`, `main.rs`, `bin/NAME.rs` or
/// `bin/NAME/main.rs`.
fn is_crate_root(file: &str) -> bool {
    match file.strip_prefix("bin/") {
        Some(binary) => !binary.contains('/') || binary.ends_with("/main.rs") && binary.matches('/').count() == 1,
        None => file == "lib.rs" || file == "main.rs",
    }
}

fn sites(source: &str) -> Vec<Site> {
    let (code, lines) = (code_of(source), source.lines().collect::<Vec<_>>());
    let site = |(line, after): (usize, &str)| {
        let after = after.trim_start();
        let kind = KINDS.iter().find(|(start, _)| after.starts_with(start)).map_or("unsafe", |(_, kind)| kind);
        // A declaration passes the duty to its caller, in its `# Safety` section, which clippy requires.
        let declares = matches!(kind, "unsafe fn" | "unsafe trait" | "unsafe extern" | "unsafe attribute");
        Site { line, kind, explained: declares || is_explained(&lines, line - 1) }
    };
    words(&code, "unsafe").map(site).collect()
}

const KINDS: [(&str, &str); 6] = [
    ("{", "unsafe block"),
    ("impl", "unsafe impl"),
    ("fn", "unsafe fn"),
    ("trait", "unsafe trait"),
    ("extern", "unsafe extern"),
    ("(", "unsafe attribute"),
];

/// Whether `SAFETY:` is on the given line, or in the comment directly above its statement.
fn is_explained(lines: &[&str], at: usize) -> bool {
    if lines[at].contains("SAFETY:") {
        return true;
    }
    for line in lines[..at].iter().rev().map(|line| line.trim()) {
        if line.starts_with("//") {
            if line.contains("SAFETY:") {
                return true;
            }
        } else if line.is_empty() || line.ends_with([';', '{', '}', ',']) && !line.starts_with("#[") {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::fake::{files, findings};
    use super::*;

    const MANIFEST: (&str, &str) = ("runtime/cpu/Cargo.toml", "");

    #[test]
    fn an_unsafe_block_needs_its_reason() {
        let source = "// SAFETY: the page is ours\nlet x =\n    unsafe { a() };\nunsafe { b() }; // SAFETY: so\n\
                      // SAFETY: of another statement\nlet y = 1;\nunsafe { c() };\nunsafe fn d() {}\nunsafe impl Send for X {}\n";
        let tree = files(&[MANIFEST, ("runtime/cpu/src/lib.rs", source)]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("lib.rs:7: unsafe block has no `// SAFETY:`"), "{found:?}");
        assert!(found[1].contains("lib.rs:9: unsafe impl"), "{found:?}");
    }

    #[test]
    fn explained_sites_are_listed_and_counted_by_crate() {
        let tree = files(&[
            MANIFEST,
            ("runtime/cpu/src/lib.rs", "// SAFETY: so\nunsafe { a() }\n"),
            ("dialects/mlir/Cargo.toml", ""),
            ("dialects/mlir/src/lib.rs", "unsafe { a() } unsafe { b() }"),
        ]);
        let Verdict::Listed(detail, list) = check(&tree.tree) else { panic!("not in order") };
        assert_eq!(detail, "3 in all: dialects/mlir 2, runtime/cpu 1");
        assert_eq!(list, ["runtime/cpu/src/lib.rs:2: unsafe block"]);
    }

    #[test]
    fn crate_that_forbids_unsafe_has_the_attribute_and_no_unsafe_block() {
        let tree = files(&[
            ("passes/Cargo.toml", ""),
            ("passes/src/lib.rs", "//! #![forbid(unsafe_code)] in words only"),
            ("passes/src/bin/x/main.rs", "#![forbid(unsafe_code)]"),
            ("passes/src/bin/x/part.rs", ""),
            ("passes/src/a.rs", "// SAFETY: no excuse\nunsafe { a() }"),
        ]);
        let found = findings(check(&tree.tree));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("passes/src/lib.rs: must say"), "{found:?}");
        assert!(found[1].contains("passes/src/a.rs:2: unsafe block in passes, where it is forbidden"), "{found:?}");
    }
}
