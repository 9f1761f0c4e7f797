//! The CUDA driver, function by function: the only module of this crate with `unsafe`.
//!
//! Handles are plain values. `context.rs` keeps them valid: it hands them out under a lock that the end of their
//! context takes exclusively, and never to another process than the one that they are of.
use cudarc::driver::sys;
use serde::{Deserialize, Serialize};
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

/// The driver's default level of optimisation.
const BEST: usize = 4;

/// Number of parameters up to which a launch needs no memory for their addresses.
const FEW_SLOTS: usize = 128;

pub(crate) use sys::{CUdevice_attribute as Attribute, CUresult as Code};

/// A call that the driver refused, or earlier work that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DriverError {
    pub call: String,
    /// The driver's number of the error, see [`Code`].
    pub code: u32,
    /// The driver's name of the error and its description.
    pub words: String,
}

impl DriverError {
    /// Whether it is this error.
    pub fn is(&self, code: Code) -> bool {
        self.code == code as u32
    }

    /// Whether the process cannot use the device any more: every later call, in any context, returns the same error
    /// (seen with driver 580; the driver's manual states it for each of these errors).
    pub fn ends_the_process(&self) -> bool {
        use Code::*;
        [
            CUDA_ERROR_ILLEGAL_ADDRESS,
            CUDA_ERROR_LAUNCH_TIMEOUT,
            CUDA_ERROR_ASSERT,
            CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUDA_ERROR_MISALIGNED_ADDRESS,
            CUDA_ERROR_INVALID_ADDRESS_SPACE,
            CUDA_ERROR_INVALID_PC,
            CUDA_ERROR_LAUNCH_FAILED,
            CUDA_ERROR_ECC_UNCORRECTABLE,
        ]
        .into_iter()
        .any(|code| self.is(code))
    }
}

/// The driver's name of an error and its description.
fn words(code: Code) -> String {
    type Ask = unsafe fn(Code, *mut *const std::ffi::c_char) -> Code;
    let ask = |function: Ask| {
        let mut text = null();
        // SAFETY: the driver stores a pointer to its own text, which lives as long as the library, or null.
        let known = unsafe { function(code, &mut text) } == Code::CUDA_SUCCESS && !text.is_null();
        // SAFETY: as above, and the text ends in a zero.
        known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    let name = ask(sys::cuGetErrorName).unwrap_or_else(|| format!("{code:?}"));
    match ask(sys::cuGetErrorString) {
        Some(words) => format!("{name}, {words}"),
        None => name,
    }
}

pub(crate) type Answer<T> = Result<T, DriverError>;

fn answer(call: &str, code: Code) -> Answer<()> {
    let failed = || DriverError { call: call.into(), code: code as u32, words: words(code) };
    if code == Code::CUDA_SUCCESS { Ok(()) } else { Err(failed()) }
}

/// Whether the driver's library can be loaded; otherwise no other function here works.
pub(crate) fn present() -> bool {
    // SAFETY: loading the driver's library runs its initialisers, which is what it is for.
    unsafe { sys::is_culib_present() }
}

pub(crate) fn init() -> Answer<()> {
    // SAFETY: the library is present; flags must be 0.
    answer("cuInit", unsafe { sys::cuInit(0) })
}

/// The CUDA version of the driver, as 1000 * major + 10 * minor.
pub(crate) fn version() -> Answer<i32> {
    let mut version = 0;
    // SAFETY: the driver writes one integer.
    answer("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) }).map(|()| version)
}

pub(crate) fn device_count() -> Answer<i32> {
    let mut count = 0;
    // SAFETY: the driver writes one integer.
    answer("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) }).map(|()| count)
}

/// A GPU.
#[derive(Clone, Copy)]
pub(crate) struct Gpu(sys::CUdevice);

impl Gpu {
    pub fn get(ordinal: i32) -> Answer<Gpu> {
        let mut device = 0;
        // SAFETY: the driver writes one handle.
        answer("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, ordinal) }).map(|()| Gpu(device))
    }

    pub fn name(self) -> Answer<String> {
        let mut text = [0; 256];
        // SAFETY: the driver writes at most the given number of bytes, with a zero at the end.
        answer("cuDeviceGetName", unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), text.len() as i32, self.0) })?;
        let bytes = text.map(|c| c as u8);
        Ok(CStr::from_bytes_until_nul(&bytes).map_or_else(|_| "GPU".into(), |t| t.to_string_lossy().into_owned()))
    }

    pub fn attribute(self, attribute: Attribute) -> Answer<u32> {
        let mut value = 0;
        // SAFETY: the driver writes one integer.
        answer("cuDeviceGetAttribute", unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.0) })?;
        Ok(value.max(0) as u32)
    }

    pub fn memory_bytes(self) -> Answer<u64> {
        let mut bytes = 0;
        // SAFETY: the driver writes one size.
        answer("cuDeviceTotalMem", unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, self.0) }).map(|()| bytes as u64)
    }
}

