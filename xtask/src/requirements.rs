//! The table of Cube's requirements: one row per requirement, with the Debian packages that provide the
//! requirement.

use crate::shell::{DEBIAN_PREFIX, Machine, PREFIX_VARIABLES};
use std::path::Path;

/// The major version of LLVM that the Rust bindings require.
pub const LLVM_MAJOR: &str = "22";

/// The property by which a requirement is tested.
enum Sign {
    /// `llvm-config` under the prefix, of the right version.
    Llvm,
    /// An environment variable that must name the same LLVM prefix as the other prefix variables.
    Variable(&'static str),
    /// At least one of the listed files must exist in the prefix; a trailing `*` matches any suffix.
    UnderPrefix(&'static [&'static str]),
    /// A system header.
    Header(&'static str),
    /// At least one of the listed programs must be on `PATH`.
    Program(&'static [&'static str]),
    /// A file in the data folder of the system; `*` in the name matches any text.
    Data(&'static str),
}

/// A requirement, which is one row in the output of `doctor`.
pub struct Requirement {
    /// Name for messages.
    pub name: &'static str,
    sign: Sign,
    /// Debian packages that provide the requirement; empty if apt cannot install it.
    pub packages: &'static [&'static str],
    /// The command that installs the requirement if apt cannot install it.
    pub remedy: &'static str,
    /// Whether the build and the tests work without the requirement.
    pub optional: bool,
}

const fn needed(name: &'static str, sign: Sign, packages: &'static [&'static str]) -> Requirement {
    Requirement { name, sign, packages, remedy: "", optional: false }
}

const fn without_package(name: &'static str, sign: Sign, remedy: &'static str, optional: bool) -> Requirement {
    Requirement { name, sign, packages: &[], remedy, optional }
}

const UNSET: &str = "run from inside the checkout: .cargo/config.toml sets it";

/// All requirements, in the order of their dependencies.
pub const REQUIREMENTS: &[Requirement] = &[
    without_package("cargo", Sign::Program(&["cargo"]), "install Rust from https://rustup.rs", false),
    without_package("rustfmt", Sign::Program(&["rustfmt"]), "rustup component add rustfmt", true),
    without_package("clippy", Sign::Program(&["cargo-clippy"]), "rustup component add clippy", true),
    needed("git", Sign::Program(&["git"]), &["git"]),
    needed("C linker", Sign::Program(&["cc", "gcc", "clang"]), &["gcc", "libc6-dev"]),
    needed("C++ compiler", Sign::Program(&["c++", "g++", "clang++"]), &["g++"]),
    needed("LLVM 22", Sign::Llvm, &["llvm-22-dev"]),
    without_package(PREFIX_VARIABLES[0], Sign::Variable(PREFIX_VARIABLES[0]), UNSET, false),
    without_package(PREFIX_VARIABLES[1], Sign::Variable(PREFIX_VARIABLES[1]), UNSET, false),
    without_package(PREFIX_VARIABLES[2], Sign::Variable(PREFIX_VARIABLES[2]), UNSET, false),
    needed("MLIR 22 headers", Sign::UnderPrefix(&["include/mlir-c/IR.h"]), &["libmlir-22-dev"]),
    needed("MLIR 22 library", Sign::UnderPrefix(&["lib/libMLIR.so", "lib/libMLIRIR.a"]), &["libmlir-22-dev"]),
    needed("mlir-opt, mlir-tblgen", Sign::UnderPrefix(&["bin/mlir-opt"]), &["mlir-22-tools"]),
    needed("FileCheck, not, split-file", Sign::UnderPrefix(&["bin/FileCheck"]), &["llvm-22-tools"]),
    needed("clang++ 22 (the bridge)", Sign::UnderPrefix(&["bin/clang++"]), &["clang-22"]),
    needed("libclang 22 (bindgen)", Sign::UnderPrefix(&["lib/libclang*.so*"]), &["libclang1-22", "clang-22"]),
    needed("lld 22", Sign::UnderPrefix(&["bin/ld.lld"]), &["lld-22"]),
    needed("lld 22 as a library", Sign::UnderPrefix(&["include/lld/Common/Driver.h"]), &["liblld-22-dev"]),
    needed("Polly 22", Sign::UnderPrefix(&["lib/libPolly.a"]), &["libpolly-22-dev"]),
    needed("zstd headers", Sign::Header("zstd.h"), &["libzstd-dev"]),
    needed("zlib headers", Sign::Header("zlib.h"), &["zlib1g-dev"]),
    needed("libxml2 headers", Sign::Header("libxml/xmlversion.h"), &["libxml2-dev"]),
    needed("libffi headers", Sign::Header("ffi.h"), &["libffi-dev"]),
    needed("gdb (debug information)", Sign::Program(&["gdb"]), &["gdb"]),
    needed("z3 (proofs of rules)", Sign::Program(&["z3"]), &["z3"]),
    needed("libedit headers", Sign::Header("histedit.h"), &["libedit-dev"]),
    needed("lavapipe (Vulkan tests)", Sign::Data("vulkan/icd.d/lvp_icd*.json"), &["mesa-vulkan-drivers"]),
    needed("spirv-val (SPIR-V tests)", Sign::Program(&["spirv-val"]), &["spirv-tools"]),
    without_package(
        "Python (AMD GPU tests)",
        Sign::Program(&["python3"]),
        "install Python 3.11, and pip install tinygrad==0.14.0",
        true,
    ),
];

/// The distinct Debian packages of all requirements.
pub fn all_packages() -> Vec<&'static str> {
    unique(REQUIREMENTS.iter())
}

