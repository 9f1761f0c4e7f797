//! NVIDIA GPUs.
//!
//! The values in this file were compared with the following sources. CUDA C++ Programming Guide 13, "Memory Information
//! per Compute Capability", states the shared memory of a thread block for compute capabilities 7.5 to 12.x (48 KB
//! without an opt-in) and the 512 KB of local memory. Edition 12 of the guide states the values for compute capability
//! 7.0. LLVM 22, `IntrinsicsNVVM.td`, `NVVM_MMA_OPS`, lists the shapes of `mma.sync`. The limits of a launch, the
//! atomic operations, and the errors of `.approx` functions are from memory of the guide and of PTX ISA 9.0. The first
//! chip that supports each shape of `mma.sync`, `cp.async` or bulk copies is also from memory.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Coarsening, CopyEngine, CostClass, Element, Limits, Machine, MathAccuracy, MathFunction, Matrix, PlaneOperation,
    Planes, Source, Space, SpaceKind, Support, Target, VERSION, of_llvm,
    unit::{exact, with_accuracy},
};
use std::collections::BTreeMap;

pub(crate) const BACKEND: &str = "nvptx";

struct Chip {
    name: &'static str,
    /// Compute capability: 10 times the major number plus the minor number.
    capability: u32,
    /// Maximum bytes of shared memory that a launch can request for a cube.
    shared: u64,
}

const fn chip(name: &'static str, capability: u32, shared_kib: u64) -> Chip {
    Chip { name, capability, shared: shared_kib << 10 }
}

pub(crate) const DEFAULT: &str = "sm_90a";

const CHIPS: &[Chip] = &[
    chip("sm_70", 70, 96),
    chip("sm_75", 75, 64),
    chip("sm_80", 80, 163),
    chip("sm_86", 86, 99),
    chip("sm_87", 87, 163),
    chip("sm_89", 89, 99),
    chip("sm_90", 90, 227),
    chip("sm_90a", 90, 227),
    chip("sm_100", 100, 227),
    chip("sm_100a", 100, 227),
    chip("sm_120", 120, 99),
    chip("sm_120a", 120, 99),
];

/// Maximum bytes of static shared memory. If a cube needs more shared memory, the launch must request it.
const STATIC_SHARED: u64 = 48 << 10;
/// Maximum bytes of local memory of a unit.
const LOCAL: u64 = 512 << 10;

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|chip| chip.name).collect()
}

pub(crate) fn target(chip: &str) -> Option<Target> {
    let chip = CHIPS.iter().find(|known| known.name == chip)?;
    let arithmetic = |element: Element| {
        let support = match element {
            Element::BF16 if chip.capability < 90 => Support::Emulated,
            Element::I8 => Support::Emulated,
            Element::F16 | Element::BF16 => Support::Native,
            // A narrow float that no case above contains is unsupported.
            _ if !element.is_computed() || element.computed_in().is_some() => Support::Storage,
            _ => Support::Native,
        };
        (element, support)
    };
    let atomics = |element: Element| {
        let native = match element {
            Element::I32 | Element::I64 => vec![Add, MinMax, Bits, Exchange, CompareExchange],
            Element::I16 => vec![CompareExchange],
            Element::F32 | Element::F64 => vec![Add, Exchange, CompareExchange],
            Element::F16 => vec![Add],
            Element::BF16 if chip.capability >= 90 => vec![Add],
            _ => vec![],
        };
        (element, native)
    };
    let global = Space { llvm: 1, address_bits: 64, bytes: None, static_bytes: None };
    let shared = Space { llvm: 3, address_bits: 32, bytes: Some(chip.shared), static_bytes: Some(STATIC_SHARED) };
    // Pointers to local memory are generic: LLVM infers the space.
    let local = Space { llvm: 0, address_bits: 64, bytes: Some(LOCAL), static_bytes: None };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: chip.name.into(),
        planes: Planes {
            widths: vec![32],
            width: 32,
            mask_bits: 32,
            operations: PlaneOperation::ALL.to_vec(),
            emulated: false,
        },
        elements: Element::ALL.iter().copied().map(arithmetic).collect(),
        atomics: Element::computed()
            .filter(|element| arithmetic(*element).1 != Support::Storage)
            .map(atomics)
            .collect(),
        spaces: [(SpaceKind::Global, global), (SpaceKind::Shared, shared), (SpaceKind::Local, local)].into(),
        // Loads of 256 bits need PTX 8.8, which the backend does not emit.
        access_bits: 128,
        coarsens: Some(Coarsening::Units),
        launch_guards: true,
        index_bits: 64,
        barriers: true,
        limits: Limits {
            cube_dim: [1024, 1024, 64],
            units_per_cube: 1024,
            cube_count: [i32::MAX as u32, 65535, 65535],
            guaranteed: false,
        },
        shared_atomics: None,
        listed_atomics_only: false,
        typed_memory: false,
        capabilities: vec![],
        language: None,
        math: math(chip.capability).collect(),
        // LLVM 22 does not select PTX's `add.sat.s32`, so saturating sums are not listed.
        integers: of_llvm(),
        conversions: conversions(chip.capability).collect(),
        costs: costs(chip.capability).into(),
        estimated_costs: Source::estimated(&costs(chip.capability), |class| cost_source(chip.capability, class)),
        latencies: latencies(chip.capability).into(),
        estimated_latencies: Source::estimated(&latencies(chip.capability), |c| latency_source(chip.capability, c)),
        resident_planes: Some(resident_planes(chip.capability)),
        // A multiprocessor has 65,536 registers and four schedulers, and allocates registers in multiples of eight.
        registers: Some(65536 / (4 * resident_planes(chip.capability) * 32) / 8 * 8),
        matrices: matrices(chip).collect(),
        copies: copies(chip.capability).collect(),
        machine: Machine::of(chip.name),
    })
}

