//! The description of a target: the features of a chip as plain data, without MLIR.
//!
//! A [`Target`] describes one chip. The driver attaches the description to the module as the attribute `cube.target`.
//! Passes, backends, runtimes and the generated pages read the description, and never compare the name of a target.
//! A new chip is one entry in one of the tables of this crate. A backend outside of this tree creates its own
//! [`Target`] values.
//!
//! The documentation of a field states whether a size is in bits or bytes. Every limit is the largest allowed value.
#![forbid(unsafe_code)]

mod amdgpu;
mod check;
mod cpu;
mod element;
mod format;
mod generic;
mod machine;
mod nvptx;
pub mod spirv;
#[cfg(test)]
mod tests;
mod unit;
mod wgsl;

pub use amdgpu::{amdgpu_machine, amdgpu_processor};
pub use check::Contradiction;
pub use element::{Class, Element, HostType, Number, Sign, bytes_of};
pub use format::{Format, Special};
pub use machine::Machine;
pub use unit::{Coarsening, CopyEngine, CostClass, IntegerFunction, Math, MathAccuracy, MathFunction, Matrix, Source};
pub(crate) use unit::{of_llvm, with_saturating_sums};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the fields of [`Target`]. A description of another version is refused, because its fields can have other
/// meanings.
pub const VERSION: u32 = 3;

/// Description of one chip: the operations, types and limits that the compiler reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// [`VERSION`] of the fields.
    pub version: u32,
    /// Name of the backend: `cpu`, `nvptx`, `amdgpu`, `spirv`, `wgsl`.
    pub backend: String,
    /// Name of the chip as the backend defines it, for example `sm_90a` or `gfx942`.
    pub chip: String,
    /// Planes (warps, wavefronts, subgroups).
    pub planes: Planes,
    /// Support for each element type. A kernel can neither store values of a type that is not listed nor
    /// compute with such values.
    pub elements: BTreeMap<Element, Support>,
    /// Atomic operations for which the chip has an instruction, by element type. Every other atomic operation
    /// becomes a compare-exchange loop or is unsupported.
    pub atomics: BTreeMap<Element, Vec<AtomicOperation>>,
    /// Memory spaces.
    pub spaces: BTreeMap<SpaceKind, Space>,
    /// Widest load or store of one unit, in bits.
    pub access_bits: u32,
    /// The way in which one unit takes over the work of several neighbouring units; `None` if it does not. Coarsening
    /// requires hardware that schedules units, and a launcher that reads the cube count from the artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarsens: Option<Coarsening>,
    /// Whether the launcher evaluates bounds checks, so that a kernel has a second version of the checked code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub launch_guards: bool,
    /// Width of native address arithmetic, in bits.
    pub index_bits: u32,
    /// Whether all units of a cube can wait at a barrier.
    pub barriers: bool,
    /// Limits of a launch.
    pub limits: Limits,
    /// Atomic operations in shared memory, if they differ from the atomic operations in `atomics`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_atomics: Option<BTreeMap<Element, Vec<AtomicOperation>>>,
    /// Whether the chip supports only the listed atomic operations. A code generator such as LLVM's emulates other
    /// atomic operations with a loop around a listed integer compare-exchange of at least the same width. A shading
    /// language cannot emulate atomic operations in this way, because it cannot access memory of one type as
    /// another type.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listed_atomics_only: bool,
    /// Whether memory is typed, as in shading languages: arrays of different types cannot overlap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub typed_memory: bool,
    /// Declarations that the code needs for the chip's features: capabilities of SPIR-V or extensions of
    /// WGSL.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Version of the chip's language or instruction set, if it has versions: 10 times the major number plus the minor
    /// number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<u32>,
    /// Float functions that the code generator or the shading language provides, with their errors. Legalisation
    /// keeps a function that satisfies Cube's published error bound, and expands every other function. Emulated
    /// element types use the functions of `f32`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub math: Math,
    /// Integer operations that the code generator or the shading language provides.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub integers: BTreeMap<IntegerFunction, Vec<Element>>,
    /// Conversions that are one operation. The operation converts an element to narrower floats, rounded once to
    /// nearest even, or an 8-bit float to `f32`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conversions: BTreeMap<Element, Vec<Element>>,
    /// Relative costs of classes of operations; a class that is not listed costs [`CostClass::UNIT`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<CostClass, u32>,
    /// Classes of `costs` whose cost is an estimate without a document or measurement as its source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimated_costs: Vec<CostClass>,
    /// Latencies of operations, in cycles from the operands to the result; 0 for a class that is not listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latencies: BTreeMap<CostClass, u32>,
    /// Classes of `latencies` whose latency is an estimate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimated_latencies: Vec<CostClass>,
    /// The number of planes among which one scheduler switches at full occupancy. While one plane waits for a
    /// result, the scheduler runs another plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_planes: Option<u32>,
    /// The number of 32-bit registers that a unit can have at full occupancy. If a unit needs more registers, the
    /// occupancy decreases, or values are spilled to memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Products of matrices that a plane computes in one instruction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<Matrix>,
    /// Copy engines that copy data to shared memory asynchronously.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyEngine>,
    /// The board whose size and rates predictions of run times use. `None` if no board is described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// Alignment of a shared-memory allocation in bytes on every chip, equal to the widest access of a unit on GPUs.
