//! Measures the cost of a launch on the host: the expansion of the tiled matmul, and the launch of a cached
//! kernel. Compares launches through Rust with launches of the same artifact by the device's own calls.
//!
//! `cargo bench -p cube-frontend-tests --bench host`
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, ElemType, Target, Variables};
use cube_runtime::{Arg, Device, Init, Kernel, Scalar};
use cube_runtime_cpu::CpuDevice;
use cubecl::cpu::CpuRuntime;
use cubecl::host::{ComputeClient as Client, Core};
use cubecl::prelude::*;
use cubecl::std::matmul::{self, Strategy};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A compiler that always fails, so that each launch expands the kernel and caches no code.
struct NoCode;

impl Compiler for NoCode {
    fn compile(&self, _: &[u8], _: &Target, _: &CompileOptions) -> Result<Artifact, CompileError> {
        Err(CompileError::from(cube_artifact::Message::from("none [CUBE0900]")))
    }
}

#[cube(launch)]
fn add_one(data: &mut Array<f32>) {
    data[UNIT_POS] += 1.0;
}

fn sorted(count: usize, mut work: impl FnMut()) -> Vec<Duration> {
    let mut times: Vec<_> = (0..count)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times
}

/// A compiler that keeps the artifacts.
struct Keeping {
    compiler: Arc<dyn Compiler>,
    artifacts: Mutex<Vec<Artifact>>,
}

impl Compiler for Keeping {
    fn compile(&self, source: &[u8], target: &Target, options: &CompileOptions) -> Result<Artifact, CompileError> {
        let artifact = self.compiler.compile(source, target, options)?;
        self.artifacts.lock().expect("no thread panicked").push(artifact.clone());
        Ok(artifact)
    }
}

#[cube(launch)]
fn scale(x: &Array<f32>, by: f32, out: &mut Array<f32>) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = x[ABSOLUTE_POS] * by;
    }
}

/// A kernel of some milliseconds in one cube.
#[cube(launch)]
fn long(out: &mut Array<f32>, steps: u32) {
    let mut x = out[UNIT_POS];
    for _ in 0..steps {
        x = x * 0.5 + 1.0;
    }
    out[UNIT_POS] = x;
}

/// Elements of the buffers of [`scale`], which has one cube.
const N: usize = 256;

/// Launches of a round. A device queues at least as many.
const LAUNCHES: u32 = 200;

const STEPS: u32 = 1_000_000;

type CpuClient = Client<<CpuRuntime as Runtime>::Server>;

/// The launches of [`scale`] through Rust.
struct ThroughRust {
    client: CpuClient,
    x: cubecl::server::Handle,
    out: cubecl::server::Handle,
}

impl ThroughRust {
    fn array<'a>(&self, handle: &'a cubecl::server::Handle, n: usize) -> ArrayArg<'a, CpuRuntime> {
        // SAFETY: the handles have `N` elements.
        unsafe { ArrayArg::from_raw_parts::<f32>(handle, n, 1) }
    }

    fn launch(&self) {
        let (x, out) = (self.array(&self.x, N), self.array(&self.out, N));
        scale::launch::<CpuRuntime>(
            &self.client,
            CubeCount::Static(1, 1, 1),
            CubeDim::new_1d(256),
            x,
            ScalarArg::new(2.0),
            out,
        );
    }

    fn launch_long(&self) {
        let out = self.array(&self.out, 1);
        long::launch::<CpuRuntime>(
            &self.client,
            CubeCount::Static(1, 1, 1),
            CubeDim::new_1d(1),
            out,
            ScalarArg::new(STEPS),
        );
    }

    fn sync(&self) {
        cubecl::future::block_on(self.client.sync()).expect("no launch fails");
    }
}

/// The same launches by the calls of another device.
struct OfDevice {
    device: CpuDevice,
    scale: Kernel,
    long: Kernel,
    x: cube_runtime::Buffer,
    out: cube_runtime::Buffer,
}

impl OfDevice {
    fn launch(&self) {
        let args =
            [Arg::buffer(&self.x, ElemType::F32), Scalar::F32(2.0).into(), Arg::buffer(&self.out, ElemType::F32)];
        self.device.launch_kernel(&self.scale, &args, [1, 1, 1]).expect("a launch");
    }

    fn launch_long(&self) {
        let first = self.out.slice(0..4).expect("four bytes");
        let args = [Arg::buffer(&first, ElemType::F32), Scalar::U32(STEPS).into()];
        self.device.launch_kernel(&self.long, &args, [1, 1, 1]).expect("a launch");
    }

    fn sync(&self) {
        self.device.sync().expect("no launch fails");
    }
}

