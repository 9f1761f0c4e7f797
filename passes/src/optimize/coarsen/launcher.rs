//! The parts of a launch that the launcher computes for both forms of coarsening: the end of the wide form, and the conditions of
//! alignment.
use super::plan::{Guard, Plan};
use crate::analysis::launch::argument;
use crate::analysis::launch_bounds::exact;
use cube_dialect::{KernelArg, TopologyKind, ops};
use cube_ir::ops::arith;
use cube_ir::upstream::IntCmp;
use cube_ir::{Failed, Op, Val};
use std::collections::HashSet;

/// Maximum number of ends that the launcher compares, and maximum length of the expression of one of them. Further ends are
/// compared in the kernel.
const MAX_ENDS: usize = 16;
const MAX_END: usize = 160;

/// The end of the positions for which the wide form is valid.
pub(super) struct WideEnd<'p> {
    /// Numbers that the launcher computes. The end is the smallest number.
    pub ends: Vec<String>,
    /// The accesses whose buffers are not arguments, and the conditions that the launcher cannot compute.
    pub buffers: Vec<Val<'p>>,
    pub conditions: Vec<Guard<'p>>,
}

impl<'p> WideEnd<'p> {
    pub fn of(kernel: ops::Kernel<'p>, plan: &Plan<'p>) -> Self {
        let (mut ends, mut buffers, mut conditions): (Vec<String>, Vec<Val<'p>>, _) = (vec![], vec![], vec![]);
        let add = |end: Option<String>, ends: &mut Vec<String>| match end {
            Some(end) if ends.contains(&end) => true,
            Some(end) if ends.len() < MAX_ENDS && end.len() <= MAX_END => {
                ends.push(end);
                true
            }
            _ => false,
        };
        let mut known = HashSet::new();
        // If the launcher splits the launch, an unchecked access ends at the length too. The buffer then has at least one
        // element of the array of vectors, as WebGPU requires.
        for access in plan.wide.iter().filter(|access| (access.checked || plan.by_cubes) && access.index.is_none()) {
            if known.insert(access.buffer) {
                let number = argument(kernel, access.buffer);
                let end = number.map(|number| format!("buffer_len({})", kernel.arg_name(number)));
                if !add(end, &mut ends) {
                    buffers.push(access.buffer);
                }
            }
        }
        for guard in &plan.conditions {
            if !add(limit_of(kernel, plan, guard), &mut ends) {
                conditions.push(*guard);
            }
        }
        WideEnd { ends, buffers, conditions }
    }
}

// The number below which the position is, if that is the condition of a branch, and the launcher can compute the number.
fn limit_of<'p>(kernel: ops::Kernel<'p>, plan: &Plan<'p>, guard: &Guard<'p>) -> Option<String> {
    let compare = guard.condition.def_of(arith::CMPI)?;
    let (position, limit) = match (arith::Cmpi::of(compare)?.predicate()?, guard.truth) {
        (IntCmp::Ult, true) | (IntCmp::Uge, false) => (0, 1),
        (IntCmp::Ugt, true) | (IntCmp::Ule, false) => (1, 0),
        _ => return None,
    };
    let limit = compare.operand(limit);
    plan.is_position(compare.operand(position)).then(|| exact(kernel, limit))?.map(|number| number.text)
}

/// Whether a kernel with linear positions runs equally if all cubes are along x.
pub(super) fn ignores_rows(kernel: ops::Kernel<'_>) -> bool {
    let other = |op: Op<'_>| {
        let kind = ops::Topology::of(op).map(|topology| topology.kind());
        matches!(kind, Some(TopologyKind::AbsolutePosY | TopologyKind::AbsolutePosZ))
    };
    kernel.facts().cube_dim[0] >= 4 && !kernel.op().walk().into_iter().any(other)
}

impl<'p> Plan<'p> {
    /// The conditions that the buffers of the wide accesses are aligned.
    pub fn aligned_buffers(&self, kernel: ops::Kernel<'p>) -> Vec<String> {
        let mut guards = vec![];
        for arg in &kernel.facts().args {
            let KernelArg::Buffer(buffer) = arg else { continue };
            let bytes = buffer.ty.line_bytes() * self.taken;
            if self.wide.iter().any(|access| access.buffer == buffer.value)
                && !u64::from(buffer.align).is_multiple_of(bytes)
            {
                guards.push(format!("eq(rem(offset({}), {bytes}), 0)", buffer.name));
            }
        }
        guards
    }
}

/// The kind of a position.
pub(super) fn topology_of(op: Op<'_>) -> Result<TopologyKind, Failed> {
    ops::Topology::of(op).map(|topology| topology.kind()).ok_or(Failed)
}
