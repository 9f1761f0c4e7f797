//! Tests limits of the operating system: memory for buffers, code and units, and time. A launch that exceeds
//! a limit returns a typed error, and the next launch succeeds. A test runs this program again in a process
//! with little memory.
mod support;

use cube_artifact::{BufferAccess, ElemType, codes};
use cube_runtime::{Arg, Device, ErrorKind, Init, Scalar};
use cube_runtime_cpu::CpuDevice;
use std::process::Command;
use std::time::Duration;

const ALONE: &str = "CUBE_TEST_LITTLE_MEMORY";

fn scaled(device: &CpuDevice) -> bool {
    let x = device.alloc(256, Init::Zero).unwrap();
    device.write(&x, 0, &1.5f32.to_le_bytes().repeat(64)).unwrap();
    let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(2.0).into()];
    device.launch(&support::scale(), &args, [1, 1, 1]).unwrap();
    let mut bytes = vec![0; 256];
    device.read(&x, 0, &mut bytes).unwrap();
    bytes == 3f32.to_le_bytes().repeat(64)
}

#[test]
fn with_little_memory() {
    if std::env::var_os(ALONE).is_none() {
        return;
    }
    let device = CpuDevice::with_threads(1);
    let artifact = support::scale();
    // Allocates until memory is exhausted; the buffers stay usable.
    let mut kept = Vec::new();
    let error = loop {
        match device.alloc(16 << 20, Init::Zero) {
            Ok(buffer) => kept.push(buffer),
            Err(error) => break error,
        }
        assert!(kept.len() < 100, "the limit of the process holds");
    };
    assert_eq!((error.kind, error.code()), (ErrorKind::DeviceLimit, codes::DEVICE_LIMIT));
    let usage = error.memory.as_deref().expect("the use of the memory");
    assert_eq!((usage.used, usage.allocations), ((kept.len() as u64) << 24, kept.len() as u64));
    let words = format!("the system cannot allocate 16777216 bytes of memory ({usage}); free some buffers");
    assert!(error.message.contains(&words), "{error}");
    // Scratch: shared memory and barrier spills.
    let mut allocating = artifact.clone();
    allocating.scratch_bytes = 60 << 20;
    let x = device.alloc(256, Init::Zero).unwrap();
    let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(2.0).into()];
    let allocating_launch = || device.launch(&allocating, &args, [1, 1, 1]).and_then(|()| device.sync());
    let error = allocating_launch().unwrap_err();
    assert_eq!(error.kind, ErrorKind::DeviceLimit);
    assert_eq!(device.sync(), Ok(()), "the failure is reported once");
    assert_eq!(device.read(&x, 0, &mut [0]), Err(error.clone()), "the output has failed");
    assert!(
        error
            .to_string()
            .contains("kernel 'scale': out of memory for the kernel's scratch (shared memory and barrier spills)"),
        "{error}"
    );
    assert!(scaled(&device));
    drop(kept);
    assert!(allocating_launch().is_ok() && device.read(&x, 0, &mut [0]).is_ok() && scaled(&device));
}

#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_is_a_typed_error_and_the_next_launch_works() {
    let mut command = Command::new("sh");
    let exe = std::env::current_exe().unwrap();
    command.arg("-c").arg("ulimit -v 400000; exec \"$0\" --exact with_little_memory --nocapture").arg(exe);
    // Threads of the tests also reserve memory.
    let output = command.env(ALONE, "1").env("RUST_TEST_THREADS", "1").env("MALLOC_ARENA_MAX", "1").output().unwrap();
    let output_text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output_text));
}

#[test]
fn time_limit_stops_an_infinite_launch() {
    let params = vec![support::buffer("says", ElemType::I32, BufferAccess::Read)];
    let endless = support::artifact("forever", support::object("forever", &[]), params, [1, 1, 1]);
    let device = CpuDevice::with_threads(2).limit_time(Duration::from_millis(50));
    let ended = |says: i32, cubes: u32| {
        let buffer = device.alloc(4, Init::Zero).unwrap();
        device.write(&buffer, 0, &says.to_le_bytes()).unwrap();
        device.launch(&endless, &[Arg::buffer(&buffer, ElemType::I32)], [cubes, 1, 1])
    };
    for _ in 0..3 {
        let error = ended(1, 1).unwrap_err();
        assert_eq!((error.kind, error.code()), (ErrorKind::TimeLimit, codes::TIME_LIMIT));
        assert!(
            error.to_string().contains("kernel 'forever': it was terminated in the loop at line 7 of its source"),
            "{error}"
        );
        // Cubes that have not begun do not run, whether or not the code wrote the word.
        let error = ended(0, 10_000).unwrap_err();
        assert!(error.to_string().contains("it was terminated between two cubes"), "{error}");
        // A launch that completes before it reads the request counts as a normal launch.
        assert_eq!(ended(0, 1), Ok(()));
        assert!(scaled(&device));
    }
}
