//! Expands conversions that the chip's description does not list. LLVM's code generators call a library function to
//! convert f64 to f16 or bf16, and convert floats to i1 incorrectly.
//!
//! ```mlir
//! arith.truncf %x : f64 to bf16   ->   f64 to f32 rounded to odd, then arith.truncf to bf16
//! arith.fptosi %x : f32 to i1     ->   arith.trunci (arith.fptosi %x : f32 to i32) : i32 to i1
//! ```
//!
//! LLVM's NVPTX backend compiles a conversion to i1 as a comparison with zero that gives the opposite result (LLVM 22,
//! `setp.eq.f32`).
//!
//! The pass converts f64 to f32 and then to f16 or bf16. Two roundings to nearest can differ from one rounding by one
//! unit in the last place. If the first rounding is to odd, the results are equal, because f32 has at least two more
//! significant bits than f16 and bf16 (Boldo and Melquiond, "When double rounding is odd", 2005). Cost: linear.
use crate::native::Native;
use cube_ir::ops::{arith, math};
use cube_ir::{
    Builder, Op, PassResult, Run, TypeExt, Val, pass,
    rules::{Rewrite, Rule, apply_where},
    upstream::FloatCmp,
};

pass! {
    name: "expand-casts",
    summary: "expands float conversions that targets implement by a library or round incorrectly",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "math"],
    statistics: ["conversions expanded"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "truncf", on: arith::TRUNCF, apply: truncf },
    Rule { name: "fptosi", on: arith::FPTOSI, apply: to_bool },
    Rule { name: "fptoui", on: arith::FPTOUI, apply: to_bool },
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let native = Native::of(run.root());
    // LLVM compiles a conversion to i1 incorrectly, also on chips that have the instruction.
    let is_unsupported = |op: Op<'p>| !op.is(arith::TRUNCF) || !native.converts(op.operand(0).ty(), op.result(0).ty());
    let count = apply_where(run, RULES, is_unsupported);
    run.count("conversions expanded", count);
    Ok(())
}

fn truncf<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (from, to) = (op.operand(0).ty(), op.result(0).ty());
    if from.bits() != Some(64) || to.bits().is_none_or(|bits| bits > 16) {
        return Rewrite::No("the conversion is an instruction everywhere");
    }
    let single = round_to_odd(b, op.operand(0));
    Rewrite::Replace(vec![b.cast(arith::TRUNCF, single, to)])
}

fn to_bool<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let ty = op.result(0).ty();
    if ty.bits() != Some(1) {
        return Rewrite::No("the conversion is an instruction everywhere");
    }
    let wide = b.cast(op.name(), op.operand(0), ty.with_element(b.cx().int(32)));
    Rewrite::Replace(vec![b.cast(arith::TRUNCI, wide, ty)])
}

/// Converts f64 to f32 with rounding to odd. An exact result is unchanged. An inexact result is the neighbour
/// towards zero, with the last bit set to 1.
pub fn round_to_odd<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    let (double, single) = (x.ty(), x.ty().with_element(b.cx().f32()));
    let int = x.ty().with_element(b.cx().int(32));
    let near = b.cast(arith::TRUNCF, x, single);
    let back = b.cast(arith::EXTF, near, double);
    let abs = |v: Val<'p>| b.op(math::ABSF).operands(&[v]).result(double).value();
    let inexact = b.cmpf(FloatCmp::One, back, x);
    let away = b.cmpf(FloatCmp::Ogt, abs(back), abs(x));
    let bits = b.cast(arith::BITCAST, near, int);
    let towards_zero = b.select(away, b.subi(bits, b.int(int, 1)), bits);
    let odd = b.ori(towards_zero, b.int(int, 1));
    // An inexact value that rounds to zero is not zero, so a neighbour towards zero exists in every case.
    b.cast(arith::BITCAST, b.select(inexact, odd, bits), single)
}
