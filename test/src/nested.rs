//! Runs cargo inside a test, to build a source tree outside this workspace as an external user would.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A source tree and its build folder.
#[derive(Clone, Copy, Debug)]
pub struct Cargo<'a> {
    /// The folder that contains `Cargo.toml`.
    pub tree: &'a Path,
    /// The target folder.
    pub target: &'a Path,
}

/// The environment variables that cargo and rustup require, and the choices of incremental builds and of debug information:
/// with other choices, cargo would build the crates of the shared target folder again. Cargo receives no other variables of
/// this process.
const KEPT: [&str; 8] =
    ["PATH", "HOME", "CARGO_HOME", "CARGO_INCREMENTAL", DEBUG, "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "TERM"];

/// The debug information of the development profile.
const DEBUG: &str = "CARGO_PROFILE_DEV_DEBUG";

impl Cargo<'_> {
    /// Builds the source tree offline, with the development profile of this workspace. Cargo reads only the
    /// `.cargo/config.toml` of the source tree.
    ///
    /// # Errors
    /// The error is the output of cargo.
    pub fn build(self, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let kept = KEPT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
        command.env_clear().envs(kept).env("CARGO_TARGET_DIR", self.target);
        // Cargo reads configuration from the folders above the current one.
        command.current_dir(std::env::temp_dir()).args(["build", "--offline"]);
        command.arg("--manifest-path").arg(self.tree.join("Cargo.toml"));
        // An argument of `--config` would replace the variable.
        if std::env::var_os(DEBUG).is_none() {
            command.args(["--config", "profile.dev.debug=\"line-tables-only\""]);
        }
        // The same setting as in this workspace, so that crates of the registry are shared and not built again.
        command.args(["--config", "profile.dev.package.\"*\".debug=false"]);
        for level in levels(include_str!("../../Cargo.toml")) {
            command.args(["--config", &level]);
        }
        let own: PathBuf = self.tree.join(".cargo/config.toml");
        if own.is_file() {
            command.arg("--config").arg(own);
        }
        // A setting in the arguments replaces the same setting above.
        command.args(arguments);
        let output = command.output().map_err(|e| format!("cargo did not start: {e}"))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(format!("{} does not build:\n{stderr}", self.tree.display())) }
    }
}

/// The optimisation levels of crates of the registry in a `Cargo.toml`, as arguments of `--config`.
fn levels(manifest: &str) -> Vec<String> {
    let mut levels = Vec::new();
    for (table, next) in manifest.lines().zip(manifest.lines().skip(1)) {
        let package = table.strip_prefix("[profile.dev.package.").and_then(|rest| rest.strip_suffix(']'));
        let own = |package: &&str| package.starts_with("cube-") || package.starts_with('"');
        if let (Some(package), true) = (package.filter(|package| !own(package)), next.starts_with("opt-level = ")) {
            levels.push(format!("profile.dev.package.{package}.{next}"));
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_crates_of_the_registry_are_found() {
        let manifest = "[profile.dev]\nopt-level = 0\n[profile.dev.package.\"*\"]\ndebug = false\n\n\
            [profile.dev.package.cube-ir]\nopt-level = 1\n\n[profile.dev.package.egg]\nopt-level = 3\n";
        assert_eq!(levels(manifest), ["profile.dev.package.egg.opt-level = 3"]);
        assert!(levels(include_str!("../../Cargo.toml")).len() >= 5);
    }
}
