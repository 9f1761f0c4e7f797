//! Measures the speed of queues, graphs and copies on a GPU. For comparison, the benchmark also measures the
//! corresponding calls of the driver. The benchmark needs no artifacts.
//!
//! The benchmark checks every copied byte, and the counter that all launches of a graph increment.
#![allow(missing_docs)]
#[path = "device/raw.rs"]
mod raw;

use cube_artifact::{
    Artifact, BufferAccess, CodeFormat, ElemType, InfoWord, Param, ParamKind, Target, Variables, WAIT_AT_START,
};
use cube_runtime::{Arg, Buffer, CommandList, Cubes, Device, Graph, Init, Kernel, Queue, Scalar};
use cube_runtime_cuda::CudaDevice;
use std::time::{Duration, Instant};

type Failed = Box<dyn std::error::Error>;

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// A kernel that computes `y[0] += a` on one unit.
const COUNT: &str = ".visible .entry k(.param .u64 y, .param .u64 n, .param .f32 a)
{ .reg .b64 %rd<3>; .reg .f32 %f<4>; ld.param.u64 %rd1, [y]; ld.param.f32 %f1, [a];
  ld.global.f32 %f2, [%rd1]; add.rn.f32 %f3, %f1, %f2; st.global.f32 [%rd1], %f3; ret; }";

/// A kernel with a long run time: one unit counts to `a`.
const SPIN: &str = ".visible .entry k(.param .u64 y, .param .u64 n, .param .f32 a)
{ .reg .b64 %rd<3>; .reg .f32 %f<4>; .reg .pred %p; ld.param.u64 %rd1, [y]; ld.param.f32 %f1, [a]; mov.f32 %f2, 0f00000000;
L: add.rn.f32 %f2, %f2, 0f3f800000; setp.lt.f32 %p, %f2, %f1; @%p bra L; st.global.f32 [%rd1], %f2; ret; }";

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
        cube_dim: [1, 1, 1],
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

/// The artifact in the form that the compiler gives it for the device: on compute capability 9.0 and later, the first instruction
/// waits for the kernel before.
fn compiled(device: &CudaDevice, artifact: Artifact) -> Artifact {
    let capability = device.chip().trim_start_matches("sm_").trim_end_matches('a').parse().unwrap_or(0);
    if capability < 90 {
        return artifact;
    }
    let code = String::from_utf8_lossy(&artifact.code).replace(HEAD, ".version 7.8\n.target sm_90\n.address_size 64\n");
    let code = code.replacen('{', &format!("{{ {WAIT_AT_START}\n"), 1).into_bytes();
    Artifact { code, ..artifact }
}

/// A kernel without parameters and instructions.
fn empty() -> Artifact {
    let code = format!("{HEAD}.visible .entry k() {{ ret; }}").into_bytes();
    Artifact { code, params: vec![], info: vec![], ..artifact("empty", "") }
}

fn main() -> Result<(), Failed> {
    let device = CudaDevice::new(&Variables::of_process())?;
    println!("{} ({}, CUDA {})", device.name(), device.chip(), device.driver_version());
    launches(&device)?;
    graphs(&device)?;
    copies(&device)?;
    overlap(&device)?;
    peers(&device)?;
    // The measurements with several queues come last, because after the first use of another queue, each launch also
    // tracks the order between queues.
    launches_of_queues(&device)
}

fn args(buffer: &Buffer, a: f32) -> [Arg; 2] {
    [Arg::buffer(buffer, ElemType::F32), Scalar::F32(a).into()]
}

fn float(device: &CudaDevice, buffer: &Buffer) -> Result<f32, Failed> {
    let mut bytes = [0; 4];
    device.read(buffer, 0, &mut bytes)?;
    Ok(f32::from_le_bytes(bytes))
}

/// Runs `work` seven times, and returns the median time divided by `count`.
fn median(count: u32, mut work: impl FnMut() -> Result<(), Failed>) -> Result<Duration, Failed> {
    work()?;
    let mut times = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed() / count);
    }
    times.sort();
    Ok(times[3])
}

