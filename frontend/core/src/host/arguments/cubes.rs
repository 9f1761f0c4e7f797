//! Cube counts in buffers.
//!
//! Neither the driver of a GPU nor a graph takes the number of cubes of a launch from memory. A kernel for such a launch reads the
//! number itself, from its last argument (`cube.cubes`).
use super::error::LaunchError;
use crate::host::core::LoadedKernel;
use crate::host::{CubeCount, CubeDim, Handle, Session};
use cube_runtime::{Arg, Init};

/// Returns the buffer from which the device reads a dynamic cube count.
pub(in crate::host) fn count_buffer(handle: &Handle) -> Result<cube_runtime::Buffer, LaunchError> {
    if let Some(failure) = handle.failure() {
        return Err(failure);
    }
    if handle.size() < 12 {
        return Err(LaunchError::of_user(format!(
            "a dynamic cube count has three u32 values, 12 bytes, but its handle has {} bytes; create it with `client.create(u32::as_bytes(&[x, y, z]))`",
            handle.size()
        )));
    }
    handle.buffer()
}

/// The buffer from which a kernel reads its number of cubes: the first 12 bytes of `handle`, or a copy of them, if the kernel
/// writes these bytes.
pub(super) fn cubes_for_kernel(
    core: &Session,
    handle: &Handle,
    loaded: &LoadedKernel,
    args: &[Arg],
) -> Result<cube_runtime::Buffer, LaunchError> {
    let given = count_buffer(handle)?.slice(0..12)?;
    let is_written = args
        .iter()
        .zip(&loaded.writes)
        .any(|(arg, writes)| *writes && matches!(arg, Arg::Buffer { buffer, .. } if buffer.overlaps(&given)));
    if !is_written {
        return Ok(given);
    }
    if core.recorder.is_some() {
        return Err(LaunchError::of_user(
            "a graph cannot record a kernel that writes the buffer with its number of cubes; copy the number to another buffer",
        ));
    }
    let copy = core.device.alloc_on(core.queue, 12, Init::Any)?;
    core.device.copy(core.queue, &given, &copy)?;
    Ok(copy)
}

/// The number of cubes to launch for a kernel that reads its number of cubes: as many as the device runs at the same time.
pub(super) fn launched_cubes(core: &Session, dim: CubeDim) -> CubeCount {
    // A multiprocessor runs at most 32 cubes and 2,048 units.
    let units = u64::from(dim.x) * u64::from(dim.y) * u64::from(dim.z);
    let resident = (2048 / units.max(1)).clamp(1, 32) as u32;
    // Some devices do not state the number of their multiprocessors.
    let properties = core.device.properties();
    let cubes = properties.parallel_cubes.saturating_mul(resident).max(64);
    CubeCount::Static(cubes.min(properties.max_cube_count[0]), 1, 1)
}
