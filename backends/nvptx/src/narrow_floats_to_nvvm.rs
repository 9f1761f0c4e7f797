//! Conversions of f32 vectors to f16 or bf16 become instructions that convert two numbers at once.
//!
//! ```mlir
//! %r = arith.truncf %x : vector<4xf32> to vector<4xf16>                          // before
//! %0 = nvvm.convert.f32x2.to.f16x2 %x[1], %x[0] {rnd = rn} : vector<2xf16>       // after: cvt.rn.f16x2.f32
//! %1 = nvvm.convert.f32x2.to.f16x2 %x[3], %x[2] {rnd = rn} : vector<2xf16>       // %r is %0 and %1
//! ```
//!
//! LLVM converts each lane alone. ptxas 12.9 can compile the conversion of one number to `F2F`, which has a quarter of the
//! rate of `F2FP`, the instruction for two numbers (seen for sm_90, if a select follows the conversion). The instruction
//! requires sm_80 (PTX ISA 9.1, section 9.7.9.21). Both forms round to nearest even and keep subnormal numbers. Invariant: the
//! values are those of `arith.truncf`. Cost: linear in the operations and in the uses of the conversions.
use crate::chip::capability;
use cube_dialect::{element_of, target_of};
use cube_ir::ops::{arith, nvvm};
use cube_ir::rules::{Rewrite, Rule, apply_once};
use cube_ir::{Block, Builder, Op, OpKind, PassResult, Run, TypeExt, Val, pass};
use cube_target::Element;
use std::collections::{HashMap, HashSet};

pass! {
    name: "narrow-floats-to-nvvm",
    summary: "converts pairs of f32 numbers to f16 or bf16 by one instruction (NVIDIA GPUs)",
    on: cube::KERNEL,
    level: Legal | Mixed => Mixed,
    dialects: ["nvvm", "vector"],
    statistics: ["conversions lowered"],
    run: run,
}

const RULES: &[Rule] = &[Rule { name: "truncf", on: arith::TRUNCF, apply: pairs }];

/// The first chip with the instructions.
const FIRST: u32 = 80;

fn run(run: &mut Run<'_>) -> PassResult {
    if capability(&target_of(run.root()).chip) < FIRST {
        run.unchanged();
        return Ok(());
    }
    let mut count = apply_once(run, RULES);
    let all = run.root().walk().into_iter().filter(|op| op.is(arith::TRUNCF)).filter_map(|op| op.block());
    let mut known = HashSet::new();
    for block in all.filter(|block| known.insert(*block)).collect::<Vec<_>>() {
        count += pairs_of(run, block);
    }
    run.count("conversions lowered", count);
    Ok(())
}

// Combines two neighbouring conversions of single numbers, if the operations after both use the results alike. The lanes of
// vectorised kernels are such conversions, because math functions are computed for each lane.
fn pairs_of<'p>(run: &mut Run<'p>, block: Block<'p>) -> u64 {
    let ops = block.ops();
    let positions: HashMap<Op<'p>, usize> = ops.iter().enumerate().map(|(at, op)| (*op, at)).collect();
    // The position of the operation of the block that contains a user.
    let position = |user: Op<'p>| {
        let outer = std::iter::once(user).chain(user.ancestors());
        outer.into_iter().find_map(|op| positions.get(&op).copied()).unwrap_or(0)
    };
    let users = |op: Op<'p>| -> Vec<Op<'p>> { op.result(0).uses().iter().map(|(user, _)| *user).collect() };
    let kinds = |op: Op<'p>| -> Vec<OpKind> { users(op).iter().map(|user| user.kind()).collect() };
    let (mut first, mut count): (Option<Op<'p>>, u64) = (None, 0);
    for (at, op) in ops.iter().enumerate() {
        if instruction(*op).is_none() || op.operand(0).ty() != op.cx().f32() {
            continue;
        }
        let alike = |first: &Op<'p>| {
            first.result(0).ty() == op.result(0).ty()
                && users(*first).into_iter().all(|user| position(user) > at)
                && kinds(*first) == kinds(*op)
        };
        let Some(low) = first.take().filter(alike) else {
            first = Some(*op);
            continue;
        };
        let b = run.before(*op);
        let Some(packed) = convert(b, *op, [low.operand(0), op.operand(0)]) else { return count };
        let lanes = [b.lane(packed, 0), b.lane(packed, 1)];
        run.replace(low, &lanes[..1]);
        run.replace(*op, &lanes[1..]);
        count += 2;
    }
    count
}

// The instruction for two conversions like `op`. A conversion with another rounding mode stays.
fn instruction(op: Op<'_>) -> Option<OpKind> {
    let conversion = Some(op).filter(|op| op.is(arith::TRUNCF) && op.attr("roundingmode").is_none())?;
    match element_of(conversion.result(0).ty())? {
        Element::F16 => Some(nvvm::CONVERT_F32X2_TO_F16X2),
        Element::BF16 => Some(nvvm::CONVERT_F32X2_TO_BF16X2),
        _ => None,
    }
}

// The converted numbers as a vector. `op` is a conversion to the same type.
fn convert<'p>(b: Builder<'p>, op: Op<'p>, [low, high]: [Val<'p>; 2]) -> Option<Val<'p>> {
    let nearest = b.cx().parse_attr("#nvvm.fp_rnd_mode<rn>")?;
    let pair = b.cx().vector(2, op.result(0).ty().element());
    // The first operand is the upper half.
    Some(b.op(instruction(op)?).operands(&[high, low]).attr("rnd", nearest).result(pair).value())
}

fn pairs<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    if instruction(op).is_none() {
        return Rewrite::No("the result is not f16 or bf16, or the operation has a rounding mode");
    }
    if value.ty() != to.with_element(b.cx().f32()) {
        return Rewrite::No("the operand is not f32");
    }
    if !to.lanes().is_some_and(|lanes| lanes.is_multiple_of(2)) {
        return Rewrite::No("the number of lanes is odd");
    }
    let mut lanes = vec![];
    for both in b.lanes(value).chunks_exact(2) {
        let Some(packed) = convert(b, op, [both[0], both[1]]) else { return Rewrite::No("MLIR has no such attribute") };
        lanes.extend([b.lane(packed, 0), b.lane(packed, 1)]);
    }
    Rewrite::Replace(vec![b.of_lanes(to, &lanes)])
}
