//! Reductions along an axis: what is reduced is a trait, who does it is a choice.
use crate::UNITS;
use cube_frontend::prelude::*;
use std::marker::PhantomData;

/// What a reduction has seen so far: a value, where it was, and whether there was one at all.
#[derive(CubeType, Clone, Copy)]
pub struct Partial<N: Numeric> {
    /// The value.
    pub value: N,
    /// Its number along the axis.
    pub index: u32,
    /// How many values there were.
    pub count: u32,
}

/// A reduction.
#[cube]
pub trait Reduction<N: Numeric>: Send + Sync + 'static {
    /// What comes out.
    type Output: Numeric;
    /// The value that changes nothing; it is never looked at where no value was seen, unless the axis is empty.
    fn identity() -> N;
    /// Two parts together. Neither is empty.
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N>;
    /// The result over `count` values.
    fn finish(all: Partial<N>) -> Self::Output;
}

#[cube]
fn both<N: Numeric, K: Reduction<N>>(a: Partial<N>, b: Partial<N>) -> Partial<N> {
    let mut all = a;
    if b.count > 0 {
        if a.count > 0 {
            all = K::merge(a, b);
            all.count = a.count + b.count;
        } else {
            all = b;
        }
    }
    all
}

/// The sum.
pub struct Sum;
/// The product.
pub struct Prod;
/// The mean; of integers, rounded towards zero. Sum and count have the type of the values: take one that holds both.
pub struct Mean;
/// Which of two values is wanted.
#[cube]
pub trait Order<N: Numeric>: Send + Sync + 'static {
    /// The value that every other one beats.
    fn worst() -> N;
    /// Whether the first is better.
    fn beats(a: N, b: N) -> bool;
}

/// Larger values are better.
pub struct Largest;
/// Smaller values are better.
pub struct Smallest;
/// The best value of an order; NaN only where there is nothing else.
pub struct Best<O>(PhantomData<O>);
/// Where the best value of an order is, the first of several.
pub struct WhereBest<O>(PhantomData<O>);

/// The largest value; NaN only where there is nothing else.
pub type Max = Best<Largest>;
/// The smallest value; NaN only where there is nothing else.
pub type Min = Best<Smallest>;
/// Where the largest value is, the first of several.
pub type ArgMax = WhereBest<Largest>;
/// Where the smallest value is, the first of several.
pub type ArgMin = WhereBest<Smallest>;

#[cube]
impl<N: Numeric> Reduction<N> for Sum {
    type Output = N;
    fn identity() -> N {
        N::from_int(0)
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        Partial::<N> { value: a.value + b.value, index: a.index, count: a.count }
    }
    fn finish(all: Partial<N>) -> N {
        all.value
    }
}

#[cube]
impl<N: Numeric> Reduction<N> for Prod {
    type Output = N;
    fn identity() -> N {
        N::from_int(1)
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        Partial::<N> { value: a.value * b.value, index: a.index, count: a.count }
    }
    fn finish(all: Partial<N>) -> N {
        all.value
    }
}

#[cube]
impl<N: Numeric> Reduction<N> for Mean {
    type Output = N;
    fn identity() -> N {
        N::from_int(0)
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        Partial::<N> { value: a.value + b.value, index: a.index, count: a.count }
    }
    fn finish(all: Partial<N>) -> N {
        all.value / N::cast_from(all.count)
    }
}

#[cube]
impl<N: Numeric> Order<N> for Largest {
    fn worst() -> N {
        N::min_value()
    }
    fn beats(a: N, b: N) -> bool {
        a > b
    }
}

#[cube]
impl<N: Numeric> Order<N> for Smallest {
    fn worst() -> N {
        N::max_value()
    }
    fn beats(a: N, b: N) -> bool {
        a < b
    }
}

/// The part with the better value, or with the same one earlier.
#[cube]
fn better<N: Numeric, O: Order<N>>(a: Partial<N>, b: Partial<N>) -> Partial<N> {
    let a_is_nan = a.value != a.value;
    let b_is_nan = b.value != b.value;
    let same = a.value == b.value || (a_is_nan && b_is_nan);
    let first = O::beats(a.value, b.value) || (b_is_nan && !a_is_nan) || (same && a.index < b.index);
    if first { a } else { b }
}

#[cube]
impl<N: Numeric, O: Order<N>> Reduction<N> for Best<O> {
    type Output = N;
    fn identity() -> N {
        O::worst()
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        better::<N, O>(a, b)
    }
    fn finish(all: Partial<N>) -> N {
        all.value
    }
}

#[cube]
impl<N: Numeric, O: Order<N>> Reduction<N> for WhereBest<O> {
    type Output = u32;
    fn identity() -> N {
        O::worst()
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        better::<N, O>(a, b)
    }
    fn finish(all: Partial<N>) -> u32 {
        all.index
    }
}

/// Who reduces one line of the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// One unit.
    Unit,
    /// The units of a plane, with shuffles.
    Plane,
    /// The units of a cube, through shared memory.
    #[default]
    Cube,
}

