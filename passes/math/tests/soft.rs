//! Compares the fused product and the square root in integer arithmetic with the processor's results and with
//! `cube-semantics`. All bits must be equal, except for NaN.

use cube_math::{Emit, NativeDouble, NativeSingle, Rounding, fused_by_integers, root_by_integers};
use cube_semantics::{BF16, F16, F32, Format};

/// A random number generator with a fixed seed: the upper half of a linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let step = |s: u64| s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 = step(self.0);
        let high = self.0 >> 32;
        self.0 = step(self.0);
        high << 32 | self.0 >> 32
    }
}

fn single(a: u32, b: u32, c: u32) {
    let [x, y, z] = [a, b, c].map(f32::from_bits);
    let (got, expected) = (fused_by_integers(&NativeSingle, x, y, z, Rounding::Nearest), x.mul_add(y, z));
    assert!(
        got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
        "{a:#x} {b:#x} {c:#x}: {got:e}, not {expected:e}"
    );
    let table = F32::fma(a.into(), b.into(), c.into());
    assert!(
        u64::from(got.to_bits()) == table || got.is_nan() && F32::is_nan(table),
        "{a:#x} {b:#x} {c:#x}: {table:#x}"
    );
}

fn double(a: u64, b: u64, c: u64) {
    let [x, y, z] = [a, b, c].map(f64::from_bits);
    let (got, expected) = (fused_by_integers(&NativeDouble, x, y, z, Rounding::Nearest), x.mul_add(y, z));
    assert!(
        got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
        "{a:#x} {b:#x} {c:#x}: {got:e}, not {expected:e}"
    );
}

/// Edge values: zeros, limits of subnormal and normal numbers, one and its neighbours, infinity and NaN, with
/// both signs.
fn edges(bias: u64, mantissa: u32, width: u32) -> Vec<u64> {
    let (one, infinity) = (bias << mantissa, (2 * bias + 1) << mantissa);
    let normal = 1u64 << mantissa;
    let half = |bits: u64| bits - (1 << mantissa);
    let mut all = vec![0, 1, 2, 3, normal / 2, normal - 1, normal, normal + 1, 2 * normal - 1, 2 * normal];
    all.extend([half(one), half(one) + 1, one - 1, one, one + 1, one + normal / 2, one + normal - 1, one + normal]);
    all.extend([infinity - normal, infinity - 2, infinity - 1, infinity, infinity + normal / 2, infinity + 1]);
    let both = |bits: &u64| [*bits, *bits | 1 << (width - 1)];
    all.iter().flat_map(both).collect()
}

#[test]
fn products_of_edges() {
    let (singles, doubles) = (edges(127, 23, 32), edges(1023, 52, 64));
    for (i, a) in singles.iter().enumerate() {
        for (j, b) in singles.iter().enumerate() {
            for (k, c) in singles.iter().enumerate() {
                single(*a as u32, *b as u32, *c as u32);
                double(doubles[i], doubles[j], doubles[k]);
            }
        }
    }
}

/// A million triples of each kind: random bits, sums that almost cancel, overlapping exponents, and results near the
/// smallest normal number. For sums that almost cancel, the addend is the negated rounded product, or a
/// neighbour of this number.
#[test]
fn random_products() {
    let mut random = Random(0x5eed_0018);
    for _ in 0..1_000_000 {
        let (r, s) = (random.next(), random.next());
        single(r as u32, (r >> 32) as u32, s as u32);
        double(r, s, random.next());
    }
    for _ in 0..1_000_000 {
        let (r, s) = (random.next(), random.next());
        let near = |bits: u64, exponent: u64, mantissa: u32| bits & ((1 << mantissa) - 1) | exponent << mantissa;
        let (a, b) = (near(r, 100 + (r >> 56) % 50, 23) as u32, near(r >> 24, 100 + (s >> 56) % 50, 23) as u32);
        let product = f32::from_bits(a) * f32::from_bits(b);
        single(a, b, (-product).to_bits().wrapping_add((s % 5) as u32).wrapping_sub(2));
        let apart = ((s >> 8) % 120) as i64 - 60;
        let exponent = (i64::from(product.to_bits() >> 23) + apart).clamp(0, 254) as u64;
        single(a, b, near(s >> 32, exponent, 23) as u32 | (s as u32 & 1) << 31);
        // Results near 2^-126, with products so small that only a sticky bit is left.
        single(
            near(r, 20 + s % 60, 23) as u32,
            near(s, 20 + r % 70, 23) as u32,
            near(r >> 30, (r >> 60) % 4, 23) as u32 | (s as u32) << 31,
        );

        let (a, b) = (near(r, 900 + s % 250, 52), near(s, 900 + r % 250, 52));
        let product = f64::from_bits(a) * f64::from_bits(b);
        double(a, b, (-product).to_bits().wrapping_add(s % 5).wrapping_sub(2));
        let exponent = ((product.to_bits() >> 52) as i64 + ((s >> 8) % 260) as i64 - 130).clamp(0, 2046) as u64;
        double(a, b, near(r ^ s, exponent, 52) | s << 63);
        double(near(r, 400 + s % 200, 52), near(s, 400 + r % 250, 52), near(r ^ s, (r >> 60) % 4, 52) | r << 63);
    }
}

