//! AMD GPUs.
//!
//! The values in this file were compared with the following sources. LLVM's `AMDGPU.td`, in `FeatureGFX9` to
//! `FeatureGFX12` and `FeatureISAVersion*`, defines the wavefront sizes (64 on gfx9, 32 and 64 on later chips) and the
//! local memory of a work group. `AMDGPU.td` also defines `MemToLDSLoad`, and the chips with atomic additions, minima
//! and maxima of floats. LLVM 22's `IntrinsicsAMDGPU.td` defines the shapes of `mfma` and `wmma`. The comments in
//! `IntrinsicsAMDGPU.td` state the first chip of each `mfma` shape. LLVM 22's `ELF.h` defines the machine numbers
//! (`EF_AMDGPU_MACH_AMDGCN_*`). The limits of a launch and the address spaces are from LLVM's "User Guide for AMDGPU
//! Backend", and were not compared.
use crate::{
    AtomicOperation,
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    CopyEngine, CostClass, Element, Limits, Machine, MathAccuracy, MathFunction, Matrix, PlaneOperation, Planes,
    Source, Space, SpaceKind, Support, Target, VERSION,
    unit::{exact, with_accuracy},
    with_saturating_sums,
};
use std::collections::BTreeMap;

pub(crate) const BACKEND: &str = "amdgpu";

pub(crate) const DEFAULT: &str = "gfx942";

/// Each chip with its plane widths, its shared memory per cube in KiB, and its machine number in code objects.
const CHIPS: &[(&str, &[u32], u64, u8)] = &[
    ("gfx900", WAVE64, 64, 0x2c),
    ("gfx906", WAVE64, 64, 0x2f),
    ("gfx908", WAVE64, 64, 0x30),
    ("gfx90a", WAVE64, 64, 0x3f),
    ("gfx942", WAVE64, 64, 0x4c),
    ("gfx950", WAVE64, 160, 0x4f),
    ("gfx1030", WAVE32, 64, 0x36),
    ("gfx1100", WAVE32, 64, 0x41),
    ("gfx1101", WAVE32, 64, 0x46),
    ("gfx1102", WAVE32, 64, 0x47),
    ("gfx1103", WAVE32, 64, 0x44),
    ("gfx1150", WAVE32, 64, 0x43),
    ("gfx1151", WAVE32, 64, 0x4a),
    ("gfx1200", WAVE32, 64, 0x48),
    ("gfx1201", WAVE32, 64, 0x4e),
];

/// CDNA and GCN chips run only planes of 64 lanes.
const WAVE64: &[u32] = &[64];
/// RDNA chips run planes of 32 and of 64 lanes. LLVM's default plane width for RDNA chips is 32.
const WAVE32: &[u32] = &[32, 64];

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|(name, ..)| *name).collect()
}

/// The number of a processor, for example `gfx942`, in the flags of a code object's header (`EF_AMDGPU_MACH`). `None`
/// for an unknown processor.
pub fn amdgpu_machine(processor: &str) -> Option<u8> {
    CHIPS.iter().find(|(name, ..)| *name == processor).map(|(.., machine)| *machine)
}

/// The processor that a number in the flags of a code object's header denotes.
pub fn amdgpu_processor(machine: u8) -> Option<&'static str> {
    CHIPS.iter().find(|(.., own)| *own == machine).map(|(name, ..)| *name)
}

