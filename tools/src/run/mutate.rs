//! Planted miscompiles, to show that `--bisect` names the right pass. Debug builds only: `CUBE_TEST_MUTATE=PASS:KIND` breaks
//! the module after that pass as a wrong pass would.
use cube_driver::Stage;
use cube_ir::{AttrExt, Op, TypeExt};

/// Breaks the module where the environment asks for it.
pub fn mutate(stage: &Stage<'_, '_>) {
    let Ok(asked) = std::env::var("CUBE_TEST_MUTATE") else { return };
    let Some((pass, kind)) = asked.split_once(':') else { return };
    if pass != stage.pass {
        return;
    }
    let change: fn(Op<'_>) -> bool = match kind {
        "constant" => constant,
        "predicate" => predicate,
        "operands" => operands,
        "bounds" => bounds,
        _ => return,
    };
    // The first operation in the order of the text that can be changed.
    let done = stage.module.op().walk().into_iter().any(change);
    assert!(done, "nothing to change by {kind} after {pass}");
}

// One more.
fn constant(op: Op<'_>) -> bool {
    let value = op.attr("value").filter(|_| op.is("arith.constant")).and_then(|a| a.as_int());
    let Some(value) = value.filter(|_| !op.result(0).ty().is_fp() && op.result(0).ty().bits() != Some(1)) else {
        return false;
    };
    op.set_attr("value", op.cx().int_attr(op.result(0).ty(), value + 1));
    true
}

// `<` becomes `<=`, `==` becomes `!=`.
fn predicate(op: Op<'_>) -> bool {
    let Some(number) = op.attr("predicate").filter(|_| op.is("arith.cmpi")).and_then(|a| a.as_int()) else {
        return false;
    };
    op.set_attr("predicate", op.cx().int_attr(op.cx().int(64), number ^ 1));
    true
}

// `a - b` becomes `b - a`.
fn operands(op: Op<'_>) -> bool {
    let ordered =
        ["arith.subi", "arith.subf", "arith.divf", "cube.divui", "cube.shl", "arith.divui"].contains(&op.name());
    if ordered {
        op.set_operands(&[op.operand(1), op.operand(0)]);
    }
    ordered
}

// A store goes to the place of the value's neighbour: its index becomes that of another access.
fn bounds(op: Op<'_>) -> bool {
    if !op.is("cube.store") && !op.is("memref.store") {
        return false;
    }
    let b = cube_ir::Builder::before(op);
    let ty = op.operand(2).ty();
    let one = b.op("arith.constant").attr("value", op.cx().int_attr(ty, 1)).result(ty).value();
    op.set_operand(2, b.addi(op.operand(2), one));
    true
}
