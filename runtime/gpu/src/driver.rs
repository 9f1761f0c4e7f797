//! The interface to a GPU driver, which a runtime such as the CUDA runtime implements.
//!
//! Each method calls one function of the driver and returns its error as a value. [`crate::GpuDevice`] keeps handles
//! valid, orders queues, owns the memory pools and reports faults. Handles are numbers, because requests to the child
//! process also contain handles ([`crate::host`]).
use cube_artifact::CodeFormat;
use cube_runtime::{DeviceProperties, MemorySpace, RuntimeError};
use serde::{Deserialize, Serialize};

/// The class of a driver's error, which determines the error that the runtime reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    /// A kernel has faulted, and every later call in the context fails.
    Fault,
    /// The device has too little memory for an allocation or for code.
    OutOfMemory,
    /// The device cannot run a cube of this size.
    TooLarge,
    /// The code needs a newer driver.
    NewerCode,
    /// The driver cannot load the code, or the code lacks the entry point.
    BrokenCode,
    /// Any other error.
    Other,
}

/// The error of a driver call: the driver refused the call, or earlier work has failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverError {
    /// The driver's function.
    pub call: String,
    /// The class of the error.
    pub class: Class,
    /// The driver's name of the error, and its description.
    pub description: String,
}

/// The result of a driver call.
pub type DriverResult<T> = Result<T, DriverError>;

/// An error, with the log of the driver's compiler.
pub type Logged = (DriverError, String);

/// An address in device memory.
pub type Address = u64;

/// A stream. The handle is valid until the end of the context in which it was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(pub u64);

/// An event. The handle is valid until the end of the context in which it was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventHandle(pub u64);

/// A loaded kernel: the handles of the function and of its module. The two handles are valid until the end of
/// the context in which the kernel was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The driver's handle of the entry function.
    pub function: u64,
    /// The driver's handle of the module that contains the function.
    pub module: u64,
    /// Whether the kernel can be launched before the kernel before it has ended, because it waits itself.
    pub waits: bool,
}

/// An executable graph. The handles are valid until the end of the context in which it was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphHandle {
    /// The executable graph.
    pub executable: u64,
    /// The handle of the graph that contains the nodes of [`Driver::last_node`]; 0 if the driver does not need this
    /// graph.
    pub nodes: u64,
}

/// The grid of a launch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Grid {
    /// Cubes along x, y, z.
    pub cubes: [u32; 3],
    /// Units of a cube along x, y, z.
    pub dim: [u32; 3],
    /// Bytes of dynamic shared memory, in addition to the static shared memory of the code.
    pub shared: u32,
}

/// The properties of a device that are known before a context exists.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// The driver's name of the device.
    pub name: String,
    /// The name of the chip as in a target, for example `sm_90`.
    pub chip: String,
    /// The version of the driver as text for messages, for example `13.0`.
    pub version: String,
    /// Limits and facts.
    pub properties: DeviceProperties,
}

