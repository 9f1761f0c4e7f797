//! Assigns offsets in shared memory to allocations, so that allocations with disjoint live ranges can overlap.
//!
//! ```mlir
//! %s = cube.alloc : !cube.shared<256 x f32>    %s = cube.alloc {cube.shared_offset = 0} : ...
//! %t = cube.alloc : !cube.shared<128 x i32>    %t = cube.alloc {cube.shared_offset = 1024} : ...
//! %u = cube.alloc : !cube.shared<64 x f16>     %u = cube.alloc {cube.shared_offset = 0} : ...
//! store s; sync; load s, store t; sync; load t, store u; sync; load u
//! ```
//!
//! The nodes of the interference graph are the allocations (`analysis/shared_ranges.rs`). The pass places the largest
//! allocation first, each at the lowest offset that no interfering allocation occupies. On targets with typed memory,
//! such as SPIR-V and WGSL, arrays of different types cannot overlap. On these targets, allocations of one type that do
//! not interfere become one allocation. Atomic and plain accesses count as different types.
//!
//! Invariant: an access does not change bytes of another allocation that a later access reads, and a barrier separates
//! the accesses of two overlapping allocations. If the pass would not reduce the size of shared memory, it does not
//! change the kernel. Cost: the size of the kernel, plus the number of allocations times the number of phases.
use crate::analysis::shared_ranges::{Obstacle, SharedRanges, shared_allocations};
use cube_dialect::attributes::SHARED_OFFSET;
use cube_dialect::{BufferType, is_atomic, target_of};
use cube_ir::{Op, PassResult, Run, Type, pass};
use cube_target::SHARED_ALIGNMENT;
use petgraph::graph::{NodeIndex, UnGraph};

pass! {
    name: "plan-shared-memory",
    summary: "lets shared allocations with disjoint live ranges share bytes",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube"],
    options: {
        typed: Bool(false) = "only allocations of one type share bytes, as on every target with typed memory",
    },
    statistics: ["allocations that share bytes", "bytes before", "bytes after"],
    run: run,
}

/// A shared allocation and its size.
#[derive(Clone, Copy)]
struct Bytes<'p> {
    size: u64,
    alignment: u64,
    /// The element type, the elements of a line, and whether an access is atomic.
    kind: (Type<'p>, u32, bool),
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let found: Vec<Op<'p>> = shared_allocations(kernel);
    if found.len() < 2 {
        run.unchanged();
        return Ok(());
    }
    let ranges = match SharedRanges::of(kernel) {
        Ok(ranges) => ranges,
        Err(obstacle) => {
            report(run, obstacle);
            run.unchanged();
            return Ok(());
        }
    };
    let graph = &ranges.graph;
    let Some(bytes) = graph.node_weights().map(|op| bytes_of(*op)).collect::<Option<Vec<_>>>() else {
        run.unchanged();
        return Ok(());
    };
    let typed = run.flag("typed") || target_of(kernel).typed_memory;
    let offsets = if typed { vec![] } else { place(graph, &bytes) };
    let groups = if typed { merge(graph, &bytes) } else { vec![] };
    let before = bytes.iter().fold(0, |all: u64, bytes| all.saturating_add(rounded(bytes.size)));
    let after = match typed {
        true => groups.iter().map(|group| rounded(bytes[group[0].index()].size)).sum(),
        false => graph.node_indices().map(|n| offsets[n.index()] + rounded(bytes[n.index()].size)).max().unwrap_or(0),
    };
    let sharers = |node: NodeIndex| -> Vec<NodeIndex> {
        let shares = |other: &NodeIndex| {
            *other != node
                && match typed {
                    true => groups.iter().any(|group| group.contains(&node) && group.contains(other)),
                    false => overlap(*other, node, &offsets, &bytes),
                }
        };
        if after < before { graph.node_indices().filter(shares).collect() } else { vec![] }
    };
    for node in graph.node_indices() {
        explain(run, &ranges, node, sharers(node).len(), typed, &bytes);
    }
    if after >= before {
        run.unchanged();
        return Ok(());
    }
    run.count("bytes before", before);
    run.count("bytes after", after);
    for (node, offset) in graph.node_indices().zip(&offsets) {
        let value = run.cx().int_attr(run.cx().int(64), *offset as i64);
        graph[node].set_attr(SHARED_OFFSET, value);
    }
    for group in groups {
        let largest = graph[group[0]];
        if let Some(first) = kernel.body().and_then(|block| block.first()).filter(|first| *first != largest) {
            largest.move_before(first);
        }
        group[1..].iter().for_each(|node| run.replace(graph[*node], &[largest.result(0)]));
    }
    Ok(())
}

