//! Termination analysis of `scf.while` loops, which have no trip count.
//!
//! A loop continues only while all its required comparisons (`needed`) are true. The loop terminates if an induction
//! variable eventually makes one of the required comparisons false. Examples are `i < n` if `i` grows by 1, and `i !=
//! 0` if `i` is halved. A comparison that depends only on constants is evaluated iteration by iteration. Integers wrap.
//! If `i` grows by 2, `i < n` can therefore remain true, unless the range of `n` excludes wrap-around. The analysis
//! also treats the flags of early exits as conditions: a flag is false in every iteration except the last.
use super::{constants::int_of, ranges::largest};
use cube_dialect::int_predicate;
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{Block, Op, TypeExt, Val};
use cube_semantics::{IntPredicate, Meaning};

/// Maximum number of conditions that the analysis visits for each loop.
const FUEL: u32 = 256;

/// Maximum number of iterations that the analysis evaluates if all operands are constant.
const MAX_ITERATIONS: u32 = 1 << 12;

/// Whether an `scf.while` provably terminates, for all arguments of the kernel.
pub fn terminates(loop_op: Op<'_>) -> bool {
    let blocks: Vec<Block<'_>> = loop_op.regions().filter_map(|region| region.first_block()).collect();
    let [before, after] = blocks[..] else { return false };
    let (Some(decision), Some(next)) = (before.terminator(), after.terminator()) else { return false };
    let mut conditions =
        LoopConditions { loop_op, before, after, decision, next, needed: Vec::new(), never: false, fuel: FUEL };
    conditions.need(decision.operand(0), true);
    conditions.never || conditions.needed.iter().any(|(value, truth)| conditions.fails(*value, *truth))
}

struct LoopConditions<'p> {
    loop_op: Op<'p>,
    before: Block<'p>,
    after: Block<'p>,
    /// The terminator of the first region: the condition, and the operands of the second region.
    decision: Op<'p>,
    /// The terminator of the second region: the operands of the first region in the next iteration.
    next: Op<'p>,
    /// Conditions under which the loop continues: each value with its required boolean.
    needed: Vec<(Val<'p>, bool)>,
    /// Whether the loop never continues.
    never: bool,
    fuel: u32,
}

/// The change of a counter in one iteration.
#[derive(Clone, Copy)]
enum CounterStep {
    /// The counter grows by the given amount, or decreases if the amount is negative.
    By(i64),
    /// The counter is divided by 2 or more, so it reaches 0.
    Shrinks,
    /// The counter is divided by 2 or more and rounded down. A counter that starts negative reaches -1, and
    /// any other counter reaches 0.
    ShrinksDown,
}

impl<'p> LoopConditions<'p> {
    // Collects the conditions that must hold for `value` to be `truth` in every iteration except the last.
    fn need(&mut self, value: Val<'p>, truth: bool) {
        if self.fuel == 0 || self.needed.contains(&(value, truth)) {
            return;
        }
        self.fuel -= 1;
        if let Some(known) = constant(value) {
            self.never |= known != truth;
            return;
        }
        self.needed.push((value, truth));
        if let Some(carried) = self.carried(value) {
            // The previous iteration yielded this value.
            return self.need(self.next.operand(carried), truth);
        }
        let Some(op) = value.def() else { return };
        match op.kind() {
            arith::XORI => {
                let operands = [op.operand(0), op.operand(1)];
                for (one, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
                    if let Some(flips) = constant(one) {
                        self.need(other, truth ^ flips);
                    }
                }
            }
            arith::ANDI if truth => [0, 1].into_iter().for_each(|i| self.need(op.operand(i), true)),
            arith::ORI if !truth => [0, 1].into_iter().for_each(|i| self.need(op.operand(i), false)),
            arith::SELECT => self.choice(op.operand(0), [op.operand(1), op.operand(2)], truth),
            scf::IF => {
                let number = op.results().position(|result| result == value);
                let ends: Vec<Op<'p>> = op.regions().filter_map(|region| region.first_block()?.terminator()).collect();
                if let (Some(number), [yes, no]) = (number, &ends[..]) {
                    self.choice(op.operand(0), [yes.operand(number), no.operand(number)], truth);
                }
            }
            _ => {}
        }
    }

