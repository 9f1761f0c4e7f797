//! The package for the tests of the kernel language, which are in `tests/`.
use std::path::{Path, PathBuf};

/// The folder of the build's libraries, and the library `cube` with the features of this package: the newest file that is not
/// newer than the running program. One folder has a library for each set of features, so the age alone does not select it.
pub fn library() -> (PathBuf, PathBuf) {
    let exe = std::env::current_exe().unwrap();
    let folder = exe.parent().unwrap().to_path_buf();
    let age = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let limit = age(&exe);
    let found = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        let hash = name.strip_prefix("libcube-").and_then(|rest| rest.strip_suffix(".rlib"));
        hash.is_some_and(|hash| age(path) <= limit && has_features(&folder, hash))
    });
    let newest = found.max_by_key(|path| age(path)).expect("the library is built beside this program");
    (folder, newest)
}

/// Whether cargo's record of a library lists the optional features that this package requires. Without a record, the result is true.
fn has_features(folder: &Path, hash: &str) -> bool {
    let record = folder.with_file_name(".fingerprint").join(format!("cube-mlir-{hash}")).join("lib-cube.json");
    let Ok(record) = std::fs::read_to_string(record) else { return true };
    let features = record.split("\"declared_features\"").next().unwrap();
    let required = ["cuda", "wgpu-spirv"].into_iter().chain(cfg!(feature = "on-hip").then_some("hip"));
    required.into_iter().all(|name| features.contains(&format!("\\\"{name}\\\"")))
}
