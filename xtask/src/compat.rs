//! `cargo xtask compat`: runs the runtime tests of CubeCL on this runtime.
//!
//! The registry's client downloads the pinned crates `cubecl-core`. The task copies the runtime tests of each crate into
//! a separate crate, whose dependency `cubecl` is the crate `cube` of this workspace, and changes only the paths in
//! [`Edition::renamed`]. A module whose tests do not compile is removed. The task prints two tables. The first has the
//! tests of each element type. The second has a row for each module of CubeCL: whether the module compiles, with the
//! first error, its number of tests, and the number of passed tests.
//!
//! `cargo xtask compat 0.8` and `cargo xtask compat 0.11` run the tests of one version. `cargo xtask compat time` compares
//! the processor time of rustc. `cargo xtask compat wgpu` compares the passed tests with those of CubeCL's own runtime on wgpu, and
//! `cargo xtask compat speed` compares the time of kernels. `cargo xtask compat sizes` compares SPIR-V modules with those of
//! rust-gpu.

mod cpu_time;
mod sizes;
mod speed;
mod wgpu;

use crate::Outcome;
use crate::workspace::{root, target_folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A version of CubeCL, with the changes that its tests need.
struct Edition {
    /// The version without its last number, as the argument of the task.
    name: &'static str,
    version: &'static str,
    /// The paths that the tests name differently: CubeCL's path, and the path here.
    renamed: &'static [(&'static str, &'static str)],
    /// The modules of CubeCL that the task omits, with the reasons.
    omitted: &'static [(&'static str, &'static str)],
    /// The tests that fail for a known reason.
    failing: &'static [(&'static str, &'static str)],
    /// The root of the crate with the tests. The tests call the crate `cubecl`.
    library: &'static str,
    /// The prelude of the tests.
    prelude: &'static str,
    /// Whether each module whose tests do not compile is removed.
    partial: bool,
}

const EDITIONS: &[Edition] = &[
    Edition {
        name: "0.8",
        version: "0.8.1",
        renamed: &[
            ("cubecl_runtime::server::", "cubecl::server::"),
            ("cubecl_runtime::TypeUsage", "cubecl::features::TypeUsage"),
            ("cubecl_runtime::Plane", "cubecl::features::Plane"),
            ("cubecl_ir::StorageType", "cubecl::ir::StorageType"),
            ("cubecl_common::{e2m1x2", "cubecl::{e2m1x2"),
        ],
        omitted: &[
            ("barrier", "asynchronous copies need hardware that is not supported"),
            ("cluster", "a cube is its own cluster"),
            ("cmma", "cooperative matrices are not supported"),
            ("stream", "streams of CubeCL are not supported"),
            ("tensormap", "tensor maps are not supported"),
            ("to_client", "needs a second device"),
        ],
        failing: &[(
            "test_tensor_coordinate",
            "passes a tensor of 12 elements with lines of 16 elements, which is an error of the launch here",
        )],
        library: "#![allow(warnings)]\npub use cubecl::*;\npub use num_traits;\npub mod runtime_tests;\n",
        prelude: "cubecl::prelude",
        partial: false,
    },
    Edition {
        name: "0.11",
        version: "0.11.1",
        renamed: &[
            ("cubecl_runtime::runtime::Runtime", "crate::prelude::Runtime"),
            ("cubecl_runtime::{client::Client, runtime::Runtime}", "crate::prelude::{Client, Runtime}"),
            ("$crate::__private::Runtime", "$crate::prelude::Runtime"),
            ("cubecl_runtime::server::", "cubecl::server::"),
            ("cubecl_ir::features::", "cubecl::features::"),
            ("cubecl_ir::EnumSet", "cubecl::features::Set as EnumSet"),
            ("cubecl_ir::", "cubecl::ir::"),
            ("cubecl_environment::sync::LazyLock", "std::sync::LazyLock"),
            ("cubecl_environment::future", "cubecl::future"),
            ("cubecl_common::bytes", "cubecl::bytes"),
            ("cubecl_common::{e2m1x2", "cubecl::{e2m1x2"),
            ("cubecl_common::e2m1;", "::cubecl::e2m1;"),
            ("hardware.max_cube_dim.0", "hardware.max_cube_dim.x"),
            // The module `binary` does not compile, and `plane` uses only its comparison.
            ("crate::runtime_tests::binary::assert_equals_approx", "crate::support::assert_equals_approx"),
        ],
        omitted: &[
            ("all_reduce", "needs a second device"),
            ("barrier", "asynchronous copies need hardware that is not supported"),
            ("cluster", "a cube is its own cluster"),
            ("cmma", "cooperative matrices are not supported"),
            ("cmma2", "cooperative matrices are not supported"),
            ("stream", "streams of CubeCL are not supported"),
            ("stream_errors", "streams of CubeCL are not supported"),
            ("tensormap", "tensor maps are not supported"),
            ("to_client", "needs a second device"),
        ],
        failing: &[
            (
                "test_rhypot",
                "promises with `FastMath::NotInf` that no result is infinite, and expects an infinite result",
            ),
            (
                "test_powi_int",
                "expects a negative exponent to be a large unsigned exponent; here, the result is a reciprocal",
            ),
        ],
        library: LIBRARY_OF_0_11,
        prelude: "cubecl::v11::prelude",
        partial: true,
    },
];

/// The root of the crate with the tests of 0.11, with the comparison of floats that several modules use.
const LIBRARY_OF_0_11: &str = r#"#![allow(warnings)]
extern crate alloc;
#[macro_use]
extern crate derive_new;
pub use cubecl::*;
pub use num_traits;
pub mod prelude {
    pub use cubecl::v11::prelude::*;
}
pub mod runtime_tests;

pub mod support {
    use cubecl::v11::prelude::*;

    /// Compares the first numbers of a buffer with the expected numbers. The tolerance is `epsilon`, at least 32 steps of
    /// the type at 1, times the magnitude of a number above 1.
    pub fn assert_equals_approx<F: num_traits::Float + CubeElement + std::fmt::Display>(
        client: &Client,
        output: cubecl::server::Handle,
        expected: &[F],
        epsilon: f32,
    ) {
        let bytes = client.read_one(output).expect("the launch succeeded");
        let number = |x: F| x.to_f64().expect("a float");
        let least = 32.0 * number(F::epsilon());
        for (index, (got, expected)) in F::from_bytes(&bytes).iter().zip(expected).enumerate() {
            let (got, expected) = (number(*got), number(*expected));
            let tolerance = f64::from(epsilon).max(least) * expected.abs().max(1.0);
            let same = got == expected || got.is_nan() && expected.is_nan() || (got - expected).abs() < tolerance;
            assert!(same, "element {index} is {got} instead of {expected}, with a tolerance of {tolerance}");
        }
    }
}
"#;

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
derive-new = "0.7"
test-log = "0.2"

[workspace]
"#;

/// The tests themselves, for all types of Rust and of the crate `half` that CubeCL tests.
const TESTS: &str = "#![allow(warnings)]
mod upstream {
    use cubecl::cpu::CpuRuntime as TestRuntime;
    use PRELUDE::*;
    use half::{bf16, f16};

    cubecl_core::testgen_all!(f32: [f16, bf16, f32, f64], i32: [i8, i16, i32, i64], u32: [u8, u16, u32, u64]);
}
";

/// The names of the features of the crate `cubecl` 0.8.1. The manifest of the crate `cube` has all these features.
#[cfg(test)]
const FEATURES: &str = "autotune-checks convolution cpu cubecl-cpu cubecl-cuda cubecl-hip cubecl-std cubecl-wgpu cuda
    cuda-ptx-wmma default exclusive-memory-only hip hip-rocwmma matmul profile-tracy random reduce spirv-dump std stdlib
    template wgpu wgpu-msl wgpu-spirv";

pub fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [part] if part == "time" => return cpu_time::run(),
        [part, rest @ ..] if part == "speed" => return speed::run(rest),
        [part, rest @ ..] if part == "sizes" => return sizes::run(rest),
        [part, rest @ ..] if part == "wgpu" => return wgpu::run(rest),
        _ => {}
    }
    let selected: Vec<&Edition> = match arguments {
        [] => EDITIONS.iter().collect(),
        [one] => EDITIONS.iter().filter(|edition| edition.name == one).collect(),
        _ => Vec::new(),
    };
    if selected.is_empty() {
        return Err(format!(
            "unknown arguments {}; write `0.8`, `0.11`, `time`, `wgpu`, `speed`, `sizes`, or no argument",
            arguments.join(" ")
        ));
    }
    let failed: Vec<String> = selected.into_iter().filter_map(|edition| edition.run().err()).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

