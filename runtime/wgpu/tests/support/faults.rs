//! Tests of faults: each fault is an error of its kind, and a device that is not lost still works after it.
use crate::support::{ADD, SCALE, artifact, device, read, write};
use crate::{Check, F32};
use cube_artifact::{Artifact, BufferAccess, ElemType, Param, ParamKind};
use cube_runtime::{Arg, Device, ErrorKind, Init, Queue, RuntimeError, Scalar};
use cube_runtime_wgpu::{Code, Options, WgpuDevice};
use libtest_mimic::Failed;
use std::process::Command;

/// The checks, with their names.
pub const CHECKS: &[(&str, Check)] = &[
    ("a device with planes of shared memory has planes of 32", shared_planes),
    ("a device with addresses has the same memory", addresses),
    ("limits of arguments name the limit", argument_limits),
    ("code that contradicts its artifact is refused", contradictions),
    ("names of any alphabet and keywords are names of kernels", names),
    ("losing the device fails pending work", lost_in_the_middle),
    ("a buffer that the program destroyed is refused", destroyed),
];

/// The environment variable of the process without a driver.
pub const WITHOUT_DRIVERS: &str = "CUBE_TEST_WITHOUT_DRIVERS";

/// Opens a device in a process whose Vulkan loader finds no driver.
pub fn no_adapter() -> Result<(), Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(name, "no-such-driver.json");
    }
    let output = command.env(WITHOUT_DRIVERS, "1").output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let right =
        output.status.success() && stdout.matches("NoDevice: this machine has no adapter for wgpu").count() == 3;
    if right { Ok(()) } else { Err(format!("{stdout}{}", String::from_utf8_lossy(&output.stderr)).into()) }
}

/// The other process of [`no_adapter`].
pub fn without_drivers() {
    for code in [Code::Auto, Code::Wgsl, Code::Spirv] {
        match WgpuDevice::open(&Options { code, ..Options::default() }) {
            Ok(device) => println!("{} is open", device.name()),
            Err(error) => println!("{:?}: {}", error.kind, error.message),
        }
    }
}

fn works(device: &WgpuDevice) {
    let x = device.alloc(256, Init::Zero).unwrap();
    device.launch(&artifact(device, ADD), &[Arg::buffer(&x, F32), Arg::in_place(&x, F32)], [1, 1, 1]).unwrap();
    assert_eq!(read(device, &x), [1.0; 64]);
}

fn is(error: &RuntimeError, kind: ErrorKind, part: &str) {
    assert!(
        error.kind == kind && error.message.contains(part),
        "{:?}: {error}, and not {kind:?} with '{part}'",
        error.kind
    );
}

fn shared_planes(like: &WgpuDevice) {
    let code = if like.target().backend == "spirv" { Code::Spirv } else { Code::Wgsl };
    let device = WgpuDevice::open(&Options { code, shared_planes: true, ..Options::default() }).unwrap();
    let chip = device.target().chip.clone().unwrap_or_default();
    assert!(chip.ends_with("-shared-planes") && !chip.contains("subgroups"), "{chip}");
    assert_eq!(device.properties().plane_dim, [32; 2]);
    works(&device);
    let fixed = |width| {
        let x = device.alloc(256, Init::Zero).unwrap();
        let kernel = Artifact { plane_dim: Some(width), ..artifact(&device, SCALE) };
        device.launch(&kernel, &[Arg::buffer(&x, F32), Scalar::F32(2.0).into()], [1, 1, 1])
    };
    fixed(32).unwrap();
    fixed(8).unwrap();
    is(&fixed(64).unwrap_err(), ErrorKind::DeviceLimit, "its planes have 64 units");
}

