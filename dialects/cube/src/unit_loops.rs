//! Loops over the units of a cube, which the CPU's lowering creates.
//!
//! ```mlir
//! scf.forall (%x) in (64) { ... } {mapping = [#gpu.thread<x>]}
//! ```
//! The loop is `scf.forall` with a mapping. Mapping and count are inherent attributes, and MLIR does not fold a mapped
//! loop with one iteration. A kernel with unit loops runs once per cube, and a topology value in a loop's body belongs
//! to the unit of the iteration. [`check_unit_loops`] verifies that the loops cover the units of the kernel.
use crate::{TopologyKind, ops};
use cube_ir::ops::scf;
use cube_ir::{AttrExt, Builder, Op};

/// The position that a loop counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitLoop {
    /// The position of the unit in its cube, along one axis: 0 is x, 1 is y, 2 is z.
    Unit(usize),
    /// The index of a group of units; the units of a group run together as one vector.
    Plane,
}

impl UnitLoop {
    /// All unit loops: first the loops along the three axes, then the loop over groups of units.
    pub const ALL: [UnitLoop; 4] = [UnitLoop::Unit(0), UnitLoop::Unit(1), UnitLoop::Unit(2), UnitLoop::Plane];

    fn mapping(self) -> &'static str {
        match self {
            UnitLoop::Unit(0) => "[#gpu.thread<x>]",
            UnitLoop::Unit(1) => "[#gpu.thread<y>]",
            UnitLoop::Unit(_) => "[#gpu.thread<z>]",
            UnitLoop::Plane => "[#gpu.warp<linear_dim_0>]",
        }
    }

    /// Classifies `op` as a unit loop; `None` if `op` is not a unit loop.
    pub fn of(op: Op<'_>) -> Option<UnitLoop> {
        let mapping = scf::Forall::of(op)?.mapping()?;
        UnitLoop::ALL.into_iter().find(|own| op.cx().parse_attr(own.mapping()) == Some(mapping))
    }

    /// Builds a loop with an empty body.
    pub fn build(self, b: Builder<'_>, count: u32) -> Op<'_> {
        let cx = b.cx();
        let mapping = cx.parse_attr(self.mapping()).expect("the dialect gpu is loaded");
        let bounds = scf::Forall::make(b, &[], &[], &[], &[])
            .attr("staticLowerBound", cx.i64_array(&[0]))
            .attr("staticUpperBound", cx.i64_array(&[count.into()]))
            .attr("staticStep", cx.i64_array(&[1]));
        let end = |b: Builder<'_>| _ = b.op(scf::FORALL_IN_PARALLEL).body(&[], |_, _| {}).build();
        bounds.attr("mapping", mapping).body(&[cx.index()], move |b, _| end(b)).build()
    }
}

/// The number of iterations of a unit loop; `None` if the loop does not count from 0 in steps of 1 to a number.
pub fn unit_loop_count(op: Op<'_>) -> Option<u32> {
    let loop_op = scf::Forall::of(op)?;
    let starts = loop_op.static_lower_bound()?.as_i64_array()? == [0] && loop_op.static_step()?.as_i64_array()? == [1];
    let plain = starts && op.operands().len() == 0 && op.results().len() == 0;
    match loop_op.static_upper_bound()?.as_i64_array()?[..] {
        [count] if plain => u32::try_from(count).ok(),
        _ => None,
    }
}

/// Verifies the loops over units of a kernel, and the position of each operation that reads a unit's position.
///
/// # Errors
/// The operation, and the violated rule as a clause of a sentence. The cause is a pass that removed, copied or changed
/// a loop.
pub fn check_unit_loops(kernel: Op<'_>) -> Result<(), (Op<'_>, &'static str)> {
    let inside = kernel.walk();
    if !inside.iter().any(|op| op.is(scf::FORALL)) {
        return Ok(());
    }
    let dim = ops::Kernel::of(kernel).map_or([1; 3], |kernel| kernel.facts().cube_dim);
    for op in inside {
        // A mapping is compared with parsed attributes, so only the operations that need the loops look for them.
        let around = || op.ancestors().filter_map(UnitLoop::of).collect::<Vec<_>>();
        if op.is(scf::FORALL) {
            let around = around();
            let Some(own) = UnitLoop::of(op) else { return Err((op, "it has no mapping to units")) };
            let Some(count) = unit_loop_count(op) else { return Err((op, "its bounds are not those of a cube")) };
            let fits = match own {
                UnitLoop::Unit(axis) => count == dim[axis] && !around.contains(&UnitLoop::Plane),
                UnitLoop::Plane => around.is_empty(),
            };
            if !fits || around.contains(&own) {
                return Err((op, "it does not count the units of the cube once"));
            }
        } else if let Some(topology) = ops::Topology::of(op) {
            let around = around();
            if !needed(topology.kind(), dim).all(|axis| around.contains(&UnitLoop::Unit(axis))) {
                return Err((op, "the loop over this position is missing"));
            }
        }
    }
    Ok(())
}

// The axes with several units whose loops must enclose a topology value. Positions in planes need no loop. The number
// of a plane can be uniform and outside of all loops, and the vectoriser replaces a lane by an element of a vector.
fn needed(kind: TopologyKind, dim: [u32; 3]) -> impl Iterator<Item = usize> {
    let of_plane = matches!(kind, TopologyKind::PlanePos | TopologyKind::UnitPosPlane);
    let axes = kind.unit_axes();
    (0..3).filter(move |axis| axes[*axis] && dim[*axis] > 1 && !of_plane)
}

#[cfg(test)]
mod tests {
    use super::needed;
    use crate::TopologyKind;

    /// The formula of a topology value uses the unit positions of its axes only. A new value needs a row in this test.
    #[test]
    fn formula_determines_the_loops_around_a_topology_value() {
        for kind in TopologyKind::ALL.iter().copied() {
            let word = kind.word();
            let of_unit = word.starts_with("absolute_pos") || word.starts_with("unit_pos");
            let expected: &[usize] = match word.rsplit('_').next() {
                _ if !of_unit || word == "unit_pos_plane" => &[],
                Some("x") => &[0],
                Some("y") => &[1],
                Some("z") => &[2],
                _ => &[0, 1, 2],
            };
            assert_eq!(needed(kind, [2, 3, 4]).collect::<Vec<_>>(), expected, "{word}");
            let expected: Vec<usize> = expected.iter().copied().filter(|axis| *axis == 1).collect();
            assert_eq!(needed(kind, [1, 3, 1]).collect::<Vec<_>>(), expected, "{word}");
        }
    }
}
