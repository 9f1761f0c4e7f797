//! Memory, streams, tensors and kernels that a program shares with other libraries.
use super::arguments::LaunchError;
use super::core::{KernelSource, LoadedKernel};
use super::long_launches::number_of;
use super::memory::Allocation;
use super::tasks::Bindings;
use super::{ComputeClient, ComputeServer, CubeCount, Handle};
use cube_artifact::ElemType;
use cube_runtime::dlpack::{self, ManagedTensor};

pub use cube_artifact::{BufferAccess, CodeFormat, Param, ParamKind};
pub use cube_runtime::external::{ExternalMemory, ExternalStream, ForeignKernel, MemorySpace, Owner, on_release};

/// Memory of a handle, for code outside of Cube. The memory stays allocated while this value exists.
#[derive(Clone, Debug)]
pub struct ExportedMemory {
    address: u64,
    handle: Handle,
}

impl ExportedMemory {
    /// The address of the first byte: on the CPU in this process, on a GPU in the address space of its driver.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Size of the memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.handle.size()
    }
}

/// A tensor that shares its memory with another library.
#[derive(Clone, Debug)]
pub struct SharedTensor {
    /// Memory and strides of the tensor.
    pub allocation: Allocation,
    /// Number of elements along each dimension.
    pub shape: Vec<usize>,
    /// Type of an element.
    pub elem: ElemType,
}

/// A kernel of another compiler that a device has loaded.
#[derive(Clone)]
pub struct LoadedForeign(std::sync::Arc<LoadedKernel>);

impl std::fmt::Debug for LoadedForeign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.kernel.fmt(f)
    }
}

fn narrow(list: &[u64]) -> Vec<usize> {
    list.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX)).collect()
}

impl<S: ComputeServer> ComputeClient<S> {
    /// Makes a handle for memory that another library has allocated. The device drops the memory's owner after the last
    /// handle is dropped and the last command that uses the memory has completed.
    ///
    /// # Errors
    /// The device does not support memory of other libraries (wgpu), or the address is not valid.
    pub fn import_memory(&self, memory: ExternalMemory) -> Result<Handle, LaunchError> {
        let core = self.server();
        Ok(core.handle(core.device.import_memory(memory)?))
    }

    /// The address of a handle's memory for other code. The call waits for all commands of the device. Later commands
    /// can run at the same time as the other code, unless the other code uses [`ComputeClient::export_stream`].
    ///
    /// # Errors
    /// The memory of the device has no addresses (wgpu), or a command of the device failed.
    pub fn export_memory(&self, handle: &Handle) -> Result<ExportedMemory, LaunchError> {
        let core = self.server().immediate("export_memory")?;
        if let Some(failure) = handle.failure() {
            return Err(failure);
        }
        core.device.sync()?;
        Ok(ExportedMemory { address: core.device.export_address(&handle.buffer()?)?, handle: handle.clone() })
    }

    /// Uses the stream of another library as the queue of this client, see [`ComputeClient::on_queue`]. The queue must not
    /// contain commands.
    ///
    /// # Errors
    /// The device has no streams (CPU, wgpu), or the queue of this client already has a stream.
    pub fn import_stream(&self, stream: ExternalStream) -> Result<(), LaunchError> {
        let core = self.server();
        Ok(core.device.import_stream(core.queue, stream)?)
    }

    /// The driver's handle of this client's stream. Work that other code submits to the stream runs in order with the
    /// commands of this client.
    ///
    /// # Errors
    /// The device has no streams (CPU, wgpu), or it failed.
    pub fn export_stream(&self) -> Result<u64, LaunchError> {
        let core = self.server();
        Ok(core.device.export_stream(core.queue)?)
    }

    /// Makes a handle that shares the memory of a DLPack tensor. The client calls the tensor's deleter after the
    /// last use of the memory.
    ///
    /// # Errors
    /// The tensor is read-only or on another device, or its version, element type or layout is unsupported.
    pub fn import_tensor(&self, tensor: ManagedTensor) -> Result<SharedTensor, LaunchError> {
        let core = self.server();
        let tensor = dlpack::import(&*core.device, tensor)?;
        let allocation = Allocation { handle: core.handle(tensor.buffer), strides: narrow(&tensor.strides) };
        Ok(SharedTensor { allocation, shape: narrow(&tensor.shape), elem: tensor.elem })
    }

    /// Makes a DLPack tensor that shares the memory of a handle. The call waits for all commands of the device. The
    /// memory exists until the other library calls the deleter.
    ///
    /// # Errors
    /// The tensor exceeds its memory, the memory of the device has no addresses (wgpu), or a command of the device
    /// failed.
    pub fn export_tensor(&self, tensor: &SharedTensor) -> Result<ManagedTensor, LaunchError> {
        let core = self.server().immediate("export_tensor")?;
        let Allocation { handle, strides } = &tensor.allocation;
        if let Some(failure) = handle.failure() {
            return Err(failure);
        }
        let wide = |list: &[usize]| list.iter().map(|n| *n as u64).collect();
        let (shape, strides) = (wide(&tensor.shape), wide(strides));
        let tensor = dlpack::Tensor { buffer: handle.buffer()?, elem: tensor.elem, shape, strides };
        Ok(dlpack::export(&*core.device, tensor)?)
    }

    /// Loads a kernel of another compiler, for example PTX of `nvcc`.
    ///
    /// # Errors
    /// The device does not support the format of the code, or the code declares other parameters.
    pub fn load_foreign(&self, kernel: &ForeignKernel) -> Result<LoadedForeign, LaunchError> {
        let writes = |param: &Param| matches!(param.kind, ParamKind::Buffer { access, .. } if access.writes());
        let writes = kernel.params().iter().map(writes).collect();
        let text_hash = *blake3::hash(kernel.code()).as_bytes();
        let kernel = self.server().device.load_foreign(kernel)?;
        // Error messages contain the name of the kernel's artifact.
        let source = KernelSource { name: "a kernel of another compiler", file: "", line: 0 };
        let (notice, number) = (number_of(source), Default::default());
        Ok(LoadedForeign(std::sync::Arc::new(LoadedKernel { kernel, source, writes, text_hash, notice, number })))
    }

    /// Launches a kernel of another compiler, with arguments in the order of its parameters.
    ///
    /// # Errors
    /// The arguments do not match the parameters, or the device refuses the launch. A read of the memory that the
    /// kernel writes then returns the error.
    pub fn launch_foreign(
        &self,
        kernel: &LoadedForeign,
        count: CubeCount,
        bindings: Bindings,
    ) -> Result<(), LaunchError> {
        self.launch_with(&kernel.0, &count, &bindings).inspect_err(|error| self.task_failed(error, &bindings))
    }
}