/// The distinct Debian packages of the given requirements, in order.
pub fn unique<'a>(requirements: impl Iterator<Item = &'a Requirement>) -> Vec<&'static str> {
    let mut packages = Vec::new();
    for package in requirements.flat_map(|requirement| requirement.packages) {
        if !packages.contains(package) {
            packages.push(*package);
        }
    }
    packages
}

/// The result of the check of a requirement.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    /// The requirement is present; the text is the version or the path.
    Present(String),
    /// The requirement is missing; the text names the searched path.
    Missing(String),
    /// The requirement is present but unsuitable: a program is too old, or a variable differs from the other
    /// variables.
    Unfit(String),
}

impl Requirement {
    pub fn look(&self, machine: &Machine) -> Finding {
        match &self.sign {
            Sign::Llvm => look_for_llvm(machine),
            Sign::Variable(name) => look_for_variable(machine, name),
            Sign::UnderPrefix(files) => look_under_prefix(&machine.prefix(), files),
            Sign::Header(name) => match machine.header(name) {
                Some(path) => Finding::Present(path.display().to_string()),
                None => Finding::Missing(format!("no {name} in the system's include folders")),
            },
            Sign::Data(path) => look_under_prefix(machine.data_folder(), &[path]),
            Sign::Program(names) => match names.iter().find_map(|name| machine.program(name)) {
                Some(path) => Finding::Present(version_of(machine, &path)),
                None => Finding::Missing(format!("no {} on PATH", names.join(", "))),
            },
        }
    }
}

fn look_for_llvm(machine: &Machine) -> Finding {
    let llvm_config = machine.prefix().join("bin/llvm-config");
    let path_text = llvm_config.display();
    if !llvm_config.is_file() {
        return Finding::Missing(format!("no {path_text}"));
    }
    let Some(version) = machine.ask(&llvm_config, &["--version"]) else {
        return Finding::Unfit(format!("{path_text} does not run"));
    };
    if version.split('.').next() == Some(LLVM_MAJOR) {
        return Finding::Present(format!("{version} in {}", machine.prefix().display()));
    }
    Finding::Unfit(format!("{path_text} is LLVM {version}; Cube needs {LLVM_MAJOR}.x"))
}

/// Checks that all three variables name the same LLVM, because one process must not contain two versions of
/// LLVM.
fn look_for_variable(machine: &Machine, name: &str) -> Finding {
    let Some(value) = machine.variable(name) else { return Finding::Missing(format!("{name} is not set")) };
    let prefix = machine.prefix();
    if Path::new(value) == prefix {
        return Finding::Present(value.to_string());
    }
    Finding::Unfit(format!("{value}, but {} is {}", PREFIX_VARIABLES[0], prefix.display()))
}

