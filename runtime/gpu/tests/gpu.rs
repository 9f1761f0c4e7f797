//! Tests of a GPU device on a driver that simulates a GPU with threads: the rules for devices, a failure of
//! each driver call, and kernel faults.
mod clearing;
#[path = "../../core/tests/conformance/mod.rs"]
mod conformance;
mod fake;
mod scenario;

use conformance::{RULES, Subject};
use cube_artifact::{Artifact, BufferAccess, CodeFormat, ElemType, InfoWord, Param, ParamKind, Target};
use cube_runtime::external::on_release;
use cube_runtime::launch::Repeat;
use cube_runtime::{
    Arg, Buffer, CommandList, Cubes, Device, ErrorKind, ExternalMemory, ExternalStream, ForeignKernel, Graph, Init,
    Queue, RuntimeError, Scalar,
};
use cube_runtime_gpu::GpuDevice;
use fake::Fake;
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    cube_runtime_gpu::serve_if_asked::<Fake>();
    if let Some(ordinal) = std::env::var(SOURCE).ok().and_then(|text| text.parse().ok()) {
        fault_of_source(ordinal);
        return ExitCode::SUCCESS;
    }
    let mut arguments = Arguments::from_args();
    // A failure is injected into the calls of the whole process. After a fault, the devices of the process are in a
    // child.
    arguments.test_threads = Some(1);
    let rule = |name: String, ordinal, rule: fn(&Subject<'_>)| {
        Trial::test(name, move || {
            let (device, other) = (device(), device_at(ordinal));
            rule(&Subject { device: &device, other: &other, scale: artifact("scale"), rounds: 250 });
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = RULES.iter().map(|(name, test)| rule((*name).into(), 1, *test)).collect();
    let between = RULES.iter().filter(|(name, _)| name.contains("between devices"));
    trials.extend(between.map(|(name, test)| rule(format!("{name}, through host memory"), fake::WITHOUT_PEERS, *test)));
    let tests: [(&str, fn()); 11] = [
        ("a failure of any call is a typed error, and the next work succeeds", every_call_fails),
        ("a changed scalar changes one launch of a recorded graph", changed_graph),
        ("a graph is recorded while another thread drops a graph", graphs_of_two_threads),
        ("a graph is recorded while another thread drops a kernel", graphs_and_dropped_kernels),
        ("a buffer is cleared by its first command, unless a launch overwrites it", clearing::first_command),
        ("a buffer is cleared before the commands of all threads", clearing::threads),
        ("a foreign allocation is a buffer until its owner is dropped", foreign_memory),
        ("a foreign stream is a queue in the order of buffers", foreign_stream),
        ("a foreign kernel is launched with checked arguments", foreign_kernel),
        ("a fault of a device is an error of its copies to another device", fault_of_a_source),
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
    device_at(0)
}

fn device_at(ordinal: u32) -> GpuDevice<Fake> {
    GpuDevice::at(ordinal, &cube_artifact::Variables::of_process()).expect("the fake driver works")
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
        first_cubes: None,
        features: vec![],
        scratch_bytes: 0,
        prints: vec![],
        overwritten: vec![],
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

fn changed_graph() {
    use std::sync::atomic::Ordering;
    let device = device();
    let kernel = device.load(&artifact("scale")).unwrap();
    let buffer = device.alloc(256, Init::Zero).unwrap();
    device.write(&buffer, 0, &1.0f32.to_ne_bytes().repeat(64)).unwrap();
    let mut list = CommandList::new();
    let launch = |a: f32| [Arg::buffer(&buffer, ElemType::F32), Scalar::F32(a).into()];
    let positions = [2.0, 3.0, 5.0].map(|a| list.launch(&kernel, &launch(a), [1, 1, 1]));
    let mut graph = Graph::new(list);
    let before = fake::RECORDINGS.load(Ordering::Relaxed);
    let mut expected = 1.0;
    for (position, a, factor) in [(0, 2.0, 30.0), (1, 1.0, 10.0), (2, 0.5, 1.0), (0, 4.0, 2.0)] {
        graph.set_scalar(positions[position], 1, Scalar::F32(a)).unwrap();
        // Twice, because the changed graph is used again.
        (0..2).for_each(|_| device.replay(Queue::DEFAULT, &graph).unwrap());
        expected *= factor * factor;
    }
    let mut out = [0; 4];
    device.read(&buffer, 252, &mut out).unwrap();
    assert_eq!(f32::from_ne_bytes(out), expected);
    assert_eq!(fake::RECORDINGS.load(Ordering::Relaxed) - before, 1, "the graph is recorded once");
}

fn graphs_of_two_threads() {
    let device = device();
    let kernel = device.load(&artifact("scale")).unwrap();
    let buffer = device.alloc(256, Init::Zero).unwrap();
    device.write(&buffer, 0, &1.0f32.to_ne_bytes().repeat(64)).unwrap();
    let replay = || {
        for _ in 0..40 {
            let mut list = CommandList::new();
            for a in [2.0, 0.5] {
                list.launch(&kernel, &[Arg::buffer(&buffer, ElemType::F32), Scalar::F32(a).into()], [1, 1, 1]);
            }
            // The drop of the graph waits for the device.
            device.replay(Queue::DEFAULT, &Graph::new(list)).unwrap();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(replay);
        replay();
    });
    let mut out = [0; 4];
    device.read(&buffer, 0, &mut out).unwrap();
    assert_eq!(f32::from_ne_bytes(out), 1.0);
}

fn graphs_and_dropped_kernels() {
    let device = device();
    let kernel = device.load(&artifact("scale")).unwrap();
    let buffer = device.alloc(256, Init::Zero).unwrap();
    let args = |a: f32| [Arg::buffer(&buffer, ElemType::F32), Scalar::F32(a).into()];
    std::thread::scope(|scope| {
        let dropper = scope.spawn(|| {
            let params = artifact("").params;
            // Unlike other kernels, foreign ones are not kept by the device. The drop waits for the device.
            for _ in 0..2000 {
                // SAFETY: the kernel is not launched.
                let kernel =
                    unsafe { ForeignKernel::new("k", CodeFormat::PTX, FOREIGN, foreign_params(&params), [64, 1, 1]) };
                drop(device.load_foreign(&kernel).unwrap());
            }
        });
        while !dropper.is_finished() {
            let mut list = CommandList::new();
            (0..20).for_each(|_| _ = list.launch(&kernel, &args(1.0), [1, 1, 1]));
            device.replay(Queue::DEFAULT, &Graph::new(list)).unwrap();
        }
        dropper.join().unwrap();
    });
}

fn foreign_memory() {
    use std::sync::Arc;
    let device = device();
    let kernel = device.load(&artifact("scale")).unwrap();
    let owned = device.alloc(4096, Init::Zero).unwrap();
    let address = device.export_address(&owned).unwrap();
    let owner = Arc::new(owned);
    // SAFETY: the memory is alive while `owner` is, and has one buffer at a time.
    let import =
        |address, bytes| device.import_memory(unsafe { ExternalMemory::new(address, bytes, Box::new(owner.clone())) });
    let scale = |buffer: &Buffer| {
        let args = [Arg::buffer(buffer, ElemType::F32), Scalar::F32(4.0).into()];
        device.launch_kernel(&kernel, &args, [1, 1, 1])
    };
    let foreign = import(address, 256).unwrap();
    device.write(&foreign, 0, &2.0f32.to_ne_bytes().repeat(64)).unwrap();
    scale(&foreign).unwrap();
    let mut out = [0; 4];
    device.read(&owner, 252, &mut out).unwrap();
    assert_eq!((f32::from_ne_bytes(out), Arc::strong_count(&owner)), (8.0, 2));
    drop(foreign);
    assert_eq!(Arc::strong_count(&owner), 1, "the owner is dropped with the buffer");
    // The offset of an address that is not aligned to allocations counts from the aligned address.
    let inner = import(address + 252, 8).unwrap();
    assert_eq!((inner.offset(), inner.size(), device.export_address(&inner).unwrap()), (252, 8, address + 252));
    scale(&inner).unwrap();
    device.read(&owner, 252, &mut out).unwrap();
    assert_eq!(f32::from_ne_bytes(out), 32.0);
    drop(inner);
    let odd = import(address + 2, 8).unwrap();
    assert!(scale(&odd).unwrap_err().message.contains("not a multiple of"), "elements must be aligned");
    for (address, bytes) in [(0, 4), (u64::MAX, 4), (4096, u64::MAX)] {
        assert_eq!(import(address, bytes).unwrap_err().kind, ErrorKind::User, "{bytes} bytes at {address}");
    }
    drop(odd);
    assert_eq!(Arc::strong_count(&owner), 1, "a refused import drops the owner");
}

fn foreign_stream() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static RELEASED: AtomicBool = AtomicBool::new(false);
    let device = device();
    let (own, foreign) = (Queue::new(1), Queue::new(5));
    let handle = device.export_stream(own).unwrap();
    let owner = || on_release(|| RELEASED.store(true, Ordering::SeqCst));
    // SAFETY: the stream belongs to the device.
    device.import_stream(foreign, unsafe { ExternalStream::new(handle, owner()) }).unwrap();
    assert_eq!(device.export_stream(foreign).unwrap(), handle);
    // Commands of the imported stream keep the order of a buffer with commands of other queues.
    let kernel = device.load(&artifact("scale")).unwrap();
    let buffer = device.alloc(256, Init::Zero).unwrap();
    device.write(&buffer, 0, &1.0f32.to_ne_bytes().repeat(64)).unwrap();
    for queue in [foreign, Queue::DEFAULT, own, foreign, Queue::new(2), foreign] {
        let args = [Arg::buffer(&buffer, ElemType::F32), Scalar::F32(2.0).into()];
        device.launch_on(queue, &kernel, &args, Cubes::Count([1, 1, 1])).unwrap();
    }
    let mut out = [0; 4];
    device.read(&buffer, 252, &mut out).unwrap();
    assert_eq!(f32::from_ne_bytes(out), 64.0);
    // SAFETY: the device refuses the stream.
    let second = unsafe { ExternalStream::new(handle, Box::new(())) };
    let error = device.import_stream(foreign, second).unwrap_err();
    assert!(error.message.contains("queue 5 has a stream"), "{error}");
    assert!(!RELEASED.load(Ordering::SeqCst));
    drop((buffer, kernel, device));
    assert!(RELEASED.load(Ordering::SeqCst), "the owner is dropped with the device");
}

/// The text of a foreign kernel.
const FOREIGN: &str = ".visible .entry k(.param .u64 y, .param .u64 n, .param .f32 a) { ret; }";

/// The parameters of the text. The fake driver's kernel takes a length between the address and the factor: a scalar, because code of
/// another compiler receives no lengths of buffers.
fn foreign_params(params: &[Param]) -> Vec<Param> {
    let length = Param { name: "n".into(), kind: ParamKind::Scalar { elem: ElemType::U64 } };
    vec![params[0].clone(), length, params[1].clone()]
}

fn foreign_kernel() {
    let device = device();
    let params = artifact("").params;
    let kernel = |text: &str, params: &[Param]| {
        // SAFETY: the fake driver runs a kernel that scales its buffer.
        device.load_foreign(&unsafe { ForeignKernel::new("k", CodeFormat::PTX, text, params.to_vec(), [64, 1, 1]) })
    };
    let (params, text) = (foreign_params(&params), FOREIGN);
    let loaded = kernel(text, &params).unwrap();
    let buffer = device.alloc(256, Init::Zero).unwrap();
    device.write(&buffer, 0, &3.0f32.to_ne_bytes().repeat(64)).unwrap();
    let args = |n, a: Scalar| [Arg::buffer(&buffer, ElemType::F32), Scalar::U64(n).into(), a.into()];
    device.launch_kernel(&loaded, &args(63, Scalar::F32(2.0)), [1, 1, 1]).unwrap();
    let mut out = [0; 8];
    device.read(&buffer, 248, &mut out).unwrap();
    assert_eq!([&out[..4], &out[4..]].map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap())), [6.0, 3.0]);
    // Arguments are checked at the launch, and parameters at the load.
    let error = device.launch_kernel(&loaded, &args(1, Scalar::F64(2.0)), [1, 1, 1]).unwrap_err().to_string();
    assert!(error.contains("kernel 'k', argument 'a'") && error.contains("f64"), "{error}");
    let error = device.launch_kernel(&loaded, &args(1, Scalar::F32(2.0))[..2], [1, 1, 1]).unwrap_err().to_string();
    assert!(error.contains("it takes 3 parameters") || error.contains("the launch has 2 arguments"), "{error}");
    let error = kernel(text, &params[..2]).unwrap_err().to_string();
    assert!(
        error.contains("kernel 'k'") && error.contains("declares 3 parameters, but the description has 2"),
        "{error}"
    );
    let error = kernel(&text.replace(".f32", ".f64"), &params).unwrap_err().to_string();
    assert!(error.contains("argument 'a': the code declares 8 bytes, but f32 has 4 bytes"), "{error}");
    let error = kernel(&text.replace(" k(", " other("), &params).unwrap_err().to_string();
    assert!(error.contains("the entry functions `other`"), "{error}");
}

/// The variable with the number of the device that faults, in the process of [`fault_of_a_source`].
const SOURCE: &str = "CUBE_TEST_SOURCE";

/// Runs the test in separate processes, because a fault is a property of the process.
fn fault_of_a_source() {
    for ordinal in [1, fake::WITHOUT_PEERS] {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output = command.env(SOURCE, ordinal.to_string()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn fault_of_source(ordinal: u32) {
    let (device, other) = (device(), device_at(ordinal));
    let wild = other.load(&artifact("wild")).unwrap();
    let [to, kept] = [(); 2].map(|()| device.alloc(4096, Init::Zero).unwrap());
    let from = other.alloc(4096, Init::Zero).unwrap();
    device.copy_from(Queue::DEFAULT, &to, &other, Queue::DEFAULT, &from).unwrap();
    device.read(&to, 0, &mut [0; 4]).unwrap();
    // The target executes the copy late, so that the kernel of the source has run.
    let scale = device.load(&artifact("scale")).unwrap();
    let args = |buffer| [Arg::buffer(buffer, ElemType::F32), Scalar::F32(1.0).into()];
    (0..50).for_each(|_| device.launch_kernel(&scale, &args(&to), [1, 1, 1]).unwrap());
    other.launch_kernel(&wild, &args(&from), [1, 1, 1]).unwrap();
    let copied = device.copy_from(Queue::DEFAULT, &to, &other, Queue::DEFAULT, &from);
    let error = copied.and_then(|()| device.read(&to, 0, &mut [0; 4])).unwrap_err();
    assert!(error.kind == ErrorKind::Fault && error.message.contains("kernel 'wild'"), "{error}");
    // The other memory of the target is not lost.
    device.read(&kept, 0, &mut [0; 4]).unwrap();
    assert_eq!(device.sync(), Ok(()));
    let again = other.alloc(4096, Init::Zero).unwrap();
    device.copy_from(Queue::DEFAULT, &kept, &other, Queue::DEFAULT, &again).unwrap();
    device.read(&kept, 0, &mut [0; 4]).unwrap();
}

fn fault() {
    let device = device();
    let (scale, wild) = (device.load(&artifact("scale")).unwrap(), device.load(&artifact("wild")).unwrap());
    let old = device.alloc(4096, Init::Zero).unwrap();
    let args = |buffer, factor| [Arg::buffer(buffer, ElemType::F32), Scalar::F32(factor).into()];
    let repeat = Repeat::of(&scale, &args(&old, 3.0), [64, 1, 1], device.properties()).unwrap();
    let repeated = |buffer| device.repeat(Queue::DEFAULT, &scale, &repeat, &[buffer], &[Scalar::F32(3.0).slot()]);
    assert_eq!((repeated(&old), device.sync()), (Ok(true), Ok(())));
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
    assert_eq!(repeated(&old), Ok(false), "the launch, which reports the loss, is not repeated");
    let new = device.alloc(4096, Init::Any).unwrap();
    device.write(&new, 0, &2f32.to_ne_bytes().repeat(1024)).unwrap();
    assert_eq!(repeated(&new), Ok(true));
    let mut bytes = vec![0; 4096];
    device.read(&new, 0, &mut bytes).unwrap();
    assert_eq!(bytes, 6f32.to_ne_bytes().repeat(1024));
    for _ in 0..2 {
        let values = work(&device).unwrap();
        assert!(values.iter().all(|v| *v == 12.0), "queues, copies and graphs work in the child");
    }
}
