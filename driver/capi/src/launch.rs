//! Loaded kernels, and their launches.
use crate::arguments::CubeArgs;
use crate::device::CubeDevice;
use crate::handle::CubeArtifact;
use crate::out::{Outcome, done, free, given, misuse, new_handle, of_runtime};
use cube_runtime::{Device, Kernel, launch::bind};
use std::{
    ffi::{c_char, c_int},
    sync::Arc,
};

/// `cube_kernel`; keeps its device.
pub struct CubeKernel {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) kernel: Kernel,
}

/// `cube_kernel_load`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_kernel_load(
    device: *const CubeDevice,
    artifact: *const CubeArtifact,
    error: *mut *mut c_char,
) -> *mut CubeKernel {
    // SAFETY: the promises of the header are those of the helpers.
    unsafe {
        new_handle(error, || {
            let device = given(device, "the device")?.0.clone();
            let kernel = device.load(&given(artifact, "the artifact")?.artifact).map_err(of_runtime)?;
            Ok(CubeKernel { device, kernel })
        })
    }
}

/// `cube_kernel_free`.
///
/// # Safety
/// Null, or a kernel that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_kernel_free(kernel: *mut CubeKernel) {
    // SAFETY: the caller's promise.
    unsafe { free(kernel) }
}

/// # Safety
/// `args` is null or alive, `count` null or three numbers.
// SAFETY: both are looked at for null.
unsafe fn launched<'a>(args: *const CubeArgs, count: *const [u32; 3]) -> Outcome<(&'a CubeArgs, [u32; 3])> {
    // SAFETY: the caller's promise.
    let count = unsafe { count.as_ref() }.ok_or_else(|| misuse("the cube count is null: give three numbers"))?;
    // SAFETY: the caller's promise.
    Ok((unsafe { given(args, "the arguments")? }, *count))
}

/// `cube_check`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_check(args: *const CubeArgs, count: *const [u32; 3], error: *mut *mut c_char) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, || {
            let (args, count) = launched(args, count)?;
            let all = args.complete().map_err(of_runtime)?;
            bind(args.kernel.artifact(), &all, count, args.device.properties()).map(|_| ()).map_err(of_runtime)
        })
    }
}

/// `cube_launch`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_launch(args: *const CubeArgs, count: *const [u32; 3], error: *mut *mut c_char) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, || {
            let (args, count) = launched(args, count)?;
            let all = args.complete().map_err(of_runtime)?;
            args.device.launch_kernel(&args.kernel, &all, count).map_err(of_runtime)
        })
    }
}
