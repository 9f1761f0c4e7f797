//! Execution order of units, and their positions by number.
use crate::findings::UnitCoordinates;
use crate::request::Schedule;

/// A permutation of the numbers from 0 to `n - 1`, which maps i to `(a * i + b) mod n` with `a` coprime to
/// `n`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    n: u64,
    factor: u64,
    offset: u64,
}

impl Order {
    /// The order of a schedule. For random schedules, each value of `salt` selects another order.
    pub fn new(n: u64, schedule: Schedule, salt: u64) -> Order {
        let seed = match schedule {
            Schedule::InOrder => return Order { n, factor: 1, offset: 0 },
            // n - 1 - i
            Schedule::LastFirst => return Order { n, factor: n.saturating_sub(1), offset: n.saturating_sub(1) },
            Schedule::Shuffled(seed) => seed,
        };
        let mix = |x: u64| {
            // SplitMix64 (Steele, Lea and Flood, 2014).
            let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ x >> 31
        };
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let start = mix(seed ^ mix(salt));
        let factor = (0..n).map(|i| (start.wrapping_add(i)) % n).find(|a| gcd(*a, n) == 1).unwrap_or(1);
        Order { n, factor, offset: mix(start) % n.max(1) }
    }

    /// The number at index `i` of the permutation.
    pub fn nth(&self, i: u64) -> u64 {
        if self.factor == 1 && self.offset == 0 {
            return i;
        }
        let all = u128::from(i) * u128::from(self.factor) + u128::from(self.offset);
        (all % u128::from(self.n.max(1))) as u64
    }
}

/// Splits a linear number into positions along each axis.
pub(crate) fn split(linear: u64, sizes: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = sizes.map(|s| u64::from(s.max(1)));
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}

/// The position of the unit with the number `number` in the launch.
pub(crate) fn position(number: u64, cube_dim: [u32; 3], cube_count: [u32; 3]) -> UnitCoordinates {
    let units: u64 = cube_dim.iter().map(|d| u64::from(*d)).product();
    UnitCoordinates { unit: split(number % units.max(1), cube_dim), cube: split(number / units.max(1), cube_count) }
}
