//! An estimate of the registers of a unit: the largest number of values that are live at one operation.
//!
//! The estimate uses the order of the operations. LLVM reorders operations and folds addresses, so the estimate is not
//! a bound. The cost is linear in the number of operations and uses.
use cube_dialect::ops;
use cube_ir::ops::{arith, scf};
use cube_ir::{Op, TypeExt, Val};
use std::collections::HashMap;

/// Registers for addresses, arguments and the stack pointer.
pub(super) const BASE: u32 = 10;

/// The estimated number of 32-bit registers of a unit whose code has `copies` copies of each value of the kernel.
pub fn of_copies(kernel: Op<'_>, copies: u64) -> u64 {
    u64::from(BASE) + u64::from(estimate(kernel) - BASE) * copies
}

/// The estimated number of 32-bit registers of a unit. A value that a loop reads from outside is live in the whole loop.
/// Constants and conditions need no register.
pub fn estimate(kernel: Op<'_>) -> u32 {
    let ops = preorder(kernel);
    let number: HashMap<Op<'_>, usize> = ops.iter().enumerate().map(|(number, op)| (*op, number)).collect();
    let mut change = vec![0i64; ops.len() + 2];
    for (start, op) in ops.iter().enumerate() {
        let counters = op.regions().filter_map(|region| region.first_block()).flat_map(|block| block.args());
        let free = op.is(arith::CONSTANT) || op.is(ops::Topology::KIND) || *op == kernel;
        for value in op.results().filter(|_| !free).chain(counters.filter(|_| *op != kernel)) {
            let words = registers_of(value);
            let last = value.uses().into_iter().map(|(user, _)| last_use(value, user, &number)).max();
            if let Some(last) = last.filter(|_| words > 0) {
                change[start] += words;
                change[last.max(start) + 1] -= words;
            }
        }
    }
    let mut live = 0;
    let most = change.into_iter().map(|change| {
        live += change;
        live
    });
    BASE + u32::try_from(most.max().unwrap_or(0)).unwrap_or(u32::MAX - BASE)
}

fn registers_of(value: Val<'_>) -> i64 {
    let ty = value.ty();
    let bits = if ty.is_index() { 64 } else { ty.element().bits().unwrap_or(0) };
    match (u64::from(bits) * ty.element_count()).div_ceil(32) {
        _ if bits == 1 || ty.is_memref() => 0,
        words => words.min(1 << 20) as i64,
    }
}

// The number of the last operation at which the value is live for one use.
fn last_use<'p>(value: Val<'p>, user: Op<'p>, number: &HashMap<Op<'p>, usize>) -> usize {
    let holder =
        value.block_arg().and_then(|(block, _)| block.parent()).or_else(|| value.def().and_then(|op| op.parent()));
    let around = user.ancestors().take_while(|op| Some(*op) != holder);
    let loop_op = around.filter(|op| op.is(scf::FOR) || op.is(scf::WHILE)).last();
    let end = |op: Op<'p>| number.get(&op).copied().unwrap_or(0);
    match loop_op {
        // The last operation inside of the loop.
        Some(loop_op) => end(loop_op) + loop_op.walk().len() - 1,
        None => end(user),
    }
}

// All operations; an operation precedes the operations in its regions. The function does not recurse, because the
// nesting depth is not bounded.
fn preorder(root: Op<'_>) -> Vec<Op<'_>> {
    let (mut all, mut open) = (Vec::new(), vec![root]);
    while let Some(op) = open.pop() {
        all.push(op);
        let inner: Vec<Op<'_>> = op.regions().flat_map(|r| r.blocks()).flat_map(|block| block.ops()).collect();
        open.extend(inner.into_iter().rev());
    }
    all
}
