//! The runtime's device for one GPU.
use crate::context::{ContextGuard, Contexts, Failure, unexpected};
use crate::driver::{Class, DeviceInfo, Driver, DriverError, EventHandle};
use crate::event::Point;
use crate::kernel::{self, Loaded, Refusal};
use crate::memory::{Allocation, DeviceMemory, own};
use crate::pending_clear::PendingClear;
use crate::pending_copies::PendingCopies;
use crate::staging::Staging;
use crate::streams::Recorder;
use cube_artifact::{Artifact, Variables};
use cube_runtime::device::{check_copy, copy_through_host};
use cube_runtime::launch::Repeat;
use cube_runtime::pool::OutOfMemory;
use cube_runtime::queue::Uses;
use cube_runtime::{
    Arg, Buffer, Clock, Cubes, Device, DeviceProperties, Event, ExternalMemory, ExternalStream, ForeignKernel, Graph,
    HostBytes, Init, Kernel, MemoryLimits, MemorySpace, MemoryUsage, Queue, Reading, RuntimeError,
};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum number of loaded kernels in the cache, which bounds the memory of programs that create many kernels.
const MAX_LOADED: usize = 1024;

/// Maximum bytes of page-locked host memory for a device.
const MAX_STAGED: u64 = 64 << 30;

/// One GPU, with its own context and a stream for each queue.
///
/// After a kernel fault, all contents of the device's memory are lost. The use of a buffer from before the fault
/// returns the fault as an error. The program can allocate new buffers and launch all loaded kernels again.
pub struct GpuDevice<D: Driver> {
    pub(crate) facts: DeviceInfo,
    pub(crate) contexts: Arc<Contexts<D>>,
    pub(crate) memory: Arc<DeviceMemory>,
    pub(crate) staging: Arc<Staging>,
    pub(crate) pending_copies: PendingCopies,
    pub(crate) recorder: Recorder,
    loaded: Mutex<HashMap<[u8; 32], Kernel>>,
}

impl<D: Driver> GpuDevice<D> {
    /// The GPU with the number in the variable [`Driver::DEVICE_VARIABLE`], or the first GPU.
    ///
    /// # Errors
    /// The errors of [`GpuDevice::at`]. A value of the variable that is not a number is also an error.
    pub fn new(variables: &Variables) -> Result<Self, RuntimeError> {
        Self::at(ordinal_from(D::DEVICE_VARIABLE, variables.text(D::DEVICE_VARIABLE))?, variables)
    }

    /// The GPU with the number `ordinal`. The driver numbers the GPUs from 0. `variables` can name the program that
    /// uses the device after a kernel fault.
    ///
    /// # Errors
    /// [`ErrorKind::NoDevice`] if the driver or the GPU is missing, [`ErrorKind::Driver`] if it does not work.
    pub fn at(ordinal: u32, variables: &Variables) -> Result<Self, RuntimeError> {
        let facts = D::find(ordinal)?;
        let contexts = Contexts::new(ordinal, variables).map_err(|error| unexpected::<D>(&error))?;
        let memory = DeviceMemory::new(D::ALIGNMENT, facts.properties.memory_bytes);
        Ok(GpuDevice {
            facts,
            contexts: Arc::new(contexts),
            memory: Arc::new(memory),
            staging: Arc::new(Staging::new(MAX_STAGED)),
            pending_copies: PendingCopies::new(),
            recorder: Recorder::default(),
            loaded: Mutex::default(),
        })
    }

    /// The name of the chip as in a target, for example `sm_90`.
    pub fn chip(&self) -> String {
        self.facts.chip.clone()
    }

    /// The version of the driver as text for messages, for example `13.0`.
    pub fn driver_version(&self) -> &str {
        &self.facts.version
    }

    /// Runs `work` and returns the time of the launches of `work` on the default queue, measured by the
    /// device.
    ///
    /// # Errors
    /// The errors of `work`, and a fault of a kernel that `work` launched.
    pub fn time(&self, mut work: impl FnMut() -> Result<(), RuntimeError>) -> Result<Duration, RuntimeError> {
        self.measure(&mut work).map(|(time, _)| time)
    }

