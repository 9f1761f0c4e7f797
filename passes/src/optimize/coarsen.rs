//! Assigns each unit the work of several neighbours, and combines their accesses into one wide access.
//!
//! ```mlir
//! %i = cube.topology absolute_pos              %base = %unit * %take           // take: 4, or 1 by the launch
//! scf.if (%i ult %n) {                         scf.if (%base + 3 ult %wide_end) {
//!   %v = cube.load %x[%i] checked                %v = cube.load %x[%base] inbounds {align = 16} -> vector<4xf32>
//!   %r = arith.negf %v                           %r = arith.negf %v : vector<4xf32>
//!   cube.store %r, %y[%i] checked                cube.store %r, %y[%base] inbounds {align = 16} : vector<4xf32>
//! }                                            } else {
//!                                                scf.for %j = 0 to %take { the original kernel, with %i = %base + %j }
//!                                              }
//! ```
//!
//! The launcher computes the arguments `%take`, `%last` and `%wide_end`, and reads the number of cubes from
//! `cube.cube_count` (docs/why/optimizer.md). `%last` is the last position of the launch. All positions below `%wide_end` are in
//! the launch and in the buffers, and `%wide_end` is 0 if `%take` is 1. If the target permits enough cubes along x, all cubes of
//! a launch are along x, so that a unit computes its position with two instructions. Invariant: the units of a kernel without convergent operations can run in any order. The
//! pass runs the elements of a unit one operation at a time, which is one of the permitted orders. The accesses of two
//! buffer arguments can therefore overlap. Cost: linear. The new kernel contains the original code and a second version
//! for `k` elements per unit. In the second version, each operation without a vector form occurs `k` times. If the
//! kernel divides the unit's position by a row length, a third version handles row lengths that are multiples of `k`
//! (`coarsen/rows.rs`). On targets whose launcher splits launches, all units of a cube have the same form (`coarsen/cubes.rs`).
mod cubes;
mod index;
mod launcher;
mod lockstep;
mod missed;
mod plan;
mod rows;
mod sum;

use crate::analysis::launch::all_of;
use crate::write;
use cube_dialect::attributes::UNROLL;
use cube_dialect::{CUBE_COUNT, KernelArg, TopologyKind, ops, target_of};
use cube_ir::ops::scf;
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Failed, Op, PassResult, Run, Val, pass};
use launcher::{WideEnd, ignores_rows, topology_of};
use lockstep::Lockstep;
use plan::Plan;
use rows::Rows;
use std::collections::HashMap;

pass! {
    name: "coarsen",
    summary: "assigns the work of several neighbouring units to one unit, with wide accesses",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf", "vector"],
    options: {
        bits: Int(0) = "bits of the widest access; 0 is the width of the target; without a target, the pass does nothing",
        registers: Int(0) = "registers of a unit; if the values need more registers, a unit computes fewer elements; 0 is the target's number",
        units: Int(65536) = "minimum number of units that remain after the pass has widened a kernel with loops",
    },
    statistics: ["kernels coarsened", "accesses widened", "kernels kept"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let checked = |plan: Option<Plan<'p>>| match plan {
        Some(plan) if plan.by_cubes => cubes::check(kernel, &plan).map(|()| Some(plan)),
        plan => Ok(plan),
    };
    let plan = match plan::plan(run, kernel).and_then(checked) {
        Ok(Some(plan)) => plan,
        Ok(None) => {
            run.unchanged();
            return Ok(());
        }
        Err(kept) => {
            run.count("kernels kept", 1);
            run.missed(kept.at, kept.rule, format_args!("each unit keeps one element, because {}", kept.why), kept.way);
            run.unchanged();
            return Ok(());
        }
    };
    let (taken, wide) = (plan.taken, plan.wide.len());
    if plan.by_cubes { cubes::apply(run, kernel, &plan) } else { apply(run, kernel, &plan) }?;
    run.count("kernels coarsened", 1);
    run.count("accesses widened", wide as u64);
    let what = match plan.strides {
        1 => format!(
            "each unit computes {taken} neighbouring elements, and {wide} accesses load or store all {taken} at once"
        ),
        strides => format!("each unit computes {strides} elements, and {wide} accesses have no check"),
    };
    run.passed(kernel.op(), "coarsen", what);
    Ok(())
}

/// The arguments that the launcher computes.
struct Launched<'p> {
    /// The number of elements that a unit processes: the number in the plan, or 1.
    take: Val<'p>,
    /// The position of the last unit in a launch of the requested number of cubes.
    last: Val<'p>,
    /// The end of the positions that the wide form can process, without the conditions of `facts`.
    wide_end: Val<'p>,
    /// The position of the unit that the executed cubes define.
    unit: TopologyKind,
}

/// Maximum number of cubes of a launch that counts its units with 32 bits, if a cube has at least 4 units.
const MOST_CUBES: u32 = 1 << 30;

