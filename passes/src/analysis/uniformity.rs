//! Uniformity of values over a cube or a plane, and divergence of control flow.
//!
//! The analysis is a forward analysis over structured control flow, repeated up to a fixed point. Positions of units
//! vary. Arguments, cube positions and values computed only from them are uniform over the cube. A load is as uniform
//! as its index. Units that read one address between two barriers either read the same value or have a data race. The
//! result of an atomic operation counts as different in each unit. The result of a branch or loop is at most as uniform
//! as its condition. The analysis assumes that an unknown operation runs its regions in any units and writes any
//! memory. A value that was created after the analysis counts as different in each unit.
use cube_dialect::{
    AccessKind, Memory, TopologyKind, UnitLoop, memory_of, ops,
    properties::{PlaneResult, barrier_scope, plane_result},
    topology::{Measures, evaluate},
};
use cube_ir::access::{Access, access_of, accesses_of};
use cube_ir::ops::{arith, cube, memref, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{
    AttrExt, Block, Dialect as D, Op, Val,
    properties::{EffectKind, Effects, is_convergent, is_terminator, own_effects},
};
use std::collections::HashMap;

/// The largest group of units in which a value is uniform. Later variants have less uniformity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uniform {
    /// All units of a cube.
    Cube,
    /// All units of a plane.
    Plane,
    /// A single unit.
    Unit,
}

/// The arrangement of units in cubes and planes.
#[derive(Clone, Copy, Debug)]
pub struct CubeGeometry {
    /// The number of units along each axis of a cube.
    pub dim: [u32; 3],
    /// The number of lanes of a plane.
    pub plane: u32,
}

impl CubeGeometry {
    /// The number of units of a cube.
    pub fn units(self) -> u32 {
        self.dim.iter().product()
    }

    /// Whether the last plane of a cube has fewer units than lanes.
    pub fn is_partial(self) -> bool {
        !self.units().is_multiple_of(self.plane)
    }
}

/// The result of the analysis.
pub struct Uniformity<'p> {
    geometry: KnownGeometry,
    values: HashMap<Val<'p>, ValueResult<'p>>,
    memory: HashMap<Val<'p>, Uniform>,
    /// For each shared allocation, whether every unit accesses only the line whose index is the unit's number.
    per_unit: HashMap<Val<'p>, bool>,
    control: HashMap<Block<'p>, (Uniform, Option<Val<'p>>)>,
    unknown_writes: bool,
    changed: bool,
}

/// The result of the analysis for one value.
struct ValueResult<'p> {
    level: Uniform,
    /// The value that limits the uniformity level.
    cause: Option<Val<'p>>,
    /// The block of the definition at the time of the analysis. A pass can later move the definition to another block.
    block: Block<'p>,
}

/// A uniformity level, and the value that limits it.
type ValueLevel<'p> = (Uniform, Option<Val<'p>>);

