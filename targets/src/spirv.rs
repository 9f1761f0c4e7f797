//! SPIR-V for Vulkan. A chip is a version of Vulkan, with the newest SPIR-V version that this Vulkan version
//! accepts. A chip without a suffix has only the features of every implementation. The suffix `-full` adds optional
//! features. With the suffix `-shared-planes`, planes are emulated through shared memory. The suffix `-float-atomics` adds
//! `VK_EXT_shader_atomic_float`. Modules for chips with the suffix `-vulkan-memory` use the Vulkan memory model. Kernels for
//! chips with the suffix `-addresses` access buffers by 64-bit addresses, without bindings.
//!
//! The values in this file were compared with one source: Vulkan specification, "Limits", table "Required Limits"
//! (`chapters/limits.adoc`). This table states the limits of shared memory (16384 bytes), of the work group count
//! (65535), of the invocations per work group (128) and of the work group size (128, 128, 64). Three sections of the
//! specification were not available and are cited from memory. "Version compatibility" states SPIR-V 1.3, 1.5 and 1.6
//! for Vulkan 1.1, 1.2 and 1.3, and `VK_KHR_spirv_1_4` for Vulkan 1.1. `VkPhysicalDeviceSubgroupProperties` requires
//! `BASIC` in compute shaders. "Precision of core SPIR-V instructions" states the errors of the math functions. A
//! subgroup has 1 to 128 units.
use crate::{
    AtomicOperation::{Add, Bits, CompareExchange, Exchange, MinMax},
    Coarsening, Element, IntegerFunction, Limits, MathAccuracy, MathFunction, PlaneOperation, Planes, Space, SpaceKind,
    Support, Target, VERSION,
    unit::{exact, with_accuracy},
};
use std::collections::BTreeMap;

pub(crate) const BACKEND: &str = "spirv";

pub(crate) const DEFAULT: &str = "vulkan1.2";

struct Chip {
    name: &'static str,
    /// 10 times the major version of SPIR-V, plus the minor version.
    version: u32,
    /// Whether the chip has the features that Vulkan lists as optional.
    full: bool,
    /// Whether planes are emulated through shared memory.
    shared_planes: bool,
    /// Whether the chip adds f32 numbers in storage buffers by one atomic instruction.
    float_atomics: bool,
    /// Whether modules use the Vulkan memory model.
    vulkan_memory: bool,
    /// Whether kernels access buffers by addresses, without bindings.
    addresses: bool,
}

const fn chip(name: &'static str, version: u32, full: bool) -> Chip {
    Chip { name, version, full, shared_planes: false, float_atomics: false, vulkan_memory: false, addresses: false }
}

const fn shared(name: &'static str, version: u32, full: bool) -> Chip {
    Chip { shared_planes: true, ..chip(name, version, full) }
}

const fn float_atomics(name: &'static str, version: u32) -> Chip {
    Chip { float_atomics: true, ..chip(name, version, true) }
}

const fn vulkan_memory(name: &'static str, version: u32) -> Chip {
    Chip { vulkan_memory: true, ..chip(name, version, true) }
}

const fn addresses(name: &'static str, version: u32) -> Chip {
    Chip { addresses: true, ..chip(name, version, true) }
}

const CHIPS: &[Chip] = &[
    chip("vulkan1.1", 13, false),
    chip("vulkan1.1-spirv1.4", 14, false),
    chip("vulkan1.2", 15, false),
    chip("vulkan1.3", 16, false),
    chip("vulkan1.1-full", 13, true),
    chip("vulkan1.1-spirv1.4-full", 14, true),
    chip("vulkan1.2-full", 15, true),
    chip("vulkan1.3-full", 16, true),
    shared("vulkan1.1-shared-planes", 13, false),
    shared("vulkan1.2-shared-planes", 15, false),
    shared("vulkan1.3-shared-planes", 16, false),
    shared("vulkan1.2-full-shared-planes", 15, true),
    shared("vulkan1.3-full-shared-planes", 16, true),
    float_atomics("vulkan1.2-full-float-atomics", 15),
    float_atomics("vulkan1.3-full-float-atomics", 16),
    vulkan_memory("vulkan1.1-full-vulkan-memory", 13),
    vulkan_memory("vulkan1.3-full-vulkan-memory", 16),
    addresses("vulkan1.2-full-addresses", 15),
    addresses("vulkan1.3-full-addresses", 16),
];

/// The SPIR-V capabilities that optional features of Vulkan allow. Each row contains a capability and the
/// name of the Vulkan feature.
pub(crate) const OPTIONAL: &[(&str, &str)] = &[
    ("Float16", "shaderFloat16"),
    ("Float64", "shaderFloat64"),
    ("Int8", "shaderInt8"),
    ("Int16", "shaderInt16"),
    ("Int64", "shaderInt64"),
    ("Int64Atomics", "shaderBufferInt64Atomics, shaderSharedInt64Atomics"),
    ("StorageBuffer8BitAccess", "storageBuffer8BitAccess"),
    ("StorageBuffer16BitAccess", "storageBuffer16BitAccess"),
    ("SignedZeroInfNanPreserve", "shaderSignedZeroInfNanPreserveFloat16, ...Float32, ...Float64"),
    ("GroupNonUniformVote", "VK_SUBGROUP_FEATURE_VOTE_BIT"),
    ("GroupNonUniformBallot", "VK_SUBGROUP_FEATURE_BALLOT_BIT"),
    ("GroupNonUniformArithmetic", "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"),
    ("GroupNonUniformShuffle", "VK_SUBGROUP_FEATURE_SHUFFLE_BIT"),
];

