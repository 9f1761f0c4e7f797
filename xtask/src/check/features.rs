//! Checks that a cargo command for one package selects the same features of dependencies as a command for the whole
//! workspace. If the features differed, `cargo test -p cube-test` after `cargo xtask test` would rebuild
//! nearly all crates.

use super::{Tree, Verdict};
use crate::shell::cargo;
use crate::workspace::target_folder;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

const MANIFEST: &str = "workspace-hack/Cargo.toml";

/// Kinds of dependencies for `cargo tree`. `TESTS` is for builds with tests. `OF_TARGET` is for the same
/// builds, without code that runs during the build. `WITHOUT_TESTS` is for libraries and programs alone.
const TESTS: &str = "normal,build,dev";
const OF_TARGET: &str = "normal,dev,no-proc-macro";
const WITHOUT_TESTS: &str = "normal,no-proc-macro";

/// Packages that pages and tests build without their tests. `cargo build -p` then ignores the dependencies of tests.
const BUILT_ALONE: [&str; 4] = ["cube-tools", "cube-capi", "cube-plugin", "cube-prove"];

pub fn check(tree: &Tree) -> Verdict {
    if !tree.has(MANIFEST) {
        return Verdict::Skipped(format!("no {MANIFEST}"));
    }
    let packages: Vec<String> =
        tree.with_ending("Cargo.toml").filter_map(|file| member(&tree.read(file))).collect::<Vec<_>>();
    let count = format!("{} packages", packages.len());
    let (key, kept) = (key(tree), target_folder(&tree.root).join("tmp/features-checked"));
    if std::fs::read_to_string(&kept).is_ok_and(|text| text == key) {
        return Verdict::of(vec![], format!("{count}, with the manifests of the last check"));
    }
    let findings = match findings(&tree.root, &packages) {
        Ok(findings) => findings,
        Err(error) => return Verdict::Failed(vec![error]),
    };
    if findings.is_empty() {
        // Without the file, the next check asks cargo again.
        let _ = std::fs::create_dir_all(kept.with_file_name("")).and_then(|()| std::fs::write(&kept, key));
    }
    Verdict::of(findings, count)
}

/// A hash of all inputs of the check: the manifests, the lock file, the settings and the version of cargo, and the code of the
/// check. Cargo needs 0.2 s for each package, so the check asks cargo only about new inputs.
fn key(tree: &Tree) -> String {
    let version = cargo(&tree.root, &["--version"]).output().map(|output| output.stdout).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (include_str!("features.rs"), version).hash(&mut hasher);
    for ending in ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"] {
        tree.with_ending(ending).for_each(|file| (file, tree.read(file)).hash(&mut hasher));
    }
    format!("{:016x}", hasher.finish())
}

// All processors ask cargo: a process of cargo uses one.
fn findings(root: &Path, packages: &[String]) -> Result<Vec<String>, String> {
    let with_tests = chosen(root, TESTS, &["--workspace"])?;
    let of_target = chosen(root, OF_TARGET, &["--workspace"])?;
    let alone = BUILT_ALONE.iter().map(|package| (*package, WITHOUT_TESTS, &of_target));
    let questions: Vec<_> =
        packages.iter().map(|package| (package.as_str(), TESTS, &with_tests)).chain(alone).collect();
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let share = |first: usize| -> Result<Vec<String>, String> {
        let mut findings = Vec::new();
        for (package, edges, whole) in questions.iter().skip(first).step_by(workers) {
            findings.extend(missing(package, whole, &chosen(root, edges, &["-p", package])?));
        }
        Ok(findings)
    };
    let shares = std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers)
            .map(|first| {
                scope.spawn({
                    let share = &share;
                    move || share(first)
                })
            })
            .collect();
        let done =
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        done.collect::<Result<Vec<_>, String>>()
    })?;
    Ok(shares.concat())
}

/// The name of a package whose manifest depends on `workspace-hack`; `None` for any other package.
fn member(manifest: &str) -> Option<String> {
    manifest.lines().find(|line| line.starts_with("workspace-hack"))?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(name.trim_matches('"').into())
}

/// The crates that cargo would build for the given packages along `edges`. Each line contains a name, a
/// version and features.
fn chosen(root: &Path, edges: &str, packages: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut command = cargo(root, &["tree", "--quiet", "--edges", edges, "--prefix", "none"]);
    let output = command.args(["--format", "{p} [{f}]"]).args(packages).output();
    let output = output.map_err(|error| format!("cargo tree did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree {}: {}", packages.join(" "), String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // Crates of the workspace are listed with their folders. Their manifests define their features, so they are
    // omitted.
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty());
    Ok(lines.filter(|line| !line.contains(" (/")).map(str::to_string).collect())
}

/// A finding for each dependency that a build of one package and a build of the workspace would build
/// differently.
fn missing(package: &str, whole: &BTreeSet<String>, alone: &BTreeSet<String>) -> Vec<String> {
    let finding = |line: &String| {
        let name = line.split(' ').next().unwrap_or_default();
        let all: Vec<&str> =
            whole.iter().filter(|other| other.starts_with(&format!("{name} "))).map(|l| &**l).collect();
        format!(
            "{MANIFEST}: -p {package} builds `{line}`, the workspace `{}`; list {name} there with the workspace's features",
            all.join("`, `")
        )
    };
    alone.difference(whole).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fake::files;
    use super::*;

    #[test]
    fn a_dependency_with_other_features_is_named() {
        let set = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<BTreeSet<_>>();
        let whole = set(&["half v2.7.1 [alloc,std]", "syn v2.0.1 [full]"]);
        assert_eq!(missing("a", &whole, &set(&["syn v2.0.1 [full]"])), Vec::<String>::new());
        let found = missing("a", &whole, &set(&["half v2.7.1 [std]"]));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].contains("-p a builds `half v2.7.1 [std]`, the workspace `half v2.7.1 [alloc,std]`; list half")
        );
    }

    #[test]
    fn manifest_decides_workspace_hack_membership() {
        assert_eq!(
            member("name = \"cube-ir\"\n[dependencies]\nworkspace-hack.workspace = true\n").as_deref(),
            Some("cube-ir")
        );
        assert_eq!(member("name = \"xtask\"\n"), None);
    }

    #[test]
    fn another_lock_file_or_manifest_is_checked_again() {
        let key_of = |manifest: &str, lock: &str| {
            key(&files(&[("a/Cargo.toml", manifest), ("Cargo.lock", lock), ("a/src/lib.rs", "")]).tree)
        };
        let first = key_of("name = 'a'", "1");
        assert_eq!(key_of("name = 'a'", "1"), first);
        assert_ne!(key_of("name = 'b'", "1"), first);
        assert_ne!(key_of("name = 'a'", "2"), first);
    }

    #[test]
    fn this_workspace_is_read() {
        let root = crate::workspace::root();
        let whole = chosen(&root, TESTS, &["--workspace"]).unwrap();
        assert!(whole.iter().any(|line| line.starts_with("serde v1")), "{whole:?}");
        assert!(chosen(&root, TESTS, &["-p", "no-such-package"]).unwrap_err().contains("no-such-package"));
    }
}
