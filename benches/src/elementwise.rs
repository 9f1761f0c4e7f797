//! Loops over 2^26 numbers. Two peers run the same loops: the usual Rust loop with rayon, and a loop with explicit
//! vectors.
use crate::Result;
use crate::compare::{compare, implementation, peer};
use crate::device::*;
use cube_runtime::Scalar;
use cube_runtime_cpu::CpuDevice;
use rayon::prelude::*;
use wide::f32x16;

/// The number of elements.
pub const N: usize = 1 << 26;

/// The smallest number of elements per rayon task.
const PART: usize = 1 << 16;

pub fn run(device: &CpuDevice) -> Result<()> {
    let x = input(N);
    let mut y = vec![0f32; N];
    let (dx, dy) = (upload(device, &x)?, zeros(device, N)?);
    scale(device, &x, &mut y, &dx, &dy)?;
    gelu(device, &x, &mut y, &dx, &dy)?;
    softmax(device, &x, &mut y, &dx, &dy)?;
    for cols in [8192, 64] {
        row_sum(device, &x, cols, &dx)?;
    }
    drop(dx);
    add(device, &x, &mut y, &dy)
}

type Buffer = cube_runtime::Buffer;

fn scale(device: &CpuDevice, x: &[f32], y: &mut [f32], dx: &Buffer, dy: &Buffer) -> Result<()> {
    let kernel = load(device, "examples/kernels/scale.mlir", None)?;
    let mut args = arguments(&[dx, dy]);
    args.push(Scalar::F32(1.5).into());
    compare(
        "scale 2^26 f32",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [(N / 256) as u32, 1, 1])),
            peer("rayon", || {
                y.par_iter_mut().zip(x.par_iter()).with_min_len(PART).for_each(|(y, x)| *y = x * 1.5);
            }),
        ],
    )?;
    check("scale", &floats(device, dy)?, y, 0.0)
}

fn add(device: &CpuDevice, x: &[f32], y: &mut [f32], dy: &Buffer) -> Result<()> {
    let kernel = load(device, "benches/kernels/add.mlir", Some("add"))?;
    let b: Vec<f32> = x.iter().map(|v| v + 0.25).collect();
    let (da, db) = (upload(device, x)?, upload(device, &b)?);
    let args = arguments(&[&da, &db, dy]);
    let y = std::cell::RefCell::new(y);
    let manual = |(y, (a, b)): (&mut [f32], (&[f32], &[f32]))| {
        let lines = y.as_chunks_mut::<16>().0.iter_mut().zip(a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0));
        lines.for_each(|(y, (a, b))| *y = (f32x16::from(*a) + f32x16::from(*b)).to_array());
    };
    compare(
        "add 2^26 f32",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [(N / 1024) as u32, 1, 1])),
            peer("rayon", || {
                let all = x.par_iter().zip(b.par_iter());
                y.borrow_mut().par_iter_mut().zip(all).with_min_len(PART).for_each(|(y, (a, b))| *y = a + b);
            }),
            peer("wide", || {
                let all = x.par_chunks(PART).zip(b.par_chunks(PART));
                y.borrow_mut().par_chunks_mut(PART).zip(all).for_each(manual);
            }),
        ],
    )?;
    check("add", &floats(device, dy)?, &y.borrow(), 0.0)
}

/// erf as in XLA and Eigen: a quotient of an odd and an even polynomial, clamped at 4.
const ABOVE: [f32; 7] =
    [-2.726_142e-10, 2.770_681_2e-8, -2.101_024e-6, -5.692_506e-5, -7.349_906e-4, -2.954_600_2e-3, -1.609_603_3e-2];
const BELOW: [f32; 5] = [-1.456_607_2e-5, -2.133_74e-4, -1.682_827_2e-3, -7.373_329_2e-3, -1.426_474_6e-2];

fn gelu_of(v: f32) -> f32 {
    let x = (v * std::f32::consts::FRAC_1_SQRT_2).clamp(-4.0, 4.0);
    let square = x * x;
    let above = ABOVE[1..].iter().fold(ABOVE[0], |sum, c| sum.mul_add(square, *c));
    let below = BELOW[1..].iter().fold(BELOW[0], |sum, c| sum.mul_add(square, *c));
    0.5 * v * (1.0 + x * above / below)
}

