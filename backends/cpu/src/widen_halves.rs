//! CPU: arithmetic on f16 and bf16 is done in a wider type and rounded back once an operation, with conversions to bf16
//! written out, since few processors have them.
//!
//! ```mlir
//! %s = arith.addf %a, %b : bf16    ->   %s = truncf (arith.addf (extf %a), (extf %b) : f32)
//! arith.truncf %x : f32 to bf16    ->   the upper half of the bits, rounded to nearest even
//! vector.reduction <add>, %v       ->   the same for each lane, from the first to the last
//! ```
//!
//! f32 has more than twice the bits of either type and two to spare, so rounding twice gives what rounding once does for
//! the four basic operations and the square root (Figueroa, "When is double rounding innocuous?", 1995). A fused
//! multiply-add goes through f64, where the product is exact and the sum is rounded to odd; so do integers. Cost: linear.
use cube_ir::ops::{arith, math, vector};
use cube_ir::{
    Builder, Op, OpKind, PassResult, Run, Type, TypeExt, Val, pass,
    upstream::{FloatCmp, IntCmp},
};

pass! {
    name: "widen-halves",
    summary: "does f16 and bf16 arithmetic in wider types and rounds back (CPU)",
    on: cube::KERNEL,
    level: Legal => Legal,
    dialects: ["arith", "math"],
    statistics: ["operations widened"],
    run: run,
}

/// Operations that go through f32: all float operands and results are of one type.
const THROUGH_F32: &[OpKind] = &[
    arith::ADDF,
    arith::SUBF,
    arith::MULF,
    arith::DIVF,
    arith::MAXIMUMF,
    arith::MINIMUMF,
    arith::MAXNUMF,
    arith::MINNUMF,
    math::SQRT,
    math::FLOOR,
    math::CEIL,
    math::TRUNC,
    math::ROUND,
    math::ROUNDEVEN,
    arith::CMPF,
    arith::FPTOSI,
    arith::FPTOUI,
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    for op in run.root().walk() {
        let b = run.before(op);
        let value = match op.kind() {
            arith::TRUNCF => truncf(b, op),
            math::FMA | vector::FMA if is_half(op.operand(0).ty()) => Some(fma(b, op)),
            arith::SITOFP | arith::UITOFP if is_half(op.result(0).ty()) => Some(of_int(b, op)),
            arith::NEGF | math::ABSF | math::COPYSIGN if is_half(op.result(0).ty()) => Some(sign(b, op)),
            arith::EXTF if is_half(op.operand(0).ty()) => widened(b, op),
            vector::REDUCTION if is_half(op.operand(0).ty()) => reduction(b, op),
            name if THROUGH_F32.contains(&name) && is_half(op.operand(0).ty()) => Some(through_f32(b, op)),
            _ => None,
        };
        if let Some(value) = value {
            run.replace(op, &[value]);
            run.count("operations widened", 1);
        }
    }
    Ok(())
}

fn is_half(ty: Type<'_>) -> bool {
    ty.is_fp() && ty.bits() == Some(16)
}

fn through_f32<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let wide = |ty: Type<'p>| if is_half(ty) { ty.with_element(b.cx().f32()) } else { ty };
    let operands: Vec<_> = op.operands().map(|v| widen(b, v)).collect();
    let ty = op.result(0).ty();
    let mut spec = b.op(op.kind()).operands(&operands).result(wide(ty));
    for (name, value) in op.attrs() {
        spec = spec.attr(name, value);
    }
    narrow(b, spec.value(), ty)
}

// The bits of a bf16 are the upper half of a f32's. LLVM would move operations across a conversion that it can see,
// back into bf16.
fn widen<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    let single = value.ty().with_element(b.cx().f32());
    if value.ty().element().to_string() != "bf16" {
        return b.cast(arith::EXTF, value, single);
    }
    let (i16t, i32t) = (single.with_element(b.cx().int(16)), single.with_element(b.cx().int(32)));
    let bits = b.cast(arith::EXTUI, b.cast(arith::BITCAST, value, i16t), i32t);
    b.cast(arith::BITCAST, b.shli(bits, b.int(i32t, 16)), single)
}

fn widened<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    let bf16 = value.ty().element().to_string() == "bf16";
    bf16.then(|| if to.bits() == Some(64) { b.cast(arith::EXTF, widen(b, value), to) } else { widen(b, value) })
}

// Lane by lane, from what it starts with and the first lane on, each step rounded as the operation alone is.
fn reduction<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let kind = op.attr("kind")?.to_string();
    let word = kind.strip_prefix("#vector.kind<")?.strip_suffix('>')?;
    let name = match word {
        "add" => arith::ADDF,
        "mul" => arith::MULF,
        "maximumf" => arith::MAXIMUMF,
        "minimumf" => arith::MINIMUMF,
        "maxnumf" => arith::MAXNUMF,
        "minnumf" => arith::MINNUMF,
        _ => return None,
    };
    let (vector, ty) = (op.operand(0), op.result(0).ty());
    let lane = |number: u64| {
        let at = b.cx().i64_array(&[number as i64]);
        b.op(vector::EXTRACT).operands(&[vector]).attr("static_position", at).result(ty).value()
    };
    let lanes = (0..vector.ty().lanes()?).map(lane);
    let all: Vec<_> = op.operands().skip(1).chain(lanes).map(|value| widen(b, value)).collect();
    let step = |so_far: Val<'p>, next: Val<'p>| {
        let result = b.op(name).operands(&[so_far, next]).result(so_far.ty()).value();
        widen(b, narrow(b, result, ty))
    };
    all.into_iter().reduce(step).map(|value| narrow(b, value, ty))
}

