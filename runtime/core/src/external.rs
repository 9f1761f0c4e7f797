//! Memory, streams and kernels of other libraries and compilers.
//!
//! The constructors of these types are unsafe, because the program makes promises about the foreign object. The methods
//! of [`crate::Device`] that use the values are safe.
#![allow(unsafe_code)]
use crate::error::RuntimeError;
use cube_artifact::{Artifact, CodeFormat, Param, ParamKind, Target};
use std::any::Any;
use std::fmt::{Debug, Formatter, Result as FmtResult};

/// The owner of a foreign object. The runtime drops the owner after the last use of the object.
pub type Owner = Box<dyn Any + Send + Sync>;

/// An owner that calls a function when the runtime drops it.
pub fn on_release(release: impl FnOnce() + Send + Sync + 'static) -> Owner {
    struct OnDrop<F: FnOnce()>(Option<F>);
    impl<F: FnOnce()> Drop for OnDrop<F> {
        fn drop(&mut self) {
            if let Some(release) = self.0.take() {
                release();
            }
        }
    }
    Box::new(OnDrop(Some(release)))
}

/// Memory of another library, which a device can use as a buffer: see [`crate::Device::import_memory`].
pub struct ExternalMemory {
    address: u64,
    bytes: u64,
    owner: Owner,
}

impl ExternalMemory {
    /// Memory of `bytes` bytes at an address of the device; on the CPU an address of this process. The device drops
    /// `owner` after the last use of the memory.
    ///
    /// # Safety
    /// The device must be able to read and write the bytes until it drops `owner`. While commands of the device can
    /// use the bytes, other code must not access them. A device orders its commands by allocations, so two buffers
    /// must not contain the same foreign byte.
    // SAFETY: the caller's promise.
    pub unsafe fn new(address: u64, bytes: u64, owner: Owner) -> ExternalMemory {
        ExternalMemory { address, bytes, owner }
    }

    /// The address, the size in bytes and the owner, for use by devices.
    pub fn into_parts(self) -> (u64, u64, Owner) {
        (self.address, self.bytes, self.owner)
    }
}

impl Debug for ExternalMemory {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "ExternalMemory({} bytes at {:#x})", self.bytes, self.address)
    }
}

/// A stream of another library, which can become a queue of a device: see [`crate::Device::import_stream`].
pub struct ExternalStream {
    handle: u64,
    owner: Owner,
}

impl ExternalStream {
    /// The stream with the driver's handle `handle`, for example a `CUstream` or a `hipStream_t`. The device drops
    /// `owner` when it no longer uses the stream.
    ///
    /// # Safety
    /// The stream must belong to the driver's context of the device, and must exist until the device drops `owner`. A
    /// device of CUDA uses the primary context of its GPU.
    // SAFETY: the caller's promise.
    pub unsafe fn new(handle: u64, owner: Owner) -> ExternalStream {
        ExternalStream { handle, owner }
    }

    /// The handle and the owner, for use by devices.
    pub fn into_parts(self) -> (u64, Owner) {
        (self.handle, self.owner)
    }
}

impl Debug for ExternalStream {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        write!(f, "ExternalStream({:#x})", self.handle)
    }
}

/// A kernel that another compiler made, for example PTX of `nvcc`. The code receives the parameters in order: the
/// address of a buffer as 8 bytes, and a scalar with its own size. The code receives no lengths.
#[derive(Clone, Debug)]
pub struct ForeignKernel {
    entry: String,
    format: CodeFormat,
    code: Vec<u8>,
    params: Vec<Param>,
    cube_dim: [u32; 3],
    shared_bytes: u32,
}

impl ForeignKernel {
    /// A kernel without dynamic shared memory. `entry` is the symbol of the kernel in the code, and its name in
    /// messages. A launch checks its arguments against `params`. `cube_dim` is the number of units of a cube along x,
    /// y, z.
    ///
    /// # Safety
    /// For arguments that match `params`, the code must access only memory of its buffers. The code must write only
    /// buffers whose declared access permits writes.
    // SAFETY: the caller's promise.
    pub unsafe fn new(
        entry: impl Into<String>,
        format: CodeFormat,
        code: impl Into<Vec<u8>>,
        params: Vec<Param>,
        cube_dim: [u32; 3],
    ) -> ForeignKernel {
        let (entry, code) = (entry.into(), code.into());
        ForeignKernel { entry, format, code, params, cube_dim, shared_bytes: 0 }
    }

