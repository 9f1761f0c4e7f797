//! Clients and launch arguments of CubeCL 0.11, whose types do not name the runtime.
use crate::host::arguments::{CompileArg, Launch, LaunchArg, LaunchError, Params};
use crate::host::{Allocation, Bytes, ComputeClient, ComputeServer, Handle};
use crate::ir::{MemKind, Ty};
use crate::lang::containers::{Atomic, Element, with_lines};
use crate::lang::value::CubePrimitive;
use crate::v11::elements::{Array, AtomicsExpand, Buffer, ElementsExpand, Tensor};
use std::future::Future;
use std::ops::Deref;

/// The server of a [`Client`]: the server of any runtime.
#[derive(Debug)]
pub enum AnyServer {}

impl ComputeServer for AnyServer {}

/// A runtime whose type the program does not name. Launch functions of `v11` have arguments of this runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyRuntime {}

impl crate::host::Runtime for AnyRuntime {
    type Server = AnyServer;
    type Channel = ();
    type Device = ();
    fn client((): &()) -> ComputeClient<AnyServer> {
        panic!("`AnyRuntime` has no devices; make a client with `CpuRuntime::client`, or of another runtime")
    }
    fn name(_: &ComputeClient<AnyServer>) -> &'static str {
        "any"
    }
}

/// A runtime for one class of devices, such as the CPU or NVIDIA GPUs.
pub trait Runtime: Send + Sync + 'static {
    /// Identifier of a device.
    type Device: Default + Clone + std::fmt::Debug + Send + Sync;
    /// Creates a client of the device.
    fn client(device: &Self::Device) -> Client;
    /// The name of the client's runtime.
    fn name(client: &Client) -> &'static str;
}

impl<R: crate::host::Runtime> Runtime for R {
    type Device = R::Device;
    fn client(device: &R::Device) -> Client {
        R::client(device).into()
    }
    fn name(client: &Client) -> &'static str {
        R::name(&client.of_server())
    }
}

/// Access to one device and one of its queues, with the signatures of CubeCL 0.11. All functions of [`ComputeClient`]
/// that [`Client`] does not define are also functions of [`Client`].
#[derive(Clone, Debug)]
pub struct Client(ComputeClient<AnyServer>);

impl<S: ComputeServer> From<ComputeClient<S>> for Client {
    fn from(client: ComputeClient<S>) -> Self {
        Client(client.of_server())
    }
}

impl Deref for Client {
    type Target = ComputeClient<AnyServer>;
    fn deref(&self) -> &ComputeClient<AnyServer> {
        &self.0
    }
}

impl Client {
    /// Features that kernels can use.
    pub fn features(&self) -> &crate::features::Features {
        &self.properties().features
    }

    /// Allocates memory and copies the bytes to it.
    ///
    /// # Panics
    /// The device is out of memory.
    #[track_caller]
    pub fn create(&self, data: Bytes) -> Handle {
        self.0.create(&data)
    }

    /// Allocates memory and copies the bytes to it.
    ///
    /// # Panics
    /// The device is out of memory.
    #[track_caller]
    pub fn create_from_slice(&self, data: &[u8]) -> Handle {
        self.0.create(data)
    }

    /// Allocates a tensor and copies the bytes to it. `elem_size` is in bytes.
    ///
    /// # Panics
    /// The device is out of memory, or `data` does not have the tensor's size.
    #[track_caller]
    pub fn create_tensor(&self, data: Bytes, shape: Shape, elem_size: usize) -> Allocation {
        self.0.create_tensor(&data, &shape, elem_size)
    }

    /// As [`Client::create_tensor`], from borrowed bytes.
    ///
    /// # Panics
    /// See [`Client::create_tensor`].
    #[track_caller]
    pub fn create_tensor_from_slice(&self, data: &[u8], shape: Shape, elem_size: usize) -> Allocation {
        self.0.create_tensor(data, &shape, elem_size)
    }

