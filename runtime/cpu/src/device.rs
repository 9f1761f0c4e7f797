//! The host CPU as a device.
use crate::code::Code;
use crate::command::{Call, Command, inputs};
use crate::fault;
use crate::features;
use crate::launch::Launcher;
use crate::limit::{self, Limit, TimeLimits};
use crate::memory::{
    Allocation, BUFFER_ALIGNMENT, HostMemory, SMALL_COPY, copy_of, machine_bytes, own, own_allocation,
};
use crate::queues::{Point, Queues};
use crate::workers::{Workers, threads_from_env};
use cube_artifact::{Artifact, CodeFormat, Variables};
use cube_runtime::device::{check_copy, copy_through_host, replay_list};
use cube_runtime::launch::Repeat;
use cube_runtime::queue::MAX_QUEUES;
use cube_runtime::transfer::promise;
use cube_runtime::{
    Arg, Buffer, Cubes, Device, DeviceProperties, Event, ExternalMemory, Graph, HostBytes, Init, Kernel, MemoryLimits,
    MemorySpace, MemoryUsage, Queue, Reading, RuntimeError,
};
use std::any::Any;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum size in bytes of a kernel's scratch memory on each thread.
const MAX_SCRATCH: usize = 64 << 20;

/// Maximum number of loaded kernels that the cache of the device contains. This limit bounds the memory use of programs
/// that create many kernels.
const MAX_LOADED: usize = 1024;

/// The host CPU as a device, with its own pool of threads.
///
/// Launches are queued. Each queue has a thread, which uses the pool to execute the queue's launches. If a launch is
/// expected to be faster than queuing, and no queued command uses its buffers, the launch executes immediately. If
/// the device has guarded buffers, catches faults or has a time limit, the call of a launch returns after the end of
/// the launch. The call then returns the failure of the launch. The code of an artifact must be trusted, because it
/// runs in this process with all rights of the process.
pub struct CpuDevice {
    pub(crate) queues: Queues<Launcher>,
    loaded: Mutex<HashMap<[u8; 32], Kernel>>,
}

impl CpuDevice {
    /// A device with `CUBE_CPU_THREADS` threads, or with one thread for each processor. `CUBE_CPU_GUARD=1` puts buffers
    /// between guard pages ([`CpuDevice::guard_buffers`]). `CUBE_CPU_TIME_LIMIT=SECONDS` limits the time of launches
    /// ([`CpuDevice::limit_time`]).
    ///
    /// # Errors
    /// `CUBE_CPU_THREADS` is not a number of threads, `CUBE_CPU_GUARD` is neither 0 nor 1, or `CUBE_CPU_TIME_LIMIT` is
    /// not a time.
    pub fn new(variables: &Variables) -> Result<Self, RuntimeError> {
        let mut device = Self::with_threads(threads_from_env(variables.get("CUBE_CPU_THREADS"))?);
        let limit = limit::from_env(variables.get("CUBE_CPU_TIME_LIMIT"))?;
        device = device.set(|launcher| launcher.limit = limit);
        Ok(if guard_from_env(variables.get("CUBE_CPU_GUARD"))? { device.guard_buffers() } else { device })
    }

    /// Places an inaccessible page after every buffer that is created later. If a kernel without bounds checks accesses
    /// memory after a buffer, the kernel then faults, and does not read or write other memory.
    ///
    /// For every element type, the inaccessible page begins directly behind the last byte of the buffer, if the
    /// buffer's size is a multiple of its alignment (`cube.align`). For other buffer sizes, the distance from
    /// the buffer's end to the inaccessible page is less than the buffer's alignment.
    pub fn guard_buffers(self) -> Self {
        self.set(|launcher| launcher.guard = true)
    }

    /// Whether [`CpuDevice::catch_faults`] catches faults on this system, which is the case on x86-64 Linux.
    pub const CATCHES_FAULTS: bool = fault::CATCHES;

    /// Makes launches fail with [`ErrorKind::Fault`] if their code faults. Examples of faults are an undefined
    /// integer division by zero and an access outside a guarded buffer. Without this setting, a fault ends the
    /// program. The kernel's writes before the fault remain in memory. On systems without
    /// [`CpuDevice::CATCHES_FAULTS`] the setting has no effect.
    ///
    /// The method installs handlers for SIGFPE, SIGSEGV, SIGBUS and SIGILL in the process. The handlers pass faults
    /// of other code on to the previous handlers.
    ///
    /// # Errors
    /// The operating system refuses to install the handlers.
    pub fn catch_faults(self) -> Result<Self, RuntimeError> {
        fault::install()?;
        Ok(self.set(|launcher| launcher.catches_faults = true))
    }