pub(crate) fn target(chip: &str) -> Option<Target> {
    let (processor, wave) = match chip.split_once('-') {
        Some((processor, wave)) => (processor, Some(wave)),
        None => (chip, None),
    };
    let (own, widths, shared_kib, _) = CHIPS.iter().find(|(name, ..)| *name == processor)?;
    // The name of a chip can contain the plane width of kernels that do not choose a width.
    let width = match wave {
        None => widths[0],
        Some("wave32") => 32,
        Some("wave64") => 64,
        Some(_) => return None,
    };
    if !widths.contains(&width) {
        return None;
    }
    let (full, chip) = (chip, own);
    let arithmetic = |element: Element| {
        let support = match element {
            Element::I8 | Element::BF16 => Support::Emulated,
            Element::F16 => Support::Native,
            // A narrow float that no case above contains is unsupported.
            _ if !element.is_computed() || element.computed_in().is_some() => Support::Storage,
            _ => Support::Native,
        };
        (element, support)
    };
    let generation = generation(chip);
    let atomics = |element: Element, float: &[AtomicOperation]| {
        let native = match element {
            Element::I32 | Element::I64 => vec![Add, MinMax, Bits, Exchange, CompareExchange],
            Element::F32 | Element::F64 => [float, &[Exchange, CompareExchange]].concat(),
            _ => vec![],
        };
        (element, native)
    };
    let computed = || Element::computed().filter(|element| arithmetic(*element).1 != Support::Storage);
    let global = computed().map(|element| atomics(element, in_global(element, chip)));
    let shared = computed().map(|element| atomics(element, in_shared(element, chip)));
    let space = |llvm, address_bits, bytes| Space { llvm, address_bits, bytes, static_bytes: None };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: full.into(),
        planes: Planes {
            widths: widths.to_vec(),
            width,
            mask_bits: 64,
            operations: PlaneOperation::ALL.to_vec(),
            emulated: false,
        },
        elements: Element::ALL.iter().copied().map(arithmetic).collect(),
        atomics: global.collect(),
        shared_atomics: Some(shared.collect()),
        listed_atomics_only: false,
        typed_memory: false,
        spaces: [
            (SpaceKind::Global, space(1, 64, None)),
            (SpaceKind::Shared, space(3, 32, Some(shared_kib << 10))),
            (SpaceKind::Local, space(5, 32, Some(local_bytes(generation, width)))),
        ]
        .into(),
        access_bits: 128,
        coarsens: None,
        launch_guards: false,
        index_bits: 64,
        barriers: true,
        limits: Limits {
            cube_dim: [1024; 3],
            units_per_cube: 1024,
            cube_count: [i32::MAX as u32, 65535, 65535],
            guaranteed: false,
        },
        capabilities: vec![],
        language: Some(10 * generation),
        math: math().collect(),
        // `v_add_i16`, `v_add_u16`, `v_add_i32`, `v_add_u32` and the differences, with `clamp`; LLVM extends other widths.
        integers: with_saturating_sums(&[Element::I16, Element::I32]),
        conversions: conversions(chip).into_iter().collect(),
        costs: costs(chip).into(),
        estimated_costs: Source::estimated(&costs(chip), |class| source_of_cost(chip, class)),
        latencies: latencies(chip).into(),
        // The latencies of f16 arithmetic and of division are estimates.
        estimated_latencies: Source::estimated(&latencies(chip), source_of_latency),
        resident_planes: Some(resident_planes(chip).0),
        registers: Some(resident_planes(chip).1),
        matrices: matrices(chip),
        // `FeatureMemToLDSLoad`.
        copies: if generation <= 10 { vec![CopyEngine::PerUnit] } else { vec![] },
        machine: Machine::of(chip),
    })
}

/// Maximum bytes of local memory of a unit. The width of the hardware register that contains the memory size of a wave
/// limits this memory (LLVM, `GCNSubtarget.h`, `getMaxWaveScratchSize`).
fn local_bytes(generation: u32, width: u32) -> u64 {
    let (unit, bits) = match generation {
        ..=10 => (1024, 13),
        11 => (256, 15),
        _ => (256, 18),
    };
    unit * ((1 << bits) - 1) / u64::from(width)
}

/// The major version of the instruction set: 9 for `gfx90a`, 11 for `gfx1151`.
fn generation(chip: &str) -> u32 {
    // The major version is the name without `gfx` and without the last two characters.
    chip[3..chip.len() - 2].parse().unwrap_or(0)
}

/// Whether the chip is gfx90a or a later CDNA chip.
fn is_cdna2(chip: &str) -> bool {
    ["gfx90a", "gfx942", "gfx950"].contains(&chip)
}

/// Operations with an instruction that modifies a float in global memory atomically and returns the old value.
/// Minimum and maximum are not listed, because their instructions treat -0 and 0 as equal (LLVM,
/// `atomicrmw fmin`; the manuals of RDNA and CDNA, "DS_MIN_F32").
fn in_global(element: Element, chip: &str) -> &'static [AtomicOperation] {
    match (element, generation(chip)) {
        // FeatureAtomicFaddRtnInsts.
        (Element::F32, 11 | 12) => &[Add],
        // The instruction of gfx90a flushes subnormal numbers (it does not have
        // FeatureMemoryAtomicFAddF32DenormalSupport), so LLVM emits a loop.
        (Element::F32, _) if is_cdna2(chip) && chip != "gfx90a" => &[Add],
        // FeatureFlatBufferGlobalAtomicFaddF64Inst.
        (Element::F64, _) if is_cdna2(chip) => &[Add],
        _ => &[],
    }
}

