//! Every function of HIP's library that the runtime looks up: missing, and failing at each of its calls.
use super::scenario::scenario;
use super::{check, open};
use cube_artifact::{Artifact, CompileOptions, Compiler, Target};
use cube_driver::Driver;
use cube_runtime::{Device, ErrorKind, Init, Queue, RuntimeError};
use cube_runtime_hip::HipDevice;
use std::collections::BTreeSet;
use std::path::Path;

/// The declarations of the functions.
const LIBRARY: &str = include_str!("../../../../runtime/hip/src/library.rs");

/// The code of an unknown error (hipErrorUnknown).
const UNKNOWN: u32 = 999;

/// Functions that no call of the scenario reaches, with the reason.
const UNREACHED: &[(&str, &str)] = &[
    ("hipStreamDestroy", "the context ends after the thread of reads has released it"),
    ("hipGetErrorName", "it returns no error"),
    ("hipGetErrorString", "it returns no error"),
];

/// The names of the declared functions. A declaration begins with the name, or with `pub` and the name.
pub fn functions() -> Vec<&'static str> {
    let lines = LIBRARY.lines().map(|line| line.trim_start().trim_start_matches("pub "));
    let names = lines.filter(|line| line.starts_with("hip")).filter_map(|line| line.split(['(', ':']).next());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Writes a copy of the library that lacks one function: the copy has another name for the function in its
/// symbol table.
pub fn without(function: &str, library: &Path, folder: &Path) -> Result<(), String> {
    let system = |error: std::io::Error| error.to_string();
    let mut bytes = std::fs::read(library).map_err(system)?;
    let name = [b"\0", function.as_bytes(), b"\0"].concat();
    let places: Vec<usize> =
        bytes.windows(name.len()).enumerate().filter(|(_, w)| *w == name).map(|(at, _)| at).collect();
    check(!places.is_empty(), || format!("the library has no symbol {function}"))?;
    places.into_iter().for_each(|at| bytes[at + 1] = b'x');
    std::fs::create_dir_all(folder).map_err(system)?;
    std::fs::write(folder.join("libamdhip64.so.6"), bytes).map_err(system)
}

/// Multiplies a buffer by a number. The test library computes this kernel itself (`FAKE_HIP_SCALE`).
const SCALE: &str = "
cube.kernel @multiply(%y: !cube.array<f32>, %a: f32) cube_dim(64) {
  %i = cube.topology absolute_pos
  %v = cube.load %y[%i] : !cube.array<f32> -> f32
  %r = arith.mulf %v, %a : f32
  cube.store %r, %y[%i] : f32, !cube.array<f32>
  cube.return
}
";

pub fn multiply() -> Result<Artifact, String> {
    let target = Target { backend: "amdgpu".into(), chip: Some("gfx942".into()) };
    Driver.compile(SCALE.as_bytes(), &target, &CompileOptions::default()).map_err(|error| error.to_string())
}

/// The test library fails one call, and the scenario runs twice: with the failure, and afterwards. Returns the error of the first run,
/// or `None` if the call was not reached.
fn one_failure(file: &Path, function: &str, call: usize, artifact: &Artifact) -> Result<Option<bool>, String> {
    let system = |error: std::io::Error| error.to_string();
    let hit = file.with_extension("hit");
    std::fs::write(file, format!("{function} {call} {UNKNOWN}")).map_err(system)?;
    let mut opened = HipDevice::at(0, &cube_artifact::Variables::of_process());
    let outcome = opened.as_ref().map_err(Clone::clone).and_then(|device| scenario(device, artifact));
    // The drop of a device also calls functions of HIP.
    if outcome.is_ok() {
        opened = Err(RuntimeError::user("it has ended"));
    }
    std::fs::write(file, "").map_err(system)?;
    let failed = std::fs::remove_file(&hit).is_ok();
    let at = format!("call {call} of {function}");
    match &outcome {
        // A failed release is not an error of the work, and a graph that the library refuses is a list of commands.
        Ok(values) => check(values.iter().all(|v| *v == 12.0), || format!("{at}: a wrong result"))?,
        Err(error) => {
            let known = [ErrorKind::Driver, ErrorKind::DeviceLimit, ErrorKind::NoDevice].contains(&error.kind);
            let names = error.message.contains("as the test wants it") || error.memory.is_some();
            check(known && names && failed, || format!("{at}: {error:?}"))?;
        }
    }
    let device = match opened {
        Ok(device) => device,
        Err(_) => open()?,
    };
    let again = scenario(&device, artifact).map_err(|error| format!("after {at}: {error}"))?;
    check(again.iter().all(|v| *v == 12.0), || format!("a wrong result after {at}"))?;
    device.memory_cleanup();
    check(device.memory_usage().allocations == 0, || format!("a lost buffer after {at}"))?;
    Ok(failed.then_some(outcome.is_err()))
}

