//! Runs the kernels of `kernels.rs` on the CPU, and compares their results with those of the host.
mod kernels;

use cube::cpu::CpuRuntime;
use cube::prelude::*;
use cube::server::Handle;
use kernels::*;

type Client = ComputeClient<<CpuRuntime as Runtime>::Server>;

/// Elements of the element-wise kernels: more than the units of a launch.
const ITEMS: usize = 300;

fn cubes() -> (CubeCount, CubeDim) {
    (CubeCount::new_1d(2), CubeDim::new_1d(64))
}

fn arg<T: CubeElement>(handle: &Handle, len: usize) -> ArrayArg<'_, CpuRuntime> {
    // SAFETY: each caller passes the number of elements of its handle.
    unsafe { ArrayArg::from_raw_parts::<T>(handle, len, 1) }
}

fn read<T: CubeElement>(client: &Client, handle: Handle) -> Vec<T> {
    T::from_bytes(&client.read_one(handle)).to_vec()
}

/// Whole numbers from -4 to 4, so that all sums are exact.
fn numbers(len: usize, factor: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * factor) % 9) as f32 - 4.0).collect()
}

fn elements(client: &Client) {
    let (x, dy) = (numbers(ITEMS, 3), numbers(ITEMS, 5));
    let created = |data: &[f32]| client.create(f32::as_bytes(data));
    let of = |handle: &Handle| read::<f32>(client, handle.clone());
    let all = |f: &dyn Fn(usize) -> f32| (0..ITEMS).map(f).collect::<Vec<f32>>();
    let (a, b, c) = (created(&x), created(&dy), client.empty(4 * ITEMS));
    let x_arg = || arg::<f32>(&a, ITEMS);
    let (dy_arg, out) = (|| arg::<f32>(&b, ITEMS), || arg::<f32>(&c, ITEMS));
    let (count, dim) = cubes();
    relu::launch::<f32, CpuRuntime>(client, count.clone(), dim, x_arg(), out());
    assert_eq!(of(&c), all(&|i| x[i].max(0.0)));
    relu_backward::launch::<f32, CpuRuntime>(client, count.clone(), dim, x_arg(), dy_arg(), out());
    let masked = all(&|i| if x[i] >= 0.0 { dy[i] } else { 0.0 });
    assert_eq!(of(&c), masked);
    relu_backward_mut::launch::<f32, CpuRuntime>(client, count.clone(), dim, x_arg(), dy_arg());
    assert_eq!(of(&b), masked);
    let (rate, momentum) = (ScalarArg::new(0.5), ScalarArg::new(2.0));
    sgd_update_with_momentum::launch::<f32, CpuRuntime>(
        client,
        count.clone(),
        dim,
        x_arg(),
        dy_arg(),
        rate,
        momentum,
        out(),
    );
    assert_eq!((of(&c), of(&a)), (all(&|i| 3.0 * masked[i]), all(&|i| x[i] - 1.5 * masked[i])));
    relu_mut::launch::<f32, CpuRuntime>(client, count.clone(), dim, x_arg());
    assert_eq!(of(&a), all(&|i| (x[i] - 1.5 * masked[i]).max(0.0)));
    fill::launch::<u32, CpuRuntime>(client, count.clone(), dim, ScalarArg::new(7), arg::<u32>(&c, ITEMS));
    cast::launch::<u32, f32, CpuRuntime>(client, count.clone(), dim, arg::<u32>(&c, ITEMS), x_arg());
    assert_eq!(of(&a), [7.0; ITEMS]);
    let classes: Vec<u32> = (0..100).map(|i| i % 3).collect();
    let classes = client.create(u32::as_bytes(&classes));
    one_hot::launch::<u32, f32, CpuRuntime>(client, count, dim, arg::<u32>(&classes, 100), out());
    assert_eq!(of(&c), all(&|i| f32::from(i / 3 % 3 == i % 3)));
    let two = client.create(u32::as_bytes(&[2]));
    let thousand: Vec<u32> = (0..1000).collect();
    let thousand = client.create(u32::as_bytes(&thousand));
    let (x, y) = (arg::<u32>(&thousand, 1000), arg::<u32>(&two, 1));
    sum::launch::<u32, CpuRuntime>(client, CubeCount::new_single(), CubeDim::new_1d(32), x, ScalarArg::new(3), y);
    assert_eq!(read::<u32>(client, two), [499_506]);
    let (x, y) = (arg::<f32>(&b, ITEMS), arg::<f32>(&a, 1));
    sum::launch::<f32, CpuRuntime>(client, CubeCount::new_single(), CubeDim::new_1d(32), x, ScalarArg::new(0.0), y);
    assert_eq!(of(&a)[0], masked.iter().sum::<f32>());
}

/// The product of `a` by `b`, of `m` by `k` and `k` by `n` elements.
fn product(a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    (0..m * n).map(|i| (0..k).map(|j| a[i / n * k + j] * b[j * n + i % n]).sum()).collect()
}

