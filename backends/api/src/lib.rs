//! The interface of a backend: a name, chips, the `lower` phase, and code generation from lowered modules.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
mod needs;
mod signature;

pub use cube_artifact::{BufferAccess, CodeFormat, suggestion};
pub use needs::{Need, lacking, lacks_form, needs, unwritten};
pub use signature::{Signature, shared_bytes, signature, unit_limit};

use cube_ir::{Level, OpKind, OwnedModule, Pass, SessionError};
pub use cube_passes::phases::DebugInfo;
use cube_passes::{
    levels::{CONTRACTS, Contract},
    phases::Step,
};
pub use cube_target::Target;

/// A target family. One crate implements the trait, and `driver` lists the implementation in one line.
pub trait Backend: Sync {
    /// Name on the command line, for example `nvptx`.
    fn name(&self) -> &'static str;

    /// One line for `--help`.
    fn summary(&self) -> &'static str;

    /// The known chips, for help and suggestions. Each chip has a [`Backend::target`].
    fn chips(&self) -> Vec<String> {
        Target::chips(self.name()).into_iter().map(String::from).collect()
    }

    /// The default chip, if the command line names none; one of [`Backend::chips`].
    fn default_chip(&self) -> String {
        Target::default_chip(self.name()).unwrap_or_default().into()
    }

    /// The description of a chip, which is attached to the module for the passes; `None` for an unknown chip.
    fn target(&self, chip: &str) -> Option<Target> {
        Target::known(self.name(), chip)
    }

    /// Operations of level legal that a chip does not support, each with the reason. The chip supports all other operations. The
    /// chip's description determines these operations. A backend adds the operations that its code generator does not support
    /// yet.
    fn unsupported(&self, target: &Target) -> Vec<(OpKind, &'static str)> {
        lacking(target)
    }

    /// The backend's own passes, in addition to the passes of `cube-passes` and of shared crates.
    fn passes(&self) -> &'static [&'static Pass] {
        &[]
    }

    /// The phase `lower` of a chip: from level legal to the input of [`Backend::emit`].
    fn lower(&self, target: &Target) -> &'static [Step];

    /// The level after [`Backend::lower`], which the driver checks. The level is `Llvm` for a backend that uses LLVM, otherwise
    /// `Device`, or `Legal` if the phase lowers nothing.
    fn leaves(&self) -> Level {
        Level::Llvm
    }

    /// Contracts that replace the shared contracts during [`Backend::lower`]. A backend supplies the contract of level device if
    /// one of its steps produces that level. It supplies the contract of level legal if one of its steps adds target operations
    /// to a kernel.
    fn contracts(&self) -> &'static [Contract] {
        &[]
    }

    /// Code for a module at the level of [`Backend::leaves`].
    ///
    /// # Errors
    /// An operation that the target does not support, with its location. Errors of the code generator.
    fn emit(&self, module: &OwnedModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError>;

    /// The most detailed debug information that this backend can emit. A request for code to debug uses this level.
    fn debug_info(&self) -> DebugInfo {
        DebugInfo::None
    }

    /// The forms that [`Backend::emit`] supports. The driver refuses a request for another form (CUBE0508).
    fn forms(&self) -> &'static [OutputForm] {
        &[OutputForm::Code, OutputForm::Llvm, OutputForm::Assembly]
    }
}

/// The contract of `level` in the phase `lower` of a backend; `None` for a level without a contract.
pub fn contract(backend: &dyn Backend, level: Level) -> Option<&'static Contract> {
    backend.contracts().iter().chain(CONTRACTS).find(|contract| contract.level == level)
}

/// The form of the emitted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// The code in the form that an artifact contains.
    Code,
    /// LLVM IR as text, after optimisation.
    Llvm,
    /// Assembly as text.
    Assembly,
}

impl OutputForm {
    /// Name of the form for `cubec --emit`.
    pub fn name(self) -> &'static str {
        match self {
            OutputForm::Code => "code",
            OutputForm::Llvm => "llvm",
            OutputForm::Assembly => "asm",
        }
    }
}

/// Code, with the features and memory that it requires.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The bytes of an object, a module or a text.
    pub code: Vec<u8>,
    /// Encoding of the code (meaningful for [`OutputForm::Code`]).
    pub format: CodeFormat,
    /// Hardware features that the code requires, by the names of `is_x86_feature_detected`.
    pub features: Vec<String>,
    /// Bytes of scratch memory for each call.
    pub scratch_bytes: u64,
    /// Units of a plane, if the code fixes the number.
    pub plane_dim: Option<u32>,
    /// The name of the entry point, if it differs from the kernel's name.
    pub entry: Option<String>,
    /// How the code accesses each host buffer, in the order of the buffers, if the backend records this. The code can have fewer
    /// accesses than the source.
    pub accesses: Option<Vec<BufferAccess>>,
}

impl Emitted {
    /// Code without required features, scratch memory or a fixed plane size.
    pub fn new(code: Vec<u8>, format: CodeFormat) -> Self {
        let (features, scratch_bytes, plane_dim) = (Vec::new(), 0, None);
        Emitted { code, format, features, scratch_bytes, plane_dim, entry: None, accesses: None }
    }
}
