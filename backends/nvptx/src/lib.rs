//! The nvptx backend: kernels become assembly through LLVM.
#![forbid(unsafe_code)]
mod chip;
mod dependent_launch;
mod kernel_to_nvvm;
mod lower_plane_ops_to_nvvm;
mod narrow_floats_to_nvvm;
mod narrow_stores;
mod packed_adds;
mod ptx;
mod subnormals;
mod undefined;
mod upper_halves;

pub use undefined::{UndefinedRead, undefined_reads};

use chip::capability;
use cube_backend::{Backend, CodeFormat, Emitted, OutputForm, Target};
use cube_backend_llvm::{Convergence, Intrinsics, Machine, check, emit, emitted};
use cube_ir::{Dialect, OpKind, OwnedModule, Pass, SessionError, ops::llvm};
use cube_passes::{
    levels::{
        Allowed::{self, All},
        Contract, LEGAL, LLVM, and,
    },
    phases::{Step, step},
};
use cube_to_llvm::{DEVICE, STEPS, atomics_to_llvm, before_llvm, device, intrinsics::COMMON, mixed};
use dependent_launch::wait_at_start;

/// NVIDIA GPUs.
pub struct Nvptx;

const HEAD: &[Step] = &[
    step(
        &lower_plane_ops_to_nvvm::PASS,
        "",
        "before positions become registers, a shuffle can use the lane number of the kernel",
    ),
    step(&narrow_floats_to_nvvm::PASS, "", "before vectors become registers, which LLVM converts one by one"),
    step(&kernel_to_nvvm::PASS, "", "the hardware launches the kernel, so positions are values of registers"),
    step(&atomics_to_llvm::PASS, "scope=device", "the pass reads the pointers of memrefs, which later passes lower"),
];

/// The passes of this backend.
const PASSES: &[&Pass] = &[
    // In the order of the steps.
    &lower_plane_ops_to_nvvm::PASS,
    &narrow_floats_to_nvvm::PASS,
    &kernel_to_nvvm::PASS,
];

const LOWER: [Step; HEAD.len() + STEPS.len()] = before_llvm(HEAD);

// The first PTX version that supports the chip, so that older drivers accept the code.
fn ptx_version(chip: &str) -> &'static str {
    match capability(chip) {
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

/// Intrinsics of NVPTX (LLVM's NVPTX usage guide).
const CONVERGENCE: Convergence = Convergence {
    target: "llvm.nvvm.",
    uniform: &[
        "llvm.nvvm.read.ptx.sreg.ctaid",
        "llvm.nvvm.read.ptx.sreg.nctaid",
        "llvm.nvvm.read.ptx.sreg.ntid",
        "llvm.nvvm.read.ptx.sreg.warpsize",
    ],
    positions: &["llvm.nvvm.read.ptx.sreg.tid", "llvm.nvvm.read.ptx.sreg.laneid"],
    shuffles: &["llvm.nvvm.shfl"],
    votes: &["llvm.nvvm.vote"],
    barriers: &["llvm.nvvm.barrier"],
    planes: &["llvm.nvvm.shfl", "llvm.nvvm.vote", "llvm.nvvm.bar.warp"],
};

/// Functions of f32 that the chip approximates under the flag `afn`: `lg2.approx`, `sin.approx`, `cos.approx`,
/// `tanh.approx`.
const APPROXIMATE: &[OpKind] = &[llvm::INTR_LOG2, llvm::INTR_SIN, llvm::INTR_COS, llvm::INTR_TANH];

// With the first option LLVM selects `lg2.approx` for every f32 logarithm. `check` refuses a logarithm without `afn`. With
// the second option LLVM selects `mad.wide` for a 64-bit sum with a product of 32-bit numbers, as in an address.
fn register(config: &inkwell::targets::InitializationConfig) {
    inkwell::targets::Target::initialize_nvptx(config);
    cube_backend_llvm::set_option(c"-nvptx-approx-log2f32");
    cube_backend_llvm::set_option(c"-nvptx-mad-wide-opt");
}

impl Backend for Nvptx {
    fn name(&self) -> &'static str {
        "nvptx"
    }

    fn summary(&self) -> &'static str {
        "PTX for NVIDIA GPUs"
    }

    fn passes(&self) -> &'static [&'static Pass] {
        PASSES
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &LOWER
    }

    fn contracts(&self) -> &'static [Contract] {
        const OWN: &[Allowed] = &[All(Dialect::Llvm), All(Dialect::Nvvm)];
        const MIXED: [&[Allowed]; LEGAL.len() + 1] = and(LEGAL, OWN);
        const CONTRACTS: &[Contract] = &[
            mixed(&MIXED, "a kernel of level legal, with the target's operations for barriers and planes"),
            device(&[DEVICE, OWN]),
            cube_to_llvm::llvm(&[LLVM, OWN]),
        ];
        CONTRACTS
    }

    fn emit(&self, module: &OwnedModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError> {
        let intrinsics = Intrinsics {
            target: "nvptx",
            dialects: &[Dialect::Llvm, Dialect::Nvvm],
            common: COMMON,
            allowed: &[],
            of_f32: &[llvm::INTR_EXP2],
            approximate: APPROXIMATE,
        };
        check(module, &intrinsics)?;
        let machine = Machine {
            triple: "nvptx64-nvidia-cuda".into(),
            register,
            cpu: chip.into(),
            features: ptx_version(chip).into(),
            debugger: false,
            vectorise: true,
            structurised: false,
            reoptimised: true,
            negates_operands: false,
            convergence: Some(&CONVERGENCE),
            function_attributes: &[],
            module_flags: &[],
            argument_names: None,
        };
        let mut code = emit(module, &machine, form, false)?;
        if matches!(form, OutputForm::Code | OutputForm::Assembly)
            && let Ok(ptx) = std::str::from_utf8(&code)
        {
            let repaired = repair(ptx)?;
            code = if capability(chip) >= 90 { wait_at_start(&repaired) } else { repaired }.into_bytes();
        }
        Ok(emitted(code, CodeFormat::PTX))
    }
}

