//! The amdgpu backend: kernels become assembly through LLVM.
#![forbid(unsafe_code)]
mod kernel_to_rocdl;

use cube_backend::{Backend, CodeFormat, Emitted, OutputForm, Target};
use cube_backend_llvm::{Convergence, Intrinsics, Machine, check, emit, emitted};
use cube_ir::{Dialect, Pass, SessionError, TextModule};
use cube_passes::{
    levels::{Allowed, Allowed::All, Contract},
    phases::{Step, step},
};
use cube_to_llvm::{DEVICE, STEPS, atomics_to_llvm, before_llvm, device};

/// AMD GPUs.
pub struct Amdgpu;

/// AMD GPU assembly, as text.
const ASSEMBLY: CodeFormat = CodeFormat::new("amdgpu-assembly", "s");

const HEAD: &[Step] = &[
    step(&kernel_to_rocdl::PASS, "", "the launch belongs to the hardware: positions come from registers"),
    step(&atomics_to_llvm::PASS, "scope=agent", "while buffers are still memrefs, whose pointers it takes"),
];

/// The passes of this backend.
const PASSES: &[&Pass] = &[
    // In the order of the steps.
    &kernel_to_rocdl::PASS,
];

const LOWER: [Step; HEAD.len() + STEPS.len()] = before_llvm(HEAD);

/// Intrinsics of AMDGPU (LLVM's AMDGPU usage guide).
const CONVERGENCE: Convergence = Convergence {
    positions: &["llvm.amdgcn.workitem.id", "llvm.amdgcn.mbcnt"],
    shuffles: &["llvm.amdgcn.ds.bpermute", "llvm.amdgcn.update.dpp"],
    votes: &["llvm.amdgcn.ballot"],
    barriers: &["llvm.amdgcn.s.barrier"],
    planes: &["llvm.amdgcn.ballot"],
};

/// Functions of f32 that `afn` lets the chip approximate: `v_exp_f32`, `v_log_f32`, `v_sin_f32`, `v_cos_f32`.
const APPROXIMATE: &[&str] = &["exp2", "log2", "sin", "cos"];

impl Backend for Amdgpu {
    fn name(&self) -> &'static str {
        "amdgpu"
    }

    fn summary(&self) -> &'static str {
        "assembly for AMD GPUs"
    }

    fn passes(&self) -> &'static [&'static Pass] {
        PASSES
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &LOWER
    }

    fn contracts(&self) -> &'static [Contract] {
        const OWN: &[Allowed] = &[All(Dialect::Rocdl)];
        const CONTRACTS: &[Contract] = &[device(&[DEVICE, OWN])];
        CONTRACTS
    }

    fn emit(&self, module: &TextModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError> {
        check(module, &Intrinsics { target: "amdgpu", allowed: &[], of_f32: &[], approximate: APPROXIMATE })?;
        let machine = Machine {
            triple: "amdgcn-amd-amdhsa".into(),
            register: inkwell::targets::Target::initialize_amd_gpu,
            cpu: chip.into(),
            features: String::new(),
            vectorise: true,
            convergence: Some(&CONVERGENCE),
            function_attributes: &[],
        };
        Ok(emitted(emit(module, &machine, form, false)?, ASSEMBLY))
    }
}
