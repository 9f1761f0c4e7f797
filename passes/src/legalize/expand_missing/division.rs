//! Quotients and remainders of 64-bit integers by three divisions of 32-bit integers.
//!
//! Notation: `hi` and `lo` are the upper and the lower 32 bits, `s` is the number of leading zeros of `hi(d)`, and `b` is 2^16.
//!
//! ```text
//! v = hi(d << s)                            the first 32 bits of d; all of d if hi(d) = 0, because s is 32 then
//! m = hi(d) = 0 ? n : n >> 1                so that hi(m) < v if hi(d) is not 0
//! p = hi(m) / v                             the upper half of the quotient m / v; 0 if hi(d) is not 0
//! c = (hi(m) mod v) 2^32 + lo(m) over v     its lower half: two digits of 16 bits
//! e = hi(d) = 0 ? p 2^32 + c : ((c << s) >> 31) minus 1, at least 0
//! n / d = e or e + 1                        by the remainder n - e d
//! ```
//!
//! The estimate e is exact for `hi(d) = 0`. Otherwise it is the quotient or one less: Warren, Hacker's Delight, second edition,
//! section 9-5 ("Doubleword Division from Long Division"). A digit of 16 bits is estimated by the upper 16 bits of the divisor whose leading bit
//! is set. The estimate is at most 2 too large (section 9-2; Knuth, The Art of Computer Programming, volume 2, 4.3.1).
use cube_ir::ops::{arith, math};
use cube_ir::{
    Builder, Op, Type, TypeExt, Val,
    rules::{Rewrite, Rule},
    upstream::IntCmp,
};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "divui", on: arith::DIVUI, apply: |op, b, _| unsigned(op, b, |[quotient, _]| quotient) },
    Rule { name: "remui", on: arith::REMUI, apply: |op, b, _| unsigned(op, b, |[_, remainder]| remainder) },
    Rule { name: "divsi", on: arith::DIVSI, apply: |op, b, _| signed(op, b, true) },
    Rule { name: "remsi", on: arith::REMSI, apply: |op, b, _| signed(op, b, false) },
];

fn unsigned<'p>(op: Op<'p>, b: Builder<'p>, of: fn([Val<'p>; 2]) -> Val<'p>) -> Rewrite<'p> {
    Rewrite::Replace(vec![of(divided(b, op.operand(0), op.operand(1)))])
}

// The magnitudes are divided. The quotient is negative if the signs differ, and the remainder has the sign of the dividend.
fn signed<'p>(op: Op<'p>, b: Builder<'p>, is_quotient: bool) -> Rewrite<'p> {
    let ([n, d], ty) = ([op.operand(0), op.operand(1)], op.operand(0).ty());
    let signs = [n, d].map(|x| b.shrsi(x, b.int(ty, 63)));
    let negated = |x: Val<'p>, sign: Val<'p>| b.subi(b.xori(x, sign), sign);
    let [quotient, remainder] = divided(b, negated(n, signs[0]), negated(d, signs[1]));
    Rewrite::Replace(vec![match is_quotient {
        true => negated(quotient, b.xori(signs[0], signs[1])),
        false => negated(remainder, signs[0]),
    }])
}

