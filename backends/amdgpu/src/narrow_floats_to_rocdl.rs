//! Conversions between f32 and 8-bit floats become the chip's instructions, which convert two numbers at once.
//!
//! ```mlir
//! %r = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>      // before
//! %0 = rocdl.cvt.pk.fp8.f32 %x[0], %x[1] -> poison[false]         // after
//! %1 = rocdl.cvt.pk.fp8.f32 %x[2], %x[3] -> %0[true]              // %r is the bytes of %1
//!
//! %r = arith.extf %x : f8E5M2 to f32                              // before
//! %r = rocdl.cvt.f32.bf8 word of %x, byte 0                       // after
//! ```
//!
//! `expand-conversions` leaves these operations for chips whose description lists the conversion. MLIR folds two
//! conversions into one, such as an `arith.truncf` of f16 to 8 bits. The pass splits a folded conversion into two
//! conversions through f32. The first conversion is exact for narrower floats, and for integers up to 2^24. Larger
//! integers exceed the largest number of every 8-bit float. The instructions round to nearest even. A number that
//! exceeds the largest finite number of the type becomes infinite or NaN. The reason is that the kernel descriptor sets
//! `FP16_OVFL` of the mode register to zero (AMD, "CDNA 4 ISA", "RDNA 4 ISA", V_CVT_PK_FP8_F32). Invariant: no
//! operation with an 8-bit float remains, except reinterpretations of bytes. Cost: linear.
use cube_ir::ops::{arith, builtin, llvm, rocdl};
use cube_ir::rules::{Rewrite, Rule, apply_once};
use cube_ir::{Builder, Op, OpKind, PassResult, Run, Type, TypeExt, Val, pass};
use cube_target::Element;

pass! {
    name: "narrow-floats-to-rocdl",
    summary: "turns conversions of 8-bit floats into instructions (AMD GPUs)",
    on: cube::KERNEL,
    level: Legal | Mixed => Mixed,
    dialects: ["llvm", "rocdl", "arith", "vector"],
    statistics: ["operations lowered"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "truncf", on: arith::TRUNCF, apply: narrow },
    Rule { name: "sitofp", on: arith::SITOFP, apply: narrow },
    Rule { name: "uitofp", on: arith::UITOFP, apply: narrow },
    Rule { name: "extf", on: arith::EXTF, apply: wide },
    Rule { name: "bitcast", on: arith::BITCAST, apply: reinterpreted },
];

fn run(run: &mut Run<'_>) -> PassResult {
    let count = apply_once(run, RULES);
    run.count("operations lowered", count);
    Ok(())
}

/// The conversion instructions of an 8-bit format. `of_pair` converts two f32 numbers to the format. `to_one`
/// converts one number to f32, and `to_pair` converts two numbers to f32.
struct Instructions {
    of_pair: OpKind,
    to_one: OpKind,
    to_pair: OpKind,
}

fn instructions(ty: Type<'_>) -> Option<Instructions> {
    let e4m3 =
        Instructions { of_pair: rocdl::CVT_PK_FP8_F32, to_one: rocdl::CVT_F32_FP8, to_pair: rocdl::CVT_PK_F32_FP8 };
    let e5m2 =
        Instructions { of_pair: rocdl::CVT_PK_BF8_F32, to_one: rocdl::CVT_F32_BF8, to_pair: rocdl::CVT_PK_F32_BF8 };
    // An 8-bit float is a byte in memory: `element_of` of an i8 is not a float.
    match cube_dialect::element_of(ty)? {
        Element::F8E4M3 => Some(e4m3),
        Element::F8E5M2 => Some(e5m2),
        _ => None,
    }
}

/// The value in the type of its bytes.
fn bytes<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    b.cast(builtin::UNREALIZED_CONVERSION_CAST, value, value.ty().with_element(b.cx().int(8)))
}

/// The 8-bit floats of type `ty` whose bytes are `value`.
fn of_bytes<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    b.cast(builtin::UNREALIZED_CONVERSION_CAST, value, ty)
}

fn selected<'p>(b: Builder<'p>, number: i64) -> cube_ir::Attribute<'p> {
    b.cx().int_attr(b.cx().int(1), number)
}

fn narrow<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    let Some(own) = instructions(to) else { return Rewrite::No("the result is not an 8-bit float") };
    let (word, byte) = (b.cx().int(32), b.cx().int(8));
    let single = value.ty().with_element(b.cx().f32());
    let value = match value.ty().bits() {
        _ if value.ty() == single => value,
        _ if !value.ty().is_fp() => b.cast(op.kind(), value, single),
        Some(..32) => b.cast(arith::EXTF, value, single),
        // An f64 would be rounded twice: to f32, and to the 8-bit float.
        _ => return Rewrite::No("the operand is wider than f32"),
    };
    let lanes = b.lanes(value);
    let zero = b.float(b.cx().f32(), 0.0);
    let mut all = Vec::new();
    for four in lanes.chunks(4) {
        let mut packed = b.op(llvm::MLIR_POISON).result(word).value();
        for (half, pair) in four.chunks(2).enumerate() {
            let second = pair.get(1).copied().unwrap_or(zero);
            let spec = b.op(own.of_pair).operands(&[pair[0], second, packed]);
            packed = spec.attr("wordSel", selected(b, half as i64)).result(word).value();
        }
        all.extend((0..four.len()).map(|at| {
            let shifted = if at == 0 { packed } else { b.shrui(packed, b.int(word, 8 * at as i64)) };
            b.cast(arith::TRUNCI, shifted, byte)
        }));
    }
    let packed = b.of_lanes(to.with_element(byte), &all);
    Rewrite::Replace(vec![of_bytes(b, packed, to)])
}

fn wide<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    let Some(own) = instructions(value.ty()) else { return Rewrite::No("the operand is not an 8-bit float") };
    let (word, single) = (b.cx().int(32), b.cx().f32());
    let lanes = b.lanes(bytes(b, value));
    let mut all = Vec::new();
    for pair in lanes.chunks(2) {
        let words: Vec<_> = pair.iter().map(|lane| b.cast(arith::EXTUI, *lane, word)).collect();
        let &[low, high] = words.as_slice() else {
            let byte = b.cx().int_attr(word, 0);
            all.push(b.op(own.to_one).operands(&words).attr("byteSel", byte).result(single).value());
            continue;
        };
        let packed = b.ori(low, b.shli(high, b.int(word, 8)));
        let spec = b.op(own.to_pair).operands(&[packed]).attr("wordSel", selected(b, 0));
        let both = spec.result(b.cx().vector(2, single)).value();
        all.extend([b.lane(both, 0), b.lane(both, 1)]);
    }
    let wide = to.with_element(single);
    let value = b.of_lanes(wide, &all);
    // Every type with at least 16 bits represents all numbers of the 8-bit floats.
    Rewrite::Replace(vec![match to.bits() {
        _ if to == wide => value,
        Some(..32) => b.cast(arith::TRUNCF, value, to),
        _ => b.cast(arith::EXTF, value, to),
    }])
}

// Casts of bytes to 8-bit floats, and of 8-bit floats to bytes.
fn reinterpreted<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    match (instructions(value.ty()), instructions(to)) {
        (Some(_), None) => Rewrite::Replace(vec![bytes(b, value)]),
        (None, Some(_)) => Rewrite::Replace(vec![of_bytes(b, value, to)]),
        _ => Rewrite::No("no 8-bit float"),
    }
}
