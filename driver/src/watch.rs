//! Somebody who looks at the module before and after every pass.
use cube_artifact::Artifact;
use cube_backend::Form;
use cube_ir::{SessionError, TextModule};

/// One pass of a pipeline.
#[derive(Clone, Debug)]
pub struct Watched<'a> {
    /// Its phase; `parse` before the first pass.
    pub phase: &'a str,
    /// Its name; `parse` before the first pass.
    pub pass: &'a str,
    /// The pass as a pipeline on a module; empty before the first.
    pub pipeline: &'a str,
    /// Whether it is the last of its phase.
    pub ends_phase: bool,
    /// What a file of the module after it begins with, so that a compilation can go on from there; empty where none can.
    pub header: String,
}

impl<'a> Watched<'a> {
    /// A pass of a pipeline of the user's own.
    pub fn new(phase: &'a str, pass: &'a str, pipeline: &'a str) -> Self {
        Watched { phase, pass, pipeline, ends_phase: false, header: String::new() }
    }
}

/// A module that takes the place of what a pass left.
pub struct Instead {
    /// Where it comes from, for messages.
    pub file: String,
    /// The module.
    pub text: String,
}

/// Makes the code of the module in another form.
pub type Emit<'a> = &'a dyn Fn(Form) -> Result<Vec<u8>, SessionError>;

/// What is told of a pipeline that runs.
pub trait Watch {
    /// Whether passes must run one at a time.
    fn each_pass(&self) -> bool {
        true
    }

    /// Before the first pass.
    fn start(&mut self, _step: &Watched<'_>, _module: &TextModule<'_>) {}

    /// Before a pass, which may end the process.
    fn before(&mut self, _step: &Watched<'_>) {}

    /// After a pass, with what it failed with.
    fn after(&mut self, _step: &Watched<'_>, _module: &TextModule<'_>, _error: Option<&SessionError>) {}

    /// What takes the place of the module after a pass, or after parsing.
    fn instead(&mut self, _step: &Watched<'_>) -> Option<Instead> {
        None
    }

    /// After such a module has been read.
    fn replaced(&mut self, _step: &Watched<'_>, _module: &TextModule<'_>) {}

    /// After the last pass, before the code is made.
    fn emitting(&mut self, _emit: Emit<'_>) {}

    /// After everything.
    fn done(&mut self, _artifact: &Artifact) {}
}

/// Nobody looks.
pub struct Unwatched;

impl Watch for Unwatched {
    fn each_pass(&self) -> bool {
        false
    }
}