// Operations on the sign bit alone.
fn sign<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let ty = op.result(0).ty();
    let int = ty.with_element(b.cx().int(16));
    let (sign, rest) = (b.int(int, -0x8000), b.int(int, 0x7fff));
    let bits: Vec<_> = op.operands().map(|v| b.cast(arith::BITCAST, v, int)).collect();
    let result = match op.kind() {
        arith::NEGF => b.xori(bits[0], sign),
        math::ABSF => b.andi(bits[0], rest),
        _ => b.ori(b.andi(bits[0], rest), b.andi(bits[1], sign)),
    };
    b.cast(arith::BITCAST, result, ty)
}

// A value in f32 as the type `ty`; other types stay.
fn narrow<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    match ty.element().to_string().as_str() {
        "bf16" => to_bf16(b, value, ty),
        "f16" => b.cast(arith::TRUNCF, value, ty),
        _ => value,
    }
}

fn truncf<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let (from, to) = (op.operand(0).ty(), op.result(0).ty());
    (from.bits() == Some(32) && to.element().to_string() == "bf16").then(|| to_bf16(b, op.operand(0), to))
}

// Half of the last place is added to the bits, less one where the last place is even; a NaN keeps a payload bit.
fn to_bf16<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    let (i32t, i16t) = (ty.with_element(b.cx().int(32)), ty.with_element(b.cx().int(16)));
    let k = |n: i64| b.int(i32t, n);
    let bits = b.cast(arith::BITCAST, value, i32t);
    let last = b.andi(b.shrui(bits, k(16)), k(1));
    let rounded = b.addi(bits, b.addi(last, k(0x7fff)));
    let nan = b.cmpf(FloatCmp::Uno, value, value);
    let chosen = b.select(nan, b.ori(bits, k(0x0040_0000)), rounded);
    let upper = b.cast(arith::TRUNCI, b.shrui(chosen, k(16)), i16t);
    b.cast(arith::BITCAST, upper, ty)
}

// f64 to `ty` through f32 rounded to odd.
fn from_f64<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    narrow(b, cube_passes::legalize::expand_casts::round_to_odd(b, value), ty)
}

// The product is exact in f64. The sum is rounded to odd: where it is not exact, its last bit is set, after a step
// towards zero if it was rounded away (the error of the sum, by Knuth's two-sum, has the opposite sign).
fn fma<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let ty = op.result(0).ty();
    let (double, i64t) = (ty.with_element(b.cx().f64()), ty.with_element(b.cx().int(64)));
    let [x, y, z] = [0, 1, 2].map(|i| b.cast(arith::EXTF, widen(b, op.operand(i)), double));
    let product = b.mulf(x, y);
    let sum = b.addf(product, z);
    let part = b.subf(sum, product);
    let error = b.addf(b.subf(product, b.subf(sum, part)), b.subf(z, part));
    let inexact = b.cmpf(FloatCmp::One, error, b.zero(double));
    let (bits, sign) = (b.cast(arith::BITCAST, sum, i64t), b.cast(arith::BITCAST, error, i64t));
    let away = b.cmpi(IntCmp::Slt, b.xori(bits, sign), b.int(i64t, 0));
    let towards_zero = b.select(away, b.subi(bits, b.int(i64t, 1)), bits);
    let odd = b.ori(towards_zero, b.int(i64t, 1));
    from_f64(b, b.cast(arith::BITCAST, b.select(inexact, odd, bits), double), ty)
}

// Integers of up to 32 bits are exact in f64. Of 64 bits the lowest 12 are first gathered into one sticky bit, which
// leaves what f64 holds exactly and more than any half type shows.
fn of_int<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let (value, ty) = (op.operand(0), op.result(0).ty());
    let wide = value.ty();
    let exact = if wide.bits() == Some(64) {
        let k = |n: i64| b.int(wide, n);
        let low = b.andi(value, k(0xfff));
        let sticky = b.select(b.cmpi(IntCmp::Eq, low, k(0)), k(0), k(0x800));
        let gathered = b.ori(b.andi(value, k(!0xfff)), sticky);
        // Small numbers are exact as they are, and the sticky bit would change them.
        let limit = k(1 << 53);
        let small = b.andi(b.cmpi(IntCmp::Slt, value, limit), b.cmpi(IntCmp::Sgt, value, k(-(1 << 53))));
        b.select(small, value, gathered)
    } else {
        value
    };
    from_f64(b, b.cast(op.kind(), exact, ty.with_element(b.cx().f64())), ty)
}
