//! Clients, which give programs access to a device and one of its queues.
use super::arguments::LaunchError;
use super::graph::Recorder;
use super::memory::{Allocation, AllocationDescriptor, MemoryUsage, contiguous_strides, to_row_major};
use super::{Bytes, ComputeServer, CopyDescriptor, Core, Handle, Properties, Session};
use crate::profile::{ProfileDuration, ProfileTicks};
use cube_runtime::{Clock, Init, Queue};
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

/// Access to one device and one of its queues. Clones of a client share the device and the queue.
pub struct ComputeClient<S> {
    core: Session,
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

/// Returns the value, or panics at the caller's location.
#[track_caller]
pub(super) fn unwrap<T>(result: Result<T, LaunchError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Waits for queued reads, and returns their results in order.
async fn all_of<F: Future<Output = Result<Bytes, LaunchError>>>(
    readings: Vec<Result<F, LaunchError>>,
) -> Result<Vec<Bytes>, LaunchError> {
    let mut all = Vec::with_capacity(readings.len());
    for reading in readings {
        all.push(reading?.await?);
    }
    Ok(all)
}

/// Returns the elements of a tensor in row-major order. If `elem_size` is 0, the bytes are returned
/// unchanged.
fn tensor_of(bytes: Bytes, shape: &[usize], strides: &[usize], elem_size: usize) -> Result<Bytes, LaunchError> {
    if elem_size == 0 {
        return Ok(bytes);
    }
    to_row_major(&bytes, shape, strides, elem_size).map(Bytes::from_bytes_vec)
}

impl<S: ComputeServer> ComputeClient<S> {
    /// Creates a client of a device.
    pub fn new(core: Arc<Core>) -> Self {
        super::long_launches::monitor_device(&core);
        let core = Session { core, queue: Queue::DEFAULT, recorder: None };
        let properties = Arc::new(Properties::of(core.device.properties(), core.features.clone()));
        ComputeClient { core, properties, of: PhantomData }
    }

    /// The client as a client of another server type, with the same device and queue.
    pub(crate) fn of_server<T>(&self) -> ComputeClient<T> {
        ComputeClient { core: self.core.clone(), properties: self.properties.clone(), of: PhantomData }
    }

    /// The device and its kernels, with the queue of this client.
    pub fn server(&self) -> &Session {
        &self.core
    }

    /// Returns a client of the same device that submits its commands to the queue `number`. Commands of different
    /// queues can overlap. Two commands that use one allocation run in the order of submission if at least one of
    /// them writes the allocation.
    pub fn on_queue(&self, number: u32) -> Self {
        let mut other = self.clone();
        other.core.queue = Queue::new(number);
        other
    }

    /// A client of the same device that reports the given features instead of the device's own features. Host code that
    /// selects a kernel by the features of its device then selects the kernel for these features. The compiler still
    /// compiles kernels for the actual device.
    pub fn with_features(&self, features: super::Features) -> Self {
        let mut other = self.clone();
        other.properties = Arc::new(Properties { features, ..(*self.properties).clone() });
        other
    }

    /// A client that appends its commands to a recording.
    pub(super) fn with_recorder(&self, recorder: Arc<Recorder>) -> Self {
        let mut other = self.clone();
        other.core.recorder = Some(recorder);
        other
    }

    /// The target of the kernels that this client compiles, as `cubec --target` reads it: `nvptx:sm_90`.
    pub fn target(&self) -> String {
        self.core.target.to_string()
    }

    /// Properties and limits of the device.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Allocates memory and copies the bytes to it.
    ///
    /// # Panics
    /// The device is out of memory; [`ComputeClient::try_create`] returns the error.
    #[track_caller]
    pub fn create(&self, data: &[u8]) -> Handle {
        unwrap(self.try_create(data))
    }

    /// Allocates memory and copies the bytes to it.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn try_create(&self, data: &[u8]) -> Result<Handle, LaunchError> {
        let Session { core, queue, .. } = self.core.immediate("create")?;
        let _span = tracing::trace_span!("copy", from = "host", bytes = data.len()).entered();
        let buffer = core.device.alloc_on(*queue, data.len() as u64, Init::Any)?;
        self.core.timed("copy", "host to device", Some(data.len() as u64), || {
            core.device.write_on(*queue, &buffer, 0, data)
        })?;
        Ok(self.core.handle(buffer))
    }

    /// Allocates `bytes` bytes, and sets all of them to zero.
    ///
    /// # Panics
    /// The device is out of memory; [`ComputeClient::try_empty`] returns the error.
    #[track_caller]
    pub fn empty(&self, bytes: usize) -> Handle {
        unwrap(self.try_empty(bytes))
    }

    /// Allocates `bytes` bytes, and sets all of them to zero.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn try_empty(&self, bytes: usize) -> Result<Handle, LaunchError> {
        let core = self.core.immediate("empty")?;
        Ok(core.handle(core.device.alloc_on(core.queue, bytes as u64, Init::Zero)?))
    }

