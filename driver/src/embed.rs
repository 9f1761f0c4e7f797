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
    /// Compiles a kernel of a module in the embedder's context, see [`register_into`].
    ///
    /// The embedder's module is not changed. The driver copies the module into its own MLIR context as bytecode.
    /// The pipeline therefore adds no types, diagnostics or dialects to the embedder's context. The embedder's
    /// context can use any threading mode. The copied module keeps its source locations, which appear in
    /// diagnostics.
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