fn launches(device: &CudaDevice) -> Result<(), Failed> {
    let kernel = device.load(&compiled(device, artifact("count", COUNT)))?;
    let buffer = device.alloc(4, Init::Zero)?;
    let arguments = args(&buffer, 1.0);
    let raw = raw::Raw::new()?;
    // The driver launches the same kernel with the same parameters. Another kernel takes another time on the device, which
    // is part of the time of a launch and its sync.
    let same = raw.kernel(&std::ffi::CString::new(format!("{HEAD}{COUNT}"))?, 1, 1.0)?;
    // The measurements alternate, so that all have the same conditions.
    for _ in 0..3 {
        let one = median(2000, || {
            (0..2000).try_for_each(|_| device.launch_kernel(&kernel, &arguments, [1, 1, 1]))?;
            Ok(device.sync()?)
        })?;
        let other = median(2000, || {
            raw.enter()?;
            (0..2000).try_for_each(|_| raw.launch_kernel(&same))?;
            Ok(raw.sync()?)
        })?;
        let empty = median(2000, || {
            raw.enter()?;
            (0..2000).try_for_each(|_| raw.launch())?;
            Ok(raw.sync()?)
        })?;
        row("launch, 1 buffer and 1 scalar, back to back", microseconds(one));
        row("cuLaunchKernel of the same kernel, back to back", microseconds(other));
        row("  ratio (floor 1.15)", ratio(one, other));
        row("cuLaunchKernel, empty, 8 parameters, back to back", microseconds(empty));
    }
    for _ in 0..3 {
        let each = median(500, || {
            Ok((0..500)
                .try_for_each(|_| device.launch_kernel(&kernel, &arguments, [1, 1, 1]).and_then(|()| device.sync()))?)
        })?;
        let raw_each = median(500, || {
            raw.enter()?;
            Ok((0..500).try_for_each(|_| raw.launch_kernel(&same).and_then(|()| raw.sync()))?)
        })?;
        row("launch and sync each (floor 8.2)", microseconds(each));
        row("cuLaunchKernel and cuStreamSynchronize each", microseconds(raw_each));
        row("  ratio", ratio(each, raw_each));
    }
    raw.free(same)?;
    // Published measurements of other runtimes use empty kernels.
    let nothing = device.load(&compiled(device, empty()))?;
    for _ in 0..3 {
        let launch = || device.launch_kernel(&nothing, &[], [1, 1, 1]);
        let each = median(500, || Ok((0..500).try_for_each(|_| launch().and_then(|()| device.sync()))?))?;
        let raw_each = median(500, || {
            raw.enter()?;
            Ok((0..500).try_for_each(|_| raw.launch().and_then(|()| raw.sync()))?)
        })?;
        row("launch and sync each, empty kernel (floor 8.2)", microseconds(each));
        row("the driver's launch and sync each, empty, 8 parameters", microseconds(raw_each));
        row("  ratio", ratio(each, raw_each));
    }
    let entered = median(100_000, || Ok((0..100_000).try_for_each(|_| raw.enter())?))?;
    let asked = median(100_000, || {
        Ok((0..100_000)
            .try_for_each(|_| if raw.is_entered()? { Ok(()) } else { Err("another context".to_string()) })?)
    })?;
    row("cuCtxSetCurrent, cuCtxGetCurrent, in ns", format!("{:10} {:6}", entered.as_nanos(), asked.as_nanos()));
    let temporary = |_| -> Result<(), Failed> {
        let temporary = device.alloc(1 << 20, Init::Any)?;
        Ok(device.launch_kernel(&kernel, &args(&temporary, 1.0), [1, 1, 1])?)
    };
    let alone = median(1000, || {
        (0..1000).try_for_each(|_| device.launch_kernel(&kernel, &args(&buffer, 1.0), [1, 1, 1]))?;
        Ok(device.sync()?)
    })?;
    let with = median(1000, || {
        (0..1000).try_for_each(temporary)?;
        Ok(device.sync()?)
    })?;
    row("launch in a chain of 1,000", microseconds(alone));
    row("launch in a chain of 1,000 with temporaries", microseconds(with));
    row("  ratio (floor 1.2)", ratio(with, alone));
    Ok(())
}

