//! Expands operations that the module's chip lacks: wide products, carries, bit counts, signs, minima, divisions of 64-bit
//! integers. Refuses types that the chip lacks.
//!
//! ```mlir
//! %l, %h = arith.mului_extended %a, %b : i32   ->   four products of 16-bit halves, whose sums stay below 2^32:
//!     a = ah 2^16 + al, b = bh 2^16 + bl
//!     t = ah bl + (al bl >> 16)          u = al bh + (t mod 2^16)
//!     h = ah bh + (t >> 16) + (u >> 16)  l = a b
//! %l, %h = arith.mulsi_extended %a, %b : i32   ->   h - (a < 0 ? b : 0) - (b < 0 ? a : 0)
//! %s, %c = arith.addui_extended %a, %b : i32   ->   s = a + b, c = s < a
//! math.ctpop x   ->   sums of neighbouring bits, pairs, fours, ...
//! math.ctlz x    ->   ctpop (not (x with all bits below the highest one set))
//! math.cttz x    ->   ctpop (not x and (x - 1))
//! math.copysign x, y   ->   the bits of x without the sign, or the sign of y
//! arith.maximumf x, y  ->   x > y ? x : x < y ? y : x is NaN or y is NaN ? NaN : bits of x & bits of y
//! ```
//!
//! The pass changes nothing for the chips of LLVM backends, which support all of these operations. Invariant: the
//! chip's description lists all operations of the kernel and the element types of all values (CUBE0412). Cost: linear.
mod division;

use crate::native::{Native, element_of};
use cube_dialect::BufferType;
use cube_ir::ops::{arith, math};
use cube_ir::{
    Builder, Failed, Op, OpKind, PassResult, Run, Type, TypeExt, TypeLike, Val, pass,
    rules::{Rewrite, Rule, apply_where},
    upstream::{FloatCmp, IntCmp},
};
use cube_target::{Element, IntegerFunction};
use std::collections::HashMap;

pass! {
    name: "expand-missing",
    summary: "expands products, bit counts and minima that the chip lacks, and refuses types that the chip lacks",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "math"],
    statistics: ["operations expanded"],
    run: run,
}

const RULES: &[Rule] = &[
    Rule { name: "mului_extended", on: arith::MULUI_EXTENDED, apply: unsigned_product },
    Rule { name: "mulsi_extended", on: arith::MULSI_EXTENDED, apply: signed_product },
    Rule { name: "addui_extended", on: arith::ADDUI_EXTENDED, apply: sum_and_carry },
    Rule { name: "ctpop", on: math::CTPOP, apply: |op, b, _| Rewrite::Replace(vec![ones(b, op.operand(0))]) },
    Rule { name: "ctlz", on: math::CTLZ, apply: leading },
    Rule { name: "cttz", on: math::CTTZ, apply: trailing },
    Rule { name: "absf", on: math::ABSF, apply: magnitude },
    Rule { name: "copysign", on: math::COPYSIGN, apply: sign_of_other },
    Rule { name: "maximumf", on: arith::MAXIMUMF, apply: |op, b, _| extreme(op, b, FloatCmp::Ogt, arith::ANDI, true) },
    Rule { name: "minimumf", on: arith::MINIMUMF, apply: |op, b, _| extreme(op, b, FloatCmp::Olt, arith::ORI, true) },
    Rule { name: "maxnumf", on: arith::MAXNUMF, apply: |op, b, _| extreme(op, b, FloatCmp::Ogt, arith::ANDI, false) },
    Rule { name: "minnumf", on: arith::MINNUMF, apply: |op, b, _| extreme(op, b, FloatCmp::Olt, arith::ORI, false) },
];

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    types(run.root())?;
    let native = Native::of(run.root());
    let counts = [math::CTLZ, math::CTTZ];
    let lacks = |op: Op<'p>| {
        // The rules support only the widths in the table of element types.
        if element_of(op.operand(0).ty()).is_none() {
            return false;
        }
        // If the chip has `ctpop`, leading and trailing zeros are computed with `ctpop`. No rule therefore creates an
        // operation that another rule expands.
        !native.has(op) && (!counts.contains(&op.kind()) || !has_ones(&native, op))
    };
    // The expansion of a division counts leading zeros, which the chip can lack too.
    let divided = apply_where(run, division::RULES, |op| width(op.operand(0).ty()) == 64 && lacks(op));
    let count = divided + apply_where(run, RULES, lacks);
    let by_ones = apply_where(run, BY_ONES, |op| !native.has(op) && has_ones(&native, op));
    run.count("operations expanded", count + by_ones);
    Ok(())
}

