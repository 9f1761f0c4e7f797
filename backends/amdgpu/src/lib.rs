//! The amdgpu backend: kernels become code objects through LLVM and lld.
#![forbid(unsafe_code)]
mod intrinsics;
mod kernel_to_rocdl;
mod lower_plane_ops_to_rocdl;
mod narrow_floats_to_rocdl;

use cube_backend::{Backend, CodeFormat, DebugInfo, Emitted, OutputForm, Target};
use cube_backend_llvm::{Convergence, Intrinsics, Machine, check, emit};
use cube_dialect::PLANE_DIM;
use cube_ir::ops::{builtin, llvm};
use cube_ir::{AttrExt, Dialect, Message, OpKind, OwnedModule, Pass, SessionError};
use cube_passes::{
    levels::{
        Allowed::{self, All, One},
        Contract, LEGAL, LLVM, and,
    },
    phases::{Step, step},
};
use cube_to_llvm::{DEVICE, STEPS, atomics_to_llvm, before_llvm, device, intrinsics::COMMON, mixed};

/// AMD GPUs.
pub struct Amdgpu;

const HEAD: &[Step] = &[
    step(&lower_plane_ops_to_rocdl::PASS, "", "before kernel-to-rocdl, while positions are topology operations"),
    step(&narrow_floats_to_rocdl::PASS, "", "after plane operations, which move 8-bit floats as bytes"),
    step(&kernel_to_rocdl::PASS, "", "the hardware launches the kernel, so positions are values of registers"),
    step(
        &atomics_to_llvm::PASS,
        // Buffers are coarse-grained memory of the device (`cube_artifact`), so that all of the chip's atomics work on
        // them. Atomic minima and maxima of floats compare -0 and 0 as equal. The chips have an atomic addition of
        // floats, but no atomic subtraction.
        "scope=agent unordered=true negated=true promises=rocdl.no_fine_grained_memory+rocdl.no_remote_memory",
        "while buffers are still memrefs, because the pass takes pointers from memrefs",
    ),
];

/// The passes of this backend.
const PASSES: &[&Pass] = &[
    // In the order of the steps.
    &lower_plane_ops_to_rocdl::PASS,
    &narrow_floats_to_rocdl::PASS,
    &kernel_to_rocdl::PASS,
];

const LOWER: [Step; HEAD.len() + STEPS.len()] = before_llvm(HEAD);

/// Intrinsics of AMDGPU (LLVM's AMDGPU usage guide).
const CONVERGENCE: Convergence = Convergence {
    target: "llvm.amdgcn.",
    // A barrier of a wave only orders memory accesses, because the lanes of a wave run in lockstep.
    uniform: &[
        "llvm.amdgcn.workgroup.id",
        "llvm.amdgcn.implicitarg.ptr",
        "llvm.amdgcn.kernarg.segment.ptr",
        "llvm.amdgcn.cvt.",
        "llvm.amdgcn.wave.barrier",
    ],
    positions: &["llvm.amdgcn.workitem.id", "llvm.amdgcn.mbcnt"],
    shuffles: &[
        "llvm.amdgcn.ds.bpermute",
        "llvm.amdgcn.wave.shuffle",
        "llvm.amdgcn.update.dpp",
        "llvm.amdgcn.permlane",
    ],
    votes: &["llvm.amdgcn.ballot", "llvm.amdgcn.readlane", "llvm.amdgcn.readfirstlane"],
    barriers: &["llvm.amdgcn.s.barrier"],
    planes: &[
        "llvm.amdgcn.ballot",
        "llvm.amdgcn.ds.bpermute",
        "llvm.amdgcn.wave.shuffle",
        "llvm.amdgcn.update.dpp",
        "llvm.amdgcn.permlane",
        "llvm.amdgcn.readlane",
        "llvm.amdgcn.readfirstlane",
    ],
};

/// Functions of f32 that the chip approximates under the flag `afn`: `v_exp_f32`, `v_log_f32`, `v_sin_f32`,
/// `v_cos_f32`.
const APPROXIMATE: &[OpKind] = &[llvm::INTR_EXP2, llvm::INTR_LOG2, llvm::INTR_SIN, llvm::INTR_COS];

/// Version 5 of code objects, which ROCm 5.7 and later support; LLVM's default version requires a newer ROCm.
const FLAGS: &[(&str, u64)] = &[("amdhsa_code_object_version", 500)];

