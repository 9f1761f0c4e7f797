//! Launches of loaded kernels.
use crate::arguments::CubeArgs;
use crate::out::{Outcome, done, given, of_runtime, usage_error};
use cube_runtime::launch::bind;
use std::ffi::{c_char, c_int};

/// # Safety
/// `args` is null or alive. `count` is null or points to three numbers.
// SAFETY: both pointers are checked for null.
unsafe fn launched<'a>(args: *const CubeArgs, count: *const [u32; 3]) -> Outcome<(&'a CubeArgs, [u32; 3])> {
    // SAFETY: the caller's promise.
    let count = unsafe { count.as_ref() }.ok_or_else(|| usage_error("the cube count is null; pass three numbers"))?;
    // SAFETY: the caller's promise.
    Ok((unsafe { given(args, "the arguments", "cube_args_new")? }, *count))
}

/// `cube_check`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_check(args: *const CubeArgs, count: *const [u32; 3], error: *mut *mut c_char) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, "cube_check", || {
            let (args, count) = launched(args, count)?;
            let all = args.complete().map_err(of_runtime)?;
            bind(args.kernel.artifact(), &all, count, args.device.properties()).map(|_| ()).map_err(of_runtime)
        })
    }
}

/// `cube_launch`.
///
/// # Safety
/// The caller must fulfil the contract in `cube.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cube_launch(args: *const CubeArgs, count: *const [u32; 3], error: *mut *mut c_char) -> c_int {
    // SAFETY: as above.
    unsafe {
        done(error, "cube_launch", || {
            let (args, count) = launched(args, count)?;
            let all = args.complete().map_err(of_runtime)?;
            args.device.launch_kernel(&args.kernel, &all, count).map_err(of_runtime)
        })
    }
}
