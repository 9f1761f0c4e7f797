//! Computes plane operations through shared memory, for chips that emulate planes.
//!
//! ```mlir
//! %s = cube.plane_reduce addf %v : f32     ->   cube.store %v, %tile[%unit]
//!                                               cube.sync cube
//!                                               scf.if %lane < 16 {         // then 8, 4, 2, 1
//!                                                 cube.store %tile[%unit] + %tile[%unit + 16], %tile[%unit]
//!                                               }
//!                                               cube.sync cube ...
//!                                               %s = cube.load %tile[%first]
//!                                               cube.sync cube
//! ```
//!
//! The kernel can declare the plane size; the default is `planes.width`. As in the interpreter, a plane consists of
//! units with consecutive numbers in the cube. Combinations have the interpreter's order, so sums of floats are bitwise
//! equal to the interpreter's sums. Positions in planes become arithmetic on the number of the unit, and plane barriers
//! become barriers of the cube. Invariant: no plane operation and no position in a plane is left, and each allocation
//! is free for the next operation. If the control flow around a plane operation is not uniform in the cube, the backend
//! refuses the emitted barriers. A reduction, vote or ballot costs log2(width) + 2 barriers. An inclusive scan costs 2
//! log2(width) barriers, and an exclusive scan two more. An election costs one barrier, and any other plane operation
//! two. Each element type requires shared memory with a line for every unit of the cube.
use crate::combine::{combine, scan_start};
use crate::plane_width::lanes_of;
use crate::write::{inbounds, topology};
use cube_dialect::topology::{Measures, evaluate};
use cube_dialect::{
    BufferKind, BufferType, Combine, Scan, Scope, Shuffle, TopologyKind, Vote, ops, properties::is_plane_op, target_of,
};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{Builder, Failed, Op, PassResult, Run, Type, TypeExt, Val, pass, upstream::IntCmp};

