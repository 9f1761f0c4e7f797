//! The kernels of reductions.
use super::{Partial, Reduction, merge_partials};
use crate::rows::inside;
use cube_frontend::prelude::*;

/// Reduces every `step`th value of an axis, starting at the index `first`. `start` and `stride` are in elements of
/// `input`.
#[cube]
fn reduce_strided<I: Numeric, N: Numeric, K: Reduction<N>>(
    input: &Array<I>,
    start: u32,
    stride: u32,
    len: u32,
    first: u32,
    step: u32,
) -> Partial<N> {
    let mut all = Partial::<N> { value: K::identity(), index: 0u32.runtime(), count: 0u32.runtime() };
    for i in range_stepped(first, len, step) {
        let one = Partial::<N> { value: N::cast_from(input[start + i * stride]), index: i, count: 1u32.runtime() };
        all = merge_partials::<N, K>(all, one);
    }
    all
}

#[cube(launch)]
pub(crate) fn reduce_by_unit<I: Numeric, N: Numeric, O: Numeric, K: Reduction<N>>(
    input: &Array<I>,
    output: &mut Array<O>,
    len: u32,
    inner: u32,
    lines: u32,
) {
    let line = ABSOLUTE_POS;
    if line < lines {
        let start = line / inner * len * inner + line % inner;
        output[line] = O::cast_from(K::finish(reduce_strided::<I, N, K>(input, start, inner, len, 0, 1)));
    }
}

/// Combines two intermediate results. If `full` is true, the caller guarantees that both contain values.
#[cube]
fn merge_full<N: Numeric, K: Reduction<N>>(a: Partial<N>, b: Partial<N>, #[comptime] full: bool) -> Partial<N> {
    if comptime!(full) {
        let mut all = K::merge(a, b);
        all.count = a.count + b.count;
        all
    } else {
        merge_partials::<N, K>(a, b)
    }
}

/// The intermediate result of the unit whose lane number differs by the bits of `distance`.
#[cube]
fn of_other_lane<N: Numeric>(own: Partial<N>, distance: u32) -> Partial<N> {
    Partial::<N> {
        value: plane_shuffle_xor(own.value, distance),
        index: plane_shuffle_xor(own.index, distance),
        count: plane_shuffle_xor(own.count, distance),
    }
}

/// Combines the intermediate results of the units of a plane. All units of the plane must call this function. `full`
/// states that the result of each unit contains values.
#[cube]
fn over_plane<N: Numeric, K: Reduction<N>>(own: Partial<N>, #[comptime] full: bool) -> Partial<N> {
    let mut all = own;
    let mut distance = PLANE_DIM / 2;
    while distance > 0 {
        let other = of_other_lane::<N>(all, distance);
        all = merge_full::<N, K>(all, other, full);
        distance /= 2;
    }
    all
}

/// Combines the intermediate results of aligned groups of `width` units of a plane. The width is a power of two. All units
/// of the plane must call this function. `full` states that the result of each unit contains values.
#[cube]
fn over_lanes<N: Numeric, K: Reduction<N>>(
    own: Partial<N>,
    #[comptime] width: u32,
    #[comptime] full: bool,
) -> Partial<N> {
    let mut all = own;
    #[unroll]
    for step in 0..comptime!(width.ilog2()) {
        let distance = comptime!(width >> (step + 1));
        let other = of_other_lane::<N>(all, distance);
        all = merge_full::<N, K>(all, other, full);
    }
    all
}

/// Combines the intermediate results of the units of a cube, which consists of full planes of `width` units. All units
/// of the cube must call this function. `full` states that the result of each unit contains values.
#[cube]
fn over_planes<N: Numeric, K: Reduction<N>>(
    own: Partial<N>,
    #[comptime] units: u32,
    #[comptime] full: bool,
    #[comptime] width: u32,
) -> Partial<N> {
    let mut all = over_lanes::<N, K>(own, width, full);
    let planes = comptime!(units / width);
    if comptime!(planes > 1) {
        let mut values = SharedMemory::<N>::new(planes);
        let mut indices = SharedMemory::<u32>::new(planes);
        let mut counts = SharedMemory::<u32>::new(planes);
        if UNIT_POS % width == 0 {
            values[UNIT_POS / width] = all.value;
            indices[UNIT_POS / width] = all.index;
            counts[UNIT_POS / width] = all.count;
        }
        sync_cube();
        // Each group of lanes combines the results of all planes.
        let plane = UNIT_POS % planes;
        let other = Partial::<N> { value: values[plane], index: indices[plane], count: counts[plane] };
        all = over_lanes::<N, K>(other, planes, full);
    }
    all
}