    /// Sets the bytes of dynamic shared memory of a cube, in addition to the static shared memory of the code.
    pub fn shared_bytes(mut self, bytes: u32) -> ForeignKernel {
        self.shared_bytes = bytes;
        self
    }

    /// The code.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// The symbol of the kernel in the code.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The encoding of the code.
    pub fn format(&self) -> &CodeFormat {
        &self.format
    }

    /// The parameters in order.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The kernel as an artifact for a backend, without the lengths that a compiled kernel of cube receives.
    pub fn artifact(&self, backend: &str) -> Artifact {
        Artifact {
            kernel: self.entry.clone(),
            entry: self.entry.clone(),
            target: Target { backend: backend.into(), chip: None },
            format: self.format.clone(),
            code: self.code.clone(),
            params: self.params.clone(),
            derived: Vec::new(),
            info: Vec::new(),
            prints: Vec::new(),
            cube_dim: self.cube_dim,
            cube_count: None,
            checked: false,
            shared_bytes: self.shared_bytes,
            scratch_bytes: 0,
            overwritten: vec![],
            plane_dim: None,
            unit_limit: None,
            first_cubes: None,
            features: Vec::new(),
        }
    }

    /// Compares the sizes of the parameters with the sizes that the code declares, in bytes.
    ///
    /// # Errors
    /// The number of parameters or a size differs.
    pub fn check_sizes(&self, declared: &[u64]) -> Result<(), RuntimeError> {
        let (entry, params) = (&self.entry, &self.params);
        if declared.len() != params.len() {
            return Err(RuntimeError::user(format!(
                "the code declares {} parameters, but the description has {}: describe each parameter of '{entry}'",
                declared.len(),
                params.len()
            )));
        }
        for (param, declared) in params.iter().zip(declared) {
            let (kind, size) = match &param.kind {
                ParamKind::Buffer { .. } => ("the address of a buffer", 8),
                ParamKind::Scalar { elem } => (elem.name(), elem.size() as u64),
            };
            if *declared != size {
                let message = format!(
                    "the code declares {declared} bytes, but {kind} has {size} bytes; correct the type of the parameter"
                );
                return Err(RuntimeError::user(message).at_argument(&param.name));
            }
        }
        Ok(())
    }
}

/// Kind of the memory of a device, for the exchange of memory between libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// Memory of this process on the host.
    Host,
    /// Memory of the GPU with this number in CUDA.
    Cuda(u32),
    /// Memory of the GPU with this number in HIP.
    Hip(u32),
}

/// The error of a device that does not support a kind of foreign object.
pub(crate) fn refused(device: &str, what: &str, instead: &str) -> RuntimeError {
    RuntimeError::device_limit(format!("the device {device} cannot {what}; {instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cube_artifact::{BufferAccess, ElemType};

    #[test]
    fn the_sizes_of_a_foreign_kernel_are_those_of_its_code() {
        let buffer = ParamKind::Buffer { elem: ElemType::F32, line: 1, align: 1, access: BufferAccess::Read };
        let scalar = ParamKind::Scalar { elem: ElemType::F16 };
        let params = vec![Param { name: "x".into(), kind: buffer }, Param { name: "a".into(), kind: scalar }];
        // SAFETY: the kernel is not launched.
        let kernel = unsafe { ForeignKernel::new("k", CodeFormat::PTX, "", params, [1; 3]) };
        kernel.check_sizes(&[8, 2]).unwrap();
        let error = |declared: &[u64]| kernel.check_sizes(declared).unwrap_err().to_string();
        assert!(error(&[8]).contains("declares 1 parameters, but the description has 2"), "{}", error(&[8]));
        assert!(error(&[8, 4]).contains("argument 'a': the code declares 4 bytes, but f16 has 2 bytes"));
        assert!(error(&[4, 2]).contains("argument 'x': the code declares 4 bytes, but the address of a buffer has 8"));
    }

    #[test]
    fn an_owner_calls_its_function_once() {
        let calls = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counted = calls.clone();
        let owner = on_release(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 0);
        drop(owner);
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 1);
    }
}
