//! Calls the functions of HIP's library for one device. This file, `library.rs` and `find.rs` contain all `unsafe`
//! code of this crate.
//!
//! Handles of the library are plain values. The crate `cube_runtime_gpu` keeps the handles valid: a call can use a
//! handle only while the crate holds a shared lock, and the function that ends a context takes this lock exclusively. A
//! handle is used only in the process that created it.
use crate::library::{Api, api};
use crate::{chip, find};
use cube_artifact::CodeFormat;
use cube_runtime::{MemorySpace, RuntimeError};
use cube_runtime_gpu::driver::{
    Address, Class, DeviceInfo, Driver, DriverError, DriverResult, EventHandle, Function, GraphHandle, Grid, Logged,
    Stream,
};
use cube_runtime_gpu::owned::{self, ObjectKind};
use cubecl_hip_sys as sys;
use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;

/// Maximum number of parameters of a launch that allocates no memory for the addresses of the parameters.
const MAX_STACK_SLOTS: usize = 128;

/// Flags from HIP's header file `hip_runtime_api.h`.
const STREAM_NON_BLOCKING: u32 = 1;
const REGISTER_PORTABLE: u32 = 1;
const EVENT_BLOCKING_SYNC: u32 = 1;
const EVENT_DISABLE_TIMING: u32 = 2;

/// A HIP device, with a list of the objects that were created on it.
#[derive(Clone, Copy)]
pub struct Hip {
    api: &'static Api,
    device: c_int,
    /// Number of the context in [`owned`].
    context: u64,
    /// The number of the device's processor in code objects, if the processor is known.
    machine: Option<u8>,
}

// Outside of calls of HIP, handles are numbers, because the runtime also sends them to a child process that makes the
// calls.
fn number<T>(handle: *mut T) -> u64 {
    handle.expose_provenance() as u64
}

fn handle<T>(number: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(number as usize)
}

impl Hip {
    fn answer(self, call: &str, code: sys::hipError_t) -> DriverResult<()> {
        self.api.answer(call, code)
    }

    fn own(self, kind: ObjectKind, handle: u64) -> u64 {
        owned::add(self.context, kind, handle);
        handle
    }

    /// Frees an object that was removed from the list of objects.
    fn release(self, kind: ObjectKind, object: u64) -> DriverResult<()> {
        let api = self.api;
        // SAFETY: each object is removed from the list once, and its owner no longer uses it.
        let (call, code) = unsafe {
            match kind {
                ObjectKind::Graph => ("hipGraphExecDestroy", (api.hipGraphExecDestroy)(handle(object))),
                ObjectKind::Nodes => ("hipGraphDestroy", (api.hipGraphDestroy)(handle(object))),
                ObjectKind::Event => ("hipEventDestroy", (api.hipEventDestroy)(handle(object))),
                ObjectKind::Stream => ("hipStreamDestroy", (api.hipStreamDestroy)(handle(object))),
                ObjectKind::Module => ("hipModuleUnload", (api.hipModuleUnload)(handle(object))),
                ObjectKind::Memory => ("hipFree", (api.hipFree)(handle(object))),
            }
        };
        self.answer(call, code)
    }

    fn end(self, kind: ObjectKind, object: u64) -> DriverResult<()> {
        if owned::take(self.context, kind, object) { self.release(kind, object) } else { Ok(()) }
    }
}

impl Driver for Hip {
    const NAME: &'static str = "HIP";
    const CHECK: &'static str = "rocminfo";
    const BACKEND: &'static str = find::BACKEND;
    const FORMAT: CodeFormat = CodeFormat::HSACO;
    const DEVICE_VARIABLE: &'static str = "CUBE_HIP_DEVICE";
    const CHILD_VARIABLE: &'static str = "CUBE_HIP_HOST";
    const SERVES_VARIABLE: &'static str = "CUBE_HIP_HOST_OF";
    const ALIGNMENT: u32 = find::ALIGNMENT;
    // All shared memory is static. No kernel has more than this limit.
    const STATIC_SHARED_BYTES: u32 = u32::MAX - 1;
    const CODE_IS_TEXT: bool = false;

    fn find(ordinal: u32) -> Result<DeviceInfo, RuntimeError> {
        find::find(ordinal)
    }