/// Combines the intermediate results of the units of a cube. All units of the cube must call this function. Only unit 0
/// receives the result. `full` states that the result of each unit contains values. `width` is the number of units of a
/// plane; 0 if the number is unknown. If `planes` is false, the units combine their values in shared memory, without plane
/// operations.
#[cube]
fn over_cube<N: Numeric, K: Reduction<N>>(
    own: Partial<N>,
    #[comptime] units: u32,
    #[comptime] full: bool,
    #[comptime] planes: bool,
    #[comptime] width: u32,
) -> Partial<N> {
    if comptime!(planes && width > 0 && units <= width * width) {
        over_planes::<N, K>(own, units, full, width)
    } else {
        over_steps::<N, K>(own, units, full, planes)
    }
}

/// [`over_cube`] for planes of unknown width, and without plane operations.
#[cube]
fn over_steps<N: Numeric, K: Reduction<N>>(
    own: Partial<N>,
    #[comptime] units: u32,
    #[comptime] full: bool,
    #[comptime] planes: bool,
) -> Partial<N> {
    let mut values = SharedMemory::<N>::new(units);
    let mut indices = SharedMemory::<u32>::new(units);
    let mut counts = SharedMemory::<u32>::new(units);
    let mut all = own;
    let mut writes = true;
    let mut at = UNIT_POS;
    if comptime!(planes) {
        all = over_plane::<N, K>(own, full);
        writes = UNIT_POS_PLANE == 0;
        at = UNIT_POS / PLANE_DIM;
    }
    if writes {
        values[at] = all.value;
        indices[at] = all.index;
        counts[at] = all.count;
    }
    sync_cube();
    if comptime!(planes) {
        // Each plane combines the results of all planes.
        let mut of_planes = Partial::<N> { value: K::identity(), index: 0u32.runtime(), count: 0u32.runtime() };
        for plane in range_stepped(UNIT_POS_PLANE, div_ceil(units, PLANE_DIM), PLANE_DIM) {
            let other = Partial::<N> { value: values[plane], index: indices[plane], count: counts[plane] };
            of_planes = merge_partials::<N, K>(of_planes, other);
        }
        all = over_plane::<N, K>(of_planes, false);
    } else {
        let mut half = units / 2;
        while half > 0 {
            if UNIT_POS < half {
                let far = UNIT_POS + half;
                let other = Partial::<N> { value: values[far], index: indices[far], count: counts[far] };
                all = merge_full::<N, K>(all, other, full);
                values[UNIT_POS] = all.value;
                indices[UNIT_POS] = all.index;
                counts[UNIT_POS] = all.count;
            }
            sync_cube();
            half /= 2;
        }
    }
    all
}

#[cube(launch)]
pub(crate) fn reduce_by_plane<I: Numeric, N: Numeric, O: Numeric, K: Reduction<N>>(
    input: &Array<I>,
    output: &mut Array<O>,
    len: u32,
    inner: u32,
    lines: u32,
) {
    let line = CUBE_POS * (CUBE_DIM / PLANE_DIM) + UNIT_POS / PLANE_DIM;
    let start = line / inner * len * inner + line % inner;
    // All units of a plane must execute its shuffles. A plane beyond the last line therefore reduces an empty line.
    let own_len = select(line < lines, len, 0);
    let own = reduce_strided::<I, N, K>(input, start, inner, own_len, UNIT_POS_PLANE, PLANE_DIM);
    let all = over_plane::<N, K>(own, false);
    if UNIT_POS_PLANE == 0 && line < lines {
        output[line] = O::cast_from(K::finish(all));
    }
}

#[cube(launch)]
pub(crate) fn reduce_by_cube<I: Numeric, N: Numeric, O: Numeric, K: Reduction<N>>(
    input: &Array<I>,
    output: &mut Array<O>,
    len: u32,
    inner: u32,
    lines: u32,
    #[comptime] units: u32,
    #[comptime] planes: bool,
    #[comptime] width: u32,
) {
    let line = CUBE_POS;
    let start = line / inner * len * inner + line % inner;
    let own_len = select(line < lines, len, 0);
    let own = reduce_strided::<I, N, K>(input, start, inner, own_len, UNIT_POS, units);
    let all = over_cube::<N, K>(own, units, false, planes, width);
    if UNIT_POS == 0 && line < lines {
        output[line] = O::cast_from(K::finish(all));
    }
}

