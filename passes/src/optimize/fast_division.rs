//! Replaces integer divisions whose divisor is known at launch time with multiplications.
//!
//! ```mlir
//! cube.kernel @k(%n: i32)             cube.kernel @k(%n: i32, %n_factor: i32 {cube.derived = "magic_factor(n)"}, ...)
//!   %q = cube.divui %x, %n              %w = (%x extended) * (%n_factor extended) + %n_addend       // i64
//!                                       %q = (%w >> 32 truncated) >> %n_shift
//!   %r = cube.remui %x, %n              %r = %x + %q * %n_negated
//! ```
//!
//! The divisor is a scalar argument, another value that the runtime computes (for example a shape), or arithmetic on
//! these values (`fast_division/divisor.rs`). The runtime computes the magic numbers of a divisor once per launch.
//! `runtime/artifact/src/derived/magic.rs` has the formulas, with a proof for every dividend and divisor. For a divisor
//! of 0, the runtime computes the magic numbers of the divisor 1, and the value -1 of the argument `%n_negated`. The
//! quotient `x / 0` is therefore x and the remainder `x % 0` is 0, as the kernel language requires.
//!
//! | dividend | form | source |
//! |---|---|---|
//! | u32, on a chip with 64-bit integers | one wide multiply-add and a shift | Robison, 2005 |
//! | u64 below 2^32, on a chip with 64-bit integers | the same; a divisor from 2^32 has the quotient 0 | |
//! | other unsigned | upper half of a product, difference, sum, 2 shifts | Granlund and Montgomery, 1994, figure 4.1 |
//! | signed | upper half of a product, a sum, a shift, and the signs of both numbers | the same, figure 5.1 |
//! | exact, by a constant | a shift and a product | the same, section 9 |
//!
//! An exact division (`arith.divui`, `arith.divsi` with `exact`) has a dividend that is a multiple of the divisor `2^k
//! m`. The dividend shifted right by k is m times the quotient. The factor m is odd, so an inverse modulo 2^bits
//! exists.
//!
//! A remainder is computed from the quotient by one multiply-add. `fast_division/sums.rs` replaces remainders in sums of
//! products. A division and a remainder of the same operands share
//! the quotient. On a chip without wide multiplication, the pass keeps the chip's own division if the division costs
//! less than its replacement. If the runtime can also compute the dividend, an argument with the result replaces the
//! division. Cost: linear. Each form of a divisor adds three arguments to the kernel, and remainders add one argument.
//! Without the pass, a division costs 20 to 40 operations on a GPU, and is not vectorised on a CPU.
mod divisor;
mod forms;
mod sums;

use crate::analysis::constants::int_of;
use crate::analysis::launch::as_number;
use crate::native::Native;
use cube_dialect::ops;
use cube_ir::ops::{arith, vector};
use cube_ir::{Block, Builder, Failed, Op, PassResult, Run, Type, TypeExt, Val, pass};
use divisor::Divisor;
use forms::{Division, QuotientForm, form_of};
use std::collections::HashMap;

pass! {
    name: "fast-division",
    summary: "replaces divisions by values that are constant in a launch by multiplications",
    on: cube::KERNEL,
    level: Flat => Flat,
    dialects: ["arith", "vector"],
    statistics: ["divisions replaced", "divisors", "remainders in sums replaced"],
    run: run,
}