pass! {
    name: "emulate-planes",
    summary: "computes plane operations through shared memory on chips that emulate planes",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube", "scf", "vector"],
    statistics: ["plane operations emulated"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let kernel = ops::Kernel::of(run.root());
    let target = Some(target_of(run.root())).filter(|target| target.planes.emulated);
    let (Some(kernel), Some(target)) = (kernel, target) else {
        run.unchanged();
        return Ok(());
    };
    let plane = Plane { units: kernel.facts().cube_dim.iter().product(), width: lanes_of(kernel.op(), &target)? };
    let mut tiles: Vec<(Type<'p>, Val<'p>)> = Vec::new();
    for op in kernel.op().walk() {
        if let Some(position) = plane.position(run, op) {
            run.replace(op, &[position]);
        } else if ops::Sync::of(op).is_some_and(|sync| sync.scope() == Some(Scope::Plane)) {
            op.set_attr("scope", Scope::Cube.attr(run.cx()));
        } else if is_plane_op(op) {
            let Some(value) = plane.value(run, kernel.op(), op, &mut tiles) else {
                op.error(cube_ir::diagnostic!(CUBE0331.no_lowering { targets: "chips that emulate planes" }));
                return Err(Failed);
            };
            run.replace(op, &[value]);
            run.count("plane operations emulated", 1);
        }
    }
    Ok(())
}

/// The number of units of a cube and of a plane.
#[derive(Clone, Copy)]
struct Plane {
    /// Units of a cube.
    units: u32,
    width: u32,
}

impl Plane {
    // The value of a position in a plane; `None` for other operations.
    fn position<'p>(self, run: &Run<'p>, op: Op<'p>) -> Option<Val<'p>> {
        let kind = ops::Topology::of(op)?.value().filter(|kind| kind.inputs().plane_dim)?;
        let at = Positions { width: self.width, b: run.before(op) };
        Some(at.of(evaluate(kind, &at)))
    }

    // The value of a plane operation; `None` for an unknown operation or an unknown form of an operation.
    fn value<'p>(
        self,
        run: &Run<'p>,
        kernel: Op<'p>,
        op: Op<'p>,
        tiles: &mut Vec<(Type<'p>, Val<'p>)>,
    ) -> Option<Val<'p>> {
        let b = run.before(op);
        let word = |number: u32| b.int(b.cx().int(32), number.into());
        let unit = topology(b, TopologyKind::UnitPos);
        let at = Positions { width: self.width, b };
        let lane = at.of(evaluate(TopologyKind::UnitPosPlane, &at));
        if op.is(ops::PlaneElect::KIND) {
            // Lane 0 is elected, so lane 0 must be active. Because of the barrier, the backend refuses control flow in
            // which lane 0 can be inactive.
            barrier(b);
            return Some(b.cmpi(IntCmp::Eq, lane, word(0)));
        }
        let value = op.operand(0);
        let ty = value.ty();
        // Bools are exchanged as words.
        let words = ty.with_element(b.cx().int(32));
        let is_bool = ty.element() == b.cx().int(1);
        let own = if is_bool { b.cast(arith::EXTUI, value, words) } else { value };
        let tile = tile(run, kernel, own.ty(), tiles, self.units)?;
        let first = b.subi(unit, lane);
        // Only the last plane of a cube can have absent lanes.
        let count = match self.units.is_multiple_of(self.width) {
            true => word(self.width),
            false => b.minui(b.subi(word(self.units), first), word(self.width)),
        };
        let lanes = Lanes { plane: self, b, tile, unit, lane, first, count };
        let result = match op.kind() {
            ops::PlaneVote::KIND => match ops::PlaneVote::of(op)?.vote()? {
                Vote::All => lanes.reduce(Combine::AndI, own),
                Vote::Any => lanes.reduce(Combine::OrI, own),
            },
            ops::PlaneBallot::KIND => {
                let bit =
                    b.select(value, b.op(arith::SHLI).operands(&[word(1), lane]).result(lane.ty()).value(), word(0));
                let low = lanes.reduce(Combine::OrI, bit);
                return Some(b.of_lanes(op.result(0).ty(), &[low, word(0), word(0), word(0)]));
            }
            ops::PlaneReduce::KIND => lanes.reduce(of_words(Combine::on(op)?, is_bool), own),
            ops::PlaneScan::KIND => {
                let exclusive = ops::PlaneScan::of(op)?.scan()? == Scan::Exclusive;
                lanes.scan(of_words(Combine::on(op)?, is_bool), exclusive, own, is_bool)
            }
            ops::PlaneBroadcast::KIND => lanes.moved(own, op.operand(1), None),
            ops::PlaneShuffle::KIND => {
                let by = op.operand(1);
                let (from, inside) = match ops::PlaneShuffle::of(op)?.shuffle()? {
                    Shuffle::Idx => (by, None),
                    Shuffle::XOr => (b.xori(lane, by), None),
                    Shuffle::Up => (b.subi(lane, by), Some(b.cmpi(IntCmp::Ule, by, lane))),
                    Shuffle::Down => (b.addi(lane, by), Some(b.cmpi(IntCmp::Ult, by, word(self.width)))),
                };
                lanes.moved(own, from, inside)
            }
            _ => return None,
        };
        Some(if is_bool { b.cmpi(IntCmp::Ne, result, b.zero(words)) } else { result })
    }
}

/// The builder and the values with which the formulas of positions in planes are computed.
struct Positions<'p> {
    /// Units of a plane, a power of two.
    width: u32,
    b: Builder<'p>,
}

/// A number of 32 bits.
#[derive(Clone, Copy)]
enum Number<'p> {
    Known(u32),
    Value(Val<'p>),
}

impl<'p> Positions<'p> {
    fn of(&self, number: Number<'p>) -> Val<'p> {
        match number {
            Number::Known(n) => self.b.int(self.b.cx().int(32), i64::from(n as i32)),
            Number::Value(value) => value,
        }
    }

    fn read(&self, kind: TopologyKind) -> Number<'p> {
        Number::Value(topology(self.b, kind))
    }

    fn of_both(
        &self,
        (x, y): (Number<'p>, Number<'p>),
        emit: impl FnOnce(Builder<'p>, Val<'p>, Val<'p>) -> Val<'p>,
    ) -> Number<'p> {
        Number::Value(emit(self.b, self.of(x), self.of(y)))
    }
}

