//! Reductions along an axis. A trait defines the operation of a reduction. [`ReduceScope`] selects the units
//! that cooperate.
mod kernels;

use crate::UNITS;
use crate::rows::{COLUMN_WIDTH, Division, column_cube};
use cube_frontend::prelude::*;
use kernels::{reduce_by_cube, reduce_by_plane, reduce_by_unit, reduce_columns, reduce_rows};
use std::marker::PhantomData;

/// Intermediate result of a reduction.
#[derive(CubeType, Clone, Copy)]
pub struct Partial<N: Numeric> {
    /// The reduced value.
    pub value: N,
    /// Index of the value along the axis.
    pub index: u32,
    /// Number of reduced values.
    pub count: u32,
}

/// A reduction operation over values of type `N`.
#[cube]
pub trait Reduction<N: Numeric>: Send + Sync + 'static {
    /// Element type of the result.
    type Output: Numeric;
    /// The neutral element. For an empty axis, [`Reduction::finish`] receives this value with the count 0.
    fn identity() -> N;
    /// Combines two intermediate results that are not empty.
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N>;
    /// The final result. `all.count` is the number of values.
    fn finish(all: Partial<N>) -> Self::Output;
}

#[cube]
fn merge_partials<N: Numeric, K: Reduction<N>>(a: Partial<N>, b: Partial<N>) -> Partial<N> {
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

/// Sum of the values.
pub struct Sum;
/// Product of the values.
pub struct Prod;
/// Mean of the values. The mean of integers is rounded towards zero. The value type must represent the sum and the
/// count.
pub struct Mean;
/// An order of values, by which an extremum is selected.
#[cube]
pub trait Order<N: Numeric>: Send + Sync + 'static {
    /// The finite value that is last in the order: every other finite value precedes it.
    fn worst() -> N;
    /// Whether `a` precedes `b` in the order.
    fn precedes(a: N, b: N) -> bool;
}

/// Larger values first.
pub struct Largest;
/// Smaller values first.
pub struct Smallest;
/// The first value of an order. The result is NaN only if all values are NaN.
pub struct Best<O>(PhantomData<O>);
/// The index of the first value of an order. For equal values, the result is the smallest index.
pub struct IndexOfBest<O>(PhantomData<O>);

/// The maximum. The result is NaN only if all values are NaN.
pub type Max = Best<Largest>;
/// The minimum. The result is NaN only if all values are NaN.
pub type Min = Best<Smallest>;
/// The index of the maximum. For equal values, the result is the smallest index.
pub type ArgMax = IndexOfBest<Largest>;
/// The index of the minimum. For equal values, the result is the smallest index.
pub type ArgMin = IndexOfBest<Smallest>;

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
    fn precedes(a: N, b: N) -> bool {
        a > b
    }
}

#[cube]
impl<N: Numeric> Order<N> for Smallest {
    fn worst() -> N {
        N::max_value()
    }
    fn precedes(a: N, b: N) -> bool {
        a < b
    }
}

/// Selects the intermediate result whose value is first in the order. If the values are equal, selects the result
/// with the smaller index.
#[cube]
pub(crate) fn first_in_order<N: Numeric, O: Order<N>>(a: Partial<N>, b: Partial<N>) -> Partial<N> {
    let a_is_nan = a.value != a.value;
    let b_is_nan = b.value != b.value;
    let same = a.value == b.value || (a_is_nan && b_is_nan);
    let first = O::precedes(a.value, b.value) || (b_is_nan && !a_is_nan) || (same && a.index < b.index);
    if first { a } else { b }
}

#[cube]
impl<N: Numeric, O: Order<N>> Reduction<N> for Best<O> {
    type Output = N;
    fn identity() -> N {
        O::worst()
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        first_in_order::<N, O>(a, b)
    }
    fn finish(all: Partial<N>) -> N {
        all.value
    }
}

#[cube]
impl<N: Numeric, O: Order<N>> Reduction<N> for IndexOfBest<O> {
    type Output = u32;
    fn identity() -> N {
        O::worst()
    }
    fn merge(a: Partial<N>, b: Partial<N>) -> Partial<N> {
        first_in_order::<N, O>(a, b)
    }
    fn finish(all: Partial<N>) -> u32 {
        all.index
    }
}