/// Operations with an instruction that modifies a float in shared memory atomically and returns the old value. gfx8 and
/// later chips have `ds_add_rtn_f32`, and gfx90a and later CDNA chips have `ds_add_rtn_f64`.
fn in_shared(element: Element, chip: &str) -> &'static [AtomicOperation] {
    match element {
        Element::F32 => &[Add],
        Element::F64 if is_cdna2(chip) => &[Add],
        _ => &[],
    }
}

/// `v_fma_f32` is rounded correctly. LLVM corrects the results of `v_sqrt_f32`, `v_rcp_f32` and the corresponding f64
/// instructions (`SIISelLowering.cpp`, `lowerFSQRTF32`, `LowerFDIV32`), unless flags permit the uncorrected result.
///
/// AMD's manuals state "1ULP accuracy, denormals are flushed" for `v_exp_f32`, `v_log_f32`, `v_rcp_f32`, `v_rsq_f32` and
/// `v_sqrt_f32` (CDNA 3 ISA and RDNA 3.5 ISA, descriptions of the VOP1 and VOP3 instructions). For `v_sin_f32` and
/// `v_cos_f32`, the manuals state no error.
fn math() -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    use MathFunction::{Cos, Exp2, Log2, Recip, Rsqrt, Sin};
    let own = exact(MathFunction::ieee(), &[Element::F16, Element::F32, Element::F64]);
    let near = with_accuracy([Rsqrt, Recip, Exp2, Log2], Element::F32, MathAccuracy::Normal(1));
    own.chain(near).chain(with_accuracy([Sin, Cos], Element::F32, MathAccuracy::Approximate))
}

/// The source for conversions between f32 and the 8-bit floats of the Open Compute Project is
/// `FeatureFP8ConversionInsts` in LLVM's `AMDGPU.td`. gfx942 converts only other formats of 8-bit floats (FNUZ),
/// which are not element types of Cube. LLVM generates code for the conversion to bf16 on each chip. On gfx950, the
/// code uses `v_cvt_pk_bf16_f32` (`FeatureBF16ConversionInsts`).
fn conversions(chip: &str) -> Vec<(Element, Vec<Element>)> {
    use Element::{F8E4M3, F8E5M2, F32};
    if chip != "gfx950" && generation(chip) < 12 {
        return vec![];
    }
    vec![(F32, vec![F8E4M3, F8E5M2]), (F8E4M3, vec![F32]), (F8E5M2, vec![F32])]
}

/// `source_of_cost` has the source of each number.
fn costs(chip: &str) -> [(CostClass, u32); 12] {
    let f64 = match (chip, generation(chip)) {
        ("gfx906" | "gfx908", _) => 2,
        ("gfx90a" | "gfx942" | "gfx950", _) => 1,
        (_, 11 | 12) => 32,
        _ => 16,
    };
    let unit = CostClass::UNIT;
    [
        (CostClass::FmaF16, unit),
        (CostClass::FmaF32, unit),
        (CostClass::FmaF64, f64 * unit),
        (CostClass::AddInt, unit),
        (CostClass::MulInt, 4 * unit),
        (CostClass::DivInt, 30 * unit),
        (CostClass::Transcendental, 4 * unit),
        (CostClass::Convert, unit),
        (CostClass::ConvertWide, f64.max(4) * unit),
        (CostClass::Atomic, 4 * unit),
        (CostClass::SharedLatency, 64 * unit),
        (CostClass::GlobalLatency, 600 * unit),
    ]
}

/// Source: LLVM, `SISchedule.td`. `GFX10SpeedModel` and `GFX11SpeedModel` are in cycles. The models of CDNA and older
/// chips count in units of 4 cycles, which is the issue time of a plane.
fn latencies(chip: &str) -> [(CostClass, u32); 9] {
    use CostClass::{AddInt, Convert, ConvertWide, DivInt, FmaF16, FmaF32, FmaF64, MulInt, Transcendental};
    let (f32, f64, mul, special, convert, wide) = match generation(chip) {
        10 => (5, 22, 8, 10, 5, 22),
        11 | 12 => (5, 38, 8, 10, 5, 38),
        _ if is_cdna2(chip) => (4, 4, 4, 16, 16, 4),
        _ => (4, 32, 16, 16, 16, 16),
    };
    [
        (FmaF16, f32),
        (FmaF32, f32),
        (FmaF64, f64),
        (AddInt, f32),
        (MulInt, mul),
        // Two conversions with a reciprocal, and a chain of products and sums.
        (DivInt, 2 * special + 2 * convert + 4 * mul + 8 * f32),
        (Transcendental, special),
        (Convert, convert),
        (ConvertWide, wide),
    ]
}

