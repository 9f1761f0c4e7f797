//! The Vulkan device, which is opened once and runs one launch at a time.
use crate::{Code, Error, Launch};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Number of guard bytes after the end of each buffer, which a kernel must not change.
pub const GUARD: usize = 64;

/// The value of each guard byte.
const GUARD_BYTE: u8 = 0xa5;

/// Time limit of a launch.
const SECONDS: u64 = 60;

/// A Vulkan device. Only one thread uses the device at a time.
#[derive(Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Name of the adapter.
    pub name: String,
    /// Units of a subgroup; 0 if the adapter has several subgroup sizes.
    pub subgroup: u32,
    reports: Arc<Mutex<Reports>>,
    lock: Mutex<()>,
}

/// The features that a kernel can require.
const FEATURES: &[(&str, wgpu::Features)] = &[
    ("shader-f16", wgpu::Features::SHADER_F16),
    ("shader-f64", wgpu::Features::SHADER_F64),
    ("shader-i16", wgpu::Features::SHADER_I16),
    ("shader-int64", wgpu::Features::SHADER_INT64),
    ("shader-int64-atomic-all-ops", wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
    ("shader-float32-atomic", wgpu::Features::SHADER_FLOAT32_ATOMIC),
    // wgpu cannot request the Vulkan memory model. lavapipe runs modules with the model without a request.
    ("vulkan-memory-model", wgpu::Features::PASSTHROUGH_SHADERS),
    ("subgroups", wgpu::Features::SUBGROUP),
];

/// Errors that wgpu reports through callbacks instead of results.
#[derive(Debug, Default)]
struct Reports {
    errors: Vec<Error>,
    lost: Option<String>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Polls a future until it is complete, and returns its value. Outside of a browser, wgpu's futures are complete at the
/// first poll.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

/// Runs code that calls wgpu; a panic becomes an error.
fn caught<T>(call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::Panicked(text.unwrap_or("without a message").into()))
    })
}

impl Gpu {
    /// Opens a Vulkan adapter with the limits of the adapter and every available feature that a kernel can require.
    /// The method prefers an adapter that runs on the CPU, such as lavapipe, because such an adapter is
    /// available for every machine. `VK_ICD_FILENAMES` hides drivers.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::NoDevice`], [`Error::Panicked`].
    pub fn open() -> Result<Gpu, Error> {
        caught(|| {
            let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
            descriptor.backends = wgpu::Backends::VULKAN;
            // With this flag, the default of a build for development, naga searches the line of each statement from the beginning
            // of the text.
            descriptor.flags.remove(wgpu::InstanceFlags::DEBUG);
            let instance = wgpu::Instance::new(descriptor);
            let adapters = now(instance.enumerate_adapters(wgpu::Backends::VULKAN));
            let on_host = |adapter: &wgpu::Adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu;
            let adapter = adapters.into_iter().min_by_key(|adapter| !on_host(adapter)).ok_or(Error::NoAdapter)?;
            let requested =
                FEATURES.iter().fold(wgpu::Features::PASSTHROUGH_SHADERS, |all, (_, feature)| all | *feature);
            let request = wgpu::DeviceDescriptor {
                required_features: adapter.features() & requested,
                required_limits: adapter.limits(),
                ..Default::default()
            };
            let (device, queue) = now(adapter.request_device(&request)).map_err(|e| Error::NoDevice(e.to_string()))?;
            let reports = Arc::new(Mutex::new(Reports::default()));
            let of_errors = Arc::clone(&reports);
            device.on_uncaptured_error(Arc::new(move |error| locked(&of_errors).errors.push(Error::from(error))));
            let of_loss = Arc::clone(&reports);
            device.set_device_lost_callback(move |_, why| locked(&of_loss).lost = Some(why));
            let info = adapter.get_info();
            let one_size = info.subgroup_min_size == info.subgroup_max_size;
            let subgroup = if one_size { info.subgroup_min_size } else { 0 };
            Ok(Gpu { device, queue, name: info.name, subgroup, reports, lock: Mutex::new(()) })
        })
    }

