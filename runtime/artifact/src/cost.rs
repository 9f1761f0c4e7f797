//! The cost profile of a compiled kernel, and the prediction of a launch's time.
//!
//! The compiler writes a [`Profile`]. A profile contains the kernel's blocks with counts of operations, its memory
//! accesses, and the integer operations on which addresses, branches and trip counts depend. [`Profile::predict`]
//! evaluates these integer operations for the units of one cube in the middle of a launch. The prediction needs no
//! compiler, so a runtime can compare candidates before it runs one of them.
//!
//! The time of a launch is the 4-norm of five times (the fourth root of the sum of their fourth powers), plus the time
//! of an empty launch:
//!
//! | time | amount | rate |
//! |---|---|---|
//! | issue | instructions of all planes, or the busiest class of operations | schedulers x clock |
//! | memory pipeline | groups of 128 bytes, or conflicts of banks, of each access of a plane | multiprocessors x clock |
//! | cache | distinct sectors of 32 bytes that a cube accesses | bytes per cycle of the machine |
//! | global memory | bytes of the cache time, at most the size of the buffer | 0.92 of the machine's peak rate |
//! | latency | waits of one plane, for each round of resident cubes | clock |
//!
//! The norm models two effects: the times overlap, and a kernel that is close to two limits reaches neither limit. Five
//! numbers are estimates: the exponent, the factor 0.92, the start of a cube, the number of iterations whose loads
//! overlap, and the time of an empty launch. benches/results/2026-11-29-cost-model.md compares predictions with times
//! of one H200.
mod evaluate;
mod predict;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::profile as sample_profile;

pub use predict::{AccessCost, Assumption, Limit, Prediction, Resource, Term};

use crate::Param;
use cube_target::{CostClass, Machine};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The properties of a kernel from which the time of a launch is predicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Name of the kernel.
    pub kernel: String,
    /// The parameters, in the order of a launch's arguments.
    pub params: Vec<Param>,
    /// The board (number of multiprocessors, clock and rates) for which the prediction is made.
    pub machine: Machine,
    /// Units of a cube along x, y, z.
    pub cube_dim: [u32; 3],
    /// Units of a plane.
    pub plane_dim: u32,
    /// Expressions of the executed cube counts, as in [`Artifact::cube_count`](crate::Artifact::cube_count).
    pub cube_count: Option<[String; 3]>,
    /// The estimated number of 32-bit registers of a unit.
    pub registers: u32,
    /// The 32-bit registers of a multiprocessor.
    pub register_file: u32,
    /// Bytes of shared memory of a cube.
    pub shared_bytes: u32,
    /// Maximum number of planes of one scheduler.
    pub resident_planes: u32,
    /// Costs of the target's classes of operations.
    pub costs: BTreeMap<CostClass, u32>,
    /// Latencies of the target's classes of operations, in cycles.
    pub latencies: BTreeMap<CostClass, u32>,
    /// The integer operations of the kernel. The operands of a node precede the node.
    pub nodes: Vec<Node>,
    /// The blocks of the kernel. A block follows the block that contains it; the first block is the kernel.
    pub blocks: Vec<Block>,
    /// The accesses of the kernel.
    pub accesses: Vec<Access>,
}

/// An integer value that the kernel computes or reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// A value that the prediction cannot compute, for example a value from memory.
    Unknown,
    /// A constant.
    Number(u64),
    /// An expression over the launch ([`Derived`](crate::derived::Derived)).
    Launch(String),
    /// The position of the unit in its cube along an axis.
    Unit(u8),
    /// The position of the cube along an axis.
    Cube(u8),
    /// The number of executed cubes along an axis.
    Count(u8),
    /// The counter of a loop, which is the block with this number.
    Counter(u32),
    /// The value of the first number in the lane of the plane that the second number selects.
    Lane(u32, u32),
    /// A function of two numbers of `bits` bits.
    Binary {
        /// The function.
        function: Function,
        /// The width of the operands.
        bits: u8,
        /// The first operand.
        x: u32,
        /// The second operand.
        y: u32,
    },
    /// The lowest bits of a number.
    Low {
        /// The number.
        x: u32,
        /// The number of bits.
        bits: u8,
    },
    /// A number of `bits` bits, extended by its sign to 64 bits.
    Signed {
        /// The number.
        x: u32,
        /// The width of the number.
        bits: u8,
    },
    /// A select: the second number if the first number is not 0, otherwise the third number.
    Select(u32, u32, u32),
}