/// The number of planes per SIMD at full occupancy, and the number of registers per unit at this occupancy. Source:
/// LLVM, `AMDGPUBaseInfo.cpp`, `getMaxWavesPerEU` and `getTotalNumVGPRs`, from memory.
fn resident_planes(chip: &str) -> (u32, u32) {
    match generation(chip) {
        10 => (16, 64),
        11 | 12 => (16, 96),
        _ if is_cdna2(chip) => (8, 64),
        _ => (10, 24),
    }
}

/// `llvm-mca -mtriple=amdgcn -mcpu=CHIP -instruction-info` prints the cycles of `SISchedule.td`. The models of gfx9 count in
/// issues of a plane, so these cycles are also the relative rates.
pub(crate) fn source_of_cost(chip: &str, class: CostClass) -> Source {
    use CostClass::{
        AddInt, Atomic, Convert, ConvertWide, DivInt, FmaF16, FmaF32, FmaF64, GlobalLatency, MulInt, SharedLatency,
        Transcendental,
    };
    use Source::{Estimate, Stated};
    let is_gfx9 = generation(chip) == 9;
    match class {
        FmaF16 | FmaF32 | AddInt => Stated("LLVM 22, SISchedule.td: the class of v_fma_f32"),
        FmaF64 if is_cdna2(chip) => Stated("LLVM 22, AMDGPU.td, FullRate64Ops"),
        FmaF64 if ["gfx906", "gfx908"].contains(&chip) => Stated("LLVM 22, AMDGPU.td, HalfRate64Ops"),
        FmaF64 => Estimate("AMD's documents of the chip, from memory"),
        MulInt if is_cdna2(chip) => Estimate("the number of earlier chips; LLVM's model has the rate of f32"),
        MulInt => Stated("LLVM 22, SISchedule.td: a quarter of the rate of f32"),
        Transcendental => Stated("LLVM 22, SISchedule.td: a quarter of the rate of f32"),
        Convert if is_gfx9 => Estimate("the rate of f32; LLVM's model has a quarter of it"),
        Convert => Stated("LLVM 22, SISchedule.td: the class of v_fma_f32"),
        ConvertWide if is_gfx9 && chip != "gfx900" && !is_cdna2(chip) => {
            Stated("LLVM 22, SISchedule.td: a quarter of the rate of f32")
        }
        ConvertWide => Estimate("the larger of 4 and the number of fma_f64"),
        DivInt => Estimate("30 sums: the expansion of LLVM 22, with a reciprocal and two conversions"),
        Atomic => Estimate("the local data share serves a plane in four cycles"),
        SharedLatency | GlobalLatency => Estimate("AMD's documents, from memory; LLVM's model has 20 and 320 cycles"),
    }
}

pub(crate) fn source_of_latency(class: CostClass) -> Source {
    match class {
        CostClass::DivInt => Source::Estimate("two conversions, a reciprocal, and a chain of products and sums"),
        _ => Source::Stated("LLVM 22, SISchedule.td, as llvm-mca prints it; gfx9: times 4"),
    }
}

/// The shapes of 16 by 16 by `k`: on CDNA the `mfma` with the largest `k`, and on RDNA 3 and 4 `wmma`.
fn matrices(chip: &str) -> Vec<Matrix> {
    use Element::{BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32};
    let of = |k, factors, sum| Matrix::of([16, 16, k], factors, sum);
    let fp8 = |k| [of(k, F8E4M3, F32), of(k, F8E5M2, F32)];
    match chip {
        "gfx908" => vec![of(4, F32, F32), of(16, F16, F32), of(8, BF16, F32), of(16, I8, I32)],
        "gfx90a" => vec![of(4, F32, F32), of(4, F64, F64), of(16, F16, F32), of(16, BF16, F32), of(16, I8, I32)],
        // The 8-bit floats of gfx942 have another format (FNUZ), which is not an element type here.
        "gfx942" => vec![of(4, F32, F32), of(4, F64, F64), of(16, F16, F32), of(16, BF16, F32), of(32, I8, I32)],
        "gfx950" => {
            let all = [of(4, F32, F32), of(4, F64, F64), of(32, F16, F32), of(32, BF16, F32), of(64, I8, I32)];
            all.into_iter().chain(fp8(32)).collect()
        }
        _ => match generation(chip) {
            generation @ (11 | 12) => {
                let all = [of(16, F16, F32), of(16, F16, F16), of(16, BF16, F32), of(16, BF16, BF16), of(16, I8, I32)];
                all.into_iter().chain(fp8(16).into_iter().filter(|_| generation == 12)).collect()
            }
            _ => vec![],
        },
    }
}
