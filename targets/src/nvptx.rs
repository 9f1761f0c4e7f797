//! NVIDIA GPUs.
//!
//! Sources: CUDA C++ Programming Guide 13, "Memory Information per Compute Capability" (read: shared memory of a thread block for 7.5
//! to 12.x, 48 KB without an opt-in, 512 KB of local memory), and its edition 12 for 7.0; LLVM 22, `IntrinsicsNVVM.td`,
//! `NVVM_MMA_OPS` (read: shapes of `mma.sync`). The limits of a launch, the atomics, the first chip of each shape, of `cp.async` and
//! of bulk copies, and the errors of `.approx` functions are from memory of the guide and of PTX ISA 9.0.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    CopyEngine, Element, Limits, MathForm, MathFunction, Matrix, PlaneOperation, Planes, Space, SpaceKind, Support,
    Target, VERSION,
};

pub(crate) const BACKEND: &str = "nvptx";

struct Chip {
    name: &'static str,
    /// Compute capability: 10 times the major number and the minor one.
    capability: u32,
    /// Most bytes of shared memory of a cube, where the launch asks for them.
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

/// More shared memory is asked for by the launch.
const STATIC_SHARED: u64 = 48 << 10;
/// Local memory of a unit.
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
            _ if !element.is_computed() => Support::Storage,
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
    // A generic pointer: LLVM infers the space.
    let local = Space { llvm: 0, address_bits: 64, bytes: Some(LOCAL), static_bytes: None };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: chip.name.into(),
        planes: Planes { widths: vec![32], width: 32, mask_bits: 32, operations: PlaneOperation::ALL.to_vec() },
        elements: Element::ALL.iter().copied().map(arithmetic).collect(),
        atomics: Element::computed().map(atomics).collect(),
        spaces: [(SpaceKind::Global, global), (SpaceKind::Shared, shared), (SpaceKind::Local, local)].into(),
        // Loads of 256 bits need PTX 8.8, which the backend does not emit.
        access_bits: 128,
        index_bits: 64,
        barriers: true,
        limits: Limits {
            cube_dim: [1024, 1024, 64],
            units_per_cube: 1024,
            cube_count: [i32::MAX as u32, 65535, 65535],
        },
        shared_atomics: None,
        capabilities: vec![],
        language: None,
        math: math(chip.capability).collect(),
        matrices: matrices(chip).collect(),
        copies: copies(chip.capability).collect(),
    })
}

/// `fma.rn`, `sqrt.rn`, `rcp.rn` are rounded correctly; the others have only a form `.approx`.
fn math(capability: u32) -> impl Iterator<Item = (MathFunction, MathForm)> {
    use MathFunction::{Cos, Exp2, Fma, Log2, Recip, Rsqrt, Sin, Sqrt, Tanh};
    let exact = [Fma, Sqrt, Recip].map(|f| (f, MathForm::Exact));
    let near = [Rsqrt, Exp2, Log2, Sin, Cos].map(|f| (f, MathForm::Approximate));
    exact.into_iter().chain(near).chain((capability >= 75).then_some((Tanh, MathForm::Approximate)))
}

/// The largest shape of `mma.sync` for each pair of elements; `m8n8k4` of f16 is slow on chips after 7.0.
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
