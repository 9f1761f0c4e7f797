//! Limits and properties of a device.
use crate::error::RuntimeError;
use cube_artifact::{Artifact, CodeFormat};

/// Limits and properties of a device, by which programs can select kernels and choose sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The name of the backend whose artifacts the device runs, for example `cpu`.
    pub backend: String,
    /// The code formats that the device can load.
    pub formats: Vec<CodeFormat>,
    /// Maximum number of cubes of a launch along x, y, z.
    pub max_cube_count: [u32; 3],
    /// Maximum number of units of a cube along x, y, z.
    pub max_cube_dim: [u32; 3],
    /// Maximum number of units of a cube.
    pub max_units_per_cube: u32,
    /// Maximum bytes of shared memory of a cube.
    pub max_shared_bytes: u32,
    /// Total size of the device's memory in bytes, including used memory.
    pub memory_bytes: u64,
    /// Alignment in bytes of every buffer, except for guarded buffers of the CPU.
    pub buffer_alignment: u32,
    /// Number of cubes that run at the same time: one per thread of a processor, or per multiprocessor of a
    /// GPU.
    pub parallel_cubes: u32,
    /// Minimum and maximum number of units of a plane.
    pub plane_dim: [u32; 2],
    /// Number of processor cores that the program can use; 0 for a GPU.
    pub processors: u32,
    /// Width of the widest load in bits: for a processor, the width of a vector register.
    pub load_bits: u32,
    /// Size of each data cache in bytes, starting with the cache nearest to the core; empty if unknown.
    pub cache_bytes: Vec<u64>,
    /// Number of queues that execute at the same time, at least 1.
    pub queues: u32,
    /// Whether the device itself reads the cube count of a launch from a buffer.
    pub indirect_launch: bool,
    /// Names of hardware features; for a processor, the names in `is_x86_feature_detected` and similar macros. The
    /// device supports all element types that `cube_target` describes for the chip. The features `f16c`, `avx512fp16`,
    /// `avx512bf16` and `fp16` state that the hardware supports a narrow float type.
    pub features: Vec<String>,
}

impl DeviceProperties {
    /// Checks that the device can run an artifact: the artifact must have the device's backend and a code format that
    /// the device loads. The error proposes to compile for `target`, which has the syntax of `cubec --target`.
    ///
    /// # Errors
    /// The error names the artifact's target and the device's backend, or the artifact's code format and the
    /// device's code formats.
    pub fn loads(&self, artifact: &Artifact, target: &str) -> Result<(), RuntimeError> {
        let Artifact { target: of, format, .. } = artifact;
        let backend = &self.backend;
        if of.backend != *backend {
            let text = format!(
                "it is compiled for {of}, but this device runs {backend}; compile the kernel with target {target}"
            );
            return Err(RuntimeError::user(text));
        }
        if !self.formats.contains(format) {
            let known: Vec<&str> = self.formats.iter().map(CodeFormat::name).collect();
            let known = known.join(", ");
            let text = format!(
                "its code is in the format {format}, but this device loads {known}; compile the kernel with target {target}"
            );
            return Err(RuntimeError::user(text));
        }
        Ok(())
    }
}