/// The rules for a chip with a bit count instruction.
const BY_ONES: &[Rule] = &[
    Rule {
        name: "ctlz",
        on: math::CTLZ,
        apply: |op, b, _| Rewrite::Replace(vec![count(b, fill_below_leading_one(b, op.operand(0)))]),
    },
    Rule { name: "cttz", on: math::CTTZ, apply: |op, b, _| Rewrite::Replace(vec![count(b, below(b, op.operand(0)))]) },
];

fn has_ones(native: &Native<'_>, op: Op<'_>) -> bool {
    element_of(op.operand(0).ty()).is_some_and(|element| native.has_integer(IntegerFunction::CountOnes, element))
}

// Refuses values of types that the chip lacks. No pass expands types. Arguments are checked first. Constants are
// checked last, because folding removes their location. Constants without uses are removed later.
fn types(kernel: Op<'_>) -> PassResult {
    let native = Native::of(kernel);
    let mut known: HashMap<usize, Option<Element>> = HashMap::new();
    let (constants, others): (Vec<Op<'_>>, _) = kernel.walk().into_iter().partition(|op| op.is(arith::CONSTANT));
    let used = constants.into_iter().filter(|op| !op.result(0).uses().is_empty());
    for op in std::iter::once(kernel).chain(others).chain(used) {
        let args = op.regions().flat_map(|r| r.blocks()).flat_map(|b| b.args().collect::<Vec<_>>());
        for value in op.results().chain(args) {
            let ty = value.ty();
            let missing = || {
                let element = BufferType::of(ty).map_or(ty, |buffer| buffer.element);
                element_of(element).filter(|element| native.target().arithmetic(*element).is_none())
            };
            if let Some(element) = known.entry(ty.to_raw().ptr as usize).or_insert_with(missing) {
                let (ty, chip) = (element.ir(), native.name());
                op.error(cube_ir::diagnostic!(CUBE0412.lacks { chip, ty }));
                return Err(Failed);
            }
        }
    }
    Ok(())
}

fn width(ty: Type<'_>) -> u32 {
    ty.bits().unwrap_or(32).min(64)
}

// The lower and the upper half of a full product.
fn product<'p>(b: Builder<'p>, x: Val<'p>, y: Val<'p>) -> [Val<'p>; 2] {
    let ty = x.ty();
    let bits = width(ty);
    let low = b.muli(x, y);
    if !bits.is_multiple_of(2) {
        // For one bit, the largest product is 1 * 1, which has no upper half.
        return [low, b.zero(ty)];
    }
    let half = b.int(ty, i64::from(bits / 2));
    let mask = b.int(ty, (1i64 << (bits / 2)) - 1);
    let (low_of, high_of) = (|v: Val<'p>| b.andi(v, mask), |v: Val<'p>| b.shrui(v, half));
    let ([xl, yl], [xh, yh]) = ([x, y].map(low_of), [x, y].map(high_of));
    let t = b.addi(b.muli(xh, yl), high_of(b.muli(xl, yl)));
    let u = b.addi(b.muli(xl, yh), low_of(t));
    let high = b.addi(b.addi(b.muli(xh, yh), high_of(t)), high_of(u));
    [low, high]
}

fn unsigned_product<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    Rewrite::Replace(product(b, op.operand(0), op.operand(1)).to_vec())
}

fn signed_product<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (x, y, ty) = (op.operand(0), op.operand(1), op.operand(0).ty());
    if width(ty) == 1 {
        // For one bit, the product -1 * -1 is 1, whose upper half is 0. All other products are 0.
        return Rewrite::Replace(vec![b.muli(x, y), b.zero(ty)]);
    }
    let [low, high] = product(b, x, y);
    let sign = b.int(ty, i64::from(width(ty) - 1));
    let high = b.subi(high, b.andi(b.shrsi(x, sign), y));
    Rewrite::Replace(vec![low, b.subi(high, b.andi(b.shrsi(y, sign), x))])
}

