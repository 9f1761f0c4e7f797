//! Converts integers to f32 or f64 with rounding to odd. A sticky bit records lost bits, so a later rounding
//! gives the same result as a single rounding of the integer.
use crate::native::Native;
use cube_ir::ops::arith;
use cube_ir::{Builder, TypeExt, Val, upstream::IntCmp};
use cube_target::CostClass;

fn kind(unsigned: bool) -> cube_ir::OpKind {
    if unsigned { arith::UITOFP } else { arith::SITOFP }
}

/// Whether a conversion of an integer of `bits` bits is faster through f32 ([`single`]) than through f64
/// ([`double`]) on the chip. The operation counts include the operations of this file and of `round_to_odd`.
pub fn is_faster(native: &Native<'_>, bits: u32) -> bool {
    use CostClass::{AddInt, Convert, ConvertWide, FmaF64};
    let back = [(ConvertWide, 3), (FmaF64, 4), (AddInt, 4)];
    match bits {
        // A 64-bit operation counts as two 32-bit operations.
        33.. => native.prefers(
            &[(AddInt, 2 * 15 + 13), (CostClass::FmaF32, 1), (Convert, 2)],
            &[&back[..], &[(AddInt, 2 * 10)]].concat(),
        ),
        _ => native.prefers(&[(AddInt, 10), (Convert, 2)], &back),
    }
}

// Whether `x` needs bits at `place` or above, apart from copies of the sign bit.
fn above<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool, place: i64) -> Val<'p> {
    let ty = x.ty();
    let magnitude = if unsigned { x } else { b.xori(x, b.shrsi(x, b.int(ty, i64::from(ty.bits().unwrap_or(32)) - 1))) };
    b.cmpi(IntCmp::Ne, b.shrui(magnitude, b.int(ty, place)), b.int(ty, 0))
}

// The largest multiple of `2 ^ places` up to `x`. If a discarded bit is set, the lowest kept bit is set to 1.
fn cut<'p>(b: Builder<'p>, x: Val<'p>, places: i64) -> Val<'p> {
    let ty = x.ty();
    let mask = (1 << places) - 1;
    let lost = b.cmpi(IntCmp::Ne, b.andi(x, b.int(ty, mask)), b.int(ty, 0));
    let kept = b.andi(x, b.int(ty, !mask));
    b.ori(kept, b.select(lost, b.int(ty, 1 << places), b.int(ty, 0)))
}

// An integer of at most 32 bits as an f32: exact below 2^24, otherwise rounded to odd with 24 bits. The select is on
// floats, because LLVM would combine the conversion and the rounding of its result into one conversion, which the CPU
// computes through f64.
fn short<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool) -> Val<'p> {
    let floats = x.ty().with_element(b.cx().f32());
    let (odd, exact) = (b.cast(kind(unsigned), cut(b, x, 8), floats), b.cast(kind(unsigned), x, floats));
    b.select(above(b, x, unsigned, 24), odd, exact)
}

/// An f64 whose rounding to at most 24 significant bits equals the rounding of `x`. The f64 is exact for integers
/// of up to 53 bits. For wider integers, the last bit of the f64 is a sticky bit for the lost bits.
pub fn double<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool) -> Val<'p> {
    let (ty, double) = (x.ty(), x.ty().with_element(b.cx().f64()));
    if ty.bits().unwrap_or(32) <= 53 {
        return b.cast(kind(unsigned), x, double);
    }
    // An odd multiple of 2^11 above 2^53 has more than 25 significant bits. It is therefore never halfway between
    // two numbers with at most 24 significant bits.
    let odd = cut(b, x, 11);
    b.cast(kind(unsigned), b.select(above(b, x, unsigned, 53), odd, x), double)
}

/// An f32 whose rounding to at most 11 significant bits equals the rounding of `x`. The emitted integer operations
/// have at most the width of `x`.
pub fn single<'p>(b: Builder<'p>, x: Val<'p>, unsigned: bool) -> Val<'p> {
    let (ty, floats) = (x.ty(), x.ty().with_element(b.cx().f32()));
    if ty.bits().unwrap_or(32) <= 32 {
        return short(b, x, unsigned);
    }
    // Numbers above 2^47 lose 32 bits, and numbers above 2^31 lose 16 bits. At least 15 significant bits are therefore
    // left. If a lost bit is 1, the last bit is set. Negative numbers need no special case, because their shift rounds
    // down.
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
