//! Runs the number of cubes that a buffer contains, whichever number is launched.
//!
//! ```mlir
//! cube.kernel @k(..., %n: .. {cube.cubes})     cube.kernel @k(..., %n: ..)
//!                                                %cx, %cy, %cz = the first three numbers of %n
//!                                                scf.while (%x, %y, %z) below the counts {
//!   %p = cube.topology cube_pos_x                  ... with %x for cube_pos_x, %cx for cube_count_x
//!                                                  %x, %y, %z = the position of the next cube
//! ```
//!
//! The device, and not the host, reads the number of cubes, so the host need not wait for the commands that compute it. Each
//! launched cube runs the positions whose linear number is its own number, and then every further one at a distance of the number of
//! launched cubes. The next position is a sum with carries, so that the loop needs no division and no integer of
//! 64 bits. If the kernel has shared memory, the units of a cube wait at the end of each iteration, before the next one
//! writes this memory.
//!
//! Invariant: the kernel has the same effects for each number of launched cubes from 1 to 2^32 - 1. Cost: linear.
use crate::write::topology;
use cube_dialect::topology::{Measures, evaluate};
use cube_dialect::{Bounds, Memory, Scope, TopologyKind, memory_of, ops, properties::is_cube_barrier};
use cube_ir::access::accesses_of;
use cube_ir::ops::scf;
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Failed, Op, OpKind, PassResult, Run, Type, Val, pass};

pass! {
    name: "loop-cubes",
    summary: "runs the number of cubes that a buffer contains",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube", "arith", "scf"],
    statistics: ["kernels that read their number of cubes"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let Some(counts) = kernel.cubes() else {
        run.unchanged();
        return Ok(());
    };
    let (block, all) = (kernel.block().ok_or(Failed)?, kernel.op().walk());
    let end = block.terminator().ok_or(Failed)?;
    let exits = |op: &&Op<'p>| [ops::Return::KIND, ops::Terminate::KIND].contains(&op.kind()) && **op != end;
    if let Some(exit) = all.iter().find(exits) {
        exit.error(cube_ir::diagnostic!(CUBE0366.exit));
        return Err(Failed);
    }
    let writes = |op: &&Op<'p>| accesses_of(**op).any(|access| access.kind.writes() && access.buffer == counts);
    if let Some(write) = all.iter().find(writes) {
        write.error(cube_ir::diagnostic!(CUBE0366.written));
        return Err(Failed);
    }
    let reads: Vec<ops::Topology<'p>> = all.iter().filter_map(|op| ops::Topology::of(*op)).collect();
    let is_shared = |op: &Op<'p>| op.is(ops::Alloc::KIND) && memory_of(op.result(0)) == Memory::Shared;
    let waits = all.iter().any(|op| is_cube_barrier(*op) || is_shared(op));
    let body: Vec<Op<'p>> = block.ops().into_iter().filter(|op| !op.is(ops::Alloc::KIND) && *op != end).collect();

    // The allocations stay where they are, so the loop follows them.
    let b = Builder::before(end).with_location(kernel.op().location());
    let i32t = b.cx().int(32);
    let count = [0, 1, 2].map(|axis| load(b, counts, axis));
    let steps = Steps::new(b, count);
    let types = [i32t; 3];
    let mut placed = None;
    b.op(scf::WHILE)
        .operands(&steps.first)
        .results(&types)
        .body(&types, |b, at| {
            let more = b.cmpi(IntCmp::Ult, at[2], steps.layers);
            b.op(scf::CONDITION).operands(&[&[more], at].concat()).build();
        })
        .body(&types, |b, at| {
            let at = [at[0], at[1], at[2]];
            let next = steps.next(b, at);
            placed = Some((at, b.op(scf::YIELD).operands(&next).build()));
        })
        .build();
    let (cube, last) = placed.ok_or(Failed)?;
    let first = last.block().and_then(|block| block.first()).ok_or(Failed)?;
    body.iter().for_each(|op| op.move_inside(first));
    if waits {
        Builder::before(last).op(ops::Sync::KIND).attr("scope", Scope::Cube.attr(b.cx())).build();
    }
    let dim = kernel.facts().cube_dim;
    for read in reads {
        let inputs = read.kind().inputs();
        if inputs.cube || inputs.count {
            let position = Position { b: Builder::before(read.op()), cube, count, dim };
            let value = evaluate(read.kind(), &position);
            run.replace(read.op(), &[value]);
        }
    }
    kernel.remove_cubes();
    run.count("kernels that read their number of cubes", 1);
    Ok(())
}

fn load<'p>(b: Builder<'p>, counts: Val<'p>, axis: i64) -> Val<'p> {
    let i32t = b.cx().int(32);
    let bounds = Bounds::Checked.attr(b.cx());
    b.op(ops::Load::KIND).operands(&[counts, b.int(i32t, axis)]).attr("bounds", bounds).result(i32t).value()
}

/// The unsigned quotient of `cube.divui`, or the remainder of `cube.remui`.
fn divide<'p>(b: Builder<'p>, kind: OpKind, x: Val<'p>, y: Val<'p>) -> Val<'p> {
    b.op(kind).operands(&[x, y]).result(x.ty()).value()
}

