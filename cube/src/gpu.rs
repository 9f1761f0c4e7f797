//! The parts that runtimes of GPUs share: the device, the clients of each device, and the runtime's type.

use crate::settings::settings;
use cube_artifact::Target;
use cube_frontend::host::{ComputeClient, ComputeServer, Core, compiler};
use cube_runtime::{Device, RuntimeError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Declares the runtime of a GPU driver: types `$runtime`, `$server` and `$device`. `$gpu` is the device type of the
/// runtime crate. `$backend` is the name of the backend that generates its code. `$name` is the name of the runtime
/// that programs see.
macro_rules! gpu_runtime {
    ($runtime:ident, $server:ident, $device:ident, $gpu:ty, $backend:literal, $name:literal, $vendor:literal, $driver:literal) => {
        #[doc = concat!("The runtime of ", $vendor, " GPUs.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $runtime;

        #[doc = concat!("The server type of ", $driver, " clients. The type has no fields; it distinguishes `ComputeClient` types.")]
        #[derive(Debug)]
        pub struct $server;

        impl cube_frontend::host::ComputeServer for $server {}

        #[doc = concat!("A GPU, identified by its number in ", $driver, ".")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $device {
            #[doc = concat!("The number of the GPU in ", $driver, ", from 0.")]
            pub index: usize,
        }

        impl $device {
            /// The GPU with the number `index`.
            pub fn new(index: usize) -> Self {
                $device { index }
            }
        }

        impl $runtime {
            /// Creates a client of the GPU.
            ///
            /// # Errors
            /// The driver is missing, the GPU with this number is missing, or the GPU does not work. The message is one
            /// sentence.
            pub fn try_client(
                device: &$device,
            ) -> Result<cube_frontend::host::ComputeClient<$server>, cube_runtime::RuntimeError> {
                static CORES: $crate::gpu::Cores = $crate::gpu::Cores::new();
                CORES.client(device.index, || {
                    let ordinal = u32::try_from(device.index).unwrap_or(u32::MAX);
                    let gpu = <$gpu>::at(ordinal, $crate::settings::settings())?;
                    let target = cube_artifact::Target { backend: $backend.into(), chip: Some(gpu.chip()) };
                    Ok((Box::new(gpu), target))
                })
            }
        }

        impl cube_frontend::host::Runtime for $runtime {
            type Server = $server;
            type Channel = ();
            type Device = $device;

            /// # Panics
            /// Panics if the GPU does not exist; `try_client` returns an error instead.
            fn client(device: &$device) -> cube_frontend::host::ComputeClient<$server> {
                Self::try_client(device).unwrap_or_else(|error| panic!("{error}"))
            }

            fn name(_: &cube_frontend::host::ComputeClient<$server>) -> &'static str {
                $name
            }
        }
    };
}
pub(crate) use gpu_runtime;

/// The open devices of a driver, by device number. Each device is opened only once.
pub(crate) struct Cores(Mutex<BTreeMap<usize, Arc<Core>>>);

impl Cores {
    pub(crate) const fn new() -> Cores {
        Cores(Mutex::new(BTreeMap::new()))
    }

    /// A client of device `index`. If the device is not open yet, `open` returns the device and the target of
    /// its code.
    pub(crate) fn client<S: ComputeServer>(
        &self,
        index: usize,
        open: impl FnOnce() -> Result<(Box<dyn Device>, Target), RuntimeError>,
    ) -> Result<ComputeClient<S>, RuntimeError> {
        settings();
        let mut cores = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(core) = cores.get(&index) {
            return Ok(ComputeClient::new(core.clone()));
        }
        let (gpu, target) = open()?;
        let core = Arc::new(Core::new(gpu, target, compiler(settings())));
        cores.insert(index, core.clone());
        Ok(ComputeClient::new(core))
    }
}