    fn load_new(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError> {
        let DeviceInfo { name, chip, properties, .. } = &self.facts;
        properties.loads(artifact, &format!("{}:{chip}", D::BACKEND))?;
        self.fits(artifact.target.chip.as_deref())?;
        artifact.check().map_err(|rule| {
            RuntimeError::invalid_artifact(format!("{rule}; compile the kernel again with the matching cubec"))
        })?;
        if let Some(feature) = artifact.features.first() {
            return Err(RuntimeError::device_limit(format!(
                "it needs the feature '{feature}', which {name} is not known to have; compile the kernel with the matching cubec"
            )));
        }
        let loaded = Loaded::new(artifact, self.contexts.clone())?;
        self.compile(artifact, loaded)
    }

    /// Makes a kernel whose code the driver has loaded.
    pub(crate) fn compile(&self, artifact: &Artifact, loaded: Loaded<D>) -> Result<Kernel, RuntimeError> {
        // The driver compiles the code now. The load then reports compile errors, and the first launch takes no compile
        // time.
        self.contexts.call(|entered| {
            match loaded.function(artifact, entered, self.facts.properties.max_shared_bytes) {
                Ok(_) => Ok(()),
                Err(refusal) => Err(self.refusal(refusal)),
            }
        })?;
        Ok(Kernel::new(Arc::new(artifact.clone()), Arc::new(loaded)))
    }

    // Refuses code whose target names another chip, before the code is passed to the driver.
    fn fits(&self, code: Option<&str>) -> Result<(), RuntimeError> {
        let (Some(code), DeviceInfo { name, chip, .. }) = (code, &self.facts) else { return Ok(()) };
        let target = format!("{}:{chip}", D::BACKEND);
        match D::runs(chip, code) {
            Some(true) => Ok(()),
            Some(false) => Err(RuntimeError::device_limit(format!(
                "it is compiled for {code}, and {name} is {chip}; compile the kernel with target {target}"
            ))),
            None => Err(RuntimeError::invalid_artifact(format!(
                "its chip '{code}' is not a {} GPU; compile the kernel with target {target}",
                D::NAME
            ))),
        }
    }

    pub(crate) fn refusal(&self, refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Driver(error, _) if error.class == Class::Fault => Failure::Driver(error),
            Refusal::Driver(error, log) => Failure::Reported(kernel::refused::<D>(&error, &log, &self.facts.version)),
            Refusal::Reported(error) => Failure::Reported(error),
        }
    }

    /// The data of a kernel that this device has loaded.
    pub(crate) fn loaded<'a>(&self, kernel: &'a Kernel) -> Result<&'a Loaded<D>, RuntimeError> {
        let loaded = kernel.code::<Loaded<D>>().filter(|loaded| loaded.is_of(&self.contexts));
        loaded.ok_or_else(|| RuntimeError::user("it was loaded by another device; load the kernel on this device"))
    }

    fn out_of_memory(&self, entered: &ContextGuard<'_, D>, error: OutOfMemory<DriverError>) -> Failure {
        if let Some(refusal) = error.refusal.as_ref().filter(|refusal| refusal.class != Class::OutOfMemory) {
            return Failure::Driver(refusal.clone());
        }
        let left = match entered.engine().memory() {
            Ok((free, total)) => format!("; the device has {free} of {total} bytes left"),
            Err(_) => String::new(),
        };
        Failure::Reported(error.error(&self.facts.name, &left))
    }

    fn events(&self, queue: Queue) -> Result<(u64, [EventHandle; 2]), RuntimeError> {
        self.contexts.call(|entered| {
            let events = [entered.engine().create_event(true)?, entered.engine().create_event(true)?];
            entered.submit(queue, std::iter::empty(), |engine, stream| engine.record(events[0], stream))?;
            Ok((entered.generation(), events))
        })
    }
}

impl<D: Driver> Drop for GpuDevice<D> {
    fn drop(&mut self) {
        // When the device is dropped, the host memory of its writes is freed. Buffers can keep the context alive after
        // this.
        if self.pending_copies.any() {
            let _ = self.sync();
        }
    }
}

