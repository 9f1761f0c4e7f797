//! Kernels whose units cooperate: a scan by cubes and a tiled product of matrices.
use crate::Result;
use crate::compare::{compare, implementation, peer};
use crate::device::*;
use cube_artifact::ElemType;
use cube_runtime::Arg;
use cube_runtime_cpu::CpuDevice;
use rayon::prelude::*;
use std::time::{Duration, Instant};
use wide::{f32x16, u32x8};

pub fn run(device: &CpuDevice) -> Result<()> {
    scan(device)?;
    matmul(device)
}

/// The prefix sums of a line: element `i` of the result is the sum of the elements 0 to `i`.
fn scanned(line: [u32; 8]) -> u32x8 {
    let moved = |line: [u32; 8], by: usize| -> u32x8 {
        u32x8::from(std::array::from_fn::<u32, 8, _>(|i| if i >= by { line[i - by] } else { 0 }))
    };
    let mut sums = u32x8::from(line);
    for by in [1, 2, 4] {
        sums += moved(sums.to_array(), by);
    }
    sums
}

/// Scans 256 numbers: first within lines, then a second pass adds the sums of the preceding lines.
fn scan_with_simd(r: &mut [u32], x: &[u32]) {
    let mut before = 0u32;
    for (r, x) in r.as_chunks_mut::<8>().0.iter_mut().zip(x.as_chunks::<8>().0) {
        *r = scanned(*x).to_array();
    }
    for r in r.as_chunks_mut::<8>().0 {
        let all = u32x8::from(*r) + u32x8::splat(before);
        before = before.wrapping_add(r[7]);
        *r = all.to_array();
    }
}

fn scan_by_loop(r: &mut [u32], x: &[u32]) {
    let mut sum = 0u32;
    for (r, x) in r.iter_mut().zip(x) {
        sum = sum.wrapping_add(*x);
        *r = sum;
    }
}

fn scan(device: &CpuDevice) -> Result<()> {
    const N: usize = 1 << 24;
    const PART: usize = 1 << 14;
    let kernel = load(device, "examples/kernels/cube_scan.mlir", None)?;
    let x: Vec<u32> = (0..N).map(|i| (i * 7919 % 1000) as u32).collect();
    let r = std::cell::RefCell::new(vec![0u32; N]);
    let dx = upload_bytes(device, &x.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())?;
    let dr = zeros(device, N)?;
    let args = [Arg::buffer(&dx, ElemType::U32), Arg::buffer(&dr, ElemType::U32)];
    let cubes = |cube: fn(&mut [u32], &[u32])| {
        let mut r = r.borrow_mut();
        let parts = r.par_chunks_mut(PART).zip(x.par_chunks(PART));
        parts.for_each(|(r, x)| r.chunks_mut(256).zip(x.chunks(256)).for_each(|(r, x)| cube(r, x)));
    };
    compare(
        "cube scan 2^24 u32",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [(N / 256) as u32, 1, 1])),
            peer("rayon", || cubes(scan_by_loop)),
            peer("wide, two passes", || cubes(scan_with_simd)),
        ],
    )?;
    let (cube_result, peer_result) = (words(device, &dr)?, r.into_inner());
    if cube_result == peer_result { Ok(()) } else { Err("cube scan: the result differs from the peer's".into()) }
}

fn matmul(device: &CpuDevice) -> Result<()> {
    const SIDE: usize = 1024;
    let kernel = load(device, "examples/kernels/matmul_tiled.mlir", None)?;
    let (a, b) = (input(SIDE * SIDE), input(SIDE * SIDE));
    let mut c = vec![0f32; SIDE * SIDE];
    let (da, db, dc) = (upload(device, &a)?, upload(device, &b)?, zeros(device, SIDE * SIDE)?);
    let args = sized(&[&da, &db, &dc], SIDE);
    // The kernel defines how much of the matrix a cube computes.
    let cubes = (SIDE / 64) as u32;
    let threads = rayon::current_num_threads();
    let cube_result = compare(
        "tiled matmul 1024^3 f32",
        1,
        vec![
            implementation("cube", || run_kernel(device, &kernel, &args, [cubes, cubes, 1])),
            peer("gemm", || by_library(&mut c, &a, &b, SIDE, threads)),
        ],
    )?;
    let peak = peak(threads);
    let done = 2.0 * (SIDE as f64).powi(3) / cube_result.as_secs_f64() / 1e9;
    println!(
        "{:34} {done:.0} of {peak:.0} GFLOP/s that {threads} threads reach with fused multiply-adds only: {:.2}",
        "",
        done / peak
    );
    let scale = 1e-4 * c.iter().fold(0f32, |most, v| most.max(v.abs()));
    let cube_result = floats(device, &dc)?;
    match cube_result.iter().zip(&c).position(|(a, b)| (a - b).abs() > scale) {
        None => Ok(()),
        Some(i) => Err(format!("matmul: element {i} is {}, gemm has {}", cube_result[i], c[i]).into()),
    }
}

#[allow(unsafe_code)]
fn by_library(c: &mut [f32], a: &[f32], b: &[f32], n: usize, threads: usize) {
    assert!(c.len() == n * n && a.len() == n * n && b.len() == n * n);
    let (row, column) = (n as isize, 1);
    // SAFETY: three matrices of n rows of n numbers, as the strides say, and only c is written.
    unsafe {
        gemm::gemm(
            n,
            n,
            n,
            c.as_mut_ptr(),
            column,
            row,
            false,
            a.as_ptr(),
            column,
            row,
            b.as_ptr(),
            column,
            row,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::Rayon(threads),
        );
    }
}

/// The peak rate in GFLOP/s; a multiply-add counts as two operations. Each thread only computes 12
/// independent sums of 16 lanes.
fn peak(threads: usize) -> f64 {
    const ITERATIONS: usize = 1 << 19;
    const SUMS: usize = 12;
    let one = || {
        let factor = std::hint::black_box(f32x16::splat(0.999));
        let mut sums = [f32x16::splat(1.0); SUMS];
        for _ in 0..ITERATIONS {
            sums.iter_mut().for_each(|sum| *sum = sum.mul_add(factor, factor));
        }
        std::hint::black_box(sums);
    };
    let mut best = Duration::MAX;
    for _ in 0..crate::compare::ROUNDS {
        let start = Instant::now();
        rayon::broadcast(|_| one());
        best = best.min(start.elapsed());
    }
    (2 * 16 * SUMS * ITERATIONS * threads) as f64 / best.as_secs_f64() / 1e9
}
