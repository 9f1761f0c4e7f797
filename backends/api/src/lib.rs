//! The interface of a backend: a name, chips, the `lower` phase, and code generation from lowered modules.
#![forbid(unsafe_code)]
mod needs;
mod signature;

pub use cube_artifact::{Access, CodeFormat, suggestion};
pub use needs::{NEEDS, Need, lacking, lacks_form};
pub use signature::{Signature, shared_bytes, signature, unit_limit};

use cube_ir::{Level, OpKind, Pass, SessionError, TextModule};
use cube_passes::{
    levels::{CONTRACTS, Contract},
    phases::Step,
};
pub use cube_target::Target;

/// A target family. One crate implements it, one line in `driver` lists it.
pub trait Backend: Sync {
    /// Name on the command line, for example `nvptx`.
    fn name(&self) -> &'static str;

    /// One line for `--help`.
    fn summary(&self) -> &'static str;

    /// The chips it knows, for help and suggestions; each has a [`Backend::target`].
    fn chips(&self) -> Vec<String> {
        Target::chips(self.name()).into_iter().map(String::from).collect()
    }

    /// The chip that is meant when none is named; one of [`Backend::chips`].
    fn default_chip(&self) -> String {
        Target::default_chip(self.name()).unwrap_or_default().into()
    }

    /// The description of a chip, which passes read off the module; `None` for a chip that it does not know.
    fn target(&self, chip: &str) -> Option<Target> {
        Target::known(self.name(), chip)
    }

    /// Operations of level legal that a chip does not support, each with the reason. It supports all others. They follow from the
    /// description; a backend adds those that it does not write yet.
    fn unsupported(&self, target: &Target) -> Vec<(OpKind, &'static str)> {
        lacking(target)
    }

    /// The passes that it adds to those of `cube-passes` and of the crates that it shares with other backends.
    fn passes(&self) -> &'static [&'static Pass] {
        &[]
    }

    /// The phase `lower` of a chip: from level legal to what [`Backend::emit`] takes.
    fn lower(&self, target: &Target) -> &'static [Step];

    /// The level that [`Backend::lower`] leaves, to which the driver holds the module: `Llvm` for a backend that goes through
    /// LLVM; for one that writes code itself `Device`, or `Legal` where it lowers nothing before.
    fn leaves(&self) -> Level {
        Level::Llvm
    }

    /// Contracts that replace the shared ones during [`Backend::lower`]. A backend supplies the contract of level device if one of
    /// its steps produces that level, and the contract of level legal if one of its steps adds target operations to a kernel.
    fn contracts(&self) -> &'static [Contract] {
        &[]
    }

    /// Code for a module at the level of [`Backend::leaves`].
    ///
    /// # Errors
    /// An operation that the target does not support, with its location; any error of the code generator.
    fn emit(&self, module: &TextModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError>;

    /// Whether a debugger can follow its code, so that there is a point in asking for source lines and variables.
    fn has_debug_info(&self) -> bool {
        false
    }

    /// The forms that [`Backend::emit`] can make; the driver refuses to ask for another (CUBE0508).
    fn forms(&self) -> &'static [OutputForm] {
        &[OutputForm::Code, OutputForm::Llvm, OutputForm::Assembly]
    }
}

/// The contract to which a module is held at `level` in the phase `lower` of a backend; `None` for a level without one.
pub fn contract(backend: &dyn Backend, level: Level) -> Option<&'static Contract> {
    backend.contracts().iter().chain(CONTRACTS).find(|contract| contract.level == level)
}

/// The form of the emitted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// The code that an artifact holds.
    Code,
    /// LLVM IR as text, after optimisation.
    Llvm,
    /// Assembly as text.
    Assembly,
}

impl OutputForm {
    /// The word of `cubec --emit`.
    pub fn name(self) -> &'static str {
        match self {
            OutputForm::Code => "code",
            OutputForm::Llvm => "llvm",
            OutputForm::Assembly => "asm",
        }
    }
}

/// Code and what it needs.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The code.
    pub code: Vec<u8>,
    /// How it is encoded (meaningful for [`OutputForm::Code`]).
    pub format: CodeFormat,
    /// Hardware features that it needs, by the names of `is_x86_feature_detected`.
    pub features: Vec<String>,
    /// Scratch memory that each call needs, in bytes.
    pub scratch_bytes: u64,
    /// Units of a plane, where the code fixes it.
    pub plane_dim: Option<u32>,
    /// The name of the entry point, where it is not the kernel's.
    pub entry: Option<String>,
    /// Accesses of the code to each buffer of the host, in their order, if it declares them; passes can have removed accesses.
    pub accesses: Option<Vec<Access>>,
}

impl Emitted {
    /// Code without further needs.
    pub fn new(code: Vec<u8>, format: CodeFormat) -> Self {
        let (features, scratch_bytes, plane_dim) = (Vec::new(), 0, None);
        Emitted { code, format, features, scratch_bytes, plane_dim, entry: None, accesses: None }
    }
}