    /// Allocates a tensor whose elements are all zero. `elem_size` is in bytes.
    ///
    /// # Panics
    /// The device is out of memory.
    #[track_caller]
    pub fn empty_tensor(&self, shape: Shape, elem_size: usize) -> Allocation {
        self.0.empty_tensor(&shape, elem_size)
    }

    /// Reads the bytes of a handle, after all earlier launches have ended.
    ///
    /// # Errors
    /// The launch that should have written the bytes failed.
    pub fn read_one(&self, handle: Handle) -> Result<Bytes, LaunchError> {
        self.0.try_read_one(handle)
    }

    /// As [`Client::read_one`].
    ///
    /// # Panics
    /// The launch that should have written the bytes failed.
    #[track_caller]
    pub fn read_one_unchecked(&self, handle: Handle) -> Bytes {
        self.0.read_one(handle)
    }

    /// Reads the bytes of several handles, after all earlier launches have ended.
    ///
    /// # Errors
    /// A launch that should have written one of the handles failed.
    pub fn read(&self, handles: Vec<Handle>) -> Result<Vec<Bytes>, LaunchError> {
        self.0.try_read(handles)
    }

    /// Queues reads of handles and returns immediately.
    ///
    /// # Errors
    /// The future yields the failure of a launch that should have written one of the handles.
    pub fn read_async(
        &self,
        handles: Vec<Handle>,
    ) -> impl Future<Output = Result<Vec<Bytes>, LaunchError>> + Send + use<> {
        self.0.try_read_async(handles)
    }

    /// Copies bytes to the start of a handle's memory.
    ///
    /// # Panics
    /// `data` is larger than the handle's memory.
    #[track_caller]
    pub fn write(&self, handle: &Handle, data: Bytes) {
        if let Err(error) = self.0.write(handle, &data) {
            panic!("{error}");
        }
    }

    /// Submits all queued commands.
    ///
    /// # Errors
    /// The device has failed.
    pub fn flush(&self) -> Result<(), LaunchError> {
        self.0.try_flush()
    }

    /// Vector sizes with full memory throughput for elements of `size` bytes, in descending order.
    pub fn io_optimized_vector_sizes(&self, size: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let most = (16 / size.max(1)).max(1);
        [16, 8, 4, 2, 1].into_iter().filter(move |n| *n <= most)
    }
}

/// Number of units of a cube along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CubeDim(crate::host::CubeDim);

impl Deref for CubeDim {
    type Target = crate::host::CubeDim;
    fn deref(&self) -> &crate::host::CubeDim {
        &self.0
    }
}

impl From<CubeDim> for crate::host::CubeDim {
    fn from(dim: CubeDim) -> Self {
        dim.0
    }
}

impl From<crate::host::CubeDim> for CubeDim {
    fn from(dim: crate::host::CubeDim) -> Self {
        CubeDim(dim)
    }
}

impl From<(u32, u32, u32)> for CubeDim {
    fn from(dim: (u32, u32, u32)) -> Self {
        CubeDim(dim.into())
    }
}

impl CubeDim {
    /// Units for `working_units` independent elements: one plane along x, and the largest power of two of at most 8
    /// planes along y that the elements fill.
    pub fn new(client: &Client, working_units: usize) -> Self {
        let hardware = &client.properties().hardware;
        let plane = hardware.plane_size_max.max(1);
        let planes = (working_units / plane as usize).clamp(1, 8).ilog2();
        let most = (hardware.max_units_per_cube / plane).max(1);
        CubeDim::new_2d(plane, (1 << planes).min(most))
    }
    /// One unit.
    pub const fn new_single() -> Self {
        CubeDim::new_3d(1, 1, 1)
    }
    /// Units along x.
    pub const fn new_1d(x: u32) -> Self {
        CubeDim::new_3d(x, 1, 1)
    }
    /// The given numbers of units along x and y, and 1 along z.
    pub const fn new_2d(x: u32, y: u32) -> Self {
        CubeDim::new_3d(x, y, 1)
    }
    /// The given numbers of units along x, y and z.
    pub const fn new_3d(x: u32, y: u32, z: u32) -> Self {
        CubeDim(crate::host::CubeDim { x, y, z })
    }
}

