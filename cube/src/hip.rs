//! GPUs of AMD. HIP's library is loaded when a program opens a device; the build requires no part of ROCm.
//!
//! Validated with a test library and in an emulator; **not run on hardware**.
use crate::settings::settings;
use cube_artifact::Target;
use cube_frontend::host::{ComputeClient, ComputeServer, Core, Runtime};
use cube_runtime::{ChildCompiler, Device, RuntimeError};
use cube_runtime_hip::HipDevice as Gpu;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// GPUs of AMD as a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HipRuntime;

/// The device of the clients of a GPU.
#[derive(Debug)]
pub struct HipServer;

impl ComputeServer for HipServer {}

/// A GPU by its number, as HIP counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HipDevice {
    /// Its number.
    pub index: usize,
}

impl HipDevice {
    /// The GPU of this number.
    pub fn new(index: usize) -> Self {
        HipDevice { index }
    }
}

impl HipRuntime {
    /// A client of the GPU, if it exists.
    ///
    /// # Errors
    /// The library or the GPU with this number is missing, or the GPU does not work. The error is one sentence.
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
    /// If the GPU does not exist; [`HipRuntime::try_client`] returns an error instead.
    fn client(device: &HipDevice) -> ComputeClient<HipServer> {
        Self::try_client(device).unwrap_or_else(|error| panic!("{error}"))
    }

    fn name(_: &ComputeClient<HipServer>) -> &'static str {
        "hip"
    }
}
