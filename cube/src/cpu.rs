//! The CPU of this machine.
use crate::settings::settings;
use cube_artifact::Target;
use cube_frontend::host::{ComputeClient, ComputeServer, Core, Runtime, compiler, variables::notice};
use cube_runtime::Device;
use cube_runtime_cpu::CpuDevice as Processor;
use std::sync::{Arc, OnceLock};

/// Compiles and runs kernels on the CPU of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuRuntime;

/// The server type of CPU clients. The type has no fields; it distinguishes `ComputeClient` types.
#[derive(Debug)]
pub struct CpuServer;

impl ComputeServer for CpuServer {}

/// The CPU as a device. A program has only one CPU device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuRuntimeDevice;

/// The name of [`CpuRuntimeDevice`] in CubeCL 0.8.1.
pub type CpuDevice = CpuRuntimeDevice;

/// The name of the device's identifier in CubeCL 0.8.1, an alias of [`CpuRuntimeDevice`].
pub type CpuDeviceId = CpuRuntimeDevice;

impl Runtime for CpuRuntime {
    type Server = CpuServer;
    type Channel = ();
    type Device = CpuRuntimeDevice;

    fn client(_: &CpuRuntimeDevice) -> ComputeClient<CpuServer> {
        static CORE: OnceLock<Arc<Core>> = OnceLock::new();
        let core = CORE.get_or_init(|| {
            let device = Processor::new(settings()).unwrap_or_else(|error| {
                // If `CUBE_CPU_THREADS` is invalid, a notice reports the value, and the device uses all available
                // threads.
                notice(&error);
                Processor::with_threads(std::thread::available_parallelism().map_or(1, Into::into))
            });
            let device: Box<dyn Device> = Box::new(device);
            Arc::new(Core::new(device, Target::cpu(), compiler(settings())))
        });
        ComputeClient::new(core.clone())
    }

    fn name(_: &ComputeClient<CpuServer>) -> &'static str {
        "cpu"
    }
}
