//! The process that calls the driver: this one, or a child after a kernel of this process has faulted.
use crate::driver::{Address, Answer, Events, Function, Gpu, Raw, text};
use crate::host::{Host, Reply, Request};
use crate::request::{Grid, Logged};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The maximum bytes of one message to a child.
const PIECE: usize = 16 << 20;

/// Whether a kernel of this process has faulted, so that the driver refuses further work for it.
static FAULTED: AtomicBool = AtomicBool::new(false);

/// A context, in this process or in a child.
pub(crate) enum Engine {
    Here(Raw),
    There(Box<Mutex<Host>>),
}

impl Engine {
    /// A new context, in this process if that is possible.
    pub fn create(gpu: Gpu, ordinal: u32) -> Answer<Engine> {
        if !FAULTED.load(Ordering::Relaxed) {
            match Raw::create(gpu) {
                Ok(raw) => return Ok(Engine::Here(raw)),
                // Another device of this process has met the fault.
                Err(error) if error.ends_the_process() => FAULTED.store(true, Ordering::Relaxed),
                Err(error) => return Err(error),
            }
        }
        Host::start(ordinal).map(|host| Engine::There(Box::new(Mutex::new(host))))
    }

    /// Ends it; `faulted` means that the driver refuses further work for its process.
    pub fn destroy(self, faulted: bool) {
        if let Engine::Here(raw) = self {
            FAULTED.fetch_or(faulted, Ordering::Relaxed);
            raw.destroy();
        }
    }

    fn ask(&self, host: &Mutex<Host>, request: &Request<'_>) -> Result<Reply, Logged> {
        host.lock().unwrap_or_else(PoisonError::into_inner).ask(request)
    }

    fn number(&self, host: &Mutex<Host>, request: &Request<'_>) -> Answer<u64> {
        self.ask(host, request).map_err(|(error, _)| error).and_then(Reply::number)
    }

    fn done(&self, host: &Mutex<Host>, request: &Request<'_>) -> Answer<()> {
        self.ask(host, request).map(drop).map_err(|(error, _)| error)
    }

    /// Makes the context current in this thread, as the functions below expect.
    pub fn enter(&self) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.enter(),
            Engine::There(_) => Ok(()),
        }
    }

    /// Waits for all work.
    pub fn sync(&self) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.sync(),
            Engine::There(host) => self.done(host, &Request::Sync),
        }
    }

    /// Allocates memory on the device.
    pub fn alloc(&self, bytes: u64) -> Answer<Address> {
        match self {
            Engine::Here(raw) => raw.alloc(bytes),
            Engine::There(host) => self.number(host, &Request::Alloc { bytes }),
        }
    }

    /// Free and total bytes of the device.
    pub fn memory(&self) -> Answer<(u64, u64)> {
        match self {
            Engine::Here(raw) => raw.memory(),
            Engine::There(host) => self
                .ask(host, &Request::Memory)
                .map_err(|(error, _)| error)
                .and_then(Reply::pair)
                .map(|[free, all]| (free, all)),
        }
    }

    /// Frees the memory of `alloc`.
    pub fn free(&self, address: Address) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.free(address),
            Engine::There(host) => self.done(host, &Request::Free { address }),
        }
    }

    /// Sets bytes to zero.
    pub fn clear(&self, address: Address, bytes: u64) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.clear(address, bytes),
            Engine::There(host) => self.done(host, &Request::Clear { address, bytes }),
        }
    }

    /// Copies to the device; complete when it returns.
    pub fn write(&self, address: Address, data: &[u8]) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.write(address, data),
            Engine::There(host) => data.chunks(PIECE).enumerate().try_for_each(|(piece, data)| {
                self.done(host, &Request::Write { address: address + (piece * PIECE) as u64, data })
            }),
        }
    }

    /// Copies from the device; complete when it returns.
    pub fn read(&self, address: Address, out: &mut [u8]) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.read(address, out),
            // Work that has been launched is waited for, also where there is nothing to copy.
            Engine::There(host) if out.is_empty() => self.done(host, &Request::Sync),
            Engine::There(host) => out.chunks_mut(PIECE).enumerate().try_for_each(|(piece, out)| {
                let request = Request::Read { address: address + (piece * PIECE) as u64, bytes: out.len() as u64 };
                let data =
                    self.ask(host, &request).map_err(|(error, _)| error).and_then(|reply| reply.bytes(out.len()))?;
                out.copy_from_slice(&data);
                Ok(())
            }),
        }
    }

    /// Loads PTX and finds `entry` in it; neither contains a zero byte.
    pub fn load(&self, ptx: &[u8], entry: &str) -> Result<Function, Logged> {
        match self {
            Engine::Here(raw) => {
                let (ptx, entry) = (text(ptx).unwrap_or_default(), text(entry.as_bytes()).unwrap_or_default());
                raw.load(&ptx, &entry)
            }
            Engine::There(host) => {
                self.ask(host, &Request::Load { ptx, entry })?.function().map_err(|error| (error, String::new()))
            }
        }
    }

    /// Unloads the code of a kernel.
    pub fn unload(&self, function: Function) {
        match self {
            Engine::Here(raw) => raw.unload(function),
            Engine::There(host) => drop(self.done(host, &Request::Unload { function })),
        }
    }

    /// Allows a kernel this much dynamic shared memory.
    pub fn allow_shared(&self, function: Function, bytes: u32) -> Answer<()> {
        match self {
            Engine::Here(raw) => raw.allow_shared(function, bytes),
            Engine::There(host) => self.done(host, &Request::AllowShared { function, bytes }),
        }
    }

    /// Queues a launch.
    ///
    /// # Safety
    /// As [`Raw::launch`].
    pub unsafe fn launch(&self, function: Function, grid: &Grid, slots: &mut [u64]) -> Answer<()> {
        match self {
            // SAFETY: the caller's promise.
            Engine::Here(raw) => unsafe { raw.launch(function, grid.cubes, grid.dim, grid.shared, slots) },
            Engine::There(host) => self.done(host, &Request::Launch { function, grid: *grid, slots: slots.to_vec() }),
        }
    }

    /// Records the start of a measurement.
    pub fn begin(&self) -> Answer<Events> {
        match self {
            Engine::Here(raw) => raw.begin(),
            Engine::There(host) => self.ask(host, &Request::Begin).map_err(|(error, _)| error).and_then(Reply::pair),
        }
    }

    /// Milliseconds on the device from `begin` to here.
    pub fn end(&self, events: Events) -> Answer<f32> {
        match self {
            Engine::Here(raw) => raw.end(events),
            Engine::There(host) => {
                let bits = self.number(host, &Request::End { events })?;
                Ok(f32::from_bits(bits as u32))
            }
        }
    }
}