/// Declares a list of numbers, one for each dimension of a tensor.
macro_rules! per_dimension {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(Vec<usize>);

        impl $name {
            /// Creates the list from the numbers of the dimensions, in order.
            pub fn new(dims: impl Into<Self>) -> Self {
                dims.into()
            }
            /// The number of dimensions.
            pub fn rank(&self) -> usize {
                self.0.len()
            }
        }

        impl Deref for $name {
            type Target = [usize];
            fn deref(&self) -> &[usize] {
                &self.0
            }
        }

        impl<const N: usize> From<[usize; N]> for $name {
            fn from(dims: [usize; N]) -> Self {
                $name(dims.to_vec())
            }
        }

        impl From<Vec<usize>> for $name {
            fn from(dims: Vec<usize>) -> Self {
                $name(dims)
            }
        }

        impl From<&[usize]> for $name {
            fn from(dims: &[usize]) -> Self {
                $name(dims.to_vec())
            }
        }
    )*};
}

per_dimension! {
    /// Number of elements along each dimension.
    Shape;
    /// Stride of each dimension, in elements.
    Strides;
}

/// An argument for `&[T]` or `&mut [T]`.
#[derive(Clone, Debug)]
pub enum BufferArg {
    /// An argument in the memory of a handle.
    Handle {
        /// The memory.
        handle: Handle,
        /// Length in elements of type `T`.
        length: usize,
    },
    /// An argument that shares the memory of an earlier argument.
    Alias {
        /// Position of the earlier argument among the buffers of the launch.
        input_pos: usize,
        /// Length in elements of type `T`.
        length: usize,
    },
}

impl BufferArg {
    /// An argument at the start of a handle's memory. `length` counts elements of type `T`.
    ///
    /// # Safety
    /// `length` elements must fit into the memory, because unchecked kernels rely on the length.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts(handle: Handle, length: usize) -> Self {
        BufferArg::Handle { handle, length }
    }

    /// An argument that shares the memory of an earlier argument. `position` counts the buffers of the launch.
    pub fn alias(position: usize, length: usize) -> Self {
        BufferArg::Alias { input_pos: position, length }
    }

    /// The length in elements of type `T`.
    pub fn size(&self) -> usize {
        match self {
            BufferArg::Handle { length, .. } | BufferArg::Alias { length, .. } => *length,
        }
    }
}

fn register_buffer<'x, T: Element>(arg: &'x BufferArg, launch: &mut Launch<'x>) -> CompileArg {
    match arg {
        BufferArg::Handle { handle, length } => {
            let (line, size) = (T::item_line(), T::item_elem().host().size());
            launch.buffer::<T>(handle, length * line as usize, line, size, None);
            let memory = handle.size() / (size as u64 * u64::from(line));
            CompileArg::Array(line, *length as u64 != memory)
        }
        BufferArg::Alias { input_pos, .. } => CompileArg::Array(launch.alias(*input_pos), false),
    }
}

/// Declares the parameter of a buffer or of a tensor.
fn enter_memory<B: Buffer>(arg: &CompileArg, params: &mut Params) -> B {
    let (kind, line, host_len) = match arg {
        CompileArg::Array(line, host_len) => (MemKind::Array, *line, *host_len),
        CompileArg::Tensor(line) => (MemKind::Tensor, *line, false),
        _ => (MemKind::Array, 1, false),
    };
    let ty = Ty { elem: B::Item::item_elem(), line };
    B::of_memory(with_lines(kind, ty, |ty| params.buffer(ty, B::Item::ATOMIC, host_len)))
}