/// Lets each HIP call of the scenario fail once. The scenario must return a typed error that names the failure, or a
/// correct result, and must succeed when it runs again.
pub fn every_call_fails() -> Result<(), String> {
    let wish = std::env::var("FAKE_HIP_FAIL").map_err(|error| error.to_string())?;
    let file = Path::new(wish.trim_start_matches('@'));
    let artifact = multiply()?;
    let (mut calls, mut errors) = (0, 0);
    // The library is loaded before the first failure.
    open()?;
    for function in functions().into_iter().filter(|name| UNREACHED.iter().all(|(other, _)| other != name)) {
        for call in 0.. {
            let Some(is_error) = one_failure(file, function, call, &artifact)? else {
                check(call > 0, || format!("the scenario has no call of {function}"))?;
                break;
            };
            check(call < 200, || format!("{function} has fewer calls"))?;
            calls += 1;
            errors += usize::from(is_error);
        }
    }
    check(calls > 80 && errors > 40, || format!("only {errors} of {calls} failed calls gave an error"))
}

/// The thread of reads cannot select the device, so that it cannot wait for a copy. The memory of the copy must not
/// be used again before the copy has run: the test library runs the copy later.
pub fn failed_wait() -> Result<(), String> {
    let wish = std::env::var("FAKE_HIP_FAIL").map_err(|error| error.to_string())?;
    let file = Path::new(wish.trim_start_matches('@'));
    let system = |error: std::io::Error| error.to_string();
    let device = open()?;
    let run = || -> Result<(bool, Vec<u8>), RuntimeError> {
        let [old, new] = [device.alloc(4096, Init::Any)?, device.alloc(4096, Init::Any)?];
        device.write(&old, 0, &[1; 4096])?;
        device.sync()?;
        // The first call is that of this thread.
        std::fs::write(file, format!("hipSetDevice 1 {UNKNOWN}")).map_err(|e| RuntimeError::user(e.to_string()))?;
        let read = device.read_async(Queue::DEFAULT, &old, 0, 4096)?.wait();
        std::fs::write(file, "").map_err(|e| RuntimeError::user(e.to_string()))?;
        device.write(&new, 0, &[2; 4096])?;
        let mut out = vec![0; 4096];
        device.read_on(Queue::DEFAULT, &new, 0, &mut out)?;
        Ok((read.is_err(), out))
    };
    let (is_error, out) = run().map_err(|error| error.to_string())?;
    std::fs::remove_file(file.with_extension("hit")).map_err(system)?;
    check(is_error, || "the read succeeded, although its wait failed".into())?;
    check(out == [2; 4096], || format!("the late copy wrote to the memory of a write: {}", out[0]))
}

/// The code of a fault (hipErrorIllegalAddress), which all later calls of the process return as well.
const FAULT: u32 = 700;

/// A call that faults, in a separate process: a typed error names the fault, or the result is right. The same work succeeds
/// afterwards, in a child process.
pub fn one_fault() -> Result<(), String> {
    let artifact = multiply()?;
    let right = |values: &[f32]| check(values.iter().all(|v| *v == 12.0), || "a wrong result".into());
    let mut opened = HipDevice::at(0, &cube_artifact::Variables::of_process());
    let typed = |error: RuntimeError| {
        let known = [ErrorKind::Fault, ErrorKind::NoDevice].contains(&error.kind);
        check(known && error.message.contains("hipError700"), || format!("{error:?}"))
    };
    let outcome = opened.as_ref().map_err(Clone::clone).and_then(|device| scenario(device, &artifact));
    // The drop of a device also calls functions of HIP. Calls of the next scenario are not counted.
    if outcome.is_ok() {
        opened = Err(RuntimeError::user("it has ended"));
    }
    let wish = std::env::var("FAKE_HIP_FAIL").map_err(|error| error.to_string())?;
    std::fs::write(wish.trim_start_matches('@'), "").map_err(|error| error.to_string())?;
    let device = match opened {
        Ok(device) => device,
        Err(_) => open()?,
    };
    match outcome {
        Ok(values) => right(&values)?,
        Err(error) => typed(error)?,
    }
    // The next work reports the fault of a release, and a fault that the second device of the scenario detected first.
    scenario(&device, &artifact).map_or_else(typed, |values| right(&values))?;
    right(&scenario(&device, &artifact).map_err(|error| format!("after the fault: {error}"))?)
}

/// Calls of each function in the scenario fault once: the first call, or all calls if `all` is true. `start` runs a case with settings of
/// the test library.
pub fn every_call_faults(
    folder: &Path,
    all: bool,
    start: impl Fn(&[(String, String)]) -> Result<(), String>,
) -> Result<(), String> {
    let system = |error: std::io::Error| error.to_string();
    let (file, mut calls) = (folder.join("fault"), 0);
    let hit = file.with_extension("hit");
    let settings =
        [("FAKE_HIP_SCALE".into(), "multiply".into()), ("FAKE_HIP_FAIL".into(), format!("@{}", file.display()))];
    for function in functions().into_iter().filter(|name| UNREACHED.iter().all(|(other, _)| other != name)) {
        for call in 0..if all { 200 } else { 1 } {
            std::fs::write(&file, format!("{function} {call} {FAULT}")).map_err(system)?;
            start(&settings).map_err(|why| format!("call {call} of {function}: {why}"))?;
            if std::fs::remove_file(&hit).is_err() {
                check(call > 0, || format!("the scenario has no call of {function}"))?;
                break;
            }
            calls += 1;
        }
    }
    println!("{calls} calls faulted");
    check(calls >= if all { 80 } else { 30 }, || format!("only {calls} calls faulted"))
}