/// A function of two integers. Comparisons give 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Function {
    Add,
    Sub,
    Mul,
    DivU,
    RemU,
    MinU,
    MaxU,
    MinS,
    MaxS,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    DivS,
    RemS,
    Eq,
    Ne,
    LtU,
    LeU,
    LtS,
    LeS,
}

/// Operations that run together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The number of the block that contains this block.
    pub parent: u32,
    /// The construct that executes the block: the kernel, a loop, or an arm of a branch.
    pub kind: BlockKind,
    /// Operations of one unit, by class. Accesses are not counted here.
    pub counts: BTreeMap<CostClass, u32>,
    /// Other instructions of one unit, for example plane operations.
    pub others: u32,
    /// Barriers of the cube.
    pub barriers: u32,
    /// The location of the loop or branch in the source.
    pub location: String,
}

/// The construct that executes a block: the kernel, a loop, or an arm of a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// The kernel itself.
    #[default]
    Kernel,
    /// A loop with a counter. The fields are the numbers of the nodes for its bounds and its step.
    Loop {
        /// The first value of the counter.
        from: u32,
        /// The exclusive upper bound of the counter.
        to: u32,
        /// The step.
        step: u32,
        /// The width of the counter.
        bits: u8,
        /// Whether the bounds of the loop are signed integers.
        signed: bool,
    },
    /// A loop whose trip count is unknown.
    While,
    /// An arm of a branch: the number of its condition, and the value for which the arm runs.
    Arm(u32, bool),
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The block of the access.
    pub block: u32,
    /// The accessed memory.
    pub memory: Memory,
    /// Kind of the access.
    pub kind: AccessKind,
    /// Bytes that one unit accesses.
    pub bytes: u32,
    /// The index, as the number of a node.
    pub index: u32,
    /// Bytes of the element that the index counts.
    pub element: u32,
    /// The location in the source.
    pub location: String,
}

/// The memory of an access.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Memory {
    /// A buffer argument, by name.
    Global(String),
    /// Shared memory, with the number of the allocation.
    Shared(u32),
    /// Memory of a unit.
    Local,
}

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic operation.
    Atomic,
}

/// The properties of a launch on which a prediction depends: cube counts, scalars, and the lengths of buffers in lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The requested cubes along x, y, z.
    pub cubes: [u64; 3],
    /// Scalars by name.
    pub scalars: BTreeMap<String, u64>,
    /// The lengths of buffers in lines, by name. The prediction assumes that each buffer begins at a multiple of 256
    /// bytes.
    pub lengths: BTreeMap<String, u64>,
}

impl Facts {
    /// Parses a text such as `cubes=64x2,n=4096,x=65536`. For a buffer, the number is its length in lines.
    ///
    /// # Errors
    /// The error names the wrong part, and the expected form.
    pub fn parse(text: &str, is_buffer: impl Fn(&str) -> bool) -> Result<Facts, String> {
        let mut facts = Facts { cubes: [1; 3], ..Facts::default() };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong =
                || format!("'{part}' is not a fact of a launch; write NAME=NUMBER, or cubes=X, cubes=XxY, cubes=XxYxZ");
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            if name == "cubes" {
                let counts: Vec<u64> =
                    value.split('x').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
                if counts.is_empty() || counts.len() > 3 {
                    return Err(wrong());
                }
                counts.iter().enumerate().for_each(|(axis, count)| facts.cubes[axis] = *count);
                continue;
            }
            let number =
                value.parse::<u64>().or_else(|_| value.parse::<i64>().map(|n| n as u64)).map_err(|_| wrong())?;
            let list = if is_buffer(name) { &mut facts.lengths } else { &mut facts.scalars };
            list.insert(name.into(), number);
        }
        Ok(facts)
    }
}

impl crate::derived::Arguments for Facts {
    fn scalar(&self, name: &str) -> Option<u64> {
        self.scalars.get(name).copied()
    }

    fn of(&self, property: crate::derived::Property, name: &str, dimension: u32) -> Option<u64> {
        use crate::derived::Property::{BufferLen, Len, Offset, Rank, Shape, Stride};
        let length = || self.lengths.get(name).copied();
        match property {
            Len | BufferLen => length(),
            Offset => Some(0),
            Rank => Some(1),
            Shape => {
                if dimension == 0 {
                    length()
                } else {
                    Some(0)
                }
            }
            Stride => Some(u64::from(dimension == 0)),
        }
    }

    fn cubes(&self, axis: u32) -> Option<u64> {
        self.cubes.get(axis as usize).copied()
    }
}
