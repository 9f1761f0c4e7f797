//! Writes a file completely or not at all.

use std::io::Write;
use std::path::Path;

/// Writes to a temporary file beside `path` and renames it, so that a reader never sees a partial file.
///
/// # Errors
/// The error is a message with the path.
pub fn write(path: &Path, content: &str) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // The permissions of an ordinary new file. A temporary file is accessible only to its owner.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(content.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    attempt().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn file_is_replaced_without_leftover_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.svg");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write(&folder.path().join("no/out.svg"), "x").unwrap_err();
        assert!(error.starts_with("cannot write ") && error.contains("out.svg"), "{error}");
    }
}
