//! Finds the CUDA driver and its devices.
use crate::chip::Capability;
use crate::driver::{self, Gpu};
use cube_artifact::CodeFormat;
use cube_runtime::{DeviceProperties, ErrorKind, RuntimeError};
use cube_runtime_gpu::driver::{DeviceInfo, DriverError, DriverResult};

/// The backend of the artifacts that run on this device.
pub(crate) const BACKEND: &str = "nvptx";

/// Alignment of an allocation in device memory, in bytes (CUDA C++ Programming Guide, "Device Memory Accesses").
pub(crate) const ALIGNMENT: u32 = 256;

/// Finds the driver and a device.
pub(crate) fn find(ordinal: u32) -> Result<DeviceInfo, RuntimeError> {
    let missing = |message: String| RuntimeError::new(ErrorKind::NoDevice, message);
    if !driver::present() {
        let message =
            "there is no CUDA driver (libcuda) on this machine; install NVIDIA's driver, or run on another backend";
        return Err(missing(message.into()));
    }
    let refused = |error: DriverError| {
        missing(format!("the CUDA driver does not start ({}); check that nvidia-smi works", error.description))
    };
    driver::init().map_err(refused)?;
    let count = driver::device_count().map_err(refused)?;
    let number = i32::try_from(ordinal).unwrap_or(i32::MAX);
    if number >= count {
        return Err(missing(format!(
            "CUDA device {ordinal} does not exist, because the driver finds {count} devices; set CUBE_CUDA_DEVICE to a number below {count}"
        )));
    }
    Gpu::get(number).and_then(facts).map_err(refused)
}

fn facts(gpu: Gpu) -> DriverResult<DeviceInfo> {
    use driver::Attribute::*;
    let of = |attribute| gpu.attribute(attribute);
    let axes = |[x, y, z]: [driver::Attribute; 3]| Ok([of(x)?, of(y)?, of(z)?]);
    let grid =
        [CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z];
    let block =
        [CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z];
    let chip = Capability {
        major: of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        minor: of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    };
    let chip = chip.to_string();
    let properties = DeviceProperties {
        backend: BACKEND.into(),
        formats: vec![CodeFormat::PTX],
        max_cube_count: axes(grid)?,
        max_cube_dim: axes(block)?,
        max_units_per_cube: of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        max_shared_bytes: of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        memory_bytes: gpu.memory_bytes()?,
        buffer_alignment: ALIGNMENT,
        parallel_cubes: of(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        plane_dim: [of(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?; 2],
        load_bits: cube_target::Target::promised(BACKEND, Some(&chip)).access_bits,
        cache_bytes: vec![u64::from(of(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?)],
        queues: cube_runtime::queue::MAX_QUEUES as u32,
        ..DeviceProperties::default()
    };
    let version = driver::version()?;
    let version = format!("{}.{}", version / 1000, version % 1000 / 10);
    Ok(DeviceInfo { name: gpu.name()?, chip, version, properties })
}
