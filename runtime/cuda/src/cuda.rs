//! A context of CUDA's driver. Each method calls one function of the driver.
use crate::chip::Capability;
use crate::driver::{Code, Gpu, answer, version};
use crate::find;
use crate::poll::Words;
use cube_artifact::{CodeFormat, WAIT_AT_START};
use cube_runtime::{MemorySpace, RuntimeError};
use cube_runtime_gpu::driver::{
    Address, Class, DeviceInfo, Driver, DriverError, DriverResult, EventHandle, Function, GraphHandle, Grid, Logged,
    Stream,
};
use cube_runtime_gpu::owned::{self, ObjectKind};
use cudarc::driver::sys;
use std::ffi::{CStr, CString, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// The default optimisation level of the driver.
const BEST: usize = 4;

/// Maximum number of parameters of a launch that allocates no memory for the addresses of the parameters.
const MAX_STACK_SLOTS: usize = 128;

/// The primary context of a GPU, with a list of the objects that were created in it. Other libraries of the process, such
/// as cudarc and torch, use the same context, so that memory, streams and events can be shared.
#[derive(Clone, Copy)]
pub struct Cuda {
    context: sys::CUcontext,
    device: sys::CUdevice,
    /// Number of the list of objects in [`owned`].
    objects: u64,
    /// The words with which the host waits for short work. They are never freed, because copies of this value refer to them.
    words: &'static Words,
}

// SAFETY: the driver's handles can be used from any thread.
unsafe impl Send for Cuda {}
// SAFETY: the driver has its own locks.
unsafe impl Sync for Cuda {}

// Outside of driver calls, handles are numbers, because the runtime also sends them to a child process that makes the
// calls.
fn number<T>(handle: *mut T) -> u64 {
    handle.expose_provenance() as u64
}

fn handle<T>(number: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(number as usize)
}

/// Whether the driver can launch a kernel before the kernel before it has ended, also in graphs.
fn launches_early() -> bool {
    static ABLE: OnceLock<bool> = OnceLock::new();
    *ABLE.get_or_init(|| version().is_ok_and(|version| version >= 12_030))
}

/// Whether the first instruction of the kernel waits for the kernel before it.
fn code_waits(ptx: &CStr) -> bool {
    ptx.to_bytes().windows(WAIT_AT_START.len()).any(|part| part == WAIT_AT_START.as_bytes())
}

impl Cuda {
    /// Adds an object to the list of objects.
    fn own(self, kind: ObjectKind, object: u64) -> u64 {
        owned::add(self.objects, kind, object);
        object
    }

    /// Frees an object, unless it was freed.
    fn end(self, kind: ObjectKind, object: u64) -> DriverResult<()> {
        if owned::take(self.objects, kind, object) { self.release(kind, object) } else { Ok(()) }
    }

    /// Frees an object that was removed from the list of objects.
    fn release(self, kind: ObjectKind, object: u64) -> DriverResult<()> {
        // SAFETY: each object is removed from the list once, and its owner no longer uses it.
        let (call, code) = unsafe {
            match kind {
                ObjectKind::Graph => ("cuGraphExecDestroy", sys::cuGraphExecDestroy(handle(object))),
                ObjectKind::Nodes => ("cuGraphDestroy", sys::cuGraphDestroy(handle(object))),
                ObjectKind::Event => ("cuEventDestroy", sys::cuEventDestroy_v2(handle(object))),
                ObjectKind::Stream => ("cuStreamDestroy", sys::cuStreamDestroy_v2(handle(object))),
                ObjectKind::Module => ("cuModuleUnload", sys::cuModuleUnload(handle(object))),
                ObjectKind::Memory => ("cuMemFree", sys::cuMemFree_v2(object)),
            }
        };
        answer(call, code)
    }

    /// Calls the driver's compiler with an optimisation level.
    fn compile(self, ptx: &CStr, level: usize) -> Result<sys::CUmodule, Logged> {
        use sys::CUjit_option as Key;
        let mut log = vec![0u8; 8 << 10];
        let mut options =
            [Key::CU_JIT_ERROR_LOG_BUFFER, Key::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, Key::CU_JIT_OPTIMIZATION_LEVEL];
        // The driver expects pointers. All values except the first are numbers that are cast to pointers.
        let number = std::ptr::without_provenance_mut;
        let mut values = [log.as_mut_ptr().cast::<c_void>(), number(log.len()), number(level)];
        let (count, mut module) = (options.len() as u32, null_mut());
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: the text ends in a zero; both arrays have `count` entries; the log is as long as the option says.
        let code = unsafe { sys::cuModuleLoadDataEx(&mut module, ptx.as_ptr().cast(), count, options, values) };
        let driver_log =
            || String::from_utf8_lossy(log.split(|b| *b == 0).next().unwrap_or_default()).trim().to_string();
        answer("cuModuleLoadDataEx", code).map_err(|error| (error, driver_log()))?;
        Ok(module)
    }
}

impl Driver for Cuda {
    const NAME: &'static str = "CUDA";
    const CHECK: &'static str = "nvidia-smi";
    const BACKEND: &'static str = find::BACKEND;
    const FORMAT: CodeFormat = CodeFormat::PTX;
    const DEVICE_VARIABLE: &'static str = "CUBE_CUDA_DEVICE";
    const CHILD_VARIABLE: &'static str = "CUBE_CUDA_HOST";
    const SERVES_VARIABLE: &'static str = "CUBE_CUDA_HOST_OF";
    const ALIGNMENT: u32 = find::ALIGNMENT;
    const STATIC_SHARED_BYTES: u32 = 48 << 10;
    const CODE_IS_TEXT: bool = true;

    fn find(ordinal: u32) -> Result<DeviceInfo, RuntimeError> {
        find::find(ordinal)
    }

    fn memory_space(ordinal: u32) -> MemorySpace {
        MemorySpace::Cuda(ordinal)
    }

    fn runs(device: &str, code: &str) -> Option<bool> {
        Capability::of(device)?.runs(code)
    }

    fn create(ordinal: u32) -> DriverResult<Cuda> {
        let (gpu, mut context) = (Gpu::get(ordinal as i32)?, null_mut());
        // SAFETY: the driver writes one handle; the device exists.
        answer("cuDevicePrimaryCtxRetain", unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, gpu.0) })?;
        static NONE: Words = Words::none();
        let cuda = Cuda { context, device: gpu.0, objects: owned::new(), words: &NONE };
        match cuda.enter().and_then(|()| Words::of_context()) {
            Ok(words) => Ok(Cuda { words: Box::leak(Box::new(words)), ..cuda }),
            Err(error) => {
                cuda.destroy();
                Err(error)
            }
        }
    }

    fn destroy(self) {
        // If earlier work has faulted, each of these calls returns the fault, but the driver still frees the objects.
        let _ = self.enter().and_then(|()| self.sync());
        for (kind, object) in owned::end(self.objects) {
            let _ = self.release(kind, object);
        }
        let _ = self.words.end();
        // SAFETY: `create` retained the context once.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }

    fn enter(self) -> DriverResult<()> {
        // SAFETY: the context is alive, see the module.
        answer("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }

    fn sync(self) -> DriverResult<()> {
        // SAFETY: the context is the current one.
        answer("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }

    fn stream(self) -> DriverResult<Stream> {
        let (mut stream, flags) = (null_mut(), sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32);
        // SAFETY: the driver writes one handle.
        let code = unsafe { sys::cuStreamCreate(&mut stream, flags) };
        answer("cuStreamCreate", code).map(|()| Stream(self.own(ObjectKind::Stream, number(stream))))
    }

    fn sync_stream(self, stream: Stream) -> DriverResult<()> {
        // SAFETY: stream and context are alive, see the module.
        unsafe { self.words.sync(handle(stream.0)) }
    }

    fn alloc(self, bytes: u64) -> DriverResult<Address> {
        let mut address = 0;
        // SAFETY: the driver writes one address.
        let code = unsafe { sys::cuMemAlloc_v2(&mut address, bytes as usize) };
        answer("cuMemAlloc", code).map(|()| self.own(ObjectKind::Memory, address))
    }

    fn free(self, address: Address) -> DriverResult<()> {
        self.end(ObjectKind::Memory, address)
    }

    fn memory(self) -> DriverResult<(u64, u64)> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two sizes.
        answer("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok((free as u64, total as u64))
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn lock(self, bytes: *mut u8, count: usize) -> DriverResult<()> {
        // SAFETY: the caller's promise.
        answer("cuMemHostRegister", unsafe {
            sys::cuMemHostRegister_v2(bytes.cast(), count, sys::CU_MEMHOSTREGISTER_PORTABLE)
        })
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn unlock(self, bytes: *mut u8) -> DriverResult<()> {
        // SAFETY: the caller's promise.
        answer("cuMemHostUnregister", unsafe { sys::cuMemHostUnregister(bytes.cast()) })
    }

    fn clear(self, stream: Stream, address: Address, bytes: u64) -> DriverResult<()> {
        // SAFETY: the caller owns the range. The driver or the device refuses a wrong range.
        answer("cuMemsetD8Async", unsafe { sys::cuMemsetD8Async(address, 0, bytes as usize, handle(stream.0)) })
    }

    fn copy(self, stream: Stream, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        // SAFETY: as in `clear`.
        answer("cuMemcpyDtoDAsync", unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes as usize, handle(stream.0)) })
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn write(self, stream: Stream, address: Address, from: *const u8, bytes: usize) -> DriverResult<()> {
        // SAFETY: the caller's promise about the host memory.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(address, from.cast(), bytes, handle(stream.0)) };
        answer("cuMemcpyHtoDAsync", code)
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn read(self, stream: Stream, address: Address, to: *mut u8, bytes: usize) -> DriverResult<()> {
        // SAFETY: the caller's promise about the host memory.
        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), address, bytes, handle(stream.0)) };
        answer("cuMemcpyDtoHAsync", code)
    }

    fn load(self, code: &[u8], entry: &str) -> Result<Function, Logged> {
        let text = |bytes: &[u8]| CString::new(bytes).unwrap_or_default();
        let (ptx, entry) = (text(code), text(entry.as_bytes()));
        let module = self.compile(&ptx, BEST).or_else(|refused| {
            // For kernels with many plane operations in branches, the driver's optimiser fails, because it needs too
            // many predicate registers. Without optimisation, such kernels compile, but their code is slow.
            let out_of_registers = refused.1.contains("Register allocation failed");
            if out_of_registers { self.compile(&ptx, 0) } else { Err(refused) }
        })?;
        let mut function = null_mut();
        // SAFETY: the module has just been loaded; the driver writes one handle.
        let code = unsafe { sys::cuModuleGetFunction(&mut function, module, entry.as_ptr()) };
        let module = self.own(ObjectKind::Module, number(module));
        let waits = launches_early() && code_waits(&ptx);
        match answer("cuModuleGetFunction", code) {
            Ok(()) => Ok(Function { function: number(function), module, waits }),
            Err(error) => {
                self.unload(Function { function: 0, module, waits });
                Err((error, String::new()))
            }
        }
    }

    fn unload(self, function: Function) {
        let _ = self.end(ObjectKind::Module, function.module);
    }

    fn allow_shared(self, function: Function, bytes: u32) -> DriverResult<()> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function belongs to this context, which is alive.
        answer("cuFuncSetAttribute", unsafe {
            sys::cuFuncSetAttribute(handle(function.function), attribute, bytes as i32)
        })
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn launch(self, stream: Stream, function: Function, grid: &Grid, slots: &mut [u64]) -> DriverResult<()> {
        let addresses = slots.iter_mut().map(|slot| std::ptr::from_mut(slot).cast::<c_void>());
        // The driver reads only as many addresses as the kernel has parameters, so the others stay uninitialised.
        let (mut few, mut many) = ([const { MaybeUninit::uninit() }; MAX_STACK_SLOTS], Vec::new());
        let params = if addresses.len() <= MAX_STACK_SLOTS {
            for (pointer, address) in few.iter_mut().zip(addresses) {
                pointer.write(address);
            }
            few.as_mut_ptr().cast()
        } else {
            many.extend(addresses);
            many.as_mut_ptr()
        };
        let Grid { cubes: [cx, cy, cz], dim: [dx, dy, dz], shared } = *grid;
        let (waits, function, stream) = (function.waits, handle(function.function), handle(stream.0));
        if !waits {
            // SAFETY: the caller's promise; the driver copies the values before it returns.
            let code =
                unsafe { sys::cuLaunchKernel(function, cx, cy, cz, dx, dy, dz, shared, stream, params, null_mut()) };
            return answer("cuLaunchKernel", code);
        }
        let mut early = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let launch = sys::CUlaunchConfig {
            gridDimX: cx,
            gridDimY: cy,
            gridDimZ: cz,
            blockDimX: dx,
            blockDimY: dy,
            blockDimZ: dz,
            sharedMemBytes: shared,
            hStream: stream,
            attrs: &raw mut early,
            numAttrs: 1,
        };
        // SAFETY: the caller's promise; the kernel waits for the kernel before it; the driver copies the values before it returns.
        answer("cuLaunchKernelEx", unsafe { sys::cuLaunchKernelEx(&launch, function, params, null_mut()) })
    }

    fn create_event(self, timed: bool) -> DriverResult<EventHandle> {
        use sys::CUevent_flags::*;
        let mut event = null_mut();
        let flags = if timed {
            CU_EVENT_DEFAULT as u32
        } else {
            CU_EVENT_DISABLE_TIMING as u32 | CU_EVENT_BLOCKING_SYNC as u32
        };
        // SAFETY: the driver writes one handle.
        answer("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, flags) })
            .map(|()| EventHandle(self.own(ObjectKind::Event, number(event))))
    }

    fn free_event(self, event: EventHandle) {
        // The driver destroys the event when no command waits for it.
        let _ = self.end(ObjectKind::Event, event.0);
    }

    fn record(self, event: EventHandle, stream: Stream) -> DriverResult<()> {
        // SAFETY: event and stream are alive.
        answer("cuEventRecord", unsafe { sys::cuEventRecord(handle(event.0), handle(stream.0)) })
    }

    fn wait(self, stream: Stream, event: EventHandle) -> DriverResult<()> {
        // SAFETY: event and stream are alive; flags must be 0.
        answer("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(handle(stream.0), handle(event.0), 0) })
    }

    fn is_complete(self, event: EventHandle) -> DriverResult<bool> {
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(handle(event.0)) } {
            Code::CUDA_ERROR_NOT_READY => Ok(false),
            code => answer("cuEventQuery", code).map(|()| true),
        }
    }

    fn sync_event(self, event: EventHandle) -> DriverResult<()> {
        // SAFETY: the event is alive.
        answer("cuEventSynchronize", unsafe { sys::cuEventSynchronize(handle(event.0)) })
    }

    fn elapsed(self, from: EventHandle, to: EventHandle) -> DriverResult<f32> {
        let mut milliseconds = 0.0;
        // SAFETY: the events are alive; the driver writes one number.
        let code = unsafe { sys::cuEventElapsedTime(&mut milliseconds, handle(from.0), handle(to.0)) };
        answer("cuEventElapsedTime", code).map(|()| milliseconds)
    }

    fn begin_graph(self, stream: Stream) -> DriverResult<()> {
        // With this mode, calls of other threads do not end the capture.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive and records nothing yet.
        answer("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(handle(stream.0), mode) })
    }

    fn end_graph(self, stream: Stream) -> DriverResult<GraphHandle> {
        let (mut graph, mut executable) = (null_mut(), null_mut());
        // SAFETY: the stream records; the driver writes one handle.
        answer("cuStreamEndCapture", unsafe { sys::cuStreamEndCapture(handle(stream.0), &mut graph) })?;
        let nodes = self.own(ObjectKind::Nodes, number(graph));
        // SAFETY: the graph is alive; the driver writes one handle; no flags.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0) };
        match answer("cuGraphInstantiateWithFlags", made) {
            Ok(()) => Ok(GraphHandle { executable: self.own(ObjectKind::Graph, number(executable)), nodes }),
            Err(error) => {
                let _ = self.end(ObjectKind::Nodes, nodes);
                Err(error)
            }
        }
    }

    fn last_node(self, stream: Stream) -> DriverResult<u64> {
        static CAN_UPDATE: OnceLock<bool> = OnceLock::new();
        // Older drivers do not have the function that changes a launch of a graph.
        if !CAN_UPDATE.get_or_init(|| version().is_ok_and(|version| version >= 12_000)) {
            let description = "not supported before CUDA 12".into();
            return Err(DriverError { call: "a change of a graph".into(), class: Class::Other, description });
        }
        let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        let (mut id, mut graph, mut nodes, mut count) = (0, null_mut(), std::ptr::null(), 0);
        // SAFETY: the stream records; the driver writes the values, and keeps the list until the next call with the stream.
        let code = unsafe {
            sys::cuStreamGetCaptureInfo_v2(handle(stream.0), &mut status, &mut id, &mut graph, &mut nodes, &mut count)
        };
        answer("cuStreamGetCaptureInfo", code)?;
        if count != 1 || nodes.is_null() {
            let description = format!("{count} nodes are last");
            return Err(DriverError { call: "cuStreamGetCaptureInfo".into(), class: Class::Other, description });
        }
        // SAFETY: the list has one node.
        Ok(number(unsafe { *nodes }))
    }

    // SAFETY: the caller keeps the contract of the trait.
    unsafe fn update_launch(
        self,
        graph: GraphHandle,
        node: u64,
        function: Function,
        grid: &Grid,
        slots: &mut [u64],
    ) -> DriverResult<()> {
        let mut pointers: Vec<_> = slots.iter_mut().map(|slot| std::ptr::from_mut(slot).cast::<c_void>()).collect();
        let Grid { cubes: [cx, cy, cz], dim: [dx, dy, dz], shared } = *grid;
        let parameters = sys::CUDA_KERNEL_NODE_PARAMS {
            func: handle(function.function),
            gridDimX: cx,
            gridDimY: cy,
            gridDimZ: cz,
            blockDimX: dx,
            blockDimY: dy,
            blockDimZ: dz,
            sharedMemBytes: shared,
            kernelParams: pointers.as_mut_ptr(),
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        };
        // SAFETY: graph and node are alive; the caller's promise about the values, which the driver copies.
        let code =
            unsafe { sys::cuGraphExecKernelNodeSetParams_v2(handle(graph.executable), handle(node), &parameters) };
        answer("cuGraphExecKernelNodeSetParams", code)
    }

    fn launch_graph(self, stream: Stream, graph: GraphHandle) -> DriverResult<()> {
        // SAFETY: graph and stream are alive.
        answer("cuGraphLaunch", unsafe { sys::cuGraphLaunch(handle(graph.executable), handle(stream.0)) })
    }

    fn free_graph(self, graph: GraphHandle) {
        let _ = self.end(ObjectKind::Graph, graph.executable);
        let _ = self.end(ObjectKind::Nodes, graph.nodes);
    }

    fn connect(self, other: Cuda) -> DriverResult<bool> {
        if self.device == other.device {
            return Ok(true);
        }
        let mut possible = 0;
        // SAFETY: the driver writes one integer; both devices exist.
        let code = unsafe { sys::cuDeviceCanAccessPeer(&mut possible, self.device, other.device) };
        answer("cuDeviceCanAccessPeer", code)?;
        if possible == 0 {
            return Ok(false);
        }
        // SAFETY: both contexts are alive, and this one is current; flags must be 0.
        match unsafe { sys::cuCtxEnablePeerAccess(other.context, 0) } {
            Code::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(true),
            // The driver can refuse the connection because of a limit of the system, for example on the number of
            // connected devices.
            Code::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED | Code::CUDA_ERROR_TOO_MANY_PEERS => Ok(false),
            code => answer("cuCtxEnablePeerAccess", code).map(|()| true),
        }
    }

    fn copy_from(self, stream: Stream, other: Cuda, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        if self.context == other.context {
            return self.copy(stream, from, to, bytes);
        }
        let (own, other, bytes, stream) = (self.context, other.context, bytes as usize, handle(stream.0));
        // SAFETY: both contexts are alive. The driver or the device refuses a wrong range.
        answer("cuMemcpyPeerAsync", unsafe { sys::cuMemcpyPeerAsync(to, own, from, other, bytes, stream) })
    }
}