    // If one arm is constant and has the wrong value, the condition must select the other arm.
    fn choice(&mut self, condition: Val<'p>, [yes, no]: [Val<'p>; 2], truth: bool) {
        if constant(no) == Some(!truth) {
            self.need(condition, true);
            self.need(yes, truth);
        } else if constant(yes) == Some(!truth) {
            self.need(condition, false);
            self.need(no, truth);
        }
    }

    // The index of a loop-carried value, or `None` if `value` is not loop-carried.
    fn carried(&self, value: Val<'p>) -> Option<usize> {
        let (block, number) = value.block_arg()?;
        if block == self.before {
            return Some(number);
        }
        let handed = (block == self.after).then(|| self.decision.operand(number + 1))?;
        handed.block_arg().filter(|(block, _)| *block == self.before).map(|(_, number)| number)
    }

    fn is_outside(&self, value: Val<'p>) -> bool {
        let parent = value.def().and_then(|op| op.parent()).or_else(|| value.block_arg()?.0.parent());
        parent.is_some_and(|parent| parent != self.loop_op && !parent.ancestors().any(|op| op == self.loop_op))
    }

    // Whether an induction variable eventually makes a required comparison false.
    fn fails(&self, value: Val<'p>, truth: bool) -> bool {
        let Some(compare) = value.def_of(arith::CMPI) else { return false };
        let Some(predicate) = int_predicate(compare) else { return false };
        let holds = if truth { predicate } else { predicate.negated() };
        let [left, right] = [compare.operand(0), compare.operand(1)];
        self.counter_fails(left, holds, right) || self.counter_fails(right, holds.swapped(), left)
    }

    fn counter_fails(&self, counter: Val<'p>, holds: IntPredicate, limit: Val<'p>) -> bool {
        let Some(number) = self.carried(counter) else { return false };
        let Some(bits) = counter.ty().bits().filter(|bits| *bits > 1 && *bits <= 64 && counter.ty().is_int()) else {
            return false;
        };
        let next = self.taken(self.next.operand(number));
        if !self.is_outside(limit) && int_of(limit).is_none() {
            return false;
        }
        if let (Some(start), Some(limit)) = (int_of(self.loop_op.operand(number)), int_of(limit))
            && self.fails_by_counting(number, next, bits, start, holds, limit)
        {
            return true;
        }
        self.step(number, next).is_some_and(|step| finally_fails(holds, step, limit, bits))
    }

    // The value in an iteration that is not the last one. Selects and branches with a required condition are replaced
    // by the selected value.
    fn taken(&self, mut value: Val<'p>) -> Val<'p> {
        let known = |condition: Val<'p>| self.needed.iter().find(|(needed, _)| *needed == condition).map(|(_, is)| *is);
        for _ in 0..FUEL {
            let Some(op) = value.def().filter(|op| op.is(scf::IF) || op.is(arith::SELECT)) else { break };
            let Some(truth) = known(op.operand(0)) else { break };
            let side = usize::from(!truth);
            let chosen = if op.is(arith::SELECT) {
                Some(op.operand(side + 1))
            } else {
                let number = op.results().position(|result| result == value);
                let end = op.regions().nth(side).and_then(|region| region.first_block()?.terminator());
                number.zip(end).map(|(number, end)| end.operand(number))
            };
            let Some(chosen) = chosen else { break };
            value = chosen;
        }
        value
    }

    fn step(&self, number: usize, next: Val<'p>) -> Option<CounterStep> {
        let op = next.def()?;
        let is_counter = |value: Val<'p>| self.carried(value) == Some(number);
        let by = |i: usize| int_of(op.operand(i));
        match op.kind() {
            arith::ADDI if is_counter(op.operand(0)) => by(1).map(CounterStep::By),
            arith::ADDI if is_counter(op.operand(1)) => by(0).map(CounterStep::By),
            arith::SUBI if is_counter(op.operand(0)) => by(1)?.checked_neg().map(CounterStep::By),
            cube::DIVUI | cube::DIVSI if is_counter(op.operand(0)) => {
                by(1).filter(|n| *n >= 2).map(|_| CounterStep::Shrinks)
            }
            cube::SHRUI | cube::SHRSI if is_counter(op.operand(0)) => {
                let bits = i64::from(next.ty().bits()?);
                let step = if op.is(cube::SHRUI) { CounterStep::Shrinks } else { CounterStep::ShrinksDown };
                by(1).filter(|n| (1..bits).contains(n)).map(|_| step)
            }
            _ => None,
        }
    }

    // Whether a value of the counter makes the comparison false. The counter is evaluated iteration by iteration.
    fn fails_by_counting(
        &self,
        number: usize,
        next: Val<'p>,
        bits: u32,
        start: i64,
        holds: IntPredicate,
        limit: i64,
    ) -> bool {
        let Some(op) = next.def().filter(|op| op.operands().len() == 2) else { return false };
        let is_counter = |i: usize| self.carried(op.operand(i)) == Some(number);
        let mut now = start;
        for _ in 0..MAX_ITERATIONS {
            if !holds.holds(now, limit, bits) {
                return true;
            }
            let operand = |i: usize| if is_counter(i) { Some(now) } else { int_of(op.operand(i)) };
            let Some((left, right)) = operand(0).zip(operand(1)) else { return false };
            let Some(Meaning::Int(int)) = cube_dialect::meaning_of(op.kind()) else { return false };
            let Some(after) = int.of_signed(bits, &[left, right]) else { return false };
            now = after;
        }
        false
    }
}