    /// Limits the time of launches. A launch that takes longer than `time` is ended with
    /// [`cube_runtime::ErrorKind::TimeLimit`]. The launch ends before its next cubes, or at the next iteration of a
    /// loop that is not proven to terminate. Without a limit, a launch with an infinite loop never ends.
    pub fn limit_time(self, time: Duration) -> Self {
        self.set(|launcher| launcher.limit = Some(Limit::of_device(time)))
    }

    /// Changes a setting. The method takes the device by value, so no command can be queued when the setting
    /// changes.
    fn set(mut self, change: impl FnOnce(&mut Launcher)) -> Self {
        if let Some(launcher) = self.queues.executor_mut() {
            change(launcher);
        }
        self
    }

    pub(crate) fn launcher(&self) -> &Launcher {
        self.queues.executor()
    }

    /// The allocation of a buffer of this device.
    pub(crate) fn own<'a>(&self, buffer: &'a Buffer) -> Result<&'a Allocation, RuntimeError> {
        own_allocation(&self.launcher().memory, buffer)
    }

    /// Creates a device with this number of threads, which execute cubes at the same time.
    pub fn with_threads(threads: usize) -> Self {
        let workers = Workers::new(threads);
        // If the kernel does not choose a width, planes have the compiler's default width.
        let plane = cube_target::Target::promised("cpu", None).planes.width;
        let properties = DeviceProperties {
            backend: "cpu".into(),
            formats: vec![CodeFormat::ELF_OBJECT],
            max_cube_count: [u32::MAX; 3],
            max_cube_dim: [4096; 3],
            // The scratch memory of a thread must hold the values of a cube's units that are live across barriers.
            max_units_per_cube: 4096,
            max_shared_bytes: 256 << 10,
            memory_bytes: machine_bytes(),
            buffer_alignment: BUFFER_ALIGNMENT as u32,
            parallel_cubes: workers.threads() as u32,
            plane_dim: [plane; 2],
            processors: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
            load_bits: features::load_bits(),
            cache_bytes: features::cache_bytes(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            queues: MAX_QUEUES as u32,
            indirect_launch: true,
            features: features::all(),
        };
        let memory = HostMemory::new(properties.memory_bytes);
        let limits = TimeLimits::default();
        let launcher =
            Launcher { properties, workers, memory, guard: false, catches_faults: false, limit: None, limits };
        CpuDevice { queues: Queues::new(launcher), loaded: Mutex::default() }
    }

    fn load_new(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        self.launcher().properties.loads(artifact, "cpu")?;
        artifact.check().map_err(|rule| {
            RuntimeError::invalid_artifact(format!("{rule}; compile the kernel again with the matching cubec"))
        })?;
        features::check(&artifact.features)?;
        let scratch = usize::try_from(artifact.scratch_bytes).unwrap_or(usize::MAX);
        if scratch > MAX_SCRATCH {
            return Err(RuntimeError::device_limit(format!(
                "the kernel needs {scratch} bytes of scratch (shared memory and barrier spills), but the limit is {MAX_SCRATCH}; use smaller cubes or less shared memory"
            )));
        }
        let code = Code::load(&artifact.code, &artifact.entry, scratch)?;
        Ok(Kernel::new(Arc::new(artifact.clone()), Arc::new(code)))
    }

    /// Whether this thread can immediately execute a command of the queue that uses the given buffers.
    pub(crate) fn is_free<'a>(&self, queue: Queue, mut buffers: impl Iterator<Item = &'a Buffer>) -> bool {
        let completed = self.queues.completed_ticks();
        buffers.all(|buffer| own(buffer).is_ok_and(|allocation| allocation.tracking.is_idle(completed)))
            && self.queues.is_free(queue)
    }

    /// Waits for the commands that must precede a use of the given buffers.
    pub(crate) fn wait_for<'a>(
        &self,
        queue: Queue,
        buffers: impl Iterator<Item = (&'a Buffer, bool)> + Clone,
    ) -> Result<(), RuntimeError> {
        if self.is_free(queue, buffers.clone().map(|(buffer, _)| buffer)) {
            return Ok(());
        }
        let mut condition = self.queues.events(queue);
        for (buffer, writes) in buffers {
            condition.join(&own(buffer)?.tracking.before(writes));
        }
        self.queues.wait_for(&condition);
        Ok(())
    }

    /// Queues a function as a command that uses the given buffers.
    pub(crate) fn call(&self, queue: Queue, buffers: &[(&Buffer, bool)], call: Call) -> Result<(), RuntimeError> {
        let fill = |command: &mut Command| {
            command.set_call(call);
            buffers.iter().all(|(buffer, writes)| command.add(buffer, *writes))
        };
        self.queues.submit(queue, fill).map(drop)
    }
}

