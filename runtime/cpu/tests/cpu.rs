//! Tests that load and run objects that gcc compiled.
mod support;

use cube_artifact::{Artifact, BufferAccess, CodeFormat, ElemType, Param, ParamKind};
use cube_runtime::{Arg, Buffer, Device, ErrorKind, Init, Kernel, RuntimeError, Scalar};
use cube_runtime_cpu::CpuDevice;
use support::{artifact, buffer, object, scale};

fn upload(device: &CpuDevice, bytes: &[u8]) -> Buffer {
    let buffer = device.alloc(bytes.len() as u64, Init::Any).unwrap();
    device.write(&buffer, 0, bytes).unwrap();
    buffer
}

fn download(device: &CpuDevice, buffer: &Buffer) -> Vec<u8> {
    let mut bytes = vec![0; buffer.size() as usize];
    device.read(buffer, 0, &mut bytes).unwrap();
    bytes
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[track_caller]
fn refused<T>(result: Result<T, RuntimeError>, kind: ErrorKind, words: &str) {
    let error = result.err().expect("it must be refused");
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.to_string().contains(words), "{error}\n  lacks: {words}");
}

#[test]
fn scale_kernel_writes_only_its_slice_for_any_thread_count() {
    for threads in [1, 2, 5] {
        let device = CpuDevice::with_threads(threads);
        let values: Vec<f32> = (0..10_001).map(|i| i as f32).collect();
        let whole = upload(&device, &bytes_of(&values));
        let part = whole.slice(4..40_000).unwrap();
        device.launch(&scale(), &[Arg::buffer(&part, ElemType::F32), Scalar::F32(3.0).into()], [157, 1, 1]).unwrap();
        let expected: Vec<f32> =
            (0..10_001).map(|i| if (1..10_000).contains(&i) { 3.0 * i as f32 } else { i as f32 }).collect();
        assert_eq!(floats(&download(&device, &whole)), expected, "{threads} threads");
    }
}

#[test]
fn every_cube_runs_once_with_its_position() {
    let positions = artifact(
        "positions",
        object("positions", &[]),
        vec![buffer("out", ElemType::U64, BufferAccess::ReadWrite)],
        [1, 1, 1],
    );
    let device = CpuDevice::with_threads(2);
    for count in [[7, 1, 1], [5, 4, 3], [99, 99, 9]] {
        let [x, y, z] = count;
        let out = device.alloc(u64::from(x * y * z) * 8, Init::Zero).unwrap();
        device.launch(&positions, &[Arg::buffer(&out, ElemType::U64)], count).unwrap();
        let got: Vec<u64> = download(&device, &out).as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        let expected: Vec<u64> = (0..z)
            .flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| u64::from(1 + x + 100 * y + 10000 * z))))
            .collect();
        assert_eq!(got, expected);
    }
}

/// The expected result of `tests/kernels/tables.c`.
fn tables_reference(c: u32) -> u32 {
    let primes = [2, 3, 5, 7, 11, 13, 17, 19];
    let i = (c >> 1) & 7;
    let v: u32 = if c & 1 == 0 { primes[i as usize] } else { i * i };
    let mixed = match c % 11 {
        0 => v * 3,
        1 => v ^ 0x55,
        2 => v + c,
        3 => v << 3,
        4 => v.wrapping_sub(7),
        5 => v * v,
        6 => !v,
        7 => v >> 1,
        8 => v | 0x100,
        9 => v & 0xf,
        _ => 77,
    };
    mixed.wrapping_add(1000)
}

#[test]
fn constants_jump_tables_pointers_and_the_got_are_relocated() {
    let device = CpuDevice::with_threads(1);
    for flags in [&[][..], &["-O0"], &["-O3", "-ffunction-sections", "-fdata-sections"], &["-fno-plt", "-Os"]] {
        let code = object("tables", flags);
        let tables =
            artifact("tables_kernel", code, vec![buffer("out", ElemType::U32, BufferAccess::Write)], [1, 1, 1]);
        let out = device.alloc(400, Init::Zero).unwrap();
        device.launch(&tables, &[Arg::buffer(&out, ElemType::U32)], [100, 1, 1]).unwrap();
        let got: Vec<u32> = download(&device, &out).as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let expected: Vec<u32> = (0..100).map(tables_reference).collect();
        assert_eq!(got, expected, "{flags:?}");
    }
}

#[test]
fn launch_with_zero_cubes_is_checked_and_not_run() {
    let device = CpuDevice::with_threads(2);
    let x = upload(&device, &bytes_of(&[1.0, 2.0]));
    let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(3.0).into()];
    device.launch(&scale(), &args, [0, 1, 1]).unwrap();
    assert_eq!(floats(&download(&device, &x)), [1.0, 2.0]);
    refused(device.launch(&scale(), &args[..1], [0, 1, 1]), ErrorKind::User, "it takes 2 arguments (x, a)");
}

