//! A pass for tests of rewrite rules. Its rule reads an option of the pass, counts a statistic and emits a remark.
//! Tools register this pass if the variable `CUBE_TEST_PASSES` is set.
//!
//! ```mlir
//! %b = arith.addi %a, %two : i32    ->    %b = arith.subi %a, %minus_two : i32    // with limit=2, not with limit=1
//! ```
use crate::analysis::constants::int_of;
use cube_ir::{
    Builder, Op, PassResult, Run,
    ops::arith,
    pass,
    rules::{Rewrite, Rule, apply_once},
};

pass! {
    name: "test-rules",
    summary: "turns sums with small constants into differences, with an option, a count and remarks",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith"],
    options: { limit: Int(1) = "the largest constant that is replaced" },
    statistics: ["sums turned", "sums with large constants"],
    run: run,
}

const RULES: &[Rule] = &[Rule { name: "turn", on: arith::ADDI, apply: to_difference }];

fn run(run: &mut Run<'_>) -> PassResult {
    let turned = apply_once(run, RULES);
    run.count("sums turned", turned);
    Ok(())
}

// x + c = x - (-c)
fn to_difference<'p>(op: Op<'p>, b: Builder<'p>, run: &mut Run<'p>) -> Rewrite<'p> {
    let Some(constant) = int_of(op.operand(1)) else { return Rewrite::No("nothing constant is added") };
    if constant > run.int("limit") {
        run.count("sums with large constants", 1);
        run.missed(op, "turn", format_args!("{constant} is above the limit"), "raise the option limit");
        return Rewrite::No("the constant is large");
    }
    let ty = op.result(0).ty();
    Rewrite::Replace(vec![b.subi(op.operand(0), b.int(ty, constant.wrapping_neg()))])
}
