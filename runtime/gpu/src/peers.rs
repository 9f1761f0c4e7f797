//! Copies between two GPUs of one driver.
//!
//! The stream of the target waits for an event of the source's stream, and then executes the copy. The stream of the
//! source then waits for the copy. Each wait is for an event that was recorded earlier, so two copies in opposite
//! directions cannot wait for each other. If the driver cannot copy directly, the copy passes through two alternating
//! parts of page-locked host memory. In both cases, the host does not wait.
use crate::context::{ContextGuard, DeviceFailure, Failure};
use crate::device::GpuDevice;
use crate::driver::{Address, Driver, DriverResult, EventHandle};
use crate::event::Point;
use crate::memory::{Allocation, own};
use crate::pending_copies::CopyBytes;
use cube_runtime::device::{check_sizes, copy_through_host};
use cube_runtime::{Buffer, HostBytes, Queue, RuntimeError};
use std::iter::once;
use std::sync::{Arc, PoisonError};

/// Maximum bytes of a part of a copy through host memory.
const PART: u64 = 16 << 20;

/// A copy in the contexts of two devices.
struct PeerCopy<'a, D: Driver> {
    own: &'a ContextGuard<'a, D>,
    other: &'a ContextGuard<'a, D>,
    queue: Queue,
    source_queue: Queue,
    target: &'a Allocation<D>,
    source: &'a Allocation<D>,
    from: Address,
    to: Address,
    bytes: u64,
}

/// A part of a copy through host memory: the memory, the event after its last read from the source, and the event after
/// its last write to the target.
struct Part {
    bytes: HostBytes,
    read: EventHandle,
    written: EventHandle,
}

/// The result of the submission of a copy.
enum Outcome {
    /// The copy is queued. The values are the generation of the source's context and the event of the source.
    Queued(u64, EventHandle),
    /// The buffers have no bytes.
    Empty,
    /// The context of one of the devices is in a child process, so the driver of this process cannot copy.
    InChild,
}