// The size of an allocation, which suffices on every target. On some targets, the size of a line is rounded up to a
// power of two.
fn bytes_of(allocation: Op<'_>) -> Option<Bytes<'_>> {
    let ty = BufferType::of(allocation.result(0).ty())?;
    let line = ty.line_bytes().checked_next_power_of_two()?;
    let size = ty.lines()?.checked_mul(line).filter(|size| i64::try_from(*size).is_ok())?;
    let atomic = allocation.result(0).uses().into_iter().any(|(user, _)| is_atomic(user));
    Some(Bytes { size, alignment: line.max(SHARED_ALIGNMENT), kind: (ty.element, ty.line, atomic) })
}

fn rounded(bytes: u64) -> u64 {
    bytes.next_multiple_of(SHARED_ALIGNMENT)
}

// The allocations in descending order of size.
fn by_size<'p>(graph: &UnGraph<Op<'p>, ()>, bytes: &[Bytes<'p>]) -> Vec<NodeIndex> {
    let mut order: Vec<NodeIndex> = graph.node_indices().collect();
    order.sort_by_key(|node| std::cmp::Reverse(bytes[node.index()].size));
    order
}

// The offset of each allocation: the lowest offset at which it does not overlap an interfering allocation that was
// placed before.
fn place<'p>(graph: &UnGraph<Op<'p>, ()>, bytes: &[Bytes<'p>]) -> Vec<u64> {
    let mut offsets: Vec<Option<u64>> = vec![None; graph.node_count()];
    for node in by_size(graph, bytes) {
        let own = bytes[node.index()];
        let placed = |other: NodeIndex| Some((offsets[other.index()]?, bytes[other.index()].size));
        let mut taken: Vec<(u64, u64)> = graph.neighbors(node).filter_map(placed).collect();
        taken.sort_unstable();
        let mut offset = 0u64;
        for (start, size) in taken {
            if offset + own.size <= start {
                break;
            }
            offset = offset.max((start + size).next_multiple_of(own.alignment));
        }
        offsets[node.index()] = Some(offset);
    }
    offsets.into_iter().map(|offset| offset.unwrap_or(0)).collect()
}

fn overlap(x: NodeIndex, y: NodeIndex, offsets: &[u64], bytes: &[Bytes<'_>]) -> bool {
    let [(x, of_x), (y, of_y)] = [x, y].map(|node| (offsets[node.index()], bytes[node.index()].size));
    x < y + of_y && y < x + of_x
}

// Groups of allocations of one type that do not interfere, each with its largest allocation first.
fn merge<'p>(graph: &UnGraph<Op<'p>, ()>, bytes: &[Bytes<'p>]) -> Vec<Vec<NodeIndex>> {
    let mut groups: Vec<Vec<NodeIndex>> = Vec::new();
    for node in by_size(graph, bytes) {
        let fits = |group: &&mut Vec<NodeIndex>| {
            bytes[group[0].index()].kind == bytes[node.index()].kind
                && !group.iter().any(|other| graph.contains_edge(*other, node))
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups
}

// Reports the placement of an allocation, or the reason why it does not overlap another allocation.
fn explain<'p>(
    run: &mut Run<'p>,
    ranges: &SharedRanges<'p>,
    node: NodeIndex,
    sharers: usize,
    typed: bool,
    bytes: &[Bytes<'p>],
) {
    let (allocation, graph) = (ranges.graph[node], &ranges.graph);
    if sharers > 0 {
        let others = if sharers == 1 { "another allocation".into() } else { format!("{sharers} other allocations") };
        let why = format!("the allocation shares bytes with {others}, because a barrier separates their accesses");
        run.passed(allocation, "share", why);
        run.count("allocations that share bytes", 1);
        return;
    }
    if let Some(user) = ranges.escaping.get(&node) {
        let why = format_args!("the allocation has its own bytes, because '{}' is not an access", user.name());
        run.missed(allocation, "escapes", why, "access the array directly");
        return;
    }
    let apart: Vec<NodeIndex> =
        graph.node_indices().filter(|other| *other != node && !graph.contains_edge(node, *other)).collect();
    if apart.is_empty() {
        let why = "the allocation has its own bytes, because each other allocation is live together with it";
        run.analysis(allocation, "live", why);
    } else if typed && apart.iter().all(|other| bytes[other.index()].kind != bytes[node.index()].kind) {
        let why =
            "the allocation has its own bytes, because its live range is disjoint only from arrays of other types";
        run.missed(allocation, "type", why, "use one element type, because the target's memory has types");
    } else {
        let why = "the allocation has its own bytes, because sharing would not reduce the shared memory of the kernel";
        run.analysis(allocation, "no-gain", why);
    }
}

fn report<'p>(run: &mut Run<'p>, obstacle: Obstacle<'p>) {
    match obstacle {
        Obstacle::Divergent(barrier) => {
            let why = "no allocations share bytes, because only some units can reach this barrier";
            run.missed(barrier, "divergent", why, "guard the accesses instead of the barrier");
        }
        Obstacle::Opaque(op) => {
            let why = format_args!("no allocations share bytes, because the effects of '{}' are not known", op.name());
            run.missed(op, "opaque", why, "move the operation out of the kernel");
        }
        Obstacle::Large => {
            let why = "no allocations share bytes, because the kernel has too many allocations or barriers";
            run.missed(run.root(), "large", why, "use fewer allocations of shared memory");
        }
    }
}
