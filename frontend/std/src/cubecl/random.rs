//! `cubecl::random` of CubeCL 0.8.1: random numbers in a tensor. The same seed produces different numbers than in
//! CubeCL.
use crate::random::{bell, seed_words, words_at};
use cube_frontend::prelude::*;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};

pub use crate::random::*;

/// The seed of the next call; `None` before the first call.
static NEXT_SEED: Mutex<Option<u64>> = Mutex::new(None);

/// Sets the seed of the next call in this process. Each call derives the seed of the call after it. Without a call of
/// `seed`, the first seed is random.
pub fn seed(seed: u64) {
    *NEXT_SEED.lock().unwrap_or_else(PoisonError::into_inner) = Some(seed);
}

fn next_seed() -> u64 {
    let mut next = NEXT_SEED.lock().unwrap_or_else(PoisonError::into_inner);
    let seed = next.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    *next = Some(seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F));
    seed
}

/// A number in `[0, 1)` with 24 random bits.
#[cube]
pub fn to_unit_interval_closed_open(int_random: u32) -> f32 {
    to_unit(int_random)
}

/// A number in `(0, 1)` with 23 random bits.
#[cube]
pub fn to_unit_interval_open(int_random: u32) -> f32 {
    (f32::cast_from(int_random >> 9) + 1.0) / 8_388_609.0
}

#[cube(launch)]
fn uniform_numbers<E: Numeric>(
    output: &mut Array<E>,
    seed_low: u32,
    seed_high: u32,
    low: E,
    high: E,
    #[comptime] whole: bool,
) {
    let i = ABSOLUTE_POS;
    if i < output.len() {
        let from = f32::cast_from(low);
        let mut x = from + to_unit(words_at(i, seed_low, seed_high, 0).a) * (f32::cast_from(high) - from);
        if whole {
            x = f32::floor(x);
        }
        // Rounding can give a result outside of the range. Such a result is replaced by `low`.
        let number = E::cast_from(x);
        output[i] = select(number >= low && number < high, number, low);
    }
}

#[cube(launch)]
fn normal_numbers<E: Numeric>(output: &mut Array<E>, seed_low: u32, seed_high: u32, mean: E, deviation: E) {
    let i = ABSOLUTE_POS;
    if i < output.len() {
        let x = bell(words_at(i, seed_low, seed_high, 1));
        output[i] = E::cast_from(f32::cast_from(mean) + x * f32::cast_from(deviation));
    }
}

/// The tensor as an argument that contains all its elements, with the cube count and the cube dim of a launch.
fn elements<'a, R: Runtime, E: Numeric>(out: &TensorHandleRef<'a, R>) -> (ArrayArg<'a, R>, CubeCount, CubeDim) {
    assert_eq!(Some(out.elem_size), E::size(), "the tensor's element type is not `{}`", std::any::type_name::<E>());
    let len = out.shape.iter().product();
    let (count, dim) = crate::cubes(len);
    (crate::array::<E, R>(out.handle, len), count, dim)
}

/// Fills a contiguous tensor with uniformly distributed numbers in `[lower_bound, upper_bound)`. A failure of the
/// launch is reported when the tensor is read.
///
/// # Panics
/// The tensor's elements do not have the size of `E`.
pub fn random_uniform<R: Runtime, E: Numeric>(
    client: &ComputeClient<R::Server>,
    lower_bound: E,
    upper_bound: E,
    out: TensorHandleRef<'_, R>,
) {
    let (all, count, dim) = elements::<R, E>(&out);
    let [a, b] = seed_words(next_seed());
    let (low, high) = (ScalarArg::new(lower_bound), ScalarArg::new(upper_bound));
    let whole = !E::elem().is_float();
    uniform_numbers::launch::<E, R>(client, count, dim, all, a, b, low, high, whole);
}

/// Fills a contiguous tensor with normally distributed numbers. A failure of the launch is reported when the tensor is
/// read.
///
/// # Panics
/// The tensor's elements do not have the size of `E`.
pub fn random_normal<R: Runtime, E: Numeric>(
    client: &ComputeClient<R::Server>,
    mean: E,
    std: E,
    out: TensorHandleRef<'_, R>,
) {
    let (all, count, dim) = elements::<R, E>(&out);
    let [a, b] = seed_words(next_seed());
    normal_numbers::launch::<E, R>(client, count, dim, all, a, b, ScalarArg::new(mean), ScalarArg::new(std));
}

/// Fills a contiguous tensor with zeros and ones. `probability` is the probability of a one. A failure of the launch is
/// reported when the tensor is read.
///
/// # Panics
/// The tensor's elements do not have the size of `E`.
pub fn random_bernoulli<R: Runtime, E: Numeric>(
    client: &ComputeClient<R::Server>,
    probability: f32,
    out: TensorHandleRef<'_, R>,
) {
    let (all, count, dim) = elements::<R, E>(&out);
    let [a, b] = seed_words(next_seed());
    bernoulli_kernel::launch::<E, R>(client, count, dim, all, a, b, ScalarArg::new(probability));
}
