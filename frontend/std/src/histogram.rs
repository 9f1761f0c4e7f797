//! Histograms: the number of values in each of several intervals of equal width.
use cube_frontend::prelude::*;
use cube_frontend::server::Handle;

/// Number of units of a cube.
const UNITS: u32 = 256;
/// Number of values that a unit counts.
const VALUES_PER_UNIT: usize = 16;
/// Maximum number of bins that a cube counts in shared memory. Counters of more bins are in global memory only.
const MAX_SHARED_BINS: usize = 2048;

/// The bin of a value, or `bins` if the value is in no bin. The last bin contains `high`.
#[cube]
fn bin_of<F: Float>(value: F, low: F, high: F, bins: u32) -> u32 {
    let mut bin = bins;
    if value >= low && value <= high {
        // Because of rounding, the quotient can be `bins` for a value below `high`.
        bin = Min::min(u32::cast_from((value - low) / (high - low) * F::cast_from(bins)), bins - 1);
    }
    bin
}

#[cube(launch)]
fn count_in_shared<F: Float>(
    input: &Array<F>,
    counts: &mut Array<Atomic<u32>>,
    low: F,
    high: F,
    #[comptime] bins: u32,
    #[comptime] units: u32,
) {
    let own = SharedMemory::<Atomic<u32>>::new(bins);
    for bin in range_stepped(UNIT_POS, bins, units) {
        Atomic::store(&own[bin], 0);
    }
    sync_cube();
    for at in range_stepped(ABSOLUTE_POS, input.len(), CUBE_COUNT * units) {
        let bin = bin_of::<F>(input[at], low, high, bins);
        if bin < bins {
            Atomic::add(&own[bin], 1);
        }
    }
    sync_cube();
    for bin in range_stepped(UNIT_POS, bins, units) {
        Atomic::add(&counts[bin], Atomic::load(&own[bin]));
    }
}

#[cube(launch)]
fn count_in_global<F: Float>(input: &Array<F>, counts: &mut Array<Atomic<u32>>, low: F, high: F) {
    for at in range_stepped(ABSOLUTE_POS, input.len(), CUBE_COUNT * CUBE_DIM) {
        let bin = bin_of::<F>(input[at], low, high, counts.len());
        if bin < counts.len() {
            Atomic::add(&counts[bin], 1);
        }
    }
}

/// Adds the number of values in each bin to `counts`, which contains `bins` numbers of type `u32`. Bin `i` contains the
/// values from `low + i * (high - low) / bins` up to the start of the next bin, computed in `F`. The last bin also
/// contains `high`. Other values and NaN are not counted.
///
/// # Errors
/// The number of bins is 0, `low` is not less than `high`, or the launch failed.
pub fn histogram<R: Runtime, F: Float + CubeElement>(
    client: &ComputeClient<R::Server>,
    input: &Handle,
    len: usize,
    [low, high]: [F; 2],
    counts: &Handle,
    bins: usize,
) -> Result<(), LaunchError> {
    if bins == 0 || u32::try_from(bins).is_err() {
        return Err(LaunchError::of_user(format!("a histogram of {bins} bins; use 1 to {} bins", u32::MAX)));
    }
    if low.partial_cmp(&high) != Some(std::cmp::Ordering::Less) {
        return Err(LaunchError::of_user(
            "the low end of the histogram is not less than the high end; use finite numbers in ascending order",
        ));
    }
    if len == 0 {
        return Ok(());
    }
    let cubes = len.div_ceil(UNITS as usize * VALUES_PER_UNIT).min(4096) as u32;
    let (count, dim) = (CubeCount::new_1d(cubes), CubeDim::new_1d(UNITS));
    let (input, counts) = (crate::array::<F, R>(input, len), crate::array::<u32, R>(counts, bins));
    let (low, high) = (ScalarArg::new(low), ScalarArg::new(high));
    if bins <= MAX_SHARED_BINS {
        count_in_shared::try_launch::<F, R>(client, count, dim, input, counts, low, high, bins as u32, UNITS)
    } else {
        count_in_global::try_launch::<F, R>(client, count, dim, input, counts, low, high)
    }
}