/// The alignment analysis relies on this value, and each lowering of shared memory guarantees it.
pub const SHARED_ALIGNMENT: u64 = 16;

/// Properties of a target's planes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planes {
    /// The plane widths that the chip supports, in ascending order. Each width is a power of two.
    pub widths: Vec<u32>,
    /// The default plane width; a kernel can request another element of `widths`.
    pub width: u32,
    /// Width in bits of a mask with one bit per lane; at least the largest of `widths`.
    pub mask_bits: u32,
    /// Supported groups of plane operations.
    pub operations: Vec<PlaneOperation>,
    /// Whether the compiler computes the operations through shared memory, for a chip without planes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emulated: bool,
}

impl Planes {
    /// The width in bits of a mask for planes of `lanes` units: whole words of 32 bits, at most `mask_bits`.
    pub fn mask_bits_of(&self, lanes: u32) -> u32 {
        lanes.next_multiple_of(32).min(self.mask_bits)
    }

    /// Planes that the compiler computes through shared memory. A ballot is one word, so a plane has 32 units at most.
    pub(crate) fn emulated() -> Planes {
        let operations = PlaneOperation::ALL.to_vec();
        Planes { widths: vec![1, 2, 4, 8, 16, 32], width: 32, mask_bits: 32, operations, emulated: true }
    }
}

/// A group of plane operations; a target supports all operations of the group or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaneOperation {
    /// Election of one active lane.
    Elect,
    /// Whether a condition holds in any or in all lanes.
    Vote,
    /// A mask of the lanes in which a condition holds.
    Ballot,
    /// A reduction over all lanes.
    Reduce,
    /// Prefix sums and other scans.
    Scan,
    /// A broadcast of one lane's value.
    Broadcast,
    /// A read of another lane's value.
    Shuffle,
    /// A barrier for the lanes of a plane.
    Barrier,
}

impl PlaneOperation {
    /// All groups, in declaration order.
    pub const ALL: [PlaneOperation; 8] = [
        PlaneOperation::Elect,
        PlaneOperation::Vote,
        PlaneOperation::Ballot,
        PlaneOperation::Reduce,
        PlaneOperation::Scan,
        PlaneOperation::Broadcast,
        PlaneOperation::Shuffle,
        PlaneOperation::Barrier,
    ];
}

/// The degree of support for an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The chip has instructions for the type.
    Native,
    /// Cube expands operations on the type to operations on other types, with the same results as native
    /// instructions.
    Emulated,
    /// The chip only loads, stores and converts values of the type.
    Storage,
}

/// A read-modify-write operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtomicOperation {
    /// Addition (and, for integers, subtraction).
    Add,
    /// Minimum and maximum.
    MinMax,
    /// Bitwise and, or, and exclusive or.
    Bits,
    /// Exchange.
    Exchange,
    /// Compare and exchange.
    CompareExchange,
}

impl AtomicOperation {
    /// All operations, in declaration order.
    pub const ALL: [AtomicOperation; 5] = [
        AtomicOperation::Add,
        AtomicOperation::MinMax,
        AtomicOperation::Bits,
        AtomicOperation::Exchange,
        AtomicOperation::CompareExchange,
    ];
}

/// A memory space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Number of the address space in LLVM; 0 for a backend without LLVM.
    pub llvm: u32,
    /// Width of an address, in bits.
    pub address_bits: u32,
    /// Maximum bytes, per cube for shared memory and per unit for local memory. `None` if only the memory of the device
    /// is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Maximum bytes that the code can reserve statically. If a kernel needs more memory, the launch must request it.
    /// `None` if this limit does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_bytes: Option<u64>,
}

/// The memory spaces of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceKind {
    /// Global memory, which contains the buffers.
    Global,
    /// Shared memory of one cube.
    Shared,
    /// Local memory of one unit.
    Local,
}

/// Limits of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Maximum units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Maximum units of a cube.
    pub units_per_cube: u32,
    /// Maximum cubes of a launch along x, y, z.
    pub cube_count: [u32; 3],
    /// Whether these numbers, and the bytes of shared memory, are minimums that every device guarantees. If
    /// `guaranteed` is true, a device can have higher limits. The compiler then only warns about a kernel that exceeds
    /// the minimums, and the runtime compares the kernel with the limits of its device. If `guaranteed` is false, the
    /// compiler refuses the kernel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guaranteed: bool,
}

