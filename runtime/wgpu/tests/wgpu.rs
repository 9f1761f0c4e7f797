//! Tests of the device through the runtime's interface, with kernels in WGSL and in SPIR-V that naga generates. Without
//! an adapter, each test is ignored with the reason, or fails if `CUBE_NEED_WGPU=1` is set.
#[path = "../../core/tests/conformance/mod.rs"]
mod conformance;
#[path = "support/faults.rs"]
mod faults;
mod support;

use conformance::{RULES, Subject};
use cube_runtime::launch::Repeat;
use cube_runtime::{Arg, Clock, Device, ErrorKind, Init, Queue, RuntimeError, Scalar};
use cube_runtime_wgpu::{AdapterChoice, Code, Options, Shared, WgpuDevice};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;
use support::{ADD, COMPUTED, CUBES, SCALE, SPLIT, artifact, device, read, write};

type Check = fn(&WgpuDevice);

fn main() -> ExitCode {
    if std::env::var_os(faults::WITHOUT_DRIVERS).is_some() {
        faults::without_drivers();
        return ExitCode::SUCCESS;
    }
    let mut arguments = Arguments::from_args();
    // Some tests fill the device's memory.
    arguments.test_threads.get_or_insert(1);
    let checks: &[(&str, Check)] = &[
        ("a grid beyond the limit of a dispatch runs each cube once", grids),
        ("parts of one buffer are read and written by one launch", parts_of_one_buffer),
        ("aliased arguments share one buffer", in_place),
        ("launches of two kernels alternate in one submission", alternating),
        ("a launch repeats an earlier launch with other scalars, buffers or grids", repeated),
        ("a repeated launch computes the words that depend on its scalars", computed),
        ("a repetition has the buffers, the cube count and the derived scalars of its launch", repeated_facts),
        ("the first cubes and the other cubes run their own entry points", first_cubes),
        ("slices that the device cannot bind are copied", unaligned_slices),
        ("any bytes are written and read", bytes),
        ("code, features and buffers of others are refused by name", refused),
        ("a lost device opens again", lost),
        ("the device's own clock measures launches", clock),
        ("the program's own commands and launches share one device", sharing),
        ("pipelines are kept, and a damaged file is ignored", pipelines),
        ("limits name the limit", limits),
    ];
    let mut trials = vec![Trial::test("a machine without drivers has no device", faults::no_adapter)];
    for code in [Code::Wgsl, Code::Spirv] {
        // The rules concern the host side, which is the same for WGSL and SPIR-V.
        let rules = if code == Code::Wgsl { RULES } else { &RULES[..1] };
        for (name, rule) in rules {
            let test = move |device: &WgpuDevice| {
                let other = support::device(code).expect("a second device on the adapter");
                rule(&Subject { device, other: &other, scale: artifact(device, SCALE), rounds: 300 });
            };
            trials.push(trial(format!("{code:?}: {name}"), code, test));
        }
        for (name, check) in checks.iter().chain(faults::CHECKS) {
            trials.push(trial(format!("{code:?}: {name}"), code, check));
        }
    }
    // The memory of a device with addresses is another heap of the pool.
    for (name, rule) in RULES {
        trials.push(trial(format!("addresses: {name}"), Code::Spirv, move |_| {
            let open = || WgpuDevice::open(&Options { addresses: true, ..Options::default() }).expect("a device");
            let (device, other) = (open(), open());
            rule(&Subject { device: &device, other: &other, scale: artifact(&device, SCALE), rounds: 300 });
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: String, code: Code, test: impl Fn(&WgpuDevice) + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || match device(code) {
        Ok(device) => {
            test(&device);
            Ok(Completion::Completed)
        }
        Err(error) if std::env::var_os("CUBE_NEED_WGPU").is_some() => Err(Failed::from(error.to_string())),
        Err(error) => Ok(Completion::ignored_with(error.message)),
    })
}

fn add(device: &WgpuDevice, args: [Arg; 2], cubes: u32) -> Result<(), RuntimeError> {
    device.launch(&artifact(device, ADD), &args, [cubes, 1, 1])
}

const F32: cube_artifact::ElemType = cube_artifact::ElemType::F32;

fn grids(device: &WgpuDevice) {
    let most = device.parts().device.limits().max_compute_workgroups_per_dimension;
    // On a device without this limit the test would take long.
    let over = most.min(100_000) + 3;
    let kernel = device.load(&artifact(device, CUBES)).unwrap();
    for grid in [[over, 1, 1], [2, over, 1], [1, 1, over], [3, 2, 2]] {
        let cubes: u32 = grid.iter().product();
        let x = device.alloc(u64::from(cubes) * 4, Init::Zero).unwrap();
        device.launch_kernel(&kernel, &[Arg::buffer(&x, cube_artifact::ElemType::U32)], grid).unwrap();
        let mut counts = vec![0; cubes as usize * 4];
        device.read(&x, 0, &mut counts).unwrap();
        let wrong = counts.as_chunks().0.iter().position(|count| u32::from_le_bytes(*count) != 1);
        assert_eq!(wrong, None, "{grid:?}");
    }
}

fn parts_of_one_buffer(device: &WgpuDevice) {
    let whole = device.alloc(2048, Init::Zero).unwrap();
    let [x, y] = [0..1024, 1024..2048].map(|range| whole.slice(range).unwrap());
    write(device, &x, &[2.0; 256]);
    for _ in 0..2 {
        add(device, [Arg::buffer(&x, F32), Arg::buffer(&y, F32)], 4).unwrap();
        assert_eq!((read(device, &x), read(device, &y)), (vec![2.0; 256], vec![3.0; 256]));
    }
    add(device, [Arg::buffer(&y, F32), Arg::buffer(&x, F32)], 4).unwrap();
    assert_eq!(read(device, &x), [4.0; 256]);
}

fn in_place(device: &WgpuDevice) {
    let x = device.alloc(1024, Init::Zero).unwrap();
    let error = add(device, [Arg::buffer(&x, F32), Arg::buffer(&x, F32)], 4).unwrap_err();
    assert_eq!(error.kind, ErrorKind::User, "{error}");
    for count in [1.0, 2.0, 3.0] {
        add(device, [Arg::buffer(&x, F32), Arg::in_place(&x, F32)], 4).unwrap();
        assert_eq!(read(device, &x), [count; 256]);
    }
}

fn alternating(device: &WgpuDevice) {
    let [x, y] = [0; 2].map(|_| device.alloc(256, Init::Zero).unwrap());
    write(device, &x, &[1.0; 64]);
    let scale = device.load(&artifact(device, SCALE)).unwrap();
    for _ in 0..3 {
        device.launch_kernel(&scale, &[Arg::buffer(&x, F32), Scalar::F32(2.0).into()], [1, 1, 1]).unwrap();
        add(device, [Arg::buffer(&x, F32), Arg::buffer(&y, F32)], 1).unwrap();
        add(device, [Arg::buffer(&y, F32), Arg::in_place(&y, F32)], 1).unwrap();
    }
    assert_eq!((read(device, &x), read(device, &y)), (vec![8.0; 64], vec![10.0; 64]));
}

// Each launch must use the arguments of this launch, although the kernel has stored earlier launches.
fn repeated(device: &WgpuDevice) {
    let [x, y] = [0; 2].map(|_| device.alloc(512, Init::Zero).unwrap());
    let scale = device.load(&artifact(device, SCALE)).unwrap();
    let by = |buffer: &cube_runtime::Buffer, scalar: Scalar, cubes: u32| {
        device.launch_kernel(&scale, &[Arg::buffer(buffer, F32), scalar.into()], [cubes, 1, 1])
    };
    [&x, &y].into_iter().for_each(|buffer| write(device, buffer, &[1.0; 128]));
    for factor in [2.0, 3.0, 2.0] {
        [&x, &y].into_iter().for_each(|buffer| by(buffer, Scalar::F32(factor), 2).unwrap());
    }
    assert_eq!((read(device, &x), read(device, &y)), (vec![12.0; 128], vec![12.0; 128]));
    // A smaller grid and a part of the buffer.
    by(&x, Scalar::F32(0.5), 1).unwrap();
    by(&y.slice(0..256).unwrap(), Scalar::F32(0.25), 2).unwrap();
    assert_eq!(read(device, &x), [[6.0; 64], [12.0; 64]].concat());
    assert_eq!(read(device, &y), [[3.0; 64], [12.0; 64]].concat());
    assert_eq!(by(&x, Scalar::U32(2), 2).unwrap_err().kind, ErrorKind::User);
    let integers = [Arg::buffer(&x, cube_artifact::ElemType::U32), Scalar::F32(2.0).into()];
    assert_eq!(device.launch_kernel(&scale, &integers, [2, 1, 1]).unwrap_err().kind, ErrorKind::User);
    // More launches than the kernel stores, on memory that the pool reuses.
    for count in 1..=9u16 {
        let z = device.alloc(256 * u64::from(count), Init::Zero).unwrap();
        write(device, &z, &vec![1.0; 64 * usize::from(count)]);
        (0..2).for_each(|_| by(&z, Scalar::F32(f32::from(count)), count.into()).unwrap());
        assert_eq!(read(device, &z), vec![f32::from(count).powi(2); 64 * usize::from(count)]);
    }
}

fn computed(device: &WgpuDevice) {
    let x = device.alloc(256, Init::Zero).unwrap();
    for (expression, expected) in [("mul(n, 2)", [9, 15, 9]), ("add(len(x), cubes(0))", [68, 70, 68])] {
        let mut artifact = artifact(device, COMPUTED);
        let derived = cube_artifact::DerivedParam {
            name: "computed".into(),
            elem: cube_artifact::ElemType::U32,
            expression: expression.into(),
        };
        artifact.derived.push(derived);
        let kernel = device.load(&artifact).unwrap();
        for (n, sum) in [3u32, 5, 3].into_iter().zip(expected) {
            let args = [Arg::buffer(&x, cube_artifact::ElemType::U32), Scalar::U32(n).into()];
            device.launch_kernel(&kernel, &args, [1, 1, 1]).unwrap();
            let mut bytes = [0; 256];
            device.read(&x, 0, &mut bytes).unwrap();
            let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            assert_eq!(words, [sum; 64], "{expression}");
        }
    }
}

// The device compares all facts of a repetition on which the stored dispatches and words depend.
fn repeated_facts(device: &WgpuDevice) {
    let scale = device.load(&artifact(device, SCALE)).unwrap();
    let alloc = |bytes: u64| {
        let buffer = device.alloc(bytes, Init::Zero).unwrap();
        write(device, &buffer, &vec![1.0; bytes as usize / 4]);
        buffer
    };
    let args = |buffer: &cube_runtime::Buffer| [Arg::buffer(buffer, F32), Scalar::F32(2.0).into()];
    let repeat_of = |buffer: &cube_runtime::Buffer, cubes: u32| {
        Repeat::of(&scale, &args(buffer), [cubes, 1, 1], device.properties()).unwrap()
    };
    let by = |repeat: &Repeat, buffer: &cube_runtime::Buffer, factor: f32| {
        device.repeat(Queue::DEFAULT, &scale, repeat, &[buffer], &[Scalar::F32(factor).slot()])
    };
    let (x, y) = (alloc(512), alloc(512));
    // The repeated launch is the first one of its buffer, or stored; both have the scalars of this launch.
    let (one, two) = (repeat_of(&x, 1), repeat_of(&x, 2));
    for (buffer, factor) in [(&x, 2.0), (&x, 3.0), (&y, 5.0), (&x, 0.5)] {
        assert_eq!(by(&two, buffer, factor), Ok(true));
    }
    assert_eq!((read(device, &x), read(device, &y)), (vec![3.0; 128], vec![5.0; 128]));
    assert_eq!(by(&one, &x, 2.0), Ok(true));
    assert_eq!(read(device, &x), [[6.0; 64], [3.0; 64]].concat(), "the cube count");
    let [low, high] = [0..256, 256..512].map(|range| y.slice(range).unwrap());
    for (part, cubes, factor) in [(&y, 1, 2.0), (&high, 1, 3.0), (&low, 2, 2.0)] {
        assert_eq!(by(&repeat_of(part, cubes), part, factor), Ok(true));
    }
    assert_eq!(read(device, &y), [[20.0; 64], [15.0; 64]].concat(), "the range of the buffer");
    // The pool gives the memory of `x` to a smaller allocation, after a launch that is stored.
    assert_eq!(by(&two, &x, 2.0), Ok(true));
    let memory = device.buffer_of(&x).unwrap().0;
    device.sync().unwrap();
    drop(x);
    let small = alloc(496);
    assert_eq!(
        device.buffer_of(&small).unwrap().0,
        memory,
        "the pool gives other memory; change the sizes of this test"
    );
    assert_eq!(by(&two, &small, 2.0), Ok(false), "the size of the allocation");
    assert_eq!(read(device, &small), vec![1.0; 124]);
    // A derived scalar that depends on a scalar of the host.
    let mut derived = artifact(device, COMPUTED);
    let (name, elem) = ("computed".into(), cube_artifact::ElemType::U32);
    derived.derived.push(cube_artifact::DerivedParam { name, elem, expression: "mul(n, 2)".into() });
    let (kernel, z) = (device.load(&derived).unwrap(), device.alloc(256, Init::Zero).unwrap());
    let of = |n: u32| {
        let args = [Arg::buffer(&z, cube_artifact::ElemType::U32), Scalar::U32(n).into()];
        Repeat::of(&kernel, &args, [1, 1, 1], device.properties()).unwrap()
    };
    for (n, sum) in [(3u32, 9u32), (5, 15), (3, 9)] {
        let slots = [Scalar::U32(n).slot()];
        assert_eq!(device.repeat(Queue::DEFAULT, &kernel, &of(n), &[&z], &slots), Ok(true));
        let mut bytes = [0; 256];
        device.read(&z, 0, &mut bytes).unwrap();
        assert_eq!(bytes.as_chunks().0, [sum.to_le_bytes(); 64], "the derived scalar");
    }
}

fn first_cubes(device: &WgpuDevice) {
    let words = |buffer: &cube_runtime::Buffer| -> Vec<u32> {
        let mut bytes = vec![0; buffer.size() as usize];
        device.read(buffer, 0, &mut bytes).unwrap();
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    // All cubes, some cubes and no cube are first cubes. The last grid needs several dispatches of each entry point.
    for (count, first) in [([8, 1, 1], 8), ([8, 1, 1], 5), ([8, 1, 1], 0), ([6, 3, 2], 4), ([140_001, 1, 1], 70_003)] {
        let mut artifact = artifact(device, SPLIT);
        let (name, elem) = ("first".into(), cube_artifact::ElemType::U32);
        artifact.derived.push(cube_artifact::DerivedParam { name, elem, expression: format!("mul({first}, 1)") });
        artifact.first_cubes = Some(cube_artifact::FirstCubes { entry: "split_first".into(), derived: 0 });
        let kernel = device.load(&artifact).unwrap();
        let cubes = count.iter().product::<u32>() as usize;
        let x = device.alloc((4 * cubes as u64).next_multiple_of(16), Init::Zero).unwrap();
        let mut sum = 0;
        // The second and the third launch repeat the first one with another scalar.
        for n in [3u32, 5, 3] {
            let args = [Arg::buffer(&x, cube_artifact::ElemType::U32), Scalar::U32(n).into()];
            device.launch_kernel(&kernel, &args, count).unwrap();
            sum += n;
            let passes = [3, 8, 11].iter().position(|all| *all == sum).unwrap() as u32 + 1;
            let expected = (0..cubes as u32).map(|cube| {
                let by = if cube % count[0] < first { 100 } else { 1 };
                passes * by + sum
            });
            assert!(words(&x).into_iter().take(cubes).eq(expected), "{count:?}, {first} first cubes");
        }
    }
    let mut missing = artifact(device, SPLIT);
    missing.first_cubes = Some(cube_artifact::FirstCubes { entry: "split_first".into(), derived: 0 });
    let error = device.load(&missing).unwrap_err().to_string();
    assert!(error.contains("its number of first cubes is derived argument 0 of 0"), "{error}");
}

fn unaligned_slices(device: &WgpuDevice) {
    let (whole, other) = (device.alloc(1024, Init::Zero).unwrap(), device.alloc(1024, Init::Zero).unwrap());
    write(device, &other, &(0..256).map(|n| n as f32).collect::<Vec<_>>());
    let part = |of: &cube_runtime::Buffer, range| Arg::buffer(&of.slice(range).unwrap(), F32);
    add(device, [part(&other, 4..44), part(&whole, 12..52)], 1).unwrap();
    let after = read(device, &whole);
    assert_eq!(after[..3], [0.0; 3]);
    assert_eq!(after[3..13], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    assert_eq!(after[13..], [0.0; 243]);
    // Two arguments with the same bytes share one copy.
    let same = whole.slice(12..52).unwrap();
    add(device, [Arg::buffer(&same, F32), Arg::in_place(&same, F32)], 1).unwrap();
    assert_eq!(read(device, &whole)[2..5], [0.0, 3.0, 4.0]);
    // The kernel sees an empty slice as a buffer of length 0.
    add(device, [part(&whole, 1024..1024), part(&other, 8..8)], 1).unwrap();
    assert_eq!(read(device, &other)[2], 2.0);
}

fn bytes(device: &WgpuDevice) {
    let buffer = device.alloc(23, Init::Zero).unwrap();
    let mut model = vec![0u8; 23];
    for (start, end) in [(0, 23), (1, 2), (3, 9), (4, 8), (21, 23), (22, 23), (5, 5), (2, 20)] {
        let data: Vec<u8> = (start..end).map(|n| n as u8 * 7 + 1).collect();
        device.write(&buffer, start as u64, &data).unwrap();
        model[start..end].copy_from_slice(&data);
        let mut part = vec![0; end - start];
        device.read(&buffer, start as u64, &mut part).unwrap();
        assert_eq!(part, data);
    }
    let mut all = vec![0; 23];
    device.read(&buffer, 0, &mut all).unwrap();
    assert_eq!(all, model);
    assert_eq!(device.write(&buffer, 22, &[1, 2]).unwrap_err().kind, ErrorKind::User);
}

fn refused(device: &WgpuDevice) {
    let good = artifact(device, SCALE);
    let error_of = |change: &dyn Fn(&mut cube_artifact::Artifact)| {
        let mut changed = good.clone();
        change(&mut changed);
        let error = device.load(&changed).expect_err("a refusal");
        (error.kind, error.to_string())
    };
    let (kind, text) = error_of(&|a| a.features = vec!["cooperative-fish".into()]);
    assert!(kind == ErrorKind::DeviceLimit && text.contains("needs the feature 'cooperative-fish'"), "{text}");
    let (kind, text) = error_of(&|a| a.code = b"fn scale( {".to_vec());
    assert!(kind == ErrorKind::InvalidArtifact && text.contains("kernel 'scale'"), "{text}");
    let (kind, text) = error_of(&|a| a.entry = "other".into());
    assert!(kind == ErrorKind::InvalidArtifact, "{text}");
    let (kind, text) = error_of(&|a| a.target.backend = "cpu".into());
    assert!(kind == ErrorKind::User && text.contains(&device.target().to_string()), "{text}");
    let (kind, text) = error_of(&|a| a.code = vec![]);
    assert!(kind == ErrorKind::InvalidArtifact && text.contains("contains no code"), "{text}");
    let other = support::device(Code::Wgsl).unwrap();
    let foreign = other.alloc(256, Init::Zero).unwrap();
    let args = [Arg::buffer(&foreign, F32), Scalar::F32(2.0).into()];
    let error = device.launch(&good, &args, [1, 1, 1]).unwrap_err();
    assert!(error.kind == ErrorKind::User && error.message.contains("belongs to another device"), "{error}");
    // The device still works.
    let own = device.alloc(256, Init::Zero).unwrap();
    write(device, &own, &[1.5; 64]);
    device.launch(&good, &[Arg::buffer(&own, F32), Scalar::F32(2.0).into()], [1, 1, 1]).unwrap();
    assert_eq!(read(device, &own), [3.0; 64]);
    // The first launch of this device can be repeated, but not by another device.
    let (kernel, args) = (device.load(&good).unwrap(), [Arg::buffer(&own, F32), Scalar::F32(2.0).into()]);
    device.launch_kernel(&kernel, &args, [1, 1, 1]).unwrap();
    let error = other.launch_kernel(&kernel, &args, [1, 1, 1]).unwrap_err();
    assert!(error.kind == ErrorKind::User && error.message.contains("loaded by another device"), "{error}");
    assert_eq!(read(device, &own), [6.0; 64]);
}

fn lost(device: &WgpuDevice) {
    let kernel = device.load(&artifact(device, SCALE)).unwrap();
    let old = device.alloc(256, Init::Zero).unwrap();
    let parts = device.parts();
    parts.device.destroy();
    let _ = parts.device.poll(wgpu::PollType::Poll);
    let scale = |buffer| device.launch_kernel(&kernel, &[Arg::buffer(buffer, F32), Scalar::F32(2.0).into()], [1, 1, 1]);
    let error = scale(&old).unwrap_err();
    assert!(error.kind == ErrorKind::Fault && error.message.contains("allocate the buffers again"), "{error}");
    let new = device.alloc(256, Init::Zero).unwrap();
    write(device, &new, &[1.0; 64]);
    scale(&new).unwrap();
    assert_eq!(read(device, &new), [2.0; 64]);
    assert_eq!(device.read(&old, 0, &mut [0; 4]).unwrap_err().kind, ErrorKind::Fault);
    drop(old);
    device.sync().unwrap();
}

fn clock(device: &WgpuDevice) {
    let kernel = device.load(&artifact(device, SCALE)).unwrap();
    let buffer = device.alloc(4 << 20, Init::Zero).unwrap();
    let args = [Arg::buffer(&buffer, F32), Scalar::F32(1.0).into()];
    let (time, clock) = device.measure(&mut || device.launch_kernel(&kernel, &args, [1 << 14, 1, 1])).expect("a time");
    let has = device.parts().device.features().contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
    assert_eq!(clock, if has { Clock::Device } else { Clock::Host });
    assert!(!time.is_zero());
}

/// A compute pass of the program reads the result of a launch, and a second launch reads the result of this pass. The
/// test copies no data to the host between the launches and the compute pass.
fn sharing(device: &WgpuDevice) {
    let Shared { adapter, device: own, queue } = device.parts();
    let cube = WgpuDevice::shared(Shared { adapter, device: own.clone(), queue: queue.clone() }, None);
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: None, size: 256, usage, mapped_at_creation: false };
    let other = own.create_buffer(&descriptor);
    queue.write_buffer(&other, 0, &5f32.to_le_bytes().repeat(64));
    let imported = cube.import(other.clone()).unwrap();
    let result = cube.alloc(256, Init::Zero).unwrap();
    add(&cube, [Arg::buffer(&imported, F32), Arg::buffer(&result, F32)], 1).unwrap();
    cube.submit().unwrap();
    let (behind, range) = cube.buffer_of(&result).unwrap();
    let mut commands = own.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    commands.copy_buffer_to_buffer(&behind, range.start, &other, 0, 128);
    queue.submit([commands.finish()]);
    add(&cube, [Arg::buffer(&imported, F32), Arg::buffer(&result, F32)], 1).unwrap();
    let after = read(&cube, &result);
    assert_eq!((&after[..32], &after[32..]), (&[7.0; 32][..], &[6.0; 32][..]));
    let read_only = wgpu::BufferDescriptor { usage: wgpu::BufferUsages::COPY_DST, ..descriptor };
    assert!(cube.import(own.create_buffer(&read_only)).unwrap_err().message.contains("create it with STORAGE"));
    // The program loses its device. The runtime returns an error and does not open a new device.
    own.destroy();
    let error = add(&cube, [Arg::buffer(&imported, F32), Arg::buffer(&result, F32)], 1).and_then(|()| cube.sync());
    assert!(error.is_err(), "a launch on a destroyed device");
}

fn pipelines(like: &WgpuDevice) {
    let folder = tempfile::tempdir().unwrap();
    let code = if like.target().backend == "spirv" { Code::Spirv } else { Code::Wgsl };
    let options = Options { code, cache: Some(folder.path().into()), ..Options::default() };
    let runs = || {
        let device = WgpuDevice::open(&options).unwrap();
        let x = device.alloc(256, Init::Zero).unwrap();
        add(&device, [Arg::buffer(&x, F32), Arg::in_place(&x, F32)], 1).unwrap();
        assert_eq!(read(&device, &x), [1.0; 64]);
        device.parts().device.features().contains(wgpu::Features::PIPELINE_CACHE)
    };
    if !runs() {
        return;
    }
    let files = || std::fs::read_dir(folder.path().join("pipelines")).unwrap().map(|entry| entry.unwrap().path());
    let file = files().next().expect("a file");
    assert_eq!(files().count(), 1);
    let kept = std::fs::read(&file).unwrap();
    for broken in [kept[..kept.len() / 2].to_vec(), vec![0xff; 4096], vec![]] {
        std::fs::write(&file, &broken).unwrap();
        runs();
        let again = std::fs::read(&file).unwrap();
        assert!(again != broken && again.starts_with(b"CUBEPIP"), "the file is written again");
    }
    runs();
}

fn limits(device: &WgpuDevice) {
    let missing = AdapterChoice::Named("no such adapter".into());
    let error = WgpuDevice::open(&Options { adapter: missing, ..Options::default() }).err().expect("a refusal");
    assert!(error.kind == ErrorKind::NoDevice && error.message.contains(device.name()), "{error}");
    let error = device.alloc(1 << 60, Init::Any).expect_err("a refusal");
    assert!(error.kind == ErrorKind::DeviceLimit && error.message.contains("maxBufferSize"), "{error}");
    let mut large = artifact(device, SCALE);
    large.cube_dim = [1 << 16, 1, 1];
    let args = [Arg::buffer(&device.alloc(256, Init::Any).unwrap(), F32), Scalar::F32(2.0).into()];
    let error = device.launch(&large, &args, [1, 1, 1]).unwrap_err();
    assert!(error.kind == ErrorKind::DeviceLimit && error.message.contains("smaller cube dim"), "{error}");
    large.cube_dim = [64, 1, 1];
    large.shared_bytes = 1 << 30;
    let error = device.launch(&large, &args, [1, 1, 1]).unwrap_err();
    assert!(error.kind == ErrorKind::DeviceLimit && error.message.contains("use smaller tiles"), "{error}");
    large.shared_bytes = 0;
    large.plane_dim = Some(3);
    let error = device.launch(&large, &args, [1, 1, 1]).unwrap_err();
    assert!(error.kind == ErrorKind::DeviceLimit && error.message.contains("its planes have 3 units"), "{error}");
}
