//! Finds buffers that a launch overwrites completely, so that the runtime need not clear them before the launch.
//!
//! ```mlir
//! cube.kernel @k(%x: .., %out: ..) {           cube.kernel @k(%x: .., %out: ..) attributes {cube.overwritten =
//!   %i = cube.topology absolute_pos              {out = "eq(min(cubes, ceildiv(len(out), 256)), ceildiv(len(out), 256))"}} {
//!   %n = cube.len %out
//!   scf.if (%i ult %n) { cube.store %v, %out[%i] checked }
//! ```
//!
//! The kernel only stores to such a buffer. One of the stores has the position of its unit or cube as its index, and runs in
//! each unit with a position below the number of lines. The expression is 1 if the launch has a unit for each line. The
//! text above shows `cubes` for the product of the three cube counts. Invariant: if the expression is 1 and no other
//! argument shares the memory of the buffer, the contents of the buffer before the launch have no effect. Cost: linear.
//! The description of the target states whether the pass changes kernels (`launch_guards`).
use crate::analysis::constants::int_of;
use crate::analysis::guards::unsigned;
use crate::analysis::launch::all_of;
use crate::analysis::launch_bounds::exact;
use cube_dialect::attributes::OVERWRITTEN;
use cube_dialect::{
    AccessKind, BufferArg, CUBE_COUNT, KernelArg, access_of, alignment_of, ops, target_of, topology::Group,
    topology::Topology,
};
use cube_ir::ops::{arith, scf};
use cube_ir::properties::is_pure;
use cube_ir::upstream::IntCmp;
use cube_ir::{Op, OpKind, PassResult, Run, TypeExt, Val, pass};

/// Maximum number of stores of a buffer, and of branches around a store, that the pass reads.
const MAX_STORES: usize = 4;
const MAX_DEPTH: usize = 9;

/// Maximum number of comparisons in the conditions around a store.
const FUEL: u32 = 32;

pass! {
    name: "mark-overwritten",
    summary: "states for which launches a kernel overwrites all bytes of a buffer",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["cube"],
    statistics: ["buffers marked"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    if !target_of(kernel.op()).launch_guards {
        run.unchanged();
        return Ok(());
    }
    let (all, facts) = (kernel.op().walk(), kernel.facts());
    let exits = |op: &Op<'p>| match op.kind() {
        ops::Return::KIND => op.block() != kernel.block(),
        kind => kind == OpKind::Unknown || kind == ops::Terminate::KIND,
    };
    let mut marked = vec![];
    // The positions of a coarsened kernel are those of the executed cubes, and `cubes` counts the requested cubes.
    if kernel.op().attr(CUBE_COUNT).is_none() && !all.iter().any(exits) {
        for arg in &facts.args {
            if let KernelArg::Buffer(buffer) = arg
                && let Some(expression) = overwritten(kernel, facts.cube_dim, buffer)
            {
                marked.push((buffer.name.clone(), expression));
            }
        }
    }
    if marked.is_empty() {
        run.unchanged();
        return Ok(());
    }
    let cx = kernel.op().cx();
    let entries: Vec<_> = marked.iter().map(|(name, text)| (name.as_str(), cx.str_attr(text))).collect();
    kernel.op().set_attr(OVERWRITTEN, cx.dictionary_attr(&entries));
    run.count("buffers marked", entries.len() as u64);
    Ok(())
}

// The expression that is 1 if a launch overwrites the buffer; `None` if no launch is known to do so.
fn overwritten<'p>(kernel: ops::Kernel<'p>, cube_dim: [u32; 3], buffer: &BufferArg<'p>) -> Option<String> {
    let mut stores = vec![];
    for (user, _) in buffer.value.uses() {
        match access_of(user) {
            Some(access) if access.kind == AccessKind::Store && access.buffer == buffer.value => stores.push(user),
            None if is_pure(user) && (user.is(ops::Len::KIND) || user.is(ops::BufferLen::KIND)) => {}
            _ => return None,
        }
    }
    stores.into_iter().take(MAX_STORES).find_map(|store| covers(kernel, cube_dim, buffer, store))
}