impl SpaceKind {
    /// All memory spaces, in declaration order.
    pub const ALL: [SpaceKind; 3] = [SpaceKind::Global, SpaceKind::Shared, SpaceKind::Local];
}

impl Target {
    /// The description of a known chip; `None` for an unknown backend or chip.
    pub fn known(backend: &str, chip: &str) -> Option<Target> {
        match backend {
            cpu::BACKEND => cpu::target(chip),
            nvptx::BACKEND => nvptx::target(chip),
            amdgpu::BACKEND => amdgpu::target(chip),
            spirv::BACKEND => spirv::target(chip),
            wgsl::BACKEND => wgsl::target(chip),
            _ => None,
        }
    }

    /// A minimal description with which the author of a new backend can start. The minimal description has numbers of
    /// up to 64 bits, one unit per plane, the functions of IEEE 754, and the integer operations for which C has a
    /// builtin. The minimal description has neither atomic operations nor barriers. The fields of the description
    /// are public: add the features that the chip has, and remove the features that the chip lacks.
    pub fn minimal(backend: &str, chip: &str) -> Target {
        let native = |element: &Element| match element {
            Element::I1 | Element::I8 | Element::I16 | Element::I32 | Element::I64 | Element::F32 | Element::F64 => {
                Some((*element, Support::Native))
            }
            _ => None,
        };
        let space = Space { llvm: 0, address_bits: 64, bytes: None, static_bytes: None };
        Target {
            version: VERSION,
            backend: backend.into(),
            chip: chip.into(),
            planes: Planes { widths: vec![1], width: 1, mask_bits: 32, operations: vec![], emulated: false },
            elements: Element::ALL.iter().filter_map(native).collect(),
            atomics: BTreeMap::new(),
            spaces: SpaceKind::ALL.map(|kind| (kind, space)).into(),
            access_bits: 128,
            coarsens: None,
            launch_guards: false,
            index_bits: 64,
            barriers: false,
            limits: Limits { cube_dim: [1024; 3], units_per_cube: 1024, cube_count: [u32::MAX; 3], guaranteed: false },
            shared_atomics: None,
            listed_atomics_only: true,
            typed_memory: true,
            capabilities: vec![],
            language: None,
            math: unit::exact(MathFunction::ieee(), &[Element::F32, Element::F64]).collect(),
            integers: of_llvm(),
            conversions: BTreeMap::new(),
            costs: BTreeMap::new(),
            estimated_costs: vec![],
            latencies: BTreeMap::new(),
            estimated_latencies: vec![],
            resident_planes: None,
            registers: None,
            matrices: vec![],
            copies: vec![],
            machine: None,
        }
    }

