//! The wide form for the first cubes of a launch, on targets that run them by a second entry function
//! (`Coarsening::Cubes`).
//!
//! ```mlir
//! %i = cube.topology absolute_pos            %unit = cube.topology absolute_pos_x
//! scf.if (%i ult %n) {                       scf.if (cube_pos_x ult %first_cubes) {
//!   %v = cube.load %x[%i] checked              %v = cube.load %x[%unit * 4] inbounds {align = 16} -> vector<4xf32>
//!   %r = arith.negf %v                         %r = arith.negf %v : vector<4xf32>
//!   cube.store %r, %y[%i] checked              cube.store %r, %y[%unit * 4] inbounds {align = 16} : vector<4xf32>
//! }                                          } else {
//!                                              the original kernel, with %i = %unit + %first_cubes * (3 * cube_dim)
//!                                            }
//! ```
//!
//! A first cube does the work of `k` cubes of the requested launch, where `k` is the number of elements of a unit. If one element
//! fills the widest access, a unit has a loop over elements that are a cube dim apart, so that neighbouring units still access
//! neighbouring elements. The other
//! cubes of the requested launch follow, unchanged. The launcher computes `%first_cubes`, so that all elements of the first
//! cubes are in the launch, in the buffers, and below the limits of the kernel's branches. The backend writes one
//! entry point for each branch. Cost: none at run time, except a second dispatch for the other cubes.
use super::launcher::{WideEnd, ignores_rows, topology_of};
use super::lockstep::Lockstep;
use super::missed::{MissedRemark, missed};
use super::plan::Plan;
use crate::analysis::launch::all_of;
use crate::write;
use cube_dialect::attributes::UNROLL;
use cube_dialect::{CUBE_COUNT, TopologyKind, ops};
use cube_ir::ops::scf;
use cube_ir::upstream::IntCmp;
use cube_ir::{Failed, Op, PassResult, Run};

/// Checks that the launcher can compute the number of first cubes.
pub(super) fn check<'p>(kernel: ops::Kernel<'p>, plan: &Plan<'p>) -> Result<(), MissedRemark<'p>> {
    if let Some(at) = kernel.op().walk().into_iter().find(|op| op.is(scf::FOR) || op.is(scf::WHILE)) {
        return Err(missed(at, "cubes-loop", "the target has no wide form of loops", "no change is needed"));
    }
    let end = WideEnd::of(kernel, plan);
    if end.buffers.is_empty() && end.conditions.is_empty() {
        return Ok(());
    }
    let at = end.conditions.first().map_or(kernel.op(), |guard| guard.branch);
    Err(missed(
        at,
        "cubes-condition",
        "the launcher cannot compute the positions at which the conditions of the kernel hold",
        "compare the position with a length or an argument",
    ))
}

pub(super) fn apply<'p>(run: &mut Run<'p>, kernel: ops::Kernel<'p>, plan: &Plan<'p>) -> PassResult {
    let block = kernel.block().ok_or(Failed)?;
    let end = block.terminator().ok_or(Failed)?;
    let (taken, dim) = (plan.taken * plan.strides, u64::from(kernel.facts().cube_dim[0]));
    let along_x = plan.linear && ignores_rows(kernel);
    let requested = if along_x { "mul(mul(cubes(0), cubes(1)), cubes(2))" } else { "cubes(0)" };
    let mut guards = vec![format!("lt({requested}, {})", (1u64 << 32) / dim + 1)];
    if plan.linear && !along_x {
        guards.push("eq(mul(cubes(1), cubes(2)), 1)".into());
    }
    guards.extend(plan.aligned_buffers(kernel));
    if plan.strides > 1 {
        // With fewer units, a large chip would be idle.
        let least = u64::try_from(run.int("units")).unwrap_or(1).clamp(1, 1 << 40);
        let units = kernel.facts().cube_dim.iter().map(|n| u64::from(*n)).product::<u64>();
        guards.push(format!("lt({}, mul({requested}, {units}))", least * taken - 1));
    }
    let ends = [format!("mul({requested}, {dim})"), u32::MAX.to_string()];
    let ends: Vec<String> = ends.into_iter().chain(WideEnd::of(kernel, plan).ends).collect();
    let first = format!("mul({}, div({}, {}))", all_of(&guards), all_of(&ends), taken * dim);
    let executed = format!("sub({requested}, mul({first}, {}))", taken - 1);
    let ty = kernel.op().cx().int(32);
    let first = kernel.add_derived("first_cubes", &first, ty).ok_or(Failed)?;
    let cx = kernel.op().cx();
    let [y, z] = if along_x { ["1", "1"] } else { ["cubes(1)", "cubes(2)"] };
    kernel.op().set_attr(CUBE_COUNT, cx.array_attr(&[&executed, y, z].map(|count| cx.str_attr(count))));

    let stays = |op: &Op<'p>| op.is(ops::Topology::KIND) || *op == end;
    let body: Vec<Op<'p>> = block.ops().into_iter().filter(|op| !stays(op)).collect();
    let b = run.before(end);
    let kind = if along_x { TopologyKind::AbsolutePosX } else { topology_of(plan.positions[0])? };
    let (cube, unit) = (write::topology(b, TopologyKind::CubePosX), write::topology(b, kind));
    let (mut rest, mut place) = (None, None);
    let is_first = b.cmpi(IntCmp::Ult, cube, first);
    let branch = b.op(scf::IF).operands(&[is_first]).body(&[], |b, _| {
        if plan.strides == 1 {
            let base = b.muli(unit, b.int(ty, taken as i64));
            Lockstep::new(plan, base, &[], b).body(&body);
        } else {
            let base = b.addi(unit, b.muli(cube, b.int(ty, ((taken - 1) * dim) as i64)));
            let [zero, end, step] = [0, taken * dim, dim].map(|number| b.int(ty, number as i64));
            let elements = b.for_range(zero, end, step, |b, distance| {
                Lockstep::new(plan, b.addi(base, distance), &[], b).body(&body);
            });
            elements.set_attr(UNROLL, b.cx().int_attr(ty, 1));
        }
        b.op(scf::YIELD).build();
    });
    let branch = branch.body(&[], |b, _| {
        let skipped = b.muli(first, b.int(ty, ((taken - 1) * dim) as i64));
        rest = Some(b.addi(unit, skipped));
        place = Some(b.op(scf::YIELD).build());
    });
    branch.build();
    let (position, place) = (rest.ok_or(Failed)?, place.ok_or(Failed)?);
    body.iter().for_each(|op| op.move_inside(place));
    for old in &plan.positions {
        run.replace(*old, &[position]);
    }
    Ok(())
}
