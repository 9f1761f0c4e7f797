//! Checks conditions around barriers at run time, if their uniformity is known only at launch.
//!
//! ```mlir
//! %c = arith.cmpi ult, %pos, %length       %first, %others = (that of the first unit, how many differ)
//! scf.if %c { A; cube.sync cube; B }       scf.if (%others != 0) { cube.print "..." fails; the cube ends }
//! scf.if %first { A; cube.sync cube; B }
//! ```
//!
//! An example is `absolute_pos < length`. This condition diverges if the length is not a multiple of the cube dim, and
//! is uniform otherwise. Its uniformity therefore depends on the launch. The units compare their values of the
//! condition at run time. If the values differ, the cube ends, and the launch fails with an error that has the
//! location. The kernel therefore does not deadlock. The pass compares the conditions of branches, the condition of
//! each iteration of an `scf.while`, and the trip count of an `scf.for`. If a condition depends only on positions in
//! the cube and constants, the pass evaluates it at compile time for every unit. If all units have the same value, the
//! condition becomes a constant. If the condition diverges in every launch, `check-convergence` refuses the barrier.
//! The pass ignores plane barriers, because they synchronise only the active lanes.
//!
//! Cost per comparison: three barriers, a plane sum if the chip has planes, and an atomic operation in shared memory.
//! In addition, the host waits for the end of the launch to detect a failure. The pass reports each
//! comparison in a remark.
use crate::{
    analysis::{
        constants::int_with,
        loops::TripCount,
        uniformity::{Uniform, Uniformity},
    },
    specialize::{
        structure_exits::{structure, trip_count},
        structured_mem2reg,
    },
    write::{inbounds, topology},
};
use cube_dialect::{
    BufferKind, BufferType, Combine, Scope, TopologyKind, ops, properties::is_cube_barrier, target_of,
    topology::PartialInputs,
};
use cube_ir::OpKind;
use cube_ir::ops::{arith, scf};
use cube_ir::{AttrExt, Builder, Op, OpSpec, PassResult, Run, Type, TypeExt, Val, location_of, pass, upstream::IntCmp};
use cube_target::{PlaneOperation, Target};
use std::collections::HashSet;

pass! {
    name: "check-barrier-uniformity",
    summary: "adds a run-time check of conditions around barriers whose uniformity is known only at the launch",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf"],
    statistics: ["decisions compared", "exits structured", "variables promoted", "variables kept"],
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
    let mut compared = HashSet::new();
    let mut uniformity = Uniformity::of(kernel);
    for barrier in barriers {
        // The outermost condition comes first, because a comparison contains barriers itself. Each comparison changes
        // the uniformity of the code inside.
        loop {
            let mut around: Vec<Op<'p>> = barrier.ancestors().take_while(|op| *op != kernel).collect();
            around.reverse();
            let Some(divergent_op) = around.into_iter().find(|op| uniformity.decided_by(*op) > Uniform::Cube) else {
                break;
            };
            if !compared.insert(divergent_op) || !make_uniform(run, divergent_op, first_barrier(divergent_op)) {
                break;
            }
            uniformity = Uniformity::of(kernel);
        }
    }
    if compared.is_empty() {
        run.unchanged();
        return Ok(());
    }
    // The end of a cube leaves all enclosing control flow, so the pass structures it like an early exit.
    structure(run, kernel)?;
    structured_mem2reg::run(run)
}

/// The first barrier inside an operation, in source order. Error messages contain the location of this
/// barrier.
fn first_barrier(op: Op<'_>) -> Op<'_> {
    let all = op.walk().into_iter().filter(|op| is_cube_barrier(*op));
    all.min_by_key(|op| location_of(op.location()).map(|location| (location.line, location.column))).unwrap_or(op)
}

/// The corrections of a kernel that the error message suggests.
pub(super) const SUGGESTION: &str =
    "guard the accesses instead of the barrier, so that all units continue to the barrier";

/// Makes the condition of `op` uniform in the cube, if possible. Returns whether the condition is now
/// uniform.
fn make_uniform<'p>(run: &mut Run<'p>, op: Op<'p>, barrier: Op<'p>) -> bool {
    let (location, value, iterations) = match op.kind() {
        scf::IF | scf::INDEX_SWITCH => (op, op.operand(0), None),
        scf::WHILE => {
            let Some(end) = op.body().and_then(|before| before.terminator()) else { return false };
            (end, end.operand(0), None)
        }
        scf::FOR if op.operand(0).ty().is_int() => {
            let iterations = trip_count(op, run.before(op));
            (op, iterations.count, Some(iterations))
        }
        _ => return false,
    };
    let b = run.before(location);
    let agreed = match decision(run.root(), value) {
        Decision::Divergent => return false,
        Decision::Uniform(number) => b.int(value.ty(), number),
        Decision::Unknown => {
            let Some(agreed) = compare(b, value, barrier) else { return false };
            run.count("decisions compared", 1);
            let reason =
                "the condition can differ between units, so all units compare its value before the enclosed barrier";
            run.missed(op, "barrier", reason, SUGGESTION);
            agreed
        }
    };
    match iterations {
        Some(iterations) => count_iterations(op, &iterations, agreed),
        None => location.set_operand(0, agreed),
    }
    true
}

