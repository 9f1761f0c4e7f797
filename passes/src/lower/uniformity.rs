//! Which values are the same in all units of a cube, or of a plane.
//!
//! A value is as uniform as the least uniform thing that it is computed from, and as the control flow around it. A plain
//! load is as uniform as its index: units that would read different values at one place are in a data race. What another
//! unit may change in between is not: an atomic gives each unit its own value, and local memory is each unit's own.
//! Structured control flow is walked in order, loops until nothing changes. Cost: linear, times the depth of loops.
use super::memory::{self, Piece};
use cube_dialect::{TopologyKind as T, ops};
use cube_ir::{AttrExt, Block, Op, TypeExt, Val};
use std::collections::HashMap;

/// Who sees the same value; the later, the fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// All units of a cube.
    Cube,
    /// All units of a plane.
    Plane,
    /// Each unit its own.
    Unit,
}

/// Name of the attribute by which a load says that its value is uniform although its index is not.
pub(super) const UNIFORM: &str = "cube.uniform";

/// How units lie in cubes and planes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub dim: [u32; 3],
    pub plane: u32,
}

impl Shape {
    /// Units of a cube.
    pub fn units(self) -> u32 {
        self.dim.iter().product()
    }

    /// Whether the last plane of a cube has lanes without a unit.
    pub fn is_partial(self) -> bool {
        !self.units().is_multiple_of(self.plane)
    }

    /// How uniform what all units of a plane agree on is.
    fn plane_level(self) -> Level {
        if self.units() <= self.plane { Level::Cube } else { Level::Plane }
    }

    /// How uniform a coordinate of units is whose steps are `distance` units apart, of `size` of them.
    fn coordinate(self, distance: u32, size: u32) -> Level {
        match size {
            1 => Level::Cube,
            _ if distance.is_multiple_of(self.plane) => self.plane_level(),
            _ => Level::Unit,
        }
    }

    fn topology(self, kind: T) -> Level {
        let [x, y, z] = self.dim;
        match kind {
            T::AbsolutePosX | T::UnitPosX => self.coordinate(1, x),
            T::AbsolutePosY | T::UnitPosY => self.coordinate(x, y),
            T::AbsolutePosZ | T::UnitPosZ => self.coordinate(x * y, z),
            T::AbsolutePos | T::UnitPos | T::UnitPosPlane => self.coordinate(1, self.units()),
            T::PlanePos => self.plane_level(),
            _ => Level::Cube,
        }
    }
}

/// The answer for one kernel.
pub(super) struct Uniformity<'p> {
    shape: Shape,
    levels: HashMap<Val<'p>, Level>,
    control: HashMap<Op<'p>, Level>,
}

impl<'p> Uniformity<'p> {
    /// Looks at everything inside `kernel`.
    pub fn of(kernel: Op<'p>, shape: Shape) -> Self {
        let mut this = Uniformity { shape, levels: HashMap::new(), control: HashMap::new() };
        if let Some(block) = kernel.body() {
            this.block(block, Level::Cube);
        }
        this
    }

    /// How uniform a value is; what was made after the analysis is taken for uniform by whoever made it.
    pub fn level(&self, value: Val<'p>) -> Level {
        self.levels.get(&value).copied().unwrap_or(Level::Cube)
    }

    /// How uniform the decision is by which an operation with regions runs them; [`Level::Cube`] for others.
    pub fn control(&self, op: Op<'p>) -> Level {
        self.control.get(&op).copied().unwrap_or(Level::Cube)
    }

    fn set(&mut self, value: Val<'p>, level: Level) -> bool {
        // A cube of one unit has nobody to differ from.
        let level = if self.shape.units() == 1 { Level::Cube } else { level };
        let old = self.levels.insert(value, level);
        old != Some(level)
    }

    fn join(&self, values: impl IntoIterator<Item = Val<'p>>, base: Level) -> Level {
        values.into_iter().map(|v| self.level(v)).fold(base, Level::max)
    }

    fn block(&mut self, block: Block<'p>, control: Level) {
        for op in block.ops() {
            match op.name() {
                "scf.if" | "scf.index_switch" => self.branch(op, control),
                "scf.for" => self.counted(op, control),
                "scf.while" => self.conditional(op, control),
                _ => {
                    let level = self.plain(op, control);
                    op.results().for_each(|r| _ = self.set(r, level));
                }
            }
        }
    }

