//! A device of wgpu.
use crate::adapter;
use crate::cache::PipelineCache;
use crate::context::{Context, lock};
use crate::engine::Engine;
use crate::events::Submitted;
use crate::memory::{Allocation, own};
use crate::open::{self, Code, Opened, Options};
use crate::pipelines::{self, Form, Pipeline, Pipelines};
use crate::repeats::Repeats;
use crate::{time, transfer};
use cube_artifact::{Artifact, CodeFormat, Target};
use cube_runtime::device::{check_copy, copy_through_host, replay_list};
use cube_runtime::launch::Repeat;
use cube_runtime::{
    Arg, Buffer, Clock, Cubes, Device, DeviceProperties, Event, Graph, HostBytes, Init, Kernel, MemoryUsage, Queue,
    Reading, RuntimeError,
};
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// Maximum number of loaded kernels in the cache. This limit bounds the memory of programs that create new kernels
/// continually.
const MAX_LOADED: usize = 1024;

/// A wgpu device that the program has created, with its adapter and its queue; the argument of
/// [`WgpuDevice::shared`].
#[derive(Clone, Debug)]
pub struct Shared {
    /// The adapter of the device.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// The queue of the wgpu device.
    pub queue: wgpu::Queue,
}

/// A device that runs kernels through wgpu: a GPU, or an implementation of Vulkan on the CPU.
///
/// The device records launches and submits them together. [`Device::read`], [`Device::sync`] and [`Device::flush`]
/// submit the recorded launches. All queue numbers refer to the one queue of wgpu. If wgpu loses the device, the
/// next call opens the device again, unless the program shares the device ([`WgpuDevice::shared`]). After the
/// loss of the device, calls with a buffer of the lost device return an error, and loaded kernels still work. A
/// clone of this value refers to the same device.
#[derive(Clone)]
pub struct WgpuDevice {
    pub(crate) state: Arc<State>,
}

pub(crate) struct State {
    name: String,
    target: Target,
    properties: DeviceProperties,
    adapter: wgpu::Adapter,
    options: Options,
    /// Whether the program created the device. After the loss of a device that the program created, the
    /// runtime does not open the device again.
    is_shared: bool,
    engine: Mutex<Arc<Engine>>,
    cache: Mutex<Option<PipelineCache>>,
    loaded: Mutex<HashMap<[u8; 32], Kernel>>,
}

/// The data that the device stores for a loaded kernel.
pub(crate) struct Loaded {
    /// The device. The address in a weak reference is not used again, even if the device is dropped.
    pub device: Weak<State>,
    pub pipelines: Mutex<Pipelines>,
    pub repeats: Mutex<Repeats>,
}

impl WgpuDevice {
    /// Opens an adapter.
    ///
    /// # Errors
    /// The chosen adapter does not exist, or cannot create a device.
    pub fn open(options: &Options) -> Result<Self, RuntimeError> {
        let adapter = adapter::find(&options.adapter)?;
        let opened = open::open(&adapter, options)?;
        Ok(Self::over(adapter, opened, options.clone(), false))
    }

    /// Creates a runtime device for a wgpu device that the program shares with the runtime. The program can
    /// still submit its own commands. [`WgpuDevice::submit`] submits earlier launches first. The device runs
    /// WGSL code with the enabled features of the wgpu device.
    pub fn shared(with: Shared, cache: Option<PathBuf>) -> Self {
        let target = open::wgsl_target(with.device.features(), false);
        let opened = Opened {
            device: with.device,
            queue: with.queue,
            target,
            format: CodeFormat::WGSL,
            largest_addressed: None,
        };
        Self::over(with.adapter, opened, Options { code: Code::Wgsl, cache, ..Options::default() }, true)
    }

    fn over(adapter: wgpu::Adapter, opened: Opened, options: Options, is_shared: bool) -> Self {
        let info = adapter.get_info();
        let properties = open::properties(
            &opened.device.limits(),
            &info,
            (&opened.target, opened.format.clone()),
            open::memory_bytes(&adapter),
        );
        let context = Context::new(opened.device, opened.queue, !is_shared, opened.largest_addressed);
        let engine = Engine::new(context, properties.memory_bytes);
        let cache = options.cache.as_ref().and_then(|folder| PipelineCache::open(&engine, &info, folder));
        let state = State {
            name: info.name,
            target: opened.target,
            properties,
            adapter,
            options,
            is_shared,
            engine: Mutex::new(Arc::new(engine)),
            cache: Mutex::new(cache),
            loaded: Mutex::default(),
        };
        WgpuDevice { state: Arc::new(state) }
    }

