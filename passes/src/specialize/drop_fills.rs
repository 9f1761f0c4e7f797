//! Removes writes to a local array if a loop overwrites the complete array before any read.
//!
//! ```mlir
//! %a = cube.alloc : !cube.local<64 x f32>
//! scf.for %i = 0 to 64 { cube.store %zero, %a[%i] }      scf.for %i = 0 to 64 { }
//! scf.for %i = 0 to 64 { cube.store %v, %a[%i] }         scf.for %i = 0 to 64 { cube.store %v, %a[%i] }
//! ```
//!
//! The Rust front end initialises arrays with zeros. Many programs then overwrite the zeros with other initial
//! values. Arrays whose indices are all constant are already SSA values, so the pass does not handle them.
//! Invariant: no load of the array precedes the overwriting loop. A load inside the overwriting loop reads only
//! the line that the same iteration has written. Cost: linear.
use crate::analysis::constants::int_of;
use cube_dialect::attributes::DEBUG;
use cube_dialect::{AccessKind, BufferKind, BufferType, access_of, ops};
use cube_ir::ops::scf;
use cube_ir::{Op, PassResult, Run, Val, pass};

pass! {
    name: "drop-fills",
    summary: "removes writes to local memory that a following loop over the entire memory overwrites",
    on: cube::KERNEL,
    level: Source => Source,
    statistics: ["stores removed"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for alloc in run.root().walk() {
        let Some(lines) = lines_of(alloc).filter(|_| alloc.attr(DEBUG).is_none()) else { continue };
        let array = alloc.result(0);
        let mut unread = Vec::new();
        for op in std::iter::successors(alloc.next(), |op| op.next()) {
            let accesses: Vec<Op<'p>> = op.walk().into_iter().filter(|op| op.operands().any(|v| v == array)).collect();
            if overwrites(op, array, lines, &accesses) {
                run.count("stores removed", unread.len() as u64);
                unread.drain(..).for_each(|store| run.erase(store));
            }
            if !accesses.iter().all(|access| is_store(*access, array)) {
                break;
            }
            unread.extend(accesses);
        }
    }
    Ok(())
}

/// The number of lines of a local array; `None` for an array of one line.
fn lines_of(op: Op<'_>) -> Option<i64> {
    let buffer = BufferType::of(ops::Alloc::of(op)?.op().result(0).ty())?;
    let lines = buffer.lines().filter(|lines| buffer.kind == BufferKind::Local && *lines > 1)?;
    i64::try_from(lines).ok()
}

/// Whether an operation is a store to the array.
fn is_store<'p>(op: Op<'p>, array: Val<'p>) -> bool {
    access_of(op).is_some_and(|access| access.kind == AccessKind::Store && access.buffer == array)
        && op.operands().filter(|v| *v == array).count() == 1
}

/// Whether a loop writes every line of the array before it reads that line. `accesses` are the loop's uses of the
/// array, in program order.
fn overwrites<'p>(op: Op<'p>, array: Val<'p>, lines: i64, accesses: &[Op<'p>]) -> bool {
    let ([first, rest @ ..], true) = (accesses, op.is(scf::FOR)) else { return false };
    let [from, to, step] = [0, 1, 2].map(|bound| int_of(op.operand(bound)));
    let whole = from == Some(0) && to.is_some_and(|to| to >= lines) && step == Some(1);
    let Some(counter) = op.body().map(|body| body.arg(0)).filter(|_| whole) else { return false };
    let here = |access: Op<'p>| access_of(access).is_some_and(|a| a.buffer == array && a.index == counter);
    let reads_its_own = |access: Op<'p>| access_of(access).is_some_and(|a| a.kind == AccessKind::Load) && here(access);
    is_store(*first, array)
        && here(*first)
        && first.parent() == Some(op)
        && rest.iter().all(|access| is_store(*access, array) || reads_its_own(*access))
}
