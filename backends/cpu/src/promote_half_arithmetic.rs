//! CPU: arithmetic on f16, bf16 and other floats that the chip emulates is computed in a wider type and rounded after
//! each operation. The pass expands the conversions of all narrow float types except f16, because few processors have
//! instructions for these conversions.
//!
//! ```mlir
//! %s = arith.addf %a, %b : bf16    ->   %s = truncf (arith.addf (extf %a), (extf %b) : f32)
//! arith.truncf %x : f32 to bf16    ->   the upper half of the bits, rounded to nearest even
//! vector.reduction <add>, %v       ->   the same for each lane, from the first to the last
//! ```
//!
//! If a type has `p` significant bits, f32 has at least `2p + 2` (`Element::computed_in`). Rounding twice therefore
//! equals rounding once for the four basic operations and the square root (Figueroa, "When is double rounding
//! innocuous?", 1995). A fused multiply-add goes through f64, where the product is exact and the sum is rounded to odd.
//! Conversions between integers and a narrow float go through the wider type. Cost: linear.
use cube_dialect::{Rounding, element_of, target_of};
use cube_ir::ops::vector::CombiningKind;
use cube_ir::ops::{arith, math, vector};
use cube_ir::{
    Builder, Op, OpKind, PassResult, Run, Type, TypeExt, Val, pass,
    upstream::{FloatCmp, IntCmp},
};
use cube_passes::legalize::expand_conversions::fp8;
use cube_target::{Element, Format, Support};

pass! {
    name: "promote-half-arithmetic",
    summary: "computes f16 and bf16 arithmetic in wider types, and rounds the results (CPU)",
    on: cube::KERNEL,
    level: Legal | Mixed => Any,
    dialects: ["arith", "math"],
    statistics: ["operations widened"],
    run: run,
}

/// Operations that are computed in f32; all float operands and results of such an operation have the same
/// type.
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
    let target = target_of(run.root());
    let emulated = |element| target.arithmetic(element) != Some(Support::Native);
    let is_half = |ty: Type<'_>| narrow_float(ty).is_some_and(emulated);
    for op in run.root().walk() {
        let b = run.before(op);
        let value = match op.kind() {
            arith::TRUNCF if is_half(op.result(0).ty()) => truncf(b, op),
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

/// The entry of a float type whose arithmetic is computed in f32; `None` for other types.
fn narrow_float(ty: Type<'_>) -> Option<Element> {
    let narrow = ty.is_fp() && ty.bits().is_some_and(|bits| bits < 32);
    narrow.then(|| element_of(ty))?.filter(|e| e.computed_in() == Some(Element::F32))
}

/// The conversions between a narrow float and f32.
enum Conversion {
    /// The conversions of f16, which LLVM emits as instructions.
    Instructions,
    /// The narrow float consists of the upper bits of an f32. The field is the number of the remaining lower bits.
    Upper(i64),
    Fields(Format),
}

fn conversion_of(ty: Type<'_>) -> Option<Conversion> {
    let element = narrow_float(ty)?;
    let format = element.format()?;
    Some(match (element, format.exponent) {
        (Element::F16, _) => Conversion::Instructions,
        (_, 8) => Conversion::Upper(32 - i64::from(element.bits())),
        _ => Conversion::Fields(format),
    })
}

fn through_f32<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let wide = |ty: Type<'p>| if narrow_float(ty).is_some() { ty.with_element(b.cx().f32()) } else { ty };
    let operands: Vec<_> = op.operands().map(|v| widen(b, v)).collect();
    let ty = op.result(0).ty();
    let mut spec = b.op(op.kind()).operands(&operands).result(wide(ty));
    for (name, value) in op.attrs() {
        spec = spec.attr(name, value);
    }
    narrow(b, spec.value(), ty)
}

// The bits of a bf16 are the upper half of an f32's bits. LLVM would move operations across a conversion that it
// recognises, back into bf16.
fn widen<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    let single = value.ty().with_element(b.cx().f32());
    let bits = || b.cast(arith::BITCAST, value, integers(b, value.ty()));
    match conversion_of(value.ty()) {
        Some(Conversion::Upper(below)) => {
            let i32t = single.with_element(b.cx().int(32));
            let wide = b.cast(arith::EXTUI, bits(), i32t);
            b.cast(arith::BITCAST, b.shli(wide, b.int(i32t, below)), single)
        }
        Some(Conversion::Fields(format)) => fp8::decode(b, format, bits()),
        Some(Conversion::Instructions) | None => b.cast(arith::EXTF, value, single),
    }
}

/// The integer type with as many bits as `ty`; for a vector type, a vector of such integers.
fn integers<'p>(b: Builder<'p>, ty: Type<'p>) -> Type<'p> {
    ty.with_element(b.cx().int(ty.bits().unwrap_or(16)))
}

fn widened<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    if matches!(conversion_of(value.ty())?, Conversion::Instructions) && to.bits().is_some_and(|bits| bits >= 32) {
        return None;
    }
    let single = widen(b, value);
    Some(if to.bits() == Some(64) { b.cast(arith::EXTF, single, to) } else { narrow(b, single, to) })
}

