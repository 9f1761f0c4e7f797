//! Random numbers that depend only on a seed and a position, not on the execution order. Generator: Philox
//! 4x32-10 (Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011).
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Four 32-bit words.
#[derive(CubeType, Clone, Copy)]
pub struct Words {
    /// Word 0.
    pub a: u32,
    /// Word 1.
    pub b: u32,
    /// Word 2.
    pub c: u32,
    /// Word 3.
    pub d: u32,
}

/// Philox 4x32-10: maps a counter of four words and a key of two words to four random words.
#[cube]
pub fn philox(counter: Words, key_low: u32, key_high: u32) -> Words {
    let mut x = counter;
    let mut low = key_low;
    let mut high = key_high;
    #[unroll]
    for _ in 0..10u32 {
        let (first, second) = (0xD251_1F53u32.runtime(), 0xCD9E_8D57u32.runtime());
        let (high_a, low_a) = (u32::mul_hi(x.a, first), x.a * first);
        let (high_c, low_c) = (u32::mul_hi(x.c, second), x.c * second);
        x = Words { a: high_c ^ x.b ^ low, b: low_c, c: high_a ^ x.d ^ high, d: low_a };
        low += 0x9E37_79B9;
        high += 0xBB67_AE85;
    }
    x
}

/// A number in `[0, 1)` with 24 random bits.
#[cube]
pub fn to_unit(word: u32) -> f32 {
    f32::cast_from(word >> 8) * 5.960_464_5e-8
}

#[cube]
pub(crate) fn words_at(position: u32, seed_low: u32, seed_high: u32, stream: u32) -> Words {
    let counter = Words { a: position, b: 0u32.runtime(), c: stream, d: 0u32.runtime() };
    philox(counter, seed_low, seed_high)
}

/// A number of the standard normal distribution, by the transformation of Box and Muller, 1958.
#[cube]
pub(crate) fn bell(words: Words) -> f32 {
    // The argument of the logarithm is positive.
    let radius = f32::sqrt(-2.0 * Log::log(1.0 - to_unit(words.a)));
    radius * f32::cos(to_unit(words.b) * 6.283_185_5)
}

#[cube(launch)]
fn uniform_kernel<F: Float>(output: &mut Array<F>, seed_low: u32, seed_high: u32, low: F, high: F) {
    let i = ABSOLUTE_POS;
    if i < output.len() {
        let x = low + F::cast_from(to_unit(words_at(i, seed_low, seed_high, 0).a)) * (high - low);
        // Rounding can give the result `high`, which is excluded. It is replaced by `low`.
        output[i] = select(x < high, x, low);
    }
}

#[cube(launch)]
fn normal_kernel<F: Float>(output: &mut Array<F>, seed_low: u32, seed_high: u32, mean: F, deviation: F) {
    let i = ABSOLUTE_POS;
    if i < output.len() {
        output[i] = mean + F::cast_from(bell(words_at(i, seed_low, seed_high, 1))) * deviation;
    }
}

#[cube(launch)]
pub(crate) fn bernoulli_kernel<F: Numeric>(output: &mut Array<F>, seed_low: u32, seed_high: u32, probability: f32) {
    let i = ABSOLUTE_POS;
    if i < output.len() {
        let x = to_unit(words_at(i, seed_low, seed_high, 2).a);
        output[i] = select(x < probability, F::from_int(1), F::from_int(0));
    }
}

/// The low and the high word of a seed.
pub(crate) fn seed_words(seed: u64) -> [ScalarArg<u32>; 2] {
    [ScalarArg::new(seed as u32), ScalarArg::new((seed >> 32) as u32)]
}

/// Fills `output`, which has `len` elements, with uniformly distributed numbers. `range` is the pair `(low, high)`. The
/// numbers are at least `low` and below `high`.
///
/// # Errors
/// The launch failed.
pub fn uniform<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    output: &Handle,
    len: usize,
    seed: u64,
    range: (F, F),
) -> Result<(), LaunchError> {
    let (count, dim) = crate::cubes(len);
    let [a, b] = seed_words(seed);
    let (low, high) = (ScalarArg::new(range.0), ScalarArg::new(range.1));
    uniform_kernel::try_launch::<F, R>(client, count, dim, crate::array::<F, R>(output, len), a, b, low, high)
}

/// Fills `output`, which has `len` elements, with normally distributed numbers. `deviation` is the standard
/// deviation.
///
/// # Errors
/// The launch failed.
pub fn normal<R: Runtime, F: Float>(
    client: &ComputeClient<R::Server>,
    output: &Handle,
    len: usize,
    seed: u64,
    mean: F,
    deviation: F,
) -> Result<(), LaunchError> {
    let (count, dim) = crate::cubes(len);
    let [a, b] = seed_words(seed);
    let (mean, deviation) = (ScalarArg::new(mean), ScalarArg::new(deviation));
    normal_kernel::try_launch::<F, R>(client, count, dim, crate::array::<F, R>(output, len), a, b, mean, deviation)
}

/// Fills `output`, which has `len` elements, with zeros and ones. `probability` is the probability of a one.
///
/// # Errors
/// The launch failed.
pub fn bernoulli<R: Runtime, F: Numeric>(
    client: &ComputeClient<R::Server>,
    output: &Handle,
    len: usize,
    seed: u64,
    probability: f32,
) -> Result<(), LaunchError> {
    let (count, dim) = crate::cubes(len);
    let [a, b] = seed_words(seed);
    let probability = ScalarArg::new(probability);
    bernoulli_kernel::try_launch::<F, R>(client, count, dim, crate::array::<F, R>(output, len), a, b, probability)
}