impl Backend for Amdgpu {
    fn name(&self) -> &'static str {
        "amdgpu"
    }

    fn summary(&self) -> &'static str {
        "code objects (hsaco) for AMD GPUs"
    }

    fn passes(&self) -> &'static [&'static Pass] {
        PASSES
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &LOWER
    }

    fn contracts(&self) -> &'static [Contract] {
        const OWN: &[Allowed] = &[All(Dialect::Llvm), All(Dialect::Rocdl)];
        // `narrow-floats-to-rocdl` casts an 8-bit float to its byte. The conversion to the LLVM dialect removes this
        // cast.
        const BYTES: &[Allowed] = &[All(Dialect::Llvm), All(Dialect::Rocdl), One(builtin::UNREALIZED_CONVERSION_CAST)];
        const MIXED: [&[Allowed]; LEGAL.len() + 1] = and(LEGAL, BYTES);
        const CONTRACTS: &[Contract] = &[
            mixed(&MIXED, "a kernel of level legal, with the target's operations for barriers and planes"),
            device(&[DEVICE, OWN]),
            cube_to_llvm::llvm(&[LLVM, OWN]),
        ];
        CONTRACTS
    }

    fn debug_info(&self) -> DebugInfo {
        DebugInfo::Lines
    }

    fn emit(&self, module: &OwnedModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError> {
        let intrinsics = Intrinsics {
            target: "amdgpu",
            dialects: &[Dialect::Llvm, Dialect::Rocdl],
            common: COMMON,
            allowed: &[],
            of_f32: &[],
            approximate: APPROXIMATE,
        };
        check(module, &intrinsics)?;
        let plane_dim = plane_dim(module);
        let features = features(chip, plane_dim).map_err(|message| SessionError::at(module.op(), message))?;
        let machine = Machine {
            triple: "amdgcn-amd-amdhsa".into(),
            register: inkwell::targets::Target::initialize_amd_gpu,
            cpu: processor(chip).into(),
            features,
            debugger: false,
            vectorise: true,
            structurised: true,
            reoptimised: false,
            negates_operands: true,
            convergence: Some(&CONVERGENCE),
            function_attributes: &[],
            module_flags: FLAGS,
            argument_names: Some(cube_dialect::attributes::ARGUMENTS),
        };
        let code = emit(module, &machine, form, true)?;
        let code = if form == OutputForm::Code { cube_ir::link_shared_object(&code)? } else { code };
        Ok(Emitted { plane_dim, ..Emitted::new(code, CodeFormat::HSACO) })
    }
}

/// The name of a chip without its plane width: `gfx1100` for `gfx1100-wave64`.
fn processor(chip: &str) -> &str {
    chip.split('-').next().unwrap_or(chip)
}

/// The plane width for which the module's kernel was lowered.
fn plane_dim(module: &OwnedModule<'_>) -> Option<u32> {
    let functions = module.op().body().map(|block| block.ops()).unwrap_or_default();
    functions.into_iter().find_map(|op| op.attr(PLANE_DIM)?.as_int()).and_then(|lanes| u32::try_from(lanes).ok())
}

/// The target features for LLVM, as HIP sets them: the plane width for which the kernel was lowered, and one
/// compute unit per cube on RDNA. With one compute unit per cube, a cube barrier does not have to synchronise the
/// caches of two compute units.
///
/// # Errors
/// The chip has several plane widths, and the lowered function does not have an attribute with the plane width
/// (CUBE0156). A wrong width would change the lanes of every plane operation.
fn features(chip: &str, plane_dim: Option<u32>) -> Result<String, Message> {
    let Some(target) = Target::known("amdgpu", chip) else { return Ok(String::new()) };
    let wave = match (plane_dim, target.planes.widths.as_slice()) {
        (Some(wave), _) => wave,
        (None, [only]) => *only,
        (None, _) => return Err(cube_ir::diagnostic!(CUBE0156.lost { name: PLANE_DIM })),
    };
    let is_rdna = intrinsics::generation(&target) >= 10;
    Ok(if is_rdna { format!("+wavefrontsize{wave},+cumode") } else { String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowered_function_names_its_plane_width_on_chips_with_several() {
        let features_of = |chip: &str, lanes| features(chip, lanes).map_err(|message| format!("{message:?}"));
        assert_eq!(features_of("gfx1100", Some(64)).as_deref(), Ok("+wavefrontsize64,+cumode"));
        // CDNA has planes of 64 lanes only.
        assert_eq!(features_of("gfx942", None).as_deref(), Ok(""));
        let error = features_of("gfx1100", None).unwrap_err();
        assert!(error.contains("CUBE0156") && error.contains(PLANE_DIM), "{error}");
    }
}