/// The capabilities of chips with dot products of bytes, and the name of the Vulkan feature that allows them. Every
/// implementation of Vulkan 1.3 has the feature ("Feature Requirements").
pub(crate) const DOT_PRODUCTS: [(&str, &str); 2] =
    [("DotProduct", "shaderIntegerDotProduct"), ("DotProductInput4x8BitPacked", "shaderIntegerDotProduct")];

/// The capability of chips with float atomics, and the names of the Vulkan features that allow it.
pub(crate) const FLOAT_ATOMICS: (&str, &str) =
    ("AtomicFloat32AddEXT", "shaderBufferFloat32Atomics, shaderBufferFloat32AtomicAdd");

/// The capabilities of chips with the Vulkan memory model, and the names of the Vulkan features that allow them.
pub(crate) const VULKAN_MEMORY: [(&str, &str); 2] =
    [("VulkanMemoryModel", "vulkanMemoryModel"), ("VulkanMemoryModelDeviceScope", "vulkanMemoryModelDeviceScope")];

/// The capability of chips with buffer addresses, and the name of the Vulkan feature that allows it.
pub(crate) const ADDRESSES: (&str, &str) = ("PhysicalStorageBufferAddresses", "bufferDeviceAddress");

/// The SPIR-V extension that a capability needs in a SPIR-V version: 10 times the major number plus the minor number.
/// `None` if the version contains the capability.
pub fn extension(capability: &str, version: u32) -> Option<&'static str> {
    let (end, name) = match capability {
        "StorageBuffer8BitAccess" => (15, "SPV_KHR_8bit_storage"),
        "SignedZeroInfNanPreserve" => (14, "SPV_KHR_float_controls"),
        "VulkanMemoryModel" => (15, "SPV_KHR_vulkan_memory_model"),
        "AtomicFloat32AddEXT" => (u32::MAX, "SPV_EXT_shader_atomic_float_add"),
        _ => return None,
    };
    (version < end).then_some(name)
}

/// The WebGPU or wgpu feature that allows a capability of a chip; `None` if wgpu has no name for such a feature.
pub fn feature(capability: &str) -> Option<&'static str> {
    Some(match capability {
        "Float16" => "shader-f16",
        "Float64" => "shader-f64",
        "Int16" => "shader-i16",
        "Int64" => "shader-int64",
        "Int64Atomics" => "shader-int64-atomic-all-ops",
        "AtomicFloat32AddEXT" => "shader-float32-atomic",
        "VulkanMemoryModel" => "vulkan-memory-model",
        "PhysicalStorageBufferAddresses" => "buffer-device-address",
        planes if planes.starts_with("GroupNonUniform") => "subgroups",
        _ => return None,
    })
}

pub(crate) fn chips() -> Vec<&'static str> {
    CHIPS.iter().map(|chip| chip.name).collect()
}