/// A number of cubes as a position: its parts along x, y, z.
fn parts<'p>(b: Builder<'p>, number: Val<'p>, [x, y, _]: [Val<'p>; 3]) -> [Val<'p>; 3] {
    let (div, rem) = (ops::Divui::KIND, ops::Remui::KIND);
    let rest = divide(b, div, number, x);
    [divide(b, rem, number, x), divide(b, rem, rest, y), divide(b, div, rest, y)]
}

/// The positions that a launched cube runs.
struct Steps<'p> {
    /// The cubes along x and y.
    count: [Val<'p>; 2],
    /// The cubes along z; 0 without cubes.
    layers: Val<'p>,
    /// The first position.
    first: [Val<'p>; 3],
    /// The distance to the next position, without carries.
    distance: [Val<'p>; 3],
}

impl<'p> Steps<'p> {
    fn new(b: Builder<'p>, count: [Val<'p>; 3]) -> Self {
        let zero = b.int(count[0].ty(), 0);
        let empty = |axis: usize| b.cmpi(IntCmp::Eq, count[axis], zero);
        let layers = b.select(b.ori(empty(0), empty(1)), zero, count[2]);
        Steps {
            count: [count[0], count[1]],
            layers,
            first: parts(b, topology(b, TopologyKind::CubePos), count),
            distance: parts(b, topology(b, TopologyKind::CubeCount), count),
        }
    }

    // The position after `at`, or one with the end along z. Each part of the distance along x and y is below the count, so no
    // sum wraps around.
    fn next(&self, b: Builder<'p>, at: [Val<'p>; 3]) -> [Val<'p>; 3] {
        let (x, carry) = advance(b, at[0], self.distance[0], self.count[0]);
        let (y, carry) = advance(b, at[1], b.addi(self.distance[1], carry), self.count[1]);
        let far = b.addi(self.distance[2], carry);
        let ends = b.cmpi(IntCmp::Uge, far, b.subi(self.layers, at[2]));
        [x, y, b.select(ends, self.layers, b.addi(at[2], far))]
    }
}

/// The sum of a position below `count` and of a distance of at most `count`, modulo `count`, and the carry: 0 or 1.
fn advance<'p>(b: Builder<'p>, at: Val<'p>, distance: Val<'p>, count: Val<'p>) -> (Val<'p>, Val<'p>) {
    let rest = b.subi(count, distance);
    let wraps = b.cmpi(IntCmp::Uge, at, rest);
    let ty: Type<'p> = at.ty();
    let (one, zero) = (b.int(ty, 1), b.int(ty, 0));
    (b.select(wraps, b.subi(at, rest), b.addi(at, distance)), b.select(wraps, one, zero))
}

/// Emits the formulas of topology values for a position of the loop.
struct Position<'p> {
    b: Builder<'p>,
    cube: [Val<'p>; 3],
    count: [Val<'p>; 3],
    dim: [u32; 3],
}

impl<'p> Position<'p> {
    fn known(&self, number: u32) -> Val<'p> {
        self.b.int(self.b.cx().int(32), i64::from(number as i32))
    }
}

impl<'p> Measures for Position<'p> {
    type Value = Val<'p>;
    fn unit(&self, axis: usize) -> Val<'p> {
        topology(self.b, [TopologyKind::UnitPosX, TopologyKind::UnitPosY, TopologyKind::UnitPosZ][axis])
    }
    fn cube(&self, axis: usize) -> Val<'p> {
        self.cube[axis]
    }
    fn dim(&self, axis: usize) -> Val<'p> {
        self.known(self.dim[axis])
    }
    fn count(&self, axis: usize) -> Val<'p> {
        self.count[axis]
    }
    // Cubes that a loop runs belong to no cluster of several cubes.
    fn cluster(&self, _: usize) -> Val<'p> {
        self.known(1)
    }
    fn plane_dim(&self) -> Val<'p> {
        topology(self.b, TopologyKind::PlaneDim)
    }
    fn add(&self, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        self.b.addi(x, y)
    }
    fn mul(&self, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        self.b.muli(x, y)
    }
    fn div(&self, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        divide(self.b, ops::Divui::KIND, x, y)
    }
    fn rem(&self, x: Val<'p>, y: Val<'p>) -> Val<'p> {
        divide(self.b, ops::Remui::KIND, x, y)
    }
}
