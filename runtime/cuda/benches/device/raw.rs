//! Launches through the driver alone, without Cube's runtime, for comparison.
use cudarc::driver::sys;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

const EMPTY: &std::ffi::CStr = c".version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d, .param .u32 e, .param .u32 f, .param .u32 g,
  .param .u32 h) { ret; }";

/// The primary context with a stream and an empty kernel of eight parameters. The stream exists as long as the process.
pub struct Raw {
    context: sys::CUcontext,
    stream: sys::CUstream,
    function: sys::CUfunction,
}

/// A loaded kernel with its arguments.
pub struct RawKernel {
    module: sys::CUmodule,
    function: sys::CUfunction,
    buffer: sys::CUdeviceptr,
    length: u64,
    value: f32,
}

fn check(call: &str, code: sys::CUresult) -> Result<(), String> {
    if code == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(format!("{call}: {code:?}")) }
}

impl Raw {
    pub fn new() -> Result<Self, String> {
        let (mut device, mut module) = (0, null_mut());
        let mut raw = Raw { context: null_mut(), stream: null_mut(), function: null_mut() };
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver writes one handle in each call, and the texts end in a zero. The benchmark has opened a
        // device, so that the driver is initialised.
        unsafe {
            check("cuDeviceGet", sys::cuDeviceGet(&mut device, 0))?;
            check("cuDevicePrimaryCtxRetain", sys::cuDevicePrimaryCtxRetain(&mut raw.context, device))?;
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(raw.context))?;
            check("cuStreamCreate", sys::cuStreamCreate(&mut raw.stream, flags))?;
            check("cuModuleLoadData", sys::cuModuleLoadData(&mut module, EMPTY.as_ptr().cast()))?;
            check("cuModuleGetFunction", sys::cuModuleGetFunction(&mut raw.function, module, c"k".as_ptr()))?;
        }
        Ok(raw)
    }

    pub fn launch(&self) -> Result<(), String> {
        let mut values = [0u32, 1, 2, 3, 4, 5, 6, 7];
        let mut params = values.each_mut().map(|value| std::ptr::from_mut(value).cast::<c_void>());
        let (function, stream) = (self.function, self.stream);
        // SAFETY: the kernel has eight parameters of 4 bytes, which the driver copies before it returns.
        check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params.as_mut_ptr(), null_mut())
        })
    }

    /// Makes the context current in the calling thread.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn enter(&self) -> Result<(), String> {
        // SAFETY: the context is alive.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }

    /// This context is the current context of the calling thread.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn is_entered(&self) -> Result<bool, String> {
        let mut context = null_mut();
        // SAFETY: the driver writes one handle.
        check("cuCtxGetCurrent", unsafe { sys::cuCtxGetCurrent(&mut context) })?;
        Ok(context == self.context)
    }

    /// The median times of copies to and from the device with page-locked memory of the driver.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn pinned(&self, bytes: usize) -> Result<[Duration; 2], String> {
        self.enter()?;
        let mut host = null_mut();
        // SAFETY: the driver writes one pointer.
        check("cuMemAllocHost", unsafe { sys::cuMemAllocHost_v2(&mut host, bytes) })?;
        let times = self.copies(host, host, bytes);
        // SAFETY: allocated above, and no copy uses it.
        check("cuMemFreeHost", unsafe { sys::cuMemFreeHost(host) })?;
        times
    }

    /// The median times of copies to and from the device with ordinary memory.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn pageable(&self, from: &[u8], to: &mut [u8]) -> Result<[Duration; 2], String> {
        self.enter()?;
        let bytes = from.len().min(to.len());
        self.copies(from.as_ptr().cast_mut().cast(), to.as_mut_ptr().cast(), bytes)
    }

    fn copies(&self, from: *mut c_void, to: *mut c_void, bytes: usize) -> Result<[Duration; 2], String> {
        let mut address = 0;
        // SAFETY: the driver writes one address.
        check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&mut address, bytes) })?;
        let timed = |copy: &dyn Fn() -> sys::CUresult| -> Result<Duration, String> {
            check("cuMemcpy", copy())?;
            let mut times = Vec::new();
            for _ in 0..7 {
                let start = Instant::now();
                check("cuMemcpy", copy())?;
                times.push(start.elapsed());
            }
            times.sort();
            Ok(times[3])
        };
        // SAFETY: `from`, `to` and the memory at `address` have at least `bytes` bytes; the copies complete
        // before they return.
        let upload = timed(&|| unsafe { sys::cuMemcpyHtoD_v2(address, from, bytes) })?;
        // SAFETY: as above.
        let download = timed(&|| unsafe { sys::cuMemcpyDtoH_v2(to, address, bytes) })?;
        // SAFETY: allocated above.
        check("cuMemFree", unsafe { sys::cuMemFree_v2(address) })?;
        Ok([upload, download])
    }

    /// Loads the kernel `k` with the parameters `buffer` and `length` of 8 bytes, and `value`. The buffer has `length` floats.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn kernel(&self, code: &std::ffi::CStr, length: u64, value: f32) -> Result<RawKernel, String> {
        self.enter()?;
        let mut kernel = RawKernel { module: null_mut(), function: null_mut(), buffer: 0, length, value };
        // SAFETY: the driver writes one handle in each call. The text of the kernel ends in a zero.
        unsafe {
            check("cuModuleLoadData", sys::cuModuleLoadData(&mut kernel.module, code.as_ptr().cast()))?;
            check("cuModuleGetFunction", sys::cuModuleGetFunction(&mut kernel.function, kernel.module, c"k".as_ptr()))?;
            check("cuMemAlloc", sys::cuMemAlloc_v2(&mut kernel.buffer, 4 * length as usize))?;
        }
        Ok(kernel)
    }

    /// Launches a kernel on one unit.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn launch_kernel(&self, kernel: &RawKernel) -> Result<(), String> {
        let RawKernel { function, mut buffer, mut length, mut value, .. } = *kernel;
        let mut params = [
            std::ptr::from_mut(&mut buffer).cast::<c_void>(),
            std::ptr::from_mut(&mut length).cast(),
            std::ptr::from_mut(&mut value).cast(),
        ];
        // SAFETY: the kernel has the parameters above, which the driver copies before it returns.
        check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, self.stream, params.as_mut_ptr(), null_mut())
        })
    }

    /// Frees a kernel and its buffer, after its launches have completed.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn free(&self, kernel: RawKernel) -> Result<(), String> {
        // SAFETY: nothing runs, and no other code has these handles.
        unsafe {
            check("cuMemFree", sys::cuMemFree_v2(kernel.buffer))?;
            check("cuModuleUnload", sys::cuModuleUnload(kernel.module))
        }
    }

    /// The median time of a launch in a graph of `count` dependent launches, which the driver records from a stream. The time
    /// includes the final synchronisation.
    #[allow(dead_code, reason = "for one of two benchmarks")]
    pub fn graph(&self, kernel: &RawKernel, count: u32) -> Result<Duration, String> {
        self.enter()?;
        let (mut graph, mut executable) = (null_mut(), null_mut());
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive and records nothing yet.
        check("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(self.stream, mode) })?;
        (0..count).try_for_each(|_| self.launch_kernel(kernel))?;
        // SAFETY: the stream records, and the driver writes one handle in each call.
        unsafe {
            check("cuStreamEndCapture", sys::cuStreamEndCapture(self.stream, &mut graph))?;
            check("cuGraphInstantiate", sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0))?;
        }
        let mut times = Vec::new();
        for _ in 0..8 {
            let start = Instant::now();
            // SAFETY: the handles are alive.
            check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(executable, self.stream) })?;
            self.sync()?;
            times.push(start.elapsed() / count);
        }
        // SAFETY: nothing runs, and no other code has these handles.
        unsafe {
            check("cuGraphExecDestroy", sys::cuGraphExecDestroy(executable))?;
            check("cuGraphDestroy", sys::cuGraphDestroy(graph))?;
        }
        times[1..].sort();
        Ok(times[4])
    }

    pub fn sync(&self) -> Result<(), String> {
        // SAFETY: both handles are alive. A launch of the runtime has made its own context current since.
        unsafe {
            check("cuCtxSetCurrent", sys::cuCtxSetCurrent(self.context))?;
            check("cuStreamSynchronize", sys::cuStreamSynchronize(self.stream))
        }
    }
}
