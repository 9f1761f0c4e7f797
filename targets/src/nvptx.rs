//! NVIDIA GPUs. The numbers were written from memory of these documents and not compared with them: CUDA C++ Programming Guide 13.0, "Compute Capabilities" (limits, shared memory); PTX ISA 9.0
//! (`atom`, `red`, address spaces).
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Element, Limits, PlaneOperation, Planes, Space, SpaceKind, Support, Target, VERSION,
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
    })
}
