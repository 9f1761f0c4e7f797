//! Rows: the elements of a unit share one quotient if the row length is a multiple of the number of elements
//! per unit.
//!
//! ```mlir
//! %q = cube.divui %i, %n        %q = cube.divui %base, %n          // for all elements
//! %r = cube.remui %i, %n        %r0 = cube.remui %base, %n, and the others are %r0 + j
//! ```
//! The position of the first element is a multiple of the number of elements per unit. If the row length `%n`
//! is a nonzero multiple of the number of elements per unit, all elements of a unit are in one row. The
//! remainder of element `j`, `%r0 + j`, is then below `%n`.
use super::plan::Plan;
use crate::analysis::launch::{as_number, expression_of};
use cube_dialect::ops;
use cube_ir::ops::cube;
use cube_ir::{Builder, Op, Val};

/// Maximum number of row lengths that the launch checks.
const MAX_LENGTHS: usize = 4;

/// Row lengths that the runtime can compute.
#[derive(Default)]
pub(super) struct Rows<'p> {
    pub lengths: Vec<Val<'p>>,
    /// Conditions under which all elements of a unit are in one row.
    pub guards: Vec<String>,
}

/// Whether an operation is a quotient or a remainder of the unit's position.
pub(super) fn is_division<'p>(plan: &Plan<'p>, op: Op<'p>) -> bool {
    (op.is(cube::DIVUI) || op.is(cube::REMUI)) && plan.is_position(op.operand(0))
}

impl<'p> Rows<'p> {
    /// The row lengths that are divisors of quotients in `ops`. A remainder without a quotient does not justify
    /// another copy of the kernel's code.
    pub fn of(kernel: ops::Kernel<'p>, plan: &Plan<'p>, ops: impl Iterator<Item = Op<'p>>) -> Rows<'p> {
        let mut rows = Rows::default();
        for op in ops.filter(|op| op.is(cube::DIVUI) && is_division(plan, *op)) {
            let length = op.operand(1);
            if rows.lengths.contains(&length) || rows.lengths.len() == MAX_LENGTHS || !plan.can_copy(length, true) {
                continue;
            }
            let Some(expression) = expression_of(kernel, length) else { continue };
            let number = as_number(&expression, false);
            rows.lengths.push(length);
            rows.guards.push(format!("lt(0, {number})"));
            rows.guards.push(format!("eq(rem({number}, {}), 0)", plan.taken));
        }
        rows
    }
}

/// Returns `count` consecutive numbers, beginning with `first`.
pub(super) fn following<'p>(b: Builder<'p>, first: Val<'p>, count: u64) -> Vec<Val<'p>> {
    (0..count).map(|j| if j == 0 { first } else { b.addi(first, b.int(first.ty(), j as i64)) }).collect()
}