/// The compile-time knowledge about the uniformity of a condition in a cube.
enum Decision {
    /// The condition is uniform in every launch, with the given value.
    Uniform(i64),
    /// The condition diverges in every launch.
    Divergent,
    /// The uniformity depends on the launch.
    Unknown,
}

/// Maximum number of units of a cube for which the pass evaluates a condition. No device has larger cubes.
const MAX_UNITS: u32 = 1 << 12;

// The possible plane sizes. For each of them the positions in a plane are known.
fn widths(kernel: Op<'_>) -> Vec<u32> {
    target_of(kernel).planes.widths.clone()
}

// Evaluates the value for every unit, if it depends only on positions in the cube and constants.
fn decision(kernel: Op<'_>, value: Val<'_>) -> Decision {
    let dim = ops::Kernel::of(kernel).and_then(|kernel| kernel.cube_dim()).and_then(|dim| dim.as_i32_array());
    let Some(dim) = dim.and_then(|dim| <[i32; 3]>::try_from(dim).ok()).map(|dim| dim.map(|n| n.max(1) as u32)) else {
        return Decision::Unknown;
    };
    let units = dim.iter().fold(1u32, |all, units| all.saturating_mul(*units));
    if units > MAX_UNITS {
        return Decision::Unknown;
    }
    let mut alike = None;
    let widths = widths(kernel);
    for plane in widths.iter().copied() {
        let all = || (0..units).map(|unit| int_with(value, &|op| position(op, dim, plane, unit)));
        let Some(Some(first)) = all().next() else { return Decision::Unknown };
        let (mut apart, mut open) = (false, false);
        for value in all() {
            open |= value.is_none();
            apart |= value != Some(first);
        }
        if open {
            return Decision::Unknown;
        }
        match (apart, alike) {
            (false, None) if plane == widths[0] => alike = Some(first),
            (true, None) => {}
            (false, Some(before)) if before == first => {}
            _ => return Decision::Unknown,
        }
    }
    alike.map_or(Decision::Divergent, Decision::Uniform)
}

// The topology value of a unit, or `None` if the position of the unit in the cube does not determine the value.
fn position(op: Op<'_>, dim: [u32; 3], plane: u32, unit: u32) -> Option<i64> {
    let known = PartialInputs { plane_dim: Some(plane), ..PartialInputs::unit_of(unit, dim) };
    known.value(ops::Topology::of(op)?.kind()).map(i64::from)
}

/// Emits the comparison and returns the first unit's value. If another unit has a different value, the cube
/// ends and the launch fails. `None` if no cell can store the type.
fn compare<'p>(b: Builder<'p>, value: Val<'p>, barrier: Op<'p>) -> Option<Val<'p>> {
    let cx = b.cx();
    let word = cx.int(32);
    // A chip with 32-bit indices can lack i64.
    let of_kernel = target_of(barrier).index_bits;
    let of_index = value.ty() == cx.index();
    let held = match value.ty().bits() {
        _ if of_index => b.cast(arith::INDEX_CASTUI, value, cx.int(of_kernel)),
        Some(32 | 64) if value.ty().is_int() => value,
        Some(1) => b.cast(arith::EXTUI, value, word),
        _ => return None,
    };
    let of_first = Cell::new(b, barrier, held.ty())?;
    let others = Cell::new(b, barrier, word)?;
    let (zero, one) = (b.int(word, 0), b.int(cx.int(1), 1));
    let unit = topology(b, TopologyKind::UnitPos);
    let is_first = b.cmpi(IntCmp::Eq, unit, zero);
    when(b, is_first, |b| {
        of_first.store(b, held);
        others.store(b, zero);
    });
    sync(b);
    let first = of_first.load(b);
    let differs = b.cast(arith::EXTUI, b.cmpi(IntCmp::Ne, held, first), word);
    let add = Combine::AddI.attr(cx);
    let has_planes =
        |target: &Target| [PlaneOperation::Reduce, PlaneOperation::Elect].iter().all(|op| target.has_plane(*op));
    if has_planes(&target_of(barrier)) {
        let sum = b.op(ops::PlaneReduce::KIND).operands(&[differs]).attr("kind", add).result(word).value();
        let elected = b.op(ops::PlaneElect::KIND).result(cx.int(1)).value();
        when(b, elected, |b| others.add(b, sum));
    } else {
        when(b, b.cmpi(IntCmp::Ne, differs, zero), |b| others.add(b, differs));
    }
    sync(b);
    let others = others.load(b);
    // In a loop, the next iteration writes the cells again, so a barrier must follow the reads.
    sync(b);
    let part = b.cmpi(IntCmp::Ne, others, zero);
    let text = cx.str_attr(&message(barrier));
    let all = topology(b, TopologyKind::CubeDim);
    b.op(ops::If::KIND)
        .operands(&[part])
        .body(&[], |b, _| {
            when(b, is_first, |b| {
                let values = [topology(b, TopologyKind::CubePos), others, all];
                let unit = b.cx().unit_attr();
                b.op(ops::Print::KIND).operands(&values).attr("text", text).attr("fails", unit).build();
            });
            b.op(ops::Terminate::KIND).build();
        })
        .body(&[], |b, _| _ = b.op(ops::Yield::KIND).build())
        .build();
    Some(match value.ty().bits() {
        _ if of_index => b.cast(arith::INDEX_CASTUI, first, cx.index()),
        Some(1) => b.xori(b.cmpi(IntCmp::Eq, first, zero), one),
        _ => first,
    })
}

