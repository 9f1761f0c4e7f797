//! Numbers that loops carry from one iteration to the next.
use super::constants::int_of;
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{Block, Op, Val};

/// Maximum number of operations between the numbers of two iterations.
const DEEPEST: u32 = 24;

/// A number that a loop carries.
#[derive(Clone, Copy)]
pub struct Carried<'p> {
    /// The number in an iteration, an argument of the loop's first region.
    value: Val<'p>,
    /// The number in the first iteration.
    pub first: Val<'p>,
    /// The number in the next iteration.
    pub next: Val<'p>,
}

impl<'p> Carried<'p> {
    /// The carried number that a block argument contains; `None` for other values.
    pub fn of(value: Val<'p>) -> Option<Self> {
        let (block, number) = value.block_arg()?;
        let loop_op = block.parent()?;
        match loop_op.kind() {
            scf::FOR => {
                let carried = number.checked_sub(1)?;
                let next = block.terminator()?.operand(carried);
                Some(Carried { value, first: loop_op.operand(carried + 3), next })
            }
            scf::WHILE => {
                let [before, after] = regions(loop_op)?;
                let next = after.terminator()?.operand(number);
                (block == before).then(|| Carried { value, first: loop_op.operand(number), next })
            }
            _ => None,
        }
    }

    /// Whether the number of an iteration is at most the number of the previous iteration, as unsigned numbers.
    pub fn never_increases(self) -> bool {
        self.next_is(self.next, &|op| match op.kind() {
            cube::DIVUI | arith::DIVUI | cube::REMUI | arith::REMUI | cube::SHRUI | cube::SUBUI_SAT => 0..1,
            arith::MINUI | arith::ANDI => 0..2,
            _ => 0..0,
        })
    }

    /// The constant `c`, if the number of the next iteration is `c - x` or `x` for each number `x` of an iteration. If the
    /// first number is at most `c`, all numbers are.
    pub fn mirror(self) -> Option<u64> {
        let most = std::cell::Cell::new(None);
        let is_mirror = |op: Op<'p>| {
            let from = int_of(op.operand(0)).filter(|_| op.is(arith::SUBI)).map(|from| u64::from(from as u32));
            let same = from.is_some() && (most.get().is_none() || most.get() == from);
            most.set(most.get().or(from));
            if same { 1..2 } else { 0..0 }
        };
        self.next_is(self.next, &is_mirror).then(|| most.get()).flatten()
    }

    // Whether a value is the number of the iteration, or the result of an operation that `operands` accepts. `operands`
    // returns the operands of which one must be the number.
    fn next_is(self, value: Val<'p>, operands: &dyn Fn(Op<'p>) -> std::ops::Range<usize>) -> bool {
        self.next_within(value, operands, DEEPEST)
    }

    fn next_within(self, value: Val<'p>, operands: &dyn Fn(Op<'p>) -> std::ops::Range<usize>, depth: u32) -> bool {
        if value == self.value {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let follows = |value: Val<'p>| self.next_within(value, operands, depth);
        if let Some(returned) = returned_by_branch(value) {
            return returned.into_iter().all(follows);
        }
        let Some(op) = value.def().filter(|op| op.operands().len() > 0) else { return false };
        operands(op).any(|n| follows(op.operand(n)))
    }
}

fn regions(loop_op: Op<'_>) -> Option<[Block<'_>; 2]> {
    <[_; 2]>::try_from(loop_op.regions().filter_map(|region| region.first_block()).collect::<Vec<_>>()).ok()
}

// The values of which one is `value`: the arms of a branch or select, or the operand that the condition of a loop passes
// to the second region.
fn returned_by_branch(value: Val<'_>) -> Option<Vec<Val<'_>>> {
    if let Some((block, number)) = value.block_arg() {
        let [before, after] = regions(block.parent().filter(|op| op.is(scf::WHILE))?)?;
        return (block == after).then(|| Some(vec![before.terminator()?.operand(number + 1)])).flatten();
    }
    let op = value.def()?;
    match op.kind() {
        arith::SELECT => Some(vec![op.operand(1), op.operand(2)]),
        scf::IF | scf::INDEX_SWITCH => {
            let number = op.results().position(|result| result == value)?;
            op.regions().map(|arm| Some(arm.first_block()?.terminator()?.operand(number))).collect()
        }
        _ => None,
    }
}

/// The values of which one is the result `value` of a branch or loop, or the argument `value` of the second region of a
/// loop. `None` for other values.
pub fn returned(value: Val<'_>) -> Option<Vec<Val<'_>>> {
    let branch = || returned_by_branch(value).filter(|_| value.def_of(arith::SELECT).is_none());
    branch().or_else(|| {
        let op = value.def()?;
        let number = op.results().position(|result| result == value)?;
        match op.kind() {
            // The last number that the condition passes on.
            scf::WHILE => Some(vec![regions(op)?[0].terminator()?.operand(number + 1)]),
            // The first number, or the number of the last iteration.
            scf::FOR => Some(vec![op.operand(number + 3), op.body()?.terminator()?.operand(number)]),
            _ => None,
        }
    })
}
