//! Features and limits of a device.
use super::{CubeCount, CubeDim, Features};
use crate::benchmark::TimingMethod;
use crate::ir::{Elem, StorageType};
use crate::lang::sizes::AddressType;
use cube_runtime::DeviceProperties;

/// Features and limits of a device.
#[derive(Clone, Debug)]
pub struct Properties {
    /// Features that kernels can use.
    pub features: Features,
    /// Limits of the device's memory.
    pub memory: MemoryDeviceProperties,
    /// Limits of launches and of the processor.
    pub hardware: HardwareProperties,
    /// The clock that `client.profile` uses.
    pub timing_method: TimingMethod,
}

impl Properties {
    /// Whether kernels can have indices of this width. Indices of 64 bits need 64-bit integers.
    pub fn supports_address(&self, width: AddressType) -> bool {
        let words = StorageType::Scalar(Elem::U64.into());
        width == AddressType::U32 || !self.type_usage(words).is_empty()
    }

    /// Converts the properties that a device reports.
    pub(super) fn of(device: &DeviceProperties, features: Features) -> Self {
        Properties {
            features,
            memory: MemoryDeviceProperties {
                max_page_size: device.memory_bytes,
                alignment: u64::from(device.buffer_alignment),
            },
            hardware: HardwareProperties::of(device),
            timing_method: TimingMethod::System,
        }
    }

    /// Uses of an element type on this device.
    pub fn type_usage(&self, ty: crate::ir::StorageType) -> super::features::Set<super::features::TypeUsage> {
        self.features.type_usage(ty)
    }

    /// Uses of an atomic type on this device.
    pub fn atomic_type_usage(&self, ty: crate::ir::Type) -> super::features::Set<super::features::AtomicUsage> {
        self.features.atomic_type_usage(ty)
    }

    /// Whether kernels can use an element type.
    pub fn supports_type(&self, ty: impl Into<crate::ir::StorageType>) -> bool {
        self.features.supports_type(ty)
    }
}

/// Memory limits of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryDeviceProperties {
    /// The largest buffer in bytes.
    pub max_page_size: u64,
    /// Alignment of buffers in bytes.
    pub alignment: u64,
}

/// Launch limits of a device.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct HardwareProperties {
    /// Minimum number of units of a plane.
    pub plane_size_min: u32,
    /// Maximum number of units of a plane.
    pub plane_size_max: u32,
    /// Always `u32::MAX`, because devices report no limit on the number of buffers.
    pub max_bindings: u32,
    /// Maximum size of the shared memory of a cube in bytes.
    pub max_shared_memory_size: usize,
    /// The largest number of cubes along x, y, z.
    pub max_cube_count: CubeCount,
    /// Maximum number of units of a cube.
    pub max_units_per_cube: u32,
    /// Maximum number of units of a cube along x, y, z.
    pub max_cube_dim: CubeDim,
    /// Number of multiprocessors of a GPU; `None` for a CPU.
    pub num_streaming_multiprocessors: Option<u32>,
    /// The value is `None`, because kernels cannot use tensor cores yet.
    pub num_tensor_cores: Option<u32>,
    /// The value is `None`, because kernels cannot use tensor cores yet.
    pub min_tensor_cores_dim: Option<u32>,
    /// Number of processor cores that the program can use; `None` for a GPU.
    pub num_cpu_cores: Option<u32>,
    /// Width of the widest load in bits.
    pub load_width: u32,
}

impl HardwareProperties {
    fn of(device: &DeviceProperties) -> Self {
        let is_gpu = device.processors == 0;
        let ([count_x, count_y, count_z], [x, y, z]) = (device.max_cube_count, device.max_cube_dim);
        HardwareProperties {
            plane_size_min: device.plane_dim[0],
            plane_size_max: device.plane_dim[1],
            max_bindings: u32::MAX,
            max_shared_memory_size: device.max_shared_bytes as usize,
            max_cube_count: CubeCount::new_3d(count_x, count_y, count_z),
            max_units_per_cube: device.max_units_per_cube,
            max_cube_dim: CubeDim { x, y, z },
            num_streaming_multiprocessors: is_gpu.then_some(device.parallel_cubes),
            num_tensor_cores: None,
            min_tensor_cores_dim: None,
            num_cpu_cores: (!is_gpu).then_some(device.processors),
            load_width: device.load_bits,
        }
    }
}