impl Edition {
    /// Runs the tests, and prints the table.
    fn run(&self) -> Outcome {
        let folder = target_folder(&root()).join("compat");
        let sources = downloaded(&folder.join(format!("download-{}", self.name)), "cubecl-core", self.version)?;
        let sources = sources.join("src/runtime_tests");
        let tests = folder.join(format!("tests-{}", self.name));
        let target = folder.join("target");
        let mut removed: BTreeMap<String, String> = BTreeMap::new();
        loop {
            self.write_crate(&sources, &tests, &removed)?;
            if !self.partial {
                break;
            }
            let errors = errors_of_modules(&tests, &target)?;
            if errors.is_empty() {
                break;
            }
            removed.extend(errors);
        }
        let output = cargo_of(&tests, &target, &["test", "--no-fail-fast", "--test", "upstream"])?;
        let text = String::from_utf8_lossy(&output.stdout);
        let modules = tally(&text);
        if modules.is_empty() {
            return Err(format!("the tests did not compile:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        let (passed, all) = modules.values().fold((0, 0), |sum, (passed, all)| (sum.0 + passed, sum.1 + all));
        println!("| types of the tests of cubecl-core {} | tests | passed |\n|---|---|---|", self.version);
        modules.iter().for_each(|(module, (passed, all))| println!("| {module} | {all} | {passed} |"));
        println!("\n| module of cubecl-core {} | compiles | tests | passed |\n|---|---|---|---|", self.version);
        let without: Vec<&str> =
            self.omitted.iter().map(|(module, _)| *module).chain(removed.keys().map(String::as_str)).collect();
        for (module, (passed, all)) in by_module(&text, &tests_of_modules(&sources, &without)) {
            println!("| {module} | yes | {all} | {passed} |");
        }
        self.omitted.iter().for_each(|(module, reason)| println!("| {module} | omitted: {reason} | | |"));
        let functions = |module: &str| {
            let text = std::fs::read_to_string(sources.join(format!("{module}.rs"))).unwrap_or_default();
            text.matches("test_log::test]").count()
        };
        for (module, error) in &removed {
            println!("| {module} | no: {error} | {} functions | |", functions(module));
        }
        let failed = text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let (known, unknown): (Vec<_>, Vec<_>) = failed.partition(|name| self.reason(name).is_some());
        known.iter().for_each(|name| println!("{name} fails: {}", self.reason(name).unwrap_or_default()));
        println!("{}: {passed} of {all} tests pass", self.version);
        if !removed.is_empty() {
            let count: usize = removed.keys().map(|module| functions(module)).sum();
            println!("{}: {count} test functions of {} modules do not compile", self.version, removed.len());
        }
        if unknown.is_empty() { Ok(()) } else { Err(format!("tests of CubeCL fail: {}", unknown.join(", "))) }
    }

    /// The reason of a known failure.
    fn reason(&self, test: &str) -> Option<&'static str> {
        let known = self.failing.iter().find(|(name, _)| test.rsplit("::").next() == Some(*name));
        known.map(|(_, reason)| *reason)
    }

    /// Writes the crate with the tests of all modules except the omitted and the removed modules.
    fn write_crate(&self, sources: &Path, folder: &Path, removed: &BTreeMap<String, String>) -> Outcome {
        let cube = root().join("cube");
        write(&folder.join("Cargo.toml"), &MANIFEST.replace("CUBE", &cube.to_string_lossy()))?;
        write(&folder.join("src/lib.rs"), self.library)?;
        write(&folder.join("tests/upstream.rs"), &TESTS.replace("PRELUDE", self.prelude))?;
        let omitted: Vec<&str> =
            self.omitted.iter().map(|(module, _)| *module).chain(removed.keys().map(String::as_str)).collect();
        let macros = macros_of(sources, &omitted);
        let files =
            std::fs::read_dir(sources).map_err(|error| format!("cannot read {}: {error}", sources.display()))?;
        for file in files.filter_map(Result::ok).map(|entry| entry.path()) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if omitted.contains(&name.as_str()) {
                continue;
            }
            let text =
                std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let text = self.renamed(&text);
            let text = if name == "mod" { without_modules(&text, &omitted, &macros) } else { text };
            write(&folder.join(format!("src/runtime_tests/{name}.rs")), &text)?;
        }
        Ok(())
    }

    fn renamed(&self, text: &str) -> String {
        self.renamed.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
    }
}

fn cargo_of(folder: &Path, target: &Path, arguments: &[&str]) -> Result<std::process::Output, String> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(folder).env("CARGO_TARGET_DIR", target);
    cargo.output().map_err(|error| format!("cannot start cargo: {error}"))
}

