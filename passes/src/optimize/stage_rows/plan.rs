//! Decides which loops and which of their loads are staged.
use crate::analysis::affine::{Affine, Product};
use crate::analysis::constants::int_of;
use crate::analysis::effects::{Writes, is_total};
use crate::analysis::loops::is_outside;
use crate::analysis::uniformity::{CubeGeometry, Uniform, Uniformity};
use cube_dialect::ALIGNMENT;
use cube_dialect::{
    AccessKind, Bounds, BufferKind, BufferType, access_of, bounds_of, is_same_in_memory, ops, target_of,
};
use cube_ir::ops::{arith, scf};
use cube_ir::properties::is_terminator;
use cube_ir::{Op, Run, Type, TypeExt, Val};
use cube_target::{Coarsening, PlaneOperation, SHARED_ALIGNMENT, SpaceKind};
use std::collections::HashSet;

/// Maximum number of operations in all copies of a loop body.
const MAX_OPERATIONS: u64 = 512;

/// Minimum distance of rows in bytes. Rows at a smaller distance are in the same cache lines, so their loads are
/// already efficient.
const NEAR: u64 = 64;

/// The properties of a plane that loads tiles together.
pub(super) struct Plane {
    pub lanes: u64,
    /// The widest load of a lane, in bytes; at most the alignment of a tile in shared memory.
    pub part: u64,
    /// The number of bytes of each row that a tile contains.
    pub bytes: u64,
    /// Maximum bytes of shared memory for the tiles of a cube.
    pub shared: u64,
}

impl Plane {
    /// The plane of the target. `None` if planes have several widths, or a required plane operation is missing.
    pub fn of<'p>(run: &Run<'p>, kernel: ops::Kernel<'p>) -> Option<Plane> {
        let bytes = u64::try_from(run.int("bytes")).ok().filter(|bytes| (16..=512).contains(bytes))?;
        let bytes = bytes.next_power_of_two();
        let target = target_of(kernel.op());
        let lanes = match u64::try_from(run.int("lanes")).ok()? {
            0 => {
                use PlaneOperation::{Barrier, Reduce, Shuffle, Vote};
                let has = [Barrier, Reduce, Shuffle, Vote].into_iter().all(|operation| target.has_plane(operation));
                let [width] = target.planes.widths[..] else { return None };
                Some(width).filter(|_| has && target.coarsens == Some(Coarsening::Units))?.into()
            }
            lanes => target.planes.widths.iter().map(|width| u64::from(*width)).find(|width| *width == lanes)?,
        };
        let space = target.space(SpaceKind::Shared)?;
        // The limit permits two resident cubes, so that loads of one cube overlap with the arithmetic of the other. In
        // a cube of many planes, the planes overlap in this way.
        let units: u32 = kernel.facts().cube_dim.iter().product();
        let cubes = if units < 512 { 2 } else { 1 };
        let shared = space.bytes.map(|bytes| bytes / cubes).or(space.static_bytes)?;
        let part = u64::from(target.access_bits / 8).min(SHARED_ALIGNMENT);
        Some(Plane { lanes, part, bytes, shared })
    }
}

/// A load of one element of the unit's row, with the loop counter as the column.
pub(super) struct RowLoad<'p> {
    pub op: Op<'p>,
    pub buffer: Val<'p>,
    pub index: Val<'p>,
    pub ty: BufferType<'p>,
    pub checked: bool,
    /// The widest load of a lane, in bytes.
    pub part: u64,
}

impl RowLoad<'_> {
    /// The number of lines that one load of a lane moves.
    pub fn part_lines(&self) -> u64 {
        match self.ty.line {
            1 => (self.part / self.ty.line_bytes()).max(1),
            _ => 1,
        }
    }

    pub fn part_bytes(&self) -> u64 {
        self.part_lines() * self.ty.line_bytes()
    }
}

/// The branch around a loop, if some units of a plane do not take it.
pub(super) struct Guard<'p> {
    pub branch: Op<'p>,
    /// Whether the loop is in the first region of the branch.
    pub truth: bool,
    /// Operations that precede the loop in its branch, and that all units can run safely.
    pub total: Vec<Op<'p>>,
    /// Operations in the branch before the loop that only the active units can run.
    pub others: Vec<Op<'p>>,
}