    fn memory_space(ordinal: u32) -> MemorySpace {
        MemorySpace::Hip(ordinal)
    }

    fn runs(device: &str, code: &str) -> Option<bool> {
        chip::runs(device, code)
    }

    fn create(ordinal: u32) -> DriverResult<Hip> {
        let missing =
            |_| DriverError { call: "the library".into(), class: Class::Other, description: "it is not there".into() };
        let api = api().map_err(missing)?;
        let device = ordinal as c_int;
        let machine = find::machine(api, device)?;
        let hip = Hip { api, device, context: owned::new(), machine };
        hip.enter().map(|()| hip)
    }

    fn destroy(self) {
        // If earlier work has faulted, each of these calls returns the fault, but HIP still frees the objects.
        let _ = self.enter().and_then(|()| self.sync());
        for (kind, object) in owned::end(self.context) {
            let _ = self.release(kind, object);
        }
    }

    fn enter(self) -> DriverResult<()> {
        // SAFETY: a number of a device.
        self.answer("hipSetDevice", unsafe { (self.api.hipSetDevice)(self.device) })
    }

    fn sync(self) -> DriverResult<()> {
        // SAFETY: the device is the current one.
        self.answer("hipDeviceSynchronize", unsafe { (self.api.hipDeviceSynchronize)() })
    }

    fn stream(self) -> DriverResult<Stream> {
        let mut stream = null_mut();
        // SAFETY: the library writes one handle.
        let code = unsafe { (self.api.hipStreamCreateWithFlags)(&mut stream, STREAM_NON_BLOCKING) };
        self.answer("hipStreamCreate", code).map(|()| Stream(self.own(ObjectKind::Stream, number(stream))))
    }

    fn sync_stream(self, stream: Stream) -> DriverResult<()> {
        // SAFETY: the stream is alive, see the module.
        self.answer("hipStreamSynchronize", unsafe { (self.api.hipStreamSynchronize)(handle(stream.0)) })
    }

    fn alloc(self, bytes: u64) -> DriverResult<Address> {
        let mut address = null_mut();
        // SAFETY: the library writes one address.
        self.answer("hipMalloc", unsafe { (self.api.hipMalloc)(&mut address, bytes as usize) })?;
        Ok(self.own(ObjectKind::Memory, number(address)))
    }

    fn free(self, address: Address) -> DriverResult<()> {
        self.end(ObjectKind::Memory, address)
    }

