//! Writes files atomically: a reader sees either the old or the new content of a file.
use super::DataError;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Replaces the file's content in one step: writes a temporary file in the same folder, and renames it.
///
/// If the file is a link, the link is kept and its target is replaced. A special file, such as a pipe or
/// `/dev/stdout`, is written directly.
///
/// # Errors
/// The folder is missing or not writable, or the disk is full. If writing fails, the old content is
/// unchanged.
pub fn write_atomically(file: &Path, content: &[u8]) -> Result<(), DataError> {
    write_all_atomically(&[(file, content)])
}

/// [`write_atomically`] for several files. The contents of all files are in temporary files before the first
/// file is replaced.
///
/// # Errors
/// The errors of [`write_atomically`] for any of the files. If a temporary file cannot be written, all old
/// contents are unchanged.
pub fn write_all_atomically(files: &[(&Path, &[u8])]) -> Result<(), DataError> {
    let mut staged = Vec::with_capacity(files.len());
    for (file, content) in files {
        staged.push(stage(file, content).map_err(|error| cannot_write(file, &error))?);
    }
    for ((file, content), staged) in files.iter().zip(staged) {
        staged.settle(content).map_err(|error| cannot_write(file, &error))?;
    }
    Ok(())
}

fn cannot_write(file: &Path, error: &std::io::Error) -> DataError {
    use std::io::ErrorKind;
    let message = match error.kind() {
        ErrorKind::NotFound => "its folder does not exist; create it first".into(),
        ErrorKind::IsADirectory => "it is a folder; name a file".into(),
        _ => format!("it cannot be written ({error}); choose another folder, or check its permissions"),
    };
    DataError::new(message).in_file(file)
}

/// Content that is prepared for a file.
enum Staged {
    /// The content is in a temporary file in the folder of the file that it will replace.
    Beside(NamedTempFile, PathBuf),
    /// The content will be written to a pipe or device, which is already open.
    Special(std::fs::File),
}

impl Staged {
    fn settle(self, content: &[u8]) -> std::io::Result<()> {
        match self {
            Staged::Beside(temporary, target) => temporary.persist(&target).map(drop).map_err(|error| error.error),
            Staged::Special(mut file) => file.write_all(content),
        }
    }
}

fn stage(file: &Path, content: &[u8]) -> std::io::Result<Staged> {
    // The path is the target of the link, so that the temporary file replaces the target and not the link.
    let target = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    match std::fs::metadata(&target) {
        Ok(found) if found.is_dir() => return Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            return std::fs::OpenOptions::new().write(true).open(&target).map(Staged::Special);
        }
        _ => {}
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cube-");
    #[cfg(unix)]
    {
        // A new file gets the permissions that the umask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(content)?;
    Ok(Staged::Beside(temporary, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_content_is_replaced_without_leftover_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        for content in [&b"first, and longer"[..], b"second"] {
            write_atomically(&file, content).unwrap();
            assert_eq!(std::fs::read(&file).unwrap(), content);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn several_files_are_written_atomically() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("no/second"));
        std::fs::write(&first, "old").unwrap();
        let error = write_all_atomically(&[(&first, b"new"), (&second, b"new")]).unwrap_err();
        assert_eq!(error.file.as_deref(), Some(&*second));
        assert_eq!(std::fs::read(&first).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        std::fs::create_dir(folder.path().join("no")).unwrap();
        write_all_atomically(&[(&first, b"new"), (&second, b"two")]).unwrap();
        assert_eq!(
            (std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap()),
            (b"new".to_vec(), b"two".to_vec())
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_special_files_are_not_replaced() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_ne!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o044, 0, "others may read it, as usual");
        write_atomically(Path::new("/dev/null"), b"gone").unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn missing_folder_or_folder_as_file_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_atomically(&folder.path().join("no/out"), b"").unwrap_err();
        assert!(error.to_string().ends_with("no/out: its folder does not exist; create it first"), "{error}");
        let error = write_atomically(folder.path(), b"").unwrap_err();
        assert!(error.message.starts_with("it is a folder"), "{error}");
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = write_atomically(&file.join("out"), b"").unwrap_err();
        assert!(error.message.starts_with("it cannot be written ("), "{error}");
    }
}
