//! Run-time state of a unit and of a launch.
use crate::findings::{Find, Log, UnitCoordinates};
use crate::memory::{AccessingUnit, Buffer, PlaneBarriers};
use crate::program::{Inst, Program};
use cube_semantics::ints::signed;

/// The poison value that marks an unwritten slot of local memory.
pub(crate) const UNWRITTEN: u32 = u32::MAX;
/// The state of one unit.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Number of the unit in the launch.
    pub number: u64,
    /// Number of the cube in the launch.
    pub cube: u64,
    /// Number of the plane in the cube.
    pub plane: u32,
    /// Number of the unit in the plane.
    pub lane: u32,
    /// Position of the unit and of its cube.
    pub at: UnitCoordinates,
    /// The next instruction. The program counter of a waiting unit is the instruction at which the unit
    /// waits.
    pub pc: usize,
    /// The slots of all values.
    pub slots: Vec<u64>,
    /// For each slot, the number plus one of the site that made the slot poison, or zero. The list is empty if
    /// no finding is enabled.
    pub poison: Vec<u32>,
}

/// The reason why a unit stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The unit reached its end, or executed an unsupported operation.
    Ended,
    /// The unit waits for other units.
    Waits,
    /// The time slice of the unit ended.
    Paused,
}

/// State that all units of a launch share.
pub(crate) struct Machine<'a> {
    pub program: &'a Program,
    pub buffers: Vec<Buffer>,
    pub find: Find,
    pub log: Log,
    pub steps: u64,
    pub max_steps: u64,
    pub cube_count: [u32; 3],
    /// Units of a plane.
    pub plane_dim: u32,
    /// Cubes of a cluster.
    pub cluster_dim: [u32; 3],
    /// The number of passed barriers of the running cube that order shared memory, and the number of passed
    /// barriers that order global memory.
    pub epochs: [u32; 2],
    /// Plane barriers that the planes of the running cube have passed.
    pub passed: PlaneBarriers,
    /// The printed texts.
    pub printed: Vec<String>,
    /// The message of the first print that reported a failure of the launch.
    pub stopped: Option<String>,
}

impl Machine<'_> {
    /// The identity of the unit, as recorded in the shadow memory of a buffer.
    pub(super) fn access_identity(&self, unit: &Unit, shared: bool) -> AccessingUnit {
        AccessingUnit {
            unit: unit.number,
            cube: unit.cube,
            plane: unit.plane,
            cube_epoch: self.epochs[usize::from(!shared)],
            lane: unit.lane,
            plane_epoch: self.passed.last(unit.plane, unit.lane),
        }
    }
}

/// The first lane of the element at a dynamic position, or `None` if the position is out of bounds.
pub(super) fn element_lane(slots: &[u64], inst: &Inst) -> Option<u32> {
    let index = slots[inst.a as usize];
    (index < u64::from(inst.imm)).then(|| index as u32 * inst.lanes)
}

/// Whether the loop counter `a` is less than the end `b`. The comparison is unsigned if `bits` is 0.
#[inline(always)]
pub(super) fn is_less(a: u64, b: u64, bits: u32) -> bool {
    if bits == 0 { a < b } else { signed(a, bits) < signed(b, bits) }
}

/// Whether the step of a loop is positive.
pub(super) fn is_positive_step(step: u64, bits: u32) -> bool {
    if bits == 0 { step != 0 } else { signed(step, bits) > 0 }
}
