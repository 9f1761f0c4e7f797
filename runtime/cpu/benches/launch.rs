//! Measures the overhead of a launch, which is the time of a launch of a kernel without work. Also compares large
//! launches with a plain loop.
#![allow(missing_docs)]
#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cube_artifact::ElemType;
use cube_runtime::{Arg, Buffer, Device, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use std::hint::black_box;
use std::time::Instant;

fn launches(criterion: &mut Criterion) {
    let device = CpuDevice::new(&cube_artifact::Variables::of_process()).expect("CUBE_CPU_THREADS is unset or right");
    let artifact = support::artifact("empty", support::object("empty", &[]), vec![], [1, 1, 1]);
    let kernel = device.load(&artifact).expect("the object is sound");
    let mut group = criterion.benchmark_group("empty kernel");
    for cubes in [1, 64, 1 << 20] {
        group.bench_function(format!("loaded, {cubes} cubes"), |b| {
            b.iter(|| device.launch_kernel(black_box(&kernel), &[], [cubes, 1, 1]).expect("an empty launch"));
        });
    }
    group.bench_function("by artifact, 1 cube", |b| {
        b.iter(|| device.launch(black_box(&artifact), &[], [1, 1, 1]).expect("an empty launch"));
    });
    group.bench_function("load of a new kernel", |b| {
        b.iter(|| CpuDevice::with_threads(1).load(black_box(&artifact)).expect("the object is sound"));
    });
    group.finish();
}

/// Compares chains of small kernels with and without temporary buffers. Compares launches from four threads with
/// launches from one thread.
///
/// Predictions before the first run: launches with temporary buffers take 1.0 to 1.5 times as long as launches
/// without them. The reason for this prediction is that an allocation and its release each hold one lock for a
/// short time. On four free processors, the launch rate of four threads with separate kernels and buffers is
/// at least 3 times the rate of one thread. On fewer free processors, the rate is proportional to their
/// number.
fn ratios(_: &mut Criterion) {
    let device = CpuDevice::with_threads(1);
    let kernel = device.load(&support::scale()).expect("the object is sound");
    let launch = |buffer: &Buffer| {
        let args = [Arg::buffer(buffer, ElemType::F32), Scalar::F32(1.0).into()];
        device.launch_kernel(&kernel, &args, [16, 1, 1]).expect("a launch");
    };
    let best = |work: &dyn Fn()| {
        let timed = |_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        };
        (0..15).map(timed).fold(f64::INFINITY, f64::min)
    };
    let chain_of = |launches: usize| {
        let kept = device.alloc(4096, Init::Zero).expect("a buffer");
        (0..launches).for_each(|_| launch(&kept));
    };
    let alone = best(&|| chain_of(1000));
    let with = best(&|| (0..1000).for_each(|_| launch(&device.alloc(4096, Init::Any).expect("a buffer"))));
    println!("1,000 launches on one buffer: {:.1} us", alone * 1e6);
    println!("1,000 launches, each on a temporary: {:.1} us, ratio {:.2} (floor 1.2)", with * 1e6, with / alone);
    // A launch of several milliseconds precedes the measured launches. Each measured launch is therefore only queued,
    // and does not execute during the measurement. The first kernel computes; the second one uses all bandwidth of its memory, for
    // which the queue's own lines then wait.
    let chain = device.load(&support::chain()).expect("the object is sound");
    let large = device.alloc(64 << 20, Init::Zero).expect("a buffer");
    let small = device.alloc(4096, Init::Zero).expect("a buffer");
    for (what, blocking, used, cubes) in [("computes", &chain, &small, 1), ("streams memory", &kernel, &large, 1 << 18)]
    {
        let args = [Arg::buffer(used, ElemType::F32), Scalar::F32(1.0).into()];
        let enqueue = (0..15).map(|_| {
            device.launch_kernel(blocking, &args, [cubes, 1, 1]).expect("a launch");
            let start = Instant::now();
            (0..200).for_each(|_| device.launch_kernel(&kernel, &args, [16, 1, 1]).expect("a launch"));
            let time = start.elapsed().as_secs_f64() / 200.0;
            device.sync().expect("no launch fails");
            time
        });
        let mut enqueue: Vec<f64> = enqueue.collect();
        enqueue.sort_by(f64::total_cmp);
        println!(
            "a queued launch of 1 buffer and 1 scalar while a kernel {what}: {:.3} us, median {:.3} us (floor 0.3)",
            enqueue[0] * 1e6,
            enqueue[7] * 1e6
        );
    }
    // Four threads launch on one device, and in turn with that on one device for each thread. These share nothing, so the limit of
    // the machine remains.
    let time_of = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let separate: Vec<_> = (0..4)
        .map(|_| {
            let device = CpuDevice::with_threads(1);
            let kernel = device.load(&support::scale()).expect("the object is sound");
            (device, kernel)
        })
        .collect();
    let on_one_device = || {
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| chain_of(20_000))));
        });
    };
    let on_four_devices = || {
        std::thread::scope(|scope| {
            for (device, kernel) in &separate {
                scope.spawn(move || {
                    let kept = device.alloc(4096, Init::Zero).expect("a buffer");
                    for _ in 0..20_000 {
                        let args = [Arg::buffer(&kept, ElemType::F32), Scalar::F32(1.0).into()];
                        device.launch_kernel(kernel, &args, [16, 1, 1]).expect("a launch");
                    }
                });
            }
        });
    };
    let rounds = (0..15).map(|_| [time_of(&|| chain_of(20_000)), time_of(&on_one_device), time_of(&on_four_devices)]);
    let rounds: Vec<[f64; 3]> = rounds.collect();
    let middle = |of: &dyn Fn(&[f64; 3]) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[7]
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "launches from 4 threads, {processors} processors: {:.2} times the rate of one (floor 3); with 4 devices {:.2} times; one device to 4 devices {:.2}; medians of 15 rounds",
        middle(&|[one, four, _]| 4.0 * one / four),
        middle(&|[one, _, limit]| 4.0 * one / limit),
        middle(&|[_, four, limit]| limit / four),
    );
    let least = |index: usize| rounds.iter().map(|round| round[index]).fold(f64::INFINITY, f64::min);
    println!(
        "least times: {:.2} times the rate of one; with 4 devices {:.2} times",
        4.0 * least(0) / least(1),
        4.0 * least(0) / least(2)
    );
}