fn run<'p>(run: &mut Run<'p>) -> PassResult {
    let Some(kernel) = ops::Kernel::of(run.root()) else { return Ok(()) };
    let native = Native::of(run.root());
    let in_sums = sums::without_remainders(run, kernel, &native)?;
    run.count("remainders in sums replaced", in_sums);
    // The key is the divisor's expression, so equal products in two branches are one divisor.
    let mut numbers: HashMap<(String, Type<'p>), usize> = HashMap::new();
    let mut magics: HashMap<(usize, QuotientForm), Magic<'p>> = HashMap::new();
    let mut negated: HashMap<usize, Val<'p>> = HashMap::new();
    // Quotients by block, dividend and divisor. A later remainder reuses the quotient.
    let mut quotients: HashMap<(Option<Block<'p>>, Val<'p>, usize, QuotientForm), Val<'p>> = HashMap::new();
    // All divisors are found before the first division is replaced, because a quotient can be a divisor.
    for op in run.root().walk() {
        if let Some(quotient) = exact_quotient(run.before(op), op) {
            run.replace(op, &[quotient]);
            run.count("divisions replaced", 1);
        }
    }
    let divisions: Vec<_> = run.root().walk().into_iter().filter_map(|op| found(kernel, op)).collect();
    for (op, division, n, known) in divisions {
        let x = op.operand(0);
        if let Some(expression) = known.quotient {
            let argument = kernel.add_derived("quotient", &expression, op.result(0).ty()).ok_or(Failed)?;
            run.replace(op, &[argument]);
            run.count("divisions replaced", 1);
            continue;
        }
        let Some(form) = form_of(division, x, n.ty(), &native) else {
            run.missed(
                op,
                "native",
                "the chip's own division costs less than products of halves",
                "divide by a constant",
            );
            continue;
        };
        let next = numbers.len();
        let number = *numbers.entry((known.expression.clone(), n.ty())).or_insert(next);
        let magic = match magics.get(&(number, form)) {
            Some(magic) => *magic,
            None => *magics.entry((number, form)).or_insert(Magic::new(kernel, n, form, &known)?),
        };
        let b = run.before(op);
        let quotient = *quotients.entry((op.block(), x, number, form)).or_insert_with(|| magic.divide(b, x));
        let mut result = quotient;
        if division.remainder {
            let negated = match negated.get(&number) {
                Some(negated) => *negated,
                None => *negated.entry(number).or_insert(known.negated(kernel, n)?),
            };
            // In halves, a divisor of 2^32 and more has the quotient 0, so its upper half has no effect.
            let [x, negated] = [x, negated].map(|value| match form {
                QuotientForm::FusedHalves => lower_half(b, value),
                _ => value,
            });
            result = b.addi(x, b.muli(quotient, in_all_lanes(b, negated, x.ty())));
        }
        if form == QuotientForm::FusedHalves {
            result = b.cast(arith::EXTUI, result, x.ty());
        }
        run.replace(op, &[result]);
        run.count("divisions replaced", 1);
    }
    run.count("divisors", magics.len() as u64);
    Ok(())
}

// The quotient of an exact division by a constant; `None` for other operations.
fn exact_quotient<'p>(b: Builder<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let signed = match op.kind() {
        arith::DIVUI => false,
        arith::DIVSI => true,
        _ => return None,
    };
    op.attr("isExact")?;
    let (x, ty) = (op.operand(0), op.result(0).ty());
    let bits = ty.element().bits().filter(|bits| matches!(bits, 8 | 16 | 32 | 64))?;
    let divisor = number(int_of(op.operand(1))? as u64, bits, signed);
    if divisor == 0 {
        return None;
    }
    let shift = divisor.trailing_zeros();
    let factor = number(inverse((divisor >> shift) as u64), bits, true) as i64;
    let shifted = match (shift, signed) {
        (0, _) => x,
        (_, true) => b.shrsi(x, b.int(ty, shift.into())),
        (_, false) => b.shrui(x, b.int(ty, shift.into())),
    };
    Some(if factor == 1 { shifted } else { b.muli(shifted, b.int(ty, factor)) })
}

// The number that the low bits of a pattern represent.
fn number(pattern: u64, bits: u32, signed: bool) -> i128 {
    let top = pattern << (64 - bits);
    if signed { i128::from(top as i64 >> (64 - bits)) } else { i128::from(top >> (64 - bits)) }
}

// The inverse of an odd number modulo 2^64. The first value has 5 correct bits, and each step of Newton's method doubles
// their number.
fn inverse(odd: u64) -> u64 {
    let step = |x: u64| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    (0..4).fold(odd.wrapping_mul(3) ^ 2, |x, _| step(x))
}

// Returns a division by a value that the runtime can compute, and its scalar divisor.
fn found<'p>(kernel: ops::Kernel<'p>, op: Op<'p>) -> Option<(Op<'p>, Division, Val<'p>, Divisor)> {
    let division = Division::of(op)?;
    let n = scalar_of(op.operand(1))?;
    Some((op, division, n, Divisor::of(kernel, op, n)?))
}

// The scalar that equals all lanes of a value.
fn scalar_of(value: Val<'_>) -> Option<Val<'_>> {
    match value.ty().is_scalar() {
        true => Some(value),
        false => value.def_of(vector::BROADCAST).map(|op| op.operand(0)).filter(|v| v.ty().is_scalar()),
    }
}

/// The magic numbers that the runtime computes for a divisor.
#[derive(Clone, Copy)]
struct Magic<'p> {
    form: QuotientForm,
    /// The multiplier.
    mul: Val<'p>,
    /// The 64-bit addend, the first shift amount, or the sign, depending on `form`.
    correction: Val<'p>,
    /// The last shift.
    shift: Val<'p>,
}