    /// Allocates `bytes` bytes with arbitrary contents, for a kernel that writes every byte.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn try_uninit(&self, bytes: usize) -> Result<Handle, LaunchError> {
        Ok(self.core.handle(self.core.device.alloc_on(self.core.queue, bytes as u64, Init::Any)?))
    }

    /// Allocates `bytes` bytes with arbitrary contents, for a kernel that writes every byte.
    ///
    /// # Panics
    /// The device is out of memory; [`ComputeClient::try_uninit`] returns the error.
    #[track_caller]
    pub fn uninit(&self, bytes: usize) -> Handle {
        unwrap(self.try_uninit(bytes))
    }

    /// Allocates a tensor and copies the bytes to it. `elem_size` is in bytes.
    ///
    /// # Panics
    /// The device is out of memory, or `data` does not have the tensor's size;
    /// [`ComputeClient::try_create_tensor`] returns the error.
    #[track_caller]
    pub fn create_tensor(&self, data: &[u8], shape: &[usize], elem_size: usize) -> Allocation {
        unwrap(self.try_create_tensor(data, shape, elem_size))
    }

    /// Allocates a tensor and copies the bytes to it. `elem_size` is in bytes.
    ///
    /// # Errors
    /// The device is out of memory, or `data` does not have the tensor's size.
    pub fn try_create_tensor(&self, data: &[u8], shape: &[usize], elem_size: usize) -> Result<Allocation, LaunchError> {
        let needed = AllocationDescriptor::optimized(shape, elem_size).bytes();
        if data.len() != needed {
            return Err(LaunchError::of_user(format!(
                "a tensor of shape {shape:?} with elements of {elem_size} bytes needs {needed} bytes, but the data has {} bytes",
                data.len()
            )));
        }
        Ok(Allocation { handle: self.try_create(data)?, strides: contiguous_strides(shape) })
    }

    /// Allocates several tensors and copies their bytes.
    ///
    /// # Panics
    /// See [`ComputeClient::create_tensor`].
    pub fn create_tensors(&self, tensors: Vec<(AllocationDescriptor<'_>, &[u8])>) -> Vec<Allocation> {
        tensors.into_iter().map(|(tensor, data)| self.create_tensor(data, tensor.shape, tensor.elem_size)).collect()
    }

    /// Like [`ComputeClient::create_tensors`], but returns the error.
    ///
    /// # Errors
    /// See [`ComputeClient::try_create_tensor`].
    pub fn try_create_tensors(
        &self,
        tensors: Vec<(AllocationDescriptor<'_>, &[u8])>,
    ) -> Result<Vec<Allocation>, LaunchError> {
        tensors.into_iter().map(|(tensor, data)| self.try_create_tensor(data, tensor.shape, tensor.elem_size)).collect()
    }

    /// Allocates a tensor whose elements are all zero. `elem_size` is in bytes.
    ///
    /// # Panics
    /// See [`ComputeClient::empty`].
    #[track_caller]
    pub fn empty_tensor(&self, shape: &[usize], elem_size: usize) -> Allocation {
        unwrap(self.try_empty_tensor(shape, elem_size))
    }

    /// Like [`ComputeClient::empty_tensor`], but returns the error.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn try_empty_tensor(&self, shape: &[usize], elem_size: usize) -> Result<Allocation, LaunchError> {
        let handle = self.try_empty(AllocationDescriptor::optimized(shape, elem_size).bytes())?;
        Ok(Allocation { handle, strides: contiguous_strides(shape) })
    }

    /// Allocates several tensors whose elements are all zero.
    ///
    /// # Panics
    /// See [`ComputeClient::empty`].
    #[track_caller]
    pub fn empty_tensors(&self, tensors: Vec<AllocationDescriptor<'_>>) -> Vec<Allocation> {
        unwrap(self.try_empty_tensors(tensors))
    }

    /// Like [`ComputeClient::empty_tensors`], but returns the error.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn try_empty_tensors(&self, tensors: Vec<AllocationDescriptor<'_>>) -> Result<Vec<Allocation>, LaunchError> {
        tensors.into_iter().map(|tensor| self.try_empty_tensor(tensor.shape, tensor.elem_size)).collect()
    }

    /// Copies bytes to the start of a handle's memory.
    ///
    /// # Errors
    /// `data` is larger than the handle's memory.
    pub fn write(&self, handle: &Handle, data: &[u8]) -> Result<(), LaunchError> {
        let core = self.core.immediate("write")?;
        let buffer = handle.buffer()?;
        core.timed("copy", "host to device", Some(data.len() as u64), || {
            core.device.write_on(core.queue, &buffer, 0, data)
        })?;
        handle.mark_good();
        Ok(())
    }

    /// Reads the bytes of a handle, after all earlier launches have ended.
    ///
    /// # Errors
    /// The launch that should have written the bytes failed.
    pub fn try_read_one(&self, handle: Handle) -> Result<Bytes, LaunchError> {
        let core = self.core.immediate("read")?;
        if let Some(failure) = handle.failure() {
            return Err(failure);
        }
        let mut bytes = Bytes::zeroed(handle.size() as usize);
        let _span = tracing::trace_span!("copy", from = "device", bytes = handle.size()).entered();
        let buffer = handle.buffer()?;
        core.timed("copy", "device to host", Some(handle.size()), || {
            core.device.read_on(core.queue, &buffer, 0, &mut bytes)
        })?;
        Ok(bytes)
    }

    /// Reads the bytes of several handles, after all earlier launches have ended.
    ///
    /// # Errors
    /// A launch that should have written one of the handles failed.
    pub fn try_read(&self, handles: Vec<Handle>) -> Result<Vec<Bytes>, LaunchError> {
        handles.into_iter().map(|h| self.try_read_one(h)).collect()
    }

    /// Reads the bytes of a handle, after all earlier launches have ended.
    ///
    /// # Panics
    /// The launch that should have written the bytes failed; [`ComputeClient::try_read_one`] returns the error.
    #[track_caller]
    pub fn read_one(&self, handle: Handle) -> Bytes {
        unwrap(self.try_read_one(handle))
    }

    /// Reads the bytes of several handles, after all earlier launches have ended.
    ///
    /// # Panics
    /// The launch that should have written a handle failed; [`ComputeClient::try_read`] returns the error.
    #[track_caller]
    pub fn read(&self, handles: Vec<Handle>) -> Vec<Bytes> {
        unwrap(self.try_read(handles))
    }

    /// Queues a read of a handle. The returned future yields the handle's bytes. The bytes include the writes of all
    /// earlier launches, and no writes of later launches.
    ///
    /// # Errors
    /// The launch that should have written the bytes failed.
    pub fn try_read_one_async(
        &self,
        handle: Handle,
    ) -> Result<impl Future<Output = Result<Bytes, LaunchError>> + Send + use<S>, LaunchError> {
        let core = self.core.immediate("read")?;
        if let Some(failure) = handle.failure() {
            return Err(failure);
        }
        let _slice = core.span("copy", "device to host, queued");
        let reading = core.device.read_async(core.queue, &handle.buffer()?, 0, handle.size())?;
        core.counters.command("copy", Some(handle.size()));
        Ok(async move { Ok(Bytes::copy_of(&reading.await?)) })
    }

    /// Queues reads of handles and returns immediately. The returned future yields the bytes of the handles. The bytes
    /// include the writes of all earlier launches, and no writes of later launches.
    ///
    /// # Panics
    /// The future panics if the launch that should have written a handle failed.
    pub fn read_async(&self, handles: Vec<Handle>) -> impl Future<Output = Vec<Bytes>> + Send + use<S> {
        let reading = self.try_read_async(handles);
        async move { unwrap(reading.await) }
    }

    /// As [`ComputeClient::read_async`], but the future yields errors as values.
    pub fn try_read_async(
        &self,
        handles: Vec<Handle>,
    ) -> impl Future<Output = Result<Vec<Bytes>, LaunchError>> + Send + use<S> {
        all_of(handles.into_iter().map(|handle| self.try_read_one_async(handle)).collect())
    }

    /// Queues reads of tensors and returns immediately.
    ///
    /// # Panics
    /// The future panics if the launch that should have written a handle failed, or if a tensor exceeds its memory.
    pub fn read_tensor_async(
        &self,
        tensors: Vec<CopyDescriptor<'_>>,
    ) -> impl Future<Output = Vec<Bytes>> + Send + use<S> {
        let reading = self.try_read_tensor_async(tensors);
        async move { unwrap(reading.await) }
    }

    /// As [`ComputeClient::read_tensor_async`], but the future yields errors as values.
    pub fn try_read_tensor_async(
        &self,
        tensors: Vec<CopyDescriptor<'_>>,
    ) -> impl Future<Output = Result<Vec<Bytes>, LaunchError>> + Send + use<S> {
        all_of(tensors.into_iter().map(|tensor| Ok(self.try_read_one_tensor_async(tensor))).collect())
    }

    /// Queues a read of a tensor and returns immediately.
    ///
    /// # Panics
    /// The future panics if the launch that should have written the handle failed, or if the tensor exceeds its
    /// memory.
    pub fn read_one_tensor_async(&self, tensor: CopyDescriptor<'_>) -> impl Future<Output = Bytes> + Send + use<S> {
        let reading = self.try_read_one_tensor_async(tensor);
        async move { unwrap(reading.await) }
    }

    /// As [`ComputeClient::read_one_tensor_async`], but the future yields errors as values.
    pub fn try_read_one_tensor_async(
        &self,
        tensor: CopyDescriptor<'_>,
    ) -> impl Future<Output = Result<Bytes, LaunchError>> + Send + use<S> {
        let CopyDescriptor { binding, shape, strides, elem_size } = tensor;
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        let reading = self.try_read_one_async(binding);
        async move { tensor_of(reading?.await?, &shape, &strides, elem_size) }
    }

    /// Reads the bytes of a tensor in row-major order, without the gaps of its strides.
    ///
    /// # Errors
    /// The launch that should have written the tensor failed, or the tensor exceeds its memory.
    pub fn try_read_one_tensor<'a>(&self, tensor: impl Into<CopyDescriptor<'a>>) -> Result<Bytes, LaunchError> {
        let CopyDescriptor { binding, shape, strides, elem_size } = tensor.into();
        tensor_of(self.try_read_one(binding)?, shape, strides, elem_size)
    }

    /// Reads the bytes of a tensor in row-major order, without the gaps of its strides.
    ///
    /// # Panics
    /// The launch that should have written the tensor failed, or the tensor exceeds its memory;
    /// [`ComputeClient::try_read_one_tensor`] returns the error.
    #[track_caller]
    pub fn read_one_tensor<'a>(&self, tensor: impl Into<CopyDescriptor<'a>>) -> Bytes {
        unwrap(self.try_read_one_tensor(tensor))
    }

    /// Reads the bytes of tensors.
    ///
    /// # Panics
    /// See [`ComputeClient::read_one_tensor`].
    pub fn read_tensor(&self, tensors: Vec<CopyDescriptor<'_>>) -> Vec<Bytes> {
        tensors.into_iter().map(|tensor| self.read_one_tensor(tensor)).collect()
    }

    /// Like [`ComputeClient::read_tensor`], but returns the error.
    ///
    /// # Errors
    /// See [`ComputeClient::try_read_one_tensor`].
    pub fn try_read_tensor(&self, tensors: Vec<CopyDescriptor<'_>>) -> Result<Vec<Bytes>, LaunchError> {
        tensors.into_iter().map(|tensor| self.try_read_one_tensor(tensor)).collect()
    }

    /// Waits for all work of the device. The returned future is already complete. `block_on(client.sync())`
    /// returns its result, with `block_on` of the module `future`.
    ///
    /// # Errors
    /// The device has failed since the last wait. After a failure of the device, launches that do not use
    /// invalid handles can succeed.
    pub fn sync(&self) -> std::future::Ready<Result<(), LaunchError>> {
        let synced = self.core.immediate("sync").and_then(|core| Ok(core.device.sync()?));
        std::future::ready(synced)
    }

    /// Submits the collected commands to the device, and does not wait. If the device fails, the next
    /// [`ComputeClient::sync`] or read returns the failure.
    pub fn flush(&self) {
        let _ = self.try_flush();
    }

    /// Like [`ComputeClient::flush`], but returns the error.
    ///
    /// # Errors
    /// The device refused the commands.
    pub fn try_flush(&self) -> Result<(), LaunchError> {
        Ok(self.core.device.flush(self.core.queue)?)
    }

    /// Waits for queued work, and returns free memory of the device's pool to the driver or the system.
    pub fn memory_cleanup(&self) {
        self.core.device.memory_cleanup();
    }

    /// Memory usage of the device's buffers and of its pool.
    pub fn memory_usage(&self) -> MemoryUsage {
        self.core.memory_usage()
    }

    /// Runs `work`, whose allocations live longer than others, for example the weights of a model. They use separate segments
    /// of the device's pool, so that they do not keep the segments of temporary buffers reserved.
    pub fn memory_persistent_allocation<I, O, F: Fn(I) -> O>(&self, input: I, work: F) -> O {
        cube_runtime::pool::persistent(|| work(input))
    }

    /// Measures the device work that `work` submits, with events of the device. If the device's events have no times,
    /// the host's clock measures the work. [`ProfileDuration::timing_method`] returns the clock. The measurement
    /// first waits for earlier work of the device. `name` appears in the profiling log.
    ///
    /// # Errors
    /// The device failed.
    pub fn profile<O>(&self, work: impl FnOnce() -> O, name: &str) -> Result<ProfileDuration, LaunchError> {
        self.core.immediate("profile")?.device.sync()?;
        let start = Instant::now();
        let (mut work, mut result) = (Some(work), None);
        let (time, clock) = self.core.device.measure_on(self.core.queue, &mut || {
            result = work.take().map(|work| work());
            Ok(())
        })?;
        self.core.profiled(name, time);
        drop(result);
        let end = start + time;
        Ok(match clock {
            Clock::Host => ProfileDuration::new_system_time(start, end),
            Clock::Device => {
                ProfileDuration::new_device_time(std::future::ready(ProfileTicks::from_start_end(start, end)))
            }
        })
    }

    /// Runs `work`, and waits until the device has completed all its work. Returns the result of `work` and the elapsed
    /// time.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> (T, std::time::Duration) {
        let start = Instant::now();
        let result = work();
        let _done = self.sync();
        (result, start.elapsed())
    }
}