/// A loop that is staged.
pub(super) struct Rows<'p> {
    pub loop_op: Op<'p>,
    pub guard: Option<Guard<'p>>,
    pub loads: Vec<RowLoad<'p>>,
    /// The number of loop iterations that one tile covers.
    pub tile: u64,
    /// The number of copies of the loop body: the largest number of lines that one load moves.
    pub copies: u64,
}

/// The reason why the rows of a loop are not staged.
pub(super) struct MissedRemark<'p> {
    pub at: Op<'p>,
    pub rule: &'static str,
    pub why: &'static str,
    pub way: &'static str,
}

/// A reason without the operation to which it applies.
pub(super) struct Reason {
    rule: &'static str,
    why: &'static str,
    way: &'static str,
}

impl Reason {
    pub const fn at(self, at: Op<'_>) -> MissedRemark<'_> {
        MissedRemark { at, rule: self.rule, why: self.why, way: self.way }
    }
}

const fn reason(rule: &'static str, why: &'static str, way: &'static str) -> Reason {
    Reason { rule, why, way }
}

pub(super) const TOO_MANY: Reason =
    reason("loops", "the pass has staged eight loops of the kernel already", "split the kernel");

/// The plan for a loop; `None` if no unit reads a row in it.
pub(super) fn rows<'p>(
    kernel: ops::Kernel<'p>,
    plane: &Plane,
    loop_op: Op<'p>,
) -> Result<Option<Rows<'p>>, MissedRemark<'p>> {
    let Some(body) = loop_op.body().filter(|_| loop_op.operand(0).ty().bits() == Some(32)) else { return Ok(None) };
    let loads: Vec<RowLoad<'p>> = body.ops().into_iter().filter_map(|op| row_load(plane, loop_op, op)).collect();
    if loads.is_empty() {
        return Ok(None);
    }
    let dim = kernel.facts().cube_dim;
    let geometry = CubeGeometry { dim, plane: plane.lanes as u32 };
    let uniformity = Uniformity::with_geometry(kernel.op(), geometry);
    let (loads, near) = far(&uniformity, loop_op, loads);
    if loads.is_empty() {
        return match near {
            Some(near) => Err(reason(
                "near-rows",
                "the units of a plane read rows whose distance is unknown",
                "compute the start of a row as a position times a length",
            )
            .at(near)),
            None => Ok(None),
        };
    }
    if dim[1] * dim[2] != 1 || !u64::from(dim[0]).is_multiple_of(plane.lanes) {
        return Err(reason(
            "cube-dim",
            "the units of a cube are not whole planes along one dimension",
            "use one dimension, and a multiple of the plane's lanes as its size",
        )
        .at(loop_op));
    }
    if int_of(loop_op.operand(2)) != Some(1) {
        return Err(reason("step", "the step of the loop is not 1", "count by 1").at(loop_op));
    }
    if loop_op.operands().take(2).any(|bound| uniformity.level_of(bound) > Uniform::Plane) {
        return Err(reason(
            "trip-count",
            "the units of a plane can run different numbers of iterations",
            "if all rows have the same length, pass the length as an argument",
        )
        .at(loop_op));
    }
    legal(loop_op)?;
    if let Some(written) = loads.iter().find(|load| Writes::of(loop_op).to(load.buffer).is_some()) {
        return Err(reason(
            "may-be-written",
            "the loop can write the buffer that it reads",
            "add cube.noalias to the argument, or store after the loop",
        )
        .at(written.op));
    }
    let guard = guard(&uniformity, loop_op)?;
    let copies = loads.iter().map(RowLoad::part_lines).max().unwrap_or(1);
    if body.ops().into_iter().map(|op| op.walk().len() as u64).sum::<u64>() * copies > MAX_OPERATIONS {
        return Err(reason("size", "the copies of the loop body exceed 512 operations", "move work out of the loop")
            .at(loop_op));
    }
    let Some(tile) = tile(kernel, plane, dim[0], &loads, copies) else {
        return Err(reason(
            "shared-memory",
            "a tile for each plane of the cube does not fit into shared memory",
            "use smaller cubes",
        )
        .at(loop_op));
    };
    Ok(Some(Rows { loop_op, guard, loads, tile, copies }))
}

