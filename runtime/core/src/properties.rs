//! Limits and properties of a device.
use crate::error::RuntimeError;
use cube_artifact::{Artifact, CodeFormat};

/// Limits and properties of a device, for programs that select or size kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The name of the backend whose artifacts the device runs, for example `cpu`.
    pub backend: String,
    /// The code formats that the device loads.
    pub formats: Vec<CodeFormat>,
    /// Maximum cubes of a launch along x, y, z.
    pub max_cube_count: [u32; 3],
    /// Maximum units of a cube along x, y, z.
    pub max_cube_dim: [u32; 3],
    /// Maximum units of a cube.
    pub max_units_per_cube: u32,
    /// Maximum bytes of shared memory of a cube.
    pub max_shared_bytes: u32,
    /// Bytes of memory, used or not.
    pub memory_bytes: u64,
    /// Alignment of every buffer in bytes, except for guarded buffers of the CPU.
    pub buffer_alignment: u32,
    /// Number of cubes that run at the same time: threads of a processor, multiprocessors of a GPU.
    pub parallel_cubes: u32,
    /// Minimum and maximum units of a plane.
    pub plane_dim: [u32; 2],
    /// Processor cores that the program can use; 0 for a GPU.
    pub processors: u32,
    /// Bits of the widest load: a vector register of a processor.
    pub load_bits: u32,
    /// Bytes of each data cache, starting with the cache nearest to the core; empty if unknown.
    pub cache_bytes: Vec<u64>,
    /// Queues that execute at the same time, at least 1.
    pub queues: u32,
    /// Whether the device itself reads the cube count of a launch from a buffer.
    pub indirect_launch: bool,
    /// Features of the hardware by name; for a processor the names of `is_x86_feature_detected` and similar macros. All
    /// element types that `cube_target` describes for the chip work; `f16c`, `avx512fp16`, `avx512bf16` and `fp16` mark
    /// hardware support.
    pub features: Vec<String>,
}

impl DeviceProperties {
    /// Checks that the device runs the code of an artifact: the backend must match, and the device must load the format. The error
    /// proposes `target`, in the syntax of `cubec --target`, as the target to compile for.
    ///
    /// # Errors
    /// The error names the target or format of the artifact and of the device.
    pub fn loads(&self, artifact: &Artifact, target: &str) -> Result<(), RuntimeError> {
        let Artifact { target: of, format, .. } = artifact;
        let backend = &self.backend;
        if of.backend != *backend {
            let text = format!("it is compiled for {of}, this device runs {backend}: compile it with target {target}");
            return Err(RuntimeError::user(text));
        }
        if !self.formats.contains(format) {
            let known: Vec<&str> = self.formats.iter().map(CodeFormat::name).collect();
            let known = known.join(", ");
            let text = format!(
                "its code is in the format {format}, this device loads {known}: compile it with target {target}"
            );
            return Err(RuntimeError::user(text));
        }
        Ok(())
    }
}
