//! The CPU backend: kernels become relocatable ELF objects with no undefined symbols.
#![forbid(unsafe_code)]
mod allocations;
mod bf16_to_bits;
mod cube_order;
mod emit_unit_loops;
mod expand_atomics;
mod expand_private_memory;
mod fix_plane_dim;
mod order_signed_zeros;
mod prefetch_tiles;
mod promote_half_arithmetic;
mod split;
mod split_barrier_regions;
mod spmd;
mod tighten_loop_bounds;
mod unroll_and_jam_units;
mod vectorize_spmd;
mod version_aliases;
mod version_loops;

pub use fix_plane_dim::lanes_of;

use cube_backend::{Backend, CodeFormat, DebugInfo, Emitted, OutputForm, Target};
use cube_backend_llvm::{Intrinsics, Machine, check, emit, host};
use cube_dialect::attributes::{PLANE_DIM, SCRATCH_BYTES, SIMD_WIDTH};
use cube_ir::{
    AttrExt, Dialect, Op, OpKind, OwnedModule, Pass, SessionError, location_of,
    ops::{builtin, llvm},
};
use cube_passes::{
    levels::Contract,
    phases::{Step, step, upstream},
};
use cube_to_llvm::{DEVICE, STEPS, atomics_to_llvm, before_llvm, device, intrinsics::COMMON};
use object::{Object, ObjectSymbol};

pub struct Cpu;

const HEAD: &[Step] = &[
    step(&fix_plane_dim::PASS, "", "later passes read the number of lanes of a plane"),
    step(&expand_private_memory::PASS, "", "before the kernel is split, local memory still belongs to one unit"),
    step(&split_barrier_regions::PASS, "", "units run one after the other between barriers"),
    step(&vectorize_spmd::PASS, "", "planes run one after the other between barriers"),
    step(&prefetch_tiles::PASS, "", "loads of planes are single operations with one index").not_debug(),
    step(
        &expand_atomics::PASS,
        "",
        "vectorisation gives each lane a separate atomic; the loops of f16 and bf16 atomics need arithmetic of these types",
    ),
    step(
        &order_signed_zeros::PASS,
        "",
        "LLVM does not order zeros, and calls a library for f16; before f16 is widened, comparisons need no conversions",
    ),
    step(
        &promote_half_arithmetic::PASS,
        "",
        "few processors have f16 and bf16 arithmetic, and LLVM would call a library for it",
    ),
    step(&bf16_to_bits::PASS, "", "LLVM's moves of a bf16 flush subnormal numbers on some processors"),
    step(&emit_unit_loops::PASS, "", "the launch becomes loops, so that LLVM can vectorise over neighbouring units"),
    step(
        &atomics_to_llvm::PASS,
        "",
        "buffers have addresses after the preceding pass, and later passes need no atomics",
    ),
    upstream("cse", builtin::MODULE.name(), "merges equal index arithmetic of the topology values").not_debug(),
    upstream(
        "loop-invariant-code-motion",
        builtin::MODULE.name(),
        "moves lengths out of loops, so that guards compare with loop-invariant values",
    )
    .not_debug(),
    step(
        &tighten_loop_bounds::PASS,
        "",
        "guards on the position become loop bounds, so that LLVM vectorises the loops",
    )
    .not_debug(),
    upstream("loop-invariant-code-motion", builtin::MODULE.name(), "moves code that guards prevented from moving")
        .not_debug(),
    step(&unroll_and_jam_units::PASS, "", "sums of neighbouring units overlap instead of waiting for each addition")
        .not_debug(),
    step(&version_loops::PASS, "", "after unroll and jam, one check covers several units").not_debug(),
];

/// The passes of this backend, in the order of its steps.
const PASSES: &[&Pass] = &[
    &fix_plane_dim::PASS,
    &expand_atomics::PASS,
    &expand_private_memory::PASS,
    &split_barrier_regions::PASS,
    &vectorize_spmd::PASS,
    &prefetch_tiles::PASS,
    &promote_half_arithmetic::PASS,
    &order_signed_zeros::PASS,
    &bf16_to_bits::PASS,
    &emit_unit_loops::PASS,
    &tighten_loop_bounds::PASS,
    &unroll_and_jam_units::PASS,
    &version_loops::PASS,
];

const LOWER: [Step; HEAD.len() + STEPS.len()] = before_llvm(HEAD);

