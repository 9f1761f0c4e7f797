//! The calls of a GPU's driver, which a runtime such as CUDA's or HIP's implements.
//!
//! Each call is one function of the driver, with its error as a value. [`crate::GpuDevice`] keeps handles valid, orders queues, owns the
//! memory pools and reports faults. Handles are numbers, because they are also sent to the child process that holds the device after a
//! fault ([`crate::host`]).
use cube_artifact::CodeFormat;
use cube_runtime::{DeviceProperties, RuntimeError};
use serde::{Deserialize, Serialize};

/// The class of a driver's error, which decides the reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    /// A kernel faulted, and every later call of the context fails.
    Fault,
    /// No memory for an allocation or for code.
    OutOfMemory,
    /// The device cannot run a cube of this size.
    TooLarge,
    /// The code needs a newer driver.
    NewerCode,
    /// The code cannot be loaded, or lacks the entry.
    BrokenCode,
    /// Any other error.
    Other,
}

/// A call that the driver refused, or earlier work that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverError {
    /// The driver's function.
    pub call: String,
    /// The class of the error.
    pub class: Class,
    /// The driver's name of the error, and its description.
    pub words: String,
}

/// The result of a call.
pub type Answer<T> = Result<T, DriverError>;

/// An error, with the log of the driver's compiler.
pub type Logged = (DriverError, String);

/// An address in device memory.
pub type Address = u64;

/// A stream. It is valid as long as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(pub u64);

/// An event. It is valid as long as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark(pub u64);

/// A loaded kernel: the handles of the function and of its module. Both are valid as long as their context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The function.
    pub function: u64,
    /// The module.
    pub module: u64,
}

/// An executable graph. It is valid as long as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphHandle(pub u64);

/// The grid of a launch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Grid {
    /// Cubes along x, y, z.
    pub cubes: [u32; 3],
    /// Units of a cube along x, y, z.
    pub dim: [u32; 3],
    /// Bytes of dynamic shared memory, in addition to the static memory of the code.
    pub shared: u32,
}

/// A device, before a context exists.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// The driver's name of the device.
    pub name: String,
    /// The chip as targets name it, for example `sm_90`.
    pub chip: String,
    /// The version of the driver in messages, for example `13.0`.
    pub version: String,
    /// Limits and facts.
    pub properties: DeviceProperties,
}