// A load that each iteration executes, with the counter as a summand of its index.
fn row_load<'p>(plane: &Plane, loop_op: Op<'p>, op: Op<'p>) -> Option<RowLoad<'p>> {
    let access = access_of(op).filter(|access| access.kind == AccessKind::Load)?;
    let ty = BufferType::of(access.buffer.ty()).filter(|ty| ty.is_global() && is_same_in_memory(ty.element))?;
    access.buffer.block_arg()?;
    if op.attr(ALIGNMENT).is_some() || !ty.line_bytes().is_power_of_two() {
        return None;
    }
    let counter = loop_op.body()?.arg(0);
    let form = Affine::of(access.index)?;
    let is_counter = |product: &Product<'p>| product.values().is_some_and(|values| values == [counter]);
    let mut others = form.products().into_iter().filter(|product| !is_counter(product));
    let invariant = others.all(|product| !product.depends_on(|v| !is_outside(v, loop_op)));
    let computed = is_computed(loop_op, access.index, &mut 64);
    (form.factor(counter) == 1 && form.nonzero().is_empty() && invariant && computed).then_some(RowLoad {
        op,
        buffer: access.buffer,
        index: access.index,
        ty,
        checked: bounds_of(op)? == Bounds::Checked,
        part: plane.part,
    })
}

// Whether a value can be computed before the loop, for any value of the counter.
fn is_computed<'p>(loop_op: Op<'p>, value: Val<'p>, fuel: &mut u32) -> bool {
    let Some(left) = fuel.checked_sub(1) else { return false };
    *fuel = left;
    if is_outside(value, loop_op) || loop_op.body().is_some_and(|body| body.arg(0) == value) {
        return true;
    }
    let total = value.def().filter(|op| is_total(*op) && op.regions().len() == 0);
    total.is_some_and(|op| op.operands().all(|v| is_computed(loop_op, v, fuel)))
}

// The loads whose rows are far apart in memory, and one load whose distance of rows is unknown. The result does not
// contain loads from a row that all units read.
fn far<'p>(
    uniformity: &Uniformity<'p>,
    loop_op: Op<'p>,
    loads: Vec<RowLoad<'p>>,
) -> (Vec<RowLoad<'p>>, Option<Op<'p>>) {
    let (mut apart, mut unknown) = (vec![], None);
    for load in loads {
        let Some(form) = Affine::of(load.index) else { continue };
        let varies = |v: Val<'p>| is_outside(v, loop_op) && uniformity.level_of(v) == Uniform::Unit;
        let own = form.products().into_iter().filter(|product| product.depends_on(varies));
        // A product with a quotient has an unknown distance.
        let own = own.map(|product| Some((product.values()?, product.factor))).collect::<Option<Vec<_>>>();
        let bytes = |factor: u64| u64::from((factor as i32).unsigned_abs()) * load.ty.line_bytes();
        let is_far = |(values, factor): &(Vec<Val<'p>>, u64)| values.len() > 1 || bytes(*factor) >= NEAR;
        let is_topology = |v: &Val<'p>| v.def().is_some_and(|op| op.is(ops::Topology::KIND));
        match own {
            Some(own) if own.iter().any(is_far) => apart.push(load),
            Some(own) if own.iter().all(|(values, _)| values.iter().all(is_topology)) => {}
            _ => unknown = unknown.or(Some(load.op)),
        }
    }
    (apart, unknown)
}

fn legal<'p>(loop_op: Op<'p>) -> Result<(), MissedRemark<'p>> {
    let inside = || loop_op.walk().into_iter().filter(|op| *op != loop_op);
    if let Some(inner) = inside().find(|op| op.is(scf::FOR) || op.is(scf::WHILE)) {
        return Err(reason(
            "inner-loop",
            "the loop contains another loop",
            "load the row into variables before the inner loop",
        )
        .at(inner));
    }
    match Writes::of(loop_op).convergent_op() {
        Some(meeting) => Err(reason(
            "units-synchronise",
            "units synchronise or exchange values in the loop",
            "no change is needed if the kernel requires this operation",
        )
        .at(meeting)),
        None => Ok(()),
    }
}