/// Reduces lines whose consecutive values are `inner` elements apart. The units with the same `UNIT_POS_X` reduce one
/// line, so that the units of a plane access adjacent values.
#[cube(launch)]
pub(crate) fn reduce_columns<I: Numeric, N: Numeric, O: Numeric, K: Reduction<N>>(
    input: &Array<I>,
    output: &mut Array<O>,
    len: u32,
    inner: u32,
    lines: u32,
    #[comptime] width: u32,
    #[comptime] height: u32,
) {
    let line = CUBE_POS * width + UNIT_POS_X;
    let start = line / inner * len * inner + line % inner;
    let own_len = select(line < lines, len, 0);
    let mut all = reduce_strided::<I, N, K>(input, start, inner, own_len, UNIT_POS_Y, height);
    let mut values = SharedMemory::<N>::new(comptime!(width * height));
    let mut indices = SharedMemory::<u32>::new(comptime!(width * height));
    let mut counts = SharedMemory::<u32>::new(comptime!(width * height));
    values[UNIT_POS] = all.value;
    indices[UNIT_POS] = all.index;
    counts[UNIT_POS] = all.count;
    sync_cube();
    if UNIT_POS_Y == 0 && line < lines {
        for y in 1..height {
            let at = y * width + UNIT_POS_X;
            let other = Partial::<N> { value: values[at], index: indices[at], count: counts[at] };
            all = merge_partials::<N, K>(all, other);
        }
        output[line] = O::cast_from(K::finish(all));
    }
}

/// Adds the elements of a line to an intermediate result. `index` is the index of the first element. `is_first` states
/// that `all` contains no value yet.
#[cube]
fn with_line<I: Numeric, N: Numeric, K: Reduction<N>>(
    all: Partial<N>,
    line: Line<I>,
    index: u32,
    #[comptime] is_first: bool,
) -> Partial<N> {
    let mut all = all;
    #[unroll]
    for element in 0..line.size() {
        let one = Partial::<N> { value: N::cast_from(line[element]), index: index + element, count: 1u32.runtime() };
        if comptime!(is_first && element == 0) {
            all = one;
        } else {
            let count = all.count + 1;
            all = K::merge(all, one);
            all.count = count;
        }
    }
    all
}

/// Reduces contiguous rows, one per cube. Each unit first loads `own` lines of the row. If `full` is true, the row has
/// exactly `own * units` lines. If `own` is 0, the row can have any number of lines, and each unit loads one line at a
/// time. `plane` is the number of units of a plane; 0 if the number is unknown.
#[cube(launch_unchecked)]
pub(crate) fn reduce_rows<I: Numeric, N: Numeric, O: Numeric, K: Reduction<N>>(
    input: &Array<Line<I>>,
    output: &mut Array<O>,
    lines: u32,
    rows: u32,
    #[comptime] own: u32,
    #[comptime] full: bool,
    #[comptime] units: u32,
    #[comptime] planes: bool,
    #[comptime] plane: u32,
) {
    if CUBE_POS >= rows {
        terminate!();
    }
    let start = CUBE_POS * lines;
    let width = input.line_size();
    let mut all = Partial::<N> { value: K::identity(), index: 0u32.runtime(), count: 0u32.runtime() };
    if comptime!(own > 0) {
        let mut loaded = Array::<Line<I>>::vectorized(own, width);
        #[unroll]
        for i in 0..own {
            let at = i * units + UNIT_POS;
            if inside(at, lines, comptime!(full || i + 1 < own)) {
                loaded[i] = input[start + at];
            }
        }
        #[unroll]
        for i in 0..own {
            let at = i * units + UNIT_POS;
            if inside(at, lines, comptime!(full || i + 1 < own)) {
                all = with_line::<I, N, K>(all, loaded[i], at * width, comptime!(i == 0));
            }
        }
    } else {
        if UNIT_POS < lines {
            all = with_line::<I, N, K>(all, input[start + UNIT_POS], UNIT_POS * width, true);
            for at in range_stepped(UNIT_POS + units, lines, units) {
                all = with_line::<I, N, K>(all, input[start + at], at * width, false);
            }
        }
    }
    let all = over_cube::<N, K>(all, units, comptime!(full && own > 0), planes, plane);
    if UNIT_POS == 0 {
        output[CUBE_POS] = O::cast_from(K::finish(all));
    }
}