impl<'p> Measures for Positions<'p> {
    type Value = Number<'p>;
    fn unit(&self, axis: usize) -> Number<'p> {
        self.read([TopologyKind::UnitPosX, TopologyKind::UnitPosY, TopologyKind::UnitPosZ][axis])
    }
    fn units(&self) -> Number<'p> {
        self.read(TopologyKind::UnitPos)
    }
    fn cube(&self, axis: usize) -> Number<'p> {
        self.read([TopologyKind::CubePosX, TopologyKind::CubePosY, TopologyKind::CubePosZ][axis])
    }
    fn dim(&self, axis: usize) -> Number<'p> {
        self.read([TopologyKind::CubeDimX, TopologyKind::CubeDimY, TopologyKind::CubeDimZ][axis])
    }
    fn count(&self, axis: usize) -> Number<'p> {
        self.read([TopologyKind::CubeCountX, TopologyKind::CubeCountY, TopologyKind::CubeCountZ][axis])
    }
    fn cluster(&self, axis: usize) -> Number<'p> {
        use TopologyKind::{CubeClusterDimX, CubeClusterDimY, CubeClusterDimZ};
        self.read([CubeClusterDimX, CubeClusterDimY, CubeClusterDimZ][axis])
    }
    fn plane_dim(&self) -> Number<'p> {
        Number::Known(self.width)
    }
    fn add(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        self.of_both((x, y), |b, x, y| b.addi(x, y))
    }
    fn mul(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        self.of_both((x, y), |b, x, y| b.muli(x, y))
    }
    fn div(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        match y {
            Number::Known(by) if by.is_power_of_two() => {
                self.of_both((x, Number::Known(by.trailing_zeros())), |b, x, by| b.shrui(x, by))
            }
            y => self.of_both((x, y), |b, x, y| b.divui(x, y)),
        }
    }
    fn rem(&self, x: Number<'p>, y: Number<'p>) -> Number<'p> {
        match y {
            Number::Known(by) if by.is_power_of_two() => {
                self.of_both((x, Number::Known(by - 1)), |b, x, mask| b.andi(x, mask))
            }
            y => self.of_both((x, y), |b, x, y| b.remui(x, y)),
        }
    }
}

fn barrier(b: Builder<'_>) {
    b.op(ops::Sync::KIND).attr("scope", Scope::Cube.attr(b.cx())).build();
}

// The combination of words 0 and 1 that corresponds to a combination of bools.
fn of_words(kind: Combine, is_bool: bool) -> Combine {
    match kind {
        Combine::AddI | Combine::SubI if is_bool => Combine::XOrI,
        Combine::MulI | Combine::MinUI | Combine::MaxSI if is_bool => Combine::AndI,
        Combine::MaxUI | Combine::MinSI if is_bool => Combine::OrI,
        kind => kind,
    }
}

// The shared memory for lanes of a type, with a line for each unit of the cube.
fn tile<'p>(
    run: &Run<'p>,
    kernel: Op<'p>,
    ty: Type<'p>,
    tiles: &mut Vec<(Type<'p>, Val<'p>)>,
    units: u32,
) -> Option<Val<'p>> {
    if let Some((_, tile)) = tiles.iter().find(|(known, _)| *known == ty) {
        return Some(*tile);
    }
    let b = run.before(kernel.body()?.ops().into_iter().next()?);
    let line = u32::try_from(ty.lanes().unwrap_or(1)).ok()?;
    let size = Some(b.cx().int_attr(b.cx().int(32), units.into()));
    let memory = BufferType { kind: BufferKind::Shared, element: ty.element(), line, size }.get();
    let tile = b.op(ops::Alloc::KIND).result(memory).value();
    tiles.push((ty, tile));
    Some(tile)
}

/// The values that the replacement of one plane operation needs.
#[derive(Clone, Copy)]
struct Lanes<'p> {
    plane: Plane,
    b: Builder<'p>,
    tile: Val<'p>,
    unit: Val<'p>,
    lane: Val<'p>,
    /// The number of the plane's first unit.
    first: Val<'p>,
    /// The number of units of the plane.
    count: Val<'p>,
}

