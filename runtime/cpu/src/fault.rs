//! Reports faults of kernels as errors instead of ending the program, if the device requests it.
//!
//! [`call`] records a resume point and calls a kernel's code. The signal handler finds the resume point in a
//! thread-local variable. If the fault is in the kernel's code, the handler makes the thread continue after the call of
//! the kernel. The skipped stack frames are frames of the kernel only, which own no resources. The handler passes any
//! other fault on to the previous handler.
//!
//! Catching faults works on x86-64 Linux. On systems other than x86-64 Linux, a fault ends the program.
use crate::entry::{Entry, LaunchBlock};
use std::ffi::c_void;
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SignalFault {
    /// The signal's number.
    pub signal: i32,
    /// The accessed address, which is meaningful only for memory faults.
    pub address: usize,
}

/// The name, first byte and size of an argument, for messages.
pub(crate) type Region<'a> = (&'a str, usize, u64);

/// Maximum distance between a fault and an argument at which the message names the argument: the size of a guard
/// page.
const NEAR: u64 = 4096;

impl SignalFault {
    /// The error message: the cause of the fault and the fix.
    pub fn message(&self, arguments: &[Region<'_>]) -> String {
        let cause = match self.signal {
            imp::DIVISION => "it divided an integer by zero, or the smallest integer by -1".to_string(),
            imp::INSTRUCTION => "it reached code that the compiler proved unreachable".to_string(),
            _ => self.memory(arguments),
        };
        format!("{cause}: cube-run KERNEL.mlir --backend interp --find all names the line")
    }

    fn memory(&self, arguments: &[Region<'_>]) -> String {
        let address = self.address as u64;
        let distance = |start: u64, size: u64| match address < start {
            true => start - address,
            false => (address - start).saturating_sub(size),
        };
        let found =
            arguments.iter().map(|(name, start, size)| (distance(*start as u64, *size), *name, *start as u64, *size));
        match found.min_by_key(|(distance, ..)| *distance) {
            Some((distance, name, start, size)) if distance < NEAR => match address.checked_sub(start) {
                Some(at) => format!("it accessed byte {at} of argument '{name}', which has {size} bytes"),
                None => format!("it accessed the byte {distance} before argument '{name}'"),
            },
            _ => format!("it accessed memory at {address:#x}, which is not near an argument"),
        }
    }
}

pub(crate) use imp::{CATCHES, call, install};

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod imp {
    use super::*;
    use cube_runtime::RuntimeError;
    use std::arch::naked_asm;
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr::{addr_of_mut, null, null_mut};
    use std::sync::OnceLock;

    pub(crate) const CATCHES: bool = true;
    pub(super) const DIVISION: i32 = libc::SIGFPE;
    pub(super) const INSTRUCTION: i32 = libc::SIGILL;

    const SIGNALS: [i32; 4] = [libc::SIGFPE, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL];

    /// The state of the stack at which the thread continues after a fault in a kernel.
    #[repr(C)]
    struct Frame {
        /// The stack pointer and the address at which the thread continues. `enter` writes them.
        stack: usize,
        resume: usize,
        /// The address range of the kernel's code.
        code: Range<usize>,
        caught: Option<SignalFault>,
    }

    thread_local!(static CURRENT: Cell<*mut Frame> = const { Cell::new(null_mut()) });

    /// The process's signal handlers before [`install`] was called.
    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    /// Installs the signal handlers, once in the process.
    pub(crate) fn install() -> Result<(), RuntimeError> {
        static DONE: OnceLock<Result<(), String>> = OnceLock::new();
        let done = DONE.get_or_init(|| {
            // SAFETY: the structure contains numbers and pointers, for which zero is a valid value.
            let mut before: [libc::sigaction; SIGNALS.len()] = unsafe { MaybeUninit::zeroed().assume_init() };
            let failed = || std::io::Error::last_os_error().to_string();
            for (signal, old) in SIGNALS.iter().zip(&mut before) {
                // SAFETY: reads the current handler.
                if unsafe { libc::sigaction(*signal, null(), old) } != 0 {
                    return Err(failed());
                }
            }
            // The previous handlers are stored before the first handler of this crate can run.
            let _ = BEFORE.set(before);
            // SAFETY: as above.
            let mut ours: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
            ours.sa_sigaction = handle as *const () as usize;
            // The handler runs on the thread's signal stack if there is one. The standard library gives its threads a
            // signal stack.
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            for signal in SIGNALS {
                // SAFETY: `handle` calls only functions that are async-signal-safe.
                if unsafe { libc::sigaction(signal, &ours, null_mut()) } != 0 {
                    return Err(failed());
                }
            }
            Ok(())
        });
        let refused =
            |why: &String| RuntimeError::device_limit(format!("faults cannot be caught on this system ({why})"));
        done.as_ref().copied().map_err(refused)
    }

    unsafe extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
        let frame = CURRENT.get();
        // SAFETY: the system gives a handler with SA_SIGINFO this context.
        let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        let at = registers[libc::REG_RIP as usize] as usize;
        // SAFETY: a recorded frame belongs to a call of this thread that has not returned.
        if !frame.is_null() && unsafe { (*frame).code.contains(&at) } {
            // SAFETY: as above, and the thread executes only this handler.
            unsafe {
                (*frame).caught = Some(SignalFault { signal, address: (*info).si_addr() as usize });
                registers[libc::REG_RSP as usize] = (*frame).stack as i64;
                registers[libc::REG_RIP as usize] = (*frame).resume as i64;
            }
            return;
        }
        // SAFETY: passes the arguments of this handler.
        unsafe { others(signal, info, context) }
    }

    /// Passes a fault on to the previous handler.
    ///
    /// # Safety
    /// The arguments must be the arguments of a signal handler.
    // SAFETY: calls a handler as the system would call it.
    unsafe fn others(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
        let known = SIGNALS.iter().position(|s| *s == signal);
        let before = known.and_then(|index| BEFORE.get().map(|all| &all[index]));
        match before {
            Some(before) if before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN => {
                type Long = unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void);
                type Short = unsafe extern "C" fn(i32);
                // SAFETY: the flags select the type of the handler's address.
                unsafe {
                    if before.sa_flags & libc::SA_SIGINFO != 0 {
                        std::mem::transmute::<usize, Long>(before.sa_sigaction)(signal, info, context);
                    } else {
                        std::mem::transmute::<usize, Short>(before.sa_sigaction)(signal);
                    }
                }
            }
            // The faulting instruction runs again after the handler returns, and ends the program, as without a
            // handler.
            _ => {
                // SAFETY: the default handler.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
        }
    }

    /// Calls a kernel's code, and returns an error if it faults.
    ///
    /// # Errors
    /// The code faulted.
    ///
    /// # Safety
    /// The arguments follow the calling convention, `code` contains the entry function and all functions that it
    /// calls, and [`install`] has been called.
    pub(crate) unsafe fn call(
        entry: Entry,
        block: &LaunchBlock,
        first: u64,
        last: u64,
        scratch: *mut c_void,
        code: &Range<*const u8>,
    ) -> Result<(), SignalFault> {
        let code = code.start as usize..code.end as usize;
        let mut frame = Frame { stack: 0, resume: 0, code, caught: None };
        let outer = CURRENT.replace(addr_of_mut!(frame));
        // SAFETY: the caller's promise; the frame lives until the call has returned.
        unsafe { enter(block, first, last, scratch, entry, addr_of_mut!(frame)) };
        CURRENT.set(outer);
        frame.caught.map_or(Ok(()), Err)
    }

    /// Calls `entry` with the first four arguments of this function. When this function returns, even after a fault,
    /// the callee-saved registers have their previous values.
    // SAFETY: keeps to the calling convention of its declaration; the stack is aligned to 16 bytes at the call.
    #[unsafe(naked)]
    unsafe extern "sysv64" fn enter(
        block: *const LaunchBlock,
        first: u64,
        last: u64,
        scratch: *mut c_void,
        entry: Entry,
        frame: *mut Frame,
    ) {
        naked_asm!(
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "sub rsp, 8",
            "mov [r9], rsp",
            "lea rax, [rip + 2f]",
            "mov [r9 + 8], rax",
            "call r8",
            "2:",
            "add rsp, 8",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
        )
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod imp {
    use super::*;
    use cube_runtime::RuntimeError;

    pub(crate) const CATCHES: bool = false;
    pub(super) const DIVISION: i32 = 8;
    pub(super) const INSTRUCTION: i32 = 4;

    pub(crate) fn install() -> Result<(), RuntimeError> {
        Ok(())
    }

    /// Calls a kernel's code; a fault ends the program.
    ///
    /// # Safety
    /// The arguments follow the calling convention.
    // SAFETY: the caller's promise.
    pub(crate) unsafe fn call(
        entry: Entry,
        block: &LaunchBlock,
        first: u64,
        last: u64,
        scratch: *mut c_void,
        _code: &Range<*const u8>,
    ) -> Result<(), SignalFault> {
        // SAFETY: the caller's promise.
        unsafe { entry(block, first, last, scratch) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_fault_names_the_nearest_argument() {
        let arguments = [("x", 0x10000, 256), ("y", 0x20000, 64)];
        let message = |address| SignalFault { signal: 11, address }.message(&arguments);
        assert!(message(0x10100).starts_with("it accessed byte 256 of argument 'x', which has 256 bytes: cube-run"));
        assert!(message(0x1fffc).starts_with("it accessed the byte 4 before argument 'y'"));
        assert!(message(0x18000).starts_with("it accessed memory at 0x18000, which is not near an argument"));
        let division = SignalFault { signal: imp::DIVISION, address: 0 }.message(&arguments);
        assert!(division.starts_with("it divided an integer by zero"), "{division}");
    }
}
