//! Processors: cubes run on threads, the units of a plane as lanes of vectors.
//!
//! Sources: x86-64 psABI, "Micro-architecture levels" (widths of registers); the limits are those of Cube's own code generation and runtime.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Element, Limits, MathForm, MathFunction, PlaneOperation, Planes, Space, SpaceKind, Support, Target, VERSION,
};

pub(crate) const BACKEND: &str = "cpu";

pub(crate) const DEFAULT: &str = "native";

/// Chips with the width of a vector register in bits; `native` with what each x86-64 has at least.
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
            Element::F16 | Element::BF16 => Support::Emulated,
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
        // A plane is as wide as the kernel or its user asks; `fix-plane-dim` decides.
        planes: Planes {
            widths: vec![8, 16, 32, 64],
            width: 32,
            mask_bits: 64,
            operations: PlaneOperation::ALL.to_vec(),
        },
        elements: Element::ALL.iter().copied().map(arithmetic).collect(),
        atomics: [Element::I8, Element::I16, Element::I32, Element::I64]
            .map(integer)
            .into_iter()
            .chain([Element::F16, Element::BF16, Element::F32, Element::F64].map(float))
            .collect(),
        spaces: SpaceKind::ALL.map(|kind| (kind, space)).into(),
        access_bits: *vector_bits,
        index_bits: 64,
        barriers: true,
        limits: Limits { cube_dim: [65536; 3], units_per_cube: 65536, cube_count: [u32::MAX; 3] },
        shared_atomics: None,
        capabilities: vec![],
        language: None,
        // FMA3 belongs to the level x86-64-v3.
        math: [(MathFunction::Sqrt, MathForm::Exact)]
            .into_iter()
            .chain((*vector_bits >= 256).then_some((MathFunction::Fma, MathForm::Exact)))
            .collect(),
        matrices: vec![],
        copies: vec![],
    })
}
