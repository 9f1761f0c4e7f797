//! Upper bounds of unsigned numbers of 32 or 64 bits, derived from the structure of the kernel.
use super::constants::int_within;
use cube_dialect::{BufferType, ops, topology};
use cube_ir::ops::{arith, cube, scf};
use cube_ir::{Op, TypeExt, Val};

/// Maximum number of operations that one query visits.
pub const FUEL: u32 = 1024;

const MAX: u64 = u32::MAX as u64;

// The largest number of `bits` bits.
fn most(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// An upper bound of a 32-bit number, read as unsigned. The result is `u32::MAX` if the bound is unknown or
/// the number does not have 32 bits.
pub fn largest(value: Val<'_>) -> u64 {
    let bound = if value.ty().bits() == Some(32) { largest_within(value, &mut FUEL.clone()) } else { None };
    bound.unwrap_or(MAX).min(MAX)
}

/// An upper bound of a number of 32 or 64 bits, read as unsigned. `None` if the bound is unknown, or if the query
/// visits more operations than `fuel`.
pub fn largest_within(value: Val<'_>, fuel: &mut u32) -> Option<u64> {
    bound(value, fuel)
}

/// A power of two that divides all values that `value` can have. For a loop counter with constant first value and
/// step, the result is the largest power of two that divides both constants. The result is 1 for all other
/// values.
pub fn step(value: Val<'_>) -> u64 {
    let loop_op = value.block_arg().filter(|(_, index)| *index == 0).and_then(|(block, _)| block.parent());
    let Some(loop_op) = loop_op.filter(|op| op.is(scf::FOR)) else { return 1 };
    let bits = value.ty().bits().filter(|bits| matches!(bits, 32 | 64)).unwrap_or(64);
    let number = |n: usize| int_within(loop_op.operand(n), &mut FUEL.clone()).map(|number| number as u64 & most(bits));
    let (Some(first), Some(step)) = (number(0), number(2)) else { return 1 };
    // If the counter can wrap, only powers of two divide all its values.
    let (mut a, mut b) = (first, step);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (a & a.wrapping_neg()).max(1)
}

/// Whether a 32-bit index is less than the static size of a buffer in every unit.
pub fn below_size(buffer: Val<'_>, index: Val<'_>) -> bool {
    BufferType::of(buffer.ty()).and_then(BufferType::lines).is_some_and(|lines| largest(index) < lines)
}

fn bound(value: Val<'_>, fuel: &mut u32) -> Option<u64> {
    *fuel = fuel.checked_sub(1)?;
    let bits = value.ty().bits().filter(|bits| matches!(bits, 32 | 64) && value.ty().is_scalar())?;
    let all = most(bits);
    if let Some(known) = int_within(value, fuel) {
        return Some(known as u64 & all);
    }
    if let Some((block, 0)) = value.block_arg() {
        return counter(block.parent()?, fuel);
    }
    let op = value.def()?;
    // The constant right operand, or an early return for operations that require a constant.
    let constant = match op.kind() {
        arith::SUBI => int_within(op.operand(0), fuel),
        cube::DIVUI | cube::SHRUI => int_within(op.operand(1), fuel),
        _ => None,
    };
    let mut of = |i: usize| bound(op.operand(i), fuel);
    let exact = |n: u64| (n <= all).then_some(n);
    match op.kind() {
        ops::Topology::KIND => topology::bounds(ops::Topology::of(op)?).map(|(_, most)| most),
        ops::Len::KIND | ops::BufferLen::KIND => BufferType::of(op.operand(0).ty())?.lines(),
        arith::ADDI => exact(of(0)?.checked_add(of(1)?)?),
        // `c - x` does not wrap for `x` up to `c`.
        arith::SUBI => {
            let from = constant.map(|c| c as u64 & all)?;
            (of(1)? <= from).then_some(from)
        }
        arith::MULI => exact(of(0)?.checked_mul(of(1)?)?),
        arith::ANDI => match (of(0), of(1)) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        },
        // Bits above the highest bit of the smaller number come from the larger number.
        arith::ORI | arith::XORI => {
            let (x, y) = (of(0)?, of(1)?);
            Some(x.max(y) | ones(x.min(y)))
        }
        arith::MINUI => match (of(0), of(1)) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        },
        arith::MAXUI => Some(of(0)?.max(of(1)?)),
        arith::SELECT => Some(of(1)?.max(of(2)?)),
        cube::REMUI => {
            let (x, d) = (of(0), of(1));
            // A remainder is at most `d - 1` for divisors up to `d`, because `x % 0` is 0.
            match (x, d.map(|d| d.saturating_sub(1))) {
                (Some(x), Some(d)) => Some(x.min(d)),
                (x, d) => x.or(d),
            }
        }
        cube::DIVUI => {
            let divisor = constant.map(|d| d as u64 & all).filter(|d| *d > 0).unwrap_or(1);
            Some(of(0).unwrap_or(all) / divisor)
        }
        cube::SHRUI => {
            let amount = constant.unwrap_or(0) as u64 % u64::from(bits);
            Some(of(0).unwrap_or(all) >> amount)
        }
        cube::SUBUI_SAT => of(0),
        arith::EXTUI => {
            let narrow = op.operand(0).ty().bits().filter(|narrow| *narrow < bits)?;
            Some(of(0).unwrap_or(most(narrow)))
        }
        _ => None,
    }
}

// The smallest number of the form 2^n - 1 that is at least `value`.
fn ones(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

// The counter of an unsigned loop is below the upper bound. A signed counter is also below the upper bound if the first
// value and the upper bound are not negative.
fn counter(loop_op: Op<'_>, fuel: &mut u32) -> Option<u64> {
    if !loop_op.is(scf::FOR) {
        return None;
    }
    let top = bound(loop_op.operand(1), fuel)?.checked_sub(1)?;
    let signed = loop_op.attr("unsignedCmp").is_none();
    let from = int_within(loop_op.operand(0), fuel);
    let positive = most(loop_op.operand(1).ty().bits()?) >> 1;
    let plain = !signed || from.is_some_and(|from| from >= 0) && top < positive;
    // If this condition does not hold, a step can wrap the counter, and the loop then continues with small numbers.
    plain.then_some(top)
}
