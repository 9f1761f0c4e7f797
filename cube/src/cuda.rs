//! NVIDIA GPUs. A program loads the driver library when it opens a device. The build requires no part of CUDA.

crate::gpu::gpu_runtime!(
    CudaRuntime,
    CudaServer,
    CudaDevice,
    cube_runtime_cuda::CudaDevice,
    "nvptx",
    "cuda",
    "NVIDIA",
    "the CUDA driver"
);