const SAME: (Uniform, Option<Val<'static>>) = (Uniform::Cube, None);

impl<'p> Uniformity<'p> {
    /// Analyses a kernel at level flat or legal, for planes of any size.
    pub fn of(kernel: Op<'p>) -> Self {
        let dim = ops::Kernel::of(kernel).and_then(|k| k.cube_dim()).and_then(|d| d.as_i32_array());
        let dim = dim.and_then(|dim| <[i32; 3]>::try_from(dim).ok());
        Self::analyse(kernel, KnownGeometry { dim: dim.map(|dim| dim.map(|units| units.max(1) as u32)), plane: None })
    }

    /// Analyses a kernel at level flat or legal, for units in the geometry `shape`.
    pub fn with_geometry(kernel: Op<'p>, shape: CubeGeometry) -> Self {
        Self::analyse(kernel, KnownGeometry { dim: Some(shape.dim), plane: Some(shape.plane) })
    }

    fn analyse(kernel: Op<'p>, geometry: KnownGeometry) -> Self {
        let (values, memory, per_unit, control) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        let mut found =
            Uniformity { geometry, values, memory, per_unit, control, unknown_writes: false, changed: true };
        while std::mem::take(&mut found.changed) {
            if let Some(block) = kernel.body() {
                block.args().for_each(|arg| found.set(arg, block, SAME));
                found.block(block, SAME);
            }
        }
        found
    }

    /// The largest group of units that reach the definition of `value` together and compute the same value. `Unit` for
    /// a value that was created after the analysis.
    pub fn among_all(&self, value: Val<'p>) -> Uniform {
        self.values.get(&value).map_or(Uniform::Unit, |found| self.control_of(found.block).max(found.level))
    }

    /// The largest group of units in which all units that reach the definition of `value` compute the same value.
    /// `Unit` for a value that was created after the analysis.
    pub fn level_of(&self, value: Val<'p>) -> Uniform {
        self.values.get(&value).map_or(Uniform::Unit, |found| found.level)
    }

    /// The largest group of units that reach an operation together. `Cube` means that either all units of a cube reach
    /// the operation, or no unit does. `Unit` in a block that was created after the analysis.
    pub fn reached_by(&self, op: Op<'p>) -> Uniform {
        op.block().map_or(Uniform::Unit, |block| self.control_of(block))
    }

    /// The largest group of units that execute the regions of an operation together. [`Uniform::Cube`] for an operation
    /// without regions.
    pub fn decided_by(&self, op: Op<'p>) -> Uniform {
        op.regions().flat_map(|r| r.blocks()).map(|b| self.control_of(b)).max().unwrap_or(Uniform::Cube)
    }

    /// Whether every plane has the lane with the number `lane`.
    pub fn is_present(&self, lane: Val<'p>) -> bool {
        let constant = lane.def_of(arith::CONSTANT).and_then(|c| c.attr("value")).and_then(|v| v.as_int());
        constant.is_some_and(|lane| (0..i64::from(self.geometry.fewest_lanes())).contains(&lane))
    }

    fn control_of(&self, block: Block<'p>) -> Uniform {
        self.control.get(&block).map_or(Uniform::Unit, |c| c.0)
    }

    /// The values that make the control flow around `op` diverge. The first value is the enclosing condition, and the
    /// last value is the source of the divergence.
    pub fn chain(&self, op: Op<'p>) -> Vec<Val<'p>> {
        let mut chain: Vec<Val<'p>> = Vec::new();
        let mut next = op.block().and_then(|b| self.control.get(&b)).and_then(|c| c.1);
        while let Some(value) = next.filter(|v| !chain.contains(v)) {
            chain.push(value);
            next = self.values.get(&value).and_then(|found| found.cause);
        }
        chain
    }

    // The level in the current step of the fixed-point iteration. A value is uniform until the analysis finds a
    // difference.
    fn level(&self, value: Val<'p>) -> ValueLevel<'p> {
        self.values.get(&value).map_or(SAME, |found| (found.level, Some(value)))
    }

    fn set(&mut self, value: Val<'p>, block: Block<'p>, (level, cause): ValueLevel<'p>) {
        let found = self.values.entry(value).or_insert(ValueResult { level: Uniform::Cube, cause: None, block });
        // A cube of one unit never diverges.
        if level > found.level && !self.geometry.is_alone() {
            (found.level, found.cause) = (level, cause.filter(|c| *c != value));
            self.changed = true;
        }
    }

    fn block(&mut self, block: Block<'p>, control: ValueLevel<'p>) {
        let before = self.control.entry(block).or_insert(SAME);
        if control.0 > before.0 {
            *before = control;
            self.changed = true;
        }
        for op in block.ops() {
            if op.regions().len() > 0 {
                self.structure(op, block, control);
            } else {
                self.plain(op, block, control);
            }
        }
    }

    fn worst(&self, values: impl IntoIterator<Item = Val<'p>>) -> ValueLevel<'p> {
        values.into_iter().map(|v| self.level(v)).fold(SAME, worse)
    }

    fn plain(&mut self, op: Op<'p>, block: Block<'p>, control: ValueLevel<'p>) {
        let operands = self.worst(op.operands());
        let level = match op.kind() {
            ops::Topology::KIND => (self.geometry.topology(op), None),
            arith::CMPI | arith::DIVUI | cube::DIVUI if self.geometry.tests_plane_number(op) => {
                (self.geometry.plane(), None)
            }
            _ => match plane_result(op) {
                Some(result) => self.plane_op(op, result, operands, control),
                None => self.other(op, operands, control),
            },
        };
        for result in op.results() {
            self.set(result, block, level);
        }
    }

    // The level of a plane operation's result.
    fn plane_op(
        &self,
        op: Op<'p>,
        result: PlaneResult,
        operands: ValueLevel<'p>,
        control: ValueLevel<'p>,
    ) -> ValueLevel<'p> {
        // If the lane can be absent, each unit gets its own operand.
        let absent = || control.0 > Uniform::Plane || !self.is_present(op.operand(1));
        match result {
            PlaneResult::Own => (Uniform::Unit, None),
            PlaneResult::Lane if operands.0 == Uniform::Cube || absent() => operands,
            PlaneResult::Same | PlaneResult::Lane => (self.geometry.plane(), None),
        }
    }

    // The level of any other operation's result, and the operation's effect on local memory. Uniform operands give a
    // uniform result, unless the operation reads hardware state, other units, or memory that is not an operand.
    fn other(&mut self, op: Op<'p>, operands: ValueLevel<'p>, control: ValueLevel<'p>) -> ValueLevel<'p> {
        let unit = (Uniform::Unit, None);
        if is_terminator(op) {
            return operands;
        }
        let accesses: Vec<Access<'p>> = accesses_of(op).collect();
        if !accesses.is_empty() {
            // A copy first reads its source, then writes the values to its destination.
            return accesses.iter().fold(operands, |level, access| self.access(access, level, control));
        }
        let Effects::Known(effects) = own_effects(op) else {
            self.write_all();
            return unit;
        };
        let computes = matches!(
            op.kind().dialect(),
            Some(D::Arith | D::Builtin | D::Cube | D::Layout | D::Math | D::Memref | D::Scf | D::Ub | D::Vector)
        );
        let mut level = if computes && !is_convergent(op) { operands } else { unit };
        for effect in &effects {
            match effect.kind {
                // A barrier orders the writes of units. The barrier itself writes nothing.
                EffectKind::Read => level = unit,
                EffectKind::Alloc => {}
                _ if effect.is_of_memory() && barrier_scope(op).is_none() => self.write_all(),
                _ => {}
            }
        }
        level
    }

    // The level of an access's result. The result of an atomic operation differs in each unit.
    fn access(&mut self, access: &Access<'p>, operands: ValueLevel<'p>, control: ValueLevel<'p>) -> ValueLevel<'p> {
        let memory = memory_of(access.buffer);
        if matches!(memory, Memory::Shared) && self.is_per_unit(access.buffer) {
            // Each unit accesses only its own line, so the line behaves like local memory of the unit.
            let Some(value) = access.value else { return (self.read(access.buffer), None) };
            self.write(access.buffer, worse(self.level(value), control).0);
            return operands;
        }
        if access.kind.writes() {
            match memory {
                Memory::Local(own) => self.write(own, worse(operands, control).0),
                Memory::Unknown => self.write_all(),
                Memory::Global | Memory::Shared => {}
            }
        }
        match (access.kind, memory) {
            (AccessKind::Load, Memory::Local(own)) => worse(operands, (self.read(own), None)),
            (AccessKind::Load, Memory::Global | Memory::Shared) | (AccessKind::Store, _) => operands,
            _ => worse(operands, (Uniform::Unit, None)),
        }
    }

    // Whether all uses of the memory are loads and stores of single lines whose index is the unit's number.
    fn is_per_unit(&mut self, buffer: Val<'p>) -> bool {
        *self.per_unit.entry(buffer).or_insert_with(|| {
            let own = |index: Val<'p>| {
                let unit = index.def_of(arith::INDEX_CASTUI).and_then(|cast| cast.operand(0).def());
                unit.and_then(ops::Topology::of).is_some_and(|unit| unit.kind() == TopologyKind::UnitPos)
            };
            let line = |op: Op<'p>| {
                let access = access_of(op).filter(|_| matches!(op.kind(), memref::LOAD | memref::STORE));
                access.is_some_and(|access| {
                    access.buffer == buffer && access.value != Some(buffer) && access.index().is_some_and(own)
                })
            };
            buffer.def_of(memref::ALLOCA).is_some() && buffer.uses().into_iter().all(|(op, _)| line(op))
        })
    }

    // An unknown operation can write any local memory.
    fn write_all(&mut self) {
        self.changed |= !std::mem::replace(&mut self.unknown_writes, true);
    }

    fn write(&mut self, memory: Val<'p>, level: Uniform) {
        if level > self.read(memory) {
            self.memory.insert(memory, level);
            self.changed = true;
        }
    }

    fn read(&self, memory: Val<'p>) -> Uniform {
        if self.unknown_writes {
            return Uniform::Unit;
        }
        self.memory.get(&memory).copied().unwrap_or(Uniform::Cube)
    }

    // An operation with regions in `block`.
    fn structure(&mut self, op: Op<'p>, block: Block<'p>, control: ValueLevel<'p>) {
        let blocks: Vec<Block<'p>> = op.regions().flat_map(|r| r.blocks()).collect();
        let ends = |block: &Block<'p>, skip: usize| -> Vec<Val<'p>> {
            block.terminator().map(|t| t.operands().skip(skip).collect()).unwrap_or_default()
        };
        match (op.kind(), &blocks[..]) {
            (scf::FOR, [body]) => {
                let iterations = self.worst(op.operands().take(3));
                let counter = self.worst([op.operand(0), op.operand(2)]);
                self.set(body.arg(0), *body, counter);
                let given = ends(body, 0);
                for (i, init) in op.operands().skip(3).enumerate() {
                    let carried = worse(self.level(init), given.get(i).map_or(SAME, |v| self.level(*v)));
                    self.set(body.arg(i + 1), *body, carried);
                    self.set(op.result(i), block, worse(carried, iterations));
                }
                self.block(*body, worse(control, iterations));
            }
            // The terminator of a loop over units has no operations.
            (scf::FORALL_IN_PARALLEL, [end]) if end.ops().is_empty() => {}
            // Every unit runs one iteration.
            (scf::FORALL, [body]) if UnitLoop::of(op).is_some() => {
                self.set(body.arg(0), *body, (Uniform::Unit, None));
                self.block(*body, control);
            }
            (scf::WHILE, [before, after]) => {
                let condition = before.terminator().and_then(|t| t.operands().next());
                let condition = condition.map_or(SAME, |c| self.level(c));
                let (given, back) = (ends(before, 1), ends(after, 0));
                for (i, init) in op.operands().enumerate() {
                    let carried = worse(self.level(init), back.get(i).map_or(SAME, |v| self.level(*v)));
                    self.set(before.arg(i), *before, carried);
                }
                for (i, value) in given.iter().enumerate() {
                    let level = self.level(*value);
                    self.set(after.arg(i), *after, level);
                    self.set(op.result(i), block, worse(level, condition));
                }
                let inside = worse(control, condition);
                self.block(*before, inside);
                self.block(*after, inside);
            }
            (scf::IF | scf::INDEX_SWITCH, _) => {
                let condition = self.worst(op.operands().take(1));
                for arm in &blocks {
                    for (result, value) in op.results().zip(ends(arm, 0)) {
                        self.set(result, block, worse(self.level(value), condition));
                    }
                    self.block(*arm, worse(control, condition));
                }
            }
            // Any unit can run the regions of an unknown operation at any time, with any arguments.
            _ => {
                let unit = (Uniform::Unit, None);
                self.write_all();
                op.results().for_each(|result| self.set(result, block, unit));
                for inner in &blocks {
                    inner.args().for_each(|arg| self.set(arg, *inner, unit));
                    self.block(*inner, unit);
                }
            }
        }
    }
}

fn worse<'p>(x: ValueLevel<'p>, y: ValueLevel<'p>) -> ValueLevel<'p> {
    if y.0 > x.0 { y } else { x }
}

/// The known geometry of the units.
#[derive(Clone, Copy)]
struct KnownGeometry {
    dim: Option<[u32; 3]>,
    plane: Option<u32>,
}

impl KnownGeometry {
    fn units(self) -> Option<u32> {
        self.dim.map(|dim| dim.iter().fold(1u32, |all, units| all.saturating_mul(*units)))
    }

    fn is_alone(self) -> bool {
        self.units() == Some(1)
    }

    /// The number of lanes of the smallest possible plane.
    fn fewest_lanes(self) -> u32 {
        match (self.units(), self.plane) {
            (Some(units), Some(plane)) if units.is_multiple_of(plane) => plane,
            (Some(units), Some(plane)) => units % plane,
            _ => 1,
        }
    }

    /// The uniformity level of a value that is known to be uniform over each plane.
    fn plane(self) -> Uniform {
        match (self.units(), self.plane) {
            (Some(units), Some(plane)) if units <= plane => Uniform::Cube,
            _ => Uniform::Plane,
        }
    }

    /// The uniformity of a coordinate along an axis. The numbers of neighbouring units along the axis differ by
    /// `distance`.
    fn coordinate(self, axis: usize) -> Uniform {
        let Some(dim) = self.dim else { return Uniform::Unit };
        let distance: u32 = dim[..axis].iter().fold(1u32, |all, units| all.saturating_mul(*units));
        match self.plane {
            _ if dim[axis] == 1 => Uniform::Cube,
            Some(plane) if distance.is_multiple_of(plane) => self.plane(),
            _ => Uniform::Unit,
        }
    }

    /// Whether an operation computes a value that is equal in all units of a plane. Examples are comparisons of the
    /// unit's position with multiples of the plane size, and quotients by multiples of the plane size.
    fn tests_plane_number(self, op: Op<'_>) -> bool {
        use TopologyKind as T;
        let kind = |v: Val<'_>| v.def().and_then(ops::Topology::of).map(|t| t.kind());
        let row = self.dim.is_some_and(|dim| dim[1] == 1 && dim[2] == 1);
        let number = |v: Val<'_>| match kind(v) {
            Some(T::UnitPos) => true,
            Some(T::UnitPosX) => row,
            _ => false,
        };
        let multiple = |v: Val<'_>, more: i64| {
            let constant = || super::constants::int_of(v).zip(self.plane);
            kind(v) == Some(T::PlaneDim) && more == 0
                || constant().is_some_and(|(n, plane)| n > 0 && (n + more) % i64::from(plane) == 0)
        };
        let (first, second) = (op.operand(0), op.operand(1));
        if !op.is(arith::CMPI) {
            return number(first) && multiple(second, 0);
        }
        // `<` and `>=` separate numbers at n, `<=` and `>` at n + 1. A unit's number is not negative, so signed and
        // unsigned comparisons agree.
        let after = match arith::Cmpi::of(op).and_then(|compare| compare.predicate()) {
            Some(IntCmp::Slt | IntCmp::Sge | IntCmp::Ult | IntCmp::Uge) => [0, 1],
            Some(IntCmp::Sle | IntCmp::Sgt | IntCmp::Ule | IntCmp::Ugt) => [1, 0],
            _ => return false,
        };
        number(first) && multiple(second, after[0]) || number(second) && multiple(first, after[1])
    }

    fn topology(self, op: Op<'_>) -> Uniform {
        ops::Topology::of(op).map_or(Uniform::Unit, |topology| evaluate(topology.kind(), &self))
    }
}

/// Computes the uniformity level of a topology value from its formula. The result of an operation has the level of the
/// least uniform operand.
impl Measures for KnownGeometry {
    type Value = Uniform;
    fn unit(&self, axis: usize) -> Uniform {
        self.coordinate(axis)
    }
    fn cube(&self, _axis: usize) -> Uniform {
        Uniform::Cube
    }
    fn dim(&self, _axis: usize) -> Uniform {
        Uniform::Cube
    }
    fn count(&self, _axis: usize) -> Uniform {
        Uniform::Cube
    }
    fn cluster(&self, _axis: usize) -> Uniform {
        Uniform::Cube
    }
    fn plane_dim(&self) -> Uniform {
        Uniform::Cube
    }
    fn add(&self, x: Uniform, y: Uniform) -> Uniform {
        x.max(y)
    }
    fn mul(&self, x: Uniform, y: Uniform) -> Uniform {
        x.max(y)
    }
    // The only quotient of the formulas is the unit's number divided by the number of lanes, which is the number of the
    // plane.
    fn div(&self, x: Uniform, _lanes: Uniform) -> Uniform {
        x.min(self.plane())
    }
    // The remainder of the unit's number is the lane. A plane of one unit has only one lane.
    fn rem(&self, x: Uniform, _lanes: Uniform) -> Uniform {
        if self.plane == Some(1) { Uniform::Cube } else { x }
    }
}
