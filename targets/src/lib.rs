//! The description of a target: the features of a chip as plain data, without MLIR.
//!
//! A [`Target`] describes one chip. The driver attaches it to the module as the attribute `cube.target`. Passes, backends, runtimes and
//! the generated pages read it, and never compare a target's name. A new chip is one entry in one of the tables of this crate. A backend
//! outside of this tree creates its own values.
//!
//! The documentation of a field states whether a size is in bits or bytes. Every limit is the largest allowed value.
#![forbid(unsafe_code)]

mod amdgpu;
mod check;
mod cpu;
mod element;
mod format;
mod nvptx;
mod spirv;
#[cfg(test)]
mod tests;
mod unit;
mod wgsl;

pub use check::Contradiction;
pub use element::{Class, Element, HostType, Number, Sign};
pub use format::{Format, Special};
pub use unit::{CopyEngine, CostClass, IntegerFunction, Math, MathForm, MathFunction, Matrix};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the fields below. A description of another version is refused, because the meaning of a field can differ.
pub const VERSION: u32 = 2;

/// Description of one chip: the operations, types and limits that the compiler reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// [`VERSION`] of the fields.
    pub version: u32,
    /// Name of the backend: `cpu`, `nvptx`, `amdgpu`, `spirv`, `wgsl`.
    pub backend: String,
    /// Name of the chip in the terms of the backend: `sm_90a`, `gfx942`.
    pub chip: String,
    /// Planes (warps, wavefronts, subgroups).
    pub planes: Planes,
    /// Arithmetic of element types. A type that is not listed can neither be stored nor computed with.
    pub elements: BTreeMap<Element, Support>,
    /// Atomic operations with an instruction. Other atomics are a compare-exchange loop, or are unsupported.
    pub atomics: BTreeMap<Element, Vec<AtomicOperation>>,
    /// Memory spaces.
    pub spaces: BTreeMap<SpaceKind, Space>,
    /// Widest load or store of one unit, in bits.
    pub access_bits: u32,
    /// Whether one unit can take over the work of several neighbouring units. This requires hardware that schedules units, and a launcher
    /// that reads the cube count from the artifact. One unit with wider accesses then replaces several.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub coarsens: bool,
    /// Width of native address arithmetic, in bits.
    pub index_bits: u32,
    /// Whether all units of a cube can wait at a barrier.
    pub barriers: bool,
    /// Limits of a launch.
    pub limits: Limits,
    /// Atomic operations in shared memory, if they differ from `atomics`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_atomics: Option<BTreeMap<Element, Vec<AtomicOperation>>>,
    /// Whether the listed atomics are the only ones. A code generator such as LLVM's emulates other atomics by a loop around a listed
    /// compare-exchange of integers of at least the same width. A shading language cannot do this, because it cannot reinterpret memory
    /// of one type as another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listed_atomics_only: bool,
    /// Declarations that code requires for the listed features: capabilities of SPIR-V, extensions of WGSL.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Version of the chip's language or instruction set, if it has versions: 10 times the major number plus the minor
    /// number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<u32>,
    /// Functions of floats that the code generator or the language has, with their errors. Legalisation keeps the
    /// functions that satisfy Cube's published bound, and expands the others. Emulated elements use the functions of
    /// `f32`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub math: Math,
    /// Operations of integers that the code generator or the language has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub integers: BTreeMap<IntegerFunction, Vec<Element>>,
    /// Conversions to a narrower float that round once, to nearest even: from an element to others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conversions: BTreeMap<Element, Vec<Element>>,
    /// Relative costs of classes of operations; a class that is not listed costs [`CostClass::UNIT`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<CostClass, u32>,
    /// Classes of `costs` with an estimated number, without a document or measurement as its source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimated_costs: Vec<CostClass>,
    /// Latencies of operations, in cycles from the operands to the result; 0 for a class that is not listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latencies: BTreeMap<CostClass, u32>,
    /// Classes of `latencies` with estimated numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimated_latencies: Vec<CostClass>,
    /// The number of planes between which one scheduler switches at full occupancy. The other planes hide the latency
    /// of a plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_planes: Option<u32>,
    /// The number of 32-bit registers that a unit can have at full occupancy. More registers reduce the occupancy, or
    /// spill to memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Products of matrices that a plane computes in one instruction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<Matrix>,
    /// Copy engines that move data to shared memory asynchronously.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyEngine>,
}

