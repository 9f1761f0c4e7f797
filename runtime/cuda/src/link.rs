//! Compilation of PTX to a file of machine code by the driver's linker. The runtime loads kernels without this file.
use crate::Cuda;
use crate::driver::{answer, init, present};
use cube_runtime_gpu::driver::{Driver, DriverResult};
use cudarc::driver::sys;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// Compiles PTX with the driver's default options for the GPU `ordinal`, and returns the cubin, an ELF file. The
/// sections `.text.KERNEL` have the machine code.
///
/// # Errors
/// No driver is installed, the GPU does not exist, or the driver refuses the code.
pub fn machine_code(ordinal: u32, ptx: &[u8]) -> Result<Vec<u8>, String> {
    if !present() {
        return Err("the CUDA driver is not installed".into());
    }
    let text = CString::new(ptx).map_err(|error| format!("PTX is text without zeros: {error}"))?;
    let run = || {
        init()?;
        let cuda = Cuda::create(ordinal)?;
        let linked = link(text.as_bytes_with_nul());
        cuda.destroy();
        linked
    };
    run().map_err(|error| format!("{}: {}", error.call, error.description))
}

// Links one PTX text. The context of the GPU is current in this thread.
fn link(text: &[u8]) -> DriverResult<Vec<u8>> {
    let mut state = null_mut();
    // SAFETY: the context is current; the driver writes one handle; no options are given.
    answer("cuLinkCreate", unsafe { sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state) })?;
    let data = text.as_ptr().cast_mut().cast::<c_void>();
    let kind = sys::CUjitInputType::CU_JIT_INPUT_PTX;
    // SAFETY: the text ends in a zero, which the length includes, and the driver does not write to it.
    let code =
        unsafe { sys::cuLinkAddData_v2(state, kind, data, text.len(), c"kernel".as_ptr(), 0, null_mut(), null_mut()) };
    let linked = answer("cuLinkAddData", code).and_then(|()| {
        let (mut image, mut bytes) = (null_mut(), 0);
        // SAFETY: the driver writes a pointer and a length.
        answer("cuLinkComplete", unsafe { sys::cuLinkComplete(state, &mut image, &mut bytes) })?;
        // SAFETY: the image has so many bytes, and lives until the end of the state.
        Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) }.to_vec())
    });
    // SAFETY: the state exists and is not used again.
    let ended = answer("cuLinkDestroy", unsafe { sys::cuLinkDestroy(state) });
    // The first error is the cause of a later one.
    let code = linked?;
    ended.map(|()| code)
}
