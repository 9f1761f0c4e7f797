//! Which values are the same for all units of a cube, or of a plane, and whom a branch parts.
//!
//! A forward analysis over structured control flow, repeated until nothing changes. Positions of units vary; arguments, cube
//! positions and what is computed of them alone are the same for the cube. A load is as uniform as its index: units that
//! read one place between two barriers read one value, or race. What an atomic gives differs between units. A value that a
//! branch or loop gives is at most as uniform as the condition that decided.
use cube_dialect::{AccessKind, BufferKind, BufferType, TopologyKind, access_of, ops};
use cube_ir::{AttrExt, Block, Op, Val};
use std::collections::HashMap;

/// Among whom a value is the same; later ones are less uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uniform {
    /// All units of a cube.
    Cube,
    /// All units of a plane.
    Plane,
    /// Only the unit itself.
    Unit,
}

/// What the analysis found.
pub struct Uniformity<'p> {
    values: HashMap<Val<'p>, (Uniform, Option<Val<'p>>)>,
    memory: HashMap<Val<'p>, Uniform>,
    control: HashMap<Block<'p>, (Uniform, Option<Val<'p>>)>,
    changed: bool,
}

/// A level, and the value that it comes from.
type Level<'p> = (Uniform, Option<Val<'p>>);

const SAME: (Uniform, Option<Val<'static>>) = (Uniform::Cube, None);

impl<'p> Uniformity<'p> {
    /// Analyses a kernel at level flat or legal.
    pub fn of(kernel: Op<'p>) -> Self {
        let mut found =
            Uniformity { values: HashMap::new(), memory: HashMap::new(), control: HashMap::new(), changed: true };
        while std::mem::take(&mut found.changed) {
            if let Some(block) = kernel.body() {
                found.block(block, SAME);
            }
        }
        found
    }

    /// How uniform a value is.
    pub fn value(&self, value: Val<'p>) -> Uniform {
        self.level(value).0
    }

    /// Who is together where an operation stands: `Cube` means that all units of a cube reach it, or none.
    pub fn reached_by(&self, op: Op<'p>) -> Uniform {
        op.block().and_then(|b| self.control.get(&b)).map_or(Uniform::Cube, |c| c.0)
    }

    /// The values that part the units before `op`, from the condition around it to where the difference comes from.
    pub fn chain(&self, op: Op<'p>) -> Vec<Val<'p>> {
        let mut chain: Vec<Val<'p>> = Vec::new();
        let mut next = op.block().and_then(|b| self.control.get(&b)).and_then(|c| c.1);
        while let Some(value) = next.filter(|v| !chain.contains(v)) {
            chain.push(value);
            next = self.values.get(&value).and_then(|(_, cause)| *cause);
        }
        chain
    }

    fn level(&self, value: Val<'p>) -> Level<'p> {
        self.values.get(&value).map_or(SAME, |(level, _)| (*level, Some(value)))
    }

    fn set(&mut self, value: Val<'p>, (level, cause): Level<'p>) {
        if level > self.level(value).0 {
            self.values.insert(value, (level, cause.filter(|c| *c != value)));
            self.changed = true;
        }
    }

    fn block(&mut self, block: Block<'p>, control: Level<'p>) {
        let known = self.control.get(&block).map_or(Uniform::Cube, |c| c.0);
        if control.0 > known {
            self.control.insert(block, control);
            self.changed = true;
        }
        for op in block.ops() {
            if op.regions().len() > 0 {
                self.structure(op, control);
            } else {
                self.plain(op, control);
            }
        }
    }

    fn worst(&self, values: impl IntoIterator<Item = Val<'p>>) -> Level<'p> {
        values.into_iter().map(|v| self.level(v)).fold(SAME, worse)
    }

    fn plain(&mut self, op: Op<'p>, control: Level<'p>) {
        let operands = self.worst(op.operands());
        let unit = (Uniform::Unit, None);
        let level = match op.name() {
            ops::Topology::NAME => topology(op),
            ops::PlaneScan::NAME | ops::PlaneShuffle::NAME | ops::PlaneElect::NAME => unit,
            ops::PlaneBroadcast::NAME if self.level(op.operand(0)).0 == Uniform::Cube => operands,
            ops::PlaneReduce::NAME | ops::PlaneVote::NAME | ops::PlaneBallot::NAME | ops::PlaneBroadcast::NAME => {
                (Uniform::Plane, None)
            }
            _ => match access_of(op) {
                Some(access) => {
                    let index = self.level(access.index);
                    let own = is_local(access.buffer);
                    if access.kind.writes() && own {
                        let written = access.value.map_or(SAME, |v| self.level(v));
                        self.write(access.buffer, worse(worse(written, index), control).0);
                    }
                    match access.kind {
                        AccessKind::Load if own => worse(index, (self.read(access.buffer), None)),
                        AccessKind::Load => index,
                        _ => unit,
                    }
                }
                None if op.is("memref.load") || op.is("memref.store") => self.memref(op, control),
                None => operands,
            },
        };
        for result in op.results() {
            self.set(result, level);
        }
    }

    fn memref(&mut self, op: Op<'p>, control: Level<'p>) -> Level<'p> {
        let at = usize::from(op.is("memref.store"));
        let buffer = op.operand(at);
        let index = self.worst(op.operands().skip(at + 1));
        let own = is_local(buffer);
        if at == 1 && own {
            let written = worse(worse(self.level(op.operand(0)), index), control).0;
            self.write(buffer, written);
        }
        if own { worse(index, (self.read(buffer), None)) } else { index }
    }

    fn write(&mut self, memory: Val<'p>, level: Uniform) {
        if level > self.read(memory) {
            self.memory.insert(memory, level);
            self.changed = true;
        }
    }

    fn read(&self, memory: Val<'p>) -> Uniform {
        self.memory.get(&memory).copied().unwrap_or(Uniform::Cube)
    }

    fn structure(&mut self, op: Op<'p>, control: Level<'p>) {
        let blocks: Vec<Block<'p>> = op.regions().flat_map(|r| r.blocks()).collect();
        let ends = |block: &Block<'p>, skip: usize| -> Vec<Val<'p>> {
            block.terminator().map(|t| t.operands().skip(skip).collect()).unwrap_or_default()
        };
        match op.name() {
            "scf.for" => {
                let Some(body) = blocks.first() else { return };
                let turns = self.worst(op.operands().take(3));
                let counter = self.worst([op.operand(0), op.operand(2)]);
                self.set(body.arg(0), counter);
                let given = ends(body, 0);
                for (i, init) in op.operands().skip(3).enumerate() {
                    let carried = worse(self.level(init), given.get(i).map_or(SAME, |v| self.level(*v)));
                    self.set(body.arg(i + 1), carried);
                    self.set(op.result(i), worse(carried, turns));
                }
                self.block(*body, worse(control, turns));
            }
            "scf.while" => {
                let [before, after] = blocks[..] else { return };
                let condition = before.terminator().and_then(|t| t.operands().next());
                let condition = condition.map_or(SAME, |c| self.level(c));
                let (given, back) = (ends(&before, 1), ends(&after, 0));
                for (i, init) in op.operands().enumerate() {
                    let carried = worse(self.level(init), back.get(i).map_or(SAME, |v| self.level(*v)));
                    self.set(before.arg(i), carried);
                }
                for (i, value) in given.iter().enumerate() {
                    let level = self.level(*value);
                    self.set(after.arg(i), level);
                    self.set(op.result(i), worse(level, condition));
                }
                let inside = worse(control, condition);
                self.block(before, inside);
                self.block(after, inside);
            }
            // Branches: scf.if, scf.index_switch, and those of the dialect.
            _ => {
                let condition = self.worst(op.operands().take(1));
                for block in &blocks {
                    for (i, value) in ends(block, 0).into_iter().enumerate().take(op.results().len()) {
                        let level = worse(self.level(value), condition);
                        self.set(op.result(i), level);
                    }
                    self.block(*block, worse(control, condition));
                }
            }
        }
    }
}

fn worse<'p>(x: Level<'p>, y: Level<'p>) -> Level<'p> {
    if y.0 > x.0 { y } else { x }
}

fn is_local(buffer: Val<'_>) -> bool {
    match BufferType::of(buffer.ty()) {
        Some(ty) => ty.kind == BufferKind::Local,
        None => buffer.def_of("memref.alloca").is_some() && !buffer.ty().to_string().contains("workgroup"),
    }
}

fn topology<'p>(op: Op<'p>) -> Level<'p> {
    let kind = ops::Topology::of(op).map(|t| t.kind());
    let dim = op.ancestors().find_map(ops::Kernel::of).and_then(|k| k.cube_dim()).and_then(|d| d.as_i32_array());
    let dim = dim.filter(|d| d.len() == 3).unwrap_or(vec![i32::MAX; 3]);
    let of = |units: i32| if units == 1 { Uniform::Cube } else { Uniform::Unit };
    let all = if dim == [1, 1, 1] { 1 } else { 2 };
    let level = match kind {
        Some(TopologyKind::UnitPosX | TopologyKind::AbsolutePosX) => of(dim[0]),
        Some(TopologyKind::UnitPosY | TopologyKind::AbsolutePosY) => of(dim[1]),
        Some(TopologyKind::UnitPosZ | TopologyKind::AbsolutePosZ) => of(dim[2]),
        Some(TopologyKind::UnitPos | TopologyKind::AbsolutePos | TopologyKind::UnitPosPlane) => of(all),
        Some(TopologyKind::PlanePos) if all > 1 => Uniform::Plane,
        _ => Uniform::Cube,
    };
    (level, None)
}