/// Alignment of shared allocations in bytes on every chip: the widest access of a unit on GPUs. Proofs of alignment
/// rely on it, and each lowering of shared memory guarantees it.
pub const SHARED_ALIGNMENT: u64 = 16;

/// The assumptions about the chip of a module without a description. They hold for every chip.
pub struct Undescribed {
    /// Numbers of units that a plane can have. [`Target::check`] refuses a description with another width.
    pub widths: &'static [u32],
    /// The plane width for estimates about a plane.
    pub width: u32,
    /// Bits of an index that suffice for every chip.
    pub index_bits: u32,
}

/// A module without a description is for any chip.
pub const UNDESCRIBED: Undescribed = Undescribed { widths: &[1, 2, 4, 8, 16, 32, 64, 128], width: 32, index_bits: 64 };

impl Undescribed {
    /// The most units that a plane can have.
    pub fn widest(&self) -> u32 {
        self.widths.last().copied().unwrap_or(1)
    }
}

/// Planes of a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planes {
    /// The plane widths that the chip supports, in ascending order; powers of two.
    pub widths: Vec<u32>,
    /// The default width; a kernel can request another element of `widths`.
    pub width: u32,
    /// Width of a mask with a bit for each lane, in bits; at least the largest of `widths`.
    pub mask_bits: u32,
    /// Supported groups of operations.
    pub operations: Vec<PlaneOperation>,
}

/// A group of plane operations that targets support as a whole.
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
    /// A barrier of the lanes.
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

/// The implementation of a type or operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The chip has instructions.
    Native,
    /// Cube expands it to instructions of other types; the results equal native results.
    Emulated,
    /// Loads, stores and conversions only.
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
    /// And, or, exclusive or.
    Bits,
    /// Exchange.
    Exchange,
    /// Compare and exchange.
    CompareExchange,
}

/// A memory space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Number of the address space in LLVM, or 0.
    pub llvm: u32,
    /// Width of an address, in bits.
    pub address_bits: u32,
    /// Maximum bytes: per cube for shared memory, per unit for local memory. `None` if only the memory of the device is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Maximum bytes that the code can reserve statically. The launch requests memory beyond this limit. `None` if this limit does not
    /// exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_bytes: Option<u64>,
}

/// The memory spaces of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceKind {
    /// Memory of the device: buffers.
    Global,
    /// Memory of a cube.
    Shared,
    /// Memory of a unit.
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
}

impl SpaceKind {
    /// All spaces, in declaration order.
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

