//! Copies between host and device.
use crate::context::Failure;
use crate::device::GpuDevice;
use crate::driver::Driver;
use crate::memory::own;
use crate::pending_copies::PendingRead;
use cube_runtime::transfer::promise;
use cube_runtime::{Buffer, Device, HostBytes, Queue, Reading, RuntimeError};
use std::iter::once;

/// Maximum bytes of a write that uses page-locked memory, so that the caller does not wait for the device.
const STAGED: usize = 1 << 20;

impl<D: Driver> GpuDevice<D> {
    pub(crate) fn pinned(&self, bytes: usize) -> Result<HostBytes, RuntimeError> {
        self.contexts.call(|entered| Ok(self.staging.alloc(entered, bytes)?.into()))
    }

    pub(crate) fn write_slice(
        &self,
        queue: Queue,
        buffer: &Buffer,
        offset: u64,
        data: &[u8],
    ) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        let allocation = own(buffer, &self.contexts)?;
        if (1..=STAGED).contains(&data.len()) {
            let mut staged = self.pinned(data.len())?;
            staged.copy_from_slice(data);
            return self.write_owned(queue, buffer, offset, staged);
        }
        self.contexts.call(|entered| {
            let address = allocation.address(entered, queue, range.start)?;
            let stream = entered.stream(queue)?;
            // SAFETY: the slice is valid until the wait for the stream below.
            let copied = entered.submit(queue, once((&allocation.uses, true)), |engine, stream| unsafe {
                engine.write(stream, address, data)
            });
            // The call waits even if the copy failed, because a part of the copy can still be running.
            let done = self.contexts.synced_queue(entered, || entered.engine().sync_stream_or_all(stream));
            copied?;
            done
        })
    }

    pub(crate) fn write_owned(
        &self,
        queue: Queue,
        buffer: &Buffer,
        offset: u64,
        data: HostBytes,
    ) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, data.len() as u64)?;
        let allocation = own(buffer, &self.contexts)?;
        self.contexts.call(|entered| {
            let address = allocation.address(entered, queue, range.start)?;
            let generation = entered.generation();
            let written = entered.submit(queue, once((&allocation.uses, true)), |engine, stream| {
                // SAFETY: the bytes are kept until the event after the copy, below.
                unsafe { engine.write(stream, address, &data) }?;
                self.pending_copies.record_event(engine, generation, stream)
            });
            match written {
                Ok(event) => {
                    self.pending_copies.keep(entered.engine(), generation, event, data);
                    Ok(())
                }
                Err(error) => {
                    // Although the copy failed, a part of it can still be running.
                    let _ = entered.engine().sync();
                    Err(Failure::Driver(error))
                }
            }
        })
    }

    pub(crate) fn read_slice(
        &self,
        queue: Queue,
        buffer: &Buffer,
        offset: u64,
        out: &mut [u8],
    ) -> Result<(), RuntimeError> {
        let range = buffer.range_of(offset, out.len() as u64)?;
        let allocation = own(buffer, &self.contexts)?;
        self.contexts.call(|entered| {
            let address = allocation.address(entered, queue, range.start)?;
            let stream = entered.stream(queue)?;
            let read = |engine: &crate::engine::Engine<D>, stream| match out.is_empty() {
                true => Ok(()),
                // SAFETY: the slice belongs to this call until the wait for the stream below.
                false => unsafe { engine.read(stream, address, out) },
            };
            let copied = entered.submit(queue, once((&allocation.uses, false)), read);
            let done = self.contexts.synced_queue(entered, || entered.engine().sync_stream_or_all(stream));
            copied?;
            done
        })?;
        allocation.check_source()
    }

    pub(crate) fn read_later(
        &self,
        queue: Queue,
        buffer: &Buffer,
        offset: u64,
        bytes: u64,
    ) -> Result<Reading, RuntimeError> {
        let range = buffer.range_of(offset, bytes)?;
        let allocation = own(buffer, &self.contexts)?;
        let (promise, reading) = promise();
        let read = self.contexts.call(|entered| {
            let address = allocation.address(entered, queue, range.start)?;
            let generation = entered.generation();
            let mut bytes: HostBytes = self.staging.alloc(entered, bytes as usize)?.into();
            let read = entered.submit(queue, once((&allocation.uses, false)), |engine, stream| {
                let event = engine.create_event(false)?;
                if !bytes.is_empty() {
                    // SAFETY: the bytes are kept until the event after the copy.
                    unsafe { engine.read(stream, address, &mut bytes) }?;
                }
                engine.record(event, stream).map(|()| event)
            });
            match read {
                Ok(event) => {
                    let buffer = allocation.has_source().then(|| buffer.clone());
                    Ok(PendingRead { generation, event, bytes, promise, buffer })
                }
                Err(error) => {
                    // Although the copy failed, a part of it can still be running.
                    let _ = entered.engine().sync();
                    Err(Failure::Driver(error))
                }
            }
        })?;
        self.pending_copies.complete_later(&self.contexts, read)?;
        Ok(reading)
    }

    /// Reads three `u32` from the start of a buffer.
    pub(crate) fn count_in(&self, queue: Queue, buffer: &Buffer) -> Result<[u32; 3], RuntimeError> {
        let mut bytes = [0; 12];
        self.read_on(queue, buffer, 0, &mut bytes)?;
        Ok([0, 4, 8].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])))
    }
}
