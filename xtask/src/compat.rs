//! `cargo xtask compat`: runs the runtime tests of CubeCL on this runtime.
//!
//! The registry's client downloads the pinned crate `cubecl-core`. The task copies the runtime tests of this crate into
//! a separate crate, whose dependency `cubecl` is the crate `cube` of this workspace, and changes only the paths in
//! [`RENAMED`]. The last lines are a table: the tests of each module of CubeCL, and how many of them pass.

use crate::Outcome;
use crate::workspace::{root, target_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of the tests.
const VERSION: &str = "0.8.1";

/// The paths that the tests name differently: CubeCL's path, and the path here.
const RENAMED: &[(&str, &str)] = &[
    ("cubecl_runtime::server::", "cubecl::server::"),
    ("cubecl_runtime::TypeUsage", "cubecl::features::TypeUsage"),
    ("cubecl_runtime::Plane", "cubecl::features::Plane"),
    ("cubecl_ir::StorageType", "cubecl::ir::StorageType"),
];

/// The modules of CubeCL that the task omits, with the reasons.
const OMITTED: &[(&str, &str)] = &[
    ("barrier", "asynchronous copies need hardware that is not supported"),
    ("cluster", "a cube is its own cluster"),
    ("cmma", "cooperative matrices are not supported"),
    ("minifloat", "fp4, fp6 and ue8m0 are not supported as element types"),
    ("stream", "streams of CubeCL are not supported"),
    ("tensormap", "tensor maps are not supported"),
    ("to_client", "needs a second device"),
];

/// The tests that fail for a known reason.
const FAILING: &[(&str, &str)] = &[(
    "test_tensor_coordinate",
    "passes a tensor of 12 elements with lines of 16 elements, which is an error of the launch here",
)];

/// The manifest of the crate with the tests.
const MANIFEST: &str = r#"[package]
name = "cubecl_core"
version = "0.1.0"
edition = "2024"

[dependencies]
cubecl = { package = "cube-mlir", path = "CUBE" }
half = { version = "2", features = ["num-traits"] }
num-traits = "0.2"
paste = "1"

[workspace]
"#;

/// The root of the crate with the tests. The tests call the crate `cubecl`.
const LIBRARY: &str = "#![allow(warnings)]\npub use cubecl::*;\npub use num_traits;\npub mod runtime_tests;\n";

/// The tests themselves, for all types of Rust and of the crate `half` that CubeCL tests.
const TESTS: &str = "#![allow(warnings)]
mod upstream {
    use cubecl::cpu::CpuRuntime as TestRuntime;
    use cubecl::prelude::*;
    use half::{bf16, f16};

    cubecl_core::testgen_all!(f32: [f16, bf16, f32, f64], i32: [i8, i16, i32, i64], u32: [u8, u16, u32, u64]);
}
";

pub fn run(arguments: &[String]) -> Outcome {
    if let [first, ..] = arguments {
        return Err(format!("unknown argument {first}: the task takes no arguments"));
    }
    let folder = target_folder(&root()).join("compat");
    let sources = downloaded(&folder.join("download"))?.join("src/runtime_tests");
    let tests = folder.join("tests");
    write_crate(&sources, &tests)?;
    let output = Command::new("cargo")
        .args(["test", "--no-fail-fast", "--test", "upstream"])
        .current_dir(&tests)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let modules = tally(&text);
    if modules.is_empty() {
        return Err(format!("the tests did not compile:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let (passed, all) = modules.values().fold((0, 0), |sum, (passed, all)| (sum.0 + passed, sum.1 + all));
    println!("| types of the tests of cubecl-core {VERSION} | tests | passed |\n|---|---|---|");
    modules.iter().for_each(|(module, (passed, all))| println!("| {module} | {all} | {passed} |"));
    OMITTED.iter().for_each(|(module, reason)| println!("| {module} | omitted: {reason} | |"));
    let failed = text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    let (known, unknown): (Vec<_>, Vec<_>) = failed.partition(|name| reason(name).is_some());
    known.iter().for_each(|name| println!("{name} fails: {}", reason(name).unwrap_or_default()));
    println!("{passed} of {all} tests pass");
    if unknown.is_empty() { Ok(()) } else { Err(format!("tests of CubeCL fail: {}", unknown.join(", "))) }
}

/// The reason of a known failure.
fn reason(test: &str) -> Option<&'static str> {
    FAILING.iter().find(|(name, _)| test.rsplit("::").next() == Some(*name)).map(|(_, reason)| *reason)
}

fn write(path: &Path, text: &str) -> Outcome {
    let failed = |error| format!("cannot write {}: {error}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    std::fs::write(path, text).map_err(failed)
}

/// Downloads CubeCL's crate, and returns its folder.
fn downloaded(folder: &Path) -> Result<PathBuf, String> {
    let manifest = format!(
        "[package]\nname = \"download\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\ncubecl-core = \"={VERSION}\"\n\n[workspace]\n"
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/lib.rs"), "")?;
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("cannot download cubecl-core {VERSION}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("the output of cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest =
        packages.filter(|package| package["name"] == "cubecl-core").find_map(|p| p["manifest_path"].as_str());
    let manifest = manifest.ok_or("cargo metadata does not list cubecl-core")?;
    Ok(Path::new(manifest).parent().unwrap_or(Path::new(manifest)).to_path_buf())
}

/// Writes the crate with the tests.
fn write_crate(sources: &Path, folder: &Path) -> Outcome {
    let cube = root().join("cube");
    write(&folder.join("Cargo.toml"), &MANIFEST.replace("CUBE", &cube.to_string_lossy()))?;
    write(&folder.join("src/lib.rs"), LIBRARY)?;
    write(&folder.join("tests/upstream.rs"), TESTS)?;
    let files = std::fs::read_dir(sources).map_err(|error| format!("cannot read {}: {error}", sources.display()))?;
    for file in files.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if OMITTED.iter().any(|(omitted, _)| *omitted == name) {
            continue;
        }
        let text =
            std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let text = if name == "mod" { without_omitted(&text) } else { renamed(&text) };
        write(&folder.join(format!("src/runtime_tests/{name}.rs")), &text)?;
    }
    Ok(())
}

fn renamed(text: &str) -> String {
    RENAMED.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

/// Removes the lines about omitted modules: their declarations, and the calls of their macros.
fn without_omitted(text: &str) -> String {
    let is_omitted = |line: &str| {
        OMITTED.iter().any(|(module, _)| {
            line.trim() == format!("pub mod {module};") || line.contains(&format!("testgen_{module}!"))
        })
    };
    text.lines().filter(|line| !is_omitted(line)).map(|line| format!("{line}\n")).collect()
}

/// The number of passed tests and of all tests of each module, from the output of `cargo test`.
fn tally(output: &str) -> BTreeMap<String, (usize, usize)> {
    let mut modules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in output.lines() {
        let Some((name, result)) = line.strip_prefix("test ").and_then(|line| line.split_once(" ... ")) else {
            continue;
        };
        // CubeCL itself ignores these tests.
        if result.starts_with("ignored") {
            continue;
        }
        let name = name.trim_start_matches("upstream::");
        let module = name.rsplit_once("::").map_or("tests of no type", |(module, _)| module);
        let (passed, all) = modules.entry(module.to_string()).or_default();
        *passed += usize::from(result == "ok");
        *all += 1;
    }
    modules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_modules_are_removed() {
        let text = "pub mod atomic;\npub mod cmma;\n        cubecl_core::testgen_cmma!();\n        cubecl_core::testgen_atomic_int!();\n";
        assert_eq!(without_omitted(text), "pub mod atomic;\n        cubecl_core::testgen_atomic_int!();\n");
    }

    #[test]
    fn results_are_counted_by_module() {
        let output = "test upstream::f32_ty::test_a ... ok\ntest upstream::f32_ty::test_c ... ignored\ntest upstream::f32_ty::test_b ... FAILED\ntest test_c ... ok\n\ntest result: FAILED. 2 passed\n";
        let modules = tally(output);
        assert_eq!(modules["f32_ty"], (1, 2));
        assert_eq!(modules["tests of no type"], (1, 1));
        assert_eq!(modules.len(), 2);
    }

    #[test]
    fn paths_are_renamed() {
        assert_eq!(renamed("use cubecl_runtime::server::Handle;"), "use cubecl::server::Handle;");
    }
}
