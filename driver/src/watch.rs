//! Somebody who looks at the module before and after every pass.
use cube_ir::{SessionError, TextModule};

/// One pass of a pipeline.
pub struct Watched<'a> {
    /// Its phase.
    pub phase: &'a str,
    /// Its name.
    pub pass: &'a str,
    /// The pass as a pipeline on a module.
    pub pipeline: &'a str,
}

/// What is told of a pipeline that runs.
pub trait Watch {
    /// Whether passes must run one at a time.
    fn each_pass(&self) -> bool {
        true
    }

    /// Before the first pass.
    fn start(&mut self, _module: &TextModule<'_>) {}

    /// Before a pass, which may end the process.
    fn before(&mut self, _step: &Watched<'_>) {}

    /// After a pass, with what it failed with.
    fn after(&mut self, _step: &Watched<'_>, _module: &TextModule<'_>, _error: Option<&SessionError>) {}
}

/// Nobody looks.
pub struct Unwatched;

impl Watch for Unwatched {
    fn each_pass(&self) -> bool {
        false
    }
}