#[test]
fn launch_accepts_an_empty_buffer() {
    let device = CpuDevice::with_threads(2);
    let none = device.alloc(0, Init::Zero).unwrap();
    device.launch(&scale(), &[Arg::buffer(&none, ElemType::F32), Scalar::F32(3.0).into()], [1, 1, 1]).unwrap();
}

#[test]
fn reads_and_writes_of_large_buffers_keep_every_byte() {
    let device = CpuDevice::with_threads(3);
    let bytes: Vec<u8> = (0..9_000_001u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let buffer = device.alloc(bytes.len() as u64 + 2, Init::Zero).unwrap();
    device.write(&buffer, 1, &bytes).unwrap();
    let all = download(&device, &buffer);
    assert_eq!((all[0], all[all.len() - 1]), (0, 0));
    assert!(all[1..all.len() - 1] == bytes);
}

#[test]
fn copies_beyond_a_buffer_are_refused() {
    let device = CpuDevice::with_threads(1);
    let buffer = device.alloc(8, Init::Zero).unwrap();
    refused(device.write(&buffer, 1, &[0; 8]), ErrorKind::User, "8 bytes from offset 1 exceed a buffer of 8 bytes");
    refused(device.read(&buffer, u64::MAX, &mut [0; 2]), ErrorKind::User, "exceed a buffer of 8 bytes");
}

#[test]
fn allocation_beyond_machine_memory_is_a_typed_error() {
    let device = CpuDevice::with_threads(1);
    let too_much = device.properties().memory_bytes + 1;
    refused(
        device.alloc(too_much, Init::Zero),
        ErrorKind::DeviceLimit,
        "bytes of memory of this machine: process the data in parts",
    );
    refused(device.alloc(u64::MAX, Init::Zero), ErrorKind::DeviceLimit, "process the data in parts");
}

#[test]
fn a_kernel_is_loaded_once() {
    let device = CpuDevice::with_threads(1);
    let address = |kernel: &Kernel| std::ptr::from_ref(kernel.artifact());
    let (first, second) = (device.load(&scale()).unwrap(), device.load(&scale()).unwrap());
    assert_eq!(address(&first), address(&second));
    let mut other = scale();
    other.unit_limit = None;
    assert_ne!(address(&first), address(&device.load(&other).unwrap()));
}

#[test]
fn launches_from_many_threads_on_one_buffer_do_not_mix() {
    let device = CpuDevice::with_threads(2);
    let kernel = device.load(&scale()).unwrap();
    let x = upload(&device, &bytes_of(&vec![1.0; 10_000]));
    let y = upload(&device, &bytes_of(&vec![1.0; 10_000]));
    std::thread::scope(|scope| {
        for i in 0..4 {
            let (device, kernel, a, b) = (&device, &kernel, &x, &y);
            scope.spawn(move || {
                for _ in 0..10 {
                    // Half of the threads take the buffers in the other order.
                    for buffer in if i % 2 == 0 { [a, b] } else { [b, a] } {
                        let args = [Arg::buffer(buffer, ElemType::F32), Scalar::F32(2.0).into()];
                        device.launch_kernel(kernel, &args, [157, 1, 1]).unwrap();
                    }
                }
            });
        }
    });
    for buffer in [x, y] {
        assert!(floats(&download(&device, &buffer)).iter().all(|&v| v == 2f32.powi(40)));
    }
}

#[test]
fn launches_from_tasks_of_another_pool_do_not_wait_for_themselves() {
    use rayon::prelude::*;
    let device = CpuDevice::with_threads(2);
    let kernel = device.load(&scale()).unwrap();
    let x = upload(&device, &bytes_of(&vec![1.0; 1 << 16]));
    let callers = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let twice = || {
        let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(2.0).into()];
        device.launch_kernel(&kernel, &args, [1 << 10, 1, 1]).unwrap();
    };
    callers.install(|| (0..100).into_par_iter().for_each(|_| twice()));
    assert!(floats(&download(&device, &x)).iter().all(|&v| v == 2f32.powi(100)));
}

/// An allocation of a device that is not the CPU.
struct OtherDeviceMemory;

impl cube_runtime::buffer::Storage for OtherDeviceMemory {
    fn size(&self) -> u64 {
        64
    }
}

#[test]
fn buffers_and_kernels_of_another_device_are_refused() {
    use std::sync::Arc;
    let device = CpuDevice::with_threads(1);
    let buffer = Buffer::new(Arc::new(OtherDeviceMemory));
    let words = "the buffer belongs to another device; allocate it on the cpu device and copy the data";
    refused(device.write(&buffer, 0, &[0]), ErrorKind::User, words);
    refused(device.read(&buffer, 0, &mut [0]), ErrorKind::User, words);
    let args = [Arg::buffer(&buffer, ElemType::F32), Scalar::F32(1.0).into()];
    refused(device.launch(&scale(), &args, [1, 1, 1]), ErrorKind::User, words);
    let kernel = Kernel::new(Arc::new(scale()), Arc::new("code of something else"));
    let words = "kernel 'scale': it was loaded by another device; load the kernel on this device";
    refused(device.launch_kernel(&kernel, &args_for(&device), [1, 1, 1]), ErrorKind::User, words);
}