fn graphs(device: &CudaDevice) -> Result<(), Failed> {
    let kernel = device.load(&compiled(device, artifact("count", COUNT)))?;
    let buffer = device.alloc(4, Init::Zero)?;
    let mut list = CommandList::new();
    for _ in 0..1000 {
        list.launch(&kernel, &args(&buffer, 1.0), [1, 1, 1]);
    }
    let graph = Graph::new(list);
    let start = Instant::now();
    device.replay(Queue::DEFAULT, &graph)?;
    device.sync()?;
    row("graph of 1,000 launches, record and first replay", microseconds(start.elapsed()));
    let each = median(1000, || Ok(device.replay(Queue::DEFAULT, &graph).and_then(|()| device.sync())?))?;
    let driver = raw::Raw::new()?;
    let same = driver.kernel(&std::ffi::CString::new(format!("{HEAD}{COUNT}"))?, 1, 1.0)?;
    let raw = driver.graph(&same, 1000)?;
    driver.free(same)?;
    row("graph of 1,000 dependent launches, per launch (floor 0.6)", microseconds(each));
    row("the driver's graph of the same launches, without early launches", microseconds(raw));
    row("  ratio", ratio(each, raw));
    let nothing = device.load(&compiled(device, empty()))?;
    let mut list = CommandList::new();
    for _ in 0..1000 {
        list.launch(&nothing, &[], [1, 1, 1]);
    }
    let empty = Graph::new(list);
    let each = median(1000, || Ok(device.replay(Queue::DEFAULT, &empty).and_then(|()| device.sync())?))?;
    row("graph of 1,000 launches of an empty kernel (floor 0.6)", microseconds(each));
    let submit = median(1, || Ok(device.replay(Queue::DEFAULT, &graph)?))?;
    row("  host time of a replay", microseconds(submit));
    device.sync()?;
    let counted = float(device, &buffer)?;
    if counted != 17_000.0 {
        return Err(format!("the graph has counted {counted}, not 17000").into());
    }
    Ok(())
}

const GIB: usize = 1 << 30;

fn copies(device: &CudaDevice) -> Result<(), Failed> {
    let buffer = device.alloc(GIB as u64, Init::Any)?;
    let raw = raw::Raw::new()?;
    let pattern: Vec<u8> = (0..GIB).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let rate = |time: Duration| format!("{:8.2} GB/s", GIB as f64 / time.as_secs_f64() / 1e9);
    let mut staged = Some(device.host_alloc(GIB)?);
    if let Some(staged) = &mut staged {
        staged.copy_from_slice(&pattern);
    }
    let to = median(1, || {
        let data = staged.take().map_or_else(|| device.host_alloc(GIB), Ok)?;
        device.write_async(Queue::DEFAULT, &buffer, 0, data)?;
        Ok(device.sync()?)
    })?;
    let mut back = None;
    let from = median(1, || {
        back = None;
        back = Some(device.read_async(Queue::DEFAULT, &buffer, 0, GIB as u64)?.wait()?);
        Ok(())
    })?;
    let [raw_to, raw_from] = raw.pinned(GIB)?;
    row("1 GiB to the device, page-locked", rate(to));
    row("  cuMemcpyHtoD / this (floor 0.95)", ratio(raw_to, to));
    row("1 GiB from the device, page-locked", rate(from));
    row("  cuMemcpyDtoH / this (floor 0.95)", ratio(raw_from, from));
    let mut out = vec![1; GIB];
    let to = median(1, || Ok(device.write(&buffer, 0, &pattern)?))?;
    let from = median(1, || Ok(device.read(&buffer, 0, &mut out)?))?;
    if out != pattern {
        return Err("other bytes came back".into());
    }
    let [raw_to, raw_from] = raw.pageable(&pattern, &mut out)?;
    row("1 GiB to the device, pageable", rate(to));
    row("  cuMemcpyHtoD / this (floor 0.90)", ratio(raw_to, to));
    row("1 GiB from the device, pageable", rate(from));
    row("  cuMemcpyDtoH / this (floor 0.90)", ratio(raw_from, from));
    let small = median(1000, || Ok((0..1000).try_for_each(|_| device.write(&buffer, 0, &pattern[..4096]))?))?;
    device.sync()?;
    row("write of 4 KiB, without a wait", microseconds(small));
    Ok(())
}

