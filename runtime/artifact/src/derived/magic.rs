//! Numbers that replace a division by a multiplication.
//!
//! The magic numbers are from Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (1994).
//! Figure 4.1 of the paper gives the numbers for unsigned division, for every x and n > 0 of N bits. Figure 5.1 gives
//! the numbers for signed division. The first formula below is the unsigned division. The second formula is the signed
//! division, with arithmetic shifts:
//!
//! ```text
//! t = upper N bits of x * mul      x / n = (t + ((x - t) >> min(shift, 1))) >> (max(shift, 1) - 1)
//! t = upper N bits of x * mul      x / |n| = ((x + t) >> (max(shift, 1) - 1)) - (x >> (N - 1))
//! ```
//!
//! The multiply-add is from Robison, "N-Bit Unsigned Division via N-Bit Multiply-Add" (2005). The formula holds for
//! every 32-bit x and n > 0, with log = floor(log2 n):
//!
//! ```text
//! x / n = (x * factor + addend) >> (32 + log)
//! ```
//!
//! Proof of the multiply-add: let P = 2^log and x = q n + r. Then q is the result if x * factor + addend is at least
//! 2^32 P q and below 2^32 P (q + 1). The proof multiplies the bounds of x * factor + addend by n.
//!
//! Case 1: factor * n = 2^32 P + e with 0 < e <= P, and the addend is 0. Then n factor x = 2^32 P x + e x. This is at
//! least 2^32 P q n, and below 2^32 P (x + 1), which is at most 2^32 P (q + 1) n.
//!
//! Case 2: factor * n = 2^32 P - e with 0 <= e <= P, and the addend is the factor. Then
//! n factor (x + 1) = 2^32 P (x + 1) - e (x + 1). This is at least 2^32 P x, and below 2^32 P (q + 1) n for e > 0.
//!
//! If n is a power of two, case 2 applies with the factor 2^32 - 1 and e = P.

/// Multiplier and shift for the division of every number of `bits` bits (32 or 64) by `n`, which has the same width. A
/// division by 0 gives the dividend, like a division by 1.
pub fn magic(n: u64, bits: u32) -> (u64, u64) {
    if n <= 1 {
        return (0, 0);
    }
    let shift = 64 - (n - 1).leading_zeros();
    // The intermediate value is less than 2^128, because 2^shift - n < n.
    let mul = (((1u128 << shift) - u128::from(n)) << bits) / u128::from(n) + 1;
    (mul as u64, shift.into())
}

/// Factor, addend and shift of a multiply-add that divides every 32-bit number by `n`. A division by 0 gives the
/// dividend.
pub fn fused_magic(n: u32) -> [u64; 3] {
    let n = n.max(1);
    let log = 31 - n.leading_zeros();
    let most = u64::from(u32::MAX);
    if n.is_power_of_two() {
        return [most, most, log.into()];
    }
    let power = 1u64 << (32 + log);
    let below = power / u64::from(n);
    let above = (below + 1) * u64::from(n) - power;
    if above <= 1 << log { [below + 1, 0, log.into()] } else { [below, below, log.into()] }
}

