//! The variables that the walk declares for the results of branches and loops, and for the values that loops carry.
use cube_ir::ops::scf;
use cube_ir::{Block, Op, Val};

/// The values that determine a variable of the walk: the values that the text assigns to the variable, and the conditions, bounds and
/// selectors that decide which of them the variable has. Another variable can be one of these values. `None` if the value
/// is not a variable of the walk.
pub fn assigned_values<'p>(variable: Val<'p>) -> Option<Vec<Val<'p>>> {
    let Some(op) = variable.def() else {
        let (block, number) = variable.block_arg()?;
        return carried(block.parent()?, block, number);
    };
    let number = op.results().position(|result| result == variable)?;
    match op.kind() {
        scf::IF | scf::INDEX_SWITCH => {
            let each = op.regions().map(|region| region.first_block()?.terminator()?.operands().nth(number));
            each.chain([op.operands().next()]).collect()
        }
        scf::FOR => Some(vec![op.body()?.args().nth(number + 1)?]),
        scf::WHILE => passed(op, number),
        _ => None,
    }
}

// The values that determine an argument of a loop's block.
fn carried<'p>(op: Op<'p>, block: Block<'p>, number: usize) -> Option<Vec<Val<'p>>> {
    let [first, last] = [op.regions().next(), op.regions().last()].map(|region| region?.first_block());
    let next = |number: usize| last?.terminator()?.operands().nth(number);
    match op.kind() {
        scf::FOR => {
            let mut values: Vec<Val<'p>> = op.operands().take(3).collect();
            if let Some(number) = number.checked_sub(1) {
                values.extend([op.operands().nth(3 + number)?, next(number)?]);
            }
            Some(values)
        }
        scf::WHILE if Some(block) == first => {
            Some(vec![op.operands().nth(number)?, next(number)?, condition(op)?.operands().next()?])
        }
        scf::WHILE => passed(op, number),
        _ => None,
    }
}

// The values that determine a value that the condition of a `scf.while` passes on.
fn passed<'p>(op: Op<'p>, number: usize) -> Option<Vec<Val<'p>>> {
    let condition: Vec<Val<'p>> = condition(op)?.operands().collect();
    Some(vec![*condition.first()?, *condition.get(number + 1)?])
}

fn condition<'p>(op: Op<'p>) -> Option<Op<'p>> {
    op.regions().next()?.first_block()?.terminator()
}