/// Measures a copy together with a kernel on another queue; the kernel takes about as long as the copy.
fn overlap(device: &CudaDevice) -> Result<(), Failed> {
    let spin = device.load(&compiled(device, artifact("spin", SPIN)))?;
    let (buffer, data) = (device.alloc(4, Init::Zero)?, device.alloc(GIB as u64, Init::Any)?);
    let kernel =
        |queue: u32| device.launch_on(Queue::new(queue), &spin, &args(&buffer, 1.3e6), Cubes::Count([1, 1, 1]));
    let read = || device.read_async(Queue::new(2), &data, 0, GIB as u64);
    let alone = median(1, || Ok(kernel(1).and_then(|()| device.sync())?))?;
    let copied = median(1, || Ok(read()?.wait().map(drop)?))?;
    let both = median(1, || {
        kernel(1)?;
        let reading = read()?;
        device.sync()?;
        Ok(reading.wait().map(drop)?)
    })?;
    row("kernel alone", microseconds(alone));
    row("copy of 1 GiB alone", microseconds(copied));
    row("both, on two queues", microseconds(both));
    row("  ratio to the longer one (floor 1.1)", ratio(both, alone.max(copied)));
    Ok(())
}

/// Measures copies between two GPUs, if there are two.
fn peers(device: &CudaDevice) -> Result<(), Failed> {
    let other = match CudaDevice::at(1, &Variables::of_process()) {
        Ok(other) => other,
        Err(error) => {
            println!("no copies between GPUs: {error}");
            return Ok(());
        }
    };
    let pattern: Vec<u8> = (0..GIB).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let [near, far] = [device.alloc(GIB as u64, Init::Any)?, other.alloc(GIB as u64, Init::Any)?];
    other.write(&far, 0, &pattern)?;
    let pull = median(1, || {
        device.copy_from(Queue::DEFAULT, &near, &other, Queue::DEFAULT, &far)?;
        Ok(device.sync()?)
    })?;
    let push = median(1, || {
        other.copy_from(Queue::DEFAULT, &far, device, Queue::DEFAULT, &near)?;
        Ok(other.sync()?)
    })?;
    let mut out = vec![0; GIB];
    other.read(&far, 0, &mut out)?;
    if out != pattern {
        return Err("other bytes came from the other GPU".into());
    }
    let rate = |time: Duration| format!("{:8.2} GB/s", GIB as f64 / time.as_secs_f64() / 1e9);
    row("1 GiB from the second GPU", rate(pull));
    row("1 GiB to the second GPU", rate(push));
    let through_host = median(1, || {
        let bytes = other.read_async(Queue::DEFAULT, &far, 0, GIB as u64)?.wait()?;
        device.write_async(Queue::DEFAULT, &near, 0, bytes)?;
        Ok(device.sync()?)
    })?;
    row("1 GiB from the second GPU through the host", rate(through_host));
    let small = median(1000, || {
        (0..1000).try_for_each(|_| {
            let (to, from) = (near.slice(0..4096)?, far.slice(0..4096)?);
            device.copy_from(Queue::DEFAULT, &to, &other, Queue::DEFAULT, &from)
        })?;
        Ok(device.sync()?)
    })?;
    row("4 KiB from the second GPU, in a chain of 1,000", microseconds(small));
    Ok(())
}

fn launches_of_queues(device: &CudaDevice) -> Result<(), Failed> {
    let kernel: Kernel = device.load(&compiled(device, artifact("count", COUNT)))?;
    let shared = device.alloc(4, Init::Zero)?;
    let launch = |queue: u32, buffer: &Buffer| {
        device.launch_on(Queue::new(queue), &kernel, &args(buffer, 1.0), Cubes::Count([1, 1, 1]))
    };
    let one = median(2000, || {
        (0..2000).try_for_each(|_| launch(1, &shared))?;
        Ok(device.sync()?)
    })?;
    let two = median(2000, || {
        (0..2000).try_for_each(|n| launch(1 + n % 2, &shared))?;
        Ok(device.sync()?)
    })?;
    row("launch on one of several queues", microseconds(one));
    row("launch on two queues in turn, one buffer", microseconds(two));
    let counted = float(device, &shared)?;
    if counted != 32_000.0 {
        return Err(format!("the queues have counted {counted}, not 32000").into());
    }
    Ok(())
}

fn microseconds(time: Duration) -> String {
    format!("{:10.2} us", time.as_secs_f64() * 1e6)
}

fn ratio(one: Duration, other: Duration) -> String {
    format!("{:10.3}", one.as_secs_f64() / other.as_secs_f64())
}

fn row(what: &str, figure: String) {
    println!("{what:56} {figure}");
}
