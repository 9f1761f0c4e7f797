//! AMD GPUs. The numbers were written from memory of these documents and not compared with them: LLVM's "User Guide for AMDGPU Backend" (address spaces, wavefront sizes by processor), the instruction
//! set manuals of CDNA and RDNA.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Element, Limits, Planes, Space, SpaceKind, Support, Target, VERSION,
};

pub(crate) const BACKEND: &str = "amdgpu";

pub(crate) const DEFAULT: &str = "gfx942";

/// Chips with the widths of their planes and the KiB of shared memory of a cube.
const CHIPS: &[(&str, &[u32], u64)] = &[
    ("gfx900", WAVE64, 64),
    ("gfx906", WAVE64, 64),
    ("gfx908", WAVE64, 64),
    ("gfx90a", WAVE64, 64),
    ("gfx942", WAVE64, 64),
    ("gfx950", WAVE64, 160),
    ("gfx1030", WAVE32, 64),
    ("gfx1100", WAVE32, 64),
    ("gfx1101", WAVE32, 64),
    ("gfx1102", WAVE32, 64),
    ("gfx1150", WAVE32, 64),
    ("gfx1151", WAVE32, 64),
    ("gfx1200", WAVE32, 64),
    ("gfx1201", WAVE32, 64),
];

/// CDNA and GCN run planes of 64 lanes only.
const WAVE64: &[u32] = &[64];
/// RDNA runs both; LLVM chooses 32.
const WAVE32: &[u32] = &[32, 64];

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|(name, ..)| *name).collect()
}

pub(crate) fn target(chip: &str) -> Option<Target> {
    let (chip, widths, shared_kib) = CHIPS.iter().find(|(name, ..)| *name == chip)?;
    let arithmetic = |element: Element| {
        let support = match element {
            Element::I8 | Element::BF16 => Support::Emulated,
            _ if !element.is_computed() => Support::Storage,
            _ => Support::Native,
        };
        (element, support)
    };
    let atomics = |element: Element| {
        let native = match element {
            Element::I32 | Element::I64 => vec![Add, MinMax, Bits, Exchange, CompareExchange],
            Element::F32 | Element::F64 => vec![Exchange, CompareExchange],
            _ => vec![],
        };
        (element, native)
    };
    let space = |llvm, address_bits, bytes| Space { llvm, address_bits, bytes, static_bytes: None };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: (*chip).into(),
        // No operation has code yet.
        planes: Planes { widths: widths.to_vec(), width: widths[0], mask_bits: 64, operations: vec![] },
        elements: Element::ALL.iter().copied().map(arithmetic).collect(),
        atomics: Element::computed().map(atomics).collect(),
        spaces: [
            (SpaceKind::Global, space(1, 64, None)),
            (SpaceKind::Shared, space(3, 32, Some(shared_kib << 10))),
            (SpaceKind::Local, space(5, 32, None)),
        ]
        .into(),
        access_bits: 128,
        index_bits: 64,
        barriers: false,
        limits: Limits { cube_dim: [1024; 3], units_per_cube: 1024, cube_count: [i32::MAX as u32, 65535, 65535] },
    })
}