    fn memory(self) -> DriverResult<(u64, u64)> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the library writes two sizes.
        self.answer("hipMemGetInfo", unsafe { (self.api.hipMemGetInfo)(&mut free, &mut total) })?;
        Ok((free as u64, total as u64))
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn lock(self, bytes: *mut u8, count: usize) -> DriverResult<()> {
        // SAFETY: the caller's promise.
        self.answer("hipHostRegister", unsafe { (self.api.hipHostRegister)(bytes.cast(), count, REGISTER_PORTABLE) })
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn unlock(self, bytes: *mut u8) -> DriverResult<()> {
        // SAFETY: the caller's promise.
        self.answer("hipHostUnregister", unsafe { (self.api.hipHostUnregister)(bytes.cast()) })
    }

    fn clear(self, stream: Stream, address: Address, bytes: u64) -> DriverResult<()> {
        // SAFETY: the caller owns the range. The library or the device refuses a wrong range.
        let code = unsafe { (self.api.hipMemsetD8Async)(handle(address), 0, bytes as usize, handle(stream.0)) };
        self.answer("hipMemsetD8Async", code)
    }

    fn copy(self, stream: Stream, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        let (to, from, bytes) = (handle(to), handle(from), bytes as usize);
        // SAFETY: as in `clear`.
        let code = unsafe { (self.api.hipMemcpyDtoDAsync)(to, from, bytes, handle(stream.0)) };
        self.answer("hipMemcpyDtoDAsync", code)
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn write(self, stream: Stream, address: Address, from: *const u8, bytes: usize) -> DriverResult<()> {
        // SAFETY: the caller's promise about the host memory.
        let code = unsafe { (self.api.hipMemcpyHtoDAsync)(handle(address), from.cast(), bytes, handle(stream.0)) };
        self.answer("hipMemcpyHtoDAsync", code)
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn read(self, stream: Stream, address: Address, to: *mut u8, bytes: usize) -> DriverResult<()> {
        // SAFETY: the caller's promise about the host memory.
        let code = unsafe { (self.api.hipMemcpyDtoHAsync)(to.cast(), handle(address), bytes, handle(stream.0)) };
        self.answer("hipMemcpyDtoHAsync", code)
    }

    fn load(self, code: &[u8], entry: &str) -> Result<Function, Logged> {
        let logged = |error: DriverError| (error, String::new());
        // HIP's library takes the size of the code object from its headers, and would read past the end of a truncated
        // file.
        if let Err(description) = chip::check(code, self.machine) {
            let (call, class) = ("hipModuleLoadData".into(), Class::BrokenCode);
            return Err(logged(DriverError { call, class, description }));
        }
        let mut module = null_mut();
        // SAFETY: the bytes are a whole file; the library copies them, and writes one handle.
        let answer = unsafe { (self.api.hipModuleLoadData)(&mut module, code.as_ptr().cast()) };
        self.answer("hipModuleLoadData", answer).map_err(logged)?;
        let module = self.own(ObjectKind::Module, number(module));
        let entry = CString::new(entry).unwrap_or_default();
        let mut function = null_mut();
        // SAFETY: the module has just been loaded; the library writes one handle.
        let answer = unsafe { (self.api.hipModuleGetFunction)(&mut function, handle(module), entry.as_ptr()) };
        match self.answer("hipModuleGetFunction", answer) {
            Ok(()) => Ok(Function { function: number(function), module, waits: false }),
            Err(error) => {
                self.unload(Function { function: 0, module, waits: false });
                Err(logged(error))
            }
        }
    }

    fn unload(self, function: Function) {
        let _ = self.end(ObjectKind::Module, function.module);
    }

    fn allow_shared(self, _: Function, _: u32) -> DriverResult<()> {
        // Shared memory is static.
        Ok(())
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn launch(self, stream: Stream, function: Function, grid: &Grid, slots: &mut [u64]) -> DriverResult<()> {
        // A dispatch counts units in 32 bits (HSA, "Kernel dispatch packet"). HIP's library multiplies without an
        // overflow check.
        if grid.cubes.iter().zip(grid.dim).any(|(cubes, dim)| cubes.checked_mul(dim).is_none()) {
            let description = "a dispatch has less than 2^32 units along an axis".into();
            return Err(DriverError { call: "hipModuleLaunchKernel".into(), class: Class::TooLarge, description });
        }
        let addresses = slots.iter_mut().map(|slot| std::ptr::from_mut(slot).cast::<c_void>());
        let (mut few, mut many) = ([null_mut(); MAX_STACK_SLOTS], Vec::new());
        let pointers = if addresses.len() <= MAX_STACK_SLOTS {
            few.iter_mut().zip(addresses).for_each(|(pointer, address)| *pointer = address);
            &mut few[..]
        } else {
            many.extend(addresses);
            &mut many[..]
        };
        let Grid { cubes: [cx, cy, cz], dim: [dx, dy, dz], shared } = *grid;
        let (function, stream, params) = (handle(function.function), handle(stream.0), pointers.as_mut_ptr());
        let launch = self.api.hipModuleLaunchKernel;
        // SAFETY: the caller's promise; the library copies the values before it returns.
        let code = unsafe { launch(function, cx, cy, cz, dx, dy, dz, shared, stream, params, null_mut()) };
        self.answer("hipModuleLaunchKernel", code)
    }

    fn create_event(self, timed: bool) -> DriverResult<EventHandle> {
        let mut event = null_mut();
        let flags = if timed { 0 } else { EVENT_DISABLE_TIMING | EVENT_BLOCKING_SYNC };
        // SAFETY: the library writes one handle.
        let code = unsafe { (self.api.hipEventCreateWithFlags)(&mut event, flags) };
        self.answer("hipEventCreate", code).map(|()| EventHandle(self.own(ObjectKind::Event, number(event))))
    }

    fn free_event(self, event: EventHandle) {
        let _ = self.end(ObjectKind::Event, event.0);
    }

    fn record(self, event: EventHandle, stream: Stream) -> DriverResult<()> {
        // SAFETY: event and stream are alive.
        self.answer("hipEventRecord", unsafe { (self.api.hipEventRecord)(handle(event.0), handle(stream.0)) })
    }

    fn wait(self, stream: Stream, event: EventHandle) -> DriverResult<()> {
        // SAFETY: event and stream are alive; flags must be 0.
        let code = unsafe { (self.api.hipStreamWaitEvent)(handle(stream.0), handle(event.0), 0) };
        self.answer("hipStreamWaitEvent", code)
    }

    fn is_complete(self, event: EventHandle) -> DriverResult<bool> {
        // SAFETY: the event is alive.
        match unsafe { (self.api.hipEventQuery)(handle(event.0)) } {
            sys::hipError_t_hipErrorNotReady => Ok(false),
            code => self.answer("hipEventQuery", code).map(|()| true),
        }
    }

    fn sync_event(self, event: EventHandle) -> DriverResult<()> {
        // SAFETY: the event is alive.
        self.answer("hipEventSynchronize", unsafe { (self.api.hipEventSynchronize)(handle(event.0)) })
    }

    fn elapsed(self, from: EventHandle, to: EventHandle) -> DriverResult<f32> {
        let mut milliseconds = 0.0;
        // SAFETY: the events are alive; the library writes one number.
        let code = unsafe { (self.api.hipEventElapsedTime)(&mut milliseconds, handle(from.0), handle(to.0)) };
        self.answer("hipEventElapsedTime", code).map(|()| milliseconds)
    }

    fn begin_graph(self, stream: Stream) -> DriverResult<()> {
        // With this mode, calls of other threads do not end the capture.
        let mode = sys::hipStreamCaptureMode_hipStreamCaptureModeThreadLocal;
        // SAFETY: the stream is alive and records nothing yet.
        let code = unsafe { (self.api.hipStreamBeginCapture)(handle(stream.0), mode) };
        self.answer("hipStreamBeginCapture", code)
    }

    fn end_graph(self, stream: Stream) -> DriverResult<GraphHandle> {
        let (mut graph, mut executable) = (null_mut(), null_mut());
        // SAFETY: the stream records; the library writes one handle.
        let code = unsafe { (self.api.hipStreamEndCapture)(handle(stream.0), &mut graph) };
        self.answer("hipStreamEndCapture", code)?;
        // SAFETY: the graph is alive; the library writes one handle; no flags.
        let made = unsafe { (self.api.hipGraphInstantiateWithFlags)(&mut executable, graph, 0) };
        // SAFETY: the executable form does not need the graph.
        let _ = unsafe { (self.api.hipGraphDestroy)(graph) };
        self.answer("hipGraphInstantiate", made)
            .map(|()| GraphHandle { executable: self.own(ObjectKind::Graph, number(executable)), nodes: 0 })
    }

    fn launch_graph(self, stream: Stream, graph: GraphHandle) -> DriverResult<()> {
        // SAFETY: graph and stream are alive.
        self.answer("hipGraphLaunch", unsafe { (self.api.hipGraphLaunch)(handle(graph.executable), handle(stream.0)) })
    }

    fn free_graph(self, graph: GraphHandle) {
        let _ = self.end(ObjectKind::Graph, graph.executable);
    }

    fn connect(self, other: Hip) -> DriverResult<bool> {
        if self.device == other.device {
            return Ok(true);
        }
        let mut possible = 0;
        // SAFETY: the library writes one integer; both devices exist.
        let code = unsafe { (self.api.hipDeviceCanAccessPeer)(&mut possible, self.device, other.device) };
        self.answer("hipDeviceCanAccessPeer", code)?;
        if possible == 0 {
            return Ok(false);
        }
        // SAFETY: the other device exists, and this one is current; flags must be 0.
        match unsafe { (self.api.hipDeviceEnablePeerAccess)(other.device, 0) } {
            sys::hipError_t_hipErrorPeerAccessAlreadyEnabled => Ok(true),
            code => self.answer("hipDeviceEnablePeerAccess", code).map(|()| true),
        }
    }

    fn copy_from(self, stream: Stream, other: Hip, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        let (to, from, bytes) = (handle(to), handle(from), bytes as usize);
        let copy = self.api.hipMemcpyPeerAsync;
        // SAFETY: the library or the device refuses a wrong range.
        let code = unsafe { copy(to, self.device, from, other.device, bytes, handle(stream.0)) };
        self.answer("hipMemcpyPeerAsync", code)
    }
}
