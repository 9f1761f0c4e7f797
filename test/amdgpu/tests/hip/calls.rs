//! Every function of HIP's library that the runtime looks up: missing, and failing at each of its calls.
use super::{check, open};
use cube_artifact::{Artifact, CompileOptions, Compiler, ElemType, Target};
use cube_driver::Driver;
use cube_runtime::{Arg, CommandList, Cubes, Device, ErrorKind, Graph, Init, Queue, RuntimeError, Scalar};
use cube_runtime_hip::HipDevice;
use std::collections::BTreeSet;
use std::path::Path;

/// The declarations of the functions.
const LIBRARY: &str = include_str!("../../../../runtime/hip/src/library.rs");

/// Functions that no call of the scenario reaches, with the reason.
const UNREACHED: &[(&str, &str)] = &[
    ("hipMemcpyPeerAsync", "the trait Device has no copy between devices"),
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

/// Uses each part of the device once. Every element of the result is 12.
fn scenario(device: &HipDevice, artifact: &Artifact) -> Result<Vec<f32>, RuntimeError> {
    let kernel = device.load(artifact)?;
    let (a, b) = (Queue::DEFAULT, Queue::new(1));
    let [x, y] = [device.alloc(4096, Init::Zero)?, device.alloc_on(b, 4096, Init::Any)?];
    let large = device.alloc(4 << 20, Init::Any)?;
    device.write(&large, 0, &vec![0; 4 << 20])?;
    device.write(&x, 0, &1.0f32.to_ne_bytes().repeat(1024))?;
    let args = |buffer, factor| [Arg::buffer(buffer, ElemType::F32), Scalar::F32(factor).into()];
    device.launch_on(b, &kernel, &args(&x, 2.0), Cubes::Count([16, 1, 1]))?;
    device.copy(a, &x, &y)?;
    let event = device.record(a)?;
    event.is_complete();
    device.wait(b, &event)?;
    event.wait()?;
    let mut list = CommandList::new();
    list.launch(&kernel, &args(&y, 3.0), [16, 1, 1]);
    list.copy(&y, &x);
    device.replay(b, &Graph::new(list))?;
    device.measure_on(a, &mut || device.launch_kernel(&kernel, &args(&y, 2.0), [16, 1, 1]))?;
    let staged = device.host_alloc(64)?;
    device.write_async(a, &x, 0, staged)?;
    let reading = device.read_async(b, &y, 0, 4096)?;
    let mut out = vec![0; 4096];
    device.read_on(a, &y, 0, &mut out)?;
    let later = reading.wait()?;
    assert!(later[..] == out[..], "both reads see the same bytes");
    // The test library has 64 MiB, and the error states the memory.
    assert!(device.alloc(63 << 20, Init::Any).is_err(), "more memory than there is");
    device.sync_queue(b)?;
    device.sync()?;
    drop([x, y, large]);
    drop(later);
    device.memory_cleanup();
    Ok(out.as_chunks().0.iter().map(|b| f32::from_ne_bytes(*b)).collect())
}

/// The test library fails one call, and the scenario runs twice: with the failure, and afterwards. Returns the error of the first run,
/// or `None` if the call was not reached.
fn one_failure(file: &Path, function: &str, call: usize, artifact: &Artifact) -> Result<Option<bool>, String> {
    let system = |error: std::io::Error| error.to_string();
    let hit = file.with_extension("hit");
    std::fs::write(file, format!("{function} {call}")).map_err(system)?;
    let mut opened = HipDevice::at(0);
    let outcome = opened.as_ref().map_err(Clone::clone).and_then(|device| scenario(device, artifact));
    // The end of a device has calls as well.
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

/// Each call of each function in the scenario fails once: a typed error names the failure, or the result is right, and the same scenario
/// succeeds afterwards.
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
