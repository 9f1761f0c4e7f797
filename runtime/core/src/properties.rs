//! Limits and facts of a device.
use crate::error::RuntimeError;
use cube_artifact::{Artifact, CodeFormat};

/// Limits and facts of a device, for programs that choose among kernels or give kernels sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The name of the backend whose artifacts run here, for example `cpu`.
    pub backend: String,
    /// The formats of code that it loads.
    pub formats: Vec<CodeFormat>,
    /// Most cubes of a launch along x, y, z.
    pub max_cube_count: [u32; 3],
    /// Most units of a cube along x, y, z.
    pub max_cube_dim: [u32; 3],
    /// Most units of a cube.
    pub max_units_per_cube: u32,
    /// Most bytes of shared memory of a cube.
    pub max_shared_bytes: u32,
    /// Bytes of memory, used or not.
    pub memory_bytes: u64,
    /// Every buffer begins at a multiple of this many bytes, but for guarded ones of the CPU.
    pub buffer_alignment: u32,
    /// How many cubes run at the same time: threads of a processor, multiprocessors of a GPU.
    pub parallel_cubes: u32,
    /// Fewest and most units of a plane.
    pub plane_dim: [u32; 2],
    /// Processor cores, as far as the program may use them; 0 for a GPU.
    pub processors: u32,
    /// Bits of the widest load: a vector register of a processor.
    pub load_bits: u32,
    /// Bytes of the caches for data, from the nearest on; empty where nothing is known.
    pub cache_bytes: Vec<u64>,
    /// Features of the hardware beyond its kind, by name: for a processor the names of `is_x86_feature_detected` and its like. All
    /// element types that `cube_target` describes for the chip work; `f16c`, `avx512fp16`, `avx512bf16`, `fp16` tell which are in hardware.
    pub features: Vec<String>,
}

impl DeviceProperties {
    /// Whether the code of an artifact is for this device: its backend's, in a format that it loads. `target` is the target to
    /// compile for instead, in the words of `cubec --target`.
    ///
    /// # Errors
    /// The target or format of the artifact and those of the device.
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