/// The functions of a GPU driver. A value of a type that implements this trait is the handle of a context.
///
/// [`Driver::create`] creates a context and returns its handle, and [`Driver::destroy`] ends the context. Methods with
/// `self`, except [`Driver::enter`], require that the context is current in the calling thread. Callers must pass only
/// valid handles.
pub trait Driver: Copy + Send + Sync + 'static {
    /// Name of the driver for messages, for example `CUDA`.
    const NAME: &'static str;
    /// Program with which a user can check the driver, for example `nvidia-smi`.
    const CHECK: &'static str;
    /// Backend of the artifacts that this driver runs.
    const BACKEND: &'static str;
    /// Format of the code that the driver loads.
    const FORMAT: CodeFormat;
    /// Environment variable with the number of the device.
    const DEVICE_VARIABLE: &'static str;
    /// Environment variable with the path of the program that runs as the child process after a fault.
    const CHILD_VARIABLE: &'static str;
    /// Environment variable with the number of the device. The parent sets this variable for a child process.
    const SERVES_VARIABLE: &'static str;
    /// Alignment of every allocation in bytes.
    const ALIGNMENT: u32;
    /// Maximum bytes of static shared memory in the code. If a cube has more shared memory, the launch allocates it
    /// dynamically.
    const STATIC_SHARED_BYTES: u32;
    /// Whether the code is text without zero bytes.
    const CODE_IS_TEXT: bool;

    /// Finds the driver and the device.
    ///
    /// # Errors
    /// [`cube_runtime::ErrorKind::NoDevice`] if the driver or the device is missing.
    fn find(ordinal: u32) -> Result<DeviceInfo, RuntimeError>;

    /// The memory of the device with the number `ordinal`, for the exchange of memory between libraries.
    fn memory_space(ordinal: u32) -> MemorySpace;

    /// Whether a device of the chip `device` runs code for the chip `code`; `None` for an unknown name.
    fn runs(device: &str, code: &str) -> Option<bool>;

    /// Creates a context on the device and makes it current in this thread.
    fn create(ordinal: u32) -> DriverResult<Self>;

    /// Ends the context with all its memory, streams, events and modules.
    fn destroy(self);

    /// Makes the context current in the calling thread.
    fn enter(self) -> DriverResult<()>;

    /// Waits for all streams of the context.
    fn sync(self) -> DriverResult<()>;

    /// Creates a stream that does not synchronise with other streams.
    fn stream(self) -> DriverResult<Stream>;

    /// Waits for a stream.
    fn sync_stream(self, stream: Stream) -> DriverResult<()>;

    /// Allocates device memory.
    fn alloc(self, bytes: u64) -> DriverResult<Address>;

    /// Frees memory that [`Driver::alloc`] returned.
    fn free(self, address: Address) -> DriverResult<()>;

    /// The free and the total bytes of the device's memory.
    fn memory(self) -> DriverResult<(u64, u64)>;

    /// Page-locks host memory for all contexts of this process, for fast and asynchronous copies.
    ///
    /// # Safety
    /// The bytes must stay mapped until [`Driver::unlock`] is called or the context ends.
    unsafe fn lock(self, bytes: *mut u8, count: usize) -> DriverResult<()>;

    /// Ends the page lock that [`Driver::lock`] created.
    ///
    /// # Safety
    /// The memory at the pointer must be page-locked in this context.
    unsafe fn unlock(self, bytes: *mut u8) -> DriverResult<()>;

    /// Queues a command that fills device memory with zeros.
    fn clear(self, stream: Stream, address: Address, bytes: u64) -> DriverResult<()>;

    /// Queues a copy within the device's memory.
    fn copy(self, stream: Stream, from: Address, to: Address, bytes: u64) -> DriverResult<()>;

    /// Queues a copy from the host to the device.
    ///
    /// # Safety
    /// The host memory must stay valid and unchanged until the copy has completed.
    unsafe fn write(self, stream: Stream, address: Address, from: *const u8, bytes: usize) -> DriverResult<()>;

    /// Queues a copy from the device to the host.
    ///
    /// # Safety
    /// The host memory must stay valid, and other code must not access it, until the copy has completed.
    unsafe fn read(self, stream: Stream, address: Address, to: *mut u8, bytes: usize) -> DriverResult<()>;

    /// Loads code and finds the function `entry` in the code.
    ///
    /// # Errors
    /// The error of the driver, with the log of the driver's compiler.
    fn load(self, code: &[u8], entry: &str) -> Result<Function, Logged>;

    /// Frees a kernel's code. No launch of the kernel is still running.
    fn unload(self, function: Function);

    /// Allows a kernel to use `bytes` bytes of dynamic shared memory.
    fn allow_shared(self, function: Function, bytes: u32) -> DriverResult<()>;

    /// Queues a launch. Each slot contains the value of one parameter of the code in its low bytes.
    ///
    /// # Safety
    /// `slots` must contain a slot for each parameter, and the addresses in the slots must refer to memory of
    /// this context.
    unsafe fn launch(self, stream: Stream, function: Function, grid: &Grid, slots: &mut [u64]) -> DriverResult<()>;

    /// Creates an event. [`Driver::elapsed`] requires timed events.
    fn create_event(self, timed: bool) -> DriverResult<EventHandle>;

    /// Frees an event.
    fn free_event(self, event: EventHandle);

    /// Records the event at the end of a stream.
    fn record(self, event: EventHandle, stream: Stream) -> DriverResult<()>;

    /// Lets later commands of the stream start only after the event. The event can belong to another context of this
    /// process.
    fn wait(self, stream: Stream, event: EventHandle) -> DriverResult<()>;

    /// Whether all commands before the event have completed.
    fn is_complete(self, event: EventHandle) -> DriverResult<bool>;

    /// Waits until all commands before the event have completed.
    fn sync_event(self, event: EventHandle) -> DriverResult<()>;

    /// Milliseconds between two timed events that have completed.
    fn elapsed(self, from: EventHandle, to: EventHandle) -> DriverResult<f32>;

    /// Begins a recording: the driver records the commands of a stream and does not execute them.
    ///
    /// # Errors
    /// The default implementation returns an error. If a driver does not support graphs, the device submits
    /// the commands of a graph one by one.
    fn begin_graph(self, _stream: Stream) -> DriverResult<()> {
        Err(no_graphs())
    }

    /// Ends the recording and returns an executable graph.
    ///
    /// # Errors
    /// The errors of [`Driver::begin_graph`].
    fn end_graph(self, _stream: Stream) -> DriverResult<GraphHandle> {
        Err(no_graphs())
    }

    /// Queues a launch of a graph.
    ///
    /// # Errors
    /// The errors of [`Driver::begin_graph`].
    fn launch_graph(self, _stream: Stream, _graph: GraphHandle) -> DriverResult<()> {
        Err(no_graphs())
    }

    /// The node of the last launch that the stream recorded, for [`Driver::update_launch`].
    ///
    /// # Errors
    /// The default implementation returns an error. If a driver cannot change a graph, the device records a changed graph
    /// again.
    fn last_node(self, _stream: Stream) -> DriverResult<u64> {
        Err(no_graphs())
    }

    /// Changes a recorded launch of a graph for later launches of the graph.
    ///
    /// # Errors
    /// The errors of [`Driver::last_node`].
    ///
    /// # Safety
    /// The requirements of [`Driver::launch`].
    unsafe fn update_launch(
        self,
        _graph: GraphHandle,
        _node: u64,
        _function: Function,
        _grid: &Grid,
        _slots: &mut [u64],
    ) -> DriverResult<()> {
        Err(no_graphs())
    }

    /// Frees a graph, after its last launch has completed.
    fn free_graph(self, _graph: GraphHandle) {}

    /// Lets this context access the memory of `other`, a context of this driver. Returns whether the driver copies
    /// between the two devices without host memory.
    ///
    /// # Errors
    /// The driver refuses the call.
    fn connect(self, _other: Self) -> DriverResult<bool> {
        Ok(false)
    }

    /// Queues a copy from memory of the context `other` to memory of this context, on a stream of this context. The
    /// runtime calls the method only after [`Driver::connect`] returned `true`.
    ///
    /// # Errors
    /// The driver refuses the call.
    fn copy_from(self, _stream: Stream, _other: Self, _from: Address, _to: Address, _bytes: u64) -> DriverResult<()> {
        Err(DriverError {
            call: "a copy between devices".into(),
            class: Class::Other,
            description: "not supported".into(),
        })
    }
}

fn no_graphs() -> DriverError {
    DriverError { call: "a graph".into(), class: Class::Other, description: "not supported".into() }
}