impl<D: Driver> Device for GpuDevice<D> {
    fn name(&self) -> &str {
        &self.facts.name
    }

    fn properties(&self) -> &DeviceProperties {
        &self.facts.properties
    }

    fn alloc_on(&self, _queue: Queue, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        let DeviceInfo { name, properties, .. } = &self.facts;
        if bytes > properties.memory_bytes {
            return Err(RuntimeError::device_limit(format!(
                "a buffer of {bytes} bytes is larger than the {} bytes of memory of {name}: process the data in parts",
                properties.memory_bytes
            )));
        }
        let allocation = self.contexts.call(|entered| {
            let made = self.memory.alloc(entered, bytes);
            let (block, address) = made.map_err(|error| self.out_of_memory(entered, error))?;
            let (contexts, memory) = (self.contexts.clone(), self.memory.clone());
            let (generation, uses) = (entered.generation(), Mutex::new(Uses::after(block.ticks)));
            let (block, clearing) = (Some(block), PendingClear::new(init == Init::Zero && bytes > 0));
            let (source, _owner) = (Mutex::default(), None);
            Ok(Allocation { contexts, memory, generation, address, block, bytes, uses, clearing, source, _owner })
        })?;
        Ok(Buffer::new(Arc::new(allocation)))
    }

    fn memory_usage(&self) -> MemoryUsage {
        self.memory.usage()
    }

    fn limit_memory(&self, limits: MemoryLimits) -> Result<(), RuntimeError> {
        self.memory.limit(limits);
        Ok(())
    }

    fn memory_cleanup(&self) {
        // If earlier work has faulted, the next call reports the fault.
        let _ = self.contexts.call(|entered| {
            self.memory.cleanup(entered);
            self.staging.cleanup(entered);
            Ok(())
        });
    }

    fn host_alloc(&self, bytes: usize) -> Result<HostBytes, RuntimeError> {
        self.pinned(bytes)
    }

    fn write_on(&self, queue: Queue, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        self.write_slice(queue, buffer, offset, data)
    }

    fn write_async(&self, queue: Queue, buffer: &Buffer, offset: u64, data: HostBytes) -> Result<(), RuntimeError> {
        self.write_owned(queue, buffer, offset, data)
    }

    fn read_on(&self, queue: Queue, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        self.read_slice(queue, buffer, offset, out)
    }

