//! Vulkan properties of an adapter that wgpu does not expose.
//!
//! SPIR-V modules for `-full` chips use 8-bit storage and 8-bit integers, and preserve signed zeros, infinities
//! and NaN. wgpu does not report whether an adapter has the features of `-full` chips, and does not request
//! 8-bit storage.
use crate::context::{now, refused};
use ash::vk;
use cube_runtime::RuntimeError;
use wgpu::hal::api::Vulkan;

/// Features of wgpu that a `-full` chip requires.
const FULL: wgpu::Features = wgpu::Features::SHADER_F16
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_I16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu::Features::SUBGROUP);

/// The name of an adapter's SPIR-V chip: the Vulkan version, with the suffix `-full` if the adapter has all
/// optional features, and the suffix `-float-atomics` if it also adds floats by one atomic instruction.
pub(crate) fn chip(adapter: &wgpu::Adapter) -> Option<&'static str> {
    // SAFETY: the adapter is only queried, and not destroyed.
    let hal = unsafe { adapter.as_hal::<Vulkan>() }?;
    let version = hal.physical_device_capabilities().properties().api_version;
    let is_full = adapter.features().contains(FULL) && has_rest(&hal);
    let has_float_atomics = is_full && adapter.features().contains(wgpu::Features::SHADER_FLOAT32_ATOMIC);
    Some(match (version, is_full) {
        (vk::API_VERSION_1_3.., _) if has_float_atomics => "vulkan1.3-full-float-atomics",
        (vk::API_VERSION_1_2.., _) if has_float_atomics => "vulkan1.2-full-float-atomics",
        (vk::API_VERSION_1_3.., true) => "vulkan1.3-full",
        (vk::API_VERSION_1_3.., false) => "vulkan1.3",
        (vk::API_VERSION_1_2.., true) => "vulkan1.2-full",
        (vk::API_VERSION_1_2.., false) => "vulkan1.2",
        (vk::API_VERSION_1_1.., _) => "vulkan1.1",
        _ => return None,
    })
}

/// The name of an adapter's SPIR-V chip with buffer addresses, and the largest buffer in bytes. `None` if the adapter lacks
/// a feature of these chips.
pub(crate) fn chip_with_addresses(adapter: &wgpu::Adapter) -> Option<(&'static str, u64)> {
    let chip = match chip(adapter)? {
        "vulkan1.3-full" | "vulkan1.3-full-float-atomics" => "vulkan1.3-full-addresses",
        "vulkan1.2-full" | "vulkan1.2-full-float-atomics" => "vulkan1.2-full-addresses",
        _ => return None,
    };
    // SAFETY: the adapter is only queried, and not destroyed.
    let hal = unsafe { adapter.as_hal::<Vulkan>() }?;
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut addresses);
    let mut limits = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: the physical device belongs to this instance. Both chains consist of structures that the calls fill.
    unsafe {
        instance.get_physical_device_features2(hal.raw_physical_device(), &mut features);
        instance.get_physical_device_properties2(hal.raw_physical_device(), &mut properties);
    }
    (addresses.buffer_device_address == vk::TRUE).then_some((chip, limits.max_memory_allocation_size))
}

/// Whether the adapter has the optional features of `-full` chips that wgpu does not expose.
fn has_rest(hal: &wgpu::hal::vulkan::Adapter) -> bool {
    let mut bytes = vk::PhysicalDevice8BitStorageFeatures::default();
    let mut small = vk::PhysicalDeviceShaderFloat16Int8Features::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut bytes).push_next(&mut small);
    let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut planes = vk::PhysicalDeviceSubgroupProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut floats).push_next(&mut planes);
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: the physical device belongs to this instance. Both chains consist of structures that the calls fill.
    unsafe {
        instance.get_physical_device_features2(hal.raw_physical_device(), &mut features);
        instance.get_physical_device_properties2(hal.raw_physical_device(), &mut properties);
    }
    use vk::SubgroupFeatureFlags as F;
    let operations = F::BASIC | F::VOTE | F::BALLOT | F::ARITHMETIC | F::SHUFFLE;
    bytes.storage_buffer8_bit_access == vk::TRUE
        && small.shader_int8 == vk::TRUE
        && floats.shader_signed_zero_inf_nan_preserve_float16 == vk::TRUE
        && floats.shader_signed_zero_inf_nan_preserve_float32 == vk::TRUE
        && floats.shader_signed_zero_inf_nan_preserve_float64 == vk::TRUE
        && planes.supported_operations.contains(operations)
}

