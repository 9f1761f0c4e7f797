//! Loads HIP's library. The crate looks up each HIP function by name, and only once.
//!
//! `cubecl-hip-sys` defines the types. The functions of `cubecl-hip-sys` look up a symbol at each call, and end the
//! process if the symbol is missing. The crate `cubecl-hip-sys` also requires `hiprtc`. This crate reports a missing
//! symbol as an error with the symbol's name.
use cube_runtime_gpu::driver::{Class, DriverError, DriverResult};
use cubecl_hip_sys as sys;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// The file names of HIP's library: for ROCm 7, for ROCm 6, and without a version.
const NAMES: [&str; 3] = ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"];

/// The library folder of a ROCm installation, for systems whose loader does not search this folder.
const FOLDER: &str = "/opt/rocm/lib";

/// The oldest supported major version of HIP. Older versions use another layout for the properties of a
/// device.
pub(crate) const OLDEST: i32 = 6;

type Code = sys::hipError_t;
type Pointer = *mut c_void;

macro_rules! functions {
    ($($name:ident($($ty:ty),*);)*) => {
        /// The functions.
        #[allow(non_snake_case, reason = "HIP's names")]
        pub(crate) struct Api {
            $(pub $name: unsafe extern "C" fn($($ty),*) -> Code,)*
            pub hipGetErrorName: unsafe extern "C" fn(Code) -> *const c_char,
            pub hipGetErrorString: unsafe extern "C" fn(Code) -> *const c_char,
            // The value keeps the library loaded, because the library contains the code of the functions.
            _library: Library,
        }

        impl Api {
            fn of(library: Library) -> Result<Api, String> {
                // SAFETY: the types equal those of HIP's header, as `cubecl-hip-sys` defines them. The library stays
                // loaded.
                unsafe {
                    Ok(Api {
                        $($name: symbol(&library, stringify!($name))?,)*
                        hipGetErrorName: symbol(&library, "hipGetErrorName")?,
                        hipGetErrorString: symbol(&library, "hipGetErrorString")?,
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    hipInit(c_uint);
    hipRuntimeGetVersion(*mut c_int);
    hipGetDeviceCount(*mut c_int);
    hipGetDevicePropertiesR0600(*mut sys::hipDeviceProp_tR0600, c_int);
    hipSetDevice(c_int);
    hipDeviceSynchronize();
    hipMalloc(*mut Pointer, usize);
    hipFree(Pointer);
    hipMemGetInfo(*mut usize, *mut usize);
    hipHostRegister(Pointer, usize, c_uint);
    hipHostUnregister(Pointer);
    hipMemsetD8Async(sys::hipDeviceptr_t, u8, usize, sys::hipStream_t);
    hipMemcpyDtoDAsync(sys::hipDeviceptr_t, sys::hipDeviceptr_t, usize, sys::hipStream_t);
    hipMemcpyHtoDAsync(sys::hipDeviceptr_t, *const c_void, usize, sys::hipStream_t);
    hipMemcpyDtoHAsync(Pointer, sys::hipDeviceptr_t, usize, sys::hipStream_t);
    hipDeviceCanAccessPeer(*mut c_int, c_int, c_int);
    hipDeviceEnablePeerAccess(c_int, c_uint);
    hipMemcpyPeerAsync(Pointer, c_int, *const c_void, c_int, usize, sys::hipStream_t);
    hipModuleLoadData(*mut sys::hipModule_t, *const c_void);
    hipModuleUnload(sys::hipModule_t);
    hipModuleGetFunction(*mut sys::hipFunction_t, sys::hipModule_t, *const c_char);
    hipModuleLaunchKernel(sys::hipFunction_t, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, sys::hipStream_t, *mut Pointer, *mut Pointer);
    hipStreamCreateWithFlags(*mut sys::hipStream_t, c_uint);
    hipStreamDestroy(sys::hipStream_t);
    hipStreamSynchronize(sys::hipStream_t);
    hipStreamWaitEvent(sys::hipStream_t, sys::hipEvent_t, c_uint);
    hipEventCreateWithFlags(*mut sys::hipEvent_t, c_uint);
    hipEventDestroy(sys::hipEvent_t);
    hipEventRecord(sys::hipEvent_t, sys::hipStream_t);
    hipEventQuery(sys::hipEvent_t);
    hipEventSynchronize(sys::hipEvent_t);
    hipEventElapsedTime(*mut f32, sys::hipEvent_t, sys::hipEvent_t);
    hipStreamBeginCapture(sys::hipStream_t, sys::hipStreamCaptureMode);
    hipStreamEndCapture(sys::hipStream_t, *mut sys::hipGraph_t);
    hipGraphInstantiateWithFlags(*mut sys::hipGraphExec_t, sys::hipGraph_t, u64);
    hipGraphDestroy(sys::hipGraph_t);
    hipGraphExecDestroy(sys::hipGraphExec_t);
    hipGraphLaunch(sys::hipGraphExec_t, sys::hipStream_t);
}

// SAFETY: the caller names a function of the type `T`.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map(|function| *function).map_err(|_| format!("its library has no {name}; install ROCm {OLDEST} or later"))
}

/// The reason why no library was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The library is not installed.
    Library,
    /// The library does not have the required version or functions.
    Unfit(String),
}

/// Returns the library, and loads it at the first call. After a failed load, the next call tries to load it again.
pub(crate) fn api() -> Result<&'static Api, Missing> {
    static API: OnceLock<Api> = OnceLock::new();
    match API.get() {
        Some(api) => Ok(api),
        None => load().map(|api| API.get_or_init(|| api)),
    }
}

/// The first library that has all functions and a supported version. If no library is suitable, the error
/// describes the first installed library.
fn load() -> Result<Api, Missing> {
    let in_folder = NAMES.iter().map(|name| format!("{FOLDER}/{name}"));
    let mut missing = Missing::Library;
    for name in NAMES.iter().map(|name| (*name).to_string()).chain(in_folder) {
        // SAFETY: the call loads the library and runs its initialisers.
        let Ok(library) = (unsafe { Library::new(name) }) else { continue };
        match fit(library) {
            Ok(api) => return Ok(api),
            Err(why) if missing == Missing::Library => missing = Missing::Unfit(why),
            Err(_) => {}
        }
    }
    Err(missing)
}

/// The functions of a library. The library must have all functions and a supported version.
fn fit(library: Library) -> Result<Api, String> {
    let api = Api::of(library)?;
    let mut version = 0;
    // SAFETY: the library writes one integer.
    let code = unsafe { (api.hipRuntimeGetVersion)(&mut version) };
    if code != sys::hipError_t_hipSuccess {
        return Err(api.description(code));
    }
    match major(version) {
        old if old < OLDEST => Err(format!("its library is of ROCm {old}; install ROCm {OLDEST} or later")),
        _ => Ok(api),
    }
}

/// The major version in a version number of HIP.
pub(crate) fn major(version: i32) -> i32 {
    version / 10_000_000
}

impl Api {
    /// HIP's name of an error, and its description.
    pub fn description(&self, code: Code) -> String {
        let text = |pointer: *const c_char| {
            // SAFETY: a text that is not null belongs to the library, ends with NUL, and lives as long as the library.
            (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
        };
        // SAFETY: both functions accept any number.
        let (name, description) = unsafe { ((self.hipGetErrorName)(code), (self.hipGetErrorString)(code)) };
        match (text(name), text(description)) {
            (Some(name), Some(description)) => format!("{name}, {description}"),
            (Some(name), None) => name,
            _ => format!("error {code}"),
        }
    }

    /// The result of a HIP call.
    pub fn answer(&self, call: &str, code: Code) -> DriverResult<()> {
        if code == sys::hipError_t_hipSuccess {
            return Ok(());
        }
        Err(DriverError { call: call.into(), class: class(code), description: self.description(code) })
    }
}

/// The class of a HIP error.
fn class(code: Code) -> Class {
    match code {
        sys::hipError_t_hipErrorIllegalAddress
        | sys::hipError_t_hipErrorLaunchTimeOut
        | sys::hipError_t_hipErrorAssert
        | sys::hipError_t_hipErrorLaunchFailure
        | sys::hipError_t_hipErrorECCNotCorrectable => Class::Fault,
        sys::hipError_t_hipErrorOutOfMemory => Class::OutOfMemory,
        sys::hipError_t_hipErrorLaunchOutOfResources
        | sys::hipError_t_hipErrorInvalidConfiguration
        | sys::hipError_t_hipErrorInvalidValue => Class::TooLarge,
        sys::hipError_t_hipErrorInvalidImage
        | sys::hipError_t_hipErrorInvalidKernelFile
        | sys::hipError_t_hipErrorSharedObjectInitFailed
        | sys::hipError_t_hipErrorNoBinaryForGpu
        | sys::hipError_t_hipErrorNotFound => Class::BrokenCode,
        _ => Class::Other,
    }
}