fn look_under_prefix(prefix: &Path, files: &[&str]) -> Finding {
    match files.iter().find(|file| exists_in(prefix, file)) {
        Some(file) => Finding::Present(prefix.join(file).display().to_string()),
        None => Finding::Missing(format!("no {}", prefix.join(files[0]).display())),
    }
}

/// Whether a file exists in the prefix; `*` in the file name matches any text.
fn exists_in(prefix: &Path, pattern: &str) -> bool {
    let path = prefix.join(pattern);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    if !name.contains('*') {
        return path.exists();
    }
    let parts: Vec<&str> = name.split('*').collect();
    let Ok(entries) = folder.read_dir() else { return false };
    entries.flatten().any(|entry| matches(&entry.file_name().to_string_lossy(), &parts))
}

/// Whether the text starts with the first part and contains the other parts after it, in order.
fn matches(text: &str, parts: &[&str]) -> bool {
    let Some(mut rest) = text.strip_prefix(parts[0]) else { return false };
    for part in &parts[1..] {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// The first line of the output of a program for `--version`, or the path of the program if this output is
/// empty.
fn version_of(machine: &Machine, path: &Path) -> String {
    let version_text = machine.ask(path, &["--version"]).unwrap_or_default();
    match version_text.lines().next() {
        Some(line) => line.to_string(),
        None => path.display().to_string(),
    }
}

/// The commands that set the prefix variables on systems other than Debian.
pub fn prefix_lines() -> String {
    PREFIX_VARIABLES.map(|name| format!("  export {name}={DEBIAN_PREFIX}   # your LLVM 22\n")).concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::fake::Prefix;

    #[test]
    fn unfit_llvm_is_reported_with_both_versions() {
        let prefix = Prefix::with_llvm("14.0.6");
        let Finding::Unfit(why) = look_for_llvm(&prefix.machine()) else { panic!("14 passed for 22") };
        assert!(why.contains("14.0.6") && why.contains("needs 22.x"), "{why}");
    }

    #[test]
    fn the_major_version_is_compared_whole() {
        let prefix = Prefix::with_llvm("220.1.0");
        assert!(matches!(look_for_llvm(&prefix.machine()), Finding::Unfit(_)));
    }

    #[test]
    fn the_three_variables_must_agree() {
        let machine =
            Machine::made_of(&[(PREFIX_VARIABLES[0], "/opt/a"), (PREFIX_VARIABLES[1], "/opt/b")], &[Path::new("/")]);
        assert!(matches!(look_for_variable(&machine, PREFIX_VARIABLES[0]), Finding::Present(_)));
        assert!(matches!(look_for_variable(&machine, PREFIX_VARIABLES[1]), Finding::Unfit(_)));
        assert!(matches!(look_for_variable(&machine, PREFIX_VARIABLES[2]), Finding::Missing(_)));
    }

    #[test]
    fn star_matches_any_text() {
        assert!(matches("libclang-22.so.22", &["libclang", ".so", ""]));
        assert!(!matches("libclangAST.a", &["libclang", ".so", ""]));
        assert!(!matches("xlibclang.so", &["libclang", ".so", ""]));
    }

    #[test]
    fn a_file_of_data_is_looked_for_in_the_folder_of_data() {
        let prefix = Prefix::with_llvm("22.1.8");
        let row = REQUIREMENTS.iter().find(|row| row.packages == ["mesa-vulkan-drivers"]).unwrap();
        assert!(matches!(row.look(&prefix.machine()), Finding::Missing(why) if why.ends_with("lvp_icd*.json")));
        prefix.file("share/vulkan/icd.d/lvp_icd.aarch64.json", "{}");
        assert!(matches!(row.look(&prefix.machine()), Finding::Present(_)));
    }

    #[test]
    fn a_package_is_listed_once() {
        let packages = all_packages();
        assert_eq!(packages.iter().filter(|name| **name == "libmlir-22-dev").count(), 1);
        assert!(packages.contains(&"llvm-22-dev") && packages.contains(&"g++"), "{packages:?}");
    }
}
