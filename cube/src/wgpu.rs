//! GPUs of any vendor, and Vulkan on the CPU, through wgpu. A program loads the driver when it opens a device.
//!
//! The section `[wgpu]` of `cube.toml`, or the variables `CUBE_WGPU_ADAPTER`, `CUBE_WGPU_PLANES` and `CUBE_WGPU_BUFFERS`, select the
//! default device. A program that uses wgpu directly passes its device to [`init_device`]. [`resource`] and [`import`] exchange
//! buffers between the program and its kernels.
use crate::settings::settings;
use cube_frontend::host::config::GlobalConfig;
use cube_frontend::host::{ComputeClient, ComputeServer, Core, Handle, Runtime, compiler};
use cube_runtime::{Device, ErrorKind, RuntimeError};
use cube_runtime_wgpu::{AdapterChoice, Code, Options, Shared, WgpuDevice as Gpu};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// The version of wgpu whose types this module uses.
pub use cube_runtime_wgpu::wgpu;

pub use cube_runtime_wgpu::PLANES_VARIABLE;

pub use cube_frontend::host::config::WgpuCode;

/// The runtime of wgpu devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WgpuRuntime;

/// The marker type that distinguishes wgpu clients from other `ComputeClient` types. The type has no fields.
#[derive(Debug)]
pub struct WgpuServer;

impl ComputeServer for WgpuServer {}

/// A device that wgpu can open, or a device that the program has created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum WgpuDevice {
    /// A discrete GPU, by its number among the discrete GPUs.
    DiscreteGpu(usize),
    /// An integrated GPU, by its number among the integrated GPUs.
    IntegratedGpu(usize),
    /// A virtual GPU, by its number among the virtual GPUs.
    VirtualGpu(usize),
    /// Vulkan on the CPU, for example lavapipe.
    Cpu,
    /// The adapter that `cube.toml` or `CUBE_WGPU_ADAPTER` selects. If neither `cube.toml` nor
    /// `CUBE_WGPU_ADAPTER` selects an adapter, this variant selects the first adapter that exists, in the order
    /// of the variants above.
    #[default]
    DefaultDevice,
    /// A device that [`init_device`] or [`with_code`] has returned.
    Existing(u32),
}

/// The wgpu objects that a program shares with its kernels.
#[derive(Clone, Debug)]
pub struct WgpuSetup {
    /// The adapter that created `device`.
    pub adapter: wgpu::Adapter,
    /// The device that runs the kernels.
    pub device: wgpu::Device,
    /// The queue of the device.
    pub queue: wgpu::Queue,
}

/// Options of a device. The struct is empty, and exists because programs for CubeCL pass a struct of this name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeOptions {}

/// A graphics interface, such as Vulkan. CubeCL selects the interface by a type.
pub trait GraphicsApi {}

/// The graphics interface that wgpu selects.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutoGraphicsApi;

impl GraphicsApi for AutoGraphicsApi {}

/// An open device: its wgpu objects, and its `Core` with the compiler and the loaded kernels.
#[derive(Clone)]
struct OpenDevice {
    core: Arc<Core>,
    gpu: Gpu,
}

impl OpenDevice {
    fn new(gpu: Gpu) -> Self {
        let (target, device): (_, Box<dyn Device>) = (gpu.target().clone(), Box::new(gpu.clone()));
        OpenDevice { core: Arc::new(Core::new(device, target, compiler(settings()))), gpu }
    }
}

type Opened = HashMap<WgpuDevice, OpenDevice>;

fn all() -> MutexGuard<'static, Opened> {
    static ALL: LazyLock<Mutex<Opened>> = LazyLock::new(Mutex::default);
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The adapter of a device; `None` if the program supplied the device.
fn choice(device: &WgpuDevice, configured: Option<&str>) -> Option<AdapterChoice> {
    Some(match device {
        WgpuDevice::DiscreteGpu(n) => AdapterChoice::Discrete(*n),
        WgpuDevice::IntegratedGpu(n) => AdapterChoice::Integrated(*n),
        WgpuDevice::VirtualGpu(n) => AdapterChoice::Virtual(*n),
        WgpuDevice::Cpu => AdapterChoice::Cpu,
        WgpuDevice::DefaultDevice => match configured.unwrap_or_default().parse() {
            Ok(choice) => choice,
            Err(never) => match never {},
        },
        WgpuDevice::Existing(_) => return None,
    })
}

fn open(device: &WgpuDevice) -> Result<OpenDevice, RuntimeError> {
    settings();
    let mut all = all();
    if let Some(open) = all.get(device) {
        return Ok(open.clone());
    }
    let open = open_as(device, GlobalConfig::get().wgpu.code)?;
    all.insert(device.clone(), open.clone());
    Ok(open)
}

fn open_as(device: &WgpuDevice, code: WgpuCode) -> Result<OpenDevice, RuntimeError> {
    let config = GlobalConfig::get();
    let Some(adapter) = choice(device, config.wgpu.adapter.as_deref()) else {
        return Err(RuntimeError::new(
            ErrorKind::NoDevice,
            format!("{device:?} is not a device of this program; use the value that init_device returns"),
        ));
    };
    let code = match code {
        WgpuCode::Auto => Code::Auto,
        WgpuCode::Wgsl => Code::Wgsl,
        WgpuCode::Spirv => Code::Spirv,
    };
    let cache = config.compilation.cache.as_ref().map(|cache| cache.root(settings()));
    let (shared_planes, addresses) = (config.wgpu.shared_planes, config.wgpu.addresses);
    Ok(OpenDevice::new(Gpu::open(&Options { adapter, code, shared_planes, addresses, cache })?))
}

