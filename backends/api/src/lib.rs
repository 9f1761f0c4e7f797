//! The interface of a backend: a name, chips, the `lower` phase, and code generation from lowered modules.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
mod needs;
mod signature;

pub use cube_artifact::{BufferAccess, CodeFormat, FirstCubes, GRID_WORDS, suggestion};
pub use needs::{Need, lacking, lacks_form, needs, unwritten};
pub use signature::{Signature, is_unaccessed, shared_bytes, signature, unit_limit};

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

    /// The known chips, for help and suggestions. For each known chip, [`Backend::target`] returns a
    /// description.
    fn chips(&self) -> Vec<String> {
        Target::chips(self.name()).into_iter().map(String::from).collect()
    }

    /// The default chip, one of [`Backend::chips`], for a command line that does not name a chip.
    fn default_chip(&self) -> String {
        Target::default_chip(self.name()).unwrap_or_default().into()
    }

    /// The description of a chip, which is attached to the module for the passes; `None` for an unknown chip.
    fn target(&self, chip: &str) -> Option<Target> {
        Target::known(self.name(), chip)
    }

    /// Operations of level legal that a chip does not support, each with the reason. A chip supports every operation of
    /// level legal that is not in the result. By default, the description of a chip determines the unsupported
    /// operations. A backend can override this function, and add the operations that its code generator does
    /// not support yet.
    fn unsupported(&self, target: &Target) -> Vec<(OpKind, &'static str)> {
        lacking(target)
    }

    /// The backend's own passes, in addition to the passes of `cube-passes` and of shared crates.
    fn passes(&self) -> &'static [&'static Pass] {
        &[]
    }

    /// The phase `lower` of a chip: from level legal to the input of [`Backend::emit`].
    fn lower(&self, target: &Target) -> &'static [Step];

    /// The level of a module after [`Backend::lower`]; the driver checks this level. The level is `Llvm` for a backend
    /// that uses LLVM, `Legal` for a backend that translates level legal directly, and `Device` for any other backend.
    fn produces(&self) -> Level {
        Level::Llvm
    }

    /// Contracts of the levels that the steps of [`Backend::lower`] produce. A backend supplies the contract of level
    /// mixed or device if one of its steps produces that level. A backend that emits operations of its target also
    /// supplies the contract of level llvm. No backend can replace the contract of an earlier level.
    fn contracts(&self) -> &'static [Contract] {
        &[]
    }

    /// Generates code for a module at the level that [`Backend::produces`] returns.
    ///
    /// # Errors
    /// An operation that the target does not support, with its location. Errors of the code generator.
    fn emit(&self, module: &OwnedModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError>;

    /// The most detailed debug information that this backend can emit. The driver emits this debug
    /// information if the user requests code for a debugger.
    fn debug_info(&self) -> DebugInfo {
        DebugInfo::None
    }

    /// The output forms that [`Backend::emit`] supports. The driver refuses a request for any other output
    /// form (CUBE0508).
    fn forms(&self) -> &'static [OutputForm] {
        &[OutputForm::Code, OutputForm::Llvm, OutputForm::Assembly]
    }
}

/// The contract of `level` in the phase `lower` of a backend; `None` for a level without a contract.
pub fn contract(backend: &dyn Backend, level: Level) -> Option<&'static Contract> {
    backend.contracts().iter().chain(CONTRACTS).find(|contract| contract.level == level)
}

/// The output form of the emitted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// The code as an artifact stores it, for example an object file or SPIR-V words.
    Code,
    /// LLVM IR as text, after optimisation.
    Llvm,
    /// Assembly as text.
    Assembly,
}

impl OutputForm {
    /// Name of the output form as a value of `cubec --emit`.
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
    /// The bytes of the object file, the module or the text.
    pub code: Vec<u8>,
    /// Encoding of the code (meaningful for [`OutputForm::Code`]).
    pub format: CodeFormat,
    /// Hardware features that the code requires, by the names of `is_x86_feature_detected`.
    pub features: Vec<String>,
    /// Bytes of scratch memory for each call.
    pub scratch_bytes: u64,
    /// Bytes of shared memory of a cube, if the backend's allocations differ from the allocations at level legal.
    pub shared_bytes: Option<u64>,
    /// Units of a plane, if the code requires a fixed number.
    pub plane_dim: Option<u32>,
    /// The name of the entry point, if it differs from the kernel's name.
    pub entry: Option<String>,
    /// The entry point of the first cubes, if the code has one.
    pub first_cubes: Option<FirstCubes>,
    /// The kind of access of the code to each host buffer, in the order of the buffers; `None` if the backend does not
    /// record accesses. The code can contain fewer accesses than the kernel's source.
    pub accesses: Option<Vec<BufferAccess>>,
}

impl Emitted {
    /// Code without required features, scratch memory or a fixed plane size.
    pub fn new(code: Vec<u8>, format: CodeFormat) -> Self {
        let (features, scratch_bytes, shared_bytes, plane_dim) = (Vec::new(), 0, None, None);
        let (entry, first_cubes, accesses) = (None, None, None);
        Emitted { code, format, features, scratch_bytes, shared_bytes, plane_dim, entry, first_cubes, accesses }
    }
}
