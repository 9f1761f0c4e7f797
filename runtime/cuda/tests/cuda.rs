//! Tests of the device through the runtime's interface, with kernels written in PTX. Without a GPU, each test is
//! ignored with the reason. With `CUBE_NEED_CUDA=1`, each test fails on a machine without a GPU.
#[path = "../../core/tests/conformance/mod.rs"]
mod conformance;

use conformance::{RULES, Subject};
use cube_artifact::{Artifact, BufferAccess, CodeFormat, ElemType, InfoWord, Param, ParamKind, Target};
use cube_runtime::{Arg, Buffer, Device, ErrorKind, Init, Queue, RuntimeError, Scalar};
use cube_runtime_cuda::CudaDevice;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

fn main() -> ExitCode {
    cube_runtime_cuda::serve_if_asked();
    let mut arguments = Arguments::from_args();
    // Tests run one after the other, because some fill the memory of the device. After a fault, the process can use the
    // device only through a child. The rules of devices therefore run first.
    arguments.test_threads.get_or_insert(1);
    let tests: &[(&str, fn())] = &[
        ("data goes to the device and comes back", round_trip),
        ("fresh buffers are zero on request", zeroed),
        ("a launch computes on every unit", scales),
        ("a launch without cubes does nothing", nothing),
        ("launches of one thread run in order", in_order),
        ("invalid arguments are refused before the launch", refused_arguments),
        ("code for other chips and other devices is refused by name", refused_code),
        ("invalid code is reported with the driver's message", broken_code),
        ("an allocation beyond device memory is a limit error", no_memory),
        (COPY_AFTER_FAULT, fault_before_a_copy),
        ("a fault is reported once with its kernel, and the next launch works", fault),
        ("a fault is reported by the next call", fault_in_the_queue),
        ("threads continue after a fault", fault_among_threads),
        ("shared memory beyond 48 KiB is given at the launch", shared),
        ("the device's own clock measures launches", time),
    ];
    let rules = RULES.iter().map(|(name, rule)| -> (&str, Box<dyn Fn() + Send>) {
        let test = || {
            // With one GPU, the other device is another context on it.
            let other = CudaDevice::at(1, &cube_artifact::Variables::of_process()).unwrap_or_else(|_| device());
            rule(&Subject { device: &device(), other: &other, scale: artifact("scale", SCALE), rounds: 2000 });
        };
        (name, Box::new(test))
    });
    let tests = tests.iter().map(|(name, test)| -> (&str, Box<dyn Fn() + Send>) { (name, Box::new(test)) });
    let tests = rules.chain(tests);
    let absent = CudaDevice::new(&cube_artifact::Variables::of_process()).err();
    let needed = std::env::var_os("CUBE_NEED_CUDA").is_some();
    let mut trials = vec![Trial::test("opening reports a missing driver in one sentence", || {
        opening();
        Ok(())
    })];
    let only_one = CudaDevice::at(1, &cube_artifact::Variables::of_process()).err();
    trials.extend(tests.map(|(name, test)| {
        let absent = absent.clone().or_else(|| only_one.clone().filter(|_| name == COPY_AFTER_FAULT));
        let needed = needed && absent.as_ref().is_none_or(|_| name != COPY_AFTER_FAULT);
        Trial::ignorable_test(name, move || match absent {
            None => {
                test();
                Ok(Completion::Completed)
            }
            Some(error) if needed => Err(Failed::from(error.to_string())),
            Some(error) => Ok(Completion::ignored_with(error.message)),
        })
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The name of the test that needs two GPUs.
const COPY_AFTER_FAULT: &str = "a fault on one GPU is an error of a copy to another, with two GPUs";

/// A kernel of the source device faults before a copy. A read of the target then returns the fault, and never the bytes
/// of the faulted memory.
fn fault_before_a_copy() {
    let variables = cube_artifact::Variables::of_process();
    let (device, other) = (device(), CudaDevice::at(1, &variables).expect("was there a moment ago"));
    let (to, from) = (floats(&device, &[7.0; 256]), floats(&other, &[1.0; 256]));
    let wild = other.load(&artifact("wild", WILD)).unwrap();
    // The first copy connects the devices.
    device.copy_from(Queue::DEFAULT, &to, &other, Queue::DEFAULT, &from).unwrap();
    assert_eq!(read(&device, &to).unwrap(), [1.0; 256]);
    other.launch_kernel(&wild, &args(&from, 2.0), [1, 1, 1]).unwrap();
    let copied = device.copy_from(Queue::DEFAULT, &to, &other, Queue::DEFAULT, &from);
    let outcome = copied.and_then(|()| read(&device, &to));
    assert_eq!(outcome.map_err(|error| error.kind), Err(ErrorKind::Fault));
    assert_eq!(other.sync().err().map(|error| error.kind).unwrap_or(ErrorKind::Fault), ErrorKind::Fault);
    // Both devices work again, one of them or both in a child process.
    for device in [&device, &other] {
        let again = || {
            let buffer = device.alloc(1024, Init::Zero)?;
            device.launch(&artifact("scale", SCALE), &args(&buffer, 2.0), [1, 1, 1])?;
            device.sync()
        };
        again().or_else(|_| again()).unwrap();
    }
}

fn opening() {
    match CudaDevice::new(&cube_artifact::Variables::of_process()) {
        Ok(device) => {
            let properties = device.properties();
            assert_eq!(properties.backend, "nvptx");
            assert!(properties.max_units_per_cube >= 1024 && properties.max_shared_bytes >= 48 << 10, "{properties:?}");
            assert!(device.chip().starts_with("sm_"), "{}", device.chip());
            let error =
                CudaDevice::at(4096, &cube_artifact::Variables::of_process()).err().expect("nobody has that many");
            assert_eq!(error.kind, ErrorKind::NoDevice);
            assert!(error.message.contains("CUDA device 4096 does not exist, because the driver finds "), "{error}");
        }
        Err(error) => {
            assert_eq!((error.kind, error.code()), (ErrorKind::NoDevice, "CUBE0940"), "{error}");
            assert!(!error.message.contains('\n') && error.message.contains("; "), "{error}");
        }
    }
}

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// A kernel that computes `y[i] = a * y[i]` for each `i` below the length.
const SCALE: &str = ".visible .entry k(.param .u64 y, .param .u64 n, .param .f32 a)
{ .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<4>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [n]; cvt.u64.u32 %rd3, %r4; setp.ge.u64 %p, %rd3, %rd2; @%p ret;
  shl.b64 %rd4, %rd3, 2; add.u64 %rd5, %rd1, %rd4; ld.param.f32 %f1, [a];
  ld.global.f32 %f2, [%rd5]; mul.rn.f32 %f3, %f1, %f2; st.global.f32 [%rd5], %f3; ret; }";

/// A kernel that writes to an invalid address.
const WILD: &str = ".visible .entry k(.param .u64 y, .param .u64 n, .param .f32 a)
{ .reg .b64 %rd<2>; .reg .f32 %f<2>; mov.u64 %rd1, 64; ld.param.f32 %f1, [a]; st.global.f32 [%rd1], %f1; ret; }";

/// A kernel that sets `y[unit]` to the value that the opposite unit wrote to shared memory. The last word of
/// the shared memory is at byte 65532.
const SHARED: &str = ".extern .shared .align 16 .b8 s[];
.visible .entry k(.param .u64 y, .param .u64 n, .param .f32 a)
{ .reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .f32 %f<4>;
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 8; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; cvt.rn.f32.u32 %f1, %r1;
  st.shared.f32 [%r4+252], %f1; bar.sync 0; mov.u32 %r5, 255; sub.u32 %r5, %r5, %r1; shl.b32 %r6, %r5, 8;
  add.u32 %r7, %r3, %r6; ld.shared.f32 %f2, [%r7+252]; ld.param.u64 %rd1, [y]; cvt.u64.u32 %rd2, %r1;
  shl.b64 %rd3, %rd2, 2; add.u64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f2; ret; }";

fn artifact(kernel: &str, code: &str) -> Artifact {
    let buffer = ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access: BufferAccess::ReadWrite };
    Artifact {
        kernel: kernel.into(),
        entry: "k".into(),
        target: Target { backend: "nvptx".into(), chip: Some("sm_70".into()) },
        format: CodeFormat::PTX,
        code: format!("{HEAD}{code}").into_bytes(),
        params: vec![
            Param { name: "y".into(), kind: buffer },
            Param { name: "a".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } },
        ],
        derived: vec![],
        info: vec![InfoWord::Length { param: 0 }],
        cube_dim: [256, 1, 1],
        checked: true,
        shared_bytes: 0,
        cube_count: None,
        unit_limit: None,
        first_cubes: None,
        features: vec![],
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
        plane_dim: None,
    }
}

fn device() -> CudaDevice {
    CudaDevice::new(&cube_artifact::Variables::of_process()).expect("was there a moment ago")
}

fn floats(device: &CudaDevice, values: &[f32]) -> Buffer {
    let buffer = device.alloc(4 * values.len() as u64, Init::Any).unwrap();
    device.write(&buffer, 0, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()).unwrap();
    buffer
}

fn read(device: &CudaDevice, buffer: &Buffer) -> Result<Vec<f32>, RuntimeError> {
    let mut bytes = vec![0xa5; buffer.size() as usize];
    device.read(buffer, 0, &mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

fn args(buffer: &Buffer, a: f32) -> [Arg; 2] {
    [Arg::buffer(buffer, ElemType::F32), Scalar::F32(a).into()]
}

fn refused<T>(result: Result<T, RuntimeError>, kind: ErrorKind, words: &str) {
    let error = result.err().expect("it must be refused");
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.to_string().contains(words), "no `{words}` in: {error}");
}

fn round_trip() {
    let device = device();
    let buffer = device.alloc(1 << 20, Init::Any).unwrap();
    let data: Vec<u8> = (0..1 << 20).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    device.write(&buffer, 0, &data).unwrap();
    device.write(&buffer, 3, &[1, 2, 3]).unwrap();
    let mut back = vec![0; 1 << 20];
    device.read(&buffer, 0, &mut back).unwrap();
    assert_eq!((&back[..3], &back[3..6], &back[6..]), (&data[..3], &[1, 2, 3][..], &data[6..]));
    let slice = buffer.slice(100..200).unwrap();
    let mut part = [0; 10];
    device.read(&slice, 5, &mut part).unwrap();
    assert_eq!(part, data[105..115]);
    refused(device.read(&slice, 91, &mut part), ErrorKind::User, "exceed a buffer of 100 bytes");
    let empty = device.alloc(0, Init::Zero).unwrap();
    device.write(&empty, 0, &[]).unwrap();
    device.read(&empty, 0, &mut []).unwrap();
}

fn zeroed() {
    let device = device();
    for bytes in [1, 255, 4096, (1 << 20) + 7] {
        // The memory had other contents before.
        drop(floats(&device, &vec![1.5; 1 << 18]));
        let buffer = device.alloc(bytes, Init::Zero).unwrap();
        let mut out = vec![0xa5; bytes as usize];
        device.read(&buffer, 0, &mut out).unwrap();
        assert!(out.iter().all(|b| *b == 0), "{bytes}");
    }
}

fn scales() {
    let device = device();
    let values: Vec<f32> = (0..1000).map(|i| i as f32 - 17.25).collect();
    let buffer = floats(&device, &values);
    device.launch(&artifact("scale", SCALE), &args(&buffer, -3.0), [4, 1, 1]).unwrap();
    assert_eq!(read(&device, &buffer).unwrap(), values.iter().map(|v| v * -3.0).collect::<Vec<_>>());
}

fn nothing() {
    let device = device();
    let buffer = floats(&device, &[1.0; 8]);
    device.launch(&artifact("wild", WILD), &args(&buffer, 2.0), [0, 1, 1]).unwrap();
    device.sync().unwrap();
    assert_eq!(read(&device, &buffer).unwrap(), [1.0; 8]);
}

fn in_order() {
    let device = device();
    let buffer = floats(&device, &[1.0; 4096]);
    let kernel = device.load(&artifact("scale", SCALE)).unwrap();
    for a in [2.0, 0.5, 4.0, -1.0] {
        device.launch_kernel(&kernel, &args(&buffer, a), [16, 1, 1]).unwrap();
    }
    assert_eq!(read(&device, &buffer).unwrap(), [-4.0; 4096]);
}

fn refused_arguments() {
    let device = device();
    let (buffer, scale) = (floats(&device, &[1.0; 8]), artifact("scale", SCALE));
    refused(device.launch(&scale, &args(&buffer, 1.0)[..1], [1, 1, 1]), ErrorKind::User, "it takes 2 arguments (y, a)");
    let limit = ErrorKind::DeviceLimit;
    refused(device.launch(&scale, &args(&buffer, 1.0), [1, 65536, 1]), limit, "limit of 65535");
    let wide = Artifact { cube_dim: [2048, 1, 1], ..scale.clone() };
    refused(device.launch(&wide, &args(&buffer, 1.0), [1, 1, 1]), limit, "the device's limit is 1024");
    let much = Artifact { shared_bytes: 1 << 20, ..scale.clone() };
    refused(device.launch(&much, &args(&buffer, 1.0), [1, 1, 1]), limit, "shared memory");
    let other = self::device();
    refused(other.launch(&scale, &args(&buffer, 1.0), [1, 1, 1]), ErrorKind::User, "belongs to another device");
    let kernel = other.load(&scale).unwrap();
    refused(device.launch_kernel(&kernel, &args(&buffer, 1.0), [1, 1, 1]), ErrorKind::User, "by another device");
}

fn refused_code() {
    let device = device();
    let scale = artifact("scale", SCALE);
    let target = |backend: &str, chip: &str| Target { backend: backend.into(), chip: Some(chip.into()) };
    let cpu = Artifact { target: target("cpu", "x86-64"), ..scale.clone() };
    refused(device.load(&cpu), ErrorKind::User, "it is compiled for cpu:x86-64, but this device runs nvptx");
    let older = Artifact { target: target("nvptx", "sm_999"), ..scale.clone() };
    refused(device.load(&older), ErrorKind::DeviceLimit, "it is compiled for sm_999, and ");
    let never_opened = Artifact { target: target("nvptx", "gfx90a"), ..scale };
    refused(device.load(&never_opened), ErrorKind::InvalidArtifact, "its chip 'gfx90a' is not a CUDA GPU");
}

fn broken_code() {
    let device = device();
    let broken = artifact("broken", ".visible .entry k() { frobnicate.u32 %r1; ret; }");
    refused(device.load(&broken), ErrorKind::InvalidArtifact, "its code cannot be loaded (CUDA_ERROR_INVALID_PTX");
    let other = Artifact { entry: "q".into(), ..artifact("scale", SCALE) };
    refused(device.load(&other), ErrorKind::InvalidArtifact, "CUDA_ERROR_NOT_FOUND");
    let zero = Artifact { code: b"a\0b".to_vec(), ..artifact("scale", SCALE) };
    refused(device.load(&zero), ErrorKind::InvalidArtifact, "contains a zero byte");
    let newer = Artifact {
        code: artifact("n", SCALE).code.iter().map(|b| if *b == b'7' { b'9' } else { *b }).collect(),
        ..artifact("n", SCALE)
    };
    // The driver accepts `.version 9.0`, `.target sm_90`, or refuses it as too new. It never crashes.
    if let Err(error) = device.load(&newer) {
        assert!(matches!(error.kind, ErrorKind::DeviceLimit | ErrorKind::InvalidArtifact), "{error}");
    }
    // The device still works.
    scales();
}

fn no_memory() {
    let device = device();
    refused(device.alloc(u64::MAX, Init::Any), ErrorKind::DeviceLimit, "process the data in parts");
    let all = device.properties().memory_bytes;
    let most = device.alloc(all / 2 + all / 4, Init::Any);
    match most {
        // The free memory cannot hold a second allocation of this size.
        Ok(_most) => refused(device.alloc(all / 2, Init::Any), ErrorKind::DeviceLimit, "bytes of memory"),
        Err(error) => assert_eq!(error.kind, ErrorKind::DeviceLimit, "{error}"),
    }
}

fn fault() {
    let device = device();
    let (old, scale) = (floats(&device, &[1.0; 256]), artifact("scale", SCALE));
    let kernel = device.load(&scale).unwrap();
    for _ in 0..3 {
        let decoy = floats(&device, &[1.0; 256]);
        device.launch(&artifact("wild", WILD), &args(&decoy, 2.0), [1, 1, 1]).unwrap();
        refused(device.sync(), ErrorKind::Fault, "kernel 'wild' faulted (CUDA_ERROR_ILLEGAL_ADDRESS");
        device.sync().expect("the fault is reported once");
        refused(
            read(&device, &old),
            ErrorKind::Fault,
            "error[CUBE0941]: the buffer was lost when kernel 'wild' faulted",
        );
        refused(device.launch_kernel(&kernel, &args(&decoy, 1.0), [1, 1, 1]), ErrorKind::Fault, "the buffer was lost");
        let new = floats(&device, &[1.0; 256]);
        device.launch_kernel(&kernel, &args(&new, 5.0), [1, 1, 1]).unwrap();
        assert_eq!(read(&device, &new).unwrap(), [5.0; 256]);
    }
}

fn fault_in_the_queue() {
    let device = device();
    let buffer = floats(&device, &[1.0; 256]);
    device.launch(&artifact("scale", SCALE), &args(&buffer, 2.0), [1, 1, 1]).unwrap();
    device.launch(&artifact("wild", WILD), &args(&buffer, 2.0), [1, 1, 1]).unwrap();
    refused(read(&device, &buffer), ErrorKind::Fault, "one of the kernels scale, wild faulted");
    scales();
}

fn fault_among_threads() {
    let device = Arc::new(device());
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let device = Arc::clone(&device);
            std::thread::spawn(move || {
                let (scale, wild) = (artifact("scale", SCALE), artifact("wild", WILD));
                let mut right = 0;
                for iteration in 0..60 {
                    let expected = || -> Result<Vec<f32>, RuntimeError> {
                        let buffer = device.alloc(1024, Init::Any)?;
                        device.write(&buffer, 0, &[0, 0, 128, 63].repeat(256))?;
                        let kernel = if number == 0 && iteration % 20 == 10 { &wild } else { &scale };
                        device.launch(kernel, &args(&buffer, 3.0), [1, 1, 1])?;
                        read(&device, &buffer)
                    };
                    match expected() {
                        Ok(values) => {
                            assert_eq!(values, [3.0; 256]);
                            right += 1;
                        }
                        Err(error) => assert_eq!(error.kind, ErrorKind::Fault, "{error}"),
                    }
                }
                right
            })
        })
        .collect();
    for thread in threads {
        // Three faults abort only the running work of the other threads.
        assert!(thread.join().unwrap() >= 40);
    }
}

fn shared() {
    let device = device();
    let buffer = floats(&device, &[0.0; 256]);
    let large = Artifact { shared_bytes: 64 << 10, ..artifact("shared", SHARED) };
    device.launch(&large, &args(&buffer, 0.0), [1, 1, 1]).unwrap();
    assert_eq!(read(&device, &buffer).unwrap(), (0..256).rev().map(|i| i as f32).collect::<Vec<_>>());
}

fn time() {
    let device = device();
    let buffer = floats(&device, &vec![1.0; 1 << 24]);
    let kernel = device.load(&artifact("scale", SCALE)).unwrap();
    let launches = |n: usize| {
        device.time(|| {
            for _ in 0..n {
                device.launch_kernel(&kernel, &args(&buffer, 1.0), [1 << 16, 1, 1])?;
            }
            Ok(())
        })
    };
    launches(3).unwrap();
    // Each launch copies 128 MiB. A launch takes more than a microsecond on any GPU, and twenty launches take longer than one launch.
    let (one, twenty) = (launches(1).unwrap(), launches(20).unwrap());
    assert!(one > Duration::from_micros(1) && twenty > one, "{one:?} {twenty:?}");
}
