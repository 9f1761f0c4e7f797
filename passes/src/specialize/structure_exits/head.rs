//! A loop whose only exit is at its head, as the front end writes `while` loops.
//!
//! ```mlir
//! cube.loop {                              scf.while {
//!   %c = ...                                 %c = ...
//!   cube.if %c { cube.break }                scf.condition(not %c)
//!   A                                      } do { A }
//! }
//! ```
//!
//! Both forms run the operations up to the exit once more than A, in the same order. LLVM and analyses can derive the
//! number of iterations from the right form, because no flag carries the condition to the next iteration.
use cube_dialect::ops;
use cube_ir::ops::{arith, scf};
use cube_ir::{Block, Builder, Op, OpKind, Run, Type, TypeExt, Val};

/// The exit at the head of a loop.
pub(super) struct Head<'p> {
    exit: Op<'p>,
    /// The value of the exit's condition for which the loop ends.
    ends_on: bool,
    /// Operations before the exit.
    before: Vec<Op<'p>>,
    /// Values that the operations before the exit compute, and that later operations read.
    passed: Vec<Val<'p>>,
}

/// The exit at the head of a `cube.loop`; `None` if the loop has another exit, or a value before the exit cannot be passed to
/// the operations after it.
pub(super) fn of<'p>(op: Op<'p>) -> Option<Head<'p>> {
    if !op.is(ops::Loop::KIND) {
        return None;
    }
    let all = op.body()?.ops();
    let at = all.iter().position(|op| op.regions().len() > 0)?;
    let exit = all[at];
    if !exit.is(ops::If::KIND) {
        return None;
    }
    let branches: Vec<_> = exit.regions().map(|region| region.first_block()).collect();
    // A branch without a block has no operations.
    let is_empty = |block: Option<Block<'p>>| block.is_none_or(|block| is_only(block, ops::Yield::KIND));
    let breaks = |block: Option<Block<'p>>| block.is_some_and(|block| is_only(block, ops::Break::KIND));
    let ends_on = match branches[..] {
        [yes, no] if breaks(yes) && is_empty(no) => true,
        [yes, no] if is_empty(yes) && breaks(no) => false,
        _ => return None,
    };
    if all[at + 1..].iter().any(|op| leaves(*op, false)) {
        return None;
    }
    let before = all[..at].to_vec();
    let inside = |user: Op<'p>| before.contains(&user) || user == exit;
    let mut passed = Vec::new();
    for value in before.iter().filter(|op| !is_constant(**op)).flat_map(|op| op.results()) {
        if value.uses().into_iter().all(|(user, _)| inside(user)) {
            continue;
        }
        let element = value.ty().element();
        if !element.is_int() && !element.is_fp() {
            return None;
        }
        passed.push(value);
    }
    Some(Head { exit, ends_on, before, passed })
}

fn is_only(block: Block<'_>, kind: OpKind) -> bool {
    matches!(&block.ops()[..], [only] if only.is(kind) && only.operands().len() == 0)
}

fn is_constant(op: Op<'_>) -> bool {
    op.is(arith::CONSTANT)
}

// Whether an operation, or an operation in it, ends the unit, or a loop that it is not in. `inner` states that the operation
// is in a loop that owns its `cube.break`.
fn leaves(op: Op<'_>, inner: bool) -> bool {
    match op.kind() {
        ops::Return::KIND | ops::Terminate::KIND => true,
        ops::Break::KIND => !inner,
        kind => {
            let inner = inner || [ops::Loop::KIND, ops::For::KIND, ops::ComptimeFor::KIND].contains(&kind);
            let blocks = op.regions().flat_map(|region| region.blocks());
            blocks.flat_map(|block| block.ops()).any(|op| leaves(op, inner))
        }
    }
}

impl<'p> Head<'p> {
    /// Moves the operations of the loop `op` to an `scf.while` before it, and returns the terminator of the while's body. The
    /// caller erases the loop.
    pub fn split(self, run: &Run<'p>, op: Op<'p>) -> Op<'p> {
        let Head { exit, ends_on, before, passed } = self;
        let types: Vec<Type<'p>> = passed.iter().map(|value| value.ty()).collect();
        let (mut test, mut end) = (None, None);
        let spec = run.before(op).op(scf::WHILE).results(&types);
        let spec = spec.body(&[], |b, _| {
            let condition = exit.operand(0);
            let go = if ends_on { b.xori(condition, b.int(condition.ty(), 1)) } else { condition };
            test = Some(b.op(scf::CONDITION).operands(&[&[go], &passed[..]].concat()).build());
        });
        let spec = spec.body(&types, |b, args| {
            end = Some((args.to_vec(), b.op(scf::YIELD).build()));
        });
        spec.build();
        let (test, (args, end)) = test.zip(end).expect("the bodies were made");
        let first = test.block().and_then(|block| block.first()).unwrap_or(test);
        before.iter().for_each(|op| op.move_inside(first));
        let all = op.body().expect("a loop has a body").ops();
        let at = all.iter().position(|op| *op == exit).expect("the exit is in the loop");
        all[at + 1..all.len() - 1].iter().for_each(|op| op.move_inside(end));
        let here = test.block();
        let later = |value: Val<'p>, new: Val<'p>| {
            for (user, index) in value.uses().into_iter().filter(|(user, _)| user.block() != here && *user != exit) {
                user.set_operand(index, new);
            }
        };
        passed.iter().zip(args).for_each(|(value, arg)| later(*value, arg));
        for constant in before.into_iter().filter(|op| is_constant(*op)) {
            let first = end.block().and_then(|block| block.first()).unwrap_or(end);
            later(constant.result(0), Builder::before(first).insert_copy(constant).result(0));
        }
        end
    }
}