impl<D: Driver> PeerCopy<'_, D> {
    /// Runs driver calls in the context of the target.
    fn on_target<T>(&self, work: impl FnOnce(&ContextGuard<'_, D>) -> DriverResult<T>) -> Result<T, DeviceFailure> {
        let done = self.own.engine().enter().and_then(|()| work(self.own));
        done.map_err(|error| DeviceFailure { of_other: false, failure: error.into() })
    }

    /// Runs driver calls in the context of the source.
    fn on_source<T>(&self, work: impl FnOnce(&ContextGuard<'_, D>) -> DriverResult<T>) -> Result<T, DeviceFailure> {
        let done = self.other.engine().enter().and_then(|()| work(self.other));
        done.map_err(|error| DeviceFailure { of_other: true, failure: error.into() })
    }

    /// Queues a copy by the driver. Returns the event of the source before the copy.
    fn direct(&self, own: D, other: D) -> Result<EventHandle, DeviceFailure> {
        let ready = self.on_source(|entered| {
            let event = entered.engine().create_event(false)?;
            let record = |engine: &crate::engine::Engine<D>, stream| engine.record(event, stream);
            entered.submit(self.source_queue, once((&self.source.uses, false)), record)?;
            Ok(event)
        })?;
        let copied = self.on_target(|entered| {
            let event = entered.engine().create_event(false)?;
            let copied = entered.submit(self.queue, once((&self.target.uses, true)), |engine, stream| {
                engine.wait(stream, ready)?;
                own.copy_from(stream, other, self.from, self.to, self.bytes)?;
                engine.record(event, stream)
            });
            copied.map(|()| event)
        });
        let ordered = copied.and_then(|copied| {
            self.on_source(|entered| {
                let wait = |engine: &crate::engine::Engine<D>, stream| engine.wait(stream, copied);
                entered.submit(self.source_queue, once((&self.source.uses, false)), wait)
            })?;
            self.on_target(|entered| {
                entered.engine().free_event(copied);
                Ok(())
            })
        });
        if let Err(failure) = ordered {
            // The copy can still be running, and no later command of the source would wait for it. This call therefore
            // waits for the target.
            let _ = self.on_target(|entered| entered.sync());
            return Err(failure);
        }
        Ok(ready)
    }

    /// Queues the copies of the parts. Returns the event after the last read from the source.
    fn staged(&self, parts: &mut [Part]) -> Result<EventHandle, DeviceFailure> {
        let (mut start, mut number) = (0, 0);
        while start < self.bytes {
            let length = PART.min(self.bytes - start) as usize;
            let (again, index) = (number >= parts.len(), number % parts.len());
            let Part { bytes, read, written } = &mut parts[index];
            let bytes = &mut bytes[..length];
            self.on_source(|entered| {
                entered.submit(self.source_queue, once((&self.source.uses, false)), |engine, stream| {
                    if again {
                        engine.wait(stream, *written)?;
                    }
                    // SAFETY: the caller keeps the memory until the events after the last copies, and no other code uses
                    // it.
                    unsafe { engine.read(stream, self.from + start, bytes) }?;
                    engine.record(*read, stream)
                })
            })?;
            self.on_target(|entered| {
                entered.submit(self.queue, once((&self.target.uses, true)), |engine, stream| {
                    engine.wait(stream, *read)?;
                    // SAFETY: as above. The next read to this memory waits for this copy.
                    unsafe { engine.write(stream, self.to + start, bytes) }?;
                    engine.record(*written, stream)
                })
            })?;
            (start, number) = (start + length as u64, number + 1);
        }
        self.on_source(|entered| {
            let event = entered.engine().create_event(false)?;
            let record = |engine: &crate::engine::Engine<D>, stream| engine.record(event, stream);
            entered.submit(self.source_queue, once((&self.source.uses, false)), record)?;
            Ok(event)
        })
    }
}

impl<D: Driver> GpuDevice<D> {
    /// The number of the GPU in the driver, from 0.
    pub fn ordinal(&self) -> u32 {
        self.contexts.ordinal()
    }

    pub(crate) fn copy_from_peer(
        &self,
        queue: Queue,
        to: &Buffer,
        peer: &GpuDevice<D>,
        source_queue: Queue,
        from: &Buffer,
    ) -> Result<(), RuntimeError> {
        check_sizes(from, to)?;
        let (source, target) = (own(from, &peer.contexts)?, own(to, &self.contexts)?);
        let submitted = self.contexts.with_both(&peer.contexts, |entered, other| {
            let (Some(local_context), Some(peer_context)) =
                (entered.engine().local_context(), other.engine().local_context())
            else {
                return Ok(Outcome::InChild);
            };
            let failed = |of_other| move |failure: Failure| DeviceFailure { of_other, failure };
            // The contexts are made current in turns, because the clearing of a buffer is a command.
            let current = |context: &ContextGuard<'_, D>| context.engine().enter().map_err(Failure::from);
            let start = current(other).and_then(|()| source.address(other, source_queue, from.offset()));
            let start = start.map_err(failed(true))?;
            let end = current(entered).and_then(|()| target.address(entered, queue, to.offset()));
            let end = end.map_err(failed(false))?;
            let copy = PeerCopy {
                own: entered,
                other,
                queue,
                source_queue,
                target,
                source,
                from: start,
                to: end,
                bytes: from.size(),
            };
            if copy.bytes == 0 {
                return Ok(Outcome::Empty);
            }
            let connected = copy.on_target(|entered| self.contexts.is_connected(entered, &peer.contexts, other))?;
            let event = match connected {
                true => copy.direct(local_context, peer_context)?,
                false => self.copy_in_parts(peer, &copy)?,
            };
            Ok(Outcome::Queued(other.generation(), event))
        });
        match submitted? {
            Outcome::InChild => copy_through_host(self, queue, to, peer, source_queue, from),
            Outcome::Empty => Ok(()),
            Outcome::Queued(generation, event) => {
                let point = Point { contexts: peer.contexts.clone(), generation, event };
                // The earlier point is dropped after the lock is released, because its drop calls the driver.
                let earlier = target.source.lock().unwrap_or_else(PoisonError::into_inner).replace(point);
                drop(earlier);
                Ok(())
            }
        }
    }

    /// Queues a copy through page-locked memory of `peer`, and keeps the memory until both devices have used it.
    fn copy_in_parts(&self, peer: &GpuDevice<D>, copy: &PeerCopy<'_, D>) -> Result<EventHandle, DeviceFailure> {
        let of_other = |failure: Failure| DeviceFailure { of_other: true, failure };
        let mut parts = Vec::new();
        for _ in 0..copy.bytes.div_ceil(PART).min(2) {
            let read = copy.on_source(|entered| entered.engine().create_event(false))?;
            let bytes = peer.staging.alloc(copy.other, copy.bytes.min(PART) as usize).map_err(of_other)?.into();
            let written = copy.on_target(|entered| entered.engine().create_event(false))?;
            parts.push(Part { bytes, read, written });
        }
        let submitted = copy.staged(&mut parts);
        if submitted.is_err() {
            // Although the submission failed, some copies can still use the memory. The following calls therefore wait
            // for both devices.
            let _ = copy.on_source(|entered| entered.sync());
            let _ = copy.on_target(|entered| entered.sync());
            return submitted;
        }
        for Part { bytes, read, written } in parts {
            let bytes = Arc::new(bytes);
            copy.on_source(|entered| {
                let kept = CopyBytes::Shared(bytes.clone());
                peer.pending_copies.keep(entered.engine(), entered.generation(), read, kept);
                Ok(())
            })?;
            copy.on_target(|entered| {
                self.pending_copies.keep(entered.engine(), entered.generation(), written, CopyBytes::Shared(bytes));
                Ok(())
            })?;
        }
        submitted
    }
}
