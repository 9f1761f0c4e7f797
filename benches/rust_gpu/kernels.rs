//! Kernels of the crates `krnl` and `autograph`, and of rust-gpu's article on matrix products, written for Cube: the same
//! algorithms, types and parameters.
//!
//! `cargo xtask compat sizes` compares the SPIR-V of these kernels with modules that rust-gpu compiled. Values that are
//! specialisation constants of `krnl` are scalar arguments here.
use cube::prelude::*;

/// The value of each element.
#[cube(launch)]
pub fn fill<T: Numeric>(value: T, y: &mut Array<T>) {
    let mut i = ABSOLUTE_POS;
    while i < y.len() {
        y[i] = value;
        i += CUBE_COUNT * CUBE_DIM;
    }
}

#[cube(launch)]
pub fn cast<X: Numeric, Y: Numeric>(x: &Array<X>, y: &mut Array<Y>) {
    let items = Min::min(x.len(), y.len());
    let mut i = ABSOLUTE_POS;
    while i < items {
        y[i] = Y::cast_from(x[i]);
        i += CUBE_COUNT * CUBE_DIM;
    }
}

#[cube]
fn positive<T: Numeric>(x: T, result: T) -> T {
    if x >= T::from_int(0) { result } else { T::from_int(0) }
}

#[cube(launch)]
pub fn relu_mut<T: Numeric>(x: &mut Array<T>) {
    let mut i = ABSOLUTE_POS;
    while i < x.len() {
        x[i] = positive::<T>(x[i], x[i]);
        i += CUBE_COUNT * CUBE_DIM;
    }
}

#[cube(launch)]
pub fn relu<T: Numeric>(x: &Array<T>, y: &mut Array<T>) {
    let items = Min::min(x.len(), y.len());
    let mut i = ABSOLUTE_POS;
    while i < items {
        y[i] = positive::<T>(x[i], x[i]);
        i += CUBE_COUNT * CUBE_DIM;
    }
}

#[cube(launch)]
pub fn relu_backward<T: Numeric>(x: &Array<T>, dy: &Array<T>, dx: &mut Array<T>) {
    let items = Min::min(Min::min(x.len(), dy.len()), dx.len());
    let mut i = ABSOLUTE_POS;
    while i < items {
        dx[i] = positive::<T>(x[i], dy[i]);
        i += CUBE_COUNT * CUBE_DIM;
    }
}

#[cube(launch)]
pub fn relu_backward_mut<T: Numeric>(x: &Array<T>, dy: &mut Array<T>) {
    let items = Min::min(x.len(), dy.len());
    let mut i = ABSOLUTE_POS;
    while i < items {
        dy[i] = positive::<T>(x[i], dy[i]);
        i += CUBE_COUNT * CUBE_DIM;
    }
}

#[cube(launch)]
pub fn sgd_update_with_momentum<T: Float>(w: &mut Array<T>, dw: &Array<T>, rate: T, momentum: T, v: &mut Array<T>) {
    let items = Min::min(Min::min(w.len(), dw.len()), v.len());
    let mut i = ABSOLUTE_POS;
    while i < items {
        v[i] = momentum * v[i] + dw[i];
        w[i] -= rate * v[i];
        i += CUBE_COUNT * CUBE_DIM;
    }
}

/// The sizes and strides of a matrix product, with the number of parts of the inner dimension.
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug)]
pub struct Product {
    pub m: u32,
    pub k: u32,
    pub n: u32,
    pub parts: u32,
    pub row_a: i32,
    pub column_a: i32,
    pub row_b: i32,
    pub column_b: i32,
    pub row_c: i32,
    pub column_c: i32,
    pub offset_a: u32,
    pub offset_b: u32,
    pub offset_c: u32,
}

/// Adds the products of eight columns of `a_tile` and eight rows of `b_tile` to a unit's four sums.
#[cube]
fn add_products<T: Numeric>(a_tile: &SharedMemory<T>, b_tile: &SharedMemory<T>, sums: &mut Array<T>) {
    let (row, column) = (UNIT_POS / 8, UNIT_POS % 8);
    #[unroll]
    for step in 0..8u32 {
        #[unroll]
        for i in 0..2u32 {
            #[unroll]
            for j in 0..2u32 {
                sums[i * 2 + j] += a_tile[(i * 8 + row) * 9 + step] * b_tile[step * 17 + j * 8 + column];
            }
        }
    }
}

/// A unit's two elements of the next tile of each matrix, from row `top` and column `left`, or zeros beyond the matrices.
#[cube]
fn prefetch<T: Numeric>(
    a: &Array<T>,
    b: &Array<T>,
    next_a: &mut Array<T>,
    next_b: &mut Array<T>,
    p: &Product,
    top: u32,
    left: u32,
    at: u32,
) {
    let (i, j) = (top + UNIT_POS % 16, left + UNIT_POS % 16);
    #[unroll]
    for u in 0..2u32 {
        let k = at + u * 4 + UNIT_POS / 16;
        next_a[u] = T::from_int(0);
        if i < p.m && k < p.k {
            next_a[u] = a[(i as i32 * p.row_a + k as i32 * p.column_a + p.offset_a as i32) as u32];
        }
        next_b[u] = T::from_int(0);
        if k < p.k && j < p.n {
            next_b[u] = b[(k as i32 * p.row_b + j as i32 * p.column_b + p.offset_b as i32) as u32];
        }
    }
}

