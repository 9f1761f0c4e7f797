//! Executable memory for the code of kernels. Only this file calls code in this memory.
use crate::debugger::RegisteredObject;
use crate::entry::{Entry, LaunchBlock};
use crate::fault::{self, SignalFault};
use crate::object::{ALIGNMENT, Machine, Plan};
use crate::scratch;
use crate::workers::Cost;
use cube_runtime::RuntimeError;
use memmap2::{Mmap, MmapMut};

/// The loaded code of one kernel.
pub(crate) struct Code {
    entry: Entry,
    scratch_bytes: usize,
    // The order of the fields matters: the registration is dropped before the pages.
    _known: Option<RegisteredObject>,
    // The pages that `entry` points into.
    pages: Mmap,
    /// The measured cost of the kernel's cubes.
    pub cost: Cost,
}

impl Code {
    /// Loads an object into memory that is first writable and then executable, but never both.
    pub fn load(object: &[u8], entry: &str, scratch_bytes: usize) -> Result<Code, RuntimeError> {
        let machine = Machine::host().ok_or_else(|| {
            RuntimeError::device_limit(format!(
                "kernels cannot run on {}; use x86_64 or aarch64",
                std::env::consts::ARCH
            ))
        })?;
        let plan = Plan::new(object, entry, machine)?;
        let refused = |error: std::io::Error| {
            RuntimeError::device_limit(format!(
                "the system cannot allocate {} bytes of executable memory ({error}); free memory, or allow executable mappings",
                plan.size()
            ))
        };
        // On all supported systems, pages are aligned to `ALIGNMENT`. The method `write` also checks the alignment.
        let mut pages = MmapMut::map_anon(plan.size().next_multiple_of(ALIGNMENT)).map_err(refused)?;
        let base = pages.as_ptr() as u64;
        plan.write(&mut pages, base)?;
        let pages = pages.make_exec().map_err(refused)?;
        clear_instruction_cache(&pages);
        let address = pages[plan.entry()..].as_ptr();
        // SAFETY: `entry` is inside the executable section that defines a function of this name, and the compiler that
        // wrote the artifact gives that function the signature of the calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        let known = plan.for_debugger(object, base).map(RegisteredObject::new);
        Ok(Code { _known: known, pages, entry, scratch_bytes, cost: Cost::default() })
    }

    /// Runs the cubes `first..last`.
    ///
    /// # Errors
    /// The scratch memory cannot be allocated, or the code faults and `catch` is true; if `catch` is false, a fault
    /// ends the program.
    ///
    /// The arrays of `block` must have an entry for each parameter and info word of the artifact. Each buffer must be
    /// valid for the declared access and number of lines. During the call, nothing except cubes of the same launch
    /// uses the buffers. If `catch` is true, [`fault::install`] must have been called.
    pub unsafe fn run(&self, block: &LaunchBlock, first: u64, last: u64, catch: bool) -> Result<(), LaunchFailure> {
        let pages = self.pages.as_ptr_range();
        let run = |scratch| {
            match catch {
                false => {
                    // SAFETY: the caller fulfils the calling convention. The scratch memory belongs to this call alone
                    // and has the size that the artifact declares. The pages live as long as `self`.
                    unsafe { (self.entry)(block, first, last, scratch) };
                    Ok(())
                }
                // SAFETY: the conditions of the direct call above hold here too.
                true => unsafe { fault::call(self.entry, block, first, last, scratch, &pages) }
                    .map_err(LaunchFailure::Fault),
            }
        };
        scratch::with(self.scratch_bytes, run).unwrap_or(Err(LaunchFailure::Memory))
    }
}

/// The reason why some cubes were not completed.
pub(crate) enum LaunchFailure {
    /// The scratch memory cannot be allocated.
    Memory,
    /// The code faulted.
    Fault(SignalFault),
}

#[cfg(target_arch = "aarch64")]
fn clear_instruction_cache(pages: &[u8]) {
    unsafe extern "C" {
        // This function of the compiler's runtime library makes written instructions visible to instruction fetch.
        fn __clear_cache(start: *const u8, end: *const u8);
    }
    let range = pages.as_ptr_range();
    // SAFETY: the range is the mapping itself.
    unsafe { __clear_cache(range.start, range.end) }
}

/// On x86-64, instruction fetch sees earlier writes by the same thread. Instruction fetch sees the writes of
/// other threads after a synchronising call.
#[cfg(not(target_arch = "aarch64"))]
fn clear_instruction_cache(_pages: &[u8]) {}