    /// The target of the code that this device runs, for example `wgsl:core-f16` or `spirv:vulkan1.3`.
    pub fn target(&self) -> &Target {
        &self.state.target
    }

    /// The wgpu objects of the device, for other code that uses the same device.
    pub fn parts(&self) -> Shared {
        let engine = lock(&self.state.engine);
        Shared { adapter: self.state.adapter.clone(), device: engine.device.clone(), queue: engine.queue.clone() }
    }

    /// Submits the recorded launches and copies.
    ///
    /// # Errors
    /// The device is lost.
    pub fn submit(&self) -> Result<(), RuntimeError> {
        let engine = self.present()?;
        engine.stream()?.flush(&engine)
    }

    /// The wgpu buffer that contains `buffer`, and the byte range of `buffer` in the wgpu buffer. The caller must
    /// call [`WgpuDevice::submit`] before it submits its own commands.
    ///
    /// # Errors
    /// The buffer belongs to another device.
    pub fn buffer_of(&self, buffer: &Buffer) -> Result<(wgpu::Buffer, Range<u64>), RuntimeError> {
        let engine = self.present()?;
        let own = own(buffer, &engine)?;
        Ok((own.segment.buffer.clone(), buffer.offset()..buffer.offset() + buffer.size()))
    }

    /// Converts a buffer that the program created on the shared device to a buffer for launches.
    ///
    /// # Errors
    /// The buffer lacks a usage that launches and copies require, or its size is 0 or not a multiple of 16
    /// bytes.
    pub fn import(&self, buffer: wgpu::Buffer) -> Result<Buffer, RuntimeError> {
        use wgpu::BufferUsages;
        let needed = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        if !buffer.usage().contains(needed) {
            return Err(RuntimeError::user(format!(
                "the buffer of wgpu has the usages {:?}; create it with STORAGE, COPY_SRC and COPY_DST",
                buffer.usage()
            )));
        }
        if !buffer.size().is_multiple_of(16) || buffer.size() == 0 {
            return Err(RuntimeError::user(format!(
                "the buffer of wgpu has {} bytes; use a size that is a multiple of 16 bytes",
                buffer.size()
            )));
        }
        Ok(Buffer::new(Arc::new(Allocation::foreign(&self.present()?, buffer))))
    }

    /// The adapters of this machine, with one line of text per adapter.
    ///
    /// # Errors
    /// wgpu cannot start.
    pub fn list() -> Result<Vec<String>, RuntimeError> {
        adapter::list()
    }

    /// The current engine. If the device is lost, the method opens the device again, or returns an error for
    /// a shared device.
    pub(crate) fn present(&self) -> Result<Arc<Engine>, RuntimeError> {
        let mut present = lock(&self.state.engine);
        if present.lost_reason().is_none() {
            return Ok(Arc::clone(&present));
        }
        if self.state.is_shared {
            return Err(present.lost_error());
        }
        let opened = open::open(&self.state.adapter, &self.state.options)?;
        let context = Context::new(opened.device, opened.queue, true, opened.largest_addressed);
        let engine = Engine::new(context, self.state.properties.memory_bytes);
        let folder = self.state.options.cache.as_ref();
        *lock(&self.state.cache) =
            folder.and_then(|folder| PipelineCache::open(&engine, &self.state.adapter.get_info(), folder));
        *present = Arc::new(engine);
        Ok(Arc::clone(&present))
    }

    pub(crate) fn pipeline(&self, artifact: &Artifact, engine: &Engine, form: Form) -> Result<Pipeline, RuntimeError> {
        let cache = lock(&self.state.cache);
        let pipeline = Pipeline::new(artifact, engine, cache.as_ref(), form)?;
        if let Some(cache) = &*cache {
            cache.save();
        }
        Ok(pipeline)
    }

