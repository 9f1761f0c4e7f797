//! Promotes variables (local cells of one line) to SSA values.
//!
//! ```mlir
//! %x = cube.alloc : !cube.local<1 x f32>
//! cube.store %a, %x[0]
//! scf.if %c { cube.store %b, %x[0] }            %v = scf.if %c -> f32 { yield %b } else { yield %a }
//! %v = cube.load %x[0]
//! ```
//!
//! The pass is the counterpart of MLIR's mem2reg for structured control flow: branches and loops carry the values of
//! variables. A cell is a variable if all uses of the cell are loads and stores that access the first line of the
//! cell. The value of a variable before its first write is 0, and the interpreter reports a read of this value at
//! level source. A cell is created by its `cube.alloc`, and each iteration of an enclosing loop creates a new cell.
//! Cost: the number of operations times the number of variables that are live across a branch or loop.
use crate::analysis::constants::int_of;
use cube_dialect::attributes::DEBUG;
use cube_dialect::{AccessKind, BufferKind, BufferType, access_of, ops};
use cube_ir::OpKind;
use cube_ir::ops::scf;
use cube_ir::{Block, Builder, Op, PassResult, Run, Type, Val, pass};
use std::collections::{BTreeSet, HashMap};

pass! {
    name: "structured-mem2reg",
    summary: "replaces local memory by values that branches and loops return",
    on: cube::KERNEL,
    level: Source | Flat => Any,
    dialects: ["cube", "arith", "scf"],
    statistics: ["variables promoted", "variables kept"],
    run: run,
}

/// Operations with regions to which the pass can add carried values.
const CARRIERS: &[OpKind] = &[scf::IF, scf::FOR, scf::WHILE, scf::INDEX_SWITCH];

/// The number of a variable's cell, in program order.
type Cell = usize;

struct Promote<'r, 'p> {
    run: &'r mut Run<'p>,
    cells: HashMap<Val<'p>, Cell>,
    types: Vec<Type<'p>>,
    allocs: Vec<Op<'p>>,
    /// For each operation with regions, the cells that are written inside the operation.
    written: HashMap<Op<'p>, BTreeSet<Cell>>,
}

type Values<'p> = HashMap<Cell, Val<'p>>;

/// Applies the pass; other passes that create cells call this function.
pub(crate) fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(block) = run.root().body() else { return Ok(()) };
    let all = run.root().walk();
    let mut promote = Promote { run, cells: HashMap::new(), types: vec![], allocs: vec![], written: HashMap::new() };
    for op in &all {
        let Some(ty) = variable(*op) else { continue };
        if is_promotable(*op) {
            promote.cells.insert(op.result(0), promote.types.len());
            promote.types.push(ty);
            promote.allocs.push(*op);
        } else {
            promote.run.count("variables kept", 1);
        }
    }
    let root = promote.run.root();
    for op in &all {
        let Some(cell) = store_of(*op).and_then(|buffer| promote.cells.get(&buffer)).copied() else { continue };
        for outer in op.ancestors().take_while(|outer| *outer != root) {
            promote.written.entry(outer).or_default().insert(cell);
        }
    }
    promote.run.count("variables promoted", promote.types.len() as u64);
    promote.block(block, &mut Values::new());
    for op in std::mem::take(&mut promote.allocs) {
        promote.run.erase(op);
    }
    Ok(())
}

// The type of the cell's line, if the operation allocates a cell of one line.
fn variable<'p>(op: Op<'p>) -> Option<Type<'p>> {
    let alloc = ops::Alloc::of(op)?.op();
    let buffer = BufferType::of(alloc.result(0).ty())?;
    (buffer.kind == BufferKind::Local && buffer.lines() == Some(1)).then(|| buffer.line_type(op.cx()))
}

fn store_of<'p>(op: Op<'p>) -> Option<Val<'p>> {
    access_of(op).filter(|access| access.kind == AccessKind::Store).map(|access| access.buffer)
}

fn is_promotable(alloc: Op<'_>) -> bool {
    if alloc.attr(DEBUG).is_some() {
        return false;
    }
    let cell = alloc.result(0);
    let home = alloc.parent();
    cell.uses().into_iter().all(|(user, operand)| {
        let plain = access_of(user).is_some_and(|access| {
            !access.kind.is_atomic() && access.buffer_operand == operand && int_of(access.index) == Some(0)
        });
        plain && user.ancestors().take_while(|outer| Some(*outer) != home).all(|outer| CARRIERS.contains(&outer.kind()))
    })
}