/// Stores the elements of [`prefetch`] in shared memory.
#[cube]
fn fetch<T: Numeric>(a_tile: &mut SharedMemory<T>, b_tile: &mut SharedMemory<T>, next_a: &Array<T>, next_b: &Array<T>) {
    #[unroll]
    for u in 0..2u32 {
        let step = u * 4 + UNIT_POS / 16;
        a_tile[UNIT_POS % 16 * 9 + step] = next_a[u];
        b_tile[step * 17 + UNIT_POS % 16] = next_b[u];
    }
}

/// Computes a tile of 16 by 16 elements with 64 units, each of them four elements. Each unit loads the next tiles before it
/// computes its sums.
#[cube(launch)]
pub fn gemm<T: Numeric>(alpha: T, a: &Array<T>, b: &Array<T>, beta: T, c: &mut Array<T>, p: Product) {
    let mut a_tile = SharedMemory::<T>::new(144);
    let mut b_tile = SharedMemory::<T>::new(136);
    let cubes_m = p.m / 16 + (p.m % 16 != 0) as u32;
    let cubes_n = p.n / 16 + (p.n % 16 != 0) as u32;
    let part = CUBE_POS / (cubes_m * cubes_n);
    let cube = CUBE_POS % (cubes_m * cubes_n);
    let (top, left) = (cube / cubes_n * 16, cube % cubes_n * 16);
    let mut next_a = Array::<T>::new(2);
    let mut next_b = Array::<T>::new(2);
    let mut sums = Array::<T>::new(4);
    #[unroll]
    for i in 0..4u32 {
        sums[i] = T::from_int(0);
    }
    let mut at = part * 8;
    prefetch::<T>(a, b, &mut next_a, &mut next_b, &p, top, left, at);
    fetch::<T>(&mut a_tile, &mut b_tile, &next_a, &next_b);
    sync_cube();
    at += p.parts * 8;
    while at < p.k {
        prefetch::<T>(a, b, &mut next_a, &mut next_b, &p, top, left, at);
        add_products::<T>(&a_tile, &b_tile, &mut sums);
        sync_cube();
        fetch::<T>(&mut a_tile, &mut b_tile, &next_a, &next_b);
        sync_cube();
        at += p.parts * 8;
    }
    add_products::<T>(&a_tile, &b_tile, &mut sums);
    #[unroll]
    for u in 0..2u32 {
        let i = top + u * 8 + UNIT_POS / 8;
        #[unroll]
        for v in 0..2u32 {
            let j = left + v * 8 + UNIT_POS % 8;
            if i < p.m && j < p.n {
                let at = (i as i32 * p.row_c + j as i32 * p.column_c + p.offset_c as i32) as u32 * p.parts + part;
                if beta == T::from_int(0) {
                    c[at] = alpha * sums[u * 2 + v];
                } else {
                    c[at] = alpha * sums[u * 2 + v] + beta * c[at];
                }
            }
        }
    }
}

/// 1 for the class of each item, and 0 for the other classes.
#[cube(launch)]
pub fn one_hot<X: Numeric, Y: Numeric>(x: &Array<X>, y: &mut Array<Y>) {
    let classes = y.len() / x.len();
    let mut i = ABSOLUTE_POS;
    while i < y.len() {
        let class = u32::cast_from(x[i / classes]);
        y[i] = if i % classes == class { Y::from_int(1) } else { Y::from_int(0) };
        i += CUBE_COUNT * CUBE_DIM;
    }
}

/// The sum of all elements, by one plane.
#[cube(launch)]
pub fn sum<T: Numeric>(x: &Array<T>, beta: T, y: &mut Array<T>) {
    let n = x.len() / y.len();
    let mut own = T::from_int(0);
    let mut first = 0;
    while first < n {
        let i = first + UNIT_POS;
        if i < n {
            own += x[i];
        }
        first += PLANE_DIM;
    }
    let mut all = plane_sum(own);
    if UNIT_POS == 0 {
        if beta != T::from_int(0) {
            all += beta * y[0];
        }
        y[0] = all;
    }
}

/// Images, filters and their positions, of a convolution. `pad`, `step` and `gap` are the padding, stride and dilation.
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug)]
pub struct Images {
    pub batches: u32,
    pub channels: u32,
    pub height: u32,
    pub width: u32,
    pub out_height: u32,
    pub out_width: u32,
    pub filter_height: u32,
    pub filter_width: u32,
    pub pad_height: u32,
    pub pad_width: u32,
    pub step_height: u32,
    pub step_width: u32,
    pub gap_height: u32,
    pub gap_width: u32,
}

