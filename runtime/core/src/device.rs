//! The interface of devices, independent of their kind.
use crate::buffer::Buffer;
use crate::error::RuntimeError;
use crate::graph::{Command, Graph};
use crate::kernel::Kernel;
use crate::launch::Arg;
use crate::pool::{MemoryLimits, MemoryUsage};
use crate::properties::DeviceProperties;
use crate::queue::Queue;
use crate::transfer::{HostBytes, Reading};
use cube_artifact::Artifact;
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Initial bytes of a new buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Init {
    /// All zero.
    #[default]
    Zero,
    /// Undefined; the caller writes before it reads.
    Any,
}

/// Clock of a measured time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The host's clock, from the submission of the work to its completion.
    Host,
    /// Events of the device around the work.
    Device,
}

/// Number of cubes of a launch along x, y, z.
#[derive(Clone, Copy, Debug)]
pub enum Cubes<'a> {
    /// Known at the launch.
    Count([u32; 3]),
    /// Three `u32` at the start of a buffer. The launch uses the values at the time of its execution. A device with
    /// [`DeviceProperties::indirect_launch`] reads the buffer itself. Another device waits for the writers of the buffer and reads the
    /// values on the host. On such a device, a count above a limit is an error of the queue.
    Of(&'a Buffer),
}

impl From<[u32; 3]> for Cubes<'_> {
    fn from(count: [u32; 3]) -> Self {
        Cubes::Count(count)
    }
}

/// Completion of a point in a queue.
pub trait Completion: Any + Send + Sync {
    /// Whether all commands before the event have completed or failed.
    fn is_complete(&self) -> bool;

    /// Blocks until all commands before the event have completed or failed.
    ///
    /// # Errors
    /// A failure of these commands that was not reported yet.
    fn wait(&self) -> Result<(), RuntimeError>;
}

/// A point in a queue, see [`Device::record`]. A clone is the same point.
#[derive(Clone)]
pub struct Event(Arc<dyn Completion>);

impl Event {
    /// For devices: wraps a point.
    pub fn new(point: impl Completion) -> Event {
        Event(Arc::new(point))
    }

    /// The point as the device's own type; `None` for an event of another kind of device.
    pub fn point<T: Completion>(&self) -> Option<&T> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }

    /// Whether all commands before the event have completed or failed.
    pub fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// Blocks until all commands before the event have completed or failed.
    ///
    /// # Errors
    /// A failure of these commands that was not reported yet.
    pub fn wait(&self) -> Result<(), RuntimeError> {
        self.0.wait()
    }
}

/// Checks the buffers of [`Device::copy`].
///
/// # Errors
/// The buffers have different sizes or common bytes.
pub fn check_copy(from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
    if from.size() != to.size() {
        let (from, to) = (from.size(), to.size());
        return Err(RuntimeError::user(format!("a copy from {from} to {to} bytes: give slices of one size")));
    }
    if from.overlaps(to) {
        return Err(RuntimeError::user(
            "the source and the destination of a copy overlap: copy through another buffer",
        ));
    }
    Ok(())
}

/// Submits the commands of a graph one by one. Devices without native graphs implement [`Device::replay`] with this function.
///
/// # Errors
/// The errors of the commands.
pub fn replay_list(device: &dyn Device, queue: Queue, graph: &Graph) -> Result<(), RuntimeError> {
    graph.commands().iter().try_for_each(|command| match command {
        Command::Launch { kernel, args, cubes } => device.launch_on(queue, kernel, args, Cubes::Count(*cubes)),
        Command::Copy { from, to } => device.copy(queue, from, to),
    })
}

