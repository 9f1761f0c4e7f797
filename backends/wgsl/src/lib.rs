//! WGSL, as text, for WebGPU. `docs/why/wgsl.md` has the reasons.
//!
//! The walk of `backends/structured` translates the kernel at level legal directly into one entry point.
//! naga validates all generated WGSL.
#![forbid(unsafe_code)]
mod accesses;
mod atomics;
mod formulas;
mod language;
mod memory;
mod module;
mod names;
mod planes;
mod scalar;
mod state;
mod uniform;
mod units;
mod validate;

use cube_backend::{Backend, CodeFormat, Emitted, OutputForm, Target, lacking, unwritten};
use cube_ir::{Level, OpKind, OwnedModule, SessionError};
use cube_passes::phases::Step;

/// The backend, as `driver` lists it.
pub struct Wgsl;

impl Backend for Wgsl {
    fn name(&self) -> &'static str {
        "wgsl"
    }

    fn summary(&self) -> &'static str {
        "WGSL for WebGPU"
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
        &[OutputForm::Code]
    }

    fn emit(&self, module: &OwnedModule<'_>, chip: &str, _form: OutputForm) -> Result<Emitted, SessionError> {
        // Earlier passes have read the target description in the module. This description can differ from the
        // description of every listed chip.
        let described = cube_dialect::attached_target(module.op()).map(|target| Target::clone(&target));
        let target = described.or_else(|| self.target(chip)).unwrap_or_else(|| Target::minimal(self.name(), chip));
        let (text, facts) = module::write(module.op(), &target)?;
        if validate::is_too_deep(&text) {
            let why = "its blocks are nested more than 127 levels deep, which WGSL does not allow";
            let kernel = cube_dialect::kernels_of(module.op()).first().map_or(module.op(), |kernel| kernel.op());
            return Err(cube_structured::refusal(self.name(), kernel, why));
        }
        validate::validate(&text, &target)?;
        Ok(facts.emitted(text.into_bytes(), CodeFormat::WGSL))
    }
}