    /// The sentence of reference pages about a backend whose code was not tested on hardware.
    pub fn evidence(backend: &str) -> Option<&'static str> {
        (backend == amdgpu::BACKEND).then_some("Tests emulate code for `amdgpu`; they do not run it on hardware.")
    }

    /// The known chips of a backend.
    pub fn chips(backend: &str) -> Vec<&'static str> {
        match backend {
            cpu::BACKEND => cpu::chips(),
            nvptx::BACKEND => nvptx::chips(),
            amdgpu::BACKEND => amdgpu::chips(),
            spirv::BACKEND => spirv::chips(),
            wgsl::BACKEND => wgsl::chips(),
            _ => Vec::new(),
        }
    }

    /// The default chip of a backend, for a target that does not name a chip.
    pub fn default_chip(backend: &str) -> Option<&'static str> {
        match backend {
            cpu::BACKEND => Some(cpu::DEFAULT),
            nvptx::BACKEND => Some(nvptx::DEFAULT),
            amdgpu::BACKEND => Some(amdgpu::DEFAULT),
            spirv::BACKEND => Some(spirv::DEFAULT),
            wgsl::BACKEND => Some(wgsl::DEFAULT),
            _ => None,
        }
    }

    /// The names of the backends whose chips this crate describes.
    pub fn backends() -> [&'static str; 5] {
        [cpu::BACKEND, nvptx::BACKEND, amdgpu::BACKEND, spirv::BACKEND, wgsl::BACKEND]
    }

    /// The description of a chip, or of the backend's default chip if `chip` is `None`. For an unknown chip the result
    /// is [`Target::minimal`], because the features of the chip are unknown.
    pub fn promised(backend: &str, chip: Option<&str>) -> Target {
        let named = chip.or_else(|| Target::default_chip(backend));
        let known = named.and_then(|chip| Target::known(backend, chip));
        known.unwrap_or_else(|| Target::minimal(backend, named.unwrap_or("unknown")))
    }

    /// The same chip with another plane width; `None` if the chip does not support this width.
    pub fn with_plane_width(mut self, width: u32) -> Option<Target> {
        if self.backend == amdgpu::BACKEND
            && let Some(local) = self.spaces.get_mut(&SpaceKind::Local)
        {
            // The hardware limits the local memory of a whole plane.
            local.bytes = local.bytes.map(|bytes| bytes * u64::from(self.planes.width) / u64::from(width.max(1)));
        }
        self.planes.width = width;
        self.planes.widths.contains(&width).then_some(self)
    }

    /// The atomic operations for which the chip has an instruction in a memory space.
    pub fn atomics_in(&self, space: SpaceKind, element: Element) -> &[AtomicOperation] {
        let shared = self.shared_atomics.as_ref().filter(|_| space == SpaceKind::Shared);
        shared.unwrap_or(&self.atomics).get(&element).map_or(&[], Vec::as_slice)
    }

    /// Whether the chip supports an atomic operation on an element type in a memory space, by an instruction or by a
    /// compare-exchange loop ([`Target::listed_atomics_only`]). If `operation` is `None`, the function tests atomic
    /// loads and stores. The chip supports atomic loads and stores of a type if it supports any other atomic operation
    /// on the type.
    pub fn has_atomic(&self, space: SpaceKind, element: Element, operation: Option<AtomicOperation>) -> bool {
        let compares = |word: &Element| self.atomics_in(space, *word).contains(&AtomicOperation::CompareExchange);
        let mut words = Element::ALL.iter().filter(|e| e.class() != Class::Float && e.bits() >= element.bits());
        let loops = !self.listed_atomics_only && words.any(compares);
        let listed = self.atomics_in(space, element);
        loops || operation.map_or(!listed.is_empty(), |operation| listed.contains(&operation))
    }

    /// The target in the syntax `BACKEND:CHIP`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.backend, self.chip)
    }

    /// A memory space.
    pub fn space(&self, kind: SpaceKind) -> Option<&Space> {
        self.spaces.get(&kind)
    }

    /// Support for an element type; `None` if the target does not support the type.
    pub fn arithmetic(&self, element: Element) -> Option<Support> {
        self.elements.get(&element).copied()
    }

    /// The accuracy of a float function; `None` if the function is not native. For an emulated element type
    /// the result is the accuracy for `f32`, because the function is computed in `f32`.
    pub fn math_accuracy(&self, function: MathFunction, element: Element) -> Option<MathAccuracy> {
        let element = if self.arithmetic(element) == Some(Support::Emulated) { Element::F32 } else { element };
        self.math.get(&function)?.get(&element).copied()
    }

    /// Whether the chip has an integer operation.
    pub fn has_integer(&self, function: IntegerFunction, element: Element) -> bool {
        self.integers.get(&function).is_some_and(|elements| elements.contains(&element))
    }

    /// Whether a conversion to a float is one operation, and therefore rounds at most once.
    pub fn converts(&self, from: Element, to: Element) -> bool {
        self.conversions.get(&from).is_some_and(|elements| elements.contains(&to))
    }

    /// The cost of a class of operations, relative to [`CostClass::UNIT`].
    pub fn cost(&self, class: CostClass) -> u32 {
        self.costs.get(&class).copied().unwrap_or(CostClass::UNIT)
    }

    /// The latency of an operation, in cycles from the operands to the result; 0 if it is unknown.
    pub fn latency(&self, class: CostClass) -> u32 {
        self.latencies.get(&class).copied().unwrap_or(0)
    }

    /// Whether the target supports a group of plane operations.
    pub fn has_plane(&self, operation: PlaneOperation) -> bool {
        self.planes.operations.contains(&operation)
    }

    /// The fields of the description as JSON, with the structure of the module's attribute `cube.target`.
    pub fn to_fields(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("every field is a number, a text, a list or a struct of them")
    }

    /// Parses the result of [`Target::to_fields`], and checks that the fields are consistent.
    ///
    /// # Errors
    /// A field is unknown, missing or has the wrong type. The version is not [`VERSION`]. Two fields
    /// contradict each other.
    pub fn from_fields(fields: serde_json::Value) -> Result<Target, Contradiction> {
        let version = fields.get("version").and_then(serde_json::Value::as_u64);
        if let Some(other) = version.filter(|v| *v != u64::from(VERSION)) {
            return Err(Contradiction(format!(
                "it is of version {other}, this compiler reads version {VERSION}: describe the target again with `--attach-target`"
            )));
        }
        let target: Target = serde_json::from_value(fields).map_err(|e| Contradiction(e.to_string()))?;
        target.check()?;
        Ok(target)
    }
}
