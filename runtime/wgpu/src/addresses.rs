//! Buffers that kernels access by 64-bit addresses.
//!
//! wgpu creates no buffer with an address, so this file creates the Vulkan buffer and its memory, and passes both to wgpu,
//! which destroys them. `docs/why/physical-buffers.md` has the reasons.
use crate::context::Context;
use ash::vk;
use cube_runtime::{ErrorKind, RuntimeError};
use wgpu::hal::api::Vulkan;

/// The Vulkan usages of a buffer with an address.
const VULKAN_USAGES: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS.as_raw(),
);

/// Creates a buffer with an address. `usage` contains `STORAGE`, and usages for copies. Its bytes are undefined.
///
/// # Errors
/// The device has no memory for the buffer, or refuses it.
pub(crate) fn create(
    context: &Context,
    bytes: u64,
    usage: wgpu::BufferUsages,
) -> Result<(wgpu::Buffer, u64), RuntimeError> {
    // SAFETY: the device is used as Vulkan permits, and not destroyed.
    let hal = unsafe { context.device.as_hal::<Vulkan>() };
    let hal = hal.ok_or_else(|| RuntimeError::new(ErrorKind::Driver, "the device does not run Vulkan"))?;
    let (device, instance) = (hal.raw_device(), hal.shared_instance().raw_instance());
    let refused = |error: vk::Result| match error {
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
        | vk::Result::ERROR_OUT_OF_HOST_MEMORY
        | vk::Result::ERROR_TOO_MANY_OBJECTS => RuntimeError::device_limit(format!(
            "the device has no memory for a buffer with an address ({error}); free some buffers or use smaller ones"
        )),
        _ => RuntimeError::new(ErrorKind::Driver, format!("Vulkan refuses a buffer with an address ({error})")),
    };
    let create = vk::BufferCreateInfo::default().size(bytes).usage(VULKAN_USAGES);
    // SAFETY: the size is not 0, and the device was opened with the feature `bufferDeviceAddress`.
    let buffer = unsafe { device.create_buffer(&create, None) }.map_err(refused)?;
    // SAFETY: the buffer and the physical device belong to this device.
    let (needs, memory) = unsafe {
        let needs = device.get_buffer_memory_requirements(buffer);
        (needs, instance.get_physical_device_memory_properties(hal.raw_physical_device()))
    };
    let permitted = memory.memory_types_as_slice().iter().enumerate();
    let mut permitted = permitted.filter(|(number, _)| needs.memory_type_bits & (1 << number) != 0);
    let local = permitted.find(|(_, kind)| kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL));
    let allocated = local.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY).and_then(|(kind, _)| {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind as u32);
        // SAFETY: the type of the memory is one of the device, and the chain consists of one structure.
        unsafe { device.allocate_memory(&allocate.push_next(&mut flags), None) }
    });
    let bound = allocated.and_then(|memory| {
        // SAFETY: the memory is new, and as large as the buffer requires.
        let bound = unsafe { device.bind_buffer_memory(buffer, memory, 0) };
        // SAFETY: nothing uses the memory.
        bound.map(|()| memory).inspect_err(|_| unsafe { device.free_memory(memory, None) })
    });
    // SAFETY: nothing uses the buffer.
    let memory = bound.inspect_err(|_| unsafe { device.destroy_buffer(buffer, None) }).map_err(refused)?;
    // SAFETY: the buffer has memory with the flag for addresses, and the usage for addresses.
    let address = unsafe { device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer)) };
    // SAFETY: wgpu receives the only handles of the buffer and its memory, and destroys both.
    let raw = unsafe { wgpu::hal::vulkan::Buffer::from_raw_managed(buffer, memory, 0, needs.size) };
    drop(hal);
    let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
    // SAFETY: the buffer belongs to this device, and has the size and the usages of the descriptor. The caller clears it
    // before the first use.
    let buffer =
        context.checked(|| Ok(unsafe { context.device.create_buffer_from_hal::<Vulkan>(raw, &descriptor) }))?;
    Ok((buffer, address))
}