/// The rows of a matrix whose product with the filters is a convolution.
#[cube(launch)]
pub fn im2col<T: Numeric>(x: &Array<T>, y: &mut Array<T>, p: Images) {
    let filter = p.filter_height * p.filter_width;
    let area = p.out_height * p.out_width;
    if ABSOLUTE_POS < p.batches * area * p.channels * filter {
        let (image, rest) = (ABSOLUTE_POS / (area * filter), ABSOLUTE_POS % (area * filter));
        let (batch, channel) = (image / p.channels, image % p.channels);
        let (position, at) = (rest / filter, rest % filter);
        let (top, left) = (position / p.out_width, position % p.out_width);
        let (i, j) = (at / p.filter_width, at % p.filter_width);
        let row = (i * p.gap_height + p.step_height * top) as i32 - p.pad_height as i32;
        let column = (j * p.gap_width + p.step_width * left) as i32 - p.pad_width as i32;
        let mut value = T::from_int(0);
        if row >= 0 && row < p.height as i32 && column >= 0 && column < p.width as i32 {
            value = x[image * p.height * p.width + row as u32 * p.width + column as u32];
        }
        let place = ((batch * p.out_height + top) * p.out_width + left) * p.channels + channel;
        y[place * filter + at] = value;
    }
}

/// The largest element of each window of an image.
#[cube(launch)]
pub fn max_pool<T: Float>(x: &Array<T>, y: &mut Array<T>, p: Images) {
    let mut item = ABSOLUTE_POS;
    while item < y.len() {
        let area = p.out_height * p.out_width;
        let (image, place) = (item / area, item % area);
        let (top, left) = (place / p.out_width * p.step_height, place % p.out_width * p.step_width);
        let mut largest = T::from_int(0);
        for i in 0..p.filter_height {
            for j in 0..p.filter_width {
                let value = x[image * p.height * p.width + (top + i) * p.width + left + j];
                largest = if i == 0 && j == 0 { value } else { Max::max(largest, value) };
            }
        }
        y[item] = largest;
        item += CUBE_COUNT * CUBE_DIM;
    }
}

/// The sizes of the matrices of the article: `m` rows, inner dimension `k`, `n` columns.
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug)]
pub struct Sizes {
    pub m: u32,
    pub k: u32,
    pub n: u32,
}

/// The article's product with one element for each unit, along one dimension.
#[cube(launch)]
pub fn article_naive(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, s: Sizes) {
    let at = ABSOLUTE_POS_X;
    let (row, column) = (at / s.n, at % s.n);
    if at < s.m * s.n {
        let mut sum = 0.0;
        for i in 0..s.k {
            sum += a[row * s.k + i] * b[i * s.n + column];
        }
        out[row * s.n + column] = sum;
    }
}

/// The article's product with one element for each unit, along two dimensions.
#[cube(launch)]
pub fn article_planar(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, s: Sizes) {
    let (row, column) = (ABSOLUTE_POS_X, ABSOLUTE_POS_Y);
    if row < s.m && column < s.n {
        let mut sum = 0.0;
        for i in 0..s.k {
            sum += a[row * s.k + i] * b[i * s.n + column];
        }
        out[row * s.n + column] = sum;
    }
}

/// The article's product with four elements of a row for each unit, in four variables.
#[cube(launch)]
pub fn article_one_by_four(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, s: Sizes) {
    let (row, column) = (ABSOLUTE_POS_Y, ABSOLUTE_POS_X * 4);
    if row < s.m && column < s.n {
        let mut sums = Array::<f32>::new(4);
        #[unroll]
        for j in 0..4u32 {
            sums[j] = 0.0;
        }
        for i in 0..s.k {
            let x = a[row * s.k + i];
            #[unroll]
            for j in 0..4u32 {
                if column + j < s.n {
                    sums[j] += x * b[i * s.n + column + j];
                }
            }
        }
        #[unroll]
        for j in 0..4u32 {
            if column + j < s.n {
                out[row * s.n + column + j] = sums[j];
            }
        }
    }
}

/// The article's product with a tile of 4 by 4 elements for each unit. Elements beyond the matrices are zeros.
#[cube(launch)]
pub fn article_tile(a: &Array<f32>, b: &Array<f32>, out: &mut Array<f32>, s: Sizes) {
    let (row, column) = (ABSOLUTE_POS_Y * 4, ABSOLUTE_POS_X * 4);
    let mut sums = Array::<f32>::new(16);
    for i in 0..16u32 {
        sums[i] = 0.0;
    }
    for k in 0..s.k {
        for i in 0..4u32 {
            let x = if row + i < s.m { a[(row + i) * s.k + k] } else { 0.0 };
            for j in 0..4u32 {
                let y = if column + j < s.n { b[k * s.n + column + j] } else { 0.0 };
                sums[i * 4 + j] += x * y;
            }
        }
    }
    for i in 0..4u32 {
        for j in 0..4u32 {
            if row + i < s.m && column + j < s.n {
                out[(row + i) * s.n + column + j] = sums[i * 4 + j];
            }
        }
    }
}
