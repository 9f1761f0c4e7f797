//! Live ranges of shared allocations over the phases of a kernel, and the pairs of allocations that interfere.
//!
//! ```text
//! store s[i]          phase 1: s is live
//! sync
//! load s[j]           phase 2: s and t are live
//! store t[i]
//! sync
//! load t[j]           phase 3: t and u are live, and u does not interfere with s
//! store u[i]
//! ```
//!
//! A phase begins at the start of the kernel or at a barrier of scope `cube`, and ends at the next barrier on each path
//! (`analysis/segments.rs`). All units of a cube are in the same phase at a time, because all units reach each barrier.
//! An allocation is live in a phase if the phase accesses the allocation. The allocation is also live if an access
//! precedes the phase on a path and another access follows. The first access begins the live range, also if the access
//! is a load. In a loop, a path leads from each phase to each other phase, so the allocations of a loop with barriers
//! interfere.
//!
//! Two allocations interfere if a phase exists in which both are live. If two allocations do not interfere, each path
//! from an access of the first to an access of the second has a barrier. An allocation with a use that is not an access
//! interferes with all other allocations. The cost is the size of the phases times the number of allocations, which is
//! limited.
use super::segments::{Phase, Segments};
use super::uniformity::{Uniform, Uniformity};
use cube_dialect::{BufferKind, BufferType, Scope, access_of, ops, properties::barrier_scope};
use cube_ir::{Op, Val};
use petgraph::graph::{DiGraph, NodeIndex, UnGraph};
use petgraph::visit::{Dfs, Reversed};
use std::collections::{HashMap, HashSet};

/// Maximum number of shared allocations of a kernel.
const MAX_ALLOCATIONS: usize = 256;

/// Maximum of the number of allocations times the number of phases and of transitions between them.
const MAX_STEPS: usize = 1 << 20;

/// The reason why no live ranges are known.
#[derive(Clone, Copy, Debug)]
pub enum Obstacle<'p> {
    /// Only some units can reach this barrier.
    Divergent(Op<'p>),
    /// The effects or the control flow of this operation are not known.
    Opaque(Op<'p>),
    /// The kernel has too many allocations or phases.
    Large,
}

/// The shared allocations of a kernel and the pairs that interfere.
pub struct SharedRanges<'p> {
    /// A node for each shared allocation, in source order, and an edge for each pair that interferes.
    pub graph: UnGraph<Op<'p>, ()>,
    /// The allocations with a use that is not an access: the node and the using operation.
    pub escaping: HashMap<NodeIndex, Op<'p>>,
}

/// The shared allocations of a kernel at level flat, in source order.
pub fn shared_allocations(kernel: Op<'_>) -> Vec<Op<'_>> {
    let is_shared = |op: &Op<'_>| {
        ops::Alloc::of(*op).is_some()
            && BufferType::of(op.result(0).ty()).is_some_and(|ty| ty.kind == BufferKind::Shared)
    };
    kernel.walk().into_iter().filter(is_shared).collect()
}

impl<'p> SharedRanges<'p> {
    /// The allocations of a kernel at level flat.
    ///
    /// # Errors
    /// The reason why no live ranges are known.
    pub fn of(kernel: Op<'p>) -> Result<Self, Obstacle<'p>> {
        let allocations = shared_allocations(kernel);
        if allocations.len() > MAX_ALLOCATIONS {
            return Err(Obstacle::Large);
        }
        let uniformity = Uniformity::of(kernel);
        let mut barriers: Vec<Op<'p>> = kernel.walk();
        barriers.retain(|op| barrier_scope(*op) == Some(Scope::Cube));
        if let Some(divergent) = barriers.iter().find(|op| uniformity.reached_by(**op) != Uniform::Cube) {
            return Err(Obstacle::Divergent(*divergent));
        }
        let phases = phases(kernel, &barriers)?;
        if allocations.len().saturating_mul(phases.node_count() + phases.edge_count()) > MAX_STEPS {
            return Err(Obstacle::Large);
        }
        let mut escaping = HashMap::new();
        let mut graph = UnGraph::new_undirected();
        let mut ranges: Vec<HashSet<NodeIndex>> = Vec::new();
        for allocation in allocations {
            let buffer = allocation.result(0);
            let node = graph.add_node(allocation);
            let escape = buffer.uses().into_iter().find(|(user, operand)| !is_access(*user, *operand, buffer));
            let range = live_phases(&phases, buffer);
            for (other, live) in ranges.iter().enumerate().map(|(n, live)| (NodeIndex::new(n), live)) {
                if escape.is_some() || escaping.contains_key(&other) || !range.is_disjoint(live) {
                    graph.add_edge(other, node, ());
                }
            }
            escaping.extend(escape.map(|(user, _)| (node, user)));
            ranges.push(range);
        }
        Ok(SharedRanges { graph, escaping })
    }
}

// The phases of a kernel, with an edge from each phase to the phases after it.
fn phases<'p>(kernel: Op<'p>, barriers: &[Op<'p>]) -> Result<DiGraph<Phase<'p>, ()>, Obstacle<'p>> {
    let mut segments = Segments::of(kernel);
    let mut phases = DiGraph::new();
    for start in std::iter::once(None).chain(barriers.iter().copied().map(Some)) {
        let phase = segments.phase(start).ok_or(Obstacle::Large)?;
        if let Some(op) = phase.opaque {
            return Err(Obstacle::Opaque(op));
        }
        phases.add_node(phase);
    }
    let starts: HashMap<Op<'p>, NodeIndex> =
        barriers.iter().enumerate().map(|(n, barrier)| (*barrier, NodeIndex::new(n + 1))).collect();
    for phase in phases.node_indices().collect::<Vec<_>>() {
        let next: Vec<NodeIndex> = phases[phase].ends.iter().filter_map(|end| starts.get(end).copied()).collect();
        next.into_iter().for_each(|next| _ = phases.add_edge(phase, next, ()));
    }
    Ok(phases)
}

// The phases in which a buffer is live: those with an access and those between two accesses.
fn live_phases<'p>(phases: &DiGraph<Phase<'p>, ()>, buffer: Val<'p>) -> HashSet<NodeIndex> {
    let accesses: Vec<NodeIndex> = phases.node_indices().filter(|n| phases[*n].buffers.contains(&buffer)).collect();
    let Some(first) = accesses.first() else { return HashSet::new() };
    let (mut after, mut before) = (Dfs::new(phases, *first), Dfs::new(Reversed(phases), *first));
    after.stack.clone_from(&accesses);
    before.stack.clone_from(&accesses);
    let (mut reached, mut live) = (HashSet::new(), HashSet::new());
    while let Some(phase) = after.next(phases) {
        reached.insert(phase);
    }
    while let Some(phase) = before.next(Reversed(phases)) {
        if reached.contains(&phase) {
            live.insert(phase);
        }
    }
    live
}

fn is_access<'p>(user: Op<'p>, operand: usize, buffer: Val<'p>) -> bool {
    access_of(user).is_some_and(|access| access.buffer_operand == operand && access.value != Some(buffer))
}