    /// A minimal description, as a start for an unknown backend: numbers of up to 64 bits, one unit per plane, neither
    /// atomics nor barriers, the functions of IEEE 754, and the integer operations for which C has a builtin. The
    /// fields are public: add the features of the chip, and remove the features that it lacks.
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
            planes: Planes { widths: vec![1], width: 1, mask_bits: 32, operations: vec![] },
            elements: Element::ALL.iter().filter_map(native).collect(),
            atomics: BTreeMap::new(),
            spaces: SpaceKind::ALL.map(|kind| (kind, space)).into(),
            access_bits: 128,
            coarsens: false,
            index_bits: 64,
            barriers: false,
            limits: Limits { cube_dim: [1024; 3], units_per_cube: 1024, cube_count: [u32::MAX; 3] },
            shared_atomics: None,
            listed_atomics_only: true,
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
        }
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

    /// The default chip, if a target names none.
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

    /// The names of the known backends. Some backends cannot generate code yet: the driver lists the backends that can.
    pub fn backends() -> [&'static str; 5] {
        [cpu::BACKEND, nvptx::BACKEND, amdgpu::BACKEND, spirv::BACKEND, wgsl::BACKEND]
    }

    /// The description of a chip, or of the backend's default chip if `chip` is `None`. An unknown chip gets [`Target::minimal`], because
    /// features without a description cannot be assumed.
    pub fn promised(backend: &str, chip: Option<&str>) -> Target {
        let named = chip.or_else(|| Target::default_chip(backend));
        let known = named.and_then(|chip| Target::known(backend, chip));
        known.unwrap_or_else(|| Target::minimal(backend, named.unwrap_or("unknown")))
    }

    /// The same chip with another plane width; `None` if it does not have that width.
    pub fn with_plane_width(mut self, width: u32) -> Option<Target> {
        self.planes.width = width;
        self.planes.widths.contains(&width).then_some(self)
    }

    /// The atomic operations with an instruction in a memory space.
    pub fn atomics_in(&self, space: SpaceKind, element: Element) -> &[AtomicOperation] {
        let shared = self.shared_atomics.as_ref().filter(|_| space == SpaceKind::Shared);
        shared.unwrap_or(&self.atomics).get(&element).map_or(&[], Vec::as_slice)
    }

    /// Whether an atomic operation of an element in a memory space is supported: by an instruction, or by a compare-exchange loop
    /// ([`Target::listed_atomics_only`]). `None` means atomic loads and stores, which are supported if any atomic of the element is.
    pub fn has_atomic(&self, space: SpaceKind, element: Element, operation: Option<AtomicOperation>) -> bool {
        let compares = |word: &Element| self.atomics_in(space, *word).contains(&AtomicOperation::CompareExchange);
        let mut words = Element::ALL.iter().filter(|e| e.class() != Class::Float && e.bits() >= element.bits());
        let loops = !self.listed_atomics_only && words.any(compares);
        let listed = self.atomics_in(space, element);
        loops || operation.map_or(!listed.is_empty(), |operation| listed.contains(&operation))
    }

    /// `BACKEND:CHIP`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.backend, self.chip)
    }

    /// A memory space.
    pub fn space(&self, kind: SpaceKind) -> Option<&Space> {
        self.spaces.get(&kind)
    }

    /// Support for arithmetic in an element type; `None` if it is unsupported.
    pub fn arithmetic(&self, element: Element) -> Option<Support> {
        self.elements.get(&element).copied()
    }

    /// The form of a float function. An emulated element has the form of `f32`, in which it is computed.
    pub fn math_form(&self, function: MathFunction, element: Element) -> Option<MathForm> {
        let element = if self.arithmetic(element) == Some(Support::Emulated) { Element::F32 } else { element };
        self.math.get(&function)?.get(&element).copied()
    }

    /// Whether the chip has an integer operation.
    pub fn has_integer(&self, function: IntegerFunction, element: Element) -> bool {
        self.integers.get(&function).is_some_and(|elements| elements.contains(&element))
    }

    /// Whether a conversion to a narrower float is one operation, and therefore rounds once.
    pub fn converts(&self, from: Element, to: Element) -> bool {
        self.conversions.get(&from).is_some_and(|elements| elements.contains(&to))
    }

    /// The cost of a class, relative to [`CostClass::UNIT`].
    pub fn cost(&self, class: CostClass) -> u32 {
        self.costs.get(&class).copied().unwrap_or(CostClass::UNIT)
    }

    /// The latency of an operation, in cycles from the operands to the result; 0 if it is unknown.
    pub fn latency(&self, class: CostClass) -> u32 {
        self.latencies.get(&class).copied().unwrap_or(0)
    }

    /// Whether a group of plane operations is supported.
    pub fn has_plane(&self, operation: PlaneOperation) -> bool {
        self.planes.operations.contains(&operation)
    }

    /// The fields as a tree of numbers, texts, lists and objects, in the form of the module's attribute.
    pub fn to_fields(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("every field is a number, a text, a list or a struct of them")
    }

    /// Parses [`Target::to_fields`], and checks that the fields are consistent.
    ///
    /// # Errors
    /// A field is unknown, missing or of another type, the version differs, or fields contradict each other.
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

/// Integer operations of a backend that uses LLVM or C.
pub(crate) fn of_llvm() -> BTreeMap<IntegerFunction, Vec<Element>> {
    let all = [Element::I1, Element::I8, Element::I16, Element::I32, Element::I64];
    IntegerFunction::OF_LLVM.map(|function| (function, all.to_vec())).into()
}