impl<'p> Magic<'p> {
    fn new(kernel: ops::Kernel<'p>, n: Val<'p>, form: QuotientForm, divisor: &Divisor) -> Result<Self, Failed> {
        let (ty, wide) = (n.ty(), n.ty().bits() == Some(64));
        let width = if wide { "64" } else { "" };
        let name = |what: &str| format!("{}_{what}", divisor.name);
        let add = |what: &str, expression: String, ty| kernel.add_derived(&name(what), &expression, ty).ok_or(Failed);
        let expression = divisor.expression.as_str();
        let number = as_number(expression, wide);
        // The second shift of an unsigned quotient, after a first shift by at most 1.
        let last = |of: &str| format!("sub(max(magic_shift{width}({of}), 1), 1)");
        let [mul, correction, shift] = match form {
            QuotientForm::Fused => [
                add("factor", format!("magic_factor({expression})"), ty)?,
                add("addend", format!("magic_addend({expression})"), kernel.op().cx().int(64))?,
                add("shift", format!("magic_log({expression})"), ty)?,
            ],
            // With a factor and an addend of 0, the quotient by 2^32 and more is 0.
            QuotientForm::FusedHalves => {
                let (half, word) = (format!("lt({number}, {})", 1u64 << 32), kernel.op().cx().int(32));
                [
                    add("half_factor", format!("mul({half}, magic_factor({expression}))"), word)?,
                    add("half_addend", format!("mul({half}, magic_addend({expression}))"), ty)?,
                    add("half_shift", format!("mul({half}, magic_log({expression}))"), word)?,
                ]
            }
            QuotientForm::Unsigned => [
                add("mul", format!("magic_mul{width}({expression})"), ty)?,
                add("shift_1", format!("min(magic_shift{width}({expression}), 1)"), ty)?,
                add("shift_2", last(expression), ty)?,
            ],
            QuotientForm::Signed => {
                let absolute = divisor::absolute(&number, wide);
                let sign = format!("sub(0, shr({number}, {}))", if wide { 63 } else { 31 });
                [
                    add("signed", format!("magic_signed{width}({expression})"), ty)?,
                    add("sign", as_number(&sign, wide), ty)?,
                    add("shift_3", last(&absolute), ty)?,
                ]
            }
        };
        Ok(Magic { form, mul, correction, shift })
    }

    // The quotient, for `FusedHalves` its lower half.
    fn divide(self, b: Builder<'p>, x: Val<'p>) -> Val<'p> {
        let x = if self.form == QuotientForm::FusedHalves { lower_half(b, x) } else { x };
        let ty = x.ty();
        let [mul, shift] = [self.mul, self.shift].map(|v| in_all_lanes(b, v, ty));
        let upper = |kind| b.op(kind).operands(&[x, mul]).results(&[ty, ty]).build().result(1);
        match self.form {
            QuotientForm::Fused | QuotientForm::FusedHalves => {
                let wide = ty.with_element(b.cx().int(64));
                let [x, mul] = [x, mul].map(|v| b.cast(arith::EXTUI, v, wide));
                let sum = b.addi(b.muli(x, mul), in_all_lanes(b, self.correction, wide));
                let upper = b.cast(arith::TRUNCI, b.shrui(sum, b.int(wide, 32)), ty);
                b.shrui(upper, shift)
            }
            QuotientForm::Unsigned => {
                let t = upper(arith::MULUI_EXTENDED);
                b.shrui(b.addi(t, b.shrui(b.subi(x, t), in_all_lanes(b, self.correction, ty))), shift)
            }
            QuotientForm::Signed => {
                let sign = in_all_lanes(b, self.correction, ty);
                let top = b.int(ty, i64::from(ty.element().bits().unwrap_or(32)) - 1);
                let t = b.shrsi(b.addi(x, upper(arith::MULSI_EXTENDED)), shift);
                let truncated = b.subi(t, b.shrsi(x, top));
                b.subi(b.xori(truncated, sign), sign)
            }
        }
    }
}

fn lower_half<'p>(b: Builder<'p>, value: Val<'p>) -> Val<'p> {
    b.cast(arith::TRUNCI, value, value.ty().with_element(b.cx().int(32)))
}

fn in_all_lanes<'p>(b: Builder<'p>, value: Val<'p>, ty: Type<'p>) -> Val<'p> {
    if !ty.is_scalar() { b.cast(vector::BROADCAST, value, ty) } else { value }
}

#[cfg(test)]
mod tests {
    use super::inverse;

    // If `m f = 1` modulo 2^64, then `(m q) f = q` for every q, modulo 2^64 and every smaller power of two.
    #[test]
    fn inverses_of_odd_numbers_have_the_product_one() {
        let mut state = 1u64;
        for step in 0..1u64 << 16 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            for odd in [2 * step + 1, state | 1, u64::MAX - 2 * step] {
                assert_eq!(odd.wrapping_mul(inverse(odd)), 1, "{odd}");
            }
        }
    }
}