/// Whether `CUBE_CPU_GUARD` requests guard pages around buffers.
fn guard_from_env(value: Option<&std::ffi::OsStr>) -> Result<bool, RuntimeError> {
    match value.map(|value| value.to_string_lossy()).as_deref() {
        None | Some("" | "0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(RuntimeError::environment(format!(
            "CUBE_CPU_GUARD is '{other}'; set the variable to 1 for buffers between guard pages, or unset the variable"
        ))),
    }
}

impl Device for CpuDevice {
    fn name(&self) -> &str {
        "cpu"
    }

    fn properties(&self) -> &DeviceProperties {
        &self.launcher().properties
    }

    fn alloc_on(&self, _queue: Queue, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        // This check is necessary, because Linux grants more memory than the machine has, and later kills a process
        // that uses this memory.
        if bytes > self.launcher().properties.memory_bytes {
            return Err(RuntimeError::device_limit(format!(
                "a buffer of {bytes} bytes is larger than the {} bytes of memory of this machine: process the data in parts",
                self.launcher().properties.memory_bytes
            )));
        }
        let memory = &self.launcher().memory;
        let allocate = || match self.launcher().guard {
            true => Allocation::guarded(memory, bytes),
            false => Allocation::new(memory, bytes, init),
        };
        let allocation = allocate().or_else(|_| {
            // Queued commands can still use buffers that the program has already dropped.
            self.queues.wait_for_all();
            allocate()
        })?;
        Ok(Buffer::new(Arc::new(allocation)))
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.launcher().memory.usage()
    }

    fn limit_memory(&self, limits: MemoryLimits) -> Result<(), RuntimeError> {
        self.launcher().memory.limit(limits);
        Ok(())
    }

    fn memory_cleanup(&self) {
        self.queues.wait_for_all();
        self.launcher().memory.cleanup();
    }

    fn write_on(&self, queue: Queue, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        let allocation = self.own(buffer)?;
        if data.len() <= SMALL_COPY && !self.is_free(queue, [buffer].into_iter()) {
            return self.write_async(queue, buffer, offset, data.to_vec().into());
        }
        self.wait_for(queue, [(buffer, true)].into_iter())?;
        allocation.write(range, |bytes| self.copy_bytes(data, bytes))?;
        allocation.tracking.succeed();
        Ok(())
    }

