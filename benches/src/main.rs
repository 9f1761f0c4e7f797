//! `cargo xtask bench`: the figures of the CPU path as ratios, each against its peer in the same run.
//!
//! The peers are compiled with `-C target-cpu=native`, which `cargo xtask bench` sets. Runs alternate between Cube and peer
//! so that both see the same machine; the best of all runs counts, and the spread is printed.
#![forbid(unsafe_code)]
mod tools;

use cube_artifact::{CompileOptions, Compiler, ElemType, Target};
use cube_runtime::{Arg, Buffer, ChildCompiler, Device, Init, Kernel, Scalar};
use cube_runtime_cpu::CpuDevice;
use rayon::prelude::*;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some("tools") {
        return tools::run();
    }
    let device = CpuDevice::new()?;
    println!("{} threads, best of {ROUNDS} alternating rounds", rayon::current_num_threads());
    println!("{:28} {:>10} {:>10} {:>7}  spread cube, peer", "what", "cube ms", "rust ms", "ratio");
    scale(&device)?;
    row_sum(&device, 8192, 8192)?;
    row_sum(&device, 1 << 20, 64)?;
    if std::env::args().nth(1).as_deref() == Some("cpu") { Ok(()) } else { tools::run() }
}

fn load(device: &CpuDevice, file: &str) -> Result<Kernel> {
    let source = std::fs::read(format!("examples/kernels/{file}"))?;
    let artifact = ChildCompiler::new().compile(&source, &Target::cpu(), &CompileOptions::default())?;
    Ok(device.load(&artifact)?)
}

fn upload(device: &CpuDevice, values: &[f32]) -> Result<Buffer> {
    let buffer = device.alloc(4 * values.len() as u64, Init::Zero)?;
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    device.write(&buffer, 0, &bytes)?;
    Ok(buffer)
}

fn download(device: &CpuDevice, buffer: &Buffer) -> Result<Vec<f32>> {
    let mut bytes = vec![0; buffer.size() as usize];
    device.read(buffer, 0, &mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn input(len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 7919 % 1000) as f32) * 0.001 - 0.5).collect()
}

/// Alternates the two and prints best times and their ratio (above 1: Cube is faster).
fn race(what: &str, mut cube: impl FnMut() -> Result<()>, mut peer: impl FnMut()) -> Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        cube()?;
        ours.push(start.elapsed());
        let start = Instant::now();
        peer();
        theirs.push(start.elapsed());
    }
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    let span = |times: &[Duration]| times.iter().max().zip(times.iter().min()).map_or(0.0, |(a, b)| ms(*a) / ms(*b));
    let best = |times: &[Duration]| times.iter().min().copied().map_or(0.0, ms);
    println!(
        "{what:28} {:10.3} {:10.3} {:7.3}  {:.2}x {:.2}x",
        best(&ours),
        best(&theirs),
        best(&theirs) / best(&ours),
        span(&ours),
        span(&theirs)
    );
    Ok(())
}

fn check(what: &str, ours: &[f32], theirs: &[f32]) -> Result<()> {
    let wrong = ours.iter().zip(theirs).position(|(a, b)| a.to_bits() != b.to_bits());
    wrong.map_or(Ok(()), |i| Err(format!("{what}: element {i} is {}, the peer has {}", ours[i], theirs[i]).into()))
}

fn scale(device: &CpuDevice) -> Result<()> {
    const N: usize = 1 << 26;
    let kernel = load(device, "scale.mlir")?;
    let x = input(N);
    let mut y = vec![0f32; N];
    let (dx, dy) = (upload(device, &x)?, device.alloc(4 * N as u64, Init::Zero)?);
    let args = [Arg::buffer(&dx, ElemType::F32), Arg::buffer(&dy, ElemType::F32), Scalar::F32(1.5).into()];
    race(
        "scale 2^26 f32",
        || Ok(device.launch_kernel(&kernel, &args, [(N / 256) as u32, 1, 1])?),
        || y.par_iter_mut().zip(x.par_iter()).with_min_len(1 << 16).for_each(|(y, x)| *y = x * 1.5),
    )?;
    check("scale", &download(device, &dy)?, &y)
}

fn row_sum(device: &CpuDevice, rows: usize, cols: usize) -> Result<()> {
    let kernel = load(device, "row_sum.mlir")?;
    let x = input(rows * cols);
    let mut y = vec![0f32; rows];
    let (dx, dy) = (upload(device, &x)?, device.alloc(4 * rows as u64, Init::Zero)?);
    let args = bind(&kernel, &dx, &dy, rows as u32, cols as u32)?;
    race(
        &format!("row sum {rows} x {cols} f32"),
        || Ok(device.launch_kernel(&kernel, &args, [(rows as u32).div_ceil(kernel.artifact().cube_dim[0]), 1, 1])?),
        || y.par_iter_mut().zip(x.par_chunks(cols)).for_each(|(y, row)| *y = row.iter().fold(0.0, |a, b| a + b)),
    )?;
    check("row sum", &download(device, &dy)?, &y)
}

/// The arguments of the row sum by their names.
fn bind(kernel: &Kernel, x: &Buffer, y: &Buffer, rows: u32, cols: u32) -> Result<Vec<Arg>> {
    let one = |name: &str| match name {
        "matrix" => Ok(Arg::buffer(x, ElemType::F32)),
        "sums" => Ok(Arg::buffer(y, ElemType::F32)),
        "rows" => Ok(Scalar::U32(rows).into()),
        "cols" => Ok(Scalar::U32(cols).into()),
        other => Err(format!("row_sum.mlir has the unknown parameter {other}").into()),
    };
    kernel.artifact().params.iter().map(|p| one(&p.name)).collect()
}