    fn plain(&self, op: Op<'p>, control: Level) -> Level {
        let operands = self.join(op.operands(), control);
        match op.name() {
            "cube.topology" => {
                let kind = ops::Topology::of(op).map(|t| t.kind());
                kind.map_or(Level::Unit, |k| self.shape.topology(k)).max(control)
            }
            "cube.plane_reduce" | "cube.plane_vote" | "cube.plane_ballot" => self.shape.plane_level().max(control),
            "cube.plane_broadcast" if self.is_present(op.operand(1)) => self.shape.plane_level().max(control),
            "memref.load" => match op.attr(UNIFORM).and_then(|a| a.as_str()) {
                Some(_) => self.shape.plane_level().max(control),
                None if memory::piece_of(op.operand(0)) == Piece::Unit => Level::Unit,
                None => operands,
            },
            "memref.alloca" => control,
            name if name.starts_with("cube.") || op.regions().len() != 0 => Level::Unit,
            _ => operands,
        }
    }

    /// Whether every plane has the lane that a broadcast reads.
    pub fn is_present(&self, lane: Val<'p>) -> bool {
        let last = match self.shape.units() % self.shape.plane {
            0 => self.shape.plane.min(self.shape.units()),
            rest => rest,
        };
        let constant = lane.def_of("arith.constant").and_then(|c| c.attr("value")).and_then(|v| v.as_int());
        constant.is_some_and(|lane| (0..i64::from(last)).contains(&lane))
    }

    fn branch(&mut self, op: Op<'p>, control: Level) {
        let decided = self.join([op.operand(0)], control);
        self.control.insert(op, decided);
        let mut levels = vec![decided; op.results().len()];
        for block in op.regions().filter_map(|r| r.first_block()) {
            self.block(block, decided);
            let yielded = block.terminator().map(|t| t.operands().collect::<Vec<_>>()).unwrap_or_default();
            for (level, value) in levels.iter_mut().zip(yielded) {
                *level = (*level).max(self.level(value));
            }
        }
        for (result, level) in op.results().zip(levels) {
            self.set(result, level);
        }
    }

    fn counted(&mut self, op: Op<'p>, control: Level) {
        let decided = self.join((0..3).map(|i| op.operand(i)), control);
        self.control.insert(op, decided);
        let Some(body) = op.body() else { return };
        self.set(body.arg(0), decided);
        let starts: Vec<Val<'p>> = op.operands().skip(3).collect();
        let carried: Vec<Val<'p>> = body.args().skip(1).collect();
        self.settle(&starts, &carried, decided, |this| {
            this.block(body, decided);
            (body.terminator().map(|t| t.operands().collect()).unwrap_or_default(), decided)
        });
        for (result, argument) in op.results().zip(carried) {
            self.set(result, self.level(argument));
        }
    }

    fn conditional(&mut self, op: Op<'p>, control: Level) {
        let blocks: Vec<Block<'p>> = op.regions().filter_map(|r| r.first_block()).collect();
        let [before, after] = blocks[..] else { return };
        let starts: Vec<Val<'p>> = op.operands().collect();
        let carried: Vec<Val<'p>> = before.args().collect();
        let mut decided = control;
        self.settle(&starts, &carried, control, |this| {
            this.block(before, decided);
            let condition = before.terminator().map(|t| t.operands().collect::<Vec<_>>()).unwrap_or_default();
            decided = this.join(condition.first().copied(), decided);
            for (argument, value) in after.args().zip(condition.iter().skip(1)) {
                this.set(argument, this.level(*value).max(decided));
            }
            this.block(after, decided);
            (after.terminator().map(|t| t.operands().collect()).unwrap_or_default(), decided)
        });
        self.control.insert(op, decided);
        for (result, argument) in op.results().zip(after.args()) {
            self.set(result, self.level(argument).max(decided));
        }
    }

    // Walks a loop until the levels of what it carries no longer change; they only rise.
    fn settle(
        &mut self,
        starts: &[Val<'p>],
        carried: &[Val<'p>],
        base: Level,
        mut turn: impl FnMut(&mut Self) -> (Vec<Val<'p>>, Level),
    ) {
        for (start, argument) in starts.iter().zip(carried) {
            self.set(*argument, self.level(*start).max(base));
        }
        let mut before = base;
        loop {
            let (yielded, decided) = turn(self);
            let mut changed = decided != before;
            before = decided;
            for (argument, value) in carried.iter().zip(yielded) {
                let level = self.level(*argument).max(self.level(value)).max(decided);
                changed |= self.set(*argument, level);
            }
            if !changed {
                return;
            }
        }
    }
}

/// The comparison that a cube op is not: whether an operation only computes, whatever its operands are.
pub(super) fn is_pure(op: Op<'_>) -> bool {
    let name = op.name();
    let computes = name.starts_with("arith.") || name.starts_with("math.") || name.starts_with("vector.");
    let memory = ["vector.load", "vector.store", "vector.print", "vector.transfer_read", "vector.transfer_write"];
    (computes && !memory.contains(&name) || name == "memref.dim" || name == "cube.topology")
        && op.regions().len() == 0
        && op
            .results()
            .all(|r| r.ty().is_int() || r.ty().is_fp() || r.ty().to_string() == "index" || r.ty().lanes().is_some())
}
