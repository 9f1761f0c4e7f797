//! The compiler inside another compiler: kernels in MLIR, in the embedder's context.
use crate::Driver;
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target};
use cube_ir::melior::{dialect::DialectRegistry, ir::Module};

/// Registers the cube dialect, with its verifiers and folders, and Cube's passes in `registry`. Create a new context with the
/// registry, or append the registry to an existing context.
///
/// The embedder registers the upstream dialects that kernels use (arith, math, scf, vector).
pub fn register_into(registry: &DialectRegistry) {
    crate::register();
    cube_ir::insert_dialects(registry);
}

impl Driver {
    /// Compiles a kernel of a module in the embedder's context, see [`register_into`].
    ///
    /// The module is not changed. It is copied into the driver's own context as bytecode. The embedder's context therefore gets
    /// no types, diagnostics or dialects of the pipeline, and can use any threading mode. Locations are copied too, and appear in
    /// diagnostics.
    ///
    /// # Errors
    /// The errors of text input. The driver refuses a module that its own verifiers refuse.
    pub fn compile_mlir(
        &self,
        module: &Module<'_>,
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Artifact, CompileError> {
        self.compile(&cube_ir::bytecode_of(module), target, options)
    }
}
