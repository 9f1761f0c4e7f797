//! The interface that all kinds of devices have in common.
use crate::buffer::Buffer;
use crate::error::RuntimeError;
use crate::external::{ExternalMemory, ExternalStream, ForeignKernel, MemorySpace, refused};
use crate::graph::{Command, Graph};
use crate::kernel::Kernel;
use crate::launch::{Arg, Repeat};
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
    /// The bytes are undefined, and the caller must write each byte before it reads the byte.
    Any,
}

/// The clock that measured a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The host's clock, from the submission of the work to its completion.
    Host,
    /// The device's clock, from an event before the work to an event after the work.
    Device,
}

/// Number of cubes of a launch along x, y, z.
#[derive(Clone, Copy, Debug)]
pub enum Cubes<'a> {
    /// The cube count is known when the program calls the launch.
    Count([u32; 3]),
    /// The cube count is in a buffer, which contains three `u32` at its start. The launch reads the cube count from the
    /// buffer when it executes. A device with [`DeviceProperties::indirect_launch`] reads the cube count from the
    /// buffer itself. For other devices, the host waits for the commands that write the buffer, and reads the cube
    /// count. If the device reads the buffer and the cube count exceeds a limit, the launch fails when it
    /// executes.
    Of(&'a Buffer),
}

impl From<[u32; 3]> for Cubes<'_> {
    fn from(count: [u32; 3]) -> Self {
        Cubes::Count(count)
    }
}

/// The completion of the commands before a point in a queue.
pub trait Completion: Any + Send + Sync {
    /// Whether all commands before the event have completed or failed.
    fn is_complete(&self) -> bool;

    /// Blocks until all commands before the event have completed or failed.
    ///
    /// # Errors
    /// An unreported failure of the commands before the event.
    fn wait(&self) -> Result<(), RuntimeError>;
}

/// A point in a queue, see [`Device::record`]. A clone of an event represents the same point in the queue.
#[derive(Clone)]
pub struct Event(Arc<dyn Completion>);

impl Event {
    /// Creates an event from a device's representation of the point; devices call this function.
    pub fn new(point: impl Completion) -> Event {
        Event(Arc::new(point))
    }

    /// The point as the device's own type; `None` if another kind of device created the event.
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
    /// An unreported failure of the commands before the event.
    pub fn wait(&self) -> Result<(), RuntimeError> {
        self.0.wait()
    }
}

/// Checks the buffers of [`Device::copy`].
///
/// # Errors
/// The buffers have different sizes, or have bytes in common.
pub fn check_copy(from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
    check_sizes(from, to)?;
    if from.overlaps(to) {
        return Err(RuntimeError::user(
            "the source and the destination of a copy overlap: copy through another buffer",
        ));
    }
    Ok(())
}

/// Checks the sizes of the buffers of [`Device::copy_from`].
///
/// # Errors
/// The buffers have different sizes.
pub fn check_sizes(from: &Buffer, to: &Buffer) -> Result<(), RuntimeError> {
    if from.size() == to.size() {
        return Ok(());
    }
    let (from, to) = (from.size(), to.size());
    Err(RuntimeError::user(format!(
        "the source of a copy has {from} bytes, but the destination has {to} bytes; use slices of equal size"
    )))
}

/// Copies between two devices through memory of the host. Devices that have no common memory or driver implement
/// [`Device::copy_from`] with this function. The caller waits for the read, and not for the write.
///
/// # Errors
/// The errors of [`Device::copy_from`].
pub fn copy_through_host(
    device: &dyn Device,
    queue: Queue,
    to: &Buffer,
    source: &dyn Device,
    source_queue: Queue,
    from: &Buffer,
) -> Result<(), RuntimeError> {
    if std::ptr::addr_eq(device, source) {
        return device.copy(queue, from, to);
    }
    check_sizes(from, to)?;
    let bytes = source.read_async(source_queue, from, 0, from.size())?.wait()?;
    device.write_async(queue, to, 0, bytes)
}