/// What one unit sees of an axis: every `step`th value from `first` on.
#[cube]
fn gathered<N: Numeric, K: Reduction<N>>(
    input: &Array<N>,
    start: u32,
    stride: u32,
    len: u32,
    first: u32,
    step: u32,
) -> Partial<N> {
    let mut all = Partial::<N> { value: K::identity(), index: 0u32.runtime(), count: 0u32.runtime() };
    for i in range_stepped(first, len, step) {
        let one = Partial::<N> { value: input[start + i * stride], index: i, count: 1u32.runtime() };
        all = both::<N, K>(all, one);
    }
    all
}

#[cube(launch)]
fn reduce_by_unit<N: Numeric, K: Reduction<N>>(
    input: &Array<N>,
    output: &mut Array<K::Output>,
    len: u32,
    inner: u32,
    lines: u32,
) {
    let line = ABSOLUTE_POS;
    if line < lines {
        let start = line / inner * len * inner + line % inner;
        output[line] = K::finish(gathered::<N, K>(input, start, inner, len, 0, 1));
    }
}

#[cube(launch)]
fn reduce_by_plane<N: Numeric, K: Reduction<N>>(
    input: &Array<N>,
    output: &mut Array<K::Output>,
    len: u32,
    inner: u32,
    lines: u32,
) {
    let line = CUBE_POS * (CUBE_DIM / PLANE_DIM) + UNIT_POS / PLANE_DIM;
    let start = line / inner * len * inner + line % inner;
    // Lines beyond the last are empty: all units of a plane take part in its shuffles.
    let mine = select(line < lines, len, 0);
    let mut all = gathered::<N, K>(input, start, inner, mine, UNIT_POS_PLANE, PLANE_DIM);
    let mut distance = PLANE_DIM / 2;
    while distance > 0 {
        let other = Partial::<N> {
            value: plane_shuffle_xor(all.value, distance),
            index: plane_shuffle_xor(all.index, distance),
            count: plane_shuffle_xor(all.count, distance),
        };
        all = both::<N, K>(all, other);
        distance /= 2;
    }
    if UNIT_POS_PLANE == 0 && line < lines {
        output[line] = K::finish(all);
    }
}

#[cube(launch)]
fn reduce_by_cube<N: Numeric, K: Reduction<N>>(
    input: &Array<N>,
    output: &mut Array<K::Output>,
    len: u32,
    inner: u32,
    lines: u32,
    #[comptime] units: u32,
) {
    let line = CUBE_POS;
    let mut values = SharedMemory::<N>::new(units);
    let mut indices = SharedMemory::<u32>::new(units);
    let mut counts = SharedMemory::<u32>::new(units);
    let start = line / inner * len * inner + line % inner;
    let mine = select(line < lines, len, 0);
    let first = gathered::<N, K>(input, start, inner, mine, UNIT_POS, units);
    values[UNIT_POS] = first.value;
    indices[UNIT_POS] = first.index;
    counts[UNIT_POS] = first.count;
    sync_cube();
    let mut half = units / 2;
    while half > 0 {
        if UNIT_POS < half {
            let far = UNIT_POS + half;
            let a = Partial::<N> { value: values[UNIT_POS], index: indices[UNIT_POS], count: counts[UNIT_POS] };
            let b = Partial::<N> { value: values[far], index: indices[far], count: counts[far] };
            let all = both::<N, K>(a, b);
            values[UNIT_POS] = all.value;
            indices[UNIT_POS] = all.index;
            counts[UNIT_POS] = all.count;
        }
        sync_cube();
        half /= 2;
    }
    if UNIT_POS == 0 && line < lines {
        output[line] = K::finish(Partial::<N> { value: values[0], index: indices[0], count: counts[0] });
    }
}

/// Reduces a tensor without gaps along an axis; `output` has an element for each line along it.
///
/// # Errors
/// There is no such axis, or the launch failed.
pub fn launch<R: Runtime, N: Numeric, K: Reduction<N>>(
    level: Level,
    client: &ComputeClient<R::Server>,
    input: &cube_frontend::server::Handle,
    shape: &[usize],
    axis: usize,
    output: &cube_frontend::server::Handle,
) -> Result<(), LaunchError> {
    let Some(len) = shape.get(axis) else {
        return Err(LaunchError::of_user(format!("a tensor of {} dimensions has no axis {axis}", shape.len())));
    };
    let inner: usize = shape[axis + 1..].iter().product();
    let lines = shape[..axis].iter().product::<usize>() * inner;
    let source = crate::array::<N, R>(input, lines * len);
    let target = crate::array::<K::Output, R>(output, lines);
    let [len, inner, all] = [*len, inner, lines].map(|n| ScalarArg::new(n as u32));
    let dim = CubeDim::new_1d(UNITS);
    let cubes = |lines: usize| cube_frontend::calculate_cube_count_elemwise(lines, CubeDim::new_single());
    match level {
        Level::Unit => {
            let count = cube_frontend::calculate_cube_count_elemwise(lines, dim);
            reduce_by_unit::try_launch::<N, K, R>(client, count, dim, source, target, len, inner, all)
        }
        // A plane has at least one unit: with as many cubes as there are lines there are enough planes.
        Level::Plane => {
            reduce_by_plane::try_launch::<N, K, R>(client, cubes(lines), dim, source, target, len, inner, all)
        }
        Level::Cube => {
            reduce_by_cube::try_launch::<N, K, R>(client, cubes(lines), dim, source, target, len, inner, all, UNITS)
        }
    }
}
