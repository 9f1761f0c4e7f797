//! Embeds the compiler in another compiler, whose MLIR context contains the kernels.
use crate::Driver;
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target};
use cube_ir::melior::{dialect::DialectRegistry, ir::Module};

/// Registers the cube dialect, with its verifiers and folders, and Cube's passes in `registry`. The caller creates a
/// new MLIR context with `registry`, or appends `registry` to an existing context.
///
/// The embedder registers the upstream dialects that kernels use (arith, math, scf, vector).
pub fn register_into(registry: &DialectRegistry) {
    crate::register();
    cube_ir::insert_dialects(registry);
}

impl Driver {
    /// Compiles a kernel of a module in the embedder's MLIR context. See [`register_into`].
    ///
    /// The driver copies the module as bytecode into a separate context, so neither the module nor the embedder's
    /// context changes. The embedder's context can be multithreaded. Diagnostics show the source locations of the
    /// original module.
    ///
    /// # Errors
    /// The errors of compiling the module's text. The module violates a verifier of the driver's context.
    pub fn compile_mlir(
        &self,
        module: &Module<'_>,
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Artifact, CompileError> {
        self.compile(&cube_ir::bytecode_of(module), target, options)
    }
}