// The branch around the loop, if the branch can diverge in a plane.
fn guard<'p>(uniformity: &Uniformity<'p>, loop_op: Op<'p>) -> Result<Option<Guard<'p>>, MissedRemark<'p>> {
    if uniformity.reached_by(loop_op) <= Uniform::Plane {
        return Ok(None);
    }
    let branch = loop_op.parent().filter(|op| op.is(scf::IF) && uniformity.reached_by(*op) <= Uniform::Plane);
    let Some(branch) = branch else {
        return Err(reason(
            "branches",
            "units of a plane reach the loop through more than one branch",
            "combine the conditions into one",
        )
        .at(loop_op));
    };
    let block = loop_op.block();
    let truth = branch.regions().next().and_then(|region| region.first_block()) == block;
    let before: Vec<Op<'p>> =
        block.map(|block| block.ops()).unwrap_or_default().into_iter().take_while(|op| *op != loop_op).collect();
    let mut moved: HashSet<Op<'p>> = HashSet::new();
    let (mut total, mut others) = (vec![], vec![]);
    for op in before {
        let available = |v: Val<'p>| is_outside(v, branch) || v.def().is_some_and(|def| moved.contains(&def));
        if is_total(op) && op.regions().len() == 0 && op.operands().all(available) {
            moved.insert(op);
            total.push(op);
        } else {
            others.push(op);
        }
    }
    let outside = |v: Val<'p>| is_outside(v, branch) || v.def().is_some_and(|def| moved.contains(&def));
    if !loop_op.operands().take(2).all(outside) {
        return Err(reason(
            "trip-count",
            "the number of iterations is computed in the branch around the loop",
            "compute it before the branch",
        )
        .at(loop_op));
    }
    let is_plain = |v: Val<'p>| has_zero(v.ty());
    if let Some(op) = others.iter().find(|op| op.results().any(|v| v.has_uses() && !is_plain(v))) {
        return Err(reason(
            "before-loop",
            "an operation before the loop returns a value that is not a number",
            "move the operation before the branch",
        )
        .at(*op));
    }
    if let Some(meeting) = others.iter().find_map(|op| Writes::of(*op).convergent_op()) {
        return Err(reason(
            "units-synchronise",
            "units exchange values in the branch before the loop",
            "no change is needed if the kernel requires this operation",
        )
        .at(meeting));
    }
    Ok(Some(Guard { branch, truth, total, others }))
}

/// Whether the type has a zero constant.
pub(super) fn has_zero(ty: Type<'_>) -> bool {
    let element = ty.element();
    ty.line_size().is_some() && (element.is_fp() || element.is_int())
}

// The number of loop iterations that one tile covers: as many as fit into shared memory.
fn tile<'p>(kernel: ops::Kernel<'p>, plane: &Plane, units: u32, loads: &[RowLoad<'p>], copies: u64) -> Option<u64> {
    let widest = loads.iter().map(|load| load.ty.line_bytes()).max()?;
    let used: u64 = kernel
        .op()
        .walk()
        .into_iter()
        .filter(|op| op.is(ops::Alloc::KIND))
        .filter_map(|op| BufferType::of(op.result(0).ty()))
        .filter(|ty| ty.kind == BufferKind::Shared)
        .map(|ty| (ty.lines().unwrap_or(0) * ty.line_bytes()).next_multiple_of(SHARED_ALIGNMENT))
        .sum();
    let fits = |tile: u64| {
        let bytes = loads.iter().map(|load| u64::from(units) * (tile + load.part_lines()) * load.ty.line_bytes());
        let parts_fit = loads.iter().all(|load| tile / load.part_lines() <= plane.lanes);
        parts_fit && used + bytes.sum::<u64>() <= plane.shared
    };
    let mut tile = (plane.bytes / widest).max(copies);
    while tile > copies && !fits(tile) {
        tile /= 2;
    }
    (tile >= 2 && fits(tile)).then_some(tile)
}

/// Finds a float operation with a loop-carried result, for which the order of the iterations matters.
pub(super) fn ordered_sum<'p>(loop_op: Op<'p>) -> Option<Op<'p>> {
    let body = loop_op.body()?;
    let carried = |v: Val<'p>| v.block_arg().is_some_and(|(block, n)| block == body && n > 0);
    let float = |op: &Op<'p>| matches!(op.kind(), arith::ADDF | arith::MULF) && op.operands().any(carried);
    body.terminator()?.operands().filter_map(|v| v.def()).find(float)
}

/// The operations of a body without its terminator.
pub(super) fn operations<'p>(loop_op: Op<'p>) -> Vec<Op<'p>> {
    let ops = loop_op.body().map(|body| body.ops()).unwrap_or_default();
    ops.into_iter().filter(|op| !is_terminator(*op)).collect()
}