/// `fma.rn`, `sqrt.rn`, `rcp.rn` are rounded correctly; LLVM computes the square root of f16 and bf16 in f32.
/// Reciprocal square root, `lg2`, `sin`, `cos`, `ex2` and `tanh` have only an `.approx` instruction. LLVM 22 selects
/// `lg2.approx` only with the option `nvptx-approx-log2f32`, which the backend sets.
fn math(capability: u32) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    use MathFunction::{Cos, Exp2, Log2, Recip, Rsqrt, Sin, Tanh};
    let own = exact(MathFunction::ieee().chain([Recip]), &[Element::F16, Element::BF16, Element::F32, Element::F64]);
    let near = with_accuracy([Rsqrt, Log2, Sin, Cos], Element::F32, MathAccuracy::Approximate);
    // PTX ISA 9.1, section 9.7.3.21, `ex2.approx`: at most 2 units from the correctly rounded result, so less than 3
    // from the exact one.
    let near = near.chain(with_accuracy([Exp2], Element::F32, MathAccuracy::Normal(3)));
    let tanh = with_accuracy([Tanh], Element::F32, MathAccuracy::Approximate);
    let all = own.chain(near).chain(tanh.filter(move |_| capability >= 75));
    all.map(move |(function, mut elements)| {
        // `fma.rn.bf16` requires sm_80 (PTX ISA 9.1, section 9.7.4.4). On older chips LLVM computes it in f32.
        if function == MathFunction::Fma && capability < 80 {
            elements.remove(&Element::BF16);
        }
        (function, elements)
    })
}

/// `cvt.rn.bf16` of integers and of f64 requires PTX 7.8 and sm_90. `cvt.rn.f16` of f64 exists on all chips of this
/// file (PTX ISA, `cvt`; LLVM 22, `NVPTXISelLowering.cpp`, `LowerFP_ROUND`). The generated code converts an integer to
/// f16 through f32.
fn conversions(capability: u32) -> impl Iterator<Item = (Element, Vec<Element>)> {
    use Element::{BF16, F16, F64, I8, I16, I32, I64};
    let bf16 = (capability >= 90).then_some(BF16);
    let ints = [I8, I16, I32, I64].map(|from| (from, bf16.into_iter().collect::<Vec<_>>()));
    let floats = [(F64, [F16].into_iter().chain(bf16).collect())];
    ints.into_iter().chain(floats).filter(|(_, to): &(Element, Vec<Element>)| !to.is_empty())
}