fn message(barrier: Op<'_>) -> String {
    let location = location_of(barrier.location());
    let location = location.map(|p| format!(" at {}:{}:{}", p.file, p.line, p.column)).unwrap_or_default();
    // Braces would be placeholders in a message.
    let location = location.replace(['{', '}'], "_");
    format!(
        "not all units of cube {{:u}} reach the barrier{location}: {{:u}} of {{:u}} units decide otherwise than the first unit; {SUGGESTION}"
    )
}

/// Rewrites a loop to run `count` iterations. The counter of the loop is computed from the iteration number.
fn count_iterations<'p>(op: Op<'p>, iterations: &TripCount<'p>, count: Val<'p>) {
    let b = Builder::before(op);
    let ty = op.operand(0).ty();
    op.set_operand(0, b.int(ty, 0));
    op.set_operand(1, count);
    op.set_operand(2, b.int(ty, 1));
    op.set_attr("unsignedCmp", op.cx().unit_attr());
    let Some((iteration, first)) = op.body().and_then(|body| Some((body.arg(0), body.first()?))) else { return };
    let b = Builder::before(first);
    let distance = b.muli(iteration, iterations.step);
    let counter = b.addi(iterations.from, distance);
    iteration.replace_all_uses(counter);
    distance.def().expect("just made").set_operand(0, iteration);
}

/// An allocation of one word in shared memory.
#[derive(Clone, Copy)]
struct Cell<'p> {
    buffer: Val<'p>,
    ty: Type<'p>,
}

impl<'p> Cell<'p> {
    fn new(b: Builder<'p>, barrier: Op<'p>, ty: Type<'p>) -> Option<Self> {
        let kernel = barrier.ancestors().find(|op| op.is(ops::Kernel::KIND))?;
        let start = Builder::before(kernel.body()?.first()?).with_location(b.location());
        let buffer = BufferType::of_lines(b.cx(), BufferKind::Shared, 1, ty)?;
        Some(Cell { buffer: start.op(ops::Alloc::KIND).result(buffer.get()).value(), ty })
    }

    fn at(self, b: Builder<'p>, kind: OpKind, value: Option<Val<'p>>) -> OpSpec<'p, 'static> {
        let operands: Vec<Val<'p>> = value.into_iter().chain([self.buffer, b.int(b.cx().int(32), 0)]).collect();
        b.op(kind).operands(&operands).attr("bounds", inbounds(b))
    }

    fn load(self, b: Builder<'p>) -> Val<'p> {
        self.at(b, ops::Load::KIND, None).result(self.ty).value()
    }

    fn store(self, b: Builder<'p>, value: Val<'p>) {
        self.at(b, ops::Store::KIND, Some(value)).build();
    }

    fn add(self, b: Builder<'p>, value: Val<'p>) {
        let add = Combine::AddI.attr(b.cx());
        self.at(b, ops::AtomicRmw::KIND, Some(value)).attr("kind", add).result(self.ty).build();
    }
}

fn sync(b: Builder<'_>) {
    let cube = Scope::Cube.attr(b.cx());
    b.op(ops::Sync::KIND).attr("scope", cube).build();
}

fn when<'p>(b: Builder<'p>, condition: Val<'p>, body: impl FnOnce(Builder<'p>)) {
    b.op(scf::IF)
        .operands(&[condition])
        .body(&[], |b, _| {
            body(b);
            b.op(scf::YIELD).build();
        })
        .empty_region()
        .build();
}