/// Checks a fused product of f16 or bf16 that is computed in f32. The f32 sum is rounded to odd, so only the conversion
/// to f16 or bf16 rounds to nearest.
fn half<F: Format>(bits: [u64; 3]) {
    let [a, b, c] = bits.map(|v| F::double(v) as f32);
    let odd = fused_by_integers(&NativeSingle, a, b, c, Rounding::Odd);
    let (got, expected) = (F::of_double(f64::from(odd)), F::fma(bits[0], bits[1], bits[2]));
    assert!(got == expected || F::is_nan(got) && F::is_nan(expected), "{bits:x?}: {got:#x}, not {expected:#x}");
}

#[test]
fn products_of_halves_are_rounded_once() {
    let (f16, bf16) = (edges(15, 10, 16), edges(127, 7, 16));
    for (edges, check) in [(f16, half::<F16> as fn([u64; 3])), (bf16, half::<BF16>)] {
        for a in &edges {
            edges.iter().for_each(|b| edges.iter().for_each(|c| check([*a, *b, *c])));
        }
        let mut random = Random(0x16);
        for _ in 0..1_000_000 {
            let r = random.next();
            check([r & 0xffff, r >> 16 & 0xffff, r >> 32 & 0xffff]);
        }
    }
    // Two roundings to nearest would give a wrong last bit: 1 + 2^-11 is a tie of f16, and f32 cannot represent the
    // added product of 2^-48.
    half::<F16>([1, 1, 0x3c00]);
    half::<F16>([0x0400, 0x0400, 0x3c01]);
}

fn rooted(bits: u32) {
    let x = f32::from_bits(bits);
    let (got, expected) = (root_by_integers(&NativeSingle, x), x.sqrt());
    assert!(
        got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
        "{bits:#x}: {got:e}, not {expected:e}"
    );
}

#[test]
fn roots_of_every_exponent() {
    let mut random = Random(0x400);
    for exponent in 0..512u32 {
        let first = exponent << 23;
        (0..64).for_each(|low| [first | low, first | (0x7f_ffff - low)].into_iter().for_each(rooted));
        (0..8192).for_each(|_| rooted(first | random.next() as u32 & 0x7f_ffff));
    }
    // Squares and their neighbours. Their roots are exact or nearly exact.
    for root in (1u32..1 << 12).chain((1 << 12..1 << 24).step_by(4099)) {
        let square = (root as f32 * root as f32).to_bits();
        (square - 2..=square + 2).for_each(rooted);
    }
    for _ in 0..1_000_000 {
        let x = f64::from_bits(random.next());
        let (got, expected) = (root_by_integers(&NativeDouble, x), x.sqrt());
        assert!(
            got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
            "{x:e}: {got:e}, not {expected:e}"
        );
    }
    for x in edges(1023, 52, 64).into_iter().map(f64::from_bits) {
        let (got, expected) = (root_by_integers(&NativeDouble, x), x.sqrt());
        assert!(
            got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
            "{x:e}: {got:e}, not {expected:e}"
        );
    }
}

/// Compares the square root of each f16 and bf16 number, computed in f32, with the square root computed in f64.
/// The reference is correct, because f64 has more than 2 p + 2 significant bits, where p is the number of
/// significant bits of f16 or bf16.
#[test]
fn roots_of_all_halves() {
    fn all<F: Format>() {
        for bits in 0..1 << 16 {
            let x = F::double(bits);
            let got = F::of_double(f64::from(root_by_integers(&NativeSingle, x as f32)));
            let expected = F::of_double(x.sqrt());
            assert!(got == expected || F::is_nan(got) && F::is_nan(expected), "{bits:#x}: {got:#x}, not {expected:#x}");
        }
    }
    all::<F16>();
    all::<BF16>();
}

/// Runs the algorithms with an emitter without float operations, so the results cannot depend on the target's
/// float arithmetic.
#[test]
fn no_operation_of_floats_is_needed() {
    let counted = cube_math::Counter::<cube_math::Single>::default();
    fused_by_integers(&counted, (), (), (), Rounding::Nearest);
    // Four float operations: the conversions of three operands and of the sum.
    assert_eq!((counted.cost().float, counted.cost().slow), (4, 0));
    let counted = cube_math::Counter::<cube_math::Single>::default();
    root_by_integers(&counted, ());
    assert_eq!((counted.cost().float, counted.cost().slow), (1, 0));
    assert_eq!(NativeSingle.of_int(3), 3.0);
}
