//! The host side: clients of devices, handles to their memory, and launches.
pub mod arguments;
mod bundles;
mod bytes;
pub mod client;
mod compiler;
pub mod config;
mod core;
mod counters;
pub mod features;
pub mod foreign;
pub mod graph;
mod handle;
pub mod line_sizes;
mod long_launches;
mod memory;
mod numbered;
pub mod precompile;
mod properties;
pub(crate) mod recording;
pub(crate) mod reports;
mod submit;
pub mod tasks;
mod timeline;
mod transfers;
pub mod variables;

#[doc(hidden)]
pub use self::core::KernelSource;
pub use self::core::{Core, Session};
pub use bytes::Bytes;
pub use client::ComputeClient;
pub use compiler::compiler;
pub use counters::Counters;
pub use features::Features;
pub use graph::RecordedGraph;
pub use handle::{CopyDescriptor, Handle};
pub use memory::{Allocation, AllocationDescriptor, AllocationKind, MemoryUsage, contiguous_strides};
pub use properties::{HardwareProperties, MemoryDeviceProperties, Properties};

/// Tensors of other libraries, as DLPack describes them.
pub use cube_runtime::dlpack;

/// Re-exports items under the module path `server`.
pub mod server {
    pub use super::arguments::LaunchError as ProfileError;
    pub use super::handle::Binding;
    pub use super::tasks::{BindingResource, Bindings};
    pub use super::{
        Allocation, AllocationDescriptor, AllocationKind, Bytes, ComputeServer, CopyDescriptor, CubeCount, Handle,
    };
}

/// The type of a client's server. Each runtime has its own server type.
pub trait ComputeServer: Send + Sync + 'static {}

/// The type of a client. Programs write `ComputeClient<R::Server>`. Programs for older versions of CubeCL pass a
/// channel type as a second type parameter.
pub type Client<S, C = ()> = <ComputeClient<S> as ForChannel<C>>::Client;

/// A type-level identity function that ignores the channel type `C`.
pub trait ForChannel<C> {
    /// `Self`.
    type Client;
}

impl<T, C> ForChannel<C> for T {
    type Client = T;
}

/// A runtime for one class of devices, such as the CPU or NVIDIA GPUs.
pub trait Runtime: Send + Sync + 'static + Sized + Clone + std::fmt::Debug + Eq {
    /// Server type of the runtime's clients.
    type Server: ComputeServer;
    /// Channel type of earlier CubeCL versions. The channel type has no effect.
    type Channel;
    /// Identifier of a device.
    type Device: Default + Clone + std::fmt::Debug + Send + Sync;

    /// Creates a client of the device.
    fn client(device: &Self::Device) -> ComputeClient<Self::Server>;
    /// The name of the runtime.
    fn name(client: &ComputeClient<Self::Server>) -> &'static str;
    /// Supported line sizes in elements, in descending order.
    fn supported_line_sizes() -> &'static [u8] {
        &[16, 8, 4, 2, 1]
    }
    /// The largest line size of buffers, in elements.
    fn max_global_line_size() -> u8 {
        u8::MAX
    }
    /// Whether kernels need the lengths of arrays as extra arguments. The result is `false`, because kernels always
    /// know the lengths of arrays.
    fn require_array_lengths() -> bool {
        false
    }
    /// Line sizes with full memory throughput for the element type `elem`, in descending order.
    fn io_optimized_line_sizes(elem: &crate::ir::StorageType) -> impl Iterator<Item = u8> + Clone {
        Self::io_optimized_line_sizes_unchecked(elem.size())
    }
    /// Whether the strides of the tensor equal the result of [`contiguous_strides`]. Programs for CubeCL copy a tensor
    /// if the result is `false`.
    fn can_read_tensor(shape: &[usize], strides: &[usize]) -> bool {
        contiguous_strides(shape) == strides
    }
    /// The largest number of cubes along x, y, z.
    fn max_cube_count() -> (u32, u32, u32) {
        (u32::MAX, u32::MAX, u32::MAX)
    }
    /// Line sizes with full memory throughput for elements of `size` bytes, in descending order.
    fn io_optimized_line_sizes_unchecked(size: usize) -> impl Iterator<Item = u8> + Clone {
        let most = (16 / size.max(1)).max(1);
        Self::supported_line_sizes().iter().copied().filter(move |n| usize::from(*n) <= most)
    }
}

/// Number of cubes of a launch.
#[derive(Clone)]
pub enum CubeCount {
    /// Numbers of cubes along x, y and z.
    Static(u32, u32, u32),
    /// Numbers of cubes along x, y and z, as three `u32` in a buffer. The device reads the buffer at the
    /// launch.
    Dynamic(handle::Binding),
}

impl std::fmt::Debug for CubeCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CubeCount::Static(x, y, z) => write!(f, "({x}, {y}, {z})"),
            CubeCount::Dynamic(_) => f.write_str("(from a buffer)"),
        }
    }
}

impl CubeCount {
    /// One cube.
    pub fn new_single() -> Self {
        CubeCount::Static(1, 1, 1)
    }
    /// Cubes along x.
    pub fn new_1d(x: u32) -> Self {
        CubeCount::Static(x, 1, 1)
    }
    /// The given numbers of cubes along x and y, and 1 along z.
    pub fn new_2d(x: u32, y: u32) -> Self {
        CubeCount::Static(x, y, 1)
    }
    /// The given numbers of cubes along x, y and z.
    pub fn new_3d(x: u32, y: u32, z: u32) -> Self {
        CubeCount::Static(x, y, z)
    }
}

/// The number of units of a plane on most devices, for code that has no client. The properties of a client have the
/// exact number.
pub const PLANE_DIM_APPROX: usize = 16;

/// Number of units of a cube along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub struct CubeDim {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl From<(u32, u32, u32)> for CubeDim {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        CubeDim { x, y, z }
    }
}

impl CubeDim {
    /// The given numbers of units along x, y and z.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        CubeDim { x, y, z }
    }
    /// One unit.
    pub const fn new_single() -> Self {
        CubeDim { x: 1, y: 1, z: 1 }
    }
    /// Units along x.
    pub const fn new_1d(x: u32) -> Self {
        CubeDim { x, y: 1, z: 1 }
    }
    /// The given numbers of units along x and y, and 1 along z.
    pub const fn new_2d(x: u32, y: u32) -> Self {
        CubeDim { x, y, z: 1 }
    }
    /// The given numbers of units along x, y and z.
    pub const fn new_3d(x: u32, y: u32, z: u32) -> Self {
        CubeDim { x, y, z }
    }
    /// Whether this cube dim is at least `other` along each axis.
    pub const fn can_contain(&self, other: CubeDim) -> bool {
        self.x >= other.x && self.y >= other.y && self.z >= other.z
    }
    /// Number of units in the cube.
    pub const fn num_elems(&self) -> u32 {
        self.x * self.y * self.z
    }
}

impl Default for CubeDim {
    fn default() -> Self {
        CubeDim { x: PLANE_DIM_APPROX as u32, y: PLANE_DIM_APPROX as u32, z: 1 }
    }
}

/// A cube count along x and y that gives at least one unit for each element.
pub fn calculate_cube_count_elemwise(elements: usize, dim: CubeDim) -> CubeCount {
    let cubes = elements.div_ceil(dim.num_elems().max(1) as usize).max(1);
    let x = (cubes as f64).sqrt().ceil() as usize;
    let y = cubes.div_ceil(x);
    CubeCount::Static(x as u32, y as u32, 1)
}