/// Submits the commands of a recorded graph one by one. Devices without native graphs implement [`Device::replay`] with
/// this function.
///
/// # Errors
/// The errors of the submitted commands.
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
/// * Commands of two queues that use one allocation take effect in the order of submission, if one of the commands
///   writes the allocation. The device inserts the necessary waits between commands, so the caller does not need to
///   wait. The module [`crate::queue`] determines these waits.
/// * Other commands of different queues can overlap. If the caller needs an order, [`Device::record`] and
///   [`Device::wait`] order these commands.
/// * All methods can be called from several threads at the same time. If calls of different threads must have an
///   order, the threads must synchronise. Without synchronisation between the threads, the device chooses an
///   order.
///
/// If a device has fewer queues than [`crate::queue::MAX_QUEUES`], several queue numbers refer to one queue of the
/// device. The rules of order also hold in this case.
///
/// # Failures
/// If the device refuses a call because of arguments or limits, the call returns the error and submits nothing. A
/// command that fails after its submission is reported once, with the kernel's name. The next call of
/// [`Device::sync`], or of [`Device::sync_queue`] for the command's queue, returns the failure. The allocations that
/// the failed command writes are marked as failed. Reading a failed allocation returns the error, until a write or a
/// successful launch replaces its contents. If a fault ends the context of a GPU, all allocations on this GPU are
/// lost.
///
/// # A new runtime
/// To support a new device, implement the methods that have no body. A device without separate queues executes
/// each command immediately, ignores the parameter `queue`, and still follows all rules of this trait.
/// Building blocks for a device are the pools ([`crate::pool`]), [`crate::queue::Uses`],
/// [`crate::transfer::promise`] and [`crate::launch::bind_into`]. The tests in
/// `runtime/core/tests/conformance` check the rules of this trait.
pub trait Device: Any + Send + Sync {
    /// Name of this device in error messages.
    fn name(&self) -> &str;

    /// Limits and properties of the device.
    fn properties(&self) -> &DeviceProperties;

    /// Allocates a buffer of this many bytes. [`Init::Zero`] is a command of the queue.
    ///
    /// The memory is from a pool of the device, and returns to the pool with the drop of the last handle. Neither the allocation nor the drop waits for queued work, except under memory
    /// pressure. If the pool reuses the memory for a later buffer, commands on the later buffer run after all
    /// commands on the earlier buffer.
    ///
    /// # Errors
    /// There is not enough memory: [`RuntimeError::memory`] has the used, free and reserved bytes.
    fn alloc_on(&self, queue: Queue, bytes: u64, init: Init) -> Result<Buffer, RuntimeError>;

    /// Memory of the device's buffers and of its pool, in bytes.
    fn memory_usage(&self) -> MemoryUsage;

    /// Sets limits of the memory pool for later allocations and releases.
    ///
    /// # Errors
    /// The default implementation, for devices whose pool has fixed limits, returns an error.
    fn limit_memory(&self, _limits: MemoryLimits) -> Result<(), RuntimeError> {
        let message = format!(
            "the memory pool of {} has fixed limits; remove the limits in section [memory] of cube.toml",
            self.name()
        );
        Err(RuntimeError::user(message))
    }

    /// Waits for queued work, and returns the pool's free memory to the driver or the system.
    fn memory_cleanup(&self);

    /// Allocates host memory that copies can use. The contents of the memory are arbitrary. On a GPU the memory
    /// is page-locked, which makes copies fast and asynchronous.
    ///
    /// # Errors
    /// The operating system does not provide the memory.
    fn host_alloc(&self, bytes: usize) -> Result<HostBytes, RuntimeError> {
        let mut memory = Vec::new();
        let refused = |_| {
            RuntimeError::device_limit(format!(
                "the system cannot allocate {bytes} bytes of host memory: copy in parts"
            ))
        };
        memory.try_reserve_exact(bytes).map_err(refused)?;
        memory.resize(bytes, 0);
        Ok(HostBytes::from(memory))
    }

