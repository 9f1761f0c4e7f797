//! `cargo xtask compat wgpu`: the runtime tests of CubeCL 0.8.1 on the CPU's Vulkan device, by CubeCL's own runtime on wgpu
//! and by this runtime, with WGSL and with SPIR-V.
//!
//! The types of the tests are those that CubeCL tests on wgpu. Planes of this runtime have 32 units through shared memory, because the
//! tests expect this width. The task prints the numbers of passed tests for each module
//! of CubeCL. It fails if this runtime passes fewer tests than CubeCL in one of the two formats.

use super::{EDITIONS, Edition, cargo_of, downloaded, result_of_test, tests_of_modules, write};
use crate::Outcome;
use crate::phase::phase;
use crate::workspace::{root, target_folder};
use std::collections::BTreeMap;
use std::path::Path;

/// The manifest of the crate that runs CubeCL's tests by CubeCL's own runtime.
const MANIFEST_OF_CUBECL: &str = r#"[package]
name = "upstream"
version = "0.1.0"
edition = "2024"

[lib]
path = "lib.rs"

[features]
spirv = ["cubecl-wgpu/spirv"]

[dependencies]
cubecl-common = "=VERSION"
cubecl-core = { version = "=VERSION", features = ["export_tests"] }
cubecl-wgpu = "=VERSION"
half = { version = "2", features = ["num-traits"] }
paste = "1"

[workspace]
"#;

/// The tests of a format: its name, the code in `cube.toml`, and the types that CubeCL tests.
struct Format {
    name: &'static str,
    code: &'static str,
    types: &'static str,
}

const FORMATS: [Format; 2] = [
    Format { name: "WGSL", code: "wgsl", types: "" },
    Format {
        name: "SPIR-V",
        code: "spirv",
        types: "f32: [f16, flex32, f32], i32: [i8, i16, i32, i64], u32: [u8, u16, u32, u64]",
    },
];

/// A file of tests.
const TESTS: &str = "#![allow(warnings)]
mod upstream {
    use RUNTIME::WgpuRuntime as TestRuntime;
    use cubecl_core::{flex32, prelude::*};
    use half::f16;

    cubecl_core::testgen_all!(TYPES);
}
";

/// Whether each test passed.
type Results = BTreeMap<String, bool>;

pub fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err(format!("unknown arguments {}; write no argument", arguments.join(" ")));
    }
    let edition = &EDITIONS[0];
    let folder = target_folder(&root()).join("compat");
    let sources = downloaded(&folder.join(format!("download-{}", edition.name)), "cubecl-core", edition.version)?;
    let sources = sources.join("src/runtime_tests");
    let (own, theirs) = (folder.join("tests-wgpu"), folder.join("upstream"));
    edition.write_crate(&sources, &own, &BTreeMap::new())?;
    let manifest = super::MANIFEST.replace("CUBE\" }", "CUBE\", features = [\"wgpu-spirv\"] }");
    write(&own.join("Cargo.toml"), &manifest.replace("CUBE", &root().join("cube").to_string_lossy()))?;
    write(&theirs.join("Cargo.toml"), &MANIFEST_OF_CUBECL.replace("VERSION", edition.version))?;
    write(&theirs.join("lib.rs"), "")?;
    let modules = tests_of_modules(&sources, &[]);
    let mut lower = Vec::new();
    for format in &FORMATS {
        let results = [("cubecl::wgpu", &own), ("cubecl_wgpu", &theirs)].map(|(runtime, tree)| {
            phase(&format!("running the tests of {} with {runtime}", format.name), || {
                format.run(runtime, tree, &folder)
            })
        });
        let [own, theirs] = results;
        lower.extend(report(format, edition, &own?, &theirs?, &modules));
    }
    if lower.is_empty() { Ok(()) } else { Err(format!("fewer tests pass than with CubeCL: {}", lower.join(", "))) }
}

impl Format {
    /// Runs the tests of a crate.
    fn run(&self, runtime: &str, tree: &Path, folder: &Path) -> Result<Results, String> {
        let tests = TESTS.replace("RUNTIME", runtime).replace("TYPES", self.types);
        write(&tree.join(format!("tests/{}.rs", self.code)), &tests)?;
        // The tests expect planes of 32 units. A subgroup of lavapipe has 4 or 8.
        let settings = format!("[wgpu]\ncode = \"{}\"\nplanes = \"shared\"\n", self.code);
        write(&tree.join("cube.toml"), &settings)?;
        let features: &[&str] = match (runtime, self.code) {
            ("cubecl_wgpu", "spirv") => &["--features", "spirv"],
            _ => &[],
        };
        // The release profile shares its dependencies with the programs of `compat speed`.
        let arguments = [&["test", "--release", "--no-fail-fast", "--test", self.code], features].concat();
        let output = cargo_of(tree, &folder.join("target"), &arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let results: Results = text.lines().filter_map(result_of_test).map(|(name, ok)| (name.into(), ok)).collect();
        if results.is_empty() || !text.contains("test result: ") {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the tests did not compile, or did not run to their end:\n{text}{errors}"));
        }
        write(&tree.join(format!("{}.txt", self.code)), &text)?;
        Ok(results)
    }
}

/// Prints the table of a format. The result names the format if fewer tests pass than with CubeCL.
fn report(
    format: &Format,
    edition: &Edition,
    own: &Results,
    theirs: &Results,
    modules: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let mut rows: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (column, results) in [own, theirs].into_iter().enumerate() {
        for (name, passed) in results {
            let function = name.rsplit("::").next().unwrap_or_default();
            let module = modules.get(function).map_or("other modules", String::as_str);
            let row = rows.entry(module).or_default();
            row[2 * column] += usize::from(*passed);
            row[2 * column + 1] += 1;
        }
    }
    println!(
        "\n| {}: module of cubecl-core {} | passed | tests | CubeCL: passed | tests |",
        format.name, edition.version
    );
    println!("|---|---|---|---|---|");
    rows.iter().for_each(|(name, [a, b, c, d])| println!("| {name} | {a} | {b} | {c} | {d} |"));
    let all = rows.values().fold([0; 4], |sum, row| [0, 1, 2, 3].map(|at| sum[at] + row[at]));
    println!("| all | {} | {} | {} | {} |", all[0], all[1], all[2], all[3]);
    println!("omitted here: {}", edition.omitted.iter().map(|(module, _)| *module).collect::<Vec<_>>().join(", "));
    let failed =
        |results: &Results| results.iter().filter(|(_, ok)| !**ok).map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for (who, other, names) in [("here", theirs, failed(own)), ("with CubeCL", own, failed(theirs))] {
        for name in names {
            let too = if other.get(&name) == Some(&false) { ", and by the other" } else { "" };
            println!("{name} fails {who}{too}");
        }
    }
    (all[0] < all[2]).then_some(format.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_with_a_lower_score_is_named() {
        let results =
            |all: &[(&str, bool)]| -> Results { all.iter().map(|(name, ok)| (name.to_string(), *ok)).collect() };
        let (all, one) =
            (results(&[("a::test_a", true), ("test_b", true)]), results(&[("a::test_a", true), ("test_b", false)]));
        let modules = [("test_a".to_string(), "slice".to_string())].into();
        assert_eq!(report(&FORMATS[0], &EDITIONS[0], &one, &all, &modules), Some("WGSL"));
        assert_eq!(report(&FORMATS[1], &EDITIONS[0], &all, &one, &modules), None);
    }
}
