//! The costs around a kernel: launch, compilation, loading from disk.
use crate::Result;
use crate::compare::{compare, implementation, peer, shown};
use crate::device::*;
use cube_artifact::{CompileOptions, Compiler, Target};
use cube_runtime::cache::KernelCache;
use cube_runtime::{ChildCompiler, Device, Scalar};
use cube_runtime_cpu::CpuDevice;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LAUNCH: &str = "benches/kernels/launch.mlir";

pub fn run(device: &CpuDevice) -> Result<()> {
    one_launch(device)?;
    for cubes in [2, 16, 256] {
        empty_launches(device, cubes)?;
    }
    for len in [1 << 10, 1 << 14, 1 << 16] {
        launches_over(device, len)?;
    }
    compile()?;
    from_disk()
}

/// The launch of an empty kernel, which returns before the kernel runs.
fn one_launch(device: &CpuDevice) -> Result<()> {
    let kernel = load(device, LAUNCH, Some("nothing"))?;
    let all = vec![implementation("cube", || Ok(device.launch_kernel(black_box(&kernel), &[], [1, 1, 1])?))];
    compare("launch of an empty kernel", 10_000, all).map(drop)
}

/// A thousand launches of empty cubes, compared with loops over the same number of empty tasks.
fn empty_launches(device: &CpuDevice, cubes: u32) -> Result<()> {
    let kernel = load(device, LAUNCH, Some("nothing"))?;
    compare(
        &format!("1,000 launches of {cubes} empty cubes"),
        1,
        vec![
            implementation("cube", || {
                (0..1000).try_for_each(|_| device.launch_kernel(black_box(&kernel), &[], [cubes, 1, 1]))?;
                Ok(device.sync()?)
            }),
            peer("rayon", || {
                for _ in 0..1000 {
                    (0..cubes).into_par_iter().for_each(|cube| _ = black_box(cube));
                }
            }),
        ],
    )
    .map(drop)
}

/// A thousand successive launches, compared with a thousand loops of the same size on rayon's threads.
fn launches_over(device: &CpuDevice, len: usize) -> Result<()> {
    let kernel = load(device, LAUNCH, Some("small"))?;
    let x = input(len);
    let mut y = vec![0f32; len];
    let (dx, dy) = (upload(device, &x)?, zeros(device, len)?);
    let mut args = arguments(&[&dx, &dy]);
    args.push(Scalar::F32(1.5).into());
    let cubes = [(len / 256) as u32, 1, 1];
    compare(
        &format!("1,000 launches over {len} f32"),
        1,
        vec![
            implementation("cube", || {
                (0..1000).try_for_each(|_| device.launch_kernel(&kernel, &args, cubes))?;
                Ok(device.sync()?)
            }),
            peer("rayon", || {
                for _ in 0..1000 {
                    black_box(&mut y)
                        .par_iter_mut()
                        .zip(black_box(&x))
                        .with_min_len(256)
                        .for_each(|(y, x)| *y = x * 1.5);
                }
            }),
        ],
    )?;
    check("launches", &floats(device, &dy)?, &y, 0.0)
}

const KERNELS: [(&str, &str); 2] =
    [("scale", "examples/kernels/scale.mlir"), ("tiled matmul", "examples/kernels/matmul_tiled.mlir")];

fn best<T, E: Into<Box<dyn std::error::Error>>>(
    rounds: usize,
    mut run: impl FnMut() -> std::result::Result<T, E>,
) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        let made = run().map_err(Into::into)?;
        best = best.min(start.elapsed());
        drop(made);
    }
    Ok(best)
}

fn compile() -> Result<()> {
    for (name, file) in KERNELS {
        let source = std::fs::read(file)?;
        let (target, options) = (Target::cpu(), CompileOptions::default());
        let cold = best(5, || {
            // The shutdown of the child process is not measured.
            let child = ChildCompiler::new(&cube_artifact::Variables::of_process());
            child.compile(&source, &target, &options).map(|artifact| (child, artifact))
        })?;
        let child = ChildCompiler::new(&cube_artifact::Variables::of_process());
        let second = best(10, || child.compile(&source, &target, &options))?;
        println!("{:34} {} cold (starts the compiler), {} warm", format!("compile {name}"), shown(cold), shown(second));
    }
    Ok(())
}

/// Measures the time from the text of a kernel to loaded code, if the compiled kernel is in the cache on
/// disk.
fn from_disk() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (name, file) in KERNELS {
        let source = std::fs::read(file)?;
        let (target, options) = (Target::cpu(), CompileOptions::default());
        let cache = || {
            KernelCache::new(
                folder.path().into(),
                cube_runtime::child::installed(&cube_artifact::Variables::of_process()),
            )
        };
        cache().store(&source, &target, &options, &compiled(file, None)?)?;
        let elapsed = best(20, || {
            let kept = cache().load(&source, &target, &options).ok_or("the kernel is not in the cache")?;
            Ok::<_, Box<dyn std::error::Error>>(CpuDevice::with_threads(1).load(&kept)?)
        })?;
        println!("{:34} {}", format!("from the disk cache, {name}"), shown(elapsed));
    }
    Ok(())
}