    /// Copies `data` into the buffer, starting at byte `offset` of the buffer. The caller can reuse `data` when the
    /// call returns, possibly before the copy completes.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer is from another device.
    fn write_on(&self, queue: Queue, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<(), RuntimeError>;

    /// Queues a copy of `data` into the buffer at byte `offset`, and returns immediately. The device owns `data` until
    /// the copy has completed.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer is from another device.
    fn write_async(&self, queue: Queue, buffer: &Buffer, offset: u64, data: HostBytes) -> Result<(), RuntimeError>;

    /// Copies bytes from byte `offset` of the buffer to `out`, until `out` is full. The call waits for the commands
    /// that write the buffer, and for earlier commands of the queue.
    ///
    /// # Errors
    /// The range exceeds the buffer, the buffer is from another device, or a command that writes the buffer
    /// failed.
    fn read_on(&self, queue: Queue, buffer: &Buffer, offset: u64, out: &mut [u8]) -> Result<(), RuntimeError>;

    /// Queues a copy of `bytes` bytes from byte `offset` of the buffer, and returns immediately. Later writes to the
    /// buffer do not change the result.
    ///
    /// # Errors
    /// The range exceeds the buffer, or the buffer is from another device. If a command that writes the buffer
    /// failed, the result is the error of that command.
    fn read_async(&self, queue: Queue, buffer: &Buffer, offset: u64, bytes: u64) -> Result<Reading, RuntimeError>;

    /// Queues a copy of `from` to `to`. The buffers `from` and `to` are from this device, have equal sizes, and
    /// do not overlap.
    ///
    /// # Errors
    /// The sizes differ, the buffers overlap, or a buffer is from another device.
    fn copy(&self, queue: Queue, from: &Buffer, to: &Buffer) -> Result<(), RuntimeError>;

    /// Queues a copy of `from`, a buffer of the device `source`, to `to`, a buffer of this device. The buffers have equal
    /// sizes. For the order of commands, the copy counts as a command of `source_queue` that reads `from`, and as a
    /// command of `queue` that writes `to`. Devices without a path between them call [`copy_through_host`].
    ///
    /// # Errors
    /// The sizes differ, or a buffer is from another device. If a command that writes `from` failed, either this call
    /// or a later read of `to` returns the error.
    fn copy_from(
        &self,
        queue: Queue,
        to: &Buffer,
        source: &dyn Device,
        source_queue: Queue,
        from: &Buffer,
    ) -> Result<(), RuntimeError>;

    /// Prepares a kernel for launches. If a kernel with the same content was loaded before, the device does not load
    /// it again.
    ///
    /// # Errors
    /// The artifact is inconsistent, is for another kind of device, or requires a feature that this device
    /// lacks.
    fn load(&self, artifact: &Artifact) -> Result<Kernel, RuntimeError>;

    /// Queues a launch of a loaded kernel and returns immediately. If the cube count is 0 along an axis, nothing runs.
    /// If the kernel prints, the call waits for the end of the launch and prints the kernel's lines before it
    /// returns.
    ///
    /// # Errors
    /// The errors of [`crate::launch::bind`]. Using a kernel or buffer of another device is also an error.
    fn launch_on(&self, queue: Queue, kernel: &Kernel, args: &[Arg], cubes: Cubes<'_>) -> Result<(), RuntimeError>;

    /// Whether the device implements [`Device::repeat`].
    fn repeats(&self) -> bool {
        false
    }

    /// Queues a launch that differs from an earlier one only in the allocations of `buffers` and in the slots `scalars`. Returns
    /// `false`, and submits nothing, if only [`Device::launch_on`] can submit the launch, or report its error.
    ///
    /// # Errors
    /// The device failed.
    fn repeat(
        &self,
        _queue: Queue,
        _kernel: &Kernel,
        _repeat: &Repeat,
        _buffers: &[&Buffer],
        _scalars: &[u64],
    ) -> Result<bool, RuntimeError> {
        Ok(false)
    }

    /// Records an event that represents the current end of a queue.
    ///
    /// # Errors
    /// The device failed.
    fn record(&self, queue: Queue) -> Result<Event, RuntimeError>;

    /// Later commands of the queue start after the commands before the event have completed. If the event belongs to
    /// another device, the host waits for it.
    ///
    /// # Errors
    /// The device failed.
    fn wait(&self, queue: Queue, event: &Event) -> Result<(), RuntimeError>;

    /// Submits to the driver the commands of the queue that the device has collected, without waiting for the
    /// commands. On a device that submits each command immediately, the method does nothing.
    ///
    /// # Errors
    /// The device failed.
    fn flush(&self, _queue: Queue) -> Result<(), RuntimeError> {
        Ok(())
    }

    /// Waits until all commands of the queue have completed.
    ///
    /// # Errors
    /// An unreported failure of one of the queue's commands.
    fn sync_queue(&self, queue: Queue) -> Result<(), RuntimeError>;

    /// Waits until all commands of the device have completed.
    ///
    /// # Errors
    /// An unreported failure of one of the device's commands.
    fn sync(&self) -> Result<(), RuntimeError>;

    /// Measures the time of the commands that `work` submits to the queue, and returns the time and its clock. Devices
    /// that can measure time by events override this method.
    ///
    /// # Errors
    /// The errors of `work`, and failures of the submitted commands or earlier commands.
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

    /// Runs `work`. In `work`, a launch of the calling thread that takes longer than `limit` ends with an error of the
    /// kind [`crate::ErrorKind::TimeLimit`]. Returns whether the device can end launches; without this ability, the
    /// launches have no limit.
    fn limit_launches(&self, _limit: Duration, work: &mut dyn FnMut()) -> bool {
        work();
        false
    }

    /// The kernel that is running and its start time, if the device knows them.
    fn running(&self) -> Option<(Kernel, Instant)> {
        None
    }

    /// Submits the commands of a graph again, with the current scalars of the graph. Devices without native
    /// graphs call [`replay_list`].
    ///
    /// # Errors
    /// The errors of the submitted commands.
    fn replay(&self, queue: Queue, graph: &Graph) -> Result<(), RuntimeError>;

    /// Makes a buffer from memory that another library has allocated. The device drops the owner after the last clone
    /// of the buffer and the last command that uses the buffer.
    ///
    /// # Errors
    /// The device does not support memory of another library.
    fn import_memory(&self, _memory: ExternalMemory) -> Result<Buffer, RuntimeError> {
        Err(refused(self.name(), "use memory at an address", "copy the data to a buffer of the device"))
    }

    /// The address of a buffer's first byte, for code outside of the runtime. The address is valid while the buffer
    /// exists. Other code must access the bytes only after [`Device::sync`], or in the order of
    /// [`Device::export_stream`].
    ///
    /// # Errors
    /// The buffers of the device have no addresses, the buffer belongs to another device, or a kernel fault lost it.
    fn export_address(&self, _buffer: &Buffer) -> Result<u64, RuntimeError> {
        Err(refused(self.name(), "export the address of a buffer", "copy the data through the host"))
    }

    /// Makes a stream of another library the stream of a queue, before the first command of the queue. After a kernel
    /// fault, the queue gets a new stream of the runtime.
    ///
    /// # Errors
    /// The device has no streams, or the queue already has a stream.
    fn import_stream(&self, _queue: Queue, _stream: ExternalStream) -> Result<(), RuntimeError> {
        Err(refused(self.name(), "use a stream of a driver", "use a queue of the device and its events"))
    }

    /// The driver's handle of a queue's stream. Work that other code submits to the stream runs in order with the
    /// commands of the queue.
    ///
    /// # Errors
    /// The device has no streams, the device failed, or its context is in a child process after a fault.
    fn export_stream(&self, _queue: Queue) -> Result<u64, RuntimeError> {
        Err(refused(self.name(), "export a stream of a driver", "use a queue of the device and its events"))
    }

    /// Prepares a kernel of another compiler for launches.
    ///
    /// # Errors
    /// The device does not support the format of the code, or the code declares other parameters.
    fn load_foreign(&self, kernel: &ForeignKernel) -> Result<Kernel, RuntimeError> {
        let instead = "write a kernel in Cube, and compile this kernel for the device";
        Err(refused(self.name(), &format!("run {} of another compiler", kernel.format()), instead)
            .in_kernel(kernel.entry()))
    }

    /// Kind of the device's memory, if the memory has addresses.
    fn memory_space(&self) -> Option<MemorySpace> {
        None
    }

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
    /// The errors of [`Device::load`] and [`Device::launch_kernel`].
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