// Combines the start value and the lanes in ascending order. Each step is rounded like the single operation.
fn reduction<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let name = match vector::Reduction::of(op)?.kind()? {
        CombiningKind::Add => arith::ADDF,
        CombiningKind::Mul => arith::MULF,
        CombiningKind::Maximumf => arith::MAXIMUMF,
        CombiningKind::Minimumf => arith::MINIMUMF,
        CombiningKind::Maxnumf => arith::MAXNUMF,
        CombiningKind::Minnumf => arith::MINNUMF,
        _ => return None,
    };
    let (vector, ty) = (op.operand(0), op.result(0).ty());
    let lanes = (0..vector.ty().lanes()?).map(|number| b.lane(vector, number));
    let all: Vec<_> = op.operands().skip(1).chain(lanes).map(|value| widen(b, value)).collect();
    let step = |so_far: Val<'p>, next: Val<'p>| {
        let result = b.op(name).operands(&[so_far, next]).result(so_far.ty()).value();
        widen(b, narrow(b, result, ty))
    };
    all.into_iter().reduce(step).map(|value| narrow(b, value, ty))
}

// Operations that change only the sign bit.
fn sign<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let ty = op.result(0).ty();
    let int = integers(b, ty);
    let top = 1i64 << (ty.bits().unwrap_or(16) - 1);
    let (sign, rest) = (b.int(int, -top), b.int(int, top - 1));
    let bits: Vec<_> = op.operands().map(|v| b.cast(arith::BITCAST, v, int)).collect();
    let result = match op.kind() {
        arith::NEGF => b.xori(bits[0], sign),
        math::ABSF => b.andi(bits[0], rest),
        _ => b.ori(b.andi(bits[0], rest), b.andi(bits[1], sign)),
    };
    b.cast(arith::BITCAST, result, ty)
}

// Converts a value in f32 to the type `ty`; other types are unchanged.
fn narrow<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    match conversion_of(ty) {
        Some(Conversion::Upper(below)) => to_upper(b, value, ty, below),
        Some(Conversion::Instructions) => b.cast(arith::TRUNCF, value, ty),
        Some(Conversion::Fields(format)) => {
            let bits = fp8::from_f32(b, format, value, Rounding::NearestEven, false);
            b.cast(arith::BITCAST, bits, ty)
        }
        None => value,
    }
}

fn truncf<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let (value, to) = (op.operand(0), op.result(0).ty());
    match (value.ty().bits(), conversion_of(to)?) {
        (Some(32), Conversion::Instructions) | (None | Some(33..), _) => None,
        (Some(32), _) => Some(narrow(b, value, to)),
        _ => Some(narrow(b, widen(b, value), to)),
    }
}

// Adds half of the last place to the bits, or one less if the last place is even. A NaN keeps a payload bit.
fn to_upper<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>, below: i64) -> Val<'p> {
    let i32t = ty.with_element(b.cx().int(32));
    let k = |n: i64| b.int(i32t, n);
    let bits = b.cast(arith::BITCAST, value, i32t);
    let last = b.andi(b.shrui(bits, k(below)), k(1));
    let rounded = b.addi(bits, b.addi(last, k((1 << (below - 1)) - 1)));
    let nan = b.cmpf(FloatCmp::Uno, value, value);
    let chosen = b.select(nan, b.ori(bits, k(0x0040_0000)), rounded);
    let upper = b.cast(arith::TRUNCI, b.shrui(chosen, k(below)), integers(b, ty));
    b.cast(arith::BITCAST, upper, ty)
}

// Converts f64 to `ty` through an f32 that is rounded to odd.
fn from_f64<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    narrow(b, cube_passes::legalize::expand_casts::round_to_odd(b, value), ty)
}

// The product is exact in f64. The sum is rounded to odd: if it is inexact, its last bit is set. A sum that was rounded
// away from zero first moves one step towards zero. In that case the error of the sum, by Knuth's two-sum, has the
// opposite sign.
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

// Integers of up to 32 bits are exact in f64. The lowest 12 bits of a 64-bit integer are first combined into one sticky
// bit. f64 represents the result exactly, with more digits than any half type.
fn of_int<'p>(b: Builder<'p>, op: Op<'p>) -> Val<'p> {
    let (value, ty) = (op.operand(0), op.result(0).ty());
    let wide = value.ty();
    let exact = if wide.bits() == Some(64) {
        let k = |n: i64| b.int(wide, n);
        let low = b.andi(value, k(0xfff));
        let sticky = b.select(b.cmpi(IntCmp::Eq, low, k(0)), k(0), k(0x800));
        let gathered = b.ori(b.andi(value, k(!0xfff)), sticky);
        // Small numbers are exact in f64, and the sticky bit would change them.
        let limit = k(1 << 53);
        let small = b.andi(b.cmpi(IntCmp::Slt, value, limit), b.cmpi(IntCmp::Sgt, value, k(-(1 << 53))));
        b.select(small, value, gathered)
    } else {
        value
    };
    from_f64(b, b.cast(op.kind(), exact, ty.with_element(b.cx().f64())), ty)
}
