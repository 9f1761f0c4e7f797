//! Simplifies index arithmetic: sums of a row and a column, quotients and remainders with a known result, and
//! expanded positions.
//!
//! ```mlir
//! %row = cube.divui %p, %w                     %some = arith.cmpi ne, %w, %c0
//! %col = cube.remui %p, %w                     %i = arith.select %some, %p, %c0    // or %p if %w is known not to be 0
//! %in = arith.cmpi ult, %col, %w               %in = arith.cmpi ne, %w, %c0
//! %m = arith.muli %row, %w
//! %i = arith.addi %m, %col
//! ```
//!
//! `simplify_indices/rules.rs` lists the rules. Most of these rules are entries of the rule families
//! (`rules/families`), which the pass `egraph` and the prover also use. `simplify_indices/entries.rs` applies an entry
//! to one operation, and evaluates its guard with the ranges and the enclosing branches. Each rule holds for all values
//! of its variables that its guard allows. In the kernel language, sums and products are modulo 2^n, `x / 0 = x`, and
//! `x % 0 = 0`. Later passes use the simplified index to prove checks and to widen accesses. Invariant: the pass
//! changes no defined value. Cost: linear; the pass simplifies at most 4,096 sums of a kernel, and visits at most 64
//! operations for each sum.
mod entries;
mod rules;

use cube_dialect::ops;
use cube_ir::ops::{arith, cube};
use cube_ir::{Op, PassResult, Run, Val, pass, rules::apply_where};
use rules::RULES;
use std::cell::Cell;
use std::collections::HashSet;

/// Maximum number of sums in a kernel that the pass tries to simplify.
const MAX_SUMS: usize = 4096;

pass! {
    name: "simplify-indices",
    summary: "simplifies quotients and remainders, and sums of quotients and remainders, in index arithmetic",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "cube"],
    statistics: ["expressions simplified", "expressions kept"],
    run: run,
}

fn run(run: &mut Run<'_>) -> PassResult {
    let sums = sums(run.root());
    let left = Cell::new(MAX_SUMS);
    let is_selected = |op: Op<'_>| {
        if !is_sum(op) {
            return !is_length_comparison(op);
        }
        let is_selected = sums.contains(&op) && left.get() > 0;
        left.set(left.get() - usize::from(is_selected));
        is_selected
    };
    let applied = apply_where(run, RULES, is_selected);
    run.count("expressions simplified", applied);
    if sums.len() > MAX_SUMS {
        let why = "only the first 4096 sums of the kernel are simplified";
        run.missed(run.root(), "size", why, "split the kernel");
    }
    if applied == 0 {
        run.unchanged();
    }
    Ok(())
}

fn is_sum(op: Op<'_>) -> bool {
    op.is(arith::ADDI) || op.is(arith::SUBI) || op.is(arith::ORI)
}

// A comparison with the length of a buffer is kept, because it proves accesses.
fn is_length_comparison(op: Op<'_>) -> bool {
    let is_length = |op: Op<'_>| op.is(ops::Len::KIND) || op.is(ops::BufferLen::KIND);
    op.is(arith::CMPI) && op.operands().any(|value| value.def().is_some_and(is_length))
}

// The sums that contain a remainder or the position of a unit in its cube.
fn sums<'p>(root: Op<'p>) -> HashSet<Op<'p>> {
    let (mut parts, mut sums): (HashSet<Val<'p>>, HashSet<Op<'p>>) = Default::default();
    for op in root.walk() {
        let starts = match op.kind() {
            cube::REMUI | arith::REMUI | cube::TOPOLOGY | arith::ANDI => true,
            // The operands can contain a remainder in expanded form.
            cube::DIVUI | arith::DIVUI | cube::SHRUI => true,
            arith::ADDI | arith::SUBI | arith::ORI | arith::MULI | cube::SHL => {
                op.operands().any(|v| parts.contains(&v))
            }
            arith::TRUNCI | arith::EXTUI | arith::EXTSI => parts.contains(&op.operand(0)),
            _ => false,
        };
        if starts {
            parts.extend(op.results());
            if is_sum(op) {
                sums.insert(op);
            }
        }
    }
    sums
}