#[cfg(target_os = "linux")]
#[test]
fn no_memory_is_writable_and_executable() {
    let device = CpuDevice::with_threads(1);
    let _kernel = device.load(&scale()).unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let bad: Vec<_> = maps.lines().filter(|line| line.contains(" rwx") || line.contains(" -wx")).collect();
    assert!(bad.is_empty(), "{bad:?}");
    assert!(maps.lines().any(|line| line.contains(" r-xp") && line.ends_with(" 0 ")), "the kernel's own pages: {maps}");
}

#[test]
fn incompatible_artifacts_are_rejected() {
    let device = CpuDevice::with_threads(1);
    let changed = |change: &dyn Fn(&mut Artifact)| {
        let mut artifact = scale();
        change(&mut artifact);
        device.load(&artifact)
    };
    let user = ErrorKind::User;
    refused(
        changed(&|a| a.target.backend = "nvptx".into()),
        user,
        "kernel 'scale': it is compiled for nvptx, but this device runs cpu",
    );
    let other = CodeFormat::new("c-source", "c");
    refused(
        changed(&|a| a.format = other.clone()),
        user,
        "kernel 'scale': its code is in the format c-source, but this device loads elf-object; compile the kernel with target cpu",
    );
    let invalid = ErrorKind::InvalidArtifact;
    refused(
        changed(&|a| a.cube_dim = [0, 1, 1]),
        invalid,
        "its cube dim [0, 1, 1] has a zero; compile the kernel again",
    );
    refused(changed(&|a| a.entry = "scala".into()), invalid, "it defines no global function 'scala'");
    refused(changed(&|a| a.code = b"MZ".to_vec()), invalid, "it is not a valid 64-bit little-endian ELF object");
    let limit = ErrorKind::DeviceLimit;
    refused(changed(&|a| a.features = vec!["avx9000".into()]), limit, "CPU feature 'avx9000', which is not known");
    let dim = changed(&|a| a.cube_dim = [8192, 1, 1]).unwrap();
    refused(
        device.launch_kernel(&dim, &args_for(&device), [1, 1, 1]),
        limit,
        "8192 units along x, but the device's limit is 4096",
    );
}

fn args_for(device: &CpuDevice) -> [Arg; 2] {
    [Arg::buffer(&device.alloc(64, Init::Zero).unwrap(), ElemType::F32), Scalar::F32(1.0).into()]
}

#[test]
fn objects_with_undefined_symbols_or_state_are_refused_by_name() {
    let device = CpuDevice::with_threads(1);
    let load = |name: &str| device.load(&artifact(name, object(name, &[]), vec![], [1, 1, 1]));
    refused(
        load("undefined"),
        ErrorKind::InvalidArtifact,
        "kernel 'undefined': its code cannot be loaded: it calls or reads expf, elsewhere, which it does not define; compile the kernel again",
    );
    refused(
        load("state"),
        ErrorKind::InvalidArtifact,
        "section .data is writable, but kernels cannot have writable data",
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn code_that_is_not_position_independent_is_refused() {
    let device = CpuDevice::with_threads(1);
    let code = object("tables", &["-fno-pic", "-mcmodel=small", "-fno-pie"]);
    let artifact = artifact("tables_kernel", code, vec![], [1, 1, 1]);
    refused(
        device.load(&artifact),
        ErrorKind::InvalidArtifact,
        "does not reach its target; it is not position-independent",
    );
}

/// The random number generator SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

#[test]
fn truncated_and_mutated_objects_never_panic() {
    let device = CpuDevice::with_threads(1);
    let good = object("tables", &[]);
    let mut load = artifact("tables_kernel", Vec::new(), vec![], [1, 1, 1]);
    for end in 1..good.len() {
        load.code = good[..end].to_vec();
        refused(device.load(&load), ErrorKind::InvalidArtifact, "its code cannot be loaded");
    }
    let mut random = Random(0x5eed);
    let mut refusals = 0;
    for _ in 0..5000 {
        load.code = good.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(good.len());
            let values = [0, 1, 0x7f, 0x80, 0xff, random.below(256)];
            load.code[at] = values[random.below(values.len())] as u8;
        }
        // The object is loaded but not run: a changed object can still be valid.
        refusals += u32::from(device.load(&load).is_err());
    }
    assert!(refusals > 500, "only {refusals} of 5000 changes were noticed");
}

#[test]
fn a_scalar_of_each_width_arrives() {
    // The kernel reads the low half of an f32 slot. A wrong slot order would scale by another value.
    let device = CpuDevice::with_threads(1);
    let mut kernel = scale();
    kernel.params.push(Param { name: "unused".into(), kind: ParamKind::Scalar { elem: ElemType::I8 } });
    let x = upload(&device, &bytes_of(&[5.0]));
    let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(-2.0).into(), Scalar::I8(-1).into()];
    device.launch(&kernel, &args, [1, 1, 1]).unwrap();
    assert_eq!(floats(&download(&device, &x)), [-10.0]);
}