// The kernels of this file bind buffers, which a device with addresses also permits.
fn addresses(like: &WgpuDevice) {
    let of =
        |code, shared_planes| WgpuDevice::open(&Options { code, shared_planes, addresses: true, ..Options::default() });
    for contradiction in [of(Code::Wgsl, false), of(Code::Spirv, true)] {
        is(&contradiction.err().expect("a refusal"), ErrorKind::User, "only as SPIR-V with planes of subgroups");
    }
    let addressed = |artifact: Artifact| Artifact { features: vec!["buffer-device-address".into()], ..artifact };
    let error = like.load(&addressed(artifact(like, SCALE))).expect_err("a refusal");
    is(&error, ErrorKind::DeviceLimit, "needs the feature 'buffer-device-address'");
    let device = of(Code::Auto, false).expect("a Vulkan adapter with bufferDeviceAddress");
    let chip = device.target().chip.clone().unwrap_or_default();
    assert!(chip.ends_with("-addresses"), "{chip}");
    works(&device);
    // New memory is zero, also after its reuse.
    for _ in 0..3 {
        let x = device.alloc(1 << 20, Init::Zero).unwrap();
        assert_eq!(read(&device, &x), vec![0.0; 1 << 18]);
        write(&device, &x, &vec![1.0; 1 << 18]);
        let y = device.alloc(1 << 20, Init::Any).unwrap();
        device.copy(Queue::DEFAULT, &x, &y).unwrap();
        assert_eq!(read(&device, &y), vec![1.0; 1 << 18]);
        drop((x, y));
        device.memory_cleanup();
    }
    // wgpu created this buffer, which therefore has no address.
    let foreign = device.import(device.parts().device.create_buffer(&wgpu_descriptor())).unwrap();
    let args = [Arg::buffer(&foreign, F32), Scalar::F32(2.0).into()];
    device.launch(&artifact(&device, SCALE), &args, [1, 1, 1]).unwrap();
    let error = device.launch(&addressed(artifact(&device, SCALE)), &args, [1, 1, 1]).unwrap_err();
    is(&error, ErrorKind::User, "has no address; copy it");
    device.parts().device.destroy();
    let _ = device.parts().device.poll(wgpu::PollType::Poll);
    works(&device);
}

fn argument_limits(device: &WgpuDevice) {
    let limits = device.parts().device.limits();
    let good = artifact(device, SCALE);
    let refused =
        |params: Vec<Param>| device.load(&Artifact { params, info: vec![], ..good.clone() }).expect_err("a refusal");
    let buffer = ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access: BufferAccess::Read };
    let params = |count: u32, kind: &ParamKind| -> Vec<Param> {
        (0..count).map(|n| Param { name: format!("p{n}"), kind: kind.clone() }).collect()
    };
    let many = limits.max_storage_buffers_per_shader_stage + 1;
    if many < 1 << 16 {
        is(&refused(params(many, &buffer)), ErrorKind::DeviceLimit, "maxStorageBuffersPerShaderStage");
    }
    let words = (limits.max_uniform_buffer_binding_size / 4 + 1) as u32;
    if words < 1 << 20 {
        let scalar = ParamKind::Scalar { elem: ElemType::F32 };
        is(&refused(params(words, &scalar)), ErrorKind::DeviceLimit, "maxUniformBufferBindingSize");
    }
    let bytes = limits.max_storage_buffer_binding_size + 16;
    if bytes < 1 << 28 && bytes <= limits.max_buffer_size {
        let large = device.alloc(bytes, Init::Any).unwrap();
        let error = device.launch(&good, &[Arg::buffer(&large, F32), Scalar::F32(2.0).into()], [1, 1, 1]).unwrap_err();
        is(&error, ErrorKind::DeviceLimit, "maxStorageBufferBindingSize");
    }
    works(device);
}

