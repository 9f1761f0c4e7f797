//! Computes with 32 bits what needs no more, on chips without integers of 64 bits.
//!
//! ```mlir
//! %w = arith.extui %i : i32 to i64
//! %m = arith.minui %w, %c4294967295 : i64      %m = arith.minui %i, %c-1 : i32
//! %n = arith.trunci %m : i64 to i32       ->   // %n is %m
//! ```
//!
//! Wide integers come from the types of the source: the index of `array[i as usize]` has 64 bits. The low half of a sum,
//! difference, product or bitwise operation depends only on the low halves of its operands. Minima, quotients,
//! remainders, right shifts and comparisons can be computed with 32 bits if both operands are below 2^32; these operands are then
//! non-negative, so the signed operations become unsigned ones. A value that needs 64 bits keeps them, and the check of the
//! target refuses it by name. MLIR's pass `arith-int-range-narrowing` is not used, because it narrows signed minima of
//! numbers that fit only as unsigned ones. The pass does nothing if the chip computes with 64 bits. Cost: linear.
use cube_dialect::{arith_int_predicate, int_predicate, ops, target_of};
use cube_ir::ops::arith;
use cube_ir::upstream::IntCmp;
use cube_ir::{AttrExt, Builder, Op, OpKind, PassResult, Run, TypeExt, Val, pass};
use cube_target::Element;
use std::collections::{HashMap, HashSet};

pass! {
    name: "narrow-integers",
    summary: "computes with 32 bits what needs no more, on chips without integers of 64 bits",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube"],
    statistics: ["operations narrowed"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let target = target_of(run.root());
    if target.arithmetic(Element::I64).is_none() && target.arithmetic(Element::I32).is_some() {
        let all = run.root().walk();
        if all.iter().any(|op| op.is(arith::TRUNCI) || op.is(arith::CMPI)) {
            Narrow { small: small_values(&all), low: HashMap::new() }.rewrite(run, &all);
        }
    }
    Ok(())
}

fn is_wide(value: Val<'_>) -> bool {
    value.ty().is_int() && value.ty().bits() == Some(64)
}

/// How an operation on 64 bits is computed with 32.
enum Form {
    /// The low half depends only on the low halves of the operands.
    Low,
    /// Both operands must be below 2^32. The operation is then this one.
    Small(OpKind),
}

fn form(op: Op<'_>) -> Option<Form> {
    match op.kind() {
        arith::ADDI | arith::SUBI | arith::MULI => Some(Form::Low),
        arith::ANDI | arith::ORI | arith::XORI | arith::SELECT => Some(Form::Low),
        arith::MINUI | arith::MINSI => Some(Form::Small(arith::MINUI)),
        arith::MAXUI | arith::MAXSI => Some(Form::Small(arith::MAXUI)),
        ops::Divui::KIND | ops::Remui::KIND => Some(Form::Small(op.kind())),
        _ => None,
    }
}

/// The values of 64 bits that are below 2^32.
fn small_values<'p>(all: &[Op<'p>]) -> HashSet<Val<'p>> {
    let mut small = HashSet::new();
    for op in all.iter().filter(|op| op.results().len() == 1 && is_wide(op.result(0))) {
        let of = |i: usize| small.contains(&op.operand(i));
        let is_small = match op.kind() {
            arith::CONSTANT => op.attr("value").and_then(|v| v.as_int()).is_some_and(|v| u32::try_from(v).is_ok()),
            arith::EXTUI => op.operand(0).ty().bits().is_some_and(|bits| bits <= 32),
            arith::ANDI | arith::MINUI => of(0) || of(1),
            arith::ORI | arith::XORI | arith::MAXUI | arith::MINSI | arith::MAXSI => of(0) && of(1),
            arith::SELECT => of(1) && of(2),
            // A quotient or remainder is at most the first operand, also for the divisor 0.
            ops::Divui::KIND | ops::Remui::KIND => of(0),
            _ => false,
        };
        if is_small {
            small.insert(op.result(0));
        }
    }
    small
}

struct Narrow<'p> {
    small: HashSet<Val<'p>>,
    /// The low halves that were emitted.
    low: HashMap<Val<'p>, Val<'p>>,
}