/// The time of a launch in microseconds. If `blocked` starts a long launch, the launches after it are only queued.
fn time(launch: &dyn Fn(), blocked: Option<&dyn Fn()>, sync: &dyn Fn()) -> f64 {
    if let Some(long) = blocked {
        long();
    }
    let start = Instant::now();
    (0..LAUNCHES).for_each(|_| launch());
    let time = start.elapsed().as_secs_f64() * 1e6 / f64::from(LAUNCHES);
    sync();
    time
}

/// Compares launches through Rust with the device's own calls: on the calling thread, and into the queue of a busy device.
fn through_rust_and_by_the_device() {
    let compiler = cubecl::host::compiler(&Variables::of_process());
    let keeping = Arc::new(Keeping { compiler, artifacts: Mutex::default() });
    let core = Core::new(Box::new(CpuDevice::with_threads(1)), Target::cpu(), keeping.clone());
    let client: CpuClient = Client::new(Arc::new(core));
    let values: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let (x, out) = (client.create(f32::as_bytes(&values)), client.empty(4 * N));
    let rust = ThroughRust { client, x, out };
    rust.launch();
    rust.launch_long();
    rust.sync();
    let device = CpuDevice::with_threads(1);
    let load = |name: &str| {
        let artifacts = keeping.artifacts.lock().expect("no thread panicked");
        let artifact = artifacts.iter().find(|artifact| artifact.kernel.contains(name));
        device.load(artifact.unwrap_or_else(|| panic!("no artifact of '{name}'"))).expect("it loads")
    };
    let (scale, long) = (load("scale"), load("long"));
    let buffer = || device.alloc(4 * N as u64, Init::Zero).expect("a buffer");
    let (x, out) = (buffer(), buffer());
    device.write(&x, 0, f32::as_bytes(&values)).expect("a write");
    let device = OfDevice { device, scale, long, x, out };
    device.launch();
    let mut bytes = vec![0; 4 * N];
    device.device.read(&device.out, 0, &mut bytes).expect("a read");
    rust.launch();
    assert_eq!(rust.client.read_one(rust.out.clone())[..], bytes[..], "both launches have one result");
    device.launch_long();
    for (name, queued) in [("on the calling thread", false), ("into the queue of a busy device", true)] {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..100 {
            let long_of_rust = || rust.launch_long();
            let long_of_device = || device.launch_long();
            let times = [
                time(&|| rust.launch(), queued.then_some(&long_of_rust as &dyn Fn()), &|| rust.sync()),
                time(&|| device.launch(), queued.then_some(&long_of_device as &dyn Fn()), &|| device.sync()),
            ];
            best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
        }
        let [rust, device] = best;
        println!(
            "3 arguments, {name}: through Rust {rust:.3} us, by the device {device:.3} us, difference {:.3} us (floor 0.3)",
            rust - device
        );
    }
}

/// Set in the process that measures. Its cache of kernels is empty, so that its compiler sees each kernel.
const MEASURES: &str = "CUBE_HOST_BENCH_MEASURES";

fn main() {
    if std::env::var_os(MEASURES).is_none() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let program = std::env::current_exe().expect("the path of this program");
        let mut process = std::process::Command::new(program);
        let done = process.env(MEASURES, "1").env("CUBE_CACHE", cache.path()).status().expect("it starts");
        assert!(done.success(), "the measurement failed: {done}");
        return;
    }
    let device = CpuDevice::with_threads(1);
    let core = Core::new(Box::new(device), Target::cpu(), Arc::new(NoCode));
    let without_code: Client<<CpuRuntime as Runtime>::Server> = Client::new(Arc::new(core));
    let handle = without_code.empty(4 * 64 * 64);
    let matrix = || {
        // SAFETY: the handle has as many elements; nothing runs.
        unsafe { TensorHandleRef::<CpuRuntime>::from_raw_parts(&handle, &[64, 1], &[64, 64], 4) }
    };
    let times = sorted(200, || {
        let out = matmul::launch::<CpuRuntime, f32>(Strategy::Tiled, &without_code, &matrix(), &matrix(), &matrix());
        let error = out.expect_err("the compiler returns an error").to_string();
        assert!(error.contains("CUBE0900"), "the launch did not reach the compiler: {error}");
    });
    println!(
        "expansion of the tiled matmul: best {:.1?}, median {:.1?}, worst {:.1?}",
        times[0], times[100], times[199]
    );

    let client = CpuRuntime::client(&Default::default());
    let data = client.create(f32::as_bytes(&[0.0; 8]));
    let launch = || {
        // SAFETY: eight elements.
        let arg = unsafe { ArrayArg::from_raw_parts::<f32>(&data, 8, 1) };
        add_one::launch::<CpuRuntime>(&client, CubeCount::Static(1, 1, 1), CubeDim::new_1d(8), arg);
    };
    launch();
    let times = sorted(20_000, launch);
    println!(
        "launch of a cached kernel: best {:.2?}, median {:.2?}, 99 % {:.2?}",
        times[0], times[10_000], times[19_800]
    );
    through_rust_and_by_the_device();
}
