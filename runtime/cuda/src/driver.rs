//! The functions of the CUDA driver that need no context. This file, `cuda.rs`, `link.rs` and `poll.rs` contain the `unsafe`
//! code of this crate.
//!
//! Handles of the driver are plain values. `cube_runtime_gpu` keeps the handles valid. A call can use handles only
//! while the crate `cube_runtime_gpu` holds a shared lock. The function that ends a context takes this lock
//! exclusively. A handle is used only in the process that created it.
use cube_runtime_gpu::driver::{Class, DriverError, DriverResult};
use cudarc::driver::sys;
use std::ffi::CStr;
use std::ptr::null;

pub(crate) use sys::CUdevice_attribute as Attribute;
pub(crate) use sys::CUresult as Code;

/// The class of a driver error. After an error of the class `Fault`, the process can no longer use the device: every
/// later call in any context returns this error again. The driver's manual documents this behaviour for each error of
/// this class, and a test with driver 580 showed it.
fn class(code: Code) -> Class {
    use Code::*;
    match code {
        CUDA_ERROR_ILLEGAL_ADDRESS
        | CUDA_ERROR_LAUNCH_TIMEOUT
        | CUDA_ERROR_ASSERT
        | CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUDA_ERROR_MISALIGNED_ADDRESS
        | CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUDA_ERROR_INVALID_PC
        | CUDA_ERROR_LAUNCH_FAILED
        | CUDA_ERROR_ECC_UNCORRECTABLE => Class::Fault,
        CUDA_ERROR_OUT_OF_MEMORY => Class::OutOfMemory,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES | CUDA_ERROR_INVALID_VALUE => Class::TooLarge,
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION => Class::NewerCode,
        CUDA_ERROR_INVALID_PTX | CUDA_ERROR_NOT_FOUND | CUDA_ERROR_INVALID_IMAGE => Class::BrokenCode,
        _ => Class::Other,
    }
}

/// The driver's name of an error and its description.
fn description(code: Code) -> String {
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
        Some(description) => format!("{name}, {description}"),
        None => name,
    }
}

#[inline]
pub(crate) fn answer(call: &str, code: Code) -> DriverResult<()> {
    if code == Code::CUDA_SUCCESS { Ok(()) } else { Err(failed(call, code)) }
}

#[cold]
fn failed(call: &str, code: Code) -> DriverError {
    DriverError { call: call.into(), class: class(code), description: description(code) }
}

/// Whether the driver's library can be loaded, which every other function of this crate requires.
pub(crate) fn present() -> bool {
    // SAFETY: the call loads the driver's library and runs its initialisers.
    unsafe { sys::is_culib_present() }
}

pub(crate) fn init() -> DriverResult<()> {
    // SAFETY: the library is present; flags must be 0.
    answer("cuInit", unsafe { sys::cuInit(0) })
}

/// The CUDA version of the driver, as 1000 * major + 10 * minor.
pub(crate) fn version() -> DriverResult<i32> {
    let mut version = 0;
    // SAFETY: the driver writes one integer.
    answer("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) }).map(|()| version)
}

pub(crate) fn device_count() -> DriverResult<i32> {
    let mut count = 0;
    // SAFETY: the driver writes one integer.
    answer("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&mut count) }).map(|()| count)
}

/// A GPU.
#[derive(Clone, Copy)]
pub(crate) struct Gpu(pub sys::CUdevice);

impl Gpu {
    pub fn get(ordinal: i32) -> DriverResult<Gpu> {
        let mut device = 0;
        // SAFETY: the driver writes one handle.
        answer("cuDeviceGet", unsafe { sys::cuDeviceGet(&mut device, ordinal) }).map(|()| Gpu(device))
    }

    pub fn name(self) -> DriverResult<String> {
        let mut text = [0; 256];
        // SAFETY: the driver writes at most the given number of bytes, with a zero at the end.
        answer("cuDeviceGetName", unsafe { sys::cuDeviceGetName(text.as_mut_ptr(), text.len() as i32, self.0) })?;
        let bytes = text.map(|c| c as u8);
        Ok(CStr::from_bytes_until_nul(&bytes).map_or_else(|_| "GPU".into(), |t| t.to_string_lossy().into_owned()))
    }

    pub fn attribute(self, attribute: Attribute) -> DriverResult<u32> {
        let mut value = 0;
        // SAFETY: the driver writes one integer.
        answer("cuDeviceGetAttribute", unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.0) })?;
        Ok(value.max(0) as u32)
    }

    pub fn memory_bytes(self) -> DriverResult<u64> {
        let mut bytes = 0;
        // SAFETY: the driver writes one size.
        answer("cuDeviceTotalMem", unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, self.0) }).map(|()| bytes as u64)
    }
}