    /// Runs a launch, and returns the contents of every storage buffer in the order of the bindings.
    ///
    /// # Errors
    /// All errors except [`Error::NoAdapter`] and [`Error::NoDevice`]. After [`Error::Lost`] every launch returns
    /// [`Error::Lost`].
    pub fn run(&self, launch: &Launch) -> Result<Vec<Vec<u8>>, Error> {
        let _turn = locked(&self.lock);
        self.check(launch)?;
        locked(&self.reports).errors.clear();
        let result = caught(|| self.dispatched(launch));
        let mut reports = locked(&self.reports);
        if let Some(why) = &reports.lost {
            return Err(Error::Lost(why.clone()));
        }
        // The first report is the cause of later reports and of a failed read.
        let first = (!reports.errors.is_empty()).then(|| reports.errors.swap_remove(0));
        first.map_or(result, Err)
    }

    /// Destroys the device, so that tests can check later calls.
    pub fn lose(&self) {
        let _turn = locked(&self.lock);
        self.device.destroy();
        // The loss is reported by a later poll.
        let _ = self.device.poll(wgpu::PollType::Poll);
    }

    /// Checks features and limits before the launch, because the messages of wgpu name neither the limit nor the
    /// kernel.
    fn check(&self, launch: &Launch) -> Result<(), Error> {
        if let Some(why) = &locked(&self.reports).lost {
            return Err(Error::Lost(why.clone()));
        }
        let has = self.device.features();
        for name in &launch.features {
            let feature = FEATURES.iter().find(|(own, _)| own == name);
            if feature.is_none_or(|(_, feature)| !has.contains(*feature)) {
                return Err(Error::MissingFeature(name.clone()));
            }
        }
        if matches!(launch.code, Code::Spirv(_)) && !has.contains(wgpu::Features::PASSTHROUGH_SHADERS) {
            return Err(Error::MissingFeature("passthrough-shaders".into()));
        }
        let limits = self.device.limits();
        let largest = launch.bindings.iter().map(|b| padded(b.bytes.len()) as u64).max().unwrap_or(0);
        let most = launch.cubes.iter().copied().max().unwrap_or(0);
        let units: u64 = launch.cube_dim.iter().map(|n| u64::from(*n)).product();
        let rows = [
            (
                "maxStorageBuffersPerShaderStage",
                launch.bindings.len() as u64,
                limits.max_storage_buffers_per_shader_stage.into(),
            ),
            ("maxStorageBufferBindingSize", largest, limits.max_storage_buffer_binding_size),
            ("maxComputeWorkgroupsPerDimension", most.into(), limits.max_compute_workgroups_per_dimension.into()),
            ("maxComputeInvocationsPerWorkgroup", units, limits.max_compute_invocations_per_workgroup.into()),
            ("maxComputeWorkgroupSizeX", launch.cube_dim[0].into(), limits.max_compute_workgroup_size_x.into()),
            ("maxComputeWorkgroupSizeY", launch.cube_dim[1].into(), limits.max_compute_workgroup_size_y.into()),
            ("maxComputeWorkgroupSizeZ", launch.cube_dim[2].into(), limits.max_compute_workgroup_size_z.into()),
            (
                "maxComputeWorkgroupStorageSize",
                launch.shared_bytes.into(),
                limits.max_compute_workgroup_storage_size.into(),
            ),
        ];
        match rows.into_iter().find(|(_, needed, limit)| needed > limit) {
            Some((name, needed, limit)) => Err(Error::Limit { name, needed, limit }),
            None => Ok(()),
        }
    }

