//! The compiler inside another compiler: kernels that already are MLIR, in a context that is not ours.
use crate::Driver;
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target};
use cube_ir::melior::{dialect::DialectRegistry, ir::Module};

/// Makes the cube dialect, with its verifiers and folders, and Cube's passes known to a context of the embedder:
/// register into the registry that the context is made with, or append the registry to a context that exists.
///
/// Upstream dialects that kernels use (arith, math, scf, vector) are the embedder's to register.
pub fn register_into(registry: &DialectRegistry) {
    crate::register();
    cube_ir::insert_dialects(registry);
}

impl Driver {
    /// Compiles a kernel of a module that lives in a context of the embedder, see [`register_into`].
    ///
    /// The module is read and left as it is: it crosses into the driver's own context as bytecode, so that the embedder's
    /// context gets no types, diagnostics or dialects of the pipeline, and may be of any kind of threading. Locations
    /// cross too, and come back in diagnostics.
    ///
    /// # Errors
    /// As for text; a module that its own verifiers refuse is refused here.
    pub fn compile_mlir(
        &self,
        module: &Module<'_>,
        target: &Target,
        options: &CompileOptions,
    ) -> Result<Artifact, CompileError> {
        self.compile(&cube_ir::bytecode_of(module), target, options)
    }
}
