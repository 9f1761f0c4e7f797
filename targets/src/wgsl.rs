//! WGSL for WebGPU: no backend writes it yet. A chip is the core language with the default limits, alone or with `shader-f16`,
//! `subgroups`, or both.
//!
//! Sources: WebGPU, "Limits", the defaults that every adapter has (compared with `Limits::default` of wgpu-types: workgroup storage
//! 16384, invocations 256, size 256, 256, 64, workgroups 65535); WGSL, "Atomic types" (`atomic<i32>`, `atomic<u32>` in storage
//! and workgroup memory), "Subgroup built-in functions", "Accuracy of built-in functions". Of WGSL none was at hand: from memory.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Element, Limits, MathForm, MathFunction, PlaneOperation, Planes, Space, SpaceKind, Support, Target, VERSION,
};

pub(crate) const BACKEND: &str = "wgsl";

pub(crate) const DEFAULT: &str = "core";

/// Chips with the features that they enable.
const CHIPS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("core-f16", &["f16"]),
    ("core-subgroups", &["subgroups"]),
    ("core-f16-subgroups", &["f16", "subgroups"]),
];

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|(name, _)| *name).collect()
}

pub(crate) fn target(chip: &str) -> Option<Target> {
    let (chip, features) = CHIPS.iter().find(|(name, _)| *name == chip)?;
    let has = |feature| features.contains(&feature);
    let half = has("f16").then_some(Element::F16);
    let elements = [Element::I1, Element::I32, Element::F32].into_iter().chain(half);
    let planes = match has("subgroups") {
        // All but the barrier: WGSL orders no memory among the units of a subgroup.
        true => Planes {
            widths: vec![4, 8, 16, 32, 64, 128],
            width: 32,
            mask_bits: 128,
            operations: PlaneOperation::ALL.into_iter().filter(|one| *one != PlaneOperation::Barrier).collect(),
        },
        false => Planes { widths: vec![1], width: 1, mask_bits: 32, operations: vec![] },
    };
    let space = |bytes| Space { llvm: 0, address_bits: 32, bytes, static_bytes: bytes };
    use MathFunction::{Cos, Exp, Exp2, Log, Log2, Pow, Rsqrt, Sin, Sqrt, Tan, Tanh};
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: (*chip).into(),
        planes,
        elements: elements.map(|element| (element, Support::Native)).collect(),
        atomics: [(Element::I32, vec![Add, MinMax, Bits, Exchange, CompareExchange])].into(),
        shared_atomics: None,
        spaces: [
            (SpaceKind::Global, space(None)),
            (SpaceKind::Shared, space(Some(16384))),
            // The variables of a function together.
            (SpaceKind::Local, space(Some(8192))),
        ]
        .into(),
        access_bits: 128,
        index_bits: 32,
        barriers: true,
        limits: Limits { cube_dim: [256, 256, 64], units_per_cube: 256, cube_count: [65535; 3] },
        capabilities: features.iter().map(|feature| (*feature).into()).collect(),
        language: None,
        // `fma` may be rounded twice, so it is not listed.
        math: [Sqrt, Rsqrt, Exp, Exp2, Log, Log2, Sin, Cos, Tan, Tanh, Pow].map(|f| (f, MathForm::Approximate)).into(),
        matrices: vec![],
        copies: vec![],
    })
}