impl<'p> Lanes<'p> {
    fn word(self, number: u32) -> Val<'p> {
        self.b.int(self.b.cx().int(32), number.into())
    }

    fn sync(self) {
        barrier(self.b);
    }

    // Reads the line of a unit, with a builder that can be inside of a branch.
    fn load(self, b: Builder<'p>, unit: Val<'p>, ty: Type<'p>) -> Val<'p> {
        b.op(cube::LOAD).operands(&[self.tile, unit]).attr("bounds", inbounds(b)).result(ty).value()
    }

    fn store(self, b: Builder<'p>, value: Val<'p>) {
        b.op(cube::STORE).operands(&[value, self.tile, self.unit]).attr("bounds", inbounds(b)).build();
    }

    // Returns the line of the unit `unit`. The executing unit has already stored its own line.
    fn read(self, unit: Val<'p>, ty: Type<'p>) -> Val<'p> {
        self.sync();
        let value = self.load(self.b, unit, ty);
        self.sync();
        value
    }

    // Combines the upper half of the lanes with the lower half until one lane is left.
    fn reduce(self, kind: Combine, value: Val<'p>) -> Val<'p> {
        let b = self.b;
        self.store(b, value);
        let halves = std::iter::successors(Some(self.plane.width / 2), |half| Some(half / 2));
        for half in halves.take_while(|half| *half > 0).filter(|half| *half < self.plane.units) {
            self.sync();
            let above = b.addi(self.lane, self.word(half));
            let lower = b.cmpi(IntCmp::Ult, self.lane, self.word(half));
            let takes = b.andi(lower, b.cmpi(IntCmp::Ult, above, self.count));
            b.op(scf::IF)
                .operands(&[takes])
                .body(&[], |b, _| {
                    let upper = b.addi(self.unit, b.int(self.unit.ty(), half.into()));
                    let (low, high) = (self.load(b, self.unit, value.ty()), self.load(b, upper, value.ty()));
                    self.store(b, combine(b, kind, low, high));
                    b.op(scf::YIELD).build();
                })
                .empty_region()
                .build();
        }
        self.read(self.first, value.ty())
    }

    // After step k, each lane has combined the 2^k lanes that end at the lane itself (Hillis and Steele, 1986).
    fn scan(self, kind: Combine, exclusive: bool, value: Val<'p>, is_bool: bool) -> Val<'p> {
        let (b, mut all) = (self.b, value);
        let before = |step: u32| {
            let takes = b.cmpi(IntCmp::Ule, self.word(step), self.lane);
            (takes, b.select(takes, b.subi(self.unit, self.word(step)), self.unit))
        };
        let steps = std::iter::successors(Some(1), |step| Some(step * 2));
        for step in steps.take_while(|step| *step < self.plane.width.min(self.plane.units)) {
            self.store(b, all);
            let (takes, from) = before(step);
            let other = self.read(from, value.ty());
            all = b.select(takes, combine(b, kind, other, all), all);
        }
        if !exclusive {
            return all;
        }
        self.store(b, all);
        let (takes, from) = before(1);
        let other = self.read(from, value.ty());
        let start = match is_bool && kind == Combine::AndI {
            true => b.int(value.ty(), 1),
            false => scan_start(b, kind, value.ty()),
        };
        b.select(takes, other, start)
    }

    // The value of the lane `from`, or the unit's own value if the lane is absent or `inside` is false.
    fn moved(self, value: Val<'p>, from: Val<'p>, inside: Option<Val<'p>>) -> Val<'p> {
        let b = self.b;
        self.store(b, value);
        let present = b.cmpi(IntCmp::Ult, from, self.count);
        let present = inside.map_or(present, |inside| b.andi(present, inside));
        self.read(b.select(present, b.addi(self.first, from), self.unit), value.ty())
    }
}

#[cfg(test)]
mod tests {
    use cube_dialect::{ops, properties::is_plane_op};
    use cube_ir::Session;

    /// Tests a vote with an unknown quantifier, which a newer version of the dialect can have.
    #[test]
    fn unknown_form_of_a_plane_operation_is_refused() {
        crate::register();
        let session = Session::new();
        let text =
            "cube.kernel @k(%c: i1, %x: !cube.array<i32>) cube_dim(32) {\n%v = cube.plane_vote any %c\ncube.return\n}";
        let mut module = session.parse(text.as_bytes(), "k.mlir").expect("a kernel");
        module.run("builtin.module(attach-target{target=wgsl:core-shared-planes})").expect("a known target");
        let vote = module.op().walk().into_iter().find(|op| is_plane_op(*op)).expect("a vote");
        assert!(ops::PlaneVote::of(vote).is_some_and(|vote| vote.vote().is_some()));
        vote.set_attr("vote", module.op().cx().str_attr("most"));
        let error = module.run("builtin.module(cube.kernel(emulate-planes))").expect_err("an unknown vote");
        let codes: Vec<Option<&str>> = error.diagnostics.iter().map(|d| d.code.as_deref()).collect();
        assert_eq!(codes, [Some("CUBE0331")], "{error:?}");
    }
}
