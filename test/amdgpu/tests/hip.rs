//! Tests the HIP runtime with a test library (`fake/hip.c`) instead of HIP's library. The test library runs
//! launches in the emulator.
//!
//! Each case runs in a separate process, because a process loads the library once. The test program starts itself again
//! for each case, with the name of the case in `CUBE_HIP_CASE`.
#[path = "hip/calls.rs"]
mod calls;
#[path = "../../../runtime/core/tests/conformance/mod.rs"]
mod conformance;
#[path = "hip/front_end.rs"]
mod front_end;
#[path = "hip/library.rs"]
mod library;
#[path = "../../../runtime/gpu/tests/scenario/mod.rs"]
mod scenario;
#[path = "hip/tool.rs"]
mod tool;

use cube_amdgpu_test::Emulator;
use cube_artifact::{Artifact, CompileOptions, Compiler, ElemType, Target};
use cube_driver::Driver;
use cube_runtime::{Arg, CommandList, Cubes, Device, ErrorKind, Graph, Init, Queue, RuntimeError, Scalar};
use cube_runtime_hip::HipDevice;
use library::{LIBRARY, build};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

const SCALE: &str = include_str!("../../../examples/kernels/scale.mlir");

type Case = (&'static str, fn() -> Result<(), String>, &'static [(&'static str, &'static str)]);

/// The test cases, each with its settings for the test library. Test cases with the setting `FAKE_HIP_RUN`
/// require the emulator.
const CASES: &[Case] = &[
    ("a device describes itself", description, &[]),
    ("a number without a device is refused", no_device, &[]),
    ("memory is copied both ways", copies, &[]),
    ("exhausted memory is an error, and the next allocation works", out_of_memory, &[("FAKE_HIP_MEMORY", "33554432")]),
    ("a kernel computes", computes, &[("FAKE_HIP_RUN", "")]),
    (
        "a kernel computes on a chip of planes of 32 lanes",
        computes,
        &[("FAKE_HIP_RUN", ""), ("FAKE_HIP_CHIP", "gfx1100")],
    ),
    ("code of another chip, or cut short, is refused, and the next launch works", wrong_code, &[("FAKE_HIP_RUN", "")]),
    ("a graph computes", graph, &[("FAKE_HIP_RUN", "")]),
    ("the rules of devices hold", rules, &[("FAKE_HIP_SCALE", "multiply"), ("FAKE_HIP_MEMORY", "268435456")]),
    (
        "a failure of any call is a typed error, and the next work succeeds",
        calls::every_call_fails,
        &[("FAKE_HIP_SCALE", "multiply"), ("FAKE_HIP_FAIL", "@")],
    ),
    (
        "a read whose wait fails keeps its memory until the copy has run",
        calls::failed_wait,
        &[("FAKE_HIP_SCALE", "multiply"), ("FAKE_HIP_FAIL", "@")],
    ),
    ("a queue waits for another queue", || ordered(2.0), &[("FAKE_HIP_SCALE", "multiply")]),
    ("a fault of a running kernel", running_fault, &[("FAKE_HIP_SCALE", "fault")]),
    (
        "an access outside of all memory is a fault, and the next launch works",
        faults,
        &[("FAKE_HIP_FAIL", "hipModuleLaunchKernel:700:2")],
    ),
];

/// HIP functions, each with an error code that the runtime must handle separately. The module `calls` lets
/// every function fail with an unknown error.
const CALLS: [(&str, u32); 8] = [
    ("hipRuntimeGetVersion", 1),
    ("hipInit", 3),
    ("hipGetDeviceCount", 100),
    ("hipGetDevicePropertiesR0600", 101),
    ("hipMalloc", 2),
    ("hipModuleLoadData", 209),
    ("hipModuleGetFunction", 500),
    ("hipModuleLaunchKernel", 701),
];

/// Unusable libraries: the name, the compiler flags that build the library, and a part of the expected error.
const UNFIT: [(&str, &[&str], &str); 1] =
    [("old", &["-DVERSION=50700000"], "its library is of ROCm 5; install ROCm 6 or later")];

