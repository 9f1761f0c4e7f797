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

/// A Vulkan buffer with its memory. Both are destroyed with this value.
struct Owned {
    device: ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the owner drops this value when nothing uses the buffer, and before the device. A null handle is ignored.
        unsafe {
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

/// Creates a buffer with an address. `usage` contains `STORAGE`, and usages for copies. Its bytes are undefined.
///
/// # Errors
/// The device has no memory for the buffer, or refuses it.
pub(crate) fn create(
    context: &Context,
    bytes: u64,
    usage: wgpu::BufferUsages,
) -> Result<(wgpu::Buffer, u64), RuntimeError> {
    let (owned, address) = allocate(context, bytes)?;
    let descriptor = wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
    let buffer = owned.buffer;
    // SAFETY: the buffer belongs to this device, has the size and the usages of the descriptor, and lives until the closure drops
    // it. The caller clears it before the first use.
    let buffer = unsafe { adopt(context, buffer, &descriptor, Box::new(move || drop(owned))) }?;
    Ok((buffer, address))
}

/// Passes a buffer to wgpu, which calls `release` when it no longer uses the buffer. If wgpu refuses the buffer, it calls `release`
/// at once. With `Buffer::from_raw_managed`, wgpu would destroy neither a refused buffer nor its memory.
///
/// # Safety
/// The buffer belongs to the device, has the size and the usages of the descriptor, and exists until the call of `release`.
unsafe fn adopt(
    context: &Context,
    buffer: vk::Buffer,
    descriptor: &wgpu::BufferDescriptor<'_>,
    release: wgpu::hal::DropCallback,
) -> Result<wgpu::Buffer, RuntimeError> {
    // SAFETY: the caller promises that the buffer exists until the call of `release`.
    let raw = unsafe { wgpu::hal::vulkan::Buffer::from_raw_externally_owned(buffer, release) };
    // SAFETY: the caller promises the size and the usages.
    context.checked(|| Ok(unsafe { context.device.create_buffer_from_hal::<Vulkan>(raw, descriptor) }))
}

/// Creates a Vulkan buffer with memory, and returns its address.
fn allocate(context: &Context, bytes: u64) -> Result<(Owned, u64), RuntimeError> {
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
    let mut owned = Owned { device: device.clone(), buffer, memory: vk::DeviceMemory::null() };
    // SAFETY: the buffer and the physical device belong to this device.
    let (needs, memory) = unsafe {
        let needs = device.get_buffer_memory_requirements(buffer);
        (needs, instance.get_physical_device_memory_properties(hal.raw_physical_device()))
    };
    let permitted = memory.memory_types_as_slice().iter().enumerate();
    let mut permitted = permitted.filter(|(number, _)| needs.memory_type_bits & (1 << number) != 0);
    let local = permitted.find(|(_, kind)| kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL));
    let (kind, _) = local.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY).map_err(refused)?;
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind as u32);
    // SAFETY: the type of the memory is one of the device, and the chain consists of one structure.
    owned.memory = unsafe { device.allocate_memory(&allocate.push_next(&mut flags), None) }.map_err(refused)?;
    // SAFETY: the memory is new, and as large as the buffer requires.
    unsafe { device.bind_buffer_memory(buffer, owned.memory, 0) }.map_err(refused)?;
    // SAFETY: the buffer has memory with the flag for addresses, and the usage for addresses.
    let address = unsafe { device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer)) };
    Ok((owned, address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, WgpuDevice};
    use std::sync::Arc;

    /// wgpu refuses a buffer of 0 bytes by a panic, which the runtime returns as an error.
    #[test]
    fn memory_that_wgpu_refuses_is_released() {
        let device = match WgpuDevice::open(&Options { addresses: true, ..Options::default() }) {
            Ok(device) => device,
            Err(error) => {
                assert!(std::env::var_os("CUBE_NEED_WGPU").is_none(), "{error}");
                eprintln!("skipped: memory_that_wgpu_refuses_is_released ({error})");
                return;
            }
        };
        let engine = device.present().unwrap();
        let released = Arc::new(());
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let adopted = |size: u64| {
            let (owned, address) = allocate(&engine, 256).unwrap();
            assert_ne!(address, 0);
            let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            let (buffer, held) = (owned.buffer, (owned, Arc::clone(&released)));
            // SAFETY: wgpu refuses the wrong size, and a buffer of the right size has the usages.
            unsafe { adopt(&engine, buffer, &descriptor, Box::new(move || drop(held))) }
        };
        let error = adopted(0).unwrap_err();
        assert!(error.kind == ErrorKind::Driver && error.message.contains("wgpu panicked"), "{error}");
        assert_eq!(Arc::strong_count(&released), 1, "the refused buffer");
        let buffer = adopted(256).unwrap();
        assert_eq!(Arc::strong_count(&released), 2, "the buffer is in use");
        buffer.destroy();
        engine.device.poll(wgpu::PollType::Poll).unwrap();
        assert_eq!(Arc::strong_count(&released), 1, "the destroyed buffer");
    }
}
