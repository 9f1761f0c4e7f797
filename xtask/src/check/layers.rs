//! Checks the layering: every dependency between crates of this workspace must follow the arrows of
//! `layers_table.rs`.

use super::layers_table::{
    ARROWS, CRATE_GROUPS, LLVM_CRATES, LLVM_GROUPS, SHARED_GROUP, TEST_DEPENDENCIES, UNDER_A_FEATURE,
};
use super::{Tree, Verdict};
use crate::shell::cargo;
use serde_json::Value;
use std::path::Path;

/// A crate of the workspace and the dependencies in its manifest.
#[derive(Debug, Default)]
struct Crate {
    name: String,
    folder: String,
    edges: Vec<Edge>,
}

#[derive(Debug, Default)]
struct Edge {
    name: String,
    /// The folder of the crate, if it belongs to this workspace.
    folder: Option<String>,
    dev: bool,
    optional: bool,
}

pub fn check(tree: &Tree) -> Verdict {
    match read_crates(&tree.root) {
        Ok(crates) => {
            let edges: usize = crates.iter().map(|one| one.edges.iter().filter(|e| e.folder.is_some()).count()).sum();
            Verdict::of(findings(&crates), format!("{} crates, {edges} edges between them", crates.len()))
        }
        Err(message) => Verdict::Failed(vec![message]),
    }
}

/// Reads the crates of the workspace from `cargo metadata`. The command does not resolve dependencies, so
/// that cargo contacts no registry.
fn read_crates(root: &Path) -> Result<Vec<Crate>, String> {
    let mut command = cargo(root, &["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = command.output().map_err(|error| format!("cargo metadata did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    Ok(packages.iter().map(|package| read_crate(package, root)).collect())
}

fn read_crate(package: &Value, root: &Path) -> Crate {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let below_root = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
    let manifest = text(&package["manifest_path"]);
    let edges = package["dependencies"].as_array().into_iter().flatten().map(|dependency| Edge {
        name: text(&dependency["name"]),
        folder: dependency["path"].as_str().map(|path| below_root(Path::new(path))),
        dev: dependency["kind"] == "dev",
        optional: dependency["optional"] == true,
    });
    let folder = below_root(Path::new(&manifest).parent().unwrap_or(Path::new("")));
    Crate { name: text(&package["name"]), folder, edges: edges.collect() }
}

fn findings(crates: &[Crate]) -> Vec<String> {
    let mut findings = Vec::new();
    for one in crates {
        let Some(group) = group_of(&one.folder) else {
            findings.push(format!(
                "{} ({}) has no room; add the room of its folder in xtask/src/check/layers_table.rs",
                one.name, one.folder
            ));
            continue;
        };
        findings.extend(one.edges.iter().filter_map(|edge| dependency_error(one, group, edge)));
    }
    findings
}

fn group_of(folder: &str) -> Option<&'static str> {
    let fits = |pattern: &str| match pattern.strip_suffix("/*") {
        Some(parent) => {
            folder.strip_prefix(parent).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| !rest.contains('/'))
        }
        None => folder == pattern,
    };
    CRATE_GROUPS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, group)| *group)
}

/// The error of a dependency; `None` if the dependency is allowed.
fn dependency_error(one: &Crate, group: &str, edge: &Edge) -> Option<String> {
    let shown = format!("{} -> {}", one.name, edge.name);
    let Some(folder) = &edge.folder else {
        let carries_llvm = LLVM_CRATES.contains(&edge.name.as_str());
        return (carries_llvm && !LLVM_GROUPS.contains(&group)).then(|| {
            format!("{shown}: `{group}` is on the side of the compiler boundary that builds without LLVM; reach the compiler through the trait `Compiler`")
        });
    };
    let Some(target) = group_of(folder) else { return Some(format!("{shown}: {folder} has no room")) };
    if target == SHARED_GROUP || leads_to(group, target) {
        return None;
    }
    if edge.dev && TEST_DEPENDENCIES.iter().any(|(from, to, _)| *from == one.folder && to == folder) {
        return None;
    }
    if let Some((_, _, feature)) = UNDER_A_FEATURE.iter().find(|(from, to, _)| *from == group && *to == target) {
        return (!edge.optional)
            .then(|| format!("{shown}: only as an optional dependency, under the feature `{feature}`"));
    }
    Some(format!(
        "{shown}: no arrow leads from `{group}` to `{target}`; {}",
        if leads_to(target, group) {
            "the arrow points the other way; move what is shared down, or pass it in"
        } else {
            "these rooms do not know each other (arrows: xtask/src/check/layers_table.rs)"
        }
    ))
}

