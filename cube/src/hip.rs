//! AMD GPUs. A program loads HIP's library when it opens a device. The build requires no part of ROCm.
//!
//! This runtime is validated with a test library and in an emulator, and **not run on hardware**.

crate::gpu::gpu_runtime!(HipRuntime, HipServer, HipDevice, cube_runtime_hip::HipDevice, "amdgpu", "hip", "AMD", "HIP");
