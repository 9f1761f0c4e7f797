//! Integers as wider floats, rounded to odd: lost bits remain as a sticky bit, so that the next rounding is the only
//! one.
use crate::native::Native;
use cube_ir::ops::arith;
use cube_ir::{Builder, TypeExt, Val, upstream::IntCmp};
use cube_target::CostClass;

fn kind(unsigned: bool) -> cube_ir::OpKind {
    if unsigned { arith::UITOFP } else { arith::SITOFP }
}

/// Whether, for an integer of `bits` bits, converting through f32 ([`single`]) is faster on this chip than converting
/// through f64 ([`double`]) and then narrowing the f64. The counts include the operations below and those of
/// `round_to_odd`.
pub fn is_faster(native: &Native<'_>, bits: u32) -> bool {
    use CostClass::{AddInt, Convert, ConvertWide, FmaF64};
    let back = [(ConvertWide, 3), (FmaF64, 4), (AddInt, 4)];
    match bits {
        // 64-bit operations take two of 32 bits.
        33.. => native.prefers(
            &[(AddInt, 2 * 15 + 13), (CostClass::FmaF32, 1), (Convert, 2)],
            &[&back[..], &[(AddInt, 2 * 10)]].concat(),
        ),
        _ => native.prefers(&[(AddInt, 10), (Convert, 2)], &back),
    }
}

// Bits of x at `place` and above, but for those that only repeat the sign.
fn above<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool, place: i64) -> Val<'p> {
    let ty = x.ty();
    let magnitude = if unsigned { x } else { b.xori(x, b.shrsi(x, b.int(ty, i64::from(ty.bits().unwrap_or(32)) - 1))) };
    b.cmpi(IntCmp::Ne, b.shrui(magnitude, b.int(ty, place)), b.int(ty, 0))
}

// The multiple of `2 ^ places` below x, or the odd one above that where something was cut.
fn cut<'p>(b: Builder<'p>, x: Val<'p>, places: i64) -> Val<'p> {
    let ty = x.ty();
    let mask = (1 << places) - 1;
    let lost = b.cmpi(IntCmp::Ne, b.andi(x, b.int(ty, mask)), b.int(ty, 0));
    let kept = b.andi(x, b.int(ty, !mask));
    b.ori(kept, b.select(lost, b.int(ty, 1 << places), b.int(ty, 0)))
}

// An integer of at most 32 bits as an f32: exact below 2^24, else the number that 24 digits are left of. The choice is among floats,
// since upstream takes a conversion and the rounding of its result for one conversion, which the CPU does by f64.
fn short<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool) -> Val<'p> {
    let floats = x.ty().with_element(b.cx().f32());
    let (odd, exact) = (b.cast(kind(unsigned), cut(b, x, 8), floats), b.cast(kind(unsigned), x, floats));
    b.select(above(b, x, unsigned, 24), odd, exact)
}

/// An f64 that rounds to the same number of at most 24 digits: exact up to 53 bits, else with the lost bits in the last
/// bit.
pub fn double<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool) -> Val<'p> {
    let (ty, double) = (x.ty(), x.ty().with_element(b.cx().f64()));
    if ty.bits().unwrap_or(32) <= 53 {
        return b.cast(kind(unsigned), x, double);
    }
    // An odd multiple of 2^11 is never a tie of formats with at most 24 digits, for there are digits between.
    let odd = cut(b, x, 11);
    b.cast(kind(unsigned), b.select(above(b, x, unsigned, 53), odd, x), double)
}

/// An f32 that rounds to the same number of at most 11 digits, by operations of integers of at most the width of `x`.
pub fn single<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool) -> Val<'p> {
    let (ty, floats) = (x.ty(), x.ty().with_element(b.cx().f32()));
    if ty.bits().unwrap_or(32) <= 32 {
        return short(b, x, unsigned);
    }
    // Numbers beyond 2^47 lose 32 bits, those beyond 2^31 lose 16, so that at least 15 digits are left in 32 bits. Nonzero
    // lost bits set the last one. For negative numbers too: their shift rounds down, and an odd number is on both sides of
    // the lost bits.
    let (far, middle) = (above(b, x, unsigned, 47), above(b, x, unsigned, 31));
    let int = |n: i64| b.int(ty, n);
    let by = b.select(far, int(32), b.select(middle, int(16), int(0)));
    let lost = b.andi(x, b.subi(b.shli(int(1), by), int(1)));
    let shifted = if unsigned { b.shrui(x, by) } else { b.shrsi(x, by) };
    let lost = b.cmpi(IntCmp::Ne, lost, int(0));
    let odd = b.ori(shifted, b.select(lost, int(1), int(0)));
    let float = short(b, b.cast(arith::TRUNCI, odd, ty.with_element(b.cx().int(32))), unsigned);
    let scale = |exponent: i32| b.float(floats, 2f64.powi(exponent));
    b.mulf(float, b.select(far, scale(32), b.select(middle, scale(16), scale(0))))
}