/// A context with its only stream.
#[derive(Clone, Copy)]
pub(crate) struct Raw {
    context: sys::CUcontext,
    stream: sys::CUstream,
}

// SAFETY: the driver's handles can be used from any thread.
unsafe impl Send for Raw {}
// SAFETY: the driver locks for itself.
unsafe impl Sync for Raw {}

/// Two events whose difference is a time, as the driver's handles.
pub(crate) type Events = [u64; 2];

/// The address of a buffer on the device.
pub(crate) type Address = sys::CUdeviceptr;

/// A loaded kernel, as the driver's handles; valid as long as its context, in the process that loaded it.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Function {
    function: u64,
    module: u64,
}

// Handles are numbers everywhere but in a call, because they also travel to the process that makes the call.
fn number<T>(handle: *mut T) -> u64 {
    handle.expose_provenance() as u64
}

fn handle<T>(number: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(number as usize)
}

impl Raw {
    /// A new context on the device, current in this thread.
    pub fn create(gpu: Gpu) -> Answer<Raw> {
        let mut raw = Raw { context: null_mut(), stream: null_mut() };
        let flags = sys::CUctx_flags::CU_CTX_SCHED_AUTO as u32;
        // SAFETY: the driver writes one handle; the device exists.
        answer("cuCtxCreate", unsafe { sys::cuCtxCreate_v2(&mut raw.context, flags, gpu.0) })?;
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the new context is current; the driver writes one handle.
        let made = answer("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut raw.stream, flags) });
        made.inspect_err(|_| raw.destroy()).map(|()| raw)
    }

    /// Ends the context with all its objects. Its handles are invalid afterwards.
    pub fn destroy(self) {
        // SAFETY: the caller holds the lock that keeps all others out. A context that a fault has ended answers with the
        // fault, and is gone all the same.
        let _ = unsafe { sys::cuCtxDestroy_v2(self.context) };
    }

    /// Makes the context current in this thread, as the functions below expect.
    pub fn enter(self) -> Answer<()> {
        // SAFETY: the context is alive, see the module.
        answer("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }

    pub fn sync(self) -> Answer<()> {
        // SAFETY: the stream is alive, see the module.
        answer("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })
    }

    pub fn alloc(self, bytes: u64) -> Answer<Address> {
        let mut address = 0;
        // SAFETY: the driver writes one address.
        answer("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, bytes as usize) }).map(|()| address)
    }

    /// Free and total bytes of the device.
    pub fn memory(self) -> Answer<(u64, u64)> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two sizes.
        answer("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok((free as u64, total as u64))
    }

    /// Frees the memory of `alloc`, after all earlier launches.
    pub fn free(self, address: Address) -> Answer<()> {
        // SAFETY: its owner gives an address back once, in the context that it came from.
        answer("cuMemFree", unsafe { sys::cuMemFree_v2(address) })
    }

    pub fn clear(self, address: Address, bytes: u64) -> Answer<()> {
        // SAFETY: the caller owns the range; should it be wrong, the driver or the device refuses it.
        answer("cuMemsetD8Async", unsafe { sys::cuMemsetD8Async(address, 0, bytes as usize, self.stream) })
    }

    /// Copies to the device; complete when it returns.
    pub fn write(self, address: Address, data: &[u8]) -> Answer<()> {
        // SAFETY: the slice is valid for its length until the stream has been waited for, below.
        let copy = unsafe { sys::cuMemcpyHtoDAsync_v2(address, data.as_ptr().cast(), data.len(), self.stream) };
        let copied = answer("cuMemcpyHtoDAsync", copy);
        // Also after an error: part of the copy can be in flight.
        let done = self.sync();
        copied.and(done)
    }

    /// Copies from the device; complete when it returns.
    pub fn read(self, address: Address, out: &mut [u8]) -> Answer<()> {
        // SAFETY: as in `write`, and nobody else has the slice.
        let copy = unsafe { sys::cuMemcpyDtoHAsync_v2(out.as_mut_ptr().cast(), address, out.len(), self.stream) };
        let copied = answer("cuMemcpyDtoHAsync", copy);
        let done = self.sync();
        copied.and(done)
    }

    /// Loads PTX and finds `entry` in it; an error has the log of the driver's compiler.
    pub fn load(self, ptx: &CStr, entry: &CStr) -> Result<Function, (DriverError, String)> {
        let module = self.compile(ptx, BEST).or_else(|refused| {
            // Its optimiser runs out of predicates in kernels with many plane operations in branches, and without it
            // they compile: slow code instead of none.
            let gave_up = refused.1.contains("Register allocation failed");
            if gave_up { self.compile(ptx, 0) } else { Err(refused) }
        })?;
        let mut function = null_mut();
        // SAFETY: the module has just been loaded; the driver writes one handle.
        let code = unsafe { sys::cuModuleGetFunction(&mut function, module, entry.as_ptr()) };
        match answer("cuModuleGetFunction", code) {
            Ok(()) => Ok(Function { function: number(function), module: number(module) }),
            Err(error) => {
                self.unload(Function { function: 0, module: number(module) });
                Err((error, String::new()))
            }
        }
    }

    /// The driver's compiler, at a level of optimisation.
    fn compile(self, ptx: &CStr, level: usize) -> Result<sys::CUmodule, (DriverError, String)> {
        use sys::CUjit_option as Key;
        let mut log = vec![0u8; 8 << 10];
        let mut options =
            [Key::CU_JIT_ERROR_LOG_BUFFER, Key::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, Key::CU_JIT_OPTIMIZATION_LEVEL];
        // All values but the first are numbers in the place of pointers.
        let number = std::ptr::without_provenance_mut;
        let mut values = [log.as_mut_ptr().cast::<c_void>(), number(log.len()), number(level)];
        let (count, mut module) = (options.len() as u32, null_mut());
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: the text ends in a zero; both arrays have `count` entries; the log is as long as the option says.
        let code = unsafe { sys::cuModuleLoadDataEx(&mut module, ptx.as_ptr().cast(), count, options, values) };
        let said = || String::from_utf8_lossy(log.split(|b| *b == 0).next().unwrap_or_default()).trim().to_string();
        answer("cuModuleLoadDataEx", code).map_err(|error| (error, said()))?;
        Ok(module)
    }

    /// Unloads the code of a kernel, once no earlier launch runs any more.
    pub fn unload(self, function: Function) {
        // A failure of that work is for the next call to tell.
        let _ = self.sync();
        // SAFETY: its owner gives a module back once, in the context that it came from.
        let _ = unsafe { sys::cuModuleUnload(handle(function.module)) };
    }

    /// Allows a kernel this much dynamic shared memory.
    pub fn allow_shared(self, function: Function, bytes: u32) -> Answer<()> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function belongs to this context, which is alive.
        answer("cuFuncSetAttribute", unsafe {
            sys::cuFuncSetAttribute(handle(function.function), attribute, bytes as i32)
        })
    }

    /// Queues a launch.
    ///
    /// # Safety
    /// `slots` has one entry for each parameter of the kernel, with the value in its low bytes, and the addresses among
    /// them lead to buffers of this context with the corresponding lengths.
    pub unsafe fn launch(
        self,
        function: Function,
        cubes: [u32; 3],
        dim: [u32; 3],
        shared: u32,
        slots: &mut [u64],
    ) -> Answer<()> {
        let addresses = slots.iter_mut().map(|slot| std::ptr::from_mut(slot).cast::<c_void>());
        let (mut few, mut many) = ([null_mut(); FEW_SLOTS], Vec::new());
        let pointers = if addresses.len() <= FEW_SLOTS {
            few.iter_mut().zip(addresses).for_each(|(pointer, address)| *pointer = address);
            &mut few[..]
        } else {
            many.extend(addresses);
            &mut many[..]
        };
        let ([cx, cy, cz], [dx, dy, dz]) = (cubes, dim);
        let (stream, params) = (self.stream, pointers.as_mut_ptr());
        // SAFETY: the caller's promise; the driver copies the values before it returns.
        let code = unsafe {
            sys::cuLaunchKernel(handle(function.function), cx, cy, cz, dx, dy, dz, shared, stream, params, null_mut())
        };
        answer("cuLaunchKernel", code)
    }

    /// Records the start of a measurement.
    pub fn begin(self) -> Answer<Events> {
        let mut events = [null_mut(); 2];
        for event in &mut events {
            // SAFETY: the driver writes one handle.
            answer("cuEventCreate", unsafe { sys::cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DEFAULT as u32) })?;
        }
        // SAFETY: event and stream are alive.
        answer("cuEventRecord", unsafe { sys::cuEventRecord(events[0], self.stream) }).map(|()| events.map(number))
    }

    /// Milliseconds on the device from `begin` to here.
    pub fn end(self, events: Events) -> Answer<f32> {
        let ([start, end], mut milliseconds) = (events.map(handle), 0.0);
        // SAFETY: events and stream are alive; the driver writes one number.
        let measured = unsafe {
            answer("cuEventRecord", sys::cuEventRecord(end, self.stream))
                .and_then(|()| answer("cuEventSynchronize", sys::cuEventSynchronize(end)))
                .and_then(|()| answer("cuEventElapsedTime", sys::cuEventElapsedTime(&mut milliseconds, start, end)))
        };
        for event in [start, end] {
            // SAFETY: nobody else has the events.
            let _ = unsafe { sys::cuEventDestroy_v2(event) };
        }
        measured.map(|()| milliseconds)
    }
}

/// A text for the driver; `None` if it contains a zero byte.
pub(crate) fn text(bytes: &[u8]) -> Option<CString> {
    CString::new(bytes).ok()
}
