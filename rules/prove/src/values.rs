//! Test values: all values of a type, or a structured subset.
use cube_semantics::{Number, convert::of_double, ints::mask};

/// A small generator of pseudo-random numbers (xorshift64*), with a fixed seed.
pub struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random::new()
    }
}

impl Random {
    /// A generator in its fixed initial state.
    pub fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// A random value: arbitrary bits, a number near 0, or a number with few bits set.
pub fn random(ty: Number, random: &mut Random) -> u64 {
    let most = mask(ty.bits().clamp(1, 64));
    let bits = random.draw();
    match random.draw() % 4 {
        0 if !ty.is_float() => (bits % 40) & most,
        1 if !ty.is_float() => (bits % 40).wrapping_neg() & most,
        2 => bits & random.draw() & random.draw() & most,
        _ => bits & most,
    }
}

/// All bit patterns of a type of at most 16 bits.
pub fn all(ty: Number) -> Vec<u64> {
    (0..=mask(ty.bits().min(16))).collect()
}

/// About `count` values of a type: all values of a small type, otherwise special values and random values.
pub fn some(ty: Number, count: usize) -> Vec<u64> {
    let most = mask(ty.bits());
    if most < count as u64 {
        return all(ty);
    }
    let mut values: Vec<u64> = match ty {
        Number::Int(bits) => {
            let powers = (0..bits).flat_map(|power| [1u64 << power, (1 << power) - 1, (1u64 << power).wrapping_neg()]);
            let small = [0, 1, 2, 3, 5, 7, 10, bits.into(), u64::from(bits) - 1, most, most - 1, most >> 1, most / 3];
            small.into_iter().chain(powers).map(|value| value & most).collect()
        }
        Number::Float(_) => {
            let one = [0.0, 1.0, 2.0, 0.5, 3.0, 1.5, 0.1, 4.0, 100.0, 1e-3, f64::INFINITY, 60000.0];
            let infinity = of_double(f64::INFINITY, ty);
            let smallest_normal = infinity & infinity.wrapping_neg();
            let edges = [1, 2, infinity - 1, smallest_normal, smallest_normal - 1, smallest_normal + 1, infinity + 1];
            let sign = most ^ (most >> 1);
            let positive = one.map(|x| of_double(x, ty)).into_iter().chain(edges);
            positive.flat_map(|bits| [bits, bits | sign]).collect()
        }
    };
    let mut random = Random::new();
    values.truncate(count);
    while values.len() < count {
        values.push(random.draw() & most);
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// Finite values whose products neither overflow nor underflow: magnitudes from 1/16 to 16, and a few special
/// values.
pub fn moderate(ty: Number, count: usize) -> Vec<u64> {
    if !ty.is_float() {
        return some(ty, count);
    }
    let mut random = Random::new();
    let mut values = vec![1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, 0.75, -1.25];
    while values.len() < count {
        let fraction = 1.0 + random.draw() as f64 / u64::MAX as f64;
        let power = 2f64.powi((random.draw() % 8) as i32 - 4);
        values.push(if random.draw() & 1 == 0 { fraction * power } else { -fraction * power });
    }
    values.into_iter().take(count).map(|x| of_double(x, ty)).collect()
}

/// Values of a float type whose magnitudes cover its middle range, from 16 times the smallest normal number to 1/16 of
/// the largest number.
pub fn middle(ty: Number, count: usize) -> Vec<u64> {
    spread(ty, count, 16.0)
}

/// Values of a float type up to its limits: the largest and the smallest normal numbers, subnormal numbers, and numbers
/// between them.
pub fn edges(ty: Number, count: usize) -> Vec<u64> {
    if !ty.is_float() {
        return some(ty, count);
    }
    let infinity = of_double(f64::INFINITY, ty);
    let smallest = infinity & infinity.wrapping_neg();
    let own = [infinity - 1, smallest, smallest - 1, 1];
    own.into_iter().chain(spread(ty, count.saturating_sub(4), 1.0)).take(count).collect()
}

// Values whose exponents are distributed evenly. The ends of the range, their square roots and 1 come first.
fn spread(ty: Number, count: usize, margin: f64) -> Vec<u64> {
    if !ty.is_float() {
        return some(ty, count);
    }
    let [low, high] = crate::condition::limits(ty);
    let (low, high) = ((low * margin).log2().ceil(), (high / margin).log2().floor());
    let mut random = Random::new();
    let powers = [high, low, 0.0, (high / 2.0).floor() + 1.0, (low / 2.0).floor() - 1.0, high / 4.0];
    let mut values: Vec<f64> = powers.into_iter().map(|power| 2f64.powf(power.floor())).collect();
    values.insert(3, -1.25);
    while values.len() < count {
        let part = random.draw() as f64 / u64::MAX as f64;
        let number = (low + part * (high - low - 1.0)).exp2();
        values.push(if random.draw() & 1 == 0 { number } else { -number });
    }
    let [_, largest] = crate::condition::limits(ty);
    values.into_iter().take(count).map(|x| of_double(x.clamp(-largest, largest), ty)).collect()
}

/// Special values of a float type: zeros, infinities, NaN, and four finite numbers.
pub fn special(ty: Number) -> Vec<u64> {
    if !ty.is_float() {
        return some(ty, 8);
    }
    let all = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0, 1.75, -2.5];
    all.map(|x| of_double(x, ty)).to_vec()
}

/// Calls `visit` for each tuple that contains one value of each list, until the first error. Returns the
/// number of tuples. The lists must not be empty.
pub fn product<E>(lists: &[Vec<u64>], visit: &mut dyn FnMut(&[u64]) -> Result<(), E>) -> Result<u64, E> {
    let mut places = vec![0usize; lists.len()];
    let mut values: Vec<u64> = lists.iter().map(|list| list[0]).collect();
    let mut count = 0;
    loop {
        visit(&values)?;
        count += 1;
        let mut axis = 0;
        loop {
            if axis == lists.len() {
                return Ok(count);
            }
            places[axis] += 1;
            if places[axis] < lists[axis].len() {
                values[axis] = lists[axis][places[axis]];
                break;
            }
            places[axis] = 0;
            values[axis] = lists[axis][0];
            axis += 1;
        }
    }
}