impl<'p> Narrow<'p> {
    /// The form of an operation whose low half can be computed with 32 bits.
    fn applies(&self, op: Op<'p>) -> Option<Form> {
        let form = form(op).filter(|_| op.results().len() == 1 && is_wide(op.result(0)))?;
        let holds = matches!(form, Form::Low) || op.operands().all(|operand| self.small.contains(&operand));
        holds.then_some(form)
    }

    /// Whether the operation reads only the low halves of its operands.
    fn reads_low(&self, op: Op<'p>) -> bool {
        match op.kind() {
            arith::TRUNCI => is_wide(op.operand(0)),
            arith::CMPI => op.operands().all(|operand| self.small.contains(&operand)),
            _ => false,
        }
    }

    fn rewrite(mut self, run: &mut Run<'p>, all: &[Op<'p>]) {
        // Operations come before their users, so one walk from the end finds all low halves that are read.
        let mut read: HashSet<Val<'p>> = HashSet::new();
        for op in all.iter().rev() {
            if self.reads_low(*op) || self.applies(*op).is_some() && read.contains(&op.result(0)) {
                read.extend(op.operands().filter(|operand| is_wide(*operand)));
            }
        }
        for op in all {
            if self.reads_low(*op) {
                self.rewrite_reader(run, *op);
            } else if op.results().len() == 1 && read.contains(&op.result(0)) {
                self.emit_low(run, *op);
            }
        }
    }

    /// Emits the low half of a result before its operation.
    fn emit_low(&mut self, run: &mut Run<'p>, op: Op<'p>) {
        let b = run.before(op);
        let word = b.cx().int(32);
        let low = match (op.kind(), self.applies(op)) {
            (arith::CONSTANT, _) => {
                let Some(number) = op.attr("value").and_then(|value| value.as_int()) else { return };
                b.int(word, i64::from(number as i32))
            }
            (arith::EXTUI | arith::EXTSI, _) => {
                let inner = op.operand(0);
                match inner.ty().bits() {
                    Some(32) => inner,
                    Some(bits) if bits < 32 => b.op(op.kind()).operands(&[inner]).result(word).value(),
                    _ => return,
                }
            }
            (_, Some(form)) => {
                let operands: Vec<_> = op.operands().map(|operand| self.low_of(b, operand)).collect();
                let kind = if let Form::Small(kind) = form { kind } else { op.kind() };
                run.count("operations narrowed", 1);
                b.op(kind).operands(&operands).result(word).value()
            }
            _ => return,
        };
        self.low.insert(op.result(0), low);
    }

    /// The low half of an operand. Flags such as `nsw` are not copied to the narrow operations.
    fn low_of(&self, b: Builder<'p>, value: Val<'p>) -> Val<'p> {
        if !is_wide(value) {
            return value; // the condition of a selection
        }
        let emitted = self.low.get(&value).copied();
        emitted.unwrap_or_else(|| b.cast(arith::TRUNCI, value, b.cx().int(32)))
    }

    fn rewrite_reader(&mut self, run: &mut Run<'p>, op: Op<'p>) {
        let b = run.before(op);
        if op.is(arith::TRUNCI) {
            let Some(low) = self.low.get(&op.operand(0)).copied() else { return };
            let to = op.result(0).ty();
            match to.bits() {
                Some(32) => run.replace(op, &[low]),
                Some(bits) if bits < 32 => {
                    let value = b.cast(arith::TRUNCI, low, to);
                    run.replace(op, &[value]);
                }
                _ => {}
            }
            return;
        }
        let Some(predicate) = int_predicate(op) else { return };
        let unsigned = match arith_int_predicate(predicate) {
            IntCmp::Slt => IntCmp::Ult,
            IntCmp::Sle => IntCmp::Ule,
            IntCmp::Sgt => IntCmp::Ugt,
            IntCmp::Sge => IntCmp::Uge,
            other => other,
        };
        let [x, y] = [0, 1].map(|i| self.low_of(b, op.operand(i)));
        let value = b.cmpi(unsigned, x, y);
        run.replace(op, &[value]);
        run.count("operations narrowed", 1);
    }
}