/// Compares a kernel that scales 2^24 floats with a loop in Rust on all threads.
fn bandwidth(criterion: &mut Criterion) {
    let device = CpuDevice::new(&cube_artifact::Variables::of_process()).expect("CUBE_CPU_THREADS is unset or right");
    let artifact = support::scale();
    let kernel = device.load(&artifact).expect("the object is sound");
    let count = 1u64 << 24;
    let mut group = criterion.benchmark_group("scale 2^24 f32");
    group.throughput(Throughput::Bytes(count * 8)).sample_size(20);
    let x = device.alloc(count * 4, Init::Zero).expect("64 MiB");
    let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(1.0).into()];
    group.bench_function("kernel", |b| {
        b.iter(|| device.launch_kernel(&kernel, &args, [(count / 64) as u32, 1, 1]).expect("a launch"));
    });
    let mut x = vec![0f32; count as usize];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    group.bench_function("plain loop, scoped threads", |b| {
        b.iter(|| {
            let part = x.len().div_ceil(threads);
            std::thread::scope(|scope| {
                for part in x.chunks_mut(part) {
                    scope.spawn(|| part.iter_mut().for_each(|v| *v *= black_box(1.0)));
                }
            });
        });
    });
    group.finish();
}

criterion_group!(benches, launches, bandwidth, ratios);
criterion_main!(benches);
