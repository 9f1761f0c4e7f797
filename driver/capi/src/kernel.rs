//! Loaded kernels.
use crate::device::CubeDevice;
use crate::handle::CubeArtifact;
use crate::out::{free, given, new_handle, of_runtime};
use cube_runtime::{Device, Kernel};
use std::{ffi::c_char, sync::Arc};

/// The type `cube_kernel` of `cube.h`. A kernel keeps its device alive.
pub struct CubeKernel {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) kernel: Kernel,
}

/// Implements `cube_kernel_load` of `cube.h`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_kernel_load(
    device: *const CubeDevice,
    artifact: *const CubeArtifact,
    error: *mut *mut c_char,
) -> *mut CubeKernel {
    // SAFETY: the contract in `cube.h` includes the requirements of the helpers.
    unsafe {
        new_handle(error, "cube_kernel_load", || {
            let device = given(device, "the device", "cube_device_open")?.0.clone();
            let kernel = device.load(&given(artifact, "the artifact", "cube_compile")?.artifact).map_err(of_runtime)?;
            Ok(CubeKernel { device, kernel })
        })
    }
}

/// Implements `cube_kernel_free` of `cube.h`.
///
/// # Safety
/// The pointer is null, or points to a kernel that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_kernel_free(kernel: *mut CubeKernel) {
    // SAFETY: the caller's promise.
    unsafe { free(kernel) }
}
