//! Copies between handles of one device and of two devices.
use super::arguments::LaunchError;
use super::client::unwrap;
use super::memory::{Allocation, contiguous_strides};
use super::{ComputeClient, ComputeServer, CopyDescriptor, Handle};

impl<S: ComputeServer> ComputeClient<S> {
    /// Queues a copy of the bytes of `from` to the memory of `to`. Both handles are of this device, have equal
    /// sizes, and do not overlap.
    ///
    /// # Errors
    /// The sizes differ, the memory overlaps, a handle is of another device, or the launch that should have
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

    /// Copies the bytes of a handle to the memory of another client's device.
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
    /// The launch that should have written the bytes failed, or the other device is out of memory.
    pub fn try_to_client<T: ComputeServer>(
        &self,
        handle: Handle,
        to: &ComputeClient<T>,
    ) -> Result<Allocation, LaunchError> {
        let size = handle.size() as usize;
        let handle = to.try_create(&self.try_read_one(handle)?)?;
        Ok(Allocation { handle, strides: contiguous_strides(&[size]) })
    }

    /// Copies the elements of a tensor to another client's device, without the gaps of its strides.
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
        Ok(Allocation { handle: to.try_create(&self.try_read_one_tensor(tensor)?)?, strides })
    }
}
