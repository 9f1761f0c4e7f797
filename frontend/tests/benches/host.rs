//! Measures the cost of a launch on the host: the expansion of the tiled matmul, and the launch of a cached
//! kernel.
//!
//! `cargo bench -p cube-frontend-tests --bench host`
use cube_artifact::{Artifact, CompileError, CompileOptions, Compiler, Target};
use cube_runtime_cpu::CpuDevice;
use cubecl::cpu::CpuRuntime;
use cubecl::host::{ComputeClient as Client, Core};
use cubecl::prelude::*;
use cubecl::std::matmul::{self, Strategy};
use std::sync::Arc;
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

fn main() {
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
}