    fn load_new(&self, artifact: &Artifact, engine: &Arc<Engine>) -> Result<Kernel, RuntimeError> {
        self.state.properties.loads(artifact, &self.state.target.to_string())?;
        artifact.check().map_err(|rule| {
            RuntimeError::invalid_artifact(format!("{rule}; compile the kernel again with the matching cubec"))
        })?;
        pipelines::fits(artifact, engine)?;
        let [least, most] = self.state.properties.plane_dim;
        let fits = |width: &u32| match open::emulated_widths(&self.state.target) {
            Some(widths) => widths.contains(width),
            None => [least, most] == [*width; 2],
        };
        if let Some(width) = artifact.plane_dim.filter(|width| !fits(width)) {
            return Err(RuntimeError::device_limit(format!(
                "its planes have {width} units, but planes of the device have {least} to {most}; omit cube.plane_dim"
            )));
        }
        let mut pipelines = Pipelines::new(Arc::clone(engine));
        pipelines.of(Form::default(), || self.pipeline(artifact, engine, Form::default()))?;
        Ok(Kernel::new(
            Arc::new(artifact.clone()),
            Arc::new(Loaded {
                device: Arc::downgrade(&self.state),
                pipelines: Mutex::new(pipelines),
                repeats: Mutex::default(),
            }),
        ))
    }

    /// Reads the cube count from a buffer. The host reads the cube count, because the uniform words of a
    /// launch contain it.
    fn count_in(&self, queue: Queue, buffer: &Buffer) -> Result<[u32; 3], RuntimeError> {
        let mut bytes = [0; 12];
        self.read_on(queue, buffer, 0, &mut bytes)?;
        let words = bytes.as_chunks().0;
        Ok([0, 1, 2].map(|axis| words.get(axis).map_or(0, |word| u32::from_le_bytes(*word))))
    }
}

impl Device for WgpuDevice {
    fn name(&self) -> &str {
        &self.state.name
    }

    fn properties(&self) -> &DeviceProperties {
        &self.state.properties
    }

    fn alloc_on(&self, _: Queue, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        let engine = self.present()?;
        let most = engine.limits.max_buffer_size;
        if bytes > most {
            let usage = engine.usage();
            let mut error = RuntimeError::device_limit(format!(
                "a buffer of {bytes} bytes is larger than the device's limit of {most} (maxBufferSize; {usage}): process the data in parts"
            ));
            error.memory = Some(Box::new(usage));
            return Err(error);
        }
        let allocation = Allocation::new(&engine, bytes).map_err(|error| match &error.refusal {
            Some(refusal) if refusal.kind != cube_runtime::ErrorKind::DeviceLimit => refusal.clone(),
            _ => error.error(&self.state.name, ""),
        })?;
        if init == Init::Zero && !allocation.zeroed && bytes > 0 {
            let mut stream = engine.stream()?;
            let size = bytes.next_multiple_of(4);
            stream.encoder(&engine.device).clear_buffer(&allocation.segment.buffer, 0, Some(size));
        }
        Ok(Buffer::new(Arc::new(allocation)))
    }

    fn memory_usage(&self) -> MemoryUsage {
        lock(&self.state.engine).usage()
    }

    fn memory_cleanup(&self) {
        // If the device is lost, the next call reports the loss.
        if let Ok(engine) = self.present() {
            engine.cleanup();
        }
    }

    fn write_on(&self, _: Queue, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        let engine = self.present()?;
        let own = own(buffer, &engine)?;
        if data.is_empty() { Ok(()) } else { transfer::write(&engine, &own.segment, range.start, data) }
    }

    fn write_async(&self, queue: Queue, buffer: &Buffer, offset: u64, data: HostBytes) -> Result<(), RuntimeError> {
        // wgpu copies the bytes before the call returns.
        self.write_on(queue, buffer, offset, &data)
    }