/// The multiplier for the division of every signed number of `bits` bits (32 or 64) by the magnitude of `n`. A division
/// by 0 gives the dividend.
pub fn signed_magic(n: i64, bits: u32) -> u64 {
    let n = u128::from(n.unsigned_abs().max(1));
    let shift = (128 - (n - 1).leading_zeros()).max(1);
    // The value is at most 2^126 + 1. Bit number `bits` is set only for n = 1, and the mask clears this bit.
    let mul = (1u128 << (bits + shift - 1)) / n + 1;
    mul as u64 & (u64::MAX >> (64 - bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(bits: u32) -> Vec<u64> {
        let most = u64::MAX >> (64 - bits);
        let powers = (0..bits).flat_map(|b| [(1u64 << b) - 1, 1 << b, (1 << b) + 1]);
        let others = [most, most - 1, most / 4 * 3, most / 3 * 2 + 1, 1_000_003];
        (0..40).chain(powers).chain(others).map(|n| n & most).collect()
    }

    #[test]
    fn magic_numbers_divide_every_edge() {
        for bits in [32, 64] {
            let most = u64::MAX >> (64 - bits);
            let divide = |x: u64, n: u64| {
                let (mul, shift) = magic(n, bits);
                let t = ((u128::from(x) * u128::from(mul)) >> bits) as u64;
                ((t + ((x - t) >> shift.min(1))) & most) >> (shift.max(1) - 1)
            };
            for n in edges(bits) {
                for x in edges(bits)
                    .into_iter()
                    .chain([n.wrapping_mul(3).wrapping_sub(1) & most, n.wrapping_mul(1000) & most])
                {
                    assert_eq!(divide(x, n), x.checked_div(n).unwrap_or(x), "{x} / {n}");
                }
            }
        }
    }

    // Evaluates the formulas for one dividend, with the arithmetic of kernels.
    fn by_multiply_add(x: u32, n: u32) -> u32 {
        let [factor, addend, log] = fused_magic(n);
        ((u64::from(x) * factor + addend) >> 32) as u32 >> log
    }

    fn by_signed(x: i64, n: i64, bits: u32) -> i64 {
        let cut = |x: i64| x << (64 - bits) >> (64 - bits);
        let mul = cut(signed_magic(n, bits) as i64);
        let shift = magic(n.unsigned_abs(), bits).1.max(1) - 1;
        let sign = n >> 63;
        let upper = ((i128::from(x) * i128::from(mul)) >> bits) as i64;
        let truncated = (cut(x.wrapping_add(upper)) >> shift).wrapping_sub(x >> 63);
        cut((truncated ^ sign).wrapping_sub(sign))
    }

    #[test]
    fn multiply_adds_divide_every_edge() {
        for n in edges(32) {
            for x in edges(32).into_iter().chain([n.wrapping_mul(3).wrapping_sub(1), n.wrapping_mul(1000)]) {
                let (x, n) = (x as u32, n as u32);
                assert_eq!(by_multiply_add(x, n), x.checked_div(n).unwrap_or(x), "{x} / {n}");
            }
        }
    }

    // The two cases of the proof above.
    #[test]
    fn multiply_adds_carry_the_certificate_of_their_theorem() {
        let check = |n: u32| {
            let [factor, addend, log] = fused_magic(n);
            let (product, power) = (u128::from(factor) * u128::from(n.max(1)), 1u128 << (32 + log));
            let up = addend == 0 && product > power && product - power <= 1 << log;
            let down = addend == factor && product <= power && power - product <= 1 << log;
            assert!(factor <= u64::from(u32::MAX) && (up || down), "{n}");
        };
        // Figure 5.1: with m = 2^N + mul, 0 < m n - 2^(N + l - 1) <= 2^l, for the magnitude of n.
        let check_signed = |n: i32| {
            let n = u64::from(n.unsigned_abs().max(1));
            let l = (64 - (n - 1).leading_zeros()).max(1);
            let mul = signed_magic(n as i64, 32);
            // The multiplier is a signed number.
            let m = (i64::from(mul as i32) + (1 << 32)) as u128;
            let above = (m * u128::from(n)).wrapping_sub(1u128 << (32 + l - 1));
            assert!(above > 0 && above <= 1 << l, "{n}, signed");
        };
        let both = |n: u32| {
            check(n);
            check_signed(n as i32);
        };
        edges(32).into_iter().for_each(|n| both(n as u32));
        (0..1 << 20).for_each(both);
        (0..1 << 20).for_each(|n: u32| both(n.wrapping_mul(0x9e37_79b9)));
        // Tests all divisors. By the theorem, this covers all pairs.
        if std::env::var("CUBE_DIVIDE_ALL").is_ok() {
            (0..=u32::MAX).for_each(both);
        }
    }

    #[test]
    fn signed_magic_numbers_divide_every_edge() {
        for bits in [32, 64] {
            let signed = |n: u64| ((n << (64 - bits)) as i64) >> (64 - bits);
            for n in edges(bits).into_iter().map(signed) {
                for x in edges(bits).into_iter().map(signed).chain([signed((n as u64).wrapping_mul(3).wrapping_sub(1))])
                {
                    let right = signed(x.checked_div(n).unwrap_or(x) as u64);
                    let least = i64::MIN >> (64 - bits);
                    let right = if x == least && n == -1 { least } else { right };
                    assert_eq!(by_signed(x, n, bits), right, "{x} / {n} of {bits} bits");
                }
            }
        }
    }

    // Divides all 32-bit numbers into parts, one for each processor, and calls a test for each part in a separate
    // thread.
    fn in_parts(step: usize, test: impl Fn(u32) + Sync) {
        let parts = std::thread::available_parallelism().map_or(1, |count| count.get());
        std::thread::scope(|scope| {
            for part in 0..parts {
                let test = &test;
                scope.spawn(move || (part * step..1 << 32).step_by(parts * step).for_each(|n| test(n as u32)));
            }
        });
    }

    // Computes the unsigned and the signed 32-bit quotient of a bit pattern, with the magic numbers of the divisor.
    fn check_quotients(x: u32, n: u32, [factor, addend, log]: [u64; 3], mul: i64, shift: u64) {
        let quotient = ((u64::from(x) * factor + addend) >> 32) as u32 >> log;
        assert_eq!(quotient, x.checked_div(n).unwrap_or(x), "{x} / {n}");
        let (x, n) = (x as i32, n as i32);
        let upper = ((i64::from(x) * mul) >> 32) as i32;
        let truncated = (x.wrapping_add(upper) >> shift).wrapping_sub(x >> 31);
        let quotient = (truncated ^ (n >> 31)).wrapping_sub(n >> 31);
        let right = if n == 0 { x } else { x.wrapping_div(n) };
        assert_eq!(quotient, right, "{x} / {n}, signed");
    }

    // The magic numbers of a bit pattern, for unsigned and for signed 32-bit division.
    fn numbers(n: u32) -> ([u64; 3], i64, u64) {
        let mul = i64::from(signed_magic(i64::from(n as i32), 32) as u32 as i32);
        (fused_magic(n), mul, magic((n as i32).unsigned_abs().into(), 32).1.max(1) - 1)
    }

    fn is_set(name: &str) -> bool {
        std::env::var_os(name).is_some()
    }

    /// `CUBE_DIVIDE_ALL=1` tests each 499th divisor, and `CUBE_DIVIDE_PAIRS=1` tests all divisors, which takes several
    /// minutes of an optimised build.
    #[test]
    fn many_divisors_of_32_bits_divide_some_dividends() {
        let dividends: Vec<u32> = (0..16).flat_map(|k| [k, u32::MAX - k, (1 << 31) - k, (1 << (2 * k)) + 1]).collect();
        let step = if is_set("CUBE_DIVIDE_PAIRS") { 1 } else { [49_999, 499][usize::from(is_set("CUBE_DIVIDE_ALL"))] };
        in_parts(step, |n| {
            let (fused, mul, shift) = numbers(n);
            dividends.iter().for_each(|x| check_quotients(*x, n, fused, mul, shift));
        });
    }

    /// `CUBE_DIVIDE_PAIRS=1` tests all dividends, which takes several minutes of an optimised build.
    #[test]
    fn some_divisors_of_32_bits_divide_many_dividends() {
        let small = (0..20).chain([25, 60, 100, 125, 641, 1000, 65_535, 65_536, 65_537, 1_000_003, 6_700_417]);
        let all: Vec<u32> =
            small.flat_map(|n: u32| [n, n.wrapping_neg()]).chain([1 << 31, i32::MAX as u32, 3 << 30]).collect();
        assert!(all.len() >= 64, "{}", all.len());
        let all: Vec<_> = all.into_iter().map(|n| (n, numbers(n))).collect();
        in_parts(if is_set("CUBE_DIVIDE_PAIRS") { 1 } else { 49_999 }, |x| {
            all.iter().for_each(|(n, (fused, mul, shift))| check_quotients(x, *n, *fused, *mul, *shift));
        });
    }

    // Theorem 4.2 of the paper: where 2^(N+l) <= (2^N + mul) n <= 2^(N+l) + 2^l, every x below 2^N is divided exactly.
    // The test subtracts 2^N n from all sides, so that the values fit 128 bits.
    #[test]
    fn magic_numbers_carry_the_certificate_of_their_theorem() {
        let check = |n: u64, bits: u32| {
            let (mul, shift) = magic(n, bits);
            let least = ((1u128 << shift) - u128::from(n)) << bits;
            let product = u128::from(mul) * u128::from(n);
            assert!(product >= least && product - least <= 1 << shift, "{n} of {bits} bits");
        };
        let mut state = 1u64;
        for step in 0..2_000_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = state >> (step % 63);
            for n in [step + 2, random.max(2)] {
                check((n & u64::from(u32::MAX)).max(2), 32);
                check(n, 64);
            }
        }
        edges(32).into_iter().filter(|n| *n > 1).for_each(|n| check(n, 32));
        edges(64).into_iter().filter(|n| *n > 1).for_each(|n| check(n, 64));
    }

    #[test]
    fn random_pairs_of_64_bits_divide() {
        let count = if std::env::var("CUBE_DIVIDE_ALL").is_ok() { 100_000_000 } else { 50_000 };
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
            bits >> (bits % 61)
        };
        for _ in 0..count {
            let (x, n) = (random(), random());
            let (mul, shift) = magic(n, 64);
            let t = ((u128::from(x) * u128::from(mul)) >> 64) as u64;
            let quotient = (t + ((x - t) >> shift.min(1))) >> (shift.max(1) - 1);
            assert_eq!(quotient, x.checked_div(n).unwrap_or(x), "{x} / {n}");
            let (x, n) = (x as i64, if x & 1 == 0 { n as i64 } else { (n as i64).wrapping_neg() });
            assert_eq!(by_signed(x, n, 64), if n == 0 { x } else { x.wrapping_div(n) }, "{x} / {n}, signed");
        }
    }
}
