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

/// The environment variables that cargo and rustup require. Cargo receives no other variables of this
/// process.
const KEPT: [&str; 6] = ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "TERM"];

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
        command.current_dir(std::env::temp_dir()).args(["build", "--offline"]).args(arguments);
        command.arg("--manifest-path").arg(self.tree.join("Cargo.toml"));
        command.args(["--config", "profile.dev.debug=\"line-tables-only\""]);
        // The same setting as in this workspace, so that crates of the registry are shared and not built again.
        command.args(["--config", "profile.dev.package.\"*\".debug=false"]);
        let own: PathBuf = self.tree.join(".cargo/config.toml");
        if own.is_file() {
            command.arg("--config").arg(own);
        }
        let output = command.output().map_err(|e| format!("cargo did not start: {e}"))?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(()) } else { Err(format!("{} does not build:\n{stderr}", self.tree.display())) }
    }
}