/// The widths of floats whose subnormal numbers the device keeps if a module requests it. wgpu does not report them.
pub(crate) fn kept_subnormals(device: &wgpu::Device) -> Vec<u32> {
    // SAFETY: the device is only queried, and not destroyed.
    let Some(hal) = (unsafe { device.as_hal::<Vulkan>() }) else { return vec![] };
    let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut floats);
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: the physical device belongs to this instance. The chain consists of structures that the call fills.
    unsafe { instance.get_physical_device_properties2(hal.raw_physical_device(), &mut properties) };
    let kept = [
        (16, floats.shader_denorm_preserve_float16),
        (32, floats.shader_denorm_preserve_float32),
        (64, floats.shader_denorm_preserve_float64),
    ];
    // If the widths depend on each other, a module must request the same for all of them.
    let is_each = floats.denorm_behavior_independence == vk::ShaderFloatControlsIndependence::ALL;
    let is_usable = is_each || kept.iter().all(|(_, kept)| *kept == vk::TRUE);
    kept.into_iter().filter(|(_, kept)| is_usable && *kept == vk::TRUE).map(|(width, _)| width).collect()
}

/// Opens a device with the features of `chip` that wgpu does not request: 8-bit storage and buffer addresses. The adapter
/// has the features of `chip`.
///
/// # Errors
/// The adapter cannot create the device.
pub(crate) fn open(
    adapter: &wgpu::Adapter,
    request: &wgpu::DeviceDescriptor<'_>,
    chip: &str,
) -> Result<(wgpu::Device, wgpu::Queue), RuntimeError> {
    let described = cube_target::Target::known("spirv", chip);
    let has = |name: &str| described.as_ref().is_some_and(|chip| chip.capabilities.iter().any(|own| own == name));
    let (has_bytes, has_addresses) = (has("StorageBuffer8BitAccess"), has("PhysicalStorageBufferAddresses"));
    // SAFETY: the adapter is only queried, and not destroyed.
    let hal = if has_bytes { unsafe { adapter.as_hal::<Vulkan>() } } else { None };
    let through_wgpu = || now(adapter.request_device(request))?.map_err(|error| refused(&error));
    let Some(hal) = hal else { return through_wgpu() };
    let mut bytes = vk::PhysicalDevice8BitStorageFeatures::default().storage_buffer8_bit_access(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let (own, addresses) = (&mut bytes, &mut addresses);
    let with_features: Box<wgpu::hal::vulkan::CreateDeviceCallback<'_>> = Box::new(move |args| {
        *args.create_info = std::mem::take(args.create_info).push_next(own);
        if has_addresses {
            *args.create_info = std::mem::take(args.create_info).push_next(addresses);
        }
    });
    // SAFETY: the adapter has the features of the chip. No feature is removed.
    let opened = unsafe {
        hal.open_with_callback(
            request.required_features,
            &request.required_limits,
            &request.memory_hints,
            Some(with_features),
        )
    };
    drop(hal);
    match opened {
        Ok(opened) => {
            // SAFETY: the device was opened from this adapter with these features and limits.
            let device = unsafe { adapter.create_device_from_hal::<Vulkan>(opened, request) };
            device.map_err(|error| refused(&error))
        }
        Err(error) if has_addresses => Err(RuntimeError::new(
            cube_runtime::ErrorKind::NoDevice,
            format!("the adapter cannot create a device with buffer addresses ({error}); choose another adapter"),
        )),
        // A request of the device through wgpu returns the reason of the failure.
        Err(_) => through_wgpu(),
    }
}

/// Total bytes of the device-local heaps; 0 if the adapter does not use Vulkan.
pub(crate) fn memory_bytes(adapter: &wgpu::Adapter) -> u64 {
    // SAFETY: the adapter is only queried, and not destroyed.
    let Some(hal) = (unsafe { adapter.as_hal::<Vulkan>() }) else { return 0 };
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: the physical device belongs to this instance.
    let memory = unsafe { instance.get_physical_device_memory_properties(hal.raw_physical_device()) };
    let own = memory.memory_heaps_as_slice().iter();
    own.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL)).map(|heap| heap.size).sum()
}