// Whether all cubes of a launch can be along x.
fn is_along_x<'p>(kernel: ops::Kernel<'p>, plan: &Plan<'p>) -> bool {
    plan.linear && target_of(kernel.op()).limits.cube_count[0] >= MOST_CUBES && ignores_rows(kernel)
}

// The launch uses the wide form under two conditions: addresses are multiples of the wide access, and all positions are
// below 2^32. A linear position counts all units of the launch, so units of a launch with several rows take consecutive
// elements across the ends of rows. Fewer cubes in each row then contain at least as many elements as before.
fn launched<'p>(
    run: &Run<'p>,
    kernel: ops::Kernel<'p>,
    plan: &Plan<'p>,
    ends: &[String],
) -> Result<Launched<'p>, Failed> {
    let facts = kernel.facts();
    let (taken, dim) = (plan.taken, u64::from(facts.cube_dim[0]));
    let limit = (1u64 << 32) + 1;
    let along_x = is_along_x(kernel, plan);
    let all_cubes = "mul(mul(cubes(0), cubes(1)), cubes(2))";
    let (requested, most) = match plan.linear {
        true if along_x => (all_cubes, limit.div_ceil(dim).to_string()),
        // The number of rows is limited, so that its product with the row length does not exceed 64 bits.
        true => ("cubes(0)", format!("ceildiv({limit}, mul(min(mul(cubes(1), cubes(2)), {limit}), {dim}))")),
        false => ("cubes(0)", limit.div_ceil(dim).to_string()),
    };
    let mut guards = vec![format!("lt(add({requested}, {taken}), {most})")];
    // With fewer units, the latency of their loads would not be hidden. The default is half of the units that a large
    // chip can execute concurrently.
    let least = u64::try_from(run.int("units")).unwrap_or(1).clamp(1, 1 << 40);
    if !plan.loops.is_empty() {
        let units = facts.cube_dim.iter().map(|n| u64::from(*n)).product::<u64>();
        guards.push(format!("lt({}, mul({all_cubes}, {units}))", least * taken - 1));
    }
    let sums = plan.wide.iter().filter_map(|access| access.index.as_ref());
    for product in sums.flat_map(|index| &index.rest).filter(|product| !product.factor.is_multiple_of(taken)) {
        // If the row length is not a multiple of the wide access, each unit processes one element. A product that is
        // not an argument is checked in the kernel.
        let guard = scalars(&facts.args, &product.values)
            .reduce(|x, y| format!("mul({x}, {y})"))
            .map(|all| format!("eq(rem(mul({all}, {}), {taken}), 0)", product.factor));
        guards.extend(guard.filter(|guard| !guards.contains(guard)));
    }
    guards.extend(plan.aligned_buffers(kernel));
    let guards = all_of(&guards);
    let take = format!("add(1, mul({}, {guards}))", taken - 1);
    let units = format!("mul({}, {dim})", if plan.linear { all_cubes } else { "cubes(0)" });
    let all_ends: Vec<String> = [units.clone(), u32::MAX.to_string()].into_iter().chain(ends.iter().cloned()).collect();
    // The expression of all conditions is also the smallest of numbers.
    let end = all_of(&all_ends);
    let ty = kernel.op().cx().int(32);
    let launched = Launched {
        take: kernel.add_derived("unit_elements", &take, ty).ok_or(Failed)?,
        last: kernel.add_derived("last_position", &format!("min(sub({units}, 1), {})", u32::MAX), ty).ok_or(Failed)?,
        wide_end: kernel.add_derived("wide_end", &format!("mul({guards}, {end})"), ty).ok_or(Failed)?,
        unit: if along_x { TopologyKind::AbsolutePosX } else { topology_of(plan.positions[0])? },
    };
    let cx = kernel.op().cx();
    let executed = format!("ceildiv({requested}, {take})");
    let [y, z] = if along_x { ["1", "1"] } else { ["cubes(1)", "cubes(2)"] };
    kernel.op().set_attr(CUBE_COUNT, cx.array_attr(&[&executed, y, z].map(|count| cx.str_attr(count))));
    Ok(launched)
}

// The expressions of those scalar arguments that are among `values`.
fn scalars<'a, 'p>(args: &'a [KernelArg<'p>], values: &'a [Val<'p>]) -> impl Iterator<Item = String> + 'a {
    args.iter().filter_map(move |arg| match arg {
        KernelArg::Scalar(scalar) if values.contains(&scalar.value) => {
            Some(scalar.derived.map_or_else(|| scalar.name.clone(), String::from))
        }
        _ => None,
    })
}

