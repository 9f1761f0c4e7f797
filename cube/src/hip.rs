//! AMD GPUs. A program loads HIP's library when it opens a device. The build requires no part of ROCm.
//!
//! This runtime is validated with a test library and in an emulator, and **not run on hardware**.
use crate::settings::settings;
use cube_artifact::Target;
use cube_frontend::host::{ComputeClient, ComputeServer, Core, Runtime};
use cube_runtime::{ChildCompiler, Device, RuntimeError};
use cube_runtime_hip::HipDevice as Gpu;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The runtime of AMD GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HipRuntime;

/// The server type of HIP clients. The type has no fields; it distinguishes `ComputeClient` types.
#[derive(Debug)]
pub struct HipServer;

impl ComputeServer for HipServer {}

/// A GPU, identified by its number in HIP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HipDevice {
    /// The number of the GPU in HIP, from 0.
    pub index: usize,
}

impl HipDevice {
    /// The GPU with the number `index`.
    pub fn new(index: usize) -> Self {
        HipDevice { index }
    }
}

impl HipRuntime {
    /// Creates a client of the GPU.
    ///
    /// # Errors
    /// HIP's library is missing, the GPU with the requested number does not exist, or the GPU does not work.
    /// The error message is one sentence.
    pub fn try_client(device: &HipDevice) -> Result<ComputeClient<HipServer>, RuntimeError> {
        static CORES: Mutex<Option<HashMap<usize, Arc<Core>>>> = Mutex::new(None);
        settings();
        let mut cores = CORES.lock().unwrap_or_else(PoisonError::into_inner);
        let cores = cores.get_or_insert_with(HashMap::new);
        if let Some(core) = cores.get(&device.index) {
            return Ok(ComputeClient::new(core.clone()));
        }
        let gpu = Gpu::at(u32::try_from(device.index).unwrap_or(u32::MAX))?;
        let target = Target { backend: "amdgpu".into(), chip: Some(gpu.chip()) };
        let gpu: Box<dyn Device> = Box::new(gpu);
        let core = Arc::new(Core::new(gpu, target, Arc::new(ChildCompiler::new())));
        cores.insert(device.index, core.clone());
        Ok(ComputeClient::new(core))
    }
}

impl Runtime for HipRuntime {
    type Server = HipServer;
    type Channel = ();
    type Device = HipDevice;

    /// # Panics
    /// Panics if the GPU does not exist; [`HipRuntime::try_client`] returns an error instead.
    fn client(device: &HipDevice) -> ComputeClient<HipServer> {
        Self::try_client(device).unwrap_or_else(|error| panic!("{error}"))
    }

    fn name(_: &ComputeClient<HipServer>) -> &'static str {
        "hip"
    }
}