fn contradictions(device: &WgpuDevice) {
    let refused = |change: &dyn Fn(&mut Artifact)| {
        let mut changed = artifact(device, ADD);
        change(&mut changed);
        device.load(&changed).expect_err("a refusal")
    };
    if device.target().backend == "wgsl" {
        let read = |artifact: &mut Artifact| {
            artifact.params[1].kind =
                ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access: BufferAccess::Read };
        };
        is(&refused(&read), ErrorKind::InvalidArtifact, "compile the kernel again");
        let undefined = |artifact: &mut Artifact| {
            artifact.code = ADD.replace("x[absolute_pos.x] + 1.0", "nothing").into_bytes();
        };
        is(&refused(&undefined), ErrorKind::InvalidArtifact, "compile the kernel again");
        let bytes = |artifact: &mut Artifact| artifact.code = vec![0xff; 64];
        is(&refused(&bytes), ErrorKind::InvalidArtifact, "not UTF-8");
        let deep = |artifact: &mut Artifact| {
            let sum = format!("{}1.0{}", "(".repeat(50_000), ")".repeat(50_000));
            artifact.code = ADD.replace("1.0", &sum).into_bytes();
        };
        is(&refused(&deep), ErrorKind::InvalidArtifact, "compile the kernel again");
    } else {
        let cut = |artifact: &mut Artifact| artifact.code.truncate(artifact.code.len() / 2 / 4 * 4 + 2);
        is(&refused(&cut), ErrorKind::InvalidArtifact, "not a module of SPIR-V");
        let other = |artifact: &mut Artifact| artifact.code[0] ^= 1;
        is(&refused(&other), ErrorKind::InvalidArtifact, "not a module of SPIR-V");
    }
    works(device);
}

fn names(device: &WgpuDevice) {
    for kernel in ["loop", "größe", "输入", "a b\n\u{2028}", ""] {
        let named = Artifact { kernel: kernel.into(), ..artifact(device, SCALE) };
        let x = device.alloc(256, Init::Zero).unwrap();
        write(device, &x, &[2.0; 64]);
        device.launch(&named, &[Arg::buffer(&x, F32), Scalar::F32(3.0).into()], [1, 1, 1]).unwrap();
        assert_eq!(read(device, &x), [6.0; 64], "{kernel:?}");
    }
}

fn lost_in_the_middle(like: &WgpuDevice) {
    let code = if like.target().backend == "spirv" { Code::Spirv } else { Code::Wgsl };
    let device = device(code).unwrap();
    let kernel = device.load(&artifact(&device, SCALE)).unwrap();
    let x = device.alloc(1 << 20, Init::Zero).unwrap();
    let launch = || device.launch_kernel(&kernel, &[Arg::buffer(&x, F32), Scalar::F32(2.0).into()], [1 << 12, 1, 1]);
    // Launches of several submissions, the last of which are only recorded.
    (0..100).try_for_each(|_| launch()).unwrap();
    let event = device.record(Queue::DEFAULT).unwrap();
    let pending = device.read_async(Queue::DEFAULT, &x, 0, 1 << 20).unwrap();
    launch().unwrap();
    device.parts().device.destroy();
    // The driver has finished the read before the loss, or the read fails.
    if let Err(error) = pending.wait() {
        assert!(matches!(error.kind, ErrorKind::Fault | ErrorKind::Driver), "{error}");
    }
    let _ = event.wait();
    let error = launch().and_then(|()| device.sync()).unwrap_err();
    is(&error, ErrorKind::Fault, "allocate the buffers again");
    works(&device);
}

fn destroyed(device: &WgpuDevice) {
    let foreign = device.parts().device.create_buffer(&wgpu_descriptor());
    let imported = device.import(foreign.clone()).unwrap();
    foreign.destroy();
    let args = [Arg::buffer(&imported, F32), Scalar::F32(2.0).into()];
    let error = device.launch(&artifact(device, SCALE), &args, [1, 1, 1]).and_then(|()| device.sync()).unwrap_err();
    is(&error, ErrorKind::Driver, "wgpu refuses it");
    works(device);
}

fn wgpu_descriptor() -> cube_runtime_wgpu::wgpu::BufferDescriptor<'static> {
    use cube_runtime_wgpu::wgpu::{BufferDescriptor, BufferUsages};
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    BufferDescriptor { label: None, size: 256, usage, mapped_at_creation: false }
}
