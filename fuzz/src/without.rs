//! Compilation of kernels without selected passes, which measures the effect of these passes.
use cube_artifact::{Artifact, CompileError, CompileOptions, Target};
use cube_driver::{Driver, PassInfo, PassInstrumentation, Replacement};
use cube_ir::OwnedModule;
use std::ops::ControlFlow;

/// The passes that rewrite integer arithmetic and divisions.
pub const OF_INDICES: &[&str] = &["egraph", "fast-division", "simplify-indices"];

/// Discards the output of selected passes, so that these passes have no effect.
struct Without<'a> {
    passes: &'a [&'a str],
    before: String,
}

impl PassInstrumentation for Without<'_> {
    fn start(&mut self, _: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        self.before = module.print();
        ControlFlow::Continue(())
    }

    fn after(&mut self, info: &PassInfo<'_>, module: &OwnedModule<'_>) -> ControlFlow<()> {
        if !self.passes.contains(&info.pass) {
            self.before = module.print();
        }
        ControlFlow::Continue(())
    }

    fn replacement(&mut self, info: &PassInfo<'_>) -> Option<Replacement> {
        let text = || Replacement { file: "without".into(), text: self.before.clone() };
        self.passes.contains(&info.pass).then(text)
    }
}

/// Compiles a kernel of `text`, and discards the output of the given passes.
///
/// # Errors
/// The errors of the compiler.
pub fn compile(text: &[u8], kernel: &str, target: &Target, passes: &[&str]) -> Result<Artifact, CompileError> {
    let mut hooks = Without { passes, before: String::new() };
    let options = CompileOptions { kernel: Some(kernel.into()), ..CompileOptions::default() };
    Driver.compile_instrumented(text, target, &options, &mut hooks).map(|(artifact, _)| artifact)
}