    fn dispatched(&self, launch: &Launch) -> Result<Vec<Vec<u8>>, Error> {
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let buffers: Vec<wgpu::Buffer> =
            launch.bindings.iter().map(|b| self.filled(&with_guard(&b.bytes), storage)).collect();
        let mut commands = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (code, entry_point, cubes) in dispatches(launch) {
            let pipeline = self.pipeline(launch, code, entry_point);
            let mut words = launch.words.clone();
            // The position of the first cube along x, and its linear index.
            if let Some(grid) = words.len().checked_sub(12).filter(|_| cubes.start != 0) {
                (words[grid], words[grid + 8]) = (cubes.start, cubes.start);
            }
            let mut words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            words.resize(words.len().next_multiple_of(16), 0);
            let uniform = (!words.is_empty()).then(|| self.filled(&words, wgpu::BufferUsages::UNIFORM));
            let entries: Vec<_> = buffers.iter().chain(&uniform).enumerate().map(entry).collect();
            let layout = pipeline.get_bind_group_layout(0);
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            let group = self.device.create_bind_group(&descriptor);
            let mut pass = commands.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(cubes.len() as u32, launch.cubes[1], launch.cubes[2]);
        }
        let copies: Vec<wgpu::Buffer> = buffers.iter().map(|buffer| self.copy_of(buffer, &mut commands)).collect();
        self.queue.submit([commands.finish()]);
        // After a refused command, the device has no work to wait for.
        if let Some(error) = locked(&self.reports).errors.first() {
            return Err(error.clone());
        }
        for copy in &copies {
            copy.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        }
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(Duration::from_secs(SECONDS)) };
        self.device.poll(wait).map_err(|_| Error::TimedOut { seconds: SECONDS })?;
        let read = |(binding, copy): (usize, &wgpu::Buffer)| {
            let view = copy.slice(..).get_mapped_range().map_err(|e| Error::Invalid(e.to_string()))?;
            without_guard(&view, binding, launch.bindings[binding].bytes.len())
        };
        copies.iter().enumerate().map(read).collect()
    }

    fn pipeline(&self, launch: &Launch, code: &Code, entry_point: &str) -> wgpu::ComputePipeline {
        let module = match code {
            Code::Wgsl(text) => {
                // naga 30 supports subgroups without this line, and refuses the line.
                let text = text.replacen("enable subgroups;", "", 1);
                let source = wgpu::ShaderSource::Wgsl(text.into());
                self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
            }
            Code::Spirv(words) => {
                let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
                    entry_points: vec![wgpu::PassthroughShaderEntryPoint {
                        name: entry_point.into(),
                        workgroup_size: launch.cube_dim.into(),
                    }]
                    .into(),
                    spirv: Some(words.into()),
                    ..Default::default()
                };
                // SAFETY: `spirv-val` has accepted the words of `Code::Spirv`. The compiler has put bounds checks into
                // the code.
                unsafe { self.device.create_shader_module_passthrough(descriptor) }
            }
        };
        let layout = self.layout(launch);
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
    }

    /// The layout of the only bind group: first the storage buffers, then the uniform buffer.
    fn layout(&self, launch: &Launch) -> wgpu::PipelineLayout {
        let storage = launch.bindings.iter().map(|b| wgpu::BufferBindingType::Storage { read_only: !b.writes });
        let uniform = (!launch.words.is_empty()).then_some(wgpu::BufferBindingType::Uniform);
        let entry = |(n, ty): (usize, wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
            binding: n as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let entries: Vec<_> = storage.chain(uniform).enumerate().map(entry).collect();
        let group = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        let group = self.device.create_bind_group_layout(&group);
        self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&group)],
            ..Default::default()
        })
    }

    fn filled(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let size = bytes.len() as u64;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    fn copy_of(&self, buffer: &wgpu::Buffer, commands: &mut wgpu::CommandEncoder) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: buffer.size(), usage, mapped_at_creation: false };
        let copy = self.device.create_buffer(&descriptor);
        commands.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        copy
    }
}

/// The code and the entry point of each dispatch, and its cubes along x.
fn dispatches(launch: &Launch) -> Vec<(&Code, &str, Range<u32>)> {
    let [x, y, z] = launch.cubes;
    let cubes = launch.first.as_ref().map_or(0, |(.., cubes)| *cubes).min(x);
    let first = launch.first.as_ref().map(|(code, entry, _)| (code, entry.as_str(), 0..cubes));
    let all = first.into_iter().chain([(&launch.code, launch.entry.as_str(), cubes..x)]);
    all.filter(|(.., cubes)| !cubes.is_empty() && y * z != 0).collect()
}

fn entry((n, buffer): (usize, &wgpu::Buffer)) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding: n as u32, resource: buffer.as_entire_binding() }
}

/// Bytes of a buffer and its guard. The guard starts at a multiple of 16 bytes, which is the size of the
/// largest line.
fn padded(len: usize) -> usize {
    len.next_multiple_of(16) + GUARD
}

fn with_guard(bytes: &[u8]) -> Vec<u8> {
    let mut all = bytes.to_vec();
    all.resize(padded(bytes.len()), GUARD_BYTE);
    all
}

fn without_guard(all: &[u8], binding: usize, len: usize) -> Result<Vec<u8>, Error> {
    let (bytes, guard) = all.split_at(len);
    if guard.iter().any(|byte| *byte != GUARD_BYTE) { Err(Error::Overrun { binding }) } else { Ok(bytes.to_vec()) }
}