/// The cost of a class is the throughput of f32 divided by the throughput of the class, in results per cycle and
/// multiprocessor. `cost_source` has the source of each number.
fn costs(capability: u32) -> [(CostClass, u32); 12] {
    // Results per cycle and multiprocessor for f32, f64, f16, sums of integers, products of integers, conversions, and
    // conversions of 64 bits. Special functions have 16 results per cycle.
    let (f32, f64, f16, add, mul, convert, wide) = match capability {
        70 => (64, 32, 128, 64, 64, 16, 16),
        75 => (64, 2, 128, 64, 64, 16, 2),
        80 => (64, 32, 256, 64, 64, 16, 16),
        86 | 87 | 89 => (128, 2, 128, 64, 64, 16, 2),
        90 | 100 => (128, 64, 256, 64, 64, 64, 16),
        _ => (128, 2, 128, 64, 64, 16, 2),
    };
    let cost = |rate: u32| CostClass::UNIT * f32 / rate;
    let (shared, global) = if capability < 80 { (19, 1029) } else { (23, 466) };
    [
        (CostClass::FmaF16, cost(f16)),
        (CostClass::FmaF32, cost(f32)),
        (CostClass::FmaF64, cost(f64)),
        (CostClass::AddInt, cost(add)),
        (CostClass::MulInt, cost(mul)),
        // The chips have no instruction for integer division. A division compiles to about 20 instructions (the guide:
        // "as it compiles to up to 20 instructions").
        (CostClass::DivInt, 20 * cost(add)),
        (CostClass::Transcendental, cost(16)),
        (CostClass::Convert, cost(convert)),
        (CostClass::ConvertWide, cost(wide)),
        // The shared-memory unit serves 32 lanes in two cycles.
        (CostClass::Atomic, cost(16)),
        (CostClass::SharedLatency, shared * CostClass::UNIT),
        (CostClass::GlobalLatency, global * CostClass::UNIT),
    ]
}

/// Latencies of dependent instructions, in cycles. `latency_source` has the source of each number.
fn latencies(capability: u32) -> [(CostClass, u32); 9] {
    let fast_f64 = matches!(capability, 70 | 80 | 90 | 100);
    [
        (CostClass::FmaF16, if capability < 80 { 6 } else { 5 }),
        (CostClass::FmaF32, 4),
        (CostClass::FmaF64, if fast_f64 { 8 } else { 40 }),
        (CostClass::AddInt, 4),
        (CostClass::MulInt, if capability < 80 { 5 } else { 4 }),
        (CostClass::DivInt, 100),
        (CostClass::Transcendental, 18),
        (CostClass::Convert, 14),
        (CostClass::ConvertWide, if fast_f64 { 14 } else { 40 }),
    ]
}

/// The number of resident warps per scheduler, which is a quarter of the resident warps per multiprocessor (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability", from memory).
fn resident_planes(capability: u32) -> u32 {
    match capability {
        75 => 8,
        86 | 87 | 89 | 120 | 121 => 12,
        _ => 16,
    }
}

fn capability(chip: &str) -> Option<u32> {
    CHIPS.iter().find(|known| known.name == chip).map(|chip| chip.capability)
}

pub(crate) fn source_of_cost(chip: &str, class: CostClass) -> Option<Source> {
    Some(cost_source(capability(chip)?, class))
}

pub(crate) fn source_of_latency(chip: &str, class: CostClass) -> Option<Source> {
    Some(latency_source(capability(chip)?, class))
}