    fn read_async(&self, queue: Queue, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Reading, RuntimeError> {
        self.read_later(queue, buffer, offset, bytes)
    }

    fn copy(&self, queue: Queue, from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
        check_copy(from, to)?;
        let (source, target) = (own(from, &self.contexts)?, own(to, &self.contexts)?);
        self.contexts.call(|entered| {
            let (start, end) =
                (source.address(entered, queue, from.offset())?, target.address(entered, queue, to.offset())?);
            let uses = [(&source.uses, false), (&target.uses, true)].into_iter();
            Ok(entered.submit(queue, uses, |engine, stream| engine.copy(stream, start, end, from.size()))?)
        })
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
        match any.downcast_ref::<GpuDevice<D>>() {
            Some(peer) if Arc::ptr_eq(&peer.contexts, &self.contexts) => self.copy(queue, from, to),
            Some(peer) => self.copy_from_peer(queue, to, peer, source_queue, from),
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
        if loaded.len() >= MAX_LOADED {
            loaded.clear();
        }
        Ok(loaded.entry(key).or_insert(kernel).clone())
    }

    fn launch_on(&self, queue: Queue, kernel: &Kernel, args: &[Arg], cubes: Cubes<'_>) -> Result<(), RuntimeError> {
        let count = match cubes {
            Cubes::Count(count) => count,
            Cubes::Of(buffer) => self.count_in(queue, buffer)?,
        };
        self.launch_counted(queue, kernel, args, count)
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
        self.repeat_launch(queue, kernel, repeat, buffers, scalars)
    }

    fn record(&self, queue: Queue) -> Result<Event, RuntimeError> {
        self.contexts.call(|entered| {
            let event = entered.engine().create_event(false)?;
            entered.submit(queue, std::iter::empty(), |engine, stream| engine.record(event, stream))?;
            Ok(Event::new(Point { contexts: self.contexts.clone(), generation: entered.generation(), event }))
        })
    }

    fn wait(&self, queue: Queue, event: &Event) -> Result<(), RuntimeError> {
        let Some(point) = event.point::<Point<D>>().filter(|point| Arc::ptr_eq(&point.contexts, &self.contexts)) else {
            return event.wait();
        };
        self.contexts.call(|entered| {
            if entered.generation() != point.generation {
                return Err(self.contexts.lost(point.generation).into());
            }
            Ok(entered.submit(queue, std::iter::empty(), |engine, stream| engine.wait(stream, point.event))?)
        })
    }

    fn sync_queue(&self, queue: Queue) -> Result<(), RuntimeError> {
        self.contexts.call(|entered| {
            let stream = entered.stream(queue)?;
            self.contexts.synced_queue(entered, || entered.engine().sync_stream(stream))
        })
    }

    fn sync(&self) -> Result<(), RuntimeError> {
        self.contexts.call(|entered| {
            let next = self.pending_copies.next(entered.generation());
            self.contexts.synced(entered, || entered.sync())?;
            self.pending_copies.drop_completed(entered.engine(), entered.generation(), next);
            Ok(())
        })
    }

    fn measure_on(
        &self,
        queue: Queue,
        work: &mut dyn FnMut() -> Result<(), RuntimeError>,
    ) -> Result<(Duration, Clock), RuntimeError> {
        let (generation, [start, end]) = self.events(queue)?;
        let worked = work();
        let measured = self.contexts.call(|entered| {
            // The end of a context ends its events.
            if entered.generation() != generation {
                return Err(Failure::Reported(self.contexts.lost(generation)));
            }
            let engine = entered.engine();
            let recorded = entered.submit(queue, std::iter::empty(), |engine, stream| engine.record(end, stream));
            let elapsed = recorded.and_then(|()| engine.sync_event(end)).and_then(|()| engine.elapsed(start, end));
            engine.free_event(start);
            engine.free_event(end);
            Ok(elapsed?)
        });
        worked?;
        Ok((Duration::from_secs_f64(f64::from(measured?.max(0.0)) / 1e3), Clock::Device))
    }

    fn replay(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError> {
        self.replay_graph(queue, graph)
    }

    fn import_memory(&self, memory: ExternalMemory) -> Result<Buffer, RuntimeError> {
        self.buffer_of(memory)
    }

    fn export_address(&self, buffer: &Buffer) -> Result<u64, RuntimeError> {
        self.address_of(buffer)
    }

    fn import_stream(&self, queue: Queue, stream: ExternalStream) -> Result<(), RuntimeError> {
        self.use_stream(queue, stream)
    }

    fn export_stream(&self, queue: Queue) -> Result<u64, RuntimeError> {
        self.stream_of(queue)
    }

    fn load_foreign(&self, kernel: &ForeignKernel) -> Result<Kernel, RuntimeError> {
        self.load_other(kernel).map_err(|error| error.in_kernel(kernel.entry()))
    }

    fn memory_space(&self) -> Option<MemorySpace> {
        Some(D::memory_space(self.ordinal()))
    }
}

fn ordinal_from(name: &str, variable: Option<&str>) -> Result<u32, RuntimeError> {
    let Some(text) = variable else { return Ok(0) };
    text.trim().parse().map_err(|_| {
        RuntimeError::environment(format!("{name} is '{text}', which is not a number; set the variable to 0, 1, ..."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_runtime::ErrorKind;

    #[test]
    fn the_device_is_chosen_by_number() {
        assert_eq!(ordinal_from("CUBE_GPU", None), Ok(0));
        assert_eq!(ordinal_from("CUBE_GPU", Some(" 3 ")), Ok(3));
        let error = ordinal_from("CUBE_GPU", Some("first")).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Environment);
        assert!(error.message.contains("CUBE_GPU is 'first', which is not a number"), "{error}");
    }
}