fn apply<'p>(run: &mut Run<'p>, kernel: ops::Kernel<'p>, plan: &Plan<'p>) -> PassResult {
    let block = kernel.block().ok_or(Failed)?;
    let end = block.terminator().ok_or(Failed)?;
    let wide_end = WideEnd::of(kernel, plan);
    let launched = launched(run, kernel, plan, &wide_end.ends)?;
    let stays = |op: &Op<'p>| op.is(ops::Topology::KIND) || *op == end;
    let body: Vec<Op<'p>> = block.ops().into_iter().filter(|op| !stays(op)).collect();
    let b = run.before(end);
    let ty = b.cx().int(32);
    let unit = write::topology(b, launched.unit);
    let base = b.muli(unit, launched.take);
    let top = b.addi(base, b.int(ty, plan.taken as i64 - 1));
    let all = condition(b, plan, &launched, &wide_end, top);
    let needed = Lockstep::needs(plan, base, b, &body);
    let all_ops = body.iter().flat_map(|op| op.walk());
    let rows = Rows::of(kernel, plan, all_ops.filter(|op| needed.contains(op)));
    let in_rows = match rows.lengths.is_empty() {
        true => None,
        false => Some(kernel.add_derived("whole_rows", &all_of(&rows.guards), ty).ok_or(Failed)?),
    };
    let (mut tail, mut place) = (None, None);
    b.if_else(
        all,
        &[],
        |b| {
            let wide = |b: Builder<'p>, rows: &[Val<'p>]| {
                Lockstep::new(plan, base, rows, b).body(&body);
                vec![]
            };
            match in_rows {
                None => _ = wide(b, &[]),
                Some(whole) => {
                    let whole = b.cmpi(IntCmp::Ne, whole, b.int(ty, 0));
                    b.if_else(whole, &[], |b| wide(b, &rows.lengths), |b| wide(b, &[]));
                }
            }
            vec![]
        },
        |b| {
            let (zero, one) = (b.int(ty, 0), b.int(ty, 1));
            let elements = b.for_range(zero, launched.take, one, |b, j| {
                let position = b.addi(base, j);
                let inside = b.cmpi(IntCmp::Ule, position, launched.last);
                let guarded = b.op(scf::IF).operands(&[inside]).body(&[], |b, _| {
                    place = Some(b.op(scf::YIELD).build());
                });
                guarded.empty_region().build();
                tail = Some(position);
            });
            // The loop has one iteration, or as many as a unit has elements. LLVM would copy the whole kernel for each of them.
            elements.set_attr(UNROLL, b.cx().int_attr(b.cx().int(32), 1));
            vec![]
        },
    );
    let (position, place) = (tail.ok_or(Failed)?, place.ok_or(Failed)?);
    // Each requested unit runs the body once, as before. The properties of its accesses therefore remain valid.
    body.iter().for_each(|op| op.move_inside(place));
    for old in &plan.positions {
        run.replace(*old, &[position]);
    }
    Ok(())
}

// Whether all elements of a unit exist, are inside all buffers, and take the same branches.
fn condition<'p>(
    b: Builder<'p>,
    plan: &Plan<'p>,
    launched: &Launched<'p>,
    wide_end: &WideEnd<'p>,
    top: Val<'p>,
) -> Val<'p> {
    let mut all = b.cmpi(IntCmp::Ult, top, launched.wide_end);
    let mut lengths: HashMap<Val<'p>, Val<'p>> = HashMap::new();
    let mut length = |buffer: Val<'p>| {
        let name = if ops::Kernel::len_is_buffer_len(buffer) { ops::Len::KIND } else { ops::BufferLen::KIND };
        *lengths.entry(buffer).or_insert_with(|| b.op(name).operands(&[buffer]).result(top.ty()).value())
    };
    let mut facts = vec![];
    facts.extend(wide_end.buffers.iter().map(|buffer| b.cmpi(IntCmp::Ult, top, length(*buffer))));
    // The alignments come first, so that LLVM combines them in the same way in kernels with and without checks. It then unrolls the
    // loops of both kernels in the same way.
    let sums = || plan.wide.iter().filter_map(|access| access.index.as_ref().map(|index| (access, index)));
    facts.extend(sums().flat_map(|(_, index)| plan.aligned(b, index, plan.taken, top)));
    for (access, index) in sums().filter(|(access, _)| access.checked) {
        facts.extend(plan.inside(b, index, length(access.buffer), top));
    }
    for access in &plan.common {
        facts.extend(plan.inside(b, &access.index, length(access.buffer), top));
    }
    all = facts.into_iter().fold(all, |all, fact| b.andi(all, fact));
    for divisor in &plan.nonzero {
        let divisor = plan.copied(b, *divisor, top);
        all = b.andi(all, b.cmpi(IntCmp::Ne, divisor, b.int(divisor.ty(), 0)));
    }
    for guard in &wide_end.conditions {
        let truth = plan.copied(b, guard.condition, top);
        let truth = if guard.truth { truth } else { b.xori(truth, b.int(truth.ty(), 1)) };
        all = b.andi(all, truth);
    }
    all
}