/// Microarchitecture levels of x86-64, each with the features that it adds.
const LEVELS: &[(&str, &[&str])] = &[
    ("x86-64", &[]),
    ("x86-64-v2", &["sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"]),
    ("x86-64-v3", &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"]),
    ("x86-64-v4", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
];

/// LLVM intrinsics for masked accesses, prefetches and debugger declarations. A masked access is one instruction if the processor
/// has masked instructions; otherwise LLVM emits a branch per lane. A debugger declaration is not an instruction.
const ALLOWED: &[OpKind] = &[
    llvm::INTR_MASKED_LOAD,
    llvm::INTR_MASKED_STORE,
    llvm::INTR_MASKED_GATHER,
    llvm::INTR_MASKED_SCATTER,
    llvm::INTR_DBG_DECLARE,
    llvm::INTR_PREFETCH,
];

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        fix_plane_dim::BACKEND
    }

    fn summary(&self) -> &'static str {
        "native code for the host processor or for a level of x86-64, which the runtime loads without a compiler"
    }

    fn passes(&self) -> &'static [&'static Pass] {
        PASSES
    }

    fn lower(&self, _: &Target) -> &'static [Step] {
        &LOWER
    }

    fn contracts(&self) -> &'static [Contract] {
        const CONTRACTS: &[Contract] = &[split::MIXED, device(&[DEVICE])];
        CONTRACTS
    }

    fn debug_info(&self) -> DebugInfo {
        DebugInfo::Variables
    }

    fn emit(&self, module: &OwnedModule<'_>, chip: &str, form: OutputForm) -> Result<Emitted, SessionError> {
        let intrinsics = Intrinsics {
            target: "cpu",
            dialects: &[Dialect::Llvm],
            common: COMMON,
            allowed: ALLOWED,
            of_f32: &[],
            approximate: &[],
        };
        check(module, &intrinsics)?;
        let (machine, features) = machine(chip);
        // If the kernel is already vectorised, LLVM's vectoriser would only cost compile time.
        let machine = Machine { vectorise: fact(module, SIMD_WIDTH).is_none(), ..machine };
        let code = emit(module, &machine, form, true)?;
        if form == OutputForm::Code {
            closed(&code, module.op())?;
        }
        // If the attribute is missing, the size of the scratch memory is unknown, so the code is refused.
        let scratch_bytes = fact(module, SCRATCH_BYTES).ok_or_else(|| {
            SessionError::at(module.op(), cube_ir::diagnostic!(CUBE0156.lost { name: SCRATCH_BYTES }))
        })?;
        let plane_dim = fact(module, PLANE_DIM).and_then(|lanes| u32::try_from(lanes).ok());
        Ok(Emitted { features, scratch_bytes, plane_dim, ..Emitted::new(code, CodeFormat::ELF_OBJECT) })
    }
}

// Reads a number that the lowering has stored in an attribute of the entry function.
fn fact(module: &OwnedModule<'_>, name: &str) -> Option<u64> {
    let functions = module.op().body()?.ops();
    functions.into_iter().find_map(|op| op.attr(name)?.as_int()).and_then(|n| u64::try_from(n).ok())
}

// The machine, and its features that a runtime must check before it runs the code.
fn machine(chip: &str) -> (Machine, Vec<String>) {
    let native = host(|config| {
        inkwell::targets::Target::initialize_x86(config);
        inkwell::targets::Target::initialize_aarch64(config);
    });
    let all: Vec<&str> = LEVELS.iter().flat_map(|(_, features)| features.iter().copied()).collect();
    if let Some(level) = LEVELS.iter().position(|(name, _)| *name == chip) {
        let features = LEVELS[..=level].iter().flat_map(|(_, f)| f.iter().map(|f| f.to_string())).collect();
        return (Machine { cpu: chip.into(), features: String::new(), ..native }, features);
    }
    // LLVM and Rust use different names for one feature.
    let llvm_name = |rust: &str| if rust == "bmi1" { "bmi".to_string() } else { rust.to_string() };
    let has = |rust: &&str| native.features.split(',').any(|f| f.strip_prefix('+') == Some(&llvm_name(rust)));
    let features = all.iter().filter(|f| has(f)).map(|f| f.to_string()).collect();
    // The first processors with 512-bit vectors reduce their clock rate for these vectors, so LLVM prefers 256 bits by
    // default. Processors with AVX512-VBMI2 do not reduce it.
    let wide = native.features.split(',').any(|f| f == "+avx512vbmi2");
    let function_attributes: &[&str] = if wide { &["prefer-vector-width=512"] } else { &[] };
    (Machine { function_attributes, ..native }, features)
}

// Checks that the object has no undefined symbols, because it is loaded without libraries.
fn closed(code: &[u8], module: Op<'_>) -> Result<(), SessionError> {
    let file = object::File::parse(code)
        .map_err(|e| SessionError::from(cube_ir::diagnostic!(CUBE0401.object { error: e })))?;
    let missing: Vec<&str> =
        file.symbols().filter(|s| s.is_undefined()).filter_map(|s| s.name().ok()).filter(|n| !n.is_empty()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut error = SessionError::from(cube_ir::diagnostic!(CUBE0411.library { functions: missing.join(", ") }));
    let caller = module.walk().into_iter().find(|op| missing.iter().any(|symbol| calls(*op, symbol)));
    error.diagnostics[0].location = caller.and_then(|op| location_of(op.location()));
    Err(error)
}

// Whether LLVM can emit an operation as a call of the library function `symbol`, for example `fmaf` for
// `llvm.intr.fma`, or `__extendhfsf2` for `llvm.fpext`.
fn calls(op: Op<'_>, symbol: &str) -> bool {
    if let Some(intrinsic) = op.kind().intrinsic() {
        return symbol == intrinsic || symbol.strip_suffix('f') == Some(intrinsic);
    }
    match op.kind() {
        llvm::FPEXT => symbol.starts_with("__extend"),
        llvm::FPTRUNC => symbol.starts_with("__trunc"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_ir::Session;

    #[test]
    fn entry_without_scratch_bytes_is_rejected() {
        cube_passes::register();
        let emitted = |attributes: &str| {
            let session = Session::new();
            let text = format!(
                "llvm.func @k(%launch: !llvm.ptr, %first: i64, %last: i64, %scratch: !llvm.ptr) {attributes} {{\n\
                 llvm.store %first, %scratch : i64, !llvm.ptr\nllvm.return\n}}"
            );
            let module = session.parse(text.as_bytes(), "k.mlir").expect("a function");
            Cpu.emit(&module, "x86-64", OutputForm::Code)
        };
        let kept = emitted("attributes {cube.scratch_bytes = 8 : i64}").expect("code");
        assert_eq!(kept.scratch_bytes, 8);
        let error = format!("{:?}", emitted("").expect_err("no code"));
        assert!(error.contains("CUBE0156") && error.contains("cube.scratch_bytes"), "{error}");
    }
}
