//! Tests of a GPU device on a driver that simulates a GPU with threads: the rules for devices, a failure of
//! each driver call, and kernel faults.
#[path = "../../core/tests/conformance/mod.rs"]
mod conformance;
mod fake;
mod scenario;

use conformance::{RULES, Subject};
use cube_artifact::{Artifact, BufferAccess, CodeFormat, ElemType, InfoWord, Param, ParamKind, Target};
use cube_runtime::{Arg, Cubes, Device, ErrorKind, Init, Queue, RuntimeError, Scalar};
use cube_runtime_gpu::GpuDevice;
use fake::Fake;
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    cube_runtime_gpu::serve_if_asked::<Fake>();
    let mut arguments = Arguments::from_args();
    // A failure is injected into the calls of the whole process. After a fault, the devices of the process are in a
    // child.
    arguments.test_threads = Some(1);
    let mut trials: Vec<Trial> = RULES
        .iter()
        .map(|(name, rule)| {
            Trial::test(*name, move || {
                rule(&Subject { device: &device(), scale: artifact("scale"), rounds: 250 });
                Ok(())
            })
        })
        .collect();
    let tests: [(&str, fn()); 3] = [
        ("a failure of any call is a typed error, and the next work succeeds", every_call_fails),
        ("a foreign allocation is a buffer until its owner is dropped", foreign_memory),
        ("a fault loses the buffers, and the device continues in a child", fault),
    ];
    trials.extend(tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn device() -> GpuDevice<Fake> {
    GpuDevice::at(0, &cube_artifact::Variables::of_process()).expect("the fake driver works")
}

fn artifact(code: &str) -> Artifact {
    let buffer = ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access: BufferAccess::ReadWrite };
    Artifact {
        kernel: code.into(),
        entry: "k".into(),
        target: Target { backend: "nvptx".into(), chip: Some("sm_90".into()) },
        format: CodeFormat::PTX,
        code: code.as_bytes().to_vec(),
        params: vec![
            Param { name: "y".into(), kind: buffer },
            Param { name: "a".into(), kind: ParamKind::Scalar { elem: ElemType::F32 } },
        ],
        derived: vec![],
        info: vec![InfoWord::Length { param: 0 }],
        cube_dim: [64, 1, 1],
        checked: true,
        shared_bytes: 0,
        cube_count: None,
        unit_limit: None,
        features: vec![],
        scratch_bytes: 0,
        prints: vec![],
        plane_dim: None,
    }
}

fn work(device: &GpuDevice<Fake>) -> Result<Vec<f32>, RuntimeError> {
    scenario::scenario(device, &artifact("scale"))
}

fn every_call_fails() {
    let mut failures = 0;
    for call in 0.. {
        assert!(call < 500, "the scenario has fewer calls");
        fake::fail_in(Some(call));
        let opened = GpuDevice::<Fake>::at(0, &cube_artifact::Variables::of_process());
        let outcome = opened.as_ref().map_err(Clone::clone).and_then(work);
        let injected = fake::has_failed();
        fake::fail_in(None);
        match &outcome {
            // A failed cleanup or release is not an error of the work. A failed allocation is not an error if the pool
            // finds memory after a trim.
            Ok(values) => assert!(values.iter().all(|v| *v == 12.0), "call {call}: a wrong result"),
            Err(error) => {
                failures += 1;
                let known = [ErrorKind::Driver, ErrorKind::DeviceLimit];
                assert!(known.contains(&error.kind) && error.message.contains("FAKE_"), "call {call}: {error}");
            }
        }
        if let Ok(device) = &opened {
            let again = work(device).unwrap_or_else(|error| panic!("after a failure of call {call}: {error}"));
            assert!(again.iter().all(|v| *v == 12.0), "call {call}: a wrong result after the failure");
            device.memory_cleanup();
            assert_eq!(device.memory_usage().allocations, 0, "call {call}: a lost buffer");
        }
        if !injected {
            assert!(failures > 30, "only {failures} calls failed");
            return;
        }
    }
}

fn foreign_memory() {
    use std::sync::Arc;
    let device = device();
    let kernel = device.load(&artifact("scale")).unwrap();
    let owned = device.alloc(4096, Init::Zero).unwrap();
    let address = device.address(&owned).unwrap();
    let owner = Arc::new(owned);
    // SAFETY: the memory is alive while `owner` is.
    let foreign = unsafe { device.import(address, 256, Box::new(owner.clone())) }.unwrap();
    device.write(&foreign, 0, &2.0f32.to_ne_bytes().repeat(64)).unwrap();
    let args = [Arg::buffer(&foreign, ElemType::F32), Scalar::F32(4.0).into()];
    device.launch_kernel(&kernel, &args, [1, 1, 1]).unwrap();
    let mut out = [0; 4];
    device.read(&owner, 252, &mut out).unwrap();
    assert_eq!(f32::from_ne_bytes(out), 8.0);
    assert_eq!(Arc::strong_count(&owner), 2);
    drop((args, foreign));
    assert_eq!(Arc::strong_count(&owner), 1, "the owner is dropped with the buffer");
    // SAFETY: the device refuses the memory.
    let error = unsafe { device.import(address + 4, 4, Box::new(())) }.unwrap_err();
    assert_eq!(error.kind, ErrorKind::User, "{error}");
}

fn fault() {
    let device = device();
    let (scale, wild) = (device.load(&artifact("scale")).unwrap(), device.load(&artifact("wild")).unwrap());
    let old = device.alloc(4096, Init::Zero).unwrap();
    let args = |buffer, factor| [Arg::buffer(buffer, ElemType::F32), Scalar::F32(factor).into()];
    let reading = device.read_async(Queue::new(1), &old, 0, 16).unwrap();
    device.launch_on(Queue::new(2), &wild, &args(&old, 1.0), Cubes::Count([1, 1, 1])).unwrap();
    let error = device.sync().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Fault, "{error}");
    assert!(error.message.contains("wild"), "{error}");
    // The read was queued before the fault: it returns its bytes or the fault.
    if let Err(error) = reading.wait() {
        assert_eq!(error.kind, ErrorKind::Fault, "{error}");
    }
    assert_eq!(device.sync(), Ok(()), "the fault is reported once");
    assert_eq!(device.read(&old, 0, &mut [0]).unwrap_err().kind, ErrorKind::Fault);
    let lost = device.launch_kernel(&scale, &args(&old, 1.0), [1, 1, 1]).unwrap_err();
    assert!(lost.kind == ErrorKind::Fault && lost.message.contains("the buffer was lost when kernel 'wild'"), "{lost}");
    for _ in 0..2 {
        let values = work(&device).unwrap();
        assert!(values.iter().all(|v| *v == 12.0), "queues, copies and graphs work in the child");
    }
}
