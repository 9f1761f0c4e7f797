//! The host side: clients of devices, handles to their memory, and launches.
pub mod arguments;
mod bytes;
pub mod client;
pub mod config;
mod core;
pub mod features;
mod handle;
pub mod line_sizes;
mod memory;
mod properties;
pub(crate) mod reports;
pub mod variables;
mod watch;

pub use self::core::Core;
pub use bytes::Bytes;
pub use client::ComputeClient;
pub use features::Features;
pub use handle::{CopyDescriptor, Handle};
pub use memory::{Allocation, AllocationDescriptor, AllocationKind, MemoryUsage, contiguous_strides};
pub use properties::{HardwareProperties, MemoryDeviceProperties, Properties};

/// What programs name through `server`.
pub mod server {
    pub use super::arguments::LaunchError as ProfileError;
    pub use super::handle::Binding;
    pub use super::{
        Allocation, AllocationDescriptor, AllocationKind, Bytes, ComputeServer, CopyDescriptor, CubeCount, Handle,
    };
}

/// What stands behind a client; it tells runtimes apart by type.
pub trait ComputeServer: Send + Sync + 'static {}

/// A client as programs name it: `ComputeClient<R::Server>`, or with the channel that earlier versions had as a second parameter.
pub type Client<S, C = ()> = <ComputeClient<S> as Of<C>>::Client;

/// A client whatever the channel.
pub trait Of<C> {
    /// Itself.
    type Client;
}

impl<T, C> Of<C> for T {
    type Client = T;
}

/// A kind of device.
pub trait Runtime: Send + Sync + 'static + Sized + Clone + std::fmt::Debug + Eq {
    /// What stands behind its clients.
    type Server: ComputeServer;
    /// How clients of earlier versions reached it; nothing depends on it.
    type Channel;
    /// Which device of this kind.
    type Device: Default + Clone + std::fmt::Debug + Send + Sync;

    /// A client of the device.
    fn client(device: &Self::Device) -> ComputeClient<Self::Server>;
    /// The name of the runtime.
    fn name(client: &ComputeClient<Self::Server>) -> &'static str;
    /// Line sizes that the device computes with, the largest first.
    fn supported_line_sizes() -> &'static [u8] {
        &[16, 8, 4, 2, 1]
    }
    /// The largest line size of buffers.
    fn max_global_line_size() -> u8 {
        u8::MAX
    }
    /// Whether kernels need the lengths of their arrays as arguments; they always know them.
    fn require_array_lengths() -> bool {
        false
    }
    /// Line sizes that make full use of memory for elements of that type, the largest first.
    fn io_optimized_line_sizes(elem: &crate::ir::StorageType) -> impl Iterator<Item = u8> + Clone {
        Self::io_optimized_line_sizes_unchecked(elem.size())
    }
    /// Whether a tensor with these strides lies as the device gives its own: programs copy one that does not.
    fn can_read_tensor(shape: &[usize], strides: &[usize]) -> bool {
        contiguous_strides(shape) == strides
    }
    /// Most cubes of a launch along x, y, z.
    fn max_cube_count() -> (u32, u32, u32) {
        (u32::MAX, u32::MAX, u32::MAX)
    }
    /// Line sizes that make full use of memory for elements of that many bytes, the largest first.
    fn io_optimized_line_sizes_unchecked(size: usize) -> impl Iterator<Item = u8> + Clone {
        let most = (16 / size.max(1)).max(1);
        Self::supported_line_sizes().iter().copied().filter(move |n| usize::from(*n) <= most)
    }
}

/// How many cubes a launch has.
#[derive(Clone)]
pub enum CubeCount {
    /// Along x, y, z.
    Static(u32, u32, u32),
    /// Three `u32` in a buffer, read when the launch comes.
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
    /// Cubes along x and y.
    pub fn new_2d(x: u32, y: u32) -> Self {
        CubeCount::Static(x, y, 1)
    }
    /// Cubes along x, y and z.
    pub fn new_3d(x: u32, y: u32, z: u32) -> Self {
        CubeCount::Static(x, y, z)
    }
}

/// About how many units a plane has, where nobody asks the device.
pub const PLANE_DIM_APPROX: usize = 16;

/// Units of a cube along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub struct CubeDim {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl CubeDim {
    /// Units along x, y and z.
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
    /// Units along x and y.
    pub const fn new_2d(x: u32, y: u32) -> Self {
        CubeDim { x, y, z: 1 }
    }
    /// Units along x, y and z.
    pub const fn new_3d(x: u32, y: u32, z: u32) -> Self {
        CubeDim { x, y, z }
    }
    /// Whether a cube of `other` has its place in one of this size.
    pub const fn can_contain(&self, other: CubeDim) -> bool {
        self.x >= other.x && self.y >= other.y && self.z >= other.z
    }
    /// All units.
    pub const fn num_elems(&self) -> u32 {
        self.x * self.y * self.z
    }
}

impl Default for CubeDim {
    fn default() -> Self {
        CubeDim { x: PLANE_DIM_APPROX as u32, y: PLANE_DIM_APPROX as u32, z: 1 }
    }
}

/// Cubes for one unit an element, spread over x and y.
pub fn calculate_cube_count_elemwise(elements: usize, dim: CubeDim) -> CubeCount {
    let cubes = elements.div_ceil(dim.num_elems().max(1) as usize).max(1);
    let x = (cubes as f64).sqrt().ceil() as usize;
    let y = cubes.div_ceil(x);
    CubeCount::Static(x as u32, y as u32, 1)
}
