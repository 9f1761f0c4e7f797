//! Errors of reading, writing and comparing host data.
use cube_artifact::codes;
use std::path::{Path, PathBuf};

/// A file or an array that cannot be used, with the cause and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// The file that caused the error, if there is one.
    pub file: Option<PathBuf>,
    /// The cause of the error and the fix.
    pub message: String,
}

impl DataError {
    /// Creates an error that names no file.
    pub fn new(message: impl Into<String>) -> Self {
        DataError { file: None, message: message.into() }
    }

    /// The error code for `--explain`.
    pub fn code(&self) -> &'static str {
        codes::HOST_DATA
    }

    /// Adds the name of the file to the error.
    pub fn in_file(mut self, file: &Path) -> Self {
        self.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// Creates an error about a file that cannot be read.
    pub(super) fn cannot_read(file: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let message = match error.kind() {
            ErrorKind::NotFound => "the file does not exist; check the path".into(),
            ErrorKind::IsADirectory => "it is a folder; name a file".into(),
            _ => format!("it cannot be read ({error}); check its permissions"),
        };
        DataError::new(message).in_file(file)
    }
}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error[{}]: ", self.code())?;
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for DataError {}