/// The modules whose tests do not compile, each with the number of errors and the first error.
fn errors_of_modules(tests: &Path, target: &Path) -> Result<BTreeMap<String, String>, String> {
    let output = cargo_of(tests, target, &["check", "--tests", "--keep-going", "--message-format", "short"])?;
    let text = String::from_utf8_lossy(&output.stderr);
    let mut modules: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (module, error) in text.lines().filter_map(error_of_module) {
        modules.entry(module).or_insert((0, error)).0 += 1;
    }
    if modules.is_empty() && !output.status.success() {
        return Err(format!("the tests do not compile:\n{text}"));
    }
    let described = |(count, error): (usize, String)| match count {
        1 => error,
        _ => format!("{error} ({count} errors)"),
    };
    Ok(modules.into_iter().map(|(module, errors)| (module, described(errors))).collect())
}

/// The module and the text of an error, from a line such as `src/runtime_tests/slice.rs:1:2: error[E0425]: text`.
fn error_of_module(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("src/runtime_tests/")?;
    let (module, rest) = rest.split_once(".rs:")?;
    let (_, error) = rest.split_once(": error")?;
    let text = error.split_once(": ").map_or(error, |(_, text)| text);
    (module != "mod").then(|| (module.to_string(), text.to_string()))
}

fn write(path: &Path, text: &str) -> Outcome {
    let failed = |error| format!("cannot write {}: {error}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    std::fs::write(path, text).map_err(failed)
}

/// Downloads a crate, and returns its folder.
fn downloaded(folder: &Path, name: &str, version: &str) -> Result<PathBuf, String> {
    let manifest = format!(
        "[package]\nname = \"download\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{name} = \"={version}\"\n\n[workspace]\n"
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/lib.rs"), "")?;
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("cannot download {name} {version}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("the output of cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages.filter(|package| package["name"] == name).find_map(|p| p["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("cargo metadata does not list {name}"))?;
    Ok(Path::new(manifest).parent().unwrap_or(Path::new(manifest)).to_path_buf())
}

/// Removes the lines about omitted modules: their declarations, and the calls of their macros. `macros` are the names of
/// the macros that the omitted modules define.
fn without_modules(text: &str, omitted: &[&str], macros: &[String]) -> String {
    let is_omitted = |line: &str| {
        omitted.iter().any(|module| line.trim() == format!("pub mod {module};"))
            || macros.iter().any(|name| line.contains(&format!("::{name}!")))
    };
    text.lines().filter(|line| !is_omitted(line)).map(|line| format!("{line}\n")).collect()
}

/// The names of the macros that modules define.
fn macros_of(sources: &Path, modules: &[&str]) -> Vec<String> {
    let texts = modules.iter().filter_map(|module| std::fs::read_to_string(sources.join(format!("{module}.rs"))).ok());
    let names = |text: String| {
        let names = text.split("macro_rules! ").skip(1);
        let names = names.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
        names.map(str::to_string).collect::<Vec<_>>()
    };
    texts.flat_map(names).collect()
}

/// The names of the test functions of each module. A module contains a function, or adds it by a macro:
/// `fn test_a()`, `add_test!(test_a)`, `test_binary_impl!(test_a, ..)`.
fn tests_of_modules(sources: &Path, without: &[&str]) -> BTreeMap<String, String> {
    let mut tests: BTreeMap<String, String> = BTreeMap::new();
    let files = std::fs::read_dir(sources).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    for file in files {
        let module = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if module == "mod" || without.contains(&module.as_str()) || !text.contains("macro_rules! testgen_") {
            continue;
        }
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.starts_with("test_"));
        words.for_each(|word| _ = tests.entry(word.to_string()).or_insert_with(|| module.clone()));
    }
    tests
}

/// The number of passed tests and of all tests of each module of CubeCL. `tests` has the module of each test function.
fn by_module(output: &str, tests: &BTreeMap<String, String>) -> BTreeMap<String, (usize, usize)> {
    let mut modules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (name, passed) in output.lines().filter_map(result_of_test) {
        let function = name.rsplit("::").next().unwrap_or_default();
        let module = tests.get(function).map_or("other modules", String::as_str);
        let (count, all) = modules.entry(module.to_string()).or_default();
        *count += usize::from(passed);
        *all += 1;
    }
    modules
}

/// The name of a test and whether it passed, from a line of the output of `cargo test`. CubeCL itself ignores some tests.
fn result_of_test(line: &str) -> Option<(&str, bool)> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    (!result.starts_with("ignored")).then_some((name, result == "ok"))
}

/// The number of passed tests and of all tests of each module, from the output of `cargo test`.
fn tally(output: &str) -> BTreeMap<String, (usize, usize)> {
    let mut modules: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (name, ok) in output.lines().filter_map(result_of_test) {
        let name = name.trim_start_matches("upstream::");
        let module = name.rsplit_once("::").map_or("tests of no type", |(module, _)| module);
        let (passed, all) = modules.entry(module.to_string()).or_default();
        *passed += usize::from(ok);
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
        assert_eq!(
            without_modules(text, &["cmma"], &["testgen_cmma".into()]),
            "pub mod atomic;\n        cubecl_core::testgen_atomic_int!();\n"
        );
    }

    #[test]
    fn errors_name_their_module() {
        let line = "src/runtime_tests/slice.rs:51:24: error[E0599]: no method named `x` found";
        assert_eq!(error_of_module(line), Some(("slice".into(), "no method named `x` found".into())));
        assert_eq!(error_of_module("src/runtime_tests/slice.rs:51:24: warning: unused"), None);
        assert_eq!(error_of_module("error: could not compile `cubecl_core` (lib)"), None);
    }

    #[test]
    fn all_features_of_cubecl_exist() {
        let manifest = std::fs::read_to_string(root().join("cube/Cargo.toml")).unwrap();
        let features: Vec<&str> = manifest.lines().filter_map(|line| Some(line.split_once(" = [")?.0)).collect();
        let missing: Vec<_> = FEATURES.split_whitespace().filter(|name| !features.contains(name)).collect();
        assert!(missing.is_empty(), "cube/Cargo.toml lacks the features {missing:?}");
    }

    #[test]
    fn results_are_counted_by_module() {
        let output = "test upstream::f32_ty::test_a ... ok\ntest upstream::f32_ty::test_c ... ignored\ntest upstream::f32_ty::test_b ... FAILED\ntest test_c ... ok\n\ntest result: FAILED. 2 passed\n";
        let modules = tally(output);
        assert_eq!(modules["f32_ty"], (1, 2));
        assert_eq!(modules["tests of no type"], (1, 1));
        assert_eq!(modules.len(), 2);
        let tests = [("test_a".to_string(), "slice".to_string()), ("test_b".to_string(), "plane".to_string())].into();
        let modules = by_module(output, &tests);
        assert_eq!((modules["slice"], modules["plane"], modules["other modules"]), ((1, 1), (0, 1), (1, 1)));
    }

    #[test]
    fn paths_are_renamed() {
        for edition in EDITIONS {
            assert_eq!(edition.renamed("use cubecl_runtime::server::Handle;"), "use cubecl::server::Handle;");
        }
    }
}
