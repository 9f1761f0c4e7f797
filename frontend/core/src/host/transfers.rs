//! Copies between handles of one device and of two devices.
use super::arguments::LaunchError;
use super::client::unwrap;
use super::memory::{Allocation, contiguous_strides};
use super::{ComputeClient, ComputeServer, CopyDescriptor, Handle};
use cube_runtime::Init;

impl<S: ComputeServer> ComputeClient<S> {
    /// Queues a copy of the bytes of `from` to the memory of `to`. Both handles belong to this device, have equal
    /// sizes, and do not overlap.
    ///
    /// # Errors
    /// The sizes differ, the memory overlaps, a handle belongs to another device, or the launch that should have
    /// written `from` failed.
    pub fn copy(&self, from: &Handle, to: &Handle) -> Result<(), LaunchError> {
        let session = self.server();
        if let Some(recorder) = &session.recorder {
            return recorder.copy(from, to).inspect_err(|error| recorder.fail(error));
        }
        if let Some(failure) = from.failure() {
            return Err(failure);
        }
        let _span = tracing::trace_span!("copy", from = "device", bytes = from.size()).entered();
        let (source, target) = (from.buffer()?, to.buffer()?);
        session.timed("copy", "device to device", Some(from.size()), || {
            session.device.copy(session.queue, &source, &target)
        })?;
        to.mark_good();
        Ok(())
    }

    /// Queues a copy of the bytes of a handle to new memory of another client's device. The copy waits for earlier
    /// launches that write the bytes. Later launches do not change the copied bytes. Between two CPU clients, and
    /// between two GPUs of one driver, the host does not wait for the copy. GPUs copy directly if they can access each
    /// other's memory. Other pairs of devices copy through host memory, after a wait for the handle's bytes.
    ///
    /// # Panics
    /// The launch that should have written the bytes failed, or the other device is out of memory.
    #[track_caller]
    pub fn to_client<T: ComputeServer>(&self, handle: Handle, to: &ComputeClient<T>) -> Allocation {
        unwrap(self.try_to_client(handle, to))
    }

    /// Like [`ComputeClient::to_client`], but returns the error.
    ///
    /// # Errors
    /// The launch that should have written the bytes failed, or the other device is out of memory. If a launch
    /// fails later, a read of the new memory returns the error.
    pub fn try_to_client<T: ComputeServer>(
        &self,
        handle: Handle,
        to: &ComputeClient<T>,
    ) -> Result<Allocation, LaunchError> {
        let size = handle.size() as usize;
        Ok(Allocation { handle: self.copy_to(&handle, to)?, strides: contiguous_strides(&[size]) })
    }

    fn copy_to<T: ComputeServer>(&self, from: &Handle, to: &ComputeClient<T>) -> Result<Handle, LaunchError> {
        let (session, target) = (self.server().immediate("to_client")?, to.server().immediate("to_client")?);
        if let Some(failure) = from.failure() {
            return Err(failure);
        }
        let _span = tracing::trace_span!("copy", from = "other device", bytes = from.size()).entered();
        let source = from.buffer()?;
        let buffer = target.device.alloc_on(target.queue, from.size(), Init::Any)?;
        target.timed("copy", "other device to device", Some(from.size()), || {
            target.device.copy_from(target.queue, &buffer, &*session.device, session.queue, &source)
        })?;
        Ok(target.handle(buffer))
    }

    /// Copies the elements of a tensor to another client's device, in contiguous rows. A contiguous tensor is copied as
    /// by [`ComputeClient::to_client`], and any other tensor through host memory.
    ///
    /// # Panics
    /// See [`ComputeClient::to_client`].
    #[track_caller]
    pub fn to_client_tensor<T: ComputeServer>(&self, tensor: CopyDescriptor<'_>, to: &ComputeClient<T>) -> Allocation {
        unwrap(self.try_to_client_tensor(tensor, to))
    }

    /// Like [`ComputeClient::to_client_tensor`], but returns the error.
    ///
    /// # Errors
    /// See [`ComputeClient::try_to_client`].
    pub fn try_to_client_tensor<T: ComputeServer>(
        &self,
        tensor: CopyDescriptor<'_>,
        to: &ComputeClient<T>,
    ) -> Result<Allocation, LaunchError> {
        let strides = contiguous_strides(tensor.shape);
        let bytes = tensor.shape.iter().product::<usize>() * tensor.elem_size;
        let handle = match tensor.strides == strides && bytes as u64 == tensor.binding.size() {
            true => self.copy_to(&tensor.binding, to)?,
            false => to.try_create(&self.try_read_one_tensor(tensor)?)?,
        };
        Ok(Allocation { handle, strides })
    }
}