macro_rules! buffers {
    ($($ty:ty: $staged:ty, $writes:literal;)*) => {$(
        impl<T: CubePrimitive> LaunchArg for $ty {
            type RuntimeArg<'a, R: crate::host::Runtime> = BufferArg;
            fn register<'a: 'x, 'x, R: crate::host::Runtime>(arg: &'x BufferArg, launch: &mut Launch<'x>) -> CompileArg {
                register_buffer::<<$staged as Buffer>::Item>(arg, launch)
            }
            fn enter(arg: &CompileArg, params: &mut Params) -> $staged {
                if $writes { enter_memory(arg, &mut params.to_written()) } else { enter_memory(arg, params) }
            }
        }
    )*};
}

// The kernel owns the contents of a box, so it can write them.
buffers! {
    [T]: ElementsExpand<T>, false;
    [Atomic<T>]: AtomicsExpand<T>, false;
    Box<[T]>: ElementsExpand<T>, true;
    Box<[Atomic<T>]>: AtomicsExpand<T>, true;
    Array<T>: ElementsExpand<T>, false;
}

/// A tensor argument.
#[derive(Clone, Debug)]
pub enum TensorArg {
    /// An argument in the memory of a handle.
    Handle {
        /// The tensor.
        handle: TensorBinding,
    },
    /// An argument that shares the memory of an earlier argument.
    Alias {
        /// Position of the earlier argument among the buffers of the launch.
        input_pos: usize,
    },
}

/// A tensor in device memory.
#[derive(Clone, Debug)]
pub struct TensorBinding {
    /// The memory.
    pub handle: Handle,
    /// Stride of each dimension, in scalar elements.
    pub strides: Strides,
    /// Number of scalar elements along each dimension.
    pub shape: Shape,
}

impl TensorBinding {
    /// A tensor at the start of a handle's memory.
    ///
    /// # Safety
    /// The tensor must fit into the memory, because unchecked kernels rely on its shape and strides.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts(handle: Handle, strides: Strides, shape: Shape) -> Self {
        TensorBinding { handle, strides, shape }
    }

    /// The number of scalar elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The tensor as an argument of a launch.
    pub fn into_tensor_arg(self) -> TensorArg {
        TensorArg::Handle { handle: self }
    }
}

impl TensorArg {
    /// A tensor at the start of a handle's memory.
    ///
    /// # Safety
    /// The tensor must fit into the memory, because unchecked kernels rely on its shape and strides.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_parts(handle: Handle, strides: Strides, shape: Shape) -> Self {
        TensorArg::Handle { handle: TensorBinding { handle, strides, shape } }
    }

    /// An argument that shares the memory of an earlier argument. `position` counts the buffers of the launch.
    pub fn alias(position: usize) -> Self {
        TensorArg::Alias { input_pos: position }
    }

    /// An alias of the buffer at `position`.
    pub fn into_alias(self, position: usize) -> Self {
        TensorArg::Alias { input_pos: position }
    }
}

macro_rules! tensors {
    ($($item:ty: $staged:ty;)*) => {$(
        impl<T: CubePrimitive> LaunchArg for Tensor<$item> {
            type RuntimeArg<'a, R: crate::host::Runtime> = TensorArg;
            fn register<'a: 'x, 'x, R: crate::host::Runtime>(arg: &'x TensorArg, launch: &mut Launch<'x>) -> CompileArg {
                match arg {
                    TensorArg::Handle { handle: tensor } => {
                        let (line, size) = (<$item>::item_line(), <$item>::item_elem().host().size());
                        let shape = Some((&*tensor.shape, &*tensor.strides));
                        launch.buffer::<$item>(&tensor.handle, tensor.size(), line, size, shape);
                        CompileArg::Tensor(line)
                    }
                    TensorArg::Alias { input_pos } => CompileArg::Tensor(launch.alias(*input_pos)),
                }
            }
            fn enter(arg: &CompileArg, params: &mut Params) -> $staged {
                enter_memory(arg, params)
            }
        }
    )*};
}

tensors! {
    T: ElementsExpand<T>;
    Atomic<T>: AtomicsExpand<T>;
}
