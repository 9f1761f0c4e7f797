//! Runs the kernel `gelu` on the GPU of a browser. The page loads this module and the bundle that `cubec bundle` wrote.
//! `cargo xtask browser` builds the page and opens it in headless Chromium.
use cube_runtime_wgpu::cube_artifact::{CompileOptions, ElemType, Target};
use cube_runtime_wgpu::cube_runtime::{Arg, Device, Init, bundle::Bundle};
use cube_runtime_wgpu::{Shared, WgpuDevice, wgpu};
use std::error::Error;
use wasm_bindgen::prelude::*;

/// The source of the kernel. A bundle finds a kernel by its source.
const SOURCE: &[u8] = include_bytes!("../../../kernels/gelu.mlir");

const COUNT: u32 = 1 << 16;

/// Opens the browser's adapter. A browser completes the futures of wgpu only between the calls of a program.
async fn open() -> Result<WgpuDevice, Box<dyn Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;
    Ok(WgpuDevice::shared(Shared { adapter, device, queue }, None))
}

/// The error function, by its series, which converges to all digits for the inputs of this program.
fn erf(x: f64) -> f64 {
    let mut term = x;
    let sum = (1..80).fold(x, |sum, n| {
        let n = f64::from(n);
        term *= -x * x / n;
        sum + term / (2.0 * n + 1.0)
    });
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

async fn run(bundle: Vec<u8>) -> Result<String, Box<dyn Error>> {
    let bundle = Bundle::from_bytes(bundle)?;
    let device = open().await?;
    let target: Target = "wgsl:core".parse()?;
    let found = bundle.find(SOURCE, &target, &CompileOptions::default());
    let artifact = bundle.artifact(found.first().ok_or("the bundle lacks the kernel")?)?;
    let inputs: Vec<f32> = (0..COUNT).map(|n| (n as f32 / COUNT as f32 - 0.5) * 8.0).collect();
    let x = device.alloc(4 * u64::from(COUNT), Init::Any)?;
    let y = device.alloc(4 * u64::from(COUNT), Init::Zero)?;
    device.write(&x, 0, &inputs.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
    let args = [Arg::buffer(&x, ElemType::F32), Arg::buffer(&y, ElemType::F32)];
    device.launch(&artifact, &args, [COUNT.div_ceil(artifact.cube_dim[0]), 1, 1])?;
    let bytes = device.read_async(Default::default(), &y, 0, 4 * u64::from(COUNT))?.await?;
    let (words, _) = bytes.as_chunks::<4>();
    let errors = words.iter().zip(&inputs).map(|(word, x)| {
        let x = f64::from(*x);
        (f64::from(f32::from_le_bytes(*word)) - 0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2))).abs()
    });
    let largest = errors.fold(0.0, f64::max);
    let verdict = if largest < 1e-6 && words.len() == inputs.len() { "passed" } else { "failed" };
    Ok(format!("gelu of {COUNT} numbers {verdict}: the largest error is {largest:.2e}"))
}

/// Runs the kernel, and compares its results with the host's. The result is a sentence with the word `passed` or
/// `failed`.
///
/// # Errors
/// The bundle lacks the kernel, the browser has no adapter, or the device fails.
#[wasm_bindgen]
pub async fn gelu(bundle: Vec<u8>) -> Result<String, JsError> {
    run(bundle).await.map_err(|error| JsError::new(&error.to_string()))
}
