//! WGSL for WebGPU. A chip is the core language with the default limits, with or without the feature
//! `shader-f16`. The planes of a chip are subgroups (`subgroups`), are emulated through shared memory
//! (`shared-planes`), or have one unit.
//!
//! The limits are WebGPU's defaults ("Limits"), which every adapter supports. A workgroup has at most 16384 bytes of
//! storage and 256 invocations, and its size is at most 256, 256, 64. A launch has at most 65535 workgroups along an
//! axis. The limits were compared with `Limits::default` of wgpu-types. The sources of the features are the WGSL
//! sections "Atomic types" (`atomic<i32>` and `atomic<u32>` in storage and workgroup memory), "Subgroup built-in
//! functions" and "Accuracy of built-in functions". The WGSL documents were not available and are cited from memory.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Coarsening, Element, IntegerFunction, Limits, MathAccuracy, MathFunction, PlaneOperation, Planes, Space, SpaceKind,
    Support, Target, VERSION,
    unit::{exact, with_accuracy},
};
use std::collections::BTreeMap;

pub(crate) const BACKEND: &str = "wgsl";

pub(crate) const DEFAULT: &str = "core";

/// Each chip with the WGSL features that it enables.
const CHIPS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("core-f16", &["f16"]),
    ("core-subgroups", &["subgroups"]),
    ("core-f16-subgroups", &["f16", "subgroups"]),
    ("core-shared-planes", &["shared-planes"]),
    ("core-f16-shared-planes", &["f16", "shared-planes"]),
];

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|(name, _)| *name).collect()
}

pub(crate) fn target(chip: &str) -> Option<Target> {
    let (chip, features) = CHIPS.iter().find(|(name, _)| *name == chip)?;
    let has = |feature| features.contains(&feature);
    let half = has("f16").then_some(Element::F16);
    let elements = [Element::I1, Element::I32, Element::F32].into_iter().chain(half);
    let planes = match (has("subgroups"), has("shared-planes")) {
        // All plane operations except the barrier: WGSL orders no memory among the units of a subgroup.
        (true, _) => Planes {
            widths: vec![4, 8, 16, 32, 64, 128],
            width: 32,
            mask_bits: 128,
            operations: PlaneOperation::ALL.into_iter().filter(|one| *one != PlaneOperation::Barrier).collect(),
            emulated: false,
        },
        (false, true) => Planes::emulated(),
        (false, false) => Planes { widths: vec![1], width: 1, mask_bits: 32, operations: vec![], emulated: false },
    };
    let space = |bytes| Space { llvm: 0, address_bits: 32, bytes, static_bytes: bytes };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: (*chip).into(),
        planes,
        elements: elements.map(|element| (element, Support::Native)).collect(),
        // Atomics of floats are compare-exchange loops on the bits, which the backend generates.
        atomics: [
            (Element::I32, vec![Add, MinMax, Bits, Exchange, CompareExchange]),
            (Element::F32, vec![Add, MinMax, Exchange, CompareExchange]),
        ]
        .into(),
        shared_atomics: None,
        listed_atomics_only: true,
        typed_memory: true,
        spaces: [
            (SpaceKind::Global, space(None)),
            (SpaceKind::Shared, space(Some(16384))),
            // The total size of a function's variables.
            (SpaceKind::Local, space(Some(8192))),
        ]
        .into(),
        access_bits: 128,
        // An entry point has one variable for a binding, so the wide form is a separate entry point.
        coarsens: Some(Coarsening::Cubes),
        launch_guards: false,
        index_bits: 32,
        barriers: true,
        limits: Limits { cube_dim: [256, 256, 64], units_per_cube: 256, cube_count: [65535; 3], guaranteed: true },
        capabilities: features.iter().filter(|feature| **feature != "shared-planes").map(|one| (*one).into()).collect(),
        language: None,
        math: math(half.is_some()).collect(),
        integers: integers(),
        conversions: BTreeMap::new(),
        costs: crate::unit::COSTS_OF_ANY_GPU.into(),
        estimated_costs: crate::unit::COSTS_OF_ANY_GPU.map(|(class, _)| class).into(),
        latencies: BTreeMap::new(),
        estimated_latencies: vec![],
        resident_planes: None,
        registers: None,
        matrices: vec![],
        copies: vec![],
        machine: None,
    })
}

/// Source: WGSL, "Accuracy of concrete floating point expressions". `fma` and `sqrt` have the accuracy of the
/// operations that define them, the error of `exp` is at most `3 + 2 |x|` units in the last place, and `sin` has an
/// absolute error. `min` and `max` may choose any of two zeros. `x / y` has an error of 2.5 units for |y| from 2^-126 to
/// 2^126 (2^-14 to 2^14 for f16), which the description rounds up.
fn math(half: bool) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    use MathFunction::{
        Abs, Ceil, Cos, Div, Exp, Exp2, Floor, Fma, Log, Log2, MinMax, Pow, RoundEven, Rsqrt, Sin, Sqrt, Tan, Tanh,
        Trunc,
    };
    let elements: &[Element] = if half { &[Element::F16, Element::F32] } else { &[Element::F32] };
    let near = [Fma, Sqrt, MinMax, Exp, Exp2, Log, Log2, Sin, Cos, Tan, Tanh, Pow];
    let quotients = elements.iter().map(|element| (*element, MathAccuracy::Normal(3))).collect();
    exact([Abs, Ceil, Floor, RoundEven, Trunc], elements)
        .chain([(Div, quotients)])
        .chain(with_accuracy([Rsqrt], Element::F32, MathAccuracy::Ulp(2)))
        .chain(with_accuracy(near, Element::F32, MathAccuracy::Approximate))
}

/// Sources: WGSL, "Bit Expressions", "Arithmetic Expressions" and "Numeric Built-in Functions". WGSL's division and
/// shifts have the same results as Cube's total division and shifts.
fn integers() -> BTreeMap<IntegerFunction, Vec<Element>> {
    use IntegerFunction::{CountOnes, Division, LeadingZeros, ReverseBits, TotalDivision, TotalShift, TrailingZeros};
    let all = [CountOnes, LeadingZeros, TrailingZeros, ReverseBits, TotalShift, Division, TotalDivision];
    all.map(|function| (function, vec![Element::I32])).into()
}
