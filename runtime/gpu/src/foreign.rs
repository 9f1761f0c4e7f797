//! Memory, streams and kernels of other libraries and compilers.
use crate::context::Failure;
use crate::device::GpuDevice;
use crate::driver::{DeviceInfo, Driver, Stream};
use crate::kernel::Loaded;
use crate::memory::{Allocation, own};
use crate::pending_clear::PendingClear;
use crate::ptx;
use cube_artifact::CodeFormat;
use cube_runtime::{Buffer, ExternalMemory, ExternalStream, ForeignKernel, Kernel, Queue, RuntimeError};
use std::sync::{Arc, Mutex};

impl<D: Driver> GpuDevice<D> {
    pub(crate) fn buffer_of(&self, memory: ExternalMemory) -> Result<Buffer, RuntimeError> {
        let (address, bytes, owner) = memory.into_parts();
        // The allocation starts at an aligned address before the imported bytes. The offset of the buffer therefore
        // shows the alignment of the imported bytes.
        let skipped = address % u64::from(D::ALIGNMENT);
        let size = bytes.checked_add(skipped).filter(|size| address.checked_add(*size).is_some());
        let Some(size) = size.filter(|_| address != 0 || bytes == 0) else {
            return Err(RuntimeError::user(format!(
                "{bytes} bytes at address {address:#x} are not memory of a device; pass the address that the driver returned"
            )));
        };
        let generation = self.contexts.call(|entered| Ok(entered.generation()))?;
        let (contexts, memory, uses) = (self.contexts.clone(), self.memory.clone(), Mutex::default());
        let (address, block, bytes) = (address - skipped, None, size);
        let (clearing, source, _owner) = (PendingClear::default(), Mutex::default(), Some(owner));
        let allocation =
            Allocation { contexts, memory, generation, address, block, bytes, uses, clearing, source, _owner };
        Buffer::new(Arc::new(allocation)).slice(skipped..size)
    }

    pub(crate) fn address_of(&self, buffer: &Buffer) -> Result<u64, RuntimeError> {
        let allocation = own(buffer, &self.contexts)?;
        self.contexts.call(|entered| allocation.address(entered, Queue::DEFAULT, buffer.offset()))
    }

    pub(crate) fn stream_of(&self, queue: Queue) -> Result<u64, RuntimeError> {
        self.contexts.call(|entered| {
            entered.engine().graphs()?;
            Ok(entered.stream(queue)?.0)
        })
    }

    pub(crate) fn use_stream(&self, queue: Queue, stream: ExternalStream) -> Result<(), RuntimeError> {
        let (handle, owner) = stream.into_parts();
        self.contexts.call(|entered| {
            entered.engine().graphs()?;
            if entered.use_stream(queue, Stream(handle), owner)? {
                return Ok(());
            }
            Err(Failure::Reported(RuntimeError::user(format!(
                "queue {} has a stream: import the stream before the first command of the queue, or for another queue",
                queue.index()
            ))))
        })
    }

    pub(crate) fn load_other(&self, kernel: &ForeignKernel) -> Result<Kernel, RuntimeError> {
        let DeviceInfo { chip, properties, .. } = &self.facts;
        let artifact = kernel.artifact(D::BACKEND);
        properties.loads(&artifact, &format!("{}:{chip}", D::BACKEND))?;
        if artifact.format == CodeFormat::PTX {
            let text = std::str::from_utf8(&artifact.code)
                .map_err(|_| RuntimeError::user("its PTX is not text; pass the output of `nvcc --ptx`"))?;
            kernel.check_sizes(&ptx::parameters(text, kernel.entry())?)?;
        }
        let loaded = Loaded::foreign(&artifact, self.contexts.clone());
        self.compile(&artifact, loaded)
    }
}
