//! Errors of a client.
use crate::ir::KernelError;
use cube_artifact::{CompileError, Diagnostic, Severity, SourceLocation};
use cube_runtime::{ErrorKind, RuntimeError};

/// Failure of an allocation, a copy, a compilation or a launch.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CubeError {
    /// Kind of the error: names the party that must correct the error.
    pub kind: ErrorKind,
    /// Name of the kernel in the program.
    pub kernel: Option<String>,
    /// Location of the compiler's first message, or of the kernel's definition if no message has a location.
    pub location: Option<SourceLocation>,
    /// Location of the kernel's definition.
    definition: Option<SourceLocation>,
    error: Box<RuntimeError>,
}

/// Alternative name of [`CubeError`], for launches.
pub type LaunchError = CubeError;

impl CubeError {
    /// The underlying error of the runtime.
    pub fn runtime(&self) -> &RuntimeError {
        &self.error
    }

    /// An error that an incorrect call of the program causes.
    pub fn of_user(message: impl Into<String>) -> Self {
        RuntimeError::user(message.into()).into()
    }

    pub(crate) fn of_kernel(mut self, name: &str, location: SourceLocation) -> Self {
        if self.definition.is_none() {
            self.kernel = Some(name.to_string());
            self.location.get_or_insert_with(|| location.clone());
            self.definition = Some(location);
        }
        self
    }
}

impl From<RuntimeError> for CubeError {
    fn from(error: RuntimeError) -> Self {
        let diagnostics = error.compile.iter().flat_map(|compile| &compile.diagnostics);
        let location = diagnostics.filter_map(|diagnostic| diagnostic.location.clone()).next();
        let kernel = error.kernel.clone();
        CubeError { kind: error.kind, kernel, location, definition: None, error: Box::new(error) }
    }
}

impl From<CompileError> for LaunchError {
    fn from(error: CompileError) -> Self {
        RuntimeError::from(error).into()
    }
}

impl From<Vec<KernelError>> for LaunchError {
    fn from(errors: Vec<KernelError>) -> Self {
        let diagnostics = errors
            .into_iter()
            .map(|e| {
                let location = SourceLocation { file: e.file.into(), line: e.line, column: e.column };
                let mistake = cube_artifact::diagnostic!(CUBE0950.mistake { what: e.message });
                Diagnostic::new(Severity::Error, mistake, Some(location))
            })
            .collect();
        CompileError { diagnostics }.into()
    }
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.error)?;
        if let (Some(name), Some(location)) = (&self.kernel, &self.definition) {
            write!(f, "\n  in the kernel '{name}' at {}:{}", location.file, location.line)?;
        }
        Ok(())
    }
}

/// `Debug` prints the readable text of `Display`, because `unwrap` prints an error with `Debug`.
impl std::fmt::Debug for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for LaunchError {}