/// Rewrites PTX so that ptxas compiles it correctly, and divisions to fewer instructions; debug builds check that every
/// register is written before it is read.
fn repair(ptx: &str) -> Result<String, SessionError> {
    let ptx = upper_halves::with_carry(&packed_adds::split(&narrow_stores::take_parts(ptx)));
    let ptx = subnormals::flushed(&ptx);
    let (ptx, is_defined) = undefined::define(&ptx);
    if cfg!(debug_assertions) && !is_defined {
        refuse_undefined(&ptx)?;
    }
    Ok(ptx)
}

fn refuse_undefined(ptx: &str) -> Result<(), SessionError> {
    let Some(read) = undefined_reads(ptx).into_iter().next() else { return Ok(()) };
    Err(SessionError::from(cube_ir::diagnostic!(CUBE0414.unsound { why: read })))
}

#[cfg(test)]
mod tests {
    use super::{refuse_undefined, repair};

    const UNDEFINED: &str = ".entry k()\n{\n\t.reg .b32 \t%r<3>;\n\tadd.s32 \t%r1, %r2, 1;\n\tret;\n}\n";

    #[test]
    fn undefined_register_read_is_rejected_and_repaired() {
        let error = refuse_undefined(UNDEFINED).unwrap_err();
        let message = &error.diagnostics[0].message;
        assert_eq!(error.diagnostics[0].code.as_deref(), Some("CUBE0414"));
        assert!(message.contains("`add.s32 %r1, %r2, 1;` in k reads %r2"), "{message}");
        let repaired = repair(UNDEFINED).unwrap();
        assert!(repaired.contains("mov.b32 \t%r2, 0;"), "{repaired}");
    }

    #[test]
    fn each_repair_is_applied() {
        let body = "mov.b32 \t%r1, 7;\n\tadd.s16x2 \t%r2, %r1, %r1;\n\tst.shared.b8 \t[%r1], %r2;\n\tret;\n";
        let repaired = repair(&format!(".entry k()\n{{\n\t.reg .b32 \t%r<3>;\n\t{body}}}\n")).unwrap();
        assert!(repaired.contains("and.b32") && !repaired.contains("16x2"), "{repaired}");
        let sum = "mov.b64 \t%rd1, 7;\n\tmad.wide.u32 \t%rd2, %r1, %r2, %rd1;\n\tmov.b64 \t{_, %r1}, %rd2;\n\tret;\n";
        let head = ".reg .b32 \t%r<3>;\n\t.reg .b64 \t%rd<3>;\n\tmov.b32 \t%r1, 7;\n\tmov.b32 \t%r2, 7;\n\t";
        let repaired = repair(&format!(".entry k()\n{{\n\t{head}{sum}}}\n")).unwrap();
        assert!(repaired.contains("madc.hi.u32 \t%r1, %r1, %r2, "), "{repaired}");
    }
}
