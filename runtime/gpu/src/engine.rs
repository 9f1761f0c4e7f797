//! The process that calls the driver: this process, or a child after a kernel of this process has faulted.
use crate::driver::{
    Address, Class, Driver, DriverError, DriverResult, EventHandle, Function, GraphHandle, Grid, Logged, Stream,
};
use crate::host::{Host, Reply, Request};
use cube_artifact::Variables;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};

/// Held for writing during a recording, and for reading during the synchronisation of a context.
static RECORDINGS: RwLock<()> = RwLock::new(());

/// Maximum bytes of data in a message to a child process.
const PART: usize = 16 << 20;

/// Whether a kernel of this process has faulted. After a fault, the driver refuses all calls of the process.
static FAULTED: AtomicBool = AtomicBool::new(false);

/// A context in this process or in a child process.
pub(crate) enum Engine<D: Driver> {
    Local(D),
    Remote(Box<Mutex<Host>>),
}

impl<D: Driver> Engine<D> {
    /// Creates a context, in this process if possible.
    pub fn create(ordinal: u32, variables: &Variables) -> DriverResult<Self> {
        if !FAULTED.load(Ordering::Relaxed) {
            match D::create(ordinal) {
                Ok(context) => return Ok(Engine::Local(context)),
                // A call for another device of this process can already have detected the fault.
                Err(error) if error.class == Class::Fault => FAULTED.store(true, Ordering::Relaxed),
                Err(error) => return Err(error),
            }
        }
        Host::start::<D>(ordinal, variables).map(|host| Engine::Remote(Box::new(Mutex::new(host))))
    }

    /// Ends the context. If `faulted` is true, the driver refuses all further calls of the process that has the
    /// context.
    pub fn destroy(self, faulted: bool) {
        if let Engine::Local(context) = self {
            FAULTED.fetch_or(faulted, Ordering::Relaxed);
            context.destroy();
        }
    }

    /// The context, or `None` if it is in a child process.
    pub fn local_context(&self) -> Option<D> {
        if let Engine::Local(context) = self { Some(*context) } else { None }
    }

    fn send_request(host: &Mutex<Host>, request: &Request<'_>) -> Result<Reply, Logged> {
        host.lock().unwrap_or_else(PoisonError::into_inner).send_request(request)
    }

    fn number(host: &Mutex<Host>, request: &Request<'_>) -> DriverResult<u64> {
        Self::send_request(host, request).map_err(|(error, _)| error).and_then(Reply::number)
    }

    fn done(host: &Mutex<Host>, request: &Request<'_>) -> DriverResult<()> {
        Self::send_request(host, request).map(drop).map_err(|(error, _)| error)
    }