impl<'p> Promote<'_, 'p> {
    fn cell(&self, value: Val<'p>) -> Option<Cell> {
        self.cells.get(&value).copied()
    }

    /// The current value of a cell. Before the first write, the value is a zero that is created at the
    /// allocation.
    fn value(&mut self, values: &mut Values<'p>, cell: Cell) -> Val<'p> {
        let (alloc, ty) = (self.allocs[cell], self.types[cell]);
        *values.entry(cell).or_insert_with(|| Builder::before(alloc).zero(ty))
    }

    fn block(&mut self, block: Block<'p>, values: &mut Values<'p>) {
        for op in block.ops() {
            if op.is(ops::Alloc::KIND) {
                if let Some(cell) = self.cell(op.result(0)) {
                    values.remove(&cell);
                }
            } else if let Some(access) = access_of(op) {
                let Some(cell) = self.cell(access.buffer) else { continue };
                match access.value {
                    Some(value) => {
                        values.insert(cell, value);
                        self.run.erase(op);
                    }
                    None => {
                        let value = self.value(values, cell);
                        self.run.replace(op, &[value]);
                    }
                }
            } else if op.regions().len() > 0 {
                self.carry(op, values);
            }
        }
    }

    // Cells that are allocated outside an operation and written inside become results of the operation.
    fn carry(&mut self, op: Op<'p>, values: &mut Values<'p>) {
        let cells: Vec<Cell> = self
            .written
            .get(&op)
            .map(|cells| cells.iter().copied().filter(|c| !is_inside(self.allocs[*c], op)).collect())
            .unwrap_or_default();
        let before: Vec<Val<'p>> = cells.iter().map(|c| self.value(values, *c)).collect();
        // If a cell is read inside and not written before, its zero is created outside.
        let new = if cells.is_empty() { op } else { self.widen(op, &cells, &before) };
        match op.kind() {
            scf::FOR => {
                let body = new.body().expect("a loop has a body");
                self.region(body, &cells, values, body.args().len() - cells.len());
            }
            scf::WHILE => {
                for block in new.regions().flat_map(|r| r.blocks()).collect::<Vec<_>>() {
                    self.region(block, &cells, values, block.args().len() - cells.len());
                }
            }
            _ => {
                for block in new.regions().flat_map(|r| r.blocks()).collect::<Vec<_>>() {
                    let mut inner = values.clone();
                    self.block(block, &mut inner);
                    self.yield_cells(block, &cells, &mut inner);
                }
            }
        }
        let first = new.results().len() - cells.len();
        for (i, cell) in cells.iter().enumerate() {
            values.insert(*cell, new.result(first + i));
        }
    }

    /// Promotes the cells in a block. The last arguments of the block are the values of the cells at the start
    /// of the block.
    fn region(&mut self, block: Block<'p>, cells: &[Cell], values: &Values<'p>, first: usize) {
        let mut inner = values.clone();
        for (i, cell) in cells.iter().enumerate() {
            inner.insert(*cell, block.arg(first + i));
        }
        self.block(block, &mut inner);
        self.yield_cells(block, cells, &mut inner);
    }

    fn yield_cells(&mut self, block: Block<'p>, cells: &[Cell], inner: &mut Values<'p>) {
        if cells.is_empty() {
            return;
        }
        let end = block.terminator().expect("a region of scf ends in a terminator");
        let mut operands: Vec<Val<'p>> = end.operands().collect();
        operands.extend(cells.iter().map(|cell| self.value(inner, *cell)));
        end.set_operands(&operands);
    }

    /// Replaces an operation by a copy with additional carried values.
    fn widen(&mut self, op: Op<'p>, cells: &[Cell], before: &[Val<'p>]) -> Op<'p> {
        let b = Builder::before(op);
        let more: Vec<Type<'p>> = cells.iter().map(|c| self.types[*c]).collect();
        let carries = op.is(scf::FOR) || op.is(scf::WHILE);
        let mut results: Vec<Type<'p>> = op.results().map(|r| r.ty()).collect();
        results.extend(&more);
        let mut operands: Vec<Val<'p>> = op.operands().collect();
        if carries {
            operands.extend(before);
        }
        let mut spec = b.op(op.name()).operands(&operands).results(&results);
        for (name, value) in op.attrs() {
            spec = spec.attr(name, value);
        }
        let blocks: Vec<Option<Block<'p>>> = op.regions().map(|r| r.first_block()).collect();
        for block in &blocks {
            let mut args: Vec<Type<'p>> = block.map(|b| b.args().map(|a| a.ty()).collect()).unwrap_or_default();
            if carries {
                args.extend(&more);
            }
            let block = *block;
            spec = spec.body(&args, move |b, args| match block {
                Some(old) => {
                    for (old, new) in old.args().zip(args) {
                        old.replace_all_uses(*new);
                    }
                    let end = old.terminator().expect("a region of scf ends in a terminator");
                    let copy = b.insert_copy(end);
                    old.splice_inside(copy);
                }
                None => {
                    b.op(scf::YIELD).build();
                }
            });
        }
        let new = spec.build();
        // The regions were moved, not copied. The entries of `written` for their operations therefore remain valid.
        let old: Vec<Val<'p>> = new.results().take(op.results().len()).collect();
        self.run.replace(op, &old);
        new
    }
}

fn is_inside<'p>(op: Op<'p>, outer: Op<'p>) -> bool {
    op.ancestors().any(|a| a == outer)
}