    fn write_async(&self, queue: Queue, buffer: &Buffer, offset: u64, data: HostBytes) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        self.own(buffer)?;
        let target = buffer.clone();
        let call = move |_| {
            own(&target)?.write(range, |bytes| bytes.copy_from_slice(&data));
            Ok(())
        };
        self.call(queue, &[(buffer, true)], Box::new(call))
    }

    fn read_on(&self, queue: Queue, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, out.len() as u64)?;
        let allocation = self.own(buffer)?;
        self.wait_for(queue, [(buffer, false)].into_iter())?;
        if let Some(failure) = allocation.tracking.failure() {
            return Err(failure);
        }
        allocation.read(range, |bytes| self.copy_bytes(bytes, out))
    }

    fn read_async(&self, queue: Queue, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Reading, RuntimeError> {
        let range = buffer.range_of(offset, bytes)?;
        self.own(buffer)?;
        let (promise, reading) = promise();
        let source = buffer.clone();
        let call = move |inputs: Result<(), RuntimeError>| {
            let read =
                || own(&source).map(|allocation| allocation.read(range, |bytes| HostBytes::from(bytes.to_vec())));
            promise.complete(inputs.and_then(|()| read()));
            Ok(())
        };
        self.call(queue, &[(buffer, false)], Box::new(call))?;
        Ok(reading)
    }

    fn copy(&self, queue: Queue, from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
        check_copy(from, to)?;
        self.own(from)?;
        self.own(to)?;
        let copy = copy_of(from, to);
        let used = [(from, false), (to, true)];
        if from.size() <= SMALL_COPY as u64 && self.is_free(queue, [from, to].into_iter()) {
            inputs(used.into_iter())?;
            return copy();
        }
        self.call(queue, &used, Box::new(move |inputs| inputs.and_then(|()| copy())))
    }

    fn copy_from(
        &self,
        queue: Queue,
        to: &Buffer,
        source: &dyn Device,
        source_queue: Queue,
        from: &Buffer,
    ) -> Result<(), RuntimeError> {
        let any: &dyn Any = source;
        match any.downcast_ref::<CpuDevice>() {
            Some(other) if std::ptr::eq(self, other) => self.copy(queue, from, to),
            Some(other) => self.copy_from_other(queue, to, other, source_queue, from),
            None => copy_through_host(self, queue, to, source, source_queue, from),
        }
    }

    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        let key = artifact.content_hash();
        if let Some(kernel) = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kernel.clone());
        }
        let kernel = self.load_new(artifact).map_err(|error| error.in_kernel(&artifact.kernel))?;
        // Two threads that load the same kernel at the same time get the same code.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        // A kernel that the program still uses stays loaded. Other kernels can be loaded again quickly.
        if loaded.len() >= MAX_LOADED {
            loaded.clear();
        }
        Ok(loaded.entry(key).or_insert(kernel).clone())
    }

    fn launch_on(&self, queue: Queue, kernel: &Kernel, args: &[Arg], cubes: Cubes<'_>) -> Result<(), RuntimeError> {
        let launched = match cubes {
            Cubes::Count(count) => self.launch_counted(queue, kernel, args, count),
            Cubes::Of(buffer) => self.launch_indirect(queue, kernel, args, buffer),
        };
        launched.map_err(|error| error.in_kernel(&kernel.artifact().kernel))
    }

    fn repeats(&self) -> bool {
        true
    }

    fn repeat(
        &self,
        queue: Queue,
        kernel: &Kernel,
        repeat: &Repeat,
        buffers: &[&Buffer],
        scalars: &[u64],
    ) -> Result<bool, RuntimeError> {
        let launched = self.repeat_launch(queue, kernel, repeat, buffers, scalars);
        launched.map_err(|error| error.in_kernel(&kernel.artifact().kernel))
    }

    fn record(&self, queue: Queue) -> Result<Event, RuntimeError> {
        Ok(Event::new(self.queues.end(queue)))
    }

    fn wait(&self, queue: Queue, event: &Event) -> Result<(), RuntimeError> {
        match event.point::<Point<Launcher>>() {
            Some(point) if self.queues.add_wait(queue, point) => Ok(()),
            _ => event.wait(),
        }
    }

    fn sync_queue(&self, queue: Queue) -> Result<(), RuntimeError> {
        self.queues.sync(Some(queue))
    }

    fn sync(&self) -> Result<(), RuntimeError> {
        self.queues.sync(None)
    }

    fn replay(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError> {
        replay_list(self, queue, graph)
    }

    fn import_memory(&self, memory: ExternalMemory) -> Result<Buffer, RuntimeError> {
        Allocation::import(&self.launcher().memory, memory)
    }

    fn export_address(&self, buffer: &Buffer) -> Result<u64, RuntimeError> {
        let allocation = self.own(buffer)?;
        if allocation.is_fixed() {
            return Ok(allocation.address(buffer.offset()).expose_provenance() as u64);
        }
        Err(RuntimeError::user("a buffer between guard pages can move; unset CUBE_CPU_GUARD to export buffers"))
    }

    fn memory_space(&self) -> Option<MemorySpace> {
        Some(MemorySpace::Host)
    }

    fn limit_launches(&self, limit: Duration, work: &mut dyn FnMut()) -> bool {
        limit::with_limit(limit, work);
        true
    }

    fn running(&self) -> Option<(Kernel, Instant)> {
        self.queues.running()
    }
}
