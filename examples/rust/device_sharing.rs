//! Uses one wgpu device for kernels and for the program's own shader. The shader reads the buffer that a kernel
//! writes, without a copy through the host.
//!
//! `cargo build -p cube-tools && cargo run -p cube-mlir --features wgpu --example device_sharing`
use cube::prelude::*;
use cube::wgpu::{self, WgpuDevice, WgpuRuntime, WgpuSetup, wgpu as api};

/// Writes a sine wave with a period of `period` samples.
#[cube(launch)]
fn wave(samples: &mut Array<f32>, period: u32) {
    if ABSOLUTE_POS < samples.len() {
        samples[ABSOLUTE_POS] = f32::sin(f32::cast_from(ABSOLUTE_POS % period) / f32::cast_from(period));
    }
}

/// The program's own shader, which does not depend on kernels. The shader doubles each number.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
@compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&numbers) { numbers[id.x] *= 2.0; }
}";

/// Returns the value of a wgpu future. Outside of a browser, the future is complete immediately.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Opens a device in the usual way of a wgpu program.
fn open() -> Option<WgpuSetup> {
    let instance = api::Instance::new(api::InstanceDescriptor::new_without_display_handle());
    let adapter = now(instance.enumerate_adapters(api::Backends::PRIMARY)).into_iter().next()?;
    let (device, queue) = now(adapter.request_device(&api::DeviceDescriptor::default())).ok()?;
    Some(WgpuSetup { adapter, device, queue })
}

/// Runs the kernel and the shader on one device. Returns `None` if the machine has no adapter.
pub fn run() -> Option<Vec<f32>> {
    let setup = open()?;
    let (device, queue) = (setup.device.clone(), setup.queue.clone());
    // The device of the program now also runs kernels.
    let shared: WgpuDevice = wgpu::init_device(setup, Default::default());
    let client = WgpuRuntime::client(&shared);

    let n = 1000;
    let samples = client.empty(n * size_of::<f32>());
    // SAFETY: the handle holds n elements.
    let arg = unsafe { ArrayArg::from_raw_parts::<f32>(&samples, n, 1) };
    wave::launch::<WgpuRuntime>(&client, CubeCount::Static(8, 1, 1), CubeDim::new_1d(128), arg, ScalarArg::new(100));

    // `resource` submits the launch and returns the wgpu buffer of the handle.
    let (buffer, bytes) = wgpu::resource(&shared, &samples).ok()?;
    let source = api::ShaderSource::Wgsl(SHADER.into());
    let module = device.create_shader_module(api::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&api::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("double"),
        compilation_options: Default::default(),
        cache: None,
    });
    let size = api::BufferSize::new(bytes.end - bytes.start);
    let resource = api::BindingResource::Buffer(api::BufferBinding { buffer: &buffer, offset: bytes.start, size });
    let group = device.create_bind_group(&api::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[api::BindGroupEntry { binding: 0, resource }],
    });
    let mut commands = device.create_command_encoder(&Default::default());
    let mut pass = commands.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(n.div_ceil(64) as u32, 1, 1);
    drop(pass);
    queue.submit([commands.finish()]);

    // The next read of the client sees the shader's writes, because the client and the shader use one queue.
    Some(f32::from_bytes(&client.read_one(samples)).to_vec())
}

/// Compares the samples with values that the host computes.
pub fn check(samples: &[f32]) {
    assert_eq!(samples.len(), 1000);
    for (at, sample) in samples.iter().enumerate() {
        let expected = 2.0 * ((at % 100) as f32 / 100.0).sin();
        assert!((sample - expected).abs() < 1e-5, "sample {at} is {sample}, and not {expected}");
    }
}

fn main() {
    match run() {
        Some(samples) => {
            check(&samples);
            println!("a kernel and a shader of the program wrote {} samples on one device", samples.len());
        }
        None => println!("this machine has no adapter for wgpu"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_kernel_and_a_shader_share_a_buffer() {
        super::main();
    }
}