impl WgpuRuntime {
    /// Creates a client of the device.
    ///
    /// # Errors
    /// The adapter does not exist, or the adapter cannot create a device. The error message is one sentence.
    pub fn try_client(device: &WgpuDevice) -> Result<ComputeClient<WgpuServer>, RuntimeError> {
        Ok(ComputeClient::new(open(device)?.core))
    }
}

impl Runtime for WgpuRuntime {
    type Server = WgpuServer;
    type Channel = ();
    type Device = WgpuDevice;

    /// # Panics
    /// Panics if the adapter does not exist; [`WgpuRuntime::try_client`] returns an error instead.
    fn client(device: &WgpuDevice) -> ComputeClient<WgpuServer> {
        Self::try_client(device).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The name of the runtime: `wgpu<spirv>` if the device runs SPIR-V, and `wgpu<wgsl>` otherwise.
    fn name(client: &ComputeClient<WgpuServer>) -> &'static str {
        if client.server().target.backend == "spirv" { "wgpu<spirv>" } else { "wgpu<wgsl>" }
    }
}

/// Opens a device whose kernels have the code format `code` instead of the format in the configuration. The result is
/// a separate device.
///
/// # Errors
/// Returns the errors of [`WgpuRuntime::try_client`]. The function also returns an error if the adapter does not
/// support SPIR-V, or if `device` is a device of the program. A device that the program has created always
/// runs WGSL.
pub fn with_code(device: &WgpuDevice, code: WgpuCode) -> Result<WgpuDevice, RuntimeError> {
    settings();
    let open = open_as(device, code)?;
    Ok(existing(open))
}

fn existing(open: OpenDevice) -> WgpuDevice {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let device = WgpuDevice::Existing(NEXT.fetch_add(1, Ordering::Relaxed));
    all().insert(device.clone(), open);
    device
}

/// Registers a device that the program has created. Kernels run on the device through the returned value. The code of
/// the kernels is WGSL, with the features that the program has requested.
pub fn init_device(setup: WgpuSetup, _: RuntimeOptions) -> WgpuDevice {
    settings();
    let WgpuSetup { adapter, device, queue } = setup;
    let cache = GlobalConfig::get().compilation.cache.as_ref().map(|cache| cache.root(settings()));
    existing(OpenDevice::new(Gpu::shared(Shared { adapter, device, queue }, cache)))
}

/// Opens a device and returns its wgpu objects, for a program that also uses wgpu directly.
///
/// # Panics
/// Panics if the adapter does not exist.
pub fn init_setup<G: GraphicsApi>(device: &WgpuDevice, _: RuntimeOptions) -> WgpuSetup {
    let open = open(device).unwrap_or_else(|error| panic!("{error}"));
    let Shared { adapter, device, queue } = open.gpu.parts();
    WgpuSetup { adapter, device, queue }
}

/// The wgpu buffer of a handle, and the byte range of the handle in the buffer. The call submits all earlier launches.
/// Commands that the program submits later therefore see the results of the earlier launches.
///
/// # Errors
/// The handle belongs to another device, the offsets of the handle exceed its memory, or the device is lost.
pub fn resource(device: &WgpuDevice, handle: &Handle) -> Result<(wgpu::Buffer, Range<u64>), RuntimeError> {
    let open = open(device)?;
    let buffer = handle.buffer().map_err(|error| RuntimeError::user(error.to_string()))?;
    open.gpu.submit()?;
    open.gpu.buffer_of(&buffer)
}

/// A handle to a buffer of the program's device. Launches see the results of commands that the program submitted
/// earlier.
///
/// # Errors
/// The buffer lacks one of the usages `STORAGE`, `COPY_SRC` and `COPY_DST`, or its size is not a multiple of 16 bytes.
pub fn import(device: &WgpuDevice, buffer: wgpu::Buffer) -> Result<Handle, RuntimeError> {
    let open = open(device)?;
    Ok(open.core.handle(open.gpu.import(buffer)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_chooses_the_default_adapter_only() {
        assert_eq!(choice(&WgpuDevice::DefaultDevice, Some("discrete:2")), Some(AdapterChoice::Discrete(2)));
        assert_eq!(choice(&WgpuDevice::DefaultDevice, None), Some(AdapterChoice::Default));
        assert_eq!(choice(&WgpuDevice::Cpu, Some("discrete:2")), Some(AdapterChoice::Cpu));
        assert_eq!(choice(&WgpuDevice::Existing(7), None), None);
    }

    #[test]
    fn unknown_existing_device_is_rejected() {
        let error = WgpuRuntime::try_client(&WgpuDevice::Existing(u32::MAX)).err().map(|error| error.message);
        assert!(error.is_some_and(|text| text.contains("use the value that init_device returns")));
    }
}