fn gemm_of<T: CubeElement + Numeric + PartialEq + std::fmt::Debug>(
    client: &Client,
    size: [usize; 3],
    of: fn(f32) -> T,
) {
    let [m, k, n] = size;
    let (a, b) = (numbers(m * k, 3), numbers(k * n, 5));
    let expected = product(&a, &b, size).into_iter().map(|sum| of(2.0 * sum + 3.0));
    let created = |data: Vec<f32>| client.create(T::as_bytes(&data.into_iter().map(of).collect::<Vec<T>>()));
    let (a, b, out) = (created(a), created(b), created(vec![1.0; m * n]));
    let (x, y, c) = (arg::<T>(&a, m * k), arg::<T>(&b, k * n), arg::<T>(&out, m * n));
    let word = |n: usize| ScalarArg::new(n as u32);
    let (zero, one, row_a, row_b) = (word(0), ScalarArg::new(1), ScalarArg::new(k as i32), ScalarArg::new(n as i32));
    let sizes =
        ProductLaunch::new(word(m), word(k), word(n), word(1), row_a, one, row_b, one, row_b, one, zero, zero, zero);
    let count = CubeCount::new_1d((m.div_ceil(16) * n.div_ceil(16)) as u32);
    let (alpha, beta) = (ScalarArg::new(of(2.0)), ScalarArg::new(of(3.0)));
    gemm::launch::<T, CpuRuntime>(client, count, CubeDim::new_1d(64), alpha, x, y, beta, c, sizes);
    assert_eq!(read::<T>(client, out), expected.collect::<Vec<T>>());
}

fn products(client: &Client, size: [usize; 3]) {
    let [m, k, n] = size;
    let (a, b) = (numbers(m * k, 3), numbers(k * n, 5));
    let expected = product(&a, &b, size);
    let (a, b) = (client.create(f32::as_bytes(&a)), client.create(f32::as_bytes(&b)));
    let args = || (arg::<f32>(&a, m * k), arg::<f32>(&b, k * n));
    let word = |n: usize| ScalarArg::new(n as u32);
    for variant in 0..4 {
        let out = client.empty(4 * m * n);
        let (x, y) = args();
        let (z, sizes) = (arg::<f32>(&out, m * n), SizesLaunch::new(word(m), word(k), word(n)));
        let square = CubeDim::new_2d(16, 16);
        let grid = |x: usize, y: usize| CubeCount::new_2d(x.div_ceil(16) as u32, y.div_ceil(16) as u32);
        match variant {
            0 => {
                let count = CubeCount::new_1d((m * n).div_ceil(256) as u32);
                article_naive::launch::<CpuRuntime>(client, count, CubeDim::new_1d(256), x, y, z, sizes);
            }
            1 => article_planar::launch::<CpuRuntime>(client, grid(m, n), square, x, y, z, sizes),
            2 => article_one_by_four::launch::<CpuRuntime>(client, grid(n.div_ceil(4), m), square, x, y, z, sizes),
            _ => article_tile::launch::<CpuRuntime>(client, grid(n.div_ceil(4), m.div_ceil(4)), square, x, y, z, sizes),
        }
        assert_eq!(read::<f32>(client, out), expected, "variant {variant}");
    }
}

fn images(client: &Client) {
    // Two images of two channels and 6 by 5 pixels. Windows of 2 by 3 pixels, with steps of 2 and 1.
    let x = numbers(120, 7);
    let handle = client.create(f32::as_bytes(&x));
    let sizes = |channels: u32, out: [u32; 2], pad: u32| {
        let [s, t] = out;
        let all = [2, channels, 6, 5, s, t, 2, 3, pad, pad, 2, 1, 1, 1].map(ScalarArg::new);
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = all;
        ImagesLaunch::new(a, b, c, d, e, f, g, h, i, j, k, l, m, n)
    };
    let (count, dim) = cubes();
    let pooled = client.empty(4 * 36);
    let (x_arg, y_arg) = (arg::<f32>(&handle, 120), arg::<f32>(&pooled, 36));
    max_pool::launch::<f32, CpuRuntime>(client, count, dim, x_arg, y_arg, sizes(2, [3, 3], 0));
    let window = |at: usize| (0..6).map(move |i| at / 9 * 30 + (at / 3 % 3 * 2 + i / 3) * 5 + at % 3 + i % 3);
    let expected: Vec<f32> = (0..36).map(|at| window(at).map(|i| x[i]).fold(f32::MIN, f32::max)).collect();
    assert_eq!(read::<f32>(client, pooled), expected);
    // With a padding of 1, the windows begin above and left of the image.
    let (rows, columns) = (4, 5);
    let len = 2 * rows * columns * 2 * 6;
    let matrix = client.empty(4 * len);
    let (x_arg, y_arg) = (arg::<f32>(&handle, 120), arg::<f32>(&matrix, len));
    let count = CubeCount::new_1d(len.div_ceil(64) as u32);
    im2col::launch::<f32, CpuRuntime>(client, count, dim, x_arg, y_arg, sizes(2, [4, 5], 1));
    let element = |at: usize| {
        let (i, channel, place) = (at % 6, at / 6 % 2, at / 12);
        let (row, column) = (place / columns % rows * 2 + i / 3, place % columns + i % 3);
        let inside = (1..7).contains(&row) && (1..6).contains(&column);
        if inside { x[(place / 20 * 2 + channel) * 30 + (row - 1) * 5 + column - 1] } else { 0.0 }
    };
    assert_eq!(read::<f32>(client, matrix), (0..len).map(element).collect::<Vec<_>>());
}

fn main() {
    let client = CpuRuntime::client(&Default::default());
    elements(&client);
    gemm_of::<f32>(&client, [33, 20, 17], |x| x);
    gemm_of::<i32>(&client, [33, 20, 17], |x| x as i32);
    products(&client, [33, 20, 17]);
    images(&client);
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_equal_those_of_the_host() {
        super::main();
    }
}
