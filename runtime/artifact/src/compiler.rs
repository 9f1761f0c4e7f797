//! The trait through which a runtime calls the compiler, and its error type.
use crate::{
    Artifact, Target, TargetError,
    cost::Profile,
    diagnostic::Diagnostic,
    value::{Message, Severity},
};
use serde::{Deserialize, Serialize};

/// Converts a kernel in source form to an [`Artifact`].
///
/// The driver implements this trait in the process of the caller. The client of `cubec serve` implements it with a
/// child process.
pub trait Compiler: Send + Sync {
    /// Compiles `source_ir` (MLIR text or bytecode) for `target`.
    ///
    /// # Errors
    /// All errors in the source, with their locations if known.
    fn compile(&self, source_ir: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError>;

    /// The cost profile of a kernel, without code generation; `None` for a target without a described board
    /// ([`cube_target::Target::machine`]), and for a compiler without profiles.
    ///
    /// # Errors
    /// The errors of [`Compiler::compile`] before code generation.
    fn profile(
        &self,
        _source_ir: &[u8],
        _target: &Target,
        _options: &CompileOptions,
    ) -> Result<Option<Profile>, CompileError> {
        Ok(None)
    }

    /// The number of kernels that this compiler compiles at the same time. Further requests wait.
    fn parallelism(&self) -> usize {
        1
    }

    /// Compiles a kernel like [`Compiler::compile`], and also returns the report text that [`Reports`] requests. The
    /// report text is empty if no report is requested.
    ///
    /// # Errors
    /// The errors of [`Compiler::compile`].
    fn compile_and_report(
        &self,
        source_ir: &[u8],
        target: &Target,
        options: &CompileOptions,
    ) -> Result<(Artifact, String), CompileError> {
        self.compile(source_ir, target, options).map(|artifact| (artifact, String::new()))
    }
}

/// Options of a compilation request, besides source and target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CompileOptions {
    /// The kernel to compile; `None` means the only kernel of the module.
    pub kernel: Option<String>,
    /// Values of comptime parameters as `(name, value in MLIR text)`, for example `("N", "4 : i32")` or `("F", "f16")`.
    pub params: Vec<(String, String)>,
    /// Name of the source in error messages; `None` means `<input>`.
    pub file_name: Option<String>,
    /// Whether to compile code for a debugger: unoptimised, with source lines and variables. The option `debug` has no
    /// effect on targets without debug information.
    pub debug: bool,
    /// The base folder of relative source names, which a debugger needs; empty if unknown.
    pub folder: String,
    /// The reports that the compiler produces during compilation.
    pub reports: Reports,
}

/// Reports that a compilation produces in addition to its artifact. The compiler itself writes the files;
/// [`Compiler::compile_and_report`] returns the text of a report. If the compiler runs in another process,
/// the paths must be absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reports {
    /// Path prefix for the module after every phase; the file names are `PREFIX.N-PHASE.mlir`.
    pub dump: Option<String>,
    /// A folder into which the compiler writes the changes and remarks of every pass, and the code. If a module file
    /// in this folder is edited, it replaces the output of its pass.
    pub trace: Option<String>,
    /// Whether to report about the kernel: widths of accesses, remaining checks, and missed optimisations with reasons.
    pub explain: bool,
    /// The name of the kernel with its instantiated types and values, on one line, if a report is requested. The
    /// kernel's name alone does not distinguish the instances of a generic kernel. The field is empty for a
    /// source that is not generic.
    pub instance: String,
    /// Reasons for additional run-time costs that the kernel's source determines, and that are not visible in the
    /// module. Each reason is one line.
    pub notes: Vec<String>,
}

impl Reports {
    /// The name of the instance as a comment line, which precedes the text of a module.
    pub fn instance_comment(&self) -> String {
        if self.instance.is_empty() { String::new() } else { format!("// kernel {}\n", self.instance) }
    }

    /// Whether no report is requested.
    pub fn is_empty(&self) -> bool {
        *self == Reports::default()
    }
}

/// The name of the environment variable that requests code for a debugger.
pub const DEBUG_VARIABLE: &str = "CUBE_DEBUG";

impl CompileOptions {
    /// Whether the environment variables request code for a debugger: `CUBE_DEBUG=1`.
    ///
    /// # Errors
    /// `CUBE_DEBUG` has a value other than 0, 1 or the empty text.
    pub fn debug_of(variables: &crate::Variables) -> Result<bool, CompileError> {
        Self::debug_from(variables.get(DEBUG_VARIABLE))
    }

    fn debug_from(value: Option<&std::ffi::OsStr>) -> Result<bool, CompileError> {
        match value.map(|value| value.to_string_lossy()).as_deref() {
            None | Some("" | "0") => Ok(false),
            Some("1") => Ok(true),
            Some(value) => {
                Err(CompileError::from(crate::diagnostic!(CUBE0923.debug { variable: DEBUG_VARIABLE, value })))
            }
        }
    }
}

/// The reason why a compilation produces no artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileError {
    /// All diagnostics, in the order in which they arose; the first error is the cause.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<Message> for CompileError {
    fn from(message: Message) -> Self {
        CompileError { diagnostics: vec![Diagnostic::new(Severity::Error, message, None)] }
    }
}

impl From<TargetError> for CompileError {
    fn from(error: TargetError) -> Self {
        error.0.into()
    }
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_variable_is_parsed_or_rejected() {
        let read = |text: &str| CompileOptions::debug_from(Some(text.as_ref()));
        assert_eq!(
            (read("1"), read("0"), read(""), CompileOptions::debug_from(None)),
            (Ok(true), Ok(false), Ok(false), Ok(false))
        );
        for text in ["2", "yes", " 1"] {
            let error = read(text).expect_err(text);
            assert_eq!(error.diagnostics[0].code.as_deref(), Some(crate::codes::ENVIRONMENT));
            assert!(error.to_string().contains(&format!("CUBE_DEBUG is '{text}'; set the variable to 1")), "{error}");
        }
    }
}
