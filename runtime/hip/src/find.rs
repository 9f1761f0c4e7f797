//! Finds HIP's library and its devices.
use crate::chip::processor;
use crate::library::{self, Api, Missing};
use cube_artifact::CodeFormat;
use cube_runtime::{DeviceProperties, ErrorKind, RuntimeError};
use cube_runtime_gpu::driver::{DeviceInfo, DriverError, DriverResult};
use cubecl_hip_sys as sys;
use std::ffi::{CStr, c_char, c_int};

/// The backend of the artifacts that run on this device.
pub(crate) const BACKEND: &str = "amdgpu";

/// Alignment of an allocation in device memory, in bytes (HIP, "hipMalloc").
pub(crate) const ALIGNMENT: u32 = 256;

/// The name of a variable of ROCm. If the variable is 1, calls after a fault of a kernel return the fault. If the
/// variable is not 1, ROCm ends the process at the fault.
const KEEP_PROCESS: &str = "HIP_SKIP_ABORT_ON_GPU_ERROR";

/// Sets [`KEEP_PROCESS`] before the library is loaded, unless the user has set it.
pub(crate) fn keep_process_after_faults() {
    if std::env::var_os(KEEP_PROCESS).is_none() {
        // SAFETY: the function that calls this one is the first in `main`, so that no other thread reads the
        // environment.
        unsafe { std::env::set_var(KEEP_PROCESS, "1") };
    }
}

/// Finds HIP's library and a device.
pub(crate) fn find(ordinal: u32) -> Result<DeviceInfo, RuntimeError> {
    let missing = |message: String| RuntimeError::new(ErrorKind::NoDevice, message);
    let api = library::api().map_err(|why| {
        missing(match why {
            Missing::Library => {
                "there is no HIP library (libamdhip64) on this machine; install ROCm, or run on another backend".into()
            }
            Missing::Unfit(why) => format!("HIP does not start: {why}"),
        })
    })?;
    let refused = |error: DriverError| {
        missing(format!("HIP does not start ({}: {}); check that rocminfo works", error.call, error.description))
    };
    // SAFETY: flags must be 0.
    api.answer("hipInit", unsafe { (api.hipInit)(0) }).map_err(refused)?;
    let mut count = 0;
    // SAFETY: the library writes one integer.
    api.answer("hipGetDeviceCount", unsafe { (api.hipGetDeviceCount)(&mut count) }).map_err(refused)?;
    let number = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
    if number >= count {
        return Err(missing(format!(
            "HIP device {ordinal} does not exist, because the library finds {count} devices; set CUBE_HIP_DEVICE to a number below {count}"
        )));
    }
    facts(api, number).map_err(refused)
}

fn text(bytes: &[c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| "GPU".into(), |text| text.to_string_lossy().into_owned())
}

fn properties(api: &Api, number: c_int) -> DriverResult<sys::hipDeviceProp_tR0600> {
    // SAFETY: a struct of numbers, texts and arrays of them, for which zero is a value.
    let mut device: sys::hipDeviceProp_tR0600 = unsafe { std::mem::zeroed() };
    // SAFETY: the library writes the struct of this layout, which the name of the function fixes.
    let code = unsafe { (api.hipGetDevicePropertiesR0600)(&mut device, number) };
    api.answer("hipGetDeviceProperties", code).map(|()| device)
}

/// The number of a device's processor in code objects; `None` for an unknown processor.
pub(crate) fn machine(api: &Api, number: c_int) -> DriverResult<Option<u8>> {
    let device = properties(api, number)?;
    Ok(cube_target::amdgpu_machine(processor(&text(&device.gcnArchName))))
}

fn facts(api: &Api, number: c_int) -> DriverResult<DeviceInfo> {
    let device = properties(api, number)?;
    let mut version = 0;
    // SAFETY: the library writes one integer.
    api.answer("hipRuntimeGetVersion", unsafe { (api.hipRuntimeGetVersion)(&mut version) })?;
    let positive = |number: c_int| number.max(0) as u32;
    let arch = text(&device.gcnArchName);
    let chip = processor(&arch).to_string();
    let target = cube_target::Target::promised(BACKEND, Some(&chip));
    let widths = &target.planes.widths;
    let plane_dim = [widths.first(), widths.last()].map(|width| width.copied().unwrap_or(positive(device.warpSize)));
    let properties = DeviceProperties {
        backend: BACKEND.into(),
        formats: vec![CodeFormat::HSACO],
        max_cube_count: device.maxGridSize.map(positive),
        max_cube_dim: device.maxThreadsDim.map(positive),
        max_units_per_cube: positive(device.maxThreadsPerBlock),
        max_shared_bytes: u32::try_from(device.sharedMemPerBlock).unwrap_or(u32::MAX),
        memory_bytes: device.totalGlobalMem as u64,
        buffer_alignment: ALIGNMENT,
        parallel_cubes: positive(device.multiProcessorCount),
        plane_dim,
        load_bits: target.access_bits,
        cache_bytes: vec![positive(device.l2CacheSize).into()],
        queues: cube_runtime::queue::MAX_QUEUES as u32,
        ..DeviceProperties::default()
    };
    let version = format!("{}.{}", library::major(version), version % 10_000_000 / 100_000);
    Ok(DeviceInfo { name: text(&device.name), chip, version, properties })
}
