//! The costs of wgpu: a launch compared with wgpu's own dispatch, and compilation to WGSL and SPIR-V.
//!
//! The times are processor times of the working thread or process, because other threads of lavapipe run at the same
//! time. The peer of a launch records the same number of dispatches in a pass, with the same pipeline code, bindings
//! and uniform words.
use crate::Result;
use crate::compare::shown;
use cube_artifact::{Artifact, CompileOptions, Compiler, ElemType, Target, Variables};
use cube_runtime::launch::Repeat;
use cube_runtime::{Arg, ChildCompiler, Device, Init, Queue, Scalar};
use cube_runtime_wgpu::{Code, Options, WgpuDevice, wgpu};
use std::fs;
use std::time::Duration;

const SCALE: &str = "examples/kernels/scale.mlir";

/// Elements of a launch: one cube.
const ELEMENTS: u32 = 64;

/// Dispatches between two submissions, as in the runtime.
const DISPATCHES: u32 = 64;

/// Submissions of a round, and alternating rounds. The shortest of many short rounds is not disturbed by other processes.
const SUBMISSIONS: u32 = 10;
const ROUNDS: u32 = 100;

pub fn run() -> Result<()> {
    for (name, code) in [("WGSL", Code::Wgsl), ("SPIR-V", Code::Spirv)] {
        let variables = Variables::of_process();
        let device = match WgpuDevice::open(&Options { code, ..Options::of(&variables)? }) {
            Ok(device) => device,
            Err(error) => {
                println!("{name}: not measured: {error}");
                continue;
            }
        };
        let artifact = compile(name, device.target())?;
        launches(name, &device, &artifact)?;
    }
    Ok(())
}

/// Nanoseconds of processor time in files such as `/proc/thread-self/schedstat`.
fn processor_time(file: &str) -> Result<Duration> {
    let text = fs::read_to_string(file)?;
    let nanoseconds = text.split(' ').next().ok_or("an empty file")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// The processor time of all child processes that run.
fn of_children() -> Result<Duration> {
    let mut all = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task")? {
        for child in fs::read_to_string(thread?.path().join("children"))?.split_whitespace() {
            for thread in fs::read_dir(format!("/proc/{child}/task"))? {
                all += processor_time(&thread?.path().join("schedstat").display().to_string())?;
            }
        }
    }
    Ok(all)
}

/// Measures compilations by a compiler that runs already.
fn compile(name: &str, target: &Target) -> Result<Artifact> {
    let (source, options, child) =
        (fs::read(SCALE)?, CompileOptions::default(), ChildCompiler::new(&cube_artifact::Variables::of_process()));
    let artifact = child.compile(&source, target, &options)?;
    let mut times = Vec::new();
    for _ in 0..101 {
        let start = of_children()?;
        child.compile(&source, target, &options)?;
        times.push(of_children()? - start);
    }
    times.sort();
    println!("compile scale to {name:18} {} of processor time, median {}", shown(times[0]), shown(times[50]));
    Ok(artifact)
}

/// The dispatches of a program that uses wgpu only.
struct Peer {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    uniforms: wgpu::Buffer,
    stride: u32,
}

fn bound(binding: u32, buffer: &wgpu::Buffer, size: Option<wgpu::BufferSize>) -> wgpu::BindGroupEntry<'_> {
    let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size });
    wgpu::BindGroupEntry { binding, resource }
}

