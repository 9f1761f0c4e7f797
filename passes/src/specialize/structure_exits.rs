//! Replaces control flow with exits by operations of `scf`: an exit sets a flag, and the flag guards the code
//! after the exit.
//!
//! ```mlir
//! cube.loop {                              %left = cube.alloc : !cube.local<1 x i1>        // false
//!   cube.if %c { cube.break }              scf.while (not %left) {
//!   A                                        scf.if %c { %left = true }
//! }                                          scf.if (not %left) { A }
//! B                                        }
//!                                          B
//! ```
//!
//! A `cube.loop` whose only exit is at its head needs no flag: the operations up to the exit become the condition of the
//! `scf.while` (`structure_exits/head.rs`).
//!
//! Each flag is a local cell, which `structured-mem2reg` promotes to SSA values. `cube.if`, `cube.for` and `cube.loop`
//! become `scf.if`, `scf.for` or `scf.while`. A `cube.for` that must be unrolled becomes `cube.comptime_for`. The
//! operations `cube.comptime_if` and `cube.comptime_for` are kept, without exits. A `cube.terminate` in a function is
//! kept, because it ends the unit and not only the function. The pass therefore runs twice: before inlining for each
//! `cube.return`, and after inlining for each `cube.terminate`. Cost: linear.
mod head;

use crate::analysis::loops::TripCount;
use cube_dialect::attributes::UNROLL;
use cube_dialect::{BufferKind, BufferType, ops};
use cube_ir::ops::{arith, scf};
use cube_ir::{Block, Builder, Cx, Failed, Op, PassResult, Run, Type, TypeExt, Val, pass, upstream::IntCmp};

pass! {
    name: "structure-exits",
    summary: "replaces cube.if, cube.for, cube.loop and their exits by scf operations and flags",
    on: any,
    level: Source => Source,
    dialects: ["cube", "arith", "scf"],
    statistics: ["exits structured"],
    run: run,
}

/// The exits in an operation that can end an enclosing operation.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Exits {
    breaks: bool,
    continues: bool,
    returns: bool,
    /// Whether the operation contains a `cube.terminate` that the pass keeps because it is in a function. A
    /// branch around a kept `cube.terminate` remains a `cube.if`.
    has_kept_terminate: bool,
}

impl Exits {
    fn exits_enclosing(self) -> bool {
        self.breaks || self.continues || self.returns
    }

    fn or(self, other: Exits) -> Exits {
        Exits {
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            returns: self.returns || other.returns,
            has_kept_terminate: self.has_kept_terminate || other.has_kept_terminate,
        }
    }
}

/// The exit flags of one loop, created on demand.
struct Loop<'p> {
    op: Op<'p>,
    break_flag: Option<Val<'p>>,
    continue_flag: Option<Val<'p>>,
}

struct Structure<'r, 'p> {
    run: &'r mut Run<'p>,
    root: Op<'p>,
    first: Op<'p>,
    return_flag: Option<Val<'p>>,
    results: Vec<Val<'p>>,
    loops: Vec<Loop<'p>>,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let mut roots = run.root().walk();
    roots.retain(|op| op.is(ops::Kernel::KIND) || op.is(ops::Func::KIND));
    roots.into_iter().try_for_each(|root| structure(run, root))
}

/// Applies the pass to one kernel or function.
pub(crate) fn structure<'p>(run: &mut Run<'p>, root: Op<'p>) -> PassResult {
    let Some(block) = root.body() else { return Ok(()) };
    let Some(first) = block.first() else { return Ok(()) };
    // Cells are created before this constant. The first operation of the block can disappear, so it cannot be the
    // insertion point.
    let anchor = Builder::before(first).op(arith::CONSTANT).attr("value", root.cx().int_attr(root.cx().int(1), 0));
    let first = anchor.result(root.cx().int(1)).build();
    let mut structure = Structure { run, root, first, return_flag: None, results: vec![], loops: vec![] };
    let done = structure.block(block);
    run.erase(first);
    done.map(|_| ())
}

