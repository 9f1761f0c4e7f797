//! NVIDIA GPUs. A program loads the driver library when it opens a device. The build requires no part of CUDA.
use crate::settings::settings;
use cube_artifact::Target;
use cube_frontend::host::{ComputeClient, ComputeServer, Core, Runtime};
use cube_runtime::{ChildCompiler, Device, RuntimeError};
use cube_runtime_cuda::CudaDevice as Gpu;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The runtime of NVIDIA GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaRuntime;

/// The server type of CUDA clients. The type has no fields; it distinguishes `ComputeClient` types.
#[derive(Debug)]
pub struct CudaServer;

impl ComputeServer for CudaServer {}

/// A GPU, identified by its number in the CUDA driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CudaDevice {
    /// The number of the GPU in the driver, from 0.
    pub index: usize,
}

impl CudaDevice {
    /// The GPU with the number `index`.
    pub fn new(index: usize) -> Self {
        CudaDevice { index }
    }
}

impl CudaRuntime {
    /// Creates a client of the GPU.
    ///
    /// # Errors
    /// The driver is missing, the GPU with the requested number does not exist, or the GPU does not work. The
    /// error message is one sentence.
    pub fn try_client(device: &CudaDevice) -> Result<ComputeClient<CudaServer>, RuntimeError> {
        static CORES: Mutex<Option<HashMap<usize, Arc<Core>>>> = Mutex::new(None);
        settings();
        let mut cores = CORES.lock().unwrap_or_else(PoisonError::into_inner);
        let cores = cores.get_or_insert_with(HashMap::new);
        if let Some(core) = cores.get(&device.index) {
            return Ok(ComputeClient::new(core.clone()));
        }
        let gpu = Gpu::at(u32::try_from(device.index).unwrap_or(u32::MAX))?;
        let target = Target { backend: "nvptx".into(), chip: Some(gpu.chip()) };
        let gpu: Box<dyn Device> = Box::new(gpu);
        let core = Arc::new(Core::new(gpu, target, Arc::new(ChildCompiler::new())));
        cores.insert(device.index, core.clone());
        Ok(ComputeClient::new(core))
    }
}

impl Runtime for CudaRuntime {
    type Server = CudaServer;
    type Channel = ();
    type Device = CudaDevice;

    /// # Panics
    /// Panics if the GPU does not exist; [`CudaRuntime::try_client`] returns an error instead.
    fn client(device: &CudaDevice) -> ComputeClient<CudaServer> {
        Self::try_client(device).unwrap_or_else(|error| panic!("{error}"))
    }

    fn name(_: &ComputeClient<CudaServer>) -> &'static str {
        "cuda"
    }
}
