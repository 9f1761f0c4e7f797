//! Tests that only the first launches allocate memory on the host.
mod support;

use cube_artifact::{DerivedParam, ElemType, InfoWord};
use cube_runtime::{Arg, Device, Dims, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// An allocator that counts the allocations of each thread.
struct Counting;

thread_local!(static COUNT: Cell<u64> = const { Cell::new(0) });

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations by this thread during 1,000 launches, after three launches that warm up. The smallest of
/// three such numbers: if the system stops this thread during a launch, the launch counts as a long one, and the device
/// queues the next.
fn allocations(device: &CpuDevice, artifact: &cube_artifact::Artifact, args: &[Arg], cubes: u32) -> u64 {
    let kernel = device.load(artifact).unwrap();
    let launch = || device.launch_kernel(&kernel, args, [cubes, 1, 1]).unwrap();
    (0..3).for_each(|_| launch());
    let round = || {
        let before = COUNT.get();
        (0..1000).for_each(|_| launch());
        COUNT.get() - before
    };
    (0..3).map(|_| round()).min().unwrap_or_default()
}

#[test]
fn warm_launch_does_not_allocate() {
    let before = COUNT.get();
    drop(std::hint::black_box(Box::new(1)));
    assert_eq!(COUNT.get() - before, 1, "the allocator counts");
    // A short launch runs on the caller's thread, even if the device has several threads.
    for threads in [1, 4] {
        let device = CpuDevice::with_threads(threads);
        let x = device.alloc(256, Init::Zero).unwrap();
        let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(1.0).into()];
        assert_eq!(allocations(&device, &support::scale(), &args, 1), 0, "{threads} threads");
    }
}

/// `scale` with more buffers and scalars, which the kernel does not access.
fn scale_of(buffers: usize, scalars: usize) -> cube_artifact::Artifact {
    let mut artifact = support::scale();
    let (first, a) = (artifact.params[0].clone(), artifact.params[1].clone());
    let more = |param: &cube_artifact::Param, number| cube_artifact::Param {
        name: format!("{}{number}", param.name),
        ..param.clone()
    };
    artifact.params =
        (0..buffers).map(|number| more(&first, number)).chain((0..scalars).map(|number| more(&a, number))).collect();
    artifact.info = (0..buffers).map(|param| InfoWord::Length { param: param as u32 }).collect();
    artifact
}

/// The lists of a launch are memory that the thread or the queued command reuses, for any number of arguments.
#[test]
fn warm_launch_of_many_arguments_does_not_allocate() {
    let device = CpuDevice::with_threads(1);
    let chain = device.load(&support::chain()).unwrap();
    let blocked = device.alloc(4096, Init::Zero).unwrap();
    // The last count exceeds the lines of a command.
    for (buffers, scalars) in [(16, 4), (20, 20), (40, 20)] {
        let artifact = scale_of(buffers, scalars);
        let all: Vec<_> = (0..buffers).map(|_| device.alloc(256, Init::Zero).unwrap()).collect();
        let mut args: Vec<_> = all.iter().map(|buffer| Arg::buffer(buffer, ElemType::F32)).collect();
        args.extend((0..scalars).map(|_| Arg::from(Scalar::F32(1.0))));
        assert_eq!(allocations(&device, &artifact, &args, 1), 0, "{buffers} buffers");
        // The same for launches that wait in the queue.
        let kernel = device.load(&artifact).unwrap();
        args[0] = Arg::buffer(&blocked.slice(0..256).unwrap(), ElemType::F32);
        let chain_args = [Arg::buffer(&blocked, ElemType::F32), Scalar::F32(1.0).into()];
        let round = || {
            device.launch_kernel(&chain, &chain_args, [1, 1, 1]).unwrap();
            let before = COUNT.get();
            (0..200).for_each(|_| device.launch_kernel(&kernel, &args, [1, 1, 1]).unwrap());
            let made = COUNT.get() - before;
            device.sync().unwrap();
            made
        };
        let rounds: Vec<_> = (0..5).map(|_| round()).collect();
        assert_eq!(rounds[4], 0, "{buffers} buffers: {rounds:?}");
    }
}

#[test]
fn derived_arguments_and_cube_counts_are_parsed_at_load() {
    let device = CpuDevice::with_threads(1);
    let x = device.alloc(256, Init::Zero).unwrap();
    let mut artifact = support::scale();
    let derived = |name: &str, expression: &str| DerivedParam {
        name: name.into(),
        elem: ElemType::U32,
        expression: expression.into(),
    };
    artifact.derived = vec![
        derived("n", "ceildiv(mul(shape(x, 1), stride(x, 0)), 3)"),
        derived("m", "magic_mul(add(len(x), buffer_len(x)))"),
        derived("o", "add(offset(x), rank(x))"),
    ];
    artifact.cube_count = Some(["ceildiv(cubes(0), 2)", "cubes(1)", "cubes(2)"].map(String::from));
    let whole = Arg::buffer(&x, ElemType::F32);
    for buffer in [whole.clone(), whole.with_dims(Dims::contiguous(&[8, 8]))] {
        assert_eq!(allocations(&device, &artifact, &[buffer, Scalar::F32(1.0).into()], 2), 0);
    }
}

#[test]
fn temporary_buffer_reuses_released_memory() {
    let device = CpuDevice::with_threads(1);
    let kernel = device.load(&support::scale()).unwrap();
    let mut reserved = 0;
    for round in 0..1000 {
        let x = device.alloc(1 << 20, Init::Any).unwrap();
        device.launch_kernel(&kernel, &[Arg::buffer(&x, ElemType::F32), Scalar::F32(1.0).into()], [1, 1, 1]).unwrap();
        // A queued launch holds its buffer.
        device.sync().unwrap();
        let usage = device.memory_usage();
        assert_eq!((usage.allocations, usage.used), (1, 1 << 20));
        if round == 0 {
            reserved = usage.reserved;
        }
        assert_eq!(usage.reserved, reserved);
    }
    device.memory_cleanup();
    assert_eq!(device.memory_usage().reserved, 0);
}
