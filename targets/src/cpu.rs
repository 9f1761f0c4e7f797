//! CPUs: cubes run on threads, and the units of a plane are lanes of vectors.
//!
//! Sources: x86-64 psABI, "Micro-architecture levels" (widths of registers). The limits come from Cube's own code
//! generation and runtime.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Class, CostClass, Element, Limits, MathAccuracy, MathFunction, PlaneOperation, Planes, Source, Space, SpaceKind,
    Support, Target, VERSION,
    unit::exact,
    with_saturating_sums,
};
use std::collections::BTreeMap;

pub(crate) const BACKEND: &str = "cpu";

pub(crate) const DEFAULT: &str = "native";

/// Each chip with the width of its vector registers in bits. For `native`, the table has the width that all
/// x86-64 CPUs support.
const CHIPS: &[(&str, u32)] =
    &[("native", 128), ("x86-64", 128), ("x86-64-v2", 128), ("x86-64-v3", 256), ("x86-64-v4", 512)];

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|(name, _)| *name).collect()
}

pub(crate) fn target(chip: &str) -> Option<Target> {
    let (chip, vector_bits) = CHIPS.iter().find(|(name, _)| *name == chip)?;
    let arithmetic = |element: Element| {
        let support = match element {
            // The backend computes in f32 and rounds after every operation.
            _ if element.computed_in().is_some() => Support::Emulated,
            _ if !element.is_computed() => Support::Storage,
            _ => Support::Native,
        };
        (element, support)
    };
    let integer = |element| (element, vec![Add, MinMax, Bits, Exchange, CompareExchange]);
    let float = |element| (element, vec![Exchange, CompareExchange]);
    let space = Space { llvm: 0, address_bits: 64, bytes: None, static_bytes: None };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: (*chip).into(),
        // The kernel or an option selects the plane width. The pass `fix-plane-dim` applies the selected width.
        planes: Planes {
            widths: vec![8, 16, 32, 64],
            width: 32,
            mask_bits: 64,
            operations: PlaneOperation::ALL.to_vec(),
            emulated: false,
        },
        elements: Element::ALL.iter().copied().map(arithmetic).collect(),
        atomics: [Element::I8, Element::I16, Element::I32, Element::I64]
            .map(integer)
            .into_iter()
            .chain(Element::computed().filter(|element| element.class() == Class::Float).map(float))
            .collect(),
        spaces: SpaceKind::ALL.map(|kind| (kind, space)).into(),
        access_bits: *vector_bits,
        coarsens: None,
        launch_guards: false,
        index_bits: 64,
        barriers: true,
        limits: Limits { cube_dim: [65536; 3], units_per_cube: 65536, cube_count: [u32::MAX; 3], guaranteed: false },
        shared_atomics: None,
        listed_atomics_only: false,
        typed_memory: false,
        capabilities: vec![],
        language: None,
        math: math(chip).collect(),
        // `paddsb`, `paddusb`, `paddsw`, `paddusw` and the differences, of SSE2.
        integers: with_saturating_sums(&[Element::I8, Element::I16]),
        conversions: BTreeMap::new(),
        costs: COSTS.into(),
        estimated_costs: Source::estimated(&COSTS, source_of_cost),
        latencies: LATENCIES.into(),
        estimated_latencies: Source::estimated(&LATENCIES, source_of_latency),
        resident_planes: None,
        registers: Some(if *vector_bits == 512 { 32 } else { 16 }),
        matrices: vec![],
        copies: vec![],
        machine: None,
    })
}

/// The math functions for which the chip has an instruction. For the chip `native`, the list contains all functions,
/// because the code is compiled for the host's CPU. The rounding instructions require SSE4.1, and FMA3 requires
/// x86-64-v3. All other functions would be library calls, and kernels are not linked with a library.
fn math(chip: &str) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    use MathFunction::{Ceil, Floor, Fma, RoundAway, RoundEven, Trunc};
    let missing: &[MathFunction] = match chip {
        "x86-64" => &[Ceil, Floor, Fma, RoundAway, RoundEven, Trunc],
        "x86-64-v2" => &[Fma],
        _ => &[],
    };
    exact(MathFunction::ieee().filter(|function| !missing.contains(function)), &[Element::F32, Element::F64])
}

/// The costs apply to 256-bit vectors on Intel's Skylake. The source is LLVM's scheduling model, which
/// `llvm-mca -mcpu=skylake -instruction-info` prints: the cycles of an instruction divided by the half cycle of
/// `vfmadd213ps`. `vfmadd213pd` has half of the lanes. An f16 multiply-add has three `vcvtph2ps` and one `vcvtps2ph`, of
/// one cycle each. `vpaddd` takes a third of a cycle, a shift a half, and a select two thirds. `vpmulld` takes one cycle,
/// and `vsqrtps` six. A division has no vector form: 8 lanes of `divl`, of 8 cycles each. The cost 300 for 64-bit
/// conversions agrees with a measurement on one core. The conversion of 2^18 numbers from i64 to bf16 took 0.12 ms through
/// f64, and 0.14 ms with integer operations. The costs of atomics and the latencies of memory are estimates.
const COSTS: [(CostClass, u32); 10] = [
    (CostClass::FmaF64, 200),
    (CostClass::FmaF16, 900),
    (CostClass::AddInt, 100),
    (CostClass::MulInt, 200),
    (CostClass::DivInt, 12800),
    (CostClass::Transcendental, 1200),
    (CostClass::ConvertWide, 300),
    (CostClass::Atomic, 14400),
    (CostClass::SharedLatency, 500),
    (CostClass::GlobalLatency, 25000),
];

/// The cycles of `vfmadd213ps`, `vpaddd`, `vpmulld`, `vsqrtps`, `vcvtdq2ps` and `vcvtdq2pd` on Intel's Skylake, from the
/// same source as the costs. An f16 operation converts its operands to f32, and converts the result back to f16: 7, 4
/// and 7 cycles. The latency of `divl` is an estimate, because LLVM's model has the latency of a 64-bit dividend. A vector
/// register contains one value of each unit of a plane, so a unit has as many registers as the processor has vector
/// registers.
const LATENCIES: [(CostClass, u32); 9] = [
    (CostClass::FmaF32, 4),
    (CostClass::FmaF64, 4),
    (CostClass::FmaF16, 18),
    (CostClass::AddInt, 1),
    (CostClass::MulInt, 10),
    (CostClass::DivInt, 26),
    (CostClass::Transcendental, 12),
    (CostClass::Convert, 4),
    (CostClass::ConvertWide, 7),
];

pub(crate) fn source_of_cost(class: CostClass) -> Source {
    use CostClass::{Atomic, ConvertWide, GlobalLatency, SharedLatency};
    match class {
        Atomic => Source::Estimate("8 lanes of a locked instruction of 18 half cycles each"),
        SharedLatency => Source::Estimate("a load that hits the first cache"),
        GlobalLatency => Source::Estimate("a load from memory on a server"),
        ConvertWide => Source::Stated("measured on one core: 2^18 conversions of i64 to bf16 in 0.12 ms"),
        _ => Source::Stated("LLVM 22, llvm-mca -mcpu=skylake -instruction-info, instructions of 256 bits"),
    }
}

pub(crate) fn source_of_latency(class: CostClass) -> Source {
    match class {
        CostClass::DivInt => Source::Estimate("LLVM's model has the latency of a 64-bit dividend"),
        _ => Source::Stated("LLVM 22, llvm-mca -mcpu=skylake -instruction-info"),
    }
}