fn sum_and_carry<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let sum = b.addi(op.operand(0), op.operand(1));
    Rewrite::Replace(vec![sum, b.cmpi(IntCmp::Ult, sum, op.operand(0))])
}

// A mask of alternating groups of bits, repeated over the width: 0x55..., 0x33..., 0x0f...
fn stripes<'p>(b: Builder<'p>, ty: Type<'p>, group: u32) -> Val<'p> {
    let mask = (0..64).filter(|bit| bit % (2 * group) < group).fold(0u64, |mask, bit| mask | 1 << bit);
    let unused = 64 - width(ty);
    b.int(ty, ((mask << unused) as i64) >> unused)
}

// Adds neighbouring groups of bits until one group is left.
fn ones<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    let (ty, mut x, mut group) = (x.ty(), x, 1);
    while group < width(ty) {
        let mask = stripes(b, ty, group);
        let up = b.shrui(x, b.int(ty, i64::from(group)));
        x = b.addi(b.andi(x, mask), b.andi(up, mask));
        group *= 2;
    }
    x
}

fn count<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    b.op(math::CTPOP).operands(&[x]).result(x.ty()).value()
}

fn not<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    b.xori(x, b.int(x.ty(), -1))
}

// A mask of the bits above the highest set bit.
fn fill_below_leading_one<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    let (ty, mut x, mut by) = (x.ty(), x, 1);
    while by < width(ty) {
        x = b.ori(x, b.shrui(x, b.int(ty, i64::from(by))));
        by *= 2;
    }
    not(b, x)
}

// A mask of the bits below the lowest set bit.
fn below<'p>(b: Builder<'p>, x: Val<'p>) -> Val<'p> {
    b.andi(not(b, x), b.subi(x, b.int(x.ty(), 1)))
}

fn leading<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    Rewrite::Replace(vec![ones(b, fill_below_leading_one(b, op.operand(0)))])
}

fn trailing<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    Rewrite::Replace(vec![ones(b, below(b, op.operand(0)))])
}

// The bits of a float, and the mask of all bits except the sign.
fn bits_of<'p>(b: Builder<'p>, x: Val<'p>) -> (Val<'p>, Val<'p>) {
    let ty = x.ty().with_element(b.cx().int(width(x.ty())));
    (b.cast(arith::BITCAST, x, ty), b.int(ty, i64::MAX >> (64 - width(x.ty()))))
}

fn magnitude<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let (bits, rest) = bits_of(b, op.operand(0));
    Rewrite::Replace(vec![b.cast(arith::BITCAST, b.andi(bits, rest), op.result(0).ty())])
}

fn sign_of_other<'p>(op: Op<'p>, b: Builder<'p>, _: &mut Run<'p>) -> Rewrite<'p> {
    let ((x, rest), (y, _)) = (bits_of(b, op.operand(0)), bits_of(b, op.operand(1)));
    let bits = b.ori(b.andi(x, rest), b.andi(y, not(b, rest)));
    Rewrite::Replace(vec![b.cast(arith::BITCAST, bits, op.result(0).ty())])
}

// The smaller or larger operand, selected by the comparison `wins`. Equal operands have equal bits, except zeros, whose
// signs `of_zeros` combines. A NaN operand is either ignored, or the result is NaN, computed as the sum of both
// operands.
fn extreme<'p>(op: Op<'p>, b: Builder<'p>, wins: FloatCmp, of_zeros: OpKind, keeps_nan: bool) -> Rewrite<'p> {
    let (x, y, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let ((xs, _), (ys, _)) = (bits_of(b, x), bits_of(b, y));
    let same = b.cast(arith::BITCAST, b.op(of_zeros).operands(&[xs, ys]).result(xs.ty()).value(), ty);
    let better = b.select(b.cmpf(wins, x, y), x, y);
    let better = b.select(b.cmpf(FloatCmp::Oeq, x, y), same, better);
    let better = match keeps_nan {
        true => b.select(b.cmpf(FloatCmp::Uno, x, y), b.addf(x, y), better),
        // If the operands are unordered, the select above gives y.
        false => b.select(b.cmpf(FloatCmp::Uno, y, y), x, better),
    };
    Rewrite::Replace(vec![better])
}