    fn read_on(&self, _: Queue, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, out.len() as u64)?;
        let engine = self.present()?;
        let own = own(buffer, &engine)?;
        transfer::read(&engine, &own.segment, range.start, out)
    }

    fn read_async(&self, _: Queue, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Reading, RuntimeError> {
        let range = buffer.range_of(offset, bytes)?;
        let engine = self.present()?;
        transfer::read_later(&engine, &own(buffer, &engine)?.segment, range)
    }

    fn copy(&self, _: Queue, from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
        check_copy(from, to)?;
        let engine = self.present()?;
        let (source, target) = (&own(from, &engine)?.segment, &own(to, &engine)?.segment);
        let (bytes, start, end) = (from.size(), from.offset(), to.offset());
        let whole = [bytes, start, end].iter().all(|n| n.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT));
        if whole && source.number != target.number {
            let mut stream = engine.stream()?;
            stream.encoder(&engine.device).copy_buffer_to_buffer(&source.buffer, start, &target.buffer, end, bytes);
            return Ok(());
        }
        // WebGPU only copies whole words, and only between two different buffers.
        let mut through = vec![0; bytes as usize];
        transfer::read(&engine, source, start, &mut through)?;
        if through.is_empty() { Ok(()) } else { transfer::write(&engine, target, end, &through) }
    }

    fn copy_from(
        &self,
        queue: Queue,
        to: &Buffer,
        source: &dyn Device,
        source_queue: Queue,
        from: &Buffer,
    ) -> Result<(), RuntimeError> {
        copy_through_host(self, queue, to, source, source_queue, from)
    }

    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        let key = artifact.content_hash();
        if let Some(kernel) = lock(&self.state.loaded).get(&key) {
            return Ok(kernel.clone());
        }
        let engine = self.present()?;
        let kernel = self.load_new(artifact, &engine).map_err(|error| error.in_kernel(&artifact.kernel))?;
        // Two threads that load the same kernel simultaneously get the same kernel.
        let mut loaded = lock(&self.state.loaded);
        if loaded.len() >= MAX_LOADED {
            loaded.clear();
        }
        Ok(loaded.entry(key).or_insert(kernel).clone())
    }

    fn launch_on(&self, queue: Queue, kernel: &Kernel, args: &[Arg], cubes: Cubes<'_>) -> Result<(), RuntimeError> {
        let named = |error: RuntimeError| error.in_kernel(&kernel.artifact().kernel);
        let count = match cubes {
            Cubes::Count(count) => count,
            Cubes::Of(buffer) => self.count_in(queue, buffer).map_err(named)?,
        };
        self.run(kernel, args, count).map_err(named)
    }

    fn repeats(&self) -> bool {
        true
    }

    fn repeat(
        &self,
        _: Queue,
        kernel: &Kernel,
        repeat: &Repeat,
        buffers: &[&Buffer],
        scalars: &[u64],
    ) -> Result<bool, RuntimeError> {
        let launched = self.repeat_launch(kernel, repeat, buffers, scalars);
        launched.map_err(|error| error.in_kernel(&kernel.artifact().kernel))
    }

    fn record(&self, _: Queue) -> Result<Event, RuntimeError> {
        let engine = self.present()?;
        let mut stream = engine.stream()?;
        stream.flush(&engine)?;
        let submission = stream.last();
        drop(stream);
        Ok(Event::new(Submitted { engine, submission }))
    }

    fn wait(&self, _: Queue, event: &Event) -> Result<(), RuntimeError> {
        let engine = self.present()?;
        match event.point::<Submitted>() {
            // All queues of this device are the same queue.
            Some(own) if Arc::ptr_eq(&own.engine, &engine) => Ok(()),
            _ => event.wait(),
        }
    }

    fn flush(&self, _: Queue) -> Result<(), RuntimeError> {
        self.submit()
    }

    fn sync_queue(&self, _: Queue) -> Result<(), RuntimeError> {
        self.sync()
    }

    fn replay(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError> {
        replay_list(self, queue, graph)
    }

    fn measure_on(
        &self,
        _: Queue,
        work: &mut dyn FnMut() -> Result<(), RuntimeError>,
    ) -> Result<(Duration, Clock), RuntimeError> {
        let engine = self.present()?;
        if !engine.device.features().contains(time::FEATURES) {
            self.sync()?;
            let start = std::time::Instant::now();
            work()?;
            self.sync()?;
            return Ok((start.elapsed(), Clock::Host));
        }
        let timer = time::Timer::begin(&engine)?;
        work()?;
        Ok((timer.end(&engine)?, Clock::Device))
    }

    fn sync(&self) -> Result<(), RuntimeError> {
        let engine = self.present()?;
        let last = {
            let mut stream = engine.stream()?;
            stream.flush(&engine)?;
            stream.last()
        };
        engine.wait(last)
    }
}