// The expression that is 1 if a store runs for each line of the buffer.
fn covers<'p>(kernel: ops::Kernel<'p>, cube_dim: [u32; 3], buffer: &BufferArg<'p>, store: Op<'p>) -> Option<String> {
    let index = access_of(store).filter(|_| alignment_of(store).is_none())?.index;
    let position = topology_of(index)?;
    let dim = cube_dim.map(u64::from);
    let axes = position.axis.map_or(0..3, |axis| axis..axis + 1);
    let units = match position.group {
        Group::AbsolutePos => dim[axes].iter().product(),
        Group::CubePos => 1,
        _ => return None,
    };
    let length = format!("buffer_len({})", buffer.name);
    let cubes = match units {
        1 => length.clone(),
        _ => format!("ceildiv({length}, {units})"),
    };
    let count = match position.axis {
        Some(axis) => format!("cubes({axis})"),
        // A length is below 2^32, so a larger count does not change the result. The product does not exceed 64 bits.
        None => format!("mul(cubes(0), min(mul(cubes(1), cubes(2)), {}))", 1u64 << 32),
    };
    let mut needed =
        Conditions { kernel, index, of_cube: position.group == Group::CubePos, length, limits: vec![], fuel: FUEL };
    let mut inner = store;
    for outer in store.ancestors().take(MAX_DEPTH) {
        if outer == kernel.op() {
            needed.limits.push(at_most(&cubes, &count));
            return Some(all_of(&needed.limits));
        }
        let region = |n: usize| outer.regions().nth(n).and_then(|region| region.first_block());
        let truth = outer.is(scf::IF) && inner.block() == region(0);
        if !(truth || outer.is(scf::IF) && inner.block() == region(1)) {
            return None;
        }
        needed.require(outer.operand(0), truth)?;
        inner = outer;
    }
    None
}

fn topology_of(value: Val<'_>) -> Option<Topology> {
    Some(ops::Topology::of(value.def()?)?.value()?.topology())
}

// The expression of `x <= y`.
fn at_most(x: &str, y: &str) -> String {
    format!("eq(min({y}, {x}), {x})")
}

/// The conditions that must be true for each position below the number of lines.
struct Conditions<'p> {
    kernel: ops::Kernel<'p>,
    index: Val<'p>,
    /// Whether the index is the position of a cube. Then it is sufficient that unit 0 of each cube runs the store.
    of_cube: bool,
    /// The expression of the number of lines.
    length: String,
    /// Expressions that are 1 if the conditions are true.
    limits: Vec<String>,
    fuel: u32,
}

impl<'p> Conditions<'p> {
    // Adds the expressions under which the condition is `truth`. `None` if the launcher cannot compute them.
    fn require(&mut self, condition: Val<'p>, truth: bool) -> Option<()> {
        self.fuel = self.fuel.checked_sub(1)?;
        if let Some(constant) = int_of(condition) {
            return (constant & 1 == i64::from(truth)).then_some(());
        }
        let op = condition.def()?;
        match op.kind() {
            arith::ANDI if truth => op.operands().try_for_each(|condition| self.require(condition, true)),
            arith::ORI if !truth => op.operands().try_for_each(|condition| self.require(condition, false)),
            arith::XORI if condition.ty().bits() == Some(1) => {
                let negates = |n: &usize| int_of(op.operand(*n)).is_some_and(|number| number & 1 == 1);
                let n = (0..2).find(negates)?;
                self.require(op.operand(1 - n), !truth)
            }
            arith::CMPI => {
                let (x, y) = (op.operand(0), op.operand(1));
                match (arith::Cmpi::of(op)?.predicate()?, truth) {
                    (IntCmp::Ult, true) | (IntCmp::Uge, false) => self.less(x, y),
                    (IntCmp::Ugt, true) | (IntCmp::Ule, false) => self.less(y, x),
                    (IntCmp::Eq, true) | (IntCmp::Ne, false) => {
                        let zero = |value| unsigned(value) == Some(0);
                        (self.is_zero(x) && zero(y) || self.is_zero(y) && zero(x)).then_some(())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    // Whether the value is 0 in unit 0 of each cube, if such a unit is sufficient.
    fn is_zero(&self, value: Val<'p>) -> bool {
        self.of_cube && topology_of(value).is_some_and(|position| position.group == Group::UnitPos)
    }

    fn less(&mut self, x: Val<'p>, y: Val<'p>) -> Option<()> {
        if x == self.index {
            let limit = exact(self.kernel, y)?.text;
            if limit != self.length {
                self.limits.push(at_most(&self.length, &limit));
            }
            return Some(());
        }
        (self.is_zero(x) && unsigned(y).is_some_and(|limit| limit > 0)).then_some(())
    }
}