/// Memory, queues and launches of one device.
///
/// # Order
/// * Commands of one queue take effect in the order of submission.
/// * Commands of two queues that use one allocation take effect in the order of submission, if one of the commands writes it.
///   The device inserts the waits, not the caller. [`crate::queue`] has the bookkeeping.
/// * Other commands of different queues can overlap. [`Device::record`] and [`Device::wait`] order them where the caller needs it.
/// * All methods can be called from several threads at the same time. The threads themselves order calls of different
///   threads. Otherwise the device chooses an order.
///
/// A device with fewer queues than [`crate::queue::MAX_QUEUES`] maps several queues to one. All rules still hold.
///
/// # Failures
/// If the device refuses a call (arguments, limits), the call returns the error and submits nothing. A command that fails after its
/// submission is reported once, with the kernel's name. The next [`Device::sync`], or [`Device::sync_queue`] of its queue, returns the
/// failure. The allocations that the command writes are marked as failed. A read of them returns the error until a write or a successful
/// launch replaces their contents. If a fault ends the context of a GPU, all its allocations are lost.
///
/// # A new runtime
/// A runtime must implement the methods without a body. A device without separate queues submits each command immediately and ignores the
/// queue; all rules above hold. The common parts are pools ([`crate::pool`]), [`crate::queue::Uses`], [`crate::transfer::promise`] and
/// [`crate::launch::bind_into`]. The tests in `runtime/core/tests/conformance` check the rules.
pub trait Device: Send + Sync {
    /// Name of this device in messages.
    fn name(&self) -> &str;

    /// Limits and facts.
    fn properties(&self) -> &DeviceProperties;

    /// A new buffer of this many bytes. [`Init::Zero`] is a command of the queue.
    ///
    /// The memory comes from a pool of the device. The last drop of the buffer returns the memory to the pool. Neither operation waits
    /// for queued work, except under memory pressure. Commands of a later owner of the memory run after the commands of the earlier
    /// owner.
    ///
    /// # Errors
    /// Out of memory: [`RuntimeError::memory`] has the used, free and reserved bytes.
    fn alloc_on(&self, queue: Queue, bytes: u64, init: Init) -> Result<Buffer, RuntimeError>;

    /// Memory of the device's buffers and of its pool, in bytes.
    fn memory_usage(&self) -> MemoryUsage;

    /// Sets limits of the memory pool for later allocations and releases.
    ///
    /// # Errors
    /// The default implementation refuses: the device has a fixed pool.
    fn limit_memory(&self, _limits: MemoryLimits) -> Result<(), RuntimeError> {
        let message = format!("the memory pool of {} has fixed limits: remove the limits of [memory]", self.name());
        Err(RuntimeError::user(message))
    }

    /// Waits for queued work, and returns the pool's free memory to the driver or the system.
    fn memory_cleanup(&self);

    /// Host memory for copies. Page-locked memory makes the copies of a GPU asynchronous and fast; contents are arbitrary.
    ///
    /// # Errors
    /// The system refuses the memory.
    fn host_alloc(&self, bytes: usize) -> Result<HostBytes, RuntimeError> {
        let mut memory = Vec::new();
        let refused =
            |_| RuntimeError::device_limit(format!("the system gives no {bytes} bytes of host memory: copy in parts"));
        memory.try_reserve_exact(bytes).map_err(refused)?;
        memory.resize(bytes, 0);
        Ok(HostBytes::from(memory))
    }