pub(crate) fn target(name: &str) -> Option<Target> {
    let chip = CHIPS.iter().find(|chip| chip.name == name)?;
    let elements = Element::ALL.iter().copied().filter_map(|element| {
        let support = match element {
            Element::I1 | Element::I32 | Element::F32 => Support::Native,
            _ if !chip.full => return None,
            // SPV_KHR_bfloat16 is newer than all these versions, and the backend does not emulate bf16.
            Element::BF16 => return None,
            Element::F16 => Support::Native,
            // A narrow float that no case above contains can only be stored.
            _ if !element.is_computed() || element.computed_in().is_some() => Support::Storage,
            _ => Support::Native,
        };
        Some((element, support))
    });
    let integer = vec![Add, MinMax, Bits, Exchange, CompareExchange];
    // Atomics of floats are compare-exchange loops on the bits, which the backend generates, except sums of f32 numbers
    // on chips with `AtomicFloat32AddEXT`.
    let float = vec![Add, MinMax, Exchange, CompareExchange];
    let mut atomics = vec![(Element::I32, integer.clone()), (Element::F32, float.clone())];
    let mut capabilities: Vec<String> = vec!["Shader".into(), "GroupNonUniform".into()];
    // `OpGroupNonUniformElect` and the barriers of a subgroup belong to BASIC.
    let mut operations = vec![PlaneOperation::Elect, PlaneOperation::Barrier];
    if chip.full {
        atomics.extend([(Element::I64, integer), (Element::F64, float)]);
        capabilities.extend(OPTIONAL.iter().map(|(capability, _)| (*capability).into()));
        operations = PlaneOperation::ALL.to_vec();
    }
    if chip.float_atomics {
        capabilities.push(FLOAT_ATOMICS.0.into());
    }
    let has_dot = chip.version >= 16;
    if has_dot {
        capabilities.extend(DOT_PRODUCTS.map(|(capability, _)| capability.into()));
    }
    if chip.vulkan_memory {
        capabilities.extend(VULKAN_MEMORY.map(|(capability, _)| capability.into()));
    }
    if chip.addresses {
        capabilities.push(ADDRESSES.0.into());
    }
    let space = |bytes| Space { llvm: 0, address_bits: 32, bytes, static_bytes: bytes };
    Some(Target {
        version: VERSION,
        backend: BACKEND.into(),
        chip: chip.name.into(),
        planes: match chip.shared_planes {
            true => Planes::emulated(),
            false => Planes {
                widths: vec![1, 2, 4, 8, 16, 32, 64, 128],
                width: 32,
                // OpGroupNonUniformBallot gives four words.
                mask_bits: 128,
                operations,
                emulated: false,
            },
        },
        elements: elements.collect(),
        atomics: atomics.into_iter().collect(),
        shared_atomics: None,
        listed_atomics_only: true,
        typed_memory: true,
        spaces: [
            (SpaceKind::Global, space(None)),
            (SpaceKind::Shared, space(Some(16384))),
            // Vulkan has no limit. NVIDIA's driver (580.159.04) loses the device for more bytes.
            (SpaceKind::Local, space(Some(32768))),
        ]
        .into(),
        access_bits: 128,
        // The conditions of a coarsened kernel are sums of 64 bits.
        coarsens: chip.full.then_some(Coarsening::Units),
        launch_guards: false,
        index_bits: 32,
        barriers: true,
        limits: Limits { cube_dim: [128, 128, 64], units_per_cube: 128, cube_count: [65535; 3], guaranteed: true },
        capabilities,
        language: Some(chip.version),
        math: math(chip.full).collect(),
        integers: integers(chip.full, has_dot),
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

/// Sources: Vulkan, "Precision of core SPIR-V instructions" and "Precision of GLSL.std.450 instructions". `Fma` and
/// `Sqrt` are as exact as the operations that define them, and the error of `InverseSqrt` is at most 2 units in the
/// last place. `NMin` and `NMax` may choose any of two zeros. `OpFDiv` has an error of 2.5 units for |y| from 2^-126 to
/// 2^126 (2^-14 to 2^14 for f16), which the description rounds up. For f64 the specification refers to f32, and the
/// description has the same number of units of f64.
fn math(full: bool) -> impl Iterator<Item = (MathFunction, BTreeMap<Element, MathAccuracy>)> {
    use MathFunction::{
        Abs, Ceil, Cos, Div, Exp, Exp2, Floor, Fma, Log, Log2, MinMax, Pow, RoundEven, Rsqrt, Sin, Sqrt, Tan, Tanh,
        Trunc,
    };
    let elements: &[Element] = if full { &[Element::F16, Element::F32, Element::F64] } else { &[Element::F32] };
    let near = [Fma, Sqrt, MinMax, Exp, Exp2, Log, Log2, Sin, Cos, Tan, Tanh, Pow];
    let quotients = elements.iter().map(|element| (*element, MathAccuracy::Normal(3))).collect();
    exact([Abs, Ceil, Floor, RoundEven, Trunc], elements)
        .chain([(Div, quotients)])
        .chain(with_accuracy([Rsqrt], Element::F32, MathAccuracy::Ulp(2)))
        .chain(with_accuracy(near, Element::F32, MathAccuracy::Approximate))
}

/// `OpUMulExtended`, `OpSMulExtended` and `OpIAddCarry` of SPIR-V take any width; Vulkan allows `OpBitCount`,
/// `OpBitReverse`, `FindUMsb` and `FindILsb` for 32 bits only. `OpSDot` of SPIR-V 1.6 takes bytes that are packed into a
/// word.
///
/// Division of 64-bit integers is not listed, although SPIR-V has it. In a module with such a division, NVIDIA's compiler (driver
/// 580.159.04) computes the upper word of `a - b` and `a + b` wrong if the module also compares them as `a < b`
/// and `a + b < a`. Chips do not divide 64-bit integers with one instruction, so the compiler expands the division instead.
fn integers(full: bool, has_dot: bool) -> BTreeMap<IntegerFunction, Vec<Element>> {
    use IntegerFunction::{AddCarry, CountOnes, Division, Dot, LeadingZeros, MulWide, ReverseBits, TrailingZeros};
    let wide = if full { vec![Element::I16, Element::I32, Element::I64] } else { vec![Element::I32] };
    let divided = if full { vec![Element::I8, Element::I16, Element::I32] } else { vec![Element::I32] };
    let of_words = [CountOnes, LeadingZeros, TrailingZeros, ReverseBits].map(|f| (f, vec![Element::I32]));
    let dot = has_dot.then(|| (Dot, vec![Element::I32]));
    [(MulWide, wide.clone()), (AddCarry, wide), (Division, divided)].into_iter().chain(of_words).chain(dot).collect()
}