// The unsigned quotient and remainder of 64-bit integers or of vectors of them. The divisor is not 0.
fn divided<'p>(b: Builder<'p>, n: Val<'p>, d: Val<'p>) -> [Val<'p>; 2] {
    let (ty, word) = (n.ty(), n.ty().with_element(b.cx().int(32)));
    let (number, half) = (|value: i64| b.int(ty, value), number_of(b, word));
    let lower = |x: Val<'p>| b.cast(arith::TRUNCI, x, word);
    let upper = |x: Val<'p>| lower(b.shrui(x, number(32)));
    let wide = |x: Val<'p>| b.cast(arith::EXTUI, x, ty);
    let is_short = b.cmpi(IntCmp::Eq, upper(d), half(0));
    let zeros = wide(b.op(math::CTLZ).operands(&[upper(d)]).result(word).value());
    let divisor = upper(b.shli(d, zeros));
    let dividend = b.select(is_short, n, b.shrui(n, number(1)));
    let first = b.divui(upper(dividend), divisor);
    let rest = b.subi(upper(dividend), b.muli(first, divisor));
    let second = by_digits(b, [rest, lower(dividend)], divisor);
    let exact = b.ori(b.shli(wide(first), number(32)), wide(second));
    // The shift by 32 bits does not occur for a long divisor, and its result is not selected for a short one.
    let estimate = b.shrui(b.shli(wide(second), zeros), number(31));
    let lowered = b.subi(estimate, wide_of(b, ty, b.cmpi(IntCmp::Ne, estimate, number(0))));
    let quotient = b.select(is_short, exact, lowered);
    let remainder = b.subi(n, b.muli(quotient, d));
    let is_low = b.cmpi(IntCmp::Uge, remainder, d);
    [b.addi(quotient, wide_of(b, ty, is_low)), b.select(is_low, b.subi(remainder, d), remainder)]
}

fn number_of<'p>(b: Builder<'p>, ty: Type<'p>) -> impl Fn(i64) -> Val<'p> {
    move |value| b.int(ty, value)
}

// 1 where the condition is true, otherwise 0.
fn wide_of<'p>(b: Builder<'p>, ty: Type<'p>, condition: Val<'p>) -> Val<'p> {
    b.cast(arith::EXTUI, condition, ty)
}

// The quotient of a 64-bit integer, given as its halves, and a divisor that is larger than the upper half.
fn by_digits<'p>(b: Builder<'p>, [high, low]: [Val<'p>; 2], divisor: Val<'p>) -> Val<'p> {
    let (word, number) = (low.ty(), number_of(b, low.ty()));
    let [zeros, sixteen, mask] =
        [b.op(math::CTLZ).operands(&[divisor]).result(word).value(), number(16), number(0xffff)];
    let divisor = b.shli(divisor, zeros);
    // The shift by 31 - zeros is total, and the one by 32 - zeros is not.
    let above = b.shrui(b.shrui(low, number(1)), b.subi(number(31), zeros));
    let (high, low) = (b.ori(b.shli(high, zeros), above), b.shli(low, zeros));
    let parts = [b.shrui(divisor, sixteen), b.andi(divisor, mask)];
    let upper = digit(b, high, b.shrui(low, sixteen), parts);
    let next = b.addi(b.shli(high, sixteen), b.shrui(low, sixteen));
    let lower = digit(b, b.subi(next, b.muli(upper, divisor)), b.andi(low, mask), parts);
    b.addi(b.shli(upper, sixteen), lower)
}

// The digit (high b + next) / (d1 b + d0), where d1 has its leading bit set. The estimate high / d1 is corrected twice.
fn digit<'p>(b: Builder<'p>, high: Val<'p>, next: Val<'p>, [d1, d0]: [Val<'p>; 2]) -> Val<'p> {
    let number = number_of(b, high.ty());
    let (base, sixteen) = (number(1 << 16), number(16));
    let mut quotient = b.divui(high, d1);
    let mut rest = b.subi(high, b.muli(quotient, d1));
    for _ in 0..2 {
        let below = b.ori(b.shli(rest, sixteen), next);
        let is_large = b.cmpi(IntCmp::Uge, quotient, base);
        let exceeds = b.ori(is_large, b.cmpi(IntCmp::Ugt, b.muli(quotient, d0), below));
        // With a rest of 2^16 and more, the estimate is not too large.
        let exceeds = b.andi(exceeds, b.cmpi(IntCmp::Ult, rest, base));
        quotient = b.subi(quotient, b.cast(arith::EXTUI, exceeds, high.ty()));
        rest = b.select(exceeds, b.addi(rest, d1), rest);
    }
    quotient
}