/// A driver, and a handle of one of its contexts.
///
/// [`Driver::create`] creates a context and returns its handle, and [`Driver::destroy`] ends the context. All methods with `self` except
/// [`Driver::enter`] require that the context is current in the thread. Callers must pass only valid handles.
pub trait Driver: Copy + Send + Sync + 'static {
    /// Name of the driver in messages, for example `CUDA`.
    const NAME: &'static str;
    /// Program that shows whether the driver works, for example `nvidia-smi`.
    const CHECK: &'static str;
    /// Backend of the artifacts that this driver runs.
    const BACKEND: &'static str;
    /// Format of the code.
    const FORMAT: CodeFormat;
    /// Variable with the number of the device.
    const DEVICE_VARIABLE: &'static str;
    /// Variable with the program that is started as the child process after a fault.
    const CHILD_VARIABLE: &'static str;
    /// Variable with the number of the device. The parent sets it for a child process.
    const SERVES_VARIABLE: &'static str;
    /// Alignment of every allocation in bytes.
    const ALIGNMENT: u32;
    /// Maximum bytes of static shared memory in the code. If a cube has more, the launch allocates its shared memory.
    const STATIC_SHARED_BYTES: u32;
    /// Whether the code is text without zero bytes.
    const CODE_IS_TEXT: bool;

    /// Finds the driver and the device.
    ///
    /// # Errors
    /// [`cube_runtime::ErrorKind::NoDevice`] if the driver or the device is missing.
    fn find(ordinal: u32) -> Result<DeviceInfo, RuntimeError>;

    /// Whether a device of the chip `device` runs code for the chip `code`; `None` for an unknown name.
    fn runs(device: &str, code: &str) -> Option<bool>;

    /// Creates a context on the device and makes it current in this thread.
    fn create(ordinal: u32) -> Answer<Self>;

    /// Ends the context with all its memory, streams, events and modules.
    fn destroy(self);

    /// Makes the context current in this thread.
    fn enter(self) -> Answer<()>;

    /// Waits for all streams of the context.
    fn sync(self) -> Answer<()>;

    /// Creates a stream that does not synchronise with others.
    fn stream(self) -> Answer<Stream>;

    /// Waits for a stream.
    fn sync_stream(self, stream: Stream) -> Answer<()>;

    /// Allocates device memory.
    fn alloc(self, bytes: u64) -> Answer<Address>;

    /// Frees memory that [`Driver::alloc`] returned.
    fn free(self, address: Address) -> Answer<()>;

    /// Free bytes and total bytes of the device.
    fn memory(self) -> Answer<(u64, u64)>;

    /// Page-locks host memory, for fast and asynchronous copies.
    ///
    /// # Safety
    /// The bytes stay mapped until [`Driver::unlock`], or until the context ends.
    unsafe fn lock(self, bytes: *mut u8, count: usize) -> Answer<()>;

    /// Ends the page lock of [`Driver::lock`].
    ///
    /// # Safety
    /// The pointer has been page-locked in this context.
    unsafe fn unlock(self, bytes: *mut u8) -> Answer<()>;

    /// Queues a fill with zeros.
    fn clear(self, stream: Stream, address: Address, bytes: u64) -> Answer<()>;

    /// Queues a copy on the device.
    fn copy(self, stream: Stream, from: Address, to: Address, bytes: u64) -> Answer<()>;

    /// Queues a copy to the device.
    ///
    /// # Safety
    /// The host memory stays valid and unchanged until the stream has passed the copy.
    unsafe fn write(self, stream: Stream, address: Address, from: *const u8, bytes: usize) -> Answer<()>;

    /// Queues a copy from the device.
    ///
    /// # Safety
    /// The host memory stays valid and unused until the stream has passed the copy.
    unsafe fn read(self, stream: Stream, address: Address, to: *mut u8, bytes: usize) -> Answer<()>;

    /// Loads code and finds `entry` in it.
    ///
    /// # Errors
    /// The refusal of the driver, with the log of its compiler.
    fn load(self, code: &[u8], entry: &str) -> Result<Function, Logged>;

    /// Frees a kernel's code. Waits for earlier launches.
    fn unload(self, function: Function);

    /// Allows a kernel this many bytes of dynamic shared memory.
    fn allow_shared(self, function: Function, bytes: u32) -> Answer<()>;

    /// Queues a launch. Each slot is one parameter of the code, with its value in the low bytes.
    ///
    /// # Safety
    /// There is a slot for each parameter, and the addresses refer to memory of this context.
    unsafe fn launch(self, stream: Stream, function: Function, grid: &Grid, slots: &mut [u64]) -> Answer<()>;

    /// Creates an event. [`Driver::elapsed`] requires timed events.
    fn mark(self, timed: bool) -> Answer<Mark>;

    /// Frees an event.
    fn free_mark(self, mark: Mark);

    /// Records the event at the end of a stream.
    fn record(self, mark: Mark, stream: Stream) -> Answer<()>;

    /// Later commands of the stream start after the event.
    fn wait(self, stream: Stream, mark: Mark) -> Answer<()>;

    /// Whether the stream has passed the event.
    fn is_complete(self, mark: Mark) -> Answer<bool>;

    /// Waits until the stream has passed the event.
    fn sync_mark(self, mark: Mark) -> Answer<()>;

    /// Milliseconds between two timed events that the stream has passed.
    fn elapsed(self, from: Mark, to: Mark) -> Answer<f32>;

    /// Begins to record the commands of a stream instead of executing them.
    ///
    /// # Errors
    /// The default implementation refuses. The device then replays a list of commands.
    fn begin_graph(self, _stream: Stream) -> Answer<()> {
        Err(no_graphs())
    }

    /// Ends the recording and returns an executable graph.
    ///
    /// # Errors
    /// The errors of [`Driver::begin_graph`].
    fn end_graph(self, _stream: Stream) -> Answer<GraphHandle> {
        Err(no_graphs())
    }

    /// Queues a graph.
    ///
    /// # Errors
    /// The errors of [`Driver::begin_graph`].
    fn launch_graph(self, _stream: Stream, _graph: GraphHandle) -> Answer<()> {
        Err(no_graphs())
    }

    /// Frees a graph, after its last launch has completed.
    fn free_graph(self, _graph: GraphHandle) {}

    /// Queues a copy from another device of this driver.
    ///
    /// # Errors
    /// The default implementation refuses. The copy then uses host memory.
    fn copy_from(self, _stream: Stream, _other: Self, _from: Address, _to: Address, _bytes: u64) -> Answer<()> {
        Err(DriverError { call: "a copy between devices".into(), class: Class::Other, words: "not supported".into() })
    }
}

fn no_graphs() -> DriverError {
    DriverError { call: "a graph".into(), class: Class::Other, words: "not supported".into() }
}
