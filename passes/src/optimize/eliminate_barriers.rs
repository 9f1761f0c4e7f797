//! Removes barriers that do not separate conflicting accesses of different units.
//!
//! ```mlir
//! cube.store %v, %s[%unit] inbounds        cube.store %v, %s[%unit] inbounds
//! cube.sync cube
//! %a = cube.load %s[%unit] inbounds        %a = cube.load %s[%unit] inbounds
//! cube.sync cube                           cube.sync cube
//! cube.sync storage
//! %b = cube.load %s[%next] inbounds        %b = cube.load %s[%next] inbounds
//! ```
//!
//! Two accesses conflict if they can overlap in different units and one of the accesses writes. The pass compares the
//! segments of the kernel before and after the barrier (`analysis/segments.rs`), and the addresses of the units
//! (`analysis/unit_addresses.rs`). An opaque operation, such as a call or a print, keeps the barriers around it. An
//! atomic access keeps a barrier if the other side has any access to global or shared memory, because cubes can
//! exchange messages through atomics. The pass does not change a kernel with a barrier that only some units reach.
//!
//! Invariant: for each pair of conflicting accesses, a remaining barrier keeps their order. The pass removes one
//! barrier at a time. A removed barrier does not end the segments of the barriers that are examined later. Cost:
//! linear, because all segments together visit at most a fixed multiple of the operations.
use crate::analysis::segments::{Segment, Segments, Side};
use crate::analysis::uniformity::{Uniform, Uniformity};
use crate::analysis::unit_addresses::UnitAddresses;
use cube_dialect::{Access, properties::is_cube_barrier};
use cube_ir::{Op, PassResult, Run, pass};

pass! {
    name: "eliminate-barriers",
    summary: "removes barriers that separate no conflicting accesses of different units",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube"],
    statistics: ["barriers removed", "barriers kept"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = run.root();
    let mut barriers: Vec<Op<'p>> = kernel.walk();
    barriers.retain(|op| is_cube_barrier(*op));
    if barriers.is_empty() {
        run.unchanged();
        return Ok(());
    }
    let uniformity = Uniformity::of(kernel);
    if let Some(divergent) = barriers.iter().find(|op| uniformity.reached_by(**op) != Uniform::Cube) {
        let why = "all barriers of the kernel stay, because only some units can reach this one";
        run.missed(*divergent, "divergent", why, "guard the accesses instead of the barrier");
        run.count("barriers kept", barriers.len() as u64);
        run.unchanged();
        return Ok(());
    }
    let mut segments = Segments::of(kernel);
    let mut addresses = UnitAddresses::of(kernel, &uniformity);
    let mut removed = vec![];
    for barrier in barriers {
        match why_kept(barrier, &mut segments, &mut addresses) {
            None => {
                let why = "the barrier separates no conflicting accesses of different units, and is removed";
                run.passed(barrier, "redundant", why);
                run.count("barriers removed", 1);
                segments.remove(barrier);
                removed.push(barrier);
            }
            Some(kept) => {
                run.count("barriers kept", 1);
                report(run, barrier, kept);
            }
        }
    }
    if removed.is_empty() {
        run.unchanged();
    }
    removed.into_iter().for_each(|barrier| run.erase(barrier));
    Ok(())
}

/// The reason why a barrier is kept.
enum MissedReason<'p> {
    /// Two accesses on different sides of the barrier conflict, or are not proven to be disjoint.
    Conflict(Access<'p>, Access<'p>),
    /// An atomic access, with accesses on the other side.
    Atomic,
    /// An operation whose effects are not known.
    Opaque(Op<'p>),
    /// The segments are too large to compare.
    Large,
}

fn why_kept<'p>(
    barrier: Op<'p>,
    segments: &mut Segments<'p>,
    addresses: &mut UnitAddresses<'_, 'p>,
) -> Option<MissedReason<'p>> {
    let Some(before) = segments.around(barrier, Side::Before) else { return Some(MissedReason::Large) };
    let Some(after) = segments.around(barrier, Side::After) else { return Some(MissedReason::Large) };
    // A barrier next to another barrier does not order accesses. At the start or end of the kernel, an opaque operation
    // on the other side can depend on the start or the end of other units.
    let idle = |side: &Segment<'p>, other: &Segment<'p>| side.is_empty() && !(side.at_edge && other.opaque.is_some());
    if idle(&before, &after) || idle(&after, &before) {
        return None;
    }
    if let Some(op) = before.opaque.or(after.opaque) {
        return Some(MissedReason::Opaque(op));
    }
    if before.atomic.or(after.atomic).is_some() {
        return Some(MissedReason::Atomic);
    }
    for x in &before.accesses {
        for y in &after.accesses {
            if (x.kind.writes() || y.kind.writes()) && addresses.overlap(*x, *y) {
                return Some(MissedReason::Conflict(*x, *y));
            }
        }
    }
    None
}

fn report<'p>(run: &mut Run<'p>, barrier: Op<'p>, kept: MissedReason<'p>) {
    match kept {
        MissedReason::Conflict(x, y) if x.buffer == y.buffer => {
            let (x, y) =
                (if x.kind.writes() { "writes" } else { "reads" }, if y.kind.writes() { "write" } else { "read" });
            let why = format!("a unit {x} bytes before the barrier that another unit can {y} after the barrier");
            run.analysis(barrier, "needed", why);
        }
        MissedReason::Conflict(..) => run.missed(
            barrier,
            "may-alias",
            "the barrier stays, because different arguments are accessed on its two sides, and they can share bytes",
            "add cube.noalias to one of the arguments",
        ),
        MissedReason::Atomic => run.missed(
            barrier,
            "atomic",
            "the barrier stays, because it orders an atomic access and other accesses",
            "use a barrier only if other units read the written memory",
        ),
        MissedReason::Opaque(op) => run.missed(
            barrier,
            "opaque",
            format_args!("the barrier stays, because the effects of '{}' are not known", op.name()),
            "move the operation away from the barrier",
        ),
        MissedReason::Large => run.missed(
            barrier,
            "large",
            "the barrier stays, because too many accesses are around it",
            "separate fewer accesses by each barrier",
        ),
    }
}