fn main() -> ExitCode {
    cube_runtime_hip::serve_if_asked();
    if let Ok(reference) = std::env::var("CUBE_HIP_CASE") {
        return ended(run_case(&reference));
    }
    let arguments = Arguments::from_args();
    let folder = match tempfile::tempdir() {
        Ok(folder) => Arc::new(folder),
        Err(error) => return ended(Err(error.to_string())),
    };
    let built = build(&folder.path().join("fit"), &[]);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("amdgpu-emulator");
    let emulator = Emulator::find(&cache);
    let mut trials = Vec::new();
    let mut trial =
        |name: String, case: String, library: PathBuf, settings: Vec<(String, String)>, ready: Result<(), String>| {
            let (built, folder) = (built.clone(), Arc::clone(&folder));
            trials.push(Trial::ignorable_test(name, move || {
                built.clone()?;
                if let Err(why) = &ready {
                    return Ok(Completion::ignored_with(why.clone()));
                }
                start(&case, &library, &settings, folder.path()).map(|()| Completion::Completed)
            }));
        };
    let fit = || folder.path().join("fit");
    for (number, (name, _, settings)) in CASES.iter().enumerate() {
        let mut ready = Ok(());
        let settings = settings.iter().map(|(key, value)| {
            let value = match (*key, &emulator) {
                ("FAKE_HIP_RUN", Ok(emulator)) => emulator.launcher(),
                ("FAKE_HIP_RUN", Err(why)) => {
                    ready = Err(why.clone());
                    String::new()
                }
                // A file for this test.
                (_, _) if *value == "@" => format!("@{}", folder.path().join(format!("call{number}")).display()),
                _ => (*value).to_string(),
            };
            ((*key).to_string(), value)
        });
        let settings = settings.collect();
        trial((*name).into(), (*name).into(), fit(), settings, ready);
    }
    for (call, code) in CALLS {
        let settings = vec![("FAKE_HIP_FAIL".into(), format!("{call}:{code}:1"))];
        trial(format!("{call} fails with {code}"), "fails once".into(), fit(), settings, Ok(()));
    }
    trial("no library".into(), "refused: there is no HIP library".into(), folder.path().join("none"), vec![], Ok(()));
    for function in calls::functions() {
        let (fit, library) = (fit().join(LIBRARY), folder.path().join(function));
        // A library that cannot be made cannot report its cause, so the test fails.
        let made = built.clone().and_then(|()| calls::without(function, &fit, &library));
        if let Err(why) = made {
            eprintln!("{why}");
        }
        let words = format!("refused: its library has no {function}; install ROCm 6 or later");
        trial(format!("a library without {function}"), words, library, vec![], Ok(()));
    }
    for (name, flags, words) in UNFIT {
        let library = folder.path().join(name);
        let ready = build(&library, flags);
        trial(format!("a library that is {name}"), format!("refused: {words}"), library, vec![], ready);
    }
    // Two libraries: the library under the first name is incompatible, and the library under the second name is compatible.
    let both = folder.path().join("both");
    let beside = |first: &str, second: &str| {
        let copy = |from: &Path, name: &str| std::fs::copy(from.join(LIBRARY), both.join(name)).map(drop);
        std::fs::create_dir_all(&both)
            .and_then(|()| copy(&folder.path().join("old"), first))
            .and_then(|()| copy(&fit(), second))
            .map_err(|error| error.to_string())
    };
    let ready = beside("libamdhip64.so.7", LIBRARY);
    trial("an unfit library before one that fits".into(), CASES[0].0.into(), both.clone(), vec![], ready);
    let (own, library, made) = (Arc::clone(&folder), fit(), built.clone());
    trials.push(Trial::test("a fault of any call is a typed error, and the next work succeeds", move || {
        made.clone()?;
        let all = std::env::var("CUBE_AMDGPU_ALL").is_ok_and(|all| all == "1");
        let case =
            |settings: &[_]| start("one fault", &library, settings, own.path()).map_err(|why| format!("{why:?}"));
        Ok(calls::every_call_faults(own.path(), all, case)?)
    }));
    let (own, library) = (Arc::clone(&folder), folder.path().join("no-waits"));
    let made = build(&library, &["-DWITHOUT_WAITS"]);
    trials.push(Trial::test("a missing wait causes a wrong result", move || {
        made.clone()?;
        start("a missing wait shows", &library, &[("FAKE_HIP_SCALE".into(), "multiply".into())], own.path())
    }));
    let (own, library, made) = (Arc::clone(&folder), fit(), built.clone());
    trials.push(Trial::test("a fault ends the process if the user wants it", move || {
        made.clone()?;
        let settings = [("HIP_SKIP_ABORT_ON_GPU_ERROR".into(), "0".into()), ("FAKE_HIP_SCALE".into(), "fault".into())];
        match start("a fault of a running kernel", &library, &settings, own.path()) {
            Ok(()) => Err("the process ends by itself".into()),
            Err(why) if format!("{why:?}").contains("Memory access fault by GPU") => Ok(()),
            Err(why) => Err(why),
        }
    }));
    for chip in front_end::CHIPS {
        let (library, built, emulator) = (fit(), built.clone(), emulator.clone());
        trials.push(Trial::ignorable_test(format!("the tests of the front end on {chip}"), move || {
            if std::env::var_os("CUBE_AMDGPU_RUST").is_none() {
                return Ok(Completion::ignored_with(
                    "CUBE_AMDGPU_RUST=1 compiles them for HIP and runs them in the emulator",
                ));
            }
            built.clone()?;
            match &emulator {
                Ok(emulator) => front_end::run(&library, &emulator.launcher(), chip).map(|()| Completion::Completed),
                Err(why) => Ok(Completion::ignored_with(why.clone())),
            }
        }));
    }
    trials.extend(tool::trials(&fit(), &built, &emulator));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a test case in a process, and checks that the process frees all objects.
fn start(case: &str, library: &Path, settings: &[(String, String)], folder: &Path) -> Result<(), Failed> {
    let leaks = tempfile::NamedTempFile::new_in(folder)?;
    let mut command = Command::new(std::env::current_exe()?);
    // LLVM's folder remains in the path, because the test is linked to LLVM.
    command.env("CUBE_HIP_CASE", case).env("LD_LIBRARY_PATH", library).env("FAKE_HIP_LEAKS", leaks.path());
    for (key, value) in settings {
        command.env(key, value);
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    let left = std::fs::read_to_string(leaks.path())?;
    // After a fault, the process of the first context frees nothing; an object whose release failed stays. A process
    // can end before the thread of reads releases the context.
    let may_keep = ["fault", "failure of any call", "a read whose wait fails"];
    if left.is_empty() || may_keep.iter().any(|part| case.contains(part)) {
        return Ok(());
    }
    Err(format!("objects that nothing frees: {left}").into())
}

fn run_case(reference: &str) -> Result<(), String> {
    if let Some(words) = reference.strip_prefix("refused: ") {
        let error = HipDevice::at(0, &cube_artifact::Variables::of_process()).err().ok_or("the device opens")?;
        let right = error.kind == ErrorKind::NoDevice && error.message.contains(words);
        return if right { Ok(()) } else { Err(format!("{error:?}")) };
    }
    match reference {
        "fails once" => return fails_once(),
        "one fault" => return calls::one_fault(),
        "a missing wait shows" => return ordered(1.0),
        _ => {}
    }
    let case = CASES.iter().find(|(name, ..)| *name == reference).ok_or("no such case")?;
    case.1()
}

fn open() -> Result<HipDevice, String> {
    HipDevice::at(0, &cube_artifact::Variables::of_process()).map_err(|error| error.to_string())
}

fn text(error: RuntimeError) -> String {
    error.to_string()
}

fn check(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn scale(chip: &str) -> Result<Artifact, String> {
    let target = Target { backend: "amdgpu".into(), chip: Some(chip.into()) };
    Driver.compile(SCALE.as_bytes(), &target, &CompileOptions::default()).map_err(|error| error.to_string())
}

/// Writes a buffer, launches a kernel and reads the buffer; checks the results if `computes` is true.
fn round(device: &HipDevice, artifact: &Artifact, computes: bool) -> Result<(), RuntimeError> {
    let numbers: Vec<f32> = (0..300).map(|n| n as f32 - 7.0).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let (x, y) = (device.alloc(1200, Init::Any)?, device.alloc(1200, Init::Zero)?);
    device.write(&x, 0, &bytes)?;
    let args = [Arg::buffer(&x, ElemType::F32), Arg::buffer(&y, ElemType::F32), Scalar::F32(2.5).into()];
    device.launch(artifact, &args, [2, 1, 1])?;
    let mut out = vec![1; 1200];
    device.read(&y, 0, &mut out)?;
    device.sync()?;
    let expected = numbers.iter().flat_map(|n| if computes { n * 2.5 } else { 0.0 }.to_le_bytes());
    assert!(out.iter().copied().eq(expected), "the results are not those of the kernel");
    Ok(())
}

fn description() -> Result<(), String> {
    let device = open()?;
    let of = device.properties();
    let found =
        (device.name(), device.chip(), device.driver_version(), of.plane_dim, of.parallel_cubes, of.memory_bytes);
    let reference = ("fake GPU 0", "gfx942".to_string(), "7.1", [64, 64], 4, 64 << 20);
    check(found == reference, || format!("{found:?}"))
}

fn no_device() -> Result<(), String> {
    let error = HipDevice::at(2, &cube_artifact::Variables::of_process()).err().ok_or("a third device opens")?;
    check(error.message.contains("HIP device 2 does not exist, because the library finds 2"), || error.to_string())
}

fn copies() -> Result<(), String> {
    let device = open()?;
    let buffer = device.alloc(5000, Init::Zero).map_err(text)?;
    device.write(&buffer, 1000, &[7; 100]).map_err(text)?;
    let mut out = [1; 102];
    device.read(&buffer, 999, &mut out).map_err(text)?;
    check(out[0] == 0 && out[101] == 0 && out[1..101] == [7; 100], || format!("{out:?}"))
}

fn out_of_memory() -> Result<(), String> {
    let device = open()?;
    let kept = device.alloc(16 << 20, Init::Any).map_err(text)?;
    let error = device.alloc(24 << 20, Init::Any).err().ok_or("more memory than there is")?;
    check(error.memory.is_some(), || format!("{error:?}"))?;
    drop(kept);
    device.alloc(24 << 20, Init::Any).map(drop).map_err(text)
}

fn computes() -> Result<(), String> {
    let device = open()?;
    round(&device, &scale(&device.chip())?, true).map_err(text)
}

/// A queue reads a buffer after a launch in another queue; the result is `reference`.
fn ordered(reference: f32) -> Result<(), String> {
    let device = open()?;
    let kernel = device.load(&calls::multiply()?).map_err(text)?;
    let (a, b) = (Queue::DEFAULT, Queue::new(1));
    let x = device.alloc_on(b, 1024, Init::Any).map_err(text)?;
    device.write(&x, 0, &1.0f32.to_le_bytes().repeat(256)).map_err(text)?;
    device.sync().map_err(text)?;
    let args = [Arg::buffer(&x, ElemType::F32), Scalar::F32(2.0).into()];
    device.launch_on(b, &kernel, &args, Cubes::Count([4, 1, 1])).map_err(text)?;
    let mut out = vec![0; 1024];
    device.read_on(a, &x, 0, &mut out).map_err(text)?;
    check(out == reference.to_le_bytes().repeat(256), || format!("{:?} and not {reference}", &out[..4]))
}

/// The first run of the kernel faults. Later calls return the fault, and a child process uses the device.
fn running_fault() -> Result<(), String> {
    let device = open()?;
    let source = SCALE.replace("@scale", "@fault");
    let target = Target { backend: "amdgpu".into(), chip: Some("gfx942".into()) };
    let faulty = Driver.compile(source.as_bytes(), &target, &CompileOptions::default()).map_err(|e| e.to_string())?;
    let error = round(&device, &faulty, false).err().ok_or("no fault is reported")?;
    check(error.kind == ErrorKind::Fault && error.message.contains("'fault' faulted"), || format!("{error:?}"))?;
    round(&device, &scale("gfx942")?, false).map_err(text)
}

/// Tests a graph of two launches and a copy, which is replayed with another scalar.
fn graph() -> Result<(), String> {
    let device = open()?;
    let kernel = device.load(&calls::multiply()?).map_err(text)?;
    let [x, y] = [device.alloc(1024, Init::Any).map_err(text)?, device.alloc(1024, Init::Zero).map_err(text)?];
    device.write(&x, 0, &1.0f32.to_le_bytes().repeat(256)).map_err(text)?;
    let mut list = CommandList::new();
    let first = list.launch(&kernel, &[Arg::buffer(&x, ElemType::F32), Scalar::F32(3.0).into()], [4, 1, 1]);
    list.copy(&x, &y);
    list.launch(&kernel, &[Arg::buffer(&y, ElemType::F32), Scalar::F32(0.5).into()], [4, 1, 1]);
    let mut graph = Graph::new(list);
    let replay = |graph: &Graph, reference: f32| {
        device.replay(Queue::DEFAULT, graph).map_err(text)?;
        let mut out = vec![0; 1024];
        device.read(&y, 0, &mut out).map_err(text)?;
        check(out == reference.to_le_bytes().repeat(256), || format!("{:?} and not {reference}", &out[..4]))
    };
    replay(&graph, 1.5)?;
    replay(&graph, 4.5)?;
    graph.set_scalar(first, 1, Scalar::F32(2.0)).map_err(text)?;
    replay(&graph, 9.0)
}

/// Tests the rules of all devices, with a kernel that the test library computes itself.
fn rules() -> Result<(), String> {
    for (name, rule) in conformance::RULES {
        eprintln!("{name}");
        let device = open()?;
        let other = HipDevice::at(1, &cube_artifact::Variables::of_process()).map_err(text)?;
        rule(&conformance::Subject { device: &device, other: &other, scale: calls::multiply()?, rounds: 250 });
    }
    Ok(())
}

fn wrong_code() -> Result<(), String> {
    let device = open()?;
    let refused = |artifact: &Artifact, words: &str| {
        let error = round(&device, artifact, true).err().ok_or("the code runs")?;
        check(error.message.contains(words), || error.to_string())
    };
    refused(&scale("gfx1100")?, "gfx1100")?;
    let whole = scale("gfx942")?;
    let cut = |bytes: usize| Artifact { code: whole.code[..bytes].to_vec(), ..whole.clone() };
    refused(&cut(0), "it contains no code")?;
    for bytes in [3, 64, 700, whole.code.len() - 1] {
        refused(&cut(bytes), "its code cannot be loaded")?;
    }
    // The description of the artifact names this chip, and the header of its code another one.
    let other = |code: Vec<u8>| Artifact { code, ..whole.clone() };
    for (chip, words) in [("gfx1100", "is for gfx1100, and the device is gfx942"), ("gfx950", "is for gfx950, and")] {
        refused(&other(scale(chip)?.code), words)?;
    }
    for at in [4, 5, 7, 18, 48, 54] {
        let mut code = whole.code.clone();
        code[at] ^= 0x80;
        refused(&other(code), "its code cannot be loaded (")?;
    }
    let renamed = Artifact { entry: "other".into(), ..whole.clone() };
    refused(&renamed, "its code cannot be loaded")?;
    round(&device, &whole, true).map_err(text)
}

fn faults() -> Result<(), String> {
    let device = open()?;
    let artifact = scale("gfx942")?;
    round(&device, &artifact, false).map_err(text)?;
    let error = round(&device, &artifact, false).err().ok_or("no fault is reported")?;
    check(error.kind == ErrorKind::Fault && error.message.contains("faulted"), || format!("{error:?}"))?;
    // After the fault, the runtime uses the device through a child of this process.
    round(&device, &artifact, false).map_err(text)
}

/// The first call of a chosen HIP function fails. The test expects an error, and checks that later calls succeed.
/// The runtime can also ignore the failure of a call that it does not require.
fn fails_once() -> Result<(), String> {
    let artifact = scale("gfx942")?;
    let device = match HipDevice::at(0, &cube_artifact::Variables::of_process()) {
        Ok(device) => device,
        Err(error) => {
            check(error.message.contains("as the test wants it"), || error.to_string())?;
            open()?
        }
    };
    if let Err(error) = round(&device, &artifact, false) {
        let typed = matches!(error.kind, ErrorKind::Driver | ErrorKind::DeviceLimit | ErrorKind::InvalidArtifact)
            || error.memory.is_some();
        check(typed, || format!("{error:?}"))?;
    }
    round(&device, &artifact, false).map_err(text)
}
