//! Finds test files and pinned outputs.

use std::path::{Path, PathBuf};

/// Folders without tests: the sources of the runner, the inputs of tests, and pinned outputs.
const NOT_TESTS: [&str; 4] = ["src", "tests", "inputs", "pinned"];

/// All test files in a folder and its subfolders, sorted. A `.mlir` file contains IR, and a `.test` file
/// contains command lines of tools with other inputs.
pub fn tests_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, &mut found, &|name| !NOT_TESTS.contains(&name));
    found.retain(|path| path.extension().is_some_and(|ending| ending == "mlir" || ending == "test"));
    found.sort();
    found
}

/// All pinned outputs in a folder and its subfolders.
pub fn pinned_under(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, &mut found, &|_| true);
    found.retain(|path| path.parent().is_some_and(|parent| parent.ends_with("pinned")));
    found.sort();
    found
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>, enter: &dyn Fn(&str) -> bool) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if !path.is_dir() {
            found.push(path);
        } else if path.file_name().and_then(|name| name.to_str()).is_some_and(enter) {
            walk(&path, found, enter);
        }
    }
}

/// The name of a test, which is the path of its file relative to `folder`, with `/` as separator.
pub fn name_of(file: &Path, folder: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_pinned_outputs_are_not_tests() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["lower/b.mlir", "a.mlir", "a.md", "lower/inputs/c.mlir", "lower/pinned/d.mlir", "x.test"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names: Vec<_> = tests_under(folder.path()).iter().map(|path| name_of(path, folder.path())).collect();
        assert_eq!(names, ["a.mlir", "lower/b.mlir", "x.test"]);
        assert_eq!(pinned_under(folder.path()), [folder.path().join("lower/pinned/d.mlir")]);
    }
}