impl Peer {
    fn new(device: &WgpuDevice, artifact: &Artifact) -> Result<Self> {
        let parts = device.parts();
        let (device, queue) = (parts.device, parts.queue);
        let text = std::str::from_utf8(&artifact.code)?.replacen("enable subgroups;", "", 1);
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let entries = [
            entry(0, storage(true), false),
            entry(1, storage(false), false),
            entry(2, wgpu::BufferBindingType::Uniform, true),
        ];
        let layout =
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let whole = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&whole),
            module: &module,
            entry_point: Some(&artifact.entry),
            compilation_options: Default::default(),
            cache: None,
        });
        let stride = device.limits().min_uniform_buffer_offset_alignment.max(64);
        let buffer = |size: u32, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size.into(),
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let arrays = [0; 2].map(|_| buffer(4 * ELEMENTS, wgpu::BufferUsages::STORAGE));
        let uniforms = buffer(stride * DISPATCHES, wgpu::BufferUsages::UNIFORM);
        let entries =
            [bound(0, &arrays[0], None), bound(1, &arrays[1], None), bound(2, &uniforms, wgpu::BufferSize::new(64))];
        let group =
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
        Ok(Peer { device, queue, pipeline, group, uniforms, stride })
    }

    /// One submission.
    fn submit(&self, words: &mut Vec<u32>) {
        words.clear();
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        // The runtime sets the pipeline of successive launches once.
        pass.set_pipeline(&self.pipeline);
        for n in 0..DISPATCHES {
            let own = [ELEMENTS, ELEMENTS, 2.0f32.to_bits(), 0, 0, 0, 0, 0, 1, 1, 1, 0];
            words.resize((n * self.stride / 4) as usize, 0);
            words.extend_from_slice(&own);
            pass.set_bind_group(0, &self.group, &[n * self.stride]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        self.queue.write_buffer(&self.uniforms, 0, bytemuck::cast_slice(words));
        self.queue.submit([encoder.finish()]);
    }
}

/// Measures launches that repeat an earlier one, as the launches of a program in Rust do, and launches with all checks.
fn launches(name: &str, device: &WgpuDevice, artifact: &Artifact) -> Result<()> {
    let kernel = device.load(artifact)?;
    let [x, y] = [0; 2].map(|_| device.alloc(4 * u64::from(ELEMENTS), Init::Zero));
    let (x, y) = (x?, y?);
    let args = [Arg::buffer(&x, ElemType::F32), Arg::buffer(&y, ElemType::F32), Scalar::F32(2.0).into()];
    // wgpu validates WGSL for the peer; its pipeline of SPIR-V would need `unsafe` code and costs the same per
    // dispatch.
    let wgsl = WgpuDevice::open(&Options { code: Code::Wgsl, ..Options::default() })?;
    let text = match name {
        "WGSL" => artifact.clone(),
        _ => ChildCompiler::new(&cube_artifact::Variables::of_process()).compile(
            &fs::read(SCALE)?,
            wgsl.target(),
            &CompileOptions::default(),
        )?,
    };
    let peer = Peer::new(device, &text)?;
    let repeat = Repeat::of(&kernel, &args, [1, 1, 1], device.properties())?;
    let slots = [Scalar::F32(2.0).slot()];
    let repeated = || match device.repeat(Queue::DEFAULT, &kernel, &repeat, &[&x, &y], &slots)? {
        true => Ok(()),
        false => Err("the device does not repeat the launch".into()),
    };
    compare(&format!("repetition of {name}"), device, &peer, repeated)?;
    compare(&format!("launch of {name}"), device, &peer, || Ok(device.launch_kernel(&kernel, &args, [1, 1, 1])?))
}

fn compare(name: &str, device: &WgpuDevice, peer: &Peer, launch: impl Fn() -> Result<()>) -> Result<()> {
    let (mut cube_result, mut peer_result, mut words) = (Duration::MAX, Duration::MAX, Vec::new());
    for _ in 0..ROUNDS {
        let start = processor_time("/proc/thread-self/schedstat")?;
        for _ in 0..SUBMISSIONS * DISPATCHES {
            launch()?;
        }
        device.submit()?;
        let middle = processor_time("/proc/thread-self/schedstat")?;
        peer.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None })?;
        let second = processor_time("/proc/thread-self/schedstat")?;
        (0..SUBMISSIONS).for_each(|_| peer.submit(&mut words));
        let end = processor_time("/proc/thread-self/schedstat")?;
        // `sync` does not wait for the peer. The next call of wgpu would release the peer's commands.
        peer.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None })?;
        (cube_result, peer_result) = (cube_result.min(middle - start), peer_result.min(end - second));
    }
    let per_launch = |time: Duration| time / (SUBMISSIONS * DISPATCHES);
    println!(
        "{name:34} cube {}, wgpu {} of processor time, {:.2} of wgpu's own",
        shown(per_launch(cube_result)),
        shown(per_launch(peer_result)),
        cube_result.as_secs_f64() / peer_result.as_secs_f64()
    );
    Ok(())
}