fn gelu_of_line(v: f32x16) -> f32x16 {
    let x = (v * std::f32::consts::FRAC_1_SQRT_2).fast_max(f32x16::splat(-4.0)).fast_min(f32x16::splat(4.0));
    let square = x * x;
    let polynomial =
        |all: &[f32]| all[1..].iter().fold(f32x16::splat(all[0]), |sum, c| sum.mul_add(square, f32x16::splat(*c)));
    v * 0.5 * (f32x16::splat(1.0) + x * polynomial(&ABOVE) / polynomial(&BELOW))
}

fn gelu(device: &CpuDevice, x: &[f32], y: &mut [f32], dx: &Buffer, dy: &Buffer) -> Result<()> {
    let kernel = load(device, "examples/kernels/gelu.mlir", None)?;
    let args = arguments(&[dx, dy]);
    let y = std::cell::RefCell::new(y);
    compare(
        "GELU (erf) 2^26 f32",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [(N / 256) as u32, 1, 1])),
            peer("rayon", || {
                y.borrow_mut().par_iter_mut().zip(x.par_iter()).with_min_len(PART).for_each(|(y, x)| *y = gelu_of(*x));
            }),
            peer("wide", || {
                y.borrow_mut().par_chunks_mut(PART).zip(x.par_chunks(PART)).for_each(|(y, x)| {
                    let lines = y.as_chunks_mut::<16>().0.iter_mut().zip(x.as_chunks::<16>().0);
                    lines.for_each(|(y, x)| *y = gelu_of_line(f32x16::from(*x)).to_array());
                });
            }),
        ],
    )?;
    check("gelu", &floats(device, dy)?, &y.borrow(), 2e-6)
}

fn softmax_by_loop(y: &mut [f32], x: &[f32]) {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (y, x) in y.iter_mut().zip(x) {
        *y = (x - most).exp();
        sum += *y;
    }
    y.iter_mut().for_each(|y| *y *= 1.0 / sum);
}

fn softmax_with_simd(y: &mut [f32], x: &[f32]) {
    let lines = x.as_chunks::<16>().0;
    let most = lines.iter().fold(f32x16::splat(f32::NEG_INFINITY), |most, x| most.fast_max(f32x16::from(*x)));
    let most = f32x16::splat(most.to_array().into_iter().fold(f32::NEG_INFINITY, f32::max));
    let mut sum = f32x16::splat(0.0);
    for (y, x) in y.as_chunks_mut::<16>().0.iter_mut().zip(lines) {
        let e = (f32x16::from(*x) - most).exp();
        sum += e;
        *y = e.to_array();
    }
    let scale = f32x16::splat(1.0 / sum.to_array().iter().sum::<f32>());
    y.as_chunks_mut::<16>().0.iter_mut().for_each(|y| *y = (f32x16::from(*y) * scale).to_array());
}

fn softmax(device: &CpuDevice, x: &[f32], y: &mut [f32], dx: &Buffer, dy: &Buffer) -> Result<()> {
    const COLS: usize = 4096;
    let kernel = load(device, "benches/kernels/softmax.mlir", None)?;
    let args = sized(&[dx, dy], COLS);
    let y = std::cell::RefCell::new(y);
    let rows = |row: fn(&mut [f32], &[f32])| {
        let mut y = y.borrow_mut();
        y.par_chunks_mut(COLS).zip(x.par_chunks(COLS)).for_each(|(y, x)| row(y, x));
    };
    compare(
        "softmax 16384 x 4096 f32",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [(N / COLS) as u32, 1, 1])),
            peer("rayon", || rows(softmax_by_loop)),
            peer("wide", || rows(softmax_with_simd)),
        ],
    )?;
    check("softmax", &floats(device, dy)?, &y.borrow(), 1e-5)
}

fn row_sum(device: &CpuDevice, x: &[f32], cols: usize, dx: &Buffer) -> Result<()> {
    let rows = N / cols;
    let kernel = load(device, "examples/kernels/row_sum.mlir", None)?;
    let mut y = vec![0f32; rows];
    let dy = zeros(device, rows)?;
    let mut args = sized(&[dx, &dy], rows);
    args.push(Scalar::U32(cols as u32).into());
    let cubes = rows.div_ceil(kernel.artifact().cube_dim[0] as usize) as u32;
    compare(
        &format!("row sum {rows} x {cols} f32"),
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [cubes, 1, 1])),
            // From left to right, like the kernel: rounding permits no other order.
            peer("rayon", || {
                y.par_iter_mut().zip(x.par_chunks(cols)).for_each(|(y, row)| *y = row.iter().fold(0.0, |a, b| a + b));
            }),
        ],
    )?;
    check("row sum", &floats(device, &dy)?, &y, 0.0)
}
