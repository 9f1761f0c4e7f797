//! Pinned outputs: complete expected texts, which tests compare byte for byte and rewrite with `BLESS=1`.

use std::path::{Path, PathBuf};

/// Whether this run rewrites pinned outputs.
pub fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| !value.is_empty() && value != "0")
}

/// The temporary file for the new text, which replaces the pinned file after the command has succeeded.
pub fn new_file(pinned: &Path) -> PathBuf {
    let mut name = pinned.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Creates the folders for the files of [`new_file`].
///
/// # Errors
/// A folder cannot be created.
pub fn prepare(pinned: &[PathBuf]) -> Result<(), String> {
    for folder in pinned.iter().filter_map(|path| path.parent()) {
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    Ok(())
}

/// Replaces the pinned texts by the new texts if the command succeeded, otherwise deletes the new texts. A broken
/// compiler must not rewrite its own expected results.
///
/// # Errors
/// A file cannot be moved.
pub fn replace_or_discard(pinned: &[PathBuf], succeeded: bool) -> Result<(), String> {
    for path in pinned {
        let new = new_file(path);
        let moved = if succeeded { std::fs::rename(&new, path) } else { std::fs::remove_file(&new) };
        if let Err(error) = moved.or_else(|error| if succeeded { Err(error) } else { Ok(()) }) {
            return Err(format!("cannot rewrite {}: {error}", path.display()));
        }
    }
    Ok(())
}
