//! The nvptx backend: kernels become assembly through LLVM.
#![forbid(unsafe_code)]
mod narrow_stores;

use cube_backend::{Backend, CodeFormat, Emitted, Form, Target};
use cube_backend_llvm::{Intrinsics, Machine, TO_LLVM, before_llvm, check, emit, emitted};
use cube_ir::{SessionError, TextModule};
use cube_passes::{
    lower,
    phases::{Step, step},
};

/// NVIDIA GPUs.
pub struct Nvptx;

const HEAD: &[Step] = &[
    step(&lower::planes_to_shuffles::PASS, "", "lanes talk to each other, while positions are still those of a kernel"),
    step(&lower::atomics_to_llvm::PASS, "target=nvptx", "while buffers are still memrefs, whose pointers it takes"),
    step(
        &lower::kernel_to_device::PASS,
        "target=nvptx",
        "the launch belongs to the hardware: positions come from registers",
    ),
];

const LOWER: [Step; HEAD.len() + TO_LLVM.len()] = before_llvm(HEAD);

// The first PTX version that knows the chip, so that older drivers accept the code.
fn ptx_version(chip: &str) -> &'static str {
    match chip.trim_start_matches("sm_").trim_end_matches('a').parse::<u32>().unwrap_or(0) {
        0..=75 => "+ptx63",
        76..=80 => "+ptx70",
        81..=86 => "+ptx71",
        87 => "+ptx74",
        88..=89 => "+ptx78",
        90 => "+ptx80",
        91..=100 => "+ptx86",
        _ => "+ptx87",
    }
}

impl Backend for Nvptx {
    fn name(&self) -> &'static str {
        "nvptx"
    }

    fn summary(&self) -> &'static str {
        "PTX for NVIDIA GPUs"
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &LOWER
    }

    fn emit(&self, module: &TextModule<'_>, chip: &str, form: Form) -> Result<Emitted, SessionError> {
        check(module, &Intrinsics { target: "nvptx", allowed: &[] })?;
        let machine = Machine {
            triple: "nvptx64-nvidia-cuda".into(),
            cpu: chip.into(),
            features: ptx_version(chip).into(),
            vectorise: true,
            function_attributes: &[],
        };
        let mut code = emit(module, &machine, form, false)?;
        if matches!(form, Form::Code | Form::Assembly)
            && let Ok(ptx) = std::str::from_utf8(&code)
        {
            code = narrow_stores::take_parts(ptx).into_bytes();
        }
        Ok(emitted(code, CodeFormat::Ptx))
    }
}
