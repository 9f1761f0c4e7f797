//! Replaces undefined values by zeros.
//!
//! ```mlir
//! ub.poison : i32                              ->   arith.constant 0 : i32
//! vector.shuffle %v, %w [0, -1]                ->   vector.shuffle %v, %w [0, 0]
//! vector.extract %v[-1]                        ->   arith.constant 0
//! vector.insert %x, %v[-1]                     ->   %v
//! ```
//!
//! Passes and LLVM can choose any value for an undefined value, even a different value at each use. A bounds check of
//! an undefined index could then succeed although the access is out of bounds. The pass runs before any pass that can
//! fold an undefined value. Cost: linear.
use cube_ir::ops::{ub, vector};
use cube_ir::{
    AttrExt, Builder, Failed, Op, PassResult, Run, Type, TypeExt, pass,
    rules::{Rewrite, Rule, apply_once},
};

pass! {
    name: "define-poison",
    summary: "replaces undefined values by zero",
    on: builtin::MODULE,
    level: Source => Source,
    dialects: ["arith", "vector"],
    statistics: ["values defined"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "poison", on: ub::POISON, apply: poison },
    Rule { name: "shuffle", on: vector::SHUFFLE, apply: shuffle },
    Rule { name: "extract", on: vector::EXTRACT, apply: extract },
    Rule { name: "insert", on: vector::INSERT, apply: insert },
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk().into_iter().filter(|op| op.is(ub::POISON)) {
        let ty = op.result(0).ty();
        if !has_zero(ty) {
            op.error(cube_ir::diagnostic!(CUBE0417.no_zero { ty }));
            return Err(Failed);
        }
    }
    let count = apply_once(run, RULES);
    run.count("values defined", count);
    Ok(())
}

/// The index by which MLIR marks an undefined lane of a result.
const POISON: i64 = -1;

fn has_zero(ty: Type<'_>) -> bool {
    ty.is_int() || ty.is_fp() || ty.element().is_index()
}

fn poison<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    Rewrite::Replace(vec![b.zero(op.result(0).ty())])
}

fn shuffle<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let Some(mask) = op.attr("mask").and_then(|mask| mask.as_i64_array()) else { return Rewrite::No("it has no mask") };
    if !mask.contains(&POISON) {
        return Rewrite::No("all lanes are defined");
    }
    let mask: Vec<i64> = mask.into_iter().map(|lane| lane.max(0)).collect();
    let operands: Vec<_> = op.operands().collect();
    let spec = b.op(vector::SHUFFLE).operands(&operands).attr("mask", b.cx().i64_array(&mask));
    Rewrite::Replace(vec![spec.result(op.result(0).ty()).value()])
}

fn is_undefined(op: Op<'_>) -> bool {
    op.attr("static_position").and_then(|at| at.as_i64_array()).is_some_and(|at| at.contains(&POISON))
}

fn extract<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    match is_undefined(op) {
        true => Rewrite::Replace(vec![b.zero(op.result(0).ty())]),
        false => Rewrite::No("the lane is defined"),
    }
}

fn insert<'p>(op: Op<'p>, _: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    match is_undefined(op) {
        true => Rewrite::Replace(vec![op.operand(1)]),
        false => Rewrite::No("the lane is defined"),
    }
}
