//! The amdgpu backend: kernels become assembly through LLVM.
#![forbid(unsafe_code)]
use cube_backend::{Backend, CodeFormat, Emitted, Form, Target};
use cube_backend_llvm::{Intrinsics, Machine, TO_LLVM, before_llvm, check, emit, emitted};
use cube_ir::{SessionError, TextModule};
use cube_passes::{
    lower,
    phases::{Step, step},
};

/// AMD GPUs.
pub struct Amdgpu;

const HEAD: &[Step] = &[
    step(&lower::atomics_to_llvm::PASS, "target=amdgpu", "while buffers are still memrefs, whose pointers it takes"),
    step(
        &lower::kernel_to_device::PASS,
        "target=amdgpu",
        "the launch belongs to the hardware: positions come from registers",
    ),
];

const LOWER: [Step; HEAD.len() + TO_LLVM.len()] = before_llvm(HEAD);

impl Backend for Amdgpu {
    fn name(&self) -> &'static str {
        "amdgpu"
    }

    fn summary(&self) -> &'static str {
        "assembly for AMD GPUs"
    }

    fn unsupported(&self, _: &Target) -> &'static [(&'static str, &'static str)] {
        const PLANES: &str = "planes of AMD GPUs, of 32 or 64 lanes by chip, are not written yet";
        &[
            ("cube.plane_elect", PLANES),
            ("cube.plane_vote", PLANES),
            ("cube.plane_ballot", PLANES),
            ("cube.plane_reduce", PLANES),
            ("cube.plane_scan", PLANES),
            ("cube.plane_broadcast", PLANES),
            ("cube.plane_shuffle", PLANES),
            ("cube.sync", "barriers of AMD GPUs are not written yet"),
        ]
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &LOWER
    }

    fn emit(&self, module: &TextModule<'_>, chip: &str, form: Form) -> Result<Emitted, SessionError> {
        check(module, &Intrinsics { target: "amdgpu", allowed: &[] })?;
        let machine = Machine {
            triple: "amdgcn-amd-amdhsa".into(),
            cpu: chip.into(),
            features: String::new(),
            vectorise: true,
            function_attributes: &[],
        };
        Ok(emitted(emit(module, &machine, form, false)?, CodeFormat::AmdgpuAssembly))
    }
}
