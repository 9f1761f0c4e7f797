//! The calling convention that `cube_artifact` defines, as types for calls from this crate.
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;

/// `struct Launch` of the calling convention in `cube_artifact`.
#[repr(C)]
pub(crate) struct LaunchBlock {
    pub buffers: *const *mut c_void,
    pub info: *const u64,
    pub scalars: *const u64,
    pub cube_count: [u32; 3],
    /// 0 as long as the launch must continue.
    pub stop: AtomicU32,
}

// SAFETY: kernels only read the pointers. The launch keeps the memory behind them alive and locked. `stop` is an
// atomic.
unsafe impl Sync for LaunchBlock {}
// SAFETY: the pointers belong to no thread. A holder of the block other than the launch uses only `stop`.
unsafe impl Send for LaunchBlock {}

pub(crate) type Entry = unsafe extern "C" fn(*const LaunchBlock, u64, u64, *mut c_void);
