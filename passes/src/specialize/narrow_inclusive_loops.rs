//! Rewrites loops over `a..=b` of a narrow type so that they need no wider integers, for chips without these.
//!
//! ```mlir
//! %to = arith.addi (extui %b), 1                       %next = %a   %left = %a <= %b      // cells
//! cube.for unsigned %i = (extui %a) to %to             cube.loop {
//!     step 1 : i64 {                                     if (not %left) { cube.break }
//!   A(%i)                                                %n = %next
//! }                                                      %left = %b - %n >= 1   %next = %n + 1
//!                                                        A(extui %n) }
//! ```
//!
//! The bound of an inclusive range can exceed the largest number of its type by one, so the front end counts such a loop
//! in a wider type. WGSL has no integers of 64 bits. The new loop computes before each iteration whether there is
//! another one: the distance from the counter to the last number is at least the step. The distance cannot wrap, because the
//! counter is at most `%b`. The pass changes only loops whose type the chip does not have. An unrolled loop has a constant
//! for each number, so the pass keeps it. Cost: linear.
use crate::analysis::constants::int_of;
use cube_dialect::attributes::UNROLL;
use cube_dialect::{BufferKind, BufferType, element_of, ops, target_of};
use cube_ir::ops::arith;
use cube_ir::upstream::IntCmp;
use cube_ir::{Builder, Op, PassResult, Run, Type, TypeExt, Val, pass};

pass! {
    name: "narrow-inclusive-loops",
    summary: "counts loops over inclusive ranges in the type of their bounds, on chips without the wider type",
    on: any,
    level: Source => Source,
    dialects: ["cube", "arith"],
    statistics: ["loops narrowed"],
    run: run,
}

/// First and last number and step of a loop, in the narrow type.
struct Range<'p> {
    first: Val<'p>,
    last: Val<'p>,
    step: Val<'p>,
    unsigned: bool,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let target = target_of(run.root());
    let lacks = |ty: Type<'_>| element_of(ty).is_some_and(|element| target.arithmetic(element).is_none());
    for op in run.root().walk() {
        let unrolled = op.attr(UNROLL).is_some();
        if op.is(ops::For::KIND) && !unrolled && lacks(op.operand(0).ty()) {
            let Some(range) = Range::of(op) else { continue };
            rewrite(run, op, range);
            run.count("loops narrowed", 1);
        }
    }
    Ok(())
}

impl<'p> Range<'p> {
    /// The range of a loop whose first number and step are extended or fit in the narrow type, and whose bound is an
    /// extended number plus 1, or a constant.
    fn of(op: Op<'p>) -> Option<Range<'p>> {
        let [from, to, step] = [0, 1, 2].map(|i| op.operand(i));
        let unsigned = op.attr("unsignedCmp").is_some();
        let extension = if unsigned { arith::EXTUI } else { arith::EXTSI };
        let extended = |value: Val<'p>| value.def_of(extension).map(|op| op.operand(0));
        let sum = to.def_of(arith::ADDI).filter(|sum| int_of(sum.operand(1)) == Some(1));
        let last = sum.and_then(|sum| extended(sum.operand(0)));
        let half = from.ty().bits()? / 2;
        let ty = last.or(extended(from)).map_or_else(|| op.cx().int(half), |value| value.ty());
        let bits = ty.bits()?;
        let b = Builder::before(op);
        let narrow = |value: Val<'p>, more: i64| -> Option<Val<'p>> {
            if let Some(inner) = extended(value).filter(|inner| inner.ty() == ty && more == 0) {
                return Some(inner);
            }
            let number = i128::from(int_of(value)?) - i128::from(more);
            let (least, most) = match unsigned {
                true => (0, (1 << bits) - 1),
                false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            };
            let signed = (number as i64) << (64 - bits) >> (64 - bits);
            (least..=most).contains(&number).then(|| b.int(ty, signed))
        };
        let step = narrow(step, 0)?;
        Some(Range { first: narrow(from, 0)?, last: last.or_else(|| narrow(to, 1))?, step, unsigned })
    }
}

fn rewrite<'p>(run: &mut Run<'p>, op: Op<'p>, range: Range<'p>) {
    let b = Builder::before(op);
    let (ty, flag) = (range.first.ty(), b.cx().int(1));
    let zero = b.int(b.cx().int(32), 0);
    let cell = |b: Builder<'p>, ty| {
        let buffer = BufferType::of_lines(b.cx(), BufferKind::Local, 1, ty).expect("integers are elements");
        b.op(ops::Alloc::KIND).result(buffer.get()).value()
    };
    let store = |b: Builder<'p>, cell, value| {
        b.op(ops::Store::KIND).operands(&[value, cell, zero]).build();
    };
    let load = |b: Builder<'p>, cell, ty| b.op(ops::Load::KIND).operands(&[cell, zero]).result(ty).value();
    let [at_most, one] = [if range.unsigned { IntCmp::Ule } else { IntCmp::Sle }, IntCmp::Uge];
    // A step of 0 counts as 1.
    let step = b.select(b.cmpi(IntCmp::Eq, range.step, b.int(ty, 0)), b.int(ty, 1), range.step);
    let (next, left) = (cell(b, ty), cell(b, flag));
    store(b, next, range.first);
    store(b, left, b.cmpi(at_most, range.first, range.last));
    let mut inner = None;
    let spec = b.op(ops::Loop::KIND).body(&[], |b, _| {
        let ends = b.xori(load(b, left, flag), b.int(flag, 1));
        b.op(ops::If::KIND)
            .operands(&[ends])
            .body(&[], |b, _| {
                b.op(ops::Break::KIND).build();
            })
            .body(&[], |b, _| {
                b.op(ops::Yield::KIND).build();
            })
            .build();
        let counter = load(b, next, ty);
        store(b, left, b.cmpi(one, b.subi(range.last, counter), step));
        store(b, next, b.addi(counter, step));
        let extension = if range.unsigned { arith::EXTUI } else { arith::EXTSI };
        let wide = b.cast(extension, counter, op.operand(0).ty());
        inner = Some((wide, b.op(ops::Yield::KIND).build()));
    });
    spec.build();
    let (counter, end) = inner.expect("the body was made");
    let body = op.body().expect("a loop has a body");
    body.arg(0).replace_all_uses(counter);
    let last = body.terminator();
    body.splice_inside(end);
    // The body can end in an exit instead of `cube.yield`.
    if let Some(last) = last.filter(|last| !last.is(ops::Yield::KIND)) {
        last.move_inside(end);
        run.erase(end);
    }
    run.erase(op);
}
