//! Clients: how a program reaches a device.
use super::arguments::LaunchError;
use super::{ComputeServer, CopyDescriptor, Core, Handle};
use crate::profile::ProfileDuration;
use cube_runtime::Init;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// Bytes that were read from a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(Vec<u64>, usize);

impl Bytes {
    /// Zeros, at an address that suits every element.
    fn zeroed(len: usize) -> Self {
        Bytes(vec![0; len.div_ceil(8)], len)
    }

    /// A copy of bytes.
    pub fn from_bytes_vec(bytes: Vec<u8>) -> Self {
        let mut whole = Bytes::zeroed(bytes.len());
        whole.copy_from_slice(&bytes);
        whole
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

impl std::ops::DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.0)[..self.1]
    }
}

/// Memory for a tensor.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// The memory.
    pub handle: Handle,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<usize>,
}

/// What a device can do.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// Names of what it can do.
    pub features: super::Features,
    /// Its limits.
    pub hardware: HardwareProperties,
}

impl Properties {
    /// What a type of elements can be used for.
    pub fn type_usage(&self, ty: crate::ir::StorageType) -> super::features::Set<super::features::TypeUsage> {
        self.features.type_usage(ty)
    }
}

/// Limits of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct HardwareProperties {
    pub plane_size_min: u32,
    pub plane_size_max: u32,
    pub max_bindings: u32,
    pub max_shared_memory_size: usize,
    pub max_cube_count: CubeCountLimit,
    pub max_units_per_cube: u32,
    pub max_cube_dim: super::CubeDim,
    pub num_streaming_multiprocessors: Option<u32>,
    pub num_cpu_cores: Option<u32>,
    pub load_width: u32,
}

/// Most cubes along x, y, z.
pub type CubeCountLimit = super::CubeDim;

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

/// What went wrong, told at the caller's line.
#[track_caller]
fn unwrap<T>(result: Result<T, LaunchError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// The elements of a tensor in the order of their coordinates.
fn gathered(bytes: &[u8], shape: &[usize], strides: &[usize], elem_size: usize) -> Vec<u8> {
    let count: usize = shape.iter().product();
    let mut out = Vec::with_capacity(count * elem_size);
    for number in 0..count {
        let (mut left, mut at) = (number, 0);
        for (n, stride) in shape.iter().zip(strides).rev() {
            at += left % n * stride;
            left /= n;
        }
        let element = bytes.get(at * elem_size..(at + 1) * elem_size);
        out.extend_from_slice(element.unwrap_or(&[]));
    }
    out
}

/// Elements between neighbours of a tensor without gaps.
fn contiguous(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    strides
}

impl<S: ComputeServer> ComputeClient<S> {
    /// A client of a device.
    pub fn new(core: Arc<Core>) -> Self {
        let p = core.device.properties();
        let dim = |[x, y, z]: [u32; 3]| super::CubeDim { x, y, z };
        let (is_gpu, [plane_size_min, plane_size_max]) = (p.processors == 0, p.plane_dim);
        let hardware = HardwareProperties {
            plane_size_min,
            plane_size_max,
            max_bindings: u32::MAX,
            max_shared_memory_size: p.max_shared_bytes as usize,
            max_cube_count: dim(p.max_cube_count),
            max_units_per_cube: p.max_units_per_cube,
            max_cube_dim: dim(p.max_cube_dim),
            num_streaming_multiprocessors: is_gpu.then_some(p.parallel_cubes),
            num_cpu_cores: (!is_gpu).then_some(p.processors),
            load_width: p.load_bits,
        };
        let properties = Arc::new(Properties { features: core.features.clone(), hardware });
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
        Ok(Handle::new(buffer))
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
        Ok(Handle::new(self.core.device.alloc(bytes as u64, Init::Zero)?))
    }

    /// New memory for a tensor with these bytes.
    #[track_caller]
    pub fn create_tensor(&self, data: &[u8], shape: &[usize], elem_size: usize) -> Allocation {
        let _ = elem_size;
        Allocation { handle: self.create(data), strides: contiguous(shape) }
    }

    /// New memory for a tensor.
    #[track_caller]
    pub fn empty_tensor(&self, shape: &[usize], elem_size: usize) -> Allocation {
        let handle = self.empty(shape.iter().product::<usize>() * elem_size);
        Allocation { handle, strides: contiguous(shape) }
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

    /// The bytes of handles, later.
    pub fn read_async(&self, handles: Vec<Handle>) -> impl Future<Output = Vec<Bytes>> + Send + use<S> {
        let client = self.clone();
        async move { client.read(handles) }
    }

    /// The bytes of a tensor, in the order of its coordinates and without the gaps that its strides leave.
    ///
    /// # Panics
    /// The launch that would have written them failed; [`ComputeClient::try_read_one`] tells it as a value.
    #[track_caller]
    pub fn read_one_tensor<'a>(&self, tensor: impl Into<CopyDescriptor<'a>>) -> Bytes {
        let tensor = tensor.into();
        let bytes = self.read_one(tensor.binding);
        if tensor.strides == contiguous(tensor.shape) {
            return bytes;
        }
        Bytes::from_bytes_vec(gathered(&bytes, tensor.shape, tensor.strides, tensor.elem_size))
    }

    /// The bytes of tensors.
    ///
    /// # Panics
    /// As [`ComputeClient::read_one_tensor`].
    pub fn read_tensor(&self, tensors: Vec<CopyDescriptor<'_>>) -> Vec<Bytes> {
        tensors.into_iter().map(|tensor| self.read_one_tensor(tensor)).collect()
    }

    /// Waits until all work is done. The future that comes back is done.
    pub fn sync(&self) -> std::future::Ready<()> {
        if let Err(error) = self.core.device.sync() {
            eprintln!("{error}");
        }
        std::future::ready(())
    }

    /// Sends what is waiting to the device.
    pub fn flush(&self) {}

    /// Returns memory that nobody uses to the system.
    pub fn memory_cleanup(&self) {}

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
        Allocation { handle: to.create(&self.read_one(handle)), strides: contiguous(&[size]) }
    }

    /// The elements of a tensor in the memory of another client's device, without the gaps that its strides leave.
    ///
    /// # Panics
    /// As [`ComputeClient::to_client`].
    pub fn to_client_tensor<T: ComputeServer>(&self, tensor: CopyDescriptor<'_>, to: &ComputeClient<T>) -> Allocation {
        let strides = contiguous(tensor.shape);
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
