//! Comparisons that are true at an operation, because of the enclosing branches and loops.
//!
//! ```mlir
//! %m = arith.muli %w, %h
//! %c = arith.cmpi ult, %i, %m
//! scf.if %c {                 // here %i is below %m, %m is not 0, and %i / %w is below %h
//! ```
//!
//! A wrapped product is at most the exact product, so `i < w * h` implies `i / w < h` for all `w` and `h`. A number above
//! another is not 0, so the condition `i < select(c, n, 0)` implies `c`. The cost of a query is the nesting depth times
//! the size of a condition, which is bounded.
use super::constants::int_of;
use cube_ir::ops::{arith, cube, scf};
use cube_ir::upstream::IntCmp;
use cube_ir::{Op, TypeExt, Val};

/// Maximum number of enclosing operations, and of comparisons, that one query visits.
const FUEL: u32 = 64;

/// Comparisons of unsigned numbers that are true at an operation.
pub struct Guards<'p> {
    /// Pairs in which the first number is less than the second.
    less: Vec<(Val<'p>, Val<'p>)>,
    /// Pairs in which the first number is at most the second.
    at_most: Vec<(Val<'p>, Val<'p>)>,
    /// Pairs of numbers that the comparisons prove to be different.
    different: Vec<(Val<'p>, Val<'p>)>,
}

impl<'p> Guards<'p> {
    /// The comparisons that are true at `op`.
    pub fn at(op: Op<'p>) -> Self {
        let mut known = Guards { less: vec![], at_most: vec![], different: vec![] };
        let (mut inner, mut fuel) = (op, FUEL);
        for outer in op.ancestors().take(FUEL as usize) {
            if outer.is(scf::IF) {
                let region = |n: usize| outer.regions().nth(n).and_then(|r| r.first_block());
                let truth = inner.block() == region(0);
                if truth || inner.block() == region(1) {
                    known.assume(outer.operand(0), truth, &mut fuel);
                }
            }
            if outer.is(scf::FOR)
                && is_below_end(outer)
                && let Some(body) = outer.body()
            {
                known.assume_less(body.arg(0), outer.operand(1), &mut fuel);
            }
            inner = outer;
        }
        known
    }

    // Records `x < y`. The number `y` is not 0, so `y` is not the arm 0 of a select.
    fn assume_less(&mut self, x: Val<'p>, y: Val<'p>, fuel: &mut u32) {
        self.less.push((x, y));
        if let Some(select) = y.def_of(arith::SELECT)
            && let Some(zero) = (1..3).find(|n| int_of(select.operand(*n)) == Some(0))
        {
            self.assume(select.operand(0), zero == 2, fuel);
        }
    }

    fn assume(&mut self, condition: Val<'p>, truth: bool, fuel: &mut u32) {
        let Some(op) = condition.def().filter(|_| *fuel > 0) else { return };
        *fuel -= 1;
        match op.kind() {
            arith::ANDI if truth => op.operands().for_each(|c| self.assume(c, true, fuel)),
            arith::ORI if !truth => op.operands().for_each(|c| self.assume(c, false, fuel)),
            arith::XORI => {
                let negates = |n: usize| int_of(op.operand(n)).is_some_and(|number| number & 1 == 1);
                if let Some(n) = (0..2).find(|n| negates(*n)) {
                    self.assume(op.operand(1 - n), !truth, fuel);
                }
            }
            arith::CMPI => {
                let (x, y) = (op.operand(0), op.operand(1));
                match (arith::Cmpi::of(op).and_then(|compare| compare.predicate()), truth) {
                    (Some(IntCmp::Ult), true) | (Some(IntCmp::Uge), false) => self.assume_less(x, y, fuel),
                    (Some(IntCmp::Ugt), true) | (Some(IntCmp::Ule), false) => self.assume_less(y, x, fuel),
                    (Some(IntCmp::Ule), true) | (Some(IntCmp::Ugt), false) => self.at_most.push((x, y)),
                    (Some(IntCmp::Uge), true) | (Some(IntCmp::Ult), false) => self.at_most.push((y, x)),
                    (Some(IntCmp::Ne), true) | (Some(IntCmp::Eq), false) => self.different.push((x, y)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The numbers that are greater than `x`, beginning with the number of the innermost condition.
    pub fn limits_of(&self, x: Val<'p>) -> impl Iterator<Item = Val<'p>> {
        self.less.iter().filter(move |(less, _)| *less == x).map(|(_, more)| *more)
    }

    /// The numbers that `x` does not exceed, beginning with the number of the innermost condition.
    pub fn maxima_of(&self, x: Val<'p>) -> impl Iterator<Item = Val<'p>> {
        self.at_most.iter().filter(move |(less, _)| *less == x).map(|(_, more)| *more)
    }

    /// Whether `x` is less than `n`, as unsigned numbers.
    pub fn is_less(&self, x: Val<'p>, n: Val<'p>) -> bool {
        let quotient = x.def().filter(|op| op.is(cube::DIVUI) || op.is(arith::DIVUI));
        let by_product = |op: Op<'p>| {
            let (dividend, divisor) = (op.operand(0), op.operand(1));
            self.less.iter().any(|(less, more)| *less == dividend && is_product(*more, divisor, n))
        };
        self.less.iter().any(|(less, more)| *less == x && is_at_most(*more, n)) || quotient.is_some_and(by_product)
    }

    /// Whether a number is not 0.
    pub fn is_nonzero(&self, value: Val<'p>) -> bool {
        let zero = |v: Val<'p>| unsigned(v) == Some(0);
        let positive = |v: Val<'p>| unsigned(v).is_some_and(|number| number > 0);
        positive(value)
            || value.def_of(arith::MAXUI).is_some_and(|op| op.operands().any(positive))
            || self.less.iter().any(|(_, more)| *more == value)
            || self.different.iter().any(|(x, y)| *x == value && zero(*y) || *y == value && zero(*x))
    }
}

// Whether each value of a loop's counter is below the loop's end, as unsigned numbers. In a signed loop with the step 1,
// the counter does not wrap, so it is between a first value that is not negative and the end.
fn is_below_end(loop_op: Op<'_>) -> bool {
    let number = |n: usize| int_of(loop_op.operand(n));
    loop_op.attr("unsignedCmp").is_some() || number(0).is_some_and(|first| first >= 0) && number(2) == Some(1)
}

/// A constant of up to 64 bits, read as unsigned.
pub fn unsigned(value: Val<'_>) -> Option<u64> {
    let bits = value.ty().bits().filter(|bits| (1..=64).contains(bits))?;
    int_of(value).map(|number| number as u64 & (u64::MAX >> (64 - bits)))
}

fn is_at_most<'p>(x: Val<'p>, y: Val<'p>) -> bool {
    x == y || matches!((unsigned(x), unsigned(y)), (Some(x), Some(y)) if x <= y)
}

// Whether `value` is at most the exact product of `x` and `y`, without wrap-around.
fn is_product<'p>(value: Val<'p>, x: Val<'p>, y: Val<'p>) -> bool {
    let same = |a: Val<'p>, b: Val<'p>| a == b || unsigned(a).is_some() && unsigned(a) == unsigned(b);
    if let Some(op) = value.def_of(arith::MULI) {
        let (a, b) = (op.operand(0), op.operand(1));
        return same(a, x) && same(b, y) || same(a, y) && same(b, x);
    }
    match (unsigned(value), unsigned(x), unsigned(y)) {
        (Some(value), Some(x), Some(y)) => u128::from(value) <= u128::from(x) * u128::from(y),
        _ => false,
    }
}
