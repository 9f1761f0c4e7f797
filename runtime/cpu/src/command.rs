//! The commands of the CPU's queues.
use crate::memory::own;
use cube_runtime::queue::Ticks;
use cube_runtime::{Buffer, Kernel, RuntimeError};

/// Initial capacity of a command's list of buffers and of its lists of numbers.
const FEW: usize = 16;

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

#[cfg(target_arch = "x86_64")]
fn prefetch_for_write(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: a prefetch has no effect on memory, and does not fault for any address.
    unsafe { _mm_prefetch::<_MM_HINT_ET0>(address.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch_for_write(_: *const u8) {}

/// A function that the thread of a queue calls. If a command that wrote an input buffer has failed, the
/// argument of the function is this failure.
pub(crate) type Call = Box<dyn FnOnce(Result<(), RuntimeError>) -> Result<(), RuntimeError> + Send>;

/// The work of a command.
#[derive(Default)]
pub(crate) enum Work {
    #[default]
    Nothing,
    Launch(Kernel),
    Call(Call),
}

/// A queued command.
#[derive(Default)]
pub(crate) struct Command {
    /// The number of the command in its queue.
    pub tick: u64,
    /// The commands of all queues that must precede this one.
    pub condition: Ticks,
    /// The buffers that the command uses, and for each buffer whether the command writes it.
    pub buffers: Vec<(Buffer, bool)>,
    pub work: Work,
    /// The arrays of a launch. See [`cube_runtime::launch::BoundLaunch`].
    pub info: Vec<u64>,
    pub scalars: Vec<u64>,
    pub cube_count: [u32; 3],
    pub cubes: u64,
    /// Whether the command is a launch with a short expected time.
    pub is_short: bool,
}

impl Command {
    pub fn unused() -> Box<Command> {
        let numbers = || Vec::with_capacity(FEW);
        Box::new(Command {
            buffers: Vec::with_capacity(FEW),
            info: numbers(),
            scalars: numbers(),
            ..Command::default()
        })
    }

    /// Requests the cache lines of the command for writing. The thread of a queue wrote them last, on another processor.
    pub fn prefetch(&self) {
        let first = std::ptr::from_ref(self).cast::<u8>();
        (0..size_of::<Command>()).step_by(LINE_BYTES).for_each(|at| prefetch_for_write(first.wrapping_add(at)));
    }

    /// Requests the first cache lines of the command's lists for writing.
    pub fn prefetch_lists(&self) {
        prefetch_for_write(self.buffers.as_ptr().cast());
        prefetch_for_write(self.info.as_ptr().cast());
        prefetch_for_write(self.scalars.as_ptr().cast());
    }

    /// Returns an error if an earlier command failed to write a buffer that this command only reads.
    pub fn inputs(&self) -> Result<(), RuntimeError> {
        inputs(self.buffers.iter().map(|(buffer, writes)| (buffer, *writes)))
    }

    /// Records the outcome of the command in its buffers, and drops the buffers.
    pub fn finish(&mut self, outcome: &Result<(), RuntimeError>) {
        for (buffer, writes) in &self.buffers {
            let Ok(allocation) = own(buffer) else { continue };
            match outcome {
                _ if !writes => {}
                Ok(()) => allocation.tracking.succeed(),
                Err(error) => allocation.tracking.fail(error),
            }
            allocation.tracking.end();
        }
        self.buffers.clear();
        self.work = Work::Nothing;
        self.info.clear();
        self.scalars.clear();
    }
}

/// Returns an error if an earlier command failed to write a buffer that the current command only reads.
pub(crate) fn inputs<'a>(buffers: impl Iterator<Item = (&'a Buffer, bool)>) -> Result<(), RuntimeError> {
    for (buffer, _) in buffers.filter(|(_, writes)| !writes) {
        if let Some(failure) = own(buffer)?.tracking.failure() {
            return Err(failure);
        }
    }
    Ok(())
}