/// Whether a group of crates depends on another group directly or indirectly.
fn leads_to(from: &str, to: &str) -> bool {
    let next = ARROWS.iter().flat_map(|chain| chain.windows(2)).filter(|pair| pair[1] == from).map(|pair| pair[0]);
    next.into_iter().any(|group| group == to || leads_to(group, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(to: &str) -> Edge {
        Edge { name: to.replace('/', "-"), folder: Some(to.into()), ..Edge::default() }
    }

    fn found(from: &str, edge: Edge) -> Vec<String> {
        findings(&[Crate { name: from.replace('/', "-"), folder: from.into(), edges: vec![edge] }])
    }

    fn allowed(from: &str, to: &str) -> bool {
        found(from, edge(to)).is_empty()
    }

    #[test]
    fn dependency_arrows_are_directed() {
        for (from, to) in [
            ("dialects/mlir", "dialects/bridge"),
            ("passes", "dialects/cube"),
            ("passes", "layout-algebra"),
            ("backends/cpu", "backends/llvm"),
            ("backends/api", "runtime/artifact"),
            ("driver", "backends/spirv"),
            ("tools", "runtime/cpu"),
            ("tools", "driver"),
            ("cube", "frontend/std"),
            ("frontend/core", "runtime/core"),
        ] {
            assert!(allowed(from, to), "{from} -> {to}");
            assert!(!allowed(to, from), "{to} -> {from}");
        }
    }

    #[test]
    fn compiler_boundary_is_enforced() {
        for (from, to) in [
            ("runtime/cpu", "driver"),
            ("runtime/core", "passes"),
            ("frontend/core", "dialects/cube"),
            ("driver", "runtime/cpu"),
            ("driver", "frontend/core"),
            ("layout-algebra", "dialects/mlir"),
            ("backends/spirv", "backends/llvm"),
            ("backends/nvptx", "backends/amdgpu"),
            ("test", "driver"),
            ("xtask", "dialects/bridge"),
        ] {
            assert!(!allowed(from, to), "{from} -> {to}");
        }
        let melior = || Edge { name: "melior".into(), ..Edge::default() };
        assert!(found("runtime/core", melior())[0].contains("builds without LLVM"));
        assert!(found("passes", melior()).is_empty());
    }

    #[test]
    fn the_facade_sees_the_driver_under_its_feature_only() {
        let message = &found("cube", edge("driver"))[0];
        assert!(message.contains("`embedded-compiler`"), "{message}");
        assert!(found("cube", Edge { optional: true, ..edge("driver") }).is_empty());
    }

    #[test]
    fn a_wrong_edge_is_named_with_its_rule() {
        let message = &found("passes", edge("backends/api"))[0];
        assert!(
            message.starts_with("passes -> backends-api: no arrow leads from `passes` to `backend api`"),
            "{message}"
        );
        assert!(message.contains("points the other way"), "{message}");
    }

    #[test]
    fn a_crate_without_a_group_is_a_finding() {
        assert!(found("somewhere", edge("driver"))[0].contains("has no room"));
        assert!(found("dialects/cube/inner", edge("dialects/mlir"))[0].contains("has no room"));
    }

    #[test]
    fn dependency_arrows_join_existing_groups_without_cycles() {
        let groups: Vec<&str> = CRATE_GROUPS.iter().map(|(_, group)| *group).collect();
        for group in ARROWS.iter().copied().flatten().chain(LLVM_GROUPS) {
            assert!(groups.contains(group), "{group}");
        }
        for pair in ARROWS.iter().flat_map(|chain| chain.windows(2)) {
            assert!(pair[0] != pair[1] && !closes_a_cycle(pair[0], pair[1]), "{pair:?}");
        }
    }

    /// Whether the arrows form a cycle that contains the arrow `low <- high`. The search depth is limited, because the
    /// arrows could contain a cycle.
    fn closes_a_cycle(low: &str, high: &str) -> bool {
        let mut reached = vec![low];
        for _ in 0..CRATE_GROUPS.len() {
            let next: Vec<&str> = ARROWS
                .iter()
                .flat_map(|chain| chain.windows(2))
                .filter(|pair| reached.contains(&pair[1]) && !reached.contains(&pair[0]))
                .map(|pair| pair[0])
                .collect();
            reached.extend(next);
        }
        reached.contains(&high)
    }
}
