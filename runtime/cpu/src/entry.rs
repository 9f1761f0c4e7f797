//! The calling convention of `cube_artifact`, for calls from this crate.
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;

/// `struct Launch` of the calling convention in `cube_artifact`.
#[repr(C)]
pub(crate) struct LaunchBlock {
    pub buffers: *const *mut c_void,
    pub info: *const u64,
    pub scalars: *const u64,
    pub cube_count: [u32; 3],
    /// 0 while the launch is to continue.
    pub stop: AtomicU32,
}

// SAFETY: the pointers are only read, by the kernel; what they lead to is kept alive and locked by the launch. `stop` is an atomic.
unsafe impl Sync for LaunchBlock {}
// SAFETY: the pointers belong to no thread, and who holds the block beside the launch uses `stop` alone.
unsafe impl Send for LaunchBlock {}

pub(crate) type Entry = unsafe extern "C" fn(*const LaunchBlock, u64, u64, *mut c_void);
