//! Clients: how a program reaches a device.
use super::arguments::LaunchError;
use super::memory::{Allocation, AllocationDescriptor, MemoryUsage, contiguous_strides, gathered};
use super::variables::notice;
use super::{Bytes, ComputeServer, CopyDescriptor, Core, Handle, Properties};
use crate::profile::ProfileDuration;
use cube_runtime::Init;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// A way to a device; clones share it.
pub struct ComputeClient<S> {
    core: Arc<Core>,
    properties: Arc<Properties>,
    of: PhantomData<fn() -> S>,
}

impl<S> Clone for ComputeClient<S> {
    fn clone(&self) -> Self {
        ComputeClient { core: self.core.clone(), properties: self.properties.clone(), of: PhantomData }
    }
}

impl<S> std::fmt::Debug for ComputeClient<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ComputeClient({})", self.core.device.name())
    }
}

/// The value; what went wrong ends the program at the line that asked for it.
#[track_caller]
fn unwrap<T>(result: Result<T, LaunchError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

impl<S: ComputeServer> ComputeClient<S> {
    /// A client of a device.
    pub fn new(core: Arc<Core>) -> Self {
        let properties = Arc::new(Properties::of(core.device.properties(), core.features.clone()));
        ComputeClient { core, properties, of: PhantomData }
    }

    /// What stands behind it.
    pub fn server(&self) -> &Core {
        &self.core
    }

    /// What the device can do.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// New memory with these bytes.
    ///
    /// # Panics
    /// There is not so much memory; [`ComputeClient::try_create`] tells it as a value.
    #[track_caller]
    pub fn create(&self, data: &[u8]) -> Handle {
        unwrap(self.try_create(data))
    }

    /// New memory with these bytes.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn try_create(&self, data: &[u8]) -> Result<Handle, LaunchError> {
        let buffer = self.core.device.alloc(data.len() as u64, Init::Any)?;
        self.core.device.write(&buffer, 0, data)?;
        Ok(self.core.handle(buffer))
    }

    /// New memory of that many bytes, all zero.
    ///
    /// # Panics
    /// There is not so much memory; [`ComputeClient::try_empty`] tells it as a value.
    #[track_caller]
    pub fn empty(&self, bytes: usize) -> Handle {
        unwrap(self.try_empty(bytes))
    }

    /// New memory of that many bytes, all zero.
    ///
    /// # Errors
    /// There is not so much memory.
    pub fn try_empty(&self, bytes: usize) -> Result<Handle, LaunchError> {
        Ok(self.core.handle(self.core.device.alloc(bytes as u64, Init::Zero)?))
    }

    /// New memory for a tensor with these bytes.
    ///
    /// # Panics
    /// There is not so much memory, or the tensor has another number of bytes; [`ComputeClient::try_create_tensor`] tells it as a
    /// value.
    #[track_caller]
    pub fn create_tensor(&self, data: &[u8], shape: &[usize], elem_size: usize) -> Allocation {
        unwrap(self.try_create_tensor(data, shape, elem_size))
    }

    /// New memory for a tensor with these bytes.
    ///
    /// # Errors
    /// There is not so much memory, or the tensor has another number of bytes.
    pub fn try_create_tensor(&self, data: &[u8], shape: &[usize], elem_size: usize) -> Result<Allocation, LaunchError> {
        let needed = AllocationDescriptor::optimized(shape, elem_size).bytes();
        if data.len() != needed {
            return Err(LaunchError::of_user(format!(
                "a tensor of the shape {shape:?} with elements of {elem_size} bytes has {needed} bytes, and {} are given",
                data.len()
            )));
        }
        Ok(Allocation { handle: self.try_create(data)?, strides: contiguous_strides(shape) })
    }

    /// New memory for each of several tensors, with its bytes.
    ///
    /// # Panics
    /// As [`ComputeClient::create_tensor`].
    pub fn create_tensors(&self, tensors: Vec<(AllocationDescriptor<'_>, &[u8])>) -> Vec<Allocation> {
        tensors.into_iter().map(|(tensor, data)| self.create_tensor(data, tensor.shape, tensor.elem_size)).collect()
    }

    /// New memory for a tensor, all zero.
    ///
    /// # Panics
    /// As [`ComputeClient::empty`].
    #[track_caller]
    pub fn empty_tensor(&self, shape: &[usize], elem_size: usize) -> Allocation {
        let handle = self.empty(AllocationDescriptor::optimized(shape, elem_size).bytes());
        Allocation { handle, strides: contiguous_strides(shape) }
    }

    /// New memory for each of several tensors, all zero.
    ///
    /// # Panics
    /// As [`ComputeClient::empty`].
    pub fn empty_tensors(&self, tensors: Vec<AllocationDescriptor<'_>>) -> Vec<Allocation> {
        tensors.into_iter().map(|tensor| self.empty_tensor(tensor.shape, tensor.elem_size)).collect()
    }

    /// Writes the bytes of a handle.
    ///
    /// # Errors
    /// More bytes than the handle has.
    pub fn write(&self, handle: &Handle, data: &[u8]) -> Result<(), LaunchError> {
        self.core.device.write(&handle.buffer()?, 0, data)?;
        handle.mark_good();
        Ok(())
    }

    /// The bytes of a handle, when all launches before have written them.
    ///
    /// # Errors
    /// The launch that would have written them failed.
    pub fn try_read_one(&self, handle: Handle) -> Result<Bytes, LaunchError> {
        if let Some(failure) = handle.failure() {
            return Err(failure);
        }
        let mut bytes = Bytes::zeroed(handle.size() as usize);
        self.core.device.read(&handle.buffer()?, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes of handles.
    ///
    /// # Errors
    /// A launch that would have written one of them failed.
    pub fn try_read(&self, handles: Vec<Handle>) -> Result<Vec<Bytes>, LaunchError> {
        handles.into_iter().map(|h| self.try_read_one(h)).collect()
    }

    /// The bytes of a handle.
    ///
    /// # Panics
    /// The launch that would have written them failed; [`ComputeClient::try_read_one`] tells it as a value.
    #[track_caller]
    pub fn read_one(&self, handle: Handle) -> Bytes {
        unwrap(self.try_read_one(handle))
    }

    /// The bytes of handles.
    ///
    /// # Panics
    /// A launch that would have written one of them failed; [`ComputeClient::try_read`] tells it as a value.
    #[track_caller]
    pub fn read(&self, handles: Vec<Handle>) -> Vec<Bytes> {
        unwrap(self.try_read(handles))
    }

    /// The bytes of handles as they are now: what is launched later does not change them.
    ///
    /// # Panics
    /// The future, as [`ComputeClient::read`].
    pub fn read_async(&self, handles: Vec<Handle>) -> impl Future<Output = Vec<Bytes>> + Send + use<S> {
        let bytes = self.try_read(handles);
        async move { unwrap(bytes) }
    }

    /// The bytes of tensors as they are now.
    ///
    /// # Panics
    /// The future, as [`ComputeClient::read_one_tensor`].
    pub fn read_tensor_async(
        &self,
        tensors: Vec<CopyDescriptor<'_>>,
    ) -> impl Future<Output = Vec<Bytes>> + Send + use<S> {
        let bytes: Result<Vec<Bytes>, _> = tensors.into_iter().map(|tensor| self.try_read_one_tensor(tensor)).collect();
        async move { unwrap(bytes) }
    }

    /// The bytes of a tensor as they are now.
    ///
    /// # Panics
    /// The future, as [`ComputeClient::read_one_tensor`].
    pub fn read_one_tensor_async(&self, tensor: CopyDescriptor<'_>) -> impl Future<Output = Bytes> + Send + use<S> {
        let bytes = self.try_read_one_tensor(tensor);
        async move { unwrap(bytes) }
    }

    /// The bytes of a tensor, in the order of its coordinates and without the gaps that its strides leave.
    ///
    /// # Errors
    /// The launch that would have written them failed, or the tensor reaches beyond its memory.
    pub fn try_read_one_tensor<'a>(&self, tensor: impl Into<CopyDescriptor<'a>>) -> Result<Bytes, LaunchError> {
        let CopyDescriptor { binding, shape, strides, elem_size } = tensor.into();
        let bytes = self.try_read_one(binding)?;
        // Elements without a size stand for the bytes as they lie in memory.
        if elem_size == 0 {
            return Ok(bytes);
        }
        gathered(&bytes, shape, strides, elem_size).map(Bytes::from_bytes_vec)
    }

    /// The bytes of a tensor, in the order of its coordinates and without the gaps that its strides leave.
    ///
    /// # Panics
    /// The launch that would have written them failed, or the tensor reaches beyond its memory;
    /// [`ComputeClient::try_read_one_tensor`] tells it as a value.
    #[track_caller]
    pub fn read_one_tensor<'a>(&self, tensor: impl Into<CopyDescriptor<'a>>) -> Bytes {
        unwrap(self.try_read_one_tensor(tensor))
    }

    /// The bytes of tensors.
    ///
    /// # Panics
    /// As [`ComputeClient::read_one_tensor`].
    pub fn read_tensor(&self, tensors: Vec<CopyDescriptor<'_>>) -> Vec<Bytes> {
        tensors.into_iter().map(|tensor| self.read_one_tensor(tensor)).collect()
    }

    /// Waits until all work is done. The future that comes back is done: `block_on(client.sync())`, with `block_on` of the module `future`,
    /// has no warning of rustc or clippy.
    pub fn sync(&self) -> std::future::Ready<()> {
        if let Err(error) = self.core.device.sync() {
            notice(error);
        }
        std::future::ready(())
    }

    /// Does nothing: a launch is on its way to the device when it returns.
    pub fn flush(&self) {}

    /// Does nothing: a device takes memory back with its last handle.
    pub fn memory_cleanup(&self) {}

    /// Memory that the handles of this device hold.
    pub fn memory_usage(&self) -> MemoryUsage {
        self.core.memory_usage()
    }

    /// Runs `work`, which makes memory that is to stay for long. It is made as any other: devices keep nothing back, and so there
    /// is nothing to tear.
    pub fn memory_persistent_allocation<I, O, F: Fn(I) -> O>(&self, input: I, work: F) -> O {
        work(input)
    }

    /// How long the work takes that `work` gives to the device, by the host's clock: all work before it is waited for first. The
    /// name goes to the log where launches are told of.
    ///
    /// # Errors
    /// The device failed while it worked.
    pub fn profile<O>(&self, work: impl FnOnce() -> O, name: &str) -> Result<ProfileDuration, LaunchError> {
        self.core.device.sync()?;
        let start = std::time::Instant::now();
        let result = work();
        self.core.device.sync()?;
        let profile = ProfileDuration::new_system_time(start, std::time::Instant::now());
        self.core.profiled(name, start.elapsed());
        drop(result);
        Ok(profile)
    }

    /// The bytes of a handle in the memory of another client's device.
    ///
    /// # Panics
    /// The launch that would have written them failed, or the other device has no room.
    pub fn to_client<T: ComputeServer>(&self, handle: Handle, to: &ComputeClient<T>) -> Allocation {
        let size = handle.size() as usize;
        Allocation { handle: to.create(&self.read_one(handle)), strides: contiguous_strides(&[size]) }
    }

    /// The elements of a tensor in the memory of another client's device, without the gaps that its strides leave.
    ///
    /// # Panics
    /// As [`ComputeClient::to_client`].
    pub fn to_client_tensor<T: ComputeServer>(&self, tensor: CopyDescriptor<'_>, to: &ComputeClient<T>) -> Allocation {
        let strides = contiguous_strides(tensor.shape);
        Allocation { handle: to.create(&self.read_one_tensor(tensor)), strides }
    }

    /// How long the work takes, and its result.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> (T, std::time::Duration) {
        let start = std::time::Instant::now();
        let result = work();
        let _done = self.sync();
        (result, start.elapsed())
    }
}