/// The columns of "Throughput of Native Arithmetic Instructions" were compared with copies: edition 10 for 7.x, edition 11
/// for 8.0 and 8.6, and OpenXLA's table for 8.0, 9.0 and 10.0 (`cuda_core_info_table.cc`, which cites the Best Practices
/// Guide 13.0 and NVIDIA's white papers).
fn cost_source(capability: u32, class: CostClass) -> Source {
    use CostClass::{
        AddInt, Atomic, Convert, ConvertWide, DivInt, FmaF16, FmaF32, FmaF64, GlobalLatency, MulInt, SharedLatency,
        Transcendental,
    };
    use Source::{Estimate, Stated};
    const TURING: Source =
        Stated("CUDA C Programming Guide 10, Throughput of Native Arithmetic Instructions, column 7.x");
    const AMPERE: Source =
        Stated("CUDA C++ Programming Guide 11, Throughput of Native Arithmetic Instructions, columns 8.0 and 8.6");
    const XLA: Source = Stated(
        "OpenXLA, cuda_core_info_table.cc, from the CUDA C++ Best Practices Guide 13.0 and NVIDIA's white papers",
    );
    const BLACKWELL: Source =
        Stated("CUDA C++ Best Practices Guide 13.4, Throughput of Native Arithmetic Instructions, column 12.0");
    const DIVISION: Source = Stated("20 sums: the guide counts up to 20 instructions for a division");
    match (class, capability) {
        (Atomic, _) => Estimate("the shared-memory unit serves 32 lanes in two cycles"),
        (SharedLatency | GlobalLatency, ..80) => Estimate("measured on a V100 by Jia and others, 2018, from memory"),
        (SharedLatency | GlobalLatency, _) => {
            Estimate("measured on an A100 by Abdelkhalik and others, 2022, from memory")
        }
        (DivInt, _) => DIVISION,
        (_, ..80) => TURING,
        (FmaF32 | AddInt, 80 | 86) | (FmaF64, 80 | 86) | (FmaF16, 80) | (Transcendental, 80 | 86) => AMPERE,
        (FmaF16, 100) => Estimate("the number of 9.0; OpenXLA's table has 128 results, half of it"),
        (AddInt, 120..) => Estimate("the number of 8.6; the CUDA C++ Best Practices Guide 13.4 has 128 results"),
        (MulInt, 80) | (FmaF16 | FmaF32 | FmaF64 | AddInt | MulInt, 90 | 100) => XLA,
        (FmaF16 | FmaF32 | FmaF64 | MulInt, 120..) => BLACKWELL,
        (Convert, 120..) => BLACKWELL,
        (FmaF16, 86 | 87 | 89) => Estimate("the rate of f32"),
        (FmaF32 | FmaF64 | AddInt, 87 | 89) => Estimate("the number of 8.6"),
        (Transcendental, _) => Estimate("the number of 8.6"),
        (MulInt, _) => Estimate("the number of 8.0"),
        (Convert | ConvertWide, 90 | 100) => Estimate("the guide's columns 9.0 and 10.0, from memory"),
        (Convert | ConvertWide, 80) => Estimate("the number of 7.0"),
        (Convert | ConvertWide, _) => Estimate("the number of 7.5"),
        (FmaF16 | FmaF32 | FmaF64 | AddInt, _) => Estimate("the number of 8.6"),
    }
}

fn latency_source(capability: u32, class: CostClass) -> Source {
    use Source::{Estimate, Stated};
    match (class, capability) {
        (CostClass::DivInt, _) => Estimate("a chain of 20 instructions of 5 cycles"),
        (CostClass::FmaF32, 80) => Stated(
            "Abdelkhalik and others, Demystifying the Nvidia Ampere Architecture through Microbenchmarking, 2022",
        ),
        (_, ..80) => Estimate(
            "Jia and others, Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, from memory",
        ),
        (_, 80) => Estimate("Abdelkhalik and others, 2022, from memory"),
        (CostClass::FmaF64 | CostClass::ConvertWide, 90 | 100) => Estimate("the number of 8.0"),
        (CostClass::FmaF64 | CostClass::ConvertWide, _) => Estimate("the number of 7.5"),
        _ => Estimate("the number of 8.0"),
    }
}

/// The largest shape of `mma.sync` for each pair of element types. The shape `m8n8k4` of f16 is slow on chips
/// after compute capability 7.0.
fn matrices(chip: &Chip) -> impl Iterator<Item = Matrix> {
    use Element::{BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32, TF32};
    let halves = match chip.capability {
        70 => [8, 8, 4],
        75 => [16, 8, 8],
        _ => [16, 8, 16],
    };
    let mut all = vec![Matrix::of(halves, F16, F16), Matrix::of(halves, F16, F32)];
    match chip.capability {
        70 => {}
        75 => all.push(Matrix::of([8, 8, 16], I8, I32)),
        _ => all.extend([
            Matrix::of([16, 8, 32], I8, I32),
            Matrix::of([16, 8, 16], BF16, F32),
            Matrix::of([16, 8, 8], TF32, F32),
            Matrix::of([8, 8, 4], F64, F64),
        ]),
    }
    if chip.capability >= 89 {
        all.extend([Matrix::of([16, 8, 32], F8E4M3, F32), Matrix::of([16, 8, 32], F8E5M2, F32)]);
    }
    all.into_iter()
}

fn copies(capability: u32) -> impl Iterator<Item = CopyEngine> {
    let own = (capability >= 80).then_some(CopyEngine::PerUnit);
    own.into_iter().chain([CopyEngine::Bulk, CopyEngine::Tensor].into_iter().filter(move |_| capability >= 90))
}
