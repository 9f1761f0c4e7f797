//! The compiler as a library: the list of backends, the pipeline as data, and an in-process implementation of
//! `Compiler`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
mod codes;
mod compile;
mod cost;
mod debug;
mod embed;
mod instrumentation;
mod lanes;
mod launch_info;
mod open;
mod pipeline;
mod reports;
mod runner;
mod stage_file;
mod stages;
mod support;
mod times;
mod written;

pub use codes::{CODES, explain, known_codes};
pub use compile::{Driver, to_error};
pub use cost::CostCollector;
pub use cube_ir::bytecode_of;
/// The MLIR bindings that embedders share with the driver. The `Context` of another version of `melior` would be a
/// different Rust type.
pub use cube_ir::melior;
pub use embed::register_into;
pub use instrumentation::{
    CombinedInstrumentation, Emit, NoInstrumentation, PassInfo, PassInstrumentation, Replacement,
};
pub use open::CompileState;
pub use pipeline::Pipeline;
pub use reports::tree::Tree;
pub use runner::{check_order, run_passes};
pub use stages::{Stage, compile_in_stages, describe, stages};
pub use support::{Row, table as support_table};
pub use times::{CompileReport, PhaseReport};

use cube_artifact::Target;
use cube_backend::{Backend, suggestion};
use cube_ir::{Pass, SessionError};
use std::sync::Once;

/// If LLVM aborts, the process calls `report` with the error and exits with code 1 (failure). Only programs call this
/// function, not libraries.
pub fn exit_on_fatal_errors(report: fn(&cube_artifact::Diagnostic)) {
    cube_backend_llvm::exit_on_fatal_errors(report);
}

/// Makes LLVM run only its first `count` passes (all passes for -1), and print the names of these passes to standard
/// error. Only programs call this function, not libraries. A program can call this function at most once.
pub fn limit_llvm_passes(count: i64) {
    cube_backend_llvm::limit_passes(count);
}

/// All backends. A new backend needs a crate and an entry in the list of backends.
pub const BACKENDS: &[&dyn Backend] = &[
    &cube_backend_cpu::Cpu,
    &cube_backend_nvptx::Nvptx,
    &cube_backend_amdgpu::Amdgpu,
    &cube_backend_spirv::Spirv,
    &cube_backend_wgsl::Wgsl,
];

/// Every pass, in the order of the phases: the passes for all targets, the passes for all LLVM targets, and the
/// passes of each backend.
pub fn passes() -> impl Iterator<Item = &'static Pass> {
    let backends = BACKENDS.iter().flat_map(|backend| backend.passes());
    cube_passes::PASSES.iter().chain(&cube_to_llvm::PASSES).chain(backends).copied()
}

/// Registers the dialects' callbacks, all passes and the phases in the process. Later calls in the same process
/// have no effect.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        cube_passes::register();
        let backends = BACKENDS.iter().flat_map(|backend| backend.passes());
        cube_to_llvm::PASSES.iter().chain(backends).for_each(|pass| cube_ir::register_pass(pass));
    });
}

/// The backend of a target, and the description of its chip.
///
/// # Errors
/// The backend or chip is unknown; the error suggests a similar name.
pub fn backend_of(target: &Target) -> Result<(&'static dyn Backend, cube_target::Target), SessionError> {
    let names = || BACKENDS.iter().map(|b| b.name());
    let Some(backend) = BACKENDS.iter().copied().find(|b| b.name() == target.backend) else {
        let hint = suggestion(&target.backend, names()).map(|s| format!("; did you mean {s}?")).unwrap_or_default();
        let known: Vec<&str> = names().collect();
        return Err(SessionError::from(
            cube_ir::diagnostic!(CUBE0500.unknown { target: target.backend, known: known.join(", "), hint }),
        ));
    };
    let chip = target.chip.clone().unwrap_or_else(|| backend.default_chip());
    let Some(description) = backend.target(&chip) else {
        let chips = backend.chips();
        let hint = suggestion(&chip, chips.iter().map(String::as_str))
            .map(|s| format!("; did you mean {s}?"))
            .unwrap_or_default();
        return Err(SessionError::from(
            cube_ir::diagnostic!(CUBE0501.unknown { target: backend.name(), chip, known: chips.join(", "), hint }),
        ));
    };
    Ok((backend, description))
}