/// Units that cooperate on one result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReduceScope {
    /// One unit.
    Unit,
    /// The units of a plane, through shuffles.
    Plane,
    /// The units of a cube, through shared memory.
    #[default]
    Cube,
}

/// Reduces a contiguous tensor along an axis. `output` has one element per remaining coordinate.
///
/// # Errors
/// The axis is not smaller than the rank, or the launch failed.
pub fn launch<R: Runtime, N: Numeric, K: Reduction<N>>(
    scope: ReduceScope,
    client: &ComputeClient<R::Server>,
    input: &cube_frontend::server::Handle,
    shape: &[usize],
    axis: usize,
    output: &cube_frontend::server::Handle,
) -> Result<(), LaunchError> {
    let Some(len) = shape.get(axis) else {
        return Err(crate::missing_axis(axis, shape));
    };
    launch_between::<R, N, N, K::Output, K>(scope, client, input, shape, axis, *len, output)
}

/// Reduces values of type `I`, accumulated as `N`, to values of type `O`. `len` is the length of the axis.
pub(crate) fn launch_between<R: Runtime, I: Numeric, N: Numeric, O: Numeric, K: Reduction<N>>(
    scope: ReduceScope,
    client: &ComputeClient<R::Server>,
    input: &cube_frontend::server::Handle,
    shape: &[usize],
    axis: usize,
    len: usize,
    output: &cube_frontend::server::Handle,
) -> Result<(), LaunchError> {
    let inner: usize = shape[axis + 1..].iter().product();
    let lines = shape[..axis].iter().product::<usize>() * inner;
    let source = crate::array::<I, R>(input, lines * len);
    let target = crate::array::<O, R>(output, lines);
    let (columns, contiguous) = (len, inner == 1 && len > 0 && lines > 0);
    let has_columns = inner >= COLUMN_WIDTH as usize;
    let [len, inner, all] = [len, inner, lines].map(|n| ScalarArg::new(n as u32));
    let dim = CubeDim::new_1d(UNITS);
    let cubes = |lines: usize| cube_frontend::calculate_cube_count_elemwise(lines, CubeDim::new_single());
    match scope {
        ReduceScope::Unit => {
            let count = cube_frontend::calculate_cube_count_elemwise(lines, dim);
            reduce_by_unit::try_launch::<I, N, O, K, R>(client, count, dim, source, target, len, inner, all)
        }
        // A cube has at least one full plane, so one cube per line is enough.
        ReduceScope::Plane => {
            let dim = CubeDim::new_1d(UNITS.max(client.properties().hardware.plane_size_max));
            reduce_by_plane::try_launch::<I, N, O, K, R>(client, cubes(lines), dim, source, target, len, inner, all)
        }
        ReduceScope::Cube if contiguous => {
            let Division { width, lines: length, units, own, full, planes, plane } =
                Division::new::<R, I>(client, columns);
            crate::check_size::<I>("input", input, lines * columns)?;
            crate::check_size::<O>("output", output, lines)?;
            let (length, own) = (ScalarArg::new(length), own.unwrap_or(0));
            let (source, dim) = (crate::array_of_lines::<I, R>(input, lines * columns, width), CubeDim::new_1d(units));
            let cubes = cubes(lines);
            // SAFETY: the input has `lines` rows of `length` lines, and the output one element for each row.
            unsafe {
                reduce_rows::try_launch_unchecked::<I, N, O, K, R>(
                    client, cubes, dim, source, target, length, all, own, full, units, planes, plane,
                )
            }
        }
        ReduceScope::Cube if has_columns => {
            let CubeDim { x: width, y: height, .. } = column_cube::<R>(client);
            let (cubes, dim) = (cubes(lines.div_ceil(width as usize)), CubeDim::new_2d(width, height));
            reduce_columns::try_launch::<I, N, O, K, R>(
                client, cubes, dim, source, target, len, inner, all, width, height,
            )
        }
        ReduceScope::Cube => {
            let (cubes, planes) = (cubes(lines), crate::rows::has_full_planes::<R>(client, UNITS));
            let plane = crate::rows::plane_width::<R>(client);
            reduce_by_cube::try_launch::<I, N, O, K, R>(
                client, cubes, dim, source, target, len, inner, all, UNITS, planes, plane,
            )
        }
    }
}