fn bool_type(cx: Cx<'_>) -> Type<'_> {
    cx.int(1)
}

impl<'p> Structure<'_, 'p> {
    fn is_kernel(&self) -> bool {
        self.root.is(ops::Kernel::KIND)
    }

    fn cell(&self, ty: Type<'p>) -> Option<Val<'p>> {
        let b = self.run.before(self.first);
        let cell = BufferType::of_lines(b.cx(), BufferKind::Local, 1, ty)?;
        Some(b.op(ops::Alloc::KIND).result(cell.get()).value())
    }

    fn flag(&self) -> Val<'p> {
        self.cell(bool_type(self.root.cx())).expect("a cell of a bool is a type")
    }

    fn set(b: Builder<'p>, cell: Val<'p>, value: Val<'p>) {
        let zero = b.int(b.cx().int(32), 0);
        b.op(ops::Store::KIND).operands(&[value, cell, zero]).build();
    }

    fn get(b: Builder<'p>, cell: Val<'p>, ty: Type<'p>) -> Val<'p> {
        let zero = b.int(b.cx().int(32), 0);
        b.op(ops::Load::KIND).operands(&[cell, zero]).result(ty).value()
    }

    fn set_flag(b: Builder<'p>, cell: Val<'p>, value: bool) {
        Self::set(b, cell, b.int(bool_type(b.cx()), i64::from(value)));
    }

    fn return_flag(&mut self) -> Val<'p> {
        if let Some(flag) = self.return_flag {
            return flag;
        }
        let flag = self.flag();
        Self::set_flag(self.run.before(self.first), flag, false);
        self.return_flag = Some(flag);
        flag
    }

    // Creates cells for the values that a function returns early.
    fn result_cells(&mut self, values: &[Val<'p>], at: Op<'p>) -> Result<Vec<Val<'p>>, Failed> {
        if self.results.is_empty() {
            for value in values {
                let Some(cell) = self.cell(value.ty()) else {
                    at.error(cube_ir::diagnostic!(CUBE0305.early { ty: value.ty() }));
                    return Err(Failed);
                };
                self.results.push(cell);
            }
        }
        Ok(self.results.clone())
    }

    fn break_flag(&mut self) -> Val<'p> {
        let flag = self.flag();
        let loop_op = self.loops.last_mut().expect("the verifier found a loop around a break");
        if let Some(flag) = loop_op.break_flag {
            return flag;
        }
        loop_op.break_flag = Some(flag);
        Self::set_flag(Builder::before(loop_op.op), flag, false);
        flag
    }

    fn continue_flag(&mut self) -> Val<'p> {
        let flag = self.flag();
        let loop_op = self.loops.last_mut().expect("the verifier found a loop around a continue");
        if let Some(flag) = loop_op.continue_flag {
            return flag;
        }
        loop_op.continue_flag = Some(flag);
        flag
    }

    /// Emits the condition that no exit has been taken.
    fn emit_not_exited(&mut self, b: Builder<'p>, exits: Exits) -> Val<'p> {
        let ty = bool_type(b.cx());
        let loop_op = self.loops.last();
        let flags = [
            loop_op.and_then(|l| l.break_flag).filter(|_| exits.breaks),
            loop_op.and_then(|l| l.continue_flag).filter(|_| exits.continues),
            self.return_flag.filter(|_| exits.returns),
        ];
        let left = flags.into_iter().flatten().map(|flag| Self::get(b, flag, ty)).reduce(|x, y| b.ori(x, y));
        let left = left.unwrap_or_else(|| b.int(ty, 0));
        b.xori(left, b.int(ty, 1))
    }

    fn block(&mut self, block: Block<'p>) -> Result<Exits, Failed> {
        let all = block.ops();
        let Some((last, rest)) = all.split_last() else { return Ok(Exits::default()) };
        for (i, op) in rest.iter().enumerate() {
            let exits = self.operation(*op)?;
            if exits.exits_enclosing() {
                return Ok(exits.or(self.guard(&all[i + 1..all.len() - 1], *last, exits, false)?));
            }
        }
        self.end(*last)
    }

    /// Guards the operations after an exit, and computes the results of their block. `done` means that these operations
    /// contain no further exit.
    fn guard(&mut self, tail: &[Op<'p>], last: Op<'p>, exits: Exits, done: bool) -> Result<Exits, Failed> {
        let exit = [ops::Break::KIND, ops::Continue::KIND].contains(&last.kind())
            || last.is(ops::Terminate::KIND)
            || last.is(ops::Return::KIND);
        let ends_root = last.parent() == Some(self.root);
        if tail.is_empty() && (!exit || ends_root) && last.operands().len() == 0 {
            return Ok(Exits::default());
        }
        let insertion_point = tail.first().copied().unwrap_or(last);
        let b = self.run.before(insertion_point);
        let condition = self.emit_not_exited(b, exits);
        let given: Vec<Val<'p>> = if exit { vec![] } else { last.operands().collect() };
        let types: Vec<Type<'p>> = given.iter().map(|v| v.ty()).collect();
        if let Some(value) = given.iter().find(|v| !v.ty().is_int() && !v.ty().is_fp() && v.ty() != b.cx().index()) {
            last.error(cube_ir::diagnostic!(CUBE0305.after { ty: value.ty(), around: last.parent().map_or("it", |p| p.name()) }));
            return Err(Failed);
        }
        let guarded = b.if_else(condition, &types, |_| given.clone(), |b| types.iter().map(|t| b.zero(*t)).collect());
        let inner = guarded.body().and_then(|body| body.terminator()).expect("just made");
        for op in tail {
            op.move_inside(inner);
        }
        for (i, result) in guarded.results().enumerate() {
            last.set_operand(i, result);
        }
        if exit {
            // The exit at the end of the block moves into the guard. A return at the end of the function stays, and
            // returns the values of the cells.
            let more = self.emit_exit(last, Builder::before(inner))?;
            let body = guarded.body().expect("just made");
            return Ok(more.or(self.block(body)?));
        }
        if done {
            return Ok(Exits::default());
        }
        self.block(guarded.body().expect("just made"))
    }

    /// Handles the terminator of a block that requires no guard.
    fn end(&mut self, last: Op<'p>) -> Result<Exits, Failed> {
        if last.parent() == Some(self.root) {
            return Ok(Exits::default());
        }
        match last.kind() {
            ops::Terminate::KIND if !self.is_kernel() => Ok(Exits { has_kept_terminate: true, ..Exits::default() }),
            ops::Break::KIND | ops::Continue::KIND | ops::Return::KIND | ops::Terminate::KIND => {
                self.emit_exit(last, Builder::before(last))
            }
            _ => Ok(Exits::default()),
        }
    }

    /// Emits an exit at `b`: assignments to flags, and a `cube.yield` that ends the block.
    fn emit_exit(&mut self, last: Op<'p>, b: Builder<'p>) -> Result<Exits, Failed> {
        let mut exits = Exits::default();
        match last.kind() {
            ops::Break::KIND => {
                Self::set_flag(b, self.break_flag(), true);
                exits.breaks = true;
            }
            ops::Continue::KIND => {
                Self::set_flag(b, self.continue_flag(), true);
                exits.continues = true;
            }
            ops::Terminate::KIND if !self.is_kernel() => {
                // A unit reaches this code only if the guard's condition is true. The unit ends here, in a separate
                // branch.
                let always = b.int(bool_type(b.cx()), 1);
                let branch = b.op(ops::If::KIND).operands(&[always]);
                branch
                    .body(&[], |b, _| {
                        b.op(ops::Terminate::KIND).build();
                    })
                    .body(&[], |b, _| {
                        b.op(ops::Yield::KIND).build();
                    })
                    .build();
            }
            _ => {
                let values: Vec<Val<'p>> = last.operands().collect();
                let cells = self.result_cells(&values, last)?;
                for (cell, value) in cells.iter().zip(&values) {
                    Self::set(b, *cell, *value);
                }
                if last.parent() == Some(self.root) {
                    let after = Builder::before(last);
                    for (i, (cell, value)) in cells.iter().zip(&values).enumerate() {
                        last.set_operand(i, Self::get(after, *cell, value.ty()));
                    }
                    return Ok(exits);
                }
                Self::set_flag(b, self.return_flag(), true);
                exits.returns = true;
            }
        }
        Builder::before(last).op(ops::Yield::KIND).build();
        self.run.erase(last);
        self.run.count("exits structured", 1);
        Ok(exits)
    }

    fn operation(&mut self, op: Op<'p>) -> Result<Exits, Failed> {
        match op.kind() {
            _ if op.regions().len() == 0 => Ok(Exits::default()),
            ops::If::KIND | ops::ComptimeIf::KIND => self.branch(op),
            ops::For::KIND | ops::Loop::KIND | ops::ComptimeFor::KIND => self.loop_with_exits(op),
            _ => self.upstream(op),
        }
    }

    fn blocks(&mut self, op: Op<'p>) -> Result<Exits, Failed> {
        let mut exits = Exits::default();
        for block in op.regions().flat_map(|r| r.blocks()).collect::<Vec<_>>() {
            exits = exits.or(self.block(block)?);
        }
        Ok(exits)
    }

    fn branch(&mut self, op: Op<'p>) -> Result<Exits, Failed> {
        let exits = self.blocks(op)?;
        if op.is(ops::ComptimeIf::KIND) || exits.has_kept_terminate {
            return Ok(Exits { has_kept_terminate: false, ..exits });
        }
        let new = Builder::before(op).if_else(op.operand(0), &[], |_| vec![], |_| vec![]);
        copy_attrs(op, new);
        for (old, new) in op.regions().zip(new.regions()) {
            if let Some((old, new)) = old.first_block().zip(new.first_block()) {
                old.splice_inside(new.terminator().expect("just made"));
            }
        }
        self.run.erase(op);
        Ok(exits)
    }

    fn loop_with_exits(&mut self, op: Op<'p>) -> Result<Exits, Failed> {
        if let Some(head) = head::of(op) {
            self.loops.push(Loop { op, break_flag: None, continue_flag: None });
            let end = head.split(self.run, op);
            let body = end.block().expect("the end has a block");
            self.block(body)?;
            self.reset_continue_flag(body);
            self.loops.pop();
            self.run.erase(op);
            self.run.count("exits structured", 1);
            return Ok(Exits::default());
        }
        self.loops.push(Loop { op, break_flag: None, continue_flag: None });
        let exits = self.blocks(op)?;
        let body = op.body().expect("a loop has a body");
        let comptime = op.is(ops::ComptimeFor::KIND)
            || op.is(ops::For::KIND) && op.attr(UNROLL).is_some_and(|a| a == op.cx().unit_attr());
        self.reset_continue_flag(body);
        let exits_after = Exits { continues: false, ..exits };
        if comptime {
            if exits_after.exits_enclosing() {
                let all = body.ops();
                let (last, rest) = all.split_last().expect("a block ends in something");
                // The guarded operations contain no exit after this step.
                self.guard(rest, *last, exits_after, true)?;
            }
            self.comptime_loop(op);
        } else if op.is(ops::For::KIND) && !exits_after.exits_enclosing() {
            self.plain_loop(op);
        } else {
            self.while_loop(op, exits_after);
        }
        self.loops.pop();
        Ok(Exits { returns: exits.returns, ..Exits::default() })
    }

    /// Resets the continue flag of the innermost loop, if it has one, at the start of the loop's body.
    fn reset_continue_flag(&self, body: Block<'p>) {
        if let Some(continue_flag) = self.loops.last().and_then(|l| l.continue_flag) {
            let first = body.first().expect("a block ends in something");
            Self::set_flag(Builder::before(first), continue_flag, false);
        }
    }

    fn comptime_loop(&mut self, op: Op<'p>) {
        if op.is(ops::ComptimeFor::KIND) {
            return;
        }
        let operands: Vec<Val<'p>> = op.operands().collect();
        let ty = op.operand(0).ty();
        let mut inner = None;
        let new = Builder::before(op).op(ops::ComptimeFor::KIND).operands(&operands).body(&[ty], |b, args| {
            inner = Some((args[0], b.op(ops::Yield::KIND).build()));
        });
        let new = new.build();
        copy_attrs(op, new);
        new.remove_attr(UNROLL);
        self.move_body(op, inner);
    }

    fn plain_loop(&mut self, op: Op<'p>) {
        let operands: Vec<Val<'p>> = op.operands().collect();
        let ty = op.operand(0).ty();
        let mut inner = None;
        let new = Builder::before(op).op(scf::FOR).operands(&operands).body(&[ty], |b, args| {
            inner = Some((args[0], b.op(scf::YIELD).build()));
        });
        let new = new.build();
        copy_attrs(op, new);
        self.move_body(op, inner);
    }

    fn move_body(&mut self, op: Op<'p>, inner: Option<(Val<'p>, Op<'p>)>) {
        let (counter, end) = inner.expect("the body was made");
        let body = op.body().expect("a loop has a body");
        body.splice_inside(end);
        if op.operands().len() == 3 {
            body.arg(0).replace_all_uses(counter);
        }
        self.run.erase(op);
    }

    // A loop with early exits counts its iterations, as in `normalize-loops`. A counter that adds the step could wrap.
    fn while_loop(&mut self, op: Op<'p>, exits: Exits) {
        let b = Builder::before(op);
        let counted = op.is(ops::For::KIND).then(|| trip_count(op, b));
        let types: Vec<Type<'p>> = counted.iter().map(|t| t.step.ty()).collect();
        let start: Vec<Val<'p>> = types.iter().map(|t| b.int(*t, 0)).collect();
        let mut end = None;
        let spec = b.op(scf::WHILE).operands(&start).results(&types);
        let spec = spec.body(&types, |b, args| {
            let mut go = self.emit_not_exited(b, exits);
            if let Some(iterations) = &counted {
                go = b.andi(go, b.cmpi(IntCmp::Ult, args[0], iterations.count));
            }
            b.op(scf::CONDITION).operands(&[&[go], args].concat()).build();
        });
        let spec = spec.body(&types, |b, args| {
            let next: Vec<Val<'p>> =
                args.iter().map(|iteration| b.addi(*iteration, b.int(iteration.ty(), 1))).collect();
            end = Some((args.first().copied(), b.op(scf::YIELD).operands(&next).build()));
        });
        spec.build();
        let (iteration, end) = end.expect("the body was made");
        let body = op.body().expect("a loop has a body");
        let insertion_point = end.block().and_then(|block| block.first()).unwrap_or(end);
        if let Some((iteration, iterations)) = iteration.zip(counted) {
            let b = Builder::before(insertion_point);
            let counter = b.addi(iterations.from, b.muli(iteration, iterations.step));
            body.arg(0).replace_all_uses(counter);
        }
        body.splice_inside(insertion_point);
        self.run.erase(op);
    }

    // Visits upstream's control flow operations. An inlined function inside them can end the unit.
    fn upstream(&mut self, op: Op<'p>) -> Result<Exits, Failed> {
        let exits = self.blocks(op)?;
        if !exits.exits_enclosing() {
            return Ok(exits);
        }
        match op.kind() {
            scf::IF | scf::INDEX_SWITCH | scf::EXECUTE_REGION => Ok(exits),
            // After the exit, the remaining iterations have no effect. The condition of an `scf.while` is false if it
            // is not computed.
            scf::FOR | scf::WHILE => {
                for block in op.regions().flat_map(|r| r.blocks()).collect::<Vec<_>>() {
                    let all = block.ops();
                    let (last, rest) = all.split_last().expect("a block ends in something");
                    self.guard(rest, *last, exits, true)?;
                }
                Ok(exits)
            }
            _ => {
                op.error(cube_ir::diagnostic!(CUBE0306.through));
                Err(Failed)
            }
        }
    }
}

/// Emits the trip count of a loop at level source, computed with `cube.divui`.
pub(crate) fn trip_count<'p>(loop_op: Op<'p>, b: Builder<'p>) -> TripCount<'p> {
    TripCount::of(loop_op, b, |b, distance, step| {
        b.op(ops::Divui::KIND).operands(&[distance, step]).result(distance.ty()).value()
    })
}

fn copy_attrs<'p>(from: Op<'p>, to: Op<'p>) {
    for (name, value) in from.attrs() {
        to.set_attr(name, value);
    }
}