    /// Copies `data` into the buffer, starting at byte `offset` of the buffer. The caller can reuse `data` when the call returns,
    /// possibly before the copy completes.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer belongs to another device.
    fn write_on(&self, queue: Queue, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError>;

    /// Queues a copy of `data` into the buffer at byte `offset`, and returns immediately. The device keeps `data` until the copy has
    /// completed.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer belongs to another device.
    fn write_async(&self, queue: Queue, buffer: &Buffer, offset: u64, data: HostBytes) -> Result<(), RuntimeError>;

    /// Copies bytes from byte `offset` of the buffer to `out`, until `out` is full. The call waits for the writers of the buffer and for
    /// earlier commands of the queue.
    ///
    /// # Errors
    /// The range exceeds the buffer, the buffer belongs to another device, or a writer failed.
    fn read_on(&self, queue: Queue, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError>;

    /// Queues a copy of `bytes` bytes from byte `offset` of the buffer, and returns immediately. Later writes do not
    /// change the result.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer belongs to another device. If a writer failed, the result is that error.
    fn read_async(&self, queue: Queue, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Reading, RuntimeError>;

    /// Queues a copy of `from` to `to`. Both are buffers of this device with equal sizes, and they do not overlap.
    ///
    /// # Errors
    /// The sizes differ, the buffers overlap, or a buffer belongs to another device.
    fn copy(&self, queue: Queue, from: &Buffer, to: &Buffer) -> Result<(), RuntimeError>;

    /// Prepares a kernel for launches. A kernel that was loaded before is found by its content and not loaded again.
    ///
    /// # Errors
    /// The artifact is inconsistent, is for another device, or requires a feature that this device lacks.
    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError>;

    /// Queues a launch of a loaded kernel and returns immediately. If an axis has 0 cubes, nothing runs. If the kernel prints, the call
    /// waits for the launch, and the lines appear before it returns.
    ///
    /// # Errors
    /// The errors of [`crate::launch::bind`]. A kernel or buffer of another device is also an error.
    fn launch_on(&self, queue: Queue, kernel: &Kernel, args: &[Arg], cubes: Cubes<'_>) -> Result<(), RuntimeError>;

    /// The current end of a queue, as an event.
    ///
    /// # Errors
    /// The device failed.
    fn record(&self, queue: Queue) -> Result<Event, RuntimeError>;

    /// Later commands of the queue start after the event. If the event belongs to another device, the host waits for it.
    ///
    /// # Errors
    /// The device failed.
    fn wait(&self, queue: Queue, event: &Event) -> Result<(), RuntimeError>;

    /// Submits collected commands of the queue to the driver, without a wait. A device that submits each command immediately does
    /// nothing.
    ///
    /// # Errors
    /// The device failed.
    fn flush(&self, _queue: Queue) -> Result<(), RuntimeError> {
        Ok(())
    }

    /// Waits until all commands of the queue have completed.
    ///
    /// # Errors
    /// A failure of a command of the queue that was not reported yet.
    fn sync_queue(&self, queue: Queue) -> Result<(), RuntimeError>;

    /// Waits until all commands of the device have completed.
    ///
    /// # Errors
    /// A failure of a command that was not reported yet.
    fn sync(&self) -> Result<(), RuntimeError>;

    /// The time of the commands that `work` submits to the queue, and its clock. Devices with event times override this method.
    ///
    /// # Errors
    /// The errors of `work`, and a failure of submitted or earlier commands.
    fn measure_on(
        &self,
        queue: Queue,
        work: &mut dyn FnMut() -> Result<(), RuntimeError>,
    ) -> Result<(Duration, Clock), RuntimeError> {
        self.sync_queue(queue)?;
        let start = Instant::now();
        work()?;
        self.sync_queue(queue)?;
        Ok((start.elapsed(), Clock::Host))
    }

    /// The running kernel and its start time, if the device knows it.
    fn running(&self) -> Option<(Kernel, Instant)> {
        None
    }

    /// Submits the commands of a graph again, with its current scalars. A device without native graphs calls
    /// [`replay_list`].
    ///
    /// # Errors
    /// The errors of the commands.
    fn replay(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError>;

    /// [`Device::alloc_on`] for the default queue.
    ///
    /// # Errors
    /// The errors of [`Device::alloc_on`].
    fn alloc(&self, bytes: u64, init: Init) -> Result<Buffer, RuntimeError> {
        self.alloc_on(Queue::DEFAULT, bytes, init)
    }

    /// [`Device::write_on`] for the default queue.
    ///
    /// # Errors
    /// The errors of [`Device::write_on`].
    fn write(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError> {
        self.write_on(Queue::DEFAULT, buffer, offset, data)
    }

    /// [`Device::read_on`] for the default queue.
    ///
    /// # Errors
    /// The errors of [`Device::read_on`].
    fn read(&self, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError> {
        self.read_on(Queue::DEFAULT, buffer, offset, out)
    }

    /// [`Device::launch_on`] for the default queue.
    ///
    /// # Errors
    /// The errors of [`Device::launch_on`].
    fn launch_kernel(&self, kernel: &Kernel, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        self.launch_on(Queue::DEFAULT, kernel, args, Cubes::Count(cube_count))
    }

    /// Calls [`Device::load`], then [`Device::launch_kernel`].
    ///
    /// # Errors
    /// The errors of both calls.
    fn launch(&self, artifact: &Artifact, args: &[Arg], cube_count: [u32; 3]) -> Result<(), RuntimeError> {
        self.launch_kernel(&self.load(artifact)?, args, cube_count)
    }

    /// [`Device::measure_on`] for the default queue.
    ///
    /// # Errors
    /// The errors of [`Device::measure_on`].
    fn measure(&self, work: &mut dyn FnMut() -> Result<(), RuntimeError>) -> Result<(Duration, Clock), RuntimeError> {
        self.measure_on(Queue::DEFAULT, work)
    }
}