    /// Makes the context current in the calling thread, as all other methods of the context require.
    pub fn enter(&self) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.enter(),
            Engine::Remote(_) => Ok(()),
        }
    }

    /// Waits for all work of the context. The call first waits for the end of each recording, because a driver invalidates a
    /// recording during which its context is synchronised (CUDA C++ Programming Guide, prohibited operations of stream
    /// capture).
    pub fn sync(&self) -> DriverResult<()> {
        match self {
            Engine::Local(context) => {
                let _no_recording = RECORDINGS.read().unwrap_or_else(PoisonError::into_inner);
                context.sync()
            }
            Engine::Remote(host) => Self::done(host, &Request::Sync),
        }
    }

    pub fn stream(&self) -> DriverResult<Stream> {
        match self {
            Engine::Local(context) => context.stream(),
            Engine::Remote(host) => Self::number(host, &Request::Stream).map(Stream),
        }
    }

    pub fn sync_stream(&self, stream: Stream) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.sync_stream(stream),
            Engine::Remote(host) => Self::done(host, &Request::SyncStream { stream }),
        }
    }

    /// Waits for a stream whose commands access memory of the caller. If the wait for the stream fails, the method
    /// waits for all streams, because the caller frees the memory after an error.
    pub fn sync_stream_or_all(&self, stream: Stream) -> DriverResult<()> {
        self.sync_stream(stream).inspect_err(|_| {
            let _ = self.sync();
        })
    }

    /// Allocates memory on the device.
    pub fn alloc(&self, bytes: u64) -> DriverResult<Address> {
        match self {
            Engine::Local(context) => context.alloc(bytes),
            Engine::Remote(host) => Self::number(host, &Request::Alloc { bytes }),
        }
    }

    /// The free and the total bytes of the device's memory.
    pub fn memory(&self) -> DriverResult<(u64, u64)> {
        match self {
            Engine::Local(context) => context.memory(),
            Engine::Remote(host) => {
                let pair = Self::send_request(host, &Request::Memory).map_err(|(error, _)| error).and_then(Reply::pair);
                pair.map(|[free, all]| (free, all))
            }
        }
    }

    /// Frees memory that `alloc` returned.
    pub fn free(&self, address: Address) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.free(address),
            Engine::Remote(host) => Self::done(host, &Request::Free { address }),
        }
    }

    /// Queues a command that fills device memory with zeros.
    pub fn clear(&self, stream: Stream, address: Address, bytes: u64) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.clear(stream, address, bytes),
            Engine::Remote(host) => Self::done(host, &Request::Clear { stream, address, bytes }),
        }
    }

    /// Queues a copy within the device's memory.
    pub fn copy(&self, stream: Stream, from: Address, to: Address, bytes: u64) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.copy(stream, from, to, bytes),
            Engine::Remote(host) => Self::done(host, &Request::Copy { stream, from, to, bytes }),
        }
    }

    /// Queues a copy from the host to the device.
    ///
    /// # Safety
    /// The requirements of [`Driver::write`].
    // SAFETY: the caller's promise.
    pub unsafe fn write(&self, stream: Stream, address: Address, data: &[u8]) -> DriverResult<()> {
        match self {
            // SAFETY: the caller's promise.
            Engine::Local(context) => unsafe { context.write(stream, address, data.as_ptr(), data.len()) },
            Engine::Remote(host) => data.chunks(PART).enumerate().try_for_each(|(part, data)| {
                Self::done(host, &Request::Write { stream, address: address + (part * PART) as u64, data })
            }),
        }
    }

    /// Queues a copy from the device to the host.
    ///
    /// # Safety
    /// The requirements of [`Driver::read`].
    // SAFETY: the caller's promise.
    pub unsafe fn read(&self, stream: Stream, address: Address, out: &mut [u8]) -> DriverResult<()> {
        match self {
            // SAFETY: the caller's promise.
            Engine::Local(context) => unsafe { context.read(stream, address, out.as_mut_ptr(), out.len()) },
            Engine::Remote(host) => out.chunks_mut(PART).enumerate().try_for_each(|(part, out)| {
                let (address, bytes) = (address + (part * PART) as u64, out.len() as u64);
                let data =
                    Self::send_request(host, &Request::Read { stream, address, bytes }).map_err(|(error, _)| error);
                out.copy_from_slice(&data.and_then(|reply| reply.bytes(out.len()))?);
                Ok(())
            }),
        }
    }

    /// Loads code and finds the function `entry` in the code.
    pub fn load(&self, code: &[u8], entry: &str) -> Result<Function, Logged> {
        match self {
            Engine::Local(context) => context.load(code, entry),
            Engine::Remote(host) => Self::send_request(host, &Request::Load { code, entry })?
                .function()
                .map_err(|error| (error, String::new())),
        }
    }

    /// Frees the memory of a kernel's code, after its last launch. Like [`Engine::sync`], the call waits for the end of each recording.
    pub fn unload(&self, function: Function) {
        match self {
            Engine::Local(context) => {
                let _no_recording = RECORDINGS.read().unwrap_or_else(PoisonError::into_inner);
                // If the work before the call failed, the next call of the driver returns the failure.
                let _ = context.sync();
                context.unload(function);
            }
            Engine::Remote(host) => drop(Self::done(host, &Request::Unload { function })),
        }
    }

    /// Allows a kernel to use `bytes` bytes of dynamic shared memory.
    pub fn allow_shared(&self, function: Function, bytes: u32) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.allow_shared(function, bytes),
            Engine::Remote(host) => Self::done(host, &Request::AllowShared { function, bytes }),
        }
    }

    /// Queues a launch.
    ///
    /// # Safety
    /// The requirements of [`Driver::launch`].
    // SAFETY: the caller's promise.
    pub unsafe fn launch(
        &self,
        stream: Stream,
        function: Function,
        grid: &Grid,
        slots: &mut [u64],
    ) -> DriverResult<()> {
        match self {
            // SAFETY: the caller's promise.
            Engine::Local(context) => unsafe { context.launch(stream, function, grid, slots) },
            Engine::Remote(host) => {
                Self::done(host, &Request::Launch { stream, function, grid: *grid, slots: slots.to_vec() })
            }
        }
    }

    pub fn create_event(&self, timed: bool) -> DriverResult<EventHandle> {
        match self {
            Engine::Local(context) => context.create_event(timed),
            Engine::Remote(host) => Self::number(host, &Request::CreateEvent { timed }).map(EventHandle),
        }
    }

    pub fn free_event(&self, event: EventHandle) {
        match self {
            Engine::Local(context) => context.free_event(event),
            Engine::Remote(host) => drop(Self::done(host, &Request::FreeEvent { event })),
        }
    }

    pub fn record(&self, event: EventHandle, stream: Stream) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.record(event, stream),
            Engine::Remote(host) => Self::done(host, &Request::Record { event, stream }),
        }
    }

    pub fn wait(&self, stream: Stream, event: EventHandle) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.wait(stream, event),
            Engine::Remote(host) => Self::done(host, &Request::Wait { stream, event }),
        }
    }

    pub fn is_complete(&self, event: EventHandle) -> DriverResult<bool> {
        match self {
            Engine::Local(context) => context.is_complete(event),
            Engine::Remote(host) => Self::number(host, &Request::IsComplete { event }).map(|complete| complete != 0),
        }
    }

    pub fn sync_event(&self, event: EventHandle) -> DriverResult<()> {
        match self {
            Engine::Local(context) => context.sync_event(event),
            Engine::Remote(host) => Self::done(host, &Request::SyncEvent { event }),
        }
    }

    /// Milliseconds on the device between two events.
    pub fn elapsed(&self, from: EventHandle, to: EventHandle) -> DriverResult<f32> {
        match self {
            Engine::Local(context) => context.elapsed(from, to),
            Engine::Remote(host) => {
                Self::number(host, &Request::Elapsed { from, to }).map(|bits| f32::from_bits(bits as u32))
            }
        }
    }

    /// The context for driver graphs. In a child process the method returns an error, and the device submits
    /// the commands of a graph one by one.
    pub fn graphs(&self) -> DriverResult<D> {
        self.local_context().ok_or_else(|| DriverError {
            call: "a graph".into(),
            class: Class::Other,
            description: "not in the process of the device".into(),
        })
    }

    /// Until the guard is dropped, no thread of the process synchronises a context.
    pub fn start_recording() -> RwLockWriteGuard<'static, ()> {
        RECORDINGS.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn free_graph(&self, graph: GraphHandle) {
        if let Some(context) = self.local_context() {
            context.free_graph(graph);
        }
    }
}