fn constant(value: Val<'_>) -> Option<bool> {
    int_of(value).filter(|_| value.ty().bits() == Some(1)).map(|n| n != 0)
}

// Whether this step eventually makes a comparison of the counter with a limit false, for every first value of the
// counter.
fn finally_fails(holds: IntPredicate, step: CounterStep, limit: Val<'_>, bits: u32) -> bool {
    use IntPredicate as P;
    let known = int_of(limit);
    match step {
        CounterStep::By(0 | i64::MIN) => false,
        CounterStep::By(by) => match holds {
            // With a step of 1 or -1 the counter reaches every value of its type.
            P::Ne => by.abs() == 1,
            P::Eq => true,
            P::Slt | P::Sle | P::Ult | P::Ule if by > 0 => has_room_above(holds, by, known, limit, bits),
            P::Sgt | P::Sge | P::Ugt | P::Uge if by < 0 => has_room_below(holds, -by, known, bits),
            _ => false,
        },
        // The counter reaches 0 and stays at 0. A negative counter can instead reach -1 under `ShrinksDown`,
        // and stays at -1.
        CounterStep::Shrinks | CounterStep::ShrinksDown => match holds {
            P::Sgt => known.is_some_and(|n| n >= 0),
            P::Sge => known.is_some_and(|n| n > 0),
            _ if matches!(step, CounterStep::ShrinksDown) => false,
            P::Ugt => true,
            P::Ne => known == Some(0),
            P::Uge => known.is_some_and(|n| n != 0),
            _ => false,
        },
    }
}

// Whether a step from the largest counter that continues the loop does not wrap.
fn has_room_above(holds: IntPredicate, by: i64, known: Option<i64>, limit: Val<'_>, bits: u32) -> bool {
    let signed = holds.is_signed();
    let most: i128 = if signed { (1 << (bits - 1)) - 1 } else { (1 << bits) - 1 };
    let limit = match known {
        Some(known) if signed => i128::from(known),
        Some(known) => i128::from(known as u64) & most,
        None if !signed && bits == 32 => i128::from(largest(limit)),
        None => most,
    };
    let last = if matches!(holds, IntPredicate::Slt | IntPredicate::Ult) { limit - 1 } else { limit };
    last + i128::from(by) <= most
}

fn has_room_below(holds: IntPredicate, by: i64, known: Option<i64>, bits: u32) -> bool {
    let signed = holds.is_signed();
    let least: i128 = if signed { -(1 << (bits - 1)) } else { 0 };
    let limit = match known {
        Some(known) if signed => i128::from(known),
        Some(known) => i128::from(known as u64) & ((1 << bits) - 1),
        None => least,
    };
    let last = if matches!(holds, IntPredicate::Sgt | IntPredicate::Ugt) { limit + 1 } else { limit };
    last - i128::from(by) >= least
}
