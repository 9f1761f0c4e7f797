//! The checkout from which this xtask was built.

use std::path::{Path, PathBuf};

/// The root of the workspace, which is the folder above this crate.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is in the workspace's root").to_path_buf()
}

/// Whether the checkout contains the package with the tools.
pub fn has_tools(root: &Path) -> bool {
    root.join("tools/Cargo.toml").is_file()
}

/// cargo's output folder.
pub fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}
