//! SPIR-V for Vulkan, with the builder of `rspirv`. `docs/why/spirv.md` has the reasons.
//!
//! The walk of `backends/structured` translates the kernel at level legal directly into one entry point. The module
//! declares the capabilities that it uses. An operation is refused if it requires a capability that the chip
//! lacks.
#![forbid(unsafe_code)]
mod assembly;
mod emit;
mod formulas;
mod memory;
mod module;
mod planes;
mod state;
mod units;

use cube_backend::{Backend, CodeFormat, Emitted, OutputForm, Target, lacking, unwritten};
use cube_ir::{Level, OpKind, OwnedModule, SessionError};
use cube_passes::phases::Step;
use rspirv::binary::{Assemble, Disassemble};

/// The backend, as `driver` lists it.
pub struct Spirv;

impl Backend for Spirv {
    fn name(&self) -> &'static str {
        "spirv"
    }

    fn summary(&self) -> &'static str {
        "SPIR-V for Vulkan"
    }

    fn unsupported(&self, target: &Target) -> Vec<(OpKind, &'static str)> {
        lacking(target).into_iter().chain(unwritten(cube_structured::PLANES)).collect()
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &[]
    }

    fn produces(&self) -> Level {
        Level::Legal
    }

    fn forms(&self) -> &'static [OutputForm] {
        &[OutputForm::Code, OutputForm::Assembly]
    }

    fn emit(&self, module: &OwnedModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError> {
        // Earlier passes have read the target description in the module. This description can differ from the
        // description of every listed chip.
        let described = cube_dialect::attached_target(module.op()).map(|target| Target::clone(&target));
        let target = described.or_else(|| self.target(chip)).unwrap_or_else(|| Target::minimal(self.name(), chip));
        let (words, facts) = module::write(module.op(), &target)?;
        let code = match form {
            OutputForm::Assembly => format!("{}\n", words.disassemble().trim_end()).into_bytes(),
            _ => words.assemble().iter().flat_map(|word| word.to_le_bytes()).collect(),
        };
        Ok(facts.emitted(code, CodeFormat::SPIRV))
    }
}
