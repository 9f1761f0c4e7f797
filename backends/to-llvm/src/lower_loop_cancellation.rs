//! Lowers `cube.may_not_terminate`. On the CPU, a cancelled launch returns from the kernel at a
//! `cube.may_not_terminate`. For other targets the pass removes the `cube.may_not_terminate`.
//!
//! ```mlir
//! ^iteration:                               ^iteration:
//!   %word = llvm.load volatile %stop          %word = llvm.load volatile %stop
//!   cf.cond_br (%word != 0), ^leave, ^on      cf.cond_br (%word != 0), ^leave, ^on
//! ^leave:                                   ^leave:
//!   llvm.store volatile %line, %stop          llvm.store volatile %line, %stop
//!   cube.may_not_terminate {leaves}                        llvm.return
//!   cf.br ^on
//! ```
//!
//! `emit-unit-loops` polls a cancellation word of the launch before every `cube.may_not_terminate` (`add_polls`).
//! After loops have become blocks, this pass turns the branch for a set cancellation word into a return. A cancelled
//! call skips its remaining cubes and units. A cancelled call also skips the code after the loop, which could
//! otherwise run with unfinished loop values. No later pass removes blocks without side effects. LLVM keeps an
//! infinite loop unless its function is marked `mustprogress`, and this mark is never set. Cost: a load and a branch
//! that is not taken, for each iteration of a loop that is not proven to terminate.
use cube_dialect::ops;
use cube_ir::ops::llvm;
use cube_ir::{Builder, Op, PassResult, Run, Val, location_of, pass, upstream::IntCmp};

pass! {
    name: "lower-loop-cancellation",
    summary: "makes a cancelled launch return from the kernel at an iteration of a loop",
    on: builtin::MODULE,
    level: Device => Device,
    dialects: ["llvm"],
    statistics: ["ways out"],
    run: run,
}

/// Attribute of a `cube.may_not_terminate` whose block returns from the kernel.
const LEAVES: &str = "leaves";

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for point in run.root().walk().into_iter().filter(|op| op.is(ops::MayNotTerminate::KIND)) {
        let end = point.block().and_then(|block| block.terminator());
        if let Some(end) = end.filter(|_| point.attr(LEAVES).is_some()) {
            Builder::before(end).op(llvm::RETURN).build();
            run.erase(end);
            run.count("ways out", 1);
        }
        run.erase(point);
    }
    Ok(())
}

/// The bit of the cancellation word that the code sets on exit; the other bits are the line of the loop.
const LEFT: u32 = 1 << 31;

/// Whether a kernel contains `cube.may_not_terminate`, which becomes a test of the cancellation word.
pub fn has_cancellation_points(kernel: Op<'_>) -> bool {
    kernel.walk().into_iter().any(|op| op.is(ops::MayNotTerminate::KIND))
}

/// Adds a test of the cancellation word at `stop` before each `cube.may_not_terminate` of a kernel.
pub fn add_polls<'p>(kernel: Op<'p>, stop: Val<'p>) {
    for point in kernel.walk().into_iter().filter(|op| op.is(ops::MayNotTerminate::KIND)) {
        let b = Builder::before(point);
        let (cx, word) = (b.cx(), b.cx().int(32));
        let load = b.op(llvm::LOAD).operands(&[stop]).attr("volatile_", cx.unit_attr());
        let polled = load.attr("alignment", cx.int_attr(cx.int(64), 4)).result(word).value();
        let stopped = b.cmpi(IntCmp::Ne, polled, b.int(word, 0));
        let branch = b.if_else(stopped, &[], |_| vec![], |_| vec![]);
        if let Some(end) = branch.body().and_then(|block| block.terminator()) {
            let b = Builder::before(end).with_location(point.location());
            let store =
                b.op(llvm::STORE).operands(&[b.int(word, i64::from(LEFT | line(kernel, point)) as i32 as i64), stop]);
            store.attr("volatile_", cx.unit_attr()).attr("alignment", cx.int_attr(cx.int(64), 4)).build();
            point.move_before(end);
            point.set_attr(LEAVES, cx.unit_attr());
        }
    }
}

// The line of a loop in the kernel's own file, otherwise 0.
fn line(kernel: Op<'_>, point: Op<'_>) -> u32 {
    let (own, location) = (location_of(kernel.location()), location_of(point.location()));
    let location = location.filter(|location| own.is_some_and(|own| own.file == location.file));
    location.map(|location| location.line).filter(|line| *line < LEFT).unwrap_or(0)
}
